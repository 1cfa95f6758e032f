//! Cluster IPs and node ports of Services: an IPAddress object per address, a bitmap in a RangeAllocation for ports.
//!
//! Written in the original's order: `/registry/ipaddresses/‹ip›`, then `/registry/ranges/servicenodeports`, then the Service.

use super::Info;
use crate::errors::{ApiError, FieldFault};
use crate::object::Object;
use crate::server::Server;
use crate::storage::{Changed, Operation, Preconditions, StorageError, UpdateOptions};
use kube::catalog::Gvk;
use kube::object::{Struct, Value};
use sim::Ctx;
use std::rc::Rc;

/// What was taken for a Service that is not stored yet.
#[derive(Clone, Debug, Default)]
pub struct Allocation {
    ips: Vec<String>,
    ports: Vec<u16>,
}

impl Allocation {
    /// Gives it back after a failure.
    pub async fn release(&self, server: &Rc<Server>, ctx: Option<Ctx>) {
        for ip in &self.ips {
            release_ip(server, ctx, ip).await;
        }
        if !self.ports.is_empty() {
            let _ = change_ports(server, ctx, &[], &self.ports).await; // the repair loop would find it
        }
    }
}

/// An IPv4 range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    base: u32,
    bits: u32,
}

impl Cidr {
    /// Reads `10.96.0.0/12`.
    pub fn parse(text: &str) -> Option<Cidr> {
        let (ip, bits) = text.split_once('/')?;
        let bits: u32 = bits.parse().ok().filter(|b| *b <= 32)?;
        let base = parse_ip(ip)?;
        let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
        Some(Cidr { base: base & mask, bits })
    }

    /// Addresses that can be given, without the network's own and the broadcast address.
    pub fn size(&self) -> u64 {
        (1u64 << (32 - self.bits)).saturating_sub(2)
    }

    /// The address at a place, from 0.
    pub fn address(&self, index: u64) -> String {
        let n = self.base.wrapping_add(1).wrapping_add(u32::try_from(index).unwrap_or(u32::MAX));
        format!("{}.{}.{}.{}", n >> 24, n >> 16 & 255, n >> 8 & 255, n & 255)
    }

    /// Whether an address lies in it.
    pub fn contains(&self, ip: &str) -> bool {
        let mask = u32::MAX.checked_shl(32 - self.bits).unwrap_or(0);
        parse_ip(ip).is_some_and(|n| n & mask == self.base)
    }

    /// Addresses at the start that are kept for those who ask for one by name.
    fn reserved(&self) -> u64 {
        let size = self.size();
        if size < 64 { 0 } else { (size / 16).clamp(16, 256) }
    }
}

fn parse_ip(text: &str) -> Option<u32> {
    let parts: Vec<u32> =
        text.split('.').map(|p| p.parse::<u8>().map(u32::from)).collect::<Result<_, _>>().ok()?;
    match parts.as_slice() {
        [a, b, c, d] => Some(a << 24 | b << 16 | c << 8 | d),
        _ => None,
    }
}

fn is_service(info: &Info) -> bool {
    info.group.is_empty() && info.resource == "services"
}

/// Takes what a new or changed Service needs and writes it into the object.
pub async fn allocate(
    server: &Rc<Server>,
    ctx: Option<Ctx>,
    info: &Info,
    obj: &mut Object,
    old: Option<&Object>,
) -> Result<Allocation, ApiError> {
    let mut taken = Allocation::default();
    if !is_service(info) {
        return Ok(taken);
    }
    let name = obj.name().to_owned();
    let namespace = obj.namespace().to_owned();
    let Object::Typed(s) = obj else { return Ok(taken) };
    let kind = s.str_at("spec.type").to_owned();
    if kind == "ExternalName" {
        return Ok(taken);
    }
    let result = fill(server, ctx, s, old, &kind, &namespace, &name, &mut taken).await;
    if let Err(e) = result {
        taken.release(server, ctx).await;
        return Err(e);
    }
    Ok(taken)
}

#[allow(clippy::too_many_arguments)]
async fn fill(
    server: &Rc<Server>,
    ctx: Option<Ctx>,
    s: &mut Struct,
    old: Option<&Object>,
    kind: &str,
    namespace: &str,
    name: &str,
    taken: &mut Allocation,
) -> Result<(), ApiError> {
    let invalid = |fault: FieldFault| ApiError::invalid("", "Service", name, &[fault]);
    if let Some(old) = old
        && s.str_at("spec.clusterIP").is_empty()
        && !old.str_at("spec.clusterIP").is_empty()
        && old.str_at("spec.type") != "ExternalName"
    {
        for field in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
            let path = format!("spec.{field}");
            if let Some(v) = old.typed().and_then(|o| o.at(&path).cloned()) {
                s.set_at(&path, v);
            }
        }
    }
    let ip = s.str_at("spec.clusterIP").to_owned();
    let had = old.map_or("", |o| o.str_at("spec.clusterIP"));
    let cidr = Cidr::parse(&server.env.flags.service_cluster_ip_range)
        .unwrap_or(Cidr { base: 0x0a60_0000, bits: 12 });
    if ip.is_empty() {
        let given = take_ip(server, ctx, cidr, namespace, name).await?;
        taken.ips.push(given.clone());
        s.set_at("spec.clusterIP", given.as_str());
        s.set_at("spec.clusterIPs", vec![given]);
    } else if ip != "None" && ip != had {
        if !cidr.contains(&ip) {
            let range = &server.env.flags.service_cluster_ip_range;
            return Err(invalid(FieldFault::invalid(
                "spec.clusterIPs",
                &format!("[{ip:?}]"),
                &format!(
                    "failed to allocate IP {ip}: the provided IP ({ip}) is not in the valid range. The range of valid \
                     IPs is {range}"
                ),
            )));
        }
        if !take_named_ip(server, ctx, &ip, namespace, name).await? {
            return Err(invalid(FieldFault::invalid(
                "spec.clusterIPs",
                &format!("[{ip:?}]"),
                &format!("failed to allocate IP {ip}: provided IP is already allocated"),
            )));
        }
        taken.ips.push(ip.clone());
    }
    if s.list_at("spec.clusterIPs").is_empty() {
        let ip = s.str_at("spec.clusterIP").to_owned();
        s.set_at("spec.clusterIPs", vec![ip]);
    }
    if s.list_at("spec.ipFamilies").is_empty()
        && !(ip == "None" && s.map_at("spec.selector").is_none_or(|m| m.is_empty()))
    {
        s.set_at("spec.ipFamilies", vec!["IPv4".to_owned()]);
    }
    if s.str_at("spec.ipFamilyPolicy").is_empty() {
        let headless = ip == "None" && s.map_at("spec.selector").is_none_or(|m| m.is_empty());
        s.set_at("spec.ipFamilyPolicy", if headless { "RequireDualStack" } else { "SingleStack" });
        if headless && s.list_at("spec.ipFamilies").is_empty() {
            s.set_at("spec.ipFamilies", vec!["IPv4".to_owned(), "IPv6".to_owned()]);
        }
    }
    if ["NodePort", "LoadBalancer"].contains(&kind) {
        node_ports(server, ctx, s, old, name, taken).await?;
    }
    Ok(())
}

async fn node_ports(
    server: &Rc<Server>,
    ctx: Option<Ctx>,
    s: &mut Struct,
    old: Option<&Object>,
    name: &str,
    taken: &mut Allocation,
) -> Result<(), ApiError> {
    let before: Vec<(String, i64, i64)> = old
        .and_then(Object::typed)
        .map(|o| {
            o.structs_at("spec.ports")
                .map(|p| {
                    (
                        p.str_at("name").to_owned(),
                        p.int_at("port").unwrap_or(0),
                        p.int_at("nodePort").unwrap_or(0),
                    )
                })
                .collect()
        })
        .unwrap_or_default();
    let held = |port: i64| before.iter().any(|(_, _, n)| *n == port && port != 0);
    let mut wanted = Vec::new();
    let mut missing = Vec::new();
    for (i, p) in s.structs_at("spec.ports").enumerate() {
        match p.int_at("nodePort").unwrap_or(0) {
            0 => missing.push((i, p.str_at("name").to_owned(), p.int_at("port").unwrap_or(0))),
            n if held(n) => {}
            n => match u16::try_from(n) {
                Ok(n) => wanted.push((i, n)),
                Err(_) => continue,
            },
        }
    }
    if wanted.is_empty() && missing.is_empty() {
        return Ok(());
    }
    let mut add: Vec<u16> = wanted.iter().map(|(_, n)| *n).collect();
    let (first, last) = server.env.flags.service_node_port_range;
    for (i, n) in &wanted {
        if *n < first || *n > last {
            return Err(ApiError::invalid(
                "",
                "Service",
                name,
                &[FieldFault::invalid(
                    &format!("spec.ports[{i}].nodePort"),
                    &n.to_string(),
                    &format!(
                        "provided port is not in the valid range. The range of valid ports is {first}-{last}"
                    ),
                )],
            ));
        }
    }
    let rng = server.env.rng("nodeports");
    let used = change_ports(server, ctx, &[], &[]).await?;
    let mut given = Vec::new();
    for (i, port_name, port) in missing {
        let kept =
            before.iter().find(|(n, p, np)| *n == port_name && *p == port && *np != 0).map(|(_, _, n)| *n);
        let n = match kept.and_then(|n| u16::try_from(n).ok()) {
            Some(n) => n,
            None => {
                let span = u64::from(last - first) + 1;
                let start = rng.below(span);
                let free = (0..span)
                    .map(|k| first + ((start + k) % span) as u16)
                    .find(|p| !used.contains(p) && !add.contains(p));
                let Some(p) = free else {
                    return Err(ApiError::internal("failed to allocate a nodePort: range is full"));
                };
                add.push(p);
                p
            }
        };
        given.push((i, n));
    }
    if let Some(taken_by) = wanted.iter().find(|(_, n)| used.contains(n)) {
        return Err(ApiError::invalid(
            "",
            "Service",
            name,
            &[FieldFault::invalid(
                &format!("spec.ports[{}].nodePort", taken_by.0),
                &taken_by.1.to_string(),
                "provided port is already allocated",
            )],
        ));
    }
    change_ports(server, ctx, &add, &[]).await?;
    taken.ports = add;
    for (i, n) in given {
        s.set_at(&format!("spec.ports[{i}].nodePort"), i64::from(n));
    }
    Ok(())
}

/// A random free address from the upper part of the range.
async fn take_ip(
    server: &Rc<Server>,
    ctx: Option<Ctx>,
    cidr: Cidr,
    namespace: &str,
    name: &str,
) -> Result<String, ApiError> {
    let rng = server.env.rng("clusterips");
    let (size, low) = (cidr.size(), cidr.reserved());
    let upper = (size - low).max(1);
    let start = rng.below(upper);
    for k in 0..size {
        let index = if k < upper { low + (start + k) % upper } else { k - upper };
        let ip = cidr.address(index);
        if take_named_ip(server, ctx, &ip, namespace, name).await? {
            return Ok(ip);
        }
    }
    Err(ApiError::internal("failed to allocate a serviceIP: range is full"))
}

/// Stores the IPAddress; false if it exists.
async fn take_named_ip(
    server: &Rc<Server>,
    ctx: Option<Ctx>,
    ip: &str,
    namespace: &str,
    name: &str,
) -> Result<bool, ApiError> {
    let Some(registry) = server.registry("networking.k8s.io", "ipaddresses") else {
        return Err(ApiError::internal("ipaddresses are not served"));
    };
    let Some(mut s) = Struct::of_kind(&Gvk::new("networking.k8s.io", "v1", "IPAddress")) else {
        return Err(ApiError::internal("IPAddress has no schema"));
    };
    s.set_at("metadata.name", ip);
    s.set_at(
        "metadata.labels",
        std::collections::BTreeMap::from([
            ("ipaddress.kubernetes.io/ip-family".to_owned(), "IPv4".to_owned()),
            ("ipaddress.kubernetes.io/managed-by".to_owned(), "ipallocator.k8s.io".to_owned()),
        ]),
    );
    s.set_at("spec.parentRef.resource", "services");
    s.set_at("spec.parentRef.namespace", namespace);
    s.set_at("spec.parentRef.name", name);
    let mut obj = Object::Typed(s);
    super::fill_system_fields(&server.env, &mut obj);
    let manager = "kube-apiserver";
    crate::handlers::track_fields(server, &registry, None, &mut obj, manager, "", "networking.k8s.io/v1");
    let key = registry.key("", ip)?;
    match registry.store.create(ctx, &key, &obj, 0).await {
        Ok(_) => Ok(true),
        Err(StorageError::KeyExists { .. }) => Ok(false),
        Err(e) => Err(e.interpret(Operation::Create, "networking.k8s.io", "ipaddresses", ip)),
    }
}

async fn release_ip(server: &Rc<Server>, ctx: Option<Ctx>, ip: &str) {
    let Some(registry) = server.registry("networking.k8s.io", "ipaddresses") else { return };
    let Ok(key) = registry.key("", ip) else { return };
    let _ = registry.store.delete(ctx, &key, &Preconditions::default(), None, async |_| Ok(())).await; // it may be gone already
}

/// Gives back what a removed Service held.
pub async fn released(server: &Rc<Server>, ctx: Option<Ctx>, info: &Info, gone: &Object) {
    if !is_service(info) {
        return;
    }
    for ip in gone.strs_at("spec.clusterIPs").iter().filter(|ip| *ip != "None") {
        release_ip(server, ctx, ip).await;
    }
    let ports: Vec<u16> = gone
        .typed()
        .into_iter()
        .flat_map(|s| s.structs_at("spec.ports"))
        .filter_map(|p| u16::try_from(p.int_at("nodePort").unwrap_or(0)).ok().filter(|n| *n != 0))
        .collect();
    if !ports.is_empty() {
        let _ = change_ports(server, ctx, &[], &ports).await; // the repair loop would find it
    }
}

/// Adds and removes ports in the bitmap; the ports in use before. Nothing is written if nothing changes.
pub async fn change_ports(
    server: &Rc<Server>,
    ctx: Option<Ctx>,
    add: &[u16],
    remove: &[u16],
) -> Result<Vec<u16>, ApiError> {
    let (first, last) = server.env.flags.service_node_port_range;
    let before = std::cell::RefCell::new(Vec::new());
    let change = async |existing: Option<Rc<Object>>, _: u32| {
        let mut s = match existing.as_deref() {
            Some(Object::Typed(s)) => s.clone(),
            _ => Struct::of_kind(&Gvk::new("", "v1", "RangeAllocation"))
                .ok_or_else(|| StorageError::Other("RangeAllocation has no schema".to_owned()))?,
        };
        let bits = match s.get("data") {
            Some(Value::Bytes(b)) => b.clone(),
            _ => Vec::new(),
        };
        let mut used = ports_of(&bits, first);
        *before.borrow_mut() = used.clone();
        used.extend(add.iter().copied().filter(|p| *p >= first && *p <= last));
        used.retain(|p| !remove.contains(p));
        s.set("range", format!("{first}-{last}"));
        s.set("data", Value::Bytes(bits_of(&used, first)));
        Ok(Changed { object: Object::Typed(s), ttl: 0 })
    };
    let options = UpdateOptions { ignore_not_found: true, ..UpdateOptions::default() };
    server
        .node_ports
        .guaranteed_update(ctx, "/ranges/servicenodeports", options, change)
        .await
        .map_err(|e| e.interpret(Operation::Update, "", "servicenodeportallocations", "servicenodeports"))?;
    Ok(before.into_inner())
}

/// The bitmap is a big-endian integer without leading zero bytes; bit i stands for port first + i.
fn ports_of(bits: &[u8], first: u16) -> Vec<u16> {
    let mut out = Vec::new();
    for (i, byte) in bits.iter().rev().enumerate() {
        for bit in 0..8u16 {
            if byte >> bit & 1 == 1 {
                out.push(first.saturating_add(i as u16 * 8 + bit));
            }
        }
    }
    out
}

fn bits_of(ports: &[u16], first: u16) -> Vec<u8> {
    let mut little = Vec::new();
    for p in ports {
        let i = usize::from(p.saturating_sub(first));
        if little.len() <= i / 8 {
            little.resize(i / 8 + 1, 0u8);
        }
        little[i / 8] |= 1 << (i % 8);
    }
    while little.last() == Some(&0) {
        little.pop();
    }
    little.reverse();
    little
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let c = Cidr::parse("10.96.0.0/12").unwrap();
        assert_eq!(c.address(0), "10.96.0.1");
        assert_eq!(c.size(), (1 << 20) - 2);
        assert_eq!(c.reserved(), 256);
        assert!(c.contains("10.111.255.254") && !c.contains("10.112.0.0"));
        assert_eq!(Cidr::parse("10.0.0.0/24").unwrap().reserved(), 16);
        assert_eq!(Cidr::parse("x/24"), None);
    }

    #[test]
    fn port_bitmaps() {
        assert_eq!(bits_of(&[30000], 30000), [1]);
        assert_eq!(bits_of(&[30009], 30000), [2, 0]);
        assert_eq!(ports_of(&[2, 1], 30000), [30000, 30009]);
        assert!(bits_of(&[], 30000).is_empty());
    }
}

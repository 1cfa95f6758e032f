//! Command-line flags of kube-apiserver: those that matter to storage are modelled, the others are accepted by name (they
//! would change nothing that is modelled here) and listed, and an unknown one ends the start as pflag ends it.

mod parse;
mod table;

use parse::Raw;
pub(crate) use parse::duration as parse_duration;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// `--storage-media-type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MediaType {
    /// `application/vnd.kubernetes.protobuf`
    #[default]
    Protobuf,
    /// `application/json`
    Json,
    /// `application/yaml`
    Yaml,
}

/// The flags in force. Durations are virtual time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flags {
    /// `--etcd-servers`, as addresses without a scheme.
    pub etcd_servers: Vec<String>,
    /// `--etcd-prefix` with a leading slash and none at the end.
    pub etcd_prefix: String,
    /// `--etcd-compaction-interval`; zero: never.
    pub etcd_compaction_interval: Duration,
    /// `--etcd-count-metric-poll-period`; zero: never.
    pub etcd_count_metric_poll_period: Duration,
    /// `--etcd-db-metric-poll-interval`; zero: never.
    pub etcd_db_metric_poll_interval: Duration,
    /// `--etcd-healthcheck-timeout`
    pub etcd_healthcheck_timeout: Duration,
    /// `--etcd-readycheck-timeout`
    pub etcd_readycheck_timeout: Duration,
    /// `--lease-reuse-duration-seconds`
    pub lease_reuse_duration_seconds: i64,
    /// `--storage-media-type`
    pub storage_media_type: MediaType,
    /// `--storage-initialization-timeout`
    pub storage_initialization_timeout: Duration,
    /// `--delete-collection-workers`
    pub delete_collection_workers: i64,
    /// `--enable-garbage-collector`
    pub enable_garbage_collector: bool,
    /// `--event-ttl`
    pub event_ttl: Duration,
    /// `--encryption-provider-config`; empty: none.
    pub encryption_provider_config: String,
    /// `--encryption-provider-config-automatic-reload`
    pub encryption_provider_config_automatic_reload: bool,
    /// `--watch-cache`
    pub watch_cache: bool,
    /// Resources (`pods`, `deployments.apps`) whose `--watch-cache-sizes` entry is 0.
    pub uncached: BTreeSet<String>,
    /// `--request-timeout`
    pub request_timeout: Duration,
    /// `--min-request-timeout`, in seconds.
    pub min_request_timeout: i64,
    /// `--enable-admission-plugins`
    pub enable_admission_plugins: BTreeSet<String>,
    /// `--disable-admission-plugins`
    pub disable_admission_plugins: BTreeSet<String>,
    /// `--authorization-mode`
    pub authorization_mode: Vec<String>,
    /// `--anonymous-auth`
    pub anonymous_auth: bool,
    /// `--service-cluster-ip-range`
    pub service_cluster_ip_range: String,
    /// `--service-node-port-range`: first and last port.
    pub service_node_port_range: (u16, u16),
    /// `--advertise-address`
    pub advertise_address: String,
    /// `--secure-port`
    pub secure_port: u16,
    /// `--allow-privileged`
    pub allow_privileged: bool,
    /// `--token-auth-file`; empty: the built-in table only.
    pub token_auth_file: String,
    /// Flags that were given and change nothing that is modelled, by name.
    pub not_modelled: Vec<String>,
    /// Lines that the original logs at start because of flags.
    pub warnings: Vec<String>,
}

impl Default for Flags {
    fn default() -> Flags {
        let secs = Duration::from_secs;
        Flags {
            etcd_servers: vec!["127.0.0.1:2379".into()],
            etcd_prefix: "/registry".into(),
            etcd_compaction_interval: secs(300),
            etcd_count_metric_poll_period: secs(60),
            etcd_db_metric_poll_interval: secs(30),
            etcd_healthcheck_timeout: secs(2),
            etcd_readycheck_timeout: secs(2),
            lease_reuse_duration_seconds: 60,
            storage_media_type: MediaType::Protobuf,
            storage_initialization_timeout: secs(60),
            delete_collection_workers: 1,
            enable_garbage_collector: true,
            event_ttl: secs(3600),
            encryption_provider_config: String::new(),
            encryption_provider_config_automatic_reload: false,
            watch_cache: true,
            uncached: BTreeSet::new(),
            request_timeout: secs(60),
            min_request_timeout: 1800,
            enable_admission_plugins: BTreeSet::new(),
            disable_admission_plugins: BTreeSet::new(),
            authorization_mode: vec!["Node".into(), "RBAC".into()],
            anonymous_auth: true,
            service_cluster_ip_range: "10.96.0.0/12".into(),
            service_node_port_range: (30000, 32767),
            advertise_address: "192.168.0.10".into(),
            secure_port: 6443,
            allow_privileged: true,
            token_auth_file: String::new(),
            not_modelled: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

impl Flags {
    /// Reads the arguments of the command (without the program's name). The error is what the original prints after
    /// `Error: ` before it ends with status 1.
    pub fn parse(args: &[String]) -> Result<Flags, String> {
        let raw = parse::parse(args)?;
        let mut flags = Flags { etcd_servers: Vec::new(), ..Flags::default() };
        flags.read(&raw)?;
        flags.validate(&raw)?;
        Ok(flags)
    }

    fn read(&mut self, raw: &Raw) -> Result<(), String> {
        raw.duration("etcd-compaction-interval", &mut self.etcd_compaction_interval)?;
        raw.duration("etcd-count-metric-poll-period", &mut self.etcd_count_metric_poll_period)?;
        raw.duration("etcd-db-metric-poll-interval", &mut self.etcd_db_metric_poll_interval)?;
        raw.duration("etcd-healthcheck-timeout", &mut self.etcd_healthcheck_timeout)?;
        raw.duration("etcd-readycheck-timeout", &mut self.etcd_readycheck_timeout)?;
        raw.duration("storage-initialization-timeout", &mut self.storage_initialization_timeout)?;
        raw.duration("event-ttl", &mut self.event_ttl)?;
        raw.duration("request-timeout", &mut self.request_timeout)?;
        raw.int("lease-reuse-duration-seconds", &mut self.lease_reuse_duration_seconds)?;
        raw.int("delete-collection-workers", &mut self.delete_collection_workers)?;
        raw.int("min-request-timeout", &mut self.min_request_timeout)?;
        raw.bool("enable-garbage-collector", &mut self.enable_garbage_collector)?;
        raw.bool("watch-cache", &mut self.watch_cache)?;
        raw.bool("anonymous-auth", &mut self.anonymous_auth)?;
        raw.bool("allow-privileged", &mut self.allow_privileged)?;
        raw.bool(
            "encryption-provider-config-automatic-reload",
            &mut self.encryption_provider_config_automatic_reload,
        )?;
        raw.text("encryption-provider-config", &mut self.encryption_provider_config);
        raw.text("service-cluster-ip-range", &mut self.service_cluster_ip_range);
        raw.text("advertise-address", &mut self.advertise_address);
        raw.text("token-auth-file", &mut self.token_auth_file);
        let mut port = i64::from(self.secure_port);
        raw.int("secure-port", &mut port)?;
        self.secure_port = u16::try_from(port).map_err(|_| {
            format!(
                "--secure-port {port} must be between 1 and 65535, inclusive. It cannot be turned off with 0"
            )
        })?;
        if let Some(p) = raw.last("etcd-prefix") {
            let p = p.trim_matches('/');
            self.etcd_prefix = if p.is_empty() { String::new() } else { format!("/{p}") };
        }
        for (name, into) in [
            ("enable-admission-plugins", &mut self.enable_admission_plugins),
            ("disable-admission-plugins", &mut self.disable_admission_plugins),
        ] {
            into.extend(raw.list(name));
        }
        if raw.given("authorization-mode") {
            self.authorization_mode = raw.list("authorization-mode");
        }
        self.etcd_servers = raw.list("etcd-servers").iter().map(|u| address(u)).collect();
        if raw.given("default-watch-cache-size") {
            raw.int("default-watch-cache-size", &mut 0)?;
            self.warnings.push(
                "Flag --default-watch-cache-size has been deprecated, watch caches are sized automatically and this \
                 flag will be removed in a future version"
                    .into(),
            );
        }
        self.not_modelled = raw.names().filter(|n| !table::MODELLED.contains(n)).map(str::to_owned).collect();
        Ok(())
    }

    fn validate(&mut self, raw: &Raw) -> Result<(), String> {
        let mut errors = Vec::new();
        if self.etcd_servers.is_empty() {
            errors.push("--etcd-servers must be specified".to_owned());
        }
        match raw.last("storage-backend") {
            None | Some("" | "etcd3") => {}
            Some(_) => errors.push(
                "--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'"
                    .to_owned(),
            ),
        }
        match raw.last("storage-media-type") {
            None | Some("application/vnd.kubernetes.protobuf") => {}
            Some("application/json") => self.storage_media_type = MediaType::Json,
            Some("application/yaml") => self.storage_media_type = MediaType::Yaml,
            Some(other) => errors.push(format!(
                "--storage-media-type {other:?} invalid, allowed values: application/json, \
                 application/vnd.kubernetes.protobuf, application/yaml"
            )),
        }
        if self.encryption_provider_config_automatic_reload && self.encryption_provider_config.is_empty() {
            errors.push(
                "--encryption-provider-config-automatic-reload must be set with --encryption-provider-config"
                    .to_owned(),
            );
        }
        for entry in raw.list("watch-cache-sizes") {
            match watch_cache_size(&entry) {
                Ok((resource, 0)) => {
                    self.uncached.insert(resource);
                }
                Ok((resource, _)) => self.warnings.push(format!(
                    "Dropping watch-cache-size for {resource} - watchCache size is now dynamic"
                )),
                Err(e) => errors.push(e),
            }
        }
        if let Some(range) = raw.last("service-node-port-range") {
            match port_range(range) {
                Some(r) => self.service_node_port_range = r,
                None => {
                    return Err(format!(
                        "invalid argument {range:?} for \"--service-node-port-range\" flag: {range:?} is not a valid \
                         port range"
                    ));
                }
            }
        }
        for entry in raw.list("etcd-servers-overrides") {
            if entry.split('#').count() != 2
                || entry.split('#').next().is_none_or(|r| r.split('/').count() != 2)
            {
                errors.push(
                    "--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are \
                     URLs, semicolon separated"
                        .to_owned(),
                );
            } else {
                errors.push("not modelled here: --etcd-servers-overrides".to_owned());
            }
        }
        for name in &self.enable_admission_plugins {
            if !crate::admission::NAMES.contains(&name.as_str()) {
                errors.push(format!("enable-admission-plugins plugin {name:?} is unknown"));
            }
        }
        for name in &self.disable_admission_plugins {
            if !crate::admission::NAMES.contains(&name.as_str()) {
                errors.push(format!("disable-admission-plugins plugin {name:?} is unknown"));
            }
        }
        match errors.len() {
            0 => Ok(()),
            1 => Err(errors.remove(0)),
            _ => Err(format!("[{}]", errors.join(", "))),
        }
    }

    /// Flags as a table of name and value, for the page.
    pub fn summary(&self) -> BTreeMap<&'static str, String> {
        let mut out = BTreeMap::new();
        out.insert("etcd-servers", self.etcd_servers.join(","));
        out.insert("etcd-prefix", self.etcd_prefix.clone());
        out.insert("watch-cache", self.watch_cache.to_string());
        out.insert("encryption-provider-config", self.encryption_provider_config.clone());
        out.insert("event-ttl", format!("{}s", self.event_ttl.as_secs()));
        out
    }
}

/// An address in the simulated network from an URL: the scheme does not matter, since TLS is not modelled.
fn address(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, r)| r);
    let rest = rest.trim_end_matches('/');
    rest.replace("localhost:", "127.0.0.1:")
}

fn watch_cache_size(entry: &str) -> Result<(String, i64), String> {
    let Some((resource, size)) = entry.split_once('#').filter(|(_, s)| !s.contains('#')) else {
        return Err(format!("invalid value of watch cache size: {entry}"));
    };
    let size: i64 = size.parse().map_err(|_| format!("invalid size of watch cache size: {entry}"))?;
    if size < 0 {
        return Err(format!("watch cache size cannot be negative: {entry}"));
    }
    Ok((resource.to_owned(), size))
}

fn port_range(text: &str) -> Option<(u16, u16)> {
    if let Some((first, size)) = text.split_once('+') {
        let first: u16 = first.trim().parse().ok()?;
        let size: u16 = size.trim().parse().ok()?;
        return Some((first, first.checked_add(size)?));
    }
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first <= last).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Flags, String> {
        Flags::parse(&args.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn both_forms_and_defaults() {
        let f = parse(&[
            "--etcd-servers=https://127.0.0.1:2379,https://127.0.0.1:22379",
            "--watch-cache-sizes",
            "pods#0,services#10",
            "--etcd-prefix=registry/",
            "--watch-cache=false",
            "--event-ttl=1h30m",
            "--tls-cert-file=/etc/x",
        ])
        .unwrap();
        assert_eq!(f.etcd_servers, ["127.0.0.1:2379", "127.0.0.1:22379"]);
        assert!(f.uncached.contains("pods") && !f.uncached.contains("services"));
        assert_eq!(f.etcd_prefix, "/registry");
        assert!(!f.watch_cache);
        assert_eq!(f.event_ttl, Duration::from_secs(5400));
        assert_eq!(f.not_modelled, ["tls-cert-file"]);
        assert_eq!(f.warnings, ["Dropping watch-cache-size for services - watchCache size is now dynamic"]);
    }

    #[test]
    fn error_texts() {
        let e = "--etcd-servers=a:1";
        for (args, text) in [
            (vec!["--nope"], "unknown flag: --nope"),
            (vec![e, "-x"], "unknown shorthand flag: 'x' in -x"),
            (vec![e, "--etcd-prefix"], "flag needs an argument: --etcd-prefix"),
            (
                vec![e, "--watch-cache=maybe"],
                "invalid argument \"maybe\" for \"--watch-cache\" flag: strconv.ParseBool: parsing \"maybe\": invalid syntax",
            ),
            (
                vec![e, "--event-ttl=5"],
                "invalid argument \"5\" for \"--event-ttl\" flag: time: missing unit in duration \"5\"",
            ),
            (
                vec![e, "--min-request-timeout=x"],
                "invalid argument \"x\" for \"--min-request-timeout\" flag: strconv.ParseInt: parsing \"x\": invalid syntax",
            ),
            (vec![], "--etcd-servers must be specified"),
            (
                vec![e, "--storage-backend=etcd2"],
                "--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'",
            ),
            (
                vec![e, "--storage-media-type=x"],
                "--storage-media-type \"x\" invalid, allowed values: application/json, application/vnd.kubernetes.protobuf, application/yaml",
            ),
            (
                vec![e, "--encryption-provider-config-automatic-reload"],
                "--encryption-provider-config-automatic-reload must be set with --encryption-provider-config",
            ),
            (vec![e, "--watch-cache-sizes=pods"], "invalid value of watch cache size: pods"),
            (vec![e, "--target-ram-mb=5"], "unknown flag: --target-ram-mb"),
        ] {
            assert_eq!(parse(&args).unwrap_err(), text, "{args:?}");
        }
    }
}

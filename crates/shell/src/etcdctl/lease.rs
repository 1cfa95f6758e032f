//! `lease grant`, `revoke`, `timetolive`, `list`, `keep-alive`.

use super::format::{self, Format};
use super::kv::no_table;
use super::{BAD_ARGS, CONNECTION, Call, Done, Fail, GENERIC, error_text};
use wire::etcdserverpb::*;

fn lease_id(call: &Call, missing: &str, what: &str) -> Result<i64, Fail> {
    let Some(a) = call.args().first() else { return Err(Fail(BAD_ARGS, missing.to_owned())) };
    i64::from_str_radix(a, 16).map_err(|_| {
        let text =
            format!("bad {what} (strconv.ParseInt: parsing \"{a}\": invalid syntax), expecting ID in Hex");
        Fail(BAD_ARGS, text)
    })
}

pub(super) async fn grant(call: &Call) -> Done {
    let Some(a) = call.args().first() else {
        return Err(Fail(BAD_ARGS, "lease grant command needs TTL argument".to_owned()));
    };
    let ttl: i64 = a.parse().map_err(|_| {
        Fail(BAD_ARGS, format!("bad TTL (strconv.ParseInt: parsing \"{a}\": invalid syntax)"))
    })?;
    no_table(call)?;
    let req = LeaseGrantRequest { ttl, id: 0 };
    let r = call.client.lease_grant(call.ctx, req).await;
    let r = r.map_err(|e| Fail(GENERIC, format!("failed to grant lease ({})", error_text(&e))))?;
    let h = r.header.as_ref();
    let text = match call.format() {
        Format::Json => {
            let mut o = format::header_flat(h);
            o.raw("ID", &r.id.to_string()).raw("TTL", &r.ttl.to_string()).raw("Error", "\"\"");
            o.end() + "\n"
        }
        Format::Fields => {
            let id = if call.hex() { format!("{:016x}", r.id) } else { r.id.to_string() };
            format!("{}\"ID\" : {id}\n\"TTL\" : {}\n", format::header_fields(h, call.hex()), r.ttl)
        }
        _ => format!("lease {:016x} granted with TTL({}s)\n", r.id, r.ttl),
    };
    call.print(text).await?;
    Ok(0)
}

pub(super) async fn revoke(call: &Call) -> Done {
    let id = lease_id(call, "lease revoke command needs 1 argument", "lease ID arg")?;
    no_table(call)?;
    let r = call.client.lease_revoke(call.ctx, LeaseRevokeRequest { id }).await;
    let r = r.map_err(|e| Fail(GENERIC, format!("failed to revoke lease ({})", error_text(&e))))?;
    let text = match call.format() {
        Format::Json => format!("{{\"header\":{}}}\n", format::header_json(r.header.as_ref())),
        Format::Fields => format::header_fields(r.header.as_ref(), call.hex()),
        _ => format!("lease {id:016x} revoked\n"),
    };
    call.print(text).await?;
    Ok(0)
}

pub(super) async fn time_to_live(call: &Call) -> Done {
    let id = lease_id(call, "lease timetolive command needs lease ID as argument", "lease ID arg")?;
    no_table(call)?;
    let keys = call.flags.on("keys");
    let r = call.client.lease_time_to_live(call.ctx, LeaseTimeToLiveRequest { id, keys }).await;
    let r = r.map_err(|e| Fail(CONNECTION, error_text(&e)))?;
    let h = r.header.as_ref();
    let text = match call.format() {
        Format::Json => {
            let mut o = format::header_flat(h);
            o.raw("id", &r.id.to_string())
                .raw("ttl", &r.ttl.to_string())
                .raw("granted-ttl", &r.granted_ttl.to_string());
            let keys: Vec<String> =
                r.keys.iter().map(|k| format!("\"{}\"", kube::codec::base64_encode(k))).collect();
            o.raw("keys", &if keys.is_empty() { "null".to_owned() } else { format!("[{}]", keys.join(",")) });
            o.end() + "\n"
        }
        Format::Fields => {
            let id = if call.hex() { format!("{:016x}", r.id) } else { r.id.to_string() };
            let mut s = format::header_fields(h, call.hex());
            s += &format!("\"ID\" : {id}\n\"TTL\" : {}\n\"GrantedTTL\" : {}\n", r.ttl, r.granted_ttl);
            r.keys.iter().for_each(|k| s += &format!("\"Key\" : {}\n", format::quote(k)));
            s
        }
        _ if r.granted_ttl == 0 && r.ttl == -1 => format!("lease {:016x} already expired\n", r.id),
        _ => {
            let mut s =
                format!("lease {:016x} granted with TTL({}s), remaining({}s)", r.id, r.granted_ttl, r.ttl);
            if keys {
                let names: Vec<String> =
                    r.keys.iter().map(|k| String::from_utf8_lossy(k).into_owned()).collect();
                s += &format!(", attached keys([{}])", names.join(" "));
            }
            s + "\n"
        }
    };
    call.print(text).await?;
    Ok(0)
}

pub(super) async fn list(call: &Call) -> Done {
    no_table(call)?;
    let r = call.client.lease_leases(call.ctx, LeaseLeasesRequest {}).await;
    let r = r.map_err(|e| Fail(CONNECTION, error_text(&e)))?;
    let text = match call.format() {
        Format::Json => {
            let mut o = format::header_flat(r.header.as_ref());
            let ids: Vec<String> = r.leases.iter().map(|l| format!("{{\"id\":{}}}", l.id)).collect();
            o.raw("leases", &format!("[{}]", ids.join(",")));
            o.end() + "\n"
        }
        Format::Fields => {
            let mut s = format::header_fields(r.header.as_ref(), call.hex());
            r.leases.iter().for_each(|l| s += &format!("\"ID\" : {}\n", l.id));
            s
        }
        _ => {
            let mut s = format!("found {} leases\n", r.leases.len());
            r.leases.iter().for_each(|l| s += &format!("{:016x}\n", l.id));
            s
        }
    };
    call.print(text).await?;
    Ok(0)
}

fn kept(call: &Call, r: &LeaseKeepAliveResponse) -> String {
    match call.format() {
        Format::Json => {
            let mut o = format::header_flat(r.header.as_ref());
            o.raw("ID", &r.id.to_string()).raw("TTL", &r.ttl.to_string());
            o.end() + "\n"
        }
        Format::Fields => {
            format!(
                "{}\"ID\" : {}\n\"TTL\" : {}\n",
                format::header_fields(r.header.as_ref(), call.hex()),
                r.id,
                r.ttl
            )
        }
        _ => format!("lease {:016x} keepalived with TTL({})\n", r.id, r.ttl),
    }
}

pub(super) async fn keep_alive(call: &Call) -> Done {
    let id = lease_id(call, "lease keep-alive command needs lease ID as argument", "lease ID arg")?;
    no_table(call)?;
    if call.flags.on("once") {
        let r = call.client.lease_keep_alive_once(call.ctx, id).await;
        let r = r.map_err(|e| Fail(CONNECTION, error_text(&e)))?;
        call.print(kept(call, &r)).await?;
        return Ok(0);
    }
    let mut beats = call.client.lease_keep_alive(call.ctx, id);
    while let Some(r) = beats.recv().await {
        call.print(kept(call, &r)).await?;
    }
    call.print(format!("lease {id:016x} expired or revoked.\n")).await?;
    Ok(0)
}

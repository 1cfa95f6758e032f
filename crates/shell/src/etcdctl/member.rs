//! `member list` and `endpoint status`, `health`, `hashkv`.

use super::format::{self, Format, Obj};
use super::{Call, Done, Fail, GENERIC, UNSUPPORTED, error_text, flags};
use sim::Duration;
use wire::etcdserverpb::*;

/// The endpoints a command addresses one by one: those given, or with `--cluster` those of all members.
pub(super) async fn endpoints(call: &Call) -> Result<Vec<(String, etcd::Client)>, Fail> {
    let names: Vec<String> = if call.flags.on("cluster") {
        let r = call.client.member_list(call.ctx, MemberListRequest { linearizable: false }).await;
        let r = r.map_err(|e| {
            Fail(
                GENERIC,
                format!("failed to fetch endpoints from etcd cluster member list: {}", error_text(&e)),
            )
        })?;
        r.members.into_iter().flat_map(|m| m.client_urls).collect()
    } else {
        call.flags.get("endpoints").split(',').map(str::to_owned).collect()
    };
    let timeout = flags::duration(call.flags.get("command-timeout")).unwrap_or(Duration::from_secs(5));
    let client = |n: &String| {
        etcd::Client::new(call.cmd.sim(), call.cmd.process(), vec![n.clone()]).with_timeout(timeout)
    };
    Ok(names.iter().map(|n| (n.clone(), client(n))).collect())
}

pub(super) async fn list(call: &Call) -> Done {
    let linearizable = match call.flags.get("consistency") {
        "l" => true,
        "s" => false,
        other => {
            return Err(Fail(
                UNSUPPORTED,
                format!("unknown consistency flag {}", format::quote(other.as_bytes())),
            ));
        }
    };
    let r = call.client.member_list(call.ctx, MemberListRequest { linearizable }).await?;
    let hex = call.hex();
    let status = |m: &Member| if m.name.is_empty() { "unstarted" } else { "started" };
    let row = |m: &Member| {
        vec![
            format!("{:x}", m.id),
            status(m).to_owned(),
            m.name.clone(),
            m.peer_urls.join(","),
            m.client_urls.join(","),
            m.is_learner.to_string(),
        ]
    };
    let text = match call.format() {
        Format::Json => {
            let number = |n: u64| if hex { format!("\"{n:x}\"") } else { n.to_string() };
            let h = r.header.unwrap_or_default();
            let mut head = Obj::default();
            head.raw("cluster_id", &number(h.cluster_id)).raw("member_id", &number(h.member_id));
            head.uint("raft_term", h.raft_term);
            let member = |m: &Member| {
                let urls = |u: &[String]| u.iter().map(|s| format::json_string(s)).collect::<Vec<_>>();
                let mut o = Obj::default();
                o.raw("ID", &number(m.id)).text("name", &m.name).list("peerURLs", &urls(&m.peer_urls));
                o.list("clientURLs", &urls(&m.client_urls)).bool("isLearner", m.is_learner);
                o.end()
            };
            let mut o = Obj::default();
            o.raw("header", &head.end()).list("members", &r.members.iter().map(member).collect::<Vec<_>>());
            o.end() + "\n"
        }
        Format::Fields => {
            let mut s = format::header_fields(r.header.as_ref(), hex);
            for m in &r.members {
                s += &format!(
                    "\"ID\" : {}\n\"Name\" : {}\n",
                    format::id(m.id, hex),
                    format::quote(m.name.as_bytes())
                );
                m.peer_urls
                    .iter()
                    .for_each(|u| s += &format!("\"PeerURL\" : {}\n", format::quote(u.as_bytes())));
                m.client_urls
                    .iter()
                    .for_each(|u| s += &format!("\"ClientURL\" : {}\n", format::quote(u.as_bytes())));
                s += &format!("\"IsLearner\" : {}\n\n", m.is_learner);
            }
            s
        }
        Format::Table => {
            let head = ["ID", "STATUS", "NAME", "PEER ADDRS", "CLIENT ADDRS", "IS LEARNER"];
            format::table(&head, &r.members.iter().map(row).collect::<Vec<_>>())
        }
        _ => r.members.iter().map(|m| row(m).join(", ") + "\n").collect(),
    };
    call.print(text).await?;
    Ok(0)
}

/// Prints the same thing about several endpoints in each format.
async fn report<T>(
    call: &Call,
    items: &[(String, T)],
    head: &[&str],
    row: impl Fn(&str, &T) -> Vec<String>,
    json: impl Fn(&str, &T) -> String,
    fields: impl Fn(&str, &T) -> String,
) -> Result<(), Fail> {
    let text = match call.format() {
        Format::Json if items.is_empty() => "null\n".to_owned(),
        Format::Json => {
            format!("[{}]\n", items.iter().map(|(n, t)| json(n, t)).collect::<Vec<_>>().join(","))
        }
        Format::Fields => items.iter().map(|(n, t)| fields(n, t) + "\n").collect(),
        Format::Table => format::table(head, &items.iter().map(|(n, t)| row(n, t)).collect::<Vec<_>>()),
        _ => items.iter().map(|(n, t)| row(n, t).join(", ") + "\n").collect(),
    };
    call.print(text).await
}

pub(super) async fn status(call: &Call) -> Done {
    let mut items = Vec::new();
    let mut failed = None;
    for (name, client) in endpoints(call).await? {
        match client.status(call.ctx, StatusRequest {}).await {
            Ok(s) => items.push((name, s)),
            Err(e) => {
                call.cmd
                    .err(format!("Failed to get the status of endpoint {name} ({})\n", error_text(&e)))
                    .await?;
                failed = Some(e);
            }
        }
    }
    let head = [
        "ENDPOINT",
        "ID",
        "VERSION",
        "STORAGE VERSION",
        "DB SIZE",
        "IN USE",
        "PERCENTAGE NOT IN USE",
        "QUOTA",
        "IS LEADER",
        "IS LEARNER",
        "RAFT TERM",
        "RAFT INDEX",
        "RAFT APPLIED INDEX",
        "ERRORS",
        "DOWNGRADE TARGET VERSION",
        "DOWNGRADE ENABLED",
    ];
    let id = |s: &StatusResponse| s.header.as_ref().map_or(0, |h| h.member_id);
    let row = |name: &str, s: &StatusResponse| {
        let free = if s.db_size == 0 { 0 } else { 100 - s.db_size_in_use * 100 / s.db_size };
        let d = s.downgrade_info.clone().unwrap_or_default();
        vec![
            name.to_owned(),
            format!("{:x}", id(s)),
            s.version.clone(),
            s.storage_version.clone(),
            format::human(s.db_size),
            format::human(s.db_size_in_use),
            format!("{free}%"),
            format::human(s.db_size_quota),
            (s.leader == id(s)).to_string(),
            s.is_learner.to_string(),
            s.raft_term.to_string(),
            s.raft_index.to_string(),
            s.raft_applied_index.to_string(),
            s.errors.join(", "),
            d.target_version.clone(),
            d.enabled.to_string(),
        ]
    };
    let json = |name: &str, s: &StatusResponse| {
        let mut o = Obj::default();
        o.raw("header", &format::header_json(s.header.as_ref()))
            .text("version", &s.version)
            .int("dbSize", s.db_size);
        o.uint("leader", s.leader).uint("raftIndex", s.raft_index).uint("raftTerm", s.raft_term);
        o.uint("raftAppliedIndex", s.raft_applied_index);
        o.list("errors", &s.errors.iter().map(|e| format::json_string(e)).collect::<Vec<_>>());
        o.int("dbSizeInUse", s.db_size_in_use)
            .bool("isLearner", s.is_learner)
            .text("storageVersion", &s.storage_version);
        o.int("dbSizeQuota", s.db_size_quota);
        let mut d = Obj::default();
        let info = s.downgrade_info.clone().unwrap_or_default();
        d.bool("enabled", info.enabled).text("targetVersion", &info.target_version);
        o.raw("downgradeInfo", &d.end());
        format!("{{\"Endpoint\":{},\"Status\":{}}}", format::json_string(name), o.end())
    };
    let fields = |name: &str, s: &StatusResponse| {
        let hex = call.hex();
        let d = s.downgrade_info.clone().unwrap_or_default();
        format!(
            "{}\"Version\" : {}\n\"StorageVersion\" : {}\n\"DBSize\" : {}\n\"DBSizeInUse\" : {}\n\"DBSizeQuota\" : {}\n\"Leader\" : {}\n\"IsLearner\" : {}\n\"RaftIndex\" : {}\n\"RaftTerm\" : {}\n\"RaftAppliedIndex\" : {}\n\"Errors\" : [{}]\n\"Endpoint\" : {}\n\"DowngradeTargetVersion\" : {}\n\"DowngradeEnabled\" : {}\n",
            format::header_fields(s.header.as_ref(), hex),
            format::quote(s.version.as_bytes()),
            format::quote(s.storage_version.as_bytes()),
            s.db_size,
            s.db_size_in_use,
            s.db_size_quota,
            format::id(s.leader, hex),
            s.is_learner,
            s.raft_index,
            s.raft_term,
            s.raft_applied_index,
            s.errors.join(" "),
            format::quote(name.as_bytes()),
            format::quote(d.target_version.as_bytes()),
            d.enabled
        )
    };
    report(call, &items, &head, row, json, fields).await?;
    match failed {
        Some(e) => Err(Fail(GENERIC, error_text(&e))),
        None => Ok(0),
    }
}

struct Health {
    ok: bool,
    took: String,
    error: String,
}

pub(super) async fn health(call: &Call) -> Done {
    let probes = endpoints(call).await?.into_iter().map(|(name, client)| async move {
        let start = call.cmd.sim().now();
        let mut error = String::new();
        // A linearizable read needs a leader and a majority, whatever it finds.
        match client.range(call.ctx, RangeRequest { key: "health".into(), ..RangeRequest::default() }).await {
            Err(e) if error_text(&e) != "etcdserver: permission denied" => error = error_text(&e),
            _ => {
                let list =
                    AlarmRequest { action: alarm_request::AlarmAction::Get as i32, member_id: 0, alarm: 0 };
                match client.alarm(call.ctx, list).await {
                    Ok(r) if r.alarms.is_empty() => {}
                    Ok(r) => {
                        error = "Active Alarm(s): ".to_owned();
                        for a in r.alarms {
                            error += if a.alarm == 1 { "NOSPACE " } else { "CORRUPT " };
                        }
                    }
                    Err(_) => error = "Unable to fetch the alarm list".to_owned(),
                }
            }
        }
        let took = format::go_duration(call.cmd.sim().now() - start);
        (call.cmd.sim().event(), name, Health { ok: error.is_empty(), took, error })
    });
    let mut all = futures::future::join_all(probes).await;
    all.sort_by_key(|h| h.0); // in the order of arrival
    let items: Vec<(String, Health)> = all.into_iter().map(|(_, n, h)| (n, h)).collect();
    if call.format() == Format::Simple {
        for (name, h) in &items {
            if h.ok {
                let text = format!("{name} is healthy: successfully committed proposal: took = {}\n", h.took);
                call.print(text).await?;
            } else {
                call.cmd
                    .err(format!("{name} is unhealthy: failed to commit proposal: {}\n", h.error))
                    .await?;
            }
        }
    } else {
        let row = |n: &str, h: &Health| vec![n.to_owned(), h.ok.to_string(), h.took.clone(), h.error.clone()];
        let json = |n: &str, h: &Health| {
            let mut o = Obj::default();
            o.raw("endpoint", &format::json_string(n)).raw("health", &h.ok.to_string());
            o.raw("took", &format::json_string(&h.took)).text("error", &h.error);
            o.end()
        };
        let fields = |n: &str, h: &Health| {
            format!(
                "\"Endpoint\" : {}\n\"Health\" : {}\n\"Took\" : {}\n\"Error\" : {}\n",
                format::quote(n.as_bytes()),
                h.ok,
                format::quote(h.took.as_bytes()),
                format::quote(h.error.as_bytes())
            )
        };
        report(call, &items, &["ENDPOINT", "HEALTH", "TOOK", "ERROR"], row, json, fields).await?;
    }
    match items.iter().all(|h| h.1.ok) {
        true => Ok(0),
        false => Err(Fail(GENERIC, "unhealthy cluster".to_owned())),
    }
}

pub(super) async fn hashkv(call: &Call) -> Done {
    let mut items = Vec::new();
    let mut failed = None;
    for (name, client) in endpoints(call).await? {
        match client.hash_kv(call.ctx, HashKVRequest { revision: call.flags.int("rev") }).await {
            Ok(h) => items.push((name, h)),
            Err(e) => {
                call.cmd
                    .err(format!("Failed to get the hash of endpoint {name} ({})\n", error_text(&e)))
                    .await?;
                failed = Some(e);
            }
        }
    }
    let row =
        |n: &str, h: &HashKVResponse| vec![n.to_owned(), h.hash.to_string(), h.hash_revision.to_string()];
    let json = |n: &str, h: &HashKVResponse| {
        let mut o = Obj::default();
        o.raw("header", &format::header_json(h.header.as_ref())).uint("hash", u64::from(h.hash));
        o.int("compact_revision", h.compact_revision).int("hash_revision", h.hash_revision);
        format!("{{\"Endpoint\":{},\"HashKV\":{}}}", format::json_string(n), o.end())
    };
    let fields = |n: &str, h: &HashKVResponse| {
        let head = format::header_fields(h.header.as_ref(), call.hex());
        format!(
            "{head}\"Endpoint\" : {}\n\"Hash\" : {}\n\"HashRevision\" : {}\n",
            format::quote(n.as_bytes()),
            h.hash,
            h.hash_revision
        )
    };
    report(call, &items, &["ENDPOINT", "HASH", "HASH REVISION"], row, json, fields).await?;
    match failed {
        Some(e) => Err(Fail(GENERIC, error_text(&e))),
        None => Ok(0),
    }
}

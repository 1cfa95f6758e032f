//! `watch`: events as they happen, until interrupted or cancelled by the server.

use super::format::{self, Format, Obj};
use super::{BAD_ARGS, Call, Done, Fail, INTERRUPTED, error_text, kv};
use bytes::Bytes;
use etcd::client::WatchOptions;
use wire::etcdserverpb::WatchResponse;
use wire::mvccpb::Event;

const DELETE: i32 = 1;

/// Key and range end, and the command to run for each event.
fn arguments(call: &Call) -> Result<(WatchOptions, Vec<String>), Fail> {
    let args = call.args();
    let env = |n: &str| call.cmd.env.get(n).cloned().unwrap_or_default();
    let (env_key, env_end) = (env("ETCDCTL_WATCH_KEY"), env("ETCDCTL_WATCH_RANGE_END"));
    let bad = |text: &str| Fail(BAD_ARGS, text.to_owned());
    if env_key.is_empty() && !env_end.is_empty() {
        let end = format::quote(env_end.as_bytes());
        return Err(Fail(
            BAD_ARGS,
            format!("ETCDCTL_WATCH_KEY is empty but got ETCDCTL_WATCH_RANGE_END={end}"),
        ));
    }
    let (watched, exec) = match call.flags.dash {
        Some(n) => (&args[..n.min(args.len())], args[n.min(args.len())..].to_vec()),
        None => (args, Vec::new()),
    };
    if call.flags.dash.is_some() && exec.is_empty() {
        return Err(bad("bad number of arguments (found separator --, but no commands)"));
    }
    let (key, end) = match (watched, env_key.as_str()) {
        ([], "") => return Err(bad("bad number of arguments")),
        ([], k) => (k.to_owned(), env_end),
        ([_, ..], k) if !k.is_empty() => {
            return Err(bad("bad number of arguments (found conflicting environment key)"));
        }
        ([k, rest @ ..], _) => (k.clone(), rest.first().cloned().unwrap_or_default()),
    };
    let prefix = call.flags.on("prefix");
    if prefix && !end.is_empty() {
        return Err(bad("`range_end` and `--prefix` are mutually exclusive"));
    }
    let mut key = Bytes::from(key.into_bytes());
    let range_end = if prefix && key.is_empty() {
        key = Bytes::from_static(&[0]);
        Bytes::from_static(&[0])
    } else if prefix {
        kv::prefix_end(&key)
    } else {
        Bytes::from(end.into_bytes())
    };
    let options = WatchOptions {
        key,
        range_end,
        start_revision: call.flags.int("rev"),
        prev_kv: call.flags.on("prev-kv"),
        progress_notify: call.flags.on("progress-notify"),
        ..WatchOptions::default()
    };
    Ok((options, exec))
}

pub(super) async fn watch(call: &Call) -> Done {
    if call.flags.on("interactive") {
        return Err(Fail(super::GENERIC, "not modelled here: etcdctl watch -i".to_owned()));
    }
    let (options, exec) = arguments(call)?;
    let mut watcher = call.client.watcher(call.ctx, options);
    while let Some(r) = watcher.recv().await {
        let r = match r {
            Ok(r) => r,
            Err(e) => {
                call.cmd.err(format!("watch was canceled ({})\n", error_text(&e))).await?;
                return Err(Fail(INTERRUPTED, "watch is canceled by the server".to_owned()));
            }
        };
        if r.canceled {
            let why = match (r.compact_revision, r.cancel_reason.as_str()) {
                (c, _) if c > 0 => "etcdserver: mvcc: required revision has been compacted".to_owned(),
                (_, "") => "etcdserver: mvcc: future revision".to_owned(),
                (_, reason) => reason.to_owned(),
            };
            call.cmd.err(format!("watch was canceled ({why})\n")).await?;
            if call.format() == Format::Json {
                call.print(json(&r)).await?;
            }
            return Err(Fail(INTERRUPTED, "watch is canceled by the server".to_owned()));
        }
        if r.created {
            continue;
        }
        let revision = r.header.as_ref().map_or(0, |h| h.revision);
        if r.events.is_empty() {
            call.print(format!("progress notify: {revision}\n")).await?;
        }
        call.print(text(call, &r)).await?;
        for e in &r.events {
            if let Some((name, args)) = exec.split_first() {
                let kv = e.kv.clone().unwrap_or_default();
                let shell = &call.cmd.shell;
                shell.export("ETCD_WATCH_REVISION", &revision.to_string());
                shell.export(
                    "ETCD_WATCH_EVENT_TYPE",
                    if e.r#type == DELETE { "\"DELETE\"" } else { "\"PUT\"" },
                );
                shell.export("ETCD_WATCH_KEY", &format::quote(&kv.key));
                shell.export("ETCD_WATCH_VALUE", &format::quote(&kv.value));
                call.cmd.run(name, args.to_vec(), &call.cmd.io).await;
            }
        }
    }
    Err(Fail(INTERRUPTED, "watch is canceled by the server".to_owned()))
}

fn json(r: &WatchResponse) -> String {
    let event = |e: &Event| {
        let mut o = Obj::default();
        o.int("type", i64::from(e.r#type));
        if let Some(kv) = &e.kv {
            o.raw("kv", &format::kv_json(kv));
        }
        if let Some(kv) = &e.prev_kv {
            o.raw("prev_kv", &format::kv_json(kv));
        }
        o.end()
    };
    let events: Vec<String> = r.events.iter().map(event).collect();
    format!(
        "{{\"Header\":{},\"Events\":[{}],\"CompactRevision\":{},\"Canceled\":{},\"Created\":{}}}\n",
        format::header_json(r.header.as_ref()),
        events.join(","),
        r.compact_revision,
        r.canceled,
        r.created
    )
}

fn text(call: &Call, r: &WatchResponse) -> Vec<u8> {
    let hex = call.hex();
    let name = |e: &Event| if e.r#type == DELETE { "DELETE" } else { "PUT" };
    match call.format() {
        Format::Json => json(r).into_bytes(),
        Format::Fields => {
            let mut s = format::header_fields(r.header.as_ref(), hex);
            for e in &r.events {
                s += &format!("\"Type\" : {}\n", name(e));
                if let Some(kv) = &e.prev_kv {
                    s += &format::kv_fields("Prev", kv, hex);
                }
                s += &format::kv_fields("", &e.kv.clone().unwrap_or_default(), hex);
            }
            s.into_bytes()
        }
        _ => {
            let mut out = Vec::new();
            for e in &r.events {
                out.extend_from_slice(name(e).as_bytes());
                out.push(b'\n');
                if let Some(kv) = &e.prev_kv {
                    out.extend(format::kv_simple(kv, hex, false));
                }
                out.extend(format::kv_simple(&e.kv.clone().unwrap_or_default(), hex, false));
            }
            out
        }
    }
}

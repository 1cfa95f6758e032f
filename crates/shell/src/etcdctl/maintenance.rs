//! `compaction`, `alarm`, `defrag`, `move-leader`.

use super::format::{self, Format, Obj};
use super::member::endpoints;
use super::{BAD_ARGS, Call, Done, Fail, GENERIC, error_text};
use wire::etcdserverpb::*;

pub(super) async fn compaction(call: &Call) -> Done {
    let [a] = call.args() else {
        return Err(Fail(BAD_ARGS, "compaction command needs 1 argument".to_owned()));
    };
    let revision: i64 =
        a.parse().map_err(|_| Fail(GENERIC, format!("strconv.ParseInt: parsing \"{a}\": invalid syntax")))?;
    let physical = call.flags.on("physical");
    call.client.compact(call.ctx, CompactionRequest { revision, physical }).await?;
    call.print(format!("compacted revision {revision}\n")).await?;
    Ok(0)
}

fn alarm_name(n: i32) -> &'static str {
    match n {
        1 => "NOSPACE",
        2 => "CORRUPT",
        _ => "NONE",
    }
}

pub(super) async fn alarm(call: &Call, disarm: bool) -> Done {
    let list = AlarmRequest { action: alarm_request::AlarmAction::Get as i32, member_id: 0, alarm: 0 };
    let mut r = call.client.alarm(call.ctx, list).await?;
    if disarm {
        let mut last = None;
        for a in &r.alarms {
            let off = AlarmRequest {
                action: alarm_request::AlarmAction::Deactivate as i32,
                member_id: a.member_id,
                alarm: a.alarm,
            };
            last = Some(call.client.alarm(call.ctx, off).await?);
        }
        r = last.unwrap_or_default();
    }
    let text = match call.format() {
        Format::Json => {
            let mut o = Obj::default();
            if r.header.is_some() {
                o.raw("header", &format::header_json(r.header.as_ref()));
            }
            let item = |a: &AlarmMember| {
                let mut o = Obj::default();
                o.uint("memberID", a.member_id).int("alarm", i64::from(a.alarm));
                o.end()
            };
            o.list("alarms", &r.alarms.iter().map(item).collect::<Vec<_>>());
            o.end() + "\n"
        }
        Format::Fields => {
            let mut s = format::header_fields(r.header.as_ref(), call.hex());
            for a in &r.alarms {
                let id = format::id(a.member_id, call.hex());
                s += &format!("\"MemberID\" : {id}\n\"AlarmType\" : {}\n\n", alarm_name(a.alarm));
            }
            s
        }
        _ => r
            .alarms
            .iter()
            .map(|a| format!("memberID:{} alarm:{} \n", a.member_id, alarm_name(a.alarm)))
            .collect(),
    };
    call.print(text).await?;
    Ok(0)
}

pub(super) async fn defrag(call: &Call) -> Done {
    let mut status = 0;
    for (name, client) in endpoints(call).await? {
        let start = call.cmd.sim().now();
        let r = client.defragment(call.ctx, DefragmentRequest {}).await;
        let took = format::go_duration(call.cmd.sim().now() - start);
        match r {
            Ok(_) => call.print(format!("Finished defragmenting etcd member[{name}]. took {took}\n")).await?,
            Err(e) => {
                let text =
                    format!("Failed to defragment etcd member[{name}]. took {took}. ({})\n", error_text(&e));
                call.cmd.err(text).await?;
                status = GENERIC;
            }
        }
    }
    Ok(status)
}

pub(super) async fn move_leader(call: &Call) -> Done {
    let [a] = call.args() else {
        return Err(Fail(BAD_ARGS, "move-leader command needs 1 argument".to_owned()));
    };
    let target = u64::from_str_radix(a, 16)
        .map_err(|_| Fail(BAD_ARGS, format!("strconv.ParseUint: parsing \"{a}\": invalid syntax")))?;
    let all = endpoints(call).await?;
    let names: Vec<String> = all.iter().map(|e| e.0.clone()).collect();
    for (_, client) in all {
        let Ok(s) = client.status(call.ctx, StatusRequest {}).await else { continue };
        let me = s.header.as_ref().map_or(0, |h| h.member_id);
        if s.leader != me {
            continue;
        }
        client.move_leader(call.ctx, MoveLeaderRequest { target_id: target }).await?;
        let text = match call.format() {
            Format::Json => "{}\n".to_owned(),
            _ => format!("Leadership transferred from {me:x} to {target:x}\n"),
        };
        call.print(text).await?;
        return Ok(0);
    }
    Err(Fail(BAD_ARGS, format!("no leader endpoint given at [{}]", names.join(" "))))
}

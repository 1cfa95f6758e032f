//! `txn`: compares, then two lists of operations, from standard input.

use super::format::{self, Format, Obj};
use super::{Call, Done, Fail, INVALID_INPUT, kv};
use crate::Cmd;
use crate::etcdctl::COMMANDS;
use crate::etcdctl::flags::Flags;
use wire::etcdserverpb::compare::{CompareResult, CompareTarget, TargetUnion};
use wire::etcdserverpb::*;

fn invalid(text: String) -> Fail {
    Fail(INVALID_INPUT, text)
}

/// One operation, and the call that prints its answer.
struct Op {
    request: RequestOp,
    call: Call,
}

pub(super) async fn txn(call: &Call) -> Done {
    if !call.args().is_empty() {
        return Err(Fail(super::BAD_ARGS, "txn command does not accept argument".to_owned()));
    }
    kv::no_table(call)?;
    let ask = call.flags.on("interactive");
    let mut compare = Vec::new();
    for line in block(call, ask.then_some("compares:")).await? {
        compare.push(parse_compare(&line)?);
    }
    let mut lists = Vec::new();
    for title in ["success requests (get, put, del):", "failure requests (get, put, del):"] {
        let mut ops = Vec::new();
        for line in block(call, ask.then_some(title)).await? {
            ops.push(parse_op(call, &line).await?);
        }
        lists.push(ops);
    }
    let requests = |ops: &[Op]| ops.iter().map(|o| o.request.clone()).collect();
    let req = TxnRequest { compare, success: requests(&lists[0]), failure: requests(&lists[1]) };
    let r = call.client.txn(call.ctx, req).await?;
    let ran = &lists[usize::from(!r.succeeded)];
    call.print(answer(call, &r, ran)?).await?;
    Ok(0)
}

/// Lines up to an empty one.
async fn block(call: &Call, title: Option<&str>) -> Result<Vec<String>, Fail> {
    if let Some(t) = title {
        call.print(format!("{t}\n")).await?;
    }
    let mut lines = Vec::new();
    loop {
        let Some(line) = call.cmd.io.stdin.line().await else { return Err(invalid("EOF".to_owned())) };
        let text = String::from_utf8_lossy(&line).into_owned();
        if text.is_empty() {
            return Ok(lines);
        }
        lines.push(text);
    }
}

/// `target("key") op "value"`.
fn parse_compare(line: &str) -> Result<Compare, Fail> {
    let malformed = || invalid(format!("malformed comparison: {line}"));
    let open = line.find("(\"").ok_or_else(malformed)?;
    let target = &line[..open];
    let rest = &line[open + 1..];
    let (key, rest) = go_string(rest).ok_or_else(malformed)?;
    let rest = rest.strip_prefix(") ").ok_or_else(malformed)?;
    let (op, value) = rest.split_once(' ').ok_or_else(malformed)?;
    let (value, tail) = go_string(value).ok_or_else(malformed)?;
    if !tail.trim().is_empty() {
        return Err(malformed());
    }
    let number = || {
        let text = std::str::from_utf8(&value).ok().and_then(|v| v.parse::<i64>().ok());
        text.ok_or_else(|| invalid(format!("invalid txn compare request: {line}")))
    };
    let (kind, union) = match target {
        "ver" | "version" => (CompareTarget::Version, TargetUnion::Version(number()?)),
        "c" | "create" => (CompareTarget::Create, TargetUnion::CreateRevision(number()?)),
        "m" | "mod" => (CompareTarget::Mod, TargetUnion::ModRevision(number()?)),
        "val" | "value" => (CompareTarget::Value, TargetUnion::Value(value.clone().into())),
        "lease" => {
            return Err(invalid(
                "not modelled here: lease comparisons, which make the original panic".to_owned(),
            ));
        }
        other => return Err(invalid(format!("malformed comparison: {line} (unknown target {other})"))),
    };
    let result = match op {
        "=" => CompareResult::Equal,
        "!=" => CompareResult::NotEqual,
        "<" => CompareResult::Less,
        ">" => CompareResult::Greater,
        other => return Err(invalid(format!("Unknown result op {}", format::quote(other.as_bytes())))),
    };
    Ok(Compare {
        result: result as i32,
        target: kind as i32,
        key: key.into(),
        target_union: Some(union),
        ..Compare::default()
    })
}

/// A double-quoted Go string at the start of `s`; its bytes and the rest.
fn go_string(s: &str) -> Option<(Vec<u8>, &str)> {
    let body = s.strip_prefix('"')?;
    let mut out = Vec::new();
    let mut chars = body.char_indices();
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => return Some((out, &body[i + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => out.push(b'\n'),
                't' => out.push(b'\t'),
                'r' => out.push(b'\r'),
                '\\' => out.push(b'\\'),
                '"' => out.push(b'"'),
                'x' => {
                    let hex: String = [chars.next()?.1, chars.next()?.1].iter().collect();
                    out.push(u8::from_str_radix(&hex, 16).ok()?);
                }
                _ => return None,
            },
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    None
}

/// Splits an operation as etcdctl's Argify does: blanks, double quotes with Go escapes, single quotes raw.
fn words(line: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        if let Some((text, tail)) = go_string(rest) {
            out.push(String::from_utf8_lossy(&text).into_owned());
            rest = tail.trim_start();
        } else if let Some(tail) = rest.strip_prefix('\'')
            && let Some((text, tail)) = tail.split_once('\'')
        {
            out.push(text.to_owned());
            rest = tail.trim_start();
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            out.push(rest[..end].to_owned());
            rest = rest[end..].trim_start();
        }
    }
    out
}

async fn parse_op(call: &Call, line: &str) -> Result<Op, Fail> {
    let words = words(line);
    if words.len() < 2 {
        return Err(invalid(format!("invalid txn compare request: {line}")));
    }
    let name = words[0].as_str();
    let Some((_, own)) = COMMANDS.iter().find(|c| c.0 == name && matches!(name, "put" | "get" | "del"))
    else {
        return Err(invalid(format!("invalid txn request: {line}")));
    };
    let mut flags =
        Flags::parse(&words, own, 1).map_err(|_| invalid(format!("invalid txn request: {line}")))?;
    if !flags.was_given("write-out") {
        flags.inherit(&call.flags);
    }
    let cmd = Cmd {
        name: call.cmd.name.clone(),
        args: Vec::new(),
        env: Default::default(),
        cwd: call.cmd.cwd.clone(),
        io: crate::Io { stdin: crate::Input::empty(), ..call.cmd.io.clone() },
        shell: call.cmd.shell.clone(),
    };
    let inner = Call { cmd, flags, client: call.client.clone(), ctx: call.ctx };
    let request = match name {
        "put" => request_op::Request::RequestPut(kv::put_request(&inner).await?),
        "get" => request_op::Request::RequestRange(kv::get_request(&inner)?),
        _ => request_op::Request::RequestDeleteRange(kv::del_request(&inner)?),
    };
    Ok(Op { request: RequestOp { request: Some(request) }, call: inner })
}

fn answer(call: &Call, r: &TxnResponse, ops: &[Op]) -> Result<Vec<u8>, Fail> {
    use response_op::Response;
    let responses = r.responses.iter().filter_map(|r| r.response.as_ref());
    Ok(match call.format() {
        Format::Json => {
            let item = |r: &Response| {
                let inner = match r {
                    Response::ResponsePut(p) => format!("\"response_put\":{}", kv::put_json(p)),
                    Response::ResponseRange(g) => format!("\"response_range\":{}", kv::get_json(g)),
                    Response::ResponseDeleteRange(d) => {
                        format!("\"response_delete_range\":{}", kv::del_json(d))
                    }
                    Response::ResponseTxn(_) => "\"response_txn\":{}".to_owned(),
                };
                format!("{{\"Response\":{{{inner}}}}}")
            };
            let mut o = Obj::default();
            o.raw("header", &format::header_json(r.header.as_ref())).bool("succeeded", r.succeeded);
            o.list("responses", &responses.map(item).collect::<Vec<_>>());
            (o.end() + "\n").into_bytes()
        }
        format => {
            let mut out = if format == Format::Fields {
                let head = format::header_fields(r.header.as_ref(), call.hex());
                (head + &format!("\"Succeeded\" : {}\n", r.succeeded)).into_bytes()
            } else {
                if r.succeeded { b"SUCCESS\n".to_vec() } else { b"FAILURE\n".to_vec() }
            };
            for (response, op) in responses.zip(ops) {
                if format != Format::Fields {
                    out.push(b'\n');
                }
                out.extend(match response {
                    Response::ResponsePut(p) => kv::put_text(&op.call, p)?,
                    Response::ResponseRange(g) => {
                        kv::get_text(&op.call, g, op.call.flags.on("print-value-only"))
                    }
                    Response::ResponseDeleteRange(d) => kv::del_text(&op.call, d),
                    Response::ResponseTxn(_) => Vec::new(),
                });
            }
            out
        }
    })
}

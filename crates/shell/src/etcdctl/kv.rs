//! `put`, `get`, `del`.

use super::format::{self, Format, Obj};
use super::{BAD_ARGS, Call, Done, Fail, UNSUPPORTED};
use bytes::Bytes;
use wire::etcdserverpb::range_request::{SortOrder, SortTarget};
use wire::etcdserverpb::*;

/// The end of the range of all keys with this prefix; `\0` (everything) if there is none.
pub(super) fn prefix_end(prefix: &[u8]) -> Bytes {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < 0xff {
            end.push(last + 1);
            return end.into();
        }
    }
    Bytes::from_static(&[0])
}

fn bytes(s: &str) -> Bytes {
    Bytes::copy_from_slice(s.as_bytes())
}

/// Key and end of `get` and `del`, by their flags.
fn range(call_name: &str, args: &[String], prefix: bool, from_key: bool) -> Result<(Bytes, Bytes), Fail> {
    if prefix && from_key {
        let text = "`--prefix` and `--from-key` cannot be set at the same time, choose one";
        return Err(Fail(BAD_ARGS, text.to_owned()));
    }
    if args.is_empty() || args.len() > 2 && call_name == "del" {
        let text =
            format!("{call_name} command needs one argument as key and an optional argument as range_end");
        return Err(Fail(BAD_ARGS, text));
    }
    if args.len() > 1 && (prefix || from_key) {
        let text = "too many arguments, only accept one argument when `--prefix` or `--from-key` is set";
        return Err(Fail(BAD_ARGS, text.to_owned()));
    }
    let mut key = bytes(&args[0]);
    let end = if prefix && key.is_empty() || from_key {
        if key.is_empty() {
            key = Bytes::from_static(&[0]);
        }
        Bytes::from_static(&[0])
    } else if prefix {
        prefix_end(&key)
    } else {
        args.get(1).map(|e| bytes(e)).unwrap_or_default()
    };
    Ok((key, end))
}

pub(super) async fn put_request(call: &Call) -> Result<PutRequest, Fail> {
    let args = call.args();
    let ignore_value = call.flags.on("ignore-value");
    let lease = call.flags.get("lease");
    if args.is_empty() {
        let text = "put command needs 1 argument and input from stdin or 2 arguments";
        return Err(Fail(BAD_ARGS, text.to_owned()));
    }
    if ignore_value && args.len() > 1 {
        let text = "put command needs only 1 argument when 'ignore-value' is set";
        return Err(Fail(BAD_ARGS, text.to_owned()));
    }
    let value = if ignore_value {
        Bytes::new()
    } else if args.len() > 1 {
        bytes(&args[1])
    } else {
        let all = call.cmd.io.stdin.read_all().await;
        if all.is_empty() {
            let text = "put command needs 1 argument and input from stdin or 2 arguments";
            return Err(Fail(BAD_ARGS, text.to_owned()));
        }
        all.into()
    };
    let id = i64::from_str_radix(lease, 16).map_err(|_| {
        let why = format!(
            "bad lease ID (strconv.ParseInt: parsing \"{lease}\": invalid syntax), expecting ID in Hex"
        );
        Fail(BAD_ARGS, why)
    })?;
    Ok(PutRequest {
        key: bytes(&args[0]),
        value,
        lease: id,
        prev_kv: call.flags.on("prev-kv"),
        ignore_value,
        ignore_lease: call.flags.on("ignore-lease"),
    })
}

pub(super) async fn put(call: &Call) -> Done {
    let req = put_request(call).await?;
    let r = call.client.put(call.ctx, req).await?;
    call.print(put_text(call, &r)?).await?;
    Ok(0)
}

pub(super) fn no_table(call: &Call) -> Result<(), Fail> {
    match call.format() {
        Format::Table => Err(Fail(UNSUPPORTED, "table not supported as output format".to_owned())),
        _ => Ok(()),
    }
}

pub(super) fn put_json(r: &PutResponse) -> String {
    let mut o = Obj::default();
    o.raw("header", &format::header_json(r.header.as_ref()));
    if let Some(kv) = &r.prev_kv {
        o.raw("prev_kv", &format::kv_json(kv));
    }
    o.end()
}

pub(super) fn put_text(call: &Call, r: &PutResponse) -> Result<Vec<u8>, Fail> {
    no_table(call)?;
    let hex = call.hex();
    Ok(match call.format() {
        Format::Json => (put_json(r) + "\n").into_bytes(),
        Format::Fields => {
            let mut s = format::header_fields(r.header.as_ref(), hex);
            if let Some(kv) = &r.prev_kv {
                s += &format::kv_fields("Prev", kv, hex);
            }
            s.into_bytes()
        }
        _ => {
            let mut out = b"OK\n".to_vec();
            if let Some(kv) = &r.prev_kv {
                out.extend(format::kv_simple(kv, hex, false));
            }
            out
        }
    })
}

pub(super) fn get_request(call: &Call) -> Result<RangeRequest, Fail> {
    let f = &call.flags;
    let (keys_only, count_only) = (f.on("keys-only"), f.on("count-only"));
    let (key, range_end) = range("get", call.args(), f.on("prefix"), f.on("from-key"))?;
    if keys_only && count_only {
        let text = "`--keys-only` and `--count-only` cannot be set at the same time, choose one";
        return Err(Fail(BAD_ARGS, text.to_owned()));
    }
    let serializable = match f.get("consistency") {
        "s" => true,
        "l" => false,
        other => {
            return Err(Fail(
                UNSUPPORTED,
                format!("unknown consistency flag {}", format::quote(other.as_bytes())),
            ));
        }
    };
    let mut order = match f.get("order").to_uppercase().as_str() {
        "" => SortOrder::None,
        "ASCEND" => SortOrder::Ascend,
        "DESCEND" => SortOrder::Descend,
        _ => return Err(Fail(UNSUPPORTED, format!("bad sort order {}", f.get("order")))),
    };
    let target = match f.get("sort-by").to_uppercase().as_str() {
        "CREATE" => SortTarget::Create,
        "" | "KEY" => SortTarget::Key,
        "MODIFY" => SortTarget::Mod,
        "VALUE" => SortTarget::Value,
        "VERSION" => SortTarget::Version,
        _ => return Err(Fail(UNSUPPORTED, format!("bad sort target {}", f.get("sort-by")))),
    };
    if target == SortTarget::Key && order == SortOrder::Ascend {
        order = SortOrder::None; // the order the store answers in anyway
    }
    for (what, min, max) in
        [("CreateRev", "min-create-rev", "max-create-rev"), ("ModRev", "min-mod-rev", "max-mod-rev")]
    {
        let (a, b) = (f.int(min), f.int(max));
        if b > 0 && a > b {
            return Err(Fail(UNSUPPORTED, format!("getMin{what}(={a}) > getMax{what}(={b})")));
        }
    }
    Ok(RangeRequest {
        key,
        range_end,
        limit: f.int("limit"),
        revision: f.int("rev"),
        sort_order: order as i32,
        sort_target: target as i32,
        serializable,
        keys_only,
        count_only,
        min_mod_revision: f.int("min-mod-rev"),
        max_mod_revision: f.int("max-mod-rev"),
        min_create_revision: f.int("min-create-rev"),
        max_create_revision: f.int("max-create-rev"),
    })
}

pub(super) async fn get(call: &Call) -> Done {
    let req = get_request(call)?;
    if call.flags.on("count-only") && call.format() != Format::Fields {
        return Err(Fail(BAD_ARGS, "--count-only is only for `--write-out=fields`".to_owned()));
    }
    let value_only = call.flags.on("print-value-only");
    if value_only && call.format() != Format::Simple {
        return Err(Fail(BAD_ARGS, "print-value-only is only for `--write-out=simple`".to_owned()));
    }
    no_table(call)?;
    let r = call.client.range(call.ctx, req).await?;
    call.print(get_text(call, &r, value_only)).await?;
    Ok(0)
}

pub(super) fn get_json(r: &RangeResponse) -> String {
    let mut o = Obj::default();
    o.raw("header", &format::header_json(r.header.as_ref()));
    o.list("kvs", &r.kvs.iter().map(format::kv_json).collect::<Vec<_>>());
    o.bool("more", r.more).int("count", r.count);
    o.end()
}

pub(super) fn get_text(call: &Call, r: &RangeResponse, value_only: bool) -> Vec<u8> {
    let hex = call.hex();
    match call.format() {
        Format::Json => (get_json(r) + "\n").into_bytes(),
        Format::Fields => {
            let mut s = format::header_fields(r.header.as_ref(), hex);
            r.kvs.iter().for_each(|kv| s += &format::kv_fields("", kv, hex));
            (s + &format!("\"More\" : {}\n\"Count\" : {}\n", r.more, r.count)).into_bytes()
        }
        _ => r.kvs.iter().flat_map(|kv| format::kv_simple(kv, hex, value_only)).collect(),
    }
}

pub(super) fn del_request(call: &Call) -> Result<DeleteRangeRequest, Fail> {
    let f = &call.flags;
    let (key, range_end) = range("del", call.args(), f.on("prefix"), f.on("from-key"))?;
    Ok(DeleteRangeRequest { key, range_end, prev_kv: f.on("prev-kv") })
}

pub(super) async fn del(call: &Call) -> Done {
    let req = del_request(call)?;
    no_table(call)?;
    if call.args().len() == 2 && !call.flags.on("range") {
        let text = format!(
            "Warning: Keys between {} and {} will be deleted. Please interrupt the command within next 2 seconds to cancel. You can provide `--range` flag to avoid the delay.\n",
            format::quote(call.args()[0].as_bytes()),
            format::quote(call.args()[1].as_bytes())
        );
        call.cmd.err(text).await?;
        call.cmd.sim().sleep(sim::Duration::from_secs(2)).await;
    }
    let r = call.client.delete_range(call.ctx, req).await?;
    call.print(del_text(call, &r)).await?;
    Ok(0)
}

pub(super) fn del_json(r: &DeleteRangeResponse) -> String {
    let mut o = Obj::default();
    o.raw("header", &format::header_json(r.header.as_ref())).int("deleted", r.deleted);
    o.list("prev_kvs", &r.prev_kvs.iter().map(format::kv_json).collect::<Vec<_>>());
    o.end()
}

pub(super) fn del_text(call: &Call, r: &DeleteRangeResponse) -> Vec<u8> {
    let hex = call.hex();
    match call.format() {
        Format::Json => (del_json(r) + "\n").into_bytes(),
        Format::Fields => {
            let mut s =
                format::header_fields(r.header.as_ref(), hex) + &format!("\"Deleted\" : {}\n", r.deleted);
            r.prev_kvs.iter().for_each(|kv| s += &format::kv_fields("Prev", kv, hex));
            s.into_bytes()
        }
        _ => {
            let mut out = format!("{}\n", r.deleted).into_bytes();
            r.prev_kvs.iter().for_each(|kv| out.extend(format::kv_simple(kv, hex, false)));
            out
        }
    }
}

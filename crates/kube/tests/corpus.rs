//! Every field of every kind: objects which the original Go code filled and encoded (`tests/golden/corpus`, made by
//! `tests/conformance/schema`), read and written both ways, byte for byte.

use kube::catalog::Gvk;
use kube::codec::json::{FieldValidation, decode, decode_text, encode, to_text};
use kube::codec::{proto, spans};
use kube::json::Json;
use std::io::Read;

static DATA: &[u8] = include_bytes!("../../../tests/golden/corpus/kinds.bin.gz");

struct Record {
    name: String,
    gvk: Gvk,
    json: Vec<u8>,
    proto: Vec<u8>,
    /// JSON after a way through protobuf
    json_back: Vec<u8>,
}

fn records() -> Vec<Record> {
    let mut all = Vec::new();
    flate2::read::GzDecoder::new(DATA).read_to_end(&mut all).unwrap();
    let mut at = &all[..];
    let mut next = || -> Option<Vec<u8>> {
        let (len, rest) = at.split_first_chunk::<4>()?;
        let (b, rest) = rest.split_at(u32::from_le_bytes(*len) as usize);
        at = rest;
        Some(b.to_vec())
    };
    let mut out = Vec::new();
    while let Some(name) = next() {
        let name = String::from_utf8(name).unwrap();
        let gvk = name.split(' ').next().unwrap();
        let mut p = gvk.split('/');
        let gvk = Gvk::new(p.next().unwrap(), p.next().unwrap(), p.next().unwrap());
        let (json, proto, back) = (next().unwrap(), next().unwrap(), next().unwrap());
        let json_back = if back.is_empty() { json.clone() } else { back };
        out.push(Record { name, gvk, json, proto, json_back });
    }
    out
}

fn check(r: &Record) -> Result<(), String> {
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    let (obj, _) =
        decode_text(&r.gvk, &r.json, FieldValidation::Strict).map_err(|e| format!("decode JSON: {e}"))?;
    let printed = to_text(&obj);
    if printed != r.json {
        return Err(format!("JSON again:\n{}\n{}", text(&printed), text(&r.json)));
    }
    // A WatchEvent has no kind of its own in its envelope.
    let watch = r.gvk.kind == "WatchEvent";
    let in_envelope = if watch { Gvk::default() } else { r.gvk.clone() };
    let bytes = proto::encode(&in_envelope, &obj);
    if bytes != r.proto {
        return Err(format!("JSON to protobuf:\n{}", text(&r.json)));
    }
    let envelope = proto::envelope(&r.proto).map_err(|e| format!("envelope: {e}"))?;
    if envelope.gvk != in_envelope {
        return Err(format!("kind {}", envelope.gvk));
    }
    let back = match watch {
        true => proto::decode_message(obj.type_id(), envelope.raw),
        false => proto::decode(&r.proto).map(|(_, s)| s),
    };
    let back = back.map_err(|e| format!("decode protobuf: {e}"))?;
    let printed = to_text(&back);
    if printed != r.json_back {
        return Err(format!("protobuf to JSON:\n{}\n{}", text(&printed), text(&r.json_back)));
    }
    if proto::encode(&in_envelope, &back) != r.proto {
        return Err("protobuf again".into());
    }
    let tree = Json::parse(&r.json).map_err(|e| e.to_string())?;
    let (third, _) =
        decode(&r.gvk, &tree, FieldValidation::Strict).map_err(|e| format!("decode tree: {e}"))?;
    if third != obj {
        return Err("the object from a tree differs".into());
    }
    if encode(&obj) != tree {
        return Err("the tree of the object differs".into());
    }
    // Every byte belongs to a field.
    let spans = spans::spans(&r.proto).map_err(|e| format!("spans: {e}"))?;
    let mut end = 0;
    for s in spans.iter().filter(|s| s.depth == 0) {
        if s.whole().start != end {
            return Err(format!("a gap before byte {}", s.whole().start));
        }
        end = s.whole().end;
    }
    if end != r.proto.len() || spans.iter().any(|s| s.label == "unknown") {
        return Err("spans leave bytes unexplained".into());
    }
    Ok(())
}

#[test]
fn every_kind_both_ways() {
    let all = records();
    assert!(all.len() > 1000, "{} records", all.len());
    let bad: Vec<String> =
        all.iter().filter_map(|r| check(r).err().map(|e| format!("{}: {e}", r.name))).collect();
    assert!(bad.is_empty(), "{} of {} differ; first: {}", bad.len(), all.len(), &bad[0]);
}

#[test]
fn cut_and_changed_bytes_never_panic() {
    let all = records();
    // A fixed walk over the corpus: every 7th record, cut and flipped at places that move with the record.
    for (n, r) in all.iter().enumerate().step_by(7) {
        for k in 0..40 {
            let at = (k * 131 + n * 17) % r.proto.len();
            let _ = proto::decode(&r.proto[..at]);
            let mut b = r.proto.clone();
            b[at] ^= 1 << (k % 8);
            let _ = proto::decode(&b).map(|(g, s)| proto::encode(&g, &s));
            let _ = spans::spans(&b);
            let at = (k * 131 + n * 17) % r.json.len();
            let _ = decode_text(&r.gvk, &r.json[..at], FieldValidation::Warn);
            let mut j = r.json.clone();
            j[at] = b"{}[],:\"0x"[k % 9];
            let _ = decode_text(&r.gvk, &j, FieldValidation::Warn).map(|(s, _)| to_text(&s));
        }
    }
}

//! `cargo run -p etcdscope-kube --example testdata DIR [TSV]`: holds the codec against the golden files of the Go module
//! k8s.io/api (`testdata/HEAD`: every kind, every field filled) and prints a verdict per kind.
//!
//! The directory is found with `go mod download -json k8s.io/api@v0.36.2`.

use kube::catalog::Gvk;
use kube::codec::json::{FieldValidation, decode, decode_text, encode, to_text};
use kube::codec::proto;
use kube::json::Json;
use std::collections::BTreeSet;
use std::path::Path;

fn main() {
    let mut args = std::env::args().skip(1);
    let Some(dir) = args.next() else {
        eprintln!("usage: testdata DIR [TSV]");
        std::process::exit(2);
    };
    let dir = Path::new(&dir);
    let mut names = BTreeSet::new();
    for e in std::fs::read_dir(dir).expect("the directory can be read").flatten() {
        if let Some(n) = e.file_name().to_string_lossy().strip_suffix(".json") {
            names.insert(n.to_string());
        }
    }
    let mut out = String::from(
        "# Verdicts over testdata/HEAD of k8s.io/api v0.36.2, one line per kind.\n# kind\tJSON to protobuf\tprotobuf to JSON\tYAML to protobuf\tobject to YAML\n",
    );
    let mut bad = 0;
    for n in &names {
        let read = |ext: &str| std::fs::read(dir.join(format!("{n}.{ext}"))).expect("the file can be read");
        let v = verdict(n, &read("json"), &read("pb"), &read("yaml"));
        bad += usize::from(v.iter().any(|v| v != "equal"));
        out.push_str(&format!("{n}\t{}\n", v.join("\t")));
    }
    print!("{out}");
    eprintln!("{} kinds, {bad} differ", names.len());
    if let Some(file) = args.next() {
        std::fs::write(file, out).expect("the table can be written");
    }
    std::process::exit(i32::from(bad > 0));
}

/// JSON → protobuf, protobuf → JSON (as objects and as the text behind `encoding/json`), YAML → protobuf, → YAML.
fn verdict(name: &str, json: &[u8], pb: &[u8], yaml: &[u8]) -> [String; 4] {
    let equal = |same: bool, what: &str| if same { "equal".to_string() } else { format!("differs: {what}") };
    let decoded = proto::envelope(pb).and_then(|e| {
        // A WatchEvent has no kind in its envelope.
        let gvk = if e.gvk.kind.is_empty() { gvk_of(name) } else { e.gvk.clone() };
        let ty = kube::schema::schema()
            .kind(&gvk.group, &gvk.version, &gvk.kind)
            .ok_or_else(|| proto::ProtoError::NoKind(gvk.clone()))?;
        let mut s = proto::decode_message(ty.id, e.raw)?;
        if !e.gvk.kind.is_empty() {
            s.set_gvk(&gvk);
        }
        Ok((gvk, e.gvk, s))
    });
    let (gvk, envelope, from_pb) = match decoded {
        Ok(v) => v,
        Err(e) => return std::array::from_fn(|_| format!("protobuf: {e}")),
    };
    let compact = compact(json);
    let first = match decode_text(&gvk, &compact, FieldValidation::Strict) {
        Ok((o, _)) => equal(proto::encode(&envelope, &o) == pb, "bytes"),
        Err(e) => format!("JSON: {e}"),
    };
    let golden = Json::parse(json).expect("golden JSON is valid");
    let second = equal(to_text(&from_pb) == compact, "text");
    let third = match kube::yaml::to_json_strict(yaml) {
        Ok(tree) => match decode(&gvk, &tree, FieldValidation::Strict) {
            Ok((o, _)) => equal(proto::encode(&envelope, &o) == pb, "bytes"),
            Err(e) => format!("YAML: {e}"),
        },
        Err(e) => format!("YAML: {e}"),
    };
    let fourth =
        equal(encode(&from_pb) == golden && kube::yaml::from_json(&golden).as_bytes() == yaml, "text");
    [first, second, third, fourth]
}

/// `apps.v1.Deployment`, `core.v1.Pod`
fn gvk_of(name: &str) -> Gvk {
    let mut parts = name.rsplitn(3, '.');
    let (kind, version) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    let group = parts.next().unwrap_or("");
    Gvk::new(if group == "core" { "" } else { group }, version, kind)
}

/// The golden files are indented: the same text without white space, order kept.
fn compact(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut in_string, mut escaped) = (false, false);
    for c in json {
        if in_string {
            out.push(*c);
            (in_string, escaped) = (escaped || *c != b'"', !escaped && *c == b'\\');
        } else if !c.is_ascii_whitespace() {
            out.push(*c);
            in_string = *c == b'"';
        }
    }
    out
}

//! Turns static/locales/*.json into sorted tables, so that the page needs no JSON parser and a missing key stops the build.

use std::collections::BTreeMap;
use std::path::Path;

fn main() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../static/locales");
    println!("cargo::rerun-if-changed={}", dir.display());
    let read = |lang: &str| -> BTreeMap<String, String> {
        let path = dir.join(format!("{lang}.json"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    let langs = [("EN", read("en")), ("KO", read("ko")), ("JA", read("ja"))];
    let mut out = String::from("/// Every key, sorted.\npub static KEYS: &[&str] = &[\n");
    for key in langs[0].1.keys() {
        out.push_str(&format!("    {key:?},\n"));
    }
    out.push_str("];\n");
    for (name, map) in &langs {
        out.push_str(&format!("/// The texts, in the order of the keys.\npub static {name}: &[&str] = &[\n"));
        for key in langs[0].1.keys() {
            let text = map.get(key).unwrap_or_else(|| panic!("{name}: {key:?} is missing"));
            out.push_str(&format!("    {text:?},\n"));
        }
        out.push_str("];\n");
    }
    let path = Path::new(&std::env::var("OUT_DIR").expect("cargo sets OUT_DIR")).join("words.rs");
    std::fs::write(path, out).expect("OUT_DIR can be written");
}

use super::*;
use crate::json;

fn err(s: &str) -> String {
    Json::parse(s.as_bytes()).expect_err(s).to_string()
}

#[test]
fn error_texts_are_gos() {
    assert_eq!(err(""), "unexpected end of JSON input");
    assert_eq!(err("{"), "unexpected end of JSON input");
    assert_eq!(err("garbage"), "invalid character 'g' looking for beginning of value");
    assert_eq!(err("{a:1}"), "invalid character 'a' looking for beginning of object key string");
    assert_eq!(err("{\"a\":1,}"), "invalid character '}' looking for beginning of object key string");
    assert_eq!(err("{\"a\" 1}"), "invalid character '1' after object key");
    assert_eq!(err("{\"a\":1 \"b\"}"), "invalid character '\"' after object key:value pair");
    assert_eq!(err("[1 2]"), "invalid character '2' after array element");
    assert_eq!(err("[1,]"), "invalid character ']' looking for beginning of value");
    assert_eq!(err("01"), "invalid character '1' after top-level value");
    assert_eq!(err("-x"), "invalid character 'x' in numeric literal");
    assert_eq!(err("1.x"), "invalid character 'x' after decimal point in numeric literal");
    assert_eq!(err("1ex"), "invalid character 'x' in exponent of numeric literal");
    assert_eq!(err("trxe"), "invalid character 'x' in literal true (expecting 'u')");
    assert_eq!(err("nul"), "unexpected end of JSON input");
    assert_eq!(err("\"a\nb\""), "invalid character '\\n' in string literal");
    assert_eq!(err("\"\\x\""), "invalid character 'x' in string escape code");
    assert_eq!(err("\"\\u12g4\""), "invalid character 'g' in \\u hexadecimal character escape");
    assert_eq!(err("'a'"), "invalid character '\\'' looking for beginning of value");
    assert_eq!(err("\u{e9}"), "invalid character 'Ã' looking for beginning of value");
    assert_eq!(err("[1e999]"), "json: cannot unmarshal number 1e999 into Go value of type float64");
}

#[test]
fn nesting_is_limited() {
    let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
    assert!(Json::parse(deep(MAX_TREE_DEPTH).as_bytes()).is_ok());
    assert_eq!(err(&deep(MAX_TREE_DEPTH + 1)), "not modelled here: JSON nested deeper than 1000 levels");
    assert_eq!(err(&deep(MAX_NESTING_DEPTH + 1)), "exceeded max depth");
    assert_eq!(err(&"[".repeat(1_000_000)), "exceeded max depth");
    assert_eq!(err(&"{\"a\":".repeat(9_999)), "unexpected end of JSON input");
}

#[test]
fn numbers_and_strings() {
    let j = Json::parse(
        b"[1, -0, 1.0, 1e3, 12345678901234567890, 1e-7, 1e21, 0.1, \"\\ud83d\\ude00\\ud800x\\/\"]",
    )
    .unwrap();
    assert_eq!(j.to_text(), "[1,0,1,1000,12345678901234567000,1e-7,1e+21,0.1,\"😀\u{fffd}x/\"]");
    let j = Json::parse(b"\"a<b>&\\u2028\\u0001\\b\xff\"").unwrap();
    assert_eq!(j.to_text(), "\"a\\u003cb\\u003e\\u0026\\u2028\\u0001\\b\u{fffd}\"");
}

#[test]
fn last_of_duplicate_keys_wins_and_keys_are_sorted() {
    let j = Json::parse(br#"{"b":1,"a":2,"b":{"c":[]}}"#).unwrap();
    assert_eq!(j.to_text(), r#"{"a":2,"b":{"c":[]}}"#);
    assert_eq!(j.pretty("    "), "{\n    \"a\": 2,\n    \"b\": {\n        \"c\": []\n    }\n}");
}

#[test]
fn paths() {
    let mut j = json!({"metadata": {"labels": {"a.b/c": "x"}}, "spec": {"l": [{"n": 1}, {"n": 2}]}});
    assert_eq!(j.str_at("metadata.labels[\"a.b/c\"]"), "x");
    assert_eq!(j.str_at("metadata.labels[a.b/c]"), "x");
    assert_eq!(j.int_at("spec.l[1].n"), Some(2));
    assert!(j.set_at("spec.l[2].n", 3));
    assert!(!j.set_at("spec.l[9].n", 3));
    assert!(j.set_at("metadata.annotations[\"q\\\"x\"]", "y"));
    assert!(j.remove_at("spec.l[0]").is_some());
    assert_eq!(
        j.to_text(),
        r#"{"metadata":{"annotations":{"q\"x":"y"},"labels":{"a.b/c":"x"}},"spec":{"l":[{"n":2},{"n":3}]}}"#
    );
    assert_eq!(parse_path("a.b[3][\"x.y\"].c").len(), 5);
}

#[test]
fn go_quoting() {
    assert_eq!(go_quote("a\"b\\\n\u{7f}\u{e9}\u{200b}"), "\"a\\\"b\\\\\\n\\x7fé\\u200b\"");
}

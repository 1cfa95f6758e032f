use super::*;

fn j(s: &str) -> String {
    to_json(s.as_bytes()).unwrap().to_text()
}
fn e(s: &str) -> String {
    to_json(s.as_bytes()).unwrap_err().to_string()
}

#[test]
fn yaml_1_1_scalars() {
    assert_eq!(
        j(
            "a: yes\nb: y\nc: tRue\nd: 0644\ne: 0o644\nf: 0x1F\ng: 0b101\nh: 1_000\ni: 09\nj: 08.5\nk: 1e3\nl: .5\nm: 5.\nnn: 12345678901234567890\no: 1:30\np: 2001-01-01\nq: !foo bar\nr: !!int \"3\"\ns: ~\nt: '1'\nu: !!binary aGk=\nv: !!float 3"
        ),
        r#"{"a":true,"b":true,"c":"tRue","d":420,"e":420,"f":31,"g":5,"h":1000,"i":9,"j":8.5,"k":1000,"l":0.5,"m":5,"nn":12345678901234567000,"o":"1:30","p":"2001-01-01","q":"bar","r":3,"s":null,"t":"1","u":"hi","v":3}"#
    );
    assert_eq!(
        j("1: a\n2.5: b\ntrue: c\n0x10: d\nno: e"),
        r#"{"1":"a","16":"d","2.5":"b","false":"e","true":"c"}"#
    );
    assert_eq!(e("a: .inf"), "json: unsupported value: +Inf");
    assert_eq!(e("~: x"), "unsupported map key of type: %!s(<nil>), key: <nil>, value: \"x\"");
    assert_eq!(e("!!bool x"), "yaml: cannot decode !!str `x` as a !!bool");
}

#[test]
fn anchors_and_merges() {
    assert_eq!(
        j("x: &x {a: 1, b: 2}\nw:\n  <<: *x\n  b: 3\nz:\n  <<: [*x, {c: 4}]"),
        r#"{"w":{"a":1,"b":3},"x":{"a":1,"b":2},"z":{"a":1,"b":2,"c":4}}"#
    );
    assert_eq!(e("a: *b"), "yaml: unknown anchor 'b' referenced");
    assert_eq!(e("a: &a [*a]"), "yaml: anchor 'a' value contains itself");
    assert_eq!(e("<<: 1"), "yaml: map merge requires map or sequence of maps as the value");
    let mut bomb = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for i in 1..10 {
        bomb += &format!("a{i}: &a{i} [{}]\n", vec![format!("*a{}", i - 1); 10].join(","));
    }
    assert_eq!(e(&bomb), "yaml: document contains excessive aliasing");
    assert!(e(&"[".repeat(100_000)).starts_with("yaml: not modelled here: YAML nested deeper"));
}

#[test]
fn duplicates_and_syntax_errors() {
    assert_eq!(j("a: 1\na: 2"), r#"{"a":2}"#);
    assert_eq!(
        to_json_strict(b"a: 1\nb:\n  c: 1\n  c: 2\na: 2").unwrap_err().to_string(),
        "yaml: unmarshal errors:\n  line 4: key \"c\" already set in map\n  line 5: key \"a\" already set in map"
    );
    assert_eq!(e("a: b: c"), "yaml: mapping values are not allowed in this context");
    assert_eq!(e("a: 1\n b: 2"), "yaml: line 2: mapping values are not allowed in this context");
    assert_eq!(e("a:\n\t- b"), "yaml: line 2: found character that cannot start any token");
    assert_eq!(j(""), "null");
    assert_eq!(j("# nothing\n"), "null");
}

#[test]
fn printing() {
    let v = Json::parse(
        br#"{"z10":1,"z9":"1","a":"yes","b":"","c":"a: b","d":"x\ny\n","e":[],"f":{},"g":[{"h":"- i"}],"k":"2026-01-01T00:00:00Z","l":1.5,"m":null,"n":"12:30","o":" x","f:x":{"k:{\"a\":1}":1}}"#,
    )
    .unwrap();
    let text = from_json(&v);
    assert_eq!(
        text,
        "a: \"yes\"\nb: \"\"\nc: 'a: b'\nd: |\n  x\n  y\ne: []\nf: {}\nf:x:\n  k:{\"a\":1}: 1\ng:\n- h: '- i'\nk: \"2026-01-01T00:00:00Z\"\nl: 1.5\nm: null\n\"n\": \"12:30\"\no: ' x'\nz9: \"1\"\nz10: 1\n"
    );
    assert_eq!(to_json(text.as_bytes()).unwrap(), v);
}

#[test]
fn documents() {
    let text = b"---\na: 1\n---\n\n--- # two\nb: 2\n";
    let (docs, err) = decode_stream(text);
    assert_eq!(docs.iter().map(|d| d.0.to_text()).collect::<Vec<_>>(), [r#"{"a":1}"#, "null", r#"{"b":2}"#]);
    assert_eq!(docs[2].1.line, 5);
    assert!(err.is_none());
    let (_, err) = decode_stream(b"a: 1\n--- x\nb: 2\n");
    assert_eq!(err.unwrap().to_string(), "invalid Yaml document separator: x");
    let (docs, err) = decode_stream(b"{\"a\":1}\n{\"b\":2} ");
    assert_eq!(docs.len(), 2);
    assert!(err.is_none());
    let (_, err) = decode_stream(b"a: 1\n---\nb: 2\n c: 3\n");
    let err = err.unwrap();
    assert_eq!(
        err.to_string(),
        "error converting YAML to JSON: yaml: line 2: mapping values are not allowed in this context"
    );
    assert_eq!(err.line, Some(4));
}

#[test]
fn positions_of_fields() {
    let text = "metadata:\n  name: ü\n  labels: {\"a.b/c\": x}\nspec:\n- image: y\n";
    let p = positions(text.as_bytes()).unwrap();
    let at = |path: &str| {
        let f = p.iter().find(|f| f.path == path).unwrap_or_else(|| panic!("{path}"));
        (f.line, f.column, &text[f.key.clone()], &text[f.value.clone()])
    };
    assert_eq!(at("metadata.name"), (2, 3, "name", "ü"));
    assert_eq!(at("metadata.labels[\"a.b/c\"]"), (3, 12, "\"a.b/c\"", "x"));
    assert_eq!(at("spec[0].image"), (5, 3, "image", "y"));
    assert_eq!(at("spec[0]"), (5, 3, "", "image: y"));
}

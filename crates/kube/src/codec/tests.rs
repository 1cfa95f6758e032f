use super::json::{DecodeError, FieldValidation, decode, decode_text, encode, to_text};
use super::{base64_decode, proto, spans};
use crate::catalog::Gvk;
use crate::json::Json;

const CM: &str = "6b3873000a0f0a0276311209436f6e6669674d617012cc010aae010a03636d3112001a0464656d6f22002a2464653939306539622d323962322d346139322d613330302d61326232333461376536386332003800420808e996b7d80610008a01680a0e6b75626563746c2d63726561746512065570646174651a027631220808e996b7d806100032084669656c647356313a340a327b22663a64617461223a7b222e223a7b7d2c22663a61223a7b7d2c22663a62223a7b7d2c22663a656d707479223a7b7d7d7d420012060a016112013112060a016212013212090a05656d70747912001a002200";

fn unhex(s: &str) -> Vec<u8> {
    (0..s.len() / 2).map(|i| u8::from_str_radix(&s[2 * i..2 * i + 2], 16).unwrap()).collect()
}

fn gvk(v: &str, k: &str) -> Gvk {
    Gvk::from_api_version(v, k)
}

fn strict(v: &str, k: &str, text: &str) -> String {
    decode_text(&gvk(v, k), text.as_bytes(), FieldValidation::Strict).expect_err(text).to_string()
}

#[test]
fn a_config_map_both_ways() {
    let bytes = unhex(CM);
    let (g, s) = proto::decode(&bytes).unwrap();
    assert_eq!(g, gvk("v1", "ConfigMap"));
    assert_eq!(s.str_at("metadata.uid"), "de990e9b-29b2-4a92-a300-a2b234a7e68c");
    assert_eq!(
        String::from_utf8(to_text(&s)).unwrap(),
        r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"cm1","namespace":"demo","uid":"de990e9b-29b2-4a92-a300-a2b234a7e68c","creationTimestamp":"2026-11-30T19:15:53Z","managedFields":[{"manager":"kubectl-create","operation":"Update","apiVersion":"v1","time":"2026-11-30T19:15:53Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:a":{},"f:b":{},"f:empty":{}}}}]},"data":{"a":"1","b":"2","empty":""}}"#
    );
    assert_eq!(proto::encode(&g, &s), bytes);
    let (t, w) = decode(&g, &encode(&s), FieldValidation::Strict).unwrap();
    assert!(w.is_empty());
    assert_eq!(t, s);
    assert_eq!(proto::encode(&g, &t), bytes);
}

#[test]
fn spans_cover_the_bytes() {
    let bytes = unhex(CM);
    let s = spans::spans(&bytes).unwrap();
    let text = |p: &str| {
        let f = spans::of_path(&s, p).unwrap_or_else(|| panic!("{p}"));
        String::from_utf8_lossy(&bytes[f.value.clone()]).into_owned()
    };
    assert_eq!(text("kind"), "ConfigMap");
    assert_eq!(text("metadata.name"), "cm1");
    assert_eq!(text("metadata.managedFields[0].manager"), "kubectl-create");
    let f = s.iter().find(|f| f.path == "data.a" && f.label == "value").unwrap();
    assert_eq!(&bytes[f.value.clone()], b"1");
    // Every byte but none twice at the deepest level; the innermost span of each is found.
    assert!((0..bytes.len()).all(|i| spans::at_offset(&s, i).is_some()));
    assert_eq!(spans::at_offset(&s, 3).unwrap().label, "magic");
    assert_eq!(spans::at_offset(&s, bytes.len() - 1).unwrap().label, "contentType");
    let j = spans::spans(br#"{"spec":{"a.b":[1,"x"]}}"#).unwrap();
    assert_eq!(spans::of_path(&j, "spec[\"a.b\"][1]").unwrap().value, 18..21);
}

#[test]
fn strict_errors() {
    assert_eq!(
        strict("v1", "ConfigMap", r#"{"metadata":{"foo":1,"name":"x"},"data":{"a":"1","a":"2"},"bogus":1}"#),
        r#"strict decoding error: unknown field "metadata.foo", duplicate field "data.a", unknown field "bogus""#
    );
    assert_eq!(
        strict("v1", "Pod", r#"{"spec":{"containers":[{"nam":"x"},{"Image":"x"}]}}"#),
        r#"strict decoding error: unknown field "spec.containers[0].nam", unknown field "spec.containers[1].Image""#
    );
    let (_, w) =
        decode_text(&gvk("v1", "Pod"), br#"{"spec":{"foo":1,"foo":2}}"#, FieldValidation::Warn).unwrap();
    assert_eq!(w, [r#"unknown field "spec.foo""#]);
}

#[test]
fn type_errors() {
    for (v, k, text, e) in [
        (
            "v1",
            "Pod",
            r#"{"spec":{"containers":[{"name":5}]}}"#,
            "json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string",
        ),
        (
            "v1",
            "Pod",
            r#"{"spec":{"containers":{"name":"a"}}}"#,
            "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container",
        ),
        (
            "apps/v1",
            "Deployment",
            r#"{"spec":{"replicas":"3"}}"#,
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            "apps/v1",
            "Deployment",
            r#"{"spec":{"replicas":1.5}}"#,
            "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            "v1",
            "ConfigMap",
            r#"{"data":{"a":true}}"#,
            "json: cannot unmarshal bool into Go struct field ConfigMap.data of type string",
        ),
        (
            "v1",
            "Pod",
            r#"{"spec":{"volumes":[{"configMap":[]}]}}"#,
            "json: cannot unmarshal array into Go struct field Volume.spec.volumes.VolumeSource.configMap of type v1.ConfigMapVolumeSource",
        ),
        (
            "v1",
            "Service",
            r#"{"spec":{"ports":[{"targetPort":true}]}}"#,
            "json: cannot unmarshal bool into Go struct field ServicePort.spec.ports.targetPort of type int32",
        ),
        (
            "v1",
            "Pod",
            r#"{"spec":{"containers":[{"resources":{"limits":{"cpu":"1x"}}}]}}"#,
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        ("v1", "Secret", r#"{"data":{"a":"*"}}"#, "illegal base64 data at input byte 0"),
        ("v1", "Pod", r#"[]"#, "json: cannot unmarshal array into Go value of type v1.Pod"),
    ] {
        assert_eq!(strict(v, k, text), e);
    }
    assert!(matches!(
        decode(&gvk("v1", "Nope"), &Json::obj(), FieldValidation::Warn),
        Err(DecodeError::NoKind(_))
    ));
}

#[test]
fn broken_protobuf_is_an_error() {
    let bytes = unhex(CM);
    for n in 0..bytes.len() - 4 {
        // A cut at a field's end is valid for Go as well; none may panic.
        let _ = proto::decode(&bytes[..n]);
        let _ = spans::spans(&bytes[..n]);
    }
    assert_eq!(proto::decode(b"").unwrap_err().to_string(), "empty data");
    assert_eq!(
        proto::decode(b"abc").unwrap_err().to_string(),
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
    );
    assert_eq!(proto::decode(b"k8s\0").unwrap_err().to_string(), "empty body");
    assert_eq!(proto::decode(&bytes[..100]).unwrap_err().to_string(), "unexpected EOF");
}

#[test]
fn base64_errors() {
    for (s, at) in [("a", 0), ("ab", 0), ("abc", 0), ("abcda", 4), ("ab==c", 4), ("====", 0), ("a*bc", 1)] {
        assert_eq!(
            base64_decode(s.as_bytes()),
            Err(format!("illegal base64 data at input byte {at}")),
            "{s}"
        );
    }
    assert_eq!(base64_decode(b"aGk=\n"), Ok(b"hi".to_vec()));
}

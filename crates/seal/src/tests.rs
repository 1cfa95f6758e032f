//! Vectors made with the original's own library, the chain's rules, the configuration's error texts.

use super::*;

const AAD: &[u8] = b"/registry/secrets/demo/s1";
const PLAIN: &[u8] = b"hello kubernetes";

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let nibble = |c: u8| (c as char).to_digit(16).expect("hex digits") as u8;
    digits.chunks(2).map(|p| nibble(p[0]) << 4 | nibble(p[1])).collect()
}

fn key(from: u8, len: u8) -> String {
    use base64::Engine;
    let bytes: Vec<u8> = (from..from + len).collect();
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn provider(kind: &str, keys: &[(&str, u8)]) -> String {
    let list: Vec<String> =
        keys.iter().map(|(n, from)| format!(r#"{{"name":"{n}","secret":"{}"}}"#, key(*from, 32))).collect();
    format!(r#"{{"{kind}":{{"keys":[{}]}}}}"#, list.join(","))
}

fn file(entries: &[(&str, &[String])]) -> String {
    let list: Vec<String> = entries
        .iter()
        .map(|(r, p)| {
            let names: Vec<String> = r.split(' ').map(|n| format!("{n:?}")).collect();
            format!(r#"{{"resources":[{}],"providers":[{}]}}"#, names.join(","), p.join(","))
        })
        .collect();
    format!(
        r#"{{"apiVersion":"apiserver.config.k8s.io/v1","kind":"EncryptionConfiguration","resources":[{}]}}"#,
        list.join(",")
    )
}

fn load(text: &str) -> Result<TransformerMap, String> {
    let config = EncryptionConfiguration::load("/etc/enc.yaml", Some(text.as_bytes()), false);
    config.and_then(|c| TransformerMap::build(&c)).map_err(|e| e.to_string())
}

fn chain(providers: &[String]) -> Transformer {
    load(&file(&[("secrets", providers)])).expect("a valid configuration").lookup("", "secrets")
}

fn identity() -> String {
    r#"{"identity":{}}"#.to_owned()
}

/// IVs and nonces of the vectors: whatever the vector begins with.
fn seal(t: &Transformer, plain: &[u8], nonce: &[u8]) -> Vec<u8> {
    t.seal(plain, AAD, &mut |out| out.copy_from_slice(&nonce[..out.len()])).data
}

fn open(t: &Transformer, data: &[u8]) -> Result<(Vec<u8>, bool), String> {
    t.open(data, AAD).result.map_err(|e| e.to_string())
}

#[test]
fn vectors_of_the_three_ciphers() {
    let vectors = [
        (
            "aescbc",
            "9e4ded28d84fa0202dfbeb98310d5de2 db41f907f32ef6280c96f3c2d0f1047979468d2e17bece6b10fa77664062f0e1",
        ),
        (
            "aesgcm",
            "fb4e338ab166b619eba889ad c6027d2cff6b9fe77861ecccd723c88f 495ee757144aac9967621ef7a524071a",
        ),
        (
            "secretbox",
            "559111fd59c96c44e2c13ba18fe62db17f34da6cb1f64d87 aee93446dfa8dd75a5f8c338091d4550 \
             acfa4866107f5d7d70fc8e3d2d8fecae",
        ),
    ];
    for (kind, body) in vectors {
        let t = chain(&[provider(kind, &[("key1", 0)])]);
        let body = hex(body);
        let mut stored = format!("k8s:enc:{kind}:v1:key1:").into_bytes();
        stored.extend_from_slice(&body);
        assert_eq!(seal(&t, PLAIN, &body), stored, "{kind}");
        assert_eq!(open(&t, &stored), Ok((PLAIN.to_vec(), false)), "{kind}");
    }
}

#[test]
fn every_key_length_round_trips() {
    for kind in ["aescbc", "aesgcm"] {
        for len in [16u8, 24, 32] {
            let p = format!(r#"{{"{kind}":{{"keys":[{{"name":"k","secret":"{}"}}]}}}}"#, key(7, len));
            let t = chain(&[p]);
            for n in [0usize, 1, 15, 16, 17, 4096] {
                let plain: Vec<u8> = (0..n).map(|i| i as u8).collect();
                assert_eq!(open(&t, &seal(&t, &plain, &[9; 24])), Ok((plain, false)), "{kind} {len} {n}");
            }
        }
    }
}

#[test]
fn first_provider_writes_all_read_others_are_stale() {
    let (old, new) = (provider("aescbc", &[("key1", 0)]), provider("aesgcm", &[("key1", 0)]));
    let before = chain(&[old.clone(), identity()]);
    let after = chain(&[new, old, identity()]);
    let stored = seal(&before, PLAIN, &[1; 24]);
    assert!(stored.starts_with(b"k8s:enc:aescbc:v1:key1:"));
    assert_eq!(open(&after, &stored), Ok((PLAIN.to_vec(), true)));
    assert_eq!(open(&after, b"k8s\0plain"), Ok((b"k8s\0plain".to_vec(), true)));
    assert_eq!(open(&after, &seal(&after, PLAIN, &[1; 24])), Ok((PLAIN.to_vec(), false)));
    let decrypting = chain(&[identity(), provider("aescbc", &[("key1", 0)])]);
    assert_eq!(seal(&decrypting, PLAIN, &[1; 24]), PLAIN);
    assert_eq!(open(&decrypting, &stored), Ok((PLAIN.to_vec(), true)));
}

#[test]
fn key_rotation_within_one_provider() {
    let one = chain(&[provider("secretbox", &[("key1", 0)])]);
    let two = chain(&[provider("secretbox", &[("key2", 40), ("key1", 0)])]);
    let stored = seal(&one, PLAIN, &[3; 24]);
    assert_eq!(open(&two, &stored), Ok((PLAIN.to_vec(), true)));
    let opened = two.open(&stored, AAD);
    let labels: Vec<(&str, bool)> = opened.operations.iter().map(|o| (o.prefix.as_str(), o.ok)).collect();
    assert_eq!(labels, [("key1:", true), ("k8s:enc:secretbox:v1:", true)]);
    assert!(seal(&two, PLAIN, &[3; 24]).starts_with(b"k8s:enc:secretbox:v1:key2:"));
}

#[test]
fn two_blocks_of_one_provider_both_get_a_chance() {
    let one = chain(&[provider("aesgcm", &[("key1", 0)])]);
    let both = chain(&[provider("aesgcm", &[("key1", 40)]), provider("aesgcm", &[("key1", 0)])]);
    assert_eq!(open(&both, &seal(&one, PLAIN, &[3; 24])), Ok((PLAIN.to_vec(), true)));
    // Neither opens it: the same text twice is one error.
    let other = chain(&[provider("aesgcm", &[("key1", 90)])]);
    let failed = open(&both, &seal(&other, PLAIN, &[3; 24]));
    assert_eq!(failed, Err("cipher: message authentication failed".into()));
}

#[test]
fn error_texts() {
    let t = chain(&[provider("aescbc", &[("key1", 0)]), provider("secretbox", &[("key1", 0)]), identity()]);
    let err = |data: &[u8]| open(&t, data).expect_err("must not open");
    assert_eq!(err(b"k8s:enc:kms:v2:x:abc"), "no matching prefix found");
    assert_eq!(
        err(b"k8s:enc:aescbc:v1:nokey:abc"),
        "no matching key was found for the provided AES transformer"
    );
    assert_eq!(
        err(b"k8s:enc:secretbox:v1:nokey:abc"),
        "no matching key was found for the provided Secretbox transformer"
    );
    assert_eq!(err(b"k8s:enc:aescbc:v1:key1:abc"), "the stored data was shorter than the required size");
    assert_eq!(
        err(b"k8s:enc:aescbc:v1:key1:0123456789abcdefX"),
        "the stored data is not a multiple of the block size"
    );
    assert_eq!(err(b"k8s:enc:aescbc:v1:key1:0123456789abcdef"), "invalid PKCS7 data (empty or not padded)");
    let mut short = b"k8s:enc:secretbox:v1:key1:".to_vec();
    short.extend_from_slice(&[0; 39]);
    assert_eq!(err(&short), "the stored data was shorter than the required size");
    short.push(0);
    assert_eq!(err(&short), "output array was not large enough for encryption");
    let bare = TransformerMap::none().lookup("", "secrets");
    assert_eq!(
        open(&bare, b"k8s:enc:aescbc:v1:key1:x"),
        Err("identity transformer tried to read encrypted data".into())
    );
}

#[test]
fn a_wrong_cbc_key_gives_invalid_padding() {
    let t = chain(&[provider("aescbc", &[("key1", 0)])]);
    let wrong = chain(&[provider("aescbc", &[("key1", 77)])]);
    let failed = open(&wrong, &seal(&t, PLAIN, &[5; 24])).expect_err("wrong key");
    assert!(
        ["invalid padding on input", "invalid PKCS7 data (empty or not padded)"].contains(&failed.as_str()),
        "{failed}"
    );
}

#[test]
fn gcm_is_bound_to_its_key_in_etcd_cbc_is_not() {
    for (kind, bound) in [("aesgcm", true), ("aescbc", false), ("secretbox", false)] {
        let t = chain(&[provider(kind, &[("key1", 0)])]);
        let moved = t.open(&seal(&t, PLAIN, &[6; 24]), b"/registry/secrets/demo/s2").result;
        assert_eq!(moved.is_err(), bound, "{kind}");
    }
}

#[test]
fn wildcards_and_lookup() {
    let map = load(&file(&[
        ("secrets", &[provider("aescbc", &[("a", 0)])]),
        ("deployments.apps", &[provider("aescbc", &[("b", 0)])]),
        ("*.apps", &[provider("aescbc", &[("c", 0)])]),
        ("*.*", &[provider("aescbc", &[("d", 0)])]),
    ]))
    .expect("valid");
    let name = |g: &str, r: &str| map.lookup(g, r).write_prefix();
    assert_eq!(name("", "secrets"), "k8s:enc:aescbc:v1:a:");
    assert_eq!(name("apps", "deployments"), "k8s:enc:aescbc:v1:b:");
    assert_eq!(name("apps", "daemonsets"), "k8s:enc:aescbc:v1:c:");
    assert_eq!(name("stable.example.com", "crontabs"), "k8s:enc:aescbc:v1:d:");
    let core = load(&file(&[("*.", &[identity()])])).expect("valid");
    assert!(core.lookup("", "pods").is_chain());
    assert!(!core.lookup("apps", "deployments").is_chain());
}

#[test]
fn masked_rules() {
    let id = [identity()];
    assert_eq!(
        load(&file(&[("*.apps", &id), ("deployments.apps", &id)])).err(),
        Some(
            r#"error while building transformers: resource "deployments.apps" is masked by earlier rule "*.apps""#
                .into()
        )
    );
    assert_eq!(
        load(&file(&[("*.", &id), ("secrets", &id)])).err(),
        Some(
            r#"error while building transformers: resource "secrets" is masked by earlier rule "*.""#.into()
        )
    );
    assert_eq!(
        load(&file(&[("*.*", &id), ("secrets", &id)])).err(),
        Some(
            r#"error while building transformers: resource "secrets" is masked by earlier rule "*.*""#.into()
        )
    );
    // The same resource twice: the lists are joined.
    let joined = load(&file(&[
        ("secrets", &[provider("aescbc", &[("a", 0)])]),
        ("secrets", &[provider("aescbc", &[("b", 0)])]),
    ]));
    assert_eq!(joined.expect("valid").lookup("", "secrets").write_prefix(), "k8s:enc:aescbc:v1:a:");
}

#[test]
fn configuration_errors() {
    let id = [identity()];
    let parsing = |text: &str| load(text).err().unwrap_or_default();
    let cases: &[(String, &str)] = &[
        (
            String::new(),
            "error while loading file: encryption provider configuration file \"/etc/enc.yaml\" is empty",
        ),
        (
            file(&[("secrets", &id)]).replace(r#""providers""#, r#""bogus":1,"providers""#),
            "error decoding encryption provider configuration file \"/etc/enc.yaml\": strict decoding error: unknown \
             field \"resources[0].bogus\"",
        ),
        (file(&[]), "resources: Required value: at least one resources is required"),
        (
            file(&[("secrets", &[])]),
            "resources[0].providers: Required value: at least one resources[0].providers is required",
        ),
        (
            file(&[("secrets secrets", &id)]),
            r#"resources[0].resources: Invalid value: ["secrets","secrets"]: the same resource cannot be specified multiple times"#,
        ),
        (
            file(&[("secrets *.", &id)]),
            r#"resources[0].resources: Invalid value: ["secrets","*."]: using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked"#,
        ),
        (
            file(&[("Secrets", &id)]),
            r#"resources[0].resources[0]: Invalid value: "Secrets": resource name should not contain capital letters"#,
        ),
        (
            file(&[("*", &id)]),
            r#"resources[0].resources[0]: Invalid value: "*": use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources"#,
        ),
        (
            file(&[("secrets.*", &id)]),
            r#"resources[0].resources[0]: Invalid value: "secrets.*": encrypting the same resource across groups is not supported"#,
        ),
        (
            file(&[("secrets", &["{}".to_owned()])]),
            r#"resources[0].providers[0]: Invalid value: {"AESGCM":null,"AESCBC":null,"Secretbox":null,"Identity":null,"KMS":null}: provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity"#,
        ),
        (
            file(&[("secrets", &[r#"{"aescbc":{"keys":[{"name":"a","secret":"YWJj"}]}}"#.to_owned()])]),
            r#"resources[0].providers[0].aescbc.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 3, expected one of [16 24 32]"#,
        ),
        (
            file(&[("secrets", &[r#"{"secretbox":{"keys":[{"name":"","secret":"!"}]}}"#.to_owned()])]),
            r#"[resources[0].providers[0].secretbox.keys[0].name: Required value: name is a mandatory field for a key, resources[0].providers[0].secretbox.keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded]"#,
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(parsing(text), format!("error while parsing file: {expected}"));
    }
    let missing = EncryptionConfiguration::load("/x", None, false).expect_err("no file").to_string();
    assert_eq!(
        missing,
        "error while parsing file: error while loading file: error reading encryption provider configuration file \"/x\": \
         open /x: no such file or directory"
    );
}

#[test]
fn kms_is_refused_by_name() {
    let kms = r#"{"kms":{"apiVersion":"v2","name":"a","endpoint":"unix:///k.sock"}}"#.to_owned();
    assert_eq!(
        load(&file(&[("secrets", &[kms])])).err(),
        Some("error while building transformers: not modelled here: kms".into())
    );
}

#[test]
fn layouts_name_every_byte() {
    for (kind, parts) in [
        (
            "aescbc",
            vec![
                (PartKind::Prefix, 18),
                (PartKind::KeyName, 5),
                (PartKind::Iv, 16),
                (PartKind::Ciphertext, 32),
            ],
        ),
        (
            "aesgcm",
            vec![
                (PartKind::Prefix, 18),
                (PartKind::KeyName, 5),
                (PartKind::Nonce, 12),
                (PartKind::Ciphertext, 16),
                (PartKind::Tag, 16),
            ],
        ),
        (
            "secretbox",
            vec![
                (PartKind::Prefix, 21),
                (PartKind::KeyName, 5),
                (PartKind::Nonce, 24),
                (PartKind::Tag, 16),
                (PartKind::Ciphertext, 16),
            ],
        ),
    ] {
        let t = chain(&[provider(kind, &[("key1", 0)])]);
        let stored = seal(&t, PLAIN, &[2; 24]);
        let l = layout(&stored);
        assert_eq!((l.provider.as_str(), l.key_name.as_deref()), (kind, Some("key1")));
        let got: Vec<(PartKind, usize)> = l.parts.iter().map(|p| (p.kind, p.range.len())).collect();
        assert_eq!(got, parts, "{kind}");
        assert_eq!(l.parts.last().map(|p| p.range.end), Some(stored.len()));
    }
}

/// Changing one plaintext byte changes exactly the bytes that `affected` names (IV and nonce held fixed).
#[test]
fn affected_bytes_are_those_that_change() {
    let plain: Vec<u8> = (0..50).collect();
    for kind in ["aescbc", "aesgcm", "secretbox"] {
        let t = chain(&[provider(kind, &[("key1", 0)])]);
        let stored = seal(&t, &plain, &[2; 24]);
        for at in [0usize, 15, 16, 33, 49] {
            let mut other = plain.clone();
            other[at] ^= 0xff;
            let changed = seal(&t, &other, &[2; 24]);
            let named = layout(&stored).affected(at..at + 1);
            for (i, (a, b)) in stored.iter().zip(&changed).enumerate() {
                if a != b {
                    assert!(named.iter().any(|n| n.range.contains(&i)), "{kind}: byte {i} changed");
                }
            }
            let must = named.iter().find(|n| n.dependence != Dependence::Tag).expect("a place");
            assert_ne!(stored[must.range.clone()], changed[must.range.clone()], "{kind} {at}");
        }
    }
}

#[test]
fn layouts_of_odd_bytes() {
    for data in
        [&b""[..], b"k8s:enc:", b"k8s:enc:aescbc", b"k8s:enc:aescbc:v1:", b"k8s:enc:x:v1:k:abc", b"{}"]
    {
        let l = layout(data);
        let covered: usize = l.parts.iter().map(|p| p.range.len()).sum();
        assert_eq!(covered, data.len(), "{}", String::from_utf8_lossy(data));
        l.affected(0..usize::MAX);
    }
}

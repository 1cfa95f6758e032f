use crate::*;
use protocol::Config;

fn world(seed: u64) -> World {
    let config = Config { seed, kube: false, ..Config::default() };
    World::start(config, None).expect("a plain configuration")
}

const PIYO: &str = "etcdctl put /test/piyo piyo
etcdctl put /test/piyo2 piyo2
etcdctl put /test/piyo3 piyo3
etcdctl put /test/piyo again
etcdctl get --prefix /test --sort-by=CREATE
etcdctl get /test/piyo --rev 2 --print-value-only
etcdctl get --prefix /test --keys-only
etcdctl get /none
etcdctl get /test/piyo -w fields | tail -n +5
";

#[test]
fn the_articles_keys_in_an_empty_store() {
    let script = PIYO.lines().take(8).collect::<Vec<_>>().join("\n");
    let (out, ended) = world(1).script_output(&script);
    assert_eq!(ended, Ended::Status(0));
    let expected = "OK\nOK\nOK\nOK\n/test/piyo\nagain\n/test/piyo2\npiyo2\n/test/piyo3\npiyo3\npiyo\n/test/piyo\n\n/test/piyo2\n\n/test/piyo3\n\n";
    assert_eq!(out, expected);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let run = |seed| {
        let w = world(seed);
        let (out, _) = w.script_output(PIYO);
        (out, w.save().to_bytes(), traces_data(w.sim()), w.sim().event())
    };
    for seed in 0..10 {
        assert!(run(seed) == run(seed), "seed {seed}");
    }
}

#[test]
fn a_saved_world_goes_on() {
    let w = world(3);
    w.script_output("etcdctl put a 1; echo x > ~/f");
    let bytes = w.save().to_bytes();
    let saved = Saved::from_bytes(&bytes).expect("just written");
    assert_eq!(saved.to_bytes(), bytes);
    let w = World::start(saved.config.clone(), Some(saved)).expect("a saved world starts");
    let (out, _) = w.script_output("etcdctl get a; while read l; do echo $l; done < ~/f; etcdctl put b 2");
    assert_eq!(out, "a\n1\nx\nOK\n");
}

#[test]
fn a_damaged_saved_world_is_refused_with_the_reason() {
    let bytes = world(3).save().to_bytes();
    assert_eq!(Saved::from_bytes(b"PK\x03\x04"), Err(SavedError::NotOne));
    for cut in [17, 25, bytes.len() / 2, bytes.len() - 1] {
        assert!(matches!(Saved::from_bytes(&bytes[..cut]), Err(SavedError::Damaged(_))), "cut at {cut}");
    }
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    assert_eq!(Saved::from_bytes(&flipped), Err(SavedError::Damaged("its checksum is wrong")));
}

use super::*;
use sim::Sim;

fn metadata() -> Metadata {
    Metadata { node_id: 0x63fc_ec5d_aa28_374c, cluster_id: 0xb1f8_506b_9d4f_3ebc }
}

fn entry(index: u64, data: &[u8]) -> Entry {
    Entry { r#type: 0, term: 2, index, data: Some(Bytes::copy_from_slice(data)) }
}

fn written(sim: &Sim, f: impl AsyncFnOnce(&mut Wal) + 'static) -> Disk {
    let disk = sim.disk("m1");
    let d = disk.clone();
    sim.block_on(async move {
        let mut wal = Wal::create(&d, metadata()).await;
        f(&mut wal).await;
    });
    disk
}

#[test]
fn frames_as_etcd_writes_them() {
    let sim = Sim::new(1);
    let disk = written(&sim, async |w| {
        w.save(Some(HardState { term: 2, vote: 5, commit: 1 }), &[entry(1, b"foo")]);
        w.sync().await;
    });
    let bytes = disk.read("member/wal/0000000000000000-0000000000000000.wal");
    // crc record: 4 bytes of record, 4 bytes of padding
    assert_eq!(&bytes[..16], b"\x04\0\0\0\0\0\0\x84\x08\x04\x10\0\0\0\0\0");
    // every frame is a multiple of eight bytes
    assert_eq!(bytes.len() % 8, 0);
    let (_, c) = Wal::open(&disk, metadata()).unwrap().unwrap();
    assert_eq!(c.metadata, Some(metadata()));
    assert_eq!(c.entries, [entry(1, b"foo")]);
    assert_eq!(c.hard_state, HardState { term: 2, vote: 5, commit: 1 });
    let other = Metadata { node_id: 1, ..metadata() };
    assert!(matches!(Wal::open(&disk, other), Err(WalError::MetadataConflict)));
}

#[test]
fn large_payloads_are_shared_and_read_back() {
    let sim = Sim::new(1);
    let big = vec![7u8; 10_000];
    let e = entry(1, &big);
    let c = e.clone();
    let disk = written(&sim, async move |w| {
        w.save(None, &[c]);
        w.sync().await;
    });
    let (_, c) = Wal::open(&disk, metadata()).unwrap().unwrap();
    assert_eq!(c.entries, [e]);
}

#[test]
fn later_entries_replace_earlier_ones() {
    let sim = Sim::new(1);
    let disk = written(&sim, async |w| {
        w.save(None, &[entry(1, b"a"), entry(2, b"b"), entry(3, b"c")]);
        w.save(None, &[entry(2, b"x")]);
        w.sync().await;
    });
    let (_, c) = Wal::open(&disk, metadata()).unwrap().unwrap();
    assert_eq!(c.entries, [entry(1, b"a"), entry(2, b"x")]);
}

#[test]
fn a_torn_tail_is_cut_at_every_length() {
    let sim = Sim::new(1);
    let disk = written(&sim, async |w| {
        w.save(None, &[entry(1, b"a")]);
        w.sync().await;
        w.save(Some(HardState { term: 2, vote: 1, commit: 1 }), &[entry(2, &[9; 300])]);
        w.sync().await;
    });
    let file = "member/wal/0000000000000000-0000000000000000.wal";
    let all = disk.read(file);
    let mut seen = std::collections::BTreeSet::new();
    for len in 0..=all.len() {
        disk.replace(file, all.slice(..len));
        let entries = match Wal::open(&disk, metadata()).unwrap() {
            Some((mut wal, c)) => {
                let n = c.entries.len() as u64;
                // It goes on behind the cut.
                wal.save(None, &[entry(n + 1, b"next")]);
                let (_, again) = Wal::open(&disk, metadata()).unwrap().unwrap();
                assert_eq!(again.entries.len() as u64, n + 1);
                n
            }
            None => 0,
        };
        seen.insert(entries);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn damage_in_a_synced_file_is_an_error() {
    let sim = Sim::new(1);
    let disk = written(&sim, async |w| {
        w.save(None, &[entry(1, b"hello")]);
        w.cut(2, &ConfState { voters: vec![1], ..ConfState::default() }).await;
        w.save(None, &[entry(2, b"world")]);
        w.sync().await;
    });
    let first = "member/wal/0000000000000000-0000000000000000.wal";
    let mut bytes = disk.read(first).to_vec();
    let at = bytes.windows(5).position(|w| w == b"hello").unwrap();
    bytes[at] ^= 1;
    disk.replace(first, bytes.into());
    assert_eq!(Wal::open(&disk, metadata()).err(), Some(WalError::CrcMismatch));
}

#[test]
fn old_files_go_and_the_marker_says_where_it_begins() {
    let sim = Sim::new(1);
    let cs = ConfState { voters: vec![1, 2], ..ConfState::default() };
    let c = cs.clone();
    let disk = written(&sim, async move |w| {
        for i in 1..=6 {
            w.save(Some(HardState { term: 2, vote: 1, commit: i }), &[entry(i, b"x")]);
            if i % 2 == 0 {
                w.cut(2, &c).await;
            }
        }
        w.save(None, &[entry(7, b"y")]);
        w.sync().await;
        w.release(3);
    });
    assert_eq!(disk.list().len(), 3);
    let (_, c) = Wal::open(&disk, metadata()).unwrap().unwrap();
    assert_eq!((c.snapshot.index, c.snapshot.term), (2, 2));
    assert_eq!(ConfState::decode(c.snapshot.conf_state.unwrap()).unwrap(), cs);
    assert_eq!(c.entries.iter().map(|e| e.index).collect::<Vec<_>>(), [3, 4, 5, 6, 7]);
    assert_eq!(c.hard_state.commit, 6);
}

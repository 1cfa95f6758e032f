use super::*;
use crate::etcdserverpb::PutRequest;
use crate::rpc::errors;

#[test]
fn a_put_on_the_wire() {
    let put = PutRequest { key: "foo".into(), value: "bar".into(), ..Default::default() };
    let m = encode_message(&put);
    assert_eq!(&m[..], b"\0\0\0\0\x0a\x0a\x03foo\x12\x03bar");
    let f = Frame::Data { stream: 1, data: m.clone(), end_stream: true }.encode();
    assert_eq!(&f[..9], b"\0\0\x0f\0\x01\0\0\0\x01");
    let Frame::Data { data, end_stream, stream } = Frame::decode(&f).unwrap() else { panic!("not DATA") };
    assert!(end_stream && stream == 1);
    let mut ms = Messages::new(100);
    ms.push(data);
    let body = ms.next_message().unwrap().unwrap();
    assert_eq!(decode::<PutRequest>(body).unwrap(), put);
    assert_eq!(ms.next_message().unwrap(), None);
    assert!(!ms.is_mid_message());
}

#[test]
fn messages_in_pieces() {
    let put = PutRequest { key: "foo".into(), value: vec![7; 300].into(), ..Default::default() };
    let mut all = BytesMut::new();
    for _ in 0..3 {
        all.extend_from_slice(&encode_message(&put));
    }
    let all = all.freeze();
    for step in [1, 2, 5, 7, 311, all.len()] {
        let mut ms = Messages::new(1000);
        let mut n = 0;
        for piece in all.chunks(step) {
            ms.push(Bytes::copy_from_slice(piece));
            while let Some(b) = ms.next_message().unwrap() {
                assert_eq!(decode::<PutRequest>(b).unwrap(), put);
                n += 1;
            }
        }
        assert_eq!((n, ms.is_mid_message()), (3, false), "step {step}");
    }
    let mut ms = Messages::new(10);
    ms.push(all);
    assert_eq!(
        ms.next_message().unwrap_err().to_string(),
        "rpc error: code = ResourceExhausted desc = grpc: received message larger than max (308 vs. 10)"
    );
}

#[test]
fn headers_and_trailers() {
    let h = request_headers(
        "/etcdserverpb.KV/Range",
        "127.0.0.1:2379",
        Some(Duration::from_secs(5)),
        &[("hasleader".into(), "true".into())],
    );
    let f = Frame::Headers { stream: 3, headers: h.clone(), end_stream: false };
    assert_eq!(Frame::decode(&f.encode()).unwrap(), f);
    assert_eq!(header(&h, "grpc-timeout"), Some("5000000u"));
    let long =
        Frame::Headers { stream: 5, headers: vec![("x".into(), "y".repeat(70_000))], end_stream: true };
    assert_eq!(Frame::decode(&long.encode()).unwrap(), long);
    let t = trailers(&Err(errors::NO_LEADER.into()), false);
    assert_eq!(trailers_status(&t), Some(Err(errors::NO_LEADER.status())));
    assert_eq!(trailers_status(&trailers(&Ok(()), true)), Some(Ok(())));
    assert_eq!(trailers_status(&response_headers()), None);
}

#[test]
fn timeouts_and_texts() {
    for (t, s) in [
        (Duration::from_nanos(1), "1n"),
        (Duration::from_millis(99), "99000000n"),
        (Duration::from_secs(7), "7000000u"),
        (Duration::from_secs(3600), "3600000m"),
    ] {
        assert_eq!(encode_timeout(t), s);
        assert_eq!(decode_timeout(s), Some(t));
    }
    assert_eq!(decode_timeout("123456789S"), None);
    assert_eq!(decode_timeout("5é"), None);
    assert_eq!(encode_grpc_message("100% é\n"), "100%25 %C3%A9%0A");
    assert_eq!(decode_grpc_message("100%25 %C3%A9%0A%zz%"), "100% é\n%zz%");
}

#[test]
fn broken_frames_are_errors() {
    let whole =
        Frame::Headers { stream: 1, headers: vec![("a".into(), "b".into())], end_stream: true }.encode();
    for n in 0..whole.len() {
        assert!(Frame::decode(&whole.slice(..n)).is_err());
    }
    for i in 0..whole.len() {
        for v in 0..=255u8 {
            let mut b = whole.to_vec();
            b[i] = v;
            let _ = Frame::decode(&b.into());
        }
    }
    assert_eq!(Frame::decode(&Bytes::from_static(b"\0\0\0\x04\0\0\0\0\0")), Err(FrameError::Type(4)));
}

#[test]
fn methods_by_path() {
    assert_eq!(METHODS.len(), 41);
    let m = method("/etcdserverpb.Watch/Watch").unwrap();
    assert!(m.client_streaming && m.server_streaming);
    assert_eq!(m.request, "etcdserverpb.WatchRequest");
    for m in METHODS {
        assert!(crate::spans::message(m.request).is_some() && crate::spans::message(m.response).is_some());
    }
}

use super::*;

fn all_requests(input: &[u8], step: usize) -> Result<Vec<Request>, ParseError> {
    let mut p = Parser::requests(Limits::default());
    let mut partial = None;
    let mut out = Vec::new();
    for piece in input.chunks(step) {
        p.push(piece);
        while let Some(r) = p.next_request(&mut partial)? {
            out.push(r);
        }
    }
    p.push_eof();
    while let Some(r) = p.next_request(&mut partial)? {
        out.push(r);
    }
    Ok(out)
}

#[test]
fn requests_in_pieces() {
    let a = Request::new("POST", "/api/v1/namespaces/default/pods?fieldManager=kubectl")
        .with_header("Host", "127.0.0.1:6443")
        .with_header("Content-Type", "application/json")
        .with_body("{\"kind\":\"Pod\"}");
    let b = Request::new("GET", "/readyz").with_header("accept", "*/*");
    let mut text = a.encode().to_vec();
    text.extend_from_slice(&b.encode());
    assert!(text.starts_with(
        b"POST /api/v1/namespaces/default/pods?fieldManager=kubectl HTTP/1.1\r\nHost: 127.0.0.1:6443\r\n"
    ));
    for step in 1..text.len() {
        let got = all_requests(&text, step).unwrap();
        assert_eq!(got.len(), 2, "step {step}");
        assert_eq!(got[0].body, a.body);
        assert_eq!(got[0].header("CONTENT-TYPE"), Some("application/json"));
        assert_eq!(got[0].header("content-length"), Some("14"));
        assert_eq!(
            (got[0].path(), got[0].query()),
            ("/api/v1/namespaces/default/pods", "fieldManager=kubectl")
        );
        assert_eq!(got[1], b);
    }
}

#[test]
fn a_watch_in_chunks() {
    let mut text =
        Response::new(200).with_header("Content-Type", "application/json").encode_chunked_head().to_vec();
    text.extend_from_slice(&chunk(b"{\"type\":\"ADDED\"}\n"));
    text.extend_from_slice(&chunk(b""));
    text.extend_from_slice(&chunk(&[b'x'; 300]));
    text.extend_from_slice(LAST_CHUNK);
    assert!(text.windows(6).any(|w| w == b"\r\n12c\r"[..6].as_ref()));
    for step in [1, 3, 16, text.len()] {
        let mut p = Parser::responses(Limits::default());
        let mut body = Vec::new();
        let mut ended = 0;
        for piece in text.chunks(step) {
            p.push(piece);
            while let Some(e) = p.next_event().unwrap() {
                match e {
                    Event::Response(h) => assert_eq!(h.status, 200),
                    Event::Body(b) => body.extend_from_slice(&b),
                    Event::End => ended += 1,
                    Event::Request(_) => panic!("a response"),
                }
            }
        }
        assert_eq!((body.len(), ended, p.is_idle()), (317, 1, true), "step {step}");
    }
}

#[test]
fn responses_without_length_end_with_the_connection() {
    let mut p = Parser::responses(Limits::default());
    p.push(b"HTTP/1.1 200 OK\r\n\r\nhello");
    let mut partial = None;
    assert_eq!(p.next_response(&mut partial).unwrap(), None);
    p.push_eof();
    assert_eq!(p.next_response(&mut partial).unwrap().unwrap().body, "hello");
    let mut p = Parser::responses(Limits::default());
    p.expect_no_body();
    p.push(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n");
    assert_eq!(p.next_response(&mut partial).unwrap().unwrap().body, "");
    assert_eq!(p.next_response(&mut partial).unwrap().unwrap().status, 204);
}

#[test]
fn bad_input_gets_errors() {
    let post = "POST / HTTP/1.1\r\n";
    for (text, want) in [
        ("POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", ParseError::ContentLength),
        ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", ParseError::ContentLength),
        ("POST / HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n", ParseError::BodyTooLarge),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", ParseError::TransferEncoding),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", ParseError::Chunk),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\naXX\r\n", ParseError::Chunk),
        ("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc", ParseError::UnexpectedEof),
        (post, ParseError::UnexpectedEof),
    ] {
        assert_eq!(all_requests(text.as_bytes(), 7).unwrap_err(), want, "{text}");
    }
    let many = format!("{post}{}\r\n", "a: b\r\n".repeat(300));
    assert_eq!(all_requests(many.as_bytes(), 1000).unwrap_err(), ParseError::HeadTooLarge);
    let long = format!("{post}a: {}\r\n", "b".repeat(2 << 20));
    assert_eq!(all_requests(long.as_bytes(), 1 << 16).unwrap_err(), ParseError::HeadTooLarge);
    assert!(matches!(all_requests(b"\0\x01\x02\xff", 2), Err(ParseError::Head(_))));
}

#[test]
fn line_ends_in_fields_cannot_smuggle() {
    let r = Response::new(200).with_header("Warning", "a\r\nX-Evil: 1");
    let text = String::from_utf8(r.encode().to_vec()).unwrap();
    assert_eq!(text, "HTTP/1.1 200 OK\r\nWarning: a  X-Evil: 1\r\nContent-Length: 0\r\n\r\n");
}

//! The thinnest path: create, get, list, watch; stored bytes; the trace's stations.

mod common;

use common::World;
use kube::json::Json;
use sim::Station;
use wire::http::Request;

const CM: &str =
    r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cm1"},"data":{"a":"1","b":"2","empty":""}}"#;

#[test]
fn create_get_list() {
    let w = World::new();
    w.namespace("demo");
    let created = w.post("/api/v1/namespaces/demo/configmaps", CM);
    assert_eq!(created.str_at("metadata.namespace"), "demo");
    assert_eq!(created.str_at("metadata.managedFields[0].manager"), "t");
    assert_eq!(
        created.at("metadata.managedFields[0].fieldsV1").unwrap().to_text(),
        r#"{"f:data":{".":{},"f:a":{},"f:b":{},"f:empty":{}}}"#
    );
    let (value, revision) = w.stored("/registry/configmaps/demo/cm1").unwrap();
    assert!(value.starts_with(b"k8s\0\x0a\x0f\x0a\x02v1\x12\x09ConfigMap"));
    assert!(value.ends_with(b"\x1a\x00\x22\x00"));
    assert_eq!(created.str_at("metadata.resourceVersion"), revision.to_string());
    assert_eq!(w.get("/api/v1/namespaces/demo/configmaps/cm1"), created);
    let list = w.get("/api/v1/namespaces/demo/configmaps");
    assert_eq!(list.str_at("kind"), "ConfigMapList");
    assert_eq!(list.items_at("items").len(), 1);
    assert!(list.at("items[0].kind").is_none());
    let (status, e) = w.call("GET", "/api/v1/namespaces/demo/configmaps/nope", "");
    assert_eq!((status, e.str_at("message")), (404, "configmaps \"nope\" not found"));
    let (status, e) = w.call("POST", "/api/v1/namespaces/demo/configmaps", CM);
    assert_eq!((status, e.str_at("message")), (409, "configmaps \"cm1\" already exists"));
}

#[test]
fn watch_sees_create_update_delete() {
    let w = World::new();
    w.namespace("demo");
    let events = w.watch("/api/v1/namespaces/demo/configmaps?watch=1", 4, |w| {
        let mut cm = w.post("/api/v1/namespaces/demo/configmaps", CM);
        cm.set_at("data.a", Json::Str("2".into()));
        let (status, updated) = w.put("/api/v1/namespaces/demo/configmaps/cm1", &cm);
        assert_eq!(status, 200, "{}", updated.to_text());
        assert_eq!(w.put("/api/v1/namespaces/demo/configmaps/cm1", &cm).0, 409);
        let (status, _) = w.call("DELETE", "/api/v1/namespaces/demo/configmaps/cm1", "");
        assert_eq!(status, 200);
    });
    let types: Vec<&str> = events.iter().map(|e| e.str_at("type")).collect();
    assert_eq!(types, ["ADDED", "MODIFIED", "DELETED"]);
    let rv = |e: &Json| e.str_at("object.metadata.resourceVersion").parse::<u64>().unwrap();
    assert!(rv(&events[0]) < rv(&events[1]) && rv(&events[1]) < rv(&events[2]));
    assert_eq!(events[2].str_at("object.data.a"), "2");
}

#[test]
fn every_station_is_in_the_trace() {
    let w = World::new();
    w.namespace("demo");
    let ctx = w.sim.trace().begin("POST cm", "kubectl");
    let client = w.client.clone();
    let req = Request::new("POST", "/api/v1/namespaces/demo/configmaps")
        .with_header("Content-Type", "application/json")
        .with_body(CM.as_bytes().to_vec());
    let resp = w.sim.block_on(async move { client.request(Some(ctx), req).await }).unwrap().unwrap();
    assert_eq!(resp.status, 201);
    let trace = w.sim.trace().get(ctx.trace).unwrap();
    let seen: Vec<Station> = trace.spans.iter().filter_map(|s| s.station).collect();
    let wanted = [
        Station::Http,
        Station::Authn,
        Station::Authz,
        Station::Decode,
        Station::Default,
        Station::Mutate,
        Station::Strategy,
        Station::Validate,
        Station::Admit,
        Station::Storage,
        Station::Convert,
        Station::Codec,
        Station::Transformer,
        Station::ClientTxn,
        Station::TxnResponse,
        Station::Answer,
    ];
    let order: Vec<Station> = seen.iter().copied().filter(|s| wanted.contains(s)).collect();
    assert_eq!(order, wanted);
}

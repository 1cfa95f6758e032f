//! A world for tests: an etcd cluster, one API server, a client with an administrator's certificate.
#![allow(dead_code)]

use apiserver::client::{HttpClient, ResponseStream};
use apiserver::{ApiServer, ApiServerHandle, Files, Flags};
use bytes::Bytes;
use etcd::{Cluster, ClusterConfig};
use kube::json::Json;
use sim::Sim;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;
use wire::etcdserverpb::RangeRequest;
use wire::http::{Request, Response};

/// Files of a test.
#[derive(Default)]
pub struct TestFiles(pub RefCell<BTreeMap<String, Vec<u8>>>);

impl Files for TestFiles {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.0.borrow().get(path).cloned()
    }
}

pub struct World {
    pub sim: Sim,
    pub cluster: Cluster,
    pub server: ApiServerHandle,
    pub client: HttpClient,
    pub files: Rc<TestFiles>,
}

pub const ADMIN: &str = "CN=kubernetes-admin,O=system:masters";

impl World {
    pub fn new() -> World {
        World::with(&[], &[])
    }

    /// With flags beside `--etcd-servers`, and files.
    pub fn with(args: &[&str], files: &[(&str, &str)]) -> World {
        let sim = Sim::new(1);
        let cluster = Cluster::start(&sim, ClusterConfig { members: 1, ..ClusterConfig::default() });
        let store = Rc::new(TestFiles::default());
        for (path, text) in files {
            store.0.borrow_mut().insert((*path).to_owned(), text.as_bytes().to_vec());
        }
        let server = start(&sim, args, store.clone());
        let client = HttpClient::new(&sim, &sim.process("kubectl"), "127.0.0.1:6443")
            .with_certificate(ADMIN)
            .with_header("User-Agent", "t/1");
        let world = World { sim, cluster, server, client, files: store };
        world.until_ready();
        world
    }

    pub fn until_ready(&self) {
        let server = self.server.server();
        let deadline = self.sim.now() + Duration::from_secs(60);
        self.sim.run_while(|s| !server.ready() && s.now() < deadline);
        assert!(self.server.ready(), "not ready: {:?}", self.server.not_ready());
    }

    /// Ends the server and starts it again with other flags.
    pub fn restart(&mut self, args: &[&str]) {
        let process = self.sim.process("kube-apiserver");
        process.stop();
        process.restart();
        self.server = start(&self.sim, args, self.files.clone());
        self.until_ready();
    }

    pub fn request(&self, req: Request) -> Response {
        let client = self.client.clone();
        self.sim
            .block_on(async move { client.request(None, req).await })
            .expect("the world goes on")
            .expect("an answer")
    }

    pub fn call(&self, method: &str, target: &str, body: &str) -> (u16, Json) {
        self.call_as(method, target, "application/json", body)
    }

    pub fn call_as(&self, method: &str, target: &str, content_type: &str, body: &str) -> (u16, Json) {
        let mut req = Request::new(method, target).with_header("Accept", "application/json");
        if !body.is_empty() {
            req = req
                .with_header("Content-Type", content_type)
                .with_body(Bytes::copy_from_slice(body.as_bytes()));
        }
        let resp = self.request(req);
        let text = String::from_utf8_lossy(&resp.body).into_owned();
        let json = Json::parse(&resp.body).unwrap_or(Json::Str(text));
        (resp.status, json)
    }

    pub fn get(&self, target: &str) -> Json {
        let (status, json) = self.call("GET", target, "");
        assert_eq!(status, 200, "{target}: {}", json.to_text());
        json
    }

    pub fn post(&self, target: &str, body: &str) -> Json {
        let (status, json) = self.call("POST", target, body);
        assert_eq!(status, 201, "{target}: {}", json.to_text());
        json
    }

    pub fn put(&self, target: &str, body: &Json) -> (u16, Json) {
        self.call("PUT", target, &body.to_text())
    }

    /// The stored value and its mod_revision.
    pub fn stored(&self, key: &str) -> Option<(Bytes, i64)> {
        let client = self.cluster.client(&self.sim.process("etcdctl"));
        let req = RangeRequest { key: Bytes::copy_from_slice(key.as_bytes()), ..RangeRequest::default() };
        let resp = self
            .sim
            .block_on(async move { client.range(None, req).await })
            .expect("goes on")
            .expect("a range");
        resp.kvs.first().map(|kv| (kv.value.clone(), kv.mod_revision))
    }

    /// Opens a watch and collects events until `n` have come or nothing comes for ten seconds.
    pub fn watch(&self, target: &str, n: usize, meanwhile: impl FnOnce(&World)) -> Vec<Json> {
        let client = self.client.clone();
        let req = Request::new("GET", target).with_header("Accept", "application/json");
        let mut stream: ResponseStream = self
            .sim
            .block_on(async move { client.stream(None, req).await })
            .expect("goes on")
            .expect("a stream");
        assert_eq!(stream.head.status, 200);
        meanwhile(self);
        let sim = self.sim.clone();
        self.sim
            .block_on(async move {
                let mut out = Vec::new();
                while out.len() < n {
                    match sim.timeout(Duration::from_secs(10), stream.next()).await {
                        Ok(Ok(Some(part))) => {
                            for line in part.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
                                out.push(Json::parse(line).expect("JSON"));
                            }
                        }
                        _ => break,
                    }
                }
                out
            })
            .expect("goes on")
    }

    pub fn namespace(&self, name: &str) {
        let body = format!(r#"{{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{name}"}}}}"#);
        let (status, json) = self.call("POST", "/api/v1/namespaces", &body);
        assert!(status == 201 || status == 409, "{}", json.to_text());
    }

    pub fn sleep(&self, seconds: u64) {
        let t = self.sim.now() + Duration::from_secs(seconds);
        self.sim.run_until_time(t);
    }
}

fn start(sim: &Sim, args: &[&str], files: Rc<TestFiles>) -> ApiServerHandle {
    let mut all = vec!["--etcd-servers=http://127.0.0.1:2379".to_owned()];
    all.extend(args.iter().map(|a| (*a).to_owned()));
    let flags = Flags::parse(&all).expect("flags");
    ApiServer::start(sim, sim.process("kube-apiserver"), Vec::new(), flags, files).expect("a server")
}

pub fn text(j: &Json) -> String {
    j.to_text()
}

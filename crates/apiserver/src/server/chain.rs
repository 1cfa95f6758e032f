//! The handler chain, outermost first, as the original builds it. Filters that decide something are stations; the others
//! pass requests through and are named in the trace of the station HTTP.

use super::{Server, discovery, nonresource, routes};
use crate::authn::{CERTIFICATE_SUBJECT, User};
use crate::authz::{self, Ask};
use crate::env::Note;
use crate::errors::ApiError;
use crate::handlers::{self, Answer, Call};
use crate::request::{Query, RequestInfo};
use sim::{Conn, Ctx, Station};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use wire::http::{Request, Response};

/// Filters in order, and whether they do something here.
pub const FILTERS: &[(&str, bool)] = &[
    ("WithAuditInit", true),
    ("WithPanicRecovery", false),
    ("WithMuxAndDiscoveryComplete", false),
    ("WithRequestReceivedTimestamp", true),
    ("WithRequestInfo", true),
    ("WithLatencyTrackers", false),
    ("WithHTTPLogging", false),
    ("WithCacheControl", true),
    ("WithWaitGroup", false),
    ("WithRequestDeadline", true),
    ("WithTimeoutForNonLongRunningRequests", true),
    ("WithWarningRecorder", true),
    ("WithCORS", false),
    ("WithAuthentication", true),
    ("WithTracing", true),
    ("WithAudit", false),
    ("WithConstrainedImpersonation", true),
    ("WithPriorityAndFairness", true),
    ("WithAuthorization", true),
];

/// Longest time a write may take.
const WRITE_DEADLINE: Duration = Duration::from_secs(34);

/// A request through the whole chain.
pub(super) async fn handle(server: &Rc<Server>, ctx: Ctx, req: Request, conn: &Conn) -> Answer {
    let env = &server.env;
    let started = env.sim.now();
    let span = env.station(Some(ctx), Station::Http).await;
    span.came(|| req.encode());
    let query = Query::parse(req.query());
    let info = RequestInfo::parse(&req.method, req.path(), &query);
    span.note("verb", info.verb.as_str());
    for (name, value) in [
        ("group", &info.group),
        ("version", &info.version),
        ("namespace", &info.namespace),
        ("resource", &info.resource),
        ("subresource", &info.subresource),
        ("name", &info.name),
    ] {
        if !value.is_empty() {
            span.note(name, value.as_str());
        }
    }
    let passed: Vec<&str> = FILTERS.iter().filter(|(_, does)| !does).map(|(n, _)| *n).collect();
    span.note("passed through", passed.join(", "));
    drop(span);

    let mut call = Call {
        server: server.clone(),
        ctx: Some(ctx),
        req,
        info,
        query,
        user: User::default(),
        warnings: RefCell::default(),
    };
    let mutating = !["get", "list", "watch"].contains(&call.info.verb.as_str());
    let long = call.info.long_running();
    server.count_inflight(mutating, long, 1);
    let answer = match deadline(&call) {
        Err(e) => Err(e),
        Ok(_) if long => inner(&mut call, conn).await,
        Ok(limit) => {
            let result = env.sim.timeout(limit, inner(&mut call, conn)).await;
            result.unwrap_or_else(|_| {
                Err(ApiError::timeout(if limit >= env.flags.request_timeout {
                    "request did not complete within the allotted timeout"
                } else {
                    "request did not complete within requested timeout - context deadline exceeded"
                }))
            })
        }
    };
    server.count_inflight(mutating, long, -1);
    let answer = match answer {
        Ok(Answer::Whole(resp)) => Answer::Whole(resp),
        Ok(Answer::Streamed) => Answer::Streamed,
        Err(e) => {
            let output = crate::negotiate::output(&call.req, &call.query, false, false).ok();
            let span = env.station(Some(ctx), Station::Answer).await;
            span.note("status", e.code.to_string());
            span.note("reason", e.reason);
            span.note("message", e.message.as_str());
            let resp = handlers::error_response(output, &e);
            span.went(|| resp.body.clone());
            Answer::Whole(resp)
        }
    };
    let code = match &answer {
        Answer::Whole(r) => r.status,
        Answer::Streamed => 200,
    };
    server.count_request(&call, code, env.sim.now().since(started));
    match answer {
        Answer::Whole(mut resp) => {
            server.common_headers(&call, &mut resp);
            Answer::Whole(resp)
        }
        streamed => streamed,
    }
}

/// How long the request may take: `timeout` of the query, at most `--request-timeout`; writes at most 34 s.
fn deadline(call: &Call) -> Result<Duration, ApiError> {
    let most = call.server.env.flags.request_timeout;
    let mut limit = most;
    if let Some(text) = call.query.get("timeout").filter(|t| !t.is_empty())
        && !call.info.long_running()
    {
        let asked = crate::flags::parse_duration(text).map_err(|_| {
            ApiError::bad_request(format!(
                "invalid timeout specified in the request URL - time: invalid duration {text:?}"
            ))
        })?;
        if !asked.is_zero() {
            limit = asked.min(most);
        }
    }
    if ["create", "update", "patch", "delete", "deletecollection"].contains(&call.info.verb.as_str()) {
        limit = limit.min(WRITE_DEADLINE);
    }
    Ok(limit)
}

async fn inner(call: &mut Call, conn: &Conn) -> Result<Answer, ApiError> {
    let server = call.server.clone();
    let env = &server.env;
    let span = env.station(call.ctx, Station::Authn).await;
    let who = match server.authenticator.authenticate(&call.req) {
        Ok(w) => w,
        Err(e) => {
            span.note("refused", e.message.as_str());
            return Err(e);
        }
    };
    span.note("by", who.by);
    span.note("user", who.user.name.as_str());
    span.note("groups", who.user.groups.join(","));
    span.note("certificate subject header", CERTIFICATE_SUBJECT);
    drop(span);
    call.user = who.user;
    impersonate(call).await?;

    let span = env.station(call.ctx, Station::Authz).await;
    let ask = Ask::of(&call.info);
    let decision = authz::authorize(&server, &call.user, &ask).await;
    span.note("allowed", decision.allowed.to_string());
    if !decision.reason.is_empty() {
        span.note("reason", decision.reason.as_str());
    }
    drop(span);
    if !decision.allowed {
        return Err(authz::forbidden(&call.user, &ask, &decision.reason));
    }
    if call.info.is_resource {
        return handlers::handle(call, conn).await;
    }
    if let Some(resp) = nonresource::handle(call).await? {
        return Ok(Answer::Whole(resp));
    }
    if let Some(resp) = discovery::handle(call)? {
        return Ok(Answer::Whole(resp));
    }
    routes::not_found(call).map(Answer::Whole)
}

/// `Impersonate-User` and `Impersonate-Group`: the request is done in another's name, if RBAC lets.
async fn impersonate(call: &mut Call) -> Result<(), ApiError> {
    let Some(name) = call.req.header("impersonate-user").map(str::to_owned) else { return Ok(()) };
    let groups: Vec<String> = call
        .req
        .headers
        .iter()
        .filter(|(n, _)| n.eq_ignore_ascii_case("impersonate-group"))
        .map(|(_, v)| v.clone())
        .collect();
    let asks = std::iter::once(("users", name.clone())).chain(groups.iter().map(|g| ("groups", g.clone())));
    for (resource, name) in asks {
        let ask = Ask { verb: "impersonate".into(), resource: resource.into(), name, ..Ask::default() };
        let decision = authz::authorize(&call.server, &call.user, &ask).await;
        if !decision.allowed {
            return Err(authz::forbidden(&call.user, &ask, &decision.reason));
        }
    }
    let mut user = User { name, uid: String::new(), groups };
    if user.name != "system:anonymous" && !user.groups.iter().any(|g| g == "system:authenticated") {
        user.groups.push("system:authenticated".into());
    }
    call.user = user;
    Ok(())
}

impl Server {
    /// Header fields of every answer.
    pub(crate) fn common_headers(&self, call: &Call, resp: &mut Response) {
        let audit = call.req.header("audit-id").map_or_else(|| self.env.uuid(), str::to_owned);
        let mut head = vec![
            ("Audit-Id".to_owned(), audit),
            ("Cache-Control".to_owned(), "no-cache, private".to_owned()),
        ];
        head.append(&mut resp.headers);
        for w in call.warnings.borrow().iter() {
            head.push(("Warning".to_owned(), format!("299 - {}", kube::json::go_quote(w))));
        }
        head.push(("Date".to_owned(), http_date(self.env.unix_seconds())));
        resp.headers = head;
    }

    fn count_inflight(&self, mutating: bool, long: bool, by: i64) {
        if long {
            return;
        }
        let (mut writes, mut reads) = self.inflight.get();
        if mutating {
            writes += by;
        } else {
            reads += by;
        }
        self.inflight.set((writes, reads));
        for (kind, n) in [("mutating", writes), ("readOnly", reads)] {
            let labels = vec![("request_kind", kind.to_owned())];
            self.env.metrics.set("apiserver_current_inflight_requests", labels, n as f64);
        }
    }

    fn count_request(&self, call: &Call, code: u16, took: Duration) {
        let info = &call.info;
        let verb = match info.verb.as_str() {
            "create" => "POST",
            "update" => "PUT",
            "deletecollection" => "DELETECOLLECTION",
            v => v,
        }
        .to_uppercase();
        let scope = match (info.name.is_empty(), info.namespace.is_empty()) {
            (false, _) => "resource",
            (true, false) => "namespace",
            (true, true) if info.is_resource => "cluster",
            _ => "",
        };
        let dry = call.query.text("dryRun").to_owned();
        let labels = vec![
            ("component", "apiserver".to_owned()),
            ("dry_run", dry),
            ("group", info.group.clone()),
            ("resource", info.resource.clone()),
            ("scope", scope.to_owned()),
            ("subresource", if info.is_resource { info.subresource.clone() } else { info.path.clone() }),
            ("verb", verb),
            ("version", info.version.clone()),
        ];
        let mut with_code = labels.clone();
        with_code.insert(0, ("code", code.to_string()));
        self.env.metrics.inc("apiserver_request_total", with_code);
        if !info.long_running() {
            self.env.metrics.observe_duration("apiserver_request_duration_seconds", labels, took);
        }
    }
}

/// As `Thu, 01 Jan 2026 00:00:00 GMT`.
fn http_date(unix: i64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (y, m, d, h, mi, s) = kube::time::civil(unix);
    let day = DAYS[unix.div_euclid(86_400).rem_euclid(7) as usize];
    let month = MONTHS[(m.clamp(1, 12) - 1) as usize];
    format!("{day}, {d:02} {month} {y:04} {h:02}:{mi:02}:{s:02} GMT")
}

#[cfg(test)]
mod tests {
    use super::http_date;

    #[test]
    fn dates() {
        assert_eq!(http_date(1_767_225_600), "Thu, 01 Jan 2026 00:00:00 GMT");
    }
}

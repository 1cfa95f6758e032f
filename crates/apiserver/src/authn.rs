//! Authentication: who sends a request.
//!
//! Two ways are modelled. A *bearer token* is looked up in a static table (`--token-auth-file`, plus the tokens this server
//! issued for ServiceAccounts). A *client certificate* is represented by its subject: TLS is not modelled here, so what the
//! TLS layer would learn from the certificate (common name and organizations) stands in the header
//! [`CERTIFICATE_SUBJECT`], written as `CN=kubernetes-admin,O=system:masters`. A request with neither is anonymous.

use crate::errors::ApiError;
use kube::json::Json;
use std::cell::RefCell;
use std::collections::BTreeMap;
use wire::http::Request;

/// Stands for the subject of the client's certificate. No real client sends it.
pub const CERTIFICATE_SUBJECT: &str = "X-Etcdscope-Client-Certificate-Subject";

/// A user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// As `kubernetes-admin`.
    pub name: String,
    /// Empty for certificates.
    pub uid: String,
    /// With `system:authenticated` or `system:unauthenticated`.
    pub groups: Vec<String>,
}

impl User {
    /// The server's own loopback user.
    pub fn apiserver() -> User {
        User {
            name: "system:apiserver".into(),
            uid: String::new(),
            groups: vec!["system:authenticated".into(), "system:masters".into()],
        }
    }

    fn authenticated(name: &str, uid: &str, groups: Vec<String>) -> User {
        let mut groups = groups;
        if !groups.iter().any(|g| g == "system:authenticated") {
            groups.push("system:authenticated".into());
        }
        User { name: name.to_owned(), uid: uid.to_owned(), groups }
    }
}

/// The authenticators of one server.
#[derive(Default)]
pub struct Authenticator {
    tokens: RefCell<BTreeMap<String, User>>,
    anonymous: bool,
}

/// Who it is and how that was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authenticated {
    /// The user.
    pub user: User,
    /// `client certificate`, `bearer token` or `anonymous`.
    pub by: &'static str,
}

impl Authenticator {
    /// Reads a token file: lines of `token,user,uid,"group1,group2"`.
    ///
    /// # Errors
    /// A line with fewer than three columns.
    pub fn new(token_file: Option<&str>, anonymous: bool) -> Result<Authenticator, String> {
        let mut tokens = BTreeMap::new();
        for (i, line) in token_file.unwrap_or("").lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let columns = csv(line);
            let [token, name, uid, rest @ ..] = columns.as_slice() else {
                return Err(format!(
                    "token file must have at least 3 columns (token, user name, user uid), found {}",
                    columns.len()
                ));
            };
            if token.is_empty() {
                return Err(format!("empty token has been found in token file, record number {}", i + 1));
            }
            let groups = rest.first().map_or_else(Vec::new, |g| g.split(',').map(str::to_owned).collect());
            tokens.insert(token.clone(), User::authenticated(name, uid, groups));
        }
        Ok(Authenticator { tokens: RefCell::new(tokens), anonymous })
    }

    /// Makes a token known.
    pub fn add_token(&self, token: &str, user: User) {
        self.tokens.borrow_mut().insert(token.to_owned(), user);
    }

    /// The user of a token.
    pub fn token(&self, token: &str) -> Option<User> {
        self.tokens.borrow().get(token).cloned()
    }

    /// Who sends the request.
    ///
    /// # Errors
    /// 401 for a token that is not known, or no credentials when anonymous requests are off.
    pub fn authenticate(&self, req: &Request) -> Result<Authenticated, ApiError> {
        if let Some(subject) = req.header(CERTIFICATE_SUBJECT) {
            let mut name = "";
            let mut groups = Vec::new();
            for part in subject.split(',') {
                match part.trim().split_once('=') {
                    Some(("CN", v)) => name = v,
                    Some(("O", v)) => groups.push(v.to_owned()),
                    _ => {}
                }
            }
            if !name.is_empty() {
                return Ok(Authenticated {
                    user: User::authenticated(name, "", groups),
                    by: "client certificate",
                });
            }
        }
        if let Some(header) = req.header("authorization") {
            let token = header
                .split_once(' ')
                .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
                .map(|(_, t)| t.trim());
            if let Some(token) = token.filter(|t| !t.is_empty()) {
                return match self.token(token) {
                    Some(user) => Ok(Authenticated { user, by: "bearer token" }),
                    None => Err(ApiError::unauthorized()),
                };
            }
        }
        if !self.anonymous {
            return Err(ApiError::unauthorized());
        }
        let user = User {
            name: "system:anonymous".into(),
            uid: String::new(),
            groups: vec!["system:unauthenticated".into()],
        };
        Ok(Authenticated { user, by: "anonymous" })
    }
}

/// One line of comma-separated values, with quotes.
fn csv(line: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut quoted = false;
    for c in line.trim().chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => out.push(String::new()),
            c => {
                if let Some(last) = out.last_mut() {
                    last.push(c);
                }
            }
        }
    }
    out
}

/// A user as `SelfSubjectReview` prints it.
pub fn user_json(user: &User) -> Json {
    let mut j = Json::obj();
    j.set_at("username", Json::Str(user.name.clone()));
    if !user.uid.is_empty() {
        j.set_at("uid", Json::Str(user.uid.clone()));
    }
    j.set_at("groups", Json::Arr(user.groups.iter().cloned().map(Json::Str).collect()));
    j
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_certificates_and_nobody() {
        let a = Authenticator::new(Some("t1,kubernetes-admin,1,\"system:masters,dev\"\n"), true).unwrap();
        let with = |name: &str, value: &str| Request::new("GET", "/").with_header(name, value);
        let who = a.authenticate(&with("Authorization", "Bearer t1")).unwrap();
        assert_eq!(who.user.groups, ["system:masters", "dev", "system:authenticated"]);
        let who = a.authenticate(&with(CERTIFICATE_SUBJECT, "CN=kubelet,O=system:nodes")).unwrap();
        assert_eq!((who.user.name.as_str(), who.by), ("kubelet", "client certificate"));
        assert_eq!(a.authenticate(&with("Authorization", "Bearer no")).unwrap_err().code, 401);
        let who = a.authenticate(&Request::new("GET", "/")).unwrap();
        assert_eq!(who.user.name, "system:anonymous");
    }
}

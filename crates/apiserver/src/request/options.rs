//! ListOptions and the options of writes, read from the query and checked as the original checks them.

use super::Query;
use crate::errors::{ApiError, FieldFault};

/// `resourceVersionMatch`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatchRule {
    /// Not given.
    #[default]
    Unset,
    /// `Exact`
    Exact,
    /// `NotOlderThan`
    NotOlderThan,
}

/// Options of list, watch and deletecollection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListQuery {
    /// Selector text.
    pub label_selector: String,
    /// Selector text.
    pub field_selector: String,
    /// Empty, or what the client sent.
    pub resource_version: String,
    /// How to read it.
    pub match_rule: MatchRule,
    /// 0 for no limit.
    pub limit: i64,
    /// Token of an earlier page.
    pub continue_token: String,
    /// Seconds after which a watch ends.
    pub timeout_seconds: Option<i64>,
    /// Whether the client wants bookmarks.
    pub allow_watch_bookmarks: bool,
    /// `sendInitialEvents`.
    pub send_initial_events: Option<bool>,
}

impl ListQuery {
    /// Reads and validates. `watch` changes the rules.
    pub fn parse(q: &Query, watch: bool) -> Result<ListQuery, ApiError> {
        let mut out = ListQuery {
            label_selector: q.text("labelSelector").to_owned(),
            field_selector: q.text("fieldSelector").to_owned(),
            resource_version: q.text("resourceVersion").to_owned(),
            limit: number(q, "limit")?.unwrap_or(0),
            continue_token: q.text("continue").to_owned(),
            timeout_seconds: number(q, "timeoutSeconds")?,
            allow_watch_bookmarks: q.flag("allowWatchBookmarks"),
            send_initial_events: q.get("sendInitialEvents").map(|_| q.flag("sendInitialEvents")),
            ..ListQuery::default()
        };
        let given = q.text("resourceVersionMatch");
        out.match_rule = match given {
            "Exact" => MatchRule::Exact,
            "NotOlderThan" => MatchRule::NotOlderThan,
            _ => MatchRule::Unset,
        };
        let faults = if watch { out.watch_faults(given) } else { out.list_faults(given) };
        if !faults.is_empty() {
            return Err(ApiError::invalid("meta.k8s.io", "ListOptions", "", &faults));
        }
        if watch
            && ["", "0"].contains(&out.resource_version.as_str())
            && out.send_initial_events.is_none()
            && given.is_empty()
        {
            out.send_initial_events = Some(true);
            out.match_rule = MatchRule::NotOlderThan;
        }
        Ok(out)
    }

    fn list_faults(&self, given: &str) -> Vec<FieldFault> {
        let mut faults = Vec::new();
        let forbid =
            |f: &mut Vec<FieldFault>, field: &str, text: &str| f.push(FieldFault::forbidden(field, text));
        let rule = "resourceVersionMatch";
        if !given.is_empty() {
            if self.resource_version.is_empty() {
                forbid(
                    &mut faults,
                    rule,
                    "resourceVersionMatch is forbidden unless resourceVersion is provided",
                );
            }
            if !self.continue_token.is_empty() {
                forbid(&mut faults, rule, "resourceVersionMatch is forbidden when continue is provided");
            }
            if self.match_rule == MatchRule::Unset {
                faults.push(FieldFault::not_supported(rule, &quoted(given), &["Exact", "NotOlderThan", ""]));
            }
            if self.match_rule == MatchRule::Exact && self.resource_version == "0" {
                forbid(
                    &mut faults,
                    rule,
                    "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
                );
            }
        }
        if self.send_initial_events.is_some() {
            forbid(&mut faults, "sendInitialEvents", "sendInitialEvents is forbidden for list");
        }
        faults
    }

    fn watch_faults(&self, given: &str) -> Vec<FieldFault> {
        let mut faults = Vec::new();
        let rule = "resourceVersionMatch";
        let mut forbid = |text: &str| faults.push(FieldFault::forbidden(rule, text));
        if self.send_initial_events.is_some() && given.is_empty() {
            forbid("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
        }
        if given.is_empty() {
            return faults;
        }
        if self.send_initial_events.is_none() {
            forbid("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
        }
        if !self.continue_token.is_empty() {
            forbid("resourceVersionMatch is forbidden when continue is provided");
        }
        if self.match_rule != MatchRule::NotOlderThan {
            faults.push(FieldFault::not_supported(rule, &quoted(given), &["NotOlderThan"]));
        }
        faults
    }
}

fn quoted(text: &str) -> String {
    kube::json::go_quote(text)
}

fn number(q: &Query, name: &str) -> Result<Option<i64>, ApiError> {
    match q.get(name) {
        None | Some("") => Ok(None),
        Some(v) => v.parse().map(Some).map_err(|_| {
            let why = if v.trim_start_matches(['-', '+']).bytes().all(|b| b.is_ascii_digit()) && v.len() > 1 {
                "value out of range"
            } else {
                "invalid syntax"
            };
            ApiError::bad_request(format!("strconv.ParseInt: parsing {}: {why}", quoted(v)))
        }),
    }
}

/// `fieldValidation`.
pub use kube::codec::json::FieldValidation;

/// Options of create, update and patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteQuery {
    /// Everything but the write.
    pub dry_run: bool,
    /// Name of the field manager; empty for the User-Agent's.
    pub field_manager: String,
    /// How unknown fields are met.
    pub field_validation: FieldValidation,
    /// `force` of an apply patch.
    pub force: bool,
}

impl WriteQuery {
    /// Reads and validates; `kind` is `CreateOptions`, `UpdateOptions` or `PatchOptions`.
    pub fn parse(q: &Query, kind: &str) -> Result<WriteQuery, ApiError> {
        let mut faults = Vec::new();
        let dry: Vec<&str> = q.all("dryRun").filter(|v| !v.is_empty()).collect();
        if let Some(fault) = dry_run_fault(&dry) {
            faults.push(fault);
        }
        let manager = q.text("fieldManager");
        if manager.len() > 128 {
            faults.push(FieldFault {
                field: "fieldManager".into(),
                reason: "FieldValueTooLong".into(),
                body: "Too long: may not be more than 128 bytes".into(),
            });
        }
        if manager.chars().any(char::is_control) {
            let text = "should only contain printable characters".to_owned();
            faults.push(FieldFault::invalid("fieldManager", &quoted(manager), &text));
        }
        let field_validation = match q.text("fieldValidation") {
            "" | "Warn" => FieldValidation::Warn,
            "Ignore" => FieldValidation::Ignore,
            "Strict" => FieldValidation::Strict,
            other => {
                let supported = ["", "Ignore", "Strict", "Warn"];
                faults.push(FieldFault::not_supported("fieldValidation", &quoted(other), &supported));
                FieldValidation::Warn
            }
        };
        if !faults.is_empty() {
            return Err(ApiError::invalid("meta.k8s.io", kind, "", &faults));
        }
        Ok(WriteQuery {
            dry_run: !dry.is_empty(),
            field_manager: manager.to_owned(),
            field_validation,
            force: q.flag("force"),
        })
    }
}

/// Only `All` is a dry run.
pub fn dry_run_fault(given: &[&str]) -> Option<FieldFault> {
    if given.iter().all(|v| *v == "All") {
        return None;
    }
    let list: Vec<String> = given.iter().map(|v| quoted(v)).collect();
    Some(FieldFault::not_supported("dryRun", &format!("[{}]", list.join(",")), &["All"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(q: &str, watch: bool) -> String {
        ListQuery::parse(&Query::parse(q), watch).err().map(|e| e.message).unwrap_or_default()
    }

    #[test]
    fn list_option_errors() {
        let p = "ListOptions.meta.k8s.io \"\" is invalid: ";
        for (q, watch, text) in [
            (
                "resourceVersionMatch=Exact",
                false,
                "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
            ),
            (
                "resourceVersionMatch=foo&resourceVersion=1",
                false,
                "resourceVersionMatch: Unsupported value: \"foo\": supported values: \"Exact\", \"NotOlderThan\", \"\"",
            ),
            (
                "resourceVersionMatch=Exact&resourceVersion=0",
                false,
                "resourceVersionMatch: Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
            ),
            (
                "sendInitialEvents=true",
                false,
                "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list",
            ),
            (
                "resourceVersionMatch=NotOlderThan",
                true,
                "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
            ),
            (
                "sendInitialEvents=true",
                true,
                "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
            ),
            (
                "sendInitialEvents=true&resourceVersionMatch=Exact",
                true,
                "resourceVersionMatch: Unsupported value: \"Exact\": supported values: \"NotOlderThan\"",
            ),
        ] {
            assert_eq!(list(q, watch), format!("{p}{text}"), "{q}");
        }
        assert_eq!(list("limit=x", false), "strconv.ParseInt: parsing \"x\": invalid syntax");
    }

    #[test]
    fn write_option_errors() {
        let e = WriteQuery::parse(&Query::parse("dryRun=x&fieldValidation=y"), "CreateOptions").unwrap_err();
        assert_eq!(
            e.message,
            "CreateOptions.meta.k8s.io \"\" is invalid: [dryRun: Unsupported value: [\"x\"]: supported values: \"All\", fieldValidation: Unsupported value: \"y\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"]"
        );
    }

    #[test]
    fn a_watch_without_version_gets_initial_events() {
        let q = ListQuery::parse(&Query::parse("watch=1"), true).unwrap();
        assert_eq!((q.send_initial_events, q.match_rule), (Some(true), MatchRule::NotOlderThan));
    }
}

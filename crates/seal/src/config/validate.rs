//! The rules of `EncryptionConfiguration`, in the original's order and words.

use super::{ConfigError, EncryptionConfiguration, Key, KmsConfiguration, ProviderConfiguration};
use crate::GroupResource;
use base64::Engine;
use kube::json::{Json, Map};
use std::collections::BTreeSet;

/// Collects `field: text` errors.
#[derive(Default)]
struct Errors(Vec<String>);

impl Errors {
    fn required(&mut self, field: &str, detail: &str) {
        self.0.push(format!("{field}: Required value: {detail}"));
    }

    /// `value` as the original prints it: strings quoted, other values as JSON.
    fn invalid(&mut self, field: &str, value: Json, detail: &str) {
        let shown = match &value {
            Json::Str(s) => kube::json::go_quote(s),
            other => other.to_text(),
        };
        self.0.push(format!("{field}: Invalid value: {shown}: {detail}"));
    }
}

pub(super) fn configuration(config: &EncryptionConfiguration, reload: bool) -> Result<(), ConfigError> {
    let mut errors = Errors::default();
    if config.resources.is_empty() {
        errors.required("resources", "at least one resources is required");
    }
    let mut kms_names = BTreeSet::new();
    for (i, entry) in config.resources.iter().enumerate() {
        let (r, p) = (format!("resources[{i}].resources"), format!("resources[{i}].providers"));
        if entry.resources.is_empty() {
            errors.required(&r, &format!("at least one {r} is required"));
        }
        overlap(&entry.resources, &r, &mut errors);
        names(&entry.resources, &r, &mut errors);
        if entry.providers.is_empty() {
            errors.required(&p, &format!("at least one {p} is required"));
        }
        for (j, provider) in entry.providers.iter().enumerate() {
            let path = format!("{p}[{j}]");
            single(provider, &path, &mut errors);
            if let Some(c) = &provider.kms {
                kms(c, &format!("{path}.kms"), &kms_names, reload, &mut errors);
                kms_names.insert(c.name.clone());
            } else if let Some(k) = &provider.aesgcm {
                keys(k, &format!("{path}.aesgcm.keys"), &[16, 24, 32], &mut errors);
            } else if let Some(k) = &provider.aescbc {
                keys(k, &format!("{path}.aescbc.keys"), &[16, 24, 32], &mut errors);
            } else if let Some(k) = &provider.secretbox {
                keys(k, &format!("{path}.secretbox.keys"), &[32], &mut errors);
            }
        }
    }
    let mut list: Vec<String> = Vec::new();
    for e in errors.0 {
        if !list.contains(&e) {
            list.push(e);
        }
    }
    match list.len() {
        0 => Ok(()),
        1 => Err(ConfigError::new(list.remove(0))),
        _ => Err(ConfigError::new(format!("[{}]", list.join(", ")))),
    }
}

fn overlap(resources: &[String], field: &str, errors: &mut Errors) {
    let parsed: Vec<GroupResource> = resources.iter().map(|r| GroupResource::parse(r)).collect();
    let (mut duplicate, mut overlap) = (false, false);
    for (i, a) in parsed.iter().enumerate() {
        for (j, b) in parsed.iter().enumerate() {
            if i == j {
                continue;
            }
            if a == b && !duplicate {
                duplicate = true;
                continue;
            }
            let any = a.group == "*" && a.resource == "*";
            overlap |= any || a.group == b.group && (a.resource == "*" || b.resource == "*");
        }
    }
    let shown = || Json::Arr(resources.iter().map(|r| Json::Str(r.clone())).collect());
    if duplicate {
        errors.invalid(field, shown(), "the same resource cannot be specified multiple times");
    }
    if overlap {
        errors.invalid(
            field,
            shown(),
            "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they \
             will be masked",
        );
    }
}

fn names(resources: &[String], field: &str, errors: &mut Errors) {
    for (j, name) in resources.iter().enumerate() {
        let gr = GroupResource::parse(name);
        let text = if name.to_lowercase() != *name {
            "resource name should not contain capital letters"
        } else if name == "*" {
            "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources"
        } else if ["apiserveripinfo", "serviceipallocations", "servicenodeportallocations"]
            .contains(&name.as_str())
        {
            "resources which do not have REST API/s cannot be encrypted"
        } else if gr.group == "events.k8s.io" {
            "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the \
             config file"
        } else if gr.group == "extensions" {
            "'extensions' group has been removed and cannot be used for encryption"
        } else if gr.group == "*" && gr.resource != "*" {
            "encrypting the same resource across groups is not supported"
        } else {
            continue;
        };
        errors.invalid(&format!("{field}[{j}]"), Json::Str(name.clone()), text);
    }
}

fn single(provider: &ProviderConfiguration, field: &str, errors: &mut Errors) {
    let set = [
        provider.kms.is_some(),
        provider.aesgcm.is_some(),
        provider.aescbc.is_some(),
        provider.secretbox.is_some(),
        provider.identity,
    ];
    let text = match set.into_iter().filter(|s| *s).count() {
        0 => {
            "provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity"
        }
        1 => return,
        _ => {
            "more than one provider specified in a single element, should split into different list elements"
        }
    };
    // The original prints its internal struct: member order and names are that struct's.
    let member = |keys: &Option<Vec<Key>>| keys.as_deref().map_or("null".to_owned(), keys_text);
    let kms = provider.kms.as_ref().map_or("null".to_owned(), |c| {
        format!(
            "{{\"APIVersion\":{},\"Name\":{},\"CacheSize\":{},\"Endpoint\":{},\"Timeout\":{}}}",
            Json::Str(c.api_version.clone()).to_text(),
            Json::Str(c.name.clone()).to_text(),
            c.cache_size.map_or("null".to_owned(), |n| n.to_string()),
            Json::Str(c.endpoint.clone()).to_text(),
            Json::Str(c.timeout.clone()).to_text(),
        )
    });
    errors.0.push(format!(
        "{field}: Invalid value: {{\"AESGCM\":{},\"AESCBC\":{},\"Secretbox\":{},\"Identity\":{},\"KMS\":{kms}}}: {text}",
        member(&provider.aesgcm),
        member(&provider.aescbc),
        member(&provider.secretbox),
        if provider.identity { "{}" } else { "null" },
    ));
}

fn keys_text(keys: &[Key]) -> String {
    if keys.is_empty() {
        return "{\"Keys\":null}".to_owned();
    }
    let text = |k: &Key| {
        let members = [("Name", &k.name), ("Secret", &k.secret)];
        let map: Map = members.into_iter().map(|(n, v)| (n.to_owned(), Json::Str(v.clone()))).collect();
        Json::Obj(map).to_text()
    };
    format!("{{\"Keys\":[{}]}}", keys.iter().map(text).collect::<Vec<_>>().join(","))
}

fn keys(keys: &[Key], field: &str, lengths: &[usize], errors: &mut Errors) {
    if keys.is_empty() {
        errors.required(field, "at least one keys is required");
    }
    for (i, key) in keys.iter().enumerate() {
        if key.name.is_empty() {
            errors.required(&format!("{field}[{i}].name"), "name is a mandatory field for a key");
        }
        let field = format!("{field}[{i}].secret");
        if key.secret.is_empty() {
            errors.required(&field, "secret is a mandatory field for a key");
            continue;
        }
        let redacted = || Json::Str("REDACTED".to_owned());
        // Go's decoder skips line breaks inside the text.
        let text: String = key.secret.chars().filter(|c| *c != '\n' && *c != '\r').collect();
        match base64::engine::general_purpose::STANDARD.decode(text) {
            Err(_) => errors.invalid(&field, redacted(), "secrets must be base64 encoded"),
            Ok(secret) if !lengths.contains(&secret.len()) => {
                let expected: Vec<String> = lengths.iter().map(usize::to_string).collect();
                errors.invalid(
                    &field,
                    redacted(),
                    &format!(
                        "secret is not of the expected length, got {}, expected one of [{}]",
                        secret.len(),
                        expected.join(" ")
                    ),
                );
            }
            Ok(_) => {}
        }
    }
}

fn kms(c: &KmsConfiguration, path: &str, names: &BTreeSet<String>, reload: bool, errors: &mut Errors) {
    let text = |s: &str| Json::Str(s.to_owned());
    let field = format!("{path}.name");
    if c.name.is_empty() {
        errors.required(&field, "name is a mandatory field for a provider");
    }
    if c.api_version != "v1" && c.name.contains(':') {
        let detail = format!("invalid KMS provider name {}, must not contain ':'", c.name);
        errors.invalid(&field, text(&c.name), &detail);
    }
    if (reload || c.api_version != "v1") && names.contains(&c.name) {
        let detail = format!("duplicate KMS provider name {}, names must be unique", c.name);
        errors.invalid(&field, text(&c.name), &detail);
    }
    if c.timeout_nanos <= 0 {
        errors.invalid(&format!("{path}.timeout"), text(&c.timeout), "timeout should be a positive value");
    }
    let field = format!("{path}.endpoint");
    let scheme = c.endpoint.split_once(':').map_or("", |(s, _)| s);
    if c.endpoint.is_empty() {
        errors.invalid(&field, text(""), "endpoint is a mandatory field for a kms");
    } else if scheme != "unix" {
        let detail = format!("unsupported scheme {scheme:?} for KMS provider, only unix is supported");
        errors.invalid(&field, text(&c.endpoint), &detail);
    }
    let field = format!("{path}.cachesize");
    match c.cache_size {
        Some(n) if c.api_version != "v1" => {
            errors.invalid(&field, Json::Int(n), "cachesize is not supported in v2");
        }
        Some(0) => {
            let detail = "cachesize should be a positive value, or negative to disable";
            errors.invalid(&field, Json::Int(0), detail);
        }
        _ => {}
    }
    if c.api_version != "v1" && c.api_version != "v2" {
        errors.invalid(
            &format!("{path}.apiVersion"),
            text(&c.api_version),
            "unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported",
        );
    }
}

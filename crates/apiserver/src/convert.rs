//! Conversion between versions of one kind: Events of two groups, autoscaling v1 and v2, and kinds whose versions differ
//! only in name. Every other kind has one version.

use kube::catalog::Gvk;
use kube::json::Json;
use kube::object::{Struct, Value};

/// The object in the version `to`. Fields that `to` has under the same name are kept.
pub fn to_version(s: Struct, to: &Gvk) -> Struct {
    let from = s.gvk();
    if from == *to {
        return s;
    }
    match (from.group.as_str(), to.group.as_str(), from.kind.as_str()) {
        ("", "events.k8s.io", "Event") => event_to_events(&s, to),
        ("events.k8s.io", "", "Event") => event_to_core(&s, to),
        ("autoscaling", "autoscaling", "HorizontalPodAutoscaler") => {
            if to.version == "v2" {
                hpa_to_v2(&s, to)
            } else {
                hpa_to_v1(&s, to)
            }
        }
        ("apiextensions.k8s.io", "apiextensions.k8s.io", "CustomResourceDefinition") => {
            if to.version == "v1beta1" { crd_to_v1beta1(&s, to) } else { crd_to_v1(&s, to) }
        }
        _ => renamed(s, to),
    }
}

/// The same content under another version.
fn renamed(s: Struct, to: &Gvk) -> Struct {
    let Some(mut out) = Struct::of_kind(to) else { return s };
    if out.type_id() == s.type_id() {
        let mut s = s;
        s.set_gvk(to);
        return s;
    }
    let json = kube::codec::json::encode(&s);
    let decoded = kube::codec::json::decode(to, &json, kube::codec::json::FieldValidation::Ignore);
    if let Ok((d, _)) = decoded {
        out = d;
    }
    out.set_gvk(to);
    out
}

fn copy(from: &Struct, to: &mut Struct, pairs: &[(&str, &str)]) {
    for (a, b) in pairs {
        if let Some(v) = from.at(a) {
            to.set_at(b, v.clone());
        }
    }
}

/// core/v1 name, events.k8s.io/v1 name.
const EVENT_FIELDS: &[(&str, &str)] = &[
    ("metadata", "metadata"),
    ("involvedObject", "regarding"),
    ("related", "related"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reason", "reason"),
    ("type", "type"),
    ("eventTime", "eventTime"),
    ("series.count", "series.count"),
    ("series.lastObservedTime", "series.lastObservedTime"),
    ("action", "action"),
    ("reportingComponent", "reportingController"),
    ("reportingInstance", "reportingInstance"),
];

fn event_to_events(s: &Struct, to: &Gvk) -> Struct {
    let mut out = Struct::of_kind(to).unwrap_or_else(|| s.clone());
    copy(s, &mut out, EVENT_FIELDS);
    out
}

fn event_to_core(s: &Struct, to: &Gvk) -> Struct {
    let mut out = Struct::of_kind(to).unwrap_or_else(|| s.clone());
    let pairs: Vec<(&str, &str)> = EVENT_FIELDS.iter().map(|(a, b)| (*b, *a)).collect();
    copy(s, &mut out, &pairs);
    out
}

fn hpa_to_v2(s: &Struct, to: &Gvk) -> Struct {
    let mut out = Struct::of_kind(to).unwrap_or_else(|| s.clone());
    copy(
        s,
        &mut out,
        &[
            ("metadata", "metadata"),
            ("spec.scaleTargetRef", "spec.scaleTargetRef"),
            ("spec.minReplicas", "spec.minReplicas"),
            ("spec.maxReplicas", "spec.maxReplicas"),
            ("status.observedGeneration", "status.observedGeneration"),
            ("status.lastScaleTime", "status.lastScaleTime"),
            ("status.currentReplicas", "status.currentReplicas"),
            ("status.desiredReplicas", "status.desiredReplicas"),
        ],
    );
    if let Some(percent) = s.int_at("spec.targetCPUUtilizationPercentage") {
        out.set_at(
            "spec.metrics",
            Json::Arr(vec![cpu_metric("target", "averageUtilization", percent, true)]),
        );
    }
    if let Some(percent) = s.int_at("status.currentCPUUtilizationPercentage") {
        let m = cpu_metric("current", "averageUtilization", percent, false);
        out.set_at("status.currentMetrics", Json::Arr(vec![m]));
    }
    out
}

fn cpu_metric(side: &str, field: &str, percent: i64, typed: bool) -> Json {
    let mut value = Json::obj();
    value.set_at(field, Json::Int(percent));
    if typed {
        value.set_at("type", Json::Str("Utilization".into()));
    }
    let mut metric = Json::obj();
    metric.set_at("type", Json::Str("Resource".into()));
    metric.set_at("resource.name", Json::Str("cpu".into()));
    metric.set_at(&format!("resource.{side}"), value);
    metric
}

fn hpa_to_v1(s: &Struct, to: &Gvk) -> Struct {
    let mut out = Struct::of_kind(to).unwrap_or_else(|| s.clone());
    copy(
        s,
        &mut out,
        &[
            ("metadata", "metadata"),
            ("spec.scaleTargetRef", "spec.scaleTargetRef"),
            ("spec.minReplicas", "spec.minReplicas"),
            ("spec.maxReplicas", "spec.maxReplicas"),
            ("status.observedGeneration", "status.observedGeneration"),
            ("status.lastScaleTime", "status.lastScaleTime"),
            ("status.currentReplicas", "status.currentReplicas"),
            ("status.desiredReplicas", "status.desiredReplicas"),
        ],
    );
    for (list, side, into) in [
        ("spec.metrics", "target", "spec.targetCPUUtilizationPercentage"),
        ("status.currentMetrics", "current", "status.currentCPUUtilizationPercentage"),
    ] {
        let percent = s
            .structs_at(list)
            .find(|m| m.str_at("type") == "Resource" && m.str_at("resource.name") == "cpu")
            .and_then(|m| m.int_at(&format!("resource.{side}.averageUtilization")));
        if let Some(p) = percent {
            out.set_at(into, p);
        }
    }
    out
}

/// Members of a version that stand at the top in v1beta1 when all versions agree: top-level name, name in a version.
const CRD_SHARED: &[(&str, &str)] = &[
    ("validation", "schema"),
    ("subresources", "subresources"),
    ("additionalPrinterColumns", "additionalPrinterColumns"),
    ("selectableFields", "selectableFields"),
];

fn crd_to_v1beta1(s: &Struct, to: &Gvk) -> Struct {
    let mut json = kube::codec::json::encode(s);
    json.set_at("apiVersion", Json::Str(to.api_version()));
    let versions: Vec<Json> = json.items_at("spec.versions").to_vec();
    if let Some(first) = versions.first() {
        json.set_at("spec.version", Json::Str(first.str_at("name").to_owned()));
        let same = |name: &str| versions.iter().all(|v| v.get(name) == first.get(name));
        if CRD_SHARED.iter().all(|(_, n)| same(n)) {
            for (top, name) in CRD_SHARED {
                if let Some(v) = first.get(name) {
                    json.set_at(&format!("spec.{top}"), v.clone());
                }
            }
            let stripped = versions.into_iter().map(|mut v| {
                for (_, name) in CRD_SHARED {
                    v.remove_at(name);
                }
                v
            });
            let stripped = Json::Arr(stripped.collect());
            json.set_at("spec.versions", stripped);
        }
    }
    json.set_at(
        "spec.preserveUnknownFields",
        Json::Bool(json.bool_at("spec.preserveUnknownFields").unwrap_or(false)),
    );
    if let Some(hook) = json.at("spec.conversion.webhook").cloned() {
        json.remove_at("spec.conversion.webhook");
        if let Some(c) = hook.get("clientConfig") {
            json.set_at("spec.conversion.webhookClientConfig", c.clone());
        }
        if let Some(v) = hook.get("conversionReviewVersions") {
            json.set_at("spec.conversion.conversionReviewVersions", v.clone());
        }
    }
    from_json(&json, to, s)
}

fn crd_to_v1(s: &Struct, to: &Gvk) -> Struct {
    let mut json = kube::codec::json::encode(s);
    json.set_at("apiVersion", Json::Str(to.api_version()));
    let mut versions: Vec<Json> = json.items_at("spec.versions").to_vec();
    for (top, name) in CRD_SHARED {
        let Some(v) = json.remove_at(&format!("spec.{top}")) else { continue };
        for version in &mut versions {
            if version.get(name).is_none() {
                version.set_at(name, v.clone());
            }
        }
    }
    json.set_at("spec.versions", Json::Arr(versions));
    json.remove_at("spec.version");
    if json.bool_at("spec.preserveUnknownFields") == Some(false) {
        json.remove_at("spec.preserveUnknownFields");
    }
    for (old, new) in [
        ("spec.conversion.webhookClientConfig", "spec.conversion.webhook.clientConfig"),
        ("spec.conversion.conversionReviewVersions", "spec.conversion.webhook.conversionReviewVersions"),
    ] {
        if let Some(v) = json.remove_at(old) {
            json.set_at(new, v);
        }
    }
    from_json(&json, to, s)
}

fn from_json(json: &Json, to: &Gvk, fallback: &Struct) -> Struct {
    match kube::codec::json::decode(to, json, kube::codec::json::FieldValidation::Ignore) {
        Ok((mut out, _)) => {
            out.set_gvk(to);
            out
        }
        Err(_) => fallback.clone(),
    }
}

/// Whether a value is set and not empty.
pub fn filled(v: Option<&Value>) -> bool {
    match v {
        None | Some(Value::Null) => false,
        Some(Value::Str(s)) => !s.is_empty(),
        Some(Value::List(l)) => !l.is_empty(),
        Some(Value::Map(m)) => !m.is_empty(),
        Some(Value::Struct(s)) => !s.is_empty(),
        Some(_) => true,
    }
}

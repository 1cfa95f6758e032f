use super::*;
use crate::json;

fn pod() -> Struct {
    Struct::of_kind(&Gvk::new("", "v1", "Pod")).unwrap()
}

#[test]
fn zero_values_read_as_in_go() {
    let p = pod();
    assert_eq!(p.bool_at("spec.hostNetwork"), Some(false));
    assert_eq!(p.str_at("spec.nodeName"), "");
    assert_eq!(p.int_at("spec.priority"), None);
    assert_eq!(p.int_at("metadata.generation"), Some(0));
    assert!(p.list_at("spec.containers").is_empty());
    assert!(!p.has("spec"));
    assert!(p.at("spec.nosuch").is_none());
}

#[test]
fn set_makes_what_is_on_the_way() {
    let mut p = pod();
    assert!(p.set_at("spec.containers[0].name", "c"));
    assert!(p.set_at("spec.containers[0].resources.limits[\"example.com/x\"]", "1500m"));
    assert!(p.set_at("spec.containers[0].livenessProbe.httpGet.port", 80));
    assert!(p.set_at("spec.volumes[0].configMap.name", "cm"));
    assert!(p.set_at("metadata.labels[\"a.b/c\"]", "d"));
    assert!(p.set_at("metadata.creationTimestamp", "2026-01-01T00:00:00Z"));
    assert!(p.set_at("spec.tolerations", json!([{"key": "k", "tolerationSeconds": 3}])));
    assert!(!p.set_at("spec.containers[0].image.x", "c"));
    assert!(!p.set_at("spec.containers[7].name", "c"));
    assert!(!p.set_at("spec.priority", "high"));
    assert!(!p.set_at("spec.priority", 5_000_000_000i64));
    assert_eq!(
        String::from_utf8(crate::codec::json::to_text(&p)).unwrap(),
        r#"{"kind":"Pod","apiVersion":"v1","metadata":{"creationTimestamp":"2026-01-01T00:00:00Z","labels":{"a.b/c":"d"}},"spec":{"volumes":[{"name":"","configMap":{"name":"cm"}}],"containers":[{"name":"c","resources":{"limits":{"example.com/x":"1500m"}},"livenessProbe":{"httpGet":{"port":80}}}],"tolerations":[{"key":"k","tolerationSeconds":3}]},"status":{}}"#
    );
    assert_eq!(p.structs_at("spec.containers").map(|c| c.str_at("name")).collect::<Vec<_>>(), ["c"]);
    assert_eq!(p.labels()["a.b/c"], "d");
    assert!(p.remove_at("metadata.labels[\"a.b/c\"]").is_some());
    assert!(p.remove_at("spec.containers[0].livenessProbe").is_some());
    assert!(p.remove_at("spec.containers[0]").is_some());
    assert!(p.remove_at("spec.containers[0]").is_none());
}

#[test]
fn equality_is_semantic() {
    let (mut a, b) = (pod(), pod());
    a.ensure_struct("spec.securityContext");
    assert_ne!(a, b, "a pointer to an empty struct is not nil");
    a.remove_at("spec.securityContext");
    a.ensure_struct("status");
    a.ensure_list("spec.containers");
    a.set_at("spec.hostNetwork", false);
    assert_eq!(a, b);
    a.set_at("spec.priority", 0);
    assert_ne!(a, b);
    assert_eq!(std::mem::size_of::<Value>(), if cfg!(target_pointer_width = "64") { 32 } else { 24 });
}

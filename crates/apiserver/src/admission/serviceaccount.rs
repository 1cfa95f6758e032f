//! ServiceAccount: a Pod without an account gets `default` and, unless that is switched off, the token volume.

use super::{Attributes, Verb, find};
use crate::errors::ApiError;
use crate::object::Object;
use crate::server::Server;
use kube::json::Json;
use kube::object::{Struct, Value};
use sim::Ctx;
use std::rc::Rc;

const MOUNT_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
const MIRROR: &str = "kubernetes.io/config.mirror";

fn applies(a: &Attributes) -> bool {
    a.core("pods") && a.subresource.is_empty() && a.verb == Verb::Create
}

pub(super) async fn mutate(
    server: &Rc<Server>,
    ctx: Option<Ctx>,
    a: &Attributes,
    obj: &mut Object,
) -> Result<(), ApiError> {
    let Object::Typed(pod) = obj else { return Ok(()) };
    if !applies(a) || pod.annotations().contains_key(MIRROR) {
        return Ok(());
    }
    if pod.str_at("spec.serviceAccountName").is_empty() {
        pod.set_at("spec.serviceAccountName", "default");
    }
    let name = pod.str_at("spec.serviceAccountName").to_owned();
    pod.set_at("spec.serviceAccount", name.as_str());
    let account = account(server, ctx, a, &name).await?;
    if pod.list_at("spec.imagePullSecrets").is_empty() {
        let secrets: Vec<Struct> =
            account.typed().into_iter().flat_map(|s| s.structs_at("imagePullSecrets")).cloned().collect();
        if !secrets.is_empty() {
            pod.set_at("spec.imagePullSecrets", secrets);
        }
    }
    let wanted = pod
        .bool_at("spec.automountServiceAccountToken")
        .or_else(|| account.typed().and_then(|s| s.bool_at("automountServiceAccountToken")))
        .unwrap_or(true);
    if wanted {
        mount_token(server, pod);
    }
    Ok(())
}

async fn account(
    server: &Rc<Server>,
    ctx: Option<Ctx>,
    a: &Attributes,
    name: &str,
) -> Result<Rc<Object>, ApiError> {
    find(server, ctx, "", "serviceaccounts", &a.namespace, name).await.ok_or_else(|| {
        let why = format!(
            "error looking up service account {}/{name}: serviceaccount {name:?} not found",
            a.namespace
        );
        ApiError::forbidden("", "pods", &a.name, &why)
    })
}

fn mount_token(server: &Rc<Server>, pod: &mut Struct) {
    let mut volume = None;
    for v in pod.structs_at("spec.volumes") {
        if v.str_at("name").starts_with("kube-api-access-") {
            volume = Some(v.str_at("name").to_owned());
        }
    }
    let known = volume.is_some();
    let volume = volume.unwrap_or_else(|| format!("kube-api-access-{}", server.env.name_suffix()));
    let mut needed = false;
    for list in ["spec.initContainers", "spec.containers"] {
        let count = pod.list_at(list).len();
        for i in 0..count {
            let path = format!("{list}[{i}].volumeMounts");
            let taken = pod.structs_at(&path).any(|m| m.str_at("mountPath") == MOUNT_PATH);
            if taken {
                continue;
            }
            needed = true;
            if let Some(mut mount) = Struct::named("core/v1.VolumeMount") {
                mount.set("name", volume.as_str());
                mount.set("readOnly", true);
                mount.set("mountPath", MOUNT_PATH);
                pod.push_at(&path, mount);
            }
        }
    }
    if needed && !known {
        let text = format!(
            r#"{{"name":"{volume}","projected":{{"sources":[{{"serviceAccountToken":{{"expirationSeconds":3607,"path":"token"}}}},{{"configMap":{{"name":"kube-root-ca.crt","items":[{{"key":"ca.crt","path":"ca.crt"}}]}}}},{{"downwardAPI":{{"items":[{{"path":"namespace","fieldRef":{{"apiVersion":"v1","fieldPath":"metadata.namespace"}}}}]}}}}],"defaultMode":420}}}}"#
        );
        let json = Json::parse(text.as_bytes()).unwrap_or_default();
        let mut volumes: Vec<Value> = pod.list_at("spec.volumes").to_vec();
        if let Some(kind) = pod.struct_at("spec").and_then(|s| s.field("volumes")).map(|f| &f.kind)
            && let Some(elem) = kind.elem()
            && let Ok(v) = kube::codec::json::decode_kind(elem, &json)
        {
            volumes.push(v);
            pod.set_at("spec.volumes", volumes);
        }
    }
}

pub(super) async fn validate(
    server: &Rc<Server>,
    ctx: Option<Ctx>,
    a: &Attributes,
    obj: &Object,
) -> Result<(), ApiError> {
    let Object::Typed(pod) = obj else { return Ok(()) };
    if !applies(a) {
        return Ok(());
    }
    if pod.annotations().contains_key(MIRROR) {
        if !pod.str_at("spec.serviceAccountName").is_empty() {
            return Err(ApiError::forbidden(
                "",
                "pods",
                &a.name,
                "a mirror pod may not reference service accounts",
            ));
        }
        return Ok(());
    }
    account(server, ctx, a, pod.str_at("spec.serviceAccountName")).await.map(|_| ())
}

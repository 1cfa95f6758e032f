//! Strict decoding: unknown fields are collected and refused, wrong types stop at the first one, defaults are filled in.

use super::{EncryptionConfiguration, Key, KmsConfiguration, ProviderConfiguration, ResourceConfiguration};
use kube::json::{Json, Map};

/// Why decoding ended.
pub(super) enum ReadError {
    /// Another kind that the original's scheme knows.
    OtherKind(String),
    /// Anything else.
    Decode(String),
}

const GROUP_VERSION: &str = "apiserver.config.k8s.io/v1";
/// Name of the scheme in the original's error texts: where it is made.
const SCHEME: &str = "k8s.io/apiserver/pkg/server/options/encryptionconfig/config.go:142";

struct Reader {
    unknown: Vec<String>,
}

type Read<T> = Result<T, String>;

pub(super) fn configuration(json: &Json, text: &[u8]) -> Result<EncryptionConfiguration, ReadError> {
    let decode = ReadError::Decode;
    let Json::Obj(map) = json else {
        let found = json.kind_name();
        return Err(decode(format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go value of type struct \
             {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}"
        )));
    };
    let named = |name: &str| map.get(name).and_then(Json::as_str).unwrap_or("");
    let (kind, version) = (named("kind"), named("apiVersion"));
    let shown = String::from_utf8_lossy(text);
    if kind.is_empty() {
        return Err(decode(format!("Object 'Kind' is missing in '{shown}'")));
    }
    if version.is_empty() {
        return Err(decode(format!("Object 'apiVersion' is missing in '{shown}'")));
    }
    match (version, kind) {
        (GROUP_VERSION, "EncryptionConfiguration") | ("v1", "EncryptionConfig") => {}
        (
            GROUP_VERSION,
            "AdmissionConfiguration"
            | "AuthenticationConfiguration"
            | "AuthorizationConfiguration"
            | "TracingConfiguration",
        ) => return Err(ReadError::OtherKind(format!("{GROUP_VERSION}, Kind={kind}"))),
        _ => {
            return Err(decode(format!(
                "no kind {kind:?} is registered for version {version:?} in scheme {SCHEME:?}"
            )));
        }
    }
    let mut reader = Reader { unknown: Vec::new() };
    let config = reader.root(map).map_err(decode)?;
    if reader.unknown.is_empty() {
        return Ok(config);
    }
    let list: Vec<String> = reader.unknown.iter().map(|p| format!("unknown field {p:?}")).collect();
    Err(decode(format!("strict decoding error: {}", list.join(", "))))
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// `json.Unmarshal`'s text for a wrong type.
fn wrong(found: &Json, place: &str, wanted: &str) -> String {
    format!("json: cannot unmarshal {} into Go struct field {place} of type {wanted}", found.kind_name())
}

fn string(value: &Json, place: &str) -> Read<String> {
    match value {
        Json::Null => Ok(String::new()),
        Json::Str(s) => Ok(s.clone()),
        other => Err(wrong(other, place, "string")),
    }
}

fn object<'a>(value: &'a Json, place: &str, wanted: &str) -> Read<Option<&'a Map>> {
    match value {
        Json::Null => Ok(None),
        Json::Obj(m) => Ok(Some(m)),
        other => Err(wrong(other, place, wanted)),
    }
}

fn list<'a>(value: &'a Json, place: &str, wanted: &str) -> Read<&'a [Json]> {
    match value {
        Json::Null => Ok(&[]),
        Json::Arr(items) => Ok(items),
        other => Err(wrong(other, place, wanted)),
    }
}

impl Reader {
    fn unknown(&mut self, path: &str, name: &str) {
        self.unknown.push(join(path, name));
    }

    fn root(&mut self, map: &Map) -> Read<EncryptionConfiguration> {
        let mut out = EncryptionConfiguration::default();
        for (name, value) in map {
            match name.as_str() {
                "kind" | "apiVersion" => {}
                "resources" => {
                    let place = "EncryptionConfiguration.resources";
                    for (i, item) in list(value, place, "[]v1.ResourceConfiguration")?.iter().enumerate() {
                        let Some(m) = object(item, place, "v1.ResourceConfiguration")? else {
                            out.resources.push(ResourceConfiguration::default());
                            continue;
                        };
                        out.resources.push(self.resource(m, &format!("resources[{i}]"))?);
                    }
                }
                other => self.unknown("", other),
            }
        }
        Ok(out)
    }

    fn resource(&mut self, map: &Map, path: &str) -> Read<ResourceConfiguration> {
        let mut out = ResourceConfiguration::default();
        for (name, value) in map {
            match name.as_str() {
                "resources" => {
                    let place = "ResourceConfiguration.resources.resources";
                    for item in list(value, place, "[]string")? {
                        out.resources.push(string(item, place)?);
                    }
                }
                "providers" => {
                    let place = "ResourceConfiguration.resources.providers";
                    for (i, item) in list(value, place, "[]v1.ProviderConfiguration")?.iter().enumerate() {
                        let provider = match object(item, place, "v1.ProviderConfiguration")? {
                            Some(m) => self.provider(m, &format!("{path}.providers[{i}]"))?,
                            None => ProviderConfiguration::default(),
                        };
                        out.providers.push(provider);
                    }
                }
                other => self.unknown(path, other),
            }
        }
        Ok(out)
    }

    fn provider(&mut self, map: &Map, path: &str) -> Read<ProviderConfiguration> {
        let mut out = ProviderConfiguration::default();
        for (name, value) in map {
            let place = format!("ProviderConfiguration.resources.providers.{name}");
            let here = join(path, name);
            match name.as_str() {
                "aesgcm" => out.aesgcm = self.keys(value, &place, &here, "v1.AESConfiguration")?,
                "aescbc" => out.aescbc = self.keys(value, &place, &here, "v1.AESConfiguration")?,
                "secretbox" => {
                    out.secretbox = self.keys(value, &place, &here, "v1.SecretboxConfiguration")?
                }
                "identity" => {
                    if let Some(m) = object(value, &place, "v1.IdentityConfiguration")? {
                        out.identity = true;
                        m.keys().for_each(|k| self.unknown(&here, k));
                    }
                }
                "kms" => {
                    if let Some(m) = object(value, &place, "v1.KMSConfiguration")? {
                        out.kms = Some(self.kms(m, &here)?);
                    }
                }
                other => self.unknown(path, other),
            }
        }
        Ok(out)
    }

    fn keys(&mut self, value: &Json, place: &str, path: &str, wanted: &str) -> Read<Option<Vec<Key>>> {
        let Some(map) = object(value, place, wanted)? else { return Ok(None) };
        let mut keys = Vec::new();
        for (name, value) in map {
            if name != "keys" {
                self.unknown(path, name);
                continue;
            }
            let place = format!("{place}.keys");
            for (i, item) in list(value, &place, "[]v1.Key")?.iter().enumerate() {
                let mut key = Key::default();
                if let Some(m) = object(item, &place, "v1.Key")? {
                    for (name, value) in m {
                        match name.as_str() {
                            "name" => key.name = string(value, &format!("Key.{place}.name"))?,
                            "secret" => key.secret = string(value, &format!("Key.{place}.secret"))?,
                            other => self.unknown(&format!("{path}.keys[{i}]"), other),
                        }
                    }
                }
                keys.push(key);
            }
        }
        Ok(Some(keys))
    }

    fn kms(&mut self, map: &Map, path: &str) -> Read<KmsConfiguration> {
        let mut out =
            KmsConfiguration { timeout: "3s".into(), timeout_nanos: 3_000_000_000, ..Default::default() };
        for (name, value) in map {
            let place = format!("KMSConfiguration.resources.providers.kms.{name}");
            match name.as_str() {
                "apiVersion" => out.api_version = string(value, &place)?,
                "name" => out.name = string(value, &place)?,
                "endpoint" => out.endpoint = string(value, &place)?,
                "cachesize" => match value {
                    Json::Null => {}
                    Json::Int(n) if i32::try_from(*n).is_ok() => out.cache_size = Some(*n),
                    other => return Err(wrong(other, &place, "int32")),
                },
                "timeout" => match value {
                    Json::Null => {}
                    Json::Str(s) => {
                        out.timeout_nanos =
                            duration(s).ok_or_else(|| format!("time: invalid duration {s:?}"))?;
                        out.timeout = s.clone();
                    }
                    other => {
                        return Err(format!(
                            "json: cannot unmarshal {} into Go value of type string",
                            other.kind_name()
                        ));
                    }
                },
                other => self.unknown(path, other),
            }
        }
        if out.api_version.is_empty() {
            out.api_version = "v1".into();
        }
        if out.api_version == "v1" && out.cache_size.is_none() {
            out.cache_size = Some(1000);
        }
        Ok(out)
    }
}

/// Go's `time.ParseDuration`, in nanoseconds.
fn duration(text: &str) -> Option<i64> {
    let (sign, mut rest) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut total: i64 = 0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let number = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (digits, after) = rest.split_at(number);
        let unit_len = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, next) = after.split_at(unit_len);
        let scale: i64 = match unit {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
            return None;
        }
        let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        total = total.checked_add(whole.checked_mul(scale)?)?;
        let mut place = scale;
        for d in fraction.bytes() {
            place /= 10;
            total = total.checked_add(place * i64::from(d - b'0'))?;
        }
        rest = next;
    }
    Some(sign * total)
}

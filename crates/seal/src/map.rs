//! From a configuration to the transformer of each resource: exact name, then the group's wildcard, then `*.*`.

use crate::chain::{Element, Transformer};
use crate::cipher::{AesCbc, AesGcmKey, Cipher, SecretBox};
use crate::config::{ConfigError, EncryptionConfiguration, Key, Provider, ProviderConfiguration};
use base64::Engine;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

/// A resource of a group, as a configuration names it (`secrets`, `deployments.apps`, `*.`, `*.*`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupResource {
    /// Empty for the core group.
    pub group: String,
    /// Plural name, or `*`.
    pub resource: String,
}

impl GroupResource {
    /// Splits at the first dot.
    pub fn parse(text: &str) -> GroupResource {
        let (resource, group) = text.split_once('.').unwrap_or((text, ""));
        GroupResource { group: group.to_owned(), resource: resource.to_owned() }
    }

    fn any_of(group: &str) -> GroupResource {
        GroupResource { group: group.to_owned(), resource: "*".to_owned() }
    }
}

impl fmt::Display for GroupResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.group.as_str(), self.resource.as_str()) {
            ("", "*") => f.write_str("*."),
            ("", r) => f.write_str(r),
            (g, r) => write!(f, "{r}.{g}"),
        }
    }
}

/// The transformers of every resource a configuration names.
#[derive(Clone, Default)]
pub struct TransformerMap(BTreeMap<GroupResource, Transformer>);

impl TransformerMap {
    /// No configuration: every resource has the bare identity transformer.
    pub fn none() -> TransformerMap {
        TransformerMap::default()
    }

    /// Builds the transformers. Errors begin with `error while building transformers: `.
    pub fn build(config: &EncryptionConfiguration) -> Result<TransformerMap, ConfigError> {
        let mut lists: BTreeMap<GroupResource, Vec<Rc<Element>>> = BTreeMap::new();
        for entry in &config.resources {
            let elements = entry
                .providers
                .iter()
                .map(|p| element(p).map(Rc::new))
                .collect::<Result<Vec<_>, _>>()
                .map_err(|e| ConfigError::new(format!("error while building transformers: {e}")))?;
            for name in &entry.resources {
                let gr = GroupResource::parse(name);
                for rule in [GroupResource::any_of(&gr.group), GroupResource::any_of("*")] {
                    if lists.contains_key(&rule) {
                        return Err(ConfigError::new(format!(
                            "error while building transformers: resource {:?} is masked by earlier rule {:?}",
                            gr.to_string(),
                            rule.to_string()
                        )));
                    }
                }
                lists.entry(gr).or_default().extend(elements.iter().cloned());
            }
        }
        Ok(TransformerMap(lists.into_iter().map(|(gr, list)| (gr, Transformer::chain(list))).collect()))
    }

    /// The transformer of `resource` (plural) in `group`.
    pub fn lookup(&self, group: &str, resource: &str) -> Transformer {
        let exact = GroupResource { group: group.to_owned(), resource: resource.to_owned() };
        [exact, GroupResource::any_of(group), GroupResource::any_of("*")]
            .iter()
            .find_map(|gr| self.0.get(gr))
            .cloned()
            .unwrap_or_else(Transformer::identity)
    }

    /// The names the configuration has, with their transformers, in order of group and resource.
    pub fn entries(&self) -> impl Iterator<Item = (&GroupResource, &Transformer)> {
        self.0.iter()
    }
}

fn element(provider: &ProviderConfiguration) -> Result<Element, String> {
    match provider.single() {
        Some(Provider::Identity) => Ok(Element::Identity),
        Some(Provider::AesCbc(keys)) => Ok(Element::Keyed {
            prefix: "k8s:enc:aescbc:v1:",
            keys: ciphers(keys, |k| AesCbc::new(k).map(|c| Cipher::AesCbc(Box::new(c))))?,
            no_match: "no matching key was found for the provided AES transformer",
        }),
        Some(Provider::AesGcm(keys)) => Ok(Element::Keyed {
            prefix: "k8s:enc:aesgcm:v1:",
            keys: ciphers(keys, |k| AesGcmKey::new(k).map(Cipher::AesGcm))?,
            no_match: "no matching key was found for the provided AES transformer",
        }),
        Some(Provider::Secretbox(keys)) => Ok(Element::Keyed {
            prefix: "k8s:enc:secretbox:v1:",
            keys: ciphers(keys, |k| SecretBox::new(k).map(Cipher::SecretBox))?,
            no_match: "no matching key was found for the provided Secretbox transformer",
        }),
        Some(Provider::Kms(c)) if c.api_version == "v1" => Err("KMSv1 is deprecated and will only receive security \
            updates going forward. Use KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 \
            feature."
            .to_owned()),
        Some(Provider::Kms(_)) => Err("not modelled here: kms".to_owned()),
        None => Err("provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, \
            Identity"
            .to_owned()),
    }
}

fn ciphers(keys: &[Key], make: impl Fn(&[u8]) -> Option<Cipher>) -> Result<Vec<(String, Cipher)>, String> {
    keys.iter()
        .map(|key| {
            let secret = base64::engine::general_purpose::STANDARD
                .decode(&key.secret)
                .map_err(|_| format!("could not obtain secret for named key {}", key.name))?;
            let cipher = make(&secret).ok_or_else(|| {
                format!(
                    "error while creating cipher for named key {}: crypto/aes: invalid key size {}",
                    key.name,
                    secret.len()
                )
            })?;
            Ok((format!("{}:", key.name), cipher))
        })
        .collect()
}

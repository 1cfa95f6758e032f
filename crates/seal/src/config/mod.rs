//! `EncryptionConfiguration`: the file that `--encryption-provider-config` names, decoded strictly and validated, with the
//! error texts at which the original refuses to start.

mod read;
mod validate;

use kube::json::Json;

/// Why a configuration is refused; the text is the original's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(String);

impl ConfigError {
    pub(crate) fn new(text: impl Into<String>) -> ConfigError {
        ConfigError(text.into())
    }
}

/// The whole configuration (`apiserver.config.k8s.io/v1`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EncryptionConfiguration {
    /// In file order; the order matters for masking and for lists that are joined.
    pub resources: Vec<ResourceConfiguration>,
}

/// Which resources are sealed by which providers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceConfiguration {
    /// `secrets`, `deployments.apps`, `*.apps`, `*.` (core group), `*.*`.
    pub resources: Vec<String>,
    /// The first one writes, all read.
    pub providers: Vec<ProviderConfiguration>,
}

/// One element of a provider list; exactly one member may be set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderConfiguration {
    /// AES-GCM keys.
    pub aesgcm: Option<Vec<Key>>,
    /// AES-CBC keys.
    pub aescbc: Option<Vec<Key>>,
    /// XSalsa20-Poly1305 keys.
    pub secretbox: Option<Vec<Key>>,
    /// Plaintext.
    pub identity: bool,
    /// A plugin; decoded and validated, not modelled further.
    pub kms: Option<KmsConfiguration>,
}

/// The one member that is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider<'a> {
    /// Plaintext.
    Identity,
    /// AES-CBC with these keys.
    AesCbc(&'a [Key]),
    /// AES-GCM with these keys.
    AesGcm(&'a [Key]),
    /// Secretbox with these keys.
    Secretbox(&'a [Key]),
    /// A plugin.
    Kms(&'a KmsConfiguration),
}

impl ProviderConfiguration {
    /// The member that is set; `None` if there is none.
    pub fn single(&self) -> Option<Provider<'_>> {
        if let Some(c) = &self.kms {
            return Some(Provider::Kms(c));
        }
        self.aesgcm
            .as_deref()
            .map(Provider::AesGcm)
            .or_else(|| self.aescbc.as_deref().map(Provider::AesCbc))
            .or_else(|| self.secretbox.as_deref().map(Provider::Secretbox))
            .or_else(|| self.identity.then_some(Provider::Identity))
    }
}

/// A named key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Key {
    /// Part of every value written with it.
    pub name: String,
    /// Base64, standard alphabet, padded.
    pub secret: String,
}

/// A KMS plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KmsConfiguration {
    /// `v1` (the default) or `v2`.
    pub api_version: String,
    /// Name of the provider.
    pub name: String,
    /// Only v1; 1000 by default.
    pub cache_size: Option<i64>,
    /// `unix://…`
    pub endpoint: String,
    /// As written; `3s` by default.
    pub timeout: String,
    /// The same in nanoseconds.
    pub timeout_nanos: i64,
}

impl EncryptionConfiguration {
    /// Reads and validates the file at `path`; `content` is `None` if there is no such file. `reload` is
    /// `--encryption-provider-config-automatic-reload`. Errors begin with `error while parsing file: `.
    pub fn load(
        path: &str,
        content: Option<&[u8]>,
        reload: bool,
    ) -> Result<EncryptionConfiguration, ConfigError> {
        let wrap = |text: String| ConfigError::new(format!("error while parsing file: {text}"));
        let content = match content {
            None => {
                return Err(wrap(format!(
                    "error while loading file: error reading encryption provider configuration file {path:?}: open \
                     {path}: no such file or directory"
                )));
            }
            Some([]) => {
                return Err(wrap(format!(
                    "error while loading file: encryption provider configuration file {path:?} is empty"
                )));
            }
            Some(c) => c,
        };
        let decoding =
            |text: String| format!("error decoding encryption provider configuration file {path:?}: {text}");
        let json = kube::yaml::to_json(content)
            .map_err(|e| wrap(decoding(format!("couldn't get version/kind; json parse error: {e}"))))?;
        let config = Self::from_json(&json, content).map_err(|e| match e {
            read::ReadError::OtherKind(gvk) => wrap(format!("got unexpected config type: {gvk}")),
            read::ReadError::Decode(text) => wrap(decoding(text)),
        })?;
        config.validate(reload).map_err(|e| wrap(e.to_string()))?;
        Ok(config)
    }

    fn from_json(json: &Json, text: &[u8]) -> Result<EncryptionConfiguration, read::ReadError> {
        read::configuration(json, text)
    }

    /// Checks the rules of the type; several errors are joined as `[a, b]`.
    pub fn validate(&self, reload: bool) -> Result<(), ConfigError> {
        validate::configuration(self, reload)
    }
}

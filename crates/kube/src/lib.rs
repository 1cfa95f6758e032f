//! API machinery: catalogue of kinds, schema, codecs, defaulting, validation, patch.

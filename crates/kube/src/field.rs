//! Field errors as `k8s.io/apimachinery/pkg/util/validation/field` has them: type, path, bad value, detail, and the
//! texts they make: `spec.containers[0].image: Required value`.

use crate::json::{Json, go_quote};
use crate::object::{Struct, Value};
use std::fmt;

/// A path in an object, for messages: `spec.containers[0].image`, `metadata.annotations[key]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(String);

impl Path {
    /// `field.NewPath`
    pub fn new(name: &str) -> Path {
        Path(name.to_string())
    }
    /// `<path>.name`; on an empty path just `name`.
    pub fn child(&self, name: &str) -> Path {
        if self.0.is_empty() { Path::new(name) } else { Path(format!("{}.{name}", self.0)) }
    }
    /// `<path>[3]`
    pub fn index(&self, i: usize) -> Path {
        Path(format!("{}[{i}]", self.0))
    }
    /// `<path>[key]`
    pub fn key(&self, key: &str) -> Path {
        Path(format!("{}[{key}]", self.0))
    }
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorType {
    NotFound,
    Required,
    Duplicate,
    Invalid,
    NotSupported,
    Forbidden,
    TooLong,
    TooMany,
    TooFew,
    Internal,
    TypeInvalid,
    TooShort,
}

impl ErrorType {
    /// The text in messages.
    pub fn text(self) -> &'static str {
        match self {
            ErrorType::NotFound => "Not found",
            ErrorType::Required => "Required value",
            ErrorType::Duplicate => "Duplicate value",
            ErrorType::Invalid | ErrorType::TypeInvalid => "Invalid value",
            ErrorType::NotSupported => "Unsupported value",
            ErrorType::Forbidden => "Forbidden",
            ErrorType::TooLong => "Too long",
            ErrorType::TooMany => "Too many",
            ErrorType::TooFew => "Too few",
            ErrorType::Internal => "Internal error",
            ErrorType::TooShort => "Too short",
        }
    }
    /// The cause's `reason` in a Status.
    pub fn reason(self) -> &'static str {
        match self {
            ErrorType::NotFound => "FieldValueNotFound",
            ErrorType::Required => "FieldValueRequired",
            ErrorType::Duplicate => "FieldValueDuplicate",
            ErrorType::Invalid => "FieldValueInvalid",
            ErrorType::NotSupported => "FieldValueNotSupported",
            ErrorType::Forbidden => "FieldValueForbidden",
            ErrorType::TooLong => "FieldValueTooLong",
            ErrorType::TooMany => "FieldValueTooMany",
            ErrorType::TooFew => "FieldValueTooFew",
            ErrorType::Internal => "InternalError",
            ErrorType::TypeInvalid => "FieldValueTypeInvalid",
            ErrorType::TooShort => "FieldValueTooShort",
        }
    }
}

/// The value a message shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadValue {
    /// not shown
    Omit,
    /// shown in Go quotes
    Str(String),
    /// shown as it is: numbers, booleans, JSON
    Raw(String),
}

impl From<&str> for BadValue {
    fn from(s: &str) -> BadValue {
        BadValue::Str(s.to_string())
    }
}
impl From<&String> for BadValue {
    fn from(s: &String) -> BadValue {
        BadValue::Str(s.clone())
    }
}
impl From<String> for BadValue {
    fn from(s: String) -> BadValue {
        BadValue::Str(s)
    }
}
impl From<i64> for BadValue {
    fn from(i: i64) -> BadValue {
        BadValue::Raw(i.to_string())
    }
}
impl From<bool> for BadValue {
    fn from(b: bool) -> BadValue {
        BadValue::Raw(b.to_string())
    }
}
impl From<&Json> for BadValue {
    fn from(j: &Json) -> BadValue {
        match j {
            Json::Str(s) => BadValue::Str(s.clone()),
            j => BadValue::Raw(j.to_text()),
        }
    }
}
impl From<&Struct> for BadValue {
    fn from(s: &Struct) -> BadValue {
        BadValue::Raw(String::from_utf8_lossy(&crate::codec::json::to_text(s)).into_owned())
    }
}
impl From<Option<&Value>> for BadValue {
    /// nil prints `null`
    fn from(v: Option<&Value>) -> BadValue {
        match v {
            None => BadValue::Raw("null".into()),
            Some(v) => BadValue::from(v),
        }
    }
}
impl From<&Value> for BadValue {
    fn from(v: &Value) -> BadValue {
        match v {
            Value::Str(s) => BadValue::Str(s.clone()),
            v => BadValue::Raw(crate::codec::json::value_text(v)),
        }
    }
}

/// One problem of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    pub error_type: ErrorType,
    pub field: String,
    pub bad_value: BadValue,
    pub detail: String,
}

impl FieldError {
    fn make(
        error_type: ErrorType,
        path: &Path,
        bad_value: BadValue,
        detail: impl Into<String>,
    ) -> FieldError {
        FieldError { error_type, field: path.0.clone(), bad_value, detail: detail.into() }
    }
    pub fn required(path: &Path, detail: impl Into<String>) -> FieldError {
        FieldError::make(ErrorType::Required, path, BadValue::Omit, detail)
    }
    pub fn invalid(path: &Path, value: impl Into<BadValue>, detail: impl Into<String>) -> FieldError {
        FieldError::make(ErrorType::Invalid, path, value.into(), detail)
    }
    pub fn type_invalid(path: &Path, value: impl Into<BadValue>, detail: impl Into<String>) -> FieldError {
        FieldError::make(ErrorType::TypeInvalid, path, value.into(), detail)
    }
    pub fn not_found(path: &Path, value: impl Into<BadValue>) -> FieldError {
        FieldError::make(ErrorType::NotFound, path, value.into(), "")
    }
    pub fn duplicate(path: &Path, value: impl Into<BadValue>) -> FieldError {
        FieldError::make(ErrorType::Duplicate, path, value.into(), "")
    }
    pub fn forbidden(path: &Path, detail: impl Into<String>) -> FieldError {
        FieldError::make(ErrorType::Forbidden, path, BadValue::Omit, detail)
    }
    /// `supported values: "A", "B"` in the order given.
    pub fn not_supported(path: &Path, value: impl Into<BadValue>, valid: &[&str]) -> FieldError {
        let list = valid.iter().map(|v| go_quote(v)).collect::<Vec<_>>().join(", ");
        let detail = if valid.is_empty() { String::new() } else { format!("supported values: {list}") };
        FieldError::make(ErrorType::NotSupported, path, value.into(), detail)
    }
    /// In bytes; a negative limit is unknown.
    pub fn too_long(path: &Path, max: i64) -> FieldError {
        FieldError::make(ErrorType::TooLong, path, BadValue::Omit, at_most(max, "byte", "value is too long"))
    }
    pub fn too_long_characters(path: &Path, max: i64) -> FieldError {
        FieldError::make(
            ErrorType::TooLong,
            path,
            BadValue::Omit,
            at_most(max, "character", "value is too long"),
        )
    }
    pub fn too_short(path: &Path, min: i64) -> FieldError {
        let detail = match min {
            1 => "must be at least 1 character".into(),
            n if n >= 0 => format!("must be at least {n} characters"),
            _ => "value is too short".to_string(),
        };
        FieldError::make(ErrorType::TooShort, path, BadValue::Omit, detail)
    }
    /// A negative quantity is not shown.
    pub fn too_many(path: &Path, actual: i64, max: i64) -> FieldError {
        let detail = match max {
            1 => "must have at most 1 item".into(),
            n if n >= 0 => format!("must have at most {n} items"),
            _ => "has too many items".to_string(),
        };
        let actual = if actual >= 0 { actual.into() } else { BadValue::Omit };
        FieldError::make(ErrorType::TooMany, path, actual, detail)
    }
    pub fn internal(path: &Path, error: impl Into<String>) -> FieldError {
        FieldError::make(ErrorType::Internal, path, BadValue::Omit, error)
    }

    /// The message without the field: `Invalid value: "x": must be …`.
    pub fn body(&self) -> String {
        let mut s = self.error_type.text().to_string();
        let shown = !matches!(
            self.error_type,
            ErrorType::Required
                | ErrorType::Forbidden
                | ErrorType::TooLong
                | ErrorType::TooShort
                | ErrorType::Internal
        );
        match &self.bad_value {
            BadValue::Str(v) if shown => s = format!("{s}: {}", go_quote(v)),
            BadValue::Raw(v) if shown => s = format!("{s}: {v}"),
            _ => {}
        }
        if self.detail.is_empty() { s } else { format!("{s}: {}", self.detail) }
    }
}

fn at_most(max: i64, unit: &str, unknown: &str) -> String {
    match max {
        1 => format!("may not be more than 1 {unit}"),
        n if n >= 0 => format!("may not be more than {n} {unit}s"),
        _ => unknown.into(),
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.body())
    }
}

/// `ErrorList.ToAggregate().Error()`: one error as it is, several different ones in brackets.
pub fn aggregate(errors: &[FieldError]) -> String {
    let mut seen: Vec<String> = Vec::new();
    for e in errors {
        let t = e.to_string();
        if !seen.contains(&t) {
            seen.push(t);
        }
    }
    if seen.len() == 1 { seen.remove(0) } else { format!("[{}]", seen.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let p = Path::new("spec").child("containers").index(0);
        assert_eq!(
            FieldError::required(&p.child("image"), "").to_string(),
            "spec.containers[0].image: Required value"
        );
        assert_eq!(
            FieldError::invalid(&p.child("name"), "B_d", "no").to_string(),
            "spec.containers[0].name: Invalid value: \"B_d\": no"
        );
        assert_eq!(
            FieldError::not_supported(&p.child("imagePullPolicy"), "x", &["Always", "Never"]).to_string(),
            "spec.containers[0].imagePullPolicy: Unsupported value: \"x\": supported values: \"Always\", \"Never\""
        );
        assert_eq!(
            FieldError::too_long(&Path::default(), 1_048_576).to_string(),
            ": Too long: may not be more than 1048576 bytes"
        );
        assert_eq!(FieldError::invalid(&p, 3i64, "x").to_string(), "spec.containers[0]: Invalid value: 3: x");
        let two =
            [FieldError::required(&p, ""), FieldError::duplicate(&p, "a"), FieldError::required(&p, "")];
        assert_eq!(
            aggregate(&two),
            "[spec.containers[0]: Required value, spec.containers[0]: Duplicate value: \"a\"]"
        );
        assert_eq!(aggregate(&two[..1]), "spec.containers[0]: Required value");
    }
}

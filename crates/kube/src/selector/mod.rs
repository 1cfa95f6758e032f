//! Label and field selectors (`k8s.io/apimachinery/pkg/labels` and `fields`).

pub mod fields;
pub mod labels;

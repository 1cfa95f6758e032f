//! What the page looks at, and what it asks while someone types. None of this changes the world.

use serde::{Deserialize, Serialize};

use crate::window::{WindowId, WindowSpec};
use crate::{TermId, TraceId};

/// Commands that only look.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum View {
    /// Opens a window, or changes what an open one shows; its content is sent at once.
    Subscribe {
        id: WindowId,
        spec: WindowSpec,
    },
    Unsubscribe {
        id: WindowId,
    },
    /// Which request stepping, the now bar and the pipeline are about.
    Follow(Follow),
    /// Stations at which any request that matches pauses the world (stepping aside).
    Breakpoints(Vec<Breakpoint>),
    /// Reads an editor's text as the API server would; answered by [`crate::Event::Diagnostics`].
    Check {
        ask: u32,
        text: String,
        form: Form,
    },
    /// Fields that may stand at byte `at` of a manifest; answered by [`crate::Event::Suggestions`].
    Suggest {
        ask: u32,
        text: String,
        at: u32,
    },
    /// Words that may stand at byte `at` of a terminal's line; answered by [`crate::Event::Completions`].
    Complete {
        ask: u32,
        term: TermId,
        line: String,
        at: u32,
    },
}

/// Which request is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Follow {
    Nothing,
    Trace(TraceId),
    /// The next write that this terminal's commands cause.
    NextWrite(TermId),
}

/// A stop for every request that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breakpoint {
    /// As in [`crate::window::Stop::station`].
    pub station: String,
    /// Only this request.
    pub trace: Option<TraceId>,
}

/// What a text is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// Kubernetes objects, YAML or JSON, one or more documents.
    Manifest,
    /// An EncryptionConfiguration.
    Encryption,
    /// Any YAML.
    Yaml,
}

/// One thing wrong with a text, in the original's words. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    pub severity: Severity,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Severity {
    Error,
    Warning,
}

/// A word that may stand at the cursor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    pub text: String,
    /// A type or a short note in the originals' words, e.g. `[]Container`; may be empty.
    pub detail: String,
}

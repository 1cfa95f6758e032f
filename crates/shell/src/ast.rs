//! What a line means, before any of it is expanded.

use std::cell::RefCell;
use std::rc::Rc;

/// A piece of a word.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Plain text; may hold glob characters.
    Text(String),
    /// Quoted text: never split, never a pattern.
    Quoted(String),
    /// `"…"`.
    Double(Vec<Part>),
    /// `$name` and `${name…}`.
    Param(Param),
    /// `$(…)`.
    Command(List),
    /// `$((…))`.
    Arith(Vec<Part>),
    /// `{a,b}` and `{1..3}`: alternatives.
    Brace(Vec<Word>),
}

/// `${name op word}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Variable, or one of `? # @ * $ ! 0…9`.
    pub name: String,
    /// `${#name}`.
    pub length: bool,
    /// `:-`, `-`, `:=`, `:+`, `+`, `:?`, `%`, `%%`, `#`, `##`, `/`, `//`, `:`; empty for none.
    pub op: String,
    /// The operator's word.
    pub word: Word,
    /// The replacement of `/`.
    pub with: Word,
}

/// A word: its pieces, joined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Word(pub Vec<Part>);

/// A redirection.
#[derive(Clone, Debug, PartialEq)]
pub struct Redirect {
    /// The descriptor it is about: 0, 1, 2; -1 for `&>`.
    pub fd: i32,
    /// What it does.
    pub kind: RedirectKind,
}

/// See [`Redirect`].
#[derive(Clone, Debug, PartialEq)]
pub enum RedirectKind {
    /// `< file`
    Read(Word),
    /// `> file`
    Write(Word),
    /// `>> file`
    Append(Word),
    /// `2>&1`
    Duplicate(Word),
    /// `<<END`; the body is read after the line that holds it.
    Here(Rc<RefCell<Word>>),
    /// `<<< word`
    HereString(Word),
}

/// A command with its redirections.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// What is run.
    pub kind: CommandKind,
    /// In the order written.
    pub redirects: Vec<Redirect>,
}

/// See [`Command`].
#[derive(Clone, Debug, PartialEq)]
pub enum CommandKind {
    /// `A=1 name words…`
    Simple { assigns: Vec<(String, Word)>, words: Vec<Word> },
    /// `{ … }`
    Group(List),
    /// `( … )`
    Subshell(List),
    /// `if … then … elif … else … fi`: conditions with bodies, and the last body.
    If { arms: Vec<(List, List)>, otherwise: Option<List> },
    /// `while`, `until`.
    While { until: bool, condition: List, body: List },
    /// `for name in words; do … done`; without `in`, the arguments.
    For { name: String, words: Option<Vec<Word>>, body: List },
    /// `case word in pattern) … ;; esac`
    Case { word: Word, arms: Vec<(Vec<Word>, List)> },
    /// `name() { … }`
    Function { name: String, body: Rc<Command> },
    /// `[[ … ]]`
    Test(Vec<Word>),
    /// `(( … ))`
    Arith(Word),
}

/// Commands joined by `|`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// `! …`
    pub negate: bool,
    /// At least one.
    pub commands: Vec<Command>,
}

/// Pipelines joined by `&&` (true) and `||` (false).
#[derive(Clone, Debug, PartialEq)]
pub struct AndOr {
    /// The first.
    pub first: Pipeline,
    /// The rest, each with what joins it.
    pub rest: Vec<(bool, Pipeline)>,
    /// `… &`
    pub background: bool,
}

/// Commands one after the other.
pub type List = Vec<AndOr>;

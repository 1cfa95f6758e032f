//! A shell's variables, functions and options. A subshell works on a copy.

use crate::ast::Command;
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Clone, Debug, Default)]
pub(crate) struct Var {
    pub(crate) value: String,
    pub(crate) exported: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) vars: BTreeMap<String, Var>,
    pub(crate) functions: BTreeMap<String, Rc<Command>>,
    pub(crate) aliases: BTreeMap<String, String>,
    pub(crate) cwd: String,
    /// `$0`, then `$1` …
    pub(crate) name: String,
    pub(crate) args: Vec<String>,
    /// `$?`
    pub(crate) status: i32,
    pub(crate) errexit: bool,
    pub(crate) xtrace: bool,
    pub(crate) nounset: bool,
    pub(crate) pipefail: bool,
    /// Values that `local` hides, one map per function call.
    pub(crate) locals: Vec<BTreeMap<String, Option<Var>>>,
    pub(crate) last_background: u32,
    pub(crate) exit_trap: Option<String>,
    /// How deep functions and scripts call each other.
    pub(crate) calls: u32,
}

impl State {
    pub(crate) fn new() -> State {
        let mut s = State {
            vars: BTreeMap::new(),
            functions: BTreeMap::new(),
            aliases: BTreeMap::new(),
            cwd: "/root".to_owned(),
            name: "bash".to_owned(),
            args: Vec::new(),
            status: 0,
            errexit: false,
            xtrace: false,
            nounset: false,
            pipefail: false,
            locals: Vec::new(),
            last_background: 0,
            exit_trap: None,
            calls: 0,
        };
        for (k, v) in
            [("HOME", "/root"), ("PATH", "/usr/local/bin:/usr/bin:/bin"), ("PWD", "/root"), ("USER", "root")]
        {
            s.export(k, v);
        }
        s
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(|v| v.value.as_str())
    }

    pub(crate) fn set(&mut self, name: &str, value: impl Into<String>) {
        self.vars.entry(name.to_owned()).or_default().value = value.into();
    }

    pub(crate) fn export(&mut self, name: &str, value: &str) {
        self.vars.insert(name.to_owned(), Var { value: value.to_owned(), exported: true });
    }

    pub(crate) fn environment(&self) -> BTreeMap<String, String> {
        self.vars.iter().filter(|(_, v)| v.exported).map(|(k, v)| (k.clone(), v.value.clone())).collect()
    }
}

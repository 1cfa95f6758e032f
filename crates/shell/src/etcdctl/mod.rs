//! `etcdctl` 3.6: the commands, their flags, outputs, messages and exit codes.
//!
//! Exit codes (pkg/cobrautl): 0 done, 1 an error of the server or of cobra, 2 connection, 3 invalid input, 4 an unsupported
//! format or option value, 5 interrupted, 128 bad arguments.

mod flags;
mod format;
mod kv;
mod lease;
mod maintenance;
mod member;
mod txn;
mod watch;

use crate::tools::command;
use crate::{Cmd, Commands, Ran};
use flags::{Flags, Spec};
use format::Format;
use sim::{Ctx, Duration};
use wire::rpc::{Code, Status};

/// Registers `etcdctl`.
pub fn register(c: &mut Commands) {
    c.insert("etcdctl", command!(etcdctl));
}

pub(crate) const GENERIC: i32 = 1;
pub(crate) const CONNECTION: i32 = 2;
pub(crate) const INVALID_INPUT: i32 = 3;
pub(crate) const UNSUPPORTED: i32 = 4;
pub(crate) const INTERRUPTED: i32 = 5;
pub(crate) const BAD_ARGS: i32 = 128;

/// One call of etcdctl: what its commands need.
pub(crate) struct Call {
    pub(crate) cmd: Cmd,
    pub(crate) flags: Flags,
    pub(crate) client: etcd::Client,
    pub(crate) ctx: Option<Ctx>,
}

/// Ends a command with a message and a status.
pub(crate) struct Fail(pub(crate) i32, pub(crate) String);

pub(crate) type Done = Result<i32, Fail>;

impl From<crate::Exit> for Fail {
    fn from(e: crate::Exit) -> Fail {
        Fail(e.0, String::new())
    }
}

/// A server's error as clientv3 words it: etcd's own texts alone, others with their code.
pub(crate) fn error_text(s: &Status) -> String {
    let own = s.message.starts_with("etcdserver: ")
        || s.message.starts_with("auth: ")
        || (s.code == Code::DeadlineExceeded && s.message == "context deadline exceeded");
    if own { s.message.clone() } else { format!("rpc error: code = {} desc = {}", s.code.name(), s.message) }
}

impl From<Status> for Fail {
    fn from(s: Status) -> Fail {
        Fail(GENERIC, error_text(&s))
    }
}

impl Call {
    pub(crate) fn format(&self) -> Format {
        Format::parse(self.flags.get("write-out")).unwrap_or(Format::Simple)
    }

    pub(crate) fn hex(&self) -> bool {
        self.flags.on("hex")
    }

    pub(crate) async fn print(&self, text: impl Into<bytes::Bytes>) -> Result<(), Fail> {
        Ok(self.cmd.out(text).await?)
    }

    pub(crate) fn args(&self) -> &[String] {
        &self.flags.operands
    }
}

/// Commands with their own flags; the words of a command's path are joined by a blank.
const COMMANDS: &[(&str, &[Spec])] = &[
    ("alarm disarm", &[]),
    ("alarm list", &[]),
    ("compaction", &[Spec::flag("physical")]),
    ("defrag", &[Spec::flag("cluster")]),
    ("del", &[Spec::flag("prefix"), Spec::flag("from-key"), Spec::flag("prev-kv"), Spec::flag("range")]),
    ("endpoint hashkv", &[Spec::flag("cluster"), Spec::int("rev", "0")]),
    ("endpoint health", &[Spec::flag("cluster")]),
    ("endpoint status", &[Spec::flag("cluster")]),
    (
        "get",
        &[
            Spec::text("consistency", "l"),
            Spec::text("order", ""),
            Spec::text("sort-by", ""),
            Spec::int("limit", "0"),
            Spec::flag("prefix"),
            Spec::flag("from-key"),
            Spec::int("rev", "0"),
            Spec::flag("keys-only"),
            Spec::flag("count-only"),
            Spec::flag("print-value-only"),
            Spec::int("min-create-rev", "0"),
            Spec::int("max-create-rev", "0"),
            Spec::int("min-mod-rev", "0"),
            Spec::int("max-mod-rev", "0"),
        ],
    ),
    ("lease grant", &[]),
    ("lease keep-alive", &[Spec::flag("once")]),
    ("lease list", &[]),
    ("lease revoke", &[]),
    ("lease timetolive", &[Spec::flag("keys")]),
    ("member list", &[Spec::text("consistency", "l")]),
    ("move-leader", &[]),
    (
        "put",
        &[
            Spec::text("lease", "0"),
            Spec::flag("prev-kv"),
            Spec::flag("ignore-value"),
            Spec::flag("ignore-lease"),
        ],
    ),
    ("txn", &[Spec::flag("interactive").short('i')]),
    ("version", &[]),
    (
        "watch",
        &[
            Spec::flag("interactive").short('i'),
            Spec::flag("prefix"),
            Spec::int("rev", "0"),
            Spec::flag("prev-kv"),
            Spec::flag("progress-notify"),
        ],
    ),
];

/// Commands of the original that are not here.
const NOT_MODELLED: &[&str] =
    &["auth", "check", "completion", "downgrade", "elect", "lock", "make-mirror", "role", "snapshot", "user"];

async fn etcdctl(cmd: Cmd) -> Ran {
    let io = cmd.io.clone();
    match run(cmd).await {
        Ok(s) => Ok(s),
        Err(Fail(s, text)) => {
            if !text.is_empty() {
                io.stderr.write(format!("Error: {text}\n")).await?;
            }
            Ok(s)
        }
    }
}

/// Finds the command: exact words first, then cobra's unique prefixes.
fn find(words: &[String]) -> Result<(&'static str, &'static [Spec], usize), Fail> {
    let Some(first) = words.first() else { return Ok(("help", &[], 0)) };
    let tops: std::collections::BTreeSet<&str> = COMMANDS
        .iter()
        .map(|c| c.0.split(' ').next().unwrap_or(c.0))
        .chain(NOT_MODELLED.iter().copied())
        .chain(["help"])
        .collect();
    let choose = |set: Vec<&'static str>, word: &str| match set.iter().find(|c| **c == word) {
        Some(c) => Some(*c),
        None if set.len() == 1 => Some(set[0]),
        None => None,
    };
    let fitting = tops.iter().copied().filter(|t| t.starts_with(first.as_str())).collect();
    let Some(top) = choose(fitting, first) else {
        let mut text = format!("unknown command \"{first}\" for \"etcdctl\"");
        let near: Vec<&str> = tops
            .iter()
            .copied()
            .filter(|t| distance(t, first) <= 2 || t.to_lowercase().starts_with(&first.to_lowercase()))
            .collect();
        if !near.is_empty() {
            text += "\n\nDid you mean this?\n";
            near.iter().for_each(|n| text += &format!("\t{n}\n"));
        }
        text += "\nRun 'etcdctl --help' for usage.";
        return Err(Fail(GENERIC, text));
    };
    if NOT_MODELLED.contains(&top) {
        return Err(Fail(GENERIC, format!("not modelled here: etcdctl {top}")));
    }
    if let Some((name, spec)) = COMMANDS.iter().find(|c| c.0 == top) {
        return Ok((name, spec, 1));
    }
    let Some(second) = words.get(1) else { return Ok(("help", &[], 1)) };
    let inner = COMMANDS.iter().filter(|c| c.0.split(' ').next() == Some(top)).map(|c| c.0);
    let fitting: Vec<&str> = inner.filter(|c| c[top.len() + 1..].starts_with(second.as_str())).collect();
    let full = format!("{top} {second}");
    match choose(fitting, &full).and_then(|n| COMMANDS.iter().find(|c| c.0 == n)) {
        Some((name, spec)) => Ok((name, spec, 2)),
        None => {
            let others: &[&str] = &["member add", "member promote", "member remove", "member update"];
            if others.contains(&full.as_str()) {
                return Err(Fail(GENERIC, format!("not modelled here: etcdctl {full}")));
            }
            Ok(("help", &[], 2))
        }
    }
}

/// Levenshtein's distance, for cobra's suggestions.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

async fn run(cmd: Cmd) -> Done {
    let words = flags::command_words(&cmd.args);
    let (name, own, used) = find(&words)?;
    if name == "help" {
        let list: Vec<&str> = COMMANDS.iter().map(|c| c.0).collect();
        cmd.out(format!("etcdctl COMMAND [flags], where COMMAND is one of:\n  {}\n", list.join("\n  ")))
            .await?;
        return Ok(0);
    }
    let mut flags = Flags::parse(&cmd.args, own, used)?;
    flags.environment(&cmd.env)?;
    let format = Format::parse(flags.get("write-out"))
        .ok_or_else(|| Fail(UNSUPPORTED, "unsupported output format".to_owned()))?;
    if format == Format::Protobuf {
        return Err(Fail(UNSUPPORTED, "not modelled here: etcdctl -w protobuf".to_owned()));
    }
    tls_files(&cmd, &flags)?;
    let endpoints: Vec<String> = flags.get("endpoints").split(',').map(str::to_owned).collect();
    let mut client = etcd::Client::new(cmd.sim(), cmd.process(), endpoints);
    if !matches!(name, "watch" | "lease keep-alive" | "lease timetolive" | "lease list") {
        client = client
            .with_timeout(flags::duration(flags.get("command-timeout")).unwrap_or(Duration::from_secs(5)));
    }
    let title = format!("etcdctl {name} {}", flags.operands.join(" "));
    let ctx = (name != "version").then(|| cmd.sim().trace().begin(title.trim_end(), "etcdctl"));
    let call = Call { cmd, flags, client, ctx };
    match name {
        "put" => kv::put(&call).await,
        "get" => kv::get(&call).await,
        "del" => kv::del(&call).await,
        "txn" => txn::txn(&call).await,
        "watch" => watch::watch(&call).await,
        "compaction" => maintenance::compaction(&call).await,
        "member list" => member::list(&call).await,
        "endpoint status" => member::status(&call).await,
        "endpoint health" => member::health(&call).await,
        "endpoint hashkv" => member::hashkv(&call).await,
        "lease grant" => lease::grant(&call).await,
        "lease revoke" => lease::revoke(&call).await,
        "lease timetolive" => lease::time_to_live(&call).await,
        "lease list" => lease::list(&call).await,
        "lease keep-alive" => lease::keep_alive(&call).await,
        "alarm list" => maintenance::alarm(&call, false).await,
        "alarm disarm" => maintenance::alarm(&call, true).await,
        "defrag" => maintenance::defrag(&call).await,
        "move-leader" => maintenance::move_leader(&call).await,
        _ => {
            call.print("etcdctl version: 3.6.14\nAPI version: 3.6\n").await?;
            Ok(0)
        }
    }
}

/// TLS is not spoken here, but a certificate that is named must be there, as in life.
fn tls_files(cmd: &Cmd, flags: &Flags) -> Result<(), Fail> {
    for name in ["cert", "key", "cacert"] {
        let path = flags.get(name);
        if !path.is_empty() && cmd.fs().read(&cmd.path(path)).is_err() {
            return Err(Fail(GENERIC, format!("open {path}: no such file or directory")));
        }
    }
    let (cert, key) = (flags.get("cert"), flags.get("key"));
    if cert.is_empty() != key.is_empty() {
        let text = format!("KeyFile and CertFile must both be present[key: {key}, cert: {cert}]");
        return Err(Fail(GENERIC, text));
    }
    Ok(())
}

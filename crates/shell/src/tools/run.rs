//! `sh`, `bash`, `xargs`, `sleep`, `timeout`, `date`: commands that run others, or wait.

use super::{command, options};
use crate::{Cmd, Commands, Input, Io, Ran};
use sim::Duration;

pub(super) fn register(c: &mut Commands) {
    c.insert("sh", command!(sh));
    c.insert("bash", command!(sh));
    c.insert("xargs", command!(xargs));
    c.insert("sleep", command!(sleep));
    c.insert("timeout", command!(timeout));
    c.insert("date", command!(date));
}

async fn sh(cmd: Cmd) -> Ran {
    let (text, name, args) = match cmd.args.as_slice() {
        [c, text, rest @ ..] if c == "-c" => {
            let name = rest.first().cloned().unwrap_or(cmd.name.clone());
            (text.clone(), name, rest.get(1..).unwrap_or_default().to_vec())
        }
        [file, rest @ ..] if !file.starts_with('-') => match cmd.fs().read(&cmd.path(file)) {
            Ok(d) => (String::from_utf8_lossy(&d).into_owned(), file.clone(), rest.to_vec()),
            Err(e) => return cmd.fail(127, &format!("{file}: {e}")).await,
        },
        [] => (
            String::from_utf8_lossy(&cmd.io.stdin.read_all().await).into_owned(),
            cmd.name.clone(),
            Vec::new(),
        ),
        [other, ..] => return cmd.fail(2, &format!("not modelled here: {} {other}", cmd.name)).await,
    };
    Ok(cmd.shell.run_text(&text, &name, args, &cmd.io).await)
}

async fn xargs(cmd: Cmd) -> Ran {
    // Its own flags end where the command begins.
    let mut own = Vec::new();
    let mut it = cmd.args.iter().peekable();
    while let Some(a) = it.next_if(|a| a.starts_with('-')) {
        own.push(a.clone());
        if matches!(a.as_str(), "-n" | "-I" | "-d" | "-L") {
            own.extend(it.next().cloned());
        }
    }
    let command: Vec<String> = it.cloned().collect();
    let inner = Cmd {
        args: own,
        name: cmd.name.clone(),
        env: cmd.env.clone(),
        cwd: cmd.cwd.clone(),
        io: cmd.io.clone(),
        shell: cmd.shell.clone(),
    };
    let o = options!(inner, "r0t", "nIdL", &[("no-run-if-empty", 'r'), ("null", '0')]);
    let input = String::from_utf8_lossy(&cmd.io.stdin.read_all().await).into_owned();
    let items: Vec<String> = match (o.has('0'), o.value('d'), o.value('I')) {
        (true, _, _) => input.split('\0').filter(|s| !s.is_empty()).map(str::to_owned).collect(),
        (_, Some(d), _) => {
            let d = super::escapes(d);
            input.trim_end_matches('\n').split(d.as_str()).map(str::to_owned).collect()
        }
        (_, _, Some(_)) => {
            input.lines().map(|l| l.trim_start().to_owned()).filter(|l| !l.is_empty()).collect()
        }
        _ => input.split_whitespace().map(|w| w.trim_matches(['"', '\'']).to_owned()).collect(),
    };
    if items.is_empty() && o.has('r') {
        return Ok(0);
    }
    let (name, fixed) = command.split_first().map_or(("echo".to_owned(), &[][..]), |(n, r)| (n.clone(), r));
    let io = Io { stdin: Input::empty(), ..cmd.io.clone() };
    let mut runs: Vec<Vec<String>> = Vec::new();
    if let Some(mark) = o.value('I') {
        for i in &items {
            runs.push(fixed.iter().map(|a| a.replace(mark, i)).collect());
        }
    } else {
        let size = o.value('n').or(o.value('L')).and_then(|n| n.parse().ok()).unwrap_or(items.len()).max(1);
        for chunk in items.chunks(size) {
            runs.push(fixed.iter().chain(chunk).cloned().collect());
        }
        if items.is_empty() {
            runs.push(fixed.to_vec());
        }
    }
    let mut status = 0;
    for args in runs {
        match cmd.run(&name, args, &io).await {
            0 => {}
            127 => return Ok(127),
            _ => status = 123,
        }
    }
    Ok(status)
}

/// `1.5`, `2m`, `infinity`.
fn seconds(s: &str) -> Option<Duration> {
    if s == "infinity" || s == "inf" {
        return Some(Duration::from_secs(u64::from(u32::MAX)));
    }
    let (number, scale) = match s.strip_suffix(['s', 'm', 'h', 'd']) {
        Some(n) => {
            (n, [('s', 1.0), ('m', 60.0), ('h', 3600.0), ('d', 86400.0)].iter().find(|u| s.ends_with(u.0))?.1)
        }
        None => (s, 1.0),
    };
    let n: f64 = number.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0)?;
    Some(Duration::from_nanos((n * scale * 1e9).min(4e18) as u64))
}

async fn sleep(cmd: Cmd) -> Ran {
    if cmd.args.is_empty() {
        return cmd.fail(1, "missing operand\nTry 'sleep --help' for more information.").await;
    }
    let mut total = Duration::ZERO;
    for a in &cmd.args {
        let Some(d) = seconds(a) else {
            return cmd
                .fail(1, &format!("invalid time interval ‘{a}’\nTry 'sleep --help' for more information."))
                .await;
        };
        total = total.saturating_add(d);
    }
    cmd.sim().sleep(total).await;
    Ok(0)
}

async fn timeout(cmd: Cmd) -> Ran {
    let args: Vec<String> = cmd.args.iter().skip_while(|a| a.starts_with('-')).cloned().collect();
    let [limit, name, rest @ ..] = args.as_slice() else {
        return cmd.fail(125, "missing operand\nTry 'timeout --help' for more information.").await;
    };
    let Some(d) = seconds(limit) else {
        return cmd
            .fail(
                125,
                &format!("invalid time interval ‘{limit}’\nTry 'timeout --help' for more information."),
            )
            .await;
    };
    let run = cmd.run(name, rest.to_vec(), &cmd.io);
    Ok(cmd.sim().timeout(d, run).await.unwrap_or(124))
}

async fn date(cmd: Cmd) -> Ran {
    const DAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let o = options!(cmd, "uI", "d", &[("utc", 'u'), ("date", 'd'), ("iso-8601", 'I')]);
    let mut nanos = cmd.sim().unix_nanos();
    if let Some(d) = o.value('d') {
        match d.strip_prefix('@').and_then(|s| s.parse::<i64>().ok()) {
            Some(s) => nanos = s.saturating_mul(1_000_000_000),
            None => return cmd.fail(1, &format!("not modelled here: date -d '{d}'")).await,
        }
    }
    let format = o.operands.first().map_or("%a %b %e %H:%M:%S UTC %Y", |f| f.strip_prefix('+').unwrap_or(f));
    let format = if o.has('I') { "%Y-%m-%d" } else { format };
    let (secs, frac) = (nanos.div_euclid(1_000_000_000), nanos.rem_euclid(1_000_000_000));
    let days = secs.div_euclid(86_400);
    let (y, m, d, hour, minute, second) = kube::time::civil(secs);
    let (weekday, month) = (DAYS[days.rem_euclid(7) as usize], MONTHS[m as usize - 1]);
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        out += &match chars.next() {
            Some('Y') => y.to_string(),
            Some('m') => format!("{m:02}"),
            Some('d') => format!("{d:02}"),
            Some('e') => format!("{d:2}"),
            Some('H') => format!("{hour:02}"),
            Some('M') => format!("{minute:02}"),
            Some('S') => format!("{second:02}"),
            Some('N') => format!("{frac:09}"),
            Some('s') => secs.to_string(),
            Some('F') => format!("{y}-{m:02}-{d:02}"),
            Some('T') => format!("{hour:02}:{minute:02}:{second:02}"),
            Some('a') => weekday[..3].to_owned(),
            Some('A') => weekday.to_owned(),
            Some('b' | 'h') => month[..3].to_owned(),
            Some('B') => month.to_owned(),
            Some('Z') => "UTC".to_owned(),
            Some('z') => "+0000".to_owned(),
            Some('n') => "\n".to_owned(),
            Some('%') => "%".to_owned(),
            Some(other) => format!("%{other}"),
            None => "%".to_owned(),
        };
    }
    cmd.io.stdout.line(&out).await?;
    Ok(0)
}

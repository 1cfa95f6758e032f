//! The output formats that commands share: Go's JSON of the responses, `fields`, and tables.

use wire::etcdserverpb::ResponseHeader;
use wire::mvccpb::KeyValue;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Simple,
    Json,
    Fields,
    Table,
    Protobuf,
}

impl Format {
    pub(crate) fn parse(s: &str) -> Option<Format> {
        Some(match s {
            "simple" => Format::Simple,
            "json" => Format::Json,
            "fields" => Format::Fields,
            "table" => Format::Table,
            "protobuf" => Format::Protobuf,
            _ => return None,
        })
    }
}

/// `encoding/json`'s object in the making: members in order, zero values left out where Go's tags say `omitempty`.
#[derive(Default)]
pub(crate) struct Obj(String);

impl Obj {
    pub(crate) fn raw(&mut self, name: &str, json: &str) -> &mut Obj {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        self.0 += &format!("\"{name}\":{json}");
        self
    }
    pub(crate) fn int(&mut self, name: &str, v: i64) -> &mut Obj {
        if v == 0 { self } else { self.raw(name, &v.to_string()) }
    }
    pub(crate) fn uint(&mut self, name: &str, v: u64) -> &mut Obj {
        if v == 0 { self } else { self.raw(name, &v.to_string()) }
    }
    pub(crate) fn bool(&mut self, name: &str, v: bool) -> &mut Obj {
        if v { self.raw(name, "true") } else { self }
    }
    pub(crate) fn text(&mut self, name: &str, v: &str) -> &mut Obj {
        if v.is_empty() { self } else { self.raw(name, &json_string(v)) }
    }
    pub(crate) fn bytes(&mut self, name: &str, v: &[u8]) -> &mut Obj {
        if v.is_empty() { self } else { self.raw(name, &format!("\"{}\"", kube::codec::base64_encode(v))) }
    }
    pub(crate) fn list(&mut self, name: &str, items: &[String]) -> &mut Obj {
        if items.is_empty() { self } else { self.raw(name, &format!("[{}]", items.join(","))) }
    }
    pub(crate) fn end(&self) -> String {
        format!("{{{}}}", self.0)
    }
}

/// A string as `encoding/json` writes it.
pub(crate) fn json_string(s: &str) -> String {
    let mut out = String::from("\"");
    for c in s.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            '\t' => out += "\\t",
            '\u{8}' => out += "\\b",
            '\u{c}' => out += "\\f",
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out += &format!("\\u{:04x}", c as u32),
            c if (c as u32) < 0x20 => out += &format!("\\u{:04x}", c as u32),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

pub(crate) fn header_json(h: Option<&ResponseHeader>) -> String {
    let h = h.copied().unwrap_or_default();
    let mut o = Obj::default();
    o.uint("cluster_id", h.cluster_id).uint("member_id", h.member_id).int("revision", h.revision);
    o.uint("raft_term", h.raft_term);
    o.end()
}

/// The header's members without their braces, for the lease commands, which flatten it.
pub(crate) fn header_flat(h: Option<&ResponseHeader>) -> Obj {
    Obj(header_json(h).trim_start_matches('{').trim_end_matches('}').to_owned())
}

pub(crate) fn kv_json(kv: &KeyValue) -> String {
    let mut o = Obj::default();
    o.bytes("key", &kv.key).int("create_revision", kv.create_revision).int("mod_revision", kv.mod_revision);
    o.int("version", kv.version).bytes("value", &kv.value).int("lease", kv.lease);
    o.end()
}

/// A number, or its 16 hexadecimal digits with `--hex`.
pub(crate) fn id(n: u64, hex: bool) -> String {
    if hex { format!("{n:x}") } else { n.to_string() }
}

pub(crate) fn header_fields(h: Option<&ResponseHeader>, hex: bool) -> String {
    let h = h.copied().unwrap_or_default();
    let mut s =
        format!("\"ClusterID\" : {}\n\"MemberID\" : {}\n", id(h.cluster_id, hex), id(h.member_id, hex));
    if h.revision > 0 {
        s += &format!("\"Revision\" : {}\n", h.revision);
    }
    s + &format!("\"RaftTerm\" : {}\n", h.raft_term)
}

pub(crate) fn kv_fields(prefix: &str, kv: &KeyValue, hex: bool) -> String {
    let lease = if hex { format!("{:016x}", kv.lease) } else { kv.lease.to_string() };
    format!(
        "\"{prefix}Key\" : {}\n\"{prefix}CreateRevision\" : {}\n\"{prefix}ModRevision\" : {}\n\"{prefix}Version\" : {}\n\"{prefix}Value\" : {}\n\"{prefix}Lease\" : {lease}\n",
        quote(&kv.key),
        kv.create_revision,
        kv.mod_revision,
        kv.version,
        quote(&kv.value)
    )
}

/// Key and value, each on a line; with `hex` as `\x66\x6f`.
pub(crate) fn kv_simple(kv: &KeyValue, hex: bool, value_only: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let fields: &[&[u8]] = if value_only { &[&kv.value] } else { &[&kv.key, &kv.value] };
    for f in fields {
        if hex {
            f.iter().for_each(|b| out.extend_from_slice(format!("\\x{b:02x}").as_bytes()));
        } else {
            out.extend_from_slice(f);
        }
        out.push(b'\n');
    }
    out
}

/// Go's `%q`.
pub(crate) fn quote(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    let mut rest = bytes;
    while !rest.is_empty() {
        let (text, bad) = match std::str::from_utf8(rest) {
            Ok(t) => (t, 0),
            Err(e) => (std::str::from_utf8(&rest[..e.valid_up_to()]).unwrap_or_default(), 1),
        };
        for c in text.chars() {
            match c {
                '"' => out += "\\\"",
                '\\' => out += "\\\\",
                '\n' => out += "\\n",
                '\r' => out += "\\r",
                '\t' => out += "\\t",
                '\u{7}' => out += "\\a",
                '\u{8}' => out += "\\b",
                '\u{b}' => out += "\\v",
                '\u{c}' => out += "\\f",
                c if (c as u32) < 0x20 || c == '\u{7f}' => out += &format!("\\x{:02x}", c as u32),
                c if (0x80..0xa0).contains(&(c as u32)) || c == '\u{ad}' || c == '\u{feff}' => {
                    out += &format!("\\u{:04x}", c as u32);
                }
                c => out.push(c),
            }
        }
        if bad > 0 {
            out += &format!("\\x{:02x}", rest[text.len()]);
        }
        rest = &rest[text.len() + bad..];
    }
    out.push('"');
    out
}

/// A table as tablewriter 0.0.5 draws it.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let cells: Vec<Vec<Vec<String>>> = rows.iter().map(|r| r.iter().map(|c| wrap(c)).collect()).collect();
    let chars = |s: &str| s.chars().count();
    let width = |i: usize| {
        let body = cells.iter().flat_map(|r| r[i].iter().map(|l| chars(l))).max().unwrap_or(0);
        body.max(chars(header[i]))
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let rule = widths.iter().map(|w| format!("+{}", "-".repeat(w + 2))).collect::<String>() + "+\n";
    let mut out = rule.clone();
    for (h, w) in header.iter().zip(&widths) {
        let space = w - chars(h);
        let left = space / 2;
        out += &format!("| {}{h}{} ", " ".repeat(left), " ".repeat(space - left));
    }
    out += "|\n";
    out += &rule;
    for r in &cells {
        for line in 0..r.iter().map(Vec::len).max().unwrap_or(0) {
            for (c, w) in r.iter().zip(&widths) {
                let text = c.get(line).map_or("", String::as_str);
                out += &format!("| {}{text} ", " ".repeat(w - chars(text)));
            }
            out += "|\n";
        }
    }
    out + &rule
}

/// Cells longer than 30 characters are broken at blanks.
fn wrap(cell: &str) -> Vec<String> {
    if cell.chars().count() <= 30 {
        return vec![cell.to_owned()];
    }
    let mut lines = vec![String::new()];
    for word in cell.split(' ') {
        let last = lines.last_mut().expect("one at least");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > 30 {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

/// A size as go-humanize prints it (SI units).
pub(crate) fn human(n: i64) -> String {
    const UNITS: [&str; 7] = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let n = n.max(0) as u64;
    if n < 10 {
        return format!("{n} B");
    }
    let mut unit = 0;
    let mut scale = 1u64;
    while unit < 6 && n / scale >= 1000 {
        scale *= 1000;
        unit += 1;
    }
    let tenths = (n as f64 / scale as f64 * 10.0 + 0.5).floor() / 10.0;
    if tenths < 10.0 {
        format!("{tenths:.1} {}", UNITS[unit])
    } else {
        format!("{tenths:.0} {}", UNITS[unit])
    }
}

/// A duration as Go prints it (`738.331µs`, `4.077839ms`, `1.2s`).
pub(crate) fn go_duration(d: sim::Duration) -> String {
    let n = d.as_nanos();
    let part = |whole: u128, rest: u128, digits: usize, unit: &str| {
        let frac = format!("{rest:0digits$}");
        let frac = frac.trim_end_matches('0');
        if frac.is_empty() { format!("{whole}{unit}") } else { format!("{whole}.{frac}{unit}") }
    };
    match n {
        0 => "0s".to_owned(),
        1..1_000 => format!("{n}ns"),
        1_000..1_000_000 => part(n / 1_000, n % 1_000, 3, "µs"),
        1_000_000..1_000_000_000 => part(n / 1_000_000, n % 1_000_000, 6, "ms"),
        _ => {
            let s = n / 1_000_000_000;
            let (h, m) = (s / 3600, s / 60 % 60);
            let tail = part(s % 60, n % 1_000_000_000, 9, "s");
            if h > 0 {
                format!("{h}h{m}m{tail}")
            } else if m > 0 {
                format!("{m}m{tail}")
            } else {
                tail
            }
        }
    }
}

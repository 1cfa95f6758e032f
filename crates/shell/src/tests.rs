use crate::*;
use sim::Sim;
use std::cell::RefCell;
use std::rc::Rc;

/// Runs a script in a fresh world; what it printed, and its status.
fn run(script: &str) -> (String, i32) {
    let sim = Sim::new(1);
    let out: Rc<RefCell<Vec<u8>>> = Rc::default();
    let o = out.clone();
    let emit = move |e: SessionEvent| {
        if let SessionEvent::Output(d) = e {
            o.borrow_mut().extend_from_slice(&d);
        }
    };
    let s =
        Session::new(&sim.process("terminal"), &Fs::new(), Rc::new(tools::commands()), Rc::new(NoHost), emit);
    let script = script.to_owned();
    let status = sim.block_on(async move { s.script(&script).await }).expect("the script ends");
    let text = String::from_utf8_lossy(&out.borrow()).into_owned();
    (text, status)
}

#[track_caller]
fn check(script: &str, expected: &str) {
    let (text, _) = run(script);
    assert_eq!(text, expected, "{script}");
}

// What bash 5.2 prints for each; its own messages in the interactive form, without a line number.
#[test]
fn words_are_expanded_as_bash_does() {
    check("x='a  b'; echo $x \"$x\" '$x'", "a b a  b $x\n");
    check("echo ${u:-d} ${u:+n}. ${#HOME}", "d . 5\n");
    check(
        "f=a.tar.gz; echo ${f%.*} ${f%%.*} ${f#*.} ${f##*.} ${f/a/b} ${f//a/b}",
        "a.tar a tar.gz gz b.tar.gz b.tbr.gz\n",
    );
    check("echo {1..3} {a,b}x pre{c,d}post", "1 2 3 ax bx precpost predpost\n");
    check("echo $(echo a; echo b) `echo c`", "a b c\n");
    check("set -- 'a b' c; for x in \"$@\"; do echo $x; done; echo $#", "a b\nc\n2\n");
    check("printf '%s=%03d\\n' a 7 b 42", "a=007\nb=042\n");
    check("cat=1; echo ${cat}s ~ \"~\"", "1s /root ~\n");
}

#[test]
fn compound_commands() {
    check("if false; then echo a; elif true; then echo b; else echo c; fi", "b\n");
    check("i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done", "0\n1\n2\n");
    check("case foo.yaml in *.json) echo j;; *.yaml|*.yml) echo y;; esac", "y\n");
    check("f() { local x=1; echo $x $1; return 3; }; f a; echo $? ${x:-unset}", "1 a\n3 unset\n");
    check("for i in 1 2 3; do [ $i = 2 ] && continue; echo $i; done", "1\n3\n");
    check("(cd /tmp; pwd); pwd", "/tmp\n/root\n");
    check("! true; echo $?; true && false || echo or", "1\nor\n");
    check("[[ abc == a* && 3 -gt 2 ]] && echo yes", "yes\n");
}

#[test]
fn redirections_and_here_documents() {
    check("x=1; read a b <<EOF\nv$x w z\nEOF\necho $a-$b", "v1-w z\n");
    check("read a <<'EOF'\nv$x\nEOF\necho \"$a\"", "v$x\n");
    check("echo a > /tmp/f; echo b >> /tmp/f; while read l; do echo \"<$l>\"; done < /tmp/f", "<a>\n<b>\n");
    check("nosuch 2>/dev/null; echo $?", "127\n");
    check(
        "{ echo out; nosuch; } 2>&1 | while read l; do echo \"[$l]\"; done",
        "[out]\n[bash: nosuch: command not found]\n",
    );
}

#[test]
fn errors_have_bash_texts_and_statuses() {
    assert_eq!(run("nosuch"), ("bash: nosuch: command not found\n".into(), 127));
    assert_eq!(run("echo a | | b").1, 2);
    assert_eq!(run("cd /nope"), ("bash: cd: /nope: No such file or directory\n".into(), 1));
    assert_eq!(run("set -e; false; echo no"), (String::new(), 1));
    assert_eq!(run("echo ${x:?gone}; echo no").0, "bash: x: gone\n");
    assert_eq!(run("exit 7").1, 7);
}

#[test]
fn a_reader_that_leaves_ends_the_writer() {
    check("yes | { read l; echo $l; }", "y\n");
    check("set -o pipefail; yes | read l; echo $?", "141\n");
}

#[test]
fn deep_nesting_is_refused_not_fatal() {
    let deep = format!("{} echo{}", "( ".repeat(5_000), ")".repeat(5_000));
    assert_ne!(run(&deep).1, 0);
    let subst = format!("echo {}x{}", "$(echo ".repeat(3_000), ")".repeat(3_000));
    assert_eq!(run(&subst).1, 2);
    assert_ne!(run("f() { f; }; f").1, 0);
    assert!(run(&format!("echo $(({}1{}))", "(".repeat(9_000), ")".repeat(9_000))).1 != 0);
}

#[test]
fn random_bytes_never_panic() {
    let pieces = [
        "$(",
        "${",
        "\"",
        "'",
        "`",
        "<<E\n",
        "((",
        "[[ ",
        "if ",
        "; then",
        "fi",
        "{",
        "}",
        "|",
        "&",
        ")",
        "\\",
        "a=",
        "*",
        "#",
        "$'\\x",
        "for x in",
        "do",
        "done",
        "case a in",
        "\n",
        " ",
    ];
    for seed in 0..400u64 {
        let rng = sim::Rng::new(seed, "parse");
        let text: String =
            (0..rng.below(20)).map(|_| pieces[rng.below(pieces.len() as u64) as usize]).collect();
        let _ = parse(&text); // seed names the input
    }
}

// What GNU coreutils, grep and hexdump of Debian 12 print for each (the date is the world's).
#[test]
fn tools_print_what_the_originals_print() {
    check("printf 'b\\na\\nb\\n' | sort | uniq -c", "      1 a\n      2 b\n");
    check("seq 10 | head -3 | tail -n +2", "2\n3\n");
    check("printf 'x=1\\ny=2\\n' | grep -n '^y' | cut -d= -f2", "2\n");
    check("printf 'one two\\n' | wc", "      1       2       8\n");
    check("printf abc | tr a-c A-C", "ABC");
    check(
        "printf 'k8s\\0\\n' | hexdump -C",
        "00000000  6b 38 73 00 0a                                    |k8s..|\n00000005\n",
    );
    check("printf 'hello' | xxd", "00000000: 6865 6c6c 6f                             hello\n");
    check("printf hello | base64; printf aGVsbG8= | base64 -d", "aGVsbG8=\nhello");
    check("printf abc | sha256sum", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  -\n");
    check("printf abc | md5sum", "900150983cd24fb0d6963f7d28e17f72  -\n");
    check("printf 'a b\\nc\\n' | xargs -n1 echo -", "- a\n- b\n- c\n");
    check(
        "mkdir d && echo 1 > d/f && ls d && cat d/f && rm -r d && ls d",
        "f\n1\nls: cannot access 'd': No such file or directory\n",
    );
    check("date -u +%FT%TZ; sleep 90; date +%T", "2026-01-01T00:00:00Z\n00:01:30\n");
    check("timeout 2 sleep 5; echo $?; sh -c 'echo $0 $1' a b", "124\na b\n");
    check("echo aXb | grep -o '[A-Z]'; echo a | grep b; echo $?", "X\n1\n");
}

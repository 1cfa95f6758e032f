//! `cargo xtask`: the project's commands. One file per command; each says what it does while it does it and stops
//! at the first failure with the sentence a person needs next. Only this crate may look at the wall clock.

mod bench;
mod bundle;
mod chromium;
mod record;
mod serve;
mod sh;
mod shots;
mod suite;
mod tidy;
mod wasm;

use std::process::ExitCode;

const USAGE: &str = "cargo xtask COMMAND

  build                       dist/: the page as static files, for any host and any sub-path
  serve [--port N] [--watch]  build (release), serve on 127.0.0.1, print the address
  test [PART...]              everything, or the named parts: fmt clippy tidy unit golden wasm e2e
  tidy                        the house rules a machine can check
  bench                       speed and size, as a table
  record                      ask the originals (needs Go) and rewrite tests/golden
  shots [DIR]                 pictures of the page for review, in DIR (default target/shots)
";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or_default();
    let rest: Vec<String> = args.collect();
    let result = match command.as_str() {
        "build" => bundle::build().map(|_| ()),
        "parts" => bundle::parts_for_trunk(),
        "serve" => serve::serve(&rest),
        "test" => suite::test(&rest),
        "tidy" => tidy::tidy(),
        "bench" => bench::bench(),
        "record" => record::record(&rest),
        "shots" => shots::shots(&rest),
        "" | "help" | "--help" | "-h" => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        other => Err(format!("unknown command {other:?}\n\n{USAGE}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

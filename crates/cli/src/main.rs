//! `etcdscope`: the world without the page.

mod run;

const USAGE: &str = "etcdscope: the storage path of Kubernetes, simulated.

usage:
  etcdscope run [flags] [FILE|-]    run a shell script in a fresh world and exit with its status
  etcdscope help

flags of run:
  --seed N                 the world's seed (default 1): the same seed and script give the same output
  --members 1|3|5          etcd members (default 3)
  --world kube|etcd        an empty etcd cluster at revision 1 (default); kube: not modelled here yet
  --trace FILE             write every request's trace, in OTLP's file format
";

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let status = match args.first().map(String::as_str) {
        Some("run") => run::run(&args[1..]),
        None | Some("help" | "--help" | "-h") => {
            print!("{USAGE}");
            0
        }
        Some(other) => {
            eprintln!("etcdscope: unknown command {other:?}\n\n{USAGE}");
            2
        }
    };
    std::process::exit(status);
}

//! The command line.

use std::path::PathBuf;

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Serve { port: Option<u16>, open: bool },
    Test { native_only: bool },
    Dist { out: Option<PathBuf> },
    Bench { rest: Vec<String> },
    Soak { rounds: u64, seed: Option<u64> },
    Shots,
    Notices,
    Help,
}

/// Rounds of `cargo xtask soak` where nobody says how many.
const SOAK_ROUNDS: u64 = 1_000_000;

/// The text of `cargo xtask help`.
pub(crate) const HELP: &str = "\
cargo xtask COMMAND

  serve      build the page, serve it on this machine and print its address; what is missing for that
             (a wasm32 standard library, Trunk, wasm-bindgen) is installed first
               --port N     the port (otherwise the first free one from 8080)
               --no-open    do not open a browser
  test       format, clippy, native tests, page, browser tests
               --native     only what needs neither WebAssembly nor a browser
  dist       the optimised static site in dist/, and its size
               --out DIR    another folder for it
  bench      the benchmarks; what follows is handed on to criterion (a filter, --save-baseline NAME ...)
  soak       the store against its model through crashes of every kind, producing and consuming against every
               fault, optimised, on every core
               --rounds N   crashes and restarts, at least (otherwise a million)
               --seed S     where the cases come from (otherwise the clock, and the seed is printed)
  shots      pictures of the page in the build folder's shots/, the README's one in docs/
  notices    write THIRD_PARTY_NOTICES.txt from the licences of what is shipped
  help       this text

Environment
  ROCKETSCOPE_WASM_STD   where the wasm32 standard library comes from: toolchain, rustup or debian
                         (unset: the first of these that serves)
  ROCKETSCOPE_CHROME     the browser for the tests (otherwise Chromium or Chrome, where it is found)
  CHROMEDRIVER           its driver
  ROCKETSCOPE_GOLDEN     a folder of further stores for the golden tests
";

/// Reads the arguments after `cargo xtask`; the error says what is wrong with them.
pub(crate) fn parse(args: &[String]) -> Result<Task, String> {
    let Some((command, rest)) = args.split_first() else { return Ok(Task::Help) };
    match command.as_str() {
        "serve" => serve(rest),
        "test" => test(rest),
        "dist" => dist(rest),
        "bench" => Ok(Task::Bench { rest: rest.to_vec() }),
        "soak" => soak(rest),
        "shots" => nothing_more(Task::Shots, rest),
        "notices" => nothing_more(Task::Notices, rest),
        "help" | "--help" | "-h" => Ok(Task::Help),
        other => Err(format!("there is no command `{other}`")),
    }
}

fn serve(args: &[String]) -> Result<Task, String> {
    let (mut port, mut open) = (None, true);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let value = match arg.split_once('=') {
            Some(("--port", value)) => Some(value),
            _ if arg == "--port" => Some(args.next().ok_or("--port needs a number")?.as_str()),
            _ => None,
        };
        match (value, arg.as_str()) {
            (Some(value), _) => port = Some(value.parse().map_err(|_| format!("`{value}` is no port number"))?),
            (None, "--no-open") => open = false,
            (None, other) => return Err(unknown(other)),
        }
    }
    Ok(Task::Serve { port, open })
}

fn soak(args: &[String]) -> Result<Task, String> {
    let (mut rounds, mut seed) = (SOAK_ROUNDS, None);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let (name, value) = match arg.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (arg.as_str(), args.next().map(String::as_str)),
        };
        let number = || {
            let value = value.ok_or_else(|| format!("{name} needs a number"))?;
            value.parse().map_err(|_| format!("`{value}` is no number of rounds and no seed"))
        };
        match name {
            "--rounds" => rounds = number()?,
            "--seed" => seed = Some(number()?),
            other => return Err(unknown(other)),
        }
    }
    Ok(Task::Soak { rounds, seed })
}

fn test(args: &[String]) -> Result<Task, String> {
    match args {
        [] => Ok(Task::Test { native_only: false }),
        [arg] if arg == "--native" => Ok(Task::Test { native_only: true }),
        [arg, ..] => Err(unknown(arg)),
    }
}

fn dist(args: &[String]) -> Result<Task, String> {
    match args {
        [] => Ok(Task::Dist { out: None }),
        [name, out] if name == "--out" => Ok(Task::Dist { out: Some(out.into()) }),
        [name] if name == "--out" => Err("--out needs a folder".to_owned()),
        [arg, ..] => Err(unknown(arg)),
    }
}

fn nothing_more(task: Task, args: &[String]) -> Result<Task, String> {
    args.first().map_or(Ok(task), |arg| Err(unknown(arg)))
}

fn unknown(arg: &str) -> String {
    format!("unexpected argument `{arg}`")
}

#[cfg(test)]
mod tests {
    use super::{Task, parse};

    fn parsed(line: &str) -> Result<Task, String> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn serve_takes_a_port_in_both_spellings() {
        assert_eq!(parsed("serve"), Ok(Task::Serve { port: None, open: true }));
        assert_eq!(parsed("serve --port 9000 --no-open"), Ok(Task::Serve { port: Some(9000), open: false }));
        assert_eq!(parsed("serve --port=9000"), Ok(Task::Serve { port: Some(9000), open: true }));
        assert!(parsed("serve --port").is_err());
        assert!(parsed("serve --port 99999").is_err());
        assert!(parsed("serve 9000").is_err());
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        assert_eq!(parsed("test --native"), Ok(Task::Test { native_only: true }));
        assert!(parsed("test --nativ").is_err());
        assert_eq!(parsed("dist"), Ok(Task::Dist { out: None }));
        assert_eq!(parsed("dist --out site"), Ok(Task::Dist { out: Some("site".into()) }));
        assert!(parsed("dist --out").is_err());
        assert!(parsed("dist now").is_err());
        assert!(parsed("deploy").is_err());
        assert_eq!(parsed(""), Ok(Task::Help));
    }

    #[test]
    fn soak_takes_rounds_and_a_seed() {
        assert_eq!(parsed("soak"), Ok(Task::Soak { rounds: 1_000_000, seed: None }));
        assert_eq!(parsed("soak --rounds 5 --seed=7"), Ok(Task::Soak { rounds: 5, seed: Some(7) }));
        assert!(parsed("soak --rounds").is_err());
        assert!(parsed("soak --rounds many").is_err());
        assert!(parsed("soak 5").is_err());
    }

    #[test]
    fn bench_hands_everything_on() {
        assert_eq!(parsed("bench append --quick"), Ok(Task::Bench { rest: vec!["append".into(), "--quick".into()] }));
    }
}

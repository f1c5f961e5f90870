//! `rocketscope`: the engine on the command line.
//!
//! The commands that look into a store directory change nothing in it. What a broker would have to write to answer (the
//! recovery of a store that was not stopped cleanly) is written to memory above the directory; `recover --out` writes it
//! to another one. `run` plays a script on simulated machines, `matrix` crashes them everywhere; `backlog` counts messages and needs neither.
//!
//! Exit status: 0 when the command could do its work (a damaged store that could be read included: its problems are the
//! output), 1 when it could not (no store there, no such message, a script that is wrong), 2 for a command line that makes
//! no sense, and 3 when `inspect --check` found problems, `recover --check` found a loss, a script did not reach what
//! it was to reach, or `matrix --check` lost a message.

mod args;
mod ask;
mod backlog;
mod clock;
mod copy;
mod inspect;
mod matrix;
mod message;
mod output;
mod recover;
mod run;
mod settings;
mod store_dir;
mod subscription;
mod table;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use output::BAD;

/// A world consists of thousands of small pieces, and `matrix` makes and drops thousands of worlds a second.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How a command ended that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// As asked.
    Done,
    /// With problems, and it was asked to say so.
    Problems,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = output::stdout();
    let result = match &cli.command {
        Command::Inspect(args) => inspect::run(args, &mut out),
        Command::Get(args) => ask::get(args, &mut out),
        Command::Query(args) => ask::query(args, &mut out),
        Command::Message(args) => ask::message(args, &mut out),
        Command::Recover(args) => recover::run(args, &mut out),
        Command::Run(args) => run::run(args, &mut out),
        Command::Matrix(args) => matrix::run(args, &mut out),
        Command::Backlog(args) => backlog::run(args, &mut out),
    };
    let result = result.and_then(|outcome| Ok(out.flush().map(|()| outcome)?));
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Problems) => ExitCode::from(3),
        // Whoever reads us has seen enough, as `head` has.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // What was written before the error is still wanted; that it cannot be written is not the news.
            let _ = out.flush();
            let _ = writeln!(anstream::stderr(), "{BAD}rocketscope:{BAD:#} {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io = |cause: &(dyn std::error::Error + 'static)| {
        let direct = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        direct.or_else(|| cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind))
    };
    error.chain().any(|cause| io(cause) == Some(io::ErrorKind::BrokenPipe))
}

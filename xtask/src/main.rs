//! The project's own commands: `cargo xtask help` lists them.

mod apt;
mod args;
mod bench;
mod browser;
mod command;
mod dist;
mod notices;
mod page;
mod say;
mod serve;
mod shots;
mod soak;
mod tally;
mod test;
mod tools;
mod wasm_opt;
mod wasm_std;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;

use crate::args::Task;
use crate::workspace::Workspace;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let task = match args::parse(&args) {
        Ok(task) => task,
        Err(error) => {
            eprintln!("error: {error}\n\n{}", args::HELP);
            return ExitCode::from(2);
        }
    };
    match run(task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    if task == Task::Help {
        print!("{}", args::HELP);
        return Ok(());
    }
    let workspace = Workspace::find()?;
    match task {
        Task::Serve { port, open } => serve::serve(&workspace, port, open),
        Task::Test { native_only } => test::test(&workspace, native_only),
        Task::Dist { out } => dist::dist(&workspace, out),
        Task::Bench { rest } => bench::bench(&workspace, &rest),
        Task::Soak { rounds, seed } => soak::soak(&workspace, rounds, seed),
        Task::Shots => shots::shots(&workspace),
        Task::Notices => notices::write(&workspace),
        Task::Help => Ok(()),
    }
}

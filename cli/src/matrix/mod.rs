//! `matrix`: a script, crashed at every event and every write to a disk, and what becomes of its messages.

mod play;
mod print;

use std::io::Write;
use std::path::Path;
use std::thread::available_parallelism;

use anyhow::{Context, Result, bail};
use rocketscope_engine::ledger::Verdict;
use rocketscope_engine::lesson::{LESSONS, LessonSource};
use rocketscope_engine::matrix::{Cell, Fault, Matrix, Moment, Plan};
use serde::Serialize;

use crate::Outcome;
use crate::args::MatrixArgs;
use crate::output::Out;
use crate::run;

/// What `--json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MatrixJson<'m> {
    script: &'m str,
    seed: u64,
    length: u64,
    targets: &'m [String],
    faults: Vec<String>,
    down_ms: i64,
    events_max: u32,
    moments: &'m [Moment],
    cells: &'m [Cell],
}

/// Plays the matrix and prints it.
pub(crate) fn run(args: &MatrixArgs, out: &mut Out) -> Result<Outcome> {
    let (script, plan) = plan(args)?;
    let matrix = Matrix::new(plan).with_context(|| script.clone())?;
    let jobs = match args.jobs {
        Some(jobs) => usize::from(jobs.get()),
        None => available_parallelism().map_or(1, usize::from),
    };
    let (cells, seconds) = play::play(&matrix, jobs)?;
    if args.json {
        let plan = matrix.plan();
        let json = MatrixJson {
            script: &script,
            seed: plan.seed,
            length: plan.length,
            targets: &plan.targets,
            faults: plan.faults.iter().map(Fault::to_string).collect(),
            down_ms: plan.down_ms,
            events_max: plan.events_max,
            moments: matrix.moments(),
            cells: &cells,
        };
        serde_json::to_writer_pretty(&mut *out, &json)?;
        writeln!(out)?;
    } else {
        print::print(&script, &matrix, &cells, args.all, out)?;
        print::speed(cells.len(), seconds, jobs, out)?;
    }
    let lost = cells.iter().any(|cell| cell.worst() == Some(Verdict::Lost));
    Ok(if args.check && lost { Outcome::Problems } else { Outcome::Done })
}

/// The script's name, and what is to be done to it.
fn plan(args: &MatrixArgs) -> Result<(String, Plan)> {
    let (script, mut plan) = if let Some(source) = built_in(&args.script) {
        let lesson = source.load()?.into();
        (source.id.to_owned(), Plan::of_lesson(&lesson).with_context(|| source.id)?)
    } else {
        let played = run::play(&args.script, None)?;
        if let Some(cause) = &played.stopped {
            bail!("{}: {cause}", played.file);
        }
        (played.file.clone(), Plan::of(&played.history))
    };
    if !args.targets.is_empty() {
        plan.targets.clone_from(&args.targets);
    }
    if !args.faults.is_empty() {
        plan.faults.clone_from(&args.faults);
    }
    plan.down_ms = args.down_ms;
    plan.events_max = args.events;
    Ok((script, plan))
}

/// The lesson that comes with the command: by its id, or by its number. What is there as a file is none.
fn built_in(script: &Path) -> Option<&'static LessonSource> {
    let name = script.to_str().filter(|_| !script.exists())?;
    LESSONS.iter().find(|source| source.id == name || source.id.split('-').next() == Some(name))
}

//! `inspect`: everything in a store, as it lies on the disk.

mod index;
mod json;
mod lists;
mod summary;

use std::io::Write;

use anyhow::{Result, anyhow};
use rocketscope_engine::disk::native::ReadOnlyDir;
use rocketscope_engine::store::inspect::ProblemScan;
use rocketscope_engine::view::store::{StoreAnswer, StoreExplorer, StoreQuery};

use crate::Outcome;
use crate::args::InspectArgs;
use crate::output::{BAD, DIM, GOOD, Out, TITLE, wrap};
use crate::store_dir::StoreDir;

/// A store that was searched through, ready to be printed.
struct Inspected<'a> {
    store: &'a StoreDir,
    disk: &'a ReadOnlyDir,
    explorer: StoreExplorer,
    /// Rows of each list.
    limit: u64,
    /// Whether lists that are long by themselves are wanted.
    details: bool,
}

impl Inspected<'_> {
    fn scan(&self) -> Result<&ProblemScan> {
        self.explorer.scan().ok_or_else(|| anyhow!("the store was not searched"))
    }

    fn ask(&self, query: &StoreQuery) -> Result<StoreAnswer> {
        Ok(self.explorer.answer(self.disk, query)?)
    }
}

/// Bytes that the search reads in one step.
const STEP: u64 = 64 * 1024 * 1024;

/// Searches the store and prints it.
pub(crate) fn run(args: &InspectArgs, out: &mut Out) -> Result<Outcome> {
    let store = StoreDir::open(&args.store)?;
    let disk = &*store.disk;
    let mut explorer = StoreExplorer::open(disk, &store.settings.given());
    while !explorer.scan_on(disk, STEP).finished {}
    let limit = if args.all { u64::MAX } else { args.limit };
    let inspected = Inspected { store: &store, disk, explorer, limit, details: args.all };
    if args.store.json {
        json::write(&inspected, out)?;
    } else {
        summary::write(&inspected, &args.store.dir, out)?;
        lists::records(&inspected, out)?;
        lists::queues(&inspected, out)?;
        index::write(&inspected, out)?;
        lists::config(&inspected, out)?;
        problems(&inspected, out)?;
    }
    let found = !inspected.scan()?.problems().is_empty();
    Ok(if args.check && found { Outcome::Problems } else { Outcome::Done })
}

/// The problems, last, where they are seen first.
fn problems(inspected: &Inspected<'_>, out: &mut Out) -> Result<()> {
    let scan = inspected.scan()?;
    writeln!(out, "\n{TITLE}Problems{TITLE:#}")?;
    if scan.problems().is_empty() {
        writeln!(out, "  {GOOD}none found{GOOD:#}")?;
    }
    for problem in scan.problems() {
        let kind = serde_json::to_value(problem.kind)?;
        let kind = kind.as_str().unwrap_or_default();
        writeln!(out, "  {BAD}{}:{}{BAD:#}  {DIM}{kind}{DIM:#}", problem.file, problem.offset)?;
        write!(out, "{}", wrap(&problem.message, "      "))?;
    }
    if scan.not_kept() > 0 {
        writeln!(out, "  {DIM}and {} more{DIM:#}", scan.not_kept())?;
    }
    Ok(())
}

//! `recover`: what a start of 4.9.8 would do to a store, on a copy.

mod json;
mod print;
mod words;

use std::sync::Arc;

use anyhow::Result;
use rocketscope_engine::disk::{MemoryDisk, ReadAt};
use rocketscope_engine::view::recovery::{Depth, DryRun, Finding, Severity, dry_run};

use crate::Outcome;
use crate::args::RecoverArgs;
use crate::clock::Clock;
use crate::copy::{Copied, Target};
use crate::output::Out;
use crate::store_dir::StoreDir;

/// Records of a file and units of a queue that are told one by one.
const LISTED: usize = 3;

/// What came of the start.
struct Recovered {
    run: DryRun<MemoryDisk>,
    /// What was written, if it was asked for.
    copied: Option<Copied>,
}

/// Recovers the store in memory, writes what is left to the copy if one is wanted, and prints what happened.
pub(crate) fn run(args: &RecoverArgs, out: &mut Out) -> Result<Outcome> {
    let store = StoreDir::open(&args.store)?;
    // Said before any work is done.
    let target = args.out.as_deref().map(|out| Target::check("out", out, store.disk.root())).transpose()?;
    let config = store.settings.broker(&store.layout);
    let beneath: Arc<dyn ReadAt + Send + Sync> = Arc::clone(&store.disk) as _;
    let disk = MemoryDisk::over(&beneath)?;
    let run = dry_run(disk, &*store.disk, config, Clock::now().millis(), LISTED, Depth::WHOLE);
    let copied = target.map(|target| target.write(run.ended.disk())).transpose()?;
    let recovered = Recovered { run, copied };
    if args.store.json {
        json::write(&recovered, out)?;
    } else {
        print::write(&recovered, args, &store, out)?;
    }
    let lost = recovered.run.picture.verdict.iter().map(Finding::severity).max() == Some(Severity::Loss);
    Ok(if args.check && lost { Outcome::Problems } else { Outcome::Done })
}

//! A store at a glance.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use rocketscope_engine::view::store::{LayoutSource, StoreAnswer, StoreQuery};

use super::Inspected;
use crate::output::{BAD, DIM, GOOD, NAME, Out, TITLE, WARN, bytes, count, time};

/// Writes a line for each part of the store.
pub(super) fn write(inspected: &Inspected<'_>, dir: &Path, out: &mut Out) -> Result<()> {
    let StoreAnswer::Summary(summary) = inspected.ask(&StoreQuery::Summary)? else { return Ok(()) };
    let scan = inspected.scan()?;
    let totals = scan.totals();
    let layout = &summary.layout;
    writeln!(out, "{TITLE}Store {}{TITLE:#}", dir.display())?;
    let mut line = |name: &str, value: String| writeln!(out, "  {NAME}{name:<14}{NAME:#} {value}");
    let end = scan.map().end().unwrap_or(0);
    let log = if summary.commit_log_files == 0 {
        format!("{BAD}no file{BAD:#}")
    } else {
        format!(
            "{} in {} of {}, physical offset {} to {}{}",
            count(totals.records, "record", "records"),
            count(summary.commit_log_files, "file", "files"),
            bytes(layout.commit_log_file_size.unsigned_abs()),
            summary.min_offset,
            end,
            known(layout.commit_log_source)
        )
    };
    line("commit log", log)?;
    let queues = format!(
        "{} of {}, files of {}{}",
        count(summary.queues, "queue", "queues"),
        count(summary.topics, "topic", "topics"),
        bytes(layout.consume_queue_file_size.unsigned_abs()),
        known(layout.consume_queue_source)
    );
    line("ConsumeQueue", queues)?;
    let index = format!(
        "{} of {} slots and {} entries{}",
        count(summary.index_files, "file", "files"),
        layout.hash_slots,
        layout.index_capacity,
        known(layout.index_source)
    );
    line("index", index)?;
    let checkpoint = summary.checkpoint.map_or_else(
        || format!("{BAD}none{BAD:#}"),
        |times| {
            format!(
                "log {}, queues {}, index {}",
                time(times.physic_msg_timestamp),
                time(times.logics_msg_timestamp),
                time(times.index_msg_timestamp)
            )
        },
    );
    line("checkpoint", checkpoint)?;
    let abort = if summary.abort {
        format!("{WARN}present: runs, or was not stopped cleanly{WARN:#}")
    } else {
        format!("{GOOD}absent: stopped cleanly{GOOD:#}")
    };
    line("abort", abort)?;
    let found = scan.problems().len() as u64 + scan.not_kept();
    let problems =
        if found == 0 { format!("{GOOD}none{GOOD:#}") } else { format!("{BAD}{found}{BAD:#}, listed below") };
    line("problems", problems)?;
    for skipped in inspected.disk.skipped() {
        writeln!(out, "  {DIM}not looked at: {skipped}{DIM:#}")?;
    }
    Ok(())
}

/// How a size is known, where that is worth a word.
fn known(source: LayoutSource) -> &'static str {
    match source {
        LayoutSource::Given => " (as given)",
        LayoutSource::Inferred => "",
        LayoutSource::Default => " (by default: no file tells)",
    }
}

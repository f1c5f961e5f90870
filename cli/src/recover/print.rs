//! The recovery for people.

use std::io::Write;

use anstyle::Style;
use anyhow::Result;
use rocketscope_engine::disk::{MemoryDisk, ReadAt};
use rocketscope_engine::store::{ConsumeQueue, IndexHeader, Store};
use rocketscope_engine::view::recovery::{Finding, RecoveryPhase, Severity};

use super::{Recovered, words};
use crate::args::RecoverArgs;
use crate::output::{BAD, DIM, GOOD, NAME, Out, TITLE, WARN, bytes, count, one_line, time, wrap};
use crate::store_dir::StoreDir;
use crate::table::Align::{Left, Right};
use crate::table::{Cell, Table};

/// Steps of one phase that are shown: the first and the last of them.
const STEPS_SHOWN: (usize, usize) = (14, 6);

pub(super) fn write(recovered: &Recovered, args: &RecoverArgs, store: &StoreDir, out: &mut Out) -> Result<()> {
    let picture = &recovered.run.picture;
    writeln!(out, "{TITLE}Start of a 4.9.8 broker on {}{TITLE:#}", args.store.dir.display())?;
    for skipped in store.disk.skipped() {
        writeln!(out, "  {DIM}not looked at: {skipped}{DIM:#}")?;
    }
    for phase in &picture.phases {
        steps(phase, args.all, out)?;
    }
    if let Some(store) = recovered.run.ended.store() {
        state(store, out)?;
    }
    let worst = picture.verdict.iter().map(Finding::severity).max().unwrap_or(Severity::Good);
    let (sentence, style) = summary(worst);
    writeln!(out, "\n{TITLE}Verdict{TITLE:#}  {style}{sentence}{style:#}")?;
    for finding in &picture.verdict {
        let (mark, style) = mark(finding.severity());
        let text = wrap(&finding.to_string(), "           ");
        write!(out, "  {style}{mark:<8}{style:#} {}", text.trim_start())?;
    }
    writeln!(out)?;
    match &recovered.copied {
        Some(copied) => writeln!(
            out,
            "{DIM}{} written to {}: {}, {} of them not zeros. The store itself was not touched.{DIM:#}",
            count(copied.files, "file", "files"),
            copied.path,
            bytes(copied.len),
            bytes(copied.written)
        )?,
        None => writeln!(out, "{DIM}Nothing was written; --out COPY writes the store as it is then.{DIM:#}")?,
    }
    Ok(())
}

fn mark(severity: Severity) -> (&'static str, Style) {
    match severity {
        Severity::Good => ("good", GOOD),
        Severity::Note => ("note", DIM),
        Severity::Warning => ("warning", WARN),
        Severity::Loss => ("LOSS", BAD),
    }
}

fn steps(phase: &RecoveryPhase, all: bool, out: &mut Out) -> Result<()> {
    if phase.items.is_empty() && phase.left_out == 0 {
        return Ok(());
    }
    writeln!(out, "\n{NAME}{}{NAME:#}", phase.kind)?;
    let (head, tail) = if all { (usize::MAX, 0) } else { STEPS_SHOWN };
    let hidden = phase.items.len().saturating_sub(head).saturating_sub(tail);
    for (number, item) in phase.items.iter().enumerate() {
        if number == head && hidden > 0 {
            writeln!(out, "  {DIM}{} (--all){DIM:#}", left_out(hidden as u64))?;
        }
        if number < head || number - head >= hidden {
            let line = wrap(&one_line(&words::sentence(&item.what)), "    ");
            write!(out, "  {}", line.trim_start())?;
        }
    }
    if phase.left_out > 0 {
        writeln!(out, "  {DIM}{}{DIM:#}", left_out(phase.left_out))?;
    }
    Ok(())
}

/// The verdict in a sentence.
fn summary(worst: Severity) -> (&'static str, Style) {
    match worst {
        Severity::Good | Severity::Note => ("Everything that the log holds is kept, and in its place.", GOOD),
        Severity::Warning => ("No message is lost, but not everything is as it was.", WARN),
        Severity::Loss => ("Messages are lost or out of reach, or the broker does not start.", BAD),
    }
}

/// How many steps are not told.
pub(super) fn left_out(number: u64) -> String {
    format!("… {} more {}", number, if number == 1 { "step" } else { "steps" })
}

/// The queues that ever had a unit.
pub(super) fn used_queues(store: &Store<MemoryDisk>) -> impl Iterator<Item = (&str, i32, &ConsumeQueue)> {
    let used = |queue: &ConsumeQueue| queue.mapped_files().next().is_some() || queue.max_physic_offset() >= 0;
    store.queues().filter(move |(_, _, queue)| used(queue))
}

/// The index files by name, oldest first.
pub(super) fn index_headers(store: &Store<MemoryDisk>) -> impl Iterator<Item = (String, IndexHeader)> {
    store.index_files().iter().map(|file| {
        let path = store.disk().path(file.file()).unwrap_or_default();
        (path.rsplit('/').next().unwrap_or_default().to_owned(), *file.header())
    })
}

/// The store when its start is done.
fn state(store: &Store<MemoryDisk>, out: &mut Out) -> Result<()> {
    writeln!(out, "\n{TITLE}The store then{TITLE:#}")?;
    let mut line = |name: &str, value: String| writeln!(out, "  {NAME}{name:<14}{NAME:#} {value}");
    line("commit log", format!("{} to {}", store.min_phy_offset(), store.max_phy_offset()))?;
    line("flushed to", store.flushed_where().to_string())?;
    let columns = [("TOPIC", Left), ("QUEUE", Right), ("MIN", Right), ("MAX", Right), ("KNOWS THE LOG UP TO", Right)];
    let mut table = Table::new(&columns);
    let mut any = false;
    for (topic, queue_id, queue) in used_queues(store) {
        any = true;
        let numbers = [queue.min_offset_in_queue(), queue.max_offset_in_queue(), queue.max_physic_offset()];
        let mut cells = vec![Cell::styled(one_line(topic), NAME), queue_id.into()];
        cells.extend(numbers.map(Cell::from));
        table.row(out, cells)?;
    }
    if any {
        writeln!(out)?;
        table.finish(out)?;
    }
    let columns =
        [("INDEX FILE", Left), ("ENTRIES", Right), ("FROM", Right), ("TO", Right), ("LAST MESSAGE (UTC)", Left)];
    let mut table = Table::new(&columns);
    let mut any = false;
    for (name, header) in index_headers(store) {
        any = true;
        let entries = header.index_count.saturating_sub(1);
        let mut cells = vec![Cell::styled(one_line(&name), NAME), entries.into()];
        cells.extend([header.begin_phy_offset, header.end_phy_offset].map(Cell::from));
        cells.push(time(header.end_timestamp).into());
        table.row(out, cells)?;
    }
    if any {
        writeln!(out)?;
        table.finish(out)?;
    }
    Ok(())
}

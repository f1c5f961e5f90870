//! Going through a whole store in small steps: what is not as it should be, and where records begin.
//!
//! The order is: files by name and length, the commit log, the ConsumeQueues, the index files, the config files. Every
//! file is read once, in order, through buffers of bounded size, so a store larger than the memory is no problem; what
//! is kept is one entry for each queue, the sparse [`RecordMap`] and the list of problems, which is bounded too.
//!
//! A record of the log is held against the unit that its QUEUEOFFSET names while the log is walked. That confirms the
//! units of a sound store without reading the log once more for each queue; only units that no record has confirmed
//! are followed to where they point.

mod blocks;
mod files;
mod index;
mod log;
mod log_tail;
mod queues;
mod ranges;
mod run;
mod start;
mod text;

use std::collections::BTreeMap;

use super::checkpoint::{CheckpointTimes, read_checkpoint};
use super::files::StoreFiles;
use super::index::IndexReader;
use super::layout::{INDEX_ENTRY, INDEX_SLOT, StoreLayout, UNIT};
use super::problem::{Problem, ProblemKind};
use super::queue::QueueReader;
use super::record_map::RecordMap;
use crate::disk::{DiskError, ReadAt};
use crate::store::IndexHeader;

/// Problems kept; the rest are only counted.
const PROBLEMS_KEPT: usize = 10_000;

/// A search for problems under way.
#[derive(Clone, Debug)]
pub struct ProblemScan {
    layout: StoreLayout,
    facts: Facts,
    found: Found,
    phase: Phase,
    progress: Progress,
}

/// How far a [`ProblemScan`] is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes looked at.
    pub done_bytes: u64,
    /// Bytes to look at.
    pub total_bytes: u64,
    /// Whether all of it is done.
    pub finished: bool,
}

impl Progress {
    /// 0 to 1.
    pub fn fraction(&self) -> f64 {
        if self.finished || self.total_bytes == 0 {
            return 1.0;
        }
        self.done_bytes.min(self.total_bytes) as f64 / self.total_bytes as f64
    }
}

/// What is known before the walk begins, and what it learns for later.
#[derive(Clone, Debug, Default)]
struct Facts {
    /// `abort` is there.
    abort: bool,
    checkpoint: Option<CheckpointTimes>,
    /// Headers of the index files, in their order.
    index: Vec<IndexHeader>,
    /// End of the last record that a unit points at.
    dispatched_to: i64,
    /// Where the next start begins to dispatch ([`start::dispatch_from`]).
    dispatch_from: i64,
    /// Units that a record of the log confirms, by queue.
    confirmed: BTreeMap<(String, i32), ranges::Ranges>,
    /// Queue offset behind the last unit of each queue, exactly.
    queue_ends: BTreeMap<(String, i32), i64>,
    /// Latest store timestamp in the log.
    newest: Option<i64>,
    map: RecordMap,
    totals: LogTotals,
}

/// What the log holds in all, as far as it was walked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogTotals {
    /// Records.
    pub records: u64,
    /// Their bytes.
    pub record_bytes: u64,
    /// Blank records.
    pub blanks: u64,
}

/// The list of problems.
#[derive(Clone, Debug, Default)]
struct Found {
    kept: Vec<Problem>,
    not_kept: u64,
}

impl Found {
    fn add(&mut self, problem: Problem) {
        if self.kept.len() < PROBLEMS_KEPT {
            self.kept.push(problem);
        } else {
            self.not_kept += 1;
        }
    }

    fn unreadable(&mut self, error: &DiskError) {
        let problem = Problem::new(ProblemKind::Unreadable, error.file.clone(), error.offset.unwrap_or(0));
        self.add(problem.with("cause", error));
    }
}

#[derive(Clone, Debug)]
enum Phase {
    Files,
    Log(log::LogScan),
    Queues(queues::QueueScan),
    Index(index::IndexScan),
    Text,
    Done,
}

/// What a phase works with.
struct Context<'s, D: ?Sized> {
    disk: &'s D,
    files: &'s StoreFiles,
    layout: &'s StoreLayout,
    facts: &'s mut Facts,
    found: &'s mut Found,
    /// Bytes that may still be read in this step, and those read.
    budget: u64,
    done: u64,
}

impl<D: ?Sized> Context<'_, D> {
    /// Charges bytes to the step.
    fn spend(&mut self, bytes: u64) {
        self.budget = self.budget.saturating_sub(bytes);
        self.done += bytes;
    }

    /// Charges bytes that do not count as progress, since they are read a second time.
    fn spend_again(&mut self, bytes: u64) {
        self.budget = self.budget.saturating_sub(bytes);
    }
}

impl ProblemScan {
    /// A search that has not begun. Looks at the small files, the index headers and the end of each queue.
    pub fn new<D: ReadAt + ?Sized>(disk: &D, files: &StoreFiles, layout: &StoreLayout) -> Self {
        let mut found = Found::default();
        let mut facts = Facts { abort: files.abort, ..Facts::default() };
        if let Some(file) = &files.checkpoint {
            match read_checkpoint(disk, file) {
                Ok(times) => facts.checkpoint = times,
                Err(error) => found.unreadable(&error),
            }
        }
        let mut total_bytes: u64 = files.commit_log.iter().map(|file| file.len).sum();
        for path in &files.index {
            let reader = IndexReader::new(disk, path, layout);
            let header = reader.header().unwrap_or_else(|error| {
                found.unreadable(&error);
                IndexHeader::default()
            });
            let entries = u64::from(reader.entry_end(&header).unsigned_abs()).saturating_sub(1);
            total_bytes += u64::from(reader.slots.unsigned_abs()) * INDEX_SLOT + entries * INDEX_ENTRY;
            facts.index.push(header);
        }
        for segments in files.queues.values() {
            total_bytes +=
                segments.iter().map(|file| file.len / UNIT.unsigned_abs() * UNIT.unsigned_abs()).sum::<u64>();
            let queue = QueueReader::new(disk, segments);
            let last = queue.max_offset().and_then(|max| queue.unit(max.saturating_sub(1)));
            match last {
                Ok(Some(last)) if last.unit.is_valid() && !last.is_filler() => {
                    let end = last.unit.physical_offset.saturating_add(last.unit.size.into());
                    facts.dispatched_to = facts.dispatched_to.max(end);
                }
                Ok(_) => {}
                Err(error) => found.unreadable(&error),
            }
        }
        facts.dispatch_from = start::dispatch_from(disk, files, &facts);
        let progress = Progress { total_bytes, ..Progress::default() };
        Self { layout: layout.clone(), facts, found, phase: Phase::Files, progress }
    }

    /// Goes on for about `budget` bytes (a phase may end a step early). `files` is the list that the search began
    /// with, `disk` the same disk.
    pub fn step<D: ReadAt + ?Sized>(&mut self, disk: &D, files: &StoreFiles, budget: u64) -> Progress {
        let Self { layout, facts, found, phase, progress } = self;
        let mut context = Context { disk, files, layout, facts, found, budget: budget.max(1), done: 0 };
        while context.budget > 0 {
            let next = match phase {
                Phase::Files => {
                    files::scan(&mut context);
                    Some(Phase::Log(log::LogScan::default()))
                }
                Phase::Log(scan) => scan.step(&mut context).then(|| Phase::Queues(queues::QueueScan::default())),
                Phase::Queues(scan) => scan.step(&mut context).then(|| Phase::Index(index::IndexScan::default())),
                Phase::Index(scan) => scan.step(&mut context).then_some(Phase::Text),
                Phase::Text => {
                    text::scan(&mut context);
                    Some(Phase::Done)
                }
                Phase::Done => break,
            };
            if let Some(next) = next {
                *phase = next;
            }
        }
        progress.done_bytes += context.done;
        progress.finished = matches!(phase, Phase::Done);
        *progress
    }

    /// Goes on to the end.
    pub fn finish<D: ReadAt + ?Sized>(&mut self, disk: &D, files: &StoreFiles) {
        while !self.step(disk, files, 64 * 1024 * 1024).finished {}
    }

    /// How far the search is.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// The problems found so far, in the order found.
    pub fn problems(&self) -> &[Problem] {
        &self.found.kept
    }

    /// How many problems more there were than the list keeps.
    pub fn not_kept(&self) -> u64 {
        self.found.not_kept
    }

    /// What the log holds in all, as far as it was walked.
    pub fn totals(&self) -> LogTotals {
        self.facts.totals
    }

    /// Where records begin, as far as the log was walked.
    pub fn map(&self) -> &RecordMap {
        &self.facts.map
    }

    /// Queue offset behind the last unit of a queue, once the search has been there.
    pub fn queue_end(&self, topic: &str, queue_id: i32) -> Option<i64> {
        self.facts.queue_ends.get(&(topic.to_owned(), queue_id)).copied()
    }
}

//! The picture, painted step by step.

use std::collections::{BTreeMap, BTreeSet};

use super::item::{RecoveryFact, RecoveryItem, place_of};
use super::run::{CutRun, Dispatched, ITEMS_MAX, RecordRun, ScannedFile};
use super::{Finding, PhaseKind, RecoveryPhase, RecoveryPicture};
use crate::message::java;
use crate::store::step::{DeleteCause, Flag, LoadFault, QueueName, RecordFault};
use crate::store::{Step, UNIT_SIZE};

/// Findings of one kind that name a queue or file each, at most.
pub(super) const FINDINGS_MAX: usize = 100;

/// Takes the steps of a load, and of the start after it, as they come, and keeps only what the picture holds.
#[derive(Debug)]
pub struct RecoveryPainter {
    /// Records of a file and units of a queue that are told one by one.
    detail: usize,
    picture: RecoveryPicture,
    phases: BTreeMap<PhaseKind, RecoveryPhase>,
    now: PhaseKind,
    /// The file under way, and the records found good in it so far.
    scanned: Option<ScannedFile>,
    records: RecordRun,
    cut: Option<CutRun>,
    dispatched: Dispatched,
    min_phy_offset: i64,
    found: Found,
}

/// What the verdict is made of.
#[derive(Debug, Default)]
struct Found {
    refused: Option<LoadFault>,
    damage: Option<Finding>,
    log_files: Option<(u64, String, String)>,
    queue_files_destroyed: Option<u64>,
    queues: Vec<Finding>,
    index: Vec<Finding>,
    rebuilt: BTreeSet<QueueName>,
    broken: bool,
    left_out: u64,
}

impl Found {
    fn add(list: &mut Vec<Finding>, left_out: &mut u64, finding: Finding) {
        if list.len() < FINDINGS_MAX { list.push(finding) } else { *left_out += 1 }
    }
}

impl RecoveryPainter {
    /// A painter that tells records of a file, and units of a queue, one by one up to `detail`.
    pub fn new(detail: usize) -> Self {
        Self {
            detail,
            picture: RecoveryPicture::default(),
            phases: BTreeMap::new(),
            now: PhaseKind::AbortFile,
            scanned: None,
            records: RecordRun::default(),
            cut: None,
            dispatched: Dispatched::default(),
            min_phy_offset: 0,
            found: Found::default(),
        }
    }

    /// Takes the next step, which has this index among its event's.
    pub fn take(&mut self, index: u32, step: &Step) {
        if self.take_cut(index, step) {
            return;
        }
        if let Some(kind) = self.phase_of(step) {
            self.now = kind;
        }
        self.count(step);
        match step {
            Step::RecordAccepted { physical_offset, size, dispatched } => {
                self.records.add(index, *physical_offset, *size, *dispatched, self.detail);
            }
            Step::RecoveryBegins { file, physical_offset, .. }
            | Step::RecoveryFileEntered { file, physical_offset } => {
                self.push_step(index, step);
                self.scanned = Some(ScannedFile { path: file.clone(), from: *physical_offset });
            }
            Step::RecoveryBlank { .. } | Step::RecordRejected { .. } | Step::RecoveryEnds { .. } => {
                self.end_records(!matches!(step, Step::RecoveryBlank { next: Some(_), .. }));
                self.push_step(index, step);
            }
            Step::LogTruncated { .. } => {
                self.push_step(index, step);
                // The queues are cut next.
                self.now = PhaseKind::QueueTruncation;
            }
            // Every queue that is taken in: its files say the same.
            Step::QueueCreated { .. } if self.now == PhaseKind::QueuesLoad => {}
            _ if matches!(self.now, PhaseKind::LogScan | PhaseKind::CatchUp) => {
                self.dispatched.add(index, step);
            }
            _ => self.push_step(index, step),
        }
        if matches!(step, Step::RecoveryEnds { .. }) {
            self.end_dispatch(PhaseKind::Dispatch);
            self.now = PhaseKind::Truncation;
        }
    }

    /// The picture of the steps so far.
    pub fn finish(mut self) -> RecoveryPicture {
        self.end_cut();
        self.end_records(true);
        self.end_dispatch(if self.now == PhaseKind::LogScan { PhaseKind::Dispatch } else { PhaseKind::CatchUp });
        self.picture.loaded = self.found.refused.is_none();
        self.forget_told_twice();
        self.judge();
        self.picture.phases = self.phases.into_values().collect();
        self.picture
    }

    /// The phase that a step begins or belongs to; `None` where it belongs to the one under way.
    fn phase_of(&self, step: &Step) -> Option<PhaseKind> {
        let starting = self.now >= PhaseKind::ReputStart;
        Some(match step {
            Step::LoadRefused { .. } => PhaseKind::Refused,
            Step::AbortChecked { .. } => PhaseKind::AbortFile,
            Step::FilesLoaded { directory, .. } if directory.starts_with("consumequeue") => PhaseKind::QueuesLoad,
            Step::FilesLoaded { .. } => PhaseKind::CommitLogLoad,
            Step::CheckpointRead { .. } => PhaseKind::Checkpoint,
            Step::IndexLoaded { .. } | Step::IndexIgnored { .. } => PhaseKind::IndexLoad,
            Step::QueueFileChecked { .. } | Step::QueueRecovered { .. } => PhaseKind::QueuesRecovered,
            Step::RecoveryFileExamined { .. } => PhaseKind::FirstFile,
            Step::RecoveryBegins { .. } => PhaseKind::LogScan,
            Step::QueuesDestroyed => PhaseKind::QueueTruncation,
            Step::StoreLocked | Step::ReputFrom { .. } => PhaseKind::ReputStart,
            Step::ReputRead { .. } | Step::ReputRolled { .. } | Step::ReputSkipped { .. } | Step::ReputMoved { .. } => {
                PhaseKind::CatchUp
            }
            Step::AbortCreated => PhaseKind::Started,
            // The start does the last of these again.
            Step::QueueOffsetRecovered { .. } | Step::MinOffsetCorrected { .. } | Step::DelayOffsetCorrected { .. }
                if starting =>
            {
                PhaseKind::Started
            }
            Step::QueueOffsetRecovered { .. } | Step::MinOffsetCorrected { .. } => PhaseKind::OffsetTable,
            Step::DelayOffsetCorrected { .. } => PhaseKind::DelayOffsets,
            Step::QueueCreated { .. } if self.now < PhaseKind::Checkpoint => PhaseKind::QueuesLoad,
            // The queues of the delay levels are made when their offsets are read.
            Step::QueueCreated { .. } if self.now >= PhaseKind::Truncation && !starting => PhaseKind::DelayOffsets,
            _ => return None,
        })
    }

    fn count(&mut self, step: &Step) {
        let Self { picture, found, .. } = self;
        let numbers = &mut picture.numbers;
        match step {
            Step::AbortChecked { clean } => picture.clean = *clean,
            Step::LoadRefused { fault } => found.refused = Some(fault.clone()),
            Step::RecoveryBegins { physical_offset, .. } => picture.begin = Some(*physical_offset),
            Step::RecoveryEnds { physical_offset, why } => {
                picture.end = Some(*physical_offset);
                picture.why = Some(*why);
            }
            Step::RecordAccepted { size, dispatched, .. } => {
                numbers.records_accepted += 1;
                numbers.bytes_accepted = numbers.bytes_accepted.saturating_add((*size).into());
                numbers.records_dispatched += u64::from(*dispatched);
            }
            Step::RecordRejected { physical_offset, file, position, at, fault, .. } if *fault != RecordFault::Zeros => {
                found.damage = Some(Finding::EndsAtDamage {
                    physical_offset: *physical_offset,
                    file: file.clone(),
                    position: *position,
                    at: *at,
                    fault: fault.clone(),
                });
            }
            Step::UnitWritten { topic, queue_id, .. } => {
                numbers.units_written += 1;
                let name = QueueName { topic: topic.clone(), queue_id: *queue_id };
                found.rebuilt.insert(name);
            }
            Step::UnitSkipped { .. } => numbers.units_there += 1,
            Step::IndexPut { .. } => numbers.index_entries += 1,
            Step::IndexLoaded { kept: true, .. } => numbers.index_files_kept += 1,
            Step::IndexLoaded { file, index_count, begin_phy_offset, end_phy_offset, end_timestamp, limit, .. } => {
                numbers.index_files_dropped += 1;
                let dropped = Finding::IndexDropped {
                    file: file.clone(),
                    entries: index_count.saturating_sub(1),
                    begin_phy_offset: *begin_phy_offset,
                    end_phy_offset: *end_phy_offset,
                    end_timestamp: *end_timestamp,
                    limit: *limit,
                    lost_before: None,
                };
                Found::add(&mut found.index, &mut found.left_out, dropped);
            }
            Step::FileDeleted { file, why } => self.count_deleted(file, *why),
            Step::PreBlankWritten { topic, queue_id, file, units } if *units > 0 => {
                let (topic, queue_id, units) = (topic.clone(), *queue_id, i64::from(*units));
                let blank = Finding::PreBlank { topic, queue_id, units, to: first_unit(file).saturating_add(units) };
                Found::add(&mut found.queues, &mut found.left_out, blank);
            }
            Step::QueuesDestroyed if numbers.queue_files_deleted > 0 => {
                found.queue_files_destroyed = Some(numbers.queue_files_deleted);
            }
            Step::FlagRaised { flag: Flag::WriteLogicsQueueError | Flag::WriteIndexFileError } => found.broken = true,
            Step::ReputFrom { min_phy_offset, .. } => self.min_phy_offset = *min_phy_offset,
            _ => {}
        }
    }

    fn count_deleted(&mut self, file: &str, why: DeleteCause) {
        let numbers = &mut self.picture.numbers;
        if file.starts_with("consumequeue") {
            numbers.queue_files_deleted += 1;
        } else if why == DeleteCause::Truncated {
            numbers.log_files_deleted += 1;
            let files = self.found.log_files.get_or_insert_with(|| (0, file.to_owned(), String::new()));
            files.0 += 1;
            file.clone_into(&mut files.2);
        }
    }

    /// A unit cut belongs to the run of its queue; anything else ends the run.
    fn take_cut(&mut self, index: u32, step: &Step) -> bool {
        if !matches!(step, Step::UnitCut { .. }) {
            // A file that goes may stand between the units of one queue.
            if !matches!(step, Step::FileDeleted { .. } | Step::PositionsMoved { .. }) {
                self.end_cut();
            }
            return false;
        }
        self.picture.numbers.units_cut += 1;
        if !self.cut.as_mut().is_some_and(|cut| cut.add(index, step, self.detail)) {
            self.end_cut();
            self.cut = CutRun::begin(index, step);
        }
        true
    }

    fn end_cut(&mut self) {
        let Some(cut) = self.cut.take() else { return };
        let (queue, from, to, count) = cut.units();
        let finding = Finding::UnitsCut { topic: queue.topic.clone(), queue_id: queue.queue_id, from, to, count };
        Found::add(&mut self.found.queues, &mut self.found.left_out, finding);
        let items = cut.items(self.detail);
        let phase = self.phase(PhaseKind::QueueTruncation);
        for item in items {
            push(phase, item);
        }
        phase.items.sort_by_key(|item| item.step);
    }

    fn end_records(&mut self, scan_ends: bool) {
        for item in self.records.take(self.scanned.as_ref(), scan_ends) {
            push(self.phase(PhaseKind::LogScan), item);
        }
    }

    fn end_dispatch(&mut self, kind: PhaseKind) {
        let (items, left_out) = std::mem::take(&mut self.dispatched).items();
        if items.is_empty() && left_out == 0 {
            return;
        }
        let phase = self.phase(kind);
        phase.left_out += left_out;
        for item in items {
            push(phase, item);
        }
    }

    fn push_step(&mut self, index: u32, step: &Step) {
        let item = RecoveryItem { step: index, place: place_of(step), what: RecoveryFact::Step { step: step.clone() } };
        push(self.phase(self.now), item);
    }

    fn phase(&mut self, kind: PhaseKind) -> &mut RecoveryPhase {
        self.phases.entry(kind).or_insert_with(|| RecoveryPhase { kind, items: Vec::new(), left_out: 0 })
    }

    /// The start takes the next queue offsets from the units once more: what is the same as before is left out.
    fn forget_told_twice(&mut self) {
        let Some(mut started) = self.phases.remove(&PhaseKind::Started) else { return };
        let before = self.phases.get(&PhaseKind::OffsetTable).map(|phase| phase.items.as_slice()).unwrap_or_default();
        started.items.retain(|item| before.iter().all(|before| before.what != item.what));
        self.phases.insert(PhaseKind::Started, started);
    }

    /// Puts the verdict together, as far as the steps tell.
    fn judge(&mut self) {
        let Found { refused, damage, log_files, queue_files_destroyed, queues, index, rebuilt, broken, left_out } =
            std::mem::take(&mut self.found);
        let verdict = &mut self.picture.verdict;
        if let Some(fault) = refused {
            verdict.push(Finding::Refused { fault });
            return;
        }
        if let Some(end) = self.picture.end {
            let min_phy_offset = self.min_phy_offset;
            verdict.push(Finding::Kept { min_phy_offset, max_phy_offset: end, records: None });
        }
        verdict.extend(damage);
        verdict.extend(log_files.map(|(count, first, last)| Finding::LogFilesDeleted { count, first, last }));
        verdict.extend(queue_files_destroyed.map(|files| Finding::QueuesDestroyed { files }));
        verdict.extend(queues);
        let begin = self.picture.begin;
        verdict.extend(index.into_iter().map(|finding| with_loss(finding, begin)));
        let numbers = &self.picture.numbers;
        if numbers.units_written > 0 || numbers.index_entries > 0 {
            verdict.push(Finding::Rebuilt {
                units: numbers.units_written,
                queues: rebuilt.len() as u64,
                index_entries: numbers.index_entries,
            });
        }
        if broken {
            verdict.push(Finding::MarkedBroken);
        }
        if left_out > 0 {
            verdict.push(Finding::More { count: left_out });
        }
    }
}

/// A dropped index file with what the scan that began at `begin` does not index again.
fn with_loss(mut finding: Finding, begin: Option<i64>) -> Finding {
    if let Finding::IndexDropped { begin_phy_offset, end_phy_offset, lost_before, .. } = &mut finding {
        let behind = end_phy_offset.saturating_add(1);
        let begin = begin.unwrap_or(behind).min(behind);
        *lost_before = (begin > *begin_phy_offset).then_some(begin);
    }
    finding
}

/// Queue offset of the first unit of a file, which its name tells in bytes.
fn first_unit(path: &str) -> i64 {
    let name = path.rsplit('/').next().unwrap_or_default();
    java::parse_long(name).unwrap_or(0) / i64::from(UNIT_SIZE)
}

fn push(phase: &mut RecoveryPhase, item: RecoveryItem) {
    if phase.items.len() < ITEMS_MAX { phase.items.push(item) } else { phase.left_out += 1 }
}

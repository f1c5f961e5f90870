//! The commit log, record by record.

use std::collections::BTreeMap;

use super::super::files::{Segment, locate};
use super::super::layout::UNIT;
use super::super::log::{Fault, LogReader, Look};
use super::super::queue::QueueReader;
use super::super::record_map::Tail;
use super::blocks::Blocks;
use super::log_tail::{TailScan, TailStart};
use super::run::Runs;
use super::{Context, Facts, Found, Problem, ProblemKind};
use crate::disk::{DiskError, ReadAt};
use crate::message::record::Record;
use crate::message::{TransactionType, java};

/// Bytes read at a time.
const CHUNK: u64 = 1024 * 1024;
/// Queues followed; of more the records are not compared with each other.
const QUEUES_KEPT: usize = 200_000;

/// Where the walk is.
#[derive(Clone, Debug, Default)]
pub(super) struct LogScan {
    segment: usize,
    position: u64,
    /// The rest of a file behind its records.
    tail: Option<TailScan>,
    /// Zeros that are a hole if a later file holds anything.
    zeros: Option<(usize, u64)>,
    /// End of the last record or blank met.
    end: Option<i64>,
    queues: BTreeMap<(String, i32), QueueTrail>,
    blocks: Blocks,
    not_indexed: Option<NotIndexed>,
}

/// What is remembered of a queue while the log is walked.
#[derive(Clone, Debug, Default)]
struct QueueTrail {
    /// Highest QUEUEOFFSET met, and the physical offset of the last record.
    highest: Option<(i64, i64)>,
    /// Difference between the slot and the QUEUEOFFSET of the last record that another slot holds.
    shift: i64,
    runs: Runs,
}

/// Records with keys outside the range of the index files.
#[derive(Clone, Debug)]
struct NotIndexed {
    problem: Problem,
    last: i64,
    count: u64,
}

impl LogScan {
    /// Goes on until the budget is used up or the log is done (`true`).
    pub(super) fn step<D: ReadAt + ?Sized>(&mut self, context: &mut Context<'_, D>) -> bool {
        let segments = &context.files.commit_log;
        let mut log = LogReader::new(context.disk, segments, CHUNK);
        while context.budget > 0 {
            let Some(file) = segments.get(self.segment) else {
                self.finish(context);
                return true;
            };
            if let Err(error) = self.advance(context, &mut log, file) {
                context.found.unreadable(&error);
                context.spend(file.len.saturating_sub(self.position));
                self.next_file();
            }
        }
        false
    }

    fn next_file(&mut self) {
        self.segment += 1;
        self.position = 0;
        self.tail = None;
    }

    /// One record, one blank, or a piece of a tail.
    fn advance<D: ReadAt + ?Sized>(
        &mut self,
        context: &mut Context<'_, D>,
        log: &mut LogReader<'_, D>,
        file: &Segment,
    ) -> Result<(), DiskError> {
        if let Some(tail) = &mut self.tail {
            let before = tail.at();
            let done = tail.advance(log)?;
            context.spend(tail.at() - before);
            if done {
                tail.report(file, self.end.unwrap_or(file.from), context.found);
                self.next_file();
            }
            return Ok(());
        }
        let offset = file.from.saturating_add_unsigned(self.position);
        match log.look(self.segment, self.position)? {
            Look::Record(record) => {
                let len = u64::try_from(record.total_size).unwrap_or(0).max(1);
                self.something_at(context, offset, len);
                context.facts.map.note(file.from, self.position, len);
                context.facts.totals.records += 1;
                context.facts.totals.record_bytes += len;
                self.record(context, file, offset, &record);
                self.position += len;
                context.spend(len);
            }
            Look::Blank { remaining, left } => {
                self.something_at(context, offset, left);
                context.facts.totals.blanks += 1;
                context.facts.map.note_tail(file.from, Tail::Full);
                if i64::from(remaining) != left.cast_signed() {
                    let problem = Problem::new(ProblemKind::BadBlank, &file.path, self.position);
                    let problem = problem.with("physicalOffset", offset).with("remaining", remaining);
                    context.found.add(problem.with("left", left));
                }
                context.spend(left);
                self.next_file();
            }
            Look::End => {
                context.facts.map.note_tail(file.from, Tail::Full);
                context.spend(file.len.saturating_sub(self.position));
                self.next_file();
            }
            Look::Unwritten => {
                context.facts.map.note_tail(file.from, Tail::Unwritten);
                if self.zeros.is_none() {
                    self.zeros = Some((self.segment, self.position));
                }
                self.tail = Some(TailScan::new(self.segment, self.position, TailStart::Unwritten));
            }
            Look::Bad(fault) => {
                context.facts.map.note_tail(file.from, Tail::Damaged);
                context.found.add(bad(&fault, file, self.position, offset));
                self.tail = Some(TailScan::new(self.segment, self.position, TailStart::Damaged));
            }
        }
        Ok(())
    }

    /// A record or blank makes the zeros before it a hole, and the log longer.
    fn something_at<D: ?Sized>(&mut self, context: &mut Context<'_, D>, offset: i64, len: u64) {
        self.end = Some(offset.saturating_add_unsigned(len));
        if let Some((segment, position)) = self.zeros.take()
            && let Some(file) = context.files.commit_log.get(segment)
        {
            let problem = Problem::new(ProblemKind::HoleInLog, &file.path, position);
            context.found.add(problem.with("physicalOffset", file.from.saturating_add_unsigned(position)));
        }
    }

    fn record<D: ReadAt + ?Sized>(
        &mut self,
        context: &mut Context<'_, D>,
        file: &Segment,
        offset: i64,
        record: &Record<'_>,
    ) {
        context.facts.newest = context.facts.newest.max(Some(record.store_timestamp));
        if record.physical_offset != offset {
            let problem = Problem::new(ProblemKind::PhysicalOffsetMismatch, &file.path, self.position);
            context.found.add(problem.with("physicalOffset", offset).with("found", record.physical_offset));
        }
        self.index_covers(context.facts, file, offset, record);
        if matches!(record.transaction_type(), TransactionType::Prepared | TransactionType::Rollback) {
            return;
        }
        let key = (record.topic.clone().into_owned(), record.queue_id);
        if self.queues.len() >= QUEUES_KEPT && !self.queues.contains_key(&key) {
            return;
        }
        let trail = self.queues.entry(key.clone()).or_default();
        let place = Place { file, position: self.position, offset, record };
        trail.duplicate(&place, context.found);
        match trail.unit_of(&mut self.blocks, context, &key, &place) {
            Ok(Slot::Own) => context.facts.confirmed.entry(key).or_default().add(record.queue_offset),
            Ok(Slot::Other) => {}
            Ok(Slot::None) => trail.without_unit(&place, context.facts.dispatch_from, context.found),
            Err(error) => context.found.unreadable(&error),
        }
    }

    /// Counts records with keys that lie outside what the index files cover.
    fn index_covers(&mut self, facts: &Facts, file: &Segment, offset: i64, record: &Record<'_>) {
        let keyed = record.uniq_key().is_some()
            || record.keys().is_some_and(|keys| java::split(keys, " ").iter().any(|key| !key.is_empty()));
        if !keyed || record.transaction_type() == TransactionType::Rollback {
            return;
        }
        let used = facts.index.iter().filter(|header| header.index_count > 1);
        let covered = used.clone().any(|header| (header.begin_phy_offset..=header.end_phy_offset).contains(&offset));
        let still_to_come = offset >= facts.dispatch_from && used.clone().all(|header| offset > header.end_phy_offset);
        let covered = covered || (still_to_come && used.count() > 0);
        if covered {
            return;
        }
        let position = self.position;
        let run = self.not_indexed.get_or_insert_with(|| NotIndexed {
            problem: Problem::new(ProblemKind::RecordNotIndexed, &file.path, position).with("physicalOffset", offset),
            last: offset,
            count: 0,
        });
        run.last = offset;
        run.count += 1;
    }

    fn finish<D: ReadAt + ?Sized>(&mut self, context: &mut Context<'_, D>) {
        let segments = &context.files.commit_log;
        let start = segments.first().map_or(0, |file| file.from);
        context.facts.map.note_end(self.end.unwrap_or(start));
        for trail in self.queues.values_mut() {
            for problem in trail.runs.finish() {
                context.found.add(problem);
            }
        }
        if let Some(run) = self.not_indexed.take() {
            context.found.add(run.problem.with("last", run.last).with("count", run.count));
        }
        let (Some(times), Some(newest)) = (context.facts.checkpoint, context.facts.newest) else { return };
        let fields = [
            ("physicMsgTimestamp", 0, times.physic),
            ("logicsMsgTimestamp", 8, times.logics),
            ("indexMsgTimestamp", 16, times.index),
        ];
        for (field, position, time) in fields {
            if time > newest {
                let problem = Problem::new(ProblemKind::CheckpointAhead, "checkpoint", position);
                context.found.add(problem.with("field", field).with("found", time).with("newest", newest));
            }
        }
    }
}

/// A record and where it lies.
struct Place<'p> {
    file: &'p Segment,
    position: u64,
    offset: i64,
    record: &'p Record<'p>,
}

impl Place<'_> {
    fn problem(&self, kind: ProblemKind) -> Problem {
        let problem = Problem::new(kind, &self.file.path, self.position).with("physicalOffset", self.offset);
        problem.with("topic", &self.record.topic).with("queueId", self.record.queue_id)
    }
}

/// Where the unit of a record stands.
enum Slot {
    /// Where its QUEUEOFFSET says.
    Own,
    /// At another place in the queue.
    Other,
    /// Nowhere.
    None,
}

impl QueueTrail {
    fn duplicate(&mut self, place: &Place<'_>, found: &mut Found) {
        let number = place.record.queue_offset;
        match self.highest {
            Some((highest, earlier)) if number <= highest => {
                let problem = || place.problem(ProblemKind::DuplicateQueueOffset).with("earlier", earlier);
                if let Some(ended) = self.runs.add(ProblemKind::DuplicateQueueOffset, number, problem) {
                    found.add(ended);
                }
                self.highest = Some((highest, place.offset));
            }
            _ => self.highest = Some((number, place.offset)),
        }
    }

    fn without_unit(&mut self, place: &Place<'_>, dispatch_from: i64, found: &mut Found) {
        let kind = if place.offset >= dispatch_from {
            ProblemKind::RecordNotDispatched
        } else {
            ProblemKind::RecordWithoutUnit
        };
        let problem = || place.problem(kind).with("from", dispatch_from);
        if let Some(ended) = self.runs.add(kind, place.record.queue_offset, problem) {
            found.add(ended);
        }
    }

    /// Looks at the unit of the record's own number, then where the last one was that was out of place, then
    /// everywhere.
    fn unit_of<D: ReadAt + ?Sized>(
        &mut self,
        blocks: &mut Blocks,
        context: &Context<'_, D>,
        key: &(String, i32),
        place: &Place<'_>,
    ) -> Result<Slot, DiskError> {
        let Some(segments) = context.files.queues.get(key) else { return Ok(Slot::None) };
        let number = place.record.queue_offset;
        let mut points_here = |number: i64| {
            let byte = number.checked_mul(UNIT).filter(|byte| *byte >= 0);
            let Some((segment, position)) = byte.and_then(|byte| locate(segments, byte)) else { return Ok(false) };
            let Some(file) = segments.get(segment) else { return Ok(false) };
            let unit = blocks.unit(context.disk, file, position)?;
            Ok(unit.is_some_and(|unit| unit.physical_offset == place.offset && unit.size == place.record.total_size))
        };
        if points_here(number)? {
            return Ok(Slot::Own);
        }
        if self.shift != 0 && points_here(number.saturating_add(self.shift))? {
            return Ok(Slot::Other);
        }
        let queue = QueueReader::new(context.disk, segments);
        let Some(other) = queue.find(place.offset, queue.max_offset()?)? else { return Ok(Slot::None) };
        self.shift = other.queue_offset.saturating_sub(number);
        Ok(Slot::Other)
    }
}

/// The problem that bytes which are no record make.
pub(super) fn bad(fault: &Fault, file: &Segment, position: u64, offset: i64) -> Problem {
    let problem = |kind| Problem::new(kind, &file.path, position).with("physicalOffset", offset);
    match fault {
        Fault::Magic(found) => problem(ProblemKind::BadMagic).with("found", format!("0x{:08X}", found.cast_unsigned())),
        Fault::Crc { stored, computed, of: (topic, queue_id, queue_offset) } => problem(ProblemKind::BadCrc)
            .with("stored", stored)
            .with("computed", computed)
            .with("topic", topic)
            .with("queueId", queue_id)
            .with("queueOffset", queue_offset),
        Fault::Size { size, cause } => problem(ProblemKind::BadSize).with("size", size).with("cause", cause),
    }
}

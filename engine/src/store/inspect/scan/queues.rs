//! The ConsumeQueues, unit by unit.

use super::super::files::Segment;
use super::super::find::{HolderKind, holder};
use super::super::layout::UNIT;
use super::super::log::{Fault, LogReader, Look};
use super::super::queue::{PlacedUnit, QueueReader};
use super::super::resync;
use super::run::Runs;
use super::{Context, Problem, ProblemKind};
use crate::disk::{DiskError, ReadAt};

/// Units read at a time.
const PIECE: u64 = 8192;
/// Bytes of the log read at a time, when a unit is followed.
const CHUNK: u64 = 64 * 1024;

/// Where the walk is.
#[derive(Clone, Debug, Default)]
pub(super) struct QueueScan {
    /// The queue under way, or the last one done.
    queue: Option<((String, i32), QueueState)>,
}

#[derive(Clone, Debug, Default)]
struct QueueState {
    /// Next queue offset.
    next: i64,
    /// The first unit that is not valid.
    end: Option<i64>,
    /// Only filler so far.
    leading: bool,
    runs: Runs,
    /// First valid unit behind the end, where it stands, and how many there are.
    stale: Option<(Problem, u64)>,
    /// Units of the file under way that point before the log.
    below: Below,
}

#[derive(Clone, Debug, Default)]
struct Below {
    segment: usize,
    count: u64,
}

impl QueueScan {
    /// Goes on until the budget is used up or all queues are done (`true`).
    pub(super) fn step<D: ReadAt + ?Sized>(&mut self, context: &mut Context<'_, D>) -> bool {
        let files = context.files;
        let mut log = LogReader::new(context.disk, &files.commit_log, CHUNK);
        while context.budget > 0 {
            let Some((key, state)) = &mut self.queue else {
                let Some(first) = files.queues.keys().next() else { return true };
                self.begin(context, first.clone());
                continue;
            };
            let Some(segments) = files.queues.get(key) else { return true };
            let queue = QueueReader::new(context.disk, segments);
            match state.advance(context, &mut log, key, &queue) {
                Ok(false) => continue,
                Ok(true) => {}
                Err(error) => context.found.unreadable(&error),
            }
            state.finish(context, key, &queue);
            let after = (std::ops::Bound::Excluded(key.clone()), std::ops::Bound::Unbounded);
            let Some((next, _)) = files.queues.range(after).next() else { return true };
            self.begin(context, next.clone());
        }
        false
    }

    fn begin<D: ReadAt + ?Sized>(&mut self, context: &Context<'_, D>, key: (String, i32)) {
        let first = context
            .files
            .queues
            .get(&key)
            .map_or(0, |segments| QueueReader::new(context.disk, segments).first_offset());
        self.queue = Some((key, QueueState { next: first, leading: true, ..QueueState::default() }));
    }
}

impl QueueState {
    /// A piece of the queue; `true` at its end.
    fn advance<D: ReadAt + ?Sized>(
        &mut self,
        context: &mut Context<'_, D>,
        log: &mut LogReader<'_, D>,
        key: &(String, i32),
        queue: &QueueReader<'_, D>,
    ) -> Result<bool, DiskError> {
        self.next = queue.next_held(self.next);
        let units = queue.units(self.next, PIECE)?;
        for placed in &units {
            if let Some(file) = queue.segments().get(placed.segment) {
                self.unit(context, log, key, file, placed)?;
            }
        }
        let count = units.len() as u64;
        context.spend(count * UNIT.unsigned_abs());
        self.next = self.next.saturating_add_unsigned(count);
        if let Some(last) = units.last() {
            self.file_done(context, key, queue, last);
        }
        Ok(count == 0)
    }

    fn unit<D: ReadAt + ?Sized>(
        &mut self,
        context: &mut Context<'_, D>,
        log: &mut LogReader<'_, D>,
        key: &(String, i32),
        file: &Segment,
        placed: &PlacedUnit,
    ) -> Result<(), DiskError> {
        let number = placed.queue_offset;
        let problem = |kind| {
            Problem::new(kind, &file.path, placed.position)
                .with("topic", &key.0)
                .with("queueId", key.1)
                .with("physicalOffset", placed.unit.physical_offset)
        };
        if !placed.unit.is_valid() {
            self.end.get_or_insert(number);
            return Ok(());
        }
        if let Some(end) = self.end {
            let stale = self
                .stale
                .get_or_insert_with(|| (problem(ProblemKind::StaleUnits).with("end", end).with("first", number), 0));
            stale.1 += 1;
            return Ok(());
        }
        if placed.is_filler() && self.leading {
            return Ok(());
        }
        self.leading = false;
        let min = log.min_offset().unwrap_or(0);
        if placed.unit.physical_offset < min {
            if self.below.segment != placed.segment {
                self.below = Below { segment: placed.segment, count: 0 };
            }
            self.below.count += 1;
            return Ok(());
        }
        if context.facts.confirmed.get(key).is_some_and(|confirmed| confirmed.contains(number)) {
            return Ok(());
        }
        let end = context.facts.map.end().unwrap_or(i64::MAX);
        let trouble = if placed.unit.physical_offset >= end || placed.is_filler() {
            let beyond = placed.unit.physical_offset >= end;
            let kind = if beyond { ProblemKind::UnitBeyondEnd } else { ProblemKind::UnitPointsNowhere };
            Some((kind, "end", end))
        } else {
            context.spend_again(CHUNK / 16);
            follow(context, log, key, placed)?
        };
        let Some((kind, name, value)) = trouble else { return Ok(()) };
        if let Some(ended) = self.runs.add(kind, number, || problem(kind).with(name, value)) {
            context.found.add(ended);
        }
        Ok(())
    }

    /// At the end of a file: whether all of its units point before the log.
    fn file_done<D: ReadAt + ?Sized>(
        &mut self,
        context: &mut Context<'_, D>,
        key: &(String, i32),
        queue: &QueueReader<'_, D>,
        last: &PlacedUnit,
    ) {
        let Some(file) = queue.segments().get(last.segment) else { return };
        let units = file.len / UNIT.unsigned_abs();
        let is_last_file = last.segment + 1 >= queue.segments().len();
        let whole = last.position / UNIT.unsigned_abs() + 1 == units && self.below.segment == last.segment;
        if whole && self.below.count == units && !is_last_file {
            let problem = Problem::new(ProblemKind::UnitsBelowMin, &file.path, 0)
                .with("topic", &key.0)
                .with("queueId", key.1)
                .with("first", file.from / UNIT)
                .with("last", last.queue_offset)
                .with("min", context.files.commit_log.first().map_or(0, |file| file.from));
            context.found.add(problem);
        }
    }

    fn finish<D: ReadAt + ?Sized>(
        &mut self,
        context: &mut Context<'_, D>,
        key: &(String, i32),
        queue: &QueueReader<'_, D>,
    ) {
        context.facts.queue_ends.insert(key.clone(), self.end.unwrap_or(self.next.max(queue.first_offset())));
        for problem in self.runs.finish() {
            context.found.add(problem);
        }
        if let Some((problem, count)) = self.stale.take() {
            context.found.add(problem.with("count", count));
        }
    }
}

/// What is wrong with a unit that points inside the log, and one more value for the sentence.
fn follow<D: ReadAt + ?Sized>(
    context: &Context<'_, D>,
    log: &mut LogReader<'_, D>,
    key: &(String, i32),
    placed: &PlacedUnit,
) -> Result<Option<(ProblemKind, &'static str, i64)>, DiskError> {
    let offset = placed.unit.physical_offset;
    let nowhere = Some((ProblemKind::UnitPointsNowhere, "record", -1));
    let Some((segment, position)) = log.locate(offset) else { return Ok(nowhere) };
    let by_its_word = resync::vouches(log.bytes(segment, position, resync::VOUCHED)?, offset);
    if !by_its_word {
        let holder = holder(log, &context.facts.map, segment, position)?;
        let inside = holder.filter(|holder| holder.kind == HolderKind::Record && holder.position < position);
        if let Some(holder) = inside {
            let start = holder.physical_offset(log.segments());
            return Ok(Some((ProblemKind::UnitInsideRecord, "record", start)));
        }
    }
    Ok(match log.look(segment, position)? {
        Look::Record(record) => {
            let same = record.total_size == placed.unit.size && record.topic == key.0.as_str();
            if !same || record.queue_id != key.1 {
                Some((ProblemKind::UnitMismatch, "size", record.total_size.into()))
            } else if record.queue_offset != placed.queue_offset {
                Some((ProblemKind::QueueOffsetMismatch, "found", record.queue_offset))
            } else {
                None
            }
        }
        // A damaged record begins here all the same; its own problem says so.
        Look::Bad(Fault::Crc { .. } | Fault::Size { .. }) => None,
        _ => nowhere,
    })
}

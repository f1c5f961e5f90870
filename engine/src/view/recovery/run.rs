//! Many of a kind in a row, told as one.

use std::collections::BTreeMap;

use super::item::{Place, RecoveryFact, RecoveryItem, place_of};
use crate::store::Step;
use crate::store::step::QueueName;

/// Items of a phase at most.
pub(super) const ITEMS_MAX: usize = 1000;
/// Of a long run of records the last few are told one by one.
const LAST_RECORDS: usize = 3;

/// The file of the log that is being scanned.
#[derive(Debug)]
pub(super) struct ScannedFile {
    pub(super) path: String,
    /// Physical offset of its first byte.
    pub(super) from: i64,
}

/// Records of one file found good in a row.
#[derive(Debug, Default)]
pub(super) struct RecordRun {
    first_step: u32,
    count: u64,
    from: i64,
    to: i64,
    dispatched: u64,
    /// The latest, at most as many as are told one by one.
    latest: Vec<(u32, i64, i32, bool)>,
}

impl RecordRun {
    pub(super) fn add(&mut self, step: u32, offset: i64, size: i32, dispatched: bool, detail: usize) {
        if self.count == 0 {
            (self.first_step, self.from) = (step, offset);
        }
        self.count += 1;
        self.dispatched += u64::from(dispatched);
        self.to = offset.saturating_add(size.into());
        if self.latest.len() >= detail.max(LAST_RECORDS) {
            self.latest.remove(0);
        }
        self.latest.push((step, offset, size, dispatched));
    }

    /// The run as items, and a new one. Where the scan ends, the last few records of a long run stand by themselves.
    pub(super) fn take(&mut self, file: Option<&ScannedFile>, ends: bool) -> Vec<RecoveryItem> {
        let Self { first_step, count, from, to: end, dispatched, latest } = std::mem::take(self);
        let path = file.map_or("", |file| &file.path);
        let place = |offset: i64, len: i64| {
            let start = u64::try_from(offset.checked_sub(file?.from)?).ok()?;
            Some(Place { path: path.to_owned(), start, len: u64::try_from(len).unwrap_or(0) })
        };
        let mut items = Vec::new();
        let mut singles = latest.as_slice();
        if count > latest.len() as u64 {
            let alone = if ends { LAST_RECORDS } else { 0 };
            singles = latest.get(latest.len().saturating_sub(alone)..).unwrap_or_default();
            let to = singles.first().map_or(end, |single| single.1);
            let told = singles.iter().filter(|single| single.3).count() as u64;
            let count = count - singles.len() as u64;
            let dispatched = dispatched.saturating_sub(told);
            let what = RecoveryFact::RecordsAccepted { file: path.to_owned(), count, from, to, dispatched };
            items.push(RecoveryItem { step: first_step, place: place(from, to.saturating_sub(from)), what });
        }
        items.extend(singles.iter().map(|&(step, physical_offset, size, dispatched)| RecoveryItem {
            step,
            place: place(physical_offset, size.into()),
            what: RecoveryFact::Step { step: Step::RecordAccepted { physical_offset, size, dispatched } },
        }));
        items
    }
}

/// A range of units of one queue.
#[derive(Clone, Debug)]
struct UnitRange {
    first_step: u32,
    count: u64,
    from: i64,
    to: i64,
    first: i64,
    last: i64,
    place: Option<Place>,
}

impl UnitRange {
    fn new(step: u32, queue_offset: i64, physical_offset: i64, place: Option<Place>) -> Self {
        let to = queue_offset.saturating_add(1);
        Self {
            first_step: step,
            count: 1,
            from: queue_offset,
            to,
            first: physical_offset,
            last: physical_offset,
            place,
        }
    }

    fn add(&mut self, queue_offset: i64, physical_offset: i64, place: Option<Place>) {
        self.count += 1;
        self.from = self.from.min(queue_offset);
        self.to = self.to.max(queue_offset.saturating_add(1));
        self.first = self.first.min(physical_offset);
        self.last = self.last.max(physical_offset);
        if let (Some(known), Some(place)) = (&mut self.place, place)
            && known.path == place.path
            && known.start.checked_add(known.len) == Some(place.start)
        {
            known.len += place.len;
        }
    }
}

/// Units of one queue cut in a row.
#[derive(Debug)]
pub(super) struct CutRun {
    queue: QueueName,
    range: UnitRange,
    /// The steps, at most one more than are told one by one.
    steps: Vec<(u32, Step)>,
}

impl CutRun {
    /// The run that begins with this step; `None` if it cuts no unit.
    pub(super) fn begin(index: u32, step: &Step) -> Option<Self> {
        let Step::UnitCut { topic, queue_id, queue_offset, physical_offset, .. } = step else { return None };
        let queue = QueueName { topic: topic.clone(), queue_id: *queue_id };
        let range = UnitRange::new(index, *queue_offset, *physical_offset, place_of(step));
        Some(Self { queue, range, steps: vec![(index, step.clone())] })
    }

    /// Takes the step into the run; `false` if it does not belong there.
    pub(super) fn add(&mut self, index: u32, step: &Step, detail: usize) -> bool {
        let Step::UnitCut { topic, queue_id, queue_offset, physical_offset, .. } = step else { return false };
        if *topic != self.queue.topic || *queue_id != self.queue.queue_id {
            return false;
        }
        self.range.add(*queue_offset, *physical_offset, place_of(step));
        if self.steps.len() <= detail {
            self.steps.push((index, step.clone()));
        }
        true
    }

    /// Queue, first and last queue offset and number of the units.
    pub(super) fn units(&self) -> (&QueueName, i64, i64, u64) {
        (&self.queue, self.range.from, self.range.to, self.range.count)
    }

    pub(super) fn items(self, detail: usize) -> Vec<RecoveryItem> {
        if self.steps.len() <= detail {
            let item = |(step, what): (u32, Step)| RecoveryItem {
                step,
                place: place_of(&what),
                what: RecoveryFact::Step { step: what },
            };
            return self.steps.into_iter().map(item).collect();
        }
        let QueueName { topic, queue_id } = self.queue;
        let UnitRange { first_step, count, from, to, first, last, place } = self.range;
        let what = RecoveryFact::UnitsCut { topic, queue_id, count, from, to, first, last };
        vec![RecoveryItem { step: first_step, place, what }]
    }
}

/// What dispatch did, by queue and index file.
#[derive(Debug, Default)]
pub(super) struct Dispatched {
    written: BTreeMap<QueueName, UnitRange>,
    there: BTreeMap<QueueName, UnitRange>,
    entries: BTreeMap<String, (u32, u64, i64, i64)>,
    not_indexed: Option<(u32, u64, i64, i64)>,
    /// What is told as it is, as much of it as an item list holds, and how much more there was.
    others: Vec<RecoveryItem>,
    left_out: u64,
}

impl Dispatched {
    pub(super) fn add(&mut self, index: u32, step: &Step) {
        let name = |topic: &String, queue_id: &i32| QueueName { topic: topic.clone(), queue_id: *queue_id };
        match step {
            Step::UnitWritten { topic, queue_id, queue_offset, physical_offset, .. } => {
                let range = self.written.entry(name(topic, queue_id));
                range
                    .and_modify(|range| range.add(*queue_offset, *physical_offset, place_of(step)))
                    .or_insert_with(|| UnitRange::new(index, *queue_offset, *physical_offset, place_of(step)));
            }
            Step::UnitSkipped { topic, queue_id, queue_offset, physical_offset, .. } => {
                let range = self.there.entry(name(topic, queue_id));
                range
                    .and_modify(|range| range.add(*queue_offset, *physical_offset, None))
                    .or_insert_with(|| UnitRange::new(index, *queue_offset, *physical_offset, None));
            }
            Step::IndexPut { file, physical_offset, .. } => {
                let entry = self.entries.entry(file.clone()).or_insert((index, 0, *physical_offset, *physical_offset));
                entry.1 += 1;
                entry.3 = *physical_offset;
            }
            Step::IndexSkipped { physical_offset, .. } => {
                let skipped = self.not_indexed.get_or_insert((index, 0, *physical_offset, *physical_offset));
                skipped.1 += 1;
                skipped.3 = *physical_offset;
            }
            // One a record, and nothing beyond what the units say.
            Step::ReputRead { .. } | Step::UnitNotWanted { .. } => {}
            _ if self.others.len() >= ITEMS_MAX => self.left_out += 1,
            other => {
                let what = RecoveryFact::Step { step: other.clone() };
                self.others.push(RecoveryItem { step: index, place: place_of(other), what });
            }
        }
    }

    /// The items in the order of their steps, and how many were left out.
    pub(super) fn items(self) -> (Vec<RecoveryItem>, u64) {
        let mut items = self.others;
        items.extend(self.written.into_iter().map(|(QueueName { topic, queue_id }, range)| {
            let UnitRange { first_step: step, count, from, to, first, last, place } = range;
            let what = RecoveryFact::UnitsWritten { topic, queue_id, count, from, to, first, last };
            RecoveryItem { step, place, what }
        }));
        items.extend(self.there.into_iter().map(|(QueueName { topic, queue_id }, range)| {
            let UnitRange { first_step: step, count, from, to, first, last, .. } = range;
            let what = RecoveryFact::UnitsThere { topic, queue_id, count, from, to, first, last };
            RecoveryItem { step, place: None, what }
        }));
        items.extend(self.entries.into_iter().map(|(file, (step, count, first, last))| {
            let place = Some(Place { path: file.clone(), start: 0, len: 0 });
            RecoveryItem { step, place, what: RecoveryFact::IndexEntriesWritten { file, count, first, last } }
        }));
        items.extend(self.not_indexed.map(|(step, count, first, last)| RecoveryItem {
            step,
            place: None,
            what: RecoveryFact::RecordsNotIndexed { count, first, last },
        }));
        items.sort_by_key(|item| item.step);
        (items, self.left_out)
    }
}

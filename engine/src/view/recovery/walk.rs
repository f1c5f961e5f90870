//! The log as it lay on the disk before, record by record, against the store that recovery made of it.

use std::collections::BTreeMap;

use super::painter::FINDINGS_MAX;
use super::{Finding, LostRecord};
use crate::disk::{Disk, DiskError, ReadAt};
use crate::message::record::Record;
use crate::message::{TransactionType, java};
use crate::store::Store;
use crate::store::inspect::{Fault, LogReader, Look, Segment, next_start};

/// Bytes of the log read at a time.
const CHUNK: u64 = 1024 * 1024;
/// Lost records that are named.
const EXAMPLES: usize = 10;

/// What the walk finds.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// Records before the end of the log.
    pub(super) kept: u64,
    lost: Lost,
    damage: Vec<Finding>,
    not_indexed: Option<(u64, i64, i64)>,
    /// By topic and queue.
    pub(super) queues: BTreeMap<String, BTreeMap<i32, Trail>>,
    pub(super) left_out: u64,
    unreadable: Option<Finding>,
}

#[derive(Debug, Default)]
struct Lost {
    count: u64,
    bytes: u64,
    first: i64,
    last: i64,
    file: String,
    examples: Vec<LostRecord>,
}

/// What the log says of one queue.
#[derive(Debug, Default)]
pub(super) struct Trail {
    /// Queue offset behind the highest that a record or unit has.
    pub(super) known: i64,
    /// Records without a unit, neighbours together.
    pub(super) gaps: Vec<Gap>,
}

/// Records of neighbouring queue offsets that no unit leads to.
#[derive(Debug)]
pub(super) struct Gap {
    pub(super) from: i64,
    pub(super) to: i64,
    pub(super) records: u64,
    pub(super) first: i64,
    pub(super) last: i64,
    /// Whether units of other records stand in their places.
    pub(super) overtaken: bool,
}

impl Walk {
    /// Walks through the files. `end` is where the log of `store` ends.
    pub(super) fn run<R: ReadAt + ?Sized, D: Disk>(
        &mut self,
        before: &R,
        files: &[Segment],
        store: &Store<D>,
        end: i64,
    ) {
        let mut log = LogReader::new(before, files, CHUNK);
        for (number, file) in files.iter().enumerate() {
            if let Err(error) = self.file(&mut log, number, file, store, end) {
                let (file, cause) = (file.path.clone(), error.to_string());
                self.unreadable.get_or_insert(Finding::Unreadable { file, cause });
            }
        }
    }

    fn file<R: ReadAt + ?Sized, D: Disk>(
        &mut self,
        log: &mut LogReader<'_, R>,
        number: usize,
        file: &Segment,
        store: &Store<D>,
        end: i64,
    ) -> Result<(), DiskError> {
        let mut position = 0;
        loop {
            let offset = file.from.saturating_add_unsigned(position);
            match log.look(number, position)? {
                Look::Record(record) => {
                    position += u64::try_from(record.total_size).unwrap_or(0).max(1);
                    self.record(&record, offset, file, store, end);
                    continue;
                }
                Look::Blank { .. } | Look::End => return Ok(()),
                Look::Bad(fault) if offset < end => self.damaged(&fault, offset, position, file),
                // What ends the log is told by recovery itself.
                Look::Bad(_) | Look::Unwritten => {}
            }
            let Some(next) = next_start(log, number, position + 1, file.len)? else { return Ok(()) };
            position = next;
        }
    }

    fn damaged(&mut self, fault: &Fault, physical_offset: i64, position: u64, file: &Segment) {
        let (file, cause) = (file.path.clone(), fault.to_string());
        let finding = Finding::DamageUnseen { physical_offset, file, position, cause };
        if self.damage.len() < FINDINGS_MAX { self.damage.push(finding) } else { self.left_out += 1 }
    }

    fn record<D: Disk>(&mut self, record: &Record<'_>, offset: i64, file: &Segment, store: &Store<D>, end: i64) {
        let takes_place = !matches!(record.transaction_type(), TransactionType::Prepared | TransactionType::Rollback);
        if takes_place {
            let trail = self.trail(&record.topic, record.queue_id);
            trail.known = trail.known.max(record.queue_offset.saturating_add(1));
        }
        if offset >= end {
            self.lose(record, offset, file);
            return;
        }
        self.kept += 1;
        if takes_place {
            self.look_for_unit(record, offset, store);
        }
        if store.config().message_index_enable && is_keyed(record) && !is_indexed(store, offset) {
            let run = self.not_indexed.get_or_insert((0, offset, offset));
            run.0 += 1;
            run.2 = offset;
        }
    }

    fn trail(&mut self, topic: &str, queue_id: i32) -> &mut Trail {
        if !self.queues.contains_key(topic) {
            self.queues.insert(topic.to_owned(), BTreeMap::new());
        }
        self.queues.entry(topic.to_owned()).or_default().entry(queue_id).or_default()
    }

    fn lose(&mut self, record: &Record<'_>, offset: i64, file: &Segment) {
        let lost = &mut self.lost;
        if lost.count == 0 {
            lost.first = offset;
            lost.file.clone_from(&file.path);
        }
        lost.count += 1;
        lost.bytes += u64::try_from(record.total_size).unwrap_or(0);
        lost.last = offset;
        if lost.examples.len() < EXAMPLES {
            lost.examples.push(LostRecord {
                physical_offset: offset,
                topic: record.topic.to_string(),
                queue_id: record.queue_id,
                queue_offset: record.queue_offset,
            });
        }
    }

    /// A record before the end is reached through its unit, in whatever place of its queue that stands.
    fn look_for_unit<D: Disk>(&mut self, record: &Record<'_>, offset: i64, store: &Store<D>) {
        let number = record.queue_offset;
        let unit = store.unit(&record.topic, record.queue_id, number);
        if unit.is_some_and(|unit| unit.physical_offset == offset) {
            return;
        }
        let overtaken = unit.is_some();
        if first_unit_from(store, &record.topic, record.queue_id, offset).is_some_and(|(_, found)| found == offset) {
            return;
        }
        let trail = self.trail(&record.topic, record.queue_id);
        match trail.gaps.last_mut() {
            Some(gap) if gap.overtaken == overtaken && gap.to == number => {
                gap.to = number.saturating_add(1);
                gap.records += 1;
                gap.last = offset;
            }
            _ => {
                let to = number.saturating_add(1);
                trail.gaps.push(Gap { from: number, to, records: 1, first: offset, last: offset, overtaken });
            }
        }
    }

    /// What was found of the log itself.
    pub(super) fn findings(&mut self) -> Vec<Finding> {
        let mut findings = std::mem::take(&mut self.damage);
        let Lost { count, bytes, first, last, file, examples } = std::mem::take(&mut self.lost);
        if count > 0 {
            findings.insert(0, Finding::RecordsLost { count, bytes, first, last, file, examples });
        }
        findings.extend(self.unreadable.take());
        findings
    }

    /// Records that the index does not know.
    pub(super) fn not_indexed(&self) -> Option<Finding> {
        self.not_indexed.map(|(records, first, last)| Finding::NotIndexed { records, first, last })
    }
}

/// The first unit of a queue, by halving, that leads to `offset` or behind it: its queue offset and where it leads.
pub(super) fn first_unit_from<D: Disk>(
    store: &Store<D>,
    topic: &str,
    queue_id: i32,
    offset: i64,
) -> Option<(i64, i64)> {
    let queue = store.queue(topic, queue_id)?;
    let max = queue.max_offset_in_queue();
    let leads = |number: i64| store.unit(topic, queue_id, number).map(|unit| unit.physical_offset);
    let (mut low, mut high) = (queue.min_offset_in_queue(), max);
    while low < high {
        let middle = low + (high - low) / 2;
        if leads(middle).is_some_and(|leads| leads < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if low < max { leads(low).map(|leads| (low, leads)) } else { None }
}

fn is_keyed(record: &Record<'_>) -> bool {
    let has_key = |keys: &str| java::split(keys, " ").iter().any(|key| !key.is_empty());
    record.transaction_type() != TransactionType::Rollback
        && (record.uniq_key().is_some() || record.keys().is_some_and(has_key))
}

/// Whether an index file covers the record.
fn is_indexed<D: Disk>(store: &Store<D>, offset: i64) -> bool {
    store
        .index_files()
        .iter()
        .map(crate::store::IndexFile::header)
        .any(|header| header.index_count > 1 && (header.begin_phy_offset..=header.end_phy_offset).contains(&offset))
}

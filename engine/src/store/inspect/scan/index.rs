//! The index files, entry by entry and slot by slot.

use super::super::index::IndexReader;
use super::super::layout::{INDEX_ENTRY, INDEX_SLOT};
use super::super::log::{Fault, LogReader, Look};
use super::run::Runs;
use super::{Context, Problem, ProblemKind};
use crate::disk::{DiskError, ReadAt};
use crate::message::java;
use crate::store::index_file::IndexKey;
use crate::store::{IndexEntry, IndexHeader};

/// Entries or slots read at a time.
const PIECE: i32 = 4096;
/// Bytes of the log read at a time: entries are in the order of the log.
const CHUNK: u64 = 256 * 1024;

/// Where the walk is.
#[derive(Clone, Debug, Default)]
pub(super) struct IndexScan {
    file: usize,
    /// Next entry; slots follow when all entries are done.
    entry: i32,
    slot: i32,
    runs: Runs,
    /// The record that the last entry pointed at.
    last: Option<Target>,
}

/// A record that entries point at.
#[derive(Clone, Debug)]
struct Target {
    offset: i64,
    found: TargetKind,
}

#[derive(Clone, Debug)]
enum TargetKind {
    /// A record with keys of these hashes.
    Hashes(Vec<i32>),
    /// A record that is damaged, or gone with the head of the log.
    Unknown,
    Nothing,
}

impl IndexScan {
    /// Goes on until the budget is used up or all files are done (`true`).
    pub(super) fn step<D: ReadAt + ?Sized>(&mut self, context: &mut Context<'_, D>) -> bool {
        let files = context.files;
        let mut log = LogReader::new(context.disk, &files.commit_log, CHUNK);
        while context.budget > 0 {
            let Some(path) = files.index.get(self.file) else { return true };
            let header = context.facts.index.get(self.file).copied().unwrap_or_default();
            let reader = IndexReader::new(context.disk, path, context.layout);
            if self.entry == 0 {
                header_problems(context, &path.path, &header, &reader);
                self.entry = 1;
            }
            match self.advance(context, &mut log, &path.path, &header, &reader) {
                Ok(false) => continue,
                Ok(true) => {}
                Err(error) => context.found.unreadable(&error),
            }
            for problem in self.runs.finish() {
                context.found.add(problem);
            }
            *self = Self { file: self.file + 1, ..Self::default() };
        }
        false
    }

    fn advance<D: ReadAt + ?Sized>(
        &mut self,
        context: &mut Context<'_, D>,
        log: &mut LogReader<'_, D>,
        path: &str,
        header: &IndexHeader,
        reader: &IndexReader<'_, D>,
    ) -> Result<bool, DiskError> {
        let end = reader.entry_end(header);
        if self.entry < end {
            let entries = reader.entries(self.entry, PIECE.min(end - self.entry))?;
            for (number, entry) in (self.entry..).zip(&entries) {
                self.one_entry(context, log, path, reader, number, entry)?;
            }
            context.spend(entries.len() as u64 * INDEX_ENTRY);
            self.entry = self.entry.saturating_add(i32::try_from(entries.len().max(1)).unwrap_or(PIECE));
            return Ok(false);
        }
        let values = reader.slot_values(self.slot, PIECE)?;
        for (slot, value) in (self.slot..).zip(&values).filter(|(_, value)| **value < 0 || **value >= end.max(1)) {
            let cause = format!("slot {slot} names entry {value}, the last one is {}", end - 1);
            let problem = Problem::new(ProblemKind::BadIndex, path, reader.slot_position(slot));
            context.found.add(problem.with("cause", cause));
        }
        context.spend(values.len() as u64 * INDEX_SLOT);
        self.slot = self.slot.saturating_add(i32::try_from(values.len()).unwrap_or(PIECE));
        Ok(values.is_empty() || self.slot >= reader.slots)
    }

    fn one_entry<D: ReadAt + ?Sized>(
        &mut self,
        context: &mut Context<'_, D>,
        log: &mut LogReader<'_, D>,
        path: &str,
        reader: &IndexReader<'_, D>,
        number: i32,
        entry: &IndexEntry,
    ) -> Result<(), DiskError> {
        let position = reader.entry_position(number);
        if entry.key_hash < 0 || entry.prev_index < 0 || entry.prev_index >= number {
            let cause = format!(
                "entry {number} has hash {} and names {} as the one before it",
                entry.key_hash, entry.prev_index
            );
            context.found.add(Problem::new(ProblemKind::BadIndex, path, position).with("cause", cause));
        }
        let kind = match &self.target(context, log, entry.phy_offset)?.found {
            TargetKind::Hashes(hashes) if hashes.contains(&entry.key_hash) => return Ok(()),
            TargetKind::Unknown => return Ok(()),
            TargetKind::Hashes(_) => ProblemKind::IndexMismatch,
            TargetKind::Nothing => ProblemKind::IndexPointsNowhere,
        };
        let problem = || Problem::new(kind, path, position).with("physicalOffset", entry.phy_offset);
        if let Some(ended) = self.runs.add(kind, number.into(), problem) {
            context.found.add(ended);
        }
        Ok(())
    }

    fn target<D: ReadAt + ?Sized>(
        &mut self,
        context: &mut Context<'_, D>,
        log: &mut LogReader<'_, D>,
        offset: i64,
    ) -> Result<&Target, DiskError> {
        let known = self.last.take().filter(|last| last.offset == offset);
        let target = match known {
            Some(target) => target,
            None => Target { offset, found: look(context, log, offset)? },
        };
        Ok(self.last.insert(target))
    }
}

fn look<D: ReadAt + ?Sized>(
    context: &mut Context<'_, D>,
    log: &mut LogReader<'_, D>,
    offset: i64,
) -> Result<TargetKind, DiskError> {
    if offset < log.min_offset().unwrap_or(0) {
        return Ok(if offset < 0 { TargetKind::Nothing } else { TargetKind::Unknown });
    }
    if context.facts.map.end().is_some_and(|end| offset >= end) {
        return Ok(TargetKind::Nothing);
    }
    let Some((segment, position)) = log.locate(offset) else { return Ok(TargetKind::Nothing) };
    Ok(match log.look(segment, position)? {
        Look::Record(record) => {
            let uniq = record.uniq_key();
            let keys = record.keys().map(|keys| java::split(keys, " ")).unwrap_or_default();
            let hashes = uniq.into_iter().chain(keys).map(|key| IndexKey::new(&record.topic, key).hash());
            let hashes = hashes.collect();
            context.spend_again(u64::from(record.total_size.unsigned_abs()));
            TargetKind::Hashes(hashes)
        }
        Look::Bad(Fault::Crc { .. } | Fault::Size { .. }) => TargetKind::Unknown,
        _ => TargetKind::Nothing,
    })
}

fn header_problems<D: ReadAt + ?Sized>(
    context: &mut Context<'_, D>,
    path: &str,
    header: &IndexHeader,
    reader: &IndexReader<'_, D>,
) {
    if header.index_count < 0 || header.index_count > reader.capacity {
        let cause = format!("it counts {} entries and has room for {}", header.index_count, reader.capacity);
        context.found.add(Problem::new(ProblemKind::BadIndex, path, 36).with("cause", cause));
    }
    if header.begin_timestamp > header.end_timestamp || header.begin_phy_offset > header.end_phy_offset {
        let cause = "it ends before it begins";
        context.found.add(Problem::new(ProblemKind::BadIndex, path, 0).with("cause", cause));
    }
    let vouched = context.facts.checkpoint.map_or(0, |times| times.index);
    if context.facts.abort && header.end_timestamp > vouched {
        let problem = Problem::new(ProblemKind::IndexNewerThanCheckpoint, path, 8);
        context.found.add(problem.with("end", header.end_timestamp).with("checkpoint", vouched));
    }
}

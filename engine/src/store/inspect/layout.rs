//! The sizes that a store was written with, worked out from its files.
//!
//! 4.9.8 takes them from its configuration and refuses to start when the files differ. A reader that was given only
//! the directory finds them in it: every file of a queue of files has the configured length, and its name is a
//! multiple of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::files::{Segment, StoreFiles};
use super::index_shape;
use crate::disk::ReadAt;

/// `mappedFileSizeCommitLog` of an unconfigured broker.
pub(super) const DEFAULT_COMMIT_LOG_FILE_SIZE: i64 = 1024 * 1024 * 1024;
/// `mappedFileSizeConsumeQueue` of an unconfigured broker.
pub(super) const DEFAULT_CONSUME_QUEUE_FILE_SIZE: i64 = 300_000 * 20;
/// `maxHashSlotNum` of an unconfigured broker.
pub(super) const DEFAULT_HASH_SLOTS: i32 = 5_000_000;
/// `maxIndexNum` of an unconfigured broker.
pub(super) const DEFAULT_INDEX_CAPACITY: i32 = 20_000_000;

/// Length of an index file's header.
pub const INDEX_HEADER: u64 = 40;
/// Length of a hash slot.
pub const INDEX_SLOT: u64 = 4;
/// Length of an index entry.
pub const INDEX_ENTRY: u64 = 20;
/// Length of a ConsumeQueue unit.
pub const UNIT: i64 = 20;

/// How a size is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LayoutSource {
    /// Given by the reader's configuration.
    Given,
    /// Worked out from the files.
    Inferred,
    /// 4.9.8's default, since nothing in the directory tells.
    Default,
}

/// Sizes that the reader knows beforehand, by RocketMQ's keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenLayout {
    /// `mappedFileSizeCommitLog`.
    pub commit_log_file_size: Option<i64>,
    /// `mappedFileSizeConsumeQueue`.
    pub consume_queue_file_size: Option<i64>,
    /// `maxHashSlotNum`.
    pub hash_slots: Option<i32>,
    /// `maxIndexNum`.
    pub index_capacity: Option<i32>,
}

/// The sizes that the store was written with, and how they are known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoreLayout {
    /// `mappedFileSizeCommitLog`, bytes, at least 1.
    pub commit_log_file_size: i64,
    /// How it is known.
    pub commit_log_source: LayoutSource,
    /// `mappedFileSizeConsumeQueue` rounded up to whole units, bytes, at least 20.
    pub consume_queue_file_size: i64,
    /// How it is known.
    pub consume_queue_source: LayoutSource,
    /// `maxHashSlotNum`, at least 1.
    pub hash_slots: i32,
    /// `maxIndexNum`, at least 1.
    pub index_capacity: i32,
    /// How they are known.
    pub index_source: LayoutSource,
}

impl StoreLayout {
    /// Works the sizes out. Costs a look at the files' lengths and, where the index has not the default length, a look
    /// at one index file ([`index_shape`]).
    pub fn infer<D: ReadAt + ?Sized>(disk: &D, files: &StoreFiles, given: &GivenLayout) -> Self {
        let (commit_log_file_size, commit_log_source) =
            choose(given.commit_log_file_size, || file_size([&files.commit_log]), DEFAULT_COMMIT_LOG_FILE_SIZE);
        let (consume_queue_file_size, consume_queue_source) = choose(
            given.consume_queue_file_size.map(whole_units),
            || file_size(files.queues.values()),
            DEFAULT_CONSUME_QUEUE_FILE_SIZE,
        );
        let (hash_slots, index_capacity, index_source) = index_shape::infer(disk, &files.index, given);
        Self {
            commit_log_file_size,
            commit_log_source,
            consume_queue_file_size,
            consume_queue_source,
            hash_slots,
            index_capacity,
            index_source,
        }
    }

    /// The length of an index file.
    pub fn index_file_len(&self) -> u64 {
        index_file_len(self.hash_slots, self.index_capacity)
    }
}

/// The length of an index file of this shape: `40 + slots * 4 + capacity * 20`.
pub fn index_file_len(hash_slots: i32, index_capacity: i32) -> u64 {
    let slots = u64::from(hash_slots.max(0).cast_unsigned());
    let capacity = u64::from(index_capacity.max(0).cast_unsigned());
    INDEX_HEADER + slots * INDEX_SLOT + capacity * INDEX_ENTRY
}

/// `MessageStoreConfig.getMappedFileSizeConsumeQueue`: up to the next whole unit.
fn whole_units(size: i64) -> i64 {
    size.saturating_add(UNIT - 1) / UNIT * UNIT
}

fn choose(given: Option<i64>, infer: impl FnOnce() -> Option<i64>, default: i64) -> (i64, LayoutSource) {
    match given.filter(|size| *size > 0) {
        Some(size) => (size, LayoutSource::Given),
        None => infer().map_or((default, LayoutSource::Default), |size| (size, LayoutSource::Inferred)),
    }
}

/// The size with the most witnesses: a file of this length is one, two neighbours whose names are this far apart are
/// one. Of equals the largest.
fn file_size<'a>(queues: impl IntoIterator<Item = &'a Vec<Segment>>) -> Option<i64> {
    let mut witnesses: BTreeMap<i64, u64> = BTreeMap::new();
    for segments in queues {
        for segment in segments {
            if let Ok(len @ 1..) = i64::try_from(segment.len) {
                *witnesses.entry(len).or_default() += 1;
            }
        }
        for pair in segments.windows(2) {
            if let [before, after] = pair {
                *witnesses.entry(after.from.saturating_sub(before.from)).or_default() += 1;
            }
        }
    }
    witnesses
        .into_iter()
        .filter(|(size, _)| *size > 0)
        .max_by_key(|(size, count)| (*count, *size))
        .map(|(size, _)| size)
}

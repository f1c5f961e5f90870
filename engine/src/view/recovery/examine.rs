//! What the steps cannot tell: recovery never looks at what it leaves behind.

use super::painter::FINDINGS_MAX;
use super::walk::{Gap, Walk, first_unit_from};
use super::{Finding, RecoveryPicture, consumers};
use crate::disk::{Disk, ReadAt};
use crate::store::inspect::{QueueReader, Segment, StoreFiles};
use crate::store::{ConsumeQueue, Store};

/// How much of the log is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth {
    /// Bytes of log files at most, from the end on; the newest file is always looked at.
    pub log_bytes: u64,
}

impl Depth {
    /// Everything.
    pub const WHOLE: Self = Self { log_bytes: u64::MAX };
}

/// Adds to the verdict of a started store what comparing it with the disk `before` the load shows: records out of
/// reach, holes and gaps, queue offsets that will be used again, consumers ahead of their queues.
pub fn examine<R: ReadAt + ?Sized, D: Disk>(before: &R, store: &Store<D>, depth: Depth, picture: &mut RecoveryPicture) {
    let files = StoreFiles::list(before);
    let mut verdict = std::mem::take(&mut picture.verdict);
    let newest = newest(&files.commit_log, depth);
    let end = picture.end.unwrap_or(i64::MAX);
    let mut walk = Walk::default();
    walk.run(before, newest, store, end);

    let looked_at_all = newest.len() == files.commit_log.len();
    for finding in &mut verdict {
        if let Finding::Kept { records, max_phy_offset, .. } = finding {
            *records = looked_at_all.then_some(walk.kept);
            *max_phy_offset = store.max_phy_offset();
        }
    }
    let mut found = walk.findings();
    // Right behind what ends the log.
    let place =
        verdict.iter().position(|finding| !matches!(finding, Finding::Kept { .. } | Finding::EndsAtDamage { .. }));
    let place = place.unwrap_or(verdict.len());
    found.extend(gaps(store));
    verdict.splice(place..place, found);

    let mut left_out = walk.left_out;
    let mut add = |finding, count: &mut usize| {
        *count += 1;
        if *count <= FINDINGS_MAX { verdict.push(finding) } else { left_out += 1 }
    };
    know_units(before, &files, &mut walk);
    let (mut holes, mut reused, mut consumers) = (0, 0, 0);
    for (topic, queues) in &walk.queues {
        for (&queue_id, trail) in queues {
            for gap in &trail.gaps {
                add(hole(topic, queue_id, gap), &mut holes);
            }
            let next = store.queue(topic, queue_id).map_or(0, ConsumeQueue::max_offset_in_queue);
            if trail.known > next {
                let topic = topic.clone();
                add(Finding::OffsetsReused { topic, queue_id, from: next, to: trail.known }, &mut reused);
            }
        }
    }
    for finding in consumers::ahead(before, store) {
        add(finding, &mut consumers);
    }
    verdict.extend(walk.not_indexed());
    if let Some(first) = newest.first().filter(|_| !looked_at_all) {
        verdict.push(Finding::NotExamined { before: first.from });
    }
    if left_out > 0 {
        verdict.push(Finding::More { count: left_out });
    }
    picture.verdict = verdict;
}

/// The newest files of the log that together are no longer than the depth.
fn newest(files: &[Segment], depth: Depth) -> &[Segment] {
    let mut left = depth.log_bytes;
    let fits = |file: &&Segment| {
        let fits = file.len <= left;
        left = left.saturating_sub(file.len);
        fits
    };
    let count = files.iter().rev().take_while(fits).count().max(1);
    files.get(files.len().saturating_sub(count)..).unwrap_or_default()
}

fn hole(topic: &str, queue_id: i32, gap: &Gap) -> Finding {
    let (topic, &Gap { from, to, records, first, last, overtaken }) = (topic.to_owned(), gap);
    if overtaken {
        Finding::Overtaken { topic, queue_id, from, to, records, first, last }
    } else {
        Finding::QueueHole { topic, queue_id, from, to, records, first, last }
    }
}

/// The queue offsets that units had before, be their records there or not.
fn know_units<R: ReadAt + ?Sized>(before: &R, files: &StoreFiles, walk: &mut Walk) {
    for ((topic, queue_id), segments) in &files.queues {
        // What cannot be read ends the queue for recovery too.
        let Ok(max) = QueueReader::new(before, segments).max_offset() else { continue };
        let trail = walk.queues.entry(topic.clone()).or_default().entry(*queue_id).or_default();
        trail.known = trail.known.max(max);
    }
}

/// Files that are missing in the middle of the log, and the units that lead there (`MappedFileQueue.checkSelf`).
fn gaps<D: Disk>(store: &Store<D>) -> Vec<Finding> {
    let size = i64::from(store.config().mapped_file_size_commit_log);
    let starts: Vec<i64> = store.commit_log_files().map(|(start, _)| start).collect();
    let gaps = starts.iter().zip(starts.iter().skip(1)).map(|(start, next)| (start.saturating_add(size), *next));
    gaps.filter(|(from, to)| from < to)
        .map(|(from, to)| {
            let (mut units, mut queues) = (0, 0);
            for (topic, queue_id, queue) in store.queues() {
                let place = |offset| {
                    let found = first_unit_from(store, topic, queue_id, offset);
                    found.map_or(queue.max_offset_in_queue(), |(number, _)| number)
                };
                let inside = u64::try_from(place(to).saturating_sub(place(from))).unwrap_or(0);
                units += inside;
                queues += u64::from(inside > 0);
            }
            Finding::LogGap { from, to, units, queues }
        })
        .collect()
}

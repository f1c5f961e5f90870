//! What must hold once a store has started again, and the rule for each thing that does not.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rocketscope_engine::message::delay::{DelayLevels, SCHEDULE_TOPIC};
use rocketscope_engine::message::record::{self, Checked};
use rocketscope_engine::store::Unit;

use crate::exception::Exception;
use crate::images::{Dir, Images};
use crate::model::{Found, Model, QueueKey, Stands};
use crate::queue::{Put, UNIT};
use crate::rig::{Before, Outcome, Rig, must};

/// No log of a case is so long: what a pre-blank unit seems to reach to, whole or torn.
const FAR: i64 = 1 << 30;

/// The log as it can be read.
pub(crate) struct Walk {
    pub(crate) records: Vec<Found>,
    /// Where nothing can be made of the rest of a file, up to the file's end.
    pub(crate) holes: Vec<(i64, i64)>,
}

/// Reads the log from its first file to its end.
pub(crate) fn walk(model: &Model) -> Walk {
    let mut walk = Walk { records: Vec::new(), holes: Vec::new() };
    for file in &model.log.list {
        let mut position = 0;
        while position < file.readable() {
            match model.stands(file.start, position, file.readable(), Some(false)) {
                Stands::Record(found) => {
                    position += found.size;
                    walk.records.push(found);
                }
                Stands::Blank => break,
                Stands::Bad { .. } => {
                    walk.holes.push((file.start + i64::from(position), file.start + i64::from(file.readable())));
                    break;
                }
            }
        }
    }
    walk
}

/// Judges a store that has just started, its model being equal to it.
pub(crate) fn judge(rig: &mut Rig, before: &Before) -> Outcome {
    let walk = walk(&rig.model);
    judge_end(rig, before, &before.after, rig.model.log.max())?;
    rig.judged_end = None;
    judge_holes(rig, &walk)?;
    for found in &walk.records {
        judge_record(rig, found)?;
    }
    rig.live = walk.records.iter().map(|found| found.at).collect();
    let by_place: BTreeMap<i64, &Found> = walk.records.iter().map(|found| (found.at, found)).collect();
    for found in walk.records.iter().filter(|found| found.in_queue) {
        judge_dispatch(rig, before, &walk, found)?;
    }
    let keys: Vec<QueueKey> = rig.model.queues.keys().cloned().collect();
    for key in keys {
        judge_slots(rig, &walk, &by_place, &key)?;
    }
    Ok(())
}

/// The log holds everything that was flushed, and after a crash that took none of its bytes everything that was
/// written, unless a rule says otherwise. `found` is the disk that recovery found, `end` where it lets the log end.
pub(crate) fn judge_end(rig: &mut Rig, before: &Before, found: &Images, end: i64) -> Outcome {
    let old = &before.model;
    let mut logs = old.images.files.iter().filter(|((dir, _), _)| *dir == Dir::Log);
    let untouched = logs.all(|(key, image)| found.files.get(key).is_some_and(|found| found.cache == image.cache));
    let written = if rig.shape.pool { old.log.committed_where } else { old.log.max() };
    let wanted = if untouched { written } else { old.log.flushed_where };
    if end < wanted && rig.judged_end != Some(end) {
        let start = end - end % i64::from(rig.shape.log_file);
        let at = (end - start) as i32;
        let stands = |images: &Images| old.stands_in(images, start, at);
        if matches!(stands(found), Stands::Blank) {
            // The last file was closed, and there is no next one: nothing is lost.
        } else if rig.flipped.contains(&end) {
            rig.excuse(Exception::DamagedBody)?;
        } else if matches!(stands(&old.images), Stands::Bad { .. }) {
            rig.excuse(Exception::OldHole)?;
        } else {
            let image = old.images.get(&Dir::Log, start).ok_or("the log ends in a file that was not there")?;
            if image.cache == image.stable {
                return Err(format!("the log ends at {end}, and {wanted} was flushed"));
            }
            rig.excuse(if rig.flush_refused { Exception::FlushRefused } else { Exception::TakenAsFlushed })?;
        }
        rig.judged_end = Some(end);
    }
    let behind: Vec<i64> = rig.acked.range(end..).map(|(at, _)| *at).collect();
    for at in behind {
        rig.acked.remove(&at);
        rig.excuse(Exception::AcknowledgedBehindEnd)?;
    }
    Ok(())
}

fn judge_holes(rig: &mut Rig, walk: &Walk) -> Outcome {
    for (from, to) in &walk.holes {
        if *to > rig.model.recovery.from {
            return Err(format!("nothing good at {from}, where recovery has read"));
        }
        if rig.known_holes.insert(*from) {
            rig.excuse(Exception::HoleBeforeScan)?;
        }
    }
    Ok(())
}

/// A record that can be read is one that was written there, byte by byte, unless a rule says otherwise; and reading by
/// its place gives it.
fn judge_record(rig: &mut Rig, found: &Found) -> Outcome {
    let start = found.at - found.at % i64::from(rig.shape.log_file);
    let position = (found.at - start) as usize;
    let image = rig.model.images.get(&Dir::Log, start).ok_or("a record without a file")?;
    let bytes: Rc<[u8]> = image.cache[position..position + found.size as usize].into();
    let bytes = &*bytes;
    let store = rig.store.as_ref().expect("running");
    let read = store.look_message_by_offset(found.at);
    if read.as_deref() != Some(bytes) {
        return Err(format!("the record at {} cannot be read by its offset", found.at));
    }
    let written = rig.history.get(&found.at).map(Vec::as_slice).unwrap_or_default();
    if written.last().is_some_and(|newest| **newest == *bytes) {
        if !rig.live.contains(&found.at) {
            rig.excuse(Exception::OldRecordBack)?;
        }
        return Ok(());
    }
    let is_older = written.iter().any(|older| **older == *bytes);
    let scanned = rig.shape.check_crc && found.at >= rig.model.recovery.from;
    if scanned && !body_is_whole(bytes) {
        return Err(format!("the record at {} was taken as whole, and its body is not", found.at));
    }
    let exception = if is_older {
        Exception::OldRecordBack
    } else if body_is_whole(bytes) {
        Exception::TornTail
    } else {
        Exception::DamageServed
    };
    rig.excuse(exception)?;
    rig.history.entry(found.at).or_default().push(bytes.into());
    Ok(())
}

/// Whether the checksum is the body's.
fn body_is_whole(bytes: &[u8]) -> bool {
    let int = |at: usize| bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| i32::from_be_bytes(*bytes));
    let len = int(84).max(0) as usize;
    let Some(body) = bytes.get(88..88 + len) else { return false };
    body.is_empty() || (crc32fast::hash(body) & 0x7FFF_FFFF).cast_signed() == int(8)
}

/// A record of a queue has its unit in the slot of its queue offset, unless a rule says otherwise.
fn judge_dispatch(rig: &mut Rig, before: &Before, walk: &Walk, found: &Found) -> Outcome {
    let there = slot_of(&rig.model, &found.queue, found.queue_offset);
    let key = (found.queue.clone(), found.at);
    if let Some(unit) = there
        && (unit.physical_offset, unit.size) == (found.at, found.size)
    {
        rig.excused.remove(&key);
        judge_pull(rig, found)?;
        if unit.tags_code != found.tags_code && rig.odd_tags.insert(found.at) {
            let blind = without_levels(&rig.model, found);
            let exception = if &*found.queue.0 == SCHEDULE_TOPIC && blind == Some(unit.tags_code) {
                Exception::DelayedWithoutTime
            } else {
                Exception::TornUnit
            };
            rig.excuse(exception)?;
        }
        return Ok(());
    }
    if rig.excused.contains_key(&key) {
        return Ok(());
    }
    let exception = why_not_there(rig, before, walk, found, there)?;
    rig.excused.insert(key, exception);
    rig.excuse(exception)?;
    Ok(())
}

/// Reading by queue offset gives the record.
fn judge_pull(rig: &mut Rig, found: &Found) -> Outcome {
    let (topic, id) = &found.queue;
    let is_below = found.queue_offset < rig.model.queues[&found.queue].min();
    if is_below {
        return rig.excuse(Exception::BelowMinimum);
    }
    // One in eight, a different one each time: pulls cost more than everything else here.
    if (found.at + rig.tally.rounds as i64) % 8 != 0 {
        return Ok(());
    }
    let store = rig.store.as_mut().ok_or("the store does not run")?;
    let answer = store.get_message("g", topic, *id, found.queue_offset, 1, None).ok_or("the store does not run")?;
    let places: Vec<_> = answer.selected.iter().map(|one| (one.queue_offset, one.physical_offset, one.size)).collect();
    must("a pull", &places, &vec![(found.queue_offset, found.at, found.size)])
}

fn why_not_there(
    rig: &Rig,
    before: &Before,
    walk: &Walk,
    found: &Found,
    there: Option<Unit>,
) -> Result<Exception, String> {
    let recovery = &rig.model.recovery;
    let here = format!("record at {} ({}-{} {})", found.at, found.queue.0, found.queue.1, found.queue_offset);
    let queues_were_cut = recovery.max_of_queues >= recovery.end;
    if there.is_some_and(|unit| is_torn_of(rig, found, unit)) {
        return Ok(Exception::TornUnit);
    }
    match rig.model.dispatched.get(&found.at) {
        Some(Put::Built(max)) if *max > FAR => return Ok(Exception::PreBlankAhead),
        Some(Put::Built(max)) => {
            return match there {
                Some(unit) if unit == Unit::BLANK => Ok(Exception::PreBlank),
                Some(_) => Ok(Exception::SlotTaken),
                None if *max >= found.end() => Ok(Exception::StaleUnitAhead),
                None => Err(format!("{here}: not dispatched, and the queue knows only up to {max}")),
            };
        }
        Some(Put::Taken) => {
            return match there {
                Some(_) => Ok(Exception::SlotTaken),
                None if queues_were_cut => Ok(Exception::CutWithStaleUnit),
                None => Err(format!("{here}: its slot was taken, and is not there")),
            };
        }
        Some(Put::Slot(slot)) if *slot != found.queue_offset => return Ok(Exception::Misplaced),
        Some(Put::Slot(_)) if queues_were_cut => return Ok(Exception::CutWithStaleUnit),
        Some(Put::Slot(_)) => return Err(format!("{here}: was dispatched, and is not there")),
        Some(Put::Failed) if !rig.model.writeable => return Ok(Exception::NoQueueForTopic),
        Some(Put::Failed) => return Err(format!("{here}: not written, and the queues are writeable")),
        None => {}
    }
    // Nobody dispatched it since the start.
    if found.at >= recovery.reput_from || (!recovery.clean && found.at >= recovery.from) {
        let size = i64::from(rig.shape.log_file);
        let from = recovery.reput_from;
        let inside = !walk.records.iter().any(|record| record.at == from || record.end() == from) && from % size != 0;
        let bad_bytes = walk.holes.iter().any(|(hole, _)| *hole >= from && *hole < found.at);
        return if from > FAR {
            Ok(Exception::PreBlankAhead)
        } else if inside && from / size == found.at / size {
            Ok(Exception::DispatchFromInside)
        } else if bad_bytes {
            Ok(Exception::SkippedWithBadBytes)
        } else {
            Err(format!("{here}: should have been dispatched; {recovery:?}"))
        };
    }
    let unit = |unit: Unit| (unit.physical_offset, unit.size) == (found.at, found.size);
    let had = slot_of(&before.model, &found.queue, found.queue_offset).is_some_and(unit);
    if !had {
        return if recovery.reput_from > FAR { Ok(Exception::PreBlankAhead) } else { Ok(Exception::StartAtLargest) };
    }
    let offset = found.queue_offset * i64::from(UNIT);
    let start = offset - offset % i64::from(rig.shape.queue_file);
    let dir = Dir::Queue(Rc::clone(&found.queue.0), found.queue.1);
    if before.deleted.iter().any(|(other, at)| *other == dir && *at <= start) {
        return Ok(Exception::QueueLost);
    }
    let raw = before.after.get(&dir, start).and_then(|image| {
        let bytes = image.cache.get((offset - start) as usize..)?.first_chunk()?;
        Some(Unit::from_bytes(bytes))
    });
    if !raw.is_some_and(unit) {
        return Ok(if recovery.clean { Exception::UnflushedByStop } else { Exception::CheckpointAhead });
    }
    let emptied = |(dir, start): (&Dir, i64)| {
        let image = before.after.get(dir, start);
        image.is_none_or(|image| image.cache.as_chunks::<20>().0.iter().any(|unit| !Unit::from_bytes(unit).is_valid()))
    };
    let earlier = (start - 2 * i64::from(rig.shape.queue_file)).max(0);
    if (earlier..=start).step_by(rig.shape.queue_file as usize).any(|start| emptied((&dir, start))) && !queues_were_cut
    {
        return Ok(Exception::BehindEmptySlot);
    }
    if queues_were_cut {
        return Ok(Exception::CutWithStaleUnit);
    }
    Err(format!("{here}: its unit was there, and is gone"))
}

fn slot_of(model: &Model, key: &QueueKey, slot: i64) -> Option<Unit> {
    model.queues.get(key)?.unit(&model.images, slot)
}

/// The tags code that a record gets from those who know no delay levels.
fn without_levels(model: &Model, found: &Found) -> Option<i64> {
    let start = found.at - found.at % i64::from(model.shape.log_file);
    let bytes = model.images.get(&Dir::Log, start)?.cache.get((found.at - start) as usize..)?;
    match record::check(bytes, false, true, &DelayLevels::default()) {
        Checked::Good(good) => Some(good.tags_code),
        _ => None,
    }
}

/// A slot holds the unit of the record that says so, unless a rule says otherwise; and it points at no place where no
/// record of this queue ever was.
fn judge_slots(rig: &mut Rig, walk: &Walk, by_place: &BTreeMap<i64, &Found>, key: &QueueKey) -> Outcome {
    let queue = &rig.model.queues[key];
    let first = queue.files.list.first().map_or(0, |file| file.start / i64::from(UNIT));
    let (mut odd, mut seen) = (Vec::new(), BTreeSet::new());
    for slot in first..queue.max() {
        let Some(unit) = queue.unit(&rig.model.images, slot) else { continue };
        if unit == Unit::BLANK {
            odd.push((slot, Exception::PreBlank));
            continue;
        }
        let place = unit.physical_offset;
        match by_place.get(&place) {
            Some(found) if found.size == unit.size && found.queue == *key && found.in_queue => {
                if found.queue_offset != slot {
                    let own = queue.unit(&rig.model.images, found.queue_offset);
                    let torn = own.is_some_and(|own| is_torn_of(rig, found, own));
                    odd.push((slot, if torn { Exception::TornUnit } else { Exception::Misplaced }));
                }
            }
            _ if place < rig.model.log.min() && unit != ZERO => {
                if slot >= queue.min() {
                    odd.push((slot, Exception::ExpiredUnit));
                }
            }
            _ if was_of(rig, key, unit) => {
                if !walk.holes.iter().any(|(from, to)| (*from..*to).contains(&place)) {
                    odd.push((slot, Exception::StaleUnit));
                }
            }
            _ if unit == ZERO && slot % i64::from(rig.shape.queue_file / UNIT) == 0 => {
                odd.push((slot, Exception::ZeroUnit));
            }
            _ if is_torn(rig, key, unit) => odd.push((slot, Exception::TornUnit)),
            _ => return Err(format!("{}-{} {slot}: {unit:?} is of no record that ever was", key.0, key.1)),
        }
        seen.insert(place);
    }
    for (slot, exception) in odd {
        if rig.odd_slots.insert((key.clone(), slot, exception)) {
            rig.excuse(exception)?;
        }
    }
    Ok(())
}

/// What a slot of a file holds that was never written.
const ZERO: Unit = Unit { physical_offset: 0, size: 0, tags_code: 0 };

/// Whether the unit is a torn one of this record.
fn is_torn_of(rig: &Rig, found: &Found, unit: Unit) -> bool {
    unit.physical_offset == found.at && unit != ZERO && unit != Unit::BLANK && !was_of(rig, &found.queue, unit)
}

/// Whether the unit begins like one that could have been written, and ends like one that could have been there.
fn is_torn(rig: &Rig, key: &QueueKey, unit: Unit) -> bool {
    let records = rig.history.values().flatten().filter_map(|bytes| {
        match record::check(bytes, false, true, &*rig.model.levels) {
            Checked::Good(good) if (&*good.topic, good.queue_id) == (&*key.0, key.1) => {
                let place = good.physical_offset;
                Some(Unit { physical_offset: place, size: good.size, tags_code: good.tags_code })
            }
            _ => None,
        }
    });
    let unit = unit.to_bytes();
    let (mut head, mut tail) = (0, 0);
    for candidate in records.chain([Unit::BLANK, ZERO]) {
        let candidate = candidate.to_bytes();
        head = head.max(unit.iter().zip(&candidate).take_while(|(a, b)| a == b).count());
        tail = tail.max(unit.iter().rev().zip(candidate.iter().rev()).take_while(|(a, b)| a == b).count());
    }
    head + tail >= unit.len()
}

/// Whether a record of this queue ever was at the unit's place.
fn was_of(rig: &Rig, key: &QueueKey, unit: Unit) -> bool {
    let records = rig.history.get(&unit.physical_offset).map(Vec::as_slice).unwrap_or_default();
    records
        .iter()
        .filter(|bytes| bytes.len() as i32 == unit.size)
        .any(|bytes| record::decode(bytes).is_ok_and(|record| (&*record.topic, record.queue_id) == (&*key.0, key.1)))
}

//! Reading a queue from an offset on.

use crate::disk::Disk;
use crate::message::Properties;
use crate::message::record;

use super::commit_log::Place;
use super::consume_queue::{ConsumeQueue, UNIT_SIZE, Unit, UnitReader, Units};
use super::consume_queue_ext::is_ext_address;
use super::mapped_file::read;
use super::outcome::{GetMessageResult, GetMessageStatus, Selected};
use super::step::UnitVerdict;
use super::{BrokerRole, Env, MessageFilter, Step, StillEnv, Store};

/// Bytes of units that one pull looks at, at least.
const FILTER_WINDOW: i32 = 16_000;

/// What a pull asks for.
#[derive(Clone, Copy)]
struct Ask<'a> {
    offset: i64,
    max: i32,
    filter: Option<&'a dyn MessageFilter>,
}

impl<D: Disk> Store<D> {
    /// At most `max` messages of a queue from `offset` on (`getMessage`). `None`, where 4.9.8 answers `null`, if the store
    /// is stopped or not readable. Reading a queue makes it, so the queue always exists.
    ///
    /// `group` is only counted by in 4.9.8.
    pub fn get_message(
        &mut self,
        group: &str,
        topic: &str,
        queue_id: i32,
        offset: i64,
        max: i32,
        filter: Option<&dyn MessageFilter>,
    ) -> Option<GetMessageResult> {
        self.get_message_in(group, topic, queue_id, offset, max, filter, &mut StillEnv::default())
    }

    /// [`Store::get_message`], telling `env` what becomes of each unit.
    #[expect(clippy::too_many_arguments, reason = "a pull names all of these")]
    pub fn get_message_in<E: Env>(
        &mut self,
        _group: &str,
        topic: &str,
        queue_id: i32,
        offset: i64,
        max: i32,
        filter: Option<&dyn MessageFilter>,
        env: &mut E,
    ) -> Option<GetMessageResult> {
        if !self.running || !self.flags.is_readable() {
            return None;
        }
        self.queues.queue_or_create(topic, queue_id, &self.config, env);
        let queue = self.queues.get(topic, queue_id)?;
        let ask = Ask { offset, max, filter };
        let result = self.pull(queue, ask, env);
        env.step(|| Step::GetAnswered {
            topic: topic.to_owned(),
            queue_id,
            offset,
            status: result.status,
            next_begin_offset: result.next_begin_offset,
            messages: result.selected.len() as i32,
        });
        Some(result)
    }

    fn pull<E: Env>(&self, queue: &ConsumeQueue, ask: Ask<'_>, env: &mut E) -> GetMessageResult {
        let (min, max) = (queue.min_offset_in_queue(), queue.max_offset_in_queue());
        let answer = |status, next_begin_offset| GetMessageResult {
            status,
            next_begin_offset,
            min_offset: min,
            max_offset: max,
            selected: Vec::new(),
            buffer_total_size: 0,
            suggest_pulling_from_slave: false,
        };
        let (status, next) = if max == 0 {
            (GetMessageStatus::NoMessageInQueue, 0)
        } else if ask.offset < min {
            (GetMessageStatus::OffsetTooSmall, min)
        } else if ask.offset == max {
            (GetMessageStatus::OffsetOverflowOne, ask.offset)
        } else if ask.offset > max {
            (GetMessageStatus::OffsetOverflowBadly, max)
        } else if let Some(units) = queue.units_from(ask.offset) {
            return self.scan(queue, units, ask, answer(GetMessageStatus::NoMatchedMessage, ask.offset), env);
        } else {
            (GetMessageStatus::OffsetFoundNull, queue.roll_next_file(ask.offset))
        };
        answer(status, self.next_offset_correction(ask.offset, next))
    }

    /// A slave leaves the offset that was asked for as it is, unless told to correct it.
    fn next_offset_correction(&self, asked: i64, corrected: i64) -> i64 {
        let corrects = self.config.broker_role != BrokerRole::Slave || self.config.offset_check_in_slave;
        if corrects { corrected } else { asked }
    }

    fn scan<E: Env>(
        &self,
        queue: &ConsumeQueue,
        units: Units,
        ask: Ask<'_>,
        result: GetMessageResult,
        env: &mut E,
    ) -> GetMessageResult {
        let mut scan = Scan {
            store: self,
            queue,
            ask,
            max_physical: self.commit_log.max_offset(),
            memory: self.config.memory_for_messages(),
            next_file_start: None,
            result,
            scratch: Vec::new(),
        };
        let window = FILTER_WINDOW.max(ask.max.wrapping_mul(UNIT_SIZE));
        let mut reader = UnitReader::new(&self.disk, units.file, units.position, units.len);
        let mut last_physical = 0;
        let mut scanned = 0;
        while scanned < window
            && let Some(unit) = reader.next()
        {
            last_physical = unit.physical_offset;
            let queue_offset = ask.offset + i64::from(scanned / UNIT_SIZE);
            let verdict = scan.examine(unit, queue_offset);
            env.step(|| Step::UnitExamined {
                queue_offset,
                physical_offset: unit.physical_offset,
                size: unit.size,
                verdict,
            });
            if verdict == UnitVerdict::BatchFull {
                break;
            }
            scanned += UNIT_SIZE;
        }
        let mut result = scan.result;
        result.next_begin_offset = ask.offset + i64::from(scanned / UNIT_SIZE);
        result.suggest_pulling_from_slave = scan.max_physical.wrapping_sub(last_physical) > scan.memory;
        result
    }
}

/// A pull under way.
struct Scan<'s, D> {
    store: &'s Store<D>,
    queue: &'s ConsumeQueue,
    ask: Ask<'s>,
    max_physical: i64,
    memory: i64,
    /// Set by a record that is gone: records before this offset need not be looked for.
    next_file_start: Option<i64>,
    result: GetMessageResult,
    scratch: Vec<u8>,
}

impl<D: Disk> Scan<'_, D> {
    /// Looks at one unit, and says what that does to the answer.
    fn examine(&mut self, unit: Unit, queue_offset: i64) -> UnitVerdict {
        let nothing_yet = self.result.buffer_total_size == 0;
        match self.judge(unit) {
            Ok(place) => {
                self.result.selected.push(Selected { queue_offset, physical_offset: place.offset, size: unit.size });
                self.result.buffer_total_size = self.result.buffer_total_size.wrapping_add(unit.size);
                self.result.status = GetMessageStatus::Found;
                self.next_file_start = None;
                UnitVerdict::Selected
            }
            Err(verdict) => {
                match verdict {
                    UnitVerdict::FilteredByTags | UnitVerdict::FilteredByProperties if nothing_yet => {
                        self.result.status = GetMessageStatus::NoMatchedMessage;
                    }
                    UnitVerdict::RecordGone => {
                        if nothing_yet {
                            self.result.status = GetMessageStatus::MessageWasRemoving;
                        }
                        self.next_file_start = Some(self.store.commit_log.files.next_file_start(unit.physical_offset));
                    }
                    _ => {}
                }
                verdict
            }
        }
    }

    /// Removed file, room in the answer, filter, commit log, filter again: in this order, as in 4.9.8.
    fn judge(&mut self, unit: Unit) -> Result<Place, UnitVerdict> {
        if self.next_file_start.is_some_and(|start| unit.physical_offset < start) {
            return Err(UnitVerdict::InRemovedFile);
        }
        let in_disk = self.max_physical.wrapping_sub(unit.physical_offset) > self.memory;
        if self.is_batch_full(unit.size, in_disk) {
            return Err(UnitVerdict::BatchFull);
        }
        if let Some(filter) = self.ask.filter {
            let disk = &self.store.disk;
            let ext = is_ext_address(unit.tags_code).then(|| self.queue.ext_unit(disk, unit.tags_code));
            let tags_code = match &ext {
                None => Some(unit.tags_code),
                Some(found) => found.as_ref().map(|found| found.tags_code),
            };
            if !filter.by_consume_queue(tags_code, ext.flatten().as_ref()) {
                return Err(UnitVerdict::FilteredByTags);
            }
        }
        let place = self.store.commit_log.place(unit.physical_offset, unit.size).ok_or(UnitVerdict::RecordGone)?;
        if let Some(filter) = self.ask.filter.filter(|filter| filter.looks_into_commit_log()) {
            let bytes = read(&self.store.disk, place.file, place.position, unit.size, &mut self.scratch);
            let properties =
                bytes.ok().and_then(|bytes| record::decode_unchecked(bytes).ok()).map(|record| record.properties());
            if !filter.by_commit_log(&properties.unwrap_or_else(Properties::new)) {
                return Err(UnitVerdict::FilteredByProperties);
            }
        }
        Ok(place)
    }

    /// Whether the answer takes no more (`isTheBatchFull`): the first message is always taken.
    fn is_batch_full(&self, size: i32, in_disk: bool) -> bool {
        let (count, bytes) = (self.result.selected.len() as i32, self.result.buffer_total_size);
        if bytes == 0 || count == 0 {
            return false;
        }
        let config = &self.store.config;
        let (max_bytes, max_count) = if in_disk {
            (config.max_transfer_bytes_on_message_in_disk, config.max_transfer_count_on_message_in_disk)
        } else {
            (config.max_transfer_bytes_on_message_in_memory, config.max_transfer_count_on_message_in_memory)
        };
        self.ask.max <= count || bytes.wrapping_add(size) > max_bytes || count > max_count.wrapping_sub(1)
    }
}

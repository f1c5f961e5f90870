//! Reading a queue from an offset on.

use crate::disk::Disk;
use crate::message::Properties;
use crate::message::record;

use super::consume_queue::{ConsumeQueue, UNIT_SIZE, Unit, UnitReader, Units};
use super::consume_queue_ext::is_ext_address;
use super::outcome::{GetMessageResult, GetMessageStatus, Selected};
use super::step::UnitVerdict;
use super::{BrokerRole, Env, MessageFilter, Step, StillEnv, Store, StoreConfig};

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
        mut result: GetMessageResult,
        env: &mut E,
    ) -> GetMessageResult {
        let max_physical = self.commit_log.max_offset();
        let memory = self.config.memory_for_messages();
        let window = FILTER_WINDOW.max(ask.max.wrapping_mul(UNIT_SIZE));
        let mut reader = UnitReader::new(&self.disk, units.file, units.position, units.len);
        // Set by a record that is gone: records of its file need not be looked for.
        let mut next_file_start = None;
        let mut last_physical = 0;
        let mut scanned = 0;
        let mut scratch = Vec::new();
        while scanned < window
            && let Some(unit) = reader.next()
        {
            last_physical = unit.physical_offset;
            let verdict = if next_file_start.is_some_and(|start| unit.physical_offset < start) {
                UnitVerdict::InRemovedFile
            } else if is_batch_full(
                &self.config,
                unit.size,
                ask.max,
                &result,
                max_physical.wrapping_sub(unit.physical_offset) > memory,
            ) {
                UnitVerdict::BatchFull
            } else {
                self.judge(queue, unit, ask.filter, &mut scratch)
            };
            let queue_offset = ask.offset + i64::from(scanned / UNIT_SIZE);
            env.step(|| Step::UnitExamined {
                queue_offset,
                physical_offset: unit.physical_offset,
                size: unit.size,
                verdict,
            });
            let nothing_yet = result.buffer_total_size == 0;
            match verdict {
                UnitVerdict::BatchFull => break,
                UnitVerdict::Selected => {
                    result.selected.push(Selected {
                        queue_offset,
                        physical_offset: unit.physical_offset,
                        size: unit.size,
                    });
                    result.buffer_total_size = result.buffer_total_size.wrapping_add(unit.size);
                    result.status = GetMessageStatus::Found;
                    next_file_start = None;
                }
                UnitVerdict::FilteredByTags | UnitVerdict::FilteredByProperties => {
                    if nothing_yet {
                        result.status = GetMessageStatus::NoMatchedMessage;
                    }
                }
                UnitVerdict::RecordGone => {
                    if nothing_yet {
                        result.status = GetMessageStatus::MessageWasRemoving;
                    }
                    next_file_start = Some(self.commit_log.files.next_file_start(unit.physical_offset));
                }
                UnitVerdict::InRemovedFile => {}
            }
            scanned += UNIT_SIZE;
        }
        result.next_begin_offset = ask.offset + i64::from(scanned / UNIT_SIZE);
        result.suggest_pulling_from_slave = max_physical.wrapping_sub(last_physical) > memory;
        result
    }

    /// Filter, commit log, filter again.
    fn judge(
        &self,
        queue: &ConsumeQueue,
        unit: Unit,
        filter: Option<&dyn MessageFilter>,
        scratch: &mut Vec<u8>,
    ) -> UnitVerdict {
        if let Some(filter) = filter {
            let ext = is_ext_address(unit.tags_code).then(|| queue.ext_unit(&self.disk, unit.tags_code));
            let tags_code = match &ext {
                None => Some(unit.tags_code),
                Some(found) => found.as_ref().map(|found| found.tags_code),
            };
            if !filter.by_consume_queue(tags_code, ext.flatten().as_ref()) {
                return UnitVerdict::FilteredByTags;
            }
        }
        let Some(place) = self.commit_log.place(unit.physical_offset, unit.size) else {
            return UnitVerdict::RecordGone;
        };
        if let Some(filter) = filter.filter(|filter| filter.looks_into_commit_log()) {
            let bytes = super::mapped_file::read(&self.disk, place.file, place.position, unit.size, scratch);
            let properties = bytes.ok().and_then(|bytes| record::decode(bytes).ok()).map(|record| record.properties());
            if !filter.by_commit_log(&properties.unwrap_or_else(Properties::new)) {
                return UnitVerdict::FilteredByProperties;
            }
        }
        UnitVerdict::Selected
    }
}

/// Whether a pull takes no more (`isTheBatchFull`): the first message is always taken.
fn is_batch_full(config: &StoreConfig, size: i32, max: i32, so_far: &GetMessageResult, in_disk: bool) -> bool {
    let count = so_far.selected.len() as i32;
    if so_far.buffer_total_size == 0 || count == 0 {
        return false;
    }
    let (max_bytes, max_count) = if in_disk {
        (config.max_transfer_bytes_on_message_in_disk, config.max_transfer_count_on_message_in_disk)
    } else {
        (config.max_transfer_bytes_on_message_in_memory, config.max_transfer_count_on_message_in_memory)
    };
    max <= count || so_far.buffer_total_size.wrapping_add(size) > max_bytes || count > max_count.wrapping_sub(1)
}

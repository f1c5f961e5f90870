//! The part of the schedule service that belongs to loading and stopping: its queues and how far each is delivered.

use std::collections::BTreeMap;

use crate::disk::Disk;
use crate::message::delay::{DelayLevels, SCHEDULE_TOPIC};

use super::{Env, LoadError, Step, Store};

/// Levels of delay, and the queue offset that each goes on from (`ScheduleMessageService`).
///
/// Until it is loaded there is no level: what an unclean recovery dispatches to `SCHEDULE_TOPIC_XXXX` gets the hash of its
/// tags in its unit, not the time of its delivery.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    levels: DelayLevels,
    offsets: BTreeMap<i32, i64>,
}

impl Schedule {
    pub(super) fn levels(&self) -> &DelayLevels {
        &self.levels
    }
}

impl<D: Disk> Store<D> {
    /// The levels of delay.
    pub fn delay_levels(&self) -> &DelayLevels {
        &self.schedule.levels
    }

    /// The queue offset from which each delay level is to be delivered, for the levels that were ever delivered.
    pub fn delay_offsets(&self) -> &BTreeMap<i32, i64> {
        &self.schedule.offsets
    }

    /// Sets the queue offset from which a level is to be delivered (`updateOffset`).
    pub fn set_delay_offset(&mut self, level: i32, queue_offset: i64) {
        self.schedule.offsets.insert(level, queue_offset);
    }

    /// Reads the levels, and moves the offsets into their queues, all of which are made (`ScheduleMessageService.load`).
    pub(super) fn load_schedule<E: Env>(&mut self, env: &mut E) -> Result<(), LoadError> {
        let levels = DelayLevels::parse(&self.config.message_delay_level).map_err(LoadError::DelayLevels)?;
        for (level, _) in levels.iter() {
            let queue = self.queues.queue_or_create(SCHEDULE_TOPIC, level - 1, &self.config, env);
            let Some(offset) = self.schedule.offsets.get_mut(&level) else { continue };
            let mut corrected = *offset;
            if *offset < queue.min_offset_in_queue() {
                corrected = queue.min_offset_in_queue();
            }
            if *offset > queue.max_offset_in_queue() {
                corrected = queue.max_offset_in_queue();
            }
            if corrected != *offset {
                env.step(|| Step::DelayOffsetCorrected { level, from: *offset, to: corrected });
                *offset = corrected;
            }
        }
        self.schedule.levels = levels;
        Ok(())
    }
}

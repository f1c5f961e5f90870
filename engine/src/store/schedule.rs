//! The part of the schedule service that belongs to loading and stopping: its queues and how far each is delivered.

use std::collections::BTreeMap;

use crate::disk::{Disk, ReadAt};
use crate::fastjson::{self, Value};
use crate::message::delay::{DelayLevels, SCHEDULE_TOPIC};

use super::{Env, LoadError, Step, Store, config_file};

/// Path of the file that keeps the offsets.
pub const DELAY_OFFSETS_PATH: &str = "config/delayOffset.json";

/// Levels of delay, and the queue offset that each goes on from (`ScheduleMessageService`).
///
/// Until it is loaded there is no level: what an unclean recovery dispatches to `SCHEDULE_TOPIC_XXXX` gets the hash of its
/// tags in its unit, not the time of its delivery.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    levels: DelayLevels,
    offsets: BTreeMap<i32, i64>,
    started: bool,
}

impl Schedule {
    pub(super) fn levels(&self) -> &DelayLevels {
        &self.levels
    }

    /// Takes the offsets of a file over those known (`decode`).
    fn decode(&mut self, text: &str) -> Result<(), String> {
        let file = fastjson::parse(text).map_err(|error| error.to_string())?;
        let table = file.get("offsetTable").map(Value::entries).unwrap_or_default();
        let read = table.iter().map(|(level, offset)| {
            let entry = level.as_i32().zip(offset.as_i64());
            entry.ok_or_else(|| "an entry of offsetTable is not a level and an offset".to_owned())
        });
        self.offsets.extend(read.collect::<Result<Vec<_>, _>>()?);
        Ok(())
    }

    /// What the file says (`encode`).
    fn to_value(&self) -> Value<'_> {
        let entries = self.offsets.iter().map(|(&level, &offset)| (Value::Int(level.into()), Value::Int(offset)));
        Value::object([("offsetTable", Value::Object(entries.collect()))])
    }
}

/// The queue offset of each delay level that a disk has saved: where a start would go on, if it lies in the queue. Empty
/// if there is no file, or it cannot be read.
pub fn saved_delay_offsets<R: ReadAt>(disk: &R) -> BTreeMap<i32, i64> {
    let mut saved = Schedule::default();
    match config_file::load(disk, DELAY_OFFSETS_PATH, |text| saved.decode(text)) {
        Ok(()) => saved.offsets,
        Err(_) => BTreeMap::new(),
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

    /// The same as a slave is told them: one line of JSON (`GET_ALL_DELAY_OFFSET`).
    pub fn delay_offsets_text(&self) -> String {
        self.schedule.to_value().to_compact()
    }

    /// Sets the queue offset from which a level is to be delivered (`updateOffset`).
    pub fn set_delay_offset(&mut self, level: i32, queue_offset: i64) {
        self.schedule.offsets.insert(level, queue_offset);
    }

    /// Saves the offsets, every 10 seconds while the service runs (`persist`). As in 4.9.8 an error is only told.
    pub fn persist_delay_offsets<E: Env>(&mut self, env: &mut E) {
        self.disk.set_time(env.now());
        match config_file::save(&mut self.disk, DELAY_OFFSETS_PATH, &self.schedule.to_value().to_pretty()) {
            Ok(()) => env.step(|| Step::ConfigSaved { file: DELAY_OFFSETS_PATH.to_owned() }),
            Err(error) => env.step(|| Step::DiskFailed { error: error.to_string() }),
        }
    }

    /// Whether the next save of the offsets would change the file or its backup.
    pub fn delay_offsets_unsaved(&self) -> bool {
        let text = Some(self.schedule.to_value().to_pretty());
        let backup = config_file::backup_path(DELAY_OFFSETS_PATH);
        config_file::read_text(&self.disk, DELAY_OFFSETS_PATH) != text
            || config_file::read_text(&self.disk, &backup) != text
    }

    /// Loads again, and from here on the offsets are saved at the end (`ScheduleMessageService.start`).
    pub(super) fn start_schedule<E: Env>(&mut self, env: &mut E) -> Result<(), LoadError> {
        self.schedule.started = true;
        self.load_schedule(env)
    }

    /// Saves the offsets for the last time, if the service has not stopped yet (`ScheduleMessageService.shutdown`).
    /// [`Store::close_log`] begins with it.
    pub fn stop_schedule<E: Env>(&mut self, env: &mut E) {
        if std::mem::take(&mut self.schedule.started) {
            self.persist_delay_offsets(env);
        }
    }

    /// Reads offsets and levels, and moves the offsets into their queues, all of which are made
    /// (`ScheduleMessageService.load`).
    pub(super) fn load_schedule<E: Env>(&mut self, env: &mut E) -> Result<(), LoadError> {
        let schedule = &mut self.schedule;
        config_file::load(&self.disk, DELAY_OFFSETS_PATH, |text| schedule.decode(text))
            .map_err(LoadError::DelayOffsets)?;
        let mut levels = std::mem::take(&mut schedule.levels);
        // Between the two loads of a start the value cannot change.
        if levels == DelayLevels::default() {
            levels = DelayLevels::parse(&self.config.message_delay_level).map_err(LoadError::DelayLevels)?;
        }
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

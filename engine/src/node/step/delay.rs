//! Steps of the delivery of delayed messages (`ScheduleMessageService`).

use serde::{Deserialize, Serialize};

/// A step of one level's task. `level` counts from 1; queue offsets are those of its queue in `SCHEDULE_TOPIC_XXXX`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum DelayStep {
    /// The time of a message has come.
    DelayDue {
        /// The level.
        level: i32,
        /// Its unit.
        queue_offset: i64,
        /// When it was due, milliseconds since the epoch.
        deliver_timestamp: i64,
        /// How late that is now, milliseconds.
        late_ms: i64,
    },
    /// A message is due later than its level can ask for, so the clock must have been set back: it is delivered at once
    /// (`correctDeliverTimestamp`).
    DelayClockBack {
        /// The level.
        level: i32,
        /// Its unit.
        queue_offset: i64,
        /// When it would be due, milliseconds since the epoch.
        deliver_timestamp: i64,
        /// The latest that the level can ask for now, milliseconds since the epoch.
        latest_timestamp: i64,
    },
    /// The task's progress, in memory: the file follows within 10 s.
    DelayProgress {
        /// The level.
        level: i32,
        /// The next unit to deliver.
        queue_offset: i64,
    },
    /// A unit was passed over, since its record cannot be read. The progress stays where it is.
    DelayRecordGone {
        /// The level.
        level: i32,
        /// Its unit.
        queue_offset: i64,
        /// Where the record should start.
        physical_offset: i64,
    },
    /// A half message was passed over: delay means nothing for it.
    DelayHalfDropped {
        /// The level.
        level: i32,
        /// Its unit.
        queue_offset: i64,
    },
    /// The message does not say where it belongs. 4.9.8 throws, and comes back to it every 100 ms: nothing behind it on
    /// this level is ever delivered.
    DelayBroken {
        /// The level.
        level: i32,
        /// Its unit.
        queue_offset: i64,
        /// What is wrong.
        cause: String,
    },
    /// The message could not be put; the task comes back to it.
    DelayRetried {
        /// The level.
        level: i32,
        /// Its unit.
        queue_offset: i64,
        /// After so long, milliseconds.
        after_ms: i64,
    },
    /// The task stood outside its queue and goes on at the queue's nearest end.
    DelayOffsetMoved {
        /// The level.
        level: i32,
        /// Where it stood.
        from: i64,
        /// Where it goes on.
        to: i64,
    },
    /// The put's result is taken in later (`enableScheduleAsyncDeliver`).
    DelayPending {
        /// The level.
        level: i32,
        /// Its unit.
        queue_offset: i64,
        /// Results that wait on this level.
        pending: u32,
    },
    /// The task waits: too many results are pending, or the first of them was put again too often.
    DelayHeld {
        /// The level.
        level: i32,
        /// The unit that waits.
        queue_offset: i64,
        /// Results that wait on this level.
        pending: u32,
        /// How often the first of them was put again.
        resends: u32,
    },
    /// A message whose put failed is put again after a pause.
    DelayResendSet {
        /// The level.
        level: i32,
        /// Its unit.
        queue_offset: i64,
        /// The pause, milliseconds.
        after_ms: i64,
        /// How often it was put again before.
        resends: u32,
    },
    /// A message whose put failed is given up: its record cannot be read any more. The progress stays where it is.
    DelaySkipped {
        /// The level.
        level: i32,
        /// Its unit.
        queue_offset: i64,
    },
}

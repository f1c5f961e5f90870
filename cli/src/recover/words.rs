//! The steps of a recovery in English.

use rocketscope_engine::store::Step;
use rocketscope_engine::store::step::{DeleteCause, FileVerdict, IndexFault, RecoveryEnd, RecoveryStart};
use rocketscope_engine::view::recovery::RecoveryFact;
use serde_json::Value;

use crate::output::{count, time};

/// What an item says, as a line.
pub(super) fn sentence(fact: &RecoveryFact) -> String {
    match fact {
        RecoveryFact::Step { step } => of_step(step),
        RecoveryFact::RecordsAccepted { count: records, from, to, dispatched, .. } => format!(
            "{} from {from} to {to} are good{}",
            count(*records, "record", "records"),
            if *dispatched > 0 { " and dispatched" } else { "" }
        ),
        RecoveryFact::UnitsCut { topic, queue_id, count: units, from, to, first, last } => format!(
            "{topic}/{queue_id}: {} cut, queue offsets {from} to {}, which lead to {first} to {last}",
            count(*units, "unit", "units"),
            to.saturating_sub(1)
        ),
        RecoveryFact::UnitsWritten { topic, queue_id, count: units, from, to, first, last } => format!(
            "{topic}/{queue_id}: {} written, queue offsets {from} to {}, for the records at {first} to {last}",
            count(*units, "unit", "units"),
            to.saturating_sub(1)
        ),
        RecoveryFact::UnitsThere { topic, queue_id, count: units, from, to, .. } => format!(
            "{topic}/{queue_id}: {} there already, queue offsets {from} to {}",
            count(*units, "unit is", "units are"),
            to.saturating_sub(1)
        ),
        RecoveryFact::IndexEntriesWritten { file, count: entries, first, last } => {
            format!("{file}: {} written, for the records at {first} to {last}", count(*entries, "entry", "entries"))
        }
        RecoveryFact::RecordsNotIndexed { count: records, first, last } => format!(
            "the keys of {} at {first} to {last} are not indexed: the index knows them, or none is wanted",
            count(*records, "record", "records")
        ),
    }
}

fn of_step(step: &Step) -> String {
    match step {
        Step::LoadRefused { fault } => fault.to_string(),
        Step::AbortChecked { clean: true } => "absent: the last stop was clean".to_owned(),
        Step::AbortChecked { clean: false } => "present: the store runs, or was not stopped cleanly".to_owned(),
        Step::FilesLoaded { directory, files } => {
            format!("{directory}: {}", count(files.unsigned_abs().into(), "file", "files"))
        }
        Step::CheckpointRead { existed: false, .. } => "none: its times count as 0".to_owned(),
        Step::CheckpointRead { physic_msg_timestamp, logics_msg_timestamp, index_msg_timestamp, .. } => format!(
            "log {}, queues {}, index {}",
            time(*physic_msg_timestamp),
            time(*logics_msg_timestamp),
            time(*index_msg_timestamp)
        ),
        Step::IndexLoaded { file, index_count, kept: true, .. } => {
            format!("{file}: kept, {}", count(entries(*index_count), "entry", "entries"))
        }
        Step::IndexLoaded { file, index_count, end_timestamp, limit, .. } => format!(
            "{file}: dropped with {}, since its last message ({}) is newer than the checkpoint ({})",
            count(entries(*index_count), "entry", "entries"),
            time(*end_timestamp),
            time(*limit)
        ),
        Step::IndexIgnored { file, fault: IndexFault::BadName } => {
            format!("{file}: passed over, its name is no number")
        }
        Step::IndexIgnored { file, fault: IndexFault::Unreadable } => {
            format!("{file}: it cannot be read; the files after it are passed over too")
        }
        Step::QueueFileChecked { file, units, whole: true, .. } => {
            format!("{file}: all {} are valid", count(units.unsigned_abs().into(), "unit", "units"))
        }
        Step::QueueFileChecked { file, units, .. } => {
            format!(
                "{file}: {} and then one that is not valid",
                count(units.unsigned_abs().into(), "valid unit", "valid units")
            )
        }
        Step::QueueRecovered { topic, queue_id, max_offset, max_physic_offset } => {
            format!("{topic}/{queue_id}: ends at queue offset {max_offset}, knows the log up to {max_physic_offset}")
        }
        Step::RecoveryFileExamined { file, store_timestamp, limit, why, .. } => match why {
            FileVerdict::NoMessage => format!("{file}: no, it begins with no message"),
            FileVerdict::NoStoreTime => format!("{file}: no, its first record has no store time"),
            FileVerdict::AfterCheckpoint => {
                format!("{file}: no, its first record was stored {}, after {}", time(*store_timestamp), time(*limit))
            }
            FileVerdict::BeforeCheckpoint => format!(
                "{file}: yes, its first record was stored {}, not after {}",
                time(*store_timestamp),
                time(*limit)
            ),
        },
        Step::RecoveryBegins { file, physical_offset, why, .. } => match why {
            RecoveryStart::LastFiles => {
                format!("begins in {file}, at {physical_offset}: the last three files are checked")
            }
            RecoveryStart::BeforeCheckpoint => {
                format!("begins in {file}, at {physical_offset}: the last file from before the checkpoint")
            }
            RecoveryStart::NoneMatched => {
                format!("begins in {file}, at {physical_offset}: no file is from before the checkpoint")
            }
        },
        Step::RecoveryFileEntered { file, physical_offset } => format!("goes on in {file}, at {physical_offset}"),
        Step::RecordAccepted { physical_offset, size, dispatched } => format!(
            "the record at {physical_offset} is good, {size} bytes{}",
            if *dispatched { ", and dispatched" } else { "" }
        ),
        Step::RecoveryBlank { physical_offset, remaining, next, .. } => format!(
            "a blank record at {physical_offset}: the last {remaining} bytes of the file are unused{}",
            if next.is_some() { "" } else { ", and there is no next file" }
        ),
        Step::RecordRejected { physical_offset, file, position, at, fault, .. } => {
            format!("no record at {physical_offset}, byte {position} of {file}: {fault} (byte {at})")
        }
        Step::RecoveryEnds { physical_offset, why } => match why {
            RecoveryEnd::LastBlank => format!("ends at {physical_offset}, the blank record of the last file"),
            RecoveryEnd::NoRecord => format!("ends at {physical_offset}, where no record is"),
            RecoveryEnd::LengthMismatch => {
                format!("ends at {physical_offset}, where the parts do not add up to TOTALSIZE")
            }
        },
        Step::PositionsMoved { file, from, to } => {
            format!("{file}: counts as written up to {to}, not {from}; the bytes stay as they are")
        }
        Step::LogTruncated { offset } => format!("the log ends at {offset}"),
        Step::UnitCut { topic, queue_id, queue_offset, physical_offset, .. } => {
            format!("{topic}/{queue_id}: unit {queue_offset}, which leads to {physical_offset}, is cut")
        }
        Step::QueueTruncated { topic, queue_id, max_offset, .. } => {
            format!("{topic}/{queue_id}: ends at queue offset {max_offset}")
        }
        Step::QueuesDestroyed => "no commit log: no queue means anything".to_owned(),
        Step::FileDeleted { file, why } => {
            let why = match why {
                DeleteCause::Truncated => "it lies behind the end",
                DeleteCause::NewerThanCheckpoint => "it is newer than the checkpoint",
                DeleteCause::QueueDestroyed => "its queue is destroyed",
                DeleteCause::RecordsGone => "its records are gone",
                DeleteCause::Expired | DeleteCause::Unused => "it is not needed",
            };
            format!("{file}: deleted, {why}")
        }
        Step::FileCreated { file, .. } | Step::FilePreallocated { file, .. } => format!("{file}: made"),
        Step::QueueCreated { topic, queue_id } => format!("{topic}/{queue_id}: a queue without units comes into being"),
        Step::QueueOffsetRecovered { topic, queue_id, next } => {
            format!("{topic}/{queue_id}: the next message gets queue offset {next}")
        }
        Step::MinOffsetCorrected { topic, queue_id, min_offset } => {
            format!("{topic}/{queue_id}: its first unit with a record is {min_offset}")
        }
        Step::DelayOffsetCorrected { level, from, to } => format!("delay level {level}: goes on at {to}, not {from}"),
        Step::StoreLocked => "the lock file is locked".to_owned(),
        Step::ReputFrom { physical_offset, queue: Some(queue), .. } => format!(
            "dispatch begins at {physical_offset}, behind the last record that any queue knows ({}/{})",
            queue.topic, queue.queue_id
        ),
        Step::ReputFrom { physical_offset, .. } => {
            format!("dispatch begins at {physical_offset}, the start of the log")
        }
        Step::ReputMoved { from, to } => format!("dispatch moves from {from} to {to}, the start of the log"),
        Step::ReputRolled { from, to } => format!("dispatch goes on at {to}: a blank record at {from}"),
        Step::ReputSkipped { physical_offset, to, .. } => {
            format!("dispatch meets no record at {physical_offset} and goes on at {to}")
        }
        Step::PreBlankWritten { topic, queue_id, units, .. } => {
            format!(
                "{topic}/{queue_id}: {} before the first",
                count(units.unsigned_abs().into(), "blank unit", "blank units")
            )
        }
        Step::AbortCreated => "the abort file is made".to_owned(),
        Step::IndexRolled { from, to } => format!("{from} is full, {to} begins"),
        Step::CheckpointWritten { .. } => "the checkpoint is written".to_owned(),
        Step::Flushed { file, .. } => format!("{file}: flushed"),
        Step::DiskFailed { error } => error.clone(),
        other => plain(other),
    }
}

fn entries(index_count: i32) -> u64 {
    // Entry 0 is never used.
    index_count.saturating_sub(1).unsigned_abs().into()
}

/// A step without a sentence here: its name and values.
fn plain(step: &Step) -> String {
    let Ok(Value::Object(mut parts)) = serde_json::to_value(step) else { return String::new() };
    let kind = parts.remove("kind").unwrap_or_default();
    let values = parts.iter().map(|(name, value)| format!(" {name} {value}"));
    kind.as_str().unwrap_or_default().to_owned() + &values.collect::<String>()
}

//! The verdict in English. The page has words of its own.

use std::fmt;

use super::{Finding, PhaseKind};
use crate::store::step::{LoadFault, RecordFault};

impl fmt::Display for LoadFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongSize { file, len, expected } => {
                write!(f, "{file} is {len} bytes long, the configuration says {expected}")
            }
            Self::BadName { file } => write!(f, "{file}: the name is not the offset of the first byte"),
            Self::Other { message } => f.write_str(message),
        }
    }
}

impl fmt::Display for RecordFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zeros => f.write_str("zeros: nothing was written here"),
            Self::Magic { magic } => write!(f, "the magic code is 0x{:08X}", magic.cast_unsigned()),
            Self::Crc { stored, computed } => {
                write!(f, "CRC check failed: the body has {computed}, BODYCRC says {stored}")
            }
            Self::Size { total_size, read } => write!(f, "TOTALSIZE is {total_size}, the parts make {read}"),
            Self::Length { field, value, total_size } => write!(f, "{field} is {value}, TOTALSIZE is {total_size}"),
            Self::Underflow { field, needed, available } => {
                write!(f, "{field} needs {needed} bytes, the file has {available} left")
            }
            Self::DelayLevel { text } => write!(f, "DELAY is {text:?}, not a number"),
            Self::Unreadable => f.write_str("it cannot be read"),
        }
    }
}

impl fmt::Display for PhaseKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AbortFile => "abort file",
            Self::CommitLogLoad => "commit log files",
            Self::QueuesLoad => "ConsumeQueue files",
            Self::Checkpoint => "checkpoint",
            Self::IndexLoad => "index files",
            Self::QueuesRecovered => "ends of the ConsumeQueues",
            Self::FirstFile => "where the scan of the log begins",
            Self::LogScan => "scan of the log",
            Self::Dispatch => "dispatched by the scan",
            Self::Truncation => "end of the log",
            Self::QueueTruncation => "ConsumeQueues cut",
            Self::OffsetTable => "next queue offsets",
            Self::DelayOffsets => "delay offsets",
            Self::ReputStart => "where dispatch begins",
            Self::CatchUp => "dispatched by the start",
            Self::Started => "started",
            Self::Refused => "refused",
        })
    }
}

/// `number` of something.
fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The queue offsets of a range.
fn offsets(from: i64, to: i64) -> String {
    let last = to.saturating_sub(1);
    if last <= from { format!("queue offset {from}") } else { format!("queue offsets {from} to {last}") }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { fault } => {
                write!(f, "The broker does not start: {fault}. Nothing is recovered until that is mended.")
            }
            Self::StartFailed { cause } => write!(f, "The store is loaded, but does not start: {cause}."),
            Self::Kept { min_phy_offset, max_phy_offset, records } => {
                write!(f, "Kept: the log from {min_phy_offset} to {max_phy_offset}")?;
                match records {
                    Some(records) => write!(f, ", {}.", count(*records, "record", "records")),
                    None => f.write_str("."),
                }
            }
            Self::EndsAtDamage { physical_offset, file, position, at, fault } => write!(
                f,
                "The log ends at {physical_offset}, byte {position} of {file}, where no record is: {fault} (byte {at}). \
                 That record, and everything behind it, is given up; the bytes stay on the disk until new records \
                 overwrite them."
            ),
            Self::RecordsLost { count: lost, bytes, first, last, file, examples } => {
                write!(
                    f,
                    "Lost: {} of {bytes} bytes in all, from {first} to {last}, first in {file}: whole on the disk, \
                     but behind the end of the log, so that no queue, key or offset leads there any more. Copy the \
                     file away before you start the broker if they are wanted.",
                    count(*lost, "record", "records")
                )?;
                for (number, record) in examples.iter().enumerate() {
                    let before = if number == 0 { " They are " } else { ", " };
                    write!(f, "{before}{}/{} @{}", record.topic, record.queue_id, record.queue_offset)?;
                }
                let left = lost.saturating_sub(examples.len() as u64);
                match (examples.is_empty(), left) {
                    (true, _) => Ok(()),
                    (false, 0) => f.write_str("."),
                    (false, left) => write!(f, " and {left} more."),
                }
            }
            Self::LogFilesDeleted { count: files, first, last } => write!(
                f,
                "{} behind the end of the log will be deleted: {first}{}.",
                count(*files, "file", "files"),
                if first == last { String::new() } else { format!(" to {last}") }
            ),
            Self::DamageUnseen { physical_offset, file, position, cause } => write!(
                f,
                "Damage at {physical_offset}, byte {position} of {file}, goes unnoticed: {cause}. Recovery does not look \
                 there, and reads do not check the CRC."
            ),
            Self::LogGap { from, to, units, queues } => write!(
                f,
                "The log has a gap from {from} to {to}: the files are missing. {} of {} lead there; consumers are passed \
                 over them without an error.",
                count(*units, "unit", "units"),
                count(*queues, "queue", "queues")
            ),
            Self::QueuesDestroyed { files } => write!(
                f,
                "There is no commit log file, so all ConsumeQueues are destroyed ({}).",
                count(*files, "file", "files")
            ),
            Self::UnitsCut { topic, queue_id, from, to, count: cut } => write!(
                f,
                "{topic}/{queue_id}: {} cut, {}: their records lie behind the end of the log.",
                count(*cut, "unit is", "units are"),
                offsets(*from, *to)
            ),
            Self::QueueHole { topic, queue_id, from, to, records, first, last } => write!(
                f,
                "{topic}/{queue_id}: {} in the log, {}, physical offsets {first} to {last}, have no unit, and an ordinary \
                 start does not make them: dispatch begins behind them. Consumers never get them. To have the queues \
                 rebuilt, delete the whole consumequeue directory before the start (not one queue's).",
                count(*records, "record", "records"),
                offsets(*from, *to)
            ),
            Self::Overtaken { topic, queue_id, from, to, records, first, last } => write!(
                f,
                "{topic}/{queue_id}: {} in the log, {}, physical offsets {first} to {last}, lost their place in the queue \
                 to other records with the same queue offset. Consumers never get them.",
                count(*records, "record", "records"),
                offsets(*from, *to)
            ),
            Self::OffsetsReused { topic, queue_id, from, to } => write!(
                f,
                "{topic}/{queue_id}: {} will be given out again. A consumer that went past {from} misses the new \
                 messages there, or is set back.",
                offsets(*from, *to)
            ),
            Self::PreBlank { topic, queue_id, units, to } => write!(
                f,
                "{topic}/{queue_id} begins with {} that lead nowhere; its first message is at queue offset {to}.",
                count(units.unsigned_abs(), "unit", "units")
            ),
            Self::IndexDropped { file, entries, end_timestamp, limit, lost_before, begin_phy_offset, .. } => {
                write!(
                    f,
                    "{file} with {} will be deleted: its last message, stored at {end_timestamp}, is newer than the \
                     checkpoint ({limit}).",
                    count(entries.unsigned_abs().into(), "entry", "entries")
                )?;
                match lost_before {
                    Some(before) => write!(
                        f,
                        " Keys of records from {begin_phy_offset} to {before} are not indexed again: queries do not find \
                         those messages, consumers do."
                    ),
                    None => f.write_str(" All of its records are indexed again."),
                }
            }
            Self::NotIndexed { records, first, last } => write!(
                f,
                "{} with keys, from {first} to {last}, lie outside every index file: queries do not find them, \
                 consumers do.",
                count(*records, "record", "records")
            ),
            Self::Rebuilt { units, queues, index_entries } => write!(
                f,
                "Rebuilt from the log: {} of {}, {}.",
                count(*units, "unit", "units"),
                count(*queues, "queue", "queues"),
                count(*index_entries, "index entry", "index entries")
            ),
            Self::ConsumerAhead { group, topic, queue_id, offset, max } => write!(
                f,
                "{group} has read {topic}/{queue_id} up to queue offset {offset}, and the queue ends at {max}: it is set \
                 back to the end, or, once the queue has grown past {offset}, misses what took the places between."
            ),
            Self::MarkedBroken => {
                f.write_str("The store marks itself as broken and refuses writes until it is started again.")
            }
            Self::Unreadable { file, cause } => {
                write!(f, "{file} cannot be read: {cause}. This verdict does not know it.")
            }
            Self::NotExamined { before } => {
                write!(
                    f,
                    "The log before {before} was not looked at for this verdict; a start does not look there either."
                )
            }
            Self::More { count: more } => {
                write!(f, "And {} of these kinds.", count(*more, "further finding", "further findings"))
            }
        }
    }
}

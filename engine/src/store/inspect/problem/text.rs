//! The sentences.

use std::collections::BTreeMap;

use super::ProblemKind;

impl ProblemKind {
    /// The sentence of this kind, `{name}` standing for a value. What it says about recovery is what 4.9.8 does:
    /// a clean start checks the records of the last three commit log files, an unclean one those from the file that
    /// the checkpoint chooses (`CommitLog.recoverNormally`, `recoverAbnormally`).
    pub fn template(self) -> &'static str {
        match self {
            Self::BadMagic => {
                "A record must begin at {physicalOffset}, but the magic code there is {found}. Recovery ends the log \
                 here if it scans this file."
            }
            Self::BadCrc => {
                "The body of the record at {physicalOffset} ({topic}, queue {queueId}, queue offset {queueOffset}) \
                 has CRC {computed}, its BODYCRC says {stored}: the body was changed on the disk. Recovery ends the \
                 log here if it scans this file; otherwise the damaged body is served, since reads do not check it."
            }
            Self::BadSize => {
                "The record at {physicalOffset} says that it is {size} bytes long: {cause}. Recovery ends the log \
                 here if it scans this file."
            }
            Self::BadBlank => {
                "The blank record at {physicalOffset} claims {remaining} bytes, but {left} are left in its file. \
                 4.9.8 does not look at the number and goes on in the next file."
            }
            Self::PhysicalOffsetMismatch => {
                "The record at {physicalOffset} says in PHYSICALOFFSET that it lies at {found}: it was copied here \
                 from elsewhere, or the field is damaged. 4.9.8 does not check it."
            }
            Self::HoleInLog => {
                "Nothing is written at {physicalOffset} up to the end of the file, although later files hold \
                 records. Recovery ends the log here if it scans this file, and all later records are cut off."
            }
            Self::RecordsBehindDamage => {
                "Intact records ({count} in all, {bytes} bytes, the first at {physicalOffset}) follow the damage at \
                 {damage} in the same file. Recovery that scans this file cuts them off: copy the file first."
            }
            Self::StaleBytes => {
                "Behind the end of the log at {end} lie bytes that are not zero (the first at {physicalOffset}; \
                 {count} whole records among them): left from before a truncation or an unfinished write. They are \
                 not part of the log and will be overwritten."
            }
            Self::WrongFileLength => {
                "The file is {len} bytes long and must be {expected}: a broker with this configuration refuses to \
                 start if it is a commit log or ConsumeQueue file."
            }
            Self::WrongFileName => {
                "The name does not say at which offset the file begins (a multiple of {expected}): a broker refuses \
                 to start, or reads the file at the wrong place."
            }
            Self::MissingFile => {
                "The file is missing: offsets {from} to {end} are not there. What they held cannot be read; a clean \
                 start does not notice and readers skip it silently."
            }
            Self::MissingCommitLog => {
                "There is no commit log file, although units or index entries speak of records up to {end}: the next \
                 start deletes every ConsumeQueue and begins at offset 0."
            }
            Self::UnitPointsNowhere => {
                "Units {first} to {last} of {topic}, queue {queueId} ({count} in all) point at places in the log \
                 where no record begins, from {physicalOffset} on: consumers skip them or get other bytes."
            }
            Self::UnitInsideRecord => {
                "Units {first} to {last} of {topic}, queue {queueId} ({count} in all) point into the middle of a \
                 record: the first at {physicalOffset}, where the record begins at {record}. Consumers get garbage."
            }
            Self::UnitMismatch => {
                "Units {first} to {last} of {topic}, queue {queueId} ({count} in all) point at records of another \
                 size, topic or queue, from {physicalOffset} on: consumers get part of a message, too much, or \
                 messages that are not theirs."
            }
            Self::UnitBeyondEnd => {
                "Units {first} to {last} of {topic}, queue {queueId} ({count} in all) point behind the end of the \
                 log at {end}, from {physicalOffset} on: recovery cuts them off, and their queue offsets are given \
                 to new messages."
            }
            Self::QueueOffsetMismatch => {
                "Units {first} to {last} of {topic}, queue {queueId} ({count} in all) point at records whose \
                 QUEUEOFFSET is another, from {found} on: units before them were lost and not rebuilt, or written \
                 twice."
            }
            Self::StaleUnits => {
                "Valid units of {topic}, queue {queueId} ({count} in all, the first at queue offset {first}) follow \
                 behind the end of the queue at {end}: left from before a truncation, or the unit at {end} is \
                 damaged. The broker does not see them."
            }
            Self::UnitsBelowMin => {
                "All units of this file (queue offset {first} to {last} of {topic}, queue {queueId}) point before \
                 the start of the log at {min}: the head of the log was removed and the queue not cleaned with it. \
                 After a start the queue's minimum offset is wrong until the cleaner runs."
            }
            Self::RecordWithoutUnit => {
                "Records of {topic}, queue {queueId}, with queue offset {first} to {last} ({count} in all) have no \
                 unit, so consumers cannot see them, and the next start does not dispatch them again: it dispatches \
                 from {from} on. Deleting the whole consumequeue directory before a clean start rebuilds it."
            }
            Self::RecordNotDispatched => {
                "Records of {topic}, queue {queueId}, with queue offset {first} to {last} ({count} in all) have no \
                 unit yet: the next start dispatches them, since it dispatches from {from} on."
            }
            Self::DuplicateQueueOffset => {
                "Records of {topic}, queue {queueId}, with queue offset {first} to {last} ({count} in all) repeat \
                 queue offsets of earlier records (at {earlier} or before): the queue had lost its last units when \
                 they were written, and the earlier records cannot be consumed."
            }
            Self::IndexNewerThanCheckpoint => {
                "The last entry was stored at {end}, the checkpoint vouches for index files up to {checkpoint}, and \
                 the store was not stopped cleanly: the next start deletes the file and rebuilds only what its \
                 recovery scans."
            }
            Self::IndexPointsNowhere => {
                "Index entries {first} to {last} ({count} in all) point at places where no record begins, from \
                 {physicalOffset} on: queries by key skip them or answer other bytes."
            }
            Self::IndexMismatch => {
                "Index entries {first} to {last} ({count} in all) point at records without a key of their hash, \
                 from {physicalOffset} on: queries by key answer messages that do not have it."
            }
            Self::BadIndex => "The index file cannot be right: {cause}. Queries by key may miss messages.",
            Self::RecordNotIndexed => {
                "Records with keys from {physicalOffset} to {last} ({count} in all) are in no index file: queries \
                 by key do not find them, and a clean start does not index them again."
            }
            Self::BadCheckpoint => {
                "The checkpoint is {cause}: an unclean start scans the whole log and deletes every index file."
            }
            Self::CheckpointAhead => {
                "{field} is {found}, but the newest record of the log was stored at {newest}: the log has lost its \
                 end, or the checkpoint was changed. An unclean start trusts the checkpoint and may scan too little."
            }
            Self::AbortExists => {
                "The file abort is there: the store runs, or was not stopped cleanly. The next start recovers it as \
                 after a crash."
            }
            Self::BadConfig => {
                "Line {line}, column {column}: {cause}. The broker falls back to the .bak file, and does not start \
                 if that is bad too."
            }
            Self::Unreadable => "The file cannot be read: {cause}.",
        }
    }
}

/// The template with its values in place. A name without a value is left standing.
pub(super) fn fill(template: &str, values: &BTreeMap<String, String>) -> String {
    let mut text = String::with_capacity(template.len() + 64);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((name, tail)) = after.split_once('}') else {
            text.push('{');
            rest = after;
            continue;
        };
        if let Some(value) = values.get(name) {
            text.push_str(value);
        } else {
            text.extend(["{", name, "}"]);
        }
        rest = tail;
    }
    text.push_str(rest);
    text
}

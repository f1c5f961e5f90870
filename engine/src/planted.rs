//! Planted faults: wrong behaviours that can be switched on, none of which is RocketMQ's.
//!
//! Each takes out one step on which a promise of 4.9.8 rests, so that the promise is seen to break: an invariant of the
//! ledger stops the run at the event, or a message's verdict names what became of it. Exercises are made of them: something
//! is wrong with this broker, and what?

use serde::{Deserialize, Serialize};

/// A wrong behaviour that can be switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PlantedFault {
    /// A broker with `SYNC_FLUSH` asks for the flush and answers without it.
    ReplyBeforeFlush,
    /// A broker with `SYNC_MASTER` answers without the slave's acknowledgement.
    ReplyBeforeReplication,
    /// A half message is put where consumers of its topic read.
    HalfMessageVisible,
    /// A unit of a `ConsumeQueue` points behind its record, to where the next one begins.
    UnitOfNextRecord,
    /// A push consumer moves its offset beyond messages when they arrive, before its listener has them.
    OffsetBeforeProcessing,
    /// A concurrent push consumer takes `RECONSUME_LATER` for success: nothing goes back.
    RefusedCountsAsConsumed,
    /// An orderly push consumer consumes queues without their locks.
    QueueLockIgnored,
}

impl PlantedFault {
    /// All of them, from the broker's to the client's.
    pub const ALL: [Self; 7] = [
        Self::ReplyBeforeFlush,
        Self::ReplyBeforeReplication,
        Self::HalfMessageVisible,
        Self::UnitOfNextRecord,
        Self::OffsetBeforeProcessing,
        Self::RefusedCountsAsConsumed,
        Self::QueueLockIgnored,
    ];

    /// The name used in scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReplyBeforeFlush => "replyBeforeFlush",
            Self::ReplyBeforeReplication => "replyBeforeReplication",
            Self::HalfMessageVisible => "halfMessageVisible",
            Self::UnitOfNextRecord => "unitOfNextRecord",
            Self::OffsetBeforeProcessing => "offsetBeforeProcessing",
            Self::RefusedCountsAsConsumed => "refusedCountsAsConsumed",
            Self::QueueLockIgnored => "queueLockIgnored",
        }
    }
}

/// Which wrong behaviours are switched on; none of them by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Planted(u16);

impl Planted {
    /// Whether this one is.
    pub const fn has(self, fault: PlantedFault) -> bool {
        self.0 & (1 << (fault as u16)) != 0
    }
}

impl FromIterator<PlantedFault> for Planted {
    fn from_iter<I: IntoIterator<Item = PlantedFault>>(faults: I) -> Self {
        Self(faults.into_iter().fold(0, |set, fault| set | (1 << (fault as u16))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_it_was_made_of_and_scripts_name_it() {
        for fault in PlantedFault::ALL {
            let only = Planted::from_iter([fault, fault]);
            assert!(PlantedFault::ALL.into_iter().all(|other| only.has(other) == (other == fault)));
            assert!(!Planted::default().has(fault));
            assert_eq!(serde_json::to_value(fault).unwrap(), fault.name());
        }
    }
}

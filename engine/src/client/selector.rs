//! The distribution's `MessageQueueSelector`s: the application picks the queue from the publish list.

use serde::{Deserialize, Serialize};

use super::MessageQueue;
use crate::{message::java, node::Turn};

/// How the application picks a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Selector {
    /// `SelectMessageQueueByHash`: the same text always goes to the same queue, as long as the list stays as it is.
    Hash {
        /// What is hashed, as Java hashes a string.
        arg: String,
    },
    /// `SelectMessageQueueByRandom`.
    Random,
    /// `SelectMessageQueueByMachineRoom`, which is unfinished in 4.9.8: it picks nothing, and the send fails.
    MachineRoom,
}

impl Selector {
    /// The queue it picks.
    pub(super) fn select(&self, queues: &[MessageQueue], turn: &mut Turn<'_>) -> Option<MessageQueue> {
        let len = i32::try_from(queues.len()).unwrap_or(i32::MAX);
        let place = match self {
            // Java's remainder has the sign of the hash; the sign is then dropped.
            Self::Hash { arg } => java::string_hash(arg).checked_rem(len)?.wrapping_abs(),
            Self::Random => turn.streams().below("selector", len.cast_unsigned()).cast_signed(),
            Self::MachineRoom => return None,
        };
        queues.get(usize::try_from(place).ok()?).cloned()
    }
}

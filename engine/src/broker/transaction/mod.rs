//! Transactional messages (`TransactionalMessageServiceImpl` and what is around it).
//!
//! ```text
//! producer ── half message ──▶ RMQ_SYS_TRANS_HALF_TOPIC/0      nobody reads there; REAL_TOPIC, REAL_QID say what it is for
//!          ── END_TRANSACTION ▶ commit: a second message, where consumers read it
//!                               either way: RMQ_SYS_TRANS_OP_HALF_TOPIC/0, "half message n is decided"
//! ```
//!
//! A half message is never changed, nor taken out: what is decided is so because the op queue says it. The check
//! ([`check`]) goes along the half queue with the op queue beside it, asks the producers of what it finds undecided, and
//! puts that back at the queue's end.

mod ask;
mod check;
mod end;
mod half;
mod ops;
mod rounds;
mod state;
mod table;
#[cfg(test)]
mod tests;

pub(super) use self::end::Committed;
pub use self::{
    check::Check,
    state::{Decision, Fate, Happened, Transactions},
};
use super::Process;
use crate::{
    message::{Message, transaction::GROUP},
    node::{BrokerStep, TransactionStep, Turn},
    planted::PlantedFault,
    store::PutMessageResult,
};

/// Tag of what says that a half message is decided (`TransactionalMessageUtil.REMOVETAG`).
const REMOVE_TAG: &str = "d";

impl Process {
    /// What it knows of transactions.
    pub const fn transactions(&self) -> &Transactions {
        &self.transactions
    }

    /// The message that is stored for what a producer sends as the half of a transaction.
    pub(super) fn prepare(&self, message: Message, turn: &mut Turn<'_>) -> Message {
        if self.planted.has(PlantedFault::HalfMessageVisible) {
            return half::left_visible(message);
        }
        let (real_topic, real_queue_id) = (message.topic.clone(), message.queue_id);
        turn.step(TransactionStep::HalfPrepared { real_topic, real_queue_id });
        half::prepared(message)
    }

    /// Puts a message that the broker has made itself.
    pub(super) fn put_own(&mut self, message: &Message, turn: &mut Turn<'_>) -> PutMessageResult {
        turn.step(BrokerStep::MessageBuilt {
            topic: message.topic.clone(),
            queue_id: message.queue_id,
            properties_text: message.properties_text.clone(),
            body_len: message.body.len() as u64,
        });
        let result = self.store.put_message(message, turn);
        if let Some(append) = result.append.as_ref().filter(|_| result.is_ok()) {
            self.appended(append.wrote_offset, turn);
        }
        result
    }
}

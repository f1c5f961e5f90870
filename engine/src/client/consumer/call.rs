//! What the calls of a push consumer are for.

use super::{pulled::PushPulling, rebalance::Asking};
use crate::{
    client::Client,
    node::{Answer, Turn},
};

/// What a call of a push consumer is for.
#[derive(Clone, Debug)]
pub(in crate::client) enum ConsumerCall {
    /// The members of the group, for the rebalance of a topic.
    Members(Asking),
    /// The offset that the broker keeps of the queue that is being taken over.
    Offset,
    /// The offset to begin at where the broker keeps none.
    Position,
    /// A pull.
    Pull(PushPulling),
    /// A message that goes back, from the call of this thread.
    Back(u32),
    /// What the listener's call in this thread asks its database.
    Business(u32),
}

impl Client {
    /// What a call of the push consumer waited for is there.
    pub(in crate::client) fn consumer_answered(&mut self, call: ConsumerCall, answer: Answer, turn: &mut Turn<'_>) {
        match call {
            ConsumerCall::Members(asking) => self.members_answered(asking, answer, turn),
            ConsumerCall::Offset => self.offset_answered(answer, turn),
            ConsumerCall::Position => self.position_answered(answer, turn),
            ConsumerCall::Pull(pulling) => self.push_pulled(pulling, answer, turn),
            ConsumerCall::Back(thread) => self.sent_back(thread, answer, turn),
            ConsumerCall::Business(thread) => self.work_answered(thread, answer, turn),
        }
    }
}

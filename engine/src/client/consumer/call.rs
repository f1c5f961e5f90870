//! What the calls of a push consumer are for.

use std::collections::VecDeque;

use super::{back::Back, lock::LockFor, pulled::PushPulling, rebalance::Asking, start_offset::StartOf};
use crate::{
    client::Client,
    filter::Subscription,
    node::{Answer, Turn},
};

/// What a call of a push consumer is for.
#[derive(Clone, Debug)]
pub(in crate::client) enum ConsumerCall {
    /// The members of the group, for the rebalance of a topic.
    Members(Asking),
    /// The offset that the broker keeps for the group.
    Offset(StartOf),
    /// The offset to begin at where the broker keeps none.
    Position(StartOf),
    /// Locks of queues.
    Lock(Box<LockFor>),
    /// A pull.
    Pull(PushPulling),
    /// A message that goes back.
    Back(Box<Back>),
    /// What the listener's call in this thread asks its database.
    Business(u32),
    /// The check of the subscription of a topic, with those that are still to be checked.
    Subscription(VecDeque<Subscription>),
}

impl Client {
    /// What a call of the push consumer waited for is there.
    pub(in crate::client) fn consumer_answered(&mut self, call: ConsumerCall, answer: Answer, turn: &mut Turn<'_>) {
        match call {
            ConsumerCall::Members(asking) => self.members_answered(asking, answer, turn),
            ConsumerCall::Offset(of) => self.offset_answered(of, &answer, turn),
            ConsumerCall::Position(of) => self.position_answered(of, answer, turn),
            ConsumerCall::Lock(lock_for) => self.lock_answered(*lock_for, answer, turn),
            ConsumerCall::Pull(pulling) => self.push_pulled(pulling, answer, turn),
            ConsumerCall::Back(back) => self.sent_back(&back, answer, turn),
            ConsumerCall::Business(thread) => self.work_answered(thread, answer, turn),
            ConsumerCall::Subscription(left) => self.subscription_checked(left, answer, turn),
        }
    }
}

//! What a push consumer's part in long polling depends on, so that its pulls can pass unseen while nothing of that changes.

use super::{ConsumerCall, PullState};
use crate::{
    client::{Client, Waiting},
    node::{CallId, Fnv},
};

impl Client {
    /// What the next pulls of a push consumer depend on beside the time, as a hash; `None`: it is none.
    pub(in crate::client) fn pulls_depend_on(&self) -> Option<u64> {
        let push = self.push.as_deref()?;
        let mut hash = Fnv::default();
        let mut take = |what: &dyn std::fmt::Debug| {
            // Writing into a hash cannot fail.
            let _: Result<(), std::io::Error> = std::io::Write::write_fmt(&mut hash, format_args!("{what:?} "));
        };
        take(&(push.is_running(), push.is_suspended(), push.config(), push.is_clustering()));
        for (queue, own) in push.queues() {
            let asked = matches!(own.pulling(), PullState::Asked(_));
            take(&(queue, own.id, own.next_offset(), asked, (!asked).then(|| own.pulling())));
            let suggested = self.pull_from.get(queue).copied().unwrap_or(0);
            take(&(push.offsets().get(queue), own.process_queue().count() == 0, own.process_queue().is_dropped()));
            take(&(push.blocked(queue, own.id), own.previously_locked));
            take(&(push.subscriptions().get(&queue.topic), self.routes.reader_like(&queue.broker_name, suggested)));
        }
        Some(hash.value())
    }

    /// When the pull of this call was sent; `None`: it is none, or its queue is not this consumer's any more.
    pub(in crate::client) fn pull_sent_us(&self, call: CallId) -> Option<i64> {
        let Some(Waiting::Consumer(ConsumerCall::Pull(pulling))) = self.calls.get(&call) else { return None };
        let own = self.push.as_deref()?.queues().get(&pulling.queue).filter(|own| own.id == pulling.id)?;
        if let PullState::Asked(at_us) = own.pulling() { Some(at_us) } else { None }
    }

    /// The pull of this call found nothing, again and again, and was sent for the last time at `at_us`, `at_ms` by the
    /// client's clock.
    pub(in crate::client) fn pull_sent_again(&mut self, call: CallId, at_us: i64, at_ms: i64) {
        let Some(Waiting::Consumer(ConsumerCall::Pull(pulling))) = self.calls.get(&call) else { return };
        let own = self.push.as_mut().and_then(|push| push.own(&pulling.queue, pulling.id));
        if let Some(own) = own {
            own.pulling = PullState::Asked(at_us);
            own.process_queue.pulling(at_ms);
        }
    }
}

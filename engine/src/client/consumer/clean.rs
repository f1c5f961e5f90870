//! Messages that a concurrent listener has had for too long are given back (`ProcessQueue.cleanExpiredMsg`): the listener may
//! go on, but they are not waited for any more.

use std::{collections::VecDeque, sync::Arc};

use super::back::{Back, BackFrom};
use crate::{
    client::{Client, PullQueue, Received},
    message::OffsetMsgId,
    node::{ConsumerStep, Grid, Service, Turn},
};

/// Messages of a queue that a round looks at.
const AT_ONCE: usize = 16;

/// The delay level with which they go back.
const DELAY_LEVEL: i32 = 3;

/// The rounds.
#[derive(Clone, Debug)]
pub(super) struct Cleaning {
    grid: Grid,
    /// Queues that the round has still to look at, and how many messages of each.
    left: VecDeque<(PullQueue, u64, usize)>,
    /// The message that is on its way back.
    now: Option<(PullQueue, u64, Arc<Received>)>,
}

impl Default for Cleaning {
    fn default() -> Self {
        Self { grid: Grid::new(0, 1), left: VecDeque::new(), now: None }
    }
}

impl Client {
    pub(super) fn start_cleaning(&mut self, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        let Some(push) = self.push.as_mut().filter(|push| !push.is_orderly()) else { return };
        let period_us = push.config.consume_timeout.saturating_mul(60_000_000);
        push.cleaning.grid = Grid::new(now_us.saturating_add(period_us), period_us);
    }

    /// The next round is to look, since a listener has something in hand. Rounds that would find nothing are passed over.
    pub(super) fn plan_cleaning(&self, turn: &mut Turn<'_>) {
        let Some(push) = self.push.as_ref().filter(|push| !push.is_orderly()) else { return };
        if push.queues.values().any(|own| own.process_queue.count() > 0) {
            turn.wake_at(Service::CleanExpiredMsg, push.cleaning.grid.after(turn.now_us()));
        }
    }

    /// A round begins, unless the last one is still under way.
    pub(in crate::client) fn clean_expired(&mut self, turn: &mut Turn<'_>) {
        self.plan_cleaning(turn);
        let Some(push) = &mut self.push else { return };
        if push.cleaning.now.is_some() {
            return;
        }
        let queues = push.queues.iter();
        push.cleaning.left = queues
            .map(|(queue, own)| (queue.clone(), own.id, own.process_queue.waiting().len().min(AT_ONCE)))
            .collect();
        self.clean_next(turn);
    }

    /// Gives the next message back that is waited for too long, or ends.
    fn clean_next(&mut self, turn: &mut Turn<'_>) {
        let now_ms = turn.wall_ms();
        loop {
            let Some(push) = &mut self.push else { return };
            let timeout_ms = push.config.consume_timeout.saturating_mul(60_000);
            let Some((queue, id, left)) = push.cleaning.left.front_mut() else { return };
            let (queue, id, last) = (queue.clone(), *id, *left == 0);
            *left = left.saturating_sub(1);
            let first = push.own(&queue, id).and_then(|own| own.process_queue.expired(timeout_ms, now_ms).cloned());
            let Some(message) = first.filter(|_| !last) else {
                push.cleaning.left.pop_front();
                continue;
            };
            turn.step(ConsumerStep::MessageExpired {
                topic: queue.topic.clone(),
                broker_name: queue.broker_name.clone(),
                queue_id: queue.queue_id,
                queue_offset: message.queue_offset,
                timeout_ms,
            });
            push.cleaning.now = Some((queue, id, Arc::clone(&message)));
            // The broker is the one that the record names.
            let host = message.offset_msg_id.parse::<OffsetMsgId>().ok();
            let addr = host.map(|id| id.host.to_string());
            let back = Back { from: BackFrom::Clean, message, addr, delay_level: DELAY_LEVEL };
            return self.send_message_back(back, turn);
        }
    }

    /// The message has gone, or not: if it has and is still the first, it is done with. The offset moves with the next
    /// message that a listener is done with.
    pub(super) fn expired_sent(&mut self, went: bool, turn: &mut Turn<'_>) {
        let now_ms = turn.wall_ms();
        let Some(push) = &mut self.push else { return };
        let Some((queue, id, message)) = push.cleaning.now.take() else { return };
        if went
            && let Some(own) = push.own(&queue, id)
            && own.process_queue.first_offset() == Some(message.queue_offset)
        {
            own.process_queue.remove([&*message], now_ms);
            self.unblock_pulls(turn);
        }
        self.clean_next(turn);
    }
}

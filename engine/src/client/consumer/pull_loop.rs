//! The pull thread (`PullMessageService`, `DefaultMQPushConsumerImpl.pullMessage`): one for all queues, one request a turn.
//!
//! A request that something in the client holds up comes by again and again in 4.9.8, every 50 ms where too much is in
//! hand. Here only the first of these looks is a turn, and the one that finds it gone: the moment of that one is worked
//! out, on the grid of the others, when what held it up changes.

use std::collections::BTreeMap;

use super::{Block, ConsumerConfig, OwnQueue, PullState, PushConsumer, pulled::PushPulling, start_offset::StartOf};
use crate::{
    client::{After, Client, ConsumerCall, PullQueue, Waiting},
    node::{ConsumerStep, Grid, Service, Turn},
    wire::{PullMessage, Request, pull_flag},
};

/// `PULL_TIME_DELAY_MILLS_WHEN_CACHE_FLOW_CONTROL`.
const FLOW_CONTROL_MS: i64 = 50;

/// `PULL_TIME_DELAY_MILLS_WHEN_SUSPEND`.
const SUSPENDED_MS: i64 = 1_000;

/// `BROKER_SUSPEND_MAX_TIME_MILLIS`: how long a broker may hold a pull.
const HELD_MAX_MS: i64 = 15_000;

/// `CONSUMER_TIMEOUT_MILLIS_WHEN_SUSPEND`.
const PULL_TIMEOUT_MS: i64 = 30_000;

/// What the thread has to do, by time and in the order in which it was told.
#[derive(Clone, Debug, Default)]
pub(super) struct PullLoop {
    due: BTreeMap<(i64, u64), Due>,
    next: u64,
}

#[derive(Clone, Debug)]
struct Due {
    queue: PullQueue,
    id: u64,
    what: DueWhat,
    /// Something has been done that this follows; not so where it is only tried again.
    work: bool,
}

#[derive(Clone, Copy, Debug)]
enum DueWhat {
    /// A pull.
    Pull,
    /// The offset of a queue is set right, 10 s after a broker has called it illegal.
    SetRight(i64),
}

impl PullLoop {
    fn add(&mut self, at_us: i64, due: Due) {
        self.due.insert((at_us, self.next), due);
        self.next += 1;
    }

    /// Takes what is due first, if it is by now.
    fn pop(&mut self, now_us: i64) -> Option<Due> {
        let first = self.due.first_entry().filter(|first| first.key().0 <= now_us)?;
        Some(first.remove())
    }

    /// Sets the time of the next turn.
    fn arm(&self, turn: &mut Turn<'_>) {
        let Some(((at_us, _), _)) = self.due.first_key_value() else { return };
        let at_us = (*at_us).max(turn.now_us());
        if self.due.values().any(|due| due.work) {
            turn.wake_for_work(Service::PullMessage, at_us);
        } else {
            turn.wake_at(Service::PullMessage, at_us);
        }
    }
}

impl Client {
    /// A turn of the thread.
    pub(in crate::client) fn pull_messages(&mut self, turn: &mut Turn<'_>) {
        self.wait_for_lock(Service::PullMessage, turn);
        let due = self.push.as_mut().and_then(|push| push.pulls.pop(turn.now_us()));
        if let Some(Due { queue, id, what, .. }) = due {
            match what {
                DueWhat::Pull => self.push_pull(&queue, id, turn),
                DueWhat::SetRight(offset) => self.set_right(&queue, id, offset, turn),
            }
        }
        if let Some(push) = &self.push {
            push.pulls.arm(turn);
        }
    }

    /// A queue is pulled as soon as the thread comes to it (`executePullRequestImmediately`).
    pub(super) fn pull_now(&mut self, queue: &PullQueue, id: u64, turn: &mut Turn<'_>) {
        self.pull_at(queue, id, turn.now_us(), true, PullState::Queued, turn);
    }

    /// A queue is pulled after a while (`executePullRequestLater`).
    pub(super) fn pull_later(
        &mut self,
        queue: &PullQueue,
        id: u64,
        after_ms: i64,
        (reason, cause): (&str, Option<String>),
        turn: &mut Turn<'_>,
    ) {
        turn.step(ConsumerStep::PullPostponed {
            topic: queue.topic.clone(),
            broker_name: queue.broker_name.clone(),
            queue_id: queue.queue_id,
            after_ms,
            reason: reason.to_owned(),
            cause,
        });
        let at_us = turn.now_us().saturating_add(after_ms.saturating_mul(1000));
        self.pull_at(queue, id, at_us, reason == "pullInterval", PullState::Later(at_us), turn);
    }

    /// A queue is pulled again after an exception.
    pub(super) fn pull_after_exception(&mut self, queue: &PullQueue, id: u64, cause: String, turn: &mut Turn<'_>) {
        let after_ms = self.config.pull_time_delay_mills_when_exception;
        self.pull_later(queue, id, after_ms, ("exception", Some(cause)), turn);
    }

    fn pull_at(&mut self, queue: &PullQueue, id: u64, at_us: i64, work: bool, state: PullState, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        if let Some(own) = push.queues.get_mut(queue).filter(|own| own.id == id) {
            own.pulling = state;
        }
        push.pulls.add(at_us, Due { queue: queue.clone(), id, what: DueWhat::Pull, work });
        push.pulls.arm(turn);
    }

    /// A queue's offset is to be set right in 10 s.
    pub(super) fn set_right_later(&mut self, queue: &PullQueue, id: u64, offset: i64, turn: &mut Turn<'_>) {
        const AFTER_US: i64 = 10_000_000;
        let Some(push) = &mut self.push else { return };
        let at_us = turn.now_us().saturating_add(AFTER_US);
        push.pulls.add(at_us, Due { queue: queue.clone(), id, what: DueWhat::SetRight(offset), work: true });
        push.pulls.arm(turn);
    }

    /// The thread has a pull request in hand (`pullMessage`).
    fn push_pull(&mut self, queue: &PullQueue, id: u64, turn: &mut Turn<'_>) {
        let (now_us, now_ms) = (turn.now_us(), turn.wall_ms());
        let Some(push) = &mut self.push else { return };
        let Some(own) = push.own(queue, id) else {
            turn.step(ConsumerStep::PullDiscarded {
                topic: queue.topic.clone(),
                broker_name: queue.broker_name.clone(),
                queue_id: queue.queue_id,
            });
            return;
        };
        own.process_queue.pulling(now_ms);
        if let Some(block) = push.blocked(queue, id) {
            let period_ms = block.period_ms(self.config.pull_time_delay_mills_when_exception);
            let grid = Grid::new(now_us, period_ms.saturating_mul(1000));
            if let Some(own) = push.queues.get_mut(queue) {
                own.pulling = PullState::Blocked(block, grid);
                block.tell(own, &push.config, queue, period_ms, turn);
            }
            return;
        }
        if push.is_orderly() && push.own(queue, id).is_some_and(|own| !own.previously_locked) {
            // The lock may have come later than the offset: what is kept now counts.
            return self.find_start(StartOf::pull(queue.clone(), id), turn);
        }
        self.send_push_pull(queue, id, true, turn);
    }

    /// Where to begin after the lock is known, or not.
    pub(super) fn pull_start_known(
        &mut self,
        queue: &PullQueue,
        id: u64,
        start: Result<i64, String>,
        turn: &mut Turn<'_>,
    ) {
        let offset = match start {
            Ok(offset) => offset,
            Err(cause) => return self.pull_after_exception(queue, id, cause, turn),
        };
        let Some(push) = &mut self.push else { return };
        let Some(own) = push.own(queue, id) else { return self.pull_now(queue, id, turn) };
        (own.previously_locked, own.next_offset) = (true, offset);
        self.send_push_pull(queue, id, true, turn);
    }

    /// What may have held pulls up has changed: those that nothing holds up any more go out at the next moment at which they
    /// would look.
    pub(in crate::client) fn unblock_pulls(&mut self, turn: &mut Turn<'_>) {
        let Some(push) = &self.push else { return };
        let blocked = push.queues.iter().filter_map(|(queue, own)| match own.pulling {
            PullState::Blocked(_, grid) if push.blocked(queue, own.id).is_none() => Some((queue.clone(), own.id, grid)),
            _ => None,
        });
        let blocked: Vec<_> = blocked.collect();
        for (queue, id, grid) in blocked {
            let at_us = grid.at_or_after(turn.now_us());
            self.pull_at(&queue, id, at_us, true, PullState::Later(at_us), turn);
        }
    }

    /// Sends the request to the broker that its last answer suggests; where that is not known, the topic's route is asked
    /// for first, once.
    pub(super) fn send_push_pull(&mut self, queue: &PullQueue, id: u64, may_ask_route: bool, turn: &mut Turn<'_>) {
        let suggested = self.pull_from.get(queue).copied().unwrap_or(0);
        let reader = self.routes.reader_like(&queue.broker_name, suggested);
        let Some((broker_id, addr)) = reader.map(|(id, addr)| (id, addr.to_owned())) else {
            let then = Box::new(After::PushPull(queue.clone(), id));
            let route = Waiting::Route { topic: queue.topic.clone(), then };
            if !may_ask_route || !self.ask_route_for(Service::PullMessage, &queue.topic, route, turn) {
                let cause = Self::no_such_broker(queue);
                self.pull_after_exception(queue, id, cause, turn);
            }
            return;
        };
        let group = self.group().to_owned();
        let waits_ms = self.noticed_after_ms(PULL_TIMEOUT_MS, turn);
        let Some(push) = &mut self.push else { return };
        let Some(subscription) = push.subscriptions.get(&queue.topic).cloned() else { return };
        let commit = push.offsets().get(queue).filter(|offset| *offset > 0 && push.is_clustering());
        let posts = push.config.post_subscription_when_pull;
        let max_msg_nums = push.config.pull_batch_size;
        let Some(own) = push.own(queue, id) else { return };
        let mut sys_flag = pull_flag::SUSPEND;
        // A slave would not keep the offset.
        if commit.is_some() && broker_id == 0 {
            sys_flag |= pull_flag::COMMIT_OFFSET;
        }
        if posts {
            sys_flag |= pull_flag::SUBSCRIPTION;
        }
        own.pulling = PullState::Asked(turn.now_us());
        let header = PullMessage {
            consumer_group: group,
            topic: queue.topic.clone(),
            queue_id: queue.queue_id,
            queue_offset: own.next_offset,
            max_msg_nums,
            sys_flag,
            commit_offset: commit.unwrap_or(0),
            suspend_timeout_millis: HELD_MAX_MS,
            subscription: posts.then(|| subscription.sub_string.clone()),
            sub_version: subscription.sub_version,
            expression_type: Some(subscription.expression_type.clone()),
        };
        let call = turn.call_async(Service::PullMessage, &addr, Request::PullMessage(header), waits_ms);
        let pulling = PushPulling { queue: queue.clone(), id, subscription: Box::new(subscription), addr };
        self.calls.insert(call, Waiting::Consumer(ConsumerCall::Pull(pulling)));
    }

    /// The route that a pull waited for is there, or not.
    pub(in crate::client) fn push_pull_with_route(
        &mut self,
        queue: &PullQueue,
        id: u64,
        unreachable: Option<String>,
        turn: &mut Turn<'_>,
    ) {
        match unreachable {
            Some(cause) => self.pull_after_exception(queue, id, cause, turn),
            None => self.send_push_pull(queue, id, false, turn),
        }
    }
}

impl PushConsumer {
    /// What holds the pulls of a queue up, the first thing that `pullMessage` would come to.
    pub(super) fn blocked(&self, queue: &PullQueue, id: u64) -> Option<Block> {
        let own = self.queues.get(queue).filter(|own| own.id == id)?;
        let in_hand = &own.process_queue;
        let ConsumerConfig { pull_threshold_for_queue: count, pull_threshold_size_for_queue: mib, .. } = self.config;
        if self.suspended {
            Some(Block::Suspended)
        } else if in_hand.count() > i64::from(count) {
            Some(Block::Count)
        } else if in_hand.size() / MIB > i64::from(mib) {
            Some(Block::Size)
        } else if !self.is_orderly() && in_hand.span() > i64::from(self.config.consume_concurrently_max_span) {
            Some(Block::Span)
        } else if self.is_orderly() && !in_hand.is_locked() {
            Some(Block::NotLocked)
        } else if !self.subscriptions.contains_key(&queue.topic) {
            Some(Block::NotSubscribed)
        } else {
            None
        }
    }
}

const MIB: i64 = 1024 * 1024;

impl Block {
    /// From one look to the next, milliseconds.
    const fn period_ms(self, after_exception_ms: i64) -> i64 {
        match self {
            Self::Count | Self::Size | Self::Span => FLOW_CONTROL_MS,
            Self::Suspended => SUSPENDED_MS,
            Self::NotLocked | Self::NotSubscribed => after_exception_ms,
        }
    }

    fn tell(self, own: &OwnQueue, config: &ConsumerConfig, queue: &PullQueue, period_ms: i64, turn: &mut Turn<'_>) {
        let in_hand = &own.process_queue;
        let (by, value, threshold) = match self {
            Self::Count => ("cachedCount", in_hand.count(), config.pull_threshold_for_queue),
            Self::Size => ("cachedSize", in_hand.size() / MIB, config.pull_threshold_size_for_queue),
            Self::Span => ("cachedSpan", in_hand.span(), config.consume_concurrently_max_span),
            Self::Suspended | Self::NotLocked | Self::NotSubscribed => {
                let reason = match self {
                    Self::Suspended => "consumerSuspended",
                    Self::NotLocked => "notLocked",
                    _ => "notSubscribed",
                };
                return turn.step(ConsumerStep::PullPostponed {
                    topic: queue.topic.clone(),
                    broker_name: queue.broker_name.clone(),
                    queue_id: queue.queue_id,
                    after_ms: period_ms,
                    reason: reason.to_owned(),
                    cause: None,
                });
            }
        };
        turn.step(ConsumerStep::FlowControlled {
            topic: queue.topic.clone(),
            broker_name: queue.broker_name.clone(),
            queue_id: queue.queue_id,
            by: by.to_owned(),
            value,
            threshold: threshold.into(),
        });
    }
}

//! A push consumer stops (`DefaultMQPushConsumerImpl.shutdown`): its threads take nothing in any more, and what they have is
//! waited for as long as the application has said, and once more as long (`ThreadUtils.shutdownGracefully`).

use crate::{
    client::Client,
    node::{ConsumerStep, Service, Turn},
};

/// A stop that waits for the listeners.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopping {
    /// Until then, microseconds.
    until_us: i64,
    /// The second wait: what had no thread by then is thrown away, and the threads are interrupted.
    interrupted: bool,
}

impl Client {
    /// Whether the process stays until its listeners have come to an end, or their time is over.
    pub(in crate::client) fn await_listeners(&mut self, turn: &mut Turn<'_>) -> bool {
        let Some(push) = self.push.as_mut().filter(|push| push.running) else { return false };
        if push.stopping.is_some() {
            return true;
        }
        push.pool.close();
        let most_ms = push.config.await_termination_millis_when_shutdown;
        if most_ms <= 0 || push.pool.is_done() {
            return false;
        }
        let until_us = turn.now_us().saturating_add(most_ms.saturating_mul(1000));
        push.stopping = Some(Stopping { until_us, interrupted: false });
        turn.step(ConsumerStep::ListenersAwaited {
            calls: u32::try_from(push.pool.calls().len()).unwrap_or(u32::MAX),
            waiting: u32::try_from(push.pool.waiting().len()).unwrap_or(u32::MAX),
            most_ms,
        });
        push.pool.arm(turn);
        self.wait_for_listeners(turn);
        true
    }

    /// The next turn is when the time is over, if not before.
    pub(super) fn wait_for_listeners(&self, turn: &mut Turn<'_>) {
        if let Some(Stopping { until_us, .. }) = self.push.as_ref().and_then(|push| push.stopping) {
            turn.wake_for_work(Service::Consume, until_us.max(turn.now_us()));
        }
    }

    /// Whether a stop goes on now: everything is done, or the time is over for the second time. A listener takes no notice of
    /// an interrupt: it goes on, and its result counts if it comes in time.
    pub(super) fn ends_by_now(&mut self, turn: &mut Turn<'_>) -> bool {
        let now_us = turn.now_us();
        let Some(push) = &mut self.push else { return false };
        let Some(Stopping { until_us, interrupted }) = push.stopping else { return false };
        if push.pool.is_done() {
            return true;
        }
        if until_us > now_us {
            return false;
        }
        let calls = u32::try_from(push.pool.calls().len()).unwrap_or(u32::MAX);
        if interrupted {
            turn.step(ConsumerStep::ListenersGivenUp { calls });
            return true;
        }
        let thrown_away = u32::try_from(push.pool.throw_away()).unwrap_or(u32::MAX);
        turn.step(ConsumerStep::ListenersInterrupted { calls, thrown_away });
        let most_ms = push.config.await_termination_millis_when_shutdown;
        push.stopping =
            Some(Stopping { until_us: now_us.saturating_add(most_ms.saturating_mul(1000)), interrupted: true });
        push.pool.is_done()
    }

    /// Whether a stop is under way.
    pub fn is_stopping(&self) -> bool {
        self.push.as_ref().is_some_and(|push| push.stopping.is_some())
    }

    /// The offsets go to the brokers once more as the process ends; whether that waits for a route.
    pub(in crate::client) fn stop_push(&mut self, turn: &mut Turn<'_>) -> bool {
        let Some(push) = &mut self.push else { return false };
        if push.ending {
            return true;
        }
        (push.running, push.ending) = (false, true);
        self.unlock_all(turn);
        self.persist_all(true, turn)
    }
}

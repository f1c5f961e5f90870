//! A lane: one service of one node, with what waits for it.

use std::collections::VecDeque;

use bytes::Bytes;
use smallvec::SmallVec;

use super::queue::Key;
use crate::{
    node::{Answer, Caller, ConnId, Service},
    wire::{Request, RequestCode},
};

/// Something that a service is to deal with.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub(super) kind: WorkKind,
    pub(super) cause: Option<u64>,
    pub(super) housekeeping: bool,
}

#[derive(Clone, Debug)]
pub(super) enum WorkKind {
    Request {
        caller: Caller,
        request: Request,
        /// When it arrived by the node's wall clock, milliseconds since the epoch.
        since_ms: i64,
    },
    /// A request that is answered at the door, with this excuse.
    TurnedAway {
        caller: Caller,
        code: RequestCode,
        remark: &'static str,
    },
    Answer {
        request: RequestCode,
        answer: Answer,
    },
    Closed {
        conn: ConnId,
        peer: String,
        cause: &'static str,
    },
    /// A connection for replication stands.
    Opened {
        conn: ConnId,
        peer: String,
    },
    /// A connection for replication cannot be had.
    Unopened,
    /// Bytes on a connection for replication.
    Bytes {
        conn: ConnId,
        bytes: Bytes,
        label: String,
        from: String,
    },
}

/// A turn that time gives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wake {
    pub(super) at_us: i64,
    pub(super) cause: Option<u64>,
    /// Something has been done that this turn, or one soon after it, is to follow.
    pub(super) work: bool,
}

impl Wake {
    pub(super) const fn new(at_us: i64, cause: Option<u64>) -> Self {
        Self { at_us, cause, work: cause.is_some() }
    }

    /// Both turns in one: at the earlier time, of two equal ones the first.
    pub(super) const fn and(self, other: Self) -> Self {
        let first = if other.at_us < self.at_us { other } else { self };
        Self { work: self.work || other.work, ..first }
    }

    /// Whether the turn is only housekeeping. Of a master's transfer that is so as long as there are only heartbeats, of
    /// the look for requests that wait too long as long as there are only such of housekeeping, of an outbox's relay as
    /// long as nobody has written to the outbox, of the check of transactions as long as none is undecided, of a push
    /// consumer's rebalance and pulls as long as only their time brings them.
    pub(super) const fn is_housekeeping(self, service: Service) -> bool {
        let by_need = matches!(
            service,
            Service::HaTransfer
                | Service::FastFailure
                | Service::OutboxRelay
                | Service::TransactionCheck
                | Service::Rebalance
                | Service::PullMessage
        );
        is_periodic(service) || (by_need && !self.work)
    }
}

/// A periodic exchange whose rounds pass unseen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parked {
    /// When the next round would be.
    pub(super) next_us: i64,
    pub(super) period_us: i64,
}

impl Parked {
    /// Lets the rounds up to `now_us` pass, of which there is one at least; when the last of them was.
    pub(super) const fn pass(&mut self, now_us: i64) -> i64 {
        let rounds = (now_us - self.next_us) / self.period_us;
        let last_us = self.next_us.saturating_add(rounds.saturating_mul(self.period_us));
        self.next_us = last_us.saturating_add(self.period_us);
        last_us
    }
}

#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub(super) paused: bool,
    pub(super) busy_until_us: i64,
    pub(super) inbox: VecDeque<Work>,
    pub(super) wake: Option<Wake>,
    /// Its entry in the event queue.
    pub(super) scheduled: Option<Key>,
    pub(super) parked: Option<Parked>,
    /// [`super::World`]'s disturbances when the present round of its periodic exchange began.
    pub(super) round_began: u64,
    /// The connections that the present round of its periodic exchange uses.
    pub(super) round: SmallVec<[ConnId; 2]>,
}

impl Default for Lane {
    fn default() -> Self {
        Self {
            paused: false,
            // Virtual time may begin below 0.
            busy_until_us: i64::MIN,
            inbox: VecDeque::new(),
            wake: None,
            scheduled: None,
            parked: None,
            round_began: 0,
            round: SmallVec::new(),
        }
    }
}

impl Lane {
    /// When its next turn is due, and whether that is only housekeeping.
    pub(super) fn due(&self, service: Service, now_us: i64) -> Option<(i64, bool)> {
        let wake = self.wake;
        let inbox = (!self.inbox.is_empty()).then_some(now_us);
        let at = match (inbox, wake.map(|wake| wake.at_us)) {
            (Some(inbox), Some(wake)) => inbox.min(wake),
            (inbox, wake) => inbox.or(wake)?,
        };
        let idle_work = self.inbox.iter().all(|work| work.housekeeping);
        let housekeeping = idle_work && wake.is_none_or(|wake| wake.is_housekeeping(service));
        Some((at.max(self.busy_until_us).max(now_us), housekeeping))
    }
}

/// Services whose own turns are periodic housekeeping: a world in which only they have turns is at rest.
pub(super) const fn is_periodic(service: Service) -> bool {
    matches!(
        service,
        Service::CommitCommitLog
            | Service::FlushCommitLog
            | Service::FlushDiskWatcher
            | Service::FlushConsumeQueue
            | Service::CleanFiles
            | Service::PersistOffset
            | Service::Register
            | Service::HaAccept
            | Service::HaRead
            | Service::HaClient
            | Service::SlaveSync
            | Service::ClientHousekeeping
            | Service::PullHold
            | Service::Scan
            | Service::RoutePoll
            | Service::Heartbeat
            | Service::PersistConsumerOffset
            | Service::LockQueues
            | Service::CleanExpiredMsg
    )
}

//! A lane: one service of one node, with what waits for it.

use std::collections::VecDeque;

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
    Request { caller: Caller, request: Request },
    Answer { request: RequestCode, answer: Answer },
    Closed { conn: ConnId, peer: String, cause: &'static str },
}

/// A turn that time gives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wake {
    pub(super) at_us: i64,
    pub(super) cause: Option<u64>,
}

/// A periodic exchange whose rounds pass unseen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parked {
    /// When the next round would be.
    pub(super) next_us: i64,
    pub(super) period_us: i64,
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
    /// The connections that the present round of its periodic exchange uses.
    pub(super) round: Vec<ConnId>,
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
            round: Vec::new(),
        }
    }
}

impl Lane {
    /// When its next turn is due, and whether that is only housekeeping.
    pub(super) fn due(&self, service: Service, now_us: i64) -> Option<(i64, bool)> {
        let wake = self.wake.map(|wake| wake.at_us);
        let inbox = (!self.inbox.is_empty()).then_some(now_us);
        let at = match (inbox, wake) {
            (Some(inbox), Some(wake)) => inbox.min(wake),
            (inbox, wake) => inbox.or(wake)?,
        };
        let idle_work = self.inbox.iter().all(|work| work.housekeeping);
        let housekeeping = idle_work && (wake.is_none() || is_periodic(service));
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
            | Service::ClientHousekeeping
            | Service::PullHold
            | Service::Scan
            | Service::RoutePoll
            | Service::Heartbeat
    )
}

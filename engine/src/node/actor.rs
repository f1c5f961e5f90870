//! What every node can do.

use bytes::Bytes;

use super::{Answer, CallId, Caller, Cleared, Clearing, ConnId, NodeStep, Pool, Service, Turn};
use crate::wire::Request;

/// A time by both clocks of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Virtual time, microseconds.
    pub at_us: i64,
    /// The node's wall clock, milliseconds since the epoch.
    pub wall_ms: i64,
}

/// A node: it is handed an event and the time, and answers with steps and effects. It never reads a clock, a file of
/// the machine or a socket.
pub trait Actor {
    /// The services it has.
    fn services(&self) -> Vec<Service>;

    /// The service that takes a request.
    fn lane(&self, request: &Request) -> Service;

    /// The process starts.
    fn start(&mut self, turn: &mut Turn<'_>);

    /// The process is asked to end in good order. It ends with [`Turn::exit`], in this turn or a later one.
    fn stop(&mut self, turn: &mut Turn<'_>) {
        turn.step(NodeStep::ProcessEnded);
        turn.exit();
    }

    /// The process is gone, and its memory with it. What a disk holds stays.
    fn die(&mut self);

    /// Whether a request of `pool` is turned away before it is queued, where `waiting` of them wait already: the remark of
    /// the `SYSTEM_BUSY` that answers it.
    fn turns_away(&self, _pool: Pool, _waiting: usize, _now: Moment) -> Option<&'static str> {
        None
    }

    /// When a request of `pool` that has been waiting since the node's wall clock showed `since_ms` is going to be taken
    /// out of the queue, as things stand. `None`: never.
    fn clearing(&self, _pool: Pool, _since_ms: i64, _now: Moment) -> Option<Clearing> {
        None
    }

    /// These have been taken out of their queues and are to be answered. One at least.
    fn cleared(&mut self, _requests: Vec<Cleared>, _turn: &mut Turn<'_>) {}

    /// The service that reads on the connections for requests, and is told when one of them ends.
    fn reader(&self) -> Service {
        Service::Remoting
    }

    /// A request is handled.
    fn request(&mut self, caller: &Caller, request: Request, turn: &mut Turn<'_>);

    /// An answer to a call of `service` is taken in, or the news that there is none.
    fn answer(&mut self, service: Service, answer: Answer, turn: &mut Turn<'_>);

    /// A service's time has come.
    fn wake(&mut self, service: Service, turn: &mut Turn<'_>);

    /// A connection is gone; `service` is the one that reads there.
    fn closed(&mut self, service: Service, conn: ConnId, turn: &mut Turn<'_>);

    /// A connection to the node `peer` is gone.
    fn parted(&mut self, _peer: &str, _turn: &mut Turn<'_>) {}

    /// A connection for replication stands: `service` has opened it, or takes it in.
    fn connected(&mut self, _service: Service, _conn: ConnId, _peer: &str, _turn: &mut Turn<'_>) {}

    /// The connection that `service` wanted cannot be had.
    fn unconnected(&mut self, _service: Service, _turn: &mut Turn<'_>) {}

    /// Bytes have arrived on a connection for replication, and `service` reads them.
    fn bytes(&mut self, _service: Service, _conn: ConnId, _bytes: &Bytes, _turn: &mut Turn<'_>) {}

    /// Heartbeats of `service` over `conn` are parked from here on, or no longer (`more`); those that passed in between
    /// were sent, the last of them at `last`.
    fn heartbeats_parked(&mut self, _service: Service, _conn: ConnId, _last: Option<Moment>, _more: bool) {}

    /// Rounds of the periodic exchange that `service` of the far end of `conn` has with this node passed while it was parked,
    /// the last at the node's wall clock `at_ms`: leaves behind what their requests would have left. `parked`: more may
    /// pass; until told otherwise, the far end counts as alive.
    fn renewed(&mut self, _service: Service, _conn: ConnId, _at_ms: i64, _parked: bool) {}

    /// What its part in long polling depends on beside the time, as a hash: as long as that stays the same, pulls that are
    /// held, run out of time and are sent again go the same way. `None`: it has no such part, or has more to do than wait.
    fn polling(&self) -> Option<u64> {
        None
    }

    /// When the pull of a call was sent that is sent again whenever it finds nothing, microseconds; `None`: there is none.
    fn polled_us(&self, _call: CallId) -> Option<i64> {
        None
    }

    /// That pull found nothing, again and again, and was sent for the last time at `at_us`, the node's wall clock showing
    /// `at_ms`.
    fn polled(&mut self, _call: CallId, _at_us: i64, _at_ms: i64) {}

    /// Long polling goes on as events: sets the timer of the look at held pulls.
    fn polls_back(&mut self, _turn: &mut Turn<'_>) {}

    /// Rounds of the periodic exchange of `service` passed while it was parked, the last of them at `last`: at the node whose
    /// service it is (`conn` is none), and at the far end of each connection that it uses. Leaves behind what their requests
    /// would have left beside the news that somebody is alive.
    fn rounds_passed(&mut self, _service: Service, _conn: Option<ConnId>, _last: Moment) {}

    /// Parked exchanges go on as events: sets the timers that depend on others' silence.
    fn disturbed(&mut self, _turn: &mut Turn<'_>) {}
}

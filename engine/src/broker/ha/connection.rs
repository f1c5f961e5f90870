//! A slave at its master (`HAConnection`).

use crate::node::{Grid, Moment, Turn};

/// The transfer looks so often whether the slave has asked for something, microseconds.
const REQUEST_POLL_US: i64 = 10_000;

/// With nothing to hand over the transfer waits so long, microseconds (`allWaitForRunning(100)`).
const IDLE_US: i64 = 100_000;

/// A slave at its master: what its two services know.
#[derive(Clone, Debug)]
pub struct HaConnection {
    slave: String,
    accepted_us: i64,
    /// What the first report asked for (`slaveRequestOffset`).
    pub(super) requested: Option<i64>,
    /// The last report (`slaveAckOffset`).
    pub(super) acknowledged: Option<i64>,
    /// Where the next piece begins (`nextTransferFromWhere`).
    pub(super) next: Option<i64>,
    /// The last report, by the wall clock.
    pub(super) last_read_ms: i64,
    /// Reports go on unseen.
    reports_parked: bool,
    pub(super) unread: Vec<u8>,
    /// The last piece or heartbeat, by the wall clock.
    pub(super) last_write_ms: i64,
    /// Heartbeats go on unseen.
    beats_parked: bool,
    /// The moments at which an idle transfer looks for more, and whether a heartbeat is due.
    looks: Grid,
    /// When the transfer has something to do, and because of which event.
    pub(super) due: Option<(i64, u64)>,
}

impl HaConnection {
    pub(super) fn new(slave: &str, turn: &Turn<'_>) -> Self {
        Self {
            slave: slave.to_owned(),
            accepted_us: turn.now_us(),
            requested: None,
            acknowledged: None,
            next: None,
            last_read_ms: turn.wall_ms(),
            reports_parked: false,
            unread: Vec::new(),
            last_write_ms: turn.wall_ms(),
            beats_parked: false,
            looks: looks_after(turn.now_us()),
            due: None,
        }
    }

    /// The slave's node.
    pub fn slave(&self) -> &str {
        &self.slave
    }

    /// Physical offset of the next byte to hand over; `None` before the slave's first report.
    pub const fn next(&self) -> Option<i64> {
        self.next
    }

    /// The end of the slave's log as it last reported it; `None` before its first report.
    pub const fn acknowledged(&self) -> Option<i64> {
        self.acknowledged
    }

    pub(super) fn heard(&mut self, at_ms: i64, parked: bool) {
        self.last_read_ms = self.last_read_ms.max(at_ms);
        self.reports_parked = parked;
    }

    pub(super) fn beaten(&mut self, last: Option<Moment>, more: bool) {
        if let Some(last) = last {
            self.last_write_ms = last.wall_ms;
            self.looks = looks_after(last.at_us);
        }
        self.beats_parked = more;
    }

    /// How long the slave has been silent, milliseconds; `None` while its reports go on unseen.
    pub(super) const fn silent_ms(&self, now_ms: i64) -> Option<i64> {
        if self.reports_parked { None } else { Some(now_ms.saturating_sub(self.last_read_ms)) }
    }

    /// The transfer has something to do at `at_us`, or earlier if that is set already.
    pub(super) fn set_due(&mut self, at_us: i64, cause: u64) {
        if self.due.is_none_or(|(due_us, _)| at_us < due_us) {
            self.due = Some((at_us, cause));
        }
    }

    /// When the transfer sees what the slave has asked for.
    pub(super) fn next_request_poll(&self, turn: &Turn<'_>) -> i64 {
        Grid::new(self.accepted_us, REQUEST_POLL_US).after(turn.now_us())
    }

    /// The transfer has nothing to hand over from here on.
    pub(super) fn idle(&mut self, turn: &Turn<'_>) {
        self.due = None;
        self.looks = looks_after(turn.now_us());
    }

    /// When an idle transfer looks for more.
    pub(super) fn next_look(&self, turn: &Turn<'_>) -> i64 {
        self.looks.after(turn.now_us())
    }

    /// The clock may show another time: what is due by it is seen at the next look.
    pub(super) fn look_on(&mut self, turn: &Turn<'_>) {
        self.looks = Grid::new(self.looks.at_or_after(turn.now_us()), IDLE_US);
    }

    /// When the next heartbeat is due if nothing is written before: at the first look after more than `interval_ms`
    /// have passed. `None` before the transfer has seen what the slave asks for, and while heartbeats go on unseen.
    pub(super) fn heartbeat_us(&self, interval_ms: i64, turn: &Turn<'_>) -> Option<i64> {
        let beats = self.next.is_some() && !self.beats_parked;
        let due_ms = self.last_write_ms.saturating_add(interval_ms).saturating_add(1);
        beats.then(|| self.looks.at_or_after(turn.us_at_wall(due_ms)))
    }
}

/// The looks of a transfer that begins to wait at `now_us`.
fn looks_after(now_us: i64) -> Grid {
    Grid::new(now_us.saturating_add(IDLE_US), IDLE_US)
}

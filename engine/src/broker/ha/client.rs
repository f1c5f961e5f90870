//! A slave connects to its master and appends what comes (`HAService.HAClient`).

use bytes::{Buf, BytesMut};

use super::{
    Process,
    frame::{self, HEADER, Header},
};
use crate::node::{ConnId, Grid, HaStep, Moment, Service, Turn};

/// How long a slave waits without an address, or after a connection that it did not get, microseconds.
const RETRY_US: i64 = 5_000_000;

/// How long a slave tries to connect, milliseconds (`RemotingUtil.connect`).
const CONNECT_MS: i64 = 5_000;

/// A slave that gets nothing looks so often whether a report is due, microseconds (`select(1000)`).
const LOOK_US: i64 = 1_000_000;

/// A slave's side of replication.
#[derive(Clone, Debug, Default)]
pub struct HaClient {
    /// `ip:port` of the master's replication, once it is known.
    master: Option<String>,
    link: Link,
    /// The next look for an address, or the next attempt.
    next_try_us: i64,
    /// Attempts in vain, one after the other.
    failures: u32,
    /// When the attempt under way began.
    dialled_us: i64,
    /// The last report, by the wall clock.
    last_write_ms: i64,
    /// The moments after it at which the slave looks around.
    looks: Option<Grid>,
    /// Reports go on unseen.
    reports_parked: bool,
    /// The first report on this connection has been made: the master knows where to begin.
    asked: bool,
    /// Reports since then, or since the last piece, that repeated the one before.
    repeats: u32,
    /// What was last reported, or is to be reported first (`currentReportedOffset`).
    reported: i64,
    unread: BytesMut,
    /// A connection that this end has closed, and will hear of.
    given_up: Option<ConnId>,
}

/// Where the connection is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Link {
    #[default]
    None,
    Dialling,
    Up {
        conn: ConnId,
        master: String,
    },
}

impl HaClient {
    /// `ip:port` of the master's replication, once it is known.
    pub fn master(&self) -> Option<&str> {
        self.master.as_deref()
    }

    /// Whether a connection stands.
    pub const fn is_connected(&self) -> bool {
        matches!(self.link, Link::Up { .. })
    }

    /// The end of the log as it was last reported.
    pub const fn reported(&self) -> i64 {
        self.reported
    }

    pub(super) fn start(&mut self, master: Option<String>, turn: &mut Turn<'_>) {
        self.next_try_us = turn.now_us();
        self.master = master;
        if self.master.is_some() {
            turn.wake_at(Service::HaClient, self.next_try_us);
        }
    }

    /// Never connects again; the connection, if there is one.
    pub(super) fn stop(&mut self) -> Option<ConnId> {
        let conn = self.conn();
        self.hang_up();
        self.master = None;
        conn
    }

    pub(super) fn beaten(&mut self, conn: ConnId, last: Option<Moment>, more: bool) {
        if self.conn() == Some(conn) {
            if let Some(last) = last {
                self.last_write_ms = last.wall_ms;
                self.looks = Some(looks_after(last.at_us));
            }
            self.reports_parked = more;
        }
    }

    const fn conn(&self) -> Option<ConnId> {
        match &self.link {
            Link::Up { conn, .. } => Some(*conn),
            _ => None,
        }
    }

    /// Something is written, or the connection stands: reports count from here on.
    fn wrote(&mut self, turn: &Turn<'_>) {
        self.last_write_ms = turn.wall_ms();
        self.looks = Some(looks_after(turn.now_us()));
    }

    /// When something is due if nothing is written before: once more than `most_ms` have passed, but not before the
    /// slave's next look. 5 looks take 5 s and a little, so that the slave sees at once what is due after more than 5 s;
    /// what the clock has made overdue waits for a look.
    fn due_us(&self, most_ms: i64, turn: &Turn<'_>) -> i64 {
        let due_us = turn.us_at_wall(self.last_write_ms.saturating_add(most_ms).saturating_add(1));
        match &self.looks {
            Some(looks) if due_us < turn.now_us() => looks.at_or_after(turn.now_us()),
            Some(looks) => due_us.max(looks.start_us),
            None => due_us,
        }
    }

    /// The connection is over; what was read of it is forgotten (`closeMaster`).
    fn hang_up(&mut self) {
        self.link = Link::None;
        self.last_write_ms = 0;
        self.looks = None;
        self.reports_parked = false;
        self.asked = false;
        self.repeats = 0;
        self.unread.clear();
    }
}

impl Process {
    /// The address of the master's replication was told (`updateMasterAddress`). It is used at the next attempt.
    pub(in crate::broker) fn set_ha_master(&mut self, addr: &str, turn: &mut Turn<'_>) {
        let client = &mut self.ha.client;
        if client.master.as_deref() == Some(addr) {
            return;
        }
        client.master = Some(addr.to_owned());
        if client.link == Link::None {
            // The service looks every 5 s.
            while client.next_try_us < turn.now_us() {
                client.next_try_us = client.next_try_us.saturating_add(RETRY_US);
            }
            turn.wake_at(Service::HaClient, client.next_try_us);
        }
    }

    /// A round of the loop that time gives: connect, or look around and report.
    pub(super) fn run_ha_client(&mut self, turn: &mut Turn<'_>) {
        if let Some(conn) = self.ha.client.conn() {
            self.look_around(conn, turn);
        } else if self.ha.client.link == Link::None && self.ha.client.next_try_us <= turn.now_us() {
            self.dial(turn);
        } else if self.ha.client.link == Link::None && self.ha.client.master.is_some() {
            turn.wake_at(Service::HaClient, self.ha.client.next_try_us);
        }
    }

    fn dial(&mut self, turn: &mut Turn<'_>) {
        let Some(addr) = self.ha.client.master.clone() else { return };
        self.ha.client.link = Link::Dialling;
        self.ha.client.dialled_us = turn.now_us();
        turn.step(HaStep::HaConnecting { to: turn.name_of(&addr) });
        turn.connect(Service::HaClient, &addr, CONNECT_MS);
    }

    pub(super) fn master_connected(&mut self, conn: ConnId, peer: &str, turn: &mut Turn<'_>) {
        let offset = self.store.max_phy_offset();
        let client = &mut self.ha.client;
        if client.link != Link::Dialling {
            turn.close(conn);
            return;
        }
        client.hang_up();
        client.link = Link::Up { conn, master: peer.to_owned() };
        client.failures = 0;
        client.reported = offset;
        client.wrote(turn);
        turn.step(HaStep::HaConnected { to: peer.to_owned(), offset });
        self.set_report(turn);
    }

    /// No connection could be had: the slave waits, and tries again.
    pub(in crate::broker) fn master_unreachable(&mut self, turn: &mut Turn<'_>) {
        let offset = self.store.max_phy_offset();
        let client = &mut self.ha.client;
        if client.link != Link::Dialling {
            return;
        }
        client.link = Link::None;
        client.reported = offset;
        client.failures = client.failures.saturating_add(1);
        client.next_try_us = turn.now_us().saturating_add(RETRY_US);
        let to = client.master.as_deref().map(|addr| turn.name_of(addr)).unwrap_or_default();
        turn.step(HaStep::HaConnectFailed { to });
        turn.wake_at(Service::HaClient, client.next_try_us);
        if client.failures > 1 {
            // The next attempt ends as this one did, until something changes.
            let period_us = client.next_try_us.saturating_sub(client.dialled_us);
            turn.park(Service::HaClient, client.next_try_us, period_us);
        }
    }

    /// The connection to the master is gone, and the slave tries again at once; or the attempt was broken off.
    pub(in crate::broker) fn master_lost(&mut self, conn: ConnId, turn: &mut Turn<'_>) {
        let client = &mut self.ha.client;
        if client.given_up == Some(conn) {
            client.given_up = None;
            return;
        }
        match &client.link {
            Link::Up { conn: open, .. } if *open == conn => {
                client.hang_up();
                self.dial(turn);
            }
            Link::Dialling => self.master_unreachable(turn),
            _ => {}
        }
    }

    /// Pieces and heartbeats have arrived (`dispatchReadRequest`).
    pub(super) fn read_pieces(&mut self, conn: ConnId, bytes: &[u8], turn: &mut Turn<'_>) {
        if self.ha.client.conn() != Some(conn) {
            return;
        }
        self.ha.client.unread.extend_from_slice(bytes);
        while let Some(header) = Header::read(&self.ha.client.unread) {
            let (slave, master) = (self.store.max_phy_offset(), header.offset);
            let Ok(size) = usize::try_from(header.size) else { return self.give_up_master(conn, turn) };
            if slave != 0 && slave != master {
                turn.step(HaStep::HaMismatch { master, slave });
                return self.give_up_master(conn, turn);
            }
            if self.ha.client.unread.len() < HEADER + size {
                break;
            }
            self.ha.client.unread.advance(HEADER);
            let body = self.ha.client.unread.split_to(size);
            self.take_piece(master, &body, turn);
        }
        self.look_around(conn, turn);
    }

    /// The end of a round, and what the next one begins with.
    fn look_around(&mut self, conn: ConnId, turn: &mut Turn<'_>) {
        self.report_if_grown(turn);
        if !self.master_expired(conn, turn) {
            self.report_if_due(turn);
        }
    }

    fn take_piece(&mut self, offset: i64, body: &[u8], turn: &mut Turn<'_>) {
        if body.is_empty() {
            turn.step(HaStep::HaHeartbeatRead { offset });
        } else {
            self.ha.client.repeats = 0;
        }
        // What cannot be appended is lost, and the next piece does not fit.
        if self.store.append_replicated(offset, body, turn) && !body.is_empty() {
            self.replicated(offset, turn);
        }
        self.report_if_grown(turn);
    }

    /// Reports the end of the log if it has grown (`reportSlaveMaxOffsetPlus`).
    fn report_if_grown(&mut self, turn: &mut Turn<'_>) {
        let max = self.store.max_phy_offset();
        if max > self.ha.client.reported {
            self.ha.client.reported = max;
            self.report(false, turn);
        }
    }

    /// Reports what was last reported, once more than `haSendHeartbeatInterval` has passed.
    fn report_if_due(&mut self, turn: &mut Turn<'_>) {
        let interval_ms = i64::from(self.store.config().ha_send_heartbeat_interval);
        let client = &mut self.ha.client;
        let Some(conn) = client.conn() else { return };
        if turn.wall_ms().saturating_sub(client.last_write_ms) > interval_ms {
            let asked = client.asked;
            client.repeats = if asked { client.repeats.saturating_add(1) } else { 0 };
            self.report(asked, turn);
            if self.ha.client.repeats > 1 {
                let next_us = self.ha.client.due_us(interval_ms, turn);
                let period_us = interval_ms.saturating_add(1).saturating_mul(1000).max(LOOK_US);
                turn.park_stream(Service::HaClient, conn, next_us, period_us);
            }
        }
        self.set_report(turn);
    }

    fn report(&mut self, quiet: bool, turn: &mut Turn<'_>) {
        let client = &mut self.ha.client;
        let (Some(conn), offset) = (client.conn(), client.reported) else { return };
        client.wrote(turn);
        client.asked = true;
        turn.step(HaStep::HaReported { offset });
        turn.send_bytes(conn, frame::report(offset), format!("HA_ACK {offset}"), quiet);
        self.set_report(turn);
    }

    /// Sets the next report, or the moment at which the slave finds that it has not reported for too long.
    pub(super) fn set_report(&self, turn: &mut Turn<'_>) {
        let client = &self.ha.client;
        if client.is_connected() && !client.reports_parked {
            let config = self.store.config();
            let most_ms = config.ha_send_heartbeat_interval.min(config.ha_housekeeping_interval);
            turn.wake_at(Service::HaClient, client.due_us(i64::from(most_ms), turn));
        }
    }

    /// A slave that has not reported for longer than `haHousekeepingInterval`, since it stood still itself, gives its
    /// connection up. The master's silence alone never leads to this: the slave's own reports count.
    fn master_expired(&mut self, conn: ConnId, turn: &mut Turn<'_>) -> bool {
        let client = &self.ha.client;
        let Link::Up { master, .. } = &client.link else { return true };
        let silent_ms = turn.wall_ms().saturating_sub(client.last_write_ms);
        let expired = silent_ms > i64::from(self.store.config().ha_housekeeping_interval);
        if expired {
            turn.step(HaStep::HaExpired { peer: master.clone(), silent_ms });
            self.give_up_master(conn, turn);
        }
        expired
    }

    /// The slave closes its connection, and tries again at once.
    fn give_up_master(&mut self, conn: ConnId, turn: &mut Turn<'_>) {
        turn.close(conn);
        self.ha.client.hang_up();
        self.ha.client.given_up = Some(conn);
        self.dial(turn);
    }
}

/// The looks of a slave that begins to wait at `now_us`.
fn looks_after(now_us: i64) -> Grid {
    Grid::new(now_us.saturating_add(LOOK_US), LOOK_US)
}

//! Replication between the brokers of one name (`HAService`).
//!
//! ```text
//!            slave                                     master
//!   HaClient ── connects ─────────────────────────▶ HaAccept
//!            ── reports the end of its log, 5 s ──▶ HaRead ──▶ GroupTransfer: puts that wait
//!            ◀───── pieces of the log, heartbeats ── HaTransfer ◀── puts
//! ```
//!
//! A master learns where to begin from a slave's first report, which comes 5 s after the connection; until then the slave
//! counts as connected and gets nothing. An acknowledgement means that the slave has appended the bytes, not that they
//! are flushed.

mod client;
mod connection;
mod frame;
mod group;
mod read;
mod transfer;

use std::collections::BTreeMap;

use super::Process;
use crate::node::{ConnId, HaStep, Moment, Service, Turn};

pub use client::HaClient;
pub use connection::HaConnection;
pub(super) use group::{GroupTransfer, ReplicaWait};

/// What a broker process knows of replication.
#[derive(Clone, Debug, Default)]
pub struct Ha {
    connections: BTreeMap<ConnId, HaConnection>,
    /// What came on connections that nobody has taken in yet.
    early: BTreeMap<ConnId, Vec<u8>>,
    client: HaClient,
    pub(super) group: GroupTransfer,
}

impl Ha {
    /// A master's slaves.
    pub fn connections(&self) -> impl Iterator<Item = &HaConnection> {
        self.connections.values()
    }

    /// A slave's side.
    pub const fn client(&self) -> &HaClient {
        &self.client
    }
}

impl Process {
    /// Replication, of either side.
    pub const fn ha(&self) -> &Ha {
        &self.ha
    }

    /// How many connections for replication this broker has: slaves of a master, or the one of a slave.
    pub fn ha_connections(&self) -> u32 {
        let slaves = u32::try_from(self.ha.connections.len()).unwrap_or(u32::MAX);
        if self.store.is_slave() { u32::from(self.ha.client.is_connected()) } else { slaves }
    }

    /// The store has been started: replication begins (`HAService.start`).
    pub(super) fn start_ha(&mut self, turn: &mut Turn<'_>) {
        if self.store.is_slave() {
            let configured = self.store.config().ha_master_address.clone();
            // 4.9.8 takes anything shorter than 6 characters for no address.
            self.ha.client.start(configured.filter(|addr| addr.len() >= 6), turn);
        }
    }

    /// The store stops: replication ends with it (`HAService.shutdown`), and puts that a slave has not acknowledged by now
    /// are waited for in vain.
    pub(super) fn stop_ha(&mut self, turn: &mut Turn<'_>) {
        for conn in std::mem::take(&mut self.ha.connections).into_keys().chain(self.ha.client.stop()) {
            turn.close(conn);
        }
        while self.store.slave_connections() > 0 {
            self.store.slave_gone();
        }
        self.stop_group_transfer(turn);
    }

    pub(super) fn ha_connected(&mut self, service: Service, conn: ConnId, peer: &str, turn: &mut Turn<'_>) {
        match service {
            Service::HaAccept => self.accept_slave(conn, peer, turn),
            _ => self.master_connected(conn, peer, turn),
        }
    }

    pub(super) fn ha_bytes(&mut self, service: Service, conn: ConnId, bytes: &[u8], turn: &mut Turn<'_>) {
        match service {
            Service::HaRead => self.read_report(conn, bytes, turn),
            _ => self.read_pieces(conn, bytes, turn),
        }
    }

    /// The connection of a slave is gone, whether or not it has been taken in.
    pub(super) fn slave_lost(&mut self, conn: ConnId) {
        self.ha.early.remove(&conn);
        if self.ha.connections.remove(&conn).is_some() {
            self.store.slave_gone();
        }
    }

    pub(super) fn ha_wake(&mut self, service: Service, turn: &mut Turn<'_>) {
        match service {
            Service::HaRead => self.check_slaves(turn),
            Service::HaTransfer => self.transfer(turn),
            Service::GroupTransfer => self.group_transfer(turn),
            _ => self.run_ha_client(turn),
        }
    }

    /// Heartbeats to this node passed while they were parked.
    pub(super) fn ha_renewed(&mut self, conn: ConnId, at_ms: i64, parked: bool) {
        if let Some(connection) = self.ha.connections.get_mut(&conn) {
            connection.heard(at_ms, parked);
        }
    }

    /// This node's own heartbeats passed while they were parked.
    pub(super) fn ha_passed(&mut self, service: Service, conn: ConnId, last: Option<Moment>, more: bool) {
        if service == Service::HaTransfer {
            if let Some(connection) = self.ha.connections.get_mut(&conn) {
                connection.beaten(last, more);
            }
        } else {
            self.ha.client.beaten(conn, last, more);
        }
    }

    /// Heartbeats go on as events, or the clock was set: every timer is set anew.
    pub(super) fn ha_disturbed(&mut self, turn: &mut Turn<'_>) {
        for connection in self.ha.connections.values_mut() {
            connection.look_on(turn);
        }
        self.set_slave_checks(turn);
        self.set_transfer(turn);
        self.set_report(turn);
    }

    /// Takes a slave's connection in.
    fn accept_slave(&mut self, conn: ConnId, peer: &str, turn: &mut Turn<'_>) {
        self.store.slave_connected();
        let slaves = self.store.slave_connections();
        turn.step(HaStep::HaAccepted { from: peer.to_owned(), slaves });
        self.ha.connections.insert(conn, HaConnection::new(peer, turn));
        if let Some(bytes) = self.ha.early.remove(&conn) {
            self.read_report(conn, &bytes, turn);
        }
        self.set_slave_checks(turn);
    }
}

//! A master reads how far its slaves are (`HAConnection.ReadSocketService`).

use super::{Process, frame};
use crate::node::{ConnId, HaStep, Service, Turn};

impl Process {
    /// A report has arrived. The first one on a connection is what the slave asks for.
    pub(super) fn read_report(&mut self, conn: ConnId, bytes: &[u8], turn: &mut Turn<'_>) {
        let Some(connection) = self.ha.connections.get_mut(&conn) else {
            self.ha.early.entry(conn).or_default().extend_from_slice(bytes);
            return;
        };
        connection.last_read_ms = turn.wall_ms();
        connection.unread.extend_from_slice(bytes);
        let Some(offset) = frame::last_report(&mut connection.unread) else { return };
        connection.acknowledged = Some(offset);
        let from = connection.slave().to_owned();
        let max = self.store.max_phy_offset();
        if connection.requested.is_none() {
            connection.requested = Some(offset);
            let seen_us = connection.next_request_poll(turn);
            connection.set_due(seen_us, turn.seq());
            turn.step(HaStep::HaRequested { from: from.clone(), offset });
        } else if offset > max {
            turn.step(HaStep::HaSlaveAhead { from, offset, max });
            self.drop_slave(conn, turn);
            return;
        }
        let further = self.store.acknowledge(offset);
        let replicated = self.store.push_to_slave_max_offset();
        turn.step(HaStep::HaAcknowledged { from, offset, replicated });
        if further {
            self.slave_acknowledged(turn);
        }
        self.set_transfer(turn);
        self.set_slave_checks(turn);
    }

    /// Connections on which no slave has reported for longer than `haHousekeepingInterval` are closed.
    pub(super) fn check_slaves(&mut self, turn: &mut Turn<'_>) {
        let most_ms = i64::from(self.store.config().ha_housekeeping_interval);
        let now_ms = turn.wall_ms();
        let silent = self.ha.connections.iter().filter_map(|(conn, connection)| {
            let silent_ms = connection.silent_ms(now_ms).filter(|silent_ms| *silent_ms > most_ms)?;
            Some((*conn, connection.slave().to_owned(), silent_ms))
        });
        for (conn, peer, silent_ms) in silent.collect::<Vec<_>>() {
            turn.step(HaStep::HaExpired { peer, silent_ms });
            self.drop_slave(conn, turn);
        }
        self.set_slave_checks(turn);
    }

    /// Sets the look for silent slaves to the time at which one would be.
    pub(super) fn set_slave_checks(&self, turn: &mut Turn<'_>) {
        let most_ms = i64::from(self.store.config().ha_housekeeping_interval);
        let now_ms = turn.wall_ms();
        let silent = self.ha.connections.values().filter_map(|connection| connection.silent_ms(now_ms));
        if let Some(silent_ms) = silent.max() {
            let left_ms = most_ms.saturating_add(1).saturating_sub(silent_ms).max(1);
            turn.wake_at(Service::HaRead, turn.us_at_wall(now_ms.saturating_add(left_ms)));
        }
    }

    fn drop_slave(&mut self, conn: ConnId, turn: &mut Turn<'_>) {
        if self.ha.connections.remove(&conn).is_some() {
            self.store.slave_gone();
            turn.close(conn);
        }
    }
}

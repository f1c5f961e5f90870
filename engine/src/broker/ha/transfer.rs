//! A master hands its log over (`HAConnection.WriteSocketService`).

use super::{Process, frame};
use crate::node::{ConnId, HaStep, Service, Turn};

impl Process {
    /// Something was appended: an idle transfer sees it at its next look, or at once if a put waits for it (`now`).
    pub(in crate::broker) fn wake_transfer(&mut self, now: bool, turn: &mut Turn<'_>) {
        let (store, cause) = (&self.store, turn.seq());
        for connection in self.ha.connections.values_mut() {
            if connection.next.is_some_and(|next| store.has_transfer(next)) {
                let at_us = if now { turn.now_us() } else { connection.next_look(turn) };
                connection.set_due(at_us, cause);
            }
        }
        self.set_transfer(turn);
    }

    /// One round of the loop for the slave that has waited longest: a heartbeat if one is due, and one piece of the log.
    pub(super) fn transfer(&mut self, turn: &mut Turn<'_>) {
        let interval_ms = i64::from(self.store.config().ha_send_heartbeat_interval);
        let now_us = turn.now_us();
        let due = self.ha.connections.iter().filter_map(|(conn, connection)| {
            let beat_us = connection.heartbeat_us(interval_ms, turn);
            let work_us = connection.due.map(|(due_us, _)| due_us);
            let due_us = [beat_us, work_us].into_iter().flatten().min()?;
            (due_us <= now_us).then_some((due_us, *conn))
        });
        if let Some((_, conn)) = due.min() {
            self.transfer_to(conn, turn);
        }
        self.set_transfer(turn);
    }

    fn transfer_to(&mut self, conn: ConnId, turn: &mut Turn<'_>) {
        let interval_ms = i64::from(self.store.config().ha_send_heartbeat_interval);
        let Some(connection) = self.ha.connections.get_mut(&conn) else { return };
        let Some(requested) = connection.requested else { return };
        let next = connection.next.unwrap_or_else(|| self.store.transfer_start(requested));
        connection.next = Some(next);
        let to = connection.slave().to_owned();
        let beats = turn.wall_ms().saturating_sub(connection.last_write_ms) > interval_ms;
        if beats {
            connection.last_write_ms = turn.wall_ms();
            turn.step(HaStep::HaHeartbeat { to: to.clone(), offset: next });
            turn.send_bytes(conn, frame::piece(next, &[]), format!("HA_HEARTBEAT {next}"), true);
        }
        if let Some(body) = self.store.transfer(next) {
            turn.spend_us(turn.costs().append_us);
            let size = i32::try_from(body.len()).unwrap_or(i32::MAX);
            let behind = next.wrapping_add(i64::from(size));
            connection.next = Some(behind);
            connection.last_write_ms = turn.wall_ms();
            turn.step(HaStep::HaTransferred { to, physical_offset: next, size });
            turn.send_bytes(conn, frame::piece(next, &body), format!("HA_DATA {next} +{size}"), false);
            connection.due = None;
            if self.store.has_transfer(behind) {
                connection.set_due(turn.now_us(), turn.seq());
            } else {
                connection.idle(turn);
            }
            return;
        }
        connection.idle(turn);
        if beats && let Some(next_us) = connection.heartbeat_us(interval_ms, turn) {
            // The next heartbeat says the same, until a put has something to hand over.
            let period_us = next_us.saturating_sub(turn.now_us());
            turn.park_stream(Service::HaTransfer, conn, next_us, period_us);
        }
    }

    /// Sets the transfer to its next piece or heartbeat.
    pub(super) fn set_transfer(&self, turn: &mut Turn<'_>) {
        let interval_ms = i64::from(self.store.config().ha_send_heartbeat_interval);
        let connections = self.ha.connections.values();
        if let Some((at_us, cause)) = connections.clone().filter_map(|connection| connection.due).min() {
            turn.wake_because(Service::HaTransfer, at_us, Some(cause));
        }
        let beats = connections.filter_map(|connection| connection.heartbeat_us(interval_ms, turn));
        if let Some(beat_us) = beats.min() {
            turn.wake_at(Service::HaTransfer, beat_us);
        }
    }
}

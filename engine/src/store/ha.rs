//! Replication, as far as it is the store's: what a master hands over, what a slave takes in, and which puts wait for it.
//!
//! Bytes travel, not records: a slave's commit log is the master's, byte for byte, from where it began. How they travel,
//! `HAService` of 4.9.8, is the broker's business.

use bytes::Bytes;

use crate::disk::Disk;

use super::{BrokerRole, Env, Step, Store, Work};

/// What a master knows of its slaves (`HAService`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Replication {
    /// Slaves that are connected (`connectionCount`).
    connections: u32,
    /// The largest offset that any slave has ever acknowledged (`push2SlaveMaxOffset`).
    push_to_slave_max: i64,
}

impl<D: Disk> Store<D> {
    /// Slaves that are connected (`connectionCount`).
    pub fn slave_connections(&self) -> u32 {
        self.replication.connections
    }

    /// A slave has connected.
    pub fn slave_connected(&mut self) {
        self.replication.connections = self.replication.connections.saturating_add(1);
    }

    /// A slave's connection is gone.
    pub fn slave_gone(&mut self) {
        self.replication.connections = self.replication.connections.saturating_sub(1);
    }

    /// Physical offset up to which some slave has acknowledged everything since this process started; 0 before the first
    /// acknowledgement (`push2SlaveMaxOffset`).
    pub fn push_to_slave_max_offset(&self) -> i64 {
        self.replication.push_to_slave_max
    }

    /// The same, as pictures show it: `None` for a slave, and for a master that no slave has talked to.
    pub fn replicated_offset(&self) -> Option<i64> {
        let Replication { connections, push_to_slave_max } = self.replication;
        (connections > 0 || push_to_slave_max > 0).then_some(push_to_slave_max)
    }

    /// A slave says how far its log goes; whether that is further than any slave has said (`notifyTransferSome`). It is
    /// believed as it comes, even beyond the end of the master's own log.
    pub fn acknowledge(&mut self, offset: i64) -> bool {
        let further = offset > self.replication.push_to_slave_max;
        if further {
            self.replication.push_to_slave_max = offset;
        }
        further
    }

    /// Whether a put that ends at `put_where` may wait for a slave: there is one, and none of them is too far behind for
    /// it to be worth waiting (`isSlaveOK`).
    pub fn is_slave_ok(&self, put_where: i64) -> bool {
        let Replication { connections, push_to_slave_max } = self.replication;
        let behind = put_where.wrapping_sub(push_to_slave_max);
        connections > 0 && behind < i64::from(self.config.ha_slave_fallbehind_max)
    }

    /// Where a master begins to hand over to a slave that asks for `requested`: there, or for a slave that has nothing at
    /// the start of the last file. What lies before stays with the master.
    pub fn transfer_start(&self, requested: i64) -> i64 {
        if requested != 0 {
            return requested;
        }
        let max = self.commit_log.max_offset();
        max.wrapping_sub(max % i64::from(self.config.mapped_file_size_commit_log)).max(0)
    }

    /// Whether there is anything for a slave that has everything before `from`.
    pub fn has_transfer(&self, from: i64) -> bool {
        let file = self.commit_log.files.find_or_first_for_zero(from).filter(|_| self.running);
        file.is_some_and(|file| file.readable_from(self.commit_log.files.position_of(from)).is_some())
    }

    /// The next bytes for a slave that has everything before `from`: at most `haTransferBatchSize`, never across the end
    /// of a file; a file's blank tail is bytes like any other. `None` if there is nothing (`getCommitLogData`).
    pub fn transfer(&self, from: i64) -> Option<Bytes> {
        if !self.running {
            return None;
        }
        let file = self.commit_log.files.find_or_first_for_zero(from)?;
        let position = self.commit_log.files.position_of(from);
        let len = file.readable_from(position)?.min(self.config.ha_transfer_batch_size);
        self.disk.slice(file.id, u64::try_from(position).ok()?, usize::try_from(len).ok()?).ok()
    }

    /// Appends what the master handed over from its offset `from` on (`appendToCommitLog`). The bytes go to the end of the
    /// last file, or into a new one, which in an empty log is the one that `from` falls into; whether `from` is the log's
    /// end is for the caller to check. `false` if the store does not run, no file can be made, or the bytes do not fit
    /// into the file: they are lost then.
    pub fn append_replicated<E: Env>(&mut self, from: i64, data: &[u8], env: &mut E) -> bool {
        if !self.running {
            return false;
        }
        self.disk.set_time(env.now());
        let Some(file) = self.commit_log.files.last_or_create(&mut self.disk, from, env) else { return false };
        // A heartbeat makes the file too.
        if data.is_empty() {
            return true;
        }
        let (id, position) = (file.id, file.wrote);
        let physical_offset = file.from_offset.wrapping_add(i64::from(position));
        let size = i32::try_from(data.len()).unwrap_or(i32::MAX);
        if !file.append(&mut self.disk, data, env) {
            env.step(|| Step::ReplicaDropped { physical_offset: from, size });
            return false;
        }
        let path = self.disk.path(id);
        env.step(|| Step::ReplicaAppended { physical_offset, size, file: path.unwrap_or_default(), position });
        env.spend(Work::Append);
        true
    }

    /// Whether this store is a slave's.
    pub fn is_slave(&self) -> bool {
        self.config.broker_role == BrokerRole::Slave
    }
}

//! Steps of replication (`HAService`, `HAConnection`, `SlaveSynchronize`).

use serde::{Deserialize, Serialize};

/// The trace vocabulary of masters and slaves with each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum HaStep {
    /// The NameServer told a slave where its master is; `null`: it knows none.
    MasterTold {
        /// The master's address for replication.
        ha_server_addr: Option<String>,
        /// The master's address for requests.
        master_addr: Option<String>,
    },
    /// A slave tries to connect to its master.
    HaConnecting {
        /// The master.
        to: String,
    },
    /// A slave is connected. The end of its log is what it will report.
    HaConnected {
        /// The master.
        to: String,
        /// The end of its log.
        offset: i64,
    },
    /// A slave could not connect; it tries again after 5 s.
    HaConnectFailed {
        /// The master.
        to: String,
    },
    /// A master took a slave's connection in. It waits for the slave's first report.
    HaAccepted {
        /// The slave.
        from: String,
        /// Slaves connected now.
        slaves: u32,
    },
    /// A slave reports the end of its log: everything before is appended, if not flushed.
    HaReported {
        /// The end of its log.
        offset: i64,
    },
    /// The first report on a connection says where the slave wants to begin.
    HaRequested {
        /// The slave.
        from: String,
        /// What it asks for; 0: it has nothing.
        offset: i64,
    },
    /// A slave's report was read.
    HaAcknowledged {
        /// The slave.
        from: String,
        /// What it has.
        offset: i64,
        /// What the most advanced slave has (`push2SlaveMaxOffset`).
        replicated: i64,
    },
    /// A slave has more than its master: the master closes the connection.
    HaSlaveAhead {
        /// The slave.
        from: String,
        /// What it has.
        offset: i64,
        /// The end of the master's log.
        max: i64,
    },
    /// A piece of the log was handed to the network.
    HaTransferred {
        /// The slave.
        to: String,
        /// Its first byte in the log.
        physical_offset: i64,
        /// Its length in bytes.
        size: i32,
    },
    /// A master says that it is alive.
    HaHeartbeat {
        /// The slave.
        to: String,
        /// Where its next piece would begin.
        offset: i64,
    },
    /// A heartbeat of the master was read.
    HaHeartbeatRead {
        /// Where the master's next piece would begin.
        offset: i64,
    },
    /// The master's piece does not begin where the slave's log ends: the slave closes the connection.
    HaMismatch {
        /// Where the piece begins.
        master: i64,
        /// Where the slave's log ends.
        slave: i64,
    },
    /// The other end has been silent for too long: the connection is closed (`haHousekeepingInterval`).
    HaExpired {
        /// The other end.
        peer: String,
        /// For how long, milliseconds.
        silent_ms: i64,
    },
    /// The wait of a put for a slave is over.
    ReplicaWaitEnded {
        /// What it waited for.
        next_offset: i64,
        /// `PUT_OK` or `FLUSH_SLAVE_TIMEOUT`.
        status: String,
    },
    /// A slave copied one of its master's tables (`SlaveSynchronize`).
    SlaveSynced {
        /// The file that it is kept in.
        path: String,
        /// It was another one than the slave had.
        changed: bool,
    },
}

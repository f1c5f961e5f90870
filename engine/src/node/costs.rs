//! What things cost in virtual time. One table, with its reasons.

use serde::{Deserialize, Serialize};

/// Latency and processing costs, all in microseconds. They are chosen to be plausible for one machine room and, above
/// all, to keep the order in which things really happen; no conclusion of a lesson rests on their exact size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Costs {
    /// One way between two nodes. 250: a round trip of half a millisecond, two hops of switches in one room.
    pub link_us: i64,
    /// From a request's arrival to the start of its handling, decoding included. 20: a hop between two threads.
    pub request_us: i64,
    /// One append in the lock: copy of a few KiB, CRC and the lock itself. 15.
    pub append_us: i64,
    /// One record dispatched to ConsumeQueue and index. 10: less than an append, or reput could never keep up.
    pub dispatch_us: i64,
    /// One index file made and mapped. 2000: 420 MB of it, and so two are never named by the same millisecond.
    pub index_file_us: i64,
    /// One `force` of a file. 500: an SSD with a write cache that is honest.
    pub flush_us: i64,
    /// One statement of a database: parsed, the row found and changed in memory. 100; a commit costs a flush beside.
    pub statement_us: i64,
    /// From a refused or broken connection to the news of it, beyond the link's own latency. 0: the kernel answers.
    pub refuse_us: i64,
}

impl Default for Costs {
    fn default() -> Self {
        Self {
            link_us: 250,
            request_us: 20,
            append_us: 15,
            dispatch_us: 10,
            index_file_us: 2_000,
            flush_us: 500,
            statement_us: 100,
            refuse_us: 0,
        }
    }
}

//! Steps of a broker around its store.

use serde::{Deserialize, Serialize};

use crate::wire::ResponseCode;

/// The trace vocabulary of a broker: starting, checking, putting, reading, holding pulls, and knowing its clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum BrokerStep {
    /// Everything is dispatched and every service runs: requests are taken from here on.
    BrokerStarted,
    /// The topic of a message passed (`msgCheck`).
    TopicChecked {
        /// The topic.
        topic: String,
        /// The queue that was asked for; below 0, any.
        queue_id: i32,
    },
    /// The checks refused a request.
    Refused {
        /// The code of the answer.
        code: ResponseCode,
        /// Its remark.
        remark: String,
    },
    /// A topic came into being.
    TopicCreated {
        /// The topic.
        topic: String,
        /// Queues that may be read.
        read_queue_nums: i32,
        /// Queues that may be written.
        write_queue_nums: i32,
        /// Permission bits.
        perm: i32,
        /// The topic whose configuration it takes after (`TBW102`); `null` when created by hand.
        from: Option<String>,
    },
    /// The broker chose the queue, since the request left it open.
    QueueDrawn {
        /// The queue.
        queue_id: i32,
    },
    /// The message as the store is asked to append it.
    MessageBuilt {
        /// The topic.
        topic: String,
        /// The queue.
        queue_id: i32,
        /// The properties text that is stored.
        properties_text: String,
        /// Bytes of the body.
        body_len: u64,
    },
    /// The self check finds no file for these bytes between others. Nothing is done about it.
    FilesMissing {
        /// Where, below the store's root.
        directory: String,
        /// The first byte that no file holds.
        from: i64,
        /// The byte after the last.
        to: i64,
    },
    /// The disk takes so long for the flushes of this round; they are done when the service has its next turn.
    FlushStalled {
        /// Milliseconds.
        ms: i64,
    },
    /// The store's answer to a put.
    PutEnded {
        /// `PutMessageStatus`.
        status: String,
    },
    /// The store's answer to a read.
    GetEnded {
        /// `GetMessageStatus`.
        status: String,
        /// Messages found.
        count: u32,
        /// Bytes of them.
        bytes: u64,
        /// Where to go on.
        next_begin_offset: i64,
    },
    /// A pull found nothing and waits at the broker.
    PullHeld {
        /// The topic.
        topic: String,
        /// The queue.
        queue_id: i32,
        /// The queue offset it waits for.
        offset: i64,
        /// How long at most, milliseconds.
        suspend_ms: i64,
    },
    /// A held pull is tried again.
    PullWoken {
        /// The topic.
        topic: String,
        /// The queue.
        queue_id: i32,
        /// `arrived` or `timeout`.
        reason: String,
    },
    /// A consumer offset was set.
    OffsetCommitted {
        /// The group.
        group: String,
        /// The topic.
        topic: String,
        /// The queue.
        queue_id: i32,
        /// The next offset to read.
        offset: i64,
    },
    /// A client is known.
    ClientRegistered {
        /// Its id.
        client_id: String,
        /// Its groups.
        groups: Vec<String>,
        /// It was not known before.
        first: bool,
    },
    /// A client is forgotten.
    ClientRemoved {
        /// Its id.
        client_id: String,
        /// `expired`, `channelClosed` or `unregistered`.
        reason: String,
    },
}

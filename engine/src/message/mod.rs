//! Messages: the record of the commit log and everything that is written inside it.
//!
//! A [`Message`] is what the store is asked to append (`MessageExtBrokerInner`). [`record`] lays it out as bytes and
//! reads it back; [`batch`] turns the body of a batch request into such records. The small rooms below them are
//! facts that the record is made of: [`Properties`] in the order of a Java `HashMap`, [`Host`], the two kinds of
//! message id, the bits of the sysFlag, the tags code, delay levels and compressed bodies. [`java`] holds the few
//! semantics of the Java platform that show in the bytes.

pub mod batch;
pub mod body;
pub mod delay;
mod host;
pub mod java;
mod offset_msg_id;
mod properties;
pub mod property;
pub mod record;
pub mod sys_flag;
pub mod tags;
pub mod transaction;
pub mod uniq_id;

use bytes::Bytes;

pub use host::{Host, HostError};
pub use offset_msg_id::{MsgIdError, OffsetMsgId};
pub use properties::{Properties, segments as property_segments};
pub use sys_flag::TransactionType;
pub use uniq_id::{UniqIdGenerator, near_time};

/// What the store is asked to append (`MessageExtBrokerInner`): one message, with all that the broker adds to it but
/// the three values known only under the append lock (queue offset, physical offset, store timestamp).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The topic that the record is stored under. At most 127 characters are accepted by the store.
    pub topic: String,
    /// Queue of the topic.
    pub queue_id: i32,
    /// The sender's own flag; the broker never looks at it.
    pub flag: i32,
    /// Bits of [`sys_flag`]. The two IPv6 bits are made true to the hosts by the encoder.
    pub sys_flag: i32,
    /// When the sender made the message, by its own clock, milliseconds since the epoch.
    pub born_timestamp: i64,
    /// Where the sender's connection came from.
    pub born_host: Host,
    /// The broker's address; it becomes part of the [`OffsetMsgId`].
    pub store_host: Host,
    /// How often a consumer group has given the message back.
    pub reconsume_times: i32,
    /// Physical offset of the half message that this one commits, else 0.
    pub prepared_transaction_offset: i64,
    /// The body as it is stored, so after compression.
    pub body: Bytes,
    /// The properties in memory: what the store asks for (`DELAY`, `WAIT` ...).
    pub properties: Properties,
    /// The properties as they are stored. It can differ from the map: the broker leaves `WAIT` out of the text and
    /// keeps it in the map (`SendMessageProcessor.asyncSendMessage`).
    pub properties_text: String,
}

impl Message {
    /// The sysFlag of the record: the message's own, its IPv6 bits as the hosts are.
    ///
    /// 4.9.8 (`CommitLog.asyncPutMessage`) only ever sets these bits, so that a sender which claims IPv6 over an
    /// IPv4 connection, as no client does, gets a record whose TOTALSIZE is 12 too large. Here the bits cannot lie.
    pub fn record_sys_flag(&self) -> i32 {
        sys_flag::with_hosts(self.sys_flag, &self.born_host, &self.store_host)
    }

    /// Writes the map to the text, as the broker does after it changed a property that must be stored.
    pub fn rebuild_properties_text(&mut self) {
        self.properties_text = self.properties.to_text();
    }

    /// The delay level asked for, 0 without a `DELAY` property (`Message.getDelayTimeLevel`); `None` where Java throws
    /// because the property is not a number.
    pub fn delay_level(&self) -> Option<i32> {
        self.properties.get(property::DELAY).map_or(Some(0), java::parse_int)
    }

    /// Whether the sender waits until the message is stored as safely as the broker is configured to
    /// (`Message.isWaitStoreMsgOK`): yes, unless a `WAIT` property says anything but `true`.
    pub fn waits_for_store(&self) -> bool {
        self.properties.get(property::WAIT).is_none_or(|wait| wait.eq_ignore_ascii_case("true"))
    }

    /// The transaction type in the sysFlag.
    pub fn transaction_type(&self) -> TransactionType {
        TransactionType::of(self.sys_flag)
    }
}

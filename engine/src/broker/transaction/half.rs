//! A half message as it is read (`MessageExt`), and every record that the broker makes of one.

use bytes::Bytes;

use super::REMOVE_TAG;
use crate::message::{
    Host, Message, Properties, TransactionType, body, java, property,
    record::{self, Limits},
    sys_flag,
    transaction::{DISCARD_TOPIC, HALF_TOPIC, OP_TOPIC},
};

/// A record that is a half message, or that somebody says is one.
#[derive(Clone, Debug)]
pub(super) struct Half {
    pub(super) topic: String,
    pub(super) queue_id: i32,
    pub(super) queue_offset: i64,
    pub(super) physical_offset: i64,
    pub(super) born_timestamp: i64,
    pub(super) store_timestamp: i64,
    pub(super) properties: Properties,
    flag: i32,
    sys_flag: i32,
    born_host: Host,
    store_host: Host,
    reconsume_times: i32,
    prepared_transaction_offset: i64,
    body: Bytes,
}

/// A message as its producer sent it becomes a half message: in a topic where nobody reads, with where it belongs in its
/// properties (`TransactionalMessageBridge.parseHalfMessageInner`). Its sysFlag is that of an ordinary message, so it gets
/// a unit in its queue like any other. `WAIT` is stored from here on.
pub(super) fn prepared(mut message: Message) -> Message {
    message.properties.put(property::REAL_TOPIC, message.topic);
    message.properties.put(property::REAL_QID, message.queue_id.to_string());
    message.sys_flag = sys_flag::with_transaction(message.sys_flag, TransactionType::Not);
    let mut half = Message { topic: HALF_TOPIC.to_owned(), queue_id: 0, ..message };
    half.rebuild_properties_text();
    half
}

/// A half message that stays in its own topic, which is not RocketMQ's way ([`crate::planted`]).
pub(super) fn left_visible(mut message: Message) -> Message {
    message.sys_flag = sys_flag::with_transaction(message.sys_flag, TransactionType::Not);
    message
}

/// The message that says of the half message at `half_offset` that it is decided, however
/// (`TransactionalMessageBridge.makeOpMessageInner`).
pub(super) fn op(half_offset: i64, queue_id: i32, store_host: Host, now_ms: i64) -> Message {
    let mut properties: Properties = [(property::TAGS, REMOVE_TAG), (property::WAIT, "true")].into_iter().collect();
    let properties_text = properties.to_text();
    properties.put(property::WAIT, "false");
    Message {
        topic: OP_TOPIC.to_owned(),
        queue_id,
        flag: 0,
        sys_flag: 0,
        born_timestamp: now_ms,
        born_host: store_host,
        store_host,
        reconsume_times: 0,
        prepared_transaction_offset: 0,
        body: half_offset.to_string().into_bytes().into(),
        properties,
        properties_text,
    }
}

impl Half {
    /// Reads a record, its body left as it is stored; `None` if it cannot be read.
    pub(super) fn read(bytes: &Bytes) -> Option<Self> {
        let record = record::decode_unchecked(bytes).ok()?;
        Some(Self {
            queue_id: record.queue_id,
            queue_offset: record.queue_offset,
            physical_offset: record.physical_offset,
            born_timestamp: record.born_timestamp,
            store_timestamp: record.store_timestamp,
            properties: record.properties(),
            flag: record.flag,
            sys_flag: record.sys_flag,
            born_host: record.born_host,
            store_host: record.store_host,
            reconsume_times: record.reconsume_times,
            prepared_transaction_offset: record.prepared_transaction_offset,
            body: bytes.slice_ref(record.body),
            topic: record.topic.into_owned(),
        })
    }

    /// How often its fate was asked for, as its properties say.
    pub(super) fn check_times(&self) -> i32 {
        self.properties.get(property::TRANSACTION_CHECK_TIMES).and_then(java::parse_int).unwrap_or(0)
    }

    /// Topic and queue that it is for, or what Java throws.
    fn destination(&self) -> Result<(String, i32), String> {
        let queue_id = self.properties.get(property::REAL_QID);
        let queue_id = queue_id.and_then(java::parse_int).ok_or_else(|| {
            let text = queue_id.map_or_else(|| "null".to_owned(), |text| format!("For input string: \"{text}\""));
            format!("java.lang.NumberFormatException: {text}")
        })?;
        let topic = self.properties.get(property::REAL_TOPIC).ok_or("java.lang.NullPointerException")?;
        Ok((topic.to_owned(), queue_id))
    }

    /// A message with everything that all copies share: body, birth, the broker that stored it first, and the properties.
    fn copy(&self, topic: String, queue_id: i32) -> Message {
        Message {
            topic,
            queue_id,
            flag: self.flag,
            sys_flag: self.sys_flag,
            born_timestamp: self.born_timestamp,
            born_host: self.born_host,
            store_host: self.store_host,
            reconsume_times: self.reconsume_times,
            prepared_transaction_offset: 0,
            body: self.body.clone(),
            properties: self.properties.clone(),
            properties_text: self.properties.to_text(),
        }
    }

    /// The message that consumers read (`EndTransactionProcessor.endMessageTransaction`), or what Java throws. Its text is
    /// made before `REAL_TOPIC`, `REAL_QID` and `TRAN_MSG` are taken out of the map, so they are stored; and whether it
    /// waits for the store is what the half message's stored `WAIT` says.
    pub(super) fn committed(&self) -> Result<Message, String> {
        let (topic, queue_id) = self.destination()?;
        let mut message = self.copy(topic, queue_id);
        for name in [property::REAL_TOPIC, property::REAL_QID, property::TRAN_MSG] {
            message.properties.remove(name);
        }
        message.sys_flag = sys_flag::with_transaction(self.sys_flag, TransactionType::Commit);
        message.prepared_transaction_offset = self.physical_offset;
        Ok(message)
    }

    /// The same half message anew, for the end of the half queue (`renewHalfMessageInner`). Flag and reconsume times are
    /// lost. `WAIT=false` is put after the text was made, and also into the map that the check goes on with.
    pub(super) fn renewed(&mut self) -> Message {
        let mut message = self.copy(self.topic.clone(), self.queue_id);
        (message.flag, message.reconsume_times) = (0, 0);
        self.properties.put(property::WAIT, "false");
        message.properties.put(property::WAIT, "false");
        message
    }

    /// The same for a half message that may not be checked yet: it keeps the queue offset under which its producer ends it
    /// (`renewImmunityHalfMessageInner`). Its text is made anew at the end, so `WAIT=false` is stored here.
    pub(super) fn renewed_for_immunity(&mut self) -> Message {
        let first = self.properties.get(property::TRAN_PREPARED_QUEUE_OFFSET);
        let first = first.map_or_else(|| self.queue_offset.to_string(), str::to_owned);
        let mut message = self.renewed();
        message.properties.put(property::TRAN_PREPARED_QUEUE_OFFSET, first);
        message.rebuild_properties_text();
        self.properties.clone_from(&message.properties);
        message
    }

    /// The copy that ends in the topic of those that were checked too often
    /// (`DefaultTransactionalMessageCheckListener.toMessageExtBrokerInner`).
    pub(super) fn discarded(&self) -> Message {
        let mut message = self.copy(DISCARD_TOPIC.to_owned(), 0);
        message.properties.put(property::WAIT, "false");
        message
    }

    /// The copy that goes back from there, to be checked from the beginning (`AdminBrokerProcessor.resumeCheckHalfMessage`).
    /// The body is decompressed on the way while the sysFlag goes on saying that it is not. `None` if it cannot be.
    pub(super) fn resumed(mut self) -> Option<Message> {
        self.body = body::inflate(self.sys_flag, &self.body).ok()?.into();
        self.properties.put(property::TRANSACTION_CHECK_TIMES, "0");
        let mut message = self.copy(HALF_TOPIC.to_owned(), 0);
        message.properties.put(property::WAIT, "false");
        Some(message)
    }

    /// The body of the question for its fate: the record as it would stand in its real queue
    /// (`AbstractTransactionalMessageCheckListener.sendCheckMessage`, `MessageDecoder.encode`). `None` where Java throws.
    pub(super) fn question(&self) -> Option<Bytes> {
        let (topic, queue_id) = self.destination().ok()?;
        let mut message = self.copy(topic, queue_id);
        message.prepared_transaction_offset = self.prepared_transaction_offset;
        let mut bytes = Vec::new();
        record::encode(&message, &Limits { max_message_size: i32::MAX }, &mut bytes).ok()?;
        record::patch(&mut bytes, self.queue_offset, self.physical_offset, self.store_timestamp);
        Some(bytes.into())
    }
}

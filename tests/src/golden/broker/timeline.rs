//! The recorded log as a timeline: what made each record, and when.

use rocketscope_engine::message::{Host, property, record};
use rocketscope_engine::node::Service;
use rocketscope_engine::wire::SendMessage;

use super::super::archive::Tree;
use super::LOG;
use super::wire::Exchange;

/// A record of the recorded log.
#[derive(Debug)]
pub(super) struct Recorded {
    /// Where it begins.
    pub(super) offset: i64,
    /// How long it is.
    pub(super) size: i32,
    /// Its topic.
    pub(super) topic: String,
    /// When it was stored, milliseconds since the epoch.
    pub(super) store_timestamp: i64,
    /// Where its sender's connection came from.
    pub(super) born_host: Host,
    /// What made it; `None`: the same as the record before.
    pub(super) cause: Option<Cause>,
}

impl Recorded {
    /// Where the next one begins.
    pub(super) fn end(&self) -> i64 {
        self.offset + i64::from(self.size)
    }
}

/// What makes records.
#[derive(Debug)]
pub(super) enum Cause {
    /// A recorded request, by its place among those to the broker.
    Exchange(usize),
    /// A one-way send, which the recorder has not seen: made from its record.
    Send(Box<SendMessage>),
    /// A service.
    Service(Service),
    /// A transaction, which is not replayed.
    Transaction,
}

/// The records of the log with what made them.
pub(super) fn timeline(store: &Tree, exchanges: &[Exchange]) -> Result<Vec<Recorded>, String> {
    let log = store.get(LOG).ok_or_else(|| format!("{LOG}: missing"))?;
    let mut records = Vec::new();
    let (mut at, mut given_back) = (0, 0);
    while let Some(Ok(parsed)) = log.get(at..).map(record::decode) {
        let cause = cause_of(&parsed, at as i64, exchanges, &mut given_back);
        records.push(Recorded {
            offset: at as i64,
            size: parsed.total_size,
            topic: parsed.topic.to_string(),
            store_timestamp: parsed.store_timestamp,
            born_host: parsed.born_host,
            cause,
        });
        at += usize::try_from(parsed.total_size).map_err(|cause| cause.to_string())?;
    }
    Ok(records)
}

fn cause_of(parsed: &record::Record<'_>, offset: i64, exchanges: &[Exchange], given_back: &mut usize) -> Option<Cause> {
    let id = parsed.offset_msg_id().to_string();
    let transactional = ["RMQ_SYS_TRANS_HALF_TOPIC", "RMQ_SYS_TRANS_OP_HALF_TOPIC", "TRANS_CHECK_MAX_TIME_TOPIC"];
    if transactional.contains(&&*parsed.topic) || parsed.prepared_transaction_offset != 0 {
        return Some(Cause::Transaction);
    }
    // The answer to a send names where its record begins; of a batch that is a list.
    let sent = exchanges.iter().position(|exchange| {
        let named = exchange.answer.as_ref().and_then(|answer| answer["extFields"]["msgId"].as_str());
        named.is_some_and(|named| named.split(',').any(|one| one == id))
    });
    if let Some(place) = sent {
        let first = exchanges[place].answer.as_ref()?["extFields"]["msgId"].as_str()?.starts_with(&id);
        return first.then_some(Cause::Exchange(place));
    }
    match &*parsed.topic {
        "OFFSET_MOVED_EVENT" => {
            exchanges.iter().position(|exchange| exchange.field("queueOffset") == Some("1000")).map(Cause::Exchange)
        }
        topic if topic == "SCHEDULE_TOPIC_XXXX" || topic.starts_with("%DLQ%") => {
            let back = exchanges.iter().enumerate().filter(|(_, exchange)| exchange.code == 36).nth(*given_back);
            *given_back += 1;
            back.map(|(place, _)| Cause::Exchange(place))
        }
        _ if parsed.property(property::DELAY).is_some() => Some(Cause::Service(Service::Schedule)),
        _ if offset > 0 => Some(Cause::Send(Box::new(oneway(parsed)))),
        _ => None,
    }
}

/// The one-way send that made a record: `WAIT` came with it and `CLUSTER` was put by the broker.
fn oneway(parsed: &record::Record<'_>) -> SendMessage {
    let mut properties = parsed.properties();
    properties.remove(property::CLUSTER);
    properties.put(property::WAIT, "true");
    SendMessage {
        producer_group: "PG".to_owned(),
        topic: parsed.topic.to_string(),
        default_topic: "TBW102".to_owned(),
        default_topic_queue_nums: 4,
        queue_id: parsed.queue_id,
        sys_flag: parsed.sys_flag,
        born_timestamp: parsed.born_timestamp,
        flag: parsed.flag,
        properties: properties.to_text(),
        reconsume_times: Some(0),
        unit_mode: false,
        max_reconsume_times: None,
        batch: false,
        body: parsed.body.to_vec().into(),
    }
}

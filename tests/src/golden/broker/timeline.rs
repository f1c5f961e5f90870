//! The recorded log as a timeline: what made each record, and when.

use rocketscope_engine::message::transaction::{DISCARD_TOPIC, HALF_TOPIC, OP_TOPIC};
use rocketscope_engine::message::{Host, property, record, sys_flag};
use rocketscope_engine::node::Service;
use rocketscope_engine::wire::SendMessage;

use super::super::archive::Tree;
use super::LOG;
use super::wire::Exchange;

/// Half messages that are put back within this time are those of one check, milliseconds: there is one every 4 s.
const CHECK_MS: i64 = 1000;

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
    /// The broker made it of its own accord.
    pub(super) own: bool,
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
}

/// The records of the log with what made them.
pub(super) fn timeline(store: &Tree, exchanges: &[Exchange]) -> Result<Vec<Recorded>, String> {
    let log = store.get(LOG).ok_or_else(|| format!("{LOG}: missing"))?;
    let mut records = Vec::new();
    let (mut at, mut given_back) = (0, 0);
    while let Some(Ok(parsed)) = log.get(at..).map(record::decode) {
        let cause = cause_of(&parsed, records.last(), exchanges, &mut given_back);
        records.push(Recorded {
            offset: at as i64,
            size: parsed.total_size,
            topic: parsed.topic.to_string(),
            store_timestamp: parsed.store_timestamp,
            born_host: parsed.born_host,
            own: parsed.born_host == parsed.store_host,
            cause,
        });
        at += usize::try_from(parsed.total_size).map_err(|cause| cause.to_string())?;
    }
    Ok(records)
}

/// How long each append of a service's turn takes, microseconds, when the turn makes the record at `at` and those after it
/// that have no cause of their own: as long as it took the real one on an average.
pub(super) fn append_us(records: &[Recorded], at: usize) -> i64 {
    let turn = records.get(at..).unwrap_or_default();
    let more = turn.iter().skip(1).take_while(|recorded| recorded.cause.is_none()).count();
    let (Some(first), Some(last)) = (turn.first(), turn.get(more)) else { return 0 };
    (last.store_timestamp - first.store_timestamp) * 1000 / i64::try_from(more.max(1)).unwrap_or(1)
}

fn cause_of(
    parsed: &record::Record<'_>,
    before: Option<&Recorded>,
    exchanges: &[Exchange],
    given_back: &mut usize,
) -> Option<Cause> {
    let id = parsed.offset_msg_id().to_string();
    // The answer to a send names where its record begins; of a batch that is a list.
    let sent = exchanges.iter().position(|exchange| {
        let named = exchange.answer.as_ref().and_then(|answer| answer["extFields"]["msgId"].as_str());
        named.is_some_and(|named| named.split(',').any(|one| one == id))
    });
    if let Some(place) = sent {
        let first = exchanges[place].answer.as_ref()?["extFields"]["msgId"].as_str()?.starts_with(&id);
        return first.then_some(Cause::Exchange(place));
    }
    let find = |wanted: &dyn Fn(&Exchange) -> bool| exchanges.iter().position(wanted).map(Cause::Exchange);
    match &*parsed.topic {
        "OFFSET_MOVED_EVENT" => find(&|exchange| exchange.field("queueOffset") == Some("1000")),
        topic if topic == "SCHEDULE_TOPIC_XXXX" || topic.starts_with("%DLQ%") => {
            let back = exchanges.iter().enumerate().filter(|(_, exchange)| exchange.code == 36).nth(*given_back);
            *given_back += 1;
            back.map(|(place, _)| Cause::Exchange(place))
        }
        // A half message that is put back. A check goes on to the next one at once.
        HALF_TOPIC => {
            let back =
                |before: &&Recorded| before.topic == HALF_TOPIC && !matches!(before.cause, Some(Cause::Exchange(_)));
            let after_ms = before.filter(back).map(|before| parsed.store_timestamp - before.store_timestamp);
            let same = after_ms.is_some_and(|ms| ms < CHECK_MS);
            (!same).then_some(Cause::Service(Service::TransactionCheck))
        }
        // The real check came to it in the round that had put the half message back, for its unit was dispatched by then.
        // A turn of ours dispatches nothing, so it is the next round's.
        DISCARD_TOPIC => Some(Cause::Service(Service::TransactionCheck)),
        // Of a commit it follows the message that consumers read.
        OP_TOPIC => {
            let half = String::from_utf8_lossy(parsed.body);
            find(&|exchange| {
                exchange.ends(sys_flag::TRANSACTION_ROLLBACK) && exchange.field("tranStateTableOffset") == Some(&half)
            })
        }
        _ if parsed.prepared_transaction_offset != 0 => find(&|exchange| {
            exchange.ends(sys_flag::TRANSACTION_COMMIT)
                && exchange.number("commitLogOffset") == Some(parsed.prepared_transaction_offset)
        }),
        _ if parsed.property(property::DELAY).is_some() => Some(Cause::Service(Service::Schedule)),
        _ if before.is_some() => Some(Cause::Send(Box::new(oneway(parsed)))),
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

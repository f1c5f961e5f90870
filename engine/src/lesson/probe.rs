//! Probes: names for the values of a world that a goal, a condition or a question is about.

#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

mod consumer;
mod fields;
mod names;
mod transaction;

pub use consumer::{ConsumerPlace, DeliveryField, ProcessQueueField};
use fields::fields;
pub use fields::{
    AnswerField, ApplicationField, CheckpointField, DelayField, FaultField, MessageField, PullField, QueueField,
    RecordField, RecoveryField, ResultField, UnitField,
};

pub use names::{GroupField, NamesPlace, RouteField, TopicField};
pub use transaction::{CheckField, HalfField, TransactionField, TransactionPlace};

/// A value read from a world, or written in a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Whether something is so.
    Bool(bool),
    /// A number: offsets and sizes in bytes or units, times in the unit of the probe's name.
    Int(i64),
    /// A name: a status, a topic, an id.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Text(value) => f.write_str(value),
        }
    }
}

/// What is read. Written as segments joined by dots: the node, then the place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The node it reads from.
    pub node: String,
    /// What it reads there.
    pub place: Place,
    /// As it is written.
    text: String,
}

/// What a probe reads in its node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// `clock`: what the node's wall clock shows, milliseconds since the epoch.
    Clock,
    /// `log.min`: start of the first CommitLog file, bytes.
    LogMin,
    /// `log.max`: end of what can be read of the CommitLog, bytes.
    LogMax,
    /// `log.wrote`: end of what is appended, bytes; with a transient pool it is ahead of `log.max`.
    LogWrote,
    /// `log.committed`: end of what a transient pool has handed to the files, bytes; without a pool everything written.
    LogCommitted,
    /// `log.flushed`: end of what is flushed, bytes.
    LogFlushed,
    /// `log.replicated`: what some slave has acknowledged, bytes.
    LogReplicated,
    /// `log.files`: number of CommitLog files.
    LogFiles,
    /// `disk.percent`: use of the broker's disk in whole per cents, rounded up.
    DiskPercent,
    /// `disk.full`: whether the store has marked the disk as full.
    DiskFull,
    /// `flag.writeable`: whether the store takes messages, as far as its flags go.
    FlagWriteable,
    /// `reput`: where reput reads next, bytes.
    Reput,
    /// `behind`: bytes that reput has not dispatched yet.
    Behind,
    /// `queue.TOPIC/ID.FIELD`: a number of a ConsumeQueue.
    Queue(QueueName, QueueField),
    /// `unit.TOPIC/ID.N.FIELD`: a number of the unit at queue offset N.
    Unit(QueueName, i64, UnitField),
    /// `offset.GROUP.TOPIC/ID`: the consumer offset that the broker keeps for a group.
    Offset(String, QueueName),
    /// `lag.GROUP.TOPIC/ID`: units of a queue that lie behind that offset, messages.
    Lag(String, QueueName),
    /// `record.OFFSET.FIELD`: a field of the record at a physical offset.
    Record(i64, RecordField),
    /// `blank.OFFSET`: length of the blank record at a physical offset, bytes.
    Blank(i64),
    /// `role`: the broker's role, `ASYNC_MASTER`, `SYNC_MASTER` or `SLAVE`.
    Role,
    /// `ha.connections`: slaves connected to a master; 1 or 0 of a slave.
    HaConnections,
    /// `results`: answers that a producer has got.
    Results,
    /// `result.N.FIELD`: a field of a producer's N-th answer, from 0; `last` is the newest.
    Result(Which, ResultField),
    /// `fault.BROKER.FIELD`: what a producer with `sendLatencyFaultEnable` knows of a broker's speed.
    Fault(String, FaultField),
    /// `received`: messages that a consumer has got.
    Received,
    /// `message.N.FIELD`: a field of the N-th message got, from 0; `last` is the newest.
    Message(Which, MessageField),
    /// `held`: pulls that a broker holds, since there was nothing to answer them with.
    Held,
    /// `pulls`: pulls of a consumer that were answered.
    Pulls,
    /// `pull.N.FIELD`: a field of the N-th of them, from 0; `last`, or nothing, is the newest.
    Pull(Which, PullField),
    /// `answers`: answers that a client has got to its other questions: offsets, keys, ids.
    Answers,
    /// `answer.N.FIELD`: a field of the N-th of these answers, from 0; `last` is the newest.
    Answer(Which, AnswerField),
    /// `state`: where the node's process is in its life: `up`, `starting`, `stopping` or `down`.
    State,
    /// `exists.PATH`: whether there is such a file on the broker's disk.
    Exists(String),
    /// `file.PATH.len`: length of a file on the broker's disk, bytes.
    FileLen(String),
    /// `file.PATH.int.N`: the number in the four bytes at position N of a file on the broker's disk, whoever the bytes
    /// belong to.
    FileInt(String, u64),
    /// `checkpoint.FIELD`: a time in the broker's file `checkpoint`, milliseconds since the epoch.
    Checkpoint(CheckpointField),
    /// `recovery.FIELD`: what the broker's newest start found in its store.
    Recovery(RecoveryField),
    /// `delay.LEVEL.FIELD`: a number of a delay level.
    Delay(i32, DelayField),
    /// `index.files`: number of index files.
    IndexFiles,
    /// `index.entries`: entries in all index files.
    IndexEntries,
    /// `commits`: commits that a database has seen.
    Commits,
    /// `open`: transactions that are open in a database.
    OpenTransactions,
    /// `TABLE.rows`: rows of a table.
    Rows(String),
    /// `row.TABLE.KEY.COLUMN`: a value of the row with this key; several columns of a key are joined by commas.
    Row(String, String, String),
    /// `application.N.FIELD`: the N-th piece of business of a client's application, from 0; `last` is the newest.
    Application(Which, ApplicationField),
    /// Route tables, topics and groups.
    Names(NamesPlace),
    /// Transactional messages.
    Transaction(TransactionPlace),
    /// Push consumers.
    Consumer(ConsumerPlace),
}

/// Every form of a [`Place`], for the message that lists them.
const PLACES: &[&str] = &[
    "log.min",
    "log.max",
    "log.wrote",
    "log.committed",
    "log.flushed",
    "log.replicated",
    "log.files",
    "disk.percent",
    "disk.full",
    "flag.writeable",
    "role",
    "ha.connections",
    "reput",
    "behind",
    "queue.TOPIC/ID.FIELD",
    "unit.TOPIC/ID.N.FIELD",
    "offset.GROUP.TOPIC/ID",
    "lag.GROUP.TOPIC/ID",
    "record.OFFSET.FIELD",
    "blank.OFFSET",
    "results",
    "result.N.FIELD",
    "fault.BROKER.FIELD",
    "received",
    "message.N.FIELD",
    "held",
    "pulls",
    "pull.FIELD",
    "pull.N.FIELD",
    "answers",
    "answer.N.FIELD",
    "clock",
    "state",
    "exists.PATH",
    "file.PATH.len",
    "file.PATH.int.N",
    "checkpoint.FIELD",
    "recovery.FIELD",
    "delay.LEVEL.FIELD",
    "index.files",
    "index.entries",
    "commits",
    "open",
    "TABLE.rows",
    "row.TABLE.KEY.COLUMN",
    "application.N.FIELD",
];

/// A queue as probes write it: `TOPIC/ID`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueName {
    /// Topic.
    pub topic: String,
    /// Queue id.
    pub queue_id: i32,
}

/// Which of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The N-th, from 0.
    At(usize),
    /// The newest.
    Last,
}

/// A probe that means nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{probe}` is no probe: {cause}")]
pub struct ProbeError {
    /// What was written.
    pub probe: String,
    /// What is wrong with it.
    pub cause: String,
}

impl Probe {
    /// Reads a probe as scripts write it. Errors say which segment is wrong and what could stand there.
    pub fn parse(text: &str) -> Result<Self, ProbeError> {
        let fail = |cause: String| ProbeError { probe: text.to_owned(), cause };
        let (node, rest) = text.split_once('.').ok_or_else(|| fail("nothing comes after the node".to_owned()))?;
        if node.is_empty() {
            return Err(fail("the node's name is missing".to_owned()));
        }
        let place = Place::parse(rest).map_err(fail)?;
        Ok(Self { node: node.to_owned(), place, text: text.to_owned() })
    }
}

impl Place {
    fn parse(text: &str) -> Result<Self, String> {
        // A path has dots and slashes of its own.
        if let Some(path) = text.strip_prefix("exists.") {
            return Ok(Self::Exists(path.to_owned()));
        }
        if let Some(path) = text.strip_prefix("file.").and_then(|rest| rest.strip_suffix(".len")) {
            return Ok(Self::FileLen(path.to_owned()));
        }
        if let Some((path, at)) = text.strip_prefix("file.").and_then(|rest| rest.rsplit_once(".int.")) {
            let at = at.parse().map_err(|_| format!("`{at}` is no position"))?;
            return Ok(Self::FileInt(path.to_owned(), at));
        }
        let segments: Vec<&str> = text.split('.').collect();
        Ok(match *segments.as_slice() {
            ["clock"] => Self::Clock,
            ["log", "min"] => Self::LogMin,
            ["log", "max"] => Self::LogMax,
            ["log", "wrote"] => Self::LogWrote,
            ["log", "committed"] => Self::LogCommitted,
            ["log", "flushed"] => Self::LogFlushed,
            ["disk", "percent"] => Self::DiskPercent,
            ["disk", "full"] => Self::DiskFull,
            ["flag", "writeable"] => Self::FlagWriteable,
            ["log", "replicated"] => Self::LogReplicated,
            ["role"] => Self::Role,
            ["ha", "connections"] => Self::HaConnections,
            ["log", "files"] => Self::LogFiles,
            ["reput"] => Self::Reput,
            ["behind"] => Self::Behind,
            ["results"] => Self::Results,
            ["received"] => Self::Received,
            ["queue", queue, field] => Self::Queue(QueueName::parse(queue)?, QueueField::parse(field)?),
            ["unit", queue, at, field] => Self::Unit(QueueName::parse(queue)?, number(at)?, UnitField::parse(field)?),
            ["offset", group, queue] => Self::Offset(group.to_owned(), QueueName::parse(queue)?),
            ["lag", group, queue] => Self::Lag(group.to_owned(), QueueName::parse(queue)?),
            ["blank", at] => Self::Blank(number(at)?),
            ["record", at, field] => Self::Record(number(at)?, RecordField::parse(field)?),
            ["result", which, field] => Self::Result(Which::parse(which)?, ResultField::parse(field)?),
            ["fault", broker, field] => Self::Fault(broker.to_owned(), FaultField::parse(field)?),
            ["message", which, field] => Self::Message(Which::parse(which)?, MessageField::parse(field)?),
            ["held"] => Self::Held,
            ["pulls"] => Self::Pulls,
            ["pull", field] => Self::Pull(Which::Last, PullField::parse(field)?),
            ["pull", which, field] => Self::Pull(Which::parse(which)?, PullField::parse(field)?),
            ["state"] => Self::State,
            ["checkpoint", field] => Self::Checkpoint(CheckpointField::parse(field)?),
            ["recovery", field] => Self::Recovery(RecoveryField::parse(field)?),
            ["delay", level, field] => Self::Delay(
                level.parse().map_err(|_| format!("`{level}` is no delay level"))?,
                DelayField::parse(field)?,
            ),
            ["index", "files"] => Self::IndexFiles,
            ["index", "entries"] => Self::IndexEntries,
            ["answers"] => Self::Answers,
            ["commits"] => Self::Commits,
            ["open"] => Self::OpenTransactions,
            [table, "rows"] => Self::Rows(table.to_owned()),
            ["row", table, ref key @ .., column] if !key.is_empty() => {
                Self::Row(table.to_owned(), key.join("."), column.to_owned())
            }
            ["application", which, field] => Self::Application(Which::parse(which)?, ApplicationField::parse(field)?),
            ["answer", which, field] => Self::Answer(Which::parse(which)?, AnswerField::parse(field)?),
            ref segments => {
                let names = NamesPlace::parse(segments).map(|place| place.map(Self::Names));
                let others = || TransactionPlace::parse(segments).map(|place| place.map(Self::Transaction));
                let consumers = || ConsumerPlace::parse(segments).map(|place| place.map(Self::Consumer));
                names.or_else(others).or_else(consumers).unwrap_or_else(|| {
                    let places = [PLACES, names::PLACES, transaction::PLACES, consumer::PLACES].concat().join(", ");
                    Err(format!("`{text}` is none of {places}"))
                })?
            }
        })
    }
}

impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl QueueName {
    fn parse(text: &str) -> Result<Self, String> {
        let (topic, id) = text.split_once('/').ok_or_else(|| format!("`{text}` is no TOPIC/ID"))?;
        let queue_id = id.parse().map_err(|_| format!("`{id}` is no queue id"))?;
        if topic.is_empty() {
            return Err(format!("`{text}` has no topic"));
        }
        Ok(Self { topic: topic.to_owned(), queue_id })
    }
}

impl Which {
    fn parse(text: &str) -> Result<Self, String> {
        if text == "last" {
            return Ok(Self::Last);
        }
        text.parse().map(Self::At).map_err(|_| format!("`{text}` is neither a number nor `last`"))
    }
}

fn number(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

//! A push consumer being described: what it subscribes, how its group shares the queues, and its listener.

use std::collections::{BTreeMap, BTreeSet};

use rocketscope_engine::client::PullQueue;
use rocketscope_engine::client::consumer::{
    AllocateStrategy, ListenerBusiness, ListenerKind, ListenerRule, MessageCondition, MessageListener, Range,
};
use rocketscope_engine::sim::{PushSpec, SubscriptionSpec};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::tables::list;
use crate::i18n::name_of;

/// A push consumer being described. Everything that can be typed is text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Push {
    /// What it subscribes.
    pub subscriptions: Vec<Subscribed>,
    /// `CLUSTERING` or `BROADCASTING`.
    pub model: String,
    /// Where it begins without an offset.
    pub from: String,
    /// The time to begin at.
    pub timestamp: String,
    /// Its client id; empty: 4.9.8's.
    pub client_id: String,
    /// How the group shares the queues.
    pub allocate: Allocate,
    /// Its listener: `concurrently` or `orderly`.
    pub kind: String,
    /// How long a call takes, milliseconds.
    pub takes: String,
    /// What it comes to.
    pub result: String,
    /// What it does with certain messages.
    pub rules: Vec<Rule>,
    /// What it does with a database, which is not edited.
    pub business: Option<Box<ListenerBusiness>>,
}

/// A topic that is subscribed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subscribed {
    /// The topic.
    pub topic: String,
    /// `all`, `tags` or `sql`.
    pub by: String,
    /// Tags, or an expression.
    pub expression: String,
}

/// A strategy being described. What does not belong to the one that is chosen is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Allocate {
    /// 4.9.8's name, without that of an inner strategy.
    pub strategy: String,
    /// Places of a member on the ring.
    pub virtual_nodes: String,
    /// Rooms, a list.
    pub rooms: String,
    /// Queues, `topic broker queue` a line.
    pub queues: String,
    /// The inner strategy: one of those without settings.
    pub inner: String,
    /// Room by broker, `broker=room` a line.
    pub broker_rooms: String,
    /// Room by client id or address, `id=room` a line.
    pub consumer_rooms: String,
}

/// A rule of a listener being described.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// The topic.
    pub topic: String,
    /// The tag.
    pub tag: String,
    /// One of the keys.
    pub keys: String,
    /// The body.
    pub body: String,
    /// The queue.
    pub queue_id: String,
    /// The offset in it.
    pub queue_offset: String,
    /// Consumed in vain so often at least.
    pub at_least: String,
    /// And so often at most.
    pub at_most: String,
    /// How long a call takes, milliseconds.
    pub takes: String,
    /// Whether the call never returns.
    pub hangs: bool,
    /// What calls come to, a list.
    pub results: String,
    /// The last message of a batch that was a success.
    pub ack_index: String,
    /// The delay level of what goes back.
    pub delay_level: String,
    /// How long the queue rests, milliseconds.
    pub suspend: String,
    /// Whether the application commits by itself.
    pub no_auto_commit: bool,
}

/// A field of a push consumer and the catalogue's words for what is wrong with it, below `cluster.problem`.
pub type Wrong = (String, &'static str);

/// The value of a serialised word.
fn word<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(serde_json::Value::String(word.to_owned())).ok()
}

fn text<T: ToString>(value: Option<&T>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

fn some(words: &str) -> Option<String> {
    let words = words.trim();
    (!words.is_empty()).then(|| words.to_owned())
}

fn pairs_text(pairs: &BTreeMap<String, String>) -> String {
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("\n")
}

impl Push {
    /// A push consumer as it is described.
    pub fn of(spec: &PushSpec) -> Self {
        Self {
            subscriptions: spec.subscriptions.iter().map(Subscribed::of).collect(),
            model: name_of(&spec.message_model),
            from: name_of(&spec.consume_from_where),
            timestamp: spec.consume_timestamp.clone().unwrap_or_default(),
            client_id: spec.client_id.clone().unwrap_or_default(),
            allocate: Allocate::of(&spec.allocate),
            kind: name_of(&spec.listener.kind),
            takes: spec.listener.takes_ms.to_string(),
            result: name_of(&spec.listener.result),
            rules: spec.listener.rules.iter().map(Rule::of).collect(),
            business: spec.listener.business.clone(),
        }
    }

    /// Which of the two listeners it has.
    pub fn listener_kind(&self) -> ListenerKind {
        word(&self.kind).unwrap_or_default()
    }

    /// The description, or everything that stands in the way.
    pub fn read(&self) -> Result<PushSpec, Vec<Wrong>> {
        let mut reading = Reading::default();
        let subscriptions = self.subscriptions.iter().enumerate();
        let subscriptions = subscriptions.map(|(at, subscribed)| subscribed.read(at, &mut reading)).collect();
        let rules = self.rules.iter().enumerate().map(|(at, rule)| rule.read(at, &mut reading)).collect();
        let spec = PushSpec {
            subscriptions,
            message_model: word(&self.model).unwrap_or_default(),
            consume_from_where: word(&self.from).unwrap_or_default(),
            consume_timestamp: some(&self.timestamp),
            allocate: self.allocate.read(&mut reading),
            client_id: some(&self.client_id),
            listener: MessageListener {
                kind: self.listener_kind(),
                takes_ms: reading.number("push.takes", &self.takes).unwrap_or_default(),
                result: word(&self.result).unwrap_or_default(),
                rules,
                business: self.business.clone(),
            },
        };
        if reading.wrong.is_empty() { Ok(spec) } else { Err(reading.wrong) }
    }
}

#[derive(Default)]
struct Reading {
    wrong: Vec<Wrong>,
}

impl Reading {
    fn number<N: std::str::FromStr>(&mut self, field: &str, words: &str) -> Option<N> {
        let number = words.trim().parse().ok();
        if number.is_none() {
            self.wrong.push((field.to_owned(), "number"));
        }
        number
    }

    fn some_number<N: std::str::FromStr>(&mut self, field: &str, words: &str) -> Option<N> {
        some(words).and_then(|words| self.number(field, &words))
    }

    fn pairs(&mut self, field: &str, words: &str) -> BTreeMap<String, String> {
        let lines = words.lines().filter(|line| !line.trim().is_empty());
        let pairs: Option<_> = lines
            .map(|line| line.split_once('=').map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())))
            .collect();
        pairs.unwrap_or_else(|| {
            self.wrong.push((field.to_owned(), "pairs"));
            BTreeMap::new()
        })
    }
}

impl Subscribed {
    /// A topic of which everything is subscribed.
    pub fn to(topic: &str) -> Self {
        Self { topic: topic.to_owned(), by: "all".to_owned(), expression: String::new() }
    }

    fn of(spec: &SubscriptionSpec) -> Self {
        let (by, expression) = match (&spec.tags, &spec.sql) {
            (_, Some(sql)) => ("sql", sql.clone()),
            (Some(tags), None) => ("tags", tags.clone()),
            (None, None) => ("all", String::new()),
        };
        Self { topic: spec.topic.clone(), by: by.to_owned(), expression }
    }

    fn read(&self, at: usize, reading: &mut Reading) -> SubscriptionSpec {
        if self.topic.trim().is_empty() {
            reading.wrong.push((format!("push.subscriptions.{at}.topic"), "no-name"));
        }
        let by = |by: &str| (self.by == by).then(|| self.expression.trim().to_owned());
        SubscriptionSpec { topic: self.topic.trim().to_owned(), tags: by("tags"), sql: by("sql") }
    }
}

/// Strategies without settings of their own, which can stand inside another.
pub const PLAIN: [&str; 3] = ["AVG", "AVG_BY_CIRCLE", "CONSISTENT_HASH"];
/// Every strategy.
pub const STRATEGIES: [&str; 6] =
    ["AVG", "AVG_BY_CIRCLE", "CONSISTENT_HASH", "MACHINE_ROOM", "CONFIG", "MACHINE_ROOM_NEARBY"];
/// Places on the ring, as 4.9.8 has them.
const VIRTUAL_NODES: u16 = 10;

impl Allocate {
    fn of(strategy: &AllocateStrategy) -> Self {
        let mut of = Self {
            strategy: strategy.name().split('-').next().unwrap_or_default().to_owned(),
            virtual_nodes: VIRTUAL_NODES.to_string(),
            rooms: String::new(),
            queues: String::new(),
            inner: PLAIN[0].to_owned(),
            broker_rooms: String::new(),
            consumer_rooms: String::new(),
        };
        match strategy {
            AllocateStrategy::Average | AllocateStrategy::AverageByCircle => {}
            AllocateStrategy::ConsistentHash { virtual_nodes } => of.virtual_nodes = virtual_nodes.to_string(),
            AllocateStrategy::MachineRoom { rooms } => {
                of.rooms = rooms.iter().cloned().collect::<Vec<_>>().join(", ");
            }
            AllocateStrategy::Config { queues } => {
                let line = |queue: &PullQueue| format!("{} {} {}", queue.topic, queue.broker_name, queue.queue_id);
                of.queues = queues.iter().map(line).collect::<Vec<_>>().join("\n");
            }
            AllocateStrategy::MachineRoomNearby { inner, broker_rooms, consumer_rooms } => {
                if let AllocateStrategy::ConsistentHash { virtual_nodes } = **inner {
                    of.virtual_nodes = virtual_nodes.to_string();
                }
                of.inner = inner.name();
                of.broker_rooms = pairs_text(broker_rooms);
                of.consumer_rooms = pairs_text(consumer_rooms);
            }
        }
        of
    }

    /// One of the plain strategies.
    fn plain(&self, name: &str, reading: &mut Reading) -> AllocateStrategy {
        match name {
            "AVG_BY_CIRCLE" => AllocateStrategy::AverageByCircle,
            "CONSISTENT_HASH" => AllocateStrategy::ConsistentHash {
                virtual_nodes: reading.number("push.virtual-nodes", &self.virtual_nodes).unwrap_or(VIRTUAL_NODES),
            },
            _ => AllocateStrategy::Average,
        }
    }

    fn read(&self, reading: &mut Reading) -> AllocateStrategy {
        match self.strategy.as_str() {
            "MACHINE_ROOM" => {
                AllocateStrategy::MachineRoom { rooms: list(&self.rooms).into_iter().collect::<BTreeSet<_>>() }
            }
            "CONFIG" => {
                let lines = self.queues.lines().filter(|line| !line.trim().is_empty());
                let queue = |line: &str| {
                    let mut words = line.split_whitespace().map(str::to_owned);
                    let (topic, broker_name) = (words.next()?, words.next()?);
                    let queue_id = words.next()?.parse().ok().filter(|_| words.next().is_none())?;
                    Some(PullQueue { topic, broker_name, queue_id })
                };
                let queues = lines.map(queue).collect::<Option<Vec<_>>>().unwrap_or_else(|| {
                    reading.wrong.push(("push.queues".to_owned(), "queues"));
                    Vec::new()
                });
                AllocateStrategy::Config { queues }
            }
            "MACHINE_ROOM_NEARBY" => AllocateStrategy::MachineRoomNearby {
                inner: Box::new(self.plain(&self.inner, reading)),
                broker_rooms: reading.pairs("push.broker-rooms", &self.broker_rooms),
                consumer_rooms: reading.pairs("push.consumer-rooms", &self.consumer_rooms),
            },
            name => self.plain(name, reading),
        }
    }
}

impl Rule {
    fn of(rule: &ListenerRule) -> Self {
        let when = &rule.when;
        let times = when.reconsume_times.unwrap_or_default();
        Self {
            topic: text(when.topic.as_ref()),
            tag: text(when.tag.as_ref()),
            keys: text(when.keys.as_ref()),
            body: text(when.body.as_ref()),
            queue_id: text(when.queue_id.as_ref()),
            queue_offset: text(when.queue_offset.as_ref()),
            at_least: text(times.at_least.as_ref()),
            at_most: text(times.at_most.as_ref()),
            takes: text(rule.takes_ms.as_ref()),
            hangs: rule.hangs,
            results: rule.results.iter().map(name_of).collect::<Vec<_>>().join(", "),
            ack_index: text(rule.ack_index.as_ref()),
            delay_level: text(rule.delay_level_when_next_consume.as_ref()),
            suspend: text(rule.suspend_ms.as_ref()),
            no_auto_commit: rule.auto_commit == Some(false),
        }
    }

    fn read(&self, at: usize, reading: &mut Reading) -> ListenerRule {
        let field = |name: &str| format!("push.rules.{at}.{name}");
        let times = Range {
            at_least: reading.some_number(&field("at-least"), &self.at_least),
            at_most: reading.some_number(&field("at-most"), &self.at_most),
        };
        let results: Option<Vec<_>> = list(&self.results).iter().map(|result| word(result)).collect();
        if results.is_none() {
            reading.wrong.push((field("results"), "results"));
        }
        ListenerRule {
            when: MessageCondition {
                topic: some(&self.topic),
                tag: some(&self.tag),
                keys: some(&self.keys),
                body: some(&self.body),
                queue_id: reading.some_number(&field("queue"), &self.queue_id),
                queue_offset: reading.some_number(&field("offset"), &self.queue_offset),
                reconsume_times: (times != Range::default()).then_some(times),
            },
            takes_ms: reading.some_number(&field("takes"), &self.takes),
            hangs: self.hangs,
            results: results.unwrap_or_default(),
            ack_index: reading.some_number(&field("ack"), &self.ack_index),
            delay_level_when_next_consume: reading.some_number(&field("level"), &self.delay_level),
            suspend_ms: reading.some_number(&field("suspend"), &self.suspend),
            auto_commit: self.no_auto_commit.then_some(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::client::consumer::ConsumeResult;
    use rocketscope_engine::sim::{Cluster, ConsumerSpec, PushSpec};

    use super::{Push, Rule, STRATEGIES};

    /// A consumer as a script says it, with everything that can be said.
    const SCRIPT: &str = r#"
        name = "c1"
        [push]
        subscriptions = [{ topic = "A" }, { topic = "B", tags = "T1 || T2" }, { topic = "C", sql = "a > 5" }]
        messageModel = "BROADCASTING"
        consumeFromWhere = "CONSUME_FROM_TIMESTAMP"
        consumeTimestamp = "20231114221320"
        clientId = "10.0.4.1@C1"
        [push.listener]
        kind = "orderly"
        takesMs = 7
        result = "suspend"
        [[push.listener.rules]]
        when = { topic = "A", tag = "T", keys = "k", body = "b", queueId = 1, queueOffset = 2, reconsumeTimes = { atLeast = 1, atMost = 3 } }
        takesMs = 9
        results = ["rollback", "commit"]
        suspendMs = 20
        autoCommit = false
        [[push.listener.rules]]
        hangs = true
    "#;

    fn script() -> PushSpec {
        let spec: ConsumerSpec = toml::from_str(SCRIPT).unwrap();
        *spec.push.unwrap()
    }

    #[test]
    fn what_a_script_says_comes_back() {
        let spec = script();
        assert_eq!(Push::of(&spec).read(), Ok(spec));
        assert_eq!(Push::of(&PushSpec::default()).read(), Ok(PushSpec::default()));
    }

    #[test]
    fn every_strategy_comes_back() {
        let allocations = [
            r#"{ strategy = "AVG" }"#,
            r#"{ strategy = "AVG_BY_CIRCLE" }"#,
            r#"{ strategy = "CONSISTENT_HASH", virtualNodes = 3 }"#,
            r#"{ strategy = "MACHINE_ROOM", rooms = ["a", "b"] }"#,
            r#"{ strategy = "CONFIG", queues = [{ topic = "T", brokerName = "broker-a", queueId = 1 }] }"#,
            r#"{ strategy = "MACHINE_ROOM_NEARBY", inner = { strategy = "AVG_BY_CIRCLE" }, brokerRooms = { b = "r" }, consumerRooms = { "10.0.4.1" = "r" } }"#,
        ];
        for (allocate, name) in allocations.into_iter().zip(STRATEGIES) {
            let text = format!("[[consumers]]\nname = \"c\"\n[consumers.push]\nallocate = {allocate}\n");
            let cluster: Cluster = toml::from_str(&text).unwrap();
            let spec = cluster.consumers[0].push.clone().unwrap();
            let push = Push::of(&spec);
            assert_eq!((push.allocate.strategy.as_str(), push.read()), (name, Ok(*spec)));
        }
    }

    #[test]
    fn what_cannot_be_read_is_told_where_it_stands() {
        let mut push = Push::of(&script());
        push.subscriptions[1].topic = " ".to_owned();
        push.takes = "long".to_owned();
        push.rules[0].results = "success, perhaps".to_owned();
        push.rules[1] = Rule { at_most: "x".to_owned(), ..Rule::default() };
        let fields: Vec<String> = push.read().unwrap_err().into_iter().map(|(field, _)| field).collect();
        assert_eq!(
            fields,
            ["push.subscriptions.1.topic", "push.rules.0.results", "push.rules.1.at-most", "push.takes"]
        );
        assert!(ConsumeResult::Rollback.is_of(push.listener_kind()));
    }
}

//! A push consumer being described: what it subscribes, how its group shares the queues, and its listener.

mod allocate;
mod business;
mod condition;
mod reading;
mod rule;

use rocketscope_engine::client::consumer::{ListenerKind, MessageListener};
use rocketscope_engine::sim::{PushSpec, SubscriptionSpec};
use serde::{Deserialize, Serialize};

pub use self::allocate::{Allocate, PLAIN, STRATEGIES};
pub use self::business::{Business, Case, NONE, tables_of};
pub use self::condition::Condition;
pub use self::reading::Wrong;
use self::reading::{Reading, some, word};
pub use self::rule::Rule;
use crate::components::sandbox::choices::DatabaseChoice;
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
    /// What it does with a database.
    pub business: Business,
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
            business: Business::of(spec.listener.business.as_deref()),
        }
    }

    /// Which of the two listeners it has.
    pub fn listener_kind(&self) -> ListenerKind {
        word(&self.kind).unwrap_or_default()
    }

    /// The description, or everything that stands in the way; `databases` are those of its cluster.
    pub fn read(&self, databases: &[DatabaseChoice]) -> Result<PushSpec, Vec<Wrong>> {
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
                business: self.business.read(databases, &mut reading),
            },
        };
        if reading.wrong.is_empty() { Ok(spec) } else { Err(reading.wrong) }
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

#[cfg(test)]
mod tests {
    use rocketscope_engine::client::consumer::ConsumeResult;
    use rocketscope_engine::sim::{Cluster, ConsumerSpec, PushSpec};

    use super::{Condition, Push, Rule, STRATEGIES};

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
        assert_eq!(Push::of(&spec).read(&[]), Ok(spec));
        assert_eq!(Push::of(&PushSpec::default()).read(&[]), Ok(PushSpec::default()));
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
            assert_eq!((push.allocate.strategy.as_str(), push.read(&[])), (name, Ok(*spec)));
        }
    }

    #[test]
    fn what_cannot_be_read_is_told_where_it_stands() {
        let mut push = Push::of(&script());
        push.subscriptions[1].topic = " ".to_owned();
        push.takes = "long".to_owned();
        push.rules[0].results = "success, perhaps".to_owned();
        push.rules[1] = Rule { when: Condition { at_most: "x".to_owned(), ..Condition::default() }, ..Rule::default() };
        let fields: Vec<String> = push.read(&[]).unwrap_err().into_iter().map(|(field, _)| field).collect();
        assert_eq!(
            fields,
            ["push.subscriptions.1.topic", "push.rules.0.results", "push.rules.1.at-most", "push.takes"]
        );
        assert!(ConsumeResult::Rollback.is_of(push.listener_kind()));
    }
}

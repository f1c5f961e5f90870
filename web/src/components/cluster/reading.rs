//! From a draft to the cluster that it describes, or to everything that stands in the way.

use std::collections::BTreeSet;

use rocketscope_engine::database::TableSpec;
use rocketscope_engine::sim::{
    AdministratorSpec, BrokerSpec, Cluster, ConsumerSpec, DatabaseSpec, NameServerSpec, OutboxSpec, ProducerSpec,
    PushSpec, SenderKind, TopicSpec,
};

use super::draft::Draft;
use super::node::{Node, Outbox, Topic, What};
use super::push::Push;
use crate::components::sandbox::choices::DatabaseChoice;

/// Something that makes a draft no cluster, found before anybody asks the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The node's number.
    pub node: u32,
    /// The field, as `name` or `topics.0.read`.
    pub field: String,
    /// The catalogue's words for it, below `cluster.problem`.
    pub why: &'static str,
}

impl Draft {
    /// The cluster and its seed, or everything that stands in the way.
    pub fn read(&self) -> Result<(Cluster, u64), Vec<Problem>> {
        let mut reading = Reading::default();
        let mut cluster = self.rest.clone();
        let mut names = BTreeSet::new();
        let databases = self.databases();
        for node in &self.nodes {
            let name = node.name.trim().to_owned();
            if name.is_empty() {
                reading.problem(node, "name".to_owned(), "no-name");
            } else if !names.insert(name.clone()) {
                reading.problem(node, "name".to_owned(), "taken");
            }
            let skew_ms = if node.skew.trim().is_empty() { 0 } else { reading.number(node, "skew", &node.skew) };
            let config = node.config_map();
            match &node.what {
                What::NameServer => cluster.name_servers.push(NameServerSpec { name, config, skew_ms }),
                What::Broker { rest, topics } => {
                    let topics = topics.iter().enumerate().map(|(at, topic)| reading.topic(node, at, topic)).collect();
                    cluster.brokers.push(BrokerSpec { name, config, topics, skew_ms, ..(**rest).clone() });
                }
                What::Producer { rest, outbox, listener } => {
                    let bare = rest.sender == SenderKind::Bare;
                    let broker = if bare { rest.broker.clone() } else { String::new() };
                    let outbox = if bare { None } else { reading.outbox(node, outbox) };
                    let listener = listener.read().filter(|_| !bare);
                    let rest = (**rest).clone();
                    cluster.producers.push(ProducerSpec { name, config, skew_ms, broker, outbox, listener, ..rest });
                }
                What::Consumer { rest, push } => {
                    let push = push.as_deref().map(|push| Box::new(reading.push_consumer(node, push, &databases)));
                    cluster.consumers.push(ConsumerSpec { name, config, skew_ms, push, ..(**rest).clone() });
                }
                What::Database(tables) => {
                    let read = tables.iter().enumerate().map(|(at, table)| {
                        table.read().unwrap_or_else(|(field, why)| {
                            reading.problem(node, format!("tables.{at}.{field}"), why);
                            TableSpec::default()
                        })
                    });
                    let tables = read.collect();
                    cluster.databases.push(DatabaseSpec { name, tables, skew_ms });
                }
                What::Administrator => cluster.administrators.push(AdministratorSpec { name, skew_ms }),
            }
        }
        let seed = self.seed.trim().parse();
        if seed.is_err() {
            reading.problems.push(Problem { node: u32::MAX, field: "seed".to_owned(), why: "number" });
        }
        match seed {
            Ok(seed) if reading.problems.is_empty() => Ok((cluster, seed)),
            _ => Err(reading.problems),
        }
    }
}

/// The problems found so far.
#[derive(Default)]
struct Reading {
    problems: Vec<Problem>,
}

impl Reading {
    fn problem(&mut self, node: &Node, field: String, why: &'static str) {
        self.problems.push(Problem { node: node.id, field, why });
    }

    fn number<N: std::str::FromStr + Default>(&mut self, node: &Node, field: &str, text: &str) -> N {
        text.trim().parse().unwrap_or_else(|_| {
            self.problem(node, field.to_owned(), "number");
            N::default()
        })
    }

    fn outbox(&mut self, node: &Node, outbox: &Outbox) -> Option<OutboxSpec> {
        if outbox.database.is_empty() {
            return None;
        }
        if outbox.table.trim().is_empty() {
            self.problem(node, "outbox.table".to_owned(), "no-name");
        }
        Some(OutboxSpec {
            database: outbox.database.clone(),
            table: outbox.table.trim().to_owned(),
            period_ms: self.number(node, "outbox.period", &outbox.period),
            batch: self.number(node, "outbox.batch", &outbox.batch),
        })
    }

    fn push_consumer(&mut self, node: &Node, push: &Push, databases: &[DatabaseChoice]) -> PushSpec {
        push.read(databases).unwrap_or_else(|wrong| {
            for (field, why) in wrong {
                self.problem(node, field, why);
            }
            PushSpec::default()
        })
    }

    fn topic(&mut self, node: &Node, at: usize, topic: &Topic) -> TopicSpec {
        if topic.name.trim().is_empty() {
            self.problem(node, format!("topics.{at}.name"), "no-name");
        }
        TopicSpec {
            name: topic.name.trim().to_owned(),
            read_queues: self.number(node, &format!("topics.{at}.read"), &topic.read),
            write_queues: self.number(node, &format!("topics.{at}.write"), &topic.write),
            perm: self.number(node, &format!("topics.{at}.perm"), &topic.perm),
        }
    }
}

//! What the forms can name: the nodes of the cluster at hand, its topics, groups and tables.

use rocketscope_engine::client::{Keeps, consumer::ListenerKind};
use rocketscope_engine::sim::{Cluster, SenderKind};
use rocketscope_engine::view::databases::DatabasesPicture;
use rocketscope_engine::view::routes::RoutesPicture;
use rocketscope_engine::view::world::{NodeFacts, NodeKind, Stage};
use rocketscope_engine::wire::{AUTO_CREATE_TOPIC, NOT_ALLOWED_SEND_TOPICS};

/// The cluster name of brokers that are given none.
const USUAL_CLUSTER: &str = "DefaultCluster";

/// Topics that every broker has from its start, and that nobody sends to or reads to learn something
/// (`TopicConfigManager`'s constructor).
const OWN_TOPICS: [&str; 4] = [AUTO_CREATE_TOPIC, "BenchmarkTest", "SELF_TEST_TOPIC", "OFFSET_MOVED_EVENT"];

/// The topic of the forms while nothing is known yet.
const USUAL_TOPIC: &str = "OrderTopic";

/// What can be named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// The producers.
    pub producers: Vec<String>,
    /// The consumers that pull when they are told to.
    pub consumers: Vec<String>,
    /// The administrators.
    pub administrators: Vec<String>,
    /// The clients with routes, consumers first: who can ask and look up.
    pub askers: Vec<String>,
    /// The nodes of the brokers.
    pub brokers: Vec<String>,
    /// The brokers' names in routes: a master shares its own with its slaves.
    pub broker_names: Vec<String>,
    /// The clusters that brokers belong to.
    pub clusters: Vec<String>,
    /// Topics that one may send to; those of the description first.
    pub topics: Vec<String>,
    /// All topics with messages of interest: retry and dead-letter topics and the system's own too.
    pub readable: Vec<String>,
    /// The consumer groups.
    pub groups: Vec<String>,
    /// The databases.
    pub databases: Vec<DatabaseChoice>,
    /// The consumers that are pushed to.
    pub pushers: Vec<PushChoice>,
    /// The producers that can send in transactions.
    pub listeners: Vec<ListenerChoice>,
}

/// A push consumer to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushChoice {
    /// The node.
    pub name: String,
    /// Whether its listener is orderly.
    pub orderly: bool,
}

/// A producer with a transaction listener to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenerChoice {
    /// The producer.
    pub producer: String,
    /// The database of its local transactions.
    pub database: Option<String>,
    /// Whether it keeps its transactions there, and not in memory.
    pub in_database: bool,
}

/// A database to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseChoice {
    /// The node.
    pub name: String,
    /// Its tables.
    pub tables: Vec<TableChoice>,
}

/// A table to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableChoice {
    /// Its name.
    pub name: String,
    /// Its columns, in order.
    pub columns: Vec<String>,
    /// The columns of its key.
    pub key: Vec<String>,
}

impl Choices {
    /// What can be named on a stage, as far as answers about it have come.
    pub fn of(
        stage: &Stage,
        cluster: Option<&Cluster>,
        routes: Option<&RoutesPicture>,
        databases: Option<&DatabasesPicture>,
    ) -> Self {
        let names = |kind: NodeKind| {
            let nodes = stage.nodes.iter().filter(move |node| node.kind == kind);
            nodes.map(|node| node.name.clone()).collect::<Vec<_>>()
        };
        let bare = |name: &String| {
            let specs = cluster.into_iter().flat_map(|cluster| &cluster.producers);
            specs.into_iter().any(|spec| spec.name == *name && spec.sender == SenderKind::Bare)
        };
        let mut choices = Self {
            producers: names(NodeKind::Producer),
            consumers: stage
                .nodes
                .iter()
                .filter(|node| matches!(node.facts, NodeFacts::Consumer { .. }))
                .map(|node| node.name.clone())
                .collect(),
            administrators: names(NodeKind::Administrator),
            brokers: names(NodeKind::Broker),
            ..Self::default()
        };
        let whole = choices.producers.iter().filter(|name| !bare(name));
        let consumers = names(NodeKind::Consumer);
        choices.askers = consumers.iter().chain(whole).chain(&choices.administrators).cloned().collect();
        choices.of_cluster(cluster);
        choices.of_routes(routes);
        choices.of_databases(databases);
        choices
    }

    fn of_cluster(&mut self, cluster: Option<&Cluster>) {
        for broker in cluster.into_iter().flat_map(|cluster| &cluster.brokers) {
            let key = |key: &str, usual: &str| broker.config.get(key).map_or(usual.to_owned(), Clone::clone);
            add(&mut self.broker_names, &key("brokerName", &broker.name));
            add(&mut self.clusters, &key("brokerClusterName", USUAL_CLUSTER));
            for topic in &broker.topics {
                add(&mut self.topics, &topic.name);
            }
        }
        self.readable = self.topics.clone();
        let producers = cluster.into_iter().flat_map(|cluster| &cluster.producers);
        self.listeners = producers
            .filter_map(|producer| {
                let listener = producer.listener.as_ref()?;
                Some(ListenerChoice {
                    producer: producer.name.clone(),
                    database: listener.database.clone(),
                    in_database: listener.keeps == Keeps::Database,
                })
            })
            .collect();
        for consumer in cluster.into_iter().flat_map(|cluster| &cluster.consumers) {
            let group =
                if consumer.group.is_empty() { format!("CG_{}", consumer.name) } else { consumer.group.clone() };
            add(&mut self.groups, &group);
            self.pushers.extend(consumer.push.as_ref().map(|push| PushChoice {
                name: consumer.name.clone(),
                orderly: push.listener.kind == ListenerKind::Orderly,
            }));
        }
    }

    fn of_routes(&mut self, routes: Option<&RoutesPicture>) {
        let Some(routes) = routes else { return };
        for topic in routes.brokers.iter().flat_map(|broker| &broker.topics) {
            let name = &topic.topic;
            let own = self.clusters.contains(name)
                || self.broker_names.contains(name)
                || name.ends_with("_REPLY_TOPIC")
                || OWN_TOPICS.contains(&name.as_str());
            if own {
                continue;
            }
            add(&mut self.readable, name);
            if !NOT_ALLOWED_SEND_TOPICS.contains(&name.as_str()) && !name.starts_with('%') {
                add(&mut self.topics, name);
            }
        }
        for group in routes.brokers.iter().flat_map(|broker| &broker.groups).filter(|group| !group.system) {
            add(&mut self.groups, &group.config.group_name);
        }
    }

    fn of_databases(&mut self, databases: Option<&DatabasesPicture>) {
        let nodes = databases.into_iter().flat_map(|databases| &databases.nodes);
        self.databases = nodes
            .map(|database| DatabaseChoice {
                name: database.node.clone(),
                tables: database
                    .tables
                    .iter()
                    .map(|table| TableChoice {
                        name: table.name.clone(),
                        columns: table.columns.clone(),
                        key: table.key.clone(),
                    })
                    .collect(),
            })
            .collect();
    }

    /// The topic that forms begin with.
    pub fn topic(&self) -> &str {
        self.topics.first().map_or(USUAL_TOPIC, String::as_str)
    }

    /// The group that forms begin with.
    pub fn group(&self) -> &str {
        self.groups.first().map_or("", String::as_str)
    }

    /// The clients whose applications can work with a database.
    pub fn clients(&self) -> Vec<String> {
        self.producers.iter().chain(&self.consumers).cloned().collect()
    }

    /// The producers that can send in transactions.
    pub fn transaction_producers(&self) -> Vec<String> {
        self.listeners.iter().map(|listener| listener.producer.clone()).collect()
    }

    /// The databases' names.
    pub fn database_names(&self) -> Vec<String> {
        self.databases.iter().map(|database| database.name.clone()).collect()
    }

    /// The tables of a database.
    pub fn tables(&self, database: &str) -> &[TableChoice] {
        self.databases.iter().find(|found| found.name == database).map_or(&[], |found| &found.tables)
    }
}

fn add(list: &mut Vec<String>, name: &str) {
    if !list.iter().any(|known| known == name) {
        list.push(name.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::database::TableSpec;
    use rocketscope_engine::sim::{DatabaseSpec, ProducerSpec, SenderKind};
    use rocketscope_engine::view::{Answer, Query, Session, sandbox_cluster};

    use super::{Choices, TableChoice};

    #[test]
    fn what_can_be_named_is_what_the_cluster_has() {
        let mut cluster = sandbox_cluster();
        let bare = ProducerSpec { name: "bare".to_owned(), sender: SenderKind::Bare, ..ProducerSpec::default() };
        cluster.producers.push(bare);
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let orders = TableSpec {
            name: "orders".to_owned(),
            columns: words(&["id", "state"]),
            key: words(&["id"]),
            ..TableSpec::default()
        };
        let shop = DatabaseSpec { name: "shop-db".to_owned(), tables: vec![orders], ..DatabaseSpec::default() };
        cluster.databases.push(shop);
        let mut session = Session::new();
        let started = Query::StartSandbox { cluster: Some(Box::new(cluster.clone())), seed: 1 };
        let Answer::Workbench(bench) = session.ask(started) else { panic!("no workbench") };
        let Answer::Routes(routes) = session.ask(Query::Routes) else { panic!("no routes") };
        let Answer::Databases(databases) = session.ask(Query::Databases) else { panic!("no databases") };
        let choices = Choices::of(&bench.run.stage, Some(&cluster), Some(&routes), Some(&databases));
        assert_eq!(choices.producers, ["producer", "bare"]);
        assert_eq!(choices.askers, ["consumer", "producer"]);
        assert_eq!((choices.brokers, choices.broker_names), (words(&["broker-a"]), words(&["broker-a"])));
        assert_eq!(choices.clusters, ["DefaultCluster"]);
        assert_eq!(choices.topics, ["OrderTopic", "PaymentTopic"]);
        assert!(choices.readable.contains(&"SCHEDULE_TOPIC_XXXX".to_owned()), "{:?}", choices.readable);
        assert!(!choices.readable.contains(&"TBW102".to_owned()), "{:?}", choices.readable);
        assert_eq!(choices.groups, ["order_group"]);
        let table = TableChoice { name: "orders".to_owned(), columns: words(&["id", "state"]), key: words(&["id"]) };
        assert_eq!(choices.databases[0].tables, [table]);
    }
}

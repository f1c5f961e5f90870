//! A cluster while it is being described: everything that can be typed is text, so that nothing typed is ever lost.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rocketscope_engine::sim::{BrokerSpec, Cluster, ConsumerSpec, NameServerSpec, ProducerSpec, SenderKind, TopicSpec};
use serde::{Deserialize, Serialize};
use yew::Reducible;

/// A cluster being described.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// What is kept as it is: clock, costs, how it begins. Its lists of nodes are empty.
    rest: Cluster,
    /// The nodes, in the order of the set-up.
    pub nodes: Vec<Node>,
    /// Seed of the world's generators.
    pub seed: String,
    /// The next node's number.
    next: u32,
}

/// A node being described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its number in the draft; it never changes.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Configuration by RocketMQ's keys, in the order in which it was set.
    pub config: Vec<Setting>,
    /// How far its clock is wrong, milliseconds.
    pub skew: String,
    /// What it is.
    pub what: What,
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
}

/// What a node is, and what only such a node has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum What {
    /// A NameServer.
    NameServer,
    /// A broker, with its topics. What its store and disk begin with is kept as it is.
    Broker {
        /// What is not edited.
        rest: Box<BrokerSpec>,
        /// Topics before the start.
        topics: Vec<Topic>,
    },
    /// A producer.
    Producer(Box<ProducerSpec>),
    /// A pull consumer.
    Consumer(Box<ConsumerSpec>),
}

/// The kinds of nodes that can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A NameServer.
    NameServer,
    /// A broker.
    Broker,
    /// A producer.
    Producer,
    /// A pull consumer.
    Consumer,
}

impl Kind {
    /// Every kind, in the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::NameServer, Self::Broker, Self::Producer, Self::Consumer];

    /// Its name in the catalogue and for tests.
    pub fn name(self) -> &'static str {
        match self {
            Self::NameServer => "nameServer",
            Self::Broker => "broker",
            Self::Producer => "producer",
            Self::Consumer => "consumer",
        }
    }

    /// What the first node of the kind is called; others have a number behind.
    fn usual_name(self) -> &'static str {
        match self {
            Self::NameServer => "namesrv",
            Self::Broker => "broker",
            Self::Producer => "producer",
            Self::Consumer => "consumer",
        }
    }
}

/// A topic being described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// Queues that may be read.
    pub read: String,
    /// Queues that may be written.
    pub write: String,
    /// Permission bits.
    pub perm: String,
}

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

/// What can be done to a draft.
pub enum Edit {
    /// A node is otherwise now.
    Put(Box<Node>),
    /// One more of a kind.
    Add(Kind),
    /// A slave of a master.
    AddSlave(u32),
    /// A node less.
    Remove(u32),
    /// Another cluster in place of this one.
    Take(Box<Cluster>),
    /// Another draft in place of this one.
    Restore(Box<Draft>),
    /// Another seed.
    Seed(String),
}

impl Node {
    /// Which kind it is.
    pub fn kind(&self) -> Kind {
        match self.what {
            What::NameServer => Kind::NameServer,
            What::Broker { .. } => Kind::Broker,
            What::Producer(_) => Kind::Producer,
            What::Consumer(_) => Kind::Consumer,
        }
    }

    /// The value of a key, where it is set.
    pub fn setting(&self, key: &str) -> Option<&str> {
        self.config.iter().find(|setting| setting.key == key).map(|setting| setting.value.as_str())
    }

    /// Sets a key; without a value it has its default again.
    pub fn set(&mut self, key: &str, value: Option<String>) {
        match (self.config.iter_mut().find(|setting| setting.key == key), value) {
            (Some(setting), Some(value)) => setting.value = value,
            (None, Some(value)) => self.config.push(Setting { key: key.to_owned(), value }),
            (_, None) => self.config.retain(|setting| setting.key != key),
        }
    }

    /// Whether it is a slave.
    pub fn is_slave(&self) -> bool {
        self.setting("brokerRole") == Some("SLAVE")
    }

    fn config_map(&self) -> BTreeMap<String, String> {
        self.config.iter().map(|setting| (setting.key.clone(), setting.value.clone())).collect()
    }
}

impl Topic {
    fn of(spec: &TopicSpec) -> Self {
        Self {
            name: spec.name.clone(),
            read: spec.read_queues.to_string(),
            write: spec.write_queues.to_string(),
            perm: spec.perm.to_string(),
        }
    }
}

fn settings(config: &BTreeMap<String, String>) -> Vec<Setting> {
    config.iter().map(|(key, value)| Setting { key: key.clone(), value: value.clone() }).collect()
}

impl Draft {
    /// A draft of a cluster.
    pub fn of(cluster: &Cluster, seed: u64) -> Self {
        let mut draft = Self { seed: seed.to_string(), ..Self::default() };
        draft.fill(cluster);
        draft
    }

    fn fill(&mut self, cluster: &Cluster) {
        self.nodes.clear();
        for spec in &cluster.name_servers {
            self.push(&spec.name, &spec.config, spec.skew_ms, What::NameServer);
        }
        for spec in &cluster.brokers {
            let topics = spec.topics.iter().map(Topic::of).collect();
            self.push(&spec.name, &spec.config, spec.skew_ms, What::Broker { rest: Box::new(spec.clone()), topics });
        }
        for spec in &cluster.producers {
            self.push(&spec.name, &spec.config, spec.skew_ms, What::Producer(Box::new(spec.clone())));
        }
        for spec in &cluster.consumers {
            self.push(&spec.name, &spec.config, spec.skew_ms, What::Consumer(Box::new(spec.clone())));
        }
        self.rest = Cluster {
            name_servers: Vec::new(),
            brokers: Vec::new(),
            producers: Vec::new(),
            consumers: Vec::new(),
            ..cluster.clone()
        };
    }

    fn push(&mut self, name: &str, config: &BTreeMap<String, String>, skew_ms: i64, what: What) {
        let skew = if skew_ms == 0 { String::new() } else { skew_ms.to_string() };
        self.nodes.push(Node { id: self.next, name: name.to_owned(), config: settings(config), skew, what });
        self.next += 1;
    }

    /// The number of the next node that is added.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// The nodes of a kind.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(move |node| node.kind() == kind)
    }

    /// The node of a number.
    pub fn node(&self, id: u32) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// A name that no node has yet: `usual`, or with the first free number or letter behind.
    fn free_name(&self, usual: &str) -> String {
        let taken = |name: &String| self.nodes.iter().any(|node| node.name == *name);
        let numbered = (2..).map(|number| format!("{usual}-{number}"));
        let mut names = std::iter::once(usual.to_owned()).chain(numbered);
        names.find(|name| !taken(name)).unwrap_or_default()
    }

    fn free_broker_name(&self) -> String {
        let taken = |name: &String| self.nodes.iter().any(|node| node.name == *name);
        let lettered = ('a'..='z').map(|letter| format!("broker-{letter}")).find(|name| !taken(name));
        lettered.unwrap_or_else(|| self.free_name("broker"))
    }

    fn add(&mut self, kind: Kind) {
        match kind {
            Kind::NameServer => {
                self.push(&self.free_name(kind.usual_name()), &BTreeMap::new(), 0, What::NameServer);
            }
            Kind::Broker => {
                // It is made like the first master: files as small, the same topics.
                let like = self.nodes.iter().find(|node| node.kind() == Kind::Broker && !node.is_slave());
                let own = ["brokerName", "brokerId", "brokerRole", "brokerIP1", "brokerIP2", "listenPort"];
                let config = like.map(|node| {
                    let mut config = node.config_map();
                    config.retain(|key, _| !own.contains(&key.as_str()));
                    config
                });
                let topics = match like.map(|node| &node.what) {
                    Some(What::Broker { topics, .. }) => topics.clone(),
                    _ => Vec::new(),
                };
                let what = What::Broker { rest: Box::default(), topics };
                self.push(&self.free_broker_name(), &config.unwrap_or_default(), 0, what);
            }
            Kind::Producer => {
                let name = self.free_name(kind.usual_name());
                // Another of the same group, where there is one: what a group is for.
                let group = self.nodes.iter().find_map(|node| match &node.what {
                    What::Producer(spec) => Some(spec.group.clone()),
                    _ => None,
                });
                let spec = ProducerSpec { group: group.unwrap_or_default(), ..ProducerSpec::default() };
                self.push(&name, &BTreeMap::new(), 0, What::Producer(Box::new(spec)));
            }
            Kind::Consumer => {
                let name = self.free_name(kind.usual_name());
                self.push(&name, &BTreeMap::new(), 0, What::Consumer(Box::default()));
            }
        }
    }

    /// A slave of the master with this number, behind it and its other slaves.
    fn add_slave(&mut self, id: u32) {
        let Some(at) = self.nodes.iter().position(|node| node.id == id) else { return };
        let Some(master) = self.nodes.get(at).cloned() else { return };
        let set = master.setting("brokerName").filter(|name| !name.is_empty()).unwrap_or(&master.name).to_owned();
        let is_of_set = |node: &&Node| node.is_slave() && node.setting("brokerName") == Some(set.as_str());
        let slaves = self.nodes.iter().filter(is_of_set).count();
        let ids: BTreeSet<&str> =
            self.nodes.iter().filter(is_of_set).filter_map(|node| node.setting("brokerId")).collect();
        let free_id = (1..=u32::MAX).map(|id| id.to_string()).find(|id| !ids.contains(id.as_str())).unwrap_or_default();
        let mut config = master.config_map();
        config.retain(|key, _| !["brokerIP1", "brokerIP2", "listenPort"].contains(&key.as_str()));
        config.insert("brokerRole".to_owned(), "SLAVE".to_owned());
        config.insert("brokerName".to_owned(), set);
        config.insert("brokerId".to_owned(), free_id);
        let name = self.free_name(&format!("{}-s", master.name));
        // It copies the topics of its master when it starts.
        let what = What::Broker { rest: Box::default(), topics: Vec::new() };
        let node = Node { id: self.next, name, config: settings(&config), skew: String::new(), what };
        self.next += 1;
        self.nodes.insert((at + 1 + slaves).min(self.nodes.len()), node);
    }

    /// The cluster and its seed, or everything that stands in the way.
    pub fn read(&self) -> Result<(Cluster, u64), Vec<Problem>> {
        let mut reading = Reading::default();
        let mut cluster = self.rest.clone();
        let mut names = BTreeSet::new();
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
                What::Producer(spec) => {
                    let broker = if spec.sender == SenderKind::Bare { spec.broker.clone() } else { String::new() };
                    cluster.producers.push(ProducerSpec { name, config, skew_ms, broker, ..(**spec).clone() });
                }
                What::Consumer(spec) => {
                    cluster.consumers.push(ConsumerSpec { name, config, skew_ms, ..(**spec).clone() });
                }
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

impl Reducible for Draft {
    type Action = Edit;

    fn reduce(self: Rc<Self>, edit: Edit) -> Rc<Self> {
        let mut next = (*self).clone();
        match edit {
            Edit::Put(node) => {
                if let Some(old) = next.nodes.iter_mut().find(|old| old.id == node.id) {
                    *old = *node;
                }
            }
            Edit::Add(kind) => next.add(kind),
            Edit::AddSlave(id) => next.add_slave(id),
            Edit::Remove(id) => next.nodes.retain(|node| node.id != id),
            Edit::Take(cluster) => next.fill(&cluster),
            Edit::Restore(draft) => next = *draft,
            Edit::Seed(seed) => next.seed = seed,
        }
        next.into()
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use rocketscope_engine::sim::World;
    use rocketscope_engine::view::sandbox_cluster;
    use yew::Reducible;

    use super::{Draft, Edit, Kind, Problem, What};

    fn edit(draft: &Rc<Draft>, edits: impl IntoIterator<Item = Edit>) -> Rc<Draft> {
        edits.into_iter().fold(Rc::clone(draft), Reducible::reduce)
    }

    #[test]
    fn a_cluster_comes_back_as_it_was() {
        let cluster = sandbox_cluster();
        assert_eq!(Draft::of(&cluster, 7).read(), Ok((cluster, 7)));
    }

    #[test]
    fn what_is_added_can_be_built_and_has_its_own_name() {
        let draft = Rc::new(Draft::of(&sandbox_cluster(), 1));
        let master = draft.of_kind(Kind::Broker).next().map(|node| node.id).unwrap();
        let two_each = Kind::ALL.iter().flat_map(|kind| [Edit::Add(*kind), Edit::Add(*kind)]);
        let draft = edit(&draft, two_each.chain([Edit::AddSlave(master), Edit::AddSlave(master)]));
        let (cluster, seed) = draft.read().unwrap();
        let brokers: Vec<&str> = cluster.brokers.iter().map(|broker| broker.name.as_str()).collect();
        assert_eq!(brokers, ["broker-a", "broker-a-s", "broker-a-s-2", "broker-b", "broker-c"]);
        let ids: Vec<_> = cluster.brokers.iter().map(|broker| broker.config.get("brokerId").cloned()).collect();
        assert_eq!(ids, [None, Some("1".to_owned()), Some("2".to_owned()), None, None]);
        assert_eq!(cluster.brokers[3].topics, cluster.brokers[0].topics);
        World::new(&cluster, seed).unwrap();
    }

    #[test]
    fn what_cannot_be_read_is_told_where_it_stands_and_stays() {
        let draft = Rc::new(Draft::of(&sandbox_cluster(), 1));
        let mut broker = draft.of_kind(Kind::Broker).next().unwrap().clone();
        let producer = draft.of_kind(Kind::Producer).next().unwrap();
        let mut consumer = draft.of_kind(Kind::Consumer).next().unwrap().clone();
        let What::Broker { topics, .. } = &mut broker.what else { panic!("no broker") };
        topics[1].read = "two".to_owned();
        broker.name = " ".to_owned();
        consumer.name.clone_from(&producer.name);
        let (broker_id, consumer_id) = (broker.id, consumer.id);
        let put = [Edit::Put(Box::new(broker.clone())), Edit::Put(Box::new(consumer)), Edit::Seed("x".to_owned())];
        let draft = edit(&draft, put);
        let problem = |node, field: &str, why| Problem { node, field: field.to_owned(), why };
        let found = [
            problem(broker_id, "name", "no-name"),
            problem(broker_id, "topics.1.read", "number"),
            problem(consumer_id, "name", "taken"),
            problem(u32::MAX, "seed", "number"),
        ];
        assert_eq!(draft.read(), Err(found.to_vec()));
        assert_eq!(draft.node(broker_id), Some(&broker));
    }
}

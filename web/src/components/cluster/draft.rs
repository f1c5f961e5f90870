//! A cluster while it is being described: everything that can be typed is text, so that nothing typed is ever lost.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rocketscope_engine::planted::PlantedFault;
use rocketscope_engine::sim::{Cluster, ProducerSpec};
use serde::{Deserialize, Serialize};
use yew::Reducible;

use super::node::{Kind, Listener, Node, Outbox, Topic, What, settings};
use super::push::Push;
use super::tables::Table;

/// A cluster being described.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// What is kept as it is: clock, costs, how it begins. Its lists of nodes are empty.
    pub rest: Cluster,
    /// The nodes, in the order of the set-up.
    pub nodes: Vec<Node>,
    /// Seed of the world's generators.
    pub seed: String,
    /// The next node's number.
    next: u32,
    /// The reader wants to find out what is planted, and is not shown it.
    #[serde(default)]
    hides: bool,
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
    /// Other wrong behaviours; whether the reader is to find them out.
    Plant(Vec<PlantedFault>, bool),
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
            let outbox = Outbox::of(spec.outbox.as_ref());
            let listener = Listener::of(spec.listener.as_ref());
            let what = What::Producer { rest: Box::new(spec.clone()), outbox, listener };
            self.push(&spec.name, &spec.config, spec.skew_ms, what);
        }
        for spec in &cluster.consumers {
            let push = spec.push.as_deref().map(|push| Box::new(Push::of(push)));
            let what = What::Consumer { rest: Box::new(spec.clone()), push };
            self.push(&spec.name, &spec.config, spec.skew_ms, what);
        }
        for spec in &cluster.databases {
            let tables = spec.tables.iter().map(Table::of).collect();
            self.push(&spec.name, &BTreeMap::new(), spec.skew_ms, What::Database(tables));
        }
        for spec in &cluster.administrators {
            self.push(&spec.name, &BTreeMap::new(), spec.skew_ms, What::Administrator);
        }
        self.rest = Cluster {
            name_servers: Vec::new(),
            brokers: Vec::new(),
            producers: Vec::new(),
            consumers: Vec::new(),
            databases: Vec::new(),
            administrators: Vec::new(),
            ..cluster.clone()
        };
    }

    fn push(&mut self, name: &str, config: &BTreeMap<String, String>, skew_ms: i64, what: What) {
        let skew = if skew_ms == 0 { String::new() } else { skew_ms.to_string() };
        self.nodes.push(Node { id: self.next, name: name.to_owned(), config: settings(config), skew, what });
        self.next += 1;
    }

    /// Whether the reader wants to find out what is planted.
    pub fn hides(&self) -> bool {
        self.hides
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
                    What::Producer { rest, .. } => Some(rest.group.clone()),
                    _ => None,
                });
                let spec = ProducerSpec { group: group.unwrap_or_default(), ..ProducerSpec::default() };
                let what =
                    What::Producer { rest: Box::new(spec), outbox: Outbox::of(None), listener: Listener::of(None) };
                self.push(&name, &BTreeMap::new(), 0, what);
            }
            Kind::Consumer => {
                let name = self.free_name(kind.usual_name());
                // Another member of the first group of push consumers, where there is one.
                let like = self.nodes.iter().find(|node| node.is_push()).cloned();
                let config = like.as_ref().map(Node::config_map).unwrap_or_default();
                let mut what =
                    like.map_or_else(|| What::Consumer { rest: Box::default(), push: None }, |node| node.what);
                if let What::Consumer { push: Some(push), .. } = &mut what {
                    push.client_id.clear();
                }
                self.push(&name, &config, 0, what);
            }
            Kind::Database => {
                let name = self.free_name(kind.usual_name());
                self.push(&name, &BTreeMap::new(), 0, What::Database(vec![Table::orders()]));
            }
            Kind::Administrator => {
                let name = self.free_name(kind.usual_name());
                self.push(&name, &BTreeMap::new(), 0, What::Administrator);
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
            Edit::Take(cluster) => {
                next.hides = false;
                next.fill(&cluster);
            }
            Edit::Restore(draft) => next = *draft,
            Edit::Seed(seed) => next.seed = seed,
            Edit::Plant(faults, hides) => {
                next.rest.planted = faults;
                next.hides = hides;
            }
        }
        next.into()
    }
}

#[cfg(test)]
mod tests;

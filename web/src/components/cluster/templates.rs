//! Clusters to begin from.

use std::rc::Rc;

use rocketscope_engine::sim::Cluster;
use rocketscope_engine::view::sandbox_cluster;
use yew::Reducible;

use super::draft::{Draft, Edit, Kind};

/// A cluster to begin from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Template {
    /// One of each.
    OneMaster,
    /// Two masters with the same topics.
    TwoMasters,
    /// A master and its slave.
    MasterAndSlave,
    /// Two NameServers that know nothing of each other.
    TwoNameServers,
}

impl Template {
    /// Every template.
    pub const ALL: [Self; 4] = [Self::OneMaster, Self::TwoMasters, Self::MasterAndSlave, Self::TwoNameServers];

    /// Its name in the catalogue and for tests.
    pub fn name(self) -> &'static str {
        match self {
            Self::OneMaster => "one-master",
            Self::TwoMasters => "two-masters",
            Self::MasterAndSlave => "master-slave",
            Self::TwoNameServers => "two-name-servers",
        }
    }

    /// The cluster.
    pub fn cluster(self) -> Cluster {
        let usual = sandbox_cluster();
        let draft = Rc::new(Draft::of(&usual, 1));
        let master = draft.of_kind(Kind::Broker).next().map(|node| node.id);
        let edit = match self {
            Self::OneMaster => None,
            Self::TwoMasters => Some(Edit::Add(Kind::Broker)),
            Self::MasterAndSlave => master.map(Edit::AddSlave),
            Self::TwoNameServers => Some(Edit::Add(Kind::NameServer)),
        };
        let draft = match edit {
            Some(edit) => draft.reduce(edit),
            None => draft,
        };
        draft.read().map_or(usual, |(cluster, _)| cluster)
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::sim::World;

    use super::Template;

    #[test]
    fn every_template_can_be_built() {
        let counts = Template::ALL.map(|template| {
            let cluster = template.cluster();
            World::new(&cluster, 1).unwrap();
            (cluster.name_servers.len(), cluster.brokers.len())
        });
        assert_eq!(counts, [(1, 1), (1, 2), (1, 2), (2, 1)]);
        let slave = &Template::MasterAndSlave.cluster().brokers[1];
        assert_eq!(slave.config.get("brokerRole").map(String::as_str), Some("SLAVE"));
    }
}

//! Clusters to begin from.

use std::rc::Rc;

use rocketscope_engine::client::Keeps;
use rocketscope_engine::client::consumer::{
    BusinessRecord, ConsumeResult, ListenerBusiness, ListenerKind, ListenerRule, MessageListener, MessageModel,
};
use rocketscope_engine::database::TableSpec;
use rocketscope_engine::sim::{
    Cluster, ConsumerSpec, DatabaseSpec, ListenerSpec, OutboxSpec, ProducerSpec, PushSpec, SubscriptionSpec,
};
use rocketscope_engine::view::sandbox_cluster;
use rocketscope_engine::wire::{Cell, Change};
use yew::Reducible;

use super::draft::{Draft, Edit};
use super::node::Kind;

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
    /// A shop: a database with orders and accounts, and a producer that relays from an outbox in it.
    Shop,
    /// A shop whose producer sends in transactions, and keeps them in its database.
    Transactions,
    /// A shop whose push consumers write what they get into its database: one of them all over again when it gets it
    /// again, one with a record of what it has done.
    ShopConsumers,
    /// Two push consumers of one group.
    PushGroup,
    /// Two push consumers of one group that consume in order.
    Orderly,
    /// Two push consumers of one group that each get everything.
    Broadcasting,
    /// Two masters and two NameServers, and an administrator with his tool.
    Administered,
}

impl Template {
    /// Every template.
    pub const ALL: [Self; 11] = [
        Self::OneMaster,
        Self::TwoMasters,
        Self::MasterAndSlave,
        Self::TwoNameServers,
        Self::Shop,
        Self::Transactions,
        Self::ShopConsumers,
        Self::PushGroup,
        Self::Orderly,
        Self::Broadcasting,
        Self::Administered,
    ];

    /// Its name in the catalogue and for tests.
    pub fn name(self) -> &'static str {
        match self {
            Self::OneMaster => "one-master",
            Self::TwoMasters => "two-masters",
            Self::MasterAndSlave => "master-slave",
            Self::TwoNameServers => "two-name-servers",
            Self::Shop => "shop",
            Self::Transactions => "transactions",
            Self::ShopConsumers => "shop-consumers",
            Self::PushGroup => "push-group",
            Self::Orderly => "orderly",
            Self::Broadcasting => "broadcasting",
            Self::Administered => "administered",
        }
    }

    /// The cluster.
    pub fn cluster(self) -> Cluster {
        let usual = sandbox_cluster();
        let draft = Rc::new(Draft::of(&usual, 1));
        let master = draft.of_kind(Kind::Broker).next().map(|node| node.id);
        let edits: Vec<Edit> = match self {
            Self::OneMaster => Vec::new(),
            Self::TwoMasters => vec![Edit::Add(Kind::Broker)],
            Self::MasterAndSlave => master.map(Edit::AddSlave).into_iter().collect(),
            Self::TwoNameServers => vec![Edit::Add(Kind::NameServer)],
            Self::Shop => {
                return shop(usual, |producer| {
                    producer.outbox = Some(OutboxSpec { database: SHOP.to_owned(), ..OutboxSpec::default() });
                });
            }
            Self::Transactions => {
                return shop(usual, |producer| {
                    let database = Some(SHOP.to_owned());
                    producer.listener =
                        Some(ListenerSpec { keeps: Keeps::Database, database, ..ListenerSpec::default() });
                });
            }
            Self::ShopConsumers => return shop_consumers(usual),
            Self::PushGroup => return group(usual, |_| {}),
            Self::Orderly => return group(usual, |push| push.listener.kind = ListenerKind::Orderly),
            Self::Broadcasting => return group(usual, |push| push.message_model = MessageModel::Broadcasting),
            Self::Administered => [Kind::NameServer, Kind::Broker, Kind::Administrator].map(Edit::Add).into(),
        };
        let draft = edits.into_iter().fold(draft, Reducible::reduce);
        draft.read().map_or(usual, |(cluster, _)| cluster)
    }
}

/// Queues of the topic that a group shares.
const QUEUES: i32 = 4;

/// The usual cluster with two push consumers of one group, set up as `with` says, in place of what pulls.
fn group(usual: Cluster, with: impl Fn(&mut PushSpec)) -> Cluster {
    let mut cluster = usual;
    let mut push = PushSpec::default();
    if let Some(topic) = cluster.brokers.first_mut().and_then(|broker| broker.topics.first_mut()) {
        (topic.read_queues, topic.write_queues) = (QUEUES, QUEUES);
        push.subscriptions.push(SubscriptionSpec { topic: topic.name.clone(), ..SubscriptionSpec::default() });
    }
    with(&mut push);
    let member = |name: &str| ConsumerSpec {
        name: name.to_owned(),
        group: GROUP.to_owned(),
        push: Some(Box::new(push.clone())),
        ..ConsumerSpec::default()
    };
    cluster.consumers = ["consumer", "consumer-2"].map(member).into();
    cluster
}

/// The group of push consumers.
const GROUP: &str = "order_group";

/// The database of a shop.
const SHOP: &str = "shop-db";

/// The usual cluster with a database: a table of orders, and one of accounts that cannot be overdrawn. The producers use
/// it as `with` says.
fn shop(usual: Cluster, with: impl Fn(&mut ProducerSpec)) -> Cluster {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let account = |owner: &str, balance: i64| {
        [("owner".to_owned(), Cell::from(owner)), ("balance".to_owned(), Cell::Int(balance))].into()
    };
    let orders = TableSpec {
        name: "orders".to_owned(),
        columns: words(&["id", "owner", "item", "state"]),
        key: words(&["id"]),
        auto_increment: Some("id".to_owned()),
        ..TableSpec::default()
    };
    let accounts = TableSpec {
        name: "accounts".to_owned(),
        columns: words(&["owner", "balance"]),
        key: words(&["owner"]),
        at_least: [("balance".to_owned(), 0)].into(),
        rows: vec![account("alice", 100), account("bob", 30)],
        ..TableSpec::default()
    };
    let mut cluster = usual;
    cluster.producers.iter_mut().for_each(with);
    let tables = vec![orders, accounts];
    cluster.databases.push(DatabaseSpec { name: SHOP.to_owned(), tables, skew_ms: 0 });
    cluster
}

/// The usual cluster with a database and two groups that both make a parcel of every message, each in a table of its
/// own. Both listeners write and then put the message off once, as where something fails after the commit: what comes
/// again is written again, unless a record says that it has been done.
fn shop_consumers(usual: Cluster) -> Cluster {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let topic = usual.brokers.first().and_then(|broker| broker.topics.first()).map(|topic| topic.name.clone());
    let subscription = SubscriptionSpec { topic: topic.unwrap_or_default(), ..SubscriptionSpec::default() };
    let parcels = |kind: &str| TableSpec {
        name: format!("parcels_{kind}"),
        columns: words(&["id", "message", "what"]),
        key: words(&["id"]),
        auto_increment: Some("id".to_owned()),
        ..TableSpec::default()
    };
    let consumer = |kind: &str, record: Option<BusinessRecord>| {
        let row = [("message", "{msgId}"), ("what", "{body}")];
        let row = row.map(|(column, value)| (column.to_owned(), Cell::from(value))).into();
        let business = ListenerBusiness {
            database: SHOP.to_owned(),
            changes: vec![Change::Insert { table: format!("parcels_{kind}"), row }],
            record,
            ..ListenerBusiness::default()
        };
        let once =
            ListenerRule { results: vec![ConsumeResult::Later, ConsumeResult::Success], ..ListenerRule::default() };
        let listener =
            MessageListener { rules: vec![once], business: Some(Box::new(business)), ..MessageListener::default() };
        let push = PushSpec { subscriptions: vec![subscription.clone()], listener, ..PushSpec::default() };
        ConsumerSpec {
            name: kind.to_owned(),
            group: format!("{kind}_group"),
            push: Some(Box::new(push)),
            ..ConsumerSpec::default()
        }
    };
    let mut cluster = usual;
    cluster.consumers = vec![consumer("naive", None), consumer("safe", Some(BusinessRecord::default()))];
    let tables = vec![parcels("naive"), parcels("safe")];
    cluster.databases.push(DatabaseSpec { name: SHOP.to_owned(), tables, skew_ms: 0 });
    cluster
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::sim::{Action, Send, World};
    use rocketscope_engine::view::world::{NodeFacts, TableFact};
    use rocketscope_engine::view::{Answer, Query, Session};

    use super::Template;

    #[test]
    fn every_template_can_be_built() {
        let counts = Template::ALL.map(|template| {
            let cluster = template.cluster();
            World::new(&cluster, 1).unwrap();
            let others = cluster.databases.len() + cluster.administrators.len();
            (cluster.name_servers.len(), cluster.brokers.len(), others)
        });
        let pushing = [(1, 1, 0); 3];
        let others = [(1, 1, 0), (1, 2, 0), (1, 2, 0), (2, 1, 0), (1, 1, 1), (1, 1, 1), (1, 1, 1)];
        assert_eq!(counts[..], [others.as_slice(), &pushing, &[(2, 2, 1)]].concat());
        let slave = &Template::MasterAndSlave.cluster().brokers[1];
        assert_eq!(slave.config.get("brokerRole").map(String::as_str), Some("SLAVE"));
    }

    /// Both listeners commit and put the message off once. It comes again after the 10 s of delay level 3: two rows for
    /// one message without a record, and one with it.
    #[test]
    fn what_is_consumed_twice_is_written_twice_unless_a_record_says_that_it_is_done() {
        let mut session = Session::new();
        let cluster = Some(Box::new(Template::ShopConsumers.cluster()));
        session.ask(Query::StartSandbox { cluster, seed: 1 });
        let send = Send { producer: "producer".to_owned(), topic: "OrderTopic".to_owned(), ..Send::default() };
        session.ask(Query::Act { action: Action::Send(Box::new(send)) });
        session.ask(Query::Run { events: 3000 });
        let Answer::Workbench(bench) = session.ask(Query::Look) else { panic!("no workbench") };
        let stage = bench.run.stage;
        let Some(NodeFacts::Database { tables, .. }) =
            stage.nodes.into_iter().find(|node| node.name == super::SHOP).map(|node| node.facts)
        else {
            panic!("no database")
        };
        let table = |name: &str, rows, twice| TableFact { name: name.to_owned(), rows, twins: twice, redone: twice };
        assert_eq!(tables, [table("parcels_naive", 2, 1), table("parcels_safe", 1, 0), table("processed", 1, 0)]);
    }
}

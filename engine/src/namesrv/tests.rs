//! The rules of `RouteInfoManager`, checked on the tables alone.

use super::routes::RouteTables;
use crate::{
    node::ConnId,
    wire::{DataVersion, RegisterBroker, TopicConfig, UnregisterBroker},
};

fn registration(id: i64, addr: &str, counter: i64, topics: &[&str]) -> RegisterBroker {
    RegisterBroker {
        broker_name: "broker-a".to_owned(),
        broker_addr: addr.to_owned(),
        cluster_name: "DefaultCluster".to_owned(),
        ha_server_addr: format!("{addr}-ha"),
        broker_id: id,
        data_version: DataVersion { timestamp: 1, counter },
        topic_config_table: topics.iter().map(|topic| TopicConfig::new(topic, 4, 4, 6)).collect(),
    }
}

const MASTER: &str = "10.0.2.1:10911";
const SLAVE: &str = "10.0.2.2:10911";

#[test]
fn topics_are_taken_over_only_when_the_version_changes() {
    let mut tables = RouteTables::default();
    let first = tables.register(&registration(0, MASTER, 1, &["A"]), ConnId(1), 0);
    assert!(first.first);
    assert_eq!(first.topics_changed, ["A"]);

    let same = tables.register(&registration(0, MASTER, 1, &["A", "B"]), ConnId(1), 10);
    assert!(!same.first && same.topics_changed.is_empty() && tables.route("B").is_none());

    let newer = tables.register(&registration(0, MASTER, 2, &["B"]), ConnId(1), 20);
    assert_eq!(newer.topics_changed, ["B"]);
    assert!(tables.route("A").is_some(), "topics missing from the body are not removed");
}

#[test]
fn a_slave_registers_no_topics_and_is_told_its_master() {
    let mut tables = RouteTables::default();
    let alone = tables.register(&registration(1, SLAVE, 1, &["A"]), ConnId(2), 0);
    assert!(alone.topics_changed.is_empty() && alone.answer.master_addr.is_empty());
    tables.register(&registration(0, MASTER, 1, &["A"]), ConnId(1), 0);
    let again = tables.register(&registration(1, SLAVE, 1, &["A"]), ConnId(2), 0);
    assert_eq!(
        (again.answer.master_addr.as_str(), again.answer.ha_server_addr.as_str()),
        (MASTER, "10.0.2.1:10911-ha")
    );
}

#[test]
fn queue_data_stay_as_long_as_one_address_of_the_name_lives() {
    let mut tables = RouteTables::default();
    tables.register(&registration(0, MASTER, 1, &["A"]), ConnId(1), 0);
    tables.register(&registration(1, SLAVE, 1, &["A"]), ConnId(2), 0);
    assert!(tables.destroy(ConnId(1))[0].topics_removed.is_empty());
    assert_eq!(tables.route("A").unwrap().broker_datas[0].broker_addrs.keys().collect::<Vec<_>>(), [&1]);
    assert_eq!(tables.destroy(ConnId(2))[0].topics_removed, ["A"]);
    assert!(tables.route("A").is_none() && tables.clusters().is_empty());
}

#[test]
fn a_broker_expires_after_more_than_120_s() {
    let mut tables = RouteTables::default();
    tables.register(&registration(0, MASTER, 1, &["A"]), ConnId(1), 1000);
    assert_eq!(tables.next_expiry_ms(), Some(121_001));
    assert!(tables.expire(121_000).0.is_empty());
    tables.renewed(ConnId(1), 2000, true);
    assert_eq!((tables.next_expiry_ms(), tables.expire(900_000).0.len()), (None, 0));
    tables.renewed(ConnId(1), 2000, false);
    let (removed, conns) = tables.expire(122_001);
    assert_eq!((removed[0].broker_addr.as_str(), conns), (MASTER, vec![ConnId(1)]));
}

#[test]
fn an_address_under_a_new_id_leaves_the_old_one() {
    let mut tables = RouteTables::default();
    tables.register(&registration(1, SLAVE, 1, &[]), ConnId(2), 0);
    tables.register(&registration(0, SLAVE, 1, &["A"]), ConnId(2), 0);
    assert_eq!(tables.broker_addrs()["broker-a"].broker_addrs.keys().collect::<Vec<_>>(), [&0]);
    let goodbye = UnregisterBroker {
        broker_name: "broker-a".to_owned(),
        broker_addr: SLAVE.to_owned(),
        cluster_name: "DefaultCluster".to_owned(),
        broker_id: 0,
    };
    assert_eq!(tables.unregister(&goodbye).unwrap().topics_removed, ["A"]);
    assert!(tables.live().is_empty());
}

#[test]
fn an_address_that_is_new_makes_a_version_count_that_is_known() {
    let mut tables = RouteTables::default();
    tables.register(&registration(0, MASTER, 1, &["A"]), ConnId(1), 0);
    tables.destroy(ConnId(1));
    let back = tables.register(&registration(0, MASTER, 1, &["A"]), ConnId(3), 10);
    assert!(back.first);
    assert_eq!(back.topics_changed, ["A"]);

    // The live entry has the version, but the id had no address.
    let mut tables = RouteTables::default();
    tables.register(&registration(1, MASTER, 1, &["A"]), ConnId(1), 0);
    let raised = tables.register(&registration(0, MASTER, 1, &["A"]), ConnId(1), 10);
    assert!(raised.first);
    assert_eq!(raised.topics_changed, ["A"]);
}

/// Two processes call themselves master of one name: the id has the address of whoever registered last.
#[test]
fn two_masters_of_one_name_take_turns_in_the_table() {
    let mut tables = RouteTables::default();
    let addr = |tables: &RouteTables| tables.broker_addrs()["broker-a"].broker_addrs[&0].clone();
    tables.register(&registration(0, MASTER, 1, &["A"]), ConnId(1), 0);
    let other = tables.register(&registration(0, SLAVE, 1, &["B"]), ConnId(2), 10);
    // Not the first for its id, but no version is known of its address.
    assert!(!other.first);
    assert_eq!((addr(&tables).as_str(), other.topics_changed), (SLAVE, vec!["B".to_owned()]));
    assert_eq!(tables.live().len(), 2);
    tables.register(&registration(0, MASTER, 1, &["A"]), ConnId(1), 20);
    assert_eq!(addr(&tables), MASTER);

    // The connection of the one that is not in the table takes nothing along.
    assert!(tables.destroy(ConnId(2))[0].topics_removed.is_empty());
    assert_eq!(addr(&tables), MASTER);

    // A goodbye names the id, and takes whatever address has it.
    tables.register(&registration(0, SLAVE, 1, &["B"]), ConnId(4), 30);
    let goodbye = UnregisterBroker {
        broker_name: "broker-a".to_owned(),
        broker_addr: MASTER.to_owned(),
        cluster_name: "DefaultCluster".to_owned(),
        broker_id: 0,
    };
    let gone = tables.unregister(&goodbye).unwrap();
    assert_eq!((gone.broker_addr.as_str(), gone.topics_removed.len()), (SLAVE, 2));
    assert_eq!(tables.live().keys().collect::<Vec<_>>(), [SLAVE], "it is alive, and in no route");
    assert!(tables.route("B").is_none());
}

#[test]
fn a_question_for_the_version_keeps_a_broker_alive_but_says_nothing_of_topics() {
    let mut tables = RouteTables::default();
    assert_eq!(tables.version_of(MASTER), None);
    tables.register(&registration(0, MASTER, 1, &["A"]), ConnId(1), 0);
    assert_eq!(tables.version_of(MASTER), Some(DataVersion { timestamp: 1, counter: 1 }));
    tables.touch(MASTER, 100_000);
    assert!(tables.expire(120_001).0.is_empty());
    assert_eq!(tables.next_expiry_ms(), Some(220_001));
    tables.touch(SLAVE, 100_000);
    assert_eq!(tables.live().len(), 1, "nobody is known that has not registered");
}

#[test]
fn a_master_that_goes_leaves_its_queues_to_those_who_read() {
    let mut tables = RouteTables::default();
    tables.register(&registration(0, MASTER, 1, &["A"]), ConnId(1), 0);
    tables.register(&registration(1, SLAVE, 1, &["A"]), ConnId(2), 100_000);
    let (removed, _) = tables.expire(120_001);
    assert_eq!((removed.len(), removed[0].topics_removed.len()), (1, 0));
    let route = tables.route("A").unwrap();
    // Readable and writeable as before: that nobody can write is for the producers to find out.
    assert_eq!((route.queue_datas[0].perm, route.broker_datas[0].broker_addrs.contains_key(&0)), (6, false));
}

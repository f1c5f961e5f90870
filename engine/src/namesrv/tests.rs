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

//! What a change makes of a cluster.

use super::*;
use crate::sim::{BrokerSpec, Cluster, ConsumerSpec, NameServerSpec};

fn broker(name: &str, config: &[(&str, &str)]) -> BrokerSpec {
    let config = config.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    BrokerSpec { name: name.to_owned(), config, ..BrokerSpec::default() }
}

fn cluster() -> Cluster {
    Cluster {
        name_servers: vec![NameServerSpec { name: "namesrv".to_owned(), ..NameServerSpec::default() }],
        brokers: vec![
            broker("broker-a", &[("brokerRole", "SYNC_MASTER"), ("listenPort", "10915"), ("maxIndexNum", "400")]),
            broker("broker-a-s", &[("brokerRole", "SLAVE"), ("brokerName", "broker-a"), ("brokerId", "3")]),
        ],
        consumers: vec![ConsumerSpec { name: "consumer".to_owned(), ..ConsumerSpec::default() }],
        ..Cluster::default()
    }
}

fn applied(change: &Change) -> Result<Cluster, ChangeError> {
    change.applied(&cluster(), 7).map(|(cluster, _)| cluster)
}

#[test]
fn a_slave_is_configured_as_its_master_with_the_next_id() {
    let changed = applied(&Change::AddSlave { master: "broker-a".to_owned() }).expect("it fits");
    // 3 is the highest of the ids of broker-a, and `broker-a-s-2` the first name that is free.
    let slave = broker(
        "broker-a-s-2",
        &[("brokerRole", "SLAVE"), ("brokerId", "4"), ("brokerName", "broker-a"), ("maxIndexNum", "400")],
    );
    assert_eq!(changed.brokers.last(), Some(&slave));
    let of_slave = applied(&Change::AddSlave { master: "broker-a-s".to_owned() });
    assert_eq!(of_slave, Err(ChangeError::NotMaster { node: "broker-a-s".to_owned() }));
}

#[test]
fn a_key_is_set_and_unset() {
    let key = |value: Option<&str>| Change::Config {
        node: "broker-a".to_owned(),
        key: "maxIndexNum".to_owned(),
        value: value.map(str::to_owned),
    };
    let value = |changed: Cluster| changed.brokers[0].config.get("maxIndexNum").cloned();
    assert_eq!(applied(&key(Some("500"))).map(value), Ok(Some("500".to_owned())));
    assert_eq!(applied(&key(None)).map(value), Ok(None));
    assert_eq!(applied(&key(Some("400"))), Err(ChangeError::Nothing));
    assert_eq!(Change::Seed { seed: 7 }.applied(&cluster(), 7), Err(ChangeError::Nothing));
    assert_eq!(Change::Seed { seed: 8 }.applied(&cluster(), 7), Ok((cluster(), 8)));
}

#[test]
fn a_member_joins_the_group_that_the_other_is_in() {
    let changed = applied(&Change::AddConsumer { like: "consumer".to_owned() }).expect("it fits");
    let groups: Vec<(&str, &str)> =
        changed.consumers.iter().map(|spec| (spec.name.as_str(), spec.group.as_str())).collect();
    // A consumer without a group is in one of its own name.
    assert_eq!(groups, [("consumer", ""), ("consumer-2", "CG_consumer")]);
    let removed = applied(&Change::RemoveNode { node: "consumer".to_owned() }).expect("it fits");
    assert!(removed.consumers.is_empty());
}

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    let node = || "nobody".to_owned();
    for (change, error) in [
        (Change::RemoveNode { node: node() }, ChangeError::NoSuchNode { node: node() }),
        (Change::AddSlave { master: node() }, ChangeError::NoSuchNode { node: node() }),
        (Change::AddConsumer { like: node() }, ChangeError::NotConsumer { node: node() }),
        (config("nobody", "listenPort", "1"), ChangeError::NoSuchNode { node: node() }),
        (
            Change::RecordKey { consumer: "consumer".to_owned(), key: "{keys}".to_owned() },
            ChangeError::NoRecord { node: "consumer".to_owned() },
        ),
    ] {
        assert_eq!(applied(&change), Err(error), "{change:?}");
    }
    let wrong = Comparison::new(&solved("01-three-messages"), config("broker-a", "flushDiskType", "SOMETIMES"));
    assert!(matches!(wrong, Err(CompareError::Cluster(error)) if error.place == "broker-a"));
}

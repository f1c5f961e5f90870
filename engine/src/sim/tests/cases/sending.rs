//! B11 and B29: what a whole client is told of its sends, and what is stored all the same.

use super::*;
use crate::{
    client::SendOutcome,
    disk::memory::Fault,
    message::{property, record},
};

const SLAVE: &str = "broker-a-s";

/// The producer's cluster with the topic T of one queue, the broker and its producers set as given.
fn set(broker: &[(&str, &str)], send_ms: &str) -> Cluster {
    let mut cluster = cluster_of(1);
    let set = broker.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    cluster.brokers[0].config.extend(set);
    cluster.producers[0].config.insert("sendMsgTimeout".to_owned(), send_ms.to_owned());
    cluster
}

fn with_slave(mut cluster: Cluster) -> Cluster {
    let mut slave = cluster.brokers[0].clone();
    slave.name = SLAVE.to_owned();
    for (key, value) in [("brokerRole", "SLAVE"), ("brokerId", "1"), ("brokerName", BROKER)] {
        slave.config.insert(key.to_owned(), value.to_owned());
    }
    cluster.brokers.push(slave);
    cluster
}

fn sent(world: &mut World) -> SendOutcome {
    act(world, send("T"));
    world.client("producer").unwrap().sent().last().unwrap().clone()
}

/// A message whose send ended so, after so many milliseconds and in one attempt, is there to be consumed; the application
/// that sends it once more has two.
fn stored_and_resent(mut world: World, status: &str, after_ms: i64, heal: Action) {
    let told = sent(&mut world);
    assert_eq!((told.status.as_str(), told.attempts), (status, 1), "{told:?}");
    assert_eq!((told.ended_us - told.began_us) / 1000, after_ms, "{told:?}");
    assert_eq!(pulled(&mut world, 0, 0), ("FOUND".to_owned(), 1), "{status}");
    act(&mut world, heal);
    act(&mut world, Action::Wait { ms: 10_000 });
    sent(&mut world);
    assert_eq!(pulled(&mut world, 0, 0), ("FOUND".to_owned(), 2), "{status}");
    assert_eq!((got(&world), queue_max(&world, 0)), (vec![0, 1], 2), "{status}");
}

/// `syncFlushTimeout` is 5 s, the producer's own time 3 s for all its attempts, `slaveTimeout` 3 s; without a slave the
/// answer comes at once.
#[test]
fn b11_a_timeout_does_not_mean_that_nothing_is_stored() {
    let slow = |send_ms| {
        let mut world = World::new(&set(&[("flushDiskType", "SYNC_FLUSH")], send_ms), 1).unwrap();
        let fault = Fault::SlowFlush { ms: 6000, path: "commitlog".to_owned() };
        act(&mut world, Action::DiskFault { broker: BROKER.to_owned(), fault });
        world
    };
    let mend = || Action::MendDisk { broker: BROKER.to_owned() };
    stored_and_resent(slow("10000"), "FLUSH_DISK_TIMEOUT", 5001, mend());
    stored_and_resent(slow("3000"), "RemotingTooMuchRequestException", 3000, mend());

    let master = set(&[("brokerRole", "SYNC_MASTER")], "10000");
    let mut world = World::new(&with_slave(master.clone()), 1).unwrap();
    act(&mut world, pause(SLAVE, Some(Service::HaClient)));
    stored_and_resent(world, "FLUSH_SLAVE_TIMEOUT", 3001, resume(SLAVE, Some(Service::HaClient)));
    stored_and_resent(World::new(&master, 1).unwrap(), "SLAVE_NOT_AVAILABLE", 1, Action::Wait { ms: 1 });
}

/// An entry costs 22 bytes beside body and properties; those are `UNIQ_KEY` (32 digits) and `WAIT`, 51 bytes. Four times
/// 1,048,576 is the limit of 4,194,304.
#[test]
fn b29_a_batch_has_four_mebibytes_with_everything_in_it() {
    let mut world = World::new(&set(&[("mappedFileSizeCommitLog", "8388608")], "3000"), 1).unwrap();
    let batch = |first: u32| {
        let entry = |body_length| BatchMessage { body_length: Some(body_length), ..BatchMessage::default() };
        let messages = [first, 1_048_503, 1_048_503, 1_048_503].map(entry).to_vec();
        let (producer, topic) = ("producer".to_owned(), "T".to_owned());
        Action::SendBatch(Box::new(SendBatch { producer, topic, messages, ..SendBatch::default() }))
    };
    let told = |world: &World| world.client("producer").unwrap().sent().last().unwrap().clone();
    act(&mut world, batch(1_048_504));
    assert_eq!((told(&world).status.as_str(), told(&world).response_code), ("MQClientException", Some(13)));
    assert_eq!(store(&world).max_phy_offset(), 0, "the broker was not asked");
    act(&mut world, batch(1_048_503));
    assert_eq!((told(&world).status.as_str(), told(&world).queue_offset), ("SEND_OK", Some(0)));
    let stored = |unit: i64| {
        let unit = store(&world).unit("T", 0, unit).unwrap();
        let bytes = store(&world).look_message_by_offset(unit.physical_offset).unwrap();
        let record = record::decode(&bytes).unwrap();
        assert!(record.property(property::UNIQ_KEY).is_some_and(|key| key.len() == 32));
        (record.queue_offset, record.body.len(), record.store_timestamp)
    };
    let (_, len, at_ms) = stored(0);
    assert_eq!((len, queue_max(&world, 0)), (1_048_503, 4));
    for unit in 0..4 {
        assert_eq!(stored(unit), (unit, len, at_ms), "one queue, one store time");
    }
}

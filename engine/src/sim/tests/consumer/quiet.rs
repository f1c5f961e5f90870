//! Consumers that wait.

use super::*;

#[test]
fn an_idle_hour_brings_neither_heartbeats_nor_rebalances_nor_offsets_that_repeat_themselves() {
    let mut world = World::new(&cluster_of(&["c1", "c2"]), 1).unwrap();
    act(&mut world, order(0, "m0"));
    let events = act(&mut world, wait(3_600_000));
    // Not parked, they would be some hundreds each.
    for service in ["heartbeat", "rebalance", "persistConsumerOffset"] {
        let count = events.iter().filter(|event| event.service == service).count();
        assert!(count < 20, "{count} events of {service}");
    }
    // Nobody has been forgotten meanwhile.
    let process = world.broker("broker-a").unwrap().process().unwrap();
    assert_eq!(process.clients().groups()["g"].channels.len(), 2);
    assert_eq!(queues(&world, "c2"), ["OrderTopic/1"]);
}

//! Idle hours cost a handful of events, and leave what they would have left.

use super::*;

const HOUR_US: i64 = 3_600_000_000;

fn wait(ms: i64) -> Action {
    Action::Wait { ms }
}

#[test]
fn seventy_two_idle_hours_cost_a_handful_of_events() {
    let mut world = world();
    world.act(pull("OrderTopic", 0, 0)).unwrap();
    world.act(wait(72 * 3_600_000)).unwrap();
    let events = rest(&mut world);
    assert_eq!(world.now_us(), 72 * HOUR_US);
    assert!(events.len() < 40, "{} events", events.len());
    assert!(world.step().is_none(), "nothing is left to happen");

    // Everybody has been alive all the time.
    let live = world.name_server("namesrv").unwrap().tables().live().values().next().unwrap().clone();
    let silent_ms = world.wall_ms() - live.last_update_ms;
    assert!((0..=30_000).contains(&silent_ms), "the last registration was {silent_ms} ms ago");
    assert!(world.name_server("namesrv").unwrap().tables().route("OrderTopic").is_some());
    assert_eq!(world.broker("broker-a").unwrap().process().unwrap().clients().channels().len(), 2);
}

#[test]
fn a_broker_that_nobody_talks_to_stays_alive() {
    let mut lonely = cluster();
    lonely.producers.clear();
    lonely.consumers.clear();
    let mut world = World::new(&lonely, 1).unwrap();
    world.act(wait(72 * 3_600_000)).unwrap();
    assert!(rest(&mut world).len() < 10);
    assert!(world.name_server("namesrv").unwrap().tables().route("OrderTopic").is_some());
}

/// Clients that know no NameServer have nobody to ask: their rounds do not go on for ever unseen.
#[test]
fn a_world_without_name_servers_comes_to_its_end() {
    let mut cluster = cluster();
    cluster.name_servers.clear();
    let mut world = World::new(&cluster, 1).unwrap();
    let mut seen = 0;
    while world.step().is_some() {
        seen += 1;
        assert!(seen < 40, "{seen} events");
    }
}

#[test]
fn a_cold_start_is_shown_from_its_first_event() {
    let mut cold = cluster();
    cold.begin = Begin::Cold;
    let mut world = World::new(&cold, 1).unwrap();
    assert_eq!((world.events(), world.now_us()), (0, 0));
    let events = rest(&mut world);
    assert!(events.iter().any(|event| event.node == "broker-a" && event.what == EventKind::Started));
    assert!(events.iter().any(|event| event.node == "namesrv" && matches!(event.what, EventKind::Request { .. })));
    assert!(world.name_server("namesrv").unwrap().tables().route("OrderTopic").is_some());
}

#[test]
fn after_idle_hours_everything_goes_on() {
    let mut world = world();
    world.act(wait(10 * 3_600_000)).unwrap();
    rest(&mut world);
    world.act(send("NewTopic")).unwrap();
    world.act(wait(40_000)).unwrap();
    rest(&mut world);
    assert_eq!(world.client("producer").unwrap().sent().last().unwrap().status, "SEND_OK");
    // The route poll has found the queues that the broker made.
    assert_eq!(world.client("producer").unwrap().routes().publish()["NewTopic"].queues.len(), 4);
    world.act(pause("broker-a", None)).unwrap();
    world.act(wait(131_000)).unwrap();
    rest(&mut world);
    assert!(world.name_server("namesrv").unwrap().tables().live().is_empty());
}

#[test]
fn rounds_that_pass_unseen_leave_what_rounds_that_are_seen_leave() {
    let mut shown = cluster();
    shown.show_quiet_rounds = true;
    let mut worlds = [world(), World::new(&shown, 1).unwrap()];
    let mut left = Vec::new();
    for world in &mut worlds {
        world.act(wait(600_000)).unwrap();
        let events = rest(world).len();
        let live = world.name_server("namesrv").unwrap().tables().live().values().next().unwrap().last_update_ms;
        let clients: Vec<i64> = world
            .broker("broker-a")
            .unwrap()
            .process()
            .unwrap()
            .clients()
            .channels()
            .values()
            .map(|channel| channel.last_update_ms)
            .collect();
        left.push((live, clients, events));
    }
    assert_eq!(left[0].0, left[1].0);
    assert_eq!(left[0].1, left[1].1);
    // The end of the wait; and 20 rounds each of registration, route poll and heartbeat, three events a round. The
    // consumer has no topics yet and knows no broker.
    assert_eq!((left[0].2, left[1].2), (1, 1 + 3 * 20 * 3));
}

#[test]
fn a_world_at_rest_still_has_its_housekeeping() {
    let mut world = world();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert!(world.at_rest());
    let store = |world: &World| {
        let store = world.broker("broker-a").unwrap().store().unwrap();
        (store.flushed_where(), store.checkpoint().physic_msg_timestamp)
    };
    assert_eq!(store(&world).0, 1000, "written, dispatched and answered, not flushed");
    let mut flushed_us = None;
    while let Some(event) = world.step() {
        if event.service == "flushCommitLog" && store(&world).0 == 1200 {
            flushed_us.get_or_insert(event.at_us);
        }
    }
    // 200 bytes are less than 4 pages: only the thorough round takes them, every 10 s, decided 500 ms before. The
    // broker started 60 s before time 0.
    assert_eq!(flushed_us, Some(500_000));
    assert_eq!(store(&world).1, 1_700_000_000_000);
}

//! What an overloaded broker answers, and when.

use super::*;
use crate::client::SendOutcome;

fn with(pairs: &[(&str, &str)]) -> World {
    let mut cluster = cluster();
    for (key, value) in pairs {
        cluster.brokers[0].config.insert((*key).to_owned(), (*value).to_owned());
    }
    World::new(&cluster, 1).unwrap()
}

const PUT: Option<Service> = Some(Service::Put);

fn outcomes(world: &World) -> Vec<SendOutcome> {
    world.client("sender").unwrap().sent().iter().cloned().collect()
}

/// The error of the sender's last send, without the client's frame around the remark.
fn remark(outcome: &SendOutcome) -> String {
    let error = outcome.error.clone().unwrap_or_default();
    let text = error.strip_prefix("CODE: 2  DESC: ").unwrap_or(&error);
    text.split([' ', '\n']).take_while(|word| *word != "BROKER:").collect::<Vec<_>>().join(" ")
}

#[test]
fn what_waits_200_ms_for_the_send_pool_is_let_go_at_the_next_look() {
    let mut world = with(&[]);
    world.act(pause("broker-a", PUT)).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    let events = rest(&mut world);
    let sent = outcomes(&world);
    assert_eq!(sent.len(), 2);
    // Both arrived in the same millisecond: each is cleared at the first look, every 10 ms, 200 ms later.
    assert_eq!(
        remark(&sent[0]),
        "[TIMEOUT_CLEAN_QUEUE]broker busy, start flow control for a while, period in queue: 200ms, size of queue: 1"
    );
    assert!(remark(&sent[1]).ends_with("period in queue: 200ms, size of queue: 0"));
    assert_eq!(sent[0].response_code, Some(2));
    let looks: Vec<_> = events.iter().filter(|event| event.service == "fastFailure").collect();
    assert_eq!(looks.len(), 1, "looks that find nothing are no events");
    assert!((200_000..210_000).contains(&looks[0].at_us));
    // Nothing is left for the pool, and nothing was stored.
    world.act(resume("broker-a", PUT)).unwrap();
    rest(&mut world);
    assert_eq!(world.broker("broker-a").unwrap().store().unwrap().max_phy_offset(), 1000);
}

#[test]
fn a_request_that_is_taken_in_time_is_handled() {
    let mut world = with(&[]);
    world.act(pause("broker-a", PUT)).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    world.act(Action::Wait { ms: 150 }).unwrap();
    while world.now_us() < 150_000 && world.step().is_some() {}
    world.act(resume("broker-a", PUT)).unwrap();
    rest(&mut world);
    assert_eq!(outcomes(&world)[0].status, "SEND_OK");
}

#[test]
fn without_fast_failure_a_request_waits_as_long_as_it_takes() {
    let mut world = with(&[("brokerFastFailureEnable", "false")]);
    world.act(pause("broker-a", PUT)).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert_eq!(outcomes(&world)[0].status, "RemotingTimeoutException", "the client waits 3 s");
    // Its connection is closed, but the request is in the queue: it is stored for nobody.
    world.act(resume("broker-a", PUT)).unwrap();
    rest(&mut world);
    assert_eq!(world.broker("broker-a").unwrap().store().unwrap().max_phy_offset(), 1200);
}

#[test]
fn the_look_can_be_paused_and_the_limit_set() {
    let mut world = with(&[("waitTimeMillsInSendQueue", "1000")]);
    world.act(pause("broker-a", PUT)).unwrap();
    world.act(pause("broker-a", Some(Service::FastFailure))).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    world.act(Action::Wait { ms: 2000 }).unwrap();
    while world.now_us() < 2_000_000 && world.step().is_some() {}
    assert!(outcomes(&world).is_empty());
    world.act(resume("broker-a", Some(Service::FastFailure))).unwrap();
    rest(&mut world);
    let waited = remark(&outcomes(&world)[0]);
    assert!(waited.contains("period in queue: 2000ms") || waited.contains("period in queue: 2010ms"), "{waited}");
}

#[test]
fn a_full_queue_turns_away_at_the_door() {
    let mut world = with(&[("sendThreadPoolQueueCapacity", "2")]);
    world.act(pause("broker-a", PUT)).unwrap();
    for _ in 0..3 {
        world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    }
    let events = rest(&mut world);
    let overload = "[OVERLOAD]system busy, start flow control for a while";
    let remarks: Vec<_> = outcomes(&world).iter().map(remark).collect();
    assert_eq!(remarks[0], overload, "the third is answered first");
    assert!(remarks[1..].iter().all(|remark| remark.starts_with("[TIMEOUT_CLEAN_QUEUE]")));
    let door = events.iter().find(|event| event.service == "remoting" && event.node == "broker-a").unwrap();
    assert!(door.at_us < 1000);
}

/// Somebody has held the broker's append lock for so long.
fn hold_lock(world: &mut World, held_ms: i64) {
    let since = world.wall_ms() - held_ms;
    let id = world.node_id("broker-a").unwrap();
    let broker = world.nodes[id].actor.broker_mut().expect("a broker");
    broker.process_mut().unwrap().store_mut().set_begin_time_in_lock(since);
}

#[test]
fn senders_are_turned_away_while_the_append_lock_is_held_too_long() {
    let mut world = with(&[]);
    // osPageCacheBusyTimeOutMills is 1000: a lock held for longer means a busy page cache.
    hold_lock(&mut world, 1001);
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    let events = rest(&mut world);
    let sent = outcomes(&world);
    assert_eq!(remark(&sent[0]), "[REJECTREQUEST]system busy, start flow control for a while");
    assert_eq!(sent[0].response_code, Some(2));
    assert!(events.iter().all(|event| event.service != "put"), "the request never reached the pool");
    hold_lock(&mut world, 0);
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert_eq!(outcomes(&world)[1].status, "SEND_OK");
}

#[test]
fn what_waits_is_let_go_at_once_when_the_page_cache_gets_busy() {
    let mut world = with(&[]);
    world.act(pause("broker-a", PUT)).unwrap();
    hold_lock(&mut world, 950);
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    let sent = outcomes(&world);
    // The lock has been held for more than 1000 ms from 51 ms on; looks are every 10 ms, long before 200 ms are over.
    assert!(remark(&sent[0]).starts_with("[PCBUSY_CLEAN_QUEUE]broker busy, start flow control for a while, period in"));
    assert!((51_000..62_000).contains(&sent[0].ended_us), "{}", sent[0].ended_us);
}

/// Appends take 1.5 s. Somebody sends at 0, and others at the given moments, ms; how that ended, in the order of sending.
fn while_writes_are_slow(moments: &[i64]) -> (World, Vec<SendOutcome>) {
    let mut world = with(&[]);
    let fault = crate::disk::memory::Fault::SlowWrite { ms: 1500, path: "commitlog".to_owned() };
    world.act(Action::DiskFault { broker: "broker-a".to_owned(), fault }).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    for moment_ms in moments {
        world.act(Action::Wait { ms: moment_ms - world.now_us() / 1000 }).unwrap();
        while world.now_us() < moment_ms * 1000 && world.step().is_some() {}
        world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    }
    rest(&mut world);
    let mut sent = outcomes(&world);
    sent.sort_by_key(|outcome| outcome.began_us);
    (world, sent)
}

#[test]
fn a_slow_write_holds_the_append_lock_until_the_broker_counts_as_busy() {
    let (world, sent) = while_writes_are_slow(&[100, 900, 1200]);
    assert_eq!((sent[0].status.as_str(), sent[0].physical_offset), ("SEND_OK", Some(1000)));
    assert!((1_500_000..1_510_000).contains(&sent[0].ended_us), "{}", sent[0].ended_us);
    // Queued behind it: one waits 200 ms; one until the lock has been held for 1000 ms; the last is not queued at all.
    assert!(remark(&sent[1]).starts_with("[TIMEOUT_CLEAN_QUEUE]") && sent[1].ended_us < 315_000);
    assert!(remark(&sent[2]).starts_with("[PCBUSY_CLEAN_QUEUE]"));
    assert!((1_001_000..1_015_000).contains(&sent[2].ended_us), "{}", sent[2].ended_us);
    assert_eq!(remark(&sent[3]), "[REJECTREQUEST]system busy, start flow control for a while");
    let store = world.broker("broker-a").unwrap().store().unwrap();
    let record = store.look_message_by_offset(1000).unwrap();
    // The store time is that of the lock, which was taken as the message came in.
    let stored_ms = crate::message::record::decode(&record).unwrap().store_timestamp;
    assert_eq!(stored_ms, world.wall_ms() - world.now_us() / 1000);
    assert_eq!((store.begin_time_in_lock(), store.max_phy_offset()), (0, 1200));
}

#[test]
fn a_delayed_message_that_comes_due_waits_for_the_append_lock() {
    let mut world = with(&[]);
    // Level 1 is a second.
    let Action::Send(send) = bare("OrderTopic", 1, "TagA", 300) else { unreachable!("a send") };
    let delayed = Send { delay_level: Some(1), record_size: None, ..*send };
    world.act(Action::Send(Box::new(delayed))).unwrap();
    let until = |world: &mut World, ms: i64| {
        world.act(Action::Wait { ms: ms - world.now_us() / 1000 }).unwrap();
        while world.now_us() < ms * 1000 && world.step().is_some() {}
    };
    until(&mut world, 900);
    let store = |world: &World| world.broker("broker-a").unwrap().store().unwrap().clone();
    let end = store(&world).max_phy_offset();
    let fault = crate::disk::memory::Fault::SlowWrite { ms: 800, path: "commitlog".to_owned() };
    world.act(Action::DiskFault { broker: "broker-a".to_owned(), fault }).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    until(&mut world, 1_600);
    assert_eq!(store(&world).max_phy_offset(), end, "neither has been written");
    rest(&mut world);
    let [put, delivered] = [0, 1].map(|queue| store(&world).unit("OrderTopic", queue, 0).unwrap().physical_offset);
    assert_eq!((put, delivered), (end, end + 200));
}

#[test]
fn the_door_stays_closed_until_the_lock_is_free() {
    let (mut world, sent) = while_writes_are_slow(&[1450]);
    // The page cache has been busy since 1001 ms, so that the door is closed until the lock is free.
    assert_eq!(remark(&sent[1]), "[REJECTREQUEST]system busy, start flow control for a while");
    world.act(Action::MendDisk { broker: "broker-a".to_owned() }).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert_eq!(outcomes(&world).last().unwrap().status, "SEND_OK");
}

#[test]
fn a_process_that_dies_in_a_slow_write_has_written_nothing() {
    let mut world = with(&[]);
    let fault = crate::disk::memory::Fault::SlowWrite { ms: 1500, path: String::new() };
    world.act(Action::DiskFault { broker: "broker-a".to_owned(), fault }).unwrap();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    while world.broker("broker-a").unwrap().store().unwrap().begin_time_in_lock() == 0 {
        world.step().unwrap();
    }
    for action in [
        Action::Kill { node: "broker-a".to_owned() },
        Action::MendDisk { broker: "broker-a".to_owned() },
        Action::Start { node: "broker-a".to_owned() },
    ] {
        world.act(action).unwrap();
        rest(&mut world);
    }
    let store = world.broker("broker-a").unwrap().store().unwrap();
    assert_eq!((store.max_phy_offset(), store.begin_time_in_lock()), (1000, 0));
}

#[test]
fn pulls_may_wait_5_s() {
    let mut world = with(&[]);
    world.act(pause("broker-a", Some(Service::Pull))).unwrap();
    world.act(pull("OrderTopic", 0, 0)).unwrap();
    rest(&mut world);
    let pull = world.client("consumer").unwrap().pulls().last().unwrap().clone();
    assert!(pull.error.unwrap().contains("[TIMEOUT_CLEAN_QUEUE]"));
    assert!((5_000_000..5_020_000).contains(&pull.ended_us), "{}", pull.ended_us);
}

#[test]
fn a_clock_that_jumps_ahead_makes_everything_wait_too_long() {
    let mut world = with(&[]);
    world.act(pause("broker-a", Some(Service::Pull))).unwrap();
    world.act(pull("OrderTopic", 0, 0)).unwrap();
    world.act(Action::Wait { ms: 100 }).unwrap();
    while world.now_us() < 100_000 && world.step().is_some() {}
    world.act(Action::JumpClock { node: "broker-a".to_owned(), ms: 60_000 }).unwrap();
    rest(&mut world);
    let pull = world.client("consumer").unwrap().pulls().last().unwrap().clone();
    assert!(pull.error.unwrap().contains("period in queue: 60"));
    assert!(pull.ended_us < 120_000, "{}", pull.ended_us);
}

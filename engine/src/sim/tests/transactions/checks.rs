//! Checks of half messages that nothing is said of.

use super::{super::crashes::kill, *};
use crate::{
    message::transaction::DISCARD_TOPIC,
    node::{IntakeStep, StepKind},
    wire::{RequestCode, ResumeCheckHalfMessage},
};

const MINUTE_US: i64 = 60_000_000;

/// The broker of the recorded run: a check every second, of what is older than a second.
fn quick() -> World {
    configured(&[("transactionTimeOut", "1000"), ("transactionCheckInterval", "1000")])
}

fn checks(events: &[TraceEvent]) -> Vec<&TraceEvent> {
    events.iter().filter(|event| event.service == "transactionCheck").collect()
}

/// Runs until a check has taken place; its steps.
fn check(world: &mut World) -> Vec<TransactionStep> {
    let events = run_until_event(world, |event| event.service == "transactionCheck");
    let steps = told(&events[events.len() - 1..]);
    run_until(world, |world| store(world).dispatch_behind_bytes() == 0);
    steps
}

fn transactions(world: &World) -> &crate::broker::Transactions {
    broker(world).process().unwrap().transactions()
}

/// Progress of the checks in a topic's queue 0.
fn progress(world: &World, topic: &str) -> Option<i64> {
    broker(world).process().unwrap().offsets().query("CID_RMQ_SYS_TRANS", topic, 0)
}

/// The nodes that were asked, in order.
fn asked(events: &[TraceEvent]) -> Vec<String> {
    let sent = events.iter().flat_map(|event| &event.sent);
    let asked = sent.filter(|sent| sent.label == RequestCode::CheckTransactionState.name());
    asked.map(|sent| sent.to.clone()).collect()
}

/// The recorded run of a half message that its producer never decides (transactionCheckMax 15): 15 checks a second apart,
/// 16 slots in the half queue with 1 to 15 as their count, none in the op queue, discarded in round 16.
#[test]
fn an_undecided_half_message_is_asked_for_15_times() {
    let mut world = quick();
    let begin_us = world.now_us();
    sent(&mut world, &[]);
    let events = rest(&mut world);
    assert_eq!(asked(&events), vec!["producer"; 15]);
    let times: Vec<Option<String>> = (0..count(&world, HALF_TOPIC))
        .map(|offset| {
            let bytes = stored(&world, HALF_TOPIC, offset);
            let record = record::decode(&bytes).unwrap();
            assert_eq!((record.sys_flag, record.property("WAIT")), (0, Some("true")));
            record.property("TRANSACTION_CHECK_TIMES").map(str::to_owned)
        })
        .collect();
    let expected: Vec<Option<String>> = std::iter::once(None).chain((1..=15).map(|n| Some(format!("{n}")))).collect();
    assert_eq!(times, expected);
    assert_eq!((counts(&world), count(&world, DISCARD_TOPIC)), ((0, 16, 0), 1));
    assert_eq!((progress(&world, HALF_TOPIC), progress(&world, OP_TOPIC)), (Some(16), None));
    let process = broker(&world).process().unwrap();
    let topic = process.topics().get(DISCARD_TOPIC).unwrap();
    assert_eq!((topic.read_queue_nums, topic.write_queue_nums, topic.perm), (1, 1, 6));
    assert!(process.topics().get(OP_TOPIC).is_none());
    assert_eq!((process.transactions().asked(), process.transactions().discarded()), (15, 1));
    // One check finds it too young, or none does; then there is one a second.
    let at: Vec<i64> = events
        .iter()
        .filter(|event| !asked(std::slice::from_ref(*event)).is_empty())
        .map(|event| event.at_us)
        .collect();
    assert!((1_000_000..3_000_000).contains(&(at[0] - begin_us)), "{}", at[0] - begin_us);
    assert!(at.windows(2).all(|pair| (1_000_000..1_010_000).contains(&(pair[1] - pair[0]))), "{at:?}");
}

/// The order of the properties in the recorded copies, and what the recorded question said of its place.
#[test]
fn the_question_is_about_the_copy() {
    let mut world = quick();
    sent(&mut world, &[]);
    let events = run_until_event(&mut world, |event| !asked(std::slice::from_ref(event)).is_empty());
    let heard = run_until_event(&mut world, |event| event.node == "producer").pop().unwrap();
    let what = EventKind::Request { code: RequestCode::CheckTransactionState, from: BROKER.to_owned() };
    assert_eq!((heard.what, heard.cause), (what, events.last().map(|event| event.seq)));
    run_until(&mut world, |world| store(world).dispatch_behind_bytes() == 0);
    let bytes = stored(&world, HALF_TOPIC, 1);
    let copy = record::decode(&bytes).unwrap();
    let recorded = [
        "REAL_TOPIC",
        "TRANSACTION_CHECK_TIMES",
        "KEYS",
        "TRAN_MSG",
        "UNIQ_KEY",
        "CLUSTER",
        "PGROUP",
        "WAIT",
        "TAGS",
        "REAL_QID",
    ];
    assert_eq!(names(&copy), recorded);
    let steps = told(&events);
    assert!(
        steps.contains(&TransactionStep::HalfPutBack { half_offset: 0, new_offset: 1, check_times: 1 }),
        "{steps:?}"
    );
}

/// With 4.9.8's defaults: the first check after it is 6 s old; one that comes sooner leaves it.
#[test]
fn a_young_half_message_is_left_to_the_next_check() {
    let mut world = world();
    // Settled: the broker started 60 s before, so there is a check every 60 s, the next right after the beginning.
    let next_us = transactions(&world).next_check_us(world.now_us() + MINUTE_US / 2).unwrap();
    let wait_ms = (next_us - world.now_us()) / 1000 - 5_000;
    world.act(Action::Wait { ms: wait_ms }).unwrap();
    run_until(&mut world, |world| world.now_us() >= wait_ms * 1000);
    sent(&mut world, &[]);
    let steps = check(&mut world);
    assert!(matches!(steps[1], TransactionStep::HalfYoung { half_offset: 0, immunity_ms: 6_000, .. }), "{steps:?}");
    assert_eq!(world.now_us() / 1000, next_us / 1000);
    assert!(!world.at_rest(), "it waits for its next check");
    let asking = run_until_event(&mut world, |event| event.service == "transactionCheck").pop().unwrap();
    let rows: Vec<Option<u8>> = told(std::slice::from_ref(&asking)).iter().map(TransactionStep::row).collect();
    assert_eq!((rows[1], asking.at_us), (Some(10), next_us + MINUTE_US));
}

#[test]
fn what_is_decided_is_passed_and_then_nothing_is_left_to_do() {
    let mut world = world();
    sent(&mut world, &[]);
    end(&mut world, 0, COMMIT);
    end(&mut world, 0, COMMIT);
    rest(&mut world);
    assert!(world.now_us() < MINUTE_US / 2, "a decided half message keeps no world from its rest");
    let expected = [
        TransactionStep::CheckBegins { half_from: 0, op_from: 0 },
        TransactionStep::OpTaken { op_offset: 0, half_offset: 0 },
        TransactionStep::OpTaken { op_offset: 1, half_offset: 0 },
        TransactionStep::HalfDecided { half_offset: 0, op_offset: 1 },
        TransactionStep::HalfQueueEnds { half_offset: 1 },
        TransactionStep::CheckEnds { half_from: 0, half_to: 1, op_from: 0, op_to: 0 },
    ];
    assert_eq!(check(&mut world), expected, "the map remembers the second op message only");
    let expected = [
        TransactionStep::CheckBegins { half_from: 1, op_from: 0 },
        TransactionStep::OpBehind { op_offset: 0, half_offset: 0 },
        TransactionStep::OpBehind { op_offset: 1, half_offset: 0 },
        TransactionStep::HalfQueueEnds { half_offset: 1 },
        TransactionStep::CheckEnds { half_from: 1, half_to: 1, op_from: 0, op_to: 2 },
    ];
    assert_eq!(check(&mut world), expected);
    assert_eq!((progress(&world, HALF_TOPIC), progress(&world, OP_TOPIC)), (Some(1), Some(2)));
    world.act(Action::Wait { ms: 72 * 3_600_000 }).unwrap();
    assert!(checks(&rest(&mut world)).is_empty());
}

#[test]
fn idle_days_cost_no_checks() {
    let mut world = world();
    world.act(Action::Wait { ms: 72 * 3_600_000 }).unwrap();
    assert!(checks(&rest(&mut world)).is_empty());
}

/// An op message of another half message: the check reads on until the op queue says no more, then asks.
#[test]
fn more_of_the_op_queue_is_read_before_anybody_is_asked() {
    let mut world = world();
    for _ in 0..2 {
        sent(&mut world, &[]);
    }
    end(&mut world, 1, ROLLBACK);
    let expected = [
        TransactionStep::CheckBegins { half_from: 0, op_from: 0 },
        TransactionStep::OpTaken { op_offset: 0, half_offset: 1 },
        TransactionStep::MoreOpsRead { half_offset: 0, op_offset: 1 },
        TransactionStep::HalfPutBack { half_offset: 0, new_offset: 2, check_times: 1 },
        TransactionStep::HalfDecided { half_offset: 1, op_offset: 0 },
        TransactionStep::HalfQueueEnds { half_offset: 2 },
        TransactionStep::CheckEnds { half_from: 0, half_to: 2, op_from: 0, op_to: 1 },
    ];
    assert_eq!(check(&mut world), expected);
    let rows: Vec<u8> =
        transactions(&world).last_check().unwrap().decisions.iter().map(|decision| decision.row).collect();
    assert_eq!(rows, [11, 10, 2, 4]);
}

/// A message that is not to be checked yet is copied, and its progress goes on; so what its producer says of the first
/// copy is behind the check by then, and it is asked for what is long decided.
#[test]
fn immunity_hides_what_the_producer_says() {
    let mut world = world();
    sent(&mut world, &[("CHECK_IMMUNITY_TIME_IN_SECONDS", "100")]);
    let steps = check(&mut world);
    assert!(
        matches!(steps[1], TransactionStep::HalfImmune { half_offset: 0, new_offset: 1, immunity_ms: 100_000, .. }),
        "{steps:?}"
    );
    let bytes = stored(&world, HALF_TOPIC, 1);
    let copy = record::decode(&bytes).unwrap();
    assert_eq!((copy.property("TRAN_PREPARED_QUEUE_OFFSET"), copy.property("WAIT")), (Some("0"), Some("false")));
    assert_eq!(copy.property("TRANSACTION_CHECK_TIMES"), Some("1"), "the look counts as a check");
    end(&mut world, 0, COMMIT);
    let expected = [
        TransactionStep::CheckBegins { half_from: 1, op_from: 0 },
        TransactionStep::OpBehind { op_offset: 0, half_offset: 0 },
        TransactionStep::MoreOpsRead { half_offset: 1, op_offset: 1 },
        TransactionStep::HalfPutBack { half_offset: 1, new_offset: 2, check_times: 2 },
    ];
    let steps = check(&mut world);
    assert_eq!(steps[..4], expected);
    assert_eq!(count(&world, "OrderTopic"), 1);
}

/// `TRAN_PREPARED_QUEUE_OFFSET` may come from anywhere. What an op message says of the offset that it names counts for the
/// copy, and no longer for the message itself.
#[test]
fn a_copy_takes_what_is_said_of_the_first() {
    let mut world = world();
    sent(&mut world, &[("CHECK_IMMUNITY_TIME_IN_SECONDS", "100"), ("TRAN_PREPARED_QUEUE_OFFSET", "1")]);
    sent(&mut world, &[]);
    end(&mut world, 1, ROLLBACK);
    let steps = check(&mut world);
    assert_eq!(steps[2], TransactionStep::ImmuneDecided { half_offset: 0, first_offset: 1, op_offset: 0 });
    assert!(
        steps.contains(&TransactionStep::HalfPutBack { half_offset: 1, new_offset: 2, check_times: 1 }),
        "{steps:?}"
    );
}

/// A message that cannot be put off and may not be checked: 4.9.8 reads the op queue over and over. Here the check waits
/// until time has settled it ...
#[test]
fn a_check_waits_for_what_only_time_can_settle() {
    let mut world = world();
    sent(&mut world, &[("CHECK_IMMUNITY_TIME_IN_SECONDS", "100"), ("TRAN_PREPARED_QUEUE_OFFSET", "-1")]);
    let born_us = world.now_us();
    let events = run_until_event(&mut world, |event| !asked(std::slice::from_ref(event)).is_empty());
    assert_eq!(checks(&events).len(), 2);
    let after_us = world.now_us() - born_us;
    assert!((99_990_000..100_010_000).contains(&after_us), "{after_us}");
}

/// ... or its minute is over. The next one comes a minute later.
#[test]
fn a_check_ends_after_a_minute() {
    let mut world = world();
    sent(&mut world, &[("CHECK_IMMUNITY_TIME_IN_SECONDS", "1000"), ("TRAN_PREPARED_QUEUE_OFFSET", "-1")]);
    let first = check(&mut world);
    assert!(!first.iter().any(|step| matches!(step, TransactionStep::CheckEnds { .. })), "{first:?}");
    let began_us = world.now_us();
    let expected = [
        TransactionStep::CheckTimeUp { half_offset: 0, elapsed_ms: 60_001 },
        TransactionStep::CheckEnds { half_from: 0, half_to: 0, op_from: 0, op_to: 0 },
    ];
    assert_eq!(check(&mut world), expected);
    let ended_us = world.now_us();
    assert_eq!((ended_us - began_us) / 1000, 60_001);
    check(&mut world);
    assert_eq!(world.now_us() - ended_us, MINUTE_US);
}

#[test]
fn a_check_waits_until_it_can_put_back() {
    let mut world = world();
    sent(&mut world, &[]);
    let fault = crate::disk::memory::Fault::WriteError { path: "commitlog".to_owned() };
    world.act(Action::DiskFault { broker: BROKER.to_owned(), fault }).unwrap();
    let steps = check(&mut world);
    assert_eq!(steps.last(), Some(&TransactionStep::HalfNotPutBack { half_offset: 0 }));
    world.act(Action::Wait { ms: 10_000 }).unwrap();
    let events = run_until_event(&mut world, |event| event.what == EventKind::Alarm);
    assert!(checks(&events).is_empty(), "looks that would end like that one are left out");
    let mended_us = world.now_us();
    world.act(Action::MendDisk { broker: BROKER.to_owned() }).unwrap();
    let steps = check(&mut world);
    assert!(
        steps.contains(&TransactionStep::HalfPutBack { half_offset: 0, new_offset: 1, check_times: 1 }),
        "{steps:?}"
    );
    assert!(world.now_us() - mended_us < 10_000);
}

#[test]
fn without_a_producer_it_counts_as_asked() {
    let mut world = quick();
    sent(&mut world, &[]);
    world.act(kill("producer")).unwrap();
    let events = rest(&mut world);
    assert!(asked(&events).is_empty());
    let missing = TransactionStep::ProducerMissing { group: GROUP.to_owned() };
    assert_eq!(told(&events).iter().filter(|step| **step == missing).count(), 15);
    assert_eq!((transactions(&world).asked(), count(&world, DISCARD_TOPIC)), (15, 1));
}

/// `(++counter) mod n` over the group's connections: of two the second, the first, the second ...
#[test]
fn the_producers_of_a_group_are_asked_in_turn() {
    let mut cluster = cluster();
    let config = [("transactionTimeOut", "1000"), ("transactionCheckInterval", "1000"), ("transactionCheckMax", "4")];
    cluster.brokers[0].config.extend(config.map(|(key, value)| (key.to_owned(), value.to_owned())));
    let other = ProducerSpec { name: "other".to_owned(), group: GROUP.to_owned(), ..ProducerSpec::default() };
    cluster.producers.push(other);
    let mut world = World::new(&cluster, 1).unwrap();
    sent(&mut world, &[]);
    let names: Vec<String> = {
        let members = broker(&world).process().unwrap().clients().producers()[GROUP].values();
        members.map(|channel| channel.name.clone()).collect()
    };
    assert_eq!(names.len(), 2);
    let events = rest(&mut world);
    assert_eq!(asked(&events), [&names[1], &names[0], &names[1], &names[0]].map(String::clone));
}

/// The answer to a check names the copy. So does whoever decides too late.
#[test]
fn a_copy_is_ended_like_the_first() {
    let mut world = quick();
    sent(&mut world, &[]);
    run_until(&mut world, |world| count(world, HALF_TOPIC) == 3);
    let answer = EndTransaction { from_transaction_check: true, ..end_of(&world, 2, COMMIT) };
    say(&mut world, answer);
    rest(&mut world);
    assert_eq!((counts(&world), count(&world, DISCARD_TOPIC)), ((1, 3, 1), 0));
    let mut world = quick();
    sent(&mut world, &[]);
    rest(&mut world);
    end(&mut world, 15, COMMIT);
    assert_eq!(counts(&world), (1, 16, 1), "what was discarded can still be committed");
}

#[test]
fn an_administrator_has_it_checked_anew() {
    let mut world = quick();
    sent(&mut world, &[]);
    rest(&mut world);
    let bytes = stored(&world, DISCARD_TOPIC, 0);
    let discarded = record::decode(&bytes).unwrap();
    assert_eq!(discarded.property("TRANSACTION_CHECK_TIMES"), Some("15"));
    assert_eq!((discarded.property("REAL_TOPIC"), discarded.property("WAIT")), (Some("OrderTopic"), Some("true")));
    let ask = ResumeCheckHalfMessage { msg_id: discarded.offset_msg_id().to_string() };
    let (producer, addr) = (world.node_id("producer").unwrap(), broker(&world).store_host().to_string());
    world.turn(producer, Some(Service::Api), None, EventKind::Turn, false, |_, turn| {
        turn.oneway(Service::Api, &addr, Request::ResumeCheckHalfMessage(ask));
    });
    let events = rest(&mut world);
    let physical_offset = discarded.physical_offset;
    assert!(told(&events).contains(&TransactionStep::CheckResumed { physical_offset, half_offset: 16 }));
    let bytes = stored(&world, HALF_TOPIC, 16);
    assert_eq!(record::decode(&bytes).unwrap().property("TRANSACTION_CHECK_TIMES"), Some("0"));
    assert_eq!(asked(&events).len(), 15, "0 to 14 are counted on");
    assert_eq!(count(&world, DISCARD_TOPIC), 2);
}

/// Lets `ms` pass, and no more.
fn pass(world: &mut World, ms: i64) {
    let until_us = world.now_us() + ms * 1000;
    world.act(Action::Wait { ms }).unwrap();
    while world.now_us() < until_us && world.step().is_some() {}
}

/// A slow write takes the append lock before a check comes due: the check, a second after the one before, looks at the half
/// message, and its copy is appended right after the record that is being written.
#[test]
fn the_copy_of_a_half_message_waits_for_the_append_lock() {
    let mut world = quick();
    sent(&mut world, &[]);
    run_until(&mut world, |world| transactions(world).asked() == 1);
    run_until(&mut world, |world| store(world).dispatch_behind_bytes() == 0);
    let asked_us = world.now_us();
    pass(&mut world, 600);
    let end = store(&world).max_phy_offset();
    let fault = crate::disk::memory::Fault::SlowWrite { ms: 800, path: "commitlog".to_owned() };
    world.act(Action::DiskFault { broker: BROKER.to_owned(), fault }).unwrap();
    world.act(bare("OrderTopic", 1, "TagA", 200)).unwrap();
    let events = run_until_event(&mut world, |event| event.service == "transactionCheck");
    let look = events.last().unwrap();
    assert!((990_000..1_010_000).contains(&(look.at_us - asked_us)), "{}", look.at_us - asked_us);
    assert!(
        look.steps.iter().any(|step| matches!(step.what, StepKind::Intake(IntakeStep::AppendWaits { ms: 350..=450 })))
    );
    assert_eq!((store(&world).max_phy_offset(), transactions(&world).asked()), (end, 1), "neither has been written");
    world.act(Action::MendDisk { broker: BROKER.to_owned() }).unwrap();
    run_until(&mut world, |world| transactions(world).asked() == 2);
    run_until(&mut world, |world| store(world).dispatch_behind_bytes() == 0);
    assert!((1_390_000..1_420_000).contains(&(world.now_us() - asked_us)), "{}", world.now_us() - asked_us);
    let put = store(&world).unit("OrderTopic", 1, 0).unwrap().physical_offset;
    let copy = store(&world).unit(HALF_TOPIC, 0, 2).unwrap().physical_offset;
    assert_eq!((put, copy), (end, end + 200));
}

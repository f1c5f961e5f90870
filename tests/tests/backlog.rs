//! The counting model against the engine, at a thousandth of the seed's numbers: the same group, once counted and once with
//! real messages, real pulls and real calls of a listener. What goes out is read from the record of the calls.
//!
//! The two may differ by what is in hand: the model counts parts of a message while the engine has a call under way on each
//! thread, with a batch in it, which may have to be made again when queues change hands at the start; a message that comes
//! in is whole, too. Nothing of that grows with time, so neither does the tolerance.

use std::collections::BTreeSet;

use rocketscope_engine::{
    backlog::{Clearing, Outlook, Plan, outlook},
    sim::{Action, Cluster, Send, World},
};
use serde_json::json;

const SECOND_US: i64 = 1_000_000;

/// The cluster of a plan: its queues filled, its instances with a listener that takes T1 and T2 together for a batch.
fn cluster(plan: &Plan) -> Cluster {
    let queues = i64::from(plan.queues);
    // As the model spreads them: the first queue has the skew, the rest is even.
    let even = i64::try_from(plan.behind).unwrap() * i64::from(100 - plan.skew_percent) / 100 / queues;
    let count = |queue: i64| if queue == 0 { i64::try_from(plan.behind).unwrap() - even * (queues - 1) } else { even };
    let records =
        (0..queues).map(|queue| json!({ "topic": "OrderTopic", "queue": queue, "size": 200, "count": count(queue) }));
    let takes_ms = (plan.batch * plan.cpu_us + plan.wait_us) / 1000;
    let consumer = |number: u32| {
        json!({
            "name": format!("c{number}"),
            "group": "order_group",
            "config": {
                "consumeThreadMin": plan.threads.to_string(),
                "consumeThreadMax": plan.threads.to_string(),
                "consumeMessageBatchMaxSize": plan.batch.to_string(),
            },
            "push": {
                "subscriptions": [{ "topic": "OrderTopic" }],
                "consumeFromWhere": "CONSUME_FROM_FIRST_OFFSET",
                "listener": { "kind": "concurrently", "takesMs": takes_ms, "result": "success" },
            },
        })
    };
    // A cold start: settled consumers would have been at work for a while already.
    let cluster = json!({
        "begin": "cold",
        "nameServers": [{ "name": "namesrv" }],
        "producers": [{ "name": "producer", "sender": "bare" }],
        "brokers": [{
            "name": "broker-a",
            "topics": [{ "name": "OrderTopic", "readQueues": queues, "writeQueues": queues }],
            "store": { "records": records.collect::<Vec<_>>() },
        }],
        "consumers": (1..=plan.instances).map(consumer).collect::<Vec<_>>(),
    });
    serde_json::from_value(cluster).expect("a cluster")
}

/// What the engine did: when each message was done, and how many calls each instance had.
struct Played {
    /// Microseconds since the first call, in order.
    done_us: Vec<i64>,
    calls: Vec<usize>,
}

fn run_until(world: &mut World, until_us: i64) {
    while world.next_us().is_some_and(|next_us| next_us <= until_us) {
        world.step();
    }
}

/// When the listener was first called.
fn first_call_us(world: &World, plan: &Plan) -> Option<i64> {
    let clients = (1..=plan.instances).filter_map(|number| world.client(&format!("c{number}"))?.push());
    clients.filter_map(|push| push.consumed().front().map(|call| call.began_us)).min()
}

/// Plays the plan for its horizon, from the first call on; messages come in one by one at even distances, to the queues in
/// turn.
fn play(plan: &Plan) -> Played {
    let mut world = World::new(&cluster(plan), 1).expect("a world");
    let begin_us = loop {
        if let Some(begin_us) = first_call_us(&world, plan) {
            break begin_us;
        }
        world.step().expect("the listener is called");
    };
    let end_us = begin_us + i64::from(plan.horizon_s) * SECOND_US;
    for number in 1..=i64::from(plan.in_per_s * plan.horizon_s) {
        let at_us = begin_us + number * SECOND_US / i64::from(plan.in_per_s);
        run_until(&mut world, at_us);
        let wait_ms = (at_us - world.now_us()) / 1000;
        if wait_ms > 0 {
            world.act(Action::Wait { ms: wait_ms }).expect("it waits");
            run_until(&mut world, at_us);
        }
        let send = Send {
            producer: "producer".to_owned(),
            topic: "OrderTopic".to_owned(),
            queue: Some(i32::try_from(number % i64::from(plan.queues)).unwrap()),
            record_size: Some(200),
            ..Send::default()
        };
        world.act(Action::Send(Box::new(send))).expect("it is sent");
    }
    run_until(&mut world, end_us);
    read(&world, plan, begin_us)
}

fn read(world: &World, plan: &Plan, begin_us: i64) -> Played {
    let mut seen = BTreeSet::new();
    let (mut done_us, mut calls) = (Vec::new(), Vec::new());
    for number in 1..=plan.instances {
        let push = world.client(&format!("c{number}")).and_then(|client| client.push()).expect("a push consumer");
        calls.push(push.consumed().iter().count());
        for call in push.consumed() {
            let Some(ended_us) = call.ended_us else { continue };
            for message in &call.messages {
                // What came again after queues had changed hands is no further message.
                if seen.insert((message.queue_id, message.queue_offset)) {
                    done_us.push(ended_us - begin_us);
                }
            }
        }
    }
    done_us.sort_unstable();
    Played { done_us, calls }
}

impl Played {
    /// Messages behind after so many microseconds.
    fn behind(&self, plan: &Plan, us: i64) -> i64 {
        let came = i64::from(plan.in_per_s) * us / SECOND_US;
        let done = self.done_us.partition_point(|done_us| *done_us <= us);
        i64::try_from(plan.behind).unwrap() + came - i64::try_from(done).unwrap()
    }
}

/// Messages by which the two may differ, for the reasons above.
fn in_hand(plan: &Plan, outlook: &Outlook) -> i64 {
    // Twice: those that are under way, and those that had to be made again.
    2 * i64::from(outlook.allocation.working * plan.threads * plan.batch) + 2
}

/// Holds the curves against each other, and where the backlog clears.
fn agree(plan: &Plan) -> (Outlook, Played) {
    let (outlook, played) = (outlook(plan).expect("a plan"), play(plan));
    let in_hand = in_hand(plan, &outlook);
    for point in outlook.points.iter().filter(|point| point.at_ms % (u64::from(plan.horizon_s) * 50) == 0) {
        let behind = played.behind(plan, i64::try_from(point.at_ms).unwrap() * 1000);
        let counted = i64::try_from(point.behind).unwrap();
        let off = (behind - counted).abs();
        assert!(
            off <= in_hand,
            "after {} ms: {behind} behind, counted {counted}; {in_hand} may be in hand",
            point.at_ms
        );
    }
    if let Clearing::At { ms } = outlook.clearing {
        // Nearly clear is when no more is behind than is always in hand; what is in hand then is done within a few calls.
        let counted_us = i64::try_from(ms).unwrap() * 1000;
        let call_us = i64::from(plan.batch * plan.cpu_us + plan.wait_us);
        let slowest =
            i64::try_from((outlook.formula.out_milli_per_s - outlook.formula.in_milli_per_s) / 1000).unwrap().max(1);
        let may_us = in_hand * SECOND_US / slowest + 2 * call_us;
        assert!(played.behind(plan, counted_us - may_us) > 0, "it clears more than {may_us} us before {ms} ms");
        assert!(played.behind(plan, counted_us + may_us) <= in_hand, "it clears more than {may_us} us after {ms} ms");
    }
    (outlook, played)
}

/// A thousandth of 6,000,000 behind, 2000 a second in and 5000 out: two threads of 400 ms.
fn clears() -> Plan {
    Plan {
        behind: 6000,
        in_per_s: 2,
        queues: 4,
        instances: 2,
        threads: 1,
        cpu_us: 0,
        wait_us: 400_000,
        horizon_s: 2400,
        ..Plan::default()
    }
}

#[test]
fn six_thousand_clear_in_2000_seconds_at_five_a_second() {
    let (outlook, _) = agree(&clears());
    assert_eq!(outlook.clearing, Clearing::At { ms: 2_000_000 });
}

#[test]
fn they_never_clear_at_one_and_a_half() {
    // Three threads of 2 s.
    let plan = Plan { queues: 6, instances: 3, wait_us: 2_000_000, horizon_s: 1000, ..clears() };
    let (outlook, played) = agree(&plan);
    assert_eq!((outlook.clearing, outlook.left), (Clearing::Never, 6500));
    assert!(played.behind(&plan, 1000 * SECOND_US) > 6000);
}

#[test]
fn instances_beyond_the_queues_are_called_with_nothing() {
    let plan = Plan { behind: 2000, in_per_s: 0, instances: 6, horizon_s: 240, ..clears() };
    let (outlook, played) = agree(&plan);
    // Four threads of 400 ms.
    assert_eq!((outlook.clearing, outlook.allocation.idle), (Clearing::At { ms: 200_000 }, 2));
    assert_eq!(played.calls.iter().filter(|calls| **calls == 0).count(), 2);
}

#[test]
fn an_instance_with_two_queues_takes_twice_as_long() {
    let plan = Plan { behind: 1200, in_per_s: 0, instances: 3, horizon_s: 300, ..clears() };
    let (outlook, _) = agree(&plan);
    // 600 at 2.5 a second, and 300.
    assert_eq!((outlook.clearing, outlook.uneven_from_ms), (Clearing::At { ms: 240_000 }, Some(120_000)));
}

#[test]
fn threads_and_batches_multiply_what_goes_out() {
    let threads = Plan { behind: 5000, in_per_s: 10, instances: 1, threads: 20, horizon_s: 200, ..clears() };
    // 20 threads of 400 ms: 50 a second.
    assert_eq!(agree(&threads).0.clearing, Clearing::At { ms: 125_000 });
    // One thread, eight messages in 400 ms: 20 a second.
    let batch = Plan { threads: 1, batch: 8, in_per_s: 0, behind: 4000, horizon_s: 240, ..threads };
    assert_eq!(agree(&batch).0.clearing, Clearing::At { ms: 200_000 });
}

#[test]
fn one_full_queue_keeps_its_instance_busy() {
    // 640 and three times 120 of 1000: the first instance has 760, at 2.5 a second.
    let plan = Plan { behind: 1000, in_per_s: 0, skew_percent: 52, horizon_s: 400, ..clears() };
    let (outlook, _) = agree(&plan);
    assert_eq!(outlook.clearing, Clearing::At { ms: 304_000 });
}

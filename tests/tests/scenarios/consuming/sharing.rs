//! B20 and B23: members of one group.

use std::collections::BTreeSet;

use rocketscope_engine::client::consumer::{ListenerRule, MessageCondition};

use super::*;

#[test]
fn b20_two_tags_in_one_group_lose_three_quarters() {
    let recorded = rig::read(include_str!("../../../scenarios/B20a-two-tags-one-group-A-first.json"));
    let summary = &recorded["summary"];
    let listener = || always(ConsumeResult::Success);
    let consumers = vec![
        consumer("cA", "CG20", "TagT", Some("A"), listener()),
        consumer("cB", "CG20", "TagT", Some("B"), listener()),
    ];
    let mut world = world(21051, "TagT", 4, consumers);
    start(&mut world, "cA");
    wait(&mut world, 1_500);
    start(&mut world, "cB");
    wait(&mut world, 3_000);
    for (name, queues) in summary["queuesOwned"].as_object().expect("queues by consumer") {
        let push = world.client(name).and_then(|client| client.push()).expect("a push consumer");
        let own = push.queues().keys().filter(|queue| queue.topic == "TagT").map(|queue| i64::from(queue.queue_id));
        let recorded: Vec<i64> = queues.as_array().into_iter().flatten().filter_map(Value::as_i64).collect();
        assert_eq!(own.collect::<Vec<_>>(), recorded, "{name}");
    }

    send(&mut world, &recorded, 0, 10_000);
    // Long enough for the offsets to be saved, and too short for a held pull to come back and move those of cA.
    wait(&mut world, 13_000);
    let observed = &recorded["observations"][0];
    assert_eq!(sorted(bodies(&world, "cB")), sorted(texts(&observed["delivered"]["cB"])));
    for queue in [2, 3] {
        let offset = observed["offsets"]["TagT@CG20"][queue.to_string()].as_i64();
        assert_eq!(kept(&world, "TagT", "CG20", queue), offset);
    }
    // What cA's client drops moves no offset: only a pull that meets nothing but tag A does, which is a matter of moments.
    for queue in [0, 1] {
        let offset = observed["offsets"]["TagT@CG20"][queue.to_string()].as_i64();
        assert!(kept(&world, "TagT", "CG20", queue) <= offset, "queue {queue}");
    }

    send(&mut world, &recorded, 10_001, i64::MAX);
    wait(&mut world, 50_000);
    assert_eq!(bodies(&world, "cA"), Vec::<String>::new());
    assert_eq!(sorted(bodies(&world, "cB")), sorted(texts(&summary["deliveredByConsumer"]["cB"])));
    let handed: BTreeSet<String> = bodies(&world, "cB").into_iter().collect();
    let sent = rig::list(&recorded, "sends").into_iter().filter_map(|message| message["body"].as_str());
    let lost = sent.filter(|body| !handed.contains(*body)).count();
    assert_eq!(Some(lost as u64), summary["neverDeliveredCount"].as_u64());
    assert_kept(&world, "TagT", "CG20", &summary["finalOffsets"]);
    assert_ends(&world, &recorded);
}

/// A listener that never returns from the fourth message of a queue.
fn hanging() -> MessageListener {
    let when = MessageCondition { queue_offset: Some(3), ..MessageCondition::default() };
    let rule = ListenerRule { when, hangs: true, ..ListenerRule::default() };
    MessageListener { rules: vec![rule], ..MessageListener::default() }
}

#[test]
fn b23_a_message_that_hangs_holds_the_offset_back_and_all_behind_it_come_again() {
    let recorded = rig::read(include_str!("../../../scenarios/B23-hanging-message.json"));
    let summary = &recorded["summary"];
    let consumers = ["c1", "c2"].map(|name| consumer(name, "CG23", "HangT", None, hanging()));
    let mut world = world(21052, "HangT", 2, consumers.to_vec());
    start(&mut world, "c1");
    send(&mut world, &recorded, 0, 1_000);
    wait(&mut world, 6_000);
    assert_kept(&world, "HangT", "CG23", &summary["committedOffsetsWhileHanging"]);
    assert_eq!(sorted(bodies(&world, "c1")), sorted(texts(&recorded["observations"][0]["deliveredSoFar"]["c1"])));
    send(&mut world, &recorded, 1_001, i64::MAX);
    wait(&mut world, 6_000);
    assert_kept(&world, "HangT", "CG23", &summary["committedOffsetsAfter5MorePerQueue"]);

    start(&mut world, "c2");
    wait(&mut world, 10_000);
    for consumer in ["c1", "c2"] {
        let recorded = texts(&summary["deliveredByConsumer"][consumer]);
        assert_eq!(sorted(bodies(&world, consumer)), sorted(recorded), "{consumer}");
    }
    assert!(handed(&world, "c2").iter().all(|message| message.reconsume_times == 0));
    assert_kept(&world, "HangT", "CG23", &summary["offsetsAtEnd"]);
    assert_ends(&world, &recorded);
}

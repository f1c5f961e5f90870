//! B15: a message that nobody consumes.

use rocketscope_engine::message::record;

use super::*;
use crate::rig::LONGER_KEY;

#[test]
fn b15_a_message_is_handed_over_seventeen_times_and_given_up() {
    let recorded = rig::read(include_str!("../../../scenarios/B15-retry-ladder.json"));
    let summary = &recorded["summary"];
    let mut world =
        world(21050, "RetryT", 1, vec![consumer("c1", "CG15", "RetryT", None, always(ConsumeResult::Later))]);
    start(&mut world, "c1");
    send(&mut world, &recorded, 0, i64::MAX);

    let ours = deliveries(&world, "c1");
    assert_eq!(Some(ours.len() as u64), summary["deliveries"].as_u64());
    for (delivery, seen) in ours.iter().zip(rig::list(&recorded, "deliveries")) {
        let message = &delivery.messages[0];
        assert_eq!(Some(message.topic.as_str()), seen["topic"].as_str());
        assert_eq!(Some(i64::from(message.queue_id)), seen["queueId"].as_i64());
        assert_eq!(Some(message.queue_offset), seen["queueOffset"].as_i64());
        assert_eq!(Some(i64::from(message.reconsume_times)), seen["reconsumeTimes"].as_i64());
        assert_eq!(message.tags.as_deref(), seen["tags"].as_str());
        assert_eq!(Some(&*String::from_utf8_lossy(&message.body)), seen["body"].as_str());
    }
    // A second, and what lies between polls of 100 ms.
    let gaps = ours.windows(2).map(|pair| (pair[1].began_us - pair[0].began_us) / 1000);
    assert!(gaps.clone().all(|gap_ms| (1_000..1_200).contains(&gap_ms)), "{:?}", gaps.collect::<Vec<_>>());

    let broker = world.broker("broker").expect("the broker");
    let store = broker.store().expect("it runs");
    let (mut at, mut last_ms) = (0, 0);
    for (number, stored) in rig::list(&recorded, "storedRecords").into_iter().enumerate() {
        let bytes = store.look_message_by_offset(at).expect("a record");
        let found = record::decode(&bytes).expect("a sound record");
        let number_of = |name: &str| stored[name].as_i64();
        assert_eq!(Some(&*found.topic), stored["topic"].as_str(), "record {number}");
        assert_eq!(Some(i64::from(found.queue_id)), number_of("queueId"));
        assert_eq!(Some(found.queue_offset), number_of("queueOffset"));
        assert_eq!(Some(i64::from(found.sys_flag)), number_of("sysFlag"));
        assert_eq!(Some(i64::from(found.reconsume_times)), number_of("reconsumeTimes"));
        assert_eq!(Some(&*String::from_utf8_lossy(found.body)), stored["bodyUtf8"].as_str());
        let text = stored["propertiesString"].as_str().expect("properties");
        assert_eq!(rig::without_key(&found.properties_text), rig::without_key(text), "record {number}");
        assert_eq!(Some(i64::from(found.total_size) + LONGER_KEY), number_of("totalSize"));
        at += i64::from(found.total_size);
        last_ms = found.store_timestamp;
    }
    assert_eq!(at, store.max_phy_offset(), "nothing else is stored");
    let last_call_ms = world.node_us_at_wall("broker", last_ms).expect("the broker's clock") / 1000
        - ours.last().map_or(0, |delivery| delivery.began_us / 1000);
    assert!((0..100).contains(&last_call_ms), "the dead letter comes at once: {last_call_ms} ms");

    assert_ends(&world, &recorded);
    wait(&mut world, 6_000);
    for topic in ["RetryT", "%RETRY%CG15"] {
        assert_kept(&world, topic, "CG15", &recorded["consumerOffsetsInBroker"][format!("{topic}@CG15")]);
    }
    let process = world.broker("broker").and_then(|broker| broker.process()).expect("it runs");
    for (name, recorded) in recorded["topics"].as_object().expect("topics") {
        // 4.9.8 makes the topic of the levels when it starts, the simulator with the first message that waits.
        let topic = process.topics().get(name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(Some(i64::from(topic.read_queue_nums)), recorded["readQueueNums"].as_i64(), "{name}");
        assert_eq!(Some(i64::from(topic.write_queue_nums)), recorded["writeQueueNums"].as_i64(), "{name}");
        assert_eq!(Some(i64::from(topic.perm)), recorded["perm"].as_i64(), "{name}");
    }
}

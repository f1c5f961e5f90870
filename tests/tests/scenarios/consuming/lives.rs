//! B21 and P4: where a process begins, and what comes again after it was killed.

use rocketscope_engine::{
    client::consumer::{ConsumeFromWhere, MessageModel},
    disk::ReadAt as _,
    sim::TopicSpec,
};

use super::*;

#[test]
fn b21_a_new_group_reads_history() {
    let recorded = rig::read(include_str!("../../../scenarios/B21-consume-from-last-offset.json"));
    let summary = &recorded["summary"];
    let of = |name: &str, group: &str| consumer(name, group, "LastT", None, always(ConsumeResult::Success));
    let mut timestamp = of("timestamp", "CG21T");
    if let Some(push) = &mut timestamp.push {
        push.consume_from_where = ConsumeFromWhere::ConsumeFromTimestamp;
    }
    // Nothing of it is on its machine yet: it has never run.
    let mut broadcasting = ConsumerSpec { down: true, ..of("broadcasting", "CG21B") };
    if let Some(push) = &mut broadcasting.push {
        push.message_model = MessageModel::Broadcasting;
    }
    let names = ["clustering", "broadcasting", "timestamp"];
    let mut world = world(21054, "LastT", 2, vec![of("clustering", "CG21"), broadcasting, timestamp]);
    send(&mut world, &recorded, 0, 4_000);
    for name in names {
        start(&mut world, name);
    }
    wait(&mut world, 2_000);
    for (name, mode) in names.into_iter().zip([
        "clustering_CONSUME_FROM_LAST_OFFSET",
        "broadcasting_CONSUME_FROM_LAST_OFFSET",
        "clustering_CONSUME_FROM_TIMESTAMP_default_30min_ago",
    ]) {
        let old = summary[format!("oldMessagesDelivered_{mode}")].as_u64();
        assert_eq!(Some(bodies(&world, name).len() as u64), old, "{name}");
        let before = &recorded["observations"][0]["beforeNewMessages"][name];
        assert_eq!(sorted(bodies(&world, name)), sorted(texts(before)), "{name}");
    }
    send(&mut world, &recorded, 4_001, i64::MAX);
    wait(&mut world, 16_000);
    for name in names {
        assert_eq!(sorted(bodies(&world, name)), sorted(texts(&summary["deliveredByConsumer"][name])), "{name}");
    }
    // It has kept its offsets itself, twice by now: the first file is the second one's backup.
    let push = world.client("broadcasting").and_then(|client| client.push()).expect("a push consumer");
    for (file, text) in recorded["observations"][1]["broadcastingLocalOffsetFiles"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|file| file["file"].as_str().zip(file["content"].as_str()))
    {
        let disk = push.disk();
        let files = disk.files();
        let found = files.iter().find(|(path, _)| path.ends_with(&format!("/CG21B/{file}")));
        let (_, id) = found.expect("it has been written");
        let len = disk.meta(*id).expect("its length").len;
        let bytes = disk.slice(*id, 0, len.try_into().expect("a small file")).expect("its bytes");
        let ours = String::from_utf8_lossy(&bytes).split_whitespace().collect::<String>();
        assert_eq!(ours, text, "{file}");
    }
    let process = world.broker("broker").and_then(|broker| broker.process()).expect("the broker runs");
    for group in ["CG21", "CG21B", "CG21T"] {
        let name = format!("%RETRY%{group}");
        let queues = process.topics().get(&name).map(|topic| i64::from(topic.read_queue_nums));
        assert_eq!(queues, recorded["topics"][&name]["readQueueNums"].as_i64(), "{name}");
    }
    for (key, offsets) in recorded["consumerOffsetsInBroker"].as_object().expect("offsets") {
        let (topic, group) = key.rsplit_once('@').expect("topic and group");
        assert_kept(&world, topic, group, offsets);
    }
    assert_ends(&world, &recorded);
}

/// Kills a consumer half a second after its last message, and starts another of its group half a second later: that one
/// gets what lies behind the offsets that the broker keeps. A pull tells of a message or leaves just before it is done with;
/// the recording has both.
fn succeed(
    world: &mut World,
    recorded: &Value,
    (topic, group): (&str, &str),
    [victim, successor]: [&str; 2],
    offsets: &Value,
) {
    wait(world, 500);
    act(world, Action::Kill { node: victim.to_owned() });
    let mut again = Vec::new();
    for (queue, offset) in offsets.as_object().expect("offsets by queue") {
        let queue: i32 = queue.parse().expect("a queue");
        let kept = kept(world, topic, group, queue).unwrap_or(0);
        let offset = offset.as_i64().expect("an offset");
        assert!((offset - 1..=offset + 1).contains(&kept), "{topic}/{queue}: {kept}");
        let sent = rig::list(recorded, "sends").into_iter().filter(|message| {
            message["topic"] == topic
                && message["queueId"].as_i64() == Some(queue.into())
                && message["queueOffset"].as_i64() >= Some(kept)
        });
        again.extend(sent.filter_map(|message| message["body"].as_str().map(str::to_owned)));
    }
    assert!(!again.is_empty());
    wait(world, 500);
    start(world, successor);
    wait(world, 2_000);
    assert_eq!(sorted(bodies(world, successor)), sorted(again));
    assert!(handed(world, successor).iter().all(|message| message.reconsume_times == 0));
}

#[test]
fn p4_what_the_broker_was_not_told_comes_again_after_a_kill() {
    let recorded = rig::read(include_str!("../../../scenarios/P4-duplicate-after-kill.json"));
    let summary = &recorded["summary"];
    let mut cluster = rig::cluster(21053, "KillT", 2);
    for topic in ["KillU", "KillV"] {
        let topic = TopicSpec { name: topic.to_owned(), read_queues: 1, write_queues: 1, perm: 6 };
        cluster.brokers[0].topics.push(topic);
    }
    let listener = || MessageListener { takes_ms: 0, ..MessageListener::default() };
    let of = |name: &str, group: &str, topic: &str| consumer(name, group, topic, None, listener());
    let consumers = vec![
        of("victim", "CGK", "KillT"),
        of("successor", "CGK", "KillT"),
        of("victim2", "CGL", "KillU"),
        of("successor2", "CGL", "KillU"),
        of("victim3", "CGM", "KillV"),
        of("successor3", "CGM", "KillV"),
    ];
    let mut world = stopped(cluster, consumers);

    // One message after the other, and no round of saving yet: the offsets move with the pulls.
    start(&mut world, "victim");
    send(&mut world, &recorded, 0, 10_000);
    assert_eq!(sorted(bodies(&world, "victim")), sorted(texts(&summary["victimDelivered"])));
    let offsets = &summary["offsetsAfterKill"];
    succeed(&mut world, &recorded, ("KillT", "CGK"), ["victim", "successor"], offsets);

    // Killed between two rounds.
    send(&mut world, &recorded, 10_001, 40_000);
    start(&mut world, "victim2");
    wait(&mut world, 10_500);
    assert_kept(&world, "KillU", "CGL", &summary["part2_offsetAfterFirstPersist"]);
    send(&mut world, &recorded, 40_001, 50_000);
    let offsets = &summary["part2_offsetAfterKill"];
    succeed(&mut world, &recorded, ("KillU", "CGL"), ["victim2", "successor2"], offsets);

    // All in one answer: the next pull leaves when at most the first message is done with.
    send(&mut world, &recorded, 50_001, i64::MAX);
    start(&mut world, "victim3");
    let offsets = &summary["part3_offsetAfterKill"];
    succeed(&mut world, &recorded, ("KillV", "CGM"), ["victim3", "successor3"], offsets);
    assert_ends(&world, &recorded);
}

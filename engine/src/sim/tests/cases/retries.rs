//! B15: how often a message is delivered, and what all of it leaves in the log.

use super::*;
use crate::message::{delay::DelayLevels, property, record};

const GROUP: &str = "CG_consumer";

/// What a record of the log says: topic, queue, times consumed in vain, delay level, store time, origin and its topic.
#[derive(Debug)]
struct Stored {
    topic: String,
    queue: i32,
    times: i32,
    level: Option<String>,
    at_ms: i64,
    origin: Option<(String, String)>,
}

fn log(world: &World) -> Vec<Stored> {
    let store = store(world);
    let (mut records, mut at) = (Vec::new(), store.min_phy_offset());
    while at < store.max_phy_offset() {
        let bytes = store.look_message_by_offset(at).expect("one file");
        let record = record::decode(&bytes).expect("a sound record");
        let property = |name| record.property(name).map(str::to_owned);
        records.push(Stored {
            topic: record.topic.to_string(),
            queue: record.queue_id,
            times: record.reconsume_times,
            level: property(property::DELAY),
            at_ms: record.store_timestamp,
            origin: property(property::ORIGIN_MESSAGE_ID).zip(property(property::RETRY_TOPIC)),
        });
        at += i64::from(record.total_size);
    }
    records
}

/// A consumer gives a message back as often as it comes, and leaves the delay to the broker. Sixteen retries of the levels
/// 3 to 18 make 17,140 s; what comes back for the seventeenth time is a dead letter at once.
#[test]
fn b15_seventeen_deliveries_and_a_dead_letter() {
    let mut world = World::new(&cluster_of(1), 1).unwrap();
    put(&mut world, 0, 1);
    let retry = format!("%RETRY%{GROUP}");
    let mut deliveries = Vec::new();
    for round in 0..17 {
        match round {
            0 => act(&mut world, pull("T", 0, 0)),
            round => act(&mut world, pull(&retry, 0, round - 1)),
        };
        let received = world.client("consumer").unwrap().received();
        assert_eq!(i64::try_from(received.len()).ok(), Some(round + 1), "one more");
        deliveries.push(received.last().unwrap().reconsume_times);
        // The world is not at rest before the message has come back.
        let back = SendBack { consumer: "consumer".to_owned(), ..SendBack::default() };
        act(&mut world, Action::SendBack(Box::new(back)));
        assert_eq!(world.client("consumer").unwrap().answers().last().unwrap().error, None);
    }
    assert_eq!(deliveries, (0..=16).collect::<Vec<_>>());

    let log = log(&world);
    assert_eq!(log.len(), 34, "the message, sixteen times a waiting and a delivered copy, the dead letter");
    let origin = Some((world.client("consumer").unwrap().received()[0].offset_msg_id.clone(), "T".to_owned()));
    let levels = DelayLevels::parse(&store(&world).config().message_delay_level).unwrap();
    let mut asked_ms = 0;
    for (retries, pair) in (1..).zip(log[1..33].chunks_exact(2)) {
        let (waiting, delivered) = (&pair[0], &pair[1]);
        let level = retries + 2;
        assert_eq!((waiting.topic.as_str(), waiting.queue, waiting.times), ("SCHEDULE_TOPIC_XXXX", level - 1, retries));
        assert_eq!((delivered.topic.as_str(), delivered.queue, delivered.times), (retry.as_str(), 0, retries));
        assert_eq!((waiting.level.as_deref(), &waiting.origin), (Some(level.to_string().as_str()), &origin));
        assert_eq!(delivered.origin, origin);
        let wanted_ms = levels.delay_ms(level).unwrap();
        asked_ms += wanted_ms;
        let waited_ms = delivered.at_ms - waiting.at_ms;
        assert!((wanted_ms..wanted_ms + 200).contains(&waited_ms), "level {level}: {waited_ms} ms");
    }
    assert_eq!(asked_ms, 17_140_000);
    let dead = &log[33];
    assert_eq!((dead.topic.as_str(), dead.queue, dead.times), (format!("%DLQ%{GROUP}").as_str(), 0, 17));
    assert_eq!(dead.origin, origin);
    let made = broker(&world).process().unwrap().topics().get(&dead.topic).cloned().unwrap();
    assert_eq!((made.read_queue_nums, made.write_queue_nums, made.perm), (1, 1, 6));
    assert!(dead.at_ms - log[32].at_ms < 1000, "without a delay");
    act(&mut world, pull(&dead.topic, 0, 0));
    assert_eq!(got(&world), [0], "it can be read");
}

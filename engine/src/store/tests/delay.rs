use super::*;
use crate::message::delay::SCHEDULE_TOPIC;
use crate::message::record;
use crate::store::{DelayedUnit, Undeliverable};

fn delayed(level: &str) -> Message {
    with(message("T", 5), &[(property::DELAY, level), (property::TAGS, "TagA")])
}

/// Level 3 is 10 seconds and queue 2; the unit holds the time of delivery in place of the tags' hash.
#[test]
fn a_delayed_message_waits_in_the_queue_of_its_level() {
    let mut rig = Rig::new(small());
    let append = rig.put_ok(delayed("3")).append.expect("appended");
    let bytes = rig.store.read(0, append.wrote_bytes).expect("the record");
    let record = record::decode(&bytes).expect("a record");
    assert_eq!((&*record.topic, record.queue_id, record.queue_offset), (SCHEDULE_TOPIC, 2, 0));
    assert_eq!((record.property("REAL_TOPIC"), record.property("REAL_QID")), (Some("T"), Some("5")));
    let unit = rig.store.unit(SCHEDULE_TOPIC, 2, 0).expect("a unit");
    assert_eq!(unit.tags_code, START + 10_000);
    assert!(rig.store.queue("T", 5).is_none());
}

#[test]
fn levels_beyond_the_last_count_as_the_last() {
    let mut rig = Rig::new(small());
    rig.put_ok(delayed("99"));
    let unit = rig.store.unit(SCHEDULE_TOPIC, 17, 0).expect("level 18");
    assert_eq!(unit.tags_code, START + 7_200_000);
    let bytes = rig.store.look_message_by_offset(0).expect("the record");
    assert_eq!(record::decode(&bytes).expect("a record").property("DELAY"), Some("18"));
}

#[test]
fn levels_that_mean_nothing() {
    let mut rig = Rig::new(small());
    for level in ["0", "-1"] {
        rig.put_ok(delayed(level));
    }
    assert_eq!(rig.store.max_offset_in_queue("T", 5), 2);
    assert_eq!(rig.put(delayed("soon")).status, PutMessageStatus::UnknownError);
    // Half messages are delayed when they are committed, not before.
    rig.put_ok(Message { sys_flag: 0x4, ..delayed("soon") });
}

/// The offsets are saved by a stop, come back with a start, and are moved into their queues.
#[test]
fn offsets_are_kept_and_corrected() {
    let mut rig = Rig::new(small());
    rig.put_ok(delayed("1"));
    rig.store.set_delay_offset(1, 1);
    rig.store.set_delay_offset(2, 7);
    let rig = rig.restart(|disk| {
        let text = crate::store::config_file::read_text(disk, "config/delayOffset.json");
        assert_eq!(text.as_deref(), Some("{\n\t\"offsetTable\":{1:1,2:7\n\t}\n}"));
    });
    let offsets: Vec<_> = rig.store.delay_offsets().iter().map(|(&level, &offset)| (level, offset)).collect();
    assert_eq!(offsets, [(1, 1), (2, 0)], "queue 1 is empty");
    assert_eq!(rig.store.delay_levels().max_level(), 18);
}

/// An unclean recovery dispatches before the levels are known: the unit gets the hash of the tags.
#[test]
fn recovery_knows_no_levels() {
    let mut rig = Rig::new(small());
    rig.put(delayed("3"));
    let rig = rig.start_again(|disk| delete_all(disk, "consumequeue/"));
    assert_eq!(rig.store.unit(SCHEDULE_TOPIC, 2, 0).map(|unit| unit.tags_code), Some(2_598_919));
}

fn put_for(rig: &mut Rig, topic: &str, properties: &[(&str, &str)]) -> DelayedUnit {
    rig.put_ok(with(message(topic, 5), properties));
    let end = rig.store.max_offset_in_queue(SCHEDULE_TOPIC, 0);
    rig.store.delayed_unit(1, end - 1).expect("a unit of level 1")
}

/// The message that is put in the end: what is stored of its properties is what was stored before, the rest is in memory.
#[test]
fn a_delayed_message_is_rebuilt() {
    let mut rig = Rig::new(small());
    let sent = Message { flag: 7, reconsume_times: 3, ..delayed("1") };
    rig.put_ok(sent.clone());
    let unit = rig.store.delayed_unit(1, 0).expect("a unit");
    assert_eq!((unit.deliver_ms, unit.physical_offset, unit.run_end), (START + 1000, 0, 1));
    let rebuilt = rig.store.delayed_message(&unit).expect("a message");
    assert_eq!((rebuilt.topic.as_str(), rebuilt.queue_id, rebuilt.flag), ("T", 5, 7));
    assert_eq!((rebuilt.reconsume_times, rebuilt.prepared_transaction_offset), (3, 0));
    assert_eq!((&rebuilt.body, rebuilt.born_timestamp), (&sent.body, sent.born_timestamp));
    let stored = crate::message::Properties::parse(&rebuilt.properties_text);
    for (name, value) in [("DELAY", "1"), ("REAL_TOPIC", "T"), ("REAL_QID", "5"), ("TAGS", "TagA")] {
        assert_eq!(stored.get(name), Some(value));
    }
    assert_eq!((rebuilt.properties.get("DELAY"), stored.get("WAIT")), (None, None));
    assert!(!rebuilt.waits_for_store());
    rig.put_ok(rebuilt);
    assert_eq!(rig.store.unit("T", 5, 0).map(|unit| unit.tags_code), Some(2_598_919), "the hash of its tags");
}

#[test]
fn half_messages_and_records_that_are_gone_are_not_delivered() {
    let mut rig = Rig::new(small());
    let half = put_for(&mut rig, "RMQ_SYS_TRANS_HALF_TOPIC", &[(property::DELAY, "1")]);
    assert_eq!(rig.store.delayed_message(&half), Err(Undeliverable::HalfMessage));
    let gone = DelayedUnit { physical_offset: 1_000_000, ..half };
    assert_eq!(rig.store.delayed_message(&gone), Err(Undeliverable::Unreadable));
}

#[test]
fn a_record_that_does_not_say_where_it_belongs_cannot_be_rebuilt() {
    let mut rig = Rig::new(small());
    let malformed = |cause: &str| Err(Undeliverable::Malformed(cause.to_owned()));
    rig.put_ok(message(SCHEDULE_TOPIC, 0));
    let unit = rig.store.delayed_unit(1, 0).expect("a unit");
    assert_eq!(rig.store.delayed_message(&unit), malformed("REAL_QID is no number"));
    rig.put_ok(with(message(SCHEDULE_TOPIC, 0), &[(property::REAL_QID, "3")]));
    let unit = rig.store.delayed_unit(1, 1).expect("a unit");
    assert_eq!(rig.store.delayed_message(&unit), malformed("REAL_TOPIC is missing"));
}

/// A task outside its queue goes on at the nearest end; one inside stays.
#[test]
fn a_task_outside_its_queue_goes_on_at_the_nearest_end() {
    let mut rig = Rig::new(small());
    rig.put_ok(delayed("1"));
    rig.put_ok(delayed("1"));
    assert_eq!([-3, 0, 1, 2, 9].map(|offset| rig.store.nearest_delay_offset(1, offset)), [0, 0, 1, 2, 2]);
    assert!(rig.store.delayed_unit(1, 2).is_none());
    assert!(rig.store.delayed_unit(i32::MIN, 0).is_none());
    assert_eq!(rig.store.nearest_delay_offset(99, 7), 7, "no such queue");
}

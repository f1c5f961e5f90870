use super::*;
use crate::message::delay::SCHEDULE_TOPIC;
use crate::message::record;

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

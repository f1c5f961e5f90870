use std::collections::BTreeSet;

use crate::{
    client::{
        PullQueue,
        consumer::{LocalOffsets, OffsetTable},
    },
    disk::{Disk, MemoryDisk, ReadAt},
    store::config_file::{read_text, save},
};

/// The form of 4.9.8's file; the offsets are counts that were chosen.
const FILE: &str = r#"{
	"offsetTable":{{
			"brokerName":"broker-a",
			"queueId":0,
			"topic":"TopicTest"
		}:12,{
			"brokerName":"broker-a",
			"queueId":1,
			"topic":"TopicTest"
		}:9
	}
}"#;

const PATH: &str = ".rocketmq_offsets/10.0.4.1@DEFAULT/group/offsets.json";

fn queue(queue_id: i32) -> PullQueue {
    PullQueue { topic: "TopicTest".to_owned(), broker_name: "broker-a".to_owned(), queue_id }
}

fn local() -> LocalOffsets {
    LocalOffsets::new("10.0.4.1@DEFAULT", "group")
}

fn all() -> BTreeSet<PullQueue> {
    (0..4).map(queue).collect()
}

#[test]
fn memory_grows_only_where_it_is_told_to() {
    let mut table = OffsetTable::default();
    assert_eq!(table.get(&queue(0)), None);
    table.update(&queue(0), 5, true);
    table.update(&queue(0), 3, true);
    assert_eq!(table.get(&queue(0)), Some(5));
    table.update(&queue(0), 3, false);
    assert_eq!(table.get(&queue(0)), Some(3));
    table.remove(&queue(0));
    assert_eq!(table.get(&queue(0)), None);
}

#[test]
fn a_round_of_saving_forgets_queues_of_others() {
    let mut table = OffsetTable::default();
    for queue_id in 0..3 {
        table.update(&queue(queue_id), 10 + i64::from(queue_id), true);
    }
    assert!(table.persist_all(&BTreeSet::new()).is_empty());
    assert_eq!(table.iter().count(), 3);
    let present = BTreeSet::from([queue(1), queue(2), queue(3)]);
    assert_eq!(table.persist_all(&present), [(queue(1), 11), (queue(2), 12)]);
    assert_eq!((table.get(&queue(0)), table.iter().count()), (None, 2));
}

#[test]
fn the_file_has_the_bytes_of_4_9_8() {
    let mut disk = MemoryDisk::default();
    let mut offsets = local();
    assert_eq!(offsets.path(), PATH);
    offsets.load(&disk).unwrap();
    assert_eq!(offsets.persist_all(&mut disk, &BTreeSet::new()), Ok(false));
    offsets.table_mut().update(&queue(1), 9, true);
    offsets.table_mut().update(&queue(0), 12, true);
    assert_eq!(offsets.persist_all(&mut disk, &all()), Ok(true));
    assert_eq!(read_text(&disk, PATH).as_deref(), Some(FILE));
    assert!(disk.find(&format!("{PATH}.tmp")).is_none() && disk.find(&format!("{PATH}.bak")).is_none());

    let mut fresh = local();
    fresh.load(&disk).unwrap();
    assert_eq!(fresh.table(), offsets.table());
    // What was there is the backup after the next saving.
    assert_eq!(fresh.persist_all(&mut disk, &all()), Ok(true));
    assert_eq!(read_text(&disk, &format!("{PATH}.bak")).as_deref(), Some(FILE));
}

#[test]
fn entries_of_other_queues_stay_in_the_file() {
    let mut disk = MemoryDisk::default();
    save(&mut disk, PATH, FILE).unwrap();
    let mut offsets = local();
    offsets.table_mut().update(&queue(0), 1, true);
    offsets.table_mut().update(&queue(2), 2, true);
    assert_eq!(offsets.persist(&mut disk, &queue(2)), Ok(true));
    assert_eq!(offsets.persist(&mut disk, &queue(3)), Ok(false));
    let stored = [0, 1, 2, 3].map(|queue_id| local().stored(&disk, &queue(queue_id)));
    assert_eq!(stored, [Some(12), Some(9), Some(2), None]);
    // Reading from the store sets memory, be it lower.
    assert_eq!(offsets.stored(&disk, &queue(0)), Some(12));
    assert_eq!(offsets.table().get(&queue(0)), Some(12));
}

#[test]
fn a_torn_file_is_read_from_its_backup() {
    let mut disk = MemoryDisk::default();
    save(&mut disk, PATH, FILE).unwrap();
    save(&mut disk, PATH, "{").unwrap();
    assert_eq!(local().stored(&disk, &queue(0)), Some(12));
    // The backup torn as well: no start, no offset, no saving.
    save(&mut disk, PATH, "{{").unwrap();
    let mut offsets = local();
    assert!(offsets.load(&disk).is_err());
    assert_eq!(offsets.stored(&disk, &queue(0)), None);
    offsets.table_mut().update(&queue(0), 1, true);
    assert_eq!(offsets.persist_all(&mut disk, &all()), Ok(false));
    assert_eq!(read_text(&disk, PATH).as_deref(), Some("{{"));
    // Without a file there is nothing wrong.
    for path in [PATH.to_owned(), format!("{PATH}.bak")] {
        let file = disk.find(&path).unwrap();
        disk.delete(file).unwrap();
    }
    assert_eq!(local().load(&disk), Ok(()));
}

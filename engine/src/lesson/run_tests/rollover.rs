//! Lesson 03: the end of a file, with small files and with those of 4.9.8.

use super::*;
use crate::disk::ReadAt;

#[test]
fn a_record_that_leaves_no_room_for_a_blank_goes_to_the_next_file() {
    let mut run = lesson("03-rollover");
    assert_eq!(int(&run, "broker-a.log.max"), Some(3596));
    take(&mut run, "m1");
    until(&mut run, "producer-a.results", 1);
    assert_eq!(int(&run, "broker-a.log.max"), Some(3896));

    // 4096 - 3896 = 200 bytes are left; M2 takes 200, and 8 are missing.
    take(&mut run, "m2");
    until(&mut run, "producer-a.results", 2);
    assert_eq!(int(&run, "broker-a.blank.3896"), Some(200));
    assert_eq!(int(&run, "producer-a.result.last.physicalOffset"), Some(4096));
    assert_eq!(int(&run, "producer-a.result.last.queueOffset"), Some(1));

    // 3896 bytes are left in the second file: 3888 + 8.
    take(&mut run, "m3");
    take(&mut run, "m4");
    until(&mut run, "producer-a.results", 4);
    assert_eq!(int(&run, "broker-a.record.4296.size"), Some(3888));
    assert_eq!(int(&run, "broker-a.blank.8184"), Some(8));
    assert_eq!(int(&run, "broker-a.record.8192.queueOffset"), Some(3));
    assert_eq!(int(&run, "broker-a.log.files"), Some(3));

    take(&mut run, "resume");
    for position in [3896, 4096, 4296, 8184, 8192, 8392] {
        until(&mut run, "broker-a.reput", position);
    }
    let files = [0, 1, 2, 3].map(|unit| int(&run, &format!("broker-a.unit.OrderTopic/0.{unit}.file")));
    assert_eq!(files, [Some(0), Some(0), Some(0), Some(60)]);
}

/// The numbers of the curriculum: 1,073,742,000 is file 1,073,741,824 at 176, queue offset 100,000 is logical byte
/// 2,000,000, and a ConsumeQueue file has 6,000,000 bytes.
#[test]
fn with_the_sizes_of_4_9_8_an_offset_is_found_by_arithmetic() {
    let mut run = lesson("03-rollover");
    run.solve().expect("the solution plays");
    assert_eq!(int(&run, "producer-b.result.last.physicalOffset"), Some(1_073_742_000));
    assert_eq!(int(&run, "producer-b.result.last.queueOffset"), Some(100_000));
    assert_eq!(int(&run, "broker-b.record.1073742000.file"), Some(1_073_741_824));
    assert_eq!(int(&run, "broker-b.record.1073742000.position"), Some(176));
    assert_eq!(int(&run, "broker-b.unit.OrderTopic/0.100000.physicalOffset"), Some(1_073_742_000));
    assert_eq!(int(&run, "broker-b.unit.OrderTopic/0.100000.logicalByte"), Some(2_000_000));
    assert_eq!(int(&run, "broker-b.unit.OrderTopic/0.100000.position"), Some(2_000_000));
    // The units whose records are gone are pre-blank: physical offset 0, size 0x7FFFFFFF.
    assert_eq!(int(&run, "broker-b.unit.OrderTopic/0.99998.size"), None);
    assert_eq!(int(&run, "broker-b.queue.OrderTopic/0.min"), Some(99_999));

    let disk = run.history().world().broker("broker-b").expect("a broker").disk();
    let len = |path: &str| disk.find(path).and_then(|file| disk.meta(file).ok()).map(|meta| meta.len);
    assert_eq!(len("commitlog/00000000000000000000"), None);
    assert_eq!(len("commitlog/00000000001073741824"), Some(1_073_741_824));
    assert_eq!(len("consumequeue/OrderTopic/0/00000000000000000000"), Some(6_000_000));
}

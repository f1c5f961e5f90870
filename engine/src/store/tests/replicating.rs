//! What a master hands over, what a slave makes of it, and what a put waits for.

use super::*;
use crate::message::record;
use crate::store::{BrokerRole, FlushDiskType, GetMessageStatus, Unit};

fn slave() -> StoreConfig {
    StoreConfig { broker_role: BrokerRole::Slave, ..small() }
}

fn sync_master() -> StoreConfig {
    StoreConfig { broker_role: BrokerRole::SyncMaster, ..small() }
}

/// Hands over until nothing is left; the size of each piece.
fn ship(master: &Rig, slave: &mut Rig) -> Vec<usize> {
    let mut from = match slave.store.max_phy_offset() {
        0 => master.store.transfer_start(0),
        max => max,
    };
    let mut sizes = Vec::new();
    while let Some(bytes) = master.store.transfer(from) {
        assert!(slave.store.append_replicated(from, &bytes, &mut slave.env));
        from += bytes.len() as i64;
        sizes.push(bytes.len());
    }
    sizes
}

/// Dispatches until nothing moves any more.
fn settle(rig: &mut Rig) {
    loop {
        match rig.store.reput(&mut rig.env) {
            Reput::Idle => break,
            Reput::Skipped { from, to } if from == to => break,
            _ => {}
        }
    }
}

/// Every file below a directory with its bytes.
fn bytes_below(disk: &MemoryDisk, below: &str) -> Vec<(String, Bytes)> {
    let files = disk.files().into_iter().filter(|(path, _)| path.starts_with(below));
    files
        .map(|(path, file)| {
            let len = disk.meta(file).expect("the file is there").len;
            (path, disk.slice(file, 0, usize::try_from(len).expect("small")).expect("readable"))
        })
        .collect()
}

/// Records of 94 bytes in files of 1024: ten of them make 940, and the blank record takes the remaining 84.
#[test]
fn a_slave_gets_the_masters_bytes_and_builds_the_same_queues() {
    let mut master = Rig::new(StoreConfig { ha_transfer_batch_size: 300, ..small() });
    master.put_many("T", 0, 12);
    let mut slave = Rig::new(slave());
    // The last file begins at 1024, and what lies before stays with the master.
    assert_eq!((master.store.max_phy_offset(), master.store.transfer_start(0)), (1212, 1024));
    assert_eq!(ship(&master, &mut slave), [188]);
    assert_eq!((slave.store.min_phy_offset(), slave.store.max_phy_offset()), (1024, 1212));
    assert_eq!(slave.store.read(1024, 188), master.store.read(1024, 188));
    settle(&mut slave);
    // Its queue begins at unit 10; 10 units fill a file of 200 bytes, so nothing is blank before it.
    let queue = slave.store.queue("T", 0).expect("dispatched");
    assert_eq!((queue.min_offset_in_queue(), queue.max_offset_in_queue()), (10, 12));
}

#[test]
fn pieces_end_with_the_batch_size_and_with_the_file() {
    let mut master = Rig::new(StoreConfig { ha_transfer_batch_size: 300, ..small() });
    let mut slave = Rig::new(slave());
    master.put_ok(message("T", 0));
    assert_eq!(ship(&master, &mut slave), [94]);
    master.put_many("T", 0, 11);
    // 94..1024 with the blank tail as bytes, then the second file.
    assert_eq!(ship(&master, &mut slave), [300, 300, 300, 30, 188]);
    assert_eq!(bytes_below(slave.store.disk(), "commitlog"), bytes_below(master.store.disk(), "commitlog"));
    settle(&mut slave);
    assert_eq!(bytes_below(slave.store.disk(), "consumequeue"), bytes_below(master.store.disk(), "consumequeue"));
    assert_eq!(slave.store.max_offset_in_queue("T", 0), 12);
    assert_eq!(slave.store.reput_from_offset(), 1212);
}

/// A piece may end anywhere in a record. Reput of a slave waits there; a master's would give the rest up.
#[test]
fn reput_of_a_slave_waits_for_the_rest_of_a_record() {
    let mut master = Rig::new(small());
    master.put_ok(with_keys("T", "k"));
    let size = master.store.max_phy_offset();
    let bytes = master.store.read(0, size as i32).expect("stored");
    for cut in 1..bytes.len() {
        let mut slave = Rig::new(slave());
        let (begin, rest) = bytes.split_at(cut);
        assert!(slave.store.append_replicated(0, begin, &mut slave.env));
        assert_eq!(slave.store.reput(&mut slave.env), Reput::Skipped { from: 0, to: 0 }, "cut at {cut}");
        assert_eq!(slave.env.names().last().map(String::as_str), Some("reputWaits"));
        assert!(slave.store.append_replicated(cut as i64, rest, &mut slave.env));
        settle(&mut slave);
        assert_eq!((slave.store.reput_from_offset(), slave.store.max_offset_in_queue("T", 0)), (size, 1));
    }
    let mut alone = Rig::new(small());
    alone.store.config_mut().broker_role = BrokerRole::Slave;
    assert!(alone.store.append_replicated(0, &bytes[..90], &mut alone.env));
    alone.store.config_mut().broker_role = BrokerRole::AsyncMaster;
    assert_eq!(alone.store.reput(&mut alone.env), Reput::Skipped { from: 0, to: 90 });
}

/// Bytes that are no record hold a slave's dispatch up for ever; its log goes on growing.
#[test]
fn a_bad_record_holds_a_slave_up() {
    let mut slave = Rig::new(slave());
    assert!(slave.store.append_replicated(0, &[7; 100], &mut slave.env));
    settle(&mut slave);
    let mut master = Rig::new(small());
    master.put_ok(message("T", 0));
    let record = master.store.read(0, 94).expect("stored");
    assert!(slave.store.append_replicated(100, &record, &mut slave.env));
    settle(&mut slave);
    assert_eq!((slave.store.reput_from_offset(), slave.store.max_phy_offset()), (0, 194));
}

#[test]
fn what_does_not_fit_into_the_file_is_lost() {
    let mut slave = Rig::new(slave());
    assert!(slave.store.append_replicated(2048, &[1; 1000], &mut slave.env));
    assert_eq!((slave.store.min_phy_offset(), slave.store.max_phy_offset()), (2048, 3048));
    assert!(!slave.store.append_replicated(3048, &[1; 25], &mut slave.env));
    assert_eq!(slave.store.max_phy_offset(), 3048);
    assert!(slave.store.append_replicated(3048, &[1; 24], &mut slave.env));
    // The file is full: even a heartbeat, which carries nothing, makes the next one.
    assert!(slave.store.append_replicated(3072, &[], &mut slave.env));
    assert_eq!(slave.store.commit_log_files().collect::<Vec<_>>(), [(2048, 1024), (3072, 0)]);
}

#[test]
fn a_stopped_store_neither_gives_nor_takes() {
    let mut master = Rig::new(small());
    master.put_ok(message("T", 0));
    assert!(master.store.shutdown(&mut master.env));
    assert_eq!(master.store.transfer(0), None);
    let mut slave = Rig::new(slave());
    assert!(slave.store.shutdown(&mut slave.env));
    assert!(!slave.store.append_replicated(0, b"x", &mut slave.env));
}

/// Nothing lies at the end of the log, before a cleaned head, or beyond the end.
#[test]
fn there_is_nothing_to_hand_over_outside_the_log() {
    let mut master = Rig::new(small());
    master.put_many("T", 0, 12);
    for from in [1212, 1300, 4096, -1] {
        assert_eq!(master.store.transfer(from), None, "{from}");
    }
    let tail = master.store.transfer(940).expect("the blank tail");
    assert_eq!(tail.get(..8), Some(&record::blank(84)[..]));
    assert_eq!(tail.len(), 84);
}

/// The statuses of a put by a synchronous master, spec section 5.
#[test]
fn a_put_waits_for_a_slave_that_is_there_and_near() {
    let mut rig = Rig::new(sync_master());
    let result = rig.put(message("T", 0));
    assert_eq!((result.status, result.replica), (PutMessageStatus::SlaveNotAvailable, None));
    assert!(result.is_ok(), "the message is in the log all the same");
    assert_eq!(rig.store.max_phy_offset(), 94);

    rig.store.slave_connected();
    let result = rig.put(message("T", 0));
    assert_eq!(result.status, PutMessageStatus::PutOk);
    let replica = result.replica.expect("waits");
    assert_eq!((replica.next_offset, replica.deadline), (188, START + 3000));

    assert!(rig.store.acknowledge(188));
    assert!(!rig.store.acknowledge(94), "it never goes back");
    assert_eq!(rig.store.push_to_slave_max_offset(), 188);

    // WAIT=false: nothing is waited for, with a slave or without.
    let put = with(message("T", 0), &[(property::WAIT, "false")]);
    assert_eq!(rig.put(put.clone()).replica, None);
    rig.store.slave_gone();
    assert_eq!(rig.put(put).status, PutMessageStatus::PutOk);
}

/// `haSlaveFallbehindMax` bytes behind is too far; one byte less is not.
#[test]
fn a_slave_too_far_behind_counts_as_absent() {
    let mut rig = Rig::new(sync_master());
    assert_eq!(rig.store.config().ha_slave_fallbehind_max, 268_435_456);
    rig.store.slave_connected();
    assert!(rig.store.is_slave_ok(268_435_455));
    assert!(!rig.store.is_slave_ok(268_435_456));
    rig.store.config_mut().ha_slave_fallbehind_max = 94;
    assert_eq!(rig.put(message("T", 0)).status, PutMessageStatus::SlaveNotAvailable);
    assert!(rig.store.acknowledge(94));
    rig.store.config_mut().ha_slave_fallbehind_max = 95;
    assert_eq!(rig.put(message("T", 0)).status, PutMessageStatus::PutOk);
}

#[test]
fn an_asynchronous_master_waits_for_no_slave() {
    let mut rig = Rig::new(small());
    let result = rig.put(message("T", 0));
    assert_eq!((result.status, result.replica), (PutMessageStatus::PutOk, None));
}

#[test]
fn the_flush_is_waited_for_even_without_a_slave() {
    let mut rig = Rig::new(StoreConfig { flush_disk_type: FlushDiskType::SyncFlush, ..sync_master() });
    let result = rig.put(message("T", 0));
    assert_eq!(result.status, PutMessageStatus::SlaveNotAvailable);
    assert_eq!(result.flush.map(|flush| flush.next_offset), Some(94));
}

/// What dispatch on a slave leaves in the checkpoint: it is the physical time too.
#[test]
fn dispatch_on_a_slave_sets_the_physical_time() {
    let mut master = Rig::new(small());
    master.put_ok(message("T", 0));
    let mut slave = Rig::new(slave());
    ship(&master, &mut slave);
    settle(&mut slave);
    let checkpoint = slave.store.checkpoint();
    assert_eq!((checkpoint.physic_msg_timestamp, checkpoint.logics_msg_timestamp), (START, START));
    assert_eq!(master.store.checkpoint().physic_msg_timestamp, 0, "nothing is flushed yet");
}

/// A slave's ConsumeQueue has lost its last file: 20 of 25 units are left. The master's next record says queue offset 25,
/// byte 500; the slave stands at byte 400 and appends there all the same.
#[test]
fn a_slave_that_lost_units_goes_on_at_the_wrong_place() {
    let mut master = Rig::new(without_index());
    let mut slave = Rig::new(StoreConfig { broker_role: BrokerRole::Slave, ..without_index() });
    for (queue, count) in [(0, 25), (1, 1)] {
        for _ in 0..count {
            master.put_ok(message("T", queue));
            ship(&master, &mut slave);
            settle(&mut slave);
        }
    }
    let mut slave = slave.restart(|disk| delete(disk, "consumequeue/T/0/00000000000000000400"));
    assert_eq!(slave.store.max_offset_in_queue("T", 0), 20);
    master.put_ok(message("T", 0));
    slave.env.names();
    ship(&master, &mut slave);
    settle(&mut slave);
    let misplaced =
        slave.env.steps.iter().any(|step| {
            matches!(step, Step::UnitMisplaced { expected_offset: 25, actual_offset: 20, queue_id: 0, .. })
        });
    assert!(misplaced);
    let unit = slave.store.unit("T", 0, 20).expect("appended");
    let bytes = slave.store.look_message_by_offset(unit.physical_offset).expect("replicated");
    assert_eq!(record::decode(&bytes).expect("a record").queue_offset, 25);
    assert_eq!(slave.store.max_offset_in_queue("T", 0), 21);
}

/// A slave has lost the record of T/0 and its unit, not the files. The log is cut at 94, and since T/1 reaches as far, so are
/// the queues (`ConsumeQueue.truncateDirtyLogicFiles`): T/0's first unit, all zeros, begins before 94 and is kept as it is.
/// The record comes again; of queue offset 0, it is put at the end of the queue (`putMessagePositionInfo`). The record of
/// offset 1 then counts as put already.
#[test]
fn the_first_record_of_a_queue_goes_behind_a_unit_of_zeros() {
    let mut master = Rig::new(without_index());
    let mut slave = Rig::new(StoreConfig { broker_role: BrokerRole::Slave, ..without_index() });
    master.put_ok(message("T", 1));
    master.put_ok(message("T", 0));
    ship(&master, &mut slave);
    settle(&mut slave);
    let mut slave = slave.start_again(|disk| {
        for (path, offset, len) in
            [("commitlog/00000000000000000000", 94, 94), ("consumequeue/T/0/00000000000000000000", 0, 20)]
        {
            let file = disk.find(path).expect("the file is there");
            disk.write_at(file, offset, &vec![0; len]).expect("it can be written");
        }
    });
    assert_eq!(slave.store.max_phy_offset(), 94);
    assert_eq!((slave.store.max_offset_in_queue("T", 1), slave.store.max_offset_in_queue("T", 0)), (1, 1));
    ship(&master, &mut slave);
    settle(&mut slave);
    let units = |slave: &mut Rig| {
        let end = slave.store.max_offset_in_queue("T", 0);
        (0..end).map(|at| slave.store.unit("T", 0, at).expect("in the queue")).collect::<Vec<_>>()
    };
    let zeros = Unit { physical_offset: 0, size: 0, tags_code: 0 };
    let first = Unit { physical_offset: 94, size: 94, tags_code: 0 };
    assert_eq!(units(&mut slave), [zeros, first]);
    master.put_ok(message("T", 0));
    ship(&master, &mut slave);
    settle(&mut slave);
    assert_eq!(units(&mut slave), [zeros, first]);
}

/// A slave of an empty master gets a heartbeat, and a file with it (`MappedFileQueue.getLastMappedFile`). What comes first
/// goes to the head of that file, whatever offset the master says: here that of its second file, 1024.
#[test]
fn a_slave_with_an_empty_file_takes_records_in_elsewhere_than_they_say() {
    let mut master = Rig::new(small());
    let mut slave = Rig::new(slave());
    assert!(slave.store.append_replicated(0, &[], &mut slave.env));
    master.put_many("T", 0, 12);
    assert_eq!(ship(&master, &mut slave), [188]);
    assert_eq!(slave.store.commit_log_files().collect::<Vec<_>>(), [(0, 188)]);
    settle(&mut slave);
    // The units name what the records say, 1024 and 1118, where this log has nothing.
    assert_eq!((slave.store.min_offset_in_queue("T", 0), slave.store.max_offset_in_queue("T", 0)), (10, 12));
    let unit = slave.store.unit("T", 0, 10).expect("dispatched");
    assert_eq!((unit.physical_offset, slave.store.select_one_message(1024)), (1024, None));
    assert_eq!(slave.store.select_one_message(0), master.store.select_one_message(1024));
}

/// A slave with a queue that begins in the middle answers offsets before it as they were asked.
#[test]
fn a_slave_that_began_late_answers_early_offsets() {
    let mut master = Rig::new(small());
    master.put_many("T", 0, 12);
    let mut slave = Rig::new(slave());
    ship(&master, &mut slave);
    settle(&mut slave);
    let early = slave.store.get_message("g", "T", 0, 3, 32, None).expect("readable");
    assert_eq!((early.status, early.next_begin_offset, early.min_offset), (GetMessageStatus::OffsetTooSmall, 3, 10));
    let found = slave.store.get_message("g", "T", 0, 10, 32, None).expect("readable");
    assert_eq!((found.status, found.selected.len()), (GetMessageStatus::Found, 2));
}

/// A slave that is killed finds its end by recovery and goes on from there.
#[test]
fn a_slave_goes_on_after_a_restart() {
    let mut master = Rig::new(StoreConfig { ha_transfer_batch_size: 130, ..small() });
    let mut slave = Rig::new(slave());
    master.put_many("T", 0, 5);
    for _ in 0..3 {
        let from = slave.store.max_phy_offset();
        let bytes = master.store.transfer(from).expect("more");
        assert!(slave.store.append_replicated(from, &bytes, &mut slave.env));
        settle(&mut slave);
    }
    // 390 bytes: four records of 94 and 14 bytes of the fifth, which recovery cuts off.
    assert_eq!(slave.store.max_phy_offset(), 390);
    let mut slave = slave.start_again(|_| {});
    assert_eq!(slave.store.max_phy_offset(), 376);
    ship(&master, &mut slave);
    settle(&mut slave);
    assert_eq!(slave.store.read(0, 470), master.store.read(0, 470));
    assert_eq!(slave.store.max_offset_in_queue("T", 0), 5);
}

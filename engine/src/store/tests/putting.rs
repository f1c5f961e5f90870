use super::*;
use crate::message::batch::{BatchEntry, MessageBatch, encode_client};
use crate::message::record;
use crate::store::step::Flag;
use crate::store::{AppendMessageStatus, BrokerRole, FlushDiskType};

fn status(rig: &mut Rig) -> PutMessageStatus {
    rig.put(message("T", 0)).status
}

#[test]
fn refusals_in_their_order() {
    let mut env = TestEnv::at(START);
    let mut store = Store::load(MemoryDisk::new(), small(), &mut env).expect("an empty disk");
    assert_eq!(store.put_message(&message("T", 0), &mut env).status, PutMessageStatus::ServiceNotAvailable);

    let mut rig = Rig::new(StoreConfig { broker_role: BrokerRole::Slave, ..small() });
    assert_eq!(status(&mut rig), PutMessageStatus::ServiceNotAvailable);

    let mut rig = Rig::new(small());
    rig.store.running_flags_mut().raise(Flag::DiskFull);
    assert_eq!(status(&mut rig), PutMessageStatus::ServiceNotAvailable);
    rig.store.running_flags_mut().clear(Flag::DiskFull);
    assert_eq!(status(&mut rig), PutMessageStatus::PutOk);
}

/// A lock counts as held too long after more than 1000 ms, and not after 10000000 or more.
#[test]
fn the_page_cache_is_busy_between_two_times() {
    let mut rig = Rig::new(small());
    for (held, expected) in [
        (1000, PutMessageStatus::PutOk),
        (1001, PutMessageStatus::OsPageCacheBusy),
        (9_999_999, PutMessageStatus::OsPageCacheBusy),
        (10_000_000, PutMessageStatus::PutOk),
    ] {
        rig.store.set_begin_time_in_lock(START - held);
        assert_eq!(status(&mut rig), expected, "{held} ms");
    }
}

#[test]
fn limits_are_counted_in_characters_then_in_bytes() {
    let mut rig = Rig::new(StoreConfig { mapped_file_size_commit_log: 1 << 20, ..small() });
    let long = |rig: &mut Rig, text: String| rig.put(Message { properties_text: text, ..message("T", 0) }).status;
    assert_eq!(rig.put(message(&"t".repeat(127), 0)).status, PutMessageStatus::PutOk);
    assert_eq!(rig.put(message(&"t".repeat(128), 0)).status, PutMessageStatus::MessageIllegal);
    assert_eq!(long(&mut rig, "v".repeat(32_767)), PutMessageStatus::PutOk);
    assert_eq!(long(&mut rig, "v".repeat(32_768)), PutMessageStatus::MessageIllegal);
    assert_eq!(long(&mut rig, "\u{e9}".repeat(20_000)), PutMessageStatus::PropertiesSizeExceeded);
    rig.store.config_mut().max_message_size = 1;
    assert_eq!(status(&mut rig), PutMessageStatus::MessageIllegal);
}

#[test]
fn a_put_tells_its_steps_and_where_the_bytes_went() {
    let mut rig = Rig::new(small());
    rig.env.names();
    let result = rig.put(message("T", 3));
    assert_eq!(
        rig.env.names(),
        [
            "encoded",
            "lockTaken",
            "fileCreated",
            "filePreallocated",
            "queueOffsetAssigned",
            "appended",
            "lockReleased",
            "flushRequested"
        ]
    );
    let append = result.append.expect("appended");
    assert_eq!((append.status, append.wrote_offset, append.wrote_bytes), (AppendMessageStatus::PutOk, 0, 94));
    assert_eq!((append.queue_offset, append.store_timestamp, append.msg_num), (0, START, 1));
    assert_eq!(append.msg_id(), "0A00000100002A9F0000000000000000");

    let reput = rig.store.reput(&mut rig.env);
    assert!(matches!(&reput, Reput::Dispatched(info) if info.physical_offset == 0 && &*info.topic == "T"));
    assert_eq!(rig.env.names(), ["reputRead", "queueCreated", "fileCreated", "unitWritten", "fileCreated"]);
    assert_eq!(rig.store.reput(&mut rig.env), Reput::Idle);
}

#[test]
fn queue_offsets_grow_by_queue_and_half_messages_take_none() {
    let mut rig = Rig::new(small());
    let offset = |rig: &mut Rig, message| rig.put(message).append.expect("appended").queue_offset;
    assert_eq!(offset(&mut rig, message("T", 0)), 0);
    assert_eq!(offset(&mut rig, message("T", 0)), 1);
    assert_eq!(offset(&mut rig, message("T", 1)), 0);
    for transaction in [0x4, 0xC] {
        assert_eq!(offset(&mut rig, Message { sys_flag: transaction, ..message("T", 0) }), 0);
    }
    assert_eq!(offset(&mut rig, Message { sys_flag: 0x8, ..message("T", 0) }), 2);
    rig.dispatch();
    assert_eq!(rig.store.max_offset_in_queue("T", 0), 3);
}

/// Ten records of 94 bytes fill 940 of 1024; the eleventh does not fit with 8 bytes to spare.
#[test]
fn a_file_that_is_full_ends_in_a_blank_record() {
    let mut rig = Rig::new(small());
    for _ in 0..10 {
        rig.put(message("T", 0));
    }
    rig.env.names();
    let append = rig.put(message("T", 0)).append.expect("appended");
    assert_eq!((append.wrote_offset, append.queue_offset), (1024, 10));
    let names = rig.env.names();
    assert!(names.contains(&"blankWritten".to_owned()), "{names:?}");
    assert_eq!(rig.store.read(940, 8).as_deref(), Some(&record::blank(84)[..]));
    rig.dispatch();
    assert_eq!((rig.store.max_offset_in_queue("T", 0), rig.store.reput_from_offset()), (11, 1118));
}

/// The record fits if 8 bytes are left behind it: a body of 925 bytes makes 1017 with topic `T`, 924 makes 1016.
#[test]
fn a_record_leaves_room_for_the_blank_one() {
    let with_body = |len: usize| Message { body: vec![7; len].into(), ..message("T", 0) };
    let mut rig = Rig::new(small());
    let fits = rig.put(with_body(924));
    assert!(fits.is_ok());
    assert_eq!(fits.append.map(|append| (append.wrote_offset, append.wrote_bytes)), Some((0, 1016)));

    // A record longer than a whole file: the put says OK, and the message is lost with a file full of nothing.
    let lost = rig.put(with_body(925));
    assert_eq!(lost.status, PutMessageStatus::PutOk);
    assert!(!lost.is_ok());
    let append = lost.append.expect("the second attempt's");
    assert_eq!((append.status, append.wrote_offset, append.wrote_bytes), (AppendMessageStatus::EndOfFile, 1024, 1024));
    assert_eq!(
        rig.put(message("T", 0)).append.map(|append| (append.wrote_offset, append.queue_offset)),
        Some((2048, 1))
    );
}

fn batch(bodies: &[&'static [u8]], properties: &[(&str, &str)]) -> MessageBatch {
    let entry =
        |body: &&'static [u8]| BatchEntry { flag: 0, body: Bytes::from_static(body), properties_text: String::new() };
    let entries: Vec<_> = bodies.iter().map(entry).collect();
    MessageBatch {
        topic: "T".to_owned(),
        queue_id: 0,
        sys_flag: 0,
        born_timestamp: START,
        born_host: host(1),
        store_host: host(10_911),
        reconsume_times: 0,
        properties: with(message("T", 0), properties).properties,
        body: encode_client(&entries).expect("short entries").into(),
    }
}

#[test]
fn a_batch_is_records_of_its_own_all_in_one_file() {
    let mut rig = Rig::new(small());
    for _ in 0..9 {
        rig.put(message("T", 0));
    }
    let result = rig.store.put_messages(&batch(&[b"m1", b"m2"], &[]), &mut rig.env);
    let append = result.append.expect("appended");
    assert_eq!((append.wrote_offset, append.wrote_bytes, append.msg_num), (1024, 188, 2), "both went to the next file");
    assert_eq!(append.queue_offset, 9);
    assert_eq!(append.msg_id(), "0A00000100002A9F0000000000000400,0A00000100002A9F000000000000045E");
    rig.dispatch();
    assert_eq!(rig.store.max_offset_in_queue("T", 0), 11);
}

#[test]
fn batches_that_are_refused() {
    let mut rig = Rig::new(small());
    let mut put = |batch: MessageBatch| rig.store.put_messages(&batch, &mut rig.env).status;
    assert_eq!(put(batch(&[b"m"], &[(property::DELAY, "1")])), PutMessageStatus::MessageIllegal);
    assert_eq!(put(MessageBatch { sys_flag: 0x4, ..batch(&[b"m"], &[]) }), PutMessageStatus::MessageIllegal);
    assert_eq!(put(MessageBatch { topic: "t".repeat(128), ..batch(&[b"m"], &[]) }), PutMessageStatus::MessageIllegal);
    let cut = MessageBatch { body: Bytes::from_static(b"no entry"), ..batch(&[], &[]) };
    assert_eq!(put(cut), PutMessageStatus::UnknownError);
}

/// What the answer waits for: nothing, the flush, or a slave too; and nothing for a producer that does not wait.
#[test]
fn waits() {
    let mut config = StoreConfig { flush_disk_type: FlushDiskType::SyncFlush, ..small() };
    config.broker_role = BrokerRole::SyncMaster;
    let mut rig = Rig::new(config);
    rig.store.slave_connected();
    let result = rig.put(message("T", 0));
    let flush = result.flush.expect("the flush is waited for");
    assert_eq!((flush.next_offset, flush.deadline), (94, START + 5000));
    assert_eq!(result.replica.map(|replica| replica.deadline), Some(START + 3000));
    assert_eq!(rig.store.flushed_where(), 0);
    assert!(rig.store.group_commit(94, &mut rig.env));
    assert_eq!(rig.store.flushed_where(), 94);

    let result = rig.put(with(message("T", 0), &[(property::WAIT, "false")]));
    assert_eq!((result.flush, result.replica), (None, None));
}

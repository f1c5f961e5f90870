use super::*;

/// 4 pages must wait before an ordinary round flushes; in a thorough one everything goes.
#[test]
fn rounds_of_the_flush_service() {
    let config = StoreConfig { mapped_file_size_commit_log: 1 << 20, ..small() };
    let mut rig = Rig::new(config);
    let put = |rig: &mut Rig, len: usize| rig.put(Message { body: vec![1; len].into(), ..message("T", 0) });
    put(&mut rig, 4 * 4096 - 93);
    assert_eq!(rig.store.max_phy_offset(), 16_383);
    assert!(rig.store.flush_commit_log(4, &mut rig.env), "three pages and a bit");
    put(&mut rig, 1);
    assert!(!rig.store.flush_commit_log(4, &mut rig.env));
    assert_eq!((rig.store.flushed_where(), rig.store.checkpoint().physic_msg_timestamp), (16_476, 0));
    rig.env.now += 9999;
    put(&mut rig, 1);
    assert!(rig.store.flush_commit_log(4, &mut rig.env));
    assert!(!rig.store.flush_commit_log(0, &mut rig.env));
    assert_eq!(rig.store.checkpoint().physic_msg_timestamp, START + 9999);
}

/// One call flushes one file: a full one first, the next at the next call.
#[test]
fn one_file_at_a_time() {
    let mut rig = Rig::new(small());
    for _ in 0..12 {
        rig.put(message("T", 0));
    }
    assert!(!rig.store.flush_commit_log(0, &mut rig.env));
    assert_eq!(rig.store.flushed_where(), 1024);
    assert!(!rig.store.flush_commit_log(0, &mut rig.env));
    assert_eq!(rig.store.flushed_where(), 1212);
    assert!(rig.store.flush_commit_log(0, &mut rig.env));
}

/// The checkpoint file is written by the thorough round of the queues' flush.
#[test]
fn the_checkpoint_follows_the_queues() {
    let mut rig = Rig::new(without_index());
    rig.put_many("T", 0, 2);
    let written = |rig: &Rig| {
        let file = rig.store.disk().find("checkpoint").expect("made by load");
        rig.store.disk().slice(file, 8, 8).expect("4096 bytes")
    };
    assert_eq!(rig.store.checkpoint().logics_msg_timestamp, START);
    assert_eq!(*written(&rig), [0; 8]);
    rig.store.flush_consume_queues(false, &mut rig.env);
    assert_eq!(*written(&rig), [0; 8]);
    rig.store.flush_consume_queues(true, &mut rig.env);
    assert_eq!(*written(&rig), START.to_be_bytes());
    assert_eq!(rig.store.queue("T", 0).map(crate::store::ConsumeQueue::flushed_where), Some(40));
}

fn pooled() -> StoreConfig {
    StoreConfig { transient_store_pool_enable: true, transient_store_pool_size: 2, ..small() }
}

/// With a transient pool a message is nowhere but in the buffer until it is committed.
#[test]
fn a_transient_buffer_hides_what_is_not_committed() {
    let mut rig = Rig::new(pooled());
    rig.put(message("T", 0));
    assert_eq!((rig.store.max_wrote_offset(), rig.store.max_phy_offset()), (94, 0));
    assert_eq!(rig.store.reput(&mut rig.env), Reput::Idle);
    assert!(!rig.store.commit_commit_log(0, &mut rig.env));
    assert_eq!((rig.store.committed_where(), rig.store.max_phy_offset()), (94, 94));
    rig.dispatch();
    assert_eq!(rig.store.max_offset_in_queue("T", 0), 1);
    assert!(rig.store.commit_commit_log(0, &mut rig.env), "nothing changed");
}

/// A buffer goes back to the pool when its file is full and committed.
#[test]
fn buffers_go_round() {
    let mut rig = Rig::new(pooled());
    rig.put(message("T", 0));
    assert_eq!(rig.store.transient_buffers_left(), Some(0), "one for the file, one for the next");
    for _ in 0..10 {
        rig.put(message("T", 0));
    }
    rig.store.commit_commit_log(0, &mut rig.env);
    assert_eq!((rig.store.committed_where(), rig.store.transient_buffers_left()), (1024, Some(1)));
    let rig = rig.restart(|_| {});
    assert_eq!((rig.store.max_phy_offset(), rig.store.max_wrote_offset()), (1118, 1118), "the stop committed the rest");
}

/// Nobody clears a buffer: behind a blank record stands what the file before had there, and the commit writes it.
#[test]
fn a_buffer_keeps_what_it_held() {
    let mut rig = Rig::new(pooled());
    let put = |rig: &mut Rig, size: usize| {
        let body = vec![b'x'; size - 92];
        assert!(rig.put(Message { body: body.into(), ..message("T", 0) }).is_ok());
        while !rig.store.commit_commit_log(0, &mut rig.env) {}
    };
    // 1016 bytes and a blank record of 8 fill the first file, whose buffer then goes to the fourth: the second took the
    // other one, the third had none. Each of the others is full after 500 bytes and a blank record.
    for size in [1016, 500, 1000, 500, 600] {
        put(&mut rig, size);
    }
    let bytes = |start: i64| {
        let disk = rig.store.disk();
        let file = disk.find(&format!("commitlog/{start:020}")).expect("the file is there");
        disk.slice(file, 508, 516).expect("to its end")
    };
    assert_eq!(rig.store.max_phy_offset(), 4 * 1024 + 600);
    assert_eq!(bytes(3072), bytes(0), "the rest of the record of 1016 bytes, and the blank record behind it");
    assert!(bytes(1024).iter().all(|byte| *byte == 0), "a fresh buffer holds zeros");
}

#[test]
fn an_empty_pool_fails_fast_if_told_so() {
    let config = StoreConfig { fast_fail_if_no_buffer_in_store_pool: true, transient_store_pool_size: 0, ..pooled() };
    assert_eq!(Rig::new(config).put(message("T", 0)).status, PutMessageStatus::CreateMappedFileFailed);
    let config = StoreConfig { transient_store_pool_size: 0, ..pooled() };
    let mut rig = Rig::new(config);
    assert_eq!(rig.put(message("T", 0)).status, PutMessageStatus::PutOk);
    assert_eq!(rig.store.max_phy_offset(), 94, "without a buffer the file is written itself");
}

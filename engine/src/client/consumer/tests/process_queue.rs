use std::sync::Arc;

use bytes::Bytes;

use super::{message, messages};
use crate::client::{Received, consumer::ProcessQueue};

fn queue(offsets: impl IntoIterator<Item = i64>) -> ProcessQueue {
    let mut queue = ProcessQueue::new(0);
    queue.put(messages(offsets));
    queue
}

fn remove(queue: &mut ProcessQueue, offset: i64) -> Option<i64> {
    queue.remove([&message(offset)], 0)
}

fn offsets(messages: &[Arc<Received>]) -> Vec<i64> {
    messages.iter().map(|message| message.queue_offset).collect()
}

#[test]
fn the_commit_offset_is_the_first_that_is_not_done_with() {
    let mut queue = queue(5..9);
    assert_eq!(remove(&mut queue, 6), Some(5));
    assert_eq!(remove(&mut queue, 8), Some(5));
    assert_eq!(remove(&mut queue, 5), Some(7));
    assert_eq!(remove(&mut queue, 7), Some(9));
    // Empty: nothing to commit.
    assert_eq!(remove(&mut queue, 7), None);
    assert_eq!((queue.count(), queue.size(), queue.first_offset()), (0, 0, None));
}

#[test]
fn the_offset_behind_the_last_counts_gaps() {
    // The tag filter has taken 11 and 12 away.
    let mut queue = queue([10, 13]);
    assert_eq!(queue.span(), 3);
    assert_eq!(remove(&mut queue, 10), Some(13));
    assert_eq!(remove(&mut queue, 13), Some(14));
}

#[test]
fn a_message_that_is_not_there_is_not_counted() {
    let mut queue = queue([1, 2]);
    assert_eq!(remove(&mut queue, 7), Some(1));
    assert_eq!(queue.count(), 2);
}

#[test]
fn a_message_pulled_again_is_counted_once_and_begins_anew() {
    let mut queue = ProcessQueue::new(0);
    assert!(queue.put(messages(0..3)));
    queue.begin([0], 40);
    assert!(!queue.put([Arc::new(Received { body: Bytes::from_static(b"longer"), ..message(0) })]));
    assert_eq!((queue.count(), queue.size(), queue.queue_offset_max(), queue.begun_ms(0)), (3, 3, 2, None));
}

#[test]
fn sizes_are_those_of_the_bodies() {
    let mut queue = ProcessQueue::new(0);
    let long = Received { body: Bytes::from(vec![0; 1000]), ..message(1) };
    queue.put([Arc::new(message(0)), Arc::new(long.clone())]);
    assert_eq!(queue.size(), 1001);
    queue.remove([&long], 7);
    assert_eq!((queue.size(), queue.last_consume_ms()), (1, 7));
}

#[test]
fn one_task_at_a_time_takes_messages() {
    let mut queue = ProcessQueue::new(0);
    assert!(!queue.put([]));
    assert!(queue.put(messages(0..3)));
    assert!(!queue.put(messages(3..4)));
    assert_eq!(offsets(&queue.take(2, 9)), [0, 1]);
    assert_eq!((queue.count(), queue.first_offset(), queue.lowest_unfinished()), (4, Some(2), Some(0)));
    assert_eq!(queue.commit(), Some(2));
    assert_eq!(offsets(&queue.take(2, 9)), [2, 3]);
    assert_eq!(queue.commit(), Some(4));
    assert!(queue.take(2, 9).is_empty());
    assert_eq!((queue.count(), queue.size(), queue.commit()), (0, 0, None));
    // The task is over, so the next message begins another.
    assert!(queue.put(messages(4..5)));
}

#[test]
fn what_is_rolled_back_waits_again_in_its_place() {
    let mut queue = queue(0..4);
    queue.take(2, 0);
    queue.roll_back();
    assert_eq!((queue.count(), queue.taken().len(), queue.first_offset()), (4, 0, Some(0)));
    let taken = queue.take(3, 0);
    queue.consume_again(taken.into_iter().skip(1));
    assert_eq!((queue.first_offset(), queue.taken().len()), (Some(1), 1));
    assert_eq!(queue.commit(), Some(1));
    assert_eq!((queue.count(), queue.size()), (3, 3));
}

#[test]
fn a_reconsumption_is_counted_wherever_the_message_is() {
    let mut queue = queue(0..2);
    queue.take(1, 0);
    assert_eq!(queue.count_again(0).unwrap().reconsume_times, 1);
    assert_eq!(queue.count_again(1).unwrap().reconsume_times, 1);
    assert_eq!(queue.count_again(1).unwrap().reconsume_times, 2);
    assert!(queue.count_again(2).is_none());
    assert_eq!(queue.waiting().get(&1).unwrap().reconsume_times, 2);
}

#[test]
fn the_first_message_expires_after_its_call_began() {
    let mut queue = queue(0..2);
    assert!(queue.expired(900_000, i64::MAX).is_none());
    queue.begin([1], 100);
    assert!(queue.expired(900_000, i64::MAX).is_none());
    queue.begin([0, 7], 100);
    assert!(queue.expired(900_000, 900_100).is_none());
    assert_eq!(queue.expired(900_000, 900_101).unwrap().queue_offset, 0);
    assert_eq!(queue.begun_ms(7), None);
    remove(&mut queue, 0);
    assert_eq!(queue.expired(900_000, 900_101).unwrap().queue_offset, 1);
}

#[test]
fn a_clone_of_a_world_keeps_its_own() {
    let mut queue = queue(0..2);
    let other = queue.clone();
    queue.count_again(0);
    remove(&mut queue, 1);
    assert_eq!((other.count(), other.waiting().get(&0).unwrap().reconsume_times), (2, 0));
}

#[test]
fn locks_and_pulls_expire() {
    let mut queue = ProcessQueue::new(1_000);
    assert!(!queue.is_locked() && !queue.is_dropped());
    queue.set_locked(5_000);
    assert!(queue.is_locked() && !queue.is_lock_expired(30_000, 35_000) && queue.is_lock_expired(30_000, 35_001));
    queue.set_unlocked();
    assert!(!queue.is_locked() && queue.last_lock_ms() == 5_000);
    assert!(!queue.is_pull_expired(120_000, 121_000) && queue.is_pull_expired(120_000, 121_001));
    queue.pulling(121_000);
    assert!(!queue.is_pull_expired(120_000, 121_001));
    queue.set_dropped();
    queue.unlock_tried();
    assert!(queue.is_dropped() && queue.unlock_tries() == 1);
}

#[test]
fn what_is_behind_is_told_by_the_last_pull() {
    let mut queue = ProcessQueue::new(0);
    queue.put([Arc::new(Received { queue_range: Some((0, 50)), ..message(9) })]);
    assert_eq!(queue.behind(), 41);
    queue.put(messages([10]));
    assert_eq!(queue.behind(), 41);
    queue.clear();
    assert_eq!((queue.count(), queue.size(), queue.queue_offset_max(), queue.waiting().len()), (0, 0, 0, 0));
}

//! How far each queue is consumed, at its broker and in its members' hands.

use std::collections::BTreeSet;

use super::{
    super::saved_offsets::saved_offsets,
    HolderPicture, LockPicture, OwnLockPicture, PullingPicture, QueuePicture,
    gather::{Master, Member, Seen},
    in_hand,
};
use crate::{
    client::{
        PullQueue,
        consumer::{Block, ListenerKind, OwnQueue, ProcessQueue, PullState},
    },
    store::ConsumeQueue,
    wire::TopicQueue,
};

/// Every queue of a topic that a member subscribes, and every other that a member has.
pub(super) fn queues(seen: &Seen<'_>) -> Vec<QueuePicture> {
    let topics: BTreeSet<&String> = seen.members.iter().flat_map(|member| member.push.subscriptions().keys()).collect();
    let mut queues: BTreeSet<PullQueue> =
        seen.members.iter().flat_map(|member| member.push.queues().keys().cloned()).collect();
    for master in &seen.masters {
        let Some(process) = master.process() else { continue };
        for topic in topics.iter().filter_map(|topic| process.topics().get(topic)) {
            queues.extend((0..topic.read_queue_nums).map(|queue_id| PullQueue {
                topic: topic.topic_name.clone(),
                broker_name: master.name.to_owned(),
                queue_id,
            }));
        }
    }
    queues.into_iter().map(|queue| picture(seen, queue)).collect()
}

fn picture(seen: &Seen<'_>, queue: PullQueue) -> QueuePicture {
    let master = seen.masters.iter().find(|master| master.name == queue.broker_name);
    let process = master.and_then(Master::process);
    let consume_queue = process.and_then(|process| process.store().queue(&queue.topic, queue.queue_id));
    let committed = process.and_then(|process| process.offsets().query(seen.group, &queue.topic, queue.queue_id));
    let holders = seen.members.iter().filter_map(|member| {
        let own = member.push.queues().get(&queue)?;
        Some(holder(seen, member, &queue, own))
    });
    QueuePicture {
        min: process.map(|_| consume_queue.map_or(0, ConsumeQueue::min_offset_in_queue)),
        max: process.map(|_| consume_queue.map_or(0, ConsumeQueue::max_offset_in_queue)),
        committed,
        persisted: master.and_then(|master| persisted(seen, master, &queue)),
        lock: master.and_then(|master| lock(seen, master, &queue)),
        holders: holders.collect(),
        queue,
    }
}

fn persisted(seen: &Seen<'_>, master: &Master<'_>, queue: &PullQueue) -> Option<i64> {
    // A file that cannot be read tells nothing; the recovery panel says why.
    let saved = saved_offsets(master.broker.disk()).ok()?;
    let of = saved
        .into_iter()
        .find(|saved| saved.group == seen.group && saved.topic == queue.topic && saved.queue_id == queue.queue_id);
    of.map(|saved| saved.offset)
}

fn lock(seen: &Seen<'_>, master: &Master<'_>, queue: &PullQueue) -> Option<LockPicture> {
    let PullQueue { topic, broker_name, queue_id } = queue.clone();
    let locks = master.process()?.locks().table().get(seen.group)?;
    let entry = locks.get(&TopicQueue { topic, broker_name, queue_id })?;
    Some(LockPicture { client_id: entry.client_id.clone(), left_ms: entry.left_ms(master.now_ms) })
}

fn holder(seen: &Seen<'_>, member: &Member<'_>, queue: &PullQueue, own: &OwnQueue) -> HolderPicture {
    let process_queue = own.process_queue();
    let (messages, more) = in_hand::messages(seen, member, queue, process_queue);
    HolderPicture {
        node: member.node.name.to_owned(),
        offset: member.push.offsets().get(queue),
        file: member.push.saved_offset(queue),
        next_offset: own.next_offset(),
        pulling: pulling(member, own),
        dropped: process_queue.is_dropped(),
        lock: (member.push.listener().kind == ListenerKind::Orderly).then(|| own_lock(seen, member, process_queue)),
        count: process_queue.count(),
        size: process_queue.size(),
        span: process_queue.span(),
        lowest_unfinished: process_queue.lowest_unfinished(),
        messages,
        more,
    }
}

fn own_lock(seen: &Seen<'_>, member: &Member<'_>, process_queue: &ProcessQueue) -> OwnLockPicture {
    let now_ms = seen.world.node_wall_ms(member.node.name).unwrap_or(0);
    let live_ms = member.push.config().lock_max_live_time;
    let age_ms = now_ms.saturating_sub(process_queue.last_lock_ms());
    let locked = process_queue.is_locked();
    OwnLockPicture { locked, left_ms: if locked { live_ms.saturating_sub(age_ms).max(0) } else { 0 } }
}

fn pulling(member: &Member<'_>, own: &OwnQueue) -> PullingPicture {
    let (config, process_queue) = (member.push.config(), own.process_queue());
    match own.pulling() {
        PullState::Queued => PullingPicture::Queued,
        PullState::Asked(since_us) => PullingPicture::Asked { since_us },
        PullState::Later(at_us) => PullingPicture::Later { at_us },
        PullState::Blocked(Block::Count, _) => {
            PullingPicture::Count { value: process_queue.count(), most: config.pull_threshold_for_queue.into() }
        }
        PullState::Blocked(Block::Size, _) => PullingPicture::Size {
            value: process_queue.size() >> 20,
            most: config.pull_threshold_size_for_queue.into(),
        },
        PullState::Blocked(Block::Span, _) => {
            PullingPicture::Span { value: process_queue.span(), most: config.consume_concurrently_max_span.into() }
        }
        PullState::Blocked(Block::Suspended, _) => PullingPicture::Suspended,
        PullState::Blocked(Block::NotLocked, _) => PullingPicture::NotLocked,
        PullState::Blocked(Block::NotSubscribed, _) => PullingPicture::NotSubscribed,
        PullState::Gone => PullingPicture::Gone,
    }
}

//! Equal parts.

use crate::client::PullQueue;

/// `AllocateMessageQueueAveragely`: the part of the member at `place` of `members`.
pub(super) fn in_runs(place: usize, queues: &[PullQueue], members: usize) -> Vec<PullQueue> {
    let Some(more) = queues.len().checked_rem(members) else {
        return Vec::new();
    };
    let usual = queues.len() / members;
    let (begin, count) = match (queues.len() <= members, place < more) {
        (true, _) => (place, 1),
        (false, true) => (place * (usual + 1), usual + 1),
        (false, false) => (place * usual + more, usual),
    };
    queues.iter().skip(begin).take(count).cloned().collect()
}

/// `AllocateMessageQueueAveragelyByCircle`.
pub(super) fn by_circle(place: usize, queues: &[PullQueue], members: usize) -> Vec<PullQueue> {
    queues.iter().skip(place).step_by(members.max(1)).cloned().collect()
}

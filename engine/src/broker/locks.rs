//! Which consumer of a group has a queue for itself, for consuming in order (`RebalanceLockManager`). In memory only: a
//! restart forgets every lock.

use std::collections::BTreeMap;

use super::Process;
use crate::{
    node::{ConnId, GroupStep, Turn},
    wire::{LockBatch, Response, ResponseBody, TopicQueue},
};

/// A lock that has not been renewed for longer is free (`rocketmq.broker.rebalance.lockMaxLiveTime`), milliseconds.
const LOCK_MAX_LIVE_MS: i64 = 60_000;

/// A lock (`LockEntry`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockEntry {
    /// Who has it: a client id. Two clients with the same id share it.
    pub client_id: String,
    /// When it was last asked for by its owner, by the broker's clock, milliseconds since the epoch.
    pub last_update_ms: i64,
}

impl LockEntry {
    /// How much longer it is good for at `now_ms` without being renewed, milliseconds; 0: anybody may take it.
    pub fn left_ms(&self, now_ms: i64) -> i64 {
        if self.is_expired(now_ms) {
            return 0;
        }
        LOCK_MAX_LIVE_MS.saturating_sub(now_ms.saturating_sub(self.last_update_ms))
    }

    /// Whether anybody may take it at `now_ms`.
    pub const fn is_expired(&self, now_ms: i64) -> bool {
        now_ms.saturating_sub(self.last_update_ms) > LOCK_MAX_LIVE_MS
    }
}

/// The lock table: group to queue to lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locks {
    table: BTreeMap<String, BTreeMap<TopicQueue, LockEntry>>,
}

/// What becomes of a wish for a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wish {
    /// It was free.
    Taken,
    /// The consumer had it.
    Renewed,
    /// The lock had expired, the consumer's own or another's.
    TakenOver(LockEntry),
    /// Another consumer has it.
    Refused(LockEntry),
}

impl Locks {
    /// Group to queue to lock.
    pub const fn table(&self) -> &BTreeMap<String, BTreeMap<TopicQueue, LockEntry>> {
        &self.table
    }

    fn lock(&mut self, group: &str, queue: &TopicQueue, client_id: &str, now_ms: i64) -> Wish {
        let locks = self.table.entry(group.to_owned()).or_default();
        let mine = LockEntry { client_id: client_id.to_owned(), last_update_ms: now_ms };
        let Some(entry) = locks.get_mut(queue) else {
            locks.insert(queue.clone(), mine);
            return Wish::Taken;
        };
        let expired = entry.is_expired(now_ms);
        if entry.client_id != client_id && !expired {
            return Wish::Refused(entry.clone());
        }
        let before = std::mem::replace(entry, mine);
        if expired { Wish::TakenOver(before) } else { Wish::Renewed }
    }

    /// The rounds in which a member of a group renews its locks have passed unseen, the last of them at `at_ms`.
    fn renew_all(&mut self, group: &str, client_id: &str, at_ms: i64) {
        let locks = self.table.get_mut(group).into_iter().flat_map(BTreeMap::values_mut);
        for lock in locks.filter(|lock| lock.client_id == client_id) {
            lock.last_update_ms = lock.last_update_ms.max(at_ms);
        }
    }

    /// Gives a queue back, even after its lock has expired, unless another has it by now; who that is, or that nobody has it.
    fn unlock(&mut self, group: &str, queue: &TopicQueue, client_id: &str) -> Result<(), Option<String>> {
        let locks = self.table.get_mut(group).ok_or(None)?;
        match locks.get(queue) {
            Some(entry) if entry.client_id == client_id => {
                locks.remove(queue);
                Ok(())
            }
            other => Err(other.map(|entry| entry.client_id.clone())),
        }
    }
}

impl Process {
    /// The lock table.
    pub const fn locks(&self) -> &Locks {
        &self.locks
    }

    /// Rounds of locking over a connection have passed unseen, the last of them received at `at_ms`.
    pub(super) fn locks_passed(&mut self, conn: ConnId, at_ms: i64) {
        let groups = self.clients.groups().iter();
        let members =
            groups.filter_map(|(group, state)| Some((group.clone(), state.channels.get(&conn)?.client_id.clone())));
        for (group, client_id) in members.collect::<Vec<_>>() {
            self.locks.renew_all(&group, &client_id, at_ms);
        }
    }

    /// `tryLockBatch`: those queues of the request that the consumer has now.
    pub(super) fn lock_batch(&mut self, request: &LockBatch, turn: &mut Turn<'_>) -> Response {
        let LockBatch { consumer_group, client_id, mq_set } = request;
        let now_ms = turn.wall_ms();
        let mut locked = Vec::new();
        for queue in mq_set {
            let wish = self.locks.lock(consumer_group, queue, client_id, now_ms);
            if !matches!(wish, Wish::Refused(_)) {
                locked.push(queue.clone());
            }
            let (group, client_id, queue) = (consumer_group.clone(), client_id.clone(), queue.clone());
            let TopicQueue { topic, queue_id, .. } = queue;
            turn.step(match wish {
                Wish::Taken => GroupStep::QueueLocked { group, topic, queue_id, client_id },
                Wish::Renewed => GroupStep::LockRenewed { group, topic, queue_id, client_id },
                Wish::TakenOver(before) => GroupStep::LockTakenOver {
                    group,
                    topic,
                    queue_id,
                    client_id,
                    before: before.client_id,
                    idle_ms: now_ms.saturating_sub(before.last_update_ms),
                },
                Wish::Refused(owner) => GroupStep::LockRefused {
                    group,
                    topic,
                    queue_id,
                    client_id,
                    owner: owner.client_id,
                    idle_ms: now_ms.saturating_sub(owner.last_update_ms),
                },
            });
        }
        Response::success(ResponseBody::LockedQueues(locked))
    }

    /// `unlockBatch`: the consumer gives queues back. That is answered with success, whoever has them.
    pub(super) fn unlock_batch(&mut self, request: &LockBatch, turn: &mut Turn<'_>) -> Response {
        let LockBatch { consumer_group, client_id, mq_set } = request;
        for queue in mq_set {
            let unlocked = self.locks.unlock(consumer_group, queue, client_id);
            let (group, client_id, topic) = (consumer_group.clone(), client_id.clone(), queue.topic.clone());
            let queue_id = queue.queue_id;
            turn.step(match unlocked {
                Ok(()) => GroupStep::QueueUnlocked { group, topic, queue_id, client_id },
                Err(owner) => GroupStep::UnlockIgnored { group, topic, queue_id, client_id, owner },
            });
        }
        Response::success(ResponseBody::None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(queue_id: i32) -> TopicQueue {
        TopicQueue { topic: "T".to_owned(), broker_name: "broker-a".to_owned(), queue_id }
    }

    fn entry(client_id: &str, last_update_ms: i64) -> LockEntry {
        LockEntry { client_id: client_id.to_owned(), last_update_ms }
    }

    /// 60000 ms: a lock lives so long, and a millisecond more is too much.
    #[test]
    fn a_lock_is_its_owners_until_it_has_not_been_renewed_for_longer_than_a_minute() {
        let mut locks = Locks::default();
        assert_eq!(locks.lock("G", &queue(0), "a", 1_000), Wish::Taken);
        assert_eq!(locks.lock("G", &queue(0), "b", 61_000), Wish::Refused(entry("a", 1_000)));
        assert_eq!(locks.lock("G", &queue(0), "a", 61_000), Wish::Renewed);
        assert_eq!(locks.lock("G", &queue(0), "b", 121_000), Wish::Refused(entry("a", 61_000)));
        assert_eq!(locks.lock("G", &queue(0), "b", 121_001), Wish::TakenOver(entry("a", 61_000)));
        assert_eq!(locks.lock("G", &queue(0), "a", 121_001), Wish::Refused(entry("b", 121_001)));
        assert_eq!(locks.lock("G", &queue(0), "b", 200_000), Wish::TakenOver(entry("b", 121_001)), "its own, expired");
    }

    #[test]
    fn groups_and_queues_have_locks_of_their_own() {
        let mut locks = Locks::default();
        assert_eq!(locks.lock("G", &queue(0), "a", 0), Wish::Taken);
        assert_eq!(locks.lock("G", &queue(1), "b", 0), Wish::Taken);
        assert_eq!(locks.lock("H", &queue(0), "b", 0), Wish::Taken);
    }

    #[test]
    fn only_the_owner_gives_a_lock_back() {
        let mut locks = Locks::default();
        locks.lock("G", &queue(0), "a", 0);
        assert_eq!(locks.unlock("G", &queue(0), "b"), Err(Some("a".to_owned())));
        assert_eq!(locks.unlock("G", &queue(1), "a"), Err(None));
        assert_eq!(locks.unlock("H", &queue(0), "a"), Err(None));
        assert_eq!(locks.unlock("G", &queue(0), "a"), Ok(()));
        assert_eq!(locks.lock("G", &queue(0), "b", 1), Wish::Taken);
    }
}

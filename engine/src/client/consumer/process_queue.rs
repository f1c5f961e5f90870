//! What a consumer has of one queue: the messages that are pulled and not done with (`ProcessQueue`).

use std::sync::Arc;

use imbl::OrdMap;

use crate::client::Received;

/// The messages of one queue between pull and commit, and the queue's state at this consumer. Times are the client's
/// clock, milliseconds since the epoch.
#[derive(Clone, Debug)]
pub struct ProcessQueue {
    /// `msgTreeMap`: pulled, by queue offset.
    waiting: OrdMap<i64, Arc<Received>>,
    /// `consumingMsgOrderlyTreeMap`: those of them that an orderly listener has.
    taken: OrdMap<i64, Arc<Received>>,
    /// When a listener was called with a message first (`CONSUME_START_TIME`), by queue offset.
    begun_ms: OrdMap<i64, i64>,
    count: i64,
    size: i64,
    queue_offset_max: i64,
    behind: i64,
    consuming: bool,
    dropped: bool,
    locked: bool,
    last_lock_ms: i64,
    last_pull_ms: i64,
    last_consume_ms: i64,
    unlock_tries: u64,
}

impl ProcessQueue {
    /// An empty one, not locked.
    pub fn new(now_ms: i64) -> Self {
        Self {
            waiting: OrdMap::new(),
            taken: OrdMap::new(),
            begun_ms: OrdMap::new(),
            count: 0,
            size: 0,
            queue_offset_max: 0,
            behind: 0,
            consuming: false,
            dropped: false,
            locked: false,
            last_lock_ms: now_ms,
            last_pull_ms: now_ms,
            last_consume_ms: now_ms,
            unlock_tries: 0,
        }
    }

    /// Takes in what was pulled (`putMessage`). Whether an orderly service is to begin a task: messages wait, and none is
    /// running. A message at an offset that is there already takes the place of the other and is not counted.
    pub fn put(&mut self, messages: impl IntoIterator<Item = Arc<Received>>) -> bool {
        for message in messages {
            let offset = message.queue_offset;
            self.behind = match message.queue_range {
                Some((_, end)) if end > offset => end - offset,
                _ => self.behind,
            };
            self.begun_ms.remove(&offset);
            let size = size_of(&message);
            if self.waiting.insert(offset, message).is_none() {
                self.count += 1;
                self.size += size;
                self.queue_offset_max = offset;
            }
        }
        let begins = !self.waiting.is_empty() && !self.consuming;
        self.consuming |= begins;
        begins
    }

    /// A concurrent listener is done with these (`removeMessage`). The offset to commit: that of the first message that is
    /// not done with, or the one behind the last that was pulled. `None`, 4.9.8's -1: nothing was there.
    pub fn remove<'a>(&mut self, messages: impl IntoIterator<Item = &'a Received>, now_ms: i64) -> Option<i64> {
        self.last_consume_ms = now_ms;
        if self.waiting.is_empty() {
            return None;
        }
        for message in messages {
            if self.waiting.remove(&message.queue_offset).is_some() {
                self.begun_ms.remove(&message.queue_offset);
                self.count -= 1;
                self.size -= size_of(message);
            }
        }
        self.size = if self.count == 0 { 0 } else { self.size };
        Some(self.first_offset().unwrap_or_else(|| self.queue_offset_max.saturating_add(1)))
    }

    /// Hands the first messages, `most` at most, to an orderly listener (`takeMessages`). When there are none, the task of
    /// the queue is over, and the next [`put`](Self::put) begins another.
    pub fn take(&mut self, most: usize, now_ms: i64) -> Vec<Arc<Received>> {
        self.last_consume_ms = now_ms;
        let mut messages = Vec::new();
        while messages.len() < most
            && let Some((offset, message)) = self.waiting.get_min().cloned()
        {
            self.waiting.remove(&offset);
            self.taken.insert(offset, Arc::clone(&message));
            messages.push(message);
        }
        self.consuming &= !messages.is_empty();
        messages
    }

    /// An orderly listener is done with what it has (`commit`): the offset behind the last of it. `None` if it has nothing,
    /// where 4.9.8 throws `NoSuchElementException`.
    pub fn commit(&mut self) -> Option<i64> {
        let (last, _) = self.taken.get_max()?;
        let next = last.saturating_add(1);
        for (offset, message) in std::mem::take(&mut self.taken) {
            self.begun_ms.remove(&offset);
            self.count -= 1;
            self.size -= size_of(&message);
        }
        self.size = if self.count == 0 { 0 } else { self.size };
        Some(next)
    }

    /// Everything that an orderly listener has waits again (`rollback`).
    pub fn roll_back(&mut self) {
        for (offset, message) in std::mem::take(&mut self.taken) {
            self.waiting.insert(offset, message);
        }
    }

    /// These wait again (`makeMessageToConsumeAgain`).
    pub fn consume_again(&mut self, messages: impl IntoIterator<Item = Arc<Received>>) {
        for message in messages {
            self.taken.remove(&message.queue_offset);
            self.waiting.insert(message.queue_offset, message);
        }
    }

    /// A listener is called with the messages at these offsets: `CONSUME_START_TIME` of each. Of one that is called with a
    /// second time, the later call counts.
    pub fn begin(&mut self, offsets: impl IntoIterator<Item = i64>, now_ms: i64) {
        for offset in offsets {
            if self.waiting.contains_key(&offset) || self.taken.contains_key(&offset) {
                self.begun_ms.insert(offset, now_ms);
            }
        }
    }

    /// The message at an offset counts one reconsumption more, here alone: the broker is told nothing
    /// (`setReconsumeTimes`). The message as it is then; `None` if it is not here.
    pub fn count_again(&mut self, offset: i64) -> Option<Arc<Received>> {
        let message = match self.waiting.get_mut(&offset) {
            Some(message) => message,
            None => self.taken.get_mut(&offset)?,
        };
        let counted = Arc::make_mut(message);
        counted.reconsume_times = counted.reconsume_times.saturating_add(1);
        Some(Arc::clone(message))
    }

    /// The first message, if a listener was called with it longer than `timeout_ms` ago: what `cleanExpiredMsg` gives back.
    pub fn expired(&self, timeout_ms: i64, now_ms: i64) -> Option<&Arc<Received>> {
        let (offset, message) = self.waiting.get_min()?;
        let begun_ms = self.begun_ms.get(offset)?;
        (now_ms.saturating_sub(*begun_ms) > timeout_ms).then_some(message)
    }

    /// Forgets all messages (`clear`).
    pub fn clear(&mut self) {
        self.waiting.clear();
        self.taken.clear();
        self.begun_ms.clear();
        (self.count, self.size, self.queue_offset_max) = (0, 0, 0);
    }

    /// Distance from the first message to the last of those that wait (`getMaxSpan`).
    pub fn span(&self) -> i64 {
        let ends = self.waiting.get_min().zip(self.waiting.get_max());
        ends.map_or(0, |((first, _), (last, _))| last.saturating_sub(*first))
    }

    /// The messages that wait, or that concurrent listeners have, by queue offset.
    pub const fn waiting(&self) -> &OrdMap<i64, Arc<Received>> {
        &self.waiting
    }

    /// The messages that an orderly listener has, by queue offset.
    pub const fn taken(&self) -> &OrdMap<i64, Arc<Received>> {
        &self.taken
    }

    /// The first offset that waits: that of the first message which holds the commit offset back.
    pub fn first_offset(&self) -> Option<i64> {
        self.waiting.get_min().map(|(offset, _)| *offset)
    }

    /// The first offset that is not done with, an orderly listener's included.
    pub fn lowest_unfinished(&self) -> Option<i64> {
        let taken = self.taken.get_min().map(|(offset, _)| *offset);
        self.first_offset().into_iter().chain(taken).min()
    }

    /// When a listener was called with the message at an offset, the last time.
    pub fn begun_ms(&self, offset: i64) -> Option<i64> {
        self.begun_ms.get(&offset).copied()
    }

    /// Messages that are not done with (`msgCount`).
    pub const fn count(&self) -> i64 {
        self.count
    }

    /// Bytes of their bodies, decompressed (`msgSize`).
    pub const fn size(&self) -> i64 {
        self.size
    }

    /// The offset that was pulled last (`queueOffsetMax`).
    pub const fn queue_offset_max(&self) -> i64 {
        self.queue_offset_max
    }

    /// How far the last pulled message was from the queue's end when it was pulled (`msgAccCnt`).
    pub const fn behind(&self) -> i64 {
        self.behind
    }

    /// Whether the queue is taken away from this consumer: what its listeners still come to is not used.
    pub const fn is_dropped(&self) -> bool {
        self.dropped
    }

    /// Takes it away.
    pub const fn set_dropped(&mut self) {
        self.dropped = true;
    }

    /// Whether a broker has said that this consumer holds the queue's lock.
    pub const fn is_locked(&self) -> bool {
        self.locked
    }

    /// A broker has said that it holds the lock, as of now.
    pub const fn set_locked(&mut self, now_ms: i64) {
        self.locked = true;
        self.last_lock_ms = now_ms;
    }

    /// A broker has said that it does not.
    pub const fn set_unlocked(&mut self) {
        self.locked = false;
    }

    /// Whether a broker has said so longer than `live_ms` ago (`isLockExpired`).
    pub const fn is_lock_expired(&self, live_ms: i64, now_ms: i64) -> bool {
        now_ms.saturating_sub(self.last_lock_ms) > live_ms
    }

    /// When a broker said so last.
    pub const fn last_lock_ms(&self) -> i64 {
        self.last_lock_ms
    }

    /// A pull begins.
    pub const fn pulling(&mut self, now_ms: i64) {
        self.last_pull_ms = now_ms;
    }

    /// Whether the last pull began longer than `idle_ms` ago (`isPullExpired`).
    pub const fn is_pull_expired(&self, idle_ms: i64, now_ms: i64) -> bool {
        now_ms.saturating_sub(self.last_pull_ms) > idle_ms
    }

    /// When the last pull began.
    pub const fn last_pull_ms(&self) -> i64 {
        self.last_pull_ms
    }

    /// When messages were last taken or done with.
    pub const fn last_consume_ms(&self) -> i64 {
        self.last_consume_ms
    }

    /// A listener ran when the lock was to be given back (`incTryUnlockTimes`).
    pub const fn unlock_tried(&mut self) {
        self.unlock_tries = self.unlock_tries.saturating_add(1);
    }

    /// How often that was so.
    pub const fn unlock_tries(&self) -> u64 {
        self.unlock_tries
    }
}

fn size_of(message: &Received) -> i64 {
    i64::try_from(message.body.len()).unwrap_or(i64::MAX)
}

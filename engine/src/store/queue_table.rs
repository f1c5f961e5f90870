//! All queues of the store, and the next queue offset of each.

use std::sync::Arc;

use super::consume_queue::ConsumeQueue;

/// Topics in order of their names, each with its queues. One table serves what are two in 4.9.8 (`topicQueueTable` and
/// `consumeQueueTable`), so that a topic's name is kept once and a look-up makes no new one.
#[derive(Clone, Debug, Default)]
pub(super) struct QueueTable {
    topics: Vec<Topic>,
    /// Where the last look-up ended; the next is often for the same topic.
    recent: usize,
}

#[derive(Clone, Debug)]
struct Topic {
    name: Arc<str>,
    queues: Vec<QueueState>,
}

/// What the store keeps of one queue.
#[derive(Clone, Debug)]
pub(super) struct QueueState {
    pub(super) topic: Arc<str>,
    pub(super) queue_id: i32,
    /// The queue offset of the next message; absent until one is asked for or recovered.
    pub(super) next_offset: Option<i64>,
    /// The ConsumeQueue; absent until it is read or written.
    pub(super) queue: Option<ConsumeQueue>,
}

impl QueueTable {
    /// The place of a queue, made if it is new.
    pub(super) fn entry(&mut self, topic: &str, queue_id: i32) -> &mut QueueState {
        let index = match self.find_topic(topic) {
            Ok(index) => index,
            Err(index) => {
                self.topics.insert(index, Topic { name: topic.into(), queues: Vec::new() });
                index
            }
        };
        self.recent = index;
        self.topics[index].entry(queue_id)
    }

    /// The queue, if it exists.
    pub(super) fn get(&self, topic: &str, queue_id: i32) -> Option<&ConsumeQueue> {
        let topic = self.topics.get(self.find_topic(topic).ok()?)?;
        topic.queues.get(topic.find(queue_id).ok()?)?.queue.as_ref()
    }

    fn find_topic(&self, topic: &str) -> Result<usize, usize> {
        if self.topics.get(self.recent).is_some_and(|recent| &*recent.name == topic) {
            return Ok(self.recent);
        }
        self.topics.binary_search_by(|known| (*known.name).cmp(topic))
    }

    /// Every place, in order of topic and queue.
    pub(super) fn states(&self) -> impl Iterator<Item = &QueueState> {
        self.topics.iter().flat_map(|topic| &topic.queues)
    }

    /// Every place, in order of topic and queue.
    pub(super) fn states_mut(&mut self) -> impl Iterator<Item = &mut QueueState> {
        self.topics.iter_mut().flat_map(|topic| &mut topic.queues)
    }

    /// Every queue, in order of topic and number.
    pub(super) fn queues(&self) -> impl Iterator<Item = &ConsumeQueue> {
        self.states().filter_map(|state| state.queue.as_ref())
    }

    /// Every queue, in order of topic and number.
    pub(super) fn queues_mut(&mut self) -> impl Iterator<Item = &mut ConsumeQueue> {
        self.states_mut().filter_map(|state| state.queue.as_mut())
    }
}

impl Topic {
    fn find(&self, queue_id: i32) -> Result<usize, usize> {
        // Queues are numbered from 0 without gaps nearly always.
        match usize::try_from(queue_id) {
            Ok(index) if self.queues.get(index).is_some_and(|queue| queue.queue_id == queue_id) => Ok(index),
            _ => self.queues.binary_search_by_key(&queue_id, |queue| queue.queue_id),
        }
    }

    fn entry(&mut self, queue_id: i32) -> &mut QueueState {
        let index = match self.find(queue_id) {
            Ok(index) => index,
            Err(index) => {
                let state = QueueState { topic: self.name.clone(), queue_id, next_offset: None, queue: None };
                self.queues.insert(index, state);
                index
            }
        };
        &mut self.queues[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_again_and_kept_in_order() {
        let mut table = QueueTable::default();
        for (topic, queue_id) in [("b", 1), ("a", 7), ("b", 0), ("a", -1), ("c", 0), ("b", 1)] {
            let state = table.entry(topic, queue_id);
            assert_eq!((&*state.topic, state.queue_id), (topic, queue_id));
            state.next_offset = Some(state.next_offset.unwrap_or(0) + 1);
        }
        let seen: Vec<_> = table.states().map(|state| (&*state.topic, state.queue_id, state.next_offset)).collect();
        let expected = [("a", -1, Some(1)), ("a", 7, Some(1)), ("b", 0, Some(1)), ("b", 1, Some(2)), ("c", 0, Some(1))];
        assert_eq!(seen, expected);
    }
}

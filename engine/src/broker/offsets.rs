//! How far each group has read (`ConsumerOffsetManager`).

use std::collections::BTreeMap;

/// The offset table: `topic@group` to queue to the next offset to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConsumerOffsets {
    pub(super) table: BTreeMap<String, BTreeMap<i32, i64>>,
}

impl ConsumerOffsets {
    /// `topic@group` to queue to the next offset to read.
    pub const fn table(&self) -> &BTreeMap<String, BTreeMap<i32, i64>> {
        &self.table
    }

    fn key(topic: &str, group: &str) -> String {
        format!("{topic}@{group}")
    }

    /// Sets an offset; a smaller one overwrites too (`commitOffset`). Whether the table is another now.
    pub(super) fn commit(&mut self, group: &str, topic: &str, queue_id: i32, offset: i64) -> bool {
        self.table.entry(Self::key(topic, group)).or_default().insert(queue_id, offset) != Some(offset)
    }

    /// The next offset to read; `None` where 4.9.8 says -1 (`queryOffset`).
    pub fn query(&self, group: &str, topic: &str, queue_id: i32) -> Option<i64> {
        self.table.get(&Self::key(topic, group))?.get(&queue_id).copied()
    }

    /// The topics that a group has offsets of (`whichTopicByConsumer`).
    pub(super) fn topics_of(&self, group: &str) -> Vec<String> {
        let keys = self.table.keys().filter_map(|key| key.split_once('@'));
        keys.filter(|(_, of)| *of == group).map(|(topic, _)| topic.to_owned()).collect()
    }

    /// Forgets a group's offsets (`removeOffset`); of how many queues.
    pub(super) fn remove_group(&mut self, group: &str) -> u32 {
        let mut removed = 0_usize;
        self.table.retain(|key, queues| {
            let goes = key.split_once('@').is_some_and(|(_, of)| of == group);
            removed += if goes { queues.len() } else { 0 };
            !goes
        });
        u32::try_from(removed).unwrap_or(u32::MAX)
    }

    /// Group, topic, queue and offset of everything in the table.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, i32, i64)> {
        self.table.iter().filter_map(|(key, queues)| Some((key.split_once('@')?, queues))).flat_map(
            |((topic, group), queues)| queues.iter().map(move |(queue, offset)| (group, topic, *queue, *offset)),
        )
    }
}

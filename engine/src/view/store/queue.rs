//! `ConsumeQueues`.

use serde::{Deserialize, Serialize};

use super::explorer::{Pictures, StoreViewError};
use super::limit;
use crate::disk::ReadAt;
use crate::store::inspect::{QueueReader, Segments, UnitTarget, unit_target};

/// A ConsumeQueue in one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueSummary {
    /// Topic, the directory's name.
    pub topic: String,
    /// Queue id, the directory's name.
    pub queue_id: i32,
    /// Queue offset of the first unit on the disk whose record the log still holds; `max_offset` where there is none.
    pub min_offset: i64,
    /// Queue offset after the last valid unit before the first that is not.
    pub max_offset: i64,
    /// Queue offset of the first unit of the first file.
    pub first_offset: i64,
    /// Number of files.
    pub file_count: u64,
    /// Their directory.
    pub path: String,
}

/// Units of a ConsumeQueue from one on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnitsWindow {
    /// Topic.
    pub topic: String,
    /// Queue id.
    pub queue_id: i32,
    /// Queue offset asked for, moved into the files.
    pub from: i64,
    /// The units, one after the other.
    pub units: Vec<UnitRow>,
    /// As in [`QueueSummary`].
    pub first_offset: i64,
    /// As in [`QueueSummary`].
    pub max_offset: i64,
}

/// A unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnitRow {
    /// Its place in the queue.
    pub queue_offset: i64,
    /// Where the record lies in the log.
    pub physical_offset: i64,
    /// The record's size.
    pub size: i32,
    /// Hash of the tags, or the deliver time of a delayed message, or an address in ConsumeQueueExt.
    pub tags_code: i64,
    /// The file.
    pub file: String,
    /// Position in the file.
    pub position: u64,
    /// What lies where it points.
    pub target: UnitTarget,
}

impl<D: ReadAt + ?Sized> Pictures<'_, D> {
    pub(super) fn queues(&self) -> Result<Vec<QueueSummary>, StoreViewError> {
        self.files.queues.iter().map(|((topic, queue_id), segments)| self.queue(topic, *queue_id, segments)).collect()
    }

    fn queue(&self, topic: &str, queue_id: i32, segments: &Segments) -> Result<QueueSummary, StoreViewError> {
        let queue = QueueReader::new(self.disk, segments);
        let max_offset = self.queue_max(topic, queue_id, &queue)?;
        let log_min = self.files.commit_log.first().map_or(0, |file| file.from);
        Ok(QueueSummary {
            topic: topic.to_owned(),
            queue_id,
            min_offset: queue.min_offset(log_min, max_offset)?,
            max_offset,
            first_offset: queue.first_offset(),
            file_count: segments.len() as u64,
            path: format!("consumequeue/{topic}/{queue_id}"),
        })
    }

    /// The end of a queue: exact where a search for problems has been there.
    fn queue_max(&self, topic: &str, queue_id: i32, queue: &QueueReader<'_, D>) -> Result<i64, StoreViewError> {
        match self.scan.and_then(|scan| scan.queue_end(topic, queue_id)) {
            Some(end) => Ok(end),
            None => Ok(queue.max_offset()?),
        }
    }

    pub(super) fn units(
        &self,
        topic: &str,
        queue_id: i32,
        from: i64,
        wanted: u32,
    ) -> Result<UnitsWindow, StoreViewError> {
        let key = (topic.to_owned(), queue_id);
        let segments =
            self.files.queues.get(&key).ok_or(StoreViewError::NoSuchQueue { topic: key.0.clone(), queue_id })?;
        let queue = QueueReader::new(self.disk, segments);
        let from = queue.next_held(from.max(queue.first_offset()));
        let mut window = UnitsWindow {
            topic: key.0,
            queue_id,
            from,
            units: Vec::new(),
            first_offset: queue.first_offset(),
            max_offset: self.queue_max(topic, queue_id, &queue)?,
        };
        let wanted = limit(wanted);
        let mut next = from;
        while window.units.len() < wanted {
            next = queue.next_held(next);
            let units = queue.units(next, (wanted - window.units.len()) as u64)?;
            let Some(last) = units.last() else { break };
            next = last.queue_offset.saturating_add(1);
            for placed in &units {
                window.units.push(UnitRow {
                    queue_offset: placed.queue_offset,
                    physical_offset: placed.unit.physical_offset,
                    size: placed.unit.size,
                    tags_code: placed.unit.tags_code,
                    file: segments.get(placed.segment).map(|file| file.path.clone()).unwrap_or_default(),
                    position: placed.position,
                    target: unit_target(self.disk, &self.files.commit_log, self.map, (topic, queue_id), placed)?,
                });
            }
        }
        Ok(window)
    }
}

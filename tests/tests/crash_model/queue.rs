//! The model of one ConsumeQueue.

use std::rc::Rc;

use rocketscope_engine::store::Unit;

use crate::files::Files;
use crate::images::{Dir, Images};

pub(crate) const UNIT: i32 = 20;

#[derive(Clone, Debug)]
pub(crate) struct Queue {
    pub(crate) files: Files,
    pub(crate) max_physic: i64,
    pub(crate) min_logic: i64,
}

/// What became of a record's unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Put {
    /// No file can be made.
    Failed,
    /// The queue says that it knows this record and later ones: up to there.
    Built(i64),
    /// The place has been taken.
    Taken,
    /// It stands in this slot.
    Slot(i64),
}

impl Queue {
    pub(crate) fn load(images: &Images, topic: Rc<str>, id: i32, size: i32) -> Self {
        Self { files: Files::load(images, Dir::Queue(topic, id), size), max_physic: -1, min_logic: 0 }
    }

    /// The slot behind the last unit.
    pub(crate) fn max(&self) -> i64 {
        self.files.max() / i64::from(UNIT)
    }

    /// The unit in a slot, whatever the minimum.
    pub(crate) fn unit(&self, images: &Images, slot: i64) -> Option<Unit> {
        let offset = slot * i64::from(UNIT);
        let file = &self.files.list[self.files.find(offset)?];
        let position = self.files.position(offset);
        (position + UNIT <= file.wrote).then(|| unit_at(images, &self.files.dir, file.start, position))?
    }

    /// `putMessagePositionInfo`.
    pub(crate) fn put(&mut self, images: &mut Images, unit: Unit, queue_offset: i64) -> Put {
        if unit.end() <= self.max_physic {
            return Put::Built(self.max_physic);
        }
        let expected = queue_offset.wrapping_mul(i64::from(UNIT));
        let Some(index) = self.files.last_or_create(images, expected) else { return Put::Failed };
        if queue_offset != 0 {
            if self.files.list[index].first && self.files.list[index].wrote == 0 {
                self.min_logic = expected;
                self.files.flushed_where = expected;
                self.files.committed_where = expected;
                for _ in 0..(expected % i64::from(self.files.size)) / i64::from(UNIT) {
                    self.files.append(images, &Unit::BLANK.to_bytes(), UNIT);
                }
            }
            if expected < self.files.max_wrote() {
                return Put::Taken;
            }
        }
        self.max_physic = unit.end();
        let slot = self.files.max_wrote() / i64::from(UNIT);
        self.files.append(images, &unit.to_bytes(), UNIT);
        Put::Slot(slot)
    }

    /// `recover`: the end is where the first unit is none, in the last three files.
    pub(crate) fn recover(&mut self, images: &mut Images) {
        let Some(last) = self.files.list.len().checked_sub(1) else { return };
        let mut index = last.saturating_sub(2);
        let end = loop {
            let start = self.files.list[index].start;
            let mut valid = 0;
            while valid < self.files.size {
                let unit = unit_at(images, &self.files.dir, start, valid);
                let Some(unit) = unit.filter(|unit| unit.physical_offset >= 0 && unit.size > 0) else { break };
                valid += UNIT;
                self.max_physic = unit.end();
            }
            if valid < self.files.size || index == last {
                break start + i64::from(valid);
            }
            index += 1;
        };
        self.files.flushed_where = end;
        self.files.committed_where = end;
        self.files.truncate(images, end);
    }

    /// `truncateDirtyLogicFiles`.
    pub(crate) fn truncate_dirty(&mut self, images: &mut Images, physical: i64) {
        self.max_physic = physical;
        while let Some(file) = self.files.list.last_mut() {
            file.set(0);
            let start = file.start;
            let mut position = 0;
            while position < self.files.size {
                let Some(unit) = unit_at(images, &self.files.dir, start, position) else { break };
                let invalid = unit.physical_offset < 0 || unit.size <= 0;
                if unit.physical_offset >= physical || (position > 0 && invalid) {
                    break;
                }
                position += UNIT;
                self.max_physic = unit.end();
            }
            if position > 0 {
                file.set(position);
                return;
            }
            self.files.delete_last(images);
        }
    }

    /// `correctMinOffset`.
    pub(crate) fn correct_min(&mut self, images: &Images, min_physical: i64) {
        let Some(file) = self.files.list.first() else { return };
        let mut position = 0;
        while position < file.wrote {
            let Some(unit) = unit_at(images, &self.files.dir, file.start, position) else { return };
            if unit.physical_offset >= min_physical {
                self.min_logic = file.start + i64::from(position);
                return;
            }
            position += UNIT;
        }
    }

    /// `deleteExpiredFile`: files go of which the last unit's record is gone.
    pub(crate) fn clean(&mut self, images: &mut Images, min_physical: i64) {
        let (size, dir) = (self.files.size, self.files.dir.clone());
        self.files.delete_head(images, |images, file| {
            let last = unit_at(images, &dir, file.start, size - UNIT).filter(|_| file.wrote == size);
            last.is_some_and(|unit| unit.physical_offset < min_physical)
        });
        self.correct_min(images, min_physical);
    }

    pub(crate) fn min(&self) -> i64 {
        self.min_logic / i64::from(UNIT)
    }

    pub(crate) fn destroy(&mut self, images: &mut Images) {
        self.max_physic = -1;
        self.min_logic = 0;
        self.files.destroy(images);
    }
}

fn unit_at(images: &Images, dir: &Dir, start: i64, position: i32) -> Option<Unit> {
    let bytes = images.get(dir, start)?.cache.get(position as usize..)?.first_chunk()?;
    Some(Unit::from_bytes(bytes))
}

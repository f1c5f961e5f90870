//! The index of one queue: 20 bytes for each message, in order.

use std::ops::Range;
use std::sync::Arc;

use crate::disk::{Disk, FileId};

use super::big_endian::{i32_at, i64_at};
use super::consume_queue_ext::{ConsumeQueueExt, ExtUnit, is_ext_address};
use super::mapped_file::{MappedFile, read_array};
use super::mapped_file_queue::{Directories, MappedFileQueue, tell_moved};
use super::step::UnitSkip;
use super::{Env, Step, StoreConfig};

/// Size of a unit in bytes (`ConsumeQueue.CQ_STORE_UNIT_SIZE`).
pub const UNIT_SIZE: i32 = 20;

/// One unit: where the message's record is, its size, and what its tags hash to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Where the record begins.
    pub physical_offset: i64,
    /// Length of the record; `0x7FFFFFFF` in the blank units before the first.
    pub size: i32,
    /// Hash of the tags, the time of delivery of a delayed message, or an address in the ConsumeQueueExt.
    pub tags_code: i64,
}

impl Unit {
    /// Fills the place of units that were never written.
    pub const BLANK: Self = Self { physical_offset: 0, size: i32::MAX, tags_code: 0 };

    /// The bytes of the unit.
    pub fn to_bytes(self) -> [u8; UNIT_SIZE as usize] {
        let mut bytes = [0; UNIT_SIZE as usize];
        bytes[..8].copy_from_slice(&self.physical_offset.to_be_bytes());
        bytes[8..12].copy_from_slice(&self.size.to_be_bytes());
        bytes[12..].copy_from_slice(&self.tags_code.to_be_bytes());
        bytes
    }

    /// The unit that these bytes are.
    pub fn from_bytes(bytes: &[u8; UNIT_SIZE as usize]) -> Self {
        Self { physical_offset: i64_at(bytes, 0), size: i32_at(bytes, 8), tags_code: i64_at(bytes, 12) }
    }

    /// Whether recovery takes it for a unit.
    pub fn is_valid(self) -> bool {
        self.physical_offset >= 0 && self.size > 0
    }

    /// Offset after the record.
    pub fn end(self) -> i64 {
        self.physical_offset.wrapping_add(i64::from(self.size))
    }
}

/// The units of one queue (`ConsumeQueue`).
#[derive(Clone, Debug)]
pub struct ConsumeQueue {
    pub(super) topic: Arc<str>,
    pub(super) queue_id: i32,
    pub(super) files: MappedFileQueue,
    pub(super) ext: Option<ConsumeQueueExt>,
    pub(super) max_physic_offset: i64,
    pub(super) min_logic_offset: i64,
}

/// A run of units that can be read: those from one unit on to the end of its file (`getIndexBuffer`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Units {
    pub(super) file: FileId,
    pub(super) position: i32,
    /// Bytes.
    pub(super) len: i32,
}

impl ConsumeQueue {
    pub(super) fn new(topic: Arc<str>, queue_id: i32, config: &StoreConfig) -> Self {
        let files = |root: &'static str, size| {
            MappedFileQueue::new(Directories::Queue { root, topic: Arc::clone(&topic), queue_id }, size)
        };
        let ext = config
            .enable_consume_queue_ext
            .then(|| ConsumeQueueExt::new(files("consumequeue_ext", config.mapped_file_size_consume_queue_ext)));
        let files = files("consumequeue", config.consume_queue_file_size());
        Self { topic, queue_id, files, ext, max_physic_offset: -1, min_logic_offset: 0 }
    }

    /// The topic.
    pub fn topic(&self) -> &str {
        &self.topic
    }

    /// The number of the queue in its topic.
    pub fn queue_id(&self) -> i32 {
        self.queue_id
    }

    /// Number of the first unit that can be read (`getMinOffsetInQueue`).
    pub fn min_offset_in_queue(&self) -> i64 {
        self.min_logic_offset / i64::from(UNIT_SIZE)
    }

    /// Number of the unit after the last (`getMaxOffsetInQueue`).
    pub fn max_offset_in_queue(&self) -> i64 {
        self.files.max_offset() / i64::from(UNIT_SIZE)
    }

    /// Byte of the first unit that can be read, from the start of the queue. It is not kept on the disk.
    pub fn min_logic_offset(&self) -> i64 {
        self.min_logic_offset
    }

    /// Physical offset after the last record that the queue knows; -1 for none.
    pub fn max_physic_offset(&self) -> i64 {
        self.max_physic_offset
    }

    /// Offset, in bytes of the queue, up to which the units are flushed.
    pub fn flushed_where(&self) -> i64 {
        self.files.flushed_where
    }

    /// The files as offset of their first byte and bytes written.
    pub fn mapped_files(&self) -> impl Iterator<Item = (i64, i32)> + '_ {
        self.files.files().iter().map(|file| (file.from_offset, file.wrote))
    }

    /// The unit after all of the file that unit `index` lies in (`rollNextFile`).
    pub(super) fn roll_next_file(&self, index: i64) -> i64 {
        let units = i64::from(self.files.file_size() / UNIT_SIZE);
        index.wrapping_add(units).wrapping_sub(index % units)
    }

    /// The units from `index` on to the end of their file; `None` before the first and behind the last.
    pub(super) fn units_from(&self, index: i64) -> Option<Units> {
        let offset = index.wrapping_mul(i64::from(UNIT_SIZE));
        if offset < self.min_logic_offset {
            return None;
        }
        let file = self.files.find(offset)?;
        let position = self.files.position_of(offset);
        Some(Units { file: file.id, position, len: file.readable_from(position)? })
    }

    /// One unit; `None` outside the queue.
    pub(super) fn unit<D: Disk>(&self, disk: &D, index: i64) -> Option<Unit> {
        let units = self.units_from(index).filter(|units| units.len >= UNIT_SIZE)?;
        read_array(disk, units.file, i64::from(units.position)).map(|bytes| Unit::from_bytes(&bytes))
    }

    /// What the ConsumeQueueExt holds at `address`.
    pub(super) fn ext_unit<D: Disk>(&self, disk: &D, address: i64) -> Option<ExtUnit> {
        self.ext.as_ref()?.get(disk, address)
    }

    /// Puts the unit of queue offset `cq_offset` in its place, one attempt (`putMessagePositionInfo`). `false` if no file
    /// can be made for it; a unit that is there already counts as put.
    pub(super) fn put<D: Disk, E: Env>(&mut self, disk: &mut D, unit: Unit, cq_offset: i64, env: &mut E) -> bool {
        let skipped = |topic: &str, queue_id, reason| Step::UnitSkipped {
            topic: topic.to_owned(),
            queue_id,
            queue_offset: cq_offset,
            physical_offset: unit.physical_offset,
            reason,
        };
        if unit.end() <= self.max_physic_offset {
            env.step(|| skipped(&self.topic, self.queue_id, UnitSkip::AlreadyBuilt));
            return true;
        }
        let expected = cq_offset.wrapping_mul(i64::from(UNIT_SIZE));
        let Some(file) = self.files.last_or_create(disk, expected, env) else { return false };
        if cq_offset != 0 {
            if file.first_created_in_queue && file.wrote == 0 {
                let blanks = (expected % i64::from(file.size)).max(0) as i32;
                let units = fill_blank(file, disk, blanks, env);
                let id = file.id;
                self.min_logic_offset = expected;
                self.files.flushed_where = expected;
                self.files.committed_where = expected;
                env.step(|| Step::PreBlankWritten {
                    topic: self.topic.to_string(),
                    queue_id: self.queue_id,
                    file: disk.path(id).unwrap_or_default(),
                    units,
                });
            }
            let current = self.files.max_wrote_offset();
            if expected < current {
                env.step(|| skipped(&self.topic, self.queue_id, UnitSkip::BehindEnd));
                return true;
            }
            if expected != current {
                env.step(|| Step::UnitMisplaced {
                    topic: self.topic.to_string(),
                    queue_id: self.queue_id,
                    expected_offset: cq_offset,
                    actual_offset: current / i64::from(UNIT_SIZE),
                });
            }
        }
        self.max_physic_offset = unit.end();
        let Some(file) = self.files.last_mut() else { return false };
        let (id, from_offset, position) = (file.id, file.from_offset, file.wrote);
        let put = file.append(disk, &unit.to_bytes(), env);
        if put {
            env.step(|| Step::UnitWritten {
                topic: self.topic.to_string(),
                queue_id: self.queue_id,
                queue_offset: from_offset.wrapping_add(i64::from(position)) / i64::from(UNIT_SIZE),
                physical_offset: unit.physical_offset,
                size: unit.size,
                tags_code: unit.tags_code,
                file: disk.path(id).unwrap_or_default(),
                position,
            });
        }
        put
    }

    /// Puts the filter bits of a message beside the queue; what its unit then holds as tags code.
    pub(super) fn put_ext<D: Disk, E: Env>(
        &mut self,
        disk: &mut D,
        tags_code: i64,
        store_timestamp: i64,
        bit_map: &[u8],
        env: &mut E,
    ) -> i64 {
        let Some(ext) = &mut self.ext else { return tags_code };
        let Some(address) = ext.put(disk, tags_code, store_timestamp, bit_map, env) else { return tags_code };
        env.step(|| Step::ExtWritten {
            topic: self.topic.to_string(),
            queue_id: self.queue_id,
            address,
            size: 20 + bit_map.len() as i32,
        });
        address
    }

    /// Finds the end of the queue by its units, in the last three files (`recover`).
    pub(super) fn recover<D: Disk, E: Env>(&mut self, disk: &mut D, env: &mut E) {
        let from = self.files.files().len().saturating_sub(3);
        let mut end = None;
        let mut max_ext_address = 1;
        for file in self.files.files().get(from..).unwrap_or_default() {
            let mut valid = 0;
            let mut units = UnitReader::new(disk, file.id, 0, file.size);
            while let Some(unit) = units.next().filter(|unit| unit.is_valid()) {
                valid += UNIT_SIZE;
                self.max_physic_offset = unit.end();
                if is_ext_address(unit.tags_code) {
                    max_ext_address = unit.tags_code;
                }
            }
            env.step(|| Step::QueueFileChecked {
                topic: self.topic.to_string(),
                queue_id: self.queue_id,
                file: disk.path(file.id).unwrap_or_default(),
                units: valid / UNIT_SIZE,
                whole: valid == file.size,
            });
            end = Some(file.from_offset.wrapping_add(i64::from(valid)));
            if valid != file.size {
                break;
            }
        }
        let Some(end) = end else { return };
        self.files.flushed_where = end;
        self.files.committed_where = end;
        self.files.truncate(disk, end, env);
        if let Some(ext) = &mut self.ext {
            ext.recover(disk, env);
            ext.truncate_by_max_address(disk, max_ext_address, env);
        }
        env.step(|| Step::QueueRecovered {
            topic: self.topic.to_string(),
            queue_id: self.queue_id,
            max_offset: self.max_offset_in_queue(),
            max_physic_offset: self.max_physic_offset,
        });
    }

    /// Forgets the units of records that begin at `physical_offset` or behind it (`truncateDirtyLogicFiles`).
    pub(super) fn truncate_dirty<D: Disk, E: Env>(&mut self, disk: &mut D, physical_offset: i64, env: &mut E) {
        self.max_physic_offset = physical_offset;
        let mut max_ext_address = 1;
        let mut emptied = true;
        while let Some(file) = self.files.last_mut() {
            let (id, from_offset, wrote) = (file.id, file.from_offset, file.wrote);
            let mut units = UnitReader::new(disk, id, 0, file.size);
            file.set_positions(0);
            let Some(first) = units.next() else { break };
            if first.physical_offset >= physical_offset {
                self.tell_cut(disk, (id, from_offset), 0..wrote, env);
                self.files.delete_last(disk, env);
                continue;
            }
            // The first unit is taken as it is.
            let mut accepted = Some(first);
            let mut position = 0;
            while let Some(unit) = accepted {
                position += UNIT_SIZE;
                self.max_physic_offset = unit.end();
                if is_ext_address(unit.tags_code) {
                    max_ext_address = unit.tags_code;
                }
                accepted = units.next().filter(|unit| unit.is_valid() && unit.physical_offset < physical_offset);
            }
            file.set_positions(position);
            tell_moved(disk, id, wrote, position, env);
            self.tell_cut(disk, (id, from_offset), position..wrote, env);
            emptied = false;
            break;
        }
        if emptied && let Some(ext) = &mut self.ext {
            ext.truncate_by_max_address(disk, max_ext_address, env);
        }
        env.step(|| Step::QueueTruncated {
            topic: self.topic.to_string(),
            queue_id: self.queue_id,
            max_offset: self.max_offset_in_queue(),
            physical_offset,
        });
    }

    /// Tells each unit between two positions of a file as cut. It reads them only for who listens.
    fn tell_cut<D: Disk, E: Env>(
        &self,
        disk: &D,
        (file, from_offset): (FileId, i64),
        positions: Range<i32>,
        env: &mut E,
    ) {
        for position in positions.step_by(UNIT_SIZE as usize) {
            env.step(|| {
                let unit =
                    read_array(disk, file, i64::from(position)).map_or(Unit::BLANK, |bytes| Unit::from_bytes(&bytes));
                Step::UnitCut {
                    topic: self.topic.to_string(),
                    queue_id: self.queue_id,
                    queue_offset: from_offset.wrapping_add(i64::from(position)) / i64::from(UNIT_SIZE),
                    physical_offset: unit.physical_offset,
                    size: unit.size,
                    file: disk.path(file).unwrap_or_default(),
                    position,
                }
            });
        }
    }

    /// Finds the first unit whose record the commit log still holds, in the first file only (`correctMinOffset`).
    pub(super) fn correct_min_offset<D: Disk, E: Env>(&mut self, disk: &mut D, min_physical: i64, env: &mut E) {
        let mut min_ext_address = 1;
        if let Some(file) = self.files.first() {
            let Some(len) = file.readable_from(0) else { return };
            let mut units = UnitReader::new(disk, file.id, 0, len);
            let mut position = 0;
            while let Some(unit) = units.next() {
                if unit.physical_offset >= min_physical {
                    self.min_logic_offset = file.from_offset.wrapping_add(i64::from(position));
                    if is_ext_address(unit.tags_code) {
                        min_ext_address = unit.tags_code;
                    }
                    env.step(|| Step::MinOffsetCorrected {
                        topic: self.topic.to_string(),
                        queue_id: self.queue_id,
                        min_offset: self.min_offset_in_queue(),
                    });
                    break;
                }
                position += UNIT_SIZE;
            }
        }
        if let Some(ext) = &mut self.ext {
            ext.truncate_by_min_address(disk, min_ext_address, env);
        }
    }

    /// Offset after the record of the last unit; -1 for an empty queue (`getLastOffset`).
    pub(super) fn last_offset<D: Disk>(&self, disk: &D) -> i64 {
        let Some(file) = self.files.last() else { return -1 };
        let position = file.wrote.saturating_sub(UNIT_SIZE).max(0);
        let mut last = -1;
        let mut units = UnitReader::new(disk, file.id, position, file.size - position);
        while let Some(unit) = units.next().filter(|unit| unit.is_valid()) {
            last = unit.end();
        }
        last
    }

    /// Whether a flush that wants `least_pages` pages would change anything.
    pub(super) fn is_flush_due(&self, least_pages: i32) -> bool {
        let bits = self.ext.as_ref().is_some_and(|ext| ext.files.is_flush_due(least_pages));
        bits || self.files.is_flush_due(least_pages)
    }

    /// Flushes units and filter bits, one file each (`flush`). `true` if nothing changed.
    pub(super) fn flush<D: Disk, E: Env>(&mut self, disk: &mut D, least_pages: i32, env: &mut E) -> bool {
        let units = self.files.flush(disk, least_pages, env);
        let bits = self.ext.as_mut().is_none_or(|ext| ext.files.flush(disk, least_pages, env));
        units && bits
    }

    /// Removes files of which no record is left, then corrects the minimum (`deleteExpiredFile`). Answers how many went.
    pub(super) fn delete_expired<D: Disk, E: Env>(&mut self, disk: &mut D, min_physical: i64, env: &mut E) -> usize {
        let deleted = self.files.delete_head(disk, env, |disk, file| {
            let last = file.size - UNIT_SIZE;
            file.readable_from(last)
                .and_then(|_| read_array(disk, file.id, i64::from(last)))
                .is_some_and(|bytes| i64::from_be_bytes(bytes) < min_physical)
        });
        self.correct_min_offset(disk, min_physical, env);
        deleted
    }

    /// Removes all files (`destroy`).
    pub(super) fn destroy<D: Disk, E: Env>(&mut self, disk: &mut D, env: &mut E) {
        self.max_physic_offset = -1;
        self.min_logic_offset = 0;
        self.files.destroy(disk, env);
        if let Some(ext) = &mut self.ext {
            ext.files.destroy(disk, env);
        }
    }
}

/// Fills `blanks` bytes of the file with blank units; how many units.
fn fill_blank<D: Disk, E: Env>(file: &mut MappedFile, disk: &mut D, blanks: i32, env: &mut E) -> i32 {
    let unit = Unit::BLANK.to_bytes();
    let mut units = 0;
    let mut position = 0;
    while position < blanks {
        file.append(disk, &unit, env);
        position += UNIT_SIZE;
        units += 1;
    }
    units
}

/// Reads units one after the other, many at a time from the disk.
pub(super) struct UnitReader<'d, D> {
    disk: &'d D,
    file: FileId,
    /// Position of the next chunk, and how much of the run is left, in bytes.
    position: i32,
    left: i32,
    chunk: [u8; CHUNK as usize],
    taken: usize,
    filled: usize,
}

/// Bytes read at a time: as many units as a full pull looks at.
const CHUNK: i32 = 32 * UNIT_SIZE;

impl<'d, D: Disk> UnitReader<'d, D> {
    /// Reads from `position` of the file, at most `len` bytes.
    pub(super) fn new(disk: &'d D, file: FileId, position: i32, len: i32) -> Self {
        Self { disk, file, position, left: len, chunk: [0; CHUNK as usize], taken: 0, filled: 0 }
    }

    /// The next unit; `None` at the end of the run, or where the disk cannot be read.
    pub(super) fn next(&mut self) -> Option<Unit> {
        if self.taken == self.filled {
            self.fill()?;
        }
        let bytes = self.chunk.get(self.taken..self.filled)?.first_chunk()?;
        self.taken += UNIT_SIZE as usize;
        Some(Unit::from_bytes(bytes))
    }

    fn fill(&mut self) -> Option<()> {
        let len = self.left.min(CHUNK) / UNIT_SIZE * UNIT_SIZE;
        let chunk = self.chunk.get_mut(..usize::try_from(len).ok().filter(|&len| len > 0)?)?;
        self.disk.read_at(self.file, u64::try_from(self.position).ok()?, chunk).ok()?;
        self.taken = 0;
        self.filled = chunk.len();
        self.position += len;
        self.left -= len;
        Some(())
    }
}

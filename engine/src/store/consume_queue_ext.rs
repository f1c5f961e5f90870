//! What a unit of a ConsumeQueue cannot hold: filter bits.

use crate::disk::{Disk, FileId};

use super::mapped_file::read_array;
use super::mapped_file_queue::MappedFileQueue;
use super::{Env, Step};

/// The largest number that is an address (`ConsumeQueueExt.MAX_ADDR`): just below every tags code.
const MAX_ADDRESS: i64 = i32::MIN as i64 - 1;
const MAX_REAL_OFFSET: i64 = MAX_ADDRESS.wrapping_sub(i64::MIN);
const END_BLANK_DATA_LENGTH: i32 = 4;
const MIN_UNIT_SIZE: usize = 20;
const MAX_UNIT_SIZE: usize = i16::MAX as usize;

/// Whether the tags code of a unit is an address in the ConsumeQueueExt (`isExtAddr`).
pub fn is_ext_address(tags_code: i64) -> bool {
    tags_code <= MAX_ADDRESS
}

/// The address of a place in the files (`decorate`).
pub fn address_of(real_offset: i64) -> i64 {
    if is_ext_address(real_offset) { real_offset } else { real_offset.wrapping_add(i64::MIN) }
}

/// The place in the files that an address means (`unDecorate`).
fn real_offset_of(address: i64) -> i64 {
    if is_ext_address(address) { address.wrapping_sub(i64::MIN) } else { address }
}

/// One entry (`CqExtUnit`): `i16 size, i64 tagsCode, i64 msgStoreTime, i16 bitMapSize, bit map`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtUnit {
    /// Size of the entry in bytes.
    pub size: i16,
    /// The tags code that the unit would hold.
    pub tags_code: i64,
    /// Store time of the message.
    pub msg_store_time: i64,
    /// Bits of the consumer groups whose filters match; empty when there are none.
    pub filter_bit_map: Vec<u8>,
}

/// The files beside a ConsumeQueue (`ConsumeQueueExt`).
#[derive(Clone, Debug)]
pub(super) struct ConsumeQueueExt {
    pub(super) files: MappedFileQueue,
}

impl ConsumeQueueExt {
    pub(super) fn new(files: MappedFileQueue) -> Self {
        Self { files }
    }

    /// The entry at `address`; `None` if there is none (`get`).
    pub(super) fn get<D: Disk>(&self, disk: &D, address: i64) -> Option<ExtUnit> {
        if !is_ext_address(address) {
            return None;
        }
        let real_offset = real_offset_of(address);
        let file = self.files.find_or_first_for_zero(real_offset)?;
        let position = self.files.position_of(real_offset);
        let readable = file.readable_from(position)?;
        read_unit(disk, file.id, position, readable)
    }

    /// Appends an entry; the address, or `None` where 4.9.8 answers 1 and the unit keeps its plain tags code (`put`).
    pub(super) fn put<D: Disk, E: Env>(
        &mut self,
        disk: &mut D,
        tags_code: i64,
        msg_store_time: i64,
        bit_map: &[u8],
        env: &mut E,
    ) -> Option<i64> {
        const TRIES: usize = 3;
        let size = MIN_UNIT_SIZE + bit_map.len();
        if size > MAX_UNIT_SIZE || self.files.max_offset().saturating_add(size as i64) > MAX_REAL_OFFSET {
            return None;
        }
        let mut bytes = Vec::with_capacity(size);
        bytes.extend_from_slice(&(size as i16).to_be_bytes());
        bytes.extend_from_slice(&tags_code.to_be_bytes());
        bytes.extend_from_slice(&msg_store_time.to_be_bytes());
        bytes.extend_from_slice(&(bit_map.len() as i16).to_be_bytes());
        bytes.extend_from_slice(bit_map);
        for _ in 0..TRIES {
            let Some(file) = self.files.last_or_create(disk, 0, env) else { continue };
            if size as i32 > file.size - file.wrote - END_BLANK_DATA_LENGTH {
                // The mark of the end; the file counts as full then.
                if let Err(error) = disk.write_at(file.id, file.wrote as u64, &(-1i16).to_be_bytes()) {
                    env.step(|| Step::DiskFailed { error: error.to_string() });
                }
                file.wrote = file.size;
                continue;
            }
            let at = file.from_offset.wrapping_add(i64::from(file.wrote));
            if file.append(disk, &bytes, env) {
                return Some(address_of(at));
            }
        }
        None
    }

    /// Finds the end by walking over all entries (`recover`).
    pub(super) fn recover<D: Disk, E: Env>(&mut self, disk: &mut D, env: &mut E) {
        let mut end = None;
        for file in self.files.files() {
            let mut position = 0;
            while let Some(size) = read_array::<2, D>(disk, file.id, position).map(i16::from_be_bytes)
                && size > 0
                && position + i64::from(size) <= i64::from(file.size)
            {
                position += i64::from(size);
            }
            end = Some(file.from_offset.wrapping_add(position));
        }
        if let Some(end) = end {
            self.files.flushed_where = end;
            self.files.committed_where = end;
            self.files.truncate(disk, end, env);
        }
    }

    /// Forgets everything behind the entry at `address` (`truncateByMaxAddress`); nothing happens for a tags code.
    pub(super) fn truncate_by_max_address<D: Disk, E: Env>(&mut self, disk: &mut D, address: i64, env: &mut E) {
        if let Some(unit) = self.get(disk, address) {
            let end = real_offset_of(address).wrapping_add(i64::from(unit.size));
            self.files.truncate(disk, end, env);
        }
    }

    /// Removes the files before the one with `address` (`truncateByMinAddress`); nothing happens for a tags code.
    pub(super) fn truncate_by_min_address<D: Disk, E: Env>(&mut self, disk: &mut D, address: i64, env: &mut E) {
        if is_ext_address(address) {
            let real_offset = real_offset_of(address);
            self.files.delete_where(disk, env, |file| file.end_offset() < real_offset);
        }
    }
}

/// Reads the entry at `position`, of which `readable` bytes are there.
fn read_unit<D: Disk>(disk: &D, file: FileId, position: i32, readable: i32) -> Option<ExtUnit> {
    let at = i64::from(position);
    let size = read_array::<2, D>(disk, file, at).filter(|_| readable >= 2).map(i16::from_be_bytes)?;
    if size < 1 || readable < MIN_UNIT_SIZE as i32 {
        return None;
    }
    let tags_code = read_array::<8, D>(disk, file, at + 2).map(i64::from_be_bytes)?;
    let msg_store_time = read_array::<8, D>(disk, file, at + 10).map(i64::from_be_bytes)?;
    let bits = read_array::<2, D>(disk, file, at + 18).map(i16::from_be_bytes)?.max(0);
    let mut filter_bit_map = vec![0; usize::try_from(bits).ok()?];
    if i32::from(bits) > readable - MIN_UNIT_SIZE as i32 {
        return None;
    }
    disk.read_at(file, u64::try_from(at + 20).ok()?, &mut filter_bit_map).ok()?;
    Some(ExtUnit { size, tags_code, msg_store_time, filter_bit_map })
}

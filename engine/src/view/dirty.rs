//! What a power loss would take from a file, and what one has taken.

use super::ByteRange;
use crate::disk::{DiskError, FileId, MemoryDisk, ReadAt};

/// Bytes compared at a time: a page of the operating system, the unit in which a power loss takes or spares.
const PAGE: u64 = 4096;

/// Bytes in a row that may be as they were by chance, as a record's zeros are, without ending what was taken: fewer than
/// a sector, which is what a torn page is torn in.
const SAME: u64 = 512;

/// The bytes of `file` that a power loss would change: of each page that is dirty, from the first byte that differs
/// from what is stable to the last. Pages that meet are one range. A page that was flushed and written on holds bytes
/// in front of the new ones that a loss leaves as they are; those are not in the answer.
pub(super) fn lost_ranges(disk: &MemoryDisk, file: FileId) -> Result<Vec<ByteRange>, DiskError> {
    let len = disk.meta(file)?.len;
    let mut lost: Vec<ByteRange> = Vec::new();
    for range in disk.dirty_ranges(file)? {
        let mut at = range.start;
        while at < range.end.min(len) {
            let end = (at - at % PAGE).saturating_add(PAGE).min(range.end).min(len);
            if let Some(changed) = changed(disk, file, at, end)? {
                match lost.last_mut() {
                    Some(last) if last.end == changed.start => last.end = changed.end,
                    _ => lost.push(changed),
                }
            }
            at = end;
        }
    }
    Ok(lost)
}

/// The bytes of the file at `path` that a power loss has taken: those that were not stable `before` it and are others
/// `after` it. Nothing where one of the disks has no such file.
pub(super) fn taken_ranges(before: &MemoryDisk, after: &MemoryDisk, path: &str) -> Result<Vec<ByteRange>, DiskError> {
    let (Some(old), Some(new)) = (before.find(path), after.find(path)) else { return Ok(Vec::new()) };
    let len = after.meta(new)?.len;
    let mut taken: Vec<ByteRange> = Vec::new();
    for range in lost_ranges(before, old)? {
        let end = range.end.min(len);
        let count = usize::try_from(end.saturating_sub(range.start)).unwrap_or(0);
        let (mut was, mut is) = (vec![0; count], vec![0; count]);
        before.read_at(old, range.start, &mut was)?;
        after.read_at(new, range.start, &mut is)?;
        for (at, _) in (range.start..end).zip(was.iter().zip(&is)).filter(|(_, (was, is))| was != is) {
            match taken.last_mut() {
                Some(last) if at - last.end < SAME => last.end = at + 1,
                _ => taken.push(ByteRange { start: at, end: at + 1 }),
            }
        }
    }
    Ok(taken)
}

fn changed(disk: &MemoryDisk, file: FileId, start: u64, end: u64) -> Result<Option<ByteRange>, DiskError> {
    let len = usize::try_from(end.saturating_sub(start)).unwrap_or(0);
    let (mut seen, mut stable) = (vec![0; len], vec![0; len]);
    disk.read_at(file, start, &mut seen)?;
    disk.read_stable_at(file, start, &mut stable)?;
    let differs = || seen.iter().zip(&stable).enumerate().filter(|(_, (a, b))| a != b).map(|(index, _)| index as u64);
    let range = differs().next().zip(differs().next_back());
    Ok(range.map(|(first, last)| ByteRange { start: start + first, end: start + last + 1 }))
}

#[cfg(test)]
mod tests {
    use super::{lost_ranges, taken_ranges};
    use crate::{
        disk::{Disk, MemoryDisk},
        view::ByteRange,
    };

    #[test]
    fn what_was_taken_is_what_was_not_stable_and_is_another() {
        let mut before = MemoryDisk::new();
        let file = before.create("commitlog/0", 16384).unwrap();
        before.write_at(file, 0, &[1; 100]).unwrap();
        before.flush(file, 0, 100).unwrap();
        before.write_at(file, 100, &[2; 50]).unwrap();
        before.write_at(file, 8192, &[3; 4]).unwrap();
        // The second page came through.
        let mut after = before.clone();
        after.write_at(file, 100, &[0; 50]).unwrap();
        assert_eq!(taken_ranges(&before, &after, "commitlog/0").unwrap(), [ByteRange { start: 100, end: 150 }]);
        assert_eq!(taken_ranges(&before, &after, "commitlog/1").unwrap(), []);
    }

    #[test]
    fn only_what_differs_from_the_stable_bytes_is_lost() {
        let mut disk = MemoryDisk::new();
        let file = disk.create("commitlog/0", 16384).unwrap();
        disk.write_at(file, 0, &[1; 1000]).unwrap();
        disk.flush(file, 0, 1000).unwrap();
        assert_eq!(lost_ranges(&disk, file).unwrap(), []);
        // Behind what is flushed, in the same page, over its border, and far away.
        disk.write_at(file, 1000, &[2; 200]).unwrap();
        disk.write_at(file, 4090, &[3; 10]).unwrap();
        disk.write_at(file, 12288, &[4; 5]).unwrap();
        assert_eq!(
            lost_ranges(&disk, file).unwrap(),
            [ByteRange { start: 1000, end: 4100 }, ByteRange { start: 12288, end: 12293 },]
        );
    }
}

//! What a power loss would take from a file.

use super::ByteRange;
use crate::disk::{DiskError, FileId, MemoryDisk, ReadAt};

/// Bytes compared at a time: a page of the operating system, the unit in which a power loss takes or spares.
const PAGE: u64 = 4096;

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
    use super::lost_ranges;
    use crate::{
        disk::{Disk, MemoryDisk},
        view::ByteRange,
    };

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

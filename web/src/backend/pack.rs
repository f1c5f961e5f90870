//! A disk as a zip archive, written in pieces: a 1 GiB commit log that is mostly zeros is never held whole.

use std::io::{self, Write};

use rocketscope_engine::disk::ReadAt;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::dos;

/// Lengths of all files together that an archive may have, bytes: what a disk holds beyond it takes too long to pack here.
pub(super) const LIMIT: u64 = 8 << 30;

/// Bytes that are packed at once.
const CHUNK: usize = 256 * 1024;

/// The last moment that an archive's own field for times can say, seconds since the epoch.
const SECONDS_MAX: i64 = u32::MAX as i64;

/// Packs every file of a disk, with its time of the last write. What lies in the archive is what lies on the disk: folder
/// and names of a store directory.
pub(super) fn pack(disk: &impl ReadAt, sink: impl Write) -> io::Result<()> {
    let mut archive = ZipWriter::new_stream(sink);
    let mut chunk = vec![0; CHUNK];
    for (path, file) in disk.files() {
        let failed = |cause: &dyn std::fmt::Display| io::Error::other(format!("{path}: {cause}"));
        let meta = disk.meta(file).map_err(|cause| failed(&cause))?;
        let seconds = meta.modified.div_euclid(1000);
        let options = SimpleFileOptions::default().last_modified_time(dos::time(seconds)).large_file(true);
        let modified = (0..=SECONDS_MAX).contains(&seconds).then_some(seconds as u32);
        let options = options.with_extended_timestamp(modified, None, None).map_err(|cause| failed(&cause))?;
        archive.start_file(path.as_str(), options).map_err(|cause| failed(&cause))?;
        let mut at = 0;
        while at < meta.len {
            let len = usize::try_from(meta.len - at).unwrap_or(CHUNK).min(CHUNK);
            let bytes = chunk.get_mut(..len).unwrap_or_default();
            disk.read_at(file, at, bytes).map_err(|cause| failed(&cause))?;
            archive.write_all(bytes)?;
            at += len as u64;
        }
    }
    archive.finish().map_err(io::Error::other)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use rocketscope_engine::disk::{Disk, MemoryDisk, ReadAt};

    use super::pack;
    use crate::backend::unzip::{LIMIT, unzip};

    #[test]
    fn a_packed_disk_is_the_same_store_again() {
        let files = [
            ("abort".to_owned(), Vec::new(), 1_700_000_000_000),
            ("commitlog/00000000000000000000".to_owned(), (0..=255).cycle().take(100_000).collect(), 1_700_000_001_000),
            ("config/topics.json".to_owned(), b"{}".to_vec(), 1_700_000_003_000),
        ];
        let mut disk = MemoryDisk::from_files(files).unwrap();
        // 64 MiB of zeros with one byte at their end.
        disk.set_time(1_700_000_005_000);
        let large = disk.create("commitlog/00000000000000100000", 64 << 20).unwrap();
        disk.write_at(large, (64 << 20) - 1, &[9]).unwrap();
        let mut packed = Vec::new();
        pack(&disk, &mut packed).unwrap();
        assert!(packed.len() < 1 << 20, "{} bytes", packed.len());
        let folder = unzip(Cursor::new(packed), LIMIT).unwrap();
        assert_eq!(folder.files().len(), 4);
        for (path, file) in disk.files() {
            let back = folder.find(&path).unwrap();
            assert_eq!(folder.meta(back), disk.meta(file), "{path}");
            let len = disk.meta(file).unwrap().len;
            let end = len.saturating_sub(100_000);
            let read = |disk: &dyn ReadAt, file| {
                let mut bytes = vec![0; (len - end) as usize];
                disk.read_at(file, end, &mut bytes).unwrap();
                bytes
            };
            assert!(read(&folder, back) == read(&disk, file), "{path}");
        }
    }
}

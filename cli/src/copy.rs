//! Writing a store to a directory of its own.

use std::fs::{self, File, FileTimes};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use rocketscope_engine::disk::{FileId, ReadAt};
use serde::Serialize;

/// Bytes copied in one go.
const CHUNK: usize = 1024 * 1024;
/// Runs of zeros of this length are left out, so that a file that is mostly unused room stays as small as it was.
const BLOCK: usize = 4096;

/// A directory that may be written.
#[derive(Debug)]
pub(crate) struct Target(PathBuf);

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Copied {
    /// The directory.
    pub(crate) path: String,
    /// Files in it.
    pub(crate) files: u64,
    /// Their lengths together, in bytes.
    pub(crate) len: u64,
    /// Bytes written of them; the rest are zeros that take no room.
    pub(crate) written: u64,
}

impl Target {
    /// Looks whether `out`, as the option of this name says, may be written: a directory that is empty or not there.
    pub(crate) fn empty(option: &str, out: &Path) -> Result<Self> {
        let place = || format!("--{option} {}", out.display());
        match fs::read_dir(out) {
            Ok(mut entries) => {
                if entries.next().is_some() {
                    bail!("{}: the directory is not empty", place());
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(place),
        }
        Ok(Self(real_path(out).with_context(place)?))
    }

    /// The same of a directory that is not inside `store`, which is the real path of a store.
    pub(crate) fn check(option: &str, out: &Path, store: &Path) -> Result<Self> {
        let target = Self::empty(option, out)?;
        if target.0.starts_with(store) {
            let store = store.display();
            bail!("--{option} {}: inside the store {store}, which is not to be changed", out.display());
        }
        Ok(target)
    }

    /// The directory of this name in it.
    pub(crate) fn below(&self, name: &str) -> Self {
        Self(self.0.join(name))
    }

    /// Writes every file of the disk.
    pub(crate) fn write<R: ReadAt>(self, disk: &R) -> Result<Copied> {
        let Self(root) = self;
        fs::create_dir_all(&root).with_context(|| root.display().to_string())?;
        let mut copied = Copied { path: root.display().to_string(), files: 0, len: 0, written: 0 };
        for (path, id) in disk.files() {
            let target = root.join(&path);
            copied.written += write_file(disk, id, &target).with_context(|| target.display().to_string())?;
            copied.len += disk.meta(id)?.len;
            copied.files += 1;
        }
        Ok(copied)
    }
}

/// The real path of a directory that need not be there yet.
fn real_path(path: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(path)?;
    let mut missing = Vec::new();
    let mut known = absolute.as_path();
    loop {
        match fs::canonicalize(known) {
            Ok(real) => return Ok(missing.iter().rev().fold(real, |path, part| path.join(part))),
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            Err(error) => {
                let (Some(parent), Some(Component::Normal(part))) = (known.parent(), known.components().next_back())
                else {
                    return Err(error.into());
                };
                missing.push(part);
                known = parent;
            }
        }
    }
}

/// Writes one file, of its blocks those that are not zeros. Answers the bytes written.
fn write_file<R: ReadAt>(disk: &R, id: FileId, target: &Path) -> Result<u64> {
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent)?;
    }
    let meta = disk.meta(id)?;
    let mut file = File::create_new(target)?;
    file.set_len(meta.len)?;
    let (mut written, mut offset) = (0, 0);
    let mut chunk = vec![0; CHUNK];
    while offset < meta.len {
        let len = usize::try_from(meta.len - offset).unwrap_or(CHUNK).min(CHUNK);
        let bytes = chunk.get_mut(..len).unwrap_or_default();
        disk.read_at(id, offset, bytes)?;
        for (number, block) in (0..).zip(bytes.chunks(BLOCK)) {
            if block.iter().any(|byte| *byte != 0) {
                file.seek(SeekFrom::Start(offset + number * BLOCK as u64))?;
                file.write_all(block)?;
                written += block.len() as u64;
            }
        }
        offset += len as u64;
    }
    if let Ok(millis) = u64::try_from(meta.modified) {
        file.set_times(FileTimes::new().set_modified(UNIX_EPOCH + Duration::from_millis(millis)))?;
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::disk::MemoryDisk;

    use super::*;

    #[test]
    fn a_copy_may_not_be_written_everywhere() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let store = root.join("store");
        fs::create_dir_all(store.join("commitlog")).unwrap();
        fs::create_dir(root.join("empty")).unwrap();
        let refused = |out: PathBuf| Target::check("out", &out, &store).unwrap_err().to_string();
        assert!(refused(store.clone()).contains("not empty"));
        assert!(refused(store.join("commitlog")).contains("inside the store"));
        assert!(refused(store.join("new/copy")).contains("inside the store"));
        assert!(refused(root.join("empty/../store/copy")).contains("inside the store"));
        assert!(refused(root.clone()).contains("not empty"));
        fs::write(root.join("file"), b"x").unwrap();
        assert!(Target::check("out", &root.join("file"), &store).is_err());
        assert!(Target::check("out", &root.join("empty"), &store).is_ok());
        assert!(Target::check("out", &root.join("a/b"), &store).is_ok());
        assert!(Target::check("out", &root.join("store-copy"), &store).is_ok(), "its name only begins alike");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&store, root.join("link")).unwrap();
            assert!(refused(root.join("link/copy")).contains("inside the store"));
        }
        assert!(!root.join("a").exists(), "looking makes nothing");
    }

    #[test]
    fn zeros_take_no_room() {
        let folder = tempfile::tempdir().unwrap();
        // A GiB of zeros but for one byte in its middle.
        let len = 1 << 30;
        let mut disk = MemoryDisk::new();
        rocketscope_engine::disk::Disk::set_time(&mut disk, 1_700_000_000_000);
        let id = rocketscope_engine::disk::Disk::create(&mut disk, "commitlog/0", len).unwrap();
        rocketscope_engine::disk::Disk::write_at(&mut disk, id, len / 2, b"x").unwrap();
        let target = Target::check("out", &folder.path().join("copy"), Path::new("/nowhere")).unwrap();
        let copied = target.write(&disk).unwrap();
        assert_eq!((copied.files, copied.len, copied.written), (1, len, 4096));
        let meta = fs::metadata(folder.path().join("copy/commitlog/0")).unwrap();
        assert_eq!(meta.len(), len);
        let modified = meta.modified().unwrap().duration_since(UNIX_EPOCH).unwrap();
        assert_eq!(modified.as_millis(), 1_700_000_000_000);
        #[cfg(unix)]
        assert!(std::os::unix::fs::MetadataExt::blocks(&meta) * 512 < 1 << 20, "the file is sparse");
    }
}

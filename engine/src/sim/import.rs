//! Stores that were brought along, as what brokers begin with. A description names one by its fingerprint; the bytes are
//! handed in beside it.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    disk::{Disk, DiskError, MemoryDisk, ReadAt},
    node::Fnv,
};

/// Bytes other than pages of zeros that a store may hold.
pub const IMPORT_MAX: u64 = 512 * 1024 * 1024;

/// Bytes that are looked at together.
const PAGE: usize = 16 * 1024;
/// Bytes that are read at once.
const CHUNK: usize = 64 * PAGE;

/// A store that a broker begins with, and that somebody has to bring.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportSpec {
    /// What its owner knows it by.
    pub name: String,
    /// What [`Imports::add`] answers for it: 16 hexadecimal digits.
    pub fingerprint: String,
}

/// Stores that were brought along. Of many, those that were brought the longest ago are forgotten: what is kept holds twice
/// [`IMPORT_MAX`] bytes at most.
#[derive(Clone, Debug, Default)]
pub struct Imports {
    /// The longest ago first.
    brought: Vec<Brought>,
}

#[derive(Clone, Debug)]
struct Brought {
    fingerprint: String,
    disk: MemoryDisk,
    /// Bytes that it holds, page by page.
    held: u64,
}

/// A store that cannot be brought along.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ImportError {
    /// It holds too much.
    #[error("the store holds more than {limit} bytes beside zeros")]
    TooLarge {
        /// The most, bytes.
        limit: u64,
    },
    /// A file cannot be read, or not be made again.
    #[error("{0}")]
    Disk(String),
}

impl From<DiskError> for ImportError {
    fn from(error: DiskError) -> Self {
        Self::Disk(error.to_string())
    }
}

impl Imports {
    /// Copies a store, everything of it stable and with its times of the last write. Its fingerprint: a hash (FNV-1a, 64
    /// bits) over paths, lengths and bytes, not over times, so that a store is known again after it was packed.
    ///
    /// # Errors
    /// If it cannot be read, or holds more than [`IMPORT_MAX`] bytes beside zeros.
    pub fn add(&mut self, store: &(impl ReadAt + ?Sized)) -> Result<String, ImportError> {
        self.add_within(store, IMPORT_MAX)
    }

    fn add_within(&mut self, store: &(impl ReadAt + ?Sized), limit: u64) -> Result<String, ImportError> {
        let mut disk = MemoryDisk::new();
        let mut hash = Fnv::default();
        let mut left = limit;
        let mut chunk = vec![0; CHUNK];
        for (path, from) in store.files() {
            let meta = store.meta(from)?;
            hash.write(path.as_bytes());
            hash.write(&[0]);
            hash.write_u64(meta.len);
            disk.set_time(meta.modified);
            let to = disk.create(&path, meta.len)?;
            let mut at = 0;
            while at < meta.len {
                let len = usize::try_from(meta.len - at).unwrap_or(CHUNK).min(CHUNK);
                let bytes = chunk.get_mut(..len).unwrap_or_default();
                store.read_at(from, at, bytes)?;
                for (offset, page) in (at..).step_by(PAGE).zip(bytes.chunks(PAGE)) {
                    if page.iter().any(|byte| *byte != 0) {
                        left = left.checked_sub(page.len() as u64).ok_or(ImportError::TooLarge { limit })?;
                        hash.write_u64(offset);
                        hash.write(page);
                        disk.write_at(to, offset, page)?;
                    }
                }
                at += len as u64;
            }
            disk.flush(to, 0, meta.len)?;
        }
        let fingerprint = format!("{:016x}", hash.value());
        self.brought.retain(|known| known.fingerprint != fingerprint);
        self.brought.push(Brought { fingerprint: fingerprint.clone(), disk, held: limit - left });
        let mut held: u64 = self.brought.iter().map(|known| known.held).sum();
        self.brought.retain(|known| {
            let keep = held <= 2 * limit;
            held -= if keep { 0 } else { known.held };
            keep
        });
        Ok(fingerprint)
    }

    /// The store of this fingerprint.
    pub fn get(&self, fingerprint: &str) -> Option<&MemoryDisk> {
        self.brought.iter().find(|known| known.fingerprint == fingerprint).map(|known| &known.disk)
    }
}

#[cfg(test)]
mod tests {
    use super::{ImportError, Imports, PAGE};
    use crate::disk::{Disk, MemoryDisk, ReadAt};

    fn store(byte: u8, modified: i64) -> MemoryDisk {
        let mut bytes = vec![0; 5 * PAGE + 10];
        bytes[3 * PAGE] = byte;
        let files = [("checkpoint".to_owned(), vec![1], modified), ("commitlog/0".to_owned(), bytes, modified + 1)];
        MemoryDisk::from_files(files).unwrap()
    }

    #[test]
    fn a_store_is_copied_byte_by_byte_and_known_again() {
        let mut imports = Imports::default();
        let mut original = store(7, 1000);
        original.create("commitlog/1", 1 << 30).unwrap();
        let fingerprint = imports.add(&original).unwrap();
        let copy = imports.get(&fingerprint).unwrap();
        assert_eq!(copy.files().len(), 3);
        for (path, from) in original.files() {
            let to = copy.find(&path).unwrap();
            assert_eq!(copy.meta(to), original.meta(from), "{path}");
            let pages = |disk: &MemoryDisk, file| {
                disk.pages(file).unwrap().map(|(at, page)| (at, page.to_vec())).collect::<Vec<_>>()
            };
            assert_eq!(pages(copy, to), pages(&original, from), "{path}");
        }
        // The GiB of zeros cost nothing: one page of each other file.
        assert_eq!(copy.pages_held(), 2);
        assert_eq!(copy.dirty_pages().len(), 0);
    }

    #[test]
    fn bytes_and_not_times_tell_stores_apart() {
        let mut imports = Imports::default();
        let fingerprint = imports.add(&store(7, 1000)).unwrap();
        assert_eq!(imports.add(&store(7, 2000)).unwrap(), fingerprint);
        assert_ne!(imports.add(&store(8, 1000)).unwrap(), fingerprint);
        assert!(imports.get("0000000000000000").is_none());
    }

    #[test]
    fn what_a_store_may_hold_has_a_limit() {
        // Two pages are not zeros: one of a byte, one of 16 KiB.
        let limit = PAGE as u64;
        assert_eq!(Imports::default().add_within(&store(7, 0), limit), Err(ImportError::TooLarge { limit }));
        assert!(Imports::default().add_within(&store(7, 0), limit + 1).is_ok());
    }

    /// Each holds 16 KiB and a byte, and four times 16 KiB and two bytes may be kept: three of them, and the others are
    /// those that were brought before.
    #[test]
    fn of_many_stores_the_newest_are_kept() {
        let mut imports = Imports::default();
        let mut add = |byte| {
            let fingerprint = imports.add_within(&store(byte, 0), 2 * PAGE as u64 + 1).unwrap();
            (fingerprint, imports.clone())
        };
        let brought: Vec<(String, Imports)> = [1, 2, 3, 1, 4].map(&mut add).into();
        let kept = |at: usize| -> Vec<bool> {
            brought[..=at].iter().map(|(fingerprint, _)| brought[at].1.get(fingerprint).is_some()).collect()
        };
        assert_eq!(kept(2), [true, true, true]);
        // The first was brought again, so the second is the oldest.
        assert_eq!(kept(3), [true, true, true, true]);
        assert_eq!(kept(4), [true, false, true, true, true]);
    }
}

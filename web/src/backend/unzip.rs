//! A zip archive as a folder.
//!
//! Archives are small as files go, but what they hold need not be: a 1 GiB commit log that is mostly zeros packs to
//! nothing. So pages of zeros are not kept, and what is kept has a limit.

use std::collections::BTreeMap;
use std::io::{Read, Seek};
use std::rc::Rc;

use zip::ExtraField;

use super::dos;
use super::folder::{Content, Folder};
use super::protocol::OpenError;

const PAGE: u64 = 16 * 1024;

/// Bytes other than pages of zeros that an archive may hold.
pub(super) const LIMIT: u64 = 1 << 30;

/// A file as its pages that are not all zero.
#[derive(Default)]
struct Pages {
    len: u64,
    /// Milliseconds since the epoch.
    modified: i64,
    held: BTreeMap<u64, Box<[u8]>>,
}

impl Content for Pages {
    fn len(&self) -> u64 {
        self.len
    }

    fn modified(&self) -> i64 {
        self.modified
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> Result<(), String> {
        let mut at = offset;
        for piece in split_at_pages(offset, buf) {
            let from = (at % PAGE) as usize;
            match self.held.get(&(at / PAGE)).and_then(|page| page.get(from..from + piece.len())) {
                Some(bytes) => piece.copy_from_slice(bytes),
                None => piece.fill(0),
            }
            at += piece.len() as u64;
        }
        Ok(())
    }
}

/// `buf`, which lies at `offset`, in pieces that do not cross a page's border.
fn split_at_pages(offset: u64, buf: &mut [u8]) -> Vec<&mut [u8]> {
    let mut pieces = Vec::new();
    let mut rest = buf;
    let mut room = (PAGE - offset % PAGE) as usize;
    while !rest.is_empty() {
        let (piece, later) = rest.split_at_mut(room.min(rest.len()));
        pieces.push(piece);
        rest = later;
        room = PAGE as usize;
    }
    pieces
}

/// Unpacks an archive, keeping `limit` bytes at most.
pub(super) fn unzip(archive: impl Read + Seek, limit: u64) -> Result<Folder, OpenError> {
    let mut archive = zip::ZipArchive::new(archive).map_err(|cause| OpenError::NotZip(cause.to_string()))?;
    let mut files: Vec<(String, Rc<dyn Content>)> = Vec::new();
    let mut left = limit;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(|cause| OpenError::NotZip(cause.to_string()))?;
        if !entry.is_file() {
            continue;
        }
        let path = entry.name().map_err(|cause| OpenError::NotZip(cause.to_string()))?.replace('\\', "/");
        // The field for UNIX's time is exact; without it there is the archive's own.
        let exact = entry.extra_data_fields().find_map(|field| match field {
            ExtraField::ExtendedTimestamp(time) => time.mod_time().map(i64::from),
            _ => None,
        });
        let modified = exact.or_else(|| entry.last_modified().map(dos::seconds)).unwrap_or(0).saturating_mul(1000);
        let pages = keep(&mut entry, &mut left, limit).map_err(|cause| match cause {
            OpenError::Unreadable(cause) => OpenError::Unreadable(format!("{path}: {cause}")),
            other => other,
        })?;
        files.push((path.trim_start_matches('/').to_owned(), Rc::new(Pages { modified, ..pages })));
    }
    if files.is_empty() { Err(OpenError::Empty) } else { Ok(Folder::new(files)) }
}

fn keep(entry: &mut impl Read, left: &mut u64, limit: u64) -> Result<Pages, OpenError> {
    let mut pages = Pages::default();
    let mut page = Vec::with_capacity(PAGE as usize);
    for number in 0.. {
        page.clear();
        entry.take(PAGE).read_to_end(&mut page).map_err(|cause| OpenError::Unreadable(cause.to_string()))?;
        pages.len += page.len() as u64;
        if page.iter().any(|byte| *byte != 0) {
            *left = left.checked_sub(page.len() as u64).ok_or(OpenError::TooLarge(limit))?;
            pages.held.insert(number, page.as_slice().into());
        }
        if (page.len() as u64) < PAGE {
            break;
        }
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use rocketscope_engine::disk::{DiskErrorKind, ReadAt};
    use zip::write::SimpleFileOptions;

    use super::{PAGE, unzip};
    use crate::backend::protocol::OpenError;

    fn archive(files: &[(&str, &[u8])]) -> Cursor<Vec<u8>> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (path, bytes) in files {
            writer.start_file(*path, SimpleFileOptions::default()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        let mut cursor = writer.finish().unwrap();
        cursor.set_position(0);
        cursor
    }

    #[test]
    fn bytes_come_back_over_page_borders_and_zeros() {
        let mut bytes = vec![0; 3 * PAGE as usize + 100];
        bytes[PAGE as usize - 1] = 7;
        bytes[3 * PAGE as usize + 99] = 9;
        let folder = unzip(archive(&[("store/commitlog/0", &bytes), ("store/lock", b"lock")]), 1 << 20).unwrap();
        let file = folder.find("store/commitlog/0").unwrap();
        assert_eq!(folder.meta(file).unwrap().len, bytes.len() as u64);
        for (offset, len) in [(0, bytes.len()), (PAGE as usize - 1, 2), (2 * PAGE as usize, PAGE as usize + 100)] {
            let mut buf = vec![1; len];
            folder.read_at(file, offset as u64, &mut buf).unwrap();
            assert_eq!(buf, bytes[offset..offset + len]);
        }
        let error = folder.read_at(file, bytes.len() as u64 - 1, &mut [0; 2]).unwrap_err();
        assert_eq!(error.kind, DiskErrorKind::OutOfRange { len: bytes.len() as u64 });
        assert_eq!(
            folder.below("store").files().iter().map(|(path, _)| path.clone()).collect::<Vec<_>>(),
            ["commitlog/0", "lock"]
        );
    }

    #[test]
    fn zeros_cost_nothing_and_the_rest_has_a_limit() {
        let zeros = vec![0; 4 << 20];
        assert!(unzip(archive(&[("a", &zeros)]), 100).is_ok());
        let ones = vec![1; PAGE as usize];
        assert_eq!(unzip(archive(&[("a", &ones)]), 100).err(), Some(OpenError::TooLarge(100)));
    }

    #[test]
    fn what_is_no_archive_is_refused() {
        assert!(matches!(unzip(Cursor::new(b"not a zip".to_vec()), 100), Err(OpenError::NotZip(_))));
        assert_eq!(unzip(archive(&[]), 100).err(), Some(OpenError::Empty));
    }
}

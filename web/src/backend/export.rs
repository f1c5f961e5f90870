//! The disk of a simulated broker as an archive in the browser's hands.

use std::io::{self, Write};

use js_sys::Array;
use rocketscope_engine::disk::{MemoryDisk, ReadAt};
use web_sys::Blob;

use super::pack;
use super::protocol::{ExportError, Exported};

/// Bytes that are handed to the browser at once: it may keep them where it likes.
const PIECE: usize = 8 * 1024 * 1024;

/// Packs a disk; the archive comes beside what is said of it.
pub(super) fn export(name: &str, disk: &MemoryDisk) -> Result<(Exported, Blob), ExportError> {
    let len = disk.used();
    if len > pack::LIMIT {
        return Err(ExportError::TooLarge { len, limit: pack::LIMIT });
    }
    let mut pieces = Pieces::default();
    pack::pack(disk, &mut pieces).map_err(|cause| ExportError::Failed(cause.to_string()))?;
    let blob = pieces.finish().map_err(|cause| ExportError::Failed(cause.to_string()))?;
    let files = disk.files().len() as u64;
    Ok((Exported { name: format!("{name}-store.zip"), files, len, packed: blob.size() as u64 }, blob))
}

/// Bytes as they are written, in pieces that the browser holds.
#[derive(Default)]
struct Pieces {
    held: Vec<u8>,
    pieces: Array,
}

impl Pieces {
    fn hand_over(&mut self) -> io::Result<()> {
        if !self.held.is_empty() {
            let bytes = js_sys::Uint8Array::from(self.held.as_slice());
            let piece = Blob::new_with_u8_array_sequence(&Array::of1(&bytes));
            let piece = piece.map_err(|cause| io::Error::other(format!("{cause:?}")))?;
            self.pieces.push(&piece);
            self.held.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<Blob> {
        self.hand_over()?;
        Blob::new_with_blob_sequence(&self.pieces).map_err(|cause| io::Error::other(format!("{cause:?}")))
    }
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= PIECE {
            self.hand_over()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

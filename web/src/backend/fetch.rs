//! Files of the reader's machine, read slice by slice.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;

use js_sys::Uint8Array;
use web_sys::{Blob, FileReaderSync};

use super::folder::Content;

/// Bytes fetched at a time: large enough that a scan of a log asks a few thousand times per GiB, small enough that a
/// jump to one record costs little.
const BLOCK: u64 = 256 * 1024;

/// Blocks kept: 16 MiB.
const KEPT: usize = 64;

/// Reads slices of files, and keeps the last ones.
pub(super) struct Fetcher {
    reader: FileReaderSync,
    kept: RefCell<VecDeque<Block>>,
}

struct Block {
    file: u32,
    number: u64,
    bytes: Rc<[u8]>,
}

impl Fetcher {
    /// A fetcher; only a worker has the means for it.
    pub(super) fn new() -> Result<Rc<Self>, String> {
        let reader = FileReaderSync::new().map_err(|cause| words(&cause))?;
        Ok(Rc::new(Self { reader, kept: RefCell::default() }))
    }

    fn block(&self, file: &FetchedFile, number: u64) -> Result<Rc<[u8]>, String> {
        let mut kept = self.kept.borrow_mut();
        if let Some(at) = kept.iter().position(|block| block.file == file.id && block.number == number) {
            let block = kept.remove(at).ok_or("a kept block is gone")?;
            let bytes = Rc::clone(&block.bytes);
            kept.push_back(block);
            return Ok(bytes);
        }
        let start = number.saturating_mul(BLOCK);
        let end = start.saturating_add(BLOCK).min(file.len);
        let slice = file.blob.slice_with_f64_and_f64(start as f64, end as f64).map_err(|cause| words(&cause))?;
        let buffer = self.reader.read_as_array_buffer(&slice).map_err(|cause| words(&cause))?;
        let bytes: Rc<[u8]> = Uint8Array::new(&buffer).to_vec().into();
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back(Block { file: file.id, number, bytes: Rc::clone(&bytes) });
        Ok(bytes)
    }
}

/// The browser's own words for why something failed.
fn words(cause: &wasm_bindgen::JsValue) -> String {
    let text = |name: &str| js_sys::Reflect::get(cause, &name.into()).ok().and_then(|value| value.as_string());
    match (text("name"), text("message")) {
        (Some(name), Some(message)) => format!("{name}: {message}"),
        _ => format!("{cause:?}"),
    }
}

/// A file of the reader's machine.
pub(super) struct FetchedFile {
    fetcher: Rc<Fetcher>,
    id: u32,
    blob: Blob,
    len: u64,
    modified: i64,
}

impl FetchedFile {
    /// The file `blob`, last written at `modified`; `id` tells it from the fetcher's other files.
    pub(super) fn new(fetcher: Rc<Fetcher>, id: u32, blob: Blob, modified: i64) -> Self {
        let len = blob.size() as u64;
        Self { fetcher, id, blob, len, modified }
    }
}

impl Content for FetchedFile {
    fn len(&self) -> u64 {
        self.len
    }

    fn modified(&self) -> i64 {
        self.modified
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> Result<(), String> {
        let mut at = offset;
        let mut rest = buf;
        while !rest.is_empty() {
            let block = self.fetcher.block(self, at / BLOCK)?;
            let from = block.get((at % BLOCK) as usize..).unwrap_or_default();
            let count = from.len().min(rest.len());
            if count == 0 {
                return Err("the file has become shorter since it was opened".to_owned());
            }
            let (now, later) = rest.split_at_mut(count);
            now.copy_from_slice(from.get(..count).unwrap_or_default());
            rest = later;
            at += count as u64;
        }
        Ok(())
    }
}

/// A [`Content`] as a stream, which is how an archive is read.
pub(super) struct Stream<C> {
    content: C,
    at: u64,
}

impl<C: Content> Stream<C> {
    /// A stream over `content`, at its start.
    pub(super) fn new(content: C) -> Self {
        Self { content, at: 0 }
    }
}

impl<C: Content> io::Read for Stream<C> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = self.content.len().saturating_sub(self.at);
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
        let Some(buf) = buf.get_mut(..count) else { return Ok(0) };
        self.content.read(self.at, buf).map_err(io::Error::other)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl<C: Content> io::Seek for Stream<C> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        let at = match to {
            io::SeekFrom::Start(at) => Some(at),
            io::SeekFrom::End(by) => self.content.len().checked_add_signed(by),
            io::SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::other("a position before the start"))?;
        Ok(self.at)
    }
}

//! Fetching one record of the commit log, of which only the beginning is known.
//!
//! 4.9.8 maps whole files and tests a record in everything that follows it. Here as many bytes are fetched as the record
//! can need: its TOTALSIZE, or what its parts make where a damaged record says less.

use crate::disk::{DiskError, FileId, ReadAt};
use crate::message::record::{
    Checked, MAGIC_POSITION, MESSAGE_MAGIC, SYS_FLAG_POSITION, check, check_without_body, store_timestamp_position,
};
use crate::message::{delay::DeliverTime, sys_flag};

use super::big_endian::{i32_at, i64_at};

/// The fields before the body are at most this long: 88 bytes, and 12 more for each IPv6 host.
const MAX_HEAD: usize = 112;
/// A byte of topic length, and two of properties length.
const MIN_TAIL: usize = 3;

/// Where the bytes stand: from `position` of the file up to `end`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) file: FileId,
    pub(super) position: i32,
    pub(super) end: i32,
}

/// Where the parts of a record are, counted from its first byte.
struct Shape {
    /// The field that holds the body's length.
    body_length: usize,
    /// What follows the body.
    tail: usize,
}

impl Stretch {
    fn len(self) -> usize {
        usize::try_from(self.end.saturating_sub(self.position)).unwrap_or(0)
    }

    /// Appends `len` bytes from `from` on to `out`.
    fn append<R: ReadAt>(self, disk: &R, from: usize, len: usize, out: &mut Vec<u8>) -> Result<(), DiskError> {
        let at = out.len();
        out.resize(at + len, 0);
        let offset = self.position.max(0) as u64 + from as u64;
        disk.read_at(self.file, offset, out.get_mut(at..).unwrap_or_default())
    }

    /// Fetches the record without its body into `bytes`, and tests it, body and CRC left alone: what dispatch does
    /// (`checkMessageAndReturnSize(buffer, false, false)`).
    pub(super) fn check_for_dispatch<'b, R: ReadAt>(
        self,
        disk: &R,
        delay: &dyn DeliverTime,
        bytes: &'b mut Vec<u8>,
    ) -> Result<Checked<'b>, DiskError> {
        self.fetch_head(disk, bytes)?;
        match self.shape(bytes) {
            Some(shape) => {
                bytes.truncate(shape.body_length + 4);
                self.fetch_tail(disk, &shape, bytes)?;
                Ok(check_without_body(bytes, delay))
            }
            None => Ok(check(bytes, false, false, delay)),
        }
    }

    /// Fetches the whole record into `bytes`, and tests it, its CRC too if `check_crc`: what recovery does
    /// (`checkMessageAndReturnSize(buffer, checkCRC, true)`).
    pub(super) fn check_for_recovery<'b, R: ReadAt>(
        self,
        disk: &R,
        check_crc: bool,
        delay: &dyn DeliverTime,
        bytes: &'b mut Vec<u8>,
    ) -> Result<Checked<'b>, DiskError> {
        self.fetch_head(disk, bytes)?;
        if let Some(shape) = self.shape(bytes) {
            let head = bytes.len().min(shape.tail);
            bytes.truncate(head);
            self.append(disk, head, shape.tail - head, bytes)?;
            self.fetch_tail(disk, &shape, bytes)?;
        }
        Ok(check(bytes, check_crc, true, delay))
    }

    fn fetch_head<R: ReadAt>(self, disk: &R, bytes: &mut Vec<u8>) -> Result<(), DiskError> {
        bytes.clear();
        self.append(disk, 0, self.len().min(MAX_HEAD), bytes)
    }

    /// The shape of the record that begins so; `None` if it is none, or ends before its topic. The head alone then shows
    /// that nothing good is there.
    fn shape(self, head: &[u8]) -> Option<Shape> {
        let is_message = i32_at(head, MAGIC_POSITION) == MESSAGE_MAGIC;
        let sys_flag = i32_at(head, SYS_FLAG_POSITION);
        let store_host = store_timestamp_position(sys_flag) + 8;
        let body_length = store_host + sys_flag::store_host_len(sys_flag) + 12;
        if !is_message || head.len() < body_length + 4 {
            return None;
        }
        let body = usize::try_from(i32_at(head, body_length)).unwrap_or(0);
        let tail = body_length + 4 + body;
        (tail < self.len()).then_some(Shape { body_length, tail })
    }

    /// Appends topic and properties: what TOTALSIZE says is left of the record, and more if their lengths say so.
    fn fetch_tail<R: ReadAt>(self, disk: &R, shape: &Shape, bytes: &mut Vec<u8>) -> Result<(), DiskError> {
        let available = self.len() - shape.tail;
        let start = bytes.len();
        let total = usize::try_from(i32_at(bytes, 0)).unwrap_or(0);
        let mut fetched = 0;
        let mut wanted = total.saturating_sub(shape.tail).max(MIN_TAIL);
        while fetched < wanted.min(available) {
            let more = wanted.min(available) - fetched;
            self.append(disk, shape.tail + fetched, more, bytes)?;
            fetched += more;
            wanted = wanted.max(tail_len(bytes.get(start..).unwrap_or_default()));
        }
        Ok(())
    }
}

/// Length of topic and properties as far as their lengths are there.
fn tail_len(tail: &[u8]) -> usize {
    let topic = tail.first().map_or(0, |len| usize::try_from(len.cast_signed()).unwrap_or(0));
    let properties = tail.get(1 + topic..).and_then(<[u8]>::first_chunk).map_or(0, |len| i16::from_be_bytes(*len));
    MIN_TAIL + topic + usize::try_from(properties).unwrap_or(0)
}

/// What a file of the log begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FirstRecord {
    /// The magic code; 0 where it cannot be read.
    pub(super) magic: i32,
    /// The store time of a message; 0 for anything else.
    pub(super) store_timestamp: i64,
}

impl FirstRecord {
    /// Reads the beginning of a file of `size` bytes.
    pub(super) fn read<R: ReadAt>(disk: &R, file: FileId, size: i32) -> Self {
        let mut head = Vec::new();
        if (Stretch { file, position: 0, end: size }).fetch_head(disk, &mut head).is_err() {
            return Self::default();
        }
        let magic = i32_at(&head, MAGIC_POSITION);
        let position = store_timestamp_position(i32_at(&head, SYS_FLAG_POSITION));
        let has_time = magic == MESSAGE_MAGIC && head.len() >= position + 8;
        Self { magic, store_timestamp: if has_time { i64_at(&head, position) } else { 0 } }
    }
}

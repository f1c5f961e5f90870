//! The commit log read as one range of offsets, whatever its files hold.

use std::fmt;

use super::files::{Segment, locate};
use crate::disk::{DiskError, ReadAt};
use crate::message::delay::DelayLevels;
use crate::message::record::{self, BLANK_MAGIC, Cause, Checked, FieldName, MESSAGE_MAGIC, Record};

/// No record is longer: a request of 4.9.8 has at most 16 MiB (`com.rocketmq.remoting.frameMaxLength`), and a damaged
/// TOTALSIZE must not make the reader fill the memory.
pub const MAX_RECORD: u64 = 64 * 1024 * 1024;

/// Bytes handed to the check at least, so that it can say what a wrong TOTALSIZE should have been.
const CHECK_AHEAD: u64 = 64 * 1024;

/// What stands at a place of the log.
#[derive(Debug)]
pub enum Look<'w> {
    /// A record that passes the check of recovery.
    Record(Record<'w>),
    /// A blank record: the rest of the file is unused.
    Blank {
        /// Bytes that it says are left of the file, itself included.
        remaining: i32,
        /// Bytes that are left.
        left: u64,
    },
    /// Eight zeros: nothing was written here.
    Unwritten,
    /// No record.
    Bad(Fault),
    /// The end of the file, or so little before it that nothing fits.
    End,
}

/// Why bytes are no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The magic code is another.
    Magic(i32),
    /// The body is not the one that was stored.
    Crc {
        /// BODYCRC.
        stored: i32,
        /// The CRC of the body as it is.
        computed: i32,
        /// Topic, queue and queue offset of the record, as it says.
        of: (String, i32, i64),
    },
    /// TOTALSIZE is wrong, or one of the lengths.
    Size {
        /// TOTALSIZE.
        size: i32,
        /// What is wrong with it, in words.
        cause: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic(found) => write!(f, "the magic code is 0x{:08X}", found.cast_unsigned()),
            Self::Crc { stored, computed, .. } => write!(f, "the body has CRC {computed}, BODYCRC says {stored}"),
            Self::Size { size, cause } => write!(f, "TOTALSIZE is {size}: {cause}"),
        }
    }
}

/// Reads the commit log through a window, so that neighbouring looks cost one read of the disk.
pub struct LogReader<'a, D: ?Sized> {
    disk: &'a D,
    segments: &'a [Segment],
    chunk: u64,
    window: Window,
    levels: DelayLevels,
}

#[derive(Default)]
struct Window {
    segment: usize,
    start: u64,
    bytes: Vec<u8>,
}

impl<'a, D: ReadAt + ?Sized> LogReader<'a, D> {
    /// Reads at least `chunk` bytes at a time.
    pub fn new(disk: &'a D, segments: &'a [Segment], chunk: u64) -> Self {
        Self { disk, segments, chunk, window: Window::default(), levels: DelayLevels::default() }
    }

    /// The files of the log.
    pub fn segments(&self) -> &'a [Segment] {
        self.segments
    }

    /// The file that holds `offset` and the position in it.
    pub fn locate(&self, offset: i64) -> Option<(usize, u64)> {
        locate(self.segments, offset)
    }

    /// Start of the first file; `None` where the log has no file.
    pub fn min_offset(&self) -> Option<i64> {
        self.segments.first().map(|segment| segment.from)
    }

    /// `len` bytes of a file from `position`, fewer at its end.
    pub fn bytes(&mut self, segment: usize, position: u64, len: u64) -> Result<&[u8], DiskError> {
        let Some(file) = self.segments.get(segment) else { return Ok(&[]) };
        let len = len.min(file.len.saturating_sub(position));
        let window_end = self.window.start + self.window.bytes.len() as u64;
        let inside = self.window.segment == segment
            && position >= self.window.start
            && position.saturating_add(len) <= window_end;
        if len == 0 {
            return Ok(&[]);
        }
        if !inside {
            let have = len.max(self.chunk).min(file.len.saturating_sub(position));
            self.window.segment = segment;
            self.window.start = position;
            self.window.bytes.resize(usize::try_from(have).unwrap_or(usize::MAX), 0);
            if let Err(error) = self.disk.read_at(file.file, position, &mut self.window.bytes) {
                self.window.bytes.clear();
                return Err(error);
            }
        }
        let held = self.window.from(segment, position);
        Ok(usize::try_from(len).ok().and_then(|len| held.get(..len)).unwrap_or_default())
    }

    /// What stands at a position of a file. The check is that of recovery with the CRC
    /// (`CommitLog.checkMessageAndReturnSize`).
    pub fn look(&mut self, segment: usize, position: u64) -> Result<Look<'_>, DiskError> {
        let len = self.segments.get(segment).map_or(0, |file| file.len);
        let left = len.saturating_sub(position);
        let head = self.bytes(segment, position, 8)?;
        let word = |at: usize| head.get(at..)?.first_chunk().map(|word| i32::from_be_bytes(*word));
        let (Some(size), Some(magic)) = (word(0), word(4)) else { return Ok(Look::End) };
        match magic {
            MESSAGE_MAGIC => {}
            BLANK_MAGIC => return Ok(Look::Blank { remaining: size, left }),
            0 if size == 0 => return Ok(Look::Unwritten),
            magic => return Ok(Look::Bad(Fault::Magic(magic))),
        }
        let wanted = u64::try_from(size).unwrap_or(0);
        if wanted > left || wanted > MAX_RECORD {
            let cause = if wanted > left {
                format!("only {left} bytes are left in the file")
            } else {
                format!("no record is longer than {MAX_RECORD} bytes")
            };
            return Ok(Look::Bad(Fault::Size { size, cause }));
        }
        self.bytes(segment, position, wanted)?;
        if self.fault(segment, position).is_some() {
            // A wrong TOTALSIZE cuts the record short: what it should have been stands in the bytes behind.
            self.bytes(segment, position, wanted.max(CHECK_AHEAD).min(left))?;
            if let Some(fault) = self.fault(segment, position) {
                return Ok(Look::Bad(fault));
            }
        }
        let decoded = record::decode(self.window.from(segment, position));
        Ok(decoded.map_or_else(|error| Look::Bad(Fault::Size { size, cause: error.to_string() }), Look::Record))
    }

    /// The record at a position, one whose body is damaged included: all but the body can still be told.
    pub fn record(&mut self, segment: usize, position: u64) -> Result<Option<Record<'_>>, DiskError> {
        let told = matches!(self.look(segment, position)?, Look::Record(_) | Look::Bad(Fault::Crc { .. }));
        Ok(told.then(|| record::decode(self.window.from(segment, position)).ok()).flatten())
    }

    /// What is wrong with the record at a position that the window holds.
    fn fault(&self, segment: usize, position: u64) -> Option<Fault> {
        let bytes = self.window.from(segment, position);
        let size = bytes.first_chunk().map_or(0, |size| i32::from_be_bytes(*size));
        match record::check(bytes, true, true, &self.levels) {
            Checked::Good(_) => None,
            Checked::Blank { .. } => Some(Fault::Magic(BLANK_MAGIC)),
            Checked::Bad { error, .. } => Some(match error.cause {
                Cause::Crc { stored, computed } => Fault::Crc { stored, computed, of: said_of(bytes) },
                Cause::Size { read, .. } => Fault::Size { size, cause: format!("the lengths in it make {read}") },
                _ => Fault::Size { size, cause: error.to_string() },
            }),
        }
    }
}

impl Window {
    /// What it holds of a file from a position on.
    fn from(&self, segment: usize, position: u64) -> &[u8] {
        let skip = position.checked_sub(self.start).and_then(|skip| usize::try_from(skip).ok());
        skip.filter(|_| segment == self.segment).and_then(|skip| self.bytes.get(skip..)).unwrap_or_default()
    }
}

/// Topic, queue and queue offset of a record as far as its bytes say; a torn one has lost its topic.
fn said_of(bytes: &[u8]) -> (String, i32, i64) {
    let (mut topic, mut queue_id, mut queue_offset) = (String::from("?"), 0, 0);
    for span in record::fields(bytes) {
        match span.name {
            FieldName::QueueId => queue_id = span.value.parse().unwrap_or(0),
            FieldName::QueueOffset => queue_offset = span.value.parse().unwrap_or(0),
            FieldName::Topic if span.len > 0 => topic = span.value,
            _ => {}
        }
    }
    (topic, queue_id, queue_offset)
}

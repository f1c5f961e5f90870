//! The bytes of replication. All numbers are big-endian.
//!
//! ```text
//! slave  ──▶ master   i64 end of the slave's log                           8 bytes
//! master ──▶ slave    i64 physical offset, i32 length, so many bytes      12 bytes and more; a heartbeat has length 0
//! ```

use bytes::{BufMut, Bytes, BytesMut};

/// Length of a master's header (`HAConnection.WriteSocketService.headerSize`).
pub(super) const HEADER: usize = 12;

/// Length of a slave's report.
const REPORT: usize = 8;

/// A slave's report.
pub(super) fn report(offset: i64) -> Bytes {
    Bytes::copy_from_slice(&offset.to_be_bytes())
}

/// A master's piece: header and body. A body is at most `haTransferBatchSize` long.
pub(super) fn piece(offset: i64, body: &[u8]) -> Bytes {
    let mut bytes = BytesMut::with_capacity(HEADER + body.len());
    bytes.put_i64(offset);
    bytes.put_i32(i32::try_from(body.len()).unwrap_or(i32::MAX));
    bytes.put_slice(body);
    bytes.freeze()
}

/// A master's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) offset: i64,
    pub(super) size: i32,
}

impl Header {
    /// The header that these bytes begin with; `None` while it is not complete.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (offset, rest) = bytes.split_first_chunk()?;
        let size = rest.first_chunk()?;
        Some(Self { offset: i64::from_be_bytes(*offset), size: i32::from_be_bytes(*size) })
    }
}

/// Takes the complete reports out of what was read. Only the last of them counts.
pub(super) fn last_report(unread: &mut Vec<u8>) -> Option<i64> {
    let complete = unread.len() - unread.len() % REPORT;
    let last = unread.get(..complete)?.last_chunk::<REPORT>().copied();
    unread.drain(..complete);
    last.map(i64::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked out by hand: offset 0x0102, three bytes.
    #[test]
    fn a_piece_is_twelve_bytes_and_its_body() {
        let bytes = piece(0x0102, b"abc");
        assert_eq!(&bytes[..], b"\0\0\0\0\0\0\x01\x02\0\0\0\x03abc");
        assert_eq!(Header::read(&bytes), Some(Header { offset: 0x0102, size: 3 }));
        assert_eq!(Header::read(&bytes[..11]), None);
        assert_eq!(piece(7, b"").len(), HEADER);
    }

    #[test]
    fn only_the_last_complete_report_counts() {
        let mut unread = [&report(5)[..], &report(9)[..], &[0, 0, 0]].concat();
        assert_eq!(last_report(&mut unread), Some(9));
        assert_eq!(unread, [0, 0, 0]);
        assert_eq!(last_report(&mut unread), None);
        unread.extend([0, 0, 0, 0, 1]);
        assert_eq!(last_report(&mut unread), Some(1));
    }
}

//! Bodies that the client compressed.

use std::io::{self, Read, Write};

use flate2::Compression as Level;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use lz4_flex::frame::FrameDecoder;
use ruzstd::decoding::StreamingDecoder;
use thiserror::Error;

use super::sys_flag::{self, Compression};

/// [`inflate`] gives up on a body that becomes longer than this. A body is at most 4 MiB before compression, unless
/// that limit is raised in client and broker.
pub const INFLATED_MAX: usize = 64 * 1024 * 1024;

/// The clients' `compressLevel`.
const ZLIB_LEVEL: u32 = 5;

/// How a zlib stream begins that was written at that level: a window of 32 KiB, and the level's class.
const ZLIB_HEAD: [u8; 2] = [0x78, 0x5E];

/// The body as its sender wrote it: decompressed iff the sysFlag says that it is compressed, else a copy.
pub fn inflate(sys_flag: i32, body: &[u8]) -> Result<Vec<u8>, BodyError> {
    inflate_at_most(sys_flag, body, INFLATED_MAX)
}

/// As [`inflate`], with another limit.
pub fn inflate_at_most(sys_flag: i32, body: &[u8], max: usize) -> Result<Vec<u8>, BodyError> {
    if !sys_flag::is_compressed(sys_flag) {
        return Ok(body.to_vec());
    }
    let kind = sys_flag::compression(sys_flag).ok_or(BodyError::UnknownCompression { sys_flag })?;
    let inflated = match kind {
        Compression::Zlib => read_at_most(ZlibDecoder::new(body), max),
        Compression::Lz4 => lz4_frames(body, max),
        Compression::Zstd => zstd_frames(body, max),
    };
    match inflated {
        Ok(body) if body.len() > max => Err(BodyError::TooLong { max }),
        Ok(body) => Ok(body),
        Err(error) => Err(BodyError::Malformed { kind, cause: error.to_string() }),
    }
}

/// LZ4 frames up to the end of the bytes, as Java's stream reads them.
fn lz4_frames(mut body: &[u8], max: usize) -> io::Result<Vec<u8>> {
    let mut inflated = Vec::new();
    while !body.is_empty() && inflated.len() <= max {
        let mut source = EndAware { rest: &mut body, ended: false };
        let frame = read_at_most(FrameDecoder::new(&mut source), max - inflated.len())?;
        if source.ended {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        inflated.extend_from_slice(&frame);
    }
    Ok(inflated)
}

/// ZSTD frames up to the end of the bytes, as Java's stream reads them.
fn zstd_frames(mut body: &[u8], max: usize) -> io::Result<Vec<u8>> {
    let mut inflated = Vec::new();
    while !body.is_empty() && inflated.len() <= max {
        let mut decoder =
            StreamingDecoder::new_with_max_window_size(&mut body, INFLATED_MAX as u64).map_err(io::Error::other)?;
        let frame = read_at_most(&mut decoder, max - inflated.len())?;
        inflated.extend_from_slice(&frame);
        let checksum = decoder.decoder.get_checksum_from_data();
        if inflated.len() <= max && checksum.is_some() && checksum != decoder.decoder.get_calculated_checksum() {
            return Err(io::Error::other("the checksum of the frame is wrong"));
        }
    }
    Ok(inflated)
}

/// Reads to the end, or one byte more than `max`.
fn read_at_most(from: impl Read, max: usize) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    from.take((max as u64).saturating_add(1)).read_to_end(&mut body)?;
    Ok(body)
}

/// Bytes that remember whether more was asked of them than they are: the LZ4 decoder takes their end between two
/// blocks for the end of the frame, and a body that was cut off there must not pass for a whole one.
struct EndAware<'r, 'b> {
    rest: &'r mut &'b [u8],
    ended: bool,
}

impl Read for EndAware<'_, '_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.ended |= self.rest.is_empty() && !buf.is_empty();
        self.rest.read(buf)
    }
}

/// Compresses a body as the clients do by default: a zlib stream of level 5, sysFlag
/// `COMPRESSED | COMPRESSION_ZLIB`. It begins as the stream of Java's zlib and inflates to the same bytes, but need not be
/// equal to it.
pub fn deflate(body: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(body.len() / 2), Level::new(ZLIB_LEVEL));
    // Writing into a Vec cannot fail.
    let _ = encoder.write_all(body);
    let mut deflated = encoder.finish().unwrap_or_default();
    // This encoder writes the class of another level.
    if let Some(head) = deflated.get_mut(..ZLIB_HEAD.len()) {
        head.copy_from_slice(&ZLIB_HEAD);
    }
    deflated
}

/// A body that cannot be decompressed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BodyError {
    /// A compression type that 4.9.8 does not know.
    #[error("compression type {} in sysFlag 0x{sys_flag:X} is unknown", (sys_flag & sys_flag::COMPRESSION_MASK) >> 8)]
    UnknownCompression {
        /// The flag.
        sys_flag: i32,
    },
    /// The bytes are not what the sysFlag says they are, or are damaged.
    #[error("not a {kind:?} body: {cause}")]
    Malformed {
        /// What they should be.
        kind: Compression,
        /// The decoder's words.
        cause: String,
    },
    /// The body becomes longer than the limit.
    #[error("the body is longer than {max} bytes when decompressed")]
    TooLong {
        /// The limit.
        max: usize,
    },
}

#[cfg(test)]
mod tests;

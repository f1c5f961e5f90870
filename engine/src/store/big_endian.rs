//! Numbers out of bytes. Bytes that are not there count as zero; the callers hold whole units, entries and headers.

pub(super) fn i32_at(bytes: &[u8], at: usize) -> i32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| i32::from_be_bytes(*bytes))
}

pub(super) fn i64_at(bytes: &[u8], at: usize) -> i64 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| i64::from_be_bytes(*bytes))
}

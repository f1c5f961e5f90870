//! A cursor over the bytes of a record that knows which field it is at.

use super::{Cause, DecodeError, FieldName};

pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// The next `len` bytes. Running out of bytes leaves the position where it was.
    #[inline]
    pub(super) fn take(&mut self, field: FieldName, len: usize) -> Result<&'a [u8], DecodeError> {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        match rest.get(..len) {
            Some(taken) => {
                self.position += len;
                Ok(taken)
            }
            None => Err(self.fault(Cause::Truncated { field, needed: len as u32, available: rest.len() as u32 })),
        }
    }

    #[inline]
    fn array<const N: usize>(&mut self, field: FieldName) -> Result<[u8; N], DecodeError> {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        match rest.first_chunk() {
            Some(taken) => {
                self.position += N;
                Ok(*taken)
            }
            None => Err(self.fault(Cause::Truncated { field, needed: N as u32, available: rest.len() as u32 })),
        }
    }

    #[inline]
    pub(super) fn i8(&mut self, field: FieldName) -> Result<i8, DecodeError> {
        self.array(field).map(i8::from_be_bytes)
    }

    #[inline]
    pub(super) fn i16(&mut self, field: FieldName) -> Result<i16, DecodeError> {
        self.array(field).map(i16::from_be_bytes)
    }

    #[inline]
    pub(super) fn i32(&mut self, field: FieldName) -> Result<i32, DecodeError> {
        self.array(field).map(i32::from_be_bytes)
    }

    #[inline]
    pub(super) fn i64(&mut self, field: FieldName) -> Result<i64, DecodeError> {
        self.array(field).map(i64::from_be_bytes)
    }

    /// A fault at the current position.
    #[cold]
    pub(super) fn fault(&self, cause: Cause) -> DecodeError {
        fault_at(self.position, cause)
    }
}

/// A fault at `position`.
#[cold]
pub(super) fn fault_at(position: usize, cause: Cause) -> DecodeError {
    DecodeError { position: position as u32, cause }
}

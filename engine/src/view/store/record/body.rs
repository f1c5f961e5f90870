//! What a body says.

use std::fmt::Write;

use super::{BodyPicture, BodyText};
use crate::message::{body, sys_flag};

/// Bytes of a body that are shown.
const PREVIEW: usize = 4096;

/// A body with what it says.
pub(super) fn body_picture(flag: i32, stored: &[u8]) -> BodyPicture {
    let compressed = sys_flag::is_compressed(flag);
    let name = match sys_flag::compression(flag) {
        Some(sys_flag::Compression::Lz4) => "lz4",
        Some(sys_flag::Compression::Zstd) => "zstd",
        Some(sys_flag::Compression::Zlib) => "zlib",
        None => "unknown",
    };
    let inflated = if compressed { Some(body::inflate(flag, stored)) } else { None };
    let (plain, error) = match &inflated {
        Some(Ok(plain)) => (plain.as_slice(), None),
        Some(Err(error)) => (stored, Some(error.to_string())),
        None => (stored, None),
    };
    let cut = plain.len() > PREVIEW;
    BodyPicture {
        stored_len: stored.len() as u64,
        inflated_len: inflated.as_ref().and_then(|body| body.as_ref().ok()).map(|body| body.len() as u64),
        compression: compressed.then(|| name.to_owned()),
        error,
        preview: body_text(plain.get(..PREVIEW).unwrap_or(plain), cut),
        cut,
    }
}

/// Bytes as text where they are text. Of a body that was cut, a character cut in two at its end does not count.
fn body_text(bytes: &[u8], cut: bool) -> BodyText {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) if cut && error.error_len().is_none() => {
            bytes.get(..error.valid_up_to()).and_then(|bytes| std::str::from_utf8(bytes).ok())
        }
        Err(_) => None,
    };
    let printable = |text: &&str| !text.chars().any(|char| char.is_control() && !matches!(char, '\n' | '\r' | '\t'));
    match text.filter(printable) {
        Some(text) => BodyText::Text(text.to_owned()),
        None => BodyText::Hex(bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })),
    }
}

//! The configuration files that the broker keeps below `config/`: how they are saved and found again.

use std::fmt;

use crate::disk::{Disk, DiskError, ReadAt};

/// A file, or its backup, that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFileError {
    /// The path below the root.
    pub file: String,
    /// Where and why, in words.
    pub cause: String,
}

impl fmt::Display for ConfigFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.cause)
    }
}

impl std::error::Error for ConfigFileError {}

/// The text of a file (`MixAll.file2String`); `None` if there is no file, or it cannot be read. What is no UTF-8 is
/// replaced, as Java does.
pub fn read_text<R: ReadAt>(disk: &R, path: &str) -> Option<String> {
    let file = disk.find(path)?;
    let len = usize::try_from(disk.meta(file).ok()?.len).ok()?;
    let bytes = disk.slice(file, 0, len).ok()?;
    Some(crate::message::java::decode_utf8(&bytes).into_owned())
}

/// Whether [`read_text`] would give this text of a file whose bytes are UTF-8.
pub fn has_text<R: ReadAt>(disk: &R, path: &str, text: Option<&str>) -> bool {
    let (Some(file), Some(text)) = (disk.find(path), text) else {
        return disk.find(path).is_none() && text.is_none();
    };
    let same_length = disk.meta(file).is_ok_and(|meta| meta.len == text.len() as u64);
    same_length
        && match disk.peek(file, 0, text.len()) {
            Some(bytes) => bytes == text.as_bytes(),
            None => disk.slice(file, 0, text.len()).is_ok_and(|bytes| bytes == text.as_bytes()),
        }
}

/// Where the text before the present one is kept.
pub fn backup_path(path: &str) -> String {
    format!("{path}.bak")
}

/// Loads a file by `decode` (`ConfigManager.load`): if it is missing, empty or cannot be decoded, its backup is tried. A
/// missing backup is no error, and nothing is decoded then.
pub fn load<R: ReadAt>(
    disk: &R,
    path: &str,
    mut decode: impl FnMut(&str) -> Result<(), String>,
) -> Result<(), ConfigFileError> {
    if let Some(text) = read_text(disk, path).filter(|text| !text.is_empty())
        && decode(&text).is_ok()
    {
        return Ok(());
    }
    let backup = backup_path(path);
    match read_text(disk, &backup).filter(|text| !text.is_empty()) {
        Some(text) => decode(&text).map_err(|cause| ConfigFileError { file: backup, cause }),
        None => Ok(()),
    }
}

/// Saves a text (`MixAll.string2File`): as `.tmp` first, the old text as `.bak`, and then the new file in place of the
/// old.
pub fn save<D: Disk>(disk: &mut D, path: &str, text: &str) -> Result<(), DiskError> {
    let temporary = format!("{path}.tmp");
    write_text(disk, &temporary, text)?;
    if let Some(old) = read_text(disk, path) {
        write_text(disk, &backup_path(path), &old)?;
    }
    if let Some(file) = disk.find(path) {
        disk.delete(file)?;
    }
    match disk.find(&temporary) {
        Some(file) => disk.rename(file, path),
        None => Ok(()),
    }
}

/// Makes a file of this text, in place of one that is there.
fn write_text<D: Disk>(disk: &mut D, path: &str, text: &str) -> Result<(), DiskError> {
    let len = text.len() as u64;
    let file = match disk.find(path) {
        Some(file) => {
            disk.set_len(file, len)?;
            file
        }
        None => disk.create(path, len)?,
    };
    disk.write_at(file, 0, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::MemoryDisk;

    /// A text within a page of the disk, and one that fills more than two.
    #[test]
    fn a_text_is_known_again_by_every_byte() {
        for text in ["{}".to_owned(), "x".repeat(9000)] {
            let mut disk = MemoryDisk::new();
            assert!(has_text(&disk, "config/a.json", None));
            assert!(!has_text(&disk, "config/a.json", Some(&text)));
            write_text(&mut disk, "config/a.json", &text).unwrap();
            assert!(has_text(&disk, "config/a.json", Some(&text)));
            assert!(!has_text(&disk, "config/a.json", None));
            for other in [format!("{text} "), text[1..].to_owned(), format!("{}!", &text[1..]), String::new()] {
                assert!(!has_text(&disk, "config/a.json", Some(&other)), "{} bytes", other.len());
            }
        }
        let mut disk = MemoryDisk::new();
        write_text(&mut disk, "config/a.json", "").unwrap();
        assert!(has_text(&disk, "config/a.json", Some("")), "a file without a byte is one");
    }
}

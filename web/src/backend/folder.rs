//! Opened files as a disk that can only be read.

use std::rc::Rc;

use rocketscope_engine::disk::{DiskError, DiskErrorKind, FileId, FileMeta, ReadAt};

/// The bytes of one file, wherever they are.
pub(super) trait Content {
    /// Length in bytes.
    fn len(&self) -> u64;
    /// Time of the last write, milliseconds since the epoch.
    fn modified(&self) -> i64;
    /// Fills `buf` from `offset`; the range lies inside the file. The error is the machine's own words.
    fn read(&self, offset: u64, buf: &mut [u8]) -> Result<(), String>;
}

/// A tree of files, by path.
#[derive(Clone, Default)]
pub(super) struct Folder {
    /// In byte order of the paths, none twice.
    files: Vec<(String, Rc<dyn Content>)>,
}

impl Folder {
    /// The folder of these files; of two with one path the first stays.
    pub(super) fn new(mut files: Vec<(String, Rc<dyn Content>)>) -> Self {
        files.sort_by(|a, b| a.0.cmp(&b.0));
        files.dedup_by(|later, first| later.0 == first.0);
        Self { files }
    }

    /// The paths.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(path, _)| path.as_str())
    }

    /// What lies below `root`, with paths from there.
    pub(super) fn below(&self, root: &str) -> Self {
        let inside = |(path, content): &(String, Rc<dyn Content>)| {
            super::roots::inside(root, path).map(|path| (path.to_owned(), Rc::clone(content)))
        };
        Self { files: self.files.iter().filter_map(inside).collect() }
    }

    fn get(&self, file: FileId) -> Result<&(String, Rc<dyn Content>), DiskError> {
        let missing = || DiskError { file: format!("file {}", file.0), offset: None, kind: DiskErrorKind::NotFound };
        self.files.get(file.0 as usize).ok_or_else(missing)
    }
}

impl ReadAt for Folder {
    fn files(&self) -> Vec<(String, FileId)> {
        self.files.iter().zip(0..).map(|((path, _), id)| (path.clone(), FileId(id))).collect()
    }

    fn find(&self, path: &str) -> Option<FileId> {
        let at = self.files.binary_search_by(|(name, _)| name.as_str().cmp(path)).ok()?;
        u32::try_from(at).ok().map(FileId)
    }

    fn path(&self, file: FileId) -> Option<String> {
        self.get(file).ok().map(|(path, _)| path.clone())
    }

    fn meta(&self, file: FileId) -> Result<FileMeta, DiskError> {
        let (_, content) = self.get(file)?;
        Ok(FileMeta { len: content.len(), modified: content.modified() })
    }

    fn read_at(&self, file: FileId, offset: u64, buf: &mut [u8]) -> Result<(), DiskError> {
        let (path, content) = self.get(file)?;
        let fail = |kind| DiskError { file: path.clone(), offset: Some(offset), kind };
        let len = content.len();
        let end = offset.checked_add(buf.len() as u64);
        if end.is_none_or(|end| end > len) {
            return Err(fail(DiskErrorKind::OutOfRange { len }));
        }
        content.read(offset, buf).map_err(|cause| fail(DiskErrorKind::Io(cause)))
    }
}

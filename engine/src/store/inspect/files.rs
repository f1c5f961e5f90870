//! Which files a store directory holds, and what each of them is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::disk::{DiskError, FileId, FileMeta, ReadAt};

/// What a file of a store is, by its place in the directory (`StorePathConfigHelper`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FileKind {
    /// `commitlog/<20 digits>`: records.
    CommitLog,
    /// `consumequeue/<topic>/<queue>/<20 digits>`: units.
    ConsumeQueue,
    /// `consumequeue_ext/<topic>/<queue>/<20 digits>`: extended units.
    ConsumeQueueExt,
    /// `index/<17 digits>`: hash slots and entries.
    Index,
    /// `checkpoint`: three times.
    Checkpoint,
    /// `abort`: the mark of a store that runs or was not stopped cleanly.
    Abort,
    /// `lock`: held by the running process.
    Lock,
    /// `config/*.json` and their `.bak` and `.tmp`.
    Config,
    /// Anything else; 4.9.8 does not read it, or refuses to start because of it.
    Other,
}

/// A file of a queue of files: its name says where its first byte stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Offset of the first byte, from the name.
    pub from: i64,
    /// The file.
    pub file: FileId,
    /// Its path.
    pub path: String,
    /// Its length in bytes.
    pub len: u64,
}

impl Segment {
    /// Offset behind the last byte.
    pub fn end(&self) -> i64 {
        self.from.saturating_add_unsigned(self.len)
    }
}

/// Files of one queue of files, in order of offset.
pub type Segments = Vec<Segment>;

/// An index file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexPath {
    /// Its name: the time of its creation.
    pub name: String,
    /// The file.
    pub file: FileId,
    /// Its path.
    pub path: String,
    /// Its length in bytes.
    pub len: u64,
}

/// A file of no queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SingleFile {
    /// The file.
    pub file: FileId,
    /// Its path.
    pub path: String,
    /// Its length in bytes.
    pub len: u64,
}

/// The files of a store, sorted into what they are.
#[derive(Clone, Debug, Default)]
pub struct StoreFiles {
    /// Every file with its kind, in byte order of the paths.
    pub all: Vec<(String, FileId, FileMeta, FileKind)>,
    /// The commit log.
    pub commit_log: Segments,
    /// The ConsumeQueues by topic and queue id.
    pub queues: BTreeMap<(String, i32), Segments>,
    /// The ConsumeQueueExt files by topic and queue id.
    pub queues_ext: BTreeMap<(String, i32), Segments>,
    /// The index files in the order of their names.
    pub index: Vec<IndexPath>,
    /// The checkpoint.
    pub checkpoint: Option<SingleFile>,
    /// `abort`.
    pub abort: bool,
    /// The files below `config/`.
    pub config: Vec<SingleFile>,
    /// Files in the place of commit log, ConsumeQueue or index files whose name is none of theirs.
    pub misnamed: Vec<SingleFile>,
    /// Files whose length cannot be asked.
    pub unreadable: Vec<DiskError>,
}

impl StoreFiles {
    /// Lists the disk. Nothing is opened or read.
    pub fn list<D: ReadAt + ?Sized>(disk: &D) -> Self {
        let mut files = Self::default();
        for (path, file) in disk.files() {
            match disk.meta(file) {
                Ok(meta) => files.add(path, file, meta),
                Err(error) => files.unreadable.push(error),
            }
        }
        for segments in files.queues.values_mut().chain(files.queues_ext.values_mut()) {
            segments.sort_by_key(|segment| segment.from);
        }
        files.commit_log.sort_by_key(|segment| segment.from);
        files
    }

    fn add(&mut self, path: String, file: FileId, meta: FileMeta) {
        let kind = kind_of(&path);
        let parts: Vec<&str> = path.split('/').collect();
        let name = parts.last().copied().unwrap_or_default();
        let single = || SingleFile { file, path: path.clone(), len: meta.len };
        match kind {
            FileKind::CommitLog => match segment(name, &path, file, meta.len) {
                Some(segment) => self.commit_log.push(segment),
                None => self.misnamed.push(single()),
            },
            FileKind::ConsumeQueue | FileKind::ConsumeQueueExt => {
                let queue_id = parts.get(2).and_then(|id| id.parse::<i32>().ok());
                match (segment(name, &path, file, meta.len), parts.get(1), queue_id) {
                    (Some(segment), Some(topic), Some(queue_id)) => {
                        let queues =
                            if kind == FileKind::ConsumeQueue { &mut self.queues } else { &mut self.queues_ext };
                        queues.entry(((*topic).to_owned(), queue_id)).or_default().push(segment);
                    }
                    _ => self.misnamed.push(single()),
                }
            }
            FileKind::Index => {
                if name.parse::<i64>().is_ok() {
                    self.index.push(IndexPath { name: name.to_owned(), file, path: path.clone(), len: meta.len });
                } else {
                    self.misnamed.push(single());
                }
            }
            FileKind::Checkpoint => self.checkpoint = Some(single()),
            FileKind::Abort => self.abort = true,
            FileKind::Config => self.config.push(single()),
            FileKind::Lock | FileKind::Other => {}
        }
        self.all.push((path, file, meta, kind));
    }

    /// Whether there is anything of a store in the directory.
    pub fn is_store(&self) -> bool {
        self.all.iter().any(|(.., kind)| *kind != FileKind::Other)
    }

    /// The entry of the file at `path`.
    pub fn entry(&self, path: &str) -> Option<&(String, FileId, FileMeta, FileKind)> {
        let at = self.all.binary_search_by(|entry| entry.0.as_str().cmp(path)).ok()?;
        self.all.get(at)
    }
}

/// What the file at `path` is, by its place.
pub fn kind_of(path: &str) -> FileKind {
    let mut parts = path.split('/');
    let first = parts.next().unwrap_or_default();
    match (first, parts.count()) {
        ("commitlog", 1) => FileKind::CommitLog,
        ("consumequeue", 3) => FileKind::ConsumeQueue,
        ("consumequeue_ext", 3) => FileKind::ConsumeQueueExt,
        ("index", 1) => FileKind::Index,
        ("config", 1..) => FileKind::Config,
        ("checkpoint", 0) => FileKind::Checkpoint,
        ("abort", 0) => FileKind::Abort,
        ("lock", 0) => FileKind::Lock,
        _ => FileKind::Other,
    }
}

fn segment(name: &str, path: &str, file: FileId, len: u64) -> Option<Segment> {
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let from = name.parse().ok()?;
    Some(Segment { from, file, path: path.to_owned(), len })
}

/// The segment that holds `offset`, and the position in it.
pub fn locate(segments: &[Segment], offset: i64) -> Option<(usize, u64)> {
    let at = segments.partition_point(|segment| segment.from <= offset).checked_sub(1)?;
    let segment = segments.get(at)?;
    let position = offset.checked_sub(segment.from)?.try_into().ok()?;
    (position < segment.len).then_some((at, position))
}

/// Fills a buffer with the bytes of `file` from `position`, at most `want` and no further than `len`, the file's
/// length.
pub fn read_clipped<D: ReadAt + ?Sized>(
    disk: &D,
    file: FileId,
    len: u64,
    position: u64,
    want: u64,
) -> Result<Vec<u8>, DiskError> {
    let have = len.saturating_sub(position).min(want);
    let mut bytes = vec![0; usize::try_from(have).unwrap_or(usize::MAX)];
    if !bytes.is_empty() {
        disk.read_at(file, position, &mut bytes)?;
    }
    Ok(bytes)
}

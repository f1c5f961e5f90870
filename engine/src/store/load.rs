//! Taking in what is on the disk: constructor and `load()` of 4.9.8.

use std::fmt;
use std::sync::Arc;

use crate::disk::{Disk, DiskError, FileId};
use crate::message::delay::DelayLevelError;
use crate::message::java;
use crate::planted::Planted;

use super::checkpoint::Checkpoint;
use super::cleanup::CleanUp;
use super::commit_log::CommitLog;
use super::config::ConfigError;
use super::config_file::ConfigFileError;
use super::ha::Replication;
use super::index_service::{self, IndexService};
use super::mapped_file_queue::{Directories, MappedFileQueue};
use super::queue_table::QueueTable;
use super::reput::ReputPosition;
use super::running_flags::RunningFlags;
use super::schedule::Schedule;
use super::{BitMapCalculator, Env, Scratch, Step, Store, StoreConfig, shutdown, start};

/// Why a store could not be loaded. 4.9.8 says `false` and does not start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// The configuration cannot be worked with.
    Config(ConfigError),
    /// A path of the configuration leads out of the store's root.
    PathOutsideRoot {
        /// The key.
        key: &'static str,
        /// The path.
        path: String,
    },
    /// A file of fixed size has another one.
    WrongSize {
        /// Its path.
        file: String,
        /// Its length in bytes.
        len: u64,
        /// The length that the configuration says.
        expected: i32,
    },
    /// A file whose name is not the offset of its first byte.
    BadName {
        /// Its path.
        file: String,
    },
    /// `messageDelayLevel` cannot be read.
    DelayLevels(DelayLevelError),
    /// `delayOffset.json` and its backup cannot be read.
    DelayOffsets(ConfigFileError),
    /// The disk refused.
    Disk(DiskError),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::PathOutsideRoot { key, path } => write!(f, "{key} = {path}: outside the root of the store"),
            Self::WrongSize { file, len, expected } => {
                write!(f, "{file}: {len} bytes long, the configuration says {expected}")
            }
            Self::BadName { file } => write!(f, "{file}: the name is not the offset of the first byte"),
            Self::DelayLevels(error) => error.fmt(f),
            Self::DelayOffsets(error) => error.fmt(f),
            Self::Disk(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<DiskError> for LoadError {
    fn from(error: DiskError) -> Self {
        Self::Disk(error)
    }
}

impl From<ConfigError> for LoadError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

/// What `load` found, before anything is recovered.
struct Found {
    lock: FileId,
    clean: bool,
    commit_log: CommitLog,
    queues: QueueTable,
    checkpoint: Checkpoint,
    index: IndexService,
}

impl<D: Disk> Store<D> {
    /// Takes in the store on `disk` and recovers it: cleanly, or, where an `abort` file says that the last stop was not
    /// clean, uncleanly (`DefaultMessageStore` and its `load`). An empty disk is an empty store.
    pub fn load<E: Env>(disk: D, config: StoreConfig, env: &mut E) -> Result<Self, LoadError> {
        Self::load_or_give_back(disk, config, env).map_err(|(error, _)| error)
    }

    /// [`Store::load`], giving the disk back when it fails, as the broken start left it.
    pub fn load_or_give_back<E: Env>(disk: D, config: StoreConfig, env: &mut E) -> Result<Self, (LoadError, D)> {
        Self::load_marking(disk, Arc::new(config), None, env)
    }

    /// [`Store::load_or_give_back`] of a store that marks for whom messages are, those included that recovery dispatches.
    pub fn load_marking<E: Env>(
        mut disk: D,
        config: Arc<StoreConfig>,
        bit_maps: Option<Arc<dyn BitMapCalculator>>,
        env: &mut E,
    ) -> Result<Self, (LoadError, D)> {
        let found = match find(&mut disk, &config, env) {
            Ok(found) => found,
            Err(error) => {
                env.step(|| Step::LoadRefused { fault: (&error).into() });
                return Err((error, disk));
            }
        };
        let mut store = Self {
            disk,
            config,
            commit_log: found.commit_log,
            queues: found.queues,
            index: found.index,
            checkpoint: found.checkpoint,
            flags: RunningFlags::default(),
            schedule: Schedule::default(),
            reput: ReputPosition::default(),
            unit_tries: 0,
            replication: Replication::default(),
            bit_maps,
            clean_up: CleanUp::default(),
            lock: found.lock,
            running: false,
            scratch: Scratch::default(),
            planted: Planted::default(),
        };
        store.recover(found.clean, env);
        match store.load_schedule(env) {
            Ok(()) => Ok(store),
            Err(error) => {
                env.step(|| Step::LoadRefused { fault: (&error).into() });
                Err((error, store.disk))
            }
        }
    }
}

fn find<D: Disk, E: Env>(disk: &mut D, config: &StoreConfig, env: &mut E) -> Result<Found, LoadError> {
    config.check()?;
    disk.set_time(env.now());
    let lock = start::open_lock_file(disk)?;
    let clean = disk.find(shutdown::ABORT_PATH).is_none();
    env.step(|| Step::AbortChecked { clean });
    let files = Listing::of(disk);
    let commit_log = load_commit_log(disk, config, &files, env)?;
    let queues = load_queues(disk, config, &files, env)?;
    let checkpoint = Checkpoint::open(disk, env)?;
    let mut index = IndexService::new(config);
    index.load(disk, &files.paths_in(index_service::DIRECTORY), &checkpoint, clean, env);
    Ok(Found { lock, clean, commit_log, queues, checkpoint, index })
}

/// The files below the root, in order of their paths.
struct Listing(Vec<(String, FileId)>);

impl Listing {
    fn of<D: Disk>(disk: &D) -> Self {
        let mut files = disk.files();
        files.sort();
        Self(files)
    }

    /// The files in a directory and below it, by their paths from there.
    fn below<'l>(&'l self, directory: &str) -> impl Iterator<Item = (&'l str, FileId)> {
        let root = format!("{directory}/");
        let first = self.0.partition_point(|(path, _)| *path < root);
        let files = self.0.get(first..).unwrap_or_default().iter();
        files.map_while(move |(path, id)| Some((path.strip_prefix(&root)?, *id)))
    }

    /// The paths of the files right in a directory.
    fn paths_in(&self, directory: &str) -> Vec<String> {
        let files = self.below(directory).filter(|(name, _)| !name.contains('/'));
        files.map(|(name, _)| format!("{directory}/{name}")).collect()
    }

    /// The directories two levels below `root` that hold files: topic and queue.
    fn queues_below(&self, root: &str) -> Vec<(&str, &str)> {
        let queues = self.below(root).filter_map(|(path, _)| {
            let (topic, rest) = path.split_once('/')?;
            // Deeper files belong to the same queue as far as its existence goes.
            Some((topic, rest.split_once('/')?.0))
        });
        let mut queues: Vec<(&str, &str)> = queues.collect();
        queues.dedup();
        queues
    }
}

/// Fills a queue of files from a listing (`MappedFileQueue.load`): every entry of the directories must be a file of the
/// configured size whose name is a number.
fn load_files<D: Disk, E: Env>(
    disk: &D,
    queue: &mut MappedFileQueue,
    files: &Listing,
    env: &mut E,
) -> Result<(), LoadError> {
    let directories: Vec<String> = queue.directories().all();
    let mut found: Vec<(&str, &str, FileId)> = Vec::new();
    for directory in &directories {
        for (name, id) in files.below(directory) {
            if let Some((nested, _)) = name.rsplit_once('/') {
                // A directory among the files has not their size either.
                let file = format!("{directory}/{nested}");
                return Err(LoadError::WrongSize { file, len: 4096, expected: queue.file_size() });
            }
            found.push((name, directory, id));
        }
    }
    found.sort_by_key(|(name, ..)| *name);
    for (name, directory, id) in &found {
        let file = || format!("{directory}/{name}");
        let len = disk.meta(*id)?.len;
        if u64::try_from(queue.file_size()) != Ok(len) {
            return Err(LoadError::WrongSize { file: file(), len, expected: queue.file_size() });
        }
        let from_offset = java::parse_long(name).ok_or_else(|| LoadError::BadName { file: file() })?;
        queue.add_loaded(*id, from_offset);
    }
    if !found.is_empty() {
        let (directory, files) = (directories.join(","), found.len() as i32);
        env.step(|| Step::FilesLoaded { directory, files });
    }
    Ok(())
}

fn load_commit_log<D: Disk, E: Env>(
    disk: &D,
    config: &StoreConfig,
    files: &Listing,
    env: &mut E,
) -> Result<CommitLog, LoadError> {
    let mut queue = MappedFileQueue::new(commit_log_directories(config)?, config.mapped_file_size_commit_log);
    let pool = config.transient_store_pool();
    queue.allocate_ahead(
        pool.then_some(config.transient_store_pool_size),
        pool && config.fast_fail_if_no_buffer_in_store_pool,
    );
    load_files(disk, &mut queue, files, env)?;
    Ok(CommitLog::new(queue))
}

/// Where the commit log is: `storePathCommitLog` and `readOnlyCommitLogStorePaths` below the root.
fn commit_log_directories(config: &StoreConfig) -> Result<Directories, LoadError> {
    let Some(paths) = &config.store_path_commit_log else {
        return Ok(Directories::single("commitlog".to_owned()));
    };
    let inside = |key: &'static str, paths: &str| {
        let below_root = |path: &str| {
            let path = path.trim().trim_end_matches('/');
            let path = path.strip_prefix(config.store_path_root_dir.trim_end_matches('/')).unwrap_or(path);
            let path = path.trim_start_matches('/');
            (!path.is_empty() && path != ".." && !path.starts_with("../")).then(|| path.to_owned())
        };
        let is_outside =
            |path: &str| path.trim().starts_with('/') && !path.trim().starts_with(config.store_path_root_dir.as_str());
        java::split(paths.trim(), ",")
            .into_iter()
            .map(|path| {
                let outside = || LoadError::PathOutsideRoot { key, path: path.to_owned() };
                if is_outside(path) { Err(outside()) } else { below_root(path).ok_or_else(outside) }
            })
            .collect::<Result<Vec<_>, _>>()
    };
    let read_only = match &config.read_only_commit_log_store_paths {
        Some(paths) if !java::is_blank(paths) => inside("readOnlyCommitLogStorePaths", paths)?,
        _ => Vec::new(),
    };
    Ok(Directories::of(inside("storePathCommitLog", paths)?, read_only))
}

/// Every directory `consumequeue/<topic>/<number>` is a queue (`loadConsumeQueue`). Directories that hold nothing do not
/// exist here.
fn load_queues<D: Disk, E: Env>(
    disk: &D,
    config: &StoreConfig,
    files: &Listing,
    env: &mut E,
) -> Result<QueueTable, LoadError> {
    let mut table = QueueTable::default();
    for (topic, name) in files.queues_below("consumequeue") {
        let Some(queue_id) = java::parse_int(name) else { continue };
        let state = table.entry(topic, queue_id);
        if state.queue.is_some() {
            continue;
        }
        let queue = state.queue_or_create(config, env);
        load_files(disk, &mut queue.files, files, env)?;
        if let Some(ext) = &mut queue.ext {
            load_files(disk, &mut ext.files, files, env)?;
        }
    }
    Ok(table)
}

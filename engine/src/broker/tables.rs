//! The managers' tables, as a start reads them from their files.

use std::sync::{Arc, Mutex, PoisonError};

use super::{BrokerConfig, ConsumerFilters, ConsumerOffsets, Groups, Topics, config_file::ConfigFile};
use crate::{disk::MemoryDisk, store::config_file};

/// The tables of the managers that keep a file (`BrokerController.initialize`).
#[derive(Clone, Debug)]
pub(super) struct Tables {
    pub(super) topics: Topics,
    pub(super) offsets: ConsumerOffsets,
    pub(super) groups: Groups,
    pub(super) filters: ConsumerFilters,
}

impl Tables {
    /// Those of a broker without files.
    fn new(config: &BrokerConfig) -> Self {
        Self {
            topics: Topics::of(config),
            offsets: ConsumerOffsets::default(),
            groups: Groups::default(),
            filters: ConsumerFilters::new(config),
        }
    }

    /// Takes over what the files say, in 4.9.8's order, up to the first that cannot be read.
    fn load(&mut self, disk: &MemoryDisk) -> Result<(), String> {
        load(disk, &mut self.topics)
            .and_then(|()| load(disk, &mut self.offsets))
            .and_then(|()| load(disk, &mut self.groups))
            .and_then(|()| load(disk, &mut self.filters))
    }
}

/// What the last start of this machine's broker read. The next one mostly finds the same texts, and they are not worked
/// out again then: a crash matrix starts the same broker thousands of times. Copies of the broker share it; it decides
/// how long a start takes, not what it comes to.
#[derive(Clone, Debug, Default)]
pub(super) struct LastRead(Arc<Mutex<Option<Arc<Read>>>>);

/// Tables, and the texts that they were read from.
#[derive(Debug)]
struct Read {
    texts: Texts,
    tables: Tables,
}

/// The texts of the files and of their backups; `None` where there is no file.
type Texts = [[Option<String>; 2]; 4];

const FILES: [&str; 4] = [Topics::PATH, ConsumerOffsets::PATH, Groups::PATH, ConsumerFilters::PATH];

fn texts(disk: &MemoryDisk) -> Texts {
    let text = |path: &str| config_file::read_text(disk, path);
    FILES.map(|path| [text(path), text(&config_file::backup_path(path))])
}

/// Whether the files are those that these texts were read from.
fn are_texts(disk: &MemoryDisk, texts: &Texts) -> bool {
    let is = |path: &str, text: &Option<String>| config_file::has_text(disk, path, text.as_deref());
    FILES.iter().zip(texts).all(|(path, [text, backup])| is(path, text) && is(&config_file::backup_path(path), backup))
}

impl LastRead {
    /// The tables that the files on the disk give, and the cause if one of them cannot be read: what follows it in the
    /// order of loading is then as without a file.
    pub(super) fn tables(&self, disk: &MemoryDisk, config: &BrokerConfig) -> (Tables, Result<(), String>) {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(last) = last.filter(|last| are_texts(disk, &last.texts)) {
            return (last.tables.clone(), Ok(()));
        }
        let mut tables = Tables::new(config);
        let read = tables.load(disk);
        if read.is_ok() {
            let last = Arc::new(Read { texts: texts(disk), tables: tables.clone() });
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
        }
        (tables, read)
    }
}

fn load<T: ConfigFile>(disk: &MemoryDisk, into: &mut T) -> Result<(), String> {
    config_file::load(disk, T::PATH, |text| into.take_text(text)).map_err(|error| error.to_string())
}

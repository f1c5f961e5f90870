//! How a process starts, or dies while it does.

use rocketscope_engine::disk::{Disk, MemoryDisk, ReadAt};
use rocketscope_engine::store::{LoadError, Reput, Store};

use crate::case::Cut;
use crate::crash::redo;
use crate::exception::Exception;
use crate::images::{Dir, Images};
use crate::judge;
use crate::model::Model;
use crate::rig::{Before, Outcome, Rig, must};

impl Rig {
    pub(crate) fn crash_while_starting(
        &mut self,
        mut disk: MemoryDisk,
        cut: &Cut,
        before: &Before,
    ) -> Result<MemoryDisk, String> {
        let found = self.model.images.clone();
        let (clean, times) = signs(&disk);
        let end = Model::load(&self.shape, found.clone(), clean, times).log.max();
        judge::judge_end(self, before, &found, end)?;
        let mut crashed = disk.clone();
        disk.journal_start();
        let mut clock = self.clock;
        let (ops, after) = match Store::load_or_give_back(disk, self.shape.config(), &mut clock) {
            Ok(mut store) => {
                store.start(&mut clock).map_err(|error| error.to_string())?;
                (store.disk_mut().journal_take(), Images::of(store.disk()))
            }
            Err((_, mut disk)) => (disk.journal_take(), Images::of(&disk)),
        };
        self.clock = clock;
        redo(&mut crashed, &ops, cut)?;
        let middle = Images::of(&crashed);
        Images::sandwich(&self.model.images, &middle, &after, |dir| *dir == Dir::Log)?;
        self.model.images = middle;
        self.suffer(&mut crashed, &cut.fate);
        self.model.images.compare(&crashed)?;
        self.check_acknowledged()?;
        self.abandoned |= self.has_strange_paths();
        Ok(crashed)
    }

    pub(crate) fn has_strange_paths(&self) -> bool {
        let strange = |topic: &str| topic.contains('/') || matches!(topic, "" | "." | "..");
        self.model.images.files.keys().any(|(dir, _)| matches!(dir, Dir::Queue(topic, _) if strange(topic)))
    }

    pub(crate) fn open(&mut self, mut disk: MemoryDisk, before: Option<Before>) -> Outcome {
        let (clean, times) = signs(&disk);
        let store = loop {
            match Store::load_or_give_back(disk, self.shape.config(), &mut self.clock) {
                Ok(store) => break store,
                Err((LoadError::DelayOffsets(_), given_back)) => {
                    // What load did before it failed stays: queues were cut, records dispatched.
                    disk = given_back;
                    self.excuse(Exception::StartRefused)?;
                    for path in ["config/delayOffset.json", "config/delayOffset.json.bak"] {
                        if let Some(file) = disk.find(path) {
                            disk.delete(file).map_err(|error| error.to_string())?;
                        }
                    }
                    self.model = Model::load(&self.shape, std::mem::take(&mut self.model.images), clean, times);
                }
                Err((error, _)) => return Err(format!("the store does not load: {error}")),
            }
        };
        self.model = Model::load(&self.shape, std::mem::take(&mut self.model.images), clean, times);
        self.abandoned |= self.has_strange_paths() || self.model.queues.keys().any(|(topic, _)| topic.contains('/'));
        if self.abandoned {
            return Ok(());
        }
        self.store = Some(store);
        self.compare_all("loaded")?;
        let mut store = self.store.take().expect("just put there");
        self.indexed.clear();
        store.begin_start(&mut self.clock).map_err(|error| error.to_string())?;
        self.model.begin_start();
        must("where dispatch begins", &store.reput_from_offset(), &self.model.reput)?;
        while self.model.behind() > 0 && self.model.reput() {
            must("a turn of dispatch", &(store.reput(&mut self.clock) != Reput::Idle), &true)?;
        }
        must("the end of dispatch", &store.reput_from_offset(), &self.model.reput)?;
        store.finish_start(&mut self.clock).map_err(|error| error.to_string())?;
        self.model.finish_start();
        self.store = Some(store);
        self.compare_all("started")?;
        match before {
            Some(before) => judge::judge(self, &before),
            None => Ok(()),
        }
    }
}

/// Whether the last stop was clean, and the checkpoint's times for log and queues.
fn signs(disk: &MemoryDisk) -> (bool, (i64, i64)) {
    let bytes = disk.find("checkpoint").and_then(|file| disk.slice(file, 0, 16).ok());
    let time = |at: usize| bytes.as_ref().map_or(0, |bytes| be_i64(&bytes[at..at + 8]));
    (disk.find("abort").is_none(), (time(0), time(8)))
}

fn be_i64(bytes: &[u8]) -> i64 {
    bytes.first_chunk().map_or(0, |bytes| i64::from_be_bytes(*bytes))
}

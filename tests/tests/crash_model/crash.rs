//! How a process ends, and what becomes of the disk until the next one starts.

use std::collections::{BTreeMap, BTreeSet};

use rocketscope_engine::disk::memory::{Change, DiskOp, Survives};
use rocketscope_engine::disk::{Disk, FileId, MemoryDisk, ReadAt};
use rocketscope_engine::store::Reput;
use rocketscope_tests::rng::Rng;

use crate::case::{Cut, Damage, End, Fate};
use crate::images::{Dir, Images, Key, key_of, path_of};
use crate::judge;
use crate::rig::{Before, Outcome, Rig, must};

impl Rig {
    pub(crate) fn end(&mut self, end: &End) -> Result<(MemoryDisk, Before), String> {
        match end {
            End::Stop { backlog } => {
                self.stop(!backlog)?;
                let mut disk = self.store.take().expect("running").into_disk();
                disk.process_kill();
                self.pending.clear();
                Ok((disk, self.before()))
            }
            End::Crash(fate) => {
                let mut disk = self.store.take().expect("running").into_disk();
                self.pending.clear();
                let before = self.before();
                self.suffer(&mut disk, fate);
                Ok((disk, before))
            }
            End::InOp(op, cut) => self.crash_inside(cut, |rig| rig.apply(op)),
            End::InStop(cut) => self.crash_inside(cut, |rig| rig.stop(true)),
        }
    }

    pub(crate) fn before(&self) -> Before {
        Before { model: self.model.clone(), deleted: BTreeSet::new(), after: Images::default() }
    }

    pub(crate) fn stop(&mut self, dispatched: bool) -> Outcome {
        let (store, clock) = self.store();
        store.begin_shutdown(clock);
        self.model.begin_stop();
        self.compare()?;
        let mut more = dispatched;
        while more {
            more = self.model.reput();
            let (store, clock) = self.store();
            must("a turn of dispatch", &(store.reput(clock) != Reput::Idle), &more)?;
        }
        self.compare()?;
        let (store, clock) = self.store();
        let clean = store.finish_shutdown(clock);
        must("a clean stop", &clean, &self.model.finish_stop())
    }

    /// Does something, and lets the crash come somewhere in the middle of what it did to the disk.
    pub(crate) fn crash_inside(
        &mut self,
        cut: &Cut,
        act: impl FnOnce(&mut Self) -> Outcome,
    ) -> Result<(MemoryDisk, Before), String> {
        let mut disk = self.store().0.disk().clone();
        let (mut before, acked) = (self.before(), self.acked.clone());
        self.store().0.disk_mut().journal_start();
        act(self)?;
        let ops = self.store().0.disk_mut().journal_take();
        self.store = None;
        self.pending.clear();
        redo(&mut disk, &ops, cut)?;
        let middle = Images::of(&disk);
        // Nobody was told anything; but what was cleaned away is gone.
        self.acked = acked;
        let min = middle.starts(&Dir::Log).first().copied().unwrap_or(0);
        self.acked.retain(|at, _| *at >= min);
        Images::sandwich(&before.model.images, &middle, &self.model.images, |_| true)?;
        before.model.images = middle.clone();
        self.model.images = middle;
        self.suffer(&mut disk, &cut.fate);
        Ok((disk, before))
    }

    /// What the crash takes, from the disk and from the model's.
    pub(crate) fn suffer(&mut self, disk: &mut MemoryDisk, fate: &Fate) {
        if matches!(fate, Fate::Kill) {
            disk.process_kill();
            return;
        }
        let mut pages = disk.dirty_pages();
        let path = |file| disk.path(file).unwrap_or_default();
        pages.sort_by_cached_key(|page| (path(page.file), page.number));
        let mut kept: BTreeMap<(FileId, u64), Survives> = BTreeMap::new();
        let mut by_key: BTreeMap<(Key, usize), usize> = BTreeMap::new();
        for (order, page) in pages.iter().enumerate() {
            let survives = survives(fate, order);
            kept.insert((page.file, page.number), survives);
            if let Some(key) = key_of(&path(page.file)) {
                let bytes = match survives {
                    Survives::Nothing => 0,
                    Survives::All => usize::MAX,
                    Survives::Head(bytes) => usize::from(bytes),
                };
                by_key.insert((key, page.number as usize), bytes);
            }
        }
        disk.power_loss_where(|page| kept[&(page.file, page.number)]);
        self.model.images.lose(|key, page| by_key.get(&(key.clone(), page)).copied().unwrap_or(0));
    }

    pub(crate) fn damage(&mut self, damage: &Damage, disk: &mut MemoryDisk, before: &mut Before) {
        let mut gone: Vec<Key> = Vec::new();
        let keys: Vec<Key> = self.model.images.files.keys().filter(|(dir, _)| *dir != Dir::Log).cloned().collect();
        let mut dirs: Vec<Dir> = keys.iter().map(|(dir, _)| dir.clone()).collect();
        dirs.dedup();
        match damage {
            Damage::Flip(which, bit) => self.flip(*which, *bit, disk),
            Damage::Queues => gone = keys,
            Damage::Checkpoint => {
                if let Some(file) = disk.find("checkpoint") {
                    disk.delete(file).expect("it is there");
                }
            }
            Damage::Queue(which) | Damage::QueueTail(which) => {
                let Some(dir) = dirs.get(usize::from(*which) % dirs.len().max(1)) else { return };
                gone = keys.into_iter().filter(|(other, _)| other == dir).collect();
                if matches!(damage, Damage::QueueTail(_)) {
                    gone.drain(..gone.len() - 1);
                }
            }
        }
        for key in gone {
            let file = disk.find(&path_of(&key)).expect("the model's files are the disk's");
            disk.delete(file).expect("it is there");
            self.model.images.files.remove(&key);
            before.deleted.insert(key);
        }
    }

    /// Flips a bit in the body of a record that can be read.
    pub(crate) fn flip(&mut self, which: u16, bit: u8, disk: &mut MemoryDisk) {
        let records = judge::walk(&self.model).records;
        let Some(found) = records.get(usize::from(which) % records.len().max(1)) else { return };
        let start = found.at - found.at % i64::from(self.shape.log_file);
        let position = found.at - start;
        let Some(image) = self.model.images.get(&Dir::Log, start) else { return };
        let length_at = position as usize + 84;
        let length = image.cache.get(length_at..).and_then(<[u8]>::first_chunk).map_or(0, |b| i32::from_be_bytes(*b));
        if length <= 0 {
            return;
        }
        let at = length_at as i32 + 4 + i32::from(which) % length;
        let byte = image.cache[at as usize] ^ (1 << bit);
        self.model.images.write(&Dir::Log, start, at, &[byte]);
        let file = disk.find(&path_of(&(Dir::Log, start))).expect("the model's files are the disk's");
        disk.write_at(file, at as u64, &[byte]).expect("inside the file");
        self.flipped.insert(found.at);
    }
}

/// What is left of the dirty page of this number in the order of paths.
fn survives(fate: &Fate, order: usize) -> Survives {
    match fate {
        Fate::Kill | Fate::Flushed => Survives::Nothing,
        Fate::Everything => Survives::All,
        Fate::Prefix(pages) => {
            if order < usize::from(*pages) {
                Survives::All
            } else {
                Survives::Nothing
            }
        }
        Fate::Torn(pages, sectors) => match order.cmp(&usize::from(*pages)) {
            std::cmp::Ordering::Less => Survives::All,
            std::cmp::Ordering::Equal => Survives::Head(u16::from(*sectors) * 512),
            std::cmp::Ordering::Greater => Survives::Nothing,
        },
        Fate::Random(seed) => {
            let drawn = Rng::new(seed.wrapping_add(order as u64)).below(8);
            if drawn == 0 {
                Survives::Head(512)
            } else if drawn < 5 {
                Survives::All
            } else {
                Survives::Nothing
            }
        }
    }
}

/// Does the first operations again, and perhaps part of the next.
pub(crate) fn redo(disk: &mut MemoryDisk, ops: &[DiskOp], cut: &Cut) -> Outcome {
    let count = (usize::from(cut.at) * (ops.len() + 1)) >> 16;
    for op in &ops[..count] {
        disk.apply(op).map_err(|error| error.to_string())?;
    }
    if let (Some(bytes), Some(op)) = (cut.bytes, ops.get(count))
        && let Change::Write { data, .. } = &op.change
        && let Some(head) = op.head((usize::from(bytes) * data.len()) >> 16)
    {
        disk.apply(&head).map_err(|error| error.to_string())?;
    }
    Ok(())
}

//! The model's disk: for each file what a process sees, and what a power loss leaves, as two vectors.

use std::collections::BTreeMap;
use std::rc::Rc;

use rocketscope_engine::disk::memory::OS_PAGE_SIZE;
use rocketscope_engine::disk::{MemoryDisk, ReadAt};

/// A directory of files of one size: the commit log's, or that of one queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Dir {
    Log,
    Queue(Rc<str>, i32),
}

/// A file: its directory, and the offset that names it.
pub(crate) type Key = (Dir, i64);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) cache: Vec<u8>,
    pub(crate) stable: Vec<u8>,
}

/// What a power loss leaves of a dirty page: so many of its first bytes.
pub(crate) type Kept = usize;

#[derive(Clone, Debug, Default)]
pub(crate) struct Images {
    pub(crate) files: BTreeMap<Key, Image>,
    /// The disk refuses to force anything.
    pub(crate) refuses_flush: bool,
}

impl Image {
    /// The power fails; `kept` says of each page how much of its new bytes is left.
    fn lose(&mut self, mut kept: impl FnMut(usize) -> Kept) {
        for (page, (cache, stable)) in
            self.cache.chunks_mut(OS_PAGE_SIZE).zip(self.stable.chunks_mut(OS_PAGE_SIZE)).enumerate()
        {
            if cache != stable {
                let kept = kept(page).min(cache.len());
                cache[kept..].copy_from_slice(&stable[kept..]);
                stable.copy_from_slice(cache);
            }
        }
    }
}

impl Images {
    /// Makes a file of zeros, unless it is there. `false` for a path that no file can have.
    pub(crate) fn create(&mut self, dir: &Dir, start: i64, size: i32) -> bool {
        if let Dir::Queue(topic, _) = dir
            && topic.split('/').any(|part| matches!(part, "" | "." | "..") || part.contains('\0'))
        {
            return false;
        }
        let zeros = || Image { cache: vec![0; size as usize], stable: vec![0; size as usize] };
        self.files.entry((dir.clone(), start)).or_insert_with(zeros);
        true
    }

    pub(crate) fn delete(&mut self, dir: &Dir, start: i64) {
        self.files.remove(&(dir.clone(), start));
    }

    pub(crate) fn get(&self, dir: &Dir, start: i64) -> Option<&Image> {
        self.files.get(&(dir.clone(), start))
    }

    pub(crate) fn write(&mut self, dir: &Dir, start: i64, at: i32, bytes: &[u8]) {
        if let Some(image) = self.files.get_mut(&(dir.clone(), start)) {
            image.cache[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
        }
    }

    pub(crate) fn flush(&mut self, dir: &Dir, start: i64) {
        if self.refuses_flush {
            return;
        }
        if let Some(Image { cache, stable }) = self.files.get_mut(&(dir.clone(), start)) {
            stable.copy_from_slice(cache);
        }
    }

    /// The starts of the files of a directory, ascending.
    pub(crate) fn starts(&self, dir: &Dir) -> Vec<i64> {
        let range = (dir.clone(), i64::MIN)..=(dir.clone(), i64::MAX);
        self.files.range(range).map(|((_, start), _)| *start).collect()
    }

    /// Every directory with a file.
    pub(crate) fn dirs(&self) -> Vec<Dir> {
        let mut dirs: Vec<Dir> = self.files.keys().map(|(dir, _)| dir.clone()).collect();
        dirs.dedup();
        dirs
    }

    /// The power fails; `kept` says of each page of each file how much of its new bytes is left.
    pub(crate) fn lose(&mut self, kept: impl Fn(&Key, usize) -> Kept) {
        for (key, image) in &mut self.files {
            image.lose(|page| kept(key, page));
        }
    }

    /// The files of a real disk.
    pub(crate) fn of(disk: &MemoryDisk) -> Self {
        let mut images = Self::default();
        for (path, file) in disk.files() {
            let Some(key) = key_of(&path) else { continue };
            let len = disk.meta(file).expect("listed").len as usize;
            let mut image = Image { cache: vec![0; len], stable: vec![0; len] };
            disk.read_at(file, 0, &mut image.cache).expect("inside the file");
            disk.read_stable_at(file, 0, &mut image.stable).expect("inside the file");
            images.files.insert(key, image);
        }
        images
    }

    /// Whether a real disk holds these files with these bytes in both images; else what differs.
    pub(crate) fn compare(&self, disk: &MemoryDisk) -> Result<(), String> {
        let mut found = 0;
        for (path, file) in disk.files() {
            let Some(key) = key_of(&path) else { continue };
            found += 1;
            let Some(image) = self.files.get(&key) else { return Err(format!("{path}: should not be there")) };
            let len = disk.meta(file).map_err(|error| error.to_string())?.len as usize;
            if len != image.cache.len() {
                return Err(format!("{path}: {len} bytes long"));
            }
            let bytes = disk.slice(file, 0, len).map_err(|error| error.to_string())?;
            if *bytes != *image.cache {
                return Err(format!("{path}: {}", difference(&bytes, &image.cache)));
            }
            let clean = disk.dirty_ranges(file).map_err(|error| error.to_string())?.is_empty();
            if clean && image.stable == image.cache {
                continue;
            }
            let mut stable = vec![0; len];
            disk.read_stable_at(file, 0, &mut stable).map_err(|error| error.to_string())?;
            if stable != image.stable {
                return Err(format!("{path}, what is stable: {}", difference(&stable, &image.stable)));
            }
        }
        if found == self.files.len() {
            return Ok(());
        }
        let missing = self.files.keys().find(|key| disk.find(&path_of(key)).is_none());
        Err(format!("missing: {:?}", missing.map(path_of)))
    }

    /// Whether every byte of `middle` was there before or after, the files too; else where it was not. `between` may
    /// leave out directories.
    pub(crate) fn sandwich(
        before: &Self,
        middle: &Self,
        after: &Self,
        between: impl Fn(&Dir) -> bool,
    ) -> Result<(), String> {
        let none = Vec::new();
        for (key, image) in middle.files.iter().filter(|((dir, _), _)| between(dir)) {
            let (old, new) = (before.files.get(key), after.files.get(key));
            if old.is_none() && new.is_none() {
                return Err(format!("{}: neither there before nor after", path_of(key)));
            }
            let cache = |image: Option<&Image>| image.map_or(none.clone(), |image| image.cache.clone());
            let stable = |image: Option<&Image>| image.map_or(none.clone(), |image| image.stable.clone());
            let (old_cache, new_cache, old_stable) = (cache(old), cache(new), stable(old));
            let is = |bytes: &Vec<u8>, at: usize, byte: u8| bytes.get(at).copied().unwrap_or(0) == byte;
            for (at, byte) in image.cache.iter().enumerate() {
                if !is(&old_cache, at, *byte) && !is(&new_cache, at, *byte) {
                    return Err(format!("{} at {at}: neither the old byte nor the new", path_of(key)));
                }
            }
            for (at, byte) in image.stable.iter().enumerate() {
                if !is(&old_cache, at, *byte) && !is(&new_cache, at, *byte) && !is(&old_stable, at, *byte) {
                    return Err(format!("{} at {at}, what is stable: a byte of nobody", path_of(key)));
                }
            }
        }
        Ok(())
    }
}

fn difference(found: &[u8], expected: &[u8]) -> String {
    let at = found.iter().zip(expected).position(|(a, b)| a != b);
    let at = at.unwrap_or(found.len().min(expected.len()));
    format!("at {at} there is {:?}, not {:?}", found.get(at), expected.get(at))
}

pub(crate) fn path_of((dir, start): &Key) -> String {
    match dir {
        Dir::Log => format!("commitlog/{start:020}"),
        Dir::Queue(topic, id) => format!("consumequeue/{topic}/{id}/{start:020}"),
    }
}

pub(crate) fn key_of(path: &str) -> Option<Key> {
    if let Some(name) = path.strip_prefix("commitlog/") {
        return Some((Dir::Log, name.parse().ok()?));
    }
    let (queue, name) = path.strip_prefix("consumequeue/")?.rsplit_once('/')?;
    let (topic, id) = queue.rsplit_once('/')?;
    Some((Dir::Queue(topic.into(), id.parse().ok()?), name.parse().ok()?))
}

//! The model of a store: log, queues and what its services remember, on the model's disk. Reading and writing follow
//! the description of 4.9.8 line by line, with nothing cached and nothing clever.

use std::collections::BTreeMap;
use std::rc::Rc;

use rocketscope_engine::message::delay::{DEFAULT_LEVELS, DelayLevels, SCHEDULE_TOPIC};
use rocketscope_engine::message::record::{self, Cause, Checked};
use rocketscope_engine::store::Unit;

use crate::case::Shape;
use crate::files::Files;
use crate::images::{Dir, Images};
use crate::queue::{Put, Queue};

/// A queue by topic and number.
pub(crate) type QueueKey = (Rc<str>, i32);

/// What dispatch knows of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Where it stands.
    pub(crate) at: i64,
    pub(crate) size: i32,
    pub(crate) queue: QueueKey,
    pub(crate) queue_offset: i64,
    /// Where it says that it stands.
    pub(crate) says_at: i64,
    pub(crate) tags_code: i64,
    pub(crate) store_timestamp: i64,
    /// Whether it gets a unit.
    pub(crate) in_queue: bool,
}

impl Found {
    pub(crate) fn unit(&self) -> Unit {
        Unit { physical_offset: self.says_at, size: self.size, tags_code: self.tags_code }
    }

    pub(crate) fn end(&self) -> i64 {
        self.at + i64::from(self.size)
    }
}

/// What stands at a place of the log.
pub(crate) enum Stands {
    Record(Found),
    Blank,
    /// Nothing good: how far dispatch goes on, and how far its buffer.
    Bad {
        size: i32,
        parts: i32,
    },
}

/// Where dispatch is in a slice that it has lost count of.
#[derive(Clone, Copy, Debug)]
struct Slice {
    file: i64,
    position: i32,
    end: i32,
    unread: i32,
}

/// How the log was recovered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Recovery {
    pub(crate) clean: bool,
    /// Start of the file where reading began.
    pub(crate) from: i64,
    /// Where the log ends.
    pub(crate) end: i64,
    /// Where dispatch went on.
    pub(crate) reput_from: i64,
    /// What the queues said, and whether they were cut.
    pub(crate) max_of_queues: i64,
}

#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) shape: Rc<Shape>,
    pub(crate) images: Images,
    pub(crate) log: Files,
    pub(crate) queues: BTreeMap<QueueKey, Queue>,
    /// The queue offset of the next message.
    pub(crate) next: BTreeMap<QueueKey, i64>,
    pub(crate) reput: i64,
    lost: Option<Slice>,
    pub(crate) physic: i64,
    pub(crate) logics: i64,
    /// The log's minimum when the queues were cleaned last.
    cleaned_to: i64,
    /// Cleared when a unit cannot be written.
    pub(crate) writeable: bool,
    pub(crate) levels: Rc<DelayLevels>,
    /// What became of the units dispatched since the start.
    pub(crate) dispatched: BTreeMap<i64, Put>,
    pub(crate) recovery: Recovery,
}

impl Model {
    /// What a load makes of a disk, up to the point where the store could be started.
    pub(crate) fn load(shape: &Rc<Shape>, images: Images, clean: bool, (physic, logics): (i64, i64)) -> Self {
        let mut log = Files::load(&images, Dir::Log, shape.log_file);
        log.ahead = Some(Vec::new());
        log.pool = shape.pool;
        let mut queues = BTreeMap::new();
        for dir in images.dirs() {
            if let Dir::Queue(topic, id) = dir {
                let queue = Queue::load(&images, Rc::clone(&topic), id, shape.queue_file);
                queues.insert((topic, id), queue);
            }
        }
        let mut model = Self {
            shape: Rc::clone(shape),
            images,
            log,
            queues,
            next: BTreeMap::new(),
            reput: 0,
            lost: None,
            physic,
            logics,
            cleaned_to: 0,
            writeable: true,
            levels: Rc::default(),
            dispatched: BTreeMap::new(),
            recovery: Recovery { clean, ..Recovery::default() },
        };
        model.recover(clean);
        let schedule: Rc<str> = SCHEDULE_TOPIC.into();
        for level in 0..18 {
            model.queue(&(Rc::clone(&schedule), level));
        }
        model.levels = Rc::new(DelayLevels::parse(DEFAULT_LEVELS).expect("the levels of 4.9.8"));
        model
    }

    fn queue(&mut self, key: &QueueKey) -> &mut Queue {
        let size = self.shape.queue_file;
        let make = || Queue::load(&Images::default(), Rc::clone(&key.0), key.1, size);
        self.queues.entry(key.clone()).or_insert_with(make)
    }

    /// A read makes its queue.
    pub(crate) fn touch(&mut self, key: &QueueKey) {
        self.queue(key);
    }

    fn recover(&mut self, clean: bool) {
        let mut max_of_queues = -1;
        for queue in self.queues.values_mut() {
            queue.recover(&mut self.images);
            max_of_queues = max_of_queues.max(queue.max_physic);
        }
        self.recovery.max_of_queues = max_of_queues;
        self.recover_log(clean, max_of_queues);
        self.recover_table();
    }

    fn recover_log(&mut self, clean: bool, max_of_queues: i64) {
        let Some(last) = self.log.list.len().checked_sub(1) else {
            self.log.flushed_where = 0;
            self.log.committed_where = 0;
            for queue in self.queues.values_mut() {
                queue.destroy(&mut self.images);
            }
            return;
        };
        let mut index = if clean {
            last.saturating_sub(2)
        } else {
            let limit = (self.physic.min(self.logics) - 3000).max(0);
            let matches = |index: &usize| {
                self.first_time(self.log.list[*index].start).is_some_and(|time| time != 0 && time <= limit)
            };
            (0..=last).rev().find(matches).unwrap_or(0)
        };
        self.recovery.from = self.log.list[index].start;
        let mut position = 0;
        loop {
            let start = self.log.list[index].start;
            match self.stands(start, position, self.shape.log_file, Some(self.shape.check_crc)) {
                Stands::Record(found) => {
                    position += found.size;
                    if !clean {
                        self.dispatch(&found);
                    }
                }
                Stands::Blank if index < last => {
                    index += 1;
                    position = 0;
                }
                Stands::Blank | Stands::Bad { .. } => break,
            }
        }
        let end = self.log.list[index].start + i64::from(position);
        self.recovery.end = end;
        self.log.flushed_where = end;
        self.log.committed_where = end;
        self.log.truncate(&mut self.images, end);
        if max_of_queues >= end {
            for queue in self.queues.values_mut() {
                queue.truncate_dirty(&mut self.images, end);
            }
        }
    }

    fn first_time(&self, start: i64) -> Option<i64> {
        let bytes = &self.images.get(&Dir::Log, start)?.cache;
        let long = |at: usize| bytes.get(at..)?.first_chunk().map(|bytes| i64::from_be_bytes(*bytes));
        let int = |at: usize| bytes.get(at..)?.first_chunk().map(|bytes| i32::from_be_bytes(*bytes));
        if int(4)? != record::MESSAGE_MAGIC {
            return None;
        }
        // Behind the born host, which bit 4 of the sysFlag makes 12 bytes longer.
        let born_host = if int(36)? & 0x10 == 0 { 8 } else { 20 };
        long(48 + born_host)
    }

    fn recover_table(&mut self) {
        self.next.clear();
        let min = self.log.min();
        for (key, queue) in &mut self.queues {
            self.next.insert(key.clone(), queue.max());
            queue.correct_min(&self.images, min);
        }
    }

    /// The lock is held: where dispatch begins.
    pub(crate) fn begin_start(&mut self) {
        let known = self.queues.values().map(|queue| queue.max_physic);
        self.reput = known.fold(self.log.min(), i64::max).max(0);
        self.recovery.reput_from = self.reput;
    }

    pub(crate) fn finish_start(&mut self) {
        self.recover_table();
    }

    pub(crate) fn behind(&self) -> i64 {
        self.log.max() - self.reput
    }

    /// One turn of dispatch. `false` if there is nothing to do.
    pub(crate) fn reput(&mut self) -> bool {
        let Some(slice) = self.slice() else { return false };
        let from = self.reput;
        match self.stands(slice.file, slice.position, slice.end, None) {
            Stands::Record(found) => {
                self.dispatch(&found);
                self.reput = from + i64::from(found.size);
                self.lost = self.lost.and_then(|_| slice.after(found.size, found.size));
            }
            Stands::Blank => {
                let size = i64::from(self.shape.log_file);
                self.reput = from + size - from % size;
                self.lost = None;
            }
            Stands::Bad { size, parts } if size > 0 => {
                self.reput = from + i64::from(size);
                self.lost = slice.after(parts, 0);
            }
            Stands::Bad { .. } => {
                self.reput = from + i64::from(slice.unread);
                self.lost = None;
            }
        }
        true
    }

    fn slice(&mut self) -> Option<Slice> {
        if self.lost.is_some() {
            return self.lost;
        }
        self.reput = self.reput.max(self.log.min());
        if self.reput >= self.log.max() {
            return None;
        }
        let file = &self.log.list[self.log.find_or_first(self.reput)?];
        let position = self.log.position(self.reput);
        let unread = file.readable() - position;
        self.reput = file.start + i64::from(position);
        (unread > 0).then_some(Slice { file: file.start, position, end: position + unread, unread })
    }

    /// Dispatches a record to its queue.
    fn dispatch(&mut self, found: &Found) {
        if !found.in_queue {
            return;
        }
        self.queue(&found.queue);
        let mut put = Put::Failed;
        if self.writeable {
            let queue = self.queues.get_mut(&found.queue).expect("just made");
            put = queue.put(&mut self.images, found.unit(), found.queue_offset);
        }
        if put == Put::Failed {
            self.writeable = false;
        } else {
            self.logics = found.store_timestamp;
        }
        self.dispatched.insert(found.at, put);
    }

    /// What stands at a place of the log: for recovery with its body and perhaps its checksum, for dispatch without.
    pub(crate) fn stands(&self, file: i64, position: i32, end: i32, recovery: Option<bool>) -> Stands {
        let bytes = self.images.get(&Dir::Log, file).and_then(|image| image.cache.get(position as usize..end as usize));
        self.stands_there(bytes.unwrap_or_default(), file, position, recovery)
    }

    /// What recovery finds at a place of the log on another disk.
    pub(crate) fn stands_in(&self, images: &Images, file: i64, position: i32) -> Stands {
        let bytes = images.get(&Dir::Log, file).and_then(|image| image.cache.get(position as usize..));
        self.stands_there(bytes.unwrap_or_default(), file, position, Some(self.shape.check_crc))
    }

    fn stands_there(&self, bytes: &[u8], file: i64, position: i32, recovery: Option<bool>) -> Stands {
        match record::check(bytes, recovery == Some(true), recovery.is_some(), &*self.levels) {
            Checked::Good(good) => Stands::Record(Found {
                at: file + i64::from(position),
                size: good.size,
                queue: (Rc::from(&*good.topic), good.queue_id),
                queue_offset: good.queue_offset,
                says_at: good.physical_offset,
                tags_code: good.tags_code,
                store_timestamp: good.store_timestamp,
                in_queue: good.transaction_type().takes_queue_offset(),
            }),
            Checked::Blank { .. } => Stands::Blank,
            Checked::Bad { error, size } => {
                let parts = match error.cause {
                    Cause::Size { read, .. } => read as i32,
                    _ => size,
                };
                Stands::Bad { size, parts }
            }
        }
    }

    /// Appends records, all into one file, as `encode` makes them for a queue offset and a physical offset each. What
    /// does not fit even in an empty file is lost with that file.
    pub(crate) fn append(
        &mut self,
        key: &QueueKey,
        takes_offset: bool,
        sizes: &[i32],
        now: i64,
        mut encode: impl FnMut(usize, i64, i64) -> Vec<u8>,
    ) -> Vec<(i64, Vec<u8>)> {
        let total: i32 = sizes.iter().sum();
        for _ in 0..2 {
            let Some(index) = self.log.last_or_create(&mut self.images, 0) else { return Vec::new() };
            let next = *self.next.entry(key.clone()).or_insert(0);
            let file = &self.log.list[index];
            let (start, wrote) = (file.start, file.wrote);
            let left = self.shape.log_file - wrote;
            if total + record::END_FILE_MIN_BLANK_LENGTH > left {
                self.log.append(&mut self.images, &record::blank(left), left);
                self.log.list[index].store_timestamp = now;
                continue;
            }
            let (mut records, mut at, mut queue_offset) = (Vec::new(), start + i64::from(wrote), next);
            for (number, size) in sizes.iter().enumerate() {
                let bytes = encode(number, if takes_offset { queue_offset } else { 0 }, at);
                self.log.append(&mut self.images, &bytes, *size);
                records.push((at, bytes));
                at += i64::from(*size);
                queue_offset += 1;
            }
            self.log.list[index].store_timestamp = now;
            if takes_offset {
                self.next.insert(key.clone(), queue_offset);
            }
            return records;
        }
        Vec::new()
    }

    pub(crate) fn flush_log(&mut self, pages: i32) -> bool {
        let unchanged = self.log.flush(&mut self.images, pages);
        self.note_physic();
        unchanged
    }

    pub(crate) fn note_physic(&mut self) {
        if self.log.store_timestamp > 0 {
            self.physic = self.log.store_timestamp;
        }
    }

    pub(crate) fn commit(&mut self, pages: i32) -> bool {
        self.log.commit(&mut self.images, pages)
    }

    /// Whether everything before `offset` is flushed, after two flushes at most.
    pub(crate) fn group_commit(&mut self, offset: i64) -> bool {
        for _ in 0..2 {
            if self.log.flushed_where >= offset {
                return true;
            }
            self.log.flush(&mut self.images, 0);
        }
        self.log.flushed_where >= offset
    }

    /// One flush of every queue, with so many tries.
    pub(crate) fn flush_queues(&mut self, pages: i32, tries: i32) {
        for queue in self.queues.values_mut() {
            for _ in 0..tries {
                if queue.files.flush(&mut self.images, pages) {
                    break;
                }
            }
        }
    }

    /// The oldest ten files go at most, and what pointed into them.
    pub(crate) fn clean(&mut self) {
        for _ in 0..10 {
            let first = self.log.min();
            self.log.delete_head(&mut self.images, |_, file| file.start == first);
        }
        let min = self.log.min();
        if min > self.cleaned_to {
            self.cleaned_to = min;
            for queue in self.queues.values_mut() {
                queue.clean(&mut self.images, min);
            }
        }
    }

    pub(crate) fn begin_stop(&mut self) {
        for _ in 0..10 {
            if self.shape.pool && self.log.commit(&mut self.images, 0) {
                break;
            }
        }
        // A service of synchronous flushes has two rounds left, and nobody waits.
        for _ in 0..if self.shape.sync { 2 } else { 10 } {
            if self.log.flush(&mut self.images, 0) && !self.shape.sync {
                break;
            }
        }
    }

    /// Whether the stop is a clean one.
    pub(crate) fn finish_stop(&mut self) -> bool {
        let clean = self.writeable && self.behind() == 0;
        self.flush_queues(0, 3);
        self.log.discard_ahead(&mut self.images);
        clean
    }
}

impl Slice {
    fn after(self, taken: i32, counted: i32) -> Option<Self> {
        let position = (self.position + taken).min(self.end);
        let unread = self.unread - counted;
        (unread > 0).then_some(Self { position, unread, ..self })
    }
}

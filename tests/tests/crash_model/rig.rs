//! Store and model side by side: every operation is done to both, every crash leaves both the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rocketscope_engine::disk::MemoryDisk;
use rocketscope_engine::store::{Env, Store, Work};

use crate::case::{Case, Kind, Round, Shape};
use crate::exception::{Exception, Tally};
use crate::images::{Dir, Images, Key};
use crate::model::{Model, QueueKey};

pub(crate) const START: i64 = 1_700_000_000_000;

/// A clock that only the work moves on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticker(pub(crate) i64);

impl Env for Ticker {
    fn now(&self) -> i64 {
        self.0
    }

    fn spend(&mut self, work: Work) {
        self.0 += match work {
            Work::Append => 0,
            Work::Dispatch | Work::CreateIndexFile => 1,
            Work::Sleep(millis) => millis,
        };
    }
}

/// What was known when the last process ended.
pub(crate) struct Before {
    /// The model as it was when the process died; its images are what the page cache held then.
    pub(crate) model: Model,
    /// Files that the operator, or an accident, took away since.
    pub(crate) deleted: BTreeSet<Key>,
    /// The disk that the next process found.
    pub(crate) after: Images,
}

pub(crate) struct Rig {
    pub(crate) shape: Rc<Shape>,
    pub(crate) kind: Kind,
    pub(crate) store: Option<Store<MemoryDisk>>,
    pub(crate) clock: Ticker,
    pub(crate) model: Model,
    /// Every record that was ever written to a place of the log, the newest last.
    pub(crate) history: BTreeMap<i64, Vec<Rc<[u8]>>>,
    /// Records whose producers were told that they are flushed.
    pub(crate) acked: BTreeMap<i64, Rc<[u8]>>,
    /// Requests for a flush that nobody answered yet, with the records that they are for.
    pub(crate) pending: Vec<(i64, Vec<i64>)>,
    /// The disk has refused a flush: what counts as flushed since then may never have been.
    pub(crate) flush_refused: bool,
    /// Places of records with a flipped bit.
    pub(crate) flipped: BTreeSet<i64>,
    /// Records that this process has dispatched to the index.
    pub(crate) indexed: BTreeSet<i64>,
    /// What was excused already: records by their place and queues' slots.
    pub(crate) excused: BTreeMap<(QueueKey, i64), Exception>,
    pub(crate) odd_slots: BTreeSet<(QueueKey, i64, Exception)>,
    pub(crate) odd_tags: BTreeSet<i64>,
    pub(crate) known_holes: BTreeSet<i64>,
    /// Where recovery has let the log end since the last process died.
    pub(crate) judged_end: Option<i64>,
    /// Places of the records that are part of the log.
    pub(crate) live: BTreeSet<i64>,
    pub(crate) tally: Tally,
    pub(crate) bodies: u64,
    /// The case cannot go on: a torn topic has become a path that means something else.
    pub(crate) abandoned: bool,
}

pub(crate) type Outcome = Result<(), String>;

/// Runs a case up to its end. An error says what is wrong; the second number is the round.
pub(crate) fn run(case: &Case) -> Result<Tally, (usize, String)> {
    let shape = Rc::new(case.shape.clone());
    let mut rig = Rig {
        shape: Rc::clone(&shape),
        kind: case.kind,
        store: None,
        clock: Ticker(START),
        model: Model::load(&shape, Images::default(), true, (0, 0)),
        history: BTreeMap::new(),
        acked: BTreeMap::new(),
        pending: Vec::new(),
        flush_refused: false,
        flipped: BTreeSet::new(),
        indexed: BTreeSet::new(),
        excused: BTreeMap::new(),
        odd_slots: BTreeSet::new(),
        odd_tags: BTreeSet::new(),
        known_holes: BTreeSet::new(),
        judged_end: None,
        live: BTreeSet::new(),
        tally: Tally::default(),
        bodies: 0,
        abandoned: false,
    };
    rig.open(MemoryDisk::new(), None).map_err(|error| (0, error))?;
    for (number, round) in case.rounds.iter().enumerate() {
        rig.round(round).map_err(|error| (number, error))?;
        if rig.abandoned {
            break;
        }
        rig.tally.rounds += 1;
    }
    Ok(rig.tally)
}

/// A condition that must hold, and what to say if it does not.
pub(crate) fn must<T: PartialEq + std::fmt::Debug>(what: &str, store: &T, model: &T) -> Outcome {
    if store == model { Ok(()) } else { Err(format!("{what}: the store says {store:?}, the model {model:?}")) }
}

impl Rig {
    /// Counts a deviation, if the kind of the case excuses it.
    pub(crate) fn excuse(&mut self, exception: Exception) -> Outcome {
        self.tally.count(self.kind, exception);
        if self.kind.forbids(exception) {
            return Err(format!("{exception:?}, which no crash of a case {:?} can bring about", self.kind));
        }
        Ok(())
    }

    pub(crate) fn store(&mut self) -> (&mut Store<MemoryDisk>, &mut Ticker) {
        (self.store.as_mut().expect("running"), &mut self.clock)
    }

    pub(crate) fn round(&mut self, round: &Round) -> Outcome {
        self.clock.0 += 1;
        for op in &round.ops {
            self.apply(op)?;
        }
        let (mut disk, mut before) = self.end(&round.end)?;
        disk.mend();
        self.model.images.refuses_flush = false;
        self.model.images.compare(&disk)?;
        if let Some(damage) = &round.damage {
            self.damage(damage, &mut disk, &mut before);
        }
        self.check_acknowledged()?;
        for cut in &round.starts {
            disk = self.crash_while_starting(disk, cut, &before)?;
            if self.abandoned {
                return Ok(());
            }
        }
        before.after = self.model.images.clone();
        self.open(disk, Some(before))
    }

    /// Every record of which a producer was told that it is flushed is on the disk, whatever the crash took.
    pub(crate) fn check_acknowledged(&mut self) -> Outcome {
        let flipped = self.flipped.clone();
        self.acked.retain(|at, _| !flipped.contains(at));
        let size = i64::from(self.shape.log_file);
        for (at, bytes) in &self.acked {
            let image = self.model.images.get(&Dir::Log, at - at % size);
            let position = (at % size) as usize;
            let there = image.and_then(|image| image.cache.get(position..position + bytes.len()));
            if there != Some(bytes) {
                return Err(format!("the record at {at} was acknowledged, and is not on the disk"));
            }
        }
        Ok(())
    }

    /// The numbers of both.
    pub(crate) fn compare(&self) -> Outcome {
        let (store, model) = (self.store.as_ref().expect("running"), &self.model);
        must("min physical offset", &store.min_phy_offset(), &model.log.min())?;
        must("max physical offset", &store.max_phy_offset(), &model.log.max())?;
        must("max wrote offset", &store.max_wrote_offset(), &model.log.max_wrote())?;
        must("flushedWhere", &store.flushed_where(), &model.log.flushed_where)?;
        must("committedWhere", &store.committed_where(), &model.log.committed_where)?;
        must("reputFromOffset", &store.reput_from_offset(), &model.reput)?;
        must("writeable", &store.running_flags().is_writeable(), &model.writeable)?;
        must("physicMsgTimestamp", &store.checkpoint().physic_msg_timestamp, &model.physic)?;
        must("logicsMsgTimestamp", &store.checkpoint().logics_msg_timestamp, &model.logics)
    }

    /// Numbers, queues, table of queue offsets, and every byte.
    pub(crate) fn compare_all(&self, when: &str) -> Outcome {
        let named = |result: Outcome| result.map_err(|error| format!("{when}: {error}"));
        let (store, model) = (self.store.as_ref().expect("running"), &self.model);
        if when == "started" {
            named(self.compare())?;
        }
        let files: Vec<(i64, i32)> = store.commit_log_files().collect();
        let expected: Vec<(i64, i32)> = model.log.list.iter().map(|file| (file.start, file.wrote)).collect();
        named(must("files of the log", &files, &expected))?;
        let queues: Vec<_> = store.queues().collect();
        named(must("number of queues", &queues.len(), &model.queues.len()))?;
        for ((topic, id, queue), (key, expected)) in queues.into_iter().zip(&model.queues) {
            named(must("queue", &(topic, id), &(&*key.0, key.1)))?;
            let here = format!("{topic}-{id}");
            let files: Vec<(i64, i32)> = queue.mapped_files().collect();
            let expected_files: Vec<_> = expected.files.list.iter().map(|file| (file.start, file.wrote)).collect();
            named(must(&here, &files, &expected_files))?;
            let numbers = (queue.max_physic_offset(), queue.min_logic_offset(), queue.flushed_where());
            let expected = (expected.max_physic, expected.min_logic, expected.files.flushed_where);
            named(must(&here, &numbers, &expected))?;
        }
        let table: Vec<(String, i32, i64)> =
            store.topic_queue_table().map(|(topic, id, next)| (topic.to_owned(), id, next)).collect();
        let expected: Vec<_> = model.next.iter().map(|((topic, id), next)| (topic.to_string(), *id, *next)).collect();
        named(must("queue offsets", &table, &expected))?;
        named(model.images.compare(store.disk()))
    }
}

//! What is done to a store that runs, and to its model.

use std::collections::BTreeSet;
use std::rc::Rc;

use rocketscope_engine::disk::ReadAt;
use rocketscope_engine::disk::memory::Fault;
use rocketscope_engine::message::{TransactionType, record};
use rocketscope_engine::store::{PutMessageStatus, Reput};

use crate::case::{Kind, Op};
use crate::drafts;
use crate::model::QueueKey;
use crate::rig::{Outcome, Rig, must};

impl Rig {
    pub(crate) fn apply(&mut self, op: &Op) -> Outcome {
        match op {
            Op::Put(draft, flush) => {
                self.put(draft, *flush)?;
            }
            Op::Batch(draft, bodies) => self.put_batch(draft, bodies)?,
            Op::Reput(turns) => {
                for _ in 0..*turns {
                    self.reput()?;
                }
            }
            Op::FlushLog(pages) => {
                let (store, clock) = self.store();
                let unchanged = store.flush_commit_log(i32::from(*pages), clock);
                must("flush", &unchanged, &self.model.flush_log(i32::from(*pages)))?;
            }
            Op::Commit => {
                let pool = self.shape.pool;
                let (store, clock) = self.store();
                if pool {
                    let unchanged = store.commit_commit_log(0, clock);
                    must("commit", &unchanged, &self.model.commit(0))?;
                }
            }
            Op::GroupCommit => self.group_commit()?,
            Op::FlushQueues(thorough) => {
                let (store, clock) = self.store();
                store.flush_consume_queues(*thorough, clock);
                self.model.flush_queues(if *thorough { 0 } else { 2 }, 1);
                if *thorough {
                    self.check_checkpoint()?;
                }
            }
            Op::Checkpoint => {
                let (store, clock) = self.store();
                store.flush_checkpoint(clock);
                self.check_checkpoint()?;
            }
            Op::RefuseFlush(refuse) => {
                let disk = self.store().0.disk_mut();
                disk.mend();
                if *refuse {
                    disk.set_fault(Fault::FlushError { path: String::new() });
                }
                self.model.images.refuses_flush = *refuse;
                self.flush_refused |= *refuse;
            }
            // What is cleaned away before it was dispatched leaves a hole in its queue; of that only the wilder cases know.
            Op::Clean if self.kind == Kind::Killed && self.model.behind() != 0 => {}
            Op::Clean => {
                let (store, clock) = self.store();
                store.delete_expired_commit_log(0, true, clock);
                store.clean_consume_queues(clock);
                self.model.clean();
                let min = self.model.log.min();
                self.acked.retain(|at, _| *at >= min);
                self.indexed.retain(|at| *at >= min);
            }
            Op::Wait(millis) => self.clock.0 += i64::from(*millis),
            Op::Pull(topic, queue, offset) => self.pull(*topic, *queue, i64::from(*offset))?,
            Op::Query(topic, key) => self.query(*topic, *key)?,
        }
        self.compare()
    }

    fn reput(&mut self) -> Outcome {
        let (store, clock) = self.store();
        // The index passes over what lies before its end.
        let index_end = store.index_files().last().map_or(0, |file| file.header().end_phy_offset);
        let turn = store.reput(clock);
        if let Reput::Dispatched(info) = &turn
            && info.physical_offset >= index_end
            && TransactionType::of(info.sys_flag) != TransactionType::Rollback
        {
            self.indexed.insert(info.physical_offset);
        }
        must("a turn of dispatch", &(turn != Reput::Idle), &self.model.reput())
    }

    pub(crate) fn put(&mut self, draft: &drafts::Draft, flush: bool) -> Outcome {
        self.bodies += 1;
        let message = drafts::message(draft, self.bodies);
        let stored = drafts::as_stored(&message);
        let (store, clock) = self.store();
        let result = store.put_message(&message, clock);
        let now = self.clock.0;
        if self.refused(result.status)? {
            return Ok(());
        }
        let key = (Rc::from(&*stored.topic), stored.queue_id);
        let (size, takes_offset) = (drafts::len_of(&stored), stored.transaction_type().takes_queue_offset());
        let encode = |_, queue_offset, at| drafts::encode(&stored, queue_offset, at, now);
        let records = self.model.append(&key, takes_offset, &[size], now, encode);
        let wrote = result.append.as_ref().map(|append| (append.wrote_offset, append.wrote_bytes));
        self.note(&records, wrote)?;
        self.answer(result.flush.map(|request| request.next_offset), &records, flush)
    }

    pub(crate) fn put_batch(&mut self, draft: &drafts::Draft, bodies: &[u16]) -> Outcome {
        self.bodies += 1;
        let batch = drafts::batch(draft, bodies, self.bodies);
        let (store, clock) = self.store();
        let result = store.put_messages(&batch, clock);
        let now = self.clock.0;
        if self.refused(result.status)? {
            return Ok(());
        }
        let (sizes, records) = drafts::records_of(&batch);
        let key = (Rc::from(&*batch.topic), batch.queue_id);
        let encode = |number: usize, queue_offset, at| drafts::patched(&records[number], queue_offset, at, now);
        let records = self.model.append(&key, true, &sizes, now, encode);
        let wrote = result.append.as_ref().map(|append| (append.wrote_offset, append.wrote_bytes));
        self.note(&records, wrote)?;
        self.answer(result.flush.map(|request| request.next_offset), &records, true)
    }

    /// Whether the put was refused, and rightly.
    pub(crate) fn refused(&self, status: PutMessageStatus) -> Result<bool, String> {
        let expected =
            if self.model.writeable { PutMessageStatus::PutOk } else { PutMessageStatus::ServiceNotAvailable };
        must("status", &status, &expected)?;
        Ok(!self.model.writeable)
    }

    pub(crate) fn note(&mut self, records: &[(i64, Vec<u8>)], wrote: Option<(i64, i32)>) -> Outcome {
        for (at, bytes) in records {
            self.history.entry(*at).or_default().push(bytes.as_slice().into());
            self.flipped.remove(at);
            self.odd_tags.remove(at);
            self.excused.retain(|(_, place), _| place != at);
            self.live.insert(*at);
        }
        let Some((first, _)) = records.first() else { return Ok(()) };
        let total = records.iter().map(|(_, bytes)| bytes.len() as i32).sum();
        must("place", &wrote, &Some((*first, total)))
    }

    /// The flush that the answer waits for.
    pub(crate) fn answer(&mut self, next_offset: Option<i64>, records: &[(i64, Vec<u8>)], flush: bool) -> Outcome {
        let Some(next_offset) = next_offset else { return Ok(()) };
        self.pending.push((next_offset, records.iter().map(|(at, _)| *at).collect()));
        if flush { self.group_commit() } else { Ok(()) }
    }

    pub(crate) fn group_commit(&mut self) -> Outcome {
        for (next_offset, places) in std::mem::take(&mut self.pending) {
            let (store, clock) = self.store();
            let done = store.group_commit(next_offset, clock);
            must("group commit", &done, &self.model.group_commit(next_offset))?;
            // Where the disk refused the producer is told the same, and nothing is promised.
            for at in places.iter().filter(|_| done && !self.model.images.refuses_flush) {
                let newest = self.history.get(at).and_then(|records| records.last()).expect("written");
                self.acked.insert(*at, Rc::clone(newest));
                self.tally.acknowledged += 1;
            }
        }
        let (store, _) = self.store();
        store.note_physic_timestamp();
        self.model.note_physic();
        Ok(())
    }

    pub(crate) fn check_checkpoint(&mut self) -> Outcome {
        if self.model.images.refuses_flush {
            return Ok(());
        }
        let (store, _) = self.store();
        let index = store.checkpoint().index_msg_timestamp;
        let file = store.disk().find("checkpoint").ok_or("no checkpoint")?;
        let mut bytes = [0; 24];
        store.disk().read_stable_at(file, 0, &mut bytes).map_err(|error| error.to_string())?;
        let times = [self.model.physic, self.model.logics, index].map(i64::to_be_bytes).concat();
        must("checkpoint on the disk", &bytes.to_vec(), &times)
    }

    pub(crate) fn pull(&mut self, topic: u8, queue: u8, offset: i64) -> Outcome {
        let key: QueueKey = (drafts::topic(topic).into(), i32::from(queue));
        let (store, _) = self.store();
        let answer = store.get_message("g", &key.0, key.1, offset, 32, None).ok_or("the store does not run")?;
        for one in &answer.selected {
            let unit = self.model.queues.get(&key).and_then(|queue| queue.unit(&self.model.images, one.queue_offset));
            let unit = unit.ok_or_else(|| format!("slot {} is not there", one.queue_offset))?;
            if unit.physical_offset == 0 {
                // Once the head of the log is gone, offset 0 is answered with the first record that is left.
                continue;
            }
            must("unit", &(one.physical_offset, one.size), &(unit.physical_offset, unit.size))?;
        }
        // The read made the queue, if it was not there.
        self.model.touch(&key);
        Ok(())
    }

    /// The index leads to places of records only, and to every record with the key that this process has indexed.
    pub(crate) fn query(&mut self, topic: u8, key: u8) -> Outcome {
        const MOST: usize = 64;
        let (topic, key) = (drafts::topic(topic), drafts::key(key));
        let (store, _) = self.store();
        let answer = store.query_message(topic, &key, MOST as i32, 0, i64::MAX);
        let found: BTreeSet<i64> = answer.messages.iter().map(|one| one.physical_offset).collect();
        if let Some(at) = found.iter().find(|at| !self.history.contains_key(at) && **at != self.model.log.min()) {
            return Err(format!("the index leads to {at}, where no record ever began"));
        }
        let has_key = |at: &&i64| {
            let record = self.history.get(at).and_then(|records| records.last()).and_then(|it| record::decode(it).ok());
            record.is_some_and(|record| record.topic == topic && record.keys() == Some(&*key))
        };
        let missing = self.indexed.iter().filter(|_| self.shape.index).filter(has_key).find(|at| !found.contains(at));
        match missing {
            Some(at) if answer.messages.len() < MOST => Err(format!("the index does not lead to the record at {at}")),
            _ => Ok(()),
        }
    }
}

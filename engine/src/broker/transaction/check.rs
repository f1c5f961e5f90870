//! One check of the half queue (`TransactionalMessageServiceImpl.check`).
//!
//! Row by row, for the half message that it has come to:
//!
//! | row | if | then |
//! |---|---|---|
//! | 1 | the check has taken more than 60 s | it ends |
//! | 2 | an op message says that it is decided | on |
//! | 3, 4, 5 | there is none | the check ends, or goes on where the queue begins again |
//! | 6 | it was asked for too often, or is too old | it is put to `TRANS_CHECK_MAX_TIME_TOPIC`, and on |
//! | 7 | it was stored after the check began | the check ends |
//! | 8 | it says itself that it is not to be checked yet | it is put to the queue's end, and on |
//! | 9 | it is younger than `transactionTimeOut` | the check ends |
//! | 10 | no op message can speak of it any more | it is put to the queue's end, its producer is asked, and on |
//! | 11 | otherwise | more op messages are read |
//!
//! A check is one turn. Where 4.9.8 would come back to the same message without a pause, because it cannot be put back or
//! because only time can settle it, the turn ends, and the check goes on in another one when that can have changed.

mod puts;

use std::collections::BTreeMap;

use puts::PutOff;

use super::{
    GROUP, Process,
    half::Half,
    ops::Ops,
    state::Decision,
    table::{self, Age, Look, Verdict},
};
use crate::{
    broker::schedule::Circumstances,
    message::transaction::{HALF_TOPIC, OP_TOPIC},
    node::{TransactionStep, Turn},
    store::GetMessageStatus,
};

/// A check that takes longer ends where it is (`MAX_PROCESS_TIME_LIMIT`), milliseconds.
const TIME_LIMIT_MS: i64 = 60_000;

/// So often the queue may have no message where the check stands (`MAX_RETRY_COUNT_WHEN_HALF_NULL`).
const NOTHING_MAX: u32 = 1;

/// How soon somebody comes back who was turned away by a busy page cache, microseconds.
const BUSY_US: i64 = 100_000;

/// A check of one half queue, under way or ended.
#[derive(Clone, Debug)]
pub struct Check {
    /// The queue.
    pub queue_id: i32,
    /// When it began, milliseconds since the epoch.
    pub start_ms: i64,
    /// The half queue's progress before it.
    pub half_from: i64,
    /// The op queue's progress before it.
    pub op_from: i64,
    /// The half queue's progress after it.
    pub half_to: i64,
    /// Half messages that op messages speak of and the check has not come to, each with the op message (`removeMap`).
    pub remove_map: BTreeMap<i64, i64>,
    /// Op messages that are done with (`doneOpOffset`).
    pub done: Vec<i64>,
    /// What became of each half message, in order.
    pub decisions: Vec<Decision>,
    pub(super) ops: Ops,
    /// The half message that it stands at.
    at: i64,
    nothing: u32,
    pub(super) waits: Option<Waits>,
    /// When the message was looked at whose copy waits for the append lock, milliseconds since the epoch: what was decided
    /// then holds when the lock is free.
    looked_ms: Option<i64>,
}

/// What a check waits for that would come back to the same message without a pause.
#[derive(Clone, Debug)]
pub(super) struct Waits {
    /// When time alone lets it go on, microseconds.
    pub(super) until_us: i64,
    /// The put was refused under these circumstances.
    pub(super) refused: Option<Circumstances>,
}

/// How a look ends.
enum Flow {
    /// On, with the same message or the next.
    On,
    /// The check ends.
    Ends,
    /// Java throws: the check ends, and nothing is committed.
    Throws,
    /// Nothing changes by looking again at once.
    Waits,
}

impl Check {
    pub(super) const fn new(queue_id: i32, start_ms: i64, half_from: i64, op_from: i64) -> Self {
        Self {
            queue_id,
            start_ms,
            half_from,
            op_from,
            half_to: half_from,
            remove_map: BTreeMap::new(),
            done: Vec::new(),
            decisions: Vec::new(),
            ops: Ops::none(op_from),
            at: half_from,
            nothing: 1,
            waits: None,
            looked_ms: None,
        }
    }

    fn decided(&mut self, row: u8) {
        self.decisions.push(Decision { row, half_offset: self.at });
    }

    /// It has done with the message that it stands at.
    fn pass(&mut self, row: u8) -> Flow {
        self.decided(row);
        self.at = self.at.wrapping_add(1);
        self.half_to = self.at;
        Flow::On
    }

    fn ends(&mut self, row: u8) -> Flow {
        self.decided(row);
        Flow::Ends
    }

    /// Whether it waits for the append lock, which nothing but time sets free.
    pub(super) const fn waits_for_lock(&self) -> bool {
        self.looked_ms.is_some()
    }

    /// Whether it found nothing at all: the same check would find the same again.
    pub(super) fn is_idle(&self) -> bool {
        self.half_to == self.half_from
            && self.op_to() == self.op_from
            && self.decisions.iter().all(|decision| matches!(decision.row, 3 | 4))
    }

    /// The op queue's progress after it (`calculateOpOffset`).
    pub(super) fn op_to(&self) -> i64 {
        let mut done = self.done.clone();
        done.sort_unstable();
        let passed = done.into_iter().zip(self.op_from..).take_while(|(done, next)| done == next);
        passed.last().map_or(self.op_from, |(done, _)| done.wrapping_add(1))
    }
}

impl Process {
    /// Goes on with a check as far as it comes. `None`: it waits. `Some(false)`: it was torn off.
    pub(super) fn go_on_with_check(&mut self, check: &mut Check, turn: &mut Turn<'_>) -> Option<bool> {
        check.waits = None;
        loop {
            match self.look(check, turn) {
                Flow::On => {}
                Flow::Waits => return None,
                Flow::Ends => {
                    self.end_check(check, turn);
                    return Some(true);
                }
                Flow::Throws => {
                    turn.step(TransactionStep::CheckTornOff { half_offset: check.at });
                    return Some(false);
                }
            }
        }
    }

    fn end_check(&mut self, check: &Check, turn: &mut Turn<'_>) {
        let (half_from, half_to, op_from, op_to) = (check.half_from, check.half_to, check.op_from, check.op_to());
        turn.step(TransactionStep::CheckEnds { half_from, half_to, op_from, op_to });
        if half_to != half_from {
            self.commit_offset(GROUP, HALF_TOPIC, check.queue_id, half_to, turn);
        }
        if op_to != op_from {
            self.commit_offset(GROUP, OP_TOPIC, check.queue_id, op_to, turn);
        }
    }

    /// One look at the message that the check stands at.
    fn look(&mut self, check: &mut Check, turn: &mut Turn<'_>) -> Flow {
        let half_offset = check.at;
        let now_ms = check.looked_ms.take().unwrap_or_else(|| turn.wall_ms());
        let elapsed_ms = now_ms.wrapping_sub(check.start_ms);
        if elapsed_ms > TIME_LIMIT_MS {
            turn.step(TransactionStep::CheckTimeUp { half_offset, elapsed_ms });
            return check.ends(1);
        }
        if let Some(op_offset) = check.remove_map.remove(&half_offset) {
            turn.step(TransactionStep::HalfDecided { half_offset, op_offset });
            check.done.push(op_offset);
            return check.pass(2);
        }
        let pulled = self.store.get_message(GROUP, HALF_TOPIC, check.queue_id, half_offset, 1, None);
        let place = pulled.as_ref().and_then(|pulled| pulled.selected.first());
        let bytes = place.and_then(|place| self.store.read(place.physical_offset, place.size));
        if let Some(half) = bytes.as_ref().and_then(Half::read) {
            return self.judge(check, half, now_ms, turn);
        }
        check.nothing += 1;
        if check.nothing - 1 > NOTHING_MAX {
            turn.step(TransactionStep::HalfMissingAgain { half_offset });
            return check.ends(3);
        }
        let Some(pulled) = pulled else { return Flow::Throws };
        if is_at_end(pulled.status) {
            turn.step(TransactionStep::HalfQueueEnds { half_offset });
            return check.ends(4);
        }
        turn.step(TransactionStep::HalfMissing { half_offset, next_begin_offset: pulled.next_begin_offset });
        check.decided(5);
        check.at = pulled.next_begin_offset;
        check.half_to = pulled.next_begin_offset;
        Flow::On
    }

    fn judge(&mut self, check: &mut Check, mut half: Half, now_ms: i64, turn: &mut Turn<'_>) -> Flow {
        let half_offset = check.at;
        let look = Look {
            start_ms: check.start_ms,
            now_ms,
            timeout_ms: self.config.transaction_time_out,
            check_max: self.config.transaction_check_max,
            reserved_ms: i64::from(self.store.config().file_reserved_time).wrapping_mul(3_600_000),
            last_op_born_ms: check.ops.last_born_ms,
        };
        let (mut verdict, age) = table::judge(&mut half, &look);
        let Age { age_ms, immunity_ms } = age;
        if verdict == Verdict::Immune {
            match self.put_off(check, &mut half, age, turn) {
                PutOff::Passed => return check.pass(8),
                PutOff::No => verdict = table::decide(age, &look),
                PutOff::Waits => return self.wait_for_lock(check, now_ms, turn),
            }
        }
        let puts = matches!(verdict, Verdict::AskedTooOften | Verdict::TooOld | Verdict::Ask);
        if puts && self.lock_free_us(turn).is_some() {
            return self.wait_for_lock(check, now_ms, turn);
        }
        match verdict {
            Verdict::AskedTooOften | Verdict::TooOld => {
                turn.step(if verdict == Verdict::TooOld {
                    TransactionStep::HalfTooOld { half_offset, age_ms }
                } else {
                    TransactionStep::HalfAskedTooOften { half_offset, check_max: look.check_max }
                });
                self.discard(half_offset, &half, turn);
                check.pass(6)
            }
            Verdict::Fresh => {
                let (store_timestamp, start_timestamp) = (half.store_timestamp, check.start_ms);
                turn.step(TransactionStep::HalfFresh { half_offset, store_timestamp, start_timestamp });
                check.ends(7)
            }
            Verdict::Young => {
                turn.step(TransactionStep::HalfYoung { half_offset, age_ms, immunity_ms });
                check.ends(9)
            }
            Verdict::Ask => self.ask(check, half, turn),
            Verdict::MoreOps | Verdict::Immune => {
                let due_ms = half.born_timestamp.wrapping_add(immunity_ms).wrapping_add(1);
                self.read_more_ops(check, due_ms, turn)
            }
        }
    }

    /// Row 11: the op queue may say more. Where it does not, only time decides what is to be done.
    fn read_more_ops(&mut self, check: &mut Check, due_ms: i64, turn: &mut Turn<'_>) -> Flow {
        let before = check.ops;
        check.decided(11);
        turn.step(TransactionStep::MoreOpsRead { half_offset: check.at, op_offset: before.next_begin_offset });
        self.fill_ops(check, before.next_begin_offset, turn);
        if before.last_born_ms.is_some() || check.ops != before || check.remove_map.contains_key(&check.at) {
            return Flow::On;
        }
        self.wait(check, turn.us_at_wall(due_ms), false, turn)
    }

    /// The check goes on in another turn: at `until_us` or when its time is up.
    fn wait(&self, check: &mut Check, until_us: i64, refused: bool, turn: &Turn<'_>) -> Flow {
        let limit_us = turn.us_at_wall(check.start_ms.saturating_add(TIME_LIMIT_MS).saturating_add(1));
        let until_us = until_us.min(limit_us).max(turn.now_us().saturating_add(1));
        check.waits = Some(Waits { until_us, refused: refused.then(|| Circumstances::of(&self.store)) });
        Flow::Waits
    }
}

/// Whether a pull found nothing because it stands at the end (`PullStatus.NO_NEW_MSG`).
pub(super) const fn is_at_end(status: GetMessageStatus) -> bool {
    matches!(status, GetMessageStatus::NoMessageInQueue | GetMessageStatus::OffsetOverflowOne)
}

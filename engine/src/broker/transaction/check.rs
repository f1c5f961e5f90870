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

use std::collections::BTreeMap;

use super::{
    GROUP, Process,
    half::Half,
    ops::Ops,
    state::{Decision, Fate},
    table::{self, Age, Look, Verdict},
};
use crate::{
    broker::schedule::Circumstances,
    message::{
        java, property,
        transaction::{DISCARD_TOPIC, HALF_TOPIC, OP_TOPIC},
    },
    node::{NodeStep, TransactionStep, Turn},
    store::{GetMessageStatus, PutMessageStatus},
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
        let elapsed_ms = turn.wall_ms().wrapping_sub(check.start_ms);
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
            return self.judge(check, half, turn);
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

    fn judge(&mut self, check: &mut Check, mut half: Half, turn: &mut Turn<'_>) -> Flow {
        let half_offset = check.at;
        let look = Look {
            start_ms: check.start_ms,
            now_ms: turn.wall_ms(),
            timeout_ms: self.config.transaction_time_out,
            check_max: self.config.transaction_check_max,
            reserved_ms: i64::from(self.store.config().file_reserved_time).wrapping_mul(3_600_000),
            last_op_born_ms: check.ops.last_born_ms,
        };
        let (mut verdict, age) = table::judge(&mut half, &look);
        let Age { age_ms, immunity_ms } = age;
        if verdict == Verdict::Immune {
            if self.put_off(check, &mut half, age, turn) {
                return check.pass(8);
            }
            verdict = table::decide(age, &look);
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

    /// Row 8: a message that is not to be checked yet (`checkPrepareQueueOffset`): an op message speaks of its first copy,
    /// or it goes to the queue's end. Whether it is done with.
    fn put_off(&mut self, check: &mut Check, half: &mut Half, age: Age, turn: &mut Turn<'_>) -> bool {
        let half_offset = check.at;
        let Age { age_ms, immunity_ms } = age;
        if let Some(text) = half.properties.get(property::TRAN_PREPARED_QUEUE_OFFSET) {
            let first_offset = java::parse_long(text).unwrap_or(-1);
            if first_offset == -1 {
                return false;
            }
            if let Some(op_offset) = check.remove_map.remove(&first_offset) {
                turn.step(TransactionStep::ImmuneDecided { half_offset, first_offset, op_offset });
                check.done.push(op_offset);
                return true;
            }
        }
        let message = half.renewed_for_immunity();
        let Some(new_offset) = self.put_half_again(&message, turn) else { return false };
        turn.step(TransactionStep::HalfImmune { half_offset, age_ms, immunity_ms, new_offset });
        self.transactions.note(half, half_offset, Fate::PutOff { new_offset }, turn);
        true
    }

    /// Puts a copy of a half message to the queue's end; its queue offset if that came to `PUT_OK`.
    fn put_half_again(&mut self, message: &crate::message::Message, turn: &mut Turn<'_>) -> Option<i64> {
        let result = self.put_own(message, turn);
        turn.step(NodeStep::PutEnded { status: result.status.name().to_owned() });
        let append = result.append.filter(|_| result.status == PutMessageStatus::PutOk)?;
        Some(append.queue_offset)
    }

    /// Row 6: the message goes where nobody checks it. Whether that can be put makes no difference
    /// (`resolveDiscardMsg`).
    fn discard(&mut self, half_offset: i64, half: &Half, turn: &mut Turn<'_>) {
        self.topic_for_retries(DISCARD_TOPIC, 1, 0, turn);
        let result = self.put_own(&half.discarded(), turn);
        turn.step(NodeStep::PutEnded { status: result.status.name().to_owned() });
        let kept = result.status == PutMessageStatus::PutOk;
        if !kept {
            turn.step(TransactionStep::HalfLost { half_offset });
        }
        self.transactions.note(half, half_offset, Fate::Discarded { kept }, turn);
    }

    /// Row 10: the message goes to the queue's end, and its producer is asked about that copy (`putBackHalfMsgQueue`,
    /// `resolveHalfMsg`).
    fn ask(&mut self, check: &mut Check, mut half: Half, turn: &mut Turn<'_>) -> Flow {
        let half_offset = check.at;
        let message = half.renewed();
        let result = self.put_own(&message, turn);
        turn.step(NodeStep::PutEnded { status: result.status.name().to_owned() });
        let Some(append) = result.append.filter(|_| result.status == PutMessageStatus::PutOk) else {
            turn.step(TransactionStep::HalfNotPutBack { half_offset });
            let busy = result.status == PutMessageStatus::OsPageCacheBusy;
            let until_us = if busy { turn.now_us().saturating_add(BUSY_US) } else { i64::MAX };
            return self.wait(check, until_us, true, turn);
        };
        half.queue_offset = append.queue_offset;
        half.physical_offset = append.wrote_offset;
        let new_offset = append.queue_offset;
        turn.step(TransactionStep::HalfPutBack { half_offset, new_offset, check_times: half.check_times() });
        let to = self.ask_producer(&half, append.msg_id(), turn);
        self.transactions.note(&half, half_offset, Fate::Asked { new_offset, to }, turn);
        check.pass(10)
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

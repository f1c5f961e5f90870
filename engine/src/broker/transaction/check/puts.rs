//! What a check puts: copies of half messages to the queue's end, and those that are given up to
//! `TRANS_CHECK_MAX_TIME_TOPIC`. While a slow write has the append lock, the check waits for it.

use super::{BUSY_US, Check, Flow, Waits};
use crate::{
    broker::{
        Process,
        transaction::{half::Half, state::Fate, table::Age},
    },
    message::{Message, java, property, transaction::DISCARD_TOPIC},
    node::{BrokerStep, IntakeStep, TransactionStep, Turn},
    store::PutMessageStatus,
};

/// What row 8 comes to.
pub(super) enum PutOff {
    /// The message is done with.
    Passed,
    /// The rows after it decide.
    No,
    /// Its copy waits for the append lock.
    Waits,
}

impl Process {
    /// Row 8: a message that is not to be checked yet (`checkPrepareQueueOffset`): an op message speaks of its first copy,
    /// or it goes to the queue's end.
    pub(super) fn put_off(&mut self, check: &mut Check, half: &mut Half, age: Age, turn: &mut Turn<'_>) -> PutOff {
        let half_offset = check.at;
        let Age { age_ms, immunity_ms } = age;
        if let Some(text) = half.properties.get(property::TRAN_PREPARED_QUEUE_OFFSET) {
            let first_offset = java::parse_long(text).unwrap_or(-1);
            if first_offset == -1 {
                return PutOff::No;
            }
            if let Some(op_offset) = check.remove_map.remove(&first_offset) {
                turn.step(TransactionStep::ImmuneDecided { half_offset, first_offset, op_offset });
                check.done.push(op_offset);
                return PutOff::Passed;
            }
        }
        if self.lock_free_us(turn).is_some() {
            return PutOff::Waits;
        }
        let message = half.renewed_for_immunity();
        let Some(new_offset) = self.put_half_again(&message, turn) else { return PutOff::No };
        turn.step(TransactionStep::HalfImmune { half_offset, age_ms, immunity_ms, new_offset });
        self.transactions.note(half, half_offset, Fate::PutOff { new_offset }, turn);
        PutOff::Passed
    }

    /// Puts a copy of a half message to the queue's end; its queue offset if that came to `PUT_OK`.
    fn put_half_again(&mut self, message: &Message, turn: &mut Turn<'_>) -> Option<i64> {
        let result = self.put_own(message, turn);
        turn.step(BrokerStep::PutEnded { status: result.status.name().to_owned() });
        let append = result.append.filter(|_| result.status == PutMessageStatus::PutOk)?;
        Some(append.queue_offset)
    }

    /// Row 6: the message goes where nobody checks it. Whether that can be put makes no difference
    /// (`resolveDiscardMsg`).
    pub(super) fn discard(&mut self, half_offset: i64, half: &Half, turn: &mut Turn<'_>) {
        self.topic_for_retries(DISCARD_TOPIC, 1, 0, turn);
        let result = self.put_own(&half.discarded(), turn);
        turn.step(BrokerStep::PutEnded { status: result.status.name().to_owned() });
        let kept = result.status == PutMessageStatus::PutOk;
        if !kept {
            turn.step(TransactionStep::HalfLost { half_offset });
        }
        self.transactions.note(half, half_offset, Fate::Discarded { kept }, turn);
    }

    /// Row 10: the message goes to the queue's end, and its producer is asked about that copy (`putBackHalfMsgQueue`,
    /// `resolveHalfMsg`).
    pub(super) fn ask(&mut self, check: &mut Check, mut half: Half, turn: &mut Turn<'_>) -> Flow {
        let half_offset = check.at;
        let message = half.renewed();
        let result = self.put_own(&message, turn);
        turn.step(BrokerStep::PutEnded { status: result.status.name().to_owned() });
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

    /// A slow write has the append lock: the copy of the message that the check stands at is put once it is free, as was
    /// decided at `looked_ms`.
    pub(super) fn wait_for_lock(&self, check: &mut Check, looked_ms: i64, turn: &mut Turn<'_>) -> Flow {
        let free_us = self.lock_free_us(turn).unwrap_or_else(|| turn.now_us());
        turn.step(IntakeStep::AppendWaits { ms: free_us.saturating_sub(turn.now_us()) / 1000 });
        check.looked_ms = Some(looked_ms);
        let until_us = free_us.max(turn.now_us().saturating_add(1));
        check.waits = Some(Waits { until_us, refused: None });
        Flow::Waits
    }
}

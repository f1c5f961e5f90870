//! The end of a transaction, as its producer says it (`EndTransactionProcessor`).

use super::{
    Process,
    half::{self, Half},
};
use crate::{
    broker::{answers::Then, send::Refusal},
    message::{property, sys_flag},
    node::{BrokerStep, Caller, Service, TransactionStep, Turn},
    store::PutMessageStatus,
    wire::{EndTransaction, Response, ResponseBody, ResponseCode},
};

/// A commit whose message is put, as far as it must be remembered until its op message is written.
#[derive(Clone, Debug)]
pub(in crate::broker) struct Committed {
    caller: Caller,
    /// Queue offset of the half message.
    half_offset: i64,
    /// Its queue.
    queue_id: i32,
}

impl Process {
    /// A producer says how a transaction ended. It is never looked up whether that was said before: a second commit puts
    /// the message once more.
    pub(in crate::broker) fn end_transaction(
        &mut self,
        caller: &Caller,
        request: &EndTransaction,
        turn: &mut Turn<'_>,
    ) {
        if self.store.is_slave() {
            let remark = "Message store is slave mode, so end transaction is forbidden.".to_owned();
            return refuse_end(caller, (ResponseCode::SlaveNotAvailable, remark), turn);
        }
        let (commit_or_rollback, from_check) = (request.commit_or_rollback, request.from_transaction_check);
        let commit = match commit_or_rollback {
            sys_flag::TRANSACTION_COMMIT => true,
            sys_flag::TRANSACTION_ROLLBACK => false,
            _ => return turn.step(TransactionStep::EndIgnored { commit_or_rollback, from_check }),
        };
        let half = match self.half_to_end(request) {
            Ok(half) => half,
            Err(refusal) => return refuse_end(caller, refusal, turn),
        };
        let Half { queue_offset: half_offset, physical_offset, queue_id, .. } = half;
        turn.step(if commit {
            TransactionStep::CommitTaken { half_offset, physical_offset, from_check }
        } else {
            TransactionStep::RollbackTaken { half_offset, physical_offset, from_check }
        });
        let ended = Committed { caller: caller.clone(), half_offset, queue_id };
        if commit {
            self.put_committed(&half, ended, turn);
        } else {
            self.put_op(&ended, turn);
        }
    }

    /// The half message that a request names, if it is the one that it means (`checkPrepareMessage`).
    fn half_to_end(&self, request: &EndTransaction) -> Result<Half, Refusal> {
        let system_error = |remark: &str| (ResponseCode::SystemError, remark.to_owned());
        let bytes = self.store.look_message_by_offset(request.commit_log_offset);
        let half = bytes.as_ref().and_then(Half::read);
        let half = half.ok_or_else(|| system_error("Find prepared transaction message failed"))?;
        // What Java throws is not caught before the remoting layer.
        let group = half.properties.get(property::PGROUP);
        let group = group.ok_or_else(|| system_error("java.lang.NullPointerException"))?;
        if group != request.producer_group {
            return Err(system_error("The producer group wrong"));
        }
        if half.queue_offset != request.tran_state_table_offset {
            return Err(system_error("The transaction state table offset wrong"));
        }
        if half.physical_offset != request.commit_log_offset {
            return Err(system_error("The commit log offset wrong"));
        }
        Ok(half)
    }

    /// Puts what consumers read. Only once it counts as stored is the half message decided.
    fn put_committed(&mut self, half: &Half, ended: Committed, turn: &mut Turn<'_>) {
        let message = match half.committed() {
            Ok(message) => message,
            Err(thrown) => return refuse_end(&ended.caller, (ResponseCode::SystemError, thrown), turn),
        };
        let result = self.put_own(&message, turn);
        if result.waits() {
            self.wait_for_store(Then::EndTransaction(ended), &result, turn);
        } else {
            self.committed(&ended, result.status, turn);
        }
    }

    /// The put of what consumers read has come to its end, and so has the wait for it: the service goes on.
    pub(in crate::broker) fn commit_waited(&mut self, ended: Committed, status: PutMessageStatus, turn: &mut Turn<'_>) {
        self.transactions.committed.push_back((ended, status));
        turn.wake_for_work(Service::EndTransaction, turn.now_us());
    }

    /// The service goes on with commits that have waited for a flush or a slave.
    pub(in crate::broker) fn go_on_with_commits(&mut self, turn: &mut Turn<'_>) {
        while let Some((ended, status)) = self.transactions.committed.pop_front() {
            self.committed(&ended, status, turn);
        }
    }

    /// `sendFinalMessage`, and what follows from its answer.
    fn committed(&mut self, ended: &Committed, status: PutMessageStatus, turn: &mut Turn<'_>) {
        turn.step(BrokerStep::PutEnded { status: status.name().to_owned() });
        let refusal = match status {
            PutMessageStatus::PutOk
            | PutMessageStatus::FlushDiskTimeout
            | PutMessageStatus::FlushSlaveTimeout
            | PutMessageStatus::SlaveNotAvailable => return self.put_op(ended, turn),
            PutMessageStatus::CreateMappedFileFailed => {
                (ResponseCode::SystemError, "Create mapped file failed.".to_owned())
            }
            PutMessageStatus::MessageIllegal | PutMessageStatus::PropertiesSizeExceeded => {
                let most = self.store.config().max_message_size;
                let remark = format!(
                    "The message is illegal, maybe msg body or properties length not matched. msg body length limit \
                     {most}B, msg properties length limit 32KB."
                );
                (ResponseCode::MessageIllegal, remark)
            }
            PutMessageStatus::ServiceNotAvailable => {
                (ResponseCode::ServiceNotAvailable, "Service not available now.".to_owned())
            }
            PutMessageStatus::OsPageCacheBusy => {
                (ResponseCode::SystemError, "OS page cache busy, please try another machine".to_owned())
            }
            PutMessageStatus::UnknownError => (ResponseCode::SystemError, "UNKNOWN_ERROR".to_owned()),
        };
        refuse_end(&ended.caller, refusal, turn);
    }

    /// Says in the op queue that a half message is decided (`deletePrepareMessage`). Whether that can be put makes no
    /// difference to the answer.
    fn put_op(&mut self, ended: &Committed, turn: &mut Turn<'_>) {
        let Committed { caller, half_offset, queue_id } = ended;
        let message = half::op(*half_offset, *queue_id, self.store_host, turn.wall_ms());
        let result = self.put_own(&message, turn);
        turn.step(BrokerStep::PutEnded { status: result.status.name().to_owned() });
        turn.step(match result.append.filter(|_| result.status == PutMessageStatus::PutOk) {
            Some(append) => TransactionStep::OpWritten { half_offset: *half_offset, op_offset: append.queue_offset },
            None => TransactionStep::OpLost { half_offset: *half_offset },
        });
        turn.reply(caller, Response::success(ResponseBody::None));
    }
}

fn refuse_end(caller: &Caller, (code, remark): Refusal, turn: &mut Turn<'_>) {
    turn.step(BrokerStep::Refused { code, remark: remark.clone() });
    turn.reply(caller, Response::failure(code, remark));
}

//! Asking a producer (`AbstractTransactionalMessageCheckListener.sendCheckMessage`), and checking anew what was given up.

use super::{Process, half::Half};
use crate::{
    message::{OffsetMsgId, property},
    node::{BrokerStep, TransactionStep, Turn},
    store::PutMessageStatus,
    wire::{CheckTransactionState, Request, Response, ResponseBody, ResponseCode, ResumeCheckHalfMessage},
};

impl Process {
    /// Asks a producer of the half message's group, on its own connection; its name. `None`: there is none, or the message
    /// does not say where it belongs. It counts as asked all the same.
    pub(super) fn ask_producer(&mut self, half: &Half, offset_msg_id: String, turn: &mut Turn<'_>) -> Option<String> {
        let group = half.properties.get(property::PGROUP).unwrap_or_default();
        let Some(body) = half.question() else {
            turn.step(TransactionStep::HalfMalformed { half_offset: half.queue_offset });
            return None;
        };
        let Some((conn, name)) = self.clients.available_producer(group) else {
            turn.step(TransactionStep::ProducerMissing { group: group.to_owned() });
            return None;
        };
        let uniq_key = half.properties.get(property::UNIQ_KEY).map(str::to_owned);
        let request = CheckTransactionState {
            tran_state_table_offset: half.queue_offset,
            commit_log_offset: half.physical_offset,
            msg_id: uniq_key.clone(),
            transaction_id: uniq_key,
            offset_msg_id,
            body,
        };
        turn.notify(conn, &name, Request::CheckTransactionState(Box::new(request)));
        Some(name)
    }

    /// An administrator has a message go back to the half queue, its checks counted anew
    /// (`AdminBrokerProcessor.resumeCheckHalfMessage`). Which message that is nobody looks at.
    pub(in crate::broker) fn resume_check(&mut self, ask: &ResumeCheckHalfMessage, turn: &mut Turn<'_>) -> Response {
        let failed = |remark: &str| Response::failure(ResponseCode::SystemError, remark);
        let id: Option<OffsetMsgId> = ask.msg_id.parse().ok();
        let bytes = id.and_then(|id| self.store.select_one_message(id.physical_offset));
        let half = bytes.as_ref().and_then(Half::read);
        let physical_offset = half.as_ref().map(|half| half.physical_offset);
        let (Some(message), Some(physical_offset)) = (half.and_then(Half::resumed), physical_offset) else {
            return failed("Exception was thrown when putting message back to RMQ_SYS_TRANS_HALF_TOPIC.");
        };
        let result = self.put_own(&message, turn);
        turn.step(BrokerStep::PutEnded { status: result.status.name().to_owned() });
        match result.append.filter(|_| result.status == PutMessageStatus::PutOk) {
            Some(append) => {
                turn.step(TransactionStep::CheckResumed { physical_offset, half_offset: append.queue_offset });
                Response::success(ResponseBody::None)
            }
            None => failed("Put message back to RMQ_SYS_TRANS_HALF_TOPIC failed."),
        }
    }
}

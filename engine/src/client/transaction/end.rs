//! `END_TRANSACTION`: what the broker is told of a half message, one-way (`DefaultMQProducerImpl.endTransaction`,
//! `MQClientAPIImpl.endTransactionOneway`).

use super::{
    super::{Client, Waiting},
    HalfMessage, LocalTransactionState,
};
use crate::{
    node::{Answer, ProducerStep, Service, Turn},
    wire::{EndTransaction, Request},
};

/// The news that there is no connection comes within this time, microseconds.
const NEWS_US: i64 = 4_000_000;

/// What an `END_TRANSACTION` belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum EndOf {
    /// A transactional send.
    Transaction(u64),
    /// A broker's question.
    Check,
    /// The application's own call.
    Hand,
}

impl Client {
    /// The application ends a transaction by a call of its own: once more, or late.
    pub fn end_by_hand(&mut self, half: &HalfMessage, state: LocalTransactionState, turn: &mut Turn<'_>) {
        self.end_transaction(half, state, EndOf::Hand, turn);
    }

    /// Tells the master of the queue's broker. Where no address of it is known any more, the request goes to the NameServer
    /// in use, which does not know it (`NettyRemotingClient.getAndCreateChannel` of null).
    pub(super) fn end_transaction(
        &mut self,
        half: &HalfMessage,
        state: LocalTransactionState,
        end: EndOf,
        turn: &mut Turn<'_>,
    ) {
        let master = self.routes.master(&half.broker_name).map(str::to_owned);
        let addr = master.or_else(|| self.name_server().map(str::to_owned)).unwrap_or_else(|| "null".to_owned());
        let header = EndTransaction {
            producer_group: self.group().to_owned(),
            tran_state_table_offset: half.queue_offset,
            commit_log_offset: half.commit_log_offset,
            commit_or_rollback: state.commit_or_rollback(),
            from_transaction_check: false,
            msg_id: half.msg_id.clone(),
            // Brokers of 4.9.8 leave it out of their answers to sends.
            transaction_id: None,
        };
        self.say_end(&addr, header, state, end, turn);
    }

    pub(super) fn say_end(
        &mut self,
        addr: &str,
        header: EndTransaction,
        state: LocalTransactionState,
        end: EndOf,
        turn: &mut Turn<'_>,
    ) {
        turn.step(ProducerStep::TransactionEndSent {
            state: state.name().to_owned(),
            physical_offset: header.commit_log_offset,
            queue_offset: header.tran_state_table_offset,
        });
        let service = match end {
            EndOf::Transaction(_) => Service::LocalTransaction,
            EndOf::Check => Service::CheckListener,
            EndOf::Hand => Service::Api,
        };
        let now_us = turn.now_us();
        let late = |began_us: &i64| now_us - *began_us > NEWS_US;
        self.calls.retain(|_, waiting| !matches!(waiting, Waiting::EndTransaction { began_us, .. } if late(began_us)));
        let call = turn.oneway(service, addr, Request::EndTransaction(header));
        self.calls.insert(call, Waiting::EndTransaction { end, began_us: now_us });
    }

    /// There was no connection for it. 4.9.8 writes that into its log; whoever waits for the end of the transaction has
    /// to ask.
    pub(in super::super) fn end_failed(&mut self, end: EndOf, answer: Answer, turn: &mut Turn<'_>) {
        let Err(error) = answer.result else { return };
        let cause = error.to_string();
        turn.step(ProducerStep::TransactionEndFailed { cause: cause.clone() });
        if let EndOf::Transaction(number) = end
            && let Some(outcome) = self.transaction_mut(number)
        {
            outcome.end_error = Some(cause);
        }
    }
}

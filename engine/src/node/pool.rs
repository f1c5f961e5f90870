//! Thread pools of a broker, and the queues in front of them.

use crate::wire::Request;

/// A thread pool with a queue that is limited or looked after (`BrokerController`'s executors). Each is a lane here, or a
/// part of one; what waits in the lane is its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pool {
    /// `sendMessageExecutor`: messages that come in, from producers and back from consumers.
    Send,
    /// `pullMessageExecutor`.
    Pull,
    /// `heartbeatExecutor`.
    Heartbeat,
    /// `endTransactionExecutor`.
    EndTransaction,
    /// `queryMessageExecutor`.
    Query,
    /// `clientManageExecutor`.
    ClientManage,
}

impl Pool {
    /// Those whose queues are cleared of what has waited too long, in the order in which that is done
    /// (`BrokerFastFailure.cleanExpiredRequest`).
    pub const CLEARED: [Self; 4] = [Self::Send, Self::Pull, Self::Heartbeat, Self::EndTransaction];

    /// The pool that takes a request; `None`: one whose queue has no limit.
    pub const fn of(request: &Request) -> Option<Self> {
        match request {
            Request::SendMessage(_)
            | Request::SendMessageV2(_)
            | Request::SendBatchMessage(_)
            | Request::ConsumerSendMsgBack(_) => Some(Self::Send),
            Request::PullMessage(_) => Some(Self::Pull),
            Request::HeartBeat(_) => Some(Self::Heartbeat),
            Request::EndTransaction(_) => Some(Self::EndTransaction),
            Request::QueryMessage(_) | Request::ViewMessageById(_) => Some(Self::Query),
            Request::UnregisterClient(_) | Request::CheckClientConfig(_) => Some(Self::ClientManage),
            _ => None,
        }
    }
}

/// When a request that waits is going to be answered in the processor's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clearing {
    /// When, microseconds.
    pub at_us: i64,
    /// Why.
    pub reason: ClearingReason,
}

/// Why a request is answered in the processor's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClearingReason {
    /// The append lock has been held too long: the whole queue of senders is let go.
    PageCacheBusy,
    /// It has waited too long.
    TimedOut,
}

/// A request that has been taken out of a queue to be answered at once.
#[derive(Clone, Debug)]
pub struct Cleared {
    /// Who waits for the answer.
    pub caller: super::Caller,
    /// What was asked for.
    pub code: crate::wire::RequestCode,
    /// Why.
    pub reason: ClearingReason,
    /// How long it had waited, milliseconds.
    pub waited_ms: i64,
    /// How many are still in the queue.
    pub left: usize,
}

//! What a pull asks of the messages that it wants.

use crate::message::{Properties, record::Dispatch};

use super::consume_queue_ext::ExtUnit;

/// A consumer's filter (`MessageFilter`). It is asked twice: by what the ConsumeQueue holds, and then, if it wants to
/// see them, by the properties in the commit log.
pub trait MessageFilter {
    /// Whether the message may match, by its tags code and, if there is one, its entry in the ConsumeQueueExt. The code
    /// is absent where it should be in the ConsumeQueueExt and is not.
    fn by_consume_queue(&self, tags_code: Option<i64>, ext: Option<&ExtUnit>) -> bool;

    /// Whether [`MessageFilter::by_commit_log`] must be asked, so that records need be read only for those who look.
    fn looks_into_commit_log(&self) -> bool {
        false
    }

    /// Whether the message matches by its properties.
    fn by_commit_log(&self, _properties: &Properties) -> bool {
        true
    }
}

/// Works out for whom a message is, as it is dispatched (`CommitLogDispatcherCalcBitMap`). The bits stand in its entry of
/// the ConsumeQueueExt.
pub trait BitMapCalculator: std::fmt::Debug + Send + Sync {
    /// The bit map of a message; `None`: it gets none.
    fn bit_map(&self, record: &Dispatch<'_>) -> Option<Vec<u8>>;
}

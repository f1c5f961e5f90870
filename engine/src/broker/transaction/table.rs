//! What a check makes of a half message that the op queue says nothing of: everything that follows from the message and
//! the moment alone.

use super::half::Half;
use crate::message::{java, property};

/// The moment of a look, and what the broker is set to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// When the check of this queue began, milliseconds since the epoch.
    pub(super) start_ms: i64,
    /// Now, milliseconds since the epoch.
    pub(super) now_ms: i64,
    /// `transactionTimeOut`, milliseconds.
    pub(super) timeout_ms: i64,
    /// `transactionCheckMax`.
    pub(super) check_max: i32,
    /// `fileReservedTime` in milliseconds.
    pub(super) reserved_ms: i64,
    /// When the last of the op messages was made that the latest pull found; `None`: it found none.
    pub(super) last_op_born_ms: Option<i64>,
}

/// What is to be done with a half message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Row 6: its fate was asked for often enough.
    AskedTooOften,
    /// Row 6: it is older than the store keeps messages.
    TooOld,
    /// Row 7: it was stored after the check began.
    Fresh,
    /// Row 8: it says itself that it is not to be checked yet. If it cannot be put off, [`decide`] says what follows.
    Immune,
    /// Row 9: it is too young to be checked.
    Young,
    /// Row 10: its producer is asked.
    Ask,
    /// Row 11: more op messages may speak of it.
    MoreOps,
}

/// Age and immunity of a half message, milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Age {
    /// Since its producer made it, by the producer's clock; below 0 if that is ahead.
    pub(super) age_ms: i64,
    /// How long it is not checked: what it says itself, or `transactionTimeOut`.
    pub(super) immunity_ms: i64,
}

/// Rows 6 to 11 (`needDiscard`, `needSkip`, and what follows them in `check`). The half message counts this look among its
/// `TRANSACTION_CHECK_TIMES` unless it was asked for often enough; only what puts it back makes that last.
pub(super) fn judge(half: &mut Half, look: &Look) -> (Verdict, Age) {
    let own = half.properties.get(property::CHECK_IMMUNITY_TIME_IN_SECONDS).map(|text| immunity_ms(text, look));
    let age =
        Age { age_ms: look.now_ms.wrapping_sub(half.born_timestamp), immunity_ms: own.unwrap_or(look.timeout_ms) };
    let verdict = if !count_check(half, look.check_max) {
        Verdict::AskedTooOften
    } else if age.age_ms > look.reserved_ms {
        Verdict::TooOld
    } else if half.store_timestamp >= look.start_ms {
        Verdict::Fresh
    } else if own.is_some() && age.age_ms < age.immunity_ms {
        Verdict::Immune
    } else if own.is_none() && (0..age.immunity_ms).contains(&age.age_ms) {
        Verdict::Young
    } else {
        decide(age, look)
    };
    (verdict, age)
}

/// Rows 10 and 11: whether the op queue is known far enough to ask.
pub(super) fn decide(Age { age_ms, immunity_ms }: Age, look: &Look) -> Verdict {
    let known_enough = look
        .last_op_born_ms
        .map_or(age_ms > immunity_ms, |born_ms| born_ms.wrapping_sub(look.start_ms) > look.timeout_ms);
    if known_enough || age_ms <= -1 { Verdict::Ask } else { Verdict::MoreOps }
}

/// `getImmunityTime`: seconds; -1, or what is no number, is `transactionTimeOut`.
fn immunity_ms(text: &str, look: &Look) -> i64 {
    match java::parse_long(text).unwrap_or(-1) {
        -1 => look.timeout_ms,
        seconds => seconds.wrapping_mul(1000),
    }
}

/// Counts a check; `false` if there have been enough (`needDiscard`). A count that is no number is -1.
fn count_check(half: &mut Half, check_max: i32) -> bool {
    let times = match half.properties.get(property::TRANSACTION_CHECK_TIMES) {
        None => 1,
        Some(text) => match java::parse_int(text).unwrap_or(-1) {
            times if times >= check_max => return false,
            times => times.wrapping_add(1),
        },
    };
    half.properties.put(property::TRANSACTION_CHECK_TIMES, times.to_string());
    true
}

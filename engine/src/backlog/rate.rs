//! The model's units. `u128` throughout: the largest amount, a rate times a week, stays below 10^36.

/// A rate: 10^-9 messages per second, which is 10^-15 of a message per microsecond.
pub(super) type Rate = u128;

/// An amount: 10^-15 of a message.
pub(super) type Amount = u128;

/// One message.
pub(super) const MESSAGE: Amount = 1_000_000_000_000_000;

/// One message per second.
pub(super) const PER_S: Rate = 1_000_000_000;

/// Microseconds of a second.
pub(super) const SECOND_US: u64 = 1_000_000;

/// More than anything in the model can do.
pub(super) const UNBOUNDED: Rate = 1_000_000_000_000_000_000_000_000;

/// So many messages every so many microseconds.
pub(super) fn per_us(messages: u64, us: u64) -> Rate {
    (u128::from(messages) * MESSAGE).checked_div(u128::from(us)).unwrap_or(UNBOUNDED)
}

/// Thousandths of a message per second, rounded.
pub(super) fn milli(rate: Rate) -> u64 {
    u64::try_from((rate + PER_S / 2000) / (PER_S / 1000)).unwrap_or(u64::MAX)
}

/// Whole messages, rounded.
pub(super) fn messages(amount: Amount) -> u64 {
    u64::try_from((amount + MESSAGE / 2) / MESSAGE).unwrap_or(u64::MAX)
}

/// Milliseconds, rounded.
pub(super) fn millis(us: u64) -> u64 {
    us.saturating_add(500) / 1000
}

/// How long an amount takes at a rate, in microseconds, rounded up.
pub(super) fn time_us(amount: Amount, rate: Rate) -> Option<u64> {
    if rate == 0 { None } else { u64::try_from(amount.div_ceil(rate)).ok() }
}

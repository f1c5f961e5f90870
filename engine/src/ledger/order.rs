//! Whether messages that belong together were consumed in the order in which they were sent.
//!
//! One belongs behind another if its send began after the other's had ended: what an application sends without waiting is
//! in no order. It came out of turn if a listener was called with it before the group was done with the other.

use std::collections::BTreeMap;

use super::{
    Account, Finding, Rule, Verdict,
    deliveries::{Group, Handed},
    sends::{Send, SendState},
};
use crate::broker::RETRY_PREFIX;

/// A message that a group was handed, or is still to be handed.
#[derive(Clone, Copy)]
struct Turn {
    /// Its place among the accounts.
    at: usize,
    began_us: i64,
    ended_us: i64,
    /// When a listener was called with it for the first time, microseconds.
    first_us: i64,
    /// When the group was done with it, microseconds.
    done_us: i64,
}

/// Finds what a group was not done with when a later message was handed out.
pub(super) fn judge(group: &Group<'_>, sends: &[Send<'_>], accounts: &mut [Account]) {
    let mut series: BTreeMap<(&str, String), Vec<Turn>> = BTreeMap::new();
    for (at, send) in sends.iter().enumerate() {
        let handed = send.handed(group);
        let Some(first) = handed.first().filter(|_| send.state == SendState::Told) else { continue };
        let Some(series_key) = series_of(group, send, first) else { continue };
        let done = handed.iter().filter(|handed| handed.is_consumed()).filter_map(|handed| handed.delivery.ended_us);
        series.entry((&send.outcome.topic, series_key)).or_default().push(Turn {
            at,
            began_us: send.outcome.began_us,
            ended_us: send.outcome.ended_us,
            first_us: first.delivery.began_us,
            done_us: done.min().unwrap_or(i64::MAX),
        });
    }
    for turns in series.values_mut() {
        for (late, early) in out_of_turn(turns) {
            let (Some(late_send), Some(early_send)) = (sends.get(late), sends.get(early)) else { continue };
            let why = why(group, late_send, early_send);
            let Some(account) = accounts.get_mut(late) else { continue };
            // A message that the group never was done with is judged by that.
            if account.findings.iter().any(|finding| finding.verdict == Verdict::Lost) {
                continue;
            }
            let finding = Finding::of(Verdict::OutOfOrder, why).in_group(group.name);
            account.findings.push(Finding { other: Some(early), ..finding });
            let consumer = group.consumer;
            let mut of_group = account.groups.iter_mut();
            if let Some(has) = of_group.find(|has| has.group == group.name && has.consumer.as_deref() == consumer) {
                has.in_order = false;
            }
        }
    }
}

/// What a message belongs to.
fn series_of(group: &Group<'_>, send: &Send<'_>, first: &Handed<'_>) -> Option<String> {
    if let Some(keys) = send.keys() {
        return Some(format!("key {keys}"));
    }
    let queue = &first.delivery.queue;
    group.is_orderly().then(|| format!("queue {} {} {}", queue.topic, queue.broker_name, queue.queue_id))
}

/// The messages that were not done with when a later one was handed out, each with the first of those.
fn out_of_turn(turns: &mut [Turn]) -> Vec<(usize, usize)> {
    turns.sort_by_key(|turn| turn.began_us);
    // From each place on, the one that was handed out first.
    let mut firsts: Vec<(i64, usize)> = Vec::with_capacity(turns.len());
    let mut first = (i64::MAX, usize::MAX);
    for turn in turns.iter().rev() {
        first = first.min((turn.first_us, turn.at));
        firsts.push(first);
    }
    firsts.reverse();
    let mut found = Vec::new();
    for turn in turns.iter() {
        let later = turns.partition_point(|other| other.began_us < turn.ended_us);
        if let Some((first_us, early)) = firsts.get(later)
            && *first_us < turn.done_us
            && *early != turn.at
        {
            found.push((turn.at, *early));
        }
    }
    found
}

fn why(group: &Group<'_>, late: &Send<'_>, early: &Send<'_>) -> Rule {
    let (late, early) = (late.handed(group), early.handed(group));
    let (Some(first), Some(overtook)) = (late.first(), early.first()) else { return Rule::StoredLater };
    let had_it = |handed: &Handed<'_>| {
        handed.member == overtook.member && handed.delivery.began_us <= overtook.delivery.began_us
    };
    let retried = late.iter().any(|handed| handed.delivery.queue.topic.starts_with(RETRY_PREFIX));
    if retried || first.is_refused() && !group.is_orderly() {
        Rule::RetryTopic
    } else if first.delivery.queue != overtook.delivery.queue {
        Rule::DifferentQueues
    } else if first.message.queue_offset > overtook.message.queue_offset {
        Rule::StoredLater
    } else if !group.is_orderly() && late.iter().any(had_it) {
        Rule::ConcurrentListener
    } else {
        Rule::QueueMoved
    }
}

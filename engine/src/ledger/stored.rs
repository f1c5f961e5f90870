//! What was told against what is stored.

use super::{
    Account, Finding, Rule, Verdict,
    copies::{CopyState, Found, Log, Logs},
    repeats,
    sends::{Send, SendState},
};
use crate::{
    client::LocalTransactionState,
    message::{
        delay::SCHEDULE_TOPIC,
        transaction::{DISCARD_TOPIC, HALF_TOPIC},
    },
    sim::{Ending, LifeEnd, World},
    store::FlushDiskType,
};

/// Judges what a producer was told of a message by what is stored of it.
pub(super) fn judge(world: &World, logs: &Logs, send: &Send<'_>, account: &mut Account) {
    if send.found.is_empty() {
        account.findings.extend(nothing_stored(world, logs, send));
        return;
    }
    let originals: Vec<&Found> = send.originals().collect();
    let visible = originals.iter().filter(|found| found.copy.state == CopyState::Visible).count();
    if visible > 1 {
        let rule = repeats::stored_twice(send);
        account.findings.push(Finding::of(Verdict::Duplicated, rule));
    }
    if visible == 0 {
        account.findings.extend(unseen(world, logs, send, &originals));
    }
    let told = send.is_acknowledged() || send.is_oneway();
    if account.findings.is_empty() && !told {
        let finding = match send.state {
            SendState::UnderWay => Finding::of(Verdict::Open, Rule::SendUnderWay),
            SendState::Told => Finding::of(Verdict::ExactlyRight, Rule::FailureToldButStored),
            SendState::Untold => Finding::of(Verdict::ExactlyRight, Rule::UntoldButStored),
        };
        account.findings.push(finding);
    }
}

fn nothing_stored(world: &World, logs: &Logs, send: &Send<'_>) -> Option<Finding> {
    if send.state == SendState::UnderWay {
        return Some(Finding::of(Verdict::Open, Rule::SendUnderWay));
    }
    if send.is_oneway() && send.outcome.error.is_none() {
        let open = !world.at_rest();
        let (verdict, why) = if open { (Verdict::Open, Rule::SendUnderWay) } else { (Verdict::Lost, Rule::OnewayLost) };
        return Some(Finding::of(verdict, why));
    }
    if !send.is_acknowledged() {
        let why =
            if send.state == SendState::Untold { Rule::UntoldNothingStored } else { Rule::FailureToldNothingStored };
        return Some(Finding::of(Verdict::ExactlyRight, why));
    }
    let broker = send.outcome.broker_name.as_deref().unwrap_or_default();
    let log = logs.master(broker).or_else(|| logs.all.iter().find(|log| log.node == broker))?;
    let why = send.place.map_or(Rule::BytesGone, |place| why_lost(world, log, send, place));
    Some(Finding::of(Verdict::Lost, why).at(&log.node))
}

/// Which process of the broker took the record at `place` away, and how.
fn why_lost(world: &World, log: &Log, send: &Send<'_>, place: i64) -> Rule {
    let lives = world.lives(&log.node);
    // Whether a process has begun with the record in the page cache alone, and took it for flushed.
    let mut taken_over = false;
    for (at, life) in lives.iter().enumerate() {
        let Some(end) = life.end.filter(|end| end.at_us >= send.outcome.began_us) else { continue };
        if end.log.is_some_and(|state| state.begin > place) {
            return Rule::Cleaned;
        }
        let Some(next) = lives.get(at.saturating_add(1)).map_or(log.found, |next| next.log) else { continue };
        if next.begin > place {
            return Rule::BytesGone;
        }
        let flushed = end.log.is_none_or(|state| state.flushed > place);
        let committed = end.log.is_none_or(|state| state.committed > place);
        if next.end > place {
            taken_over |= end.how != Ending::PowerLost && !flushed;
            continue;
        }
        return match end.how {
            _ if !committed => Rule::InPoolAtEnd,
            Ending::PowerLost if !flushed => not_flushed(world, log, send),
            Ending::PowerLost if taken_over => Rule::TakenForFlushed,
            _ if next.damaged => Rule::BehindDamagedRecord,
            Ending::PowerLost => Rule::FlushRefused,
            Ending::Killed | Ending::Stopped => Rule::BytesGone,
        };
    }
    if log.up && log.found.is_some_and(|found| found.begin > place) { Rule::Cleaned } else { Rule::BytesGone }
}

fn not_flushed(world: &World, log: &Log, send: &Send<'_>) -> Rule {
    let config = world.broker(&log.node).map(crate::broker::Broker::store_config);
    let flushes_first = config.is_some_and(|config| config.flush_disk_type == FlushDiskType::SyncFlush);
    match (flushes_first, send.outcome.waits) {
        (false, _) => Rule::UnflushedAtPowerLoss,
        (true, false) => Rule::ProducerDidNotWait,
        (true, true) => Rule::AnsweredBeforeFlush,
    }
}

/// Why no consumer can see a message that is stored.
fn unseen(world: &World, logs: &Logs, send: &Send<'_>, originals: &[&Found]) -> Option<Finding> {
    if let Some(found) = originals.first() {
        return Some(not_dispatched(world, logs, send, found));
    }
    let waiting: Vec<&Found> = send.bound_for(&send.outcome.topic).collect();
    if let Some(found) = waiting.iter().find(|found| found.copy.topic == SCHEDULE_TOPIC) {
        return Some(match found.copy.state {
            CopyState::Waiting => Finding::of(Verdict::Open, Rule::DelayNotOver),
            CopyState::NotDispatched => not_dispatched(world, logs, send, found),
            CopyState::Visible | CopyState::Over => Finding::of(Verdict::Lost, Rule::DelayProgressAhead),
        });
    }
    let half = waiting.iter().rfind(|found| found.copy.topic == HALF_TOPIC);
    let half = half.copied().or_else(|| send.of_topic(HALF_TOPIC).last());
    let discarded = send.of_topic(DISCARD_TOPIC).next().is_some();
    if let Some(found) = half.filter(|_| !discarded) {
        match found.copy.state {
            CopyState::Waiting => return Some(Finding::of(Verdict::Open, Rule::HalfUndecided)),
            CopyState::NotDispatched => return Some(not_dispatched(world, logs, send, found)),
            CopyState::Visible | CopyState::Over => {}
        }
    }
    if half.is_some() || discarded {
        return Some(decided(send, discarded));
    }
    // On a slave alone: the master has lost it.
    let found = send.found.first()?;
    let master = logs.master(&found.broker_name)?;
    let place = found.copy.physical_offset;
    let verdict = if send.is_acknowledged() { Verdict::Lost } else { Verdict::ExactlyRight };
    let why = if master.up || master.found.is_some_and(|found| found.end > 0) {
        why_lost(world, master, send, place)
    } else {
        Rule::BrokerDown
    };
    Some(Finding::of(verdict, why).at(&master.node))
}

/// A half message that is not to come any more. Of a local transaction that came to `UNKNOW` what was done stays done.
fn decided(send: &Send<'_>, discarded: bool) -> Finding {
    let local = send.transaction.and_then(|transaction| transaction.local);
    match local.map(crate::client::ListenerResult::state) {
        Some(LocalTransactionState::Commit) => Finding::of(Verdict::Lost, Rule::HalfDiscarded),
        Some(LocalTransactionState::Unknown) if discarded => Finding::of(Verdict::Lost, Rule::HalfDiscarded),
        _ => Finding::of(Verdict::ExactlyRight, Rule::RolledBack),
    }
}

/// A record whose queue has no unit for it.
fn not_dispatched(world: &World, logs: &Logs, send: &Send<'_>, found: &Found) -> Finding {
    let node = &found.copy.broker;
    let place = found.copy.physical_offset;
    let log = logs.all.iter().find(|log| log.node == *node);
    if log.is_none_or(|log| log.dispatched <= place) {
        return Finding::of(Verdict::Open, Rule::NotDispatchedYet).at(node);
    }
    let ends = world.lives(node).iter().filter_map(|life| life.end);
    let ends: Vec<LifeEnd> = ends.filter(|end| end.at_us >= send.outcome.began_us).collect();
    let had_unit = |end: &LifeEnd| end.log.is_none_or(|state| state.dispatched > place);
    let why = match ends.last().map(|end| end.how) {
        None => Rule::UnitNotWritten,
        Some(_) if ends.iter().any(|end| end.how == Ending::PowerLost && had_unit(end)) => Rule::QueueBehindLog,
        Some(Ending::Stopped) => Rule::QueueNotRebuilt,
        Some(Ending::Killed | Ending::PowerLost) => Rule::RecoveryBeganLater,
    };
    Finding::of(Verdict::Lost, why).at(node)
}

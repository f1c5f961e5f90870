//! What a group has had of a message.

use super::{
    Account, Finding, GroupDeliveries, Rule, Verdict,
    copies::{CopyState, Found, Logs},
    deliveries::{Group, Handed},
    effects, repeats,
    sends::Send,
};
use crate::{
    broker::{DLQ_PREFIX, RETRY_PREFIX},
    client::{PullQueue, consumer::DeliveryFate},
    sim::World,
};

/// Where a group is with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// Before it, or at it.
    NotYet(Rule),
    /// Beyond it.
    Passed,
}

/// Judges what a group has had of a message.
pub(super) fn judge<'w>(world: &'w World, logs: &Logs, group: &Group<'w>, send: &Send<'_>, account: &mut Account) {
    let Some(id) = send.id.as_deref() else { return };
    let handed = send.handed(group);
    let handed = handed.as_slice();
    let received = group.received(id);
    let visible = send.originals().find(|found| found.copy.state == CopyState::Visible);
    let wanted = visible
        .is_some_and(|found| group.wants(&send.outcome.topic, found.tags.as_deref(), found.properties.as_deref()));
    if handed.is_empty() && received == 0 && !wanted {
        return;
    }
    let count = |wanted: &dyn Fn(&Handed<'_>) -> bool| number(handed.iter().filter(|one| wanted(one)).count());
    let mut has = GroupDeliveries {
        group: group.name.to_owned(),
        consumer: group.consumer.map(str::to_owned),
        delivered: received.saturating_add(number(handed.len())),
        consumed: count(&|one| one.is_consumed()),
        refused: count(&|one| one.is_refused()),
        effects: None,
        in_order: true,
    };
    let committed = effects::of(world, group, handed, &mut account.effects);
    has.effects = group.has_business().then(|| number(committed.len()));
    let case = Case { world, logs, group, send, handed };
    let finding = case.repeated(&has, &committed).or_else(|| case.missed(&has, visible));
    account.findings.extend(finding.map(|finding| finding.in_group(group.name)));
    account.groups.push(has);
}

/// What was cleaned away is lost to those alone who were not done with it: where every group that subscribes the topic was,
/// and there is one, nothing is wrong.
pub(super) fn settle_cleaned(groups: &[Group<'_>], account: &mut Account) {
    let Account { topic, groups: had, findings, .. } = account;
    let is_done = |group: &Group<'_>| {
        let of_group = |has: &&GroupDeliveries| has.group == group.name && has.consumer.as_deref() == group.consumer;
        had.iter().find(of_group).is_some_and(|has| has.consumed > 0)
    };
    let mut subscribers = groups.iter().filter(|group| group.subscribes(topic)).peekable();
    if subscribers.peek().is_some() && subscribers.all(is_done) {
        for finding in findings.iter_mut().filter(|finding| finding.why == Rule::Cleaned) {
            finding.verdict = Verdict::ExactlyRight;
        }
    }
}

struct Case<'c, 'w> {
    world: &'w World,
    logs: &'c Logs,
    group: &'c Group<'w>,
    send: &'c Send<'c>,
    handed: &'c [Handed<'w>],
}

impl<'w> Case<'_, 'w> {
    /// Whether the group has had it twice. Where listeners change rows, it is the changes that count; else every call
    /// whose listener did not itself say that it is not done.
    fn repeated(&self, has: &GroupDeliveries, committed: &[&Handed<'w>]) -> Option<Finding> {
        let why =
            |first: &Handed<'w>, second: &Handed<'w>| repeats::why(self.world, self.group, self.send, first, second);
        if let [first, second, ..] = committed {
            return Some(Finding::of(Verdict::Duplicated, why(first, second)));
        }
        let mut kept = self.handed.iter().filter(|handed| !handed.is_refused());
        let (Some(first), Some(second)) = (kept.next(), kept.next()) else { return None };
        match has.effects {
            Some(1) => {
                let changed = committed.first().map(|one| one.delivery.began_us);
                let last = self.handed.last().map(|last| last.delivery.began_us);
                let why = if changed == last { Rule::FirstTimeUndone } else { Rule::RepeatRecognised };
                Some(Finding::of(Verdict::ExactlyRight, why))
            }
            Some(0) => None,
            _ => Some(Finding::of(Verdict::Duplicated, why(first, second))),
        }
    }

    /// Whether the group is not through with it, or will never be.
    fn missed(&self, has: &GroupDeliveries, visible: Option<&Found>) -> Option<Finding> {
        if has.consumed > 0 {
            let skipped = has.effects == Some(0);
            return skipped.then(|| effects::why_none(self.world, self.group, self.handed)).flatten();
        }
        // Consumers that pull when told to are done with what they have received.
        if self.group.members.is_empty() {
            return None;
        }
        if self.handed.iter().any(Handed::is_running) {
            return Some(Finding::of(Verdict::Open, Rule::InHand));
        }
        let retry = format!("{RETRY_PREFIX}{}", self.group.name);
        if self.send.of_topic(&format!("{DLQ_PREFIX}{}", self.group.name)).next().is_some() {
            return Some(Finding::of(Verdict::Lost, Rule::DeadLetter));
        }
        let waits = |found: &Found| matches!(found.copy.state, CopyState::Waiting | CopyState::NotDispatched);
        if self.send.bound_for(&retry).any(waits) {
            return Some(Finding::of(Verdict::Open, Rule::RetryToCome));
        }
        let newest = self.send.of_topic(&retry).last();
        let found = newest.or(visible)?;
        match self.position(found) {
            Position::NotYet(_) if newest.is_some() => Some(Finding::of(Verdict::Open, Rule::RetryToCome)),
            Position::NotYet(why) => Some(Finding::of(Verdict::Open, why)),
            Position::Passed => Some(Finding::of(Verdict::Lost, self.why_passed(found))),
        }
    }

    fn position(&self, found: &Found) -> Position {
        let queue = queue_of(found);
        let offset = found.copy.queue_offset;
        let in_log = self.logs.master(&found.broker_name).is_some_and(|log| log.up);
        if let Some(own) = self.group.owner(&queue) {
            let in_hand = own.process_queue();
            return if in_hand.waiting().contains_key(&offset) || in_hand.taken().contains_key(&offset) {
                Position::NotYet(Rule::InHand)
            } else if own.next_offset() > offset {
                Position::Passed
            } else {
                Position::NotYet(if in_log { Rule::NotConsumedYet } else { Rule::BrokerDown })
            };
        }
        if !in_log {
            return Position::NotYet(Rule::BrokerDown);
        }
        let process = self.world.broker(&found.copy.broker).and_then(|broker| broker.process());
        let kept = process.and_then(|process| process.offsets().query(self.group.name, &queue.topic, queue.queue_id));
        match kept.filter(|_| self.group.consumer.is_none()) {
            Some(kept) if kept > offset => Position::Passed,
            _ => Position::NotYet(Rule::NotConsumedYet),
        }
    }

    /// Why a group has gone by a message that it never consumed.
    fn why_passed(&self, found: &Found) -> Rule {
        if let Some(last) = self.handed.last() {
            return match last.delivery.fate {
                DeliveryFate::Crashed => Rule::OffsetBeforeProcessing,
                _ if self.group.consumer.is_some() => Rule::RefusedInBroadcast,
                _ => Rule::RefusedAndNotKept,
            };
        }
        let (queue, offset, sent_us) = (queue_of(found), found.copy.queue_offset, self.send.outcome.began_us);
        let members = self.group.members.iter();
        let first = members.filter_map(|member| member.push.begun_at().get(&queue)).min_by_key(|begun| begun.at_us);
        let first = first.filter(|first| first.at_us >= sent_us && first.from != "storedOffset");
        if first.is_some_and(|first| first.offset > offset) {
            return Rule::BeganBehindIt;
        }
        let (tags, properties) = (found.tags.as_deref(), found.properties.as_deref());
        if !self.group.agrees_on(&self.send.outcome.topic, tags, properties) {
            return Rule::SubscriptionsDiffer;
        }
        // A place of the queue is given out again only once the broker has lost what had it.
        let had_its_place = self.group.all_handed().any(|handed| {
            let before = handed.delivery.began_us < sent_us;
            before && handed.delivery.queue == queue && handed.message.queue_offset >= offset
        });
        if had_its_place { Rule::OffsetOutlivedMessages } else { Rule::OffsetBeyond }
    }
}

fn queue_of(found: &Found) -> PullQueue {
    PullQueue { topic: found.copy.topic.clone(), broker_name: found.broker_name.clone(), queue_id: found.copy.queue_id }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

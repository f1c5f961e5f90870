//! What a user would ask once everything has healed.

use std::collections::BTreeMap;

use rocketscope_engine::{client::PullQueue, client::consumer::DeliveryFate};

use crate::{
    cluster::{GROUP, TOPICS},
    record::{Call, Group, Run},
    tally::Tally,
};

/// For so long after its broker's process has ended, two members may have a queue of orderly listeners: the locks go with
/// the process, and each member goes by its own for 30 s (`rocketmq.client.rebalance.lockMaxLiveTime`), and to the end of
/// the call that it has begun by then.
const LOCKS_FORGOTTEN_US: i64 = 40_000_000;

/// Judges a run; what is wrong, if anything.
pub(crate) fn judge(run: &Run) -> Result<Tally, String> {
    let mut judge = Judge { run, tally: Tally { acknowledged: run.acknowledged.len() as u64, ..Tally::default() } };
    for group in &run.groups {
        let consumed = judge.consumed(group)?;
        judge.all_consumed(group, &consumed)?;
        shared_out(group)?;
        if group.orderly {
            judge.in_order(group)?;
        }
        if group.name == GROUP {
            judge.effects(&consumed)?;
        }
    }
    Ok(judge.tally)
}

struct Judge<'a> {
    run: &'a Run,
    tally: Tally,
}

impl Judge<'_> {
    /// How often each message was consumed, by its id.
    fn consumed(&mut self, group: &Group) -> Result<BTreeMap<String, u64>, String> {
        let mut consumed = BTreeMap::new();
        for call in &group.calls {
            self.tally.calls += 1;
            self.tally.crashed += u64::from(call.fate == DeliveryFate::Crashed);
            self.tally.unused += u64::from(call.fate == DeliveryFate::Unused);
            for message in &call.messages {
                if message.body != format!("body of {}", message.key) || !TOPICS.contains(&message.topic.as_str()) {
                    return Err(format!("nobody sent what was consumed: {message:?}"));
                }
                if call.consumed {
                    *consumed.entry(message.id.clone()).or_default() += 1;
                }
            }
        }
        self.tally.repeated += consumed.values().filter(|times| **times > 1).count() as u64;
        Ok(consumed)
    }

    /// Every message was consumed, or was given up.
    fn all_consumed(&mut self, group: &Group, consumed: &BTreeMap<String, u64>) -> Result<(), String> {
        for (id, key) in self.run.acknowledged.iter().filter(|(id, _)| !consumed.contains_key(*id)) {
            if !group.dead.contains(id) {
                return Err(format!("group {} has not consumed {key}, {id}, which was acknowledged", group.name));
            }
            self.tally.given_up += 1;
        }
        Ok(())
    }

    /// Orderly listeners: of each queue there is one call at a time, and none begins with a message before those in front of
    /// it were consumed or given up. What was consumed may come again.
    fn in_order(&mut self, group: &Group) -> Result<(), String> {
        for state in &group.queues {
            let calls = || group.calls.iter().filter(|call| call.queue == state.queue);
            let mut next = 0;
            for call in calls() {
                let Some((first, last)) = call.messages.first().zip(call.messages.last()) else { continue };
                let passed_over = (next..first.queue_offset).find(|offset| {
                    let id = usize::try_from(*offset).ok().and_then(|offset| state.ids.get(offset));
                    id.is_none_or(|id| !group.dead.contains(id))
                });
                if let Some(offset) = passed_over {
                    let of = format!("group {}: {}", group.name, state.queue);
                    return Err(format!("{of}: {} was consumed before offset {offset}", first.key));
                }
                let offsets = call.messages.iter().map(|message| message.queue_offset);
                if !offsets.eq(first.queue_offset..=last.queue_offset) {
                    return Err(format!("group {}: a call of {} with a gap: {call:?}", group.name, state.queue));
                }
                if call.consumed {
                    next = next.max(last.queue_offset + 1);
                }
            }
            for (earlier, later) in calls().zip(calls().skip(1)) {
                self.one_at_a_time(&state.queue, earlier, later)?;
            }
        }
        Ok(())
    }

    /// One call ends before the next begins. When the process of one ended that never returned, nobody says. One whose process
    /// stood still in the middle may end long after its lock.
    fn one_at_a_time(&mut self, queue: &PullQueue, earlier: &Call, later: &Call) -> Result<(), String> {
        if earlier.fate == DeliveryFate::Crashed || earlier.ended_us.is_some_and(|ended_us| ended_us <= later.began_us)
        {
            return Ok(());
        }
        let ends = self.run.broker_ends.get(&queue.broker_name).into_iter().flatten();
        let forgotten = ends.into_iter().any(|at_us| (0..LOCKS_FORGOTTEN_US).contains(&(later.began_us - at_us)));
        let times = self.run.stood_still.get(&earlier.member).into_iter().flatten();
        let stood_still =
            times.into_iter().any(|(from_us, to_us)| *from_us < later.began_us && earlier.began_us <= *to_us);
        if forgotten {
            self.tally.locks_forgotten += 1;
        } else if stood_still {
            self.tally.stood_still += 1;
        } else {
            return Err(format!("two listeners have {queue} at once: {earlier:?} and {later:?}"));
        }
        Ok(())
    }

    /// Messages that were consumed have had their effect: one, if the listeners note it in the same transaction.
    fn effects(&mut self, consumed: &BTreeMap<String, u64>) -> Result<(), String> {
        let effects = &self.run.effects;
        let twice = effects.iter().find(|(_, times)| **times > 1);
        if let Some((message, times)) = twice.filter(|_| self.run.records) {
            return Err(format!("{message} has had {times} effects, though each is noted"));
        }
        self.tally.doubled += effects.values().filter(|times| **times > 1).count() as u64;
        let mut done = self.run.acknowledged.iter().filter(|(id, _)| consumed.contains_key(*id));
        match done.find(|(_, key)| !effects.contains_key(*key)) {
            Some((_, key)) => Err(format!("{key} was consumed and has had no effect")),
            None => Ok(()),
        }
    }
}

/// Each queue has one owner, which has nothing of it in hand, and the broker knows how far it is.
fn shared_out(group: &Group) -> Result<(), String> {
    for state in &group.queues {
        let (of, end) = (format!("group {}: {}", group.name, state.queue), state.ids.len() as i64);
        let [(in_hand, next)] = state.owners[..] else {
            return Err(format!("{of} has {} owners", state.owners.len()));
        };
        if in_hand != 0 || next != end || end > 0 && state.kept != Some(end) {
            return Err(format!(
                "{of} ends at {end}; its owner has {in_hand} messages in hand, would pull from {next}, and the broker \
                 keeps {:?}",
                state.kept
            ));
        }
    }
    Ok(())
}

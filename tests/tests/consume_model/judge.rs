//! What a user would ask once everything has healed.

use std::collections::{BTreeMap, BTreeSet};

use rocketscope_engine::{
    client::{
        PullQueue,
        consumer::{ConsumeResult, DeliveryFate, PushConsumer},
    },
    message::record,
    store::ConsumeQueue,
};

use crate::{
    case::Case,
    cluster::{DATABASE, EFFECTS, GROUP, OTHER_GROUP, PRODUCER, TOPICS},
    play::Play,
    tally::Tally,
};

/// Judges a case that has healed; what is wrong, if anything.
pub(crate) fn judge(case: &Case, play: &Play) -> Result<Tally, String> {
    let mut judge = Judge { case, play, tally: Tally::default() };
    let acknowledged = judge.acknowledged();
    judge.tally.acknowledged = acknowledged.len() as u64;
    for group in [GROUP, OTHER_GROUP] {
        let members = members(play, group);
        if members.is_empty() {
            continue;
        }
        let consumed = judge.consumed(&members)?;
        judge.all_consumed(group, &acknowledged, &consumed)?;
        judge.shared_out(group, &members)?;
        if group == GROUP {
            judge.effects(acknowledged.iter().filter(|(id, _)| consumed.contains_key(*id)).map(|(_, key)| key))?;
        }
    }
    Ok(judge.tally)
}

fn members<'p>(play: &'p Play, group: &str) -> Vec<&'p PushConsumer> {
    let clients = play.consumers.iter().filter_map(|name| play.world.client(name));
    clients.filter(|client| client.group() == group).filter_map(|client| client.push()).collect()
}

struct Judge<'a> {
    case: &'a Case,
    play: &'a Play,
    tally: Tally,
}

impl Judge<'_> {
    /// The keys of acknowledged messages by their ids.
    fn acknowledged(&self) -> BTreeMap<String, String> {
        let producer = self.play.world.client(PRODUCER);
        let sent = producer.into_iter().flat_map(rocketscope_engine::client::Client::sent);
        let stored = sent.filter(|sent| sent.error.is_none());
        stored.filter_map(|sent| Some((sent.msg_id.clone()?, sent.name.clone()?))).collect()
    }

    /// How often each message was consumed, by its id.
    fn consumed(&mut self, members: &[&PushConsumer]) -> Result<BTreeMap<String, u64>, String> {
        let mut consumed = BTreeMap::new();
        for delivery in members.iter().flat_map(|push| push.consumed()) {
            self.tally.calls += 1;
            self.tally.crashed += u64::from(delivery.fate == DeliveryFate::Crashed);
            self.tally.unused += u64::from(delivery.fate == DeliveryFate::Unused);
            for message in &delivery.messages {
                let key = message.keys.clone().unwrap_or_default();
                if message.body != format!("body of {key}") || !TOPICS.contains(&message.topic.as_str()) {
                    return Err(format!("nobody sent what was consumed: {message:?}"));
                }
                if delivery.result == Some(ConsumeResult::Success) {
                    *consumed.entry(message.msg_id.clone()).or_default() += 1;
                }
            }
        }
        self.tally.repeated += consumed.values().filter(|times| **times > 1).count() as u64;
        Ok(consumed)
    }

    /// Every message was consumed, or was given up.
    fn all_consumed(
        &mut self,
        group: &str,
        acknowledged: &BTreeMap<String, String>,
        consumed: &BTreeMap<String, u64>,
    ) -> Result<(), String> {
        let dead = self.dead_letters(group);
        for (id, key) in acknowledged.iter().filter(|(id, _)| !consumed.contains_key(*id)) {
            if !dead.contains(id) {
                return Err(format!("group {group} has not consumed {key}, {id}, which was acknowledged"));
            }
            self.tally.given_up += 1;
        }
        Ok(())
    }

    /// The ids of what stands in the dead-letter queues of a group.
    fn dead_letters(&self, group: &str) -> BTreeSet<String> {
        let topic = format!("%DLQ%{group}");
        let mut ids = BTreeSet::new();
        for number in 0..self.case.shape.brokers {
            let broker = self.play.world.broker(&format!("broker-{number}"));
            let Some(store) = broker.and_then(|broker| broker.store()) else { continue };
            let end = store.queue(&topic, 0).map_or(0, ConsumeQueue::max_offset_in_queue);
            for offset in 0..end {
                let bytes =
                    store.unit(&topic, 0, offset).and_then(|unit| store.look_message_by_offset(unit.physical_offset));
                let Some(bytes) = bytes else { continue };
                ids.extend(record::decode(&bytes).ok().and_then(|record| record.uniq_key().map(str::to_owned)));
            }
        }
        ids
    }

    /// Each queue has one owner, which has nothing of it in hand, and the broker knows how far it is.
    fn shared_out(&self, group: &str, members: &[&PushConsumer]) -> Result<(), String> {
        let retry = format!("%RETRY%{group}");
        for number in 0..self.case.shape.brokers {
            let broker_name = format!("broker-{number}");
            let Some(process) = self.play.world.broker(&broker_name).and_then(|broker| broker.process()) else {
                return Err(format!("{broker_name} does not run"));
            };
            let topics = TOPICS.iter().flat_map(|topic| [(*topic, 0), (*topic, 1)]).chain([(retry.as_str(), 0)]);
            for (topic, queue_id) in topics {
                let queue = PullQueue { topic: topic.to_owned(), broker_name: broker_name.clone(), queue_id };
                let owners: Vec<_> = members.iter().filter_map(|push| push.queues().get(&queue)).collect();
                let [owner] = owners[..] else {
                    return Err(format!("group {group}: {} members have {queue}", owners.len()));
                };
                let in_hand = owner.process_queue();
                let end = process.store().queue(topic, queue_id).map_or(0, ConsumeQueue::max_offset_in_queue);
                let kept = process.offsets().query(group, topic, queue_id);
                if in_hand.count() != 0 || owner.next_offset() != end || end > 0 && kept != Some(end) {
                    return Err(format!(
                        "group {group}: {queue} ends at {end}; its owner has {} messages in hand, would pull from {}, and \
                         the broker keeps {kept:?}",
                        in_hand.count(),
                        owner.next_offset(),
                    ));
                }
            }
        }
        Ok(())
    }

    /// These messages have had their effect: one, if the listeners note it in the same transaction.
    fn effects<'k>(&mut self, mut consumed: impl Iterator<Item = &'k String>) -> Result<(), String> {
        let Some(table) = self.play.world.database(DATABASE).and_then(|database| database.table(EFFECTS)) else {
            return Err("the database has no table".to_owned());
        };
        let mut effects: BTreeMap<String, u64> = BTreeMap::new();
        for message in table.rows().filter_map(|row| row.last()) {
            *effects.entry(message.to_string()).or_default() += 1;
        }
        let twice = effects.iter().find(|(_, times)| **times > 1);
        if let Some((message, times)) = twice.filter(|_| self.case.shape.records) {
            return Err(format!("{message} has had {times} effects, though each is noted"));
        }
        self.tally.doubled += effects.values().filter(|times| **times > 1).count() as u64;
        match consumed.find(|key| !effects.contains_key(*key)) {
            Some(key) => Err(format!("{key} was consumed and has had no effect")),
            None => Ok(()),
        }
    }
}

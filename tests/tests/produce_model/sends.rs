//! What applications of a case send. Messages are numbered by what happens, so that each is known by its key.

use rocketscope_engine::client::{Client, Selector, SendMode};
use rocketscope_engine::message::property;
use rocketscope_engine::message::transaction::HALF_TOPIC;
use rocketscope_engine::sim::{Action, BatchMessage, EndTransaction, HalfAt, Send, SendBatch, SendInTransaction};

use crate::case::{Mode, Op, Target};
use crate::cluster::TOPICS;
use crate::ledger::Sent;
use crate::logs;
use crate::play::Play;

impl Play {
    /// What the op of this number sends; each entry of a batch has a number of its own behind it.
    pub(crate) fn send(&mut self, number: usize, op: &Op) -> Action {
        let key = format!("m{number}");
        match op {
            Op::Batch { producer, topic, count } => self.batch(&key, *producer, *topic, *count),
            Op::Send { producer, topic, mode, level, body, wait, to } => {
                let body = format!("{key}{}", ".".repeat(usize::from(*body)));
                let mut send = self.message(&key, *producer, *topic, body);
                send.mode = match mode {
                    Mode::Sync => SendMode::Sync,
                    Mode::Async => SendMode::Async,
                    Mode::Oneway => SendMode::Oneway,
                };
                send.delay_level = (*level > 0).then_some(i32::from(*level));
                send.wait_store = (!wait).then_some(false);
                match to {
                    Target::Any => {}
                    Target::Queue(queue) => send.queue = Some(i32::from(*queue)),
                    Target::Hash(order) => send.selector = Some(Selector::Hash { arg: format!("order-{order}") }),
                }
                self.note(&send, &Sent { level: *level, wait: *wait, ..Sent::default() });
                Action::Send(Box::new(send))
            }
            Op::Half { producer, topic } => {
                let mut send = self.message(&key, *producer, *topic, key.clone());
                let properties = [(property::TRAN_MSG, "true"), (property::PGROUP, "producers")];
                send.properties = properties.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
                self.note(&send, &Sent { half: true, ..Sent::default() });
                Action::Send(Box::new(send))
            }
            Op::Transaction { producer, topic, local, local_ms, checks, immunity } => {
                let mut send = self.message(&key, *producer, *topic, key.clone());
                if let Some(seconds) = immunity {
                    let name = property::CHECK_IMMUNITY_TIME_IN_SECONDS.to_owned();
                    send.properties = [(name, seconds.to_string())].into();
                }
                self.note(&send, &Sent { half: true, ..Sent::default() });
                self.transactions.push((send.producer.clone(), key));
                Action::SendInTransaction(Box::new(SendInTransaction {
                    send,
                    local: *local,
                    local_ms: i64::from(*local_ms),
                    checks: checks.clone(),
                    ..SendInTransaction::default()
                }))
            }
            _ => Action::Wait { ms: 1 },
        }
    }

    fn producer(&self, number: u8) -> String {
        self.producers[usize::from(number) % self.producers.len()].clone()
    }

    fn message(&self, key: &str, producer: u8, topic: u8, body: String) -> Send {
        Send {
            name: Some(key.to_owned()),
            producer: self.producer(producer),
            topic: TOPICS[usize::from(topic) % TOPICS.len()].to_owned(),
            keys: Some(key.to_owned()),
            body: Some(body),
            ..Send::default()
        }
    }

    fn note(&mut self, send: &Send, sent: &Sent) {
        let (topic, body) = (send.topic.clone(), send.body.clone().unwrap_or_default());
        self.ledger.sent.insert(send.keys.clone().unwrap_or_default(), Sent { topic, body, ..sent.clone() });
    }

    fn batch(&mut self, key: &str, producer: u8, topic: u8, count: u8) -> Action {
        let entries: Vec<Send> = (0..count)
            .map(|place| format!("{key}.{place}"))
            .map(|key| self.message(&key, producer, topic, format!("body of {key}")))
            .collect();
        for entry in &entries {
            self.note(entry, &Sent::default());
        }
        let (producer, topic) = (self.producer(producer), TOPICS[usize::from(topic) % TOPICS.len()].to_owned());
        let entry = |send: Send| BatchMessage {
            keys: send.keys,
            body: send.body.unwrap_or_default(),
            ..BatchMessage::default()
        };
        let messages = entries.into_iter().map(entry).collect();
        Action::SendBatch(Box::new(SendBatch { producer, topic, messages, ..SendBatch::default() }))
    }

    /// An application says how a transaction ended. Where nobody knows of the half message, nothing is said.
    pub(crate) fn end(&mut self, op: &Op) {
        let (action, half) = match op {
            Op::End { back, state } => {
                let count = self.transactions.len().max(1);
                let Some((producer, name)) = self.transactions.iter().rev().nth(usize::from(*back) % count).cloned()
                else {
                    return;
                };
                let sent = self.world.client(&producer).into_iter().flat_map(Client::transactions);
                let half =
                    sent.filter(|sent| sent.name.as_ref() == Some(&name)).last().and_then(|sent| sent.half.clone());
                let half = half.map(|half| (half.msg_id, half.broker_name, half.commit_log_offset));
                (EndTransaction { producer, message: Some(name), half: None, state: *state }, half)
            }
            Op::EndAt { producer, broker, queue_offset, state } => {
                let broker = self.masters[usize::from(*broker) % self.masters.len()].clone();
                let queue_offset = i64::from(*queue_offset);
                let store = self.world.broker(&broker).and_then(|broker| broker.store());
                let half = store.and_then(|store| {
                    let at = store.unit(HALF_TOPIC, 0, queue_offset)?.physical_offset;
                    Some((logs::id_at(store, at)?, broker.clone(), at))
                });
                let at = HalfAt { broker, queue_offset };
                let producer = self.producer(*producer);
                (EndTransaction { producer, message: None, half: Some(at), state: *state }, half)
            }
            _ => return,
        };
        let state = action.state;
        if let Some((id, broker, at)) = half
            && self.act(Action::EndTransaction(Box::new(action)))
        {
            self.ledger.said.say(&id, &broker, at, state);
        }
    }
}

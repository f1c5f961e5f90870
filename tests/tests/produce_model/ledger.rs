//! What was sent, what producers were told, and what went wrong when.

use std::collections::BTreeMap;

use rocketscope_engine::ledger::{Broken, Watch};
use rocketscope_engine::node::{NodeStep, StepKind};
use rocketscope_engine::sim::{EventKind, NodeState, TraceEvent, World};

use crate::ends::Ends;

/// A message that an application sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) topic: String,
    pub(crate) body: String,
    /// Its delay level; 0 for none.
    pub(crate) level: u8,
    /// Whether it is sent in a transaction: consumers may see it only if that is committed.
    pub(crate) half: bool,
    /// Whether the producer waits for flush and slave.
    pub(crate) wait: bool,
}

impl Default for Sent {
    fn default() -> Self {
        Self { topic: String::new(), body: String::new(), level: 0, half: false, wait: true }
    }
}

/// An acknowledgement: `SEND_OK` for the message with this `UNIQ_KEY`.
#[derive(Clone, Debug)]
pub(crate) struct Acknowledged {
    pub(crate) id: String,
    /// The message's key, but for batches.
    pub(crate) key: Option<String>,
    pub(crate) broker: String,
    pub(crate) began_us: i64,
}

/// How a broker's process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Stop,
    Kill,
    PowerLoss,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) sent: BTreeMap<String, Sent>,
    pub(crate) acknowledged: Vec<Acknowledged>,
    /// The ends of each broker's processes, with their times.
    pub(crate) ends: BTreeMap<String, Vec<(i64, End)>>,
    /// Brokers whose disk has failed at some time.
    pub(crate) failed_disks: Vec<String>,
    /// Nodes whose clock was set back at some time.
    pub(crate) clocks_set_back: Vec<String>,
    /// Why a broker did not start, the last time.
    pub(crate) refused_starts: BTreeMap<String, String>,
    /// Configuration files that an operator had to remove.
    pub(crate) removed_files: u64,
    /// How transactions ended, as far as anybody said so.
    pub(crate) said: Ends,
    /// A message of a transaction that was to be seen too early.
    pub(crate) too_early: Option<String>,
    /// Answers of each producer that are taken in.
    seen: BTreeMap<String, usize>,
    pub(crate) events: u64,
    watch: Watch,
    /// What was broken first and must never be.
    pub(crate) broken: Option<Broken>,
}

impl Ledger {
    /// Takes in what an event has brought.
    pub(crate) fn note(&mut self, world: &World, event: &TraceEvent, producers: &[String]) {
        self.events += 1;
        let broken = self.watch.look(world, event);
        self.broken = self.broken.take().or(broken);
        self.note_end(world, event);
        for producer in producers {
            let Some(client) = world.client(producer) else { continue };
            self.said.note(client);
            let seen = self.seen.entry(producer.clone()).or_default();
            if client.sent().len() < *seen {
                // Another process.
                *seen = 0;
            }
            for sent in client.sent().iter().skip(*seen).filter(|sent| sent.status == "SEND_OK") {
                let ids = sent.msg_id.iter().flat_map(|ids| ids.split(','));
                self.acknowledged.extend(ids.map(|id| Acknowledged {
                    id: id.to_owned(),
                    key: sent.name.clone(),
                    broker: sent.broker_name.clone().unwrap_or_default(),
                    began_us: sent.began_us,
                }));
            }
            *seen = client.sent().len();
        }
        if let Err(what) = self.said.look(world, event) {
            self.too_early.get_or_insert(what);
        }
    }

    fn note_end(&mut self, world: &World, event: &TraceEvent) {
        let Some(broker) = world.broker(&event.node) else { return };
        for step in &event.steps {
            if let StepKind::Node(NodeStep::StartFailed { cause }) = &step.what {
                self.refused_starts.insert(event.node.clone(), cause.clone());
            }
        }
        let has = |wanted: fn(&NodeStep) -> bool| {
            event.steps.iter().any(|step| matches!(&step.what, StepKind::Node(step) if wanted(step)))
        };
        let end = if has(|step| matches!(step, NodeStep::PowerLost)) {
            End::PowerLoss
        } else if has(|step| matches!(step, NodeStep::ProcessKilled | NodeStep::Crashed { .. })) {
            End::Kill
        } else if has(|step| matches!(step, NodeStep::ProcessEnded)) {
            End::Stop
        } else {
            return;
        };
        debug_assert!(!matches!(event.what, EventKind::Started) || broker.process().is_none());
        debug_assert_eq!(world.node_state(&event.node), Some(NodeState::Down));
        self.ends.entry(event.node.clone()).or_default().push((event.at_us, end));
    }

    /// Whether the broker's process ended so at that time or later.
    pub(crate) fn ended_since(&self, broker: &str, since_us: i64, wanted: impl Fn(End) -> bool) -> bool {
        self.ends.get(broker).is_some_and(|ends| ends.iter().any(|(at_us, end)| *at_us >= since_us && wanted(*end)))
    }
}

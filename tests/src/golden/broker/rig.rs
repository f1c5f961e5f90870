//! A broker of ours on its own: asked directly, and its services given turns when the recording says so.

use std::collections::BTreeMap;

use rocketscope_engine::broker::{Broker, Earlier, read_config, starting_disk};
use rocketscope_engine::disk::MemoryDisk;
use rocketscope_engine::message::Host;
use rocketscope_engine::node::{Actor, CallId, Caller, ConnId, Costs, Effect, Service, Streams, Turn};
use rocketscope_engine::store::{Store, StoreConfig};
use rocketscope_engine::wire::{
    CheckTransactionState, ConsumerData, HeartbeatData, ProducerData, Request, Response, SendMessage, TopicConfig,
    UpdateConsumerOffset,
};

use super::super::archive::{Case, Tree};
use super::super::diff::Report;
use super::timeline::Recorded;
use super::wire::{self, Exchange};

/// Turns that a service gets for one record at most.
const TURNS: usize = 1000;

/// Rounds of the services that flush and save, before the stop, and the time from one to the next, milliseconds: a
/// thorough flush and two rounds of each file are among them.
const ROUNDS: usize = 6;
const ROUND_MS: i64 = 5_000;

/// The broker's own keys as the case was recorded with them, and its address.
fn keys(case: &Case) -> Result<(BTreeMap<String, String>, String, i32), String> {
    let mut values = BTreeMap::new();
    let (mut ip, mut port) = (String::new(), 0);
    for (key, value) in &case.expected.config {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match key.as_str() {
            "clusterName" => values.insert("brokerClusterName".to_owned(), text),
            "brokerAddr" => {
                let (host, listen) = text.split_once(':').ok_or("brokerAddr: no port")?;
                (ip, port) = (host.to_owned(), listen.parse().map_err(|_| "brokerAddr: no port")?);
                values.insert("listenPort".to_owned(), listen.to_owned())
            }
            // What the clients were set to.
            "namesrvAddr" | "maxReconsumeTimes(CG)" => None,
            // When a check takes place is told by the recording.
            "transactionCheckInterval" => values.insert(key.clone(), "1".to_owned()),
            key => values.insert(key.to_owned(), text),
        };
    }
    Ok((values, ip, port))
}

/// The configuration of its store.
pub(super) fn store_config(case: &Case) -> Result<StoreConfig, String> {
    let (values, ..) = keys(case)?;
    read_config(&values).map(|(_, store)| store).map_err(|cause| cause.to_string())
}

/// A running broker.
#[derive(Debug)]
pub(super) struct Rig {
    broker: Broker,
    streams: Streams,
    costs: Costs,
    base_ms: i64,
    caller: Host,
    next_call: u64,
    exited: bool,
    last_ms: i64,
    /// What it has asked producers about half messages.
    questions: Vec<CheckTransactionState>,
}

impl Rig {
    /// A broker that has started at `base_ms`, with the two topics that an administrator had made.
    pub(super) fn start(case: &Case, base_ms: i64) -> Result<Self, String> {
        let (mut values, ip, port) = keys(case)?;
        values.insert("brokerIP1".to_owned(), ip.clone());
        let (config, store_config) = read_config(&values).map_err(|cause| cause.to_string())?;
        let host = Host { ip: ip.parse().map_err(|_| "brokerAddr: no address")?, port };
        let topics = [TopicConfig::new("BTopic", 2, 2, 6), TopicConfig::new("TxTopic", 2, 2, 6)];
        let disk = starting_disk(&config, &store_config, host, &topics, &Earlier::default(), base_ms)?;
        // What is done costs no time: the recording says when it was done.
        let costs = Costs { append_us: 0, dispatch_us: 0, index_file_us: 0, flush_us: 0, ..Costs::default() };
        let mut rig = Self {
            broker: Broker::new(config, store_config, host, Vec::new(), disk),
            streams: Streams::new(1, "broker"),
            costs,
            base_ms,
            caller: host,
            next_call: 0,
            exited: false,
            last_ms: base_ms,
            questions: Vec::new(),
        };
        rig.turn(base_ms, Actor::start);
        rig.settle(base_ms);
        rig.turn(base_ms, |broker, turn| broker.wake(Service::Process, turn));
        if rig.broker.is_running() { Ok(rig) } else { Err("the broker does not start".to_owned()) }
    }

    fn turn(&mut self, at_ms: i64, run: impl FnOnce(&mut Broker, &mut Turn<'_>)) -> Vec<Effect> {
        let names = BTreeMap::new();
        let now_us = (at_ms - self.base_ms) * 1000;
        let mut turn = Turn::new(0, now_us, self.base_ms, &self.costs, &mut self.streams, &names, self.next_call);
        run(&mut self.broker, &mut turn);
        let outcome = turn.end();
        self.next_call = outcome.next_call;
        self.last_ms = self.last_ms.max(at_ms);
        self.exited |= outcome.effects.iter().any(|effect| matches!(effect, Effect::Exit));
        self.questions.extend(outcome.effects.iter().filter_map(|effect| match effect {
            Effect::Notify { request: Request::CheckTransactionState(asked), .. } => Some((**asked).clone()),
            _ => None,
        }));
        outcome.effects
    }

    /// Dispatches what is waiting.
    fn settle(&mut self, at_ms: i64) {
        for _ in 0..TURNS {
            if self.broker.store().is_none_or(|store| store.dispatch_behind_bytes() <= 0) {
                return;
            }
            self.turn(at_ms, |broker, turn| broker.wake(Service::Reput, turn));
        }
    }

    /// Where the log ends.
    pub(super) fn end(&self) -> i64 {
        self.broker.store().map_or(0, Store::max_phy_offset)
    }

    /// The next requests come from where the sender of a record had its connection.
    pub(super) fn caller_of(&mut self, recorded: &Recorded) {
        self.caller = recorded.born_host;
    }

    /// Asks the broker; its answer, if it gives one in the same turn.
    pub(super) fn ask(&mut self, request: Request, at_ms: i64) -> Option<Response> {
        self.ask_on(ConnId(1), request, at_ms)
    }

    fn ask_on(&mut self, conn: ConnId, request: Request, at_ms: i64) -> Option<Response> {
        let caller = Caller { conn, call: Some(CallId(self.next_call)), host: self.caller, name: "client".to_owned() };
        let effects = self.turn(at_ms, |broker, turn| broker.request(&caller, request, turn));
        self.settle(at_ms);
        effects.into_iter().find_map(|effect| match effect {
            Effect::Reply { response, .. } => Some(response),
            _ => None,
        })
    }

    /// Sends a message that nobody waits for.
    pub(super) fn oneway(&mut self, send: &SendMessage, at_ms: i64) {
        self.ask(Request::SendMessageV2(send.clone()), at_ms);
    }

    /// Asks what was recorded, and compares the answer.
    pub(super) fn exchange(&mut self, exchange: &Exchange, at_ms: i64, report: &mut Report) -> Result<(), String> {
        let place = format!("wire[{}] ({})", exchange.place, exchange.code);
        let request = exchange.request().map_err(|cause| format!("{place}: {cause}"))?;
        let Some(request) = request else { return Ok(()) };
        let ours = self.ask(request, at_ms);
        match (ours, &exchange.answer) {
            (Some(ours), Some(_)) => {
                if let Some((recorded, ours)) = exchange.answers(&ours) {
                    report.compare(&place, &recorded, &ours);
                }
            }
            (None, Some(_)) => report.add(format!("{place}: no answer")),
            (_, None) => {}
        }
        Ok(())
    }

    /// Gives a service turns until it has appended; each append takes so long.
    pub(super) fn drive(&mut self, service: Service, recorded: &Recorded, append_us: i64) -> Result<(), String> {
        let before = self.end();
        self.costs.append_us = append_us;
        for _ in 0..TURNS {
            self.turn(recorded.store_timestamp, |broker, turn| broker.wake(service, turn));
            self.settle(recorded.store_timestamp);
            if self.end() > before {
                self.costs.append_us = 0;
                return Ok(());
            }
        }
        Err(format!("record at {} in {}: {service} makes none", recorded.offset, recorded.topic))
    }

    /// Offsets that the push consumers committed with their pulls, which are not recorded.
    pub(super) fn commit_unrecorded(&mut self, expected: &Tree) -> Result<(), String> {
        let text = expected.get("config/consumerOffset.json").ok_or("config/consumerOffset.json: missing")?;
        let config = wire::config(&String::from_utf8_lossy(text));
        let table = config["offsetTable"].as_object().ok_or("config/consumerOffset.json: no table")?;
        for (key, queues) in table.iter().filter(|(key, _)| key.starts_with("%RETRY%")) {
            let (topic, group) = key.split_once('@').ok_or("a key without a group")?;
            for (queue, offset) in queues.as_object().into_iter().flatten() {
                let request = Request::UpdateConsumerOffset(UpdateConsumerOffset {
                    consumer_group: group.to_owned(),
                    topic: topic.to_owned(),
                    queue_id: queue.parse().map_err(|_| format!("{key}: queue {queue}"))?,
                    commit_offset: offset.as_i64().ok_or_else(|| format!("{key}: no offset"))?,
                });
                self.ask(request, self.last_ms);
            }
        }
        Ok(())
    }

    /// The heartbeat of the producer that sends in transactions, which is not recorded. It has a connection of its own.
    pub(super) fn producer_unrecorded(&mut self, at_ms: i64) {
        let data = HeartbeatData {
            client_id: "192.0.2.2@p2".to_owned(),
            producer_data_set: vec![ProducerData { group_name: "TPG".to_owned() }],
            consumer_data_set: Vec::new(),
        };
        self.ask_on(ConnId(2), Request::HeartBeat(data), at_ms);
    }

    /// The pull consumer's heartbeat, which is not recorded.
    pub(super) fn heartbeat_unrecorded(&mut self, at_ms: i64) {
        let group = ConsumerData {
            group_name: "PULLG".to_owned(),
            consume_type: "CONSUME_ACTIVELY".to_owned(),
            message_model: "CLUSTERING".to_owned(),
            consume_from_where: "CONSUME_FROM_LAST_OFFSET".to_owned(),
            subscription_data_set: Vec::new(),
            unit_mode: false,
        };
        let data = HeartbeatData {
            client_id: "192.0.2.2@c3".to_owned(),
            producer_data_set: Vec::new(),
            consumer_data_set: vec![group],
        };
        self.ask(Request::HeartBeat(data), at_ms);
    }

    /// Lets the services that flush and save have their rounds, as the real broker did that ran on for a while, and stops the
    /// broker in order.
    pub(super) fn stop(&mut self) -> Result<(), String> {
        let mut at_ms = self.last_ms;
        for _ in 0..ROUNDS {
            at_ms += ROUND_MS;
            for service in [Service::FlushCommitLog, Service::PersistOffset] {
                self.turn(at_ms, |broker, turn| broker.wake(service, turn));
            }
        }
        self.turn(at_ms, Actor::stop);
        for _ in 0..TURNS {
            if self.exited {
                return Ok(());
            }
            at_ms += 1000;
            self.settle(at_ms);
            self.turn(at_ms, |broker, turn| broker.wake(Service::Process, turn));
        }
        Err("the broker does not stop".to_owned())
    }

    /// What it has asked producers about half messages.
    pub(super) fn questions(&self) -> &[CheckTransactionState] {
        &self.questions
    }

    /// Its store, while it runs.
    pub(super) fn store(&self) -> Result<&Store<MemoryDisk>, String> {
        self.broker.store().ok_or_else(|| "the broker does not run".to_owned())
    }

    /// Its disk.
    pub(super) fn disk(&self) -> &MemoryDisk {
        self.broker.disk()
    }
}

//! A running broker that tests ask directly.

use std::collections::BTreeMap;

use super::{Broker, Process, read_config};
use crate::{
    disk::MemoryDisk,
    message::Host,
    node::{Actor, CallId, Caller, ConnId, Costs, Effect, Service, StepKind, Streams, Turn},
    wire::{Request, Response, TopicConfig},
};

/// Its clock shows this at the start, milliseconds since the epoch.
pub(super) const START_MS: i64 = 1_700_000_000_000;

/// A broker that runs, with the topics `T` (2 queues to read, 4 to write) and `Ordered`.
pub(super) struct Rig {
    pub(super) broker: Broker,
    streams: Streams,
    pub(super) now_us: i64,
    /// The steps of the last turn.
    pub(super) steps: Vec<StepKind>,
}

/// What comes of a request.
pub(super) struct Answered {
    /// The answer, unless it comes later.
    pub(super) response: Option<Response>,
    /// One-way requests to clients, in order.
    pub(super) notices: Vec<(ConnId, Request)>,
}

impl Rig {
    pub(super) fn new(pairs: &[(&str, &str)]) -> Self {
        let usual = [("brokerName", "broker-a"), ("brokerIP1", "10.0.2.1"), ("mappedFileSizeCommitLog", "65536")];
        let values = usual.iter().chain(pairs).map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let (config, store_config) = read_config(&values.collect::<BTreeMap<_, _>>()).unwrap();
        let host: Host = "10.0.2.1:10911".parse().unwrap();
        let broker = Broker::new(config, store_config, host, Vec::new(), MemoryDisk::new());
        let mut rig = Self { broker, streams: Streams::new(1, "broker-a"), now_us: 0, steps: Vec::new() };
        rig.start();
        for topic in
            [TopicConfig::new("T", 2, 4, 6), TopicConfig { order: true, ..TopicConfig::new("Ordered", 4, 4, 6) }]
        {
            rig.turn(|broker, turn| broker.process_mut().unwrap().set_topic(topic, turn));
        }
        rig
    }

    /// The process starts, and is ready to take requests.
    pub(super) fn start(&mut self) {
        self.turn(Actor::start);
        self.turn(|broker, turn| broker.wake(Service::Process, turn));
        assert!(self.broker.is_running());
    }

    pub(super) fn process(&self) -> &Process {
        self.broker.process().unwrap()
    }

    pub(super) fn turn(&mut self, run: impl FnOnce(&mut Broker, &mut Turn<'_>)) -> Vec<Effect> {
        let (costs, names) = (Costs::default(), BTreeMap::new());
        let mut turn = Turn::new(0, self.now_us, START_MS, &costs, &mut self.streams, &names, 0);
        run(&mut self.broker, &mut turn);
        let outcome = turn.end();
        self.now_us = outcome.ended_us;
        self.steps = outcome.steps.into_iter().map(|step| step.what).collect();
        outcome.effects
    }

    /// Dispatches what is stored; what comes of the last record.
    pub(super) fn dispatch(&mut self) {
        while self.process().store().dispatch_behind_bytes() > 0 {
            self.turn(|broker, turn| broker.wake(Service::Reput, turn));
        }
    }

    /// A turn of a service; the answer that it gives.
    pub(super) fn wake(&mut self, service: Service) -> Option<Response> {
        Answered::of(self.turn(|broker, turn| broker.wake(service, turn))).response
    }

    /// Asks over a connection.
    pub(super) fn ask_on(&mut self, conn: u64, request: Request) -> Answered {
        let host: Host = "10.0.3.1:40000".parse().unwrap();
        let caller = Caller { conn: ConnId(conn), call: Some(CallId(1)), host, name: format!("client-{conn}") };
        let effects = self.turn(|broker, turn| broker.request(&caller, request, turn));
        Answered::of(effects)
    }

    /// The answer to a request over connection 1.
    pub(super) fn ask(&mut self, request: Request) -> Response {
        self.ask_on(1, request).response.unwrap()
    }
}

impl Answered {
    pub(super) fn of(effects: Vec<Effect>) -> Self {
        let mut answered = Self { response: None, notices: Vec::new() };
        for effect in effects {
            match effect {
                Effect::Reply { response, .. } => answered.response = Some(response),
                Effect::Notify { conn, request, .. } => answered.notices.push((conn, request)),
                _ => {}
            }
        }
        answered
    }
}

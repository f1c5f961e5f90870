//! Telling the NameServers (`BrokerController.registerBrokerAll`, `registerIncrementBrokerData`).

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{BrokerConfig, Process};
use crate::{
    node::{Answer, CallId, Caller, Grid, NamesStep, Service, Turn},
    wire::{
        PERM_READ, PERM_WRITE, QueryDataVersion, RegisterBroker, RegisterBrokerResponse, Request, Response,
        ResponseBody, TopicConfig,
    },
};

const FIRST_US: i64 = 10_000_000;

/// The rounds of registrations that are under way.
#[derive(Clone, Debug)]
pub(super) struct Registering {
    pub(super) grid: Grid,
    /// Calls whose answers the round waits for.
    open: BTreeSet<CallId>,
    failed: bool,
    /// The round only asks the NameServers whether they know the topics as they are: some answer says that one does not.
    asking: Option<bool>,
    /// The first answer of the round.
    told: Option<RegisterBrokerResponse>,
    /// Calls that tell of one topic, each with its round.
    increments: BTreeMap<CallId, u64>,
    /// Rounds that tell of one topic: the first answer, and the administrator who waits for the end.
    waiting: BTreeMap<u64, (Option<RegisterBrokerResponse>, Caller)>,
    next: u64,
}

impl Registering {
    pub(super) fn new(config: &BrokerConfig, now_us: i64) -> Self {
        let period_ms = config.register_name_server_period.clamp(10_000, 60_000);
        Self {
            grid: Grid::new(now_us.saturating_add(FIRST_US), period_ms.saturating_mul(1000)),
            open: BTreeSet::new(),
            failed: false,
            asking: None,
            told: None,
            increments: BTreeMap::new(),
            waiting: BTreeMap::new(),
            next: 0,
        }
    }
}

impl Process {
    /// A round of the 30 s task. With `forceRegister` off the NameServers are asked first whether there is anything new to
    /// tell (`needRegister`).
    pub(super) fn register_round(&mut self, turn: &mut Turn<'_>) {
        turn.wake_at(Service::Register, self.registering.grid.after(turn.now_us()));
        if self.config.force_register {
            return self.register_all(true, turn);
        }
        self.begin_round(Some(false));
        let config = &self.config;
        let query = QueryDataVersion {
            broker_name: config.broker_name.clone(),
            broker_addr: self.store_host.to_string(),
            cluster_name: config.broker_cluster_name.clone(),
            broker_id: config.broker_id,
            data_version: self.topics.version(),
        };
        for addr in &*Arc::clone(&self.name_servers) {
            let request = Request::QueryDataVersion(query.clone());
            let call = turn.call(Service::Register, addr, request, self.config.register_broker_timeout_mills);
            self.registering.open.insert(call);
        }
        self.park_without_name_servers(turn);
    }

    fn begin_round(&mut self, asking: Option<bool>) {
        self.registering.open.clear();
        self.registering.failed = false;
        self.registering.asking = asking;
        self.registering.told = None;
    }

    /// Registers with every NameServer. `round`: the start, or a round of the 30 s task, whose answers are waited for;
    /// otherwise one-way, since a topic changed.
    pub(super) fn register_all(&mut self, round: bool, turn: &mut Turn<'_>) {
        let topics = self.topics.table().values().map(|topic| self.told_of(topic)).collect();
        let request = Request::RegisterBroker(Box::new(self.registration(topics)));
        let timeout_ms = self.config.register_broker_timeout_mills;
        if round {
            self.begin_round(None);
        }
        let mut tell = |addr: &str, request: Request| {
            if round {
                self.registering.open.insert(turn.call(Service::Register, addr, request, timeout_ms));
            } else {
                turn.oneway(Service::Register, addr, request);
            }
        };
        if let Some((last, others)) = self.name_servers.split_last() {
            for addr in others {
                tell(addr, request.clone());
            }
            tell(last, request);
        }
        if round {
            self.park_without_name_servers(turn);
        }
    }

    /// Tells every NameServer of one topic alone, with the version of the whole table. Who asked is answered when all of
    /// them have answered, or not in time.
    pub(super) fn register_increment(&mut self, topic: &TopicConfig, caller: &Caller, turn: &mut Turn<'_>) {
        turn.step(NamesStep::TopicTold { topic: topic.topic_name.clone() });
        let topics = vec![self.told_of(topic)];
        let request = Request::RegisterBroker(Box::new(self.registration(topics)));
        let round = self.registering.next;
        self.registering.next += 1;
        for addr in &*Arc::clone(&self.name_servers) {
            let timeout_ms = self.config.register_broker_timeout_mills;
            let call = turn.call(Service::Register, addr, request.clone(), timeout_ms);
            self.registering.increments.insert(call, round);
        }
        if self.name_servers.is_empty() {
            turn.reply(caller, Response::success(ResponseBody::None));
        } else {
            self.registering.waiting.insert(round, (None, caller.clone()));
        }
    }

    fn park_without_name_servers(&self, turn: &mut Turn<'_>) {
        if self.name_servers.is_empty() {
            // There is nobody to tell, in the next round neither.
            self.park_registering(turn);
        }
    }

    fn park_registering(&self, turn: &mut Turn<'_>) {
        let Grid { period_us, .. } = self.registering.grid;
        turn.park(Service::Register, self.registering.grid.after(turn.now_us()), period_us);
    }

    /// A topic as the NameServers are told of it: a broker that may not be read or written says so of every topic.
    fn told_of(&self, topic: &TopicConfig) -> TopicConfig {
        let (both, permission) = (PERM_READ | PERM_WRITE, self.config.broker_permission);
        if permission & both == both {
            return topic.clone();
        }
        TopicConfig::new(&topic.topic_name, topic.read_queue_nums, topic.write_queue_nums, permission)
    }

    fn registration(&self, topic_config_table: Vec<TopicConfig>) -> RegisterBroker {
        let config = &self.config;
        RegisterBroker {
            broker_name: config.broker_name.clone(),
            broker_addr: self.store_host.to_string(),
            cluster_name: config.broker_cluster_name.clone(),
            ha_server_addr: format!("{}:{}", config.broker_ip2, config.listen_port.saturating_add(1)),
            broker_id: config.broker_id,
            data_version: self.topics.version(),
            topic_config_table,
        }
    }

    pub(super) fn registered(&mut self, answer: &Answer, turn: &mut Turn<'_>) {
        if let Some(round) = self.registering.increments.remove(&answer.call) {
            return self.increment_registered(round, answer, turn);
        }
        // The news that a one-way registration could not be sent belongs to no round.
        if !self.registering.open.remove(&answer.call) {
            return;
        }
        match &answer.result {
            Ok(Response { body: ResponseBody::RegisterBroker(told), .. }) => {
                self.registering.told.get_or_insert_with(|| told.clone());
            }
            Ok(Response { body: ResponseBody::DataVersion(known), .. }) => {
                if let Some(needed) = &mut self.registering.asking {
                    *needed |= known.changed || known.data_version.is_some_and(|known| known != self.topics.version());
                }
            }
            Ok(_) => {}
            // A NameServer that cannot be asked may need to be told.
            Err(_) => {
                self.registering.failed = true;
                self.registering.asking = self.registering.asking.map(|_| true);
            }
        }
        if !self.registering.open.is_empty() {
            return;
        }
        if self.registering.asking == Some(true) {
            return self.register_all(true, turn);
        }
        if let Some(told) = self.registering.told.take() {
            self.take_order(told.order_topics.as_ref(), turn);
            self.master_told(told, turn);
        }
        if !self.registering.failed {
            // The next round says the same and is answered the same, until a topic changes.
            self.park_registering(turn);
        }
    }

    fn increment_registered(&mut self, round: u64, answer: &Answer, turn: &mut Turn<'_>) {
        let open = self.registering.increments.values().any(|of| *of == round);
        let Some((told, _)) = self.registering.waiting.get_mut(&round) else { return };
        if let Ok(Response { body: ResponseBody::RegisterBroker(answer), .. }) = &answer.result {
            told.get_or_insert_with(|| answer.clone());
        }
        if open {
            return;
        }
        if let Some((told, caller)) = self.registering.waiting.remove(&round) {
            self.take_order(told.and_then(|told| told.order_topics).as_ref(), turn);
            turn.reply(&caller, Response::success(ResponseBody::None));
        }
    }

    /// A NameServer says which topics are ordered (`updateOrderTopicConfig`).
    fn take_order(&mut self, ordered: Option<&BTreeMap<String, String>>, turn: &mut Turn<'_>) {
        let Some(ordered) = ordered else { return };
        let changed = self.topics.set_order(ordered, turn.wall_ms());
        if changed.is_empty() {
            return;
        }
        for (topic, order) in changed {
            turn.step(NamesStep::OrderTopicSet { topic, order });
        }
        self.save(turn, |process| &process.topics);
        // The version is another one: the next round has something to tell.
        turn.disturb();
    }
}

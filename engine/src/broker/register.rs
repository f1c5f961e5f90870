//! Telling the NameServers (`BrokerController.registerBrokerAll`).

use super::{BrokerConfig, Process};
use crate::{
    node::{Answer, Grid, Service, Turn},
    wire::{
        PERM_READ, PERM_WRITE, RegisterBroker, RegisterBrokerResponse, Request, Response, ResponseBody, TopicConfig,
    },
};

const FIRST_US: i64 = 10_000_000;

/// The round of registrations that is under way.
#[derive(Clone, Debug)]
pub(super) struct Registering {
    pub(super) grid: Grid,
    open: usize,
    failed: bool,
    /// The first answer of the round.
    told: Option<RegisterBrokerResponse>,
}

impl Registering {
    pub(super) fn new(config: &BrokerConfig, now_us: i64) -> Self {
        let period_ms = config.register_name_server_period.clamp(10_000, 60_000);
        Self {
            grid: Grid::new(now_us.saturating_add(FIRST_US), period_ms.saturating_mul(1000)),
            open: 0,
            failed: false,
            told: None,
        }
    }
}

impl Process {
    /// Registers with every NameServer. `round`: the start, or a round of the 30 s task, whose answers are waited for;
    /// otherwise one-way, since a topic changed.
    pub(super) fn register_all(&mut self, round: bool, turn: &mut Turn<'_>) {
        let request = Request::RegisterBroker(Box::new(self.registration()));
        let timeout_ms = self.config.register_broker_timeout_mills;
        if round {
            self.registering.open = self.name_servers.len();
            self.registering.failed = false;
            self.registering.told = None;
        }
        for addr in self.name_servers.clone() {
            if round {
                turn.call(Service::Register, &addr, request.clone(), timeout_ms);
            } else {
                turn.oneway(Service::Register, &addr, request.clone());
            }
        }
        if round && self.name_servers.is_empty() {
            // There is nobody to tell, in the next round neither.
            self.park_registering(turn);
        }
    }

    fn park_registering(&self, turn: &mut Turn<'_>) {
        let Grid { period_us, .. } = self.registering.grid;
        turn.park(Service::Register, self.registering.grid.after(turn.now_us()), period_us);
    }

    fn registration(&self) -> RegisterBroker {
        let config = &self.config;
        let both = PERM_READ | PERM_WRITE;
        let permission = config.broker_permission;
        let topics = self.topics.table().values().map(|topic| {
            // A broker that may not be read or written says so of every topic.
            let perm = if permission & both == both { topic.perm } else { permission };
            TopicConfig { perm, ..topic.clone() }
        });
        RegisterBroker {
            broker_name: config.broker_name.clone(),
            broker_addr: self.store_host.to_string(),
            cluster_name: config.broker_cluster_name.clone(),
            ha_server_addr: format!("{}:{}", config.broker_ip2, config.listen_port.saturating_add(1)),
            broker_id: config.broker_id,
            data_version: self.topics.version(),
            topic_config_table: topics.collect(),
        }
    }

    pub(super) fn registered(&mut self, answer: &Answer, turn: &mut Turn<'_>) {
        self.registering.failed |= answer.result.is_err();
        if let Ok(Response { body: ResponseBody::RegisterBroker(told), .. }) = &answer.result {
            self.registering.told.get_or_insert_with(|| told.clone());
        }
        self.registering.open = self.registering.open.saturating_sub(1);
        if self.registering.open == 0
            && let Some(told) = self.registering.told.take()
        {
            self.master_told(told, turn);
        }
        if self.registering.open == 0 && !self.registering.failed {
            // The next round says the same and is answered the same, until a topic changes.
            self.park_registering(turn);
        }
    }
}

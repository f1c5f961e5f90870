//! The NameServer: holds which broker has which topic, in memory only, and tells who asks.

mod admin;
mod kv;
mod routes;
#[cfg(test)]
mod tests;

use crate::{
    node::{Actor, Answer, Caller, ConnId, Grid, NamesStep, Service, Turn, config_keys},
    wire::{ORDER_TOPIC_CONFIG, RegisterBroker, Request, Response, ResponseBody, ResponseCode},
};

pub use kv::KvTable;
pub use routes::{BrokerLive, Registered, Removed, RouteTables};

/// A broker that has not registered for so long is removed (`BROKER_CHANNEL_EXPIRED_TIME`), milliseconds.
pub const BROKER_EXPIRED_MS: i64 = 120_000;

/// Where a user finds more words; 4.9.8 ends many remarks with it.
pub const FAQ: &str = "\nSee http://rocketmq.apache.org/docs/faq/ for further details.";

const SCAN_FIRST_US: i64 = 5_000_000;
const SCAN_PERIOD_US: i64 = 10_000_000;

config_keys! {
    /// Configuration of a NameServer.
    NameServerConfig {
        /// The port that everybody uses.
        listen_port: i32 = "listenPort", 9_876;
        /// Routes of ordered topics say how many queues each broker has for good (`orderTopicConf`).
        order_message_enable: bool = "orderMessageEnable", false;
    }
}

/// A NameServer. What it knows of brokers is in memory only; NameServers do not talk to each other.
#[derive(Clone, Debug)]
pub struct NameServer {
    config: NameServerConfig,
    tables: RouteTables,
    kv: KvTable,
    scan: Grid,
}

impl NameServer {
    /// A NameServer that is not started yet.
    pub fn new(config: NameServerConfig) -> Self {
        Self { config, tables: RouteTables::default(), kv: KvTable::default(), scan: Grid::new(0, SCAN_PERIOD_US) }
    }

    /// Its configuration.
    pub const fn config(&self) -> &NameServerConfig {
        &self.config
    }

    /// Its tables.
    pub const fn tables(&self) -> &RouteTables {
        &self.tables
    }

    /// Its key-value table.
    pub const fn kv(&self) -> &KvTable {
        &self.kv
    }

    /// When a broker that was last heard of at `last_update_us` is removed unless it registers again, microseconds: the
    /// first scan that finds it silent for too long.
    pub fn expires_us(&self, last_update_us: i64) -> i64 {
        self.scan.at_or_after(last_update_us.saturating_add((BROKER_EXPIRED_MS + 1).saturating_mul(1000)))
    }

    /// `registerBrokerWithFilterServer`. The body's checksum is not sent along: bytes that arrive here are those that
    /// left.
    fn register(&mut self, caller: &Caller, request: &RegisterBroker, turn: &mut Turn<'_>) -> Response {
        let mut registered = self.tables.register(request, caller.conn, turn.wall_ms());
        turn.step(NamesStep::BrokerRegistered {
            broker_name: request.broker_name.clone(),
            broker_id: request.broker_id,
            broker_addr: request.broker_addr.clone(),
            first: registered.first,
            topics_changed: registered.topics_changed.clone(),
        });
        if registered.first || !registered.topics_changed.is_empty() {
            turn.disturb();
        }
        self.set_scan(turn);
        registered.answer.order_topics = self.kv.namespace(ORDER_TOPIC_CONFIG).cloned();
        Response::success(ResponseBody::RegisterBroker(registered.answer))
    }

    fn route(&self, topic: String, turn: &mut Turn<'_>) -> Response {
        if let Some(mut route) = self.tables.route(&topic) {
            if self.config.order_message_enable {
                route.order_topic_conf = self.kv.get(ORDER_TOPIC_CONFIG, &topic).map(str::to_owned);
            }
            let brokers = route.broker_datas.iter().map(|broker| broker.broker_name.clone()).collect();
            turn.step(NamesStep::RouteFound { topic, brokers });
            return Response::success(ResponseBody::Route(route));
        }
        let remark = format!("No topic route info in name server for the topic: {topic}{FAQ}");
        turn.step(NamesStep::RouteMissing { topic });
        Response::failure(ResponseCode::TopicNotExist, remark)
    }

    /// Sets the scan to the first of its moments at which a broker would be expired. Scans before it find nothing, and
    /// brokers whose registrations are parked cannot expire.
    fn set_scan(&self, turn: &mut Turn<'_>) {
        if let Some(due_ms) = self.tables.next_expiry_ms() {
            let due_us = turn.us_at_wall(due_ms).max(turn.now_us().saturating_add(1));
            turn.wake_at(Service::Scan, self.scan.at_or_after(due_us));
        }
    }

    fn tell_removed(removed: impl IntoIterator<Item = Removed>, reason: &str, turn: &mut Turn<'_>) {
        for broker in removed {
            turn.step(NamesStep::BrokerRemoved {
                broker_addr: broker.broker_addr,
                reason: reason.to_owned(),
                topics_removed: broker.topics_removed,
            });
            turn.disturb();
        }
    }
}

impl Actor for NameServer {
    fn services(&self) -> Vec<Service> {
        vec![Service::Route, Service::Scan, Service::Remoting]
    }

    fn lane(&self, _request: &Request) -> Service {
        Service::Route
    }

    fn start(&mut self, turn: &mut Turn<'_>) {
        self.scan = Grid::new(turn.now_us().saturating_add(SCAN_FIRST_US), SCAN_PERIOD_US);
    }

    fn die(&mut self) {
        let kv = std::mem::take(&mut self.kv);
        *self = Self { kv, ..Self::new(self.config.clone()) };
    }

    fn request(&mut self, caller: &Caller, request: Request, turn: &mut Turn<'_>) {
        let response = match request {
            Request::RegisterBroker(request) => self.register(caller, &request, turn),
            Request::UnregisterBroker(request) => {
                Self::tell_removed(self.tables.unregister(&request), "unregistered", turn);
                Response::success(ResponseBody::None)
            }
            Request::GetRouteinfoByTopic(request) => self.route(request.topic, turn),
            other => self.administer(other, turn),
        };
        turn.reply(caller, response);
    }

    fn answer(&mut self, _service: Service, _answer: Answer, _turn: &mut Turn<'_>) {}

    fn wake(&mut self, service: Service, turn: &mut Turn<'_>) {
        if service == Service::Scan {
            let (removed, conns) = self.tables.expire(turn.wall_ms());
            for conn in conns {
                turn.close(conn);
            }
            Self::tell_removed(removed, "expired", turn);
            self.set_scan(turn);
        }
    }

    fn closed(&mut self, _service: Service, conn: ConnId, turn: &mut Turn<'_>) {
        Self::tell_removed(self.tables.destroy(conn), "channelClosed", turn);
    }

    fn renewed(&mut self, _service: Service, conn: ConnId, at_ms: i64, parked: bool) {
        self.tables.renewed(conn, at_ms, parked);
    }

    fn disturbed(&mut self, turn: &mut Turn<'_>) {
        self.set_scan(turn);
    }
}

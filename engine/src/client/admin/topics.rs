//! Topics, groups and permissions.

use std::collections::BTreeMap;

use super::{AdminCommand, Call, Job, Or, Target, Then, To, unexpected};
use crate::{
    client::{Client, exception::Exception},
    fastjson::Value,
    node::Turn,
    wire::{
        BrokerRef, ClusterInfo, CreateTopic, DeleteGroup, DeleteTopic, GetRouteInfo, GroupConfig, KvConfig,
        ORDER_TOPIC_CONFIG, Request, ResponseBody, TopicConfig, TopicRouteData,
    },
};

/// What the tool prints when it looks for a cluster in vain (`CommandUtil.ERROR_MESSAGE`).
const NO_CLUSTER: &str = "Make sure the specified clusterName exists or the name server connected to is correct.";

/// Steps of making a topic an ordered one: its order configuration goes into the NameServers' key-value tables.
#[derive(Clone, Debug)]
pub(super) enum Order {
    /// The names of a cluster's brokers are known.
    Names(String),
    /// The name of the broker at this address is known.
    NameAt(String),
    /// What the NameServer has for the topic is known, to which this broker comes.
    Old {
        /// The broker's name.
        name: String,
    },
}

/// Asks for the masters of a cluster.
pub(super) fn masters(cluster: &str) -> Call {
    Call::new(To::NameServer, Request::GetBrokerClusterInfo, Then::Masters(cluster.to_owned()))
}

/// Asks for a route.
pub(super) fn route(topic: &str, then: Then) -> Call {
    Call::new(To::NameServer, Request::GetRouteinfoByTopic(GetRouteInfo { topic: topic.to_owned() }), then)
}

/// A command at one broker.
pub(super) fn at_broker(command: &AdminCommand, addr: &str) -> Vec<Call> {
    let to = |request: Request, then: Then| Call::new(To::Addr(addr.to_owned()), request, then);
    match command {
        AdminCommand::UpdateTopic { config, .. } if config.order => {
            let then = Then::Order(Order::NameAt(addr.to_owned()));
            let name = Call::new(To::NameServer, Request::GetBrokerClusterInfo, then);
            vec![to(create(config), Then::Nothing), name]
        }
        AdminCommand::UpdateTopic { config, .. } => {
            vec![to(create(config), Then::Say(format!("create topic to {addr} success.")))]
        }
        AdminCommand::DeleteTopic { topic, .. } => {
            let line = format!("delete topic [{topic}] from broker [{addr}] success.");
            vec![to(delete(topic), Then::Say(line))]
        }
        AdminCommand::UpdateGroup { config, .. } => {
            let line = format!("create subscription group to {addr} success.");
            vec![to(Request::UpdateAndCreateSubscriptionGroup(config.clone()), Then::Say(line))]
        }
        AdminCommand::DeleteGroup { group, remove_offset, .. } => {
            let line = format!("delete subscription group [{group}] from broker [{addr}] success.");
            vec![to(delete_group(group, *remove_offset), Then::Say(line))]
        }
        _ => Vec::new(),
    }
}

/// A permission at every NameServer; one that cannot be reached does not hold up the others.
pub(super) fn write_perm(name_servers: &[String], broker_name: &str, write: bool) -> Vec<Call> {
    let word = if write { "add" } else { "wipe" };
    let broker = BrokerRef { broker_name: broker_name.to_owned() };
    let calls = name_servers.iter().map(|addr| {
        let broker = broker.clone();
        let request =
            if write { Request::AddWritePermOfBroker(broker) } else { Request::WipeWritePermOfBroker(broker) };
        let line = format!("{word} write perm of broker[{broker_name}] in name server[{addr}] OK");
        Call { or: Or::GoOn, ..Call::new(To::Addr(addr.clone()), request, Then::WritePerm { line }) }
    });
    calls.collect()
}

fn create(config: &TopicConfig) -> Request {
    Request::UpdateAndCreateTopic(CreateTopic { config: config.clone() })
}

fn delete(topic: &str) -> Request {
    Request::DeleteTopicInBroker(DeleteTopic { topic: topic.to_owned(), cluster_name: None })
}

fn delete_group(group: &str, remove_offset: bool) -> Request {
    Request::DeleteSubscriptionGroup(DeleteGroup { group_name: group.to_owned(), remove_offset })
}

/// What the tool prints at the end of a command: the topic or the group as it was to be.
pub(super) fn last_words(command: &AdminCommand) -> String {
    match command {
        AdminCommand::UpdateTopic { config, .. } => config.to_string(),
        AdminCommand::UpdateGroup { config, .. } => group_text(config),
        _ => String::new(),
    }
}

/// `SubscriptionGroupConfig.toString`.
fn group_text(group: &GroupConfig) -> String {
    format!(
        "SubscriptionGroupConfig [groupName={}, consumeEnable={}, consumeFromMinEnable={}, consumeBroadcastEnable={}, \
         retryQueueNums={}, retryMaxTimes={}, brokerId={}, whichBrokerWhenConsumeSlowly={}, \
         notifyConsumerIdsChangedEnable={}]",
        group.group_name,
        group.consume_enable,
        group.consume_from_min_enable,
        group.consume_broadcast_enable,
        group.retry_queue_nums,
        group.retry_max_times,
        group.broker_id,
        group.which_broker_when_consume_slowly,
        group.notify_consumer_ids_changed_enable,
    )
}

/// A route as the tool prints it (`TopicRouteData.toJson`).
pub(super) fn route_text(route: &TopicRouteData) -> String {
    let brokers = route.broker_datas.iter().map(|broker| {
        let addrs = broker.broker_addrs.iter().map(|(id, addr)| (Value::from(*id), Value::from(addr)));
        let fields: [(&str, Value<'_>); 3] = [
            ("brokerAddrs", Value::Object(addrs.collect())),
            ("brokerName", (&broker.broker_name).into()),
            ("cluster", (&broker.cluster).into()),
        ];
        Value::object(fields)
    });
    let queues = route.queue_datas.iter().map(|queues| {
        let fields: [(&str, Value<'_>); 5] = [
            ("brokerName", (&queues.broker_name).into()),
            ("perm", queues.perm.into()),
            ("readQueueNums", queues.read_queue_nums.into()),
            ("topicSysFlag", queues.topic_sys_flag.into()),
            ("writeQueueNums", queues.write_queue_nums.into()),
        ];
        Value::object(fields)
    });
    let mut fields: Vec<(&str, Value<'_>)> =
        vec![("brokerDatas", Value::Array(brokers.collect())), ("filterServerTable", Value::Object(Vec::new()))];
    // fastjson leaves out what is null.
    fields.extend(route.order_topic_conf.as_ref().map(|conf| ("orderTopicConf", conf.into())));
    fields.push(("queueDatas", Value::Array(queues.collect())));
    Value::object(fields).to_pretty()
}

/// At the masters, and for an order topic its configuration at the NameServers.
fn update_topic(cluster: &str, masters: &[String], config: &TopicConfig) -> Vec<Call> {
    let at_master = |addr: &String| {
        let line = format!("create topic to {addr} success.");
        Call::new(To::Addr(addr.clone()), create(config), Then::Say(line))
    };
    let mut calls: Vec<Call> = masters.iter().map(at_master).collect();
    if config.order {
        let then = Then::Order(Order::Names(cluster.to_owned()));
        calls.push(Call::new(To::NameServer, Request::GetBrokerClusterInfo, then));
    }
    calls
}

impl Client {
    /// The command goes on at each of a cluster's masters.
    pub(super) fn tell_masters(&self, job: &mut Job, cluster: &str, info: &ClusterInfo, turn: &mut Turn<'_>) {
        let masters = info.masters(cluster);
        if masters.is_none() {
            job.say(format!("[error] {NO_CLUSTER}"), turn);
        }
        let masters = masters.unwrap_or_default();
        let calls = match job.command.clone() {
            AdminCommand::UpdateTopic { config, .. } => update_topic(cluster, &masters, &config),
            AdminCommand::DeleteTopic { topic, .. } => self.delete_topic(cluster, &masters, &topic),
            AdminCommand::UpdateGroup { config, .. } => {
                let calls = masters.iter().map(|addr| {
                    let line = format!("create subscription group to {addr} success.");
                    let request = Request::UpdateAndCreateSubscriptionGroup(config.clone());
                    Call { or: Or::GoOn, ..Call::new(To::Addr(addr.clone()), request, Then::Say(line)) }
                });
                calls.collect()
            }
            AdminCommand::DeleteGroup { group, remove_offset, .. } => {
                // The first answer is about the group, the next two about its topics.
                let topics = ["%RETRY%", "%DLQ%"].map(|prefix| format!("{prefix}{group}"));
                let at_master = |addr: &String| {
                    let line = format!(
                        "delete subscription group [{group}] from broker [{addr}] in cluster [{cluster}] success."
                    );
                    Call::new(To::Addr(addr.clone()), delete_group(&group, remove_offset), Then::Say(line))
                };
                let mut calls: Vec<Call> = masters.iter().map(at_master).collect();
                let of_topics = topics.iter().flat_map(|topic| self.delete_topic(cluster, &masters, topic));
                calls.extend(of_topics.map(|call| Call { or: Or::Leave, ..call }));
                calls
            }
            _ => Vec::new(),
        };
        job.first(calls);
    }

    /// At the brokers first, then at every NameServer.
    fn delete_topic(&self, cluster: &str, masters: &[String], topic: &str) -> Vec<Call> {
        let count = masters.len();
        let at_master = |(place, addr): (usize, &String)| {
            let last = place + 1 == count;
            let line = format!("delete topic [{topic}] from cluster [{cluster}] success.");
            let then = if last { Then::Say(line) } else { Then::Nothing };
            Call::new(To::Addr(addr.clone()), delete(topic), then)
        };
        let mut calls: Vec<Call> = masters.iter().enumerate().map(at_master).collect();
        let (name_servers, all) = (self.name_servers(), self.name_servers().len());
        calls.extend(name_servers.iter().enumerate().map(|(place, addr)| {
            let line = format!("delete topic [{topic}] from NameServer success.");
            let then = if place + 1 == all { Then::Say(line) } else { Then::Nothing };
            let delete = DeleteTopic { topic: topic.to_owned(), cluster_name: Some(cluster.to_owned()) };
            Call::new(To::Addr(addr.clone()), Request::DeleteTopicInNamesrv(delete), then)
        }));
        calls
    }

    /// The next step of an order configuration (`createOrUpdateOrderConf`).
    pub(super) fn order_answered(&self, job: &mut Job, order: Order, body: ResponseBody) -> Result<(), Exception> {
        let AdminCommand::UpdateTopic { config, target } = job.command.clone() else { return Ok(()) };
        let no_cluster = || Exception::plain("Exception", NO_CLUSTER.to_owned());
        let calls = match (order, body) {
            (Order::Names(cluster), ResponseBody::Cluster(info)) => {
                let names = info.cluster_addr_table.get(&cluster).ok_or_else(no_cluster)?;
                let each = names.iter().map(|name| format!("{name}:{}", config.write_queue_nums));
                let conf = each.collect::<Vec<_>>().join(";");
                self.put_order(&config, &target, &conf)
            }
            (Order::NameAt(addr), ResponseBody::Cluster(info)) => {
                let name = info.name_at(&addr).ok_or_else(no_cluster)?.to_owned();
                let key = config.topic_name;
                let request =
                    Request::GetKvConfig(KvConfig { namespace: ORDER_TOPIC_CONFIG.to_owned(), key, value: None });
                vec![Call::new(To::NameServer, request, Then::Order(Order::Old { name }))]
            }
            (Order::Old { name }, ResponseBody::Text(old)) => self.put_order_of(job, &name, &old),
            _ => return Err(unexpected()),
        };
        job.first(calls);
        Ok(())
    }

    /// One broker comes to the order configuration that the NameServer has.
    pub(super) fn put_order_of(&self, job: &Job, name: &str, old: &str) -> Vec<Call> {
        let AdminCommand::UpdateTopic { config, target } = &job.command else { return Vec::new() };
        let known = old.split(';').filter(|one| !one.is_empty());
        let mut brokers: BTreeMap<&str, String> =
            known.map(|one| (one.split(':').next().unwrap_or(one), one.to_owned())).collect();
        brokers.insert(name, format!("{name}:{}", config.write_queue_nums));
        let conf = brokers.into_values().collect::<Vec<_>>().join(";");
        self.put_order(config, target, &conf)
    }

    fn put_order(&self, config: &TopicConfig, target: &Target, conf: &str) -> Vec<Call> {
        let line = match target {
            Target::Cluster(_) => format!("set cluster orderConf. isOrder=true, orderConf=[{conf}]"),
            Target::Broker(addr) => {
                format!("set broker orderConf. isOrder=true, orderConf=[{conf}]\ncreate topic to {addr} success.")
            }
        };
        let all = self.name_servers().len();
        let calls = self.name_servers().iter().enumerate().map(|(place, addr)| {
            let then = if place + 1 == all { Then::Say(line.clone()) } else { Then::Nothing };
            let put = KvConfig {
                namespace: ORDER_TOPIC_CONFIG.to_owned(),
                key: config.topic_name.clone(),
                value: Some(conf.to_owned()),
            };
            Call::new(To::Addr(addr.clone()), Request::PutKvConfig(put), then)
        });
        calls.collect()
    }
}

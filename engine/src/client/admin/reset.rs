//! `resetOffsetByTime`: the brokers are asked to tell the group's consumers; where no consumer is online, the offsets are
//! set one by one (`resetOffsetByTimestamp`, `resetOffsetByTimestampOld`).

use super::{AdminCommand, Call, Job, Or, Then, To, refused, topics, unexpected};
use crate::{
    client::{Client, exception::Exception},
    node::Turn,
    wire::{
        GetConsumeStats, GetRouteInfo, QueueRef, QueueStats, Request, ResetOffset, ResponseBody, ResponseCode,
        SearchOffset, TopicRouteData, UpdateConsumerOffset,
    },
};

/// Steps of a reset.
#[derive(Clone, Debug)]
pub(super) enum Reset {
    /// The topic's brokers are known.
    Route,
    /// A broker has worked the offsets out, and told the consumers that are online.
    Online {
        /// The broker's name.
        name: String,
    },
    /// The topic's brokers are known, and no consumer is online.
    OldRoute,
    /// How far the group is at a broker.
    Progress {
        /// The broker's name and address, and its queues.
        at: Place,
    },
    /// How far the queues are that the group has never read.
    Ends {
        /// The broker.
        at: Place,
    },
    /// The offset of the time is known.
    Found {
        /// The broker.
        at: Place,
        /// The queue as it was.
        queue: QueueStats,
    },
}

/// A broker of the topic.
#[derive(Clone, Debug)]
pub(super) struct Place {
    name: String,
    addr: String,
    read_queues: i32,
}

/// What the command says.
struct Said {
    group: String,
    topic: String,
    timestamp_ms: i64,
    force: bool,
}

fn said(job: &Job) -> Said {
    match job.command.clone() {
        AdminCommand::ResetOffset { group, topic, timestamp_ms, force } => Said { group, topic, timestamp_ms, force },
        _ => Said { group: String::new(), topic: String::new(), timestamp_ms: 0, force: false },
    }
}

impl Said {
    fn headline(&self, word: &str) -> String {
        let Self { group, topic, timestamp_ms, force } = self;
        let text = if *timestamp_ms == -1 { "now".to_owned() } else { timestamp_ms.to_string() };
        format!(
            "rollback consumer offset by specified {word}[{group}], topic[{topic}], force[{force}], \
             timestamp(string)[{text}], timestamp(long)[{timestamp_ms}]"
        )
    }
}

/// The brokers of a route with an address to ask (`BrokerData.selectBrokerAddr`): the master's, else one drawn by lot.
fn places(route: &TopicRouteData, turn: &mut Turn<'_>) -> Vec<Place> {
    let mut places = Vec::new();
    for broker in &route.broker_datas {
        let addrs: Vec<&String> = broker.broker_addrs.values().collect();
        let bound = u32::try_from(addrs.len()).unwrap_or(u32::MAX);
        let addr = match broker.broker_addrs.get(&0) {
            Some(addr) => Some(addr),
            None if bound > 0 => addrs.get(turn.streams().below("brokerAddr", bound) as usize).copied(),
            None => None,
        };
        let queues = route.queue_datas.iter().find(|queues| queues.broker_name == broker.broker_name);
        let read_queues = queues.map_or(0, |queues| queues.read_queue_nums);
        if let Some(addr) = addr.cloned() {
            places.push(Place { name: broker.broker_name.clone(), addr, read_queues });
        }
    }
    places
}

impl Client {
    pub(super) fn reset_answered(
        job: &mut Job,
        reset: Reset,
        code: ResponseCode,
        body: ResponseBody,
        remark: Option<&str>,
        turn: &mut Turn<'_>,
    ) -> Result<(), Exception> {
        let said = said(job);
        if let (Reset::Online { .. }, ResponseCode::ConsumerNotOnline) = (&reset, code) {
            job.todo.clear();
            job.first(vec![topics::route(&said.topic, Then::Reset(Reset::OldRoute))]);
            return Ok(());
        }
        if code != ResponseCode::Success {
            return Err(refused(code, remark));
        }
        match (reset, body) {
            (Reset::Route, ResponseBody::Route(route)) => {
                let calls = places(&route, turn).into_iter().map(|Place { name, addr, .. }| {
                    let request = Request::InvokeBrokerToResetOffset(ResetOffset {
                        topic: said.topic.clone(),
                        group: said.group.clone(),
                        timestamp: said.timestamp_ms,
                        force: said.force,
                    });
                    Call::new(To::Addr(addr), request, Then::Reset(Reset::Online { name }))
                });
                job.first(calls.collect());
            }
            (Reset::Online { name }, ResponseBody::Offsets(offsets)) => {
                if job.lines.is_empty() {
                    job.say(said.headline("group"), turn);
                    job.say("#brokerName  #queueId  #offset", turn);
                }
                job.count(offsets.len());
                for (queue_id, offset) in offsets {
                    job.say(format!("{name}  {queue_id}  {offset}"), turn);
                }
            }
            (Reset::OldRoute, ResponseBody::Route(route)) => {
                job.say(said.headline("consumerGroup"), turn);
                job.say(
                    "#brokerName  #queueId  #brokerOffset  #consumerOffset  #timestampOffset  #rollbackOffset",
                    turn,
                );
                let calls = places(&route, turn).into_iter().map(|at| {
                    let stats = GetConsumeStats { consumer_group: said.group.clone(), topic: None };
                    let then = Then::Reset(Reset::Progress { at: at.clone() });
                    Call::new(To::Addr(at.addr), Request::GetConsumeStats(stats), then)
                });
                job.first(calls.collect());
            }
            (Reset::Progress { at }, ResponseBody::Stats(stats)) => {
                if let Some(queues) = stats.get(&said.topic) {
                    job.first(queues.iter().map(|queue| find(&said, &at, *queue)).collect());
                } else {
                    let ask = Request::GetTopicStatsInfo(GetRouteInfo { topic: said.topic });
                    job.first(vec![Call::new(To::Addr(at.addr.clone()), ask, Then::Reset(Reset::Ends { at }))]);
                }
            }
            (Reset::Ends { at }, ResponseBody::Stats(stats)) => {
                // 4.9.8 takes every queue that can be read, and trips over those that cannot be written.
                let queues = stats.get(&said.topic).cloned().unwrap_or_default();
                let queue = |id: i32| queues.iter().find(|queue| queue.queue_id == id);
                let found: Option<Vec<Call>> =
                    (0..at.read_queues).map(|id| Some(find(&said, &at, *queue(id)?))).collect();
                job.first(found.ok_or_else(|| Exception::plain("NullPointerException", "null".to_owned()))?);
            }
            (Reset::Found { at, queue }, ResponseBody::Offset(offset)) => {
                let goes = said.force || offset <= queue.consumer_offset;
                let back = if goes { offset } else { queue.consumer_offset };
                let line = format!(
                    "{}  {}  {}  {}  {offset}  {back}",
                    at.name, queue.queue_id, queue.broker_offset, queue.consumer_offset
                );
                if !goes {
                    job.say(line, turn);
                    return Ok(());
                }
                job.count(1);
                let update = Request::UpdateConsumerOffset(UpdateConsumerOffset {
                    consumer_group: said.group,
                    topic: said.topic,
                    queue_id: queue.queue_id,
                    commit_offset: offset,
                });
                job.first(vec![Call { or: Or::End, ..Call::new(To::Addr(at.addr), update, Then::Say(line)) }]);
            }
            _ => return Err(unexpected()),
        }
        Ok(())
    }
}

/// Asks for the offset of the command's time in a queue (`resetOffsetConsumeOffset`).
fn find(said: &Said, at: &Place, queue: QueueStats) -> Call {
    let (topic, queue_id) = (said.topic.clone(), queue.queue_id);
    let request = if said.timestamp_ms == -1 {
        Request::GetMaxOffset(QueueRef { topic, queue_id })
    } else {
        Request::SearchOffsetByTimestamp(SearchOffset { topic, queue_id, timestamp: said.timestamp_ms })
    };
    Call::new(To::Addr(at.addr.clone()), request, Then::Reset(Reset::Found { at: at.clone(), queue }))
}

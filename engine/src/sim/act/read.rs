//! Clients that read: pulls, commits, questions, searches.

use super::{Wanted, bad_value, not_negative};
use crate::{
    client::{Ask, PullRequest, QueueNumber},
    message::near_time,
    sim::{Action, ActionError, Question, TraceEvent, World, queue::NodeId},
    wire::QueryMessage,
};

impl World {
    /// Actions of those who read, and everything that is left.
    pub(super) fn read(&mut self, action: Action) -> Result<TraceEvent, ActionError> {
        match &action {
            Action::Pull { consumer, topic, queue, offset, max, tags, sql, suspend_ms, commit, broker } => {
                let node = self.caller(consumer, Wanted::Consumer)?;
                not_negative("queue", i64::from(*queue))?;
                not_negative("offset", *offset)?;
                not_negative("max", i64::from(*max) - 1)?;
                not_negative("suspendMs", suspend_ms.unwrap_or(0))?;
                let request = PullRequest {
                    topic: topic.clone(),
                    broker: broker.clone(),
                    queue_id: *queue,
                    offset: *offset,
                    max: *max,
                    tags: tags.clone(),
                    sql: sql.clone(),
                    suspend_ms: *suspend_ms,
                    commit: *commit,
                };
                Ok(self.call(node, action, |client, turn| client.pull(request, turn)))
            }
            Action::Commit { consumer, topic, queue, offset } => {
                let node = self.caller(consumer, Wanted::Consumer)?;
                not_negative("queue", i64::from(*queue))?;
                let ask = Ask::Commit { topic: topic.clone(), queue_id: *queue, offset: *offset };
                Ok(self.call(node, action, |client, turn| client.ask(ask, turn)))
            }
            Action::Ask { client, topic, queue, what } => {
                let (what, wanted) = match what {
                    Question::MaxOffset => (QueueNumber::Max, Wanted::WholeClient),
                    Question::MinOffset => (QueueNumber::Min, Wanted::WholeClient),
                    Question::OffsetAt { timestamp_ms } => (QueueNumber::At(*timestamp_ms), Wanted::WholeClient),
                    Question::ConsumerOffset => (QueueNumber::Consumer, Wanted::Consumer),
                };
                let node = self.caller(client, wanted)?;
                not_negative("queue", i64::from(*queue))?;
                let ask = Ask::Queue { topic: topic.clone(), queue_id: *queue, what };
                Ok(self.call(node, action, |client, turn| client.ask(ask, turn)))
            }
            Action::QueryKey { client, topic, key, unique, max, begin, end } => {
                let node = self.caller(client, Wanted::WholeClient)?;
                not_negative("max", i64::from(*max) - 1)?;
                let begin_timestamp = match begin {
                    Some(begin) => *begin,
                    None if *unique => self.before_made(node, key)?,
                    None => 0,
                };
                let query = QueryMessage {
                    topic: topic.clone(),
                    key: key.clone(),
                    max_num: *max,
                    begin_timestamp,
                    end_timestamp: *end,
                    unique_key_query: *unique,
                };
                Ok(self.call(node, action, |client, turn| client.query(query, turn)))
            }
            Action::ViewMessage { client, id } => {
                let node = self.caller(client, Wanted::WholeClient)?;
                let id = id.parse().map_err(|error| bad_value("id", format!("{error}")))?;
                Ok(self.call(node, action, |client, turn| client.ask(Ask::View(id), turn)))
            }
            _ => self.intervene(action),
        }
    }

    /// Where the search for a unique key begins: a second before the time that its id tells
    /// (`MQAdminImpl.queryMessageByUniqKey`).
    fn before_made(&self, node: NodeId, id: &str) -> Result<i64, ActionError> {
        let now_ms = self.nodes.get(node).map_or(0, |node| node.wall_ms(self.now_us));
        let made_ms = near_time(id, now_ms).map_err(|cause| bad_value("key", cause.to_string()))?;
        Ok(made_ms.saturating_sub(1000))
    }
}

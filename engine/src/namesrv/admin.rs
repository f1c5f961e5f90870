//! What brokers that do not force their registration, and administrators, ask of a NameServer.

use super::NameServer;
use crate::{
    node::{NamesStep, Turn},
    wire::{
        BrokerRef, DataVersionAnswer, DeleteTopic, KvConfig, QueryDataVersion, Request, Response, ResponseBody,
        ResponseCode,
    },
};

impl NameServer {
    pub(super) fn administer(&mut self, request: Request, turn: &mut Turn<'_>) -> Response {
        match request {
            Request::QueryDataVersion(query) => self.compare(&query, turn),
            Request::GetBrokerClusterInfo => {
                Response::success(ResponseBody::Cluster(Box::new(self.tables.cluster_info())))
            }
            Request::WipeWritePermOfBroker(broker) => self.set_write_perm(&broker, false, turn),
            Request::AddWritePermOfBroker(broker) => self.set_write_perm(&broker, true, turn),
            Request::DeleteTopicInNamesrv(delete) => self.delete_topic(delete, turn),
            Request::PutKvConfig(KvConfig { namespace, key, value }) => {
                self.kv.put(&namespace, &key, value.as_deref().unwrap_or_default(), turn);
                Response::success(ResponseBody::None)
            }
            Request::DeleteKvConfig(KvConfig { namespace, key, .. }) => {
                self.kv.delete(&namespace, &key, turn);
                Response::success(ResponseBody::None)
            }
            Request::GetKvConfig(KvConfig { namespace, key, .. }) => {
                let Some(value) = self.kv.get(&namespace, &key) else {
                    let remark = format!("No config item, Namespace: {namespace} Key: {key}");
                    return Response::failure(ResponseCode::QueryNotFound, remark);
                };
                Response::success(ResponseBody::Text(value.to_owned()))
            }
            other => Response::not_supported(other.code()),
        }
    }

    /// `queryBrokerTopicConfig`: a broker whose topics are known as they are is alive all the same.
    fn compare(&mut self, query: &QueryDataVersion, turn: &mut Turn<'_>) -> Response {
        let known = self.tables.version_of(&query.broker_addr);
        let changed = known != Some(query.data_version);
        turn.step(NamesStep::DataVersionCompared { broker_addr: query.broker_addr.clone(), changed });
        if !changed {
            self.tables.touch(&query.broker_addr, turn.wall_ms());
            self.set_scan(turn);
        }
        Response::success(ResponseBody::DataVersion(DataVersionAnswer { changed, data_version: known }))
    }

    /// `wipeWritePermOfBroker` and `addWritePermOfBroker`: in this NameServer's table alone, until the broker next
    /// registers topics that have changed.
    fn set_write_perm(&mut self, broker: &BrokerRef, write: bool, turn: &mut Turn<'_>) -> Response {
        let (topics, changed) = self.tables.set_write_perm(&broker.broker_name, write);
        let what = if write { "added" } else { "wiped" };
        let broker_name = broker.broker_name.clone();
        turn.step(NamesStep::WritePermSet { broker_name, what: what.to_owned(), topics });
        if changed {
            turn.disturb();
        }
        Response::success(ResponseBody::Count(topics))
    }

    /// `deleteTopicInNamesrv`.
    fn delete_topic(&mut self, delete: DeleteTopic, turn: &mut Turn<'_>) -> Response {
        let DeleteTopic { topic, cluster_name } = delete;
        let cluster = cluster_name.as_deref().filter(|cluster| !cluster.is_empty());
        let brokers = self.tables.delete_topic(&topic, cluster);
        if !brokers.is_empty() {
            turn.disturb();
        }
        turn.step(NamesStep::RouteDeleted { topic, brokers });
        Response::success(ResponseBody::None)
    }
}

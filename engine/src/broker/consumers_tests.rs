//! Heartbeats, goodbyes and the members of groups, asked of a broker directly. Expected is what `ClientManageProcessor`,
//! `ConsumerManager` and `ConsumerGroupInfo` of 4.9.8 do; codes and texts are theirs.

use super::test_rig::{Answered, Rig, START_MS};
use crate::{
    filter::Subscription,
    node::{Actor, ConnId, Service},
    wire::{
        CheckClientConfig, ConsumerData, GroupConfig, GroupRef, HeartbeatData, LockBatch, ProducerData, Request,
        Response, ResponseBody, ResponseCode, TopicQueue, UnregisterClient,
    },
};

/// A heartbeat of the consumer `client` in `group`, with tag expressions by topic, all of one version.
pub(super) fn beat(client: &str, group: &str, sub_version: i64, topics: &[(&str, &str)]) -> HeartbeatData {
    let subscriptions = topics.iter().map(|(topic, tags)| Subscription::tags(topic, Some(tags), sub_version));
    HeartbeatData {
        client_id: client.to_owned(),
        producer_data_set: vec![ProducerData { group_name: "CLIENT_INNER_PRODUCER".to_owned() }],
        consumer_data_set: vec![ConsumerData {
            group_name: group.to_owned(),
            consume_type: "CONSUME_PASSIVELY".to_owned(),
            message_model: "CLUSTERING".to_owned(),
            consume_from_where: "CONSUME_FROM_LAST_OFFSET".to_owned(),
            subscription_data_set: subscriptions.collect(),
            unit_mode: false,
        }],
    }
}

const NOBODY: [u64; 0] = [];

impl Rig {
    /// The connections that are told of a change by a heartbeat over connection `conn`.
    pub(super) fn beats(&mut self, conn: u64, data: HeartbeatData) -> Vec<u64> {
        let answered = self.ask_on(conn, Request::HeartBeat(data));
        assert_eq!(answered.response, Some(Response::success(ResponseBody::None)));
        told(&answered)
    }

    pub(super) fn goes(&mut self, conn: u64, client: &str, group: &str) -> Vec<u64> {
        let goodbye = UnregisterClient {
            client_id: client.to_owned(),
            producer_group: None,
            consumer_group: Some(group.to_owned()),
        };
        told(&self.ask_on(conn, Request::UnregisterClient(goodbye)))
    }

    fn closes(&mut self, conn: u64) -> Vec<u64> {
        told(&Answered::of(self.turn(|broker, turn| broker.closed(Service::Remoting, ConnId(conn), turn))))
    }

    fn members(&mut self, group: &str) -> Response {
        self.ask(Request::GetConsumerListByGroup(GroupRef { consumer_group: group.to_owned() }))
    }

    /// The group's subscriptions: topic, expression, version.
    fn subscriptions(&self, group: &str) -> Vec<(String, String, i64)> {
        let subscriptions = self.process().clients().groups()[group].subscriptions.values();
        subscriptions.map(|of| (of.topic.clone(), of.sub_string.clone(), of.sub_version)).collect()
    }

    pub(super) fn set_group(&mut self, config: GroupConfig) {
        self.ask(Request::UpdateAndCreateSubscriptionGroup(Box::new(config)));
    }
}

/// Who is told, all of the group `G`.
fn told(answered: &Answered) -> Vec<u64> {
    let group = Request::NotifyConsumerIdsChanged(GroupRef { consumer_group: "G".to_owned() });
    assert!(answered.notices.iter().all(|(_, request)| *request == group));
    answered.notices.iter().map(|(conn, _)| conn.0).collect()
}

fn row(topic: &str, expression: &str, version: i64) -> (String, String, i64) {
    (topic.to_owned(), expression.to_owned(), version)
}

fn ids(ids: &[&str]) -> Response {
    Response::success(ResponseBody::ConsumerIds(ids.iter().map(|id| (*id).to_owned()).collect()))
}

#[test]
fn a_new_channel_is_told_to_everybody_and_to_itself() {
    let mut rig = Rig::new(&[]);
    let topics = [("T", "*")];
    assert_eq!(rig.beats(1, beat("a", "G", 5, &topics)), [1]);
    assert_eq!(rig.beats(2, beat("b", "G", 6, &topics)), [1, 2]);
    assert_eq!(rig.beats(1, beat("a", "G", 5, &topics)), NOBODY);
    assert_eq!(rig.members("G"), ids(&["a", "b"]));
}

#[test]
fn the_first_heartbeat_of_a_group_makes_its_settings_and_its_retry_topic() {
    let mut rig = Rig::new(&[]);
    let mut data = beat("a", "G", 5, &[]);
    data.consumer_data_set[0].unit_mode = true;
    rig.beats(1, data);
    assert!(rig.process().groups().table().contains_key("G"));
    let topic = rig.process().topics().get("%RETRY%G").unwrap();
    assert_eq!((topic.read_queue_nums, topic.write_queue_nums, topic.perm), (1, 1, 6));
    // TopicSysFlag.FLAG_UNIT_SUB.
    assert_eq!(topic.topic_sys_flag, 2);
}

/// ClientManageProcessor.heartBeat: without settings there is no retry topic, but the consumer is registered and told.
#[test]
fn a_group_that_may_not_be_made_has_members_all_the_same() {
    let mut rig = Rig::new(&[("autoCreateSubscriptionGroup", "false")]);
    assert_eq!(rig.beats(1, beat("a", "G", 5, &[("T", "*")])), [1]);
    assert!(rig.process().topics().get("%RETRY%G").is_none());
    assert_eq!(rig.members("G"), ids(&["a"]));
}

#[test]
fn two_clients_with_one_id_are_listed_twice() {
    let mut rig = Rig::new(&[]);
    rig.beats(1, beat("a", "G", 5, &[]));
    rig.beats(2, beat("a", "G", 5, &[]));
    assert_eq!(rig.members("G"), ids(&["a", "a"]));
}

#[test]
fn a_group_without_members_is_an_error() {
    let mut rig = Rig::new(&[]);
    let nobody = Response::failure(ResponseCode::SystemError, "no consumer for this group, G");
    assert_eq!(rig.members("G"), nobody);
    rig.beats(1, beat("a", "G", 5, &[]));
    rig.goes(1, "a", "G");
    assert_eq!(rig.members("G"), nobody);
}

#[test]
fn a_newer_version_replaces_a_subscription_and_nobody_is_told() {
    let mut rig = Rig::new(&[]);
    rig.beats(1, beat("a", "G", 5, &[("T", "TagA")]));
    rig.beats(2, beat("b", "G", 4, &[("T", "TagB")]));
    assert_eq!(rig.subscriptions("G"), [row("T", "TagA", 5)], "an older one does not");
    assert_eq!(rig.beats(2, beat("b", "G", 5, &[("T", "TagB")])), NOBODY);
    assert_eq!(rig.subscriptions("G"), [row("T", "TagA", 5)], "nor one of the same");
    assert_eq!(rig.beats(2, beat("b", "G", 6, &[("T", "TagB")])), NOBODY);
    assert_eq!(rig.subscriptions("G"), [row("T", "TagB", 6)]);
}

#[test]
fn members_with_other_topics_take_each_others_away() {
    let mut rig = Rig::new(&[]);
    rig.beats(1, beat("a", "G", 5, &[("A", "*"), ("T", "*")]));
    assert_eq!(rig.beats(2, beat("b", "G", 6, &[("B", "*"), ("T", "*")])), [1, 2]);
    assert_eq!(rig.subscriptions("G"), [row("B", "*", 6), row("T", "*", 6)]);
    // Every heartbeat changes the group from here on, and is told.
    assert_eq!(rig.beats(1, beat("a", "G", 5, &[("A", "*"), ("T", "*")])), [1, 2]);
    assert_eq!(rig.subscriptions("G"), [row("A", "*", 5), row("T", "*", 6)]);
}

/// ConsumerGroupInfo.updateChannel.
#[test]
fn the_latest_heartbeat_says_how_the_group_consumes() {
    let mut rig = Rig::new(&[]);
    rig.beats(1, beat("a", "G", 5, &[]));
    let mut data = beat("b", "G", 5, &[]);
    let group = &mut data.consumer_data_set[0];
    for (field, value) in [
        (&mut group.consume_type, "CONSUME_ACTIVELY"),
        (&mut group.message_model, "BROADCASTING"),
        (&mut group.consume_from_where, "CONSUME_FROM_FIRST_OFFSET"),
    ] {
        value.clone_into(field);
    }
    rig.beats(2, data);
    let group = &rig.process().clients().groups()["G"];
    assert_eq!(
        [&group.consume_type, &group.message_model, &group.consume_from_where],
        ["CONSUME_ACTIVELY", "BROADCASTING", "CONSUME_FROM_FIRST_OFFSET"]
    );
}

#[test]
fn whoever_stays_is_told_of_a_goodbye_and_of_a_closed_connection() {
    let mut rig = Rig::new(&[]);
    for (conn, client) in [(1, "a"), (2, "b"), (3, "c")] {
        rig.beats(conn, beat(client, "G", 5, &[]));
    }
    assert_eq!(rig.goes(2, "b", "G"), [1, 3]);
    assert_eq!(rig.members("G"), ids(&["a", "c"]));
    assert_eq!(rig.closes(3), [1]);
    assert_eq!(rig.closes(3), NOBODY);
    assert_eq!(rig.goes(2, "b", "G"), [1], "unregisterConsumer tells even of one that was not there");
    assert_eq!(rig.closes(1), NOBODY);
    assert!(rig.process().clients().groups().is_empty());
}

/// Its own channel stays in the groups that it has not named, here that of the inner producer.
#[test]
fn a_goodbye_is_to_one_group() {
    let mut rig = Rig::new(&[]);
    rig.beats(1, beat("a", "G", 5, &[]));
    rig.goes(1, "a", "G");
    assert_eq!(rig.process().clients().channels().len(), 1);
    assert_eq!(rig.process().clients().producers().keys().collect::<Vec<_>>(), ["CLIENT_INNER_PRODUCER"]);
}

#[test]
fn the_groups_settings_keep_heartbeats_and_goodbyes_quiet_and_no_closed_connection() {
    let mut rig = Rig::new(&[]);
    rig.set_group(GroupConfig { notify_consumer_ids_changed_enable: false, ..GroupConfig::new("G") });
    assert_eq!(rig.beats(1, beat("a", "G", 5, &[])), NOBODY);
    assert_eq!(rig.beats(2, beat("b", "G", 5, &[("T", "*")])), NOBODY);
    rig.beats(3, beat("c", "G", 5, &[("T", "*")]));
    assert_eq!(rig.goes(2, "b", "G"), NOBODY);
    assert_eq!(rig.closes(3), [1]);
}

#[test]
fn the_brokers_settings_keep_everything_quiet() {
    let mut rig = Rig::new(&[("notifyConsumerIdsChangedEnable", "false")]);
    assert_eq!(rig.beats(1, beat("a", "G", 5, &[])), NOBODY);
    assert_eq!(rig.beats(2, beat("b", "G", 5, &[])), NOBODY);
    assert_eq!(rig.closes(2), NOBODY);
}

/// `CHANNEL_EXPIRED_TIMEOUT`: 120000 ms of silence are allowed.
#[test]
fn a_silent_client_is_forgotten_and_nobody_is_told() {
    let mut rig = Rig::new(&[]);
    rig.beats(1, beat("a", "G", 5, &[]));
    let first_us = rig.now_us;
    rig.now_us = first_us + 60_000_000;
    rig.beats(2, beat("b", "G", 5, &[]));
    let scan = |rig: &mut Rig| {
        Answered::of(rig.turn(|broker, turn| broker.wake(Service::ClientHousekeeping, turn))).notices.len()
    };
    rig.now_us = first_us + 120_000_000;
    assert_eq!(scan(&mut rig), 0);
    assert_eq!(rig.members("G"), ids(&["a", "b"]));
    rig.now_us = first_us + 120_001_000;
    assert_eq!(scan(&mut rig), 0);
    assert_eq!(rig.members("G"), ids(&["b"]));
    assert_eq!(rig.closes(1), NOBODY, "the news of the closed connection finds nobody");
}

fn check(kind: &str, expression: &str) -> Request {
    let mut subscription = Subscription::tags("T", None, 0);
    kind.clone_into(&mut subscription.expression_type);
    expression.clone_into(&mut subscription.sub_string);
    Request::CheckClientConfig(Box::new(CheckClientConfig {
        client_id: "a".to_owned(),
        group: "G".to_owned(),
        subscription_data: subscription,
    }))
}

#[test]
fn a_broker_says_whether_it_can_filter_by_an_expression() {
    let mut rig = Rig::new(&[]);
    for tags in ["TAG", ""] {
        assert_eq!(rig.ask(check(tags, "TagA")), Response::success(ResponseBody::None));
    }
    let remark = "The broker does not support consumer to filter message by SQL92";
    assert_eq!(rig.ask(check("SQL92", "a > 3")), Response::failure(ResponseCode::SystemError, remark));

    let mut rig = Rig::new(&[("enablePropertyFilter", "true")]);
    assert_eq!(rig.ask(check("SQL92", "a > 3")), Response::success(ResponseBody::None));
    let refused = rig.ask(check("SQL92", "a="));
    assert_eq!(refused.code, ResponseCode::SubscriptionParseFailed);
    // What a real broker said (scenario B30).
    let said = "org.apache.rocketmq.filter.parser.ParseException: Encountered \"<EOF>\" at line 1, column 2.\n";
    assert!(refused.remark.unwrap().starts_with(said));
    let refused = rig.ask(check("XPATH", "a"));
    assert_eq!((refused.code, refused.remark), (ResponseCode::SubscriptionParseFailed, None));
}

#[test]
fn a_batch_of_locks_is_answered_with_those_that_the_consumer_has() {
    let mut rig = Rig::new(&[]);
    let queue = |queue_id| TopicQueue { topic: "T".to_owned(), broker_name: "broker-a".to_owned(), queue_id };
    let batch = |client: &str, queues: &[i32]| LockBatch {
        consumer_group: "G".to_owned(),
        client_id: client.to_owned(),
        mq_set: queues.iter().copied().map(queue).collect(),
    };
    let locked = |rig: &mut Rig, client: &str, queues: &[i32]| {
        let response = rig.ask(Request::LockBatchMq(batch(client, queues)));
        assert_eq!(response.code, ResponseCode::Success);
        let ResponseBody::LockedQueues(locked) = response.body else { panic!("{:?}", response.body) };
        locked.into_iter().map(|queue| queue.queue_id).collect::<Vec<_>>()
    };
    assert_eq!(locked(&mut rig, "a", &[0, 1]), [0, 1]);
    assert_eq!(locked(&mut rig, "b", &[1, 2]), [2]);
    let response = rig.ask(Request::UnlockBatchMq(batch("b", &[0, 2])));
    assert_eq!(response, Response::success(ResponseBody::None));
    assert_eq!(locked(&mut rig, "a", &[0, 1, 2]), [0, 1, 2]);
    rig.now_us += 60_001_000;
    assert_eq!(locked(&mut rig, "b", &[0]), [0]);
    assert_eq!(rig.process().locks().table()["G"][&queue(0)].last_update_ms, START_MS + rig.now_us / 1000);

    // A restart forgets them.
    rig.turn(|broker, _| broker.die());
    rig.start();
    assert_eq!(locked(&mut rig, "c", &[0, 1, 2]), [0, 1, 2]);
}

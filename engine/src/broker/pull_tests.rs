//! Pulls straight into a broker: what it refuses, in which order and with which words (`PullMessageProcessor`), what it
//! filters by, and how long it holds them (`PullRequestHoldService`).

use super::{
    consumers_tests::beat,
    test_rig::{Answered, Rig, START_MS},
};
use crate::{
    filter::Subscription,
    node::{Actor, Service, StepKind},
    store::{Step, step::UnitVerdict},
    wire::{
        GroupConfig, HeartbeatData, PullMessage, Request, Response, ResponseBody, ResponseCode, TopicConfig, pull_flag,
    },
};

const FAQ: &str = "\nSee http://rocketmq.apache.org/docs/faq/ for further details.";

/// How long pulls of the tests may be held, milliseconds.
const SUSPEND_MS: i64 = 15_000;

impl Rig {
    /// Pulls from queue 0 of `T` with the group's subscription; the answer, unless the pull is held.
    fn pulls(&mut self, change: impl FnOnce(&mut PullMessage)) -> Option<Response> {
        let mut pull = PullMessage {
            consumer_group: "G".to_owned(),
            topic: "T".to_owned(),
            queue_id: 0,
            queue_offset: 0,
            max_msg_nums: 32,
            sys_flag: 0,
            commit_offset: 0,
            suspend_timeout_millis: SUSPEND_MS,
            subscription: None,
            sub_version: 0,
            expression_type: None,
        };
        change(&mut pull);
        self.ask_on(1, Request::PullMessage(pull)).response
    }

    fn refused(&mut self, change: impl FnOnce(&mut PullMessage)) -> (ResponseCode, String) {
        let response = self.pulls(change).unwrap();
        (response.code, response.remark.unwrap_or_default())
    }

    /// Pulls by an expression that the pull brings along.
    fn pulls_by(&mut self, sql: &str) -> Response {
        self.pulls(|pull| {
            pull.sys_flag = pull_flag::SUBSCRIPTION;
            (pull.subscription, pull.expression_type) = (Some(sql.to_owned()), Some("SQL92".to_owned()));
        })
        .unwrap()
    }

    /// Stores a message with a property `a` and dispatches it.
    fn stores(&mut self, a: &str) {
        let properties = format!("a\u{1}{a}\u{2}");
        let sent = self.send(|send| send.properties = properties);
        assert_eq!(sent.code, ResponseCode::Success);
        self.dispatch();
    }

    /// A heartbeat of group `G` that subscribes `T` by an expression.
    fn subscribes(&mut self, sql: &str, version: i64) {
        self.ask(Request::HeartBeat(sql_beat(sql, version)));
    }
}

fn sql_beat(sql: &str, version: i64) -> HeartbeatData {
    let mut data = beat("a", "G", version, &[]);
    data.consumer_data_set[0].subscription_data_set = vec![Subscription::sql("T", sql, version)];
    data
}

/// How many messages came; the code.
fn came(response: &Response) -> (ResponseCode, usize) {
    let ResponseBody::Pull(pulled) = &response.body else { return (response.code, 0) };
    (response.code, crate::client::Received::read_all(&pulled.body).len())
}

#[test]
fn what_a_pull_must_pass_before_its_subscription_is_looked_at() {
    let mut rig = Rig::new(&[("brokerPermission", "2")]);
    let remark = "the broker[10.0.2.1] pulling message is forbidden";
    assert_eq!(rig.refused(|_| {}), (ResponseCode::NoPermission, remark.to_owned()));

    let mut rig = Rig::new(&[("autoCreateSubscriptionGroup", "false")]);
    let remark = format!("subscription group [G] does not exist, {FAQ}");
    assert_eq!(rig.refused(|_| {}), (ResponseCode::SubscriptionGroupNotExist, remark));

    let mut rig = Rig::new(&[]);
    rig.set_group(GroupConfig { consume_enable: false, ..GroupConfig::new("G") });
    let remark = "subscription group no permission, G".to_owned();
    assert_eq!(rig.refused(|pull| pull.topic = "U".to_owned()), (ResponseCode::NoPermission, remark));

    let mut rig = Rig::new(&[]);
    let remark = format!("topic[U] not exist, apply first please! {FAQ}");
    assert_eq!(rig.refused(|pull| pull.topic = "U".to_owned()), (ResponseCode::TopicNotExist, remark));

    let topic = TopicConfig::new("W", 2, 2, 2);
    rig.turn(|broker, turn| broker.process_mut().unwrap().set_topic(topic, turn));
    let remark = "the topic[W] pulling message is forbidden".to_owned();
    let refused = rig.refused(|pull| (pull.topic, pull.queue_id) = ("W".to_owned(), 9));
    assert_eq!(refused, (ResponseCode::NoPermission, remark));

    for queue_id in [-1, 2] {
        let remark = format!(
            "queueId[{queue_id}] is illegal, topic:[T] topicConfig.readQueueNums:[2] consumer:[/10.0.3.1:40000]"
        );
        assert_eq!(rig.refused(|pull| pull.queue_id = queue_id), (ResponseCode::SystemError, remark));
    }
}

#[test]
fn what_the_groups_subscription_must_be_for_a_pull_that_brings_none() {
    let mut rig = Rig::new(&[]);
    let (code, remark) = rig.refused(|_| {});
    assert_eq!(code, ResponseCode::SubscriptionNotExist);
    assert!(remark.starts_with("the consumer's group info not exist"), "{remark}");

    let mut data = beat("a", "G", 5, &[("T", "*")]);
    data.consumer_data_set[0].message_model = "BROADCASTING".to_owned();
    rig.beats(1, data);
    rig.set_group(GroupConfig { consume_broadcast_enable: false, ..GroupConfig::new("G") });
    let remark = "the consumer group[G] can not consume by broadcast way".to_owned();
    assert_eq!(rig.refused(|_| {}), (ResponseCode::NoPermission, remark));

    rig.beats(1, beat("a", "G", 5, &[("Ordered", "*")]));
    let (code, remark) = rig.refused(|_| {});
    assert_eq!(code, ResponseCode::SubscriptionNotExist);
    assert!(remark.starts_with("the consumer's subscription not exist"), "{remark}");

    rig.beats(1, beat("a", "G", 5, &[("T", "*")]));
    let remark = "the consumer's subscription not latest".to_owned();
    assert_eq!(rig.refused(|pull| pull.sub_version = 6), (ResponseCode::SubscriptionNotLatest, remark));
    assert_eq!(rig.pulls(|pull| pull.sub_version = 5).unwrap().code, ResponseCode::PullNotFound);
}

/// FilterAPI.build throws for an empty expression; one that cannot be read leaves no filter data, and filters nothing.
#[test]
fn a_pull_that_brings_an_expression_that_cannot_be_read() {
    let mut rig = Rig::new(&[("enablePropertyFilter", "true")]);
    rig.stores("5");
    let refused = rig.pulls_by("");
    let remark = "parse the consumer's subscription failed";
    assert_eq!(refused, Response::failure(ResponseCode::SubscriptionParseFailed, remark));
    assert_eq!(came(&rig.pulls_by("a >")), (ResponseCode::Success, 1));
    assert_eq!(came(&rig.pulls_by("a = 5")), (ResponseCode::Success, 1));
    assert_eq!(came(&rig.pulls_by("a = 7")), (ResponseCode::PullRetryImmediately, 0));
}

#[test]
fn a_broker_that_does_not_filter_by_properties_says_so_last() {
    let mut rig = Rig::new(&[]);
    let remark = "The broker does not support consumer to filter message by SQL92";
    assert_eq!(rig.pulls_by("a = 5"), Response::failure(ResponseCode::SystemError, remark));
    rig.subscribes("a = 5", 5);
    assert_eq!(rig.refused(|pull| pull.sub_version = 5), (ResponseCode::SystemError, remark.to_owned()));
    let (code, _) = rig.refused(|pull| pull.sub_version = 6);
    assert_eq!(code, ResponseCode::SubscriptionNotLatest, "that comes before");
}

#[test]
fn a_group_filters_by_the_expression_of_its_heartbeats() {
    let mut rig = Rig::new(&[("enablePropertyFilter", "true")]);
    for a in ["5", "7", "5"] {
        rig.stores(a);
    }
    rig.subscribes("a = 5", 5);
    assert_eq!(came(&rig.pulls(|_| {}).unwrap()), (ResponseCode::Success, 2));
    // The filter data keep the expression that came with their version, whatever the subscription is called.
    rig.subscribes("a = 7", 6);
    assert_eq!(came(&rig.pulls(|_| {}).unwrap()), (ResponseCode::Success, 1));
    rig.subscribes("a >", 7);
    let remark = "The broker's consumer filter data is not exist!Your expression may be wrong!".to_owned();
    assert_eq!(rig.refused(|_| {}), (ResponseCode::FilterDataNotExist, remark));
}

/// Filter data outlive the group; the subscription of a group that came back with an older version is newer than they are.
#[test]
fn filter_data_older_than_the_pull_are_not_the_latest() {
    let mut rig = Rig::new(&[("enablePropertyFilter", "true")]);
    rig.subscribes("a = 5", 9);
    rig.goes(1, "a", "G");
    assert!(rig.process().filters().get("T", "G").unwrap().is_dead());
    // The same version revives them; of a newer one whose expression is empty they hear nothing.
    rig.subscribes("a = 5", 9);
    assert!(!rig.process().filters().get("T", "G").unwrap().is_dead());
    rig.subscribes("", 12);
    let remark = "the consumer's consumer filter data not latest".to_owned();
    assert_eq!(rig.refused(|pull| pull.sub_version = 12), (ResponseCode::FilterDataNotLatest, remark));
}

#[test]
fn filter_data_are_saved_and_come_back_dead() {
    let mut rig = Rig::new(&[("enablePropertyFilter", "true")]);
    rig.subscribes("a = 5", 5);
    let born_ms = rig.process().filters().get("T", "G").unwrap().born_ms;
    rig.now_us = 10_000_000;
    rig.wake(Service::PersistOffset);
    rig.turn(|broker, _| broker.die());
    rig.now_us = 100_000_000;
    rig.start();
    let data = rig.process().filters().get("T", "G").unwrap();
    // Half a minute before the start, and not before its birth.
    assert_eq!((data.born_ms, data.dead_ms), (born_ms, START_MS + 70_000));
    assert_eq!(data.expression, "a = 5");
    // A day after that it is dropped with the first save.
    rig.now_us = 70_000_000 + 86_400_000_000;
    rig.wake(Service::PersistOffset);
    assert!(rig.process().filters().table().is_empty());
}

fn verdicts(rig: &Rig) -> Vec<UnitVerdict> {
    let verdict = |step: &StepKind| match step {
        StepKind::Store(Step::UnitExamined { verdict, .. }) => Some(*verdict),
        _ => None,
    };
    rig.steps.iter().filter_map(verdict).collect()
}

/// With both keys messages are marked as they are dispatched, and the marks spare the look at the log.
#[test]
fn messages_are_marked_with_the_consumers_that_they_are_for() {
    let keys =
        [("enablePropertyFilter", "true"), ("enableCalcFilterBitMap", "true"), ("enableConsumeQueueExt", "true")];
    let mut rig = Rig::new(&keys);
    rig.subscribes("a = 5", 5);
    rig.now_us += 10_000;
    for a in ["7", "5"] {
        rig.stores(a);
        // 20 bytes and the 112 bits.
        let sizes: Vec<i32> = rig
            .steps
            .iter()
            .filter_map(
                |step| if let StepKind::Store(Step::ExtWritten { size, .. }) = step { Some(*size) } else { None },
            )
            .collect();
        assert_eq!(sizes, [34]);
    }
    assert_eq!(came(&rig.pulls(|_| {}).unwrap()), (ResponseCode::Success, 1));
    assert_eq!(verdicts(&rig), [UnitVerdict::FilteredByTags, UnitVerdict::Selected]);

    let mut rig = Rig::new(&keys[..2]);
    rig.subscribes("a = 5", 5);
    rig.now_us += 10_000;
    rig.stores("7");
    assert_eq!(came(&rig.pulls(|_| {}).unwrap()), (ResponseCode::PullRetryImmediately, 0));
    assert_eq!(verdicts(&rig), [UnitVerdict::FilteredByProperties], "no entry, no marks");
}

fn waits(pull: &mut PullMessage) {
    pull.sys_flag |= pull_flag::SUSPEND;
}

#[test]
fn a_held_pull_is_woken_by_a_message_that_it_takes() {
    let mut rig = Rig::new(&[("enablePropertyFilter", "true")]);
    rig.subscribes("a = 5", 5);
    assert_eq!(rig.pulls(waits), None);
    rig.stores("7");
    assert_eq!(rig.wake(Service::Pull), None, "it waits on");
    rig.stores("5");
    assert_eq!(came(&rig.wake(Service::Pull).unwrap()), (ResponseCode::Success, 1));
}

/// The periodic look knows no tags code and no properties: whatever stands beyond the pull's offset wakes it, and it finds
/// nothing that it takes.
#[test]
fn the_periodic_look_wakes_a_pull_for_any_message() {
    let mut rig = Rig::new(&[("enablePropertyFilter", "true")]);
    rig.subscribes("a = 5", 5);
    rig.pulls(waits);
    rig.stores("7");
    rig.now_us = 5_000_000;
    rig.wake(Service::PullHold);
    assert_eq!(came(&rig.wake(Service::Pull).unwrap()), (ResponseCode::PullRetryImmediately, 0));
}

#[test]
fn a_pull_out_of_time_is_answered_with_the_first_look_after_it() {
    let mut rig = Rig::new(&[]);
    rig.beats(1, beat("a", "G", 5, &[("T", "*")]));
    rig.now_us = 1_000;
    rig.pulls(waits);
    for (at_us, answered) in [(5_000_000, false), (15_000_000, false), (20_000_000, true)] {
        rig.now_us = at_us;
        rig.wake(Service::PullHold);
        let code = rig.wake(Service::Pull).map(|response| response.code);
        assert_eq!(code, answered.then_some(ResponseCode::PullNotFound), "{at_us}");
    }
}

/// Without long polling a pull is held for `shortPollingTimeMills`, and only the look of every 1000 ms sees what has come.
#[test]
fn short_polling_looks_every_second() {
    let mut rig = Rig::new(&[("longPollingEnable", "false")]);
    rig.beats(1, beat("a", "G", 5, &[("T", "*")]));
    rig.now_us = 1_000;
    rig.pulls(waits);
    rig.stores("5");
    assert_eq!(rig.wake(Service::Pull), None, "reput tells nobody");
    rig.now_us = 1_000_000;
    rig.wake(Service::PullHold);
    assert_eq!(came(&rig.wake(Service::Pull).unwrap()), (ResponseCode::Success, 1));
    rig.now_us = 1_001_000;
    rig.pulls(|pull| {
        waits(pull);
        pull.queue_offset = 1;
    });
    rig.now_us = 2_000_000;
    rig.wake(Service::PullHold);
    assert_eq!(rig.wake(Service::Pull), None, "not a second yet");
    rig.now_us = 3_000_000;
    rig.wake(Service::PullHold);
    assert_eq!(rig.wake(Service::Pull).map(|response| response.code), Some(ResponseCode::PullNotFound));
}

/// The offset is committed with the first pass, even if the pull is held then; a pull that is refused commits nothing.
#[test]
fn a_pull_commits_the_offset_that_it_brings() {
    let mut rig = Rig::new(&[]);
    rig.beats(1, beat("a", "G", 5, &[("T", "*")]));
    let commits = |pull: &mut PullMessage| (pull.sys_flag, pull.commit_offset) = (pull_flag::COMMIT_OFFSET, 3);
    let held = rig.pulls(|pull| {
        commits(pull);
        waits(pull);
    });
    assert_eq!((held, rig.process().offsets().query("G", "T", 0)), (None, Some(3)));
    rig.refused(|pull| {
        commits(pull);
        (pull.commit_offset, pull.queue_id) = (7, 5);
    });
    assert_eq!(
        (rig.process().offsets().query("G", "T", 0), rig.process().offsets().query("G", "T", 5)),
        (Some(3), None)
    );
}

/// Whoever is gone is not answered, and what he waited for is not looked for.
#[test]
fn a_closed_connection_takes_its_held_pulls_along() {
    let mut rig = Rig::new(&[]);
    rig.beats(1, beat("a", "G", 5, &[("T", "*")]));
    rig.pulls(waits);
    assert_eq!(rig.process().held_pulls().count(), 1);
    let closed = rig.turn(|broker, turn| broker.closed(Service::Remoting, crate::node::ConnId(1), turn));
    assert!(Answered::of(closed).response.is_none());
    assert_eq!(rig.process().held_pulls().count(), 0);
}

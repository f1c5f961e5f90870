//! Requests straight into a broker: what it refuses, in which order and with which words (broker, sections 2 and 3).

use super::test_rig::Rig;
use crate::{
    message::record,
    wire::{
        ConsumerSendMsgBack, Request, Response, ResponseBody, ResponseCode, SendMessage, SendResponse, TopicConfig,
    },
};

const FAQ: &str = "\nSee http://rocketmq.apache.org/docs/faq/ for further details.";

impl Rig {
    pub(super) fn send(&mut self, change: impl FnOnce(&mut SendMessage)) -> Response {
        let mut send = SendMessage {
            producer_group: "PG".to_owned(),
            topic: "T".to_owned(),
            default_topic: "TBW102".to_owned(),
            default_topic_queue_nums: 4,
            queue_id: 0,
            sys_flag: 0,
            born_timestamp: 1_700_000_000_000,
            flag: 0,
            properties: String::new(),
            reconsume_times: None,
            unit_mode: false,
            max_reconsume_times: None,
            batch: false,
            body: "hello".into(),
        };
        change(&mut send);
        self.ask(Request::SendMessageV2(send))
    }

    fn back(&mut self, change: impl FnOnce(&mut ConsumerSendMsgBack)) -> Response {
        let mut back = ConsumerSendMsgBack {
            offset: 0,
            group: "G".to_owned(),
            delay_level: 0,
            origin_msg_id: None,
            origin_topic: None,
            unit_mode: false,
            max_reconsume_times: None,
        };
        change(&mut back);
        self.ask(Request::ConsumerSendMsgBack(back))
    }

    /// Where the newest record begins.
    fn newest_offset(&self) -> i64 {
        let store = self.broker.store().unwrap();
        let mut at = 0;
        loop {
            let end = at + i64::try_from(store.look_message_by_offset(at).unwrap().len()).unwrap();
            if end >= store.max_phy_offset() {
                return at;
            }
            at = end;
        }
    }

    /// Topic, queue and delay of the newest record, and how often it was retried.
    fn newest(&self) -> (String, i32, Option<String>, i32) {
        let bytes = self.broker.store().unwrap().look_message_by_offset(self.newest_offset()).unwrap();
        let record = record::decode(&bytes).unwrap();
        let delay = record.property("DELAY").map(str::to_owned);
        (record.topic.to_string(), record.queue_id, delay, record.reconsume_times)
    }

    fn topic(&self, name: &str) -> Option<TopicConfig> {
        self.broker.process().unwrap().topics().get(name).cloned()
    }
}

fn refused(response: &Response) -> (i32, &str) {
    (response.code.value(), response.remark.as_deref().unwrap_or_default())
}

fn stored(response: &Response) -> &SendResponse {
    match &response.body {
        ResponseBody::Send(stored) if response.code == ResponseCode::Success => stored,
        _ => panic!("{response:?}"),
    }
}

#[test]
fn sends_are_refused_in_4_9_8s_words() {
    let mut rig = Rig::new(&[]);
    assert_eq!(refused(&rig.send(|send| send.topic = " ".to_owned())), (1, "The specified topic is blank."));
    assert_eq!(
        refused(&rig.send(|send| send.topic = "a/b".to_owned())),
        (1, "The specified topic contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$")
    );
    assert_eq!(
        refused(&rig.send(|send| send.topic = "t".repeat(128))),
        (1, "The specified topic is longer than topic max length.")
    );
    for topic in [
        "SCHEDULE_TOPIC_XXXX",
        "RMQ_SYS_TRANS_HALF_TOPIC",
        "RMQ_SYS_TRANS_OP_HALF_TOPIC",
        "TRANS_CHECK_MAX_TIME_TOPIC",
        "SELF_TEST_TOPIC",
        "OFFSET_MOVED_EVENT",
    ] {
        let response = rig.send(|send| send.topic = topic.to_owned());
        assert_eq!(refused(&response), (16, format!("Sending message to topic[{topic}] is forbidden.").as_str()));
    }
    let unknown = rig.send(|send| (send.topic, send.default_topic) = ("New".to_owned(), "BenchmarkTest".to_owned()));
    assert_eq!(refused(&unknown), (17, format!("topic[New] not exist, apply first please!{FAQ}").as_str()));
    let queue = rig.send(|send| send.queue_id = 4);
    let words = "request queueId[4] is illegal, TopicConfig [topicName=T, readQueueNums=2, writeQueueNums=4, perm=RW-, \
                 topicFilterType=SINGLE_TAG, topicSysFlag=0, order=false] Producer: 10.0.3.1:40000";
    assert_eq!(refused(&queue), (1, words), "the larger of the two numbers of queues counts");
    assert_eq!(stored(&rig.send(|send| send.queue_id = 3)).queue_id, 3);
    let long = rig.send(|send| send.body = vec![b'x'; 4_194_305].into());
    let words = "the message is illegal, maybe msg body or properties length not matched. msg body length limit \
                 4194304B, msg properties length limit 32KB.";
    assert_eq!(refused(&long), (13, words));
    let level = rig.send(|send| send.properties = "DELAY\u{1}soon".to_owned());
    assert_eq!(refused(&level), (1, "java.lang.NumberFormatException: For input string: \"soon\""));
}

#[test]
fn a_broker_may_begin_to_take_sends_later() {
    let mut rig = Rig::new(&[("startAcceptSendRequestTimeStamp", "1700000000001")]);
    // Before everything else, the topic's name included.
    let early = rig.send(|send| send.topic = " ".to_owned());
    assert_eq!(refused(&early), (1, "broker unable to service, until 2023-11-14 22:13:20,001"));
    rig.now_us = 1000;
    assert_eq!(rig.send(|_| {}).code, ResponseCode::Success);
}

#[test]
fn a_broker_without_write_permission_refuses_only_topics_with_an_order() {
    let mut rig = Rig::new(&[("brokerPermission", "4")]);
    let ordered = rig.send(|send| send.topic = "Ordered".to_owned());
    assert_eq!(refused(&ordered), (16, "the broker[10.0.2.1] sending message is forbidden"));
    assert_eq!(rig.send(|_| {}).code, ResponseCode::Success, "clients are kept away by the route");
    assert_eq!(refused(&rig.back(|_| {})), (16, "the broker[10.0.2.1] sending message is forbidden"));
}

#[test]
fn the_topics_own_permission_is_not_asked() {
    let mut rig = Rig::new(&[]);
    rig.turn(|broker, turn| broker.process_mut().unwrap().set_topic(TopicConfig::new("T", 2, 4, 4), turn));
    assert_eq!(rig.send(|_| {}).code, ResponseCode::Success);
}

#[test]
fn a_queue_is_drawn_when_none_is_asked_for() {
    let mut rig = Rig::new(&[]);
    let drawn: Vec<i32> = (0..40).map(|_| stored(&rig.send(|send| send.queue_id = -1)).queue_id).collect();
    assert!((0..4).all(|queue| drawn.contains(&queue)) && drawn.iter().all(|queue| *queue < 4), "{drawn:?}");
    let none = rig.send(|send| {
        send.topic = "NoQueues".to_owned();
        (send.default_topic_queue_nums, send.queue_id) = (-1, -1);
    });
    assert_eq!(refused(&none), (1, "java.lang.ArithmeticException: / by zero"));
    assert_eq!(
        rig.topic("NoQueues").map(|topic| topic.write_queue_nums),
        Some(0),
        "it has come into being all the same"
    );
}

#[test]
fn a_topic_of_a_unit_says_so() {
    let mut rig = Rig::new(&[]);
    for (topic, flag) in [("Unit", 1), ("%RETRY%Unit", 2)] {
        rig.send(|send| (send.topic, send.unit_mode) = (topic.to_owned(), true));
        assert_eq!(rig.topic(topic).unwrap().topic_sys_flag, flag, "{topic}");
    }
}

#[test]
fn without_automatic_creation_only_retry_topics_come_into_being() {
    let mut rig = Rig::new(&[("autoCreateTopicEnable", "false")]);
    rig.turn(|broker, turn| broker.process_mut().unwrap().set_topic(TopicConfig::new("TBW102", 8, 8, 7), turn));
    assert_eq!(rig.send(|send| send.topic = "New".to_owned()).code, ResponseCode::TopicNotExist);
    assert_eq!(rig.topic("TBW102").unwrap().perm, 6, "a default topic from before has lost what others inherit");
    assert_eq!(rig.send(|send| send.topic = "%RETRY%G".to_owned()).code, ResponseCode::Success);
    let retry = rig.topic("%RETRY%G").unwrap();
    assert_eq!((retry.read_queue_nums, retry.write_queue_nums, retry.perm), (1, 1, 6));
}

#[test]
fn a_send_to_a_retry_topic_ends_in_the_dead_letter_queue_after_the_groups_times() {
    let mut rig = Rig::new(&[]);
    let retried = |times: i32, most: Option<i32>| {
        move |send: &mut SendMessage| {
            send.topic = "%RETRY%G".to_owned();
            send.queue_id = 1;
            (send.reconsume_times, send.max_reconsume_times) = (Some(times), most);
            send.properties = "DELAY\u{1}3".to_owned();
        }
    };
    rig.send(retried(15, None));
    assert_eq!(rig.newest(), ("SCHEDULE_TOPIC_XXXX".to_owned(), 2, Some("3".to_owned()), 15));
    for (times, most) in [(16, None), (2, Some(2))] {
        let response = rig.send(retried(times, most));
        // The request's own DELAY applies, so the message waits before it is dead; the answer names the queue asked for.
        assert_eq!((rig.newest().0.as_str(), stored(&response).queue_id), ("SCHEDULE_TOPIC_XXXX", 1));
    }
    rig.send(|send| {
        retried(16, None)(send);
        send.properties.clear();
    });
    assert_eq!(rig.newest(), ("%DLQ%G".to_owned(), 0, None, 16));
    let dead = rig.topic("%DLQ%G").unwrap();
    assert_eq!((dead.read_queue_nums, dead.write_queue_nums, dead.perm), (1, 1, 6));
}

#[test]
fn groups_that_do_not_exist_are_refused_where_none_is_made() {
    let mut rig = Rig::new(&[("autoCreateSubscriptionGroup", "false")]);
    let words = format!("subscription group not exist, G {FAQ}");
    assert_eq!(refused(&rig.send(|send| send.topic = "%RETRY%G".to_owned())), (26, words.as_str()));
    assert_eq!(refused(&rig.back(|_| {})), (26, words.as_str()));
}

#[test]
fn messages_given_back_are_refused_in_4_9_8s_words() {
    let mut rig = Rig::new(&[]);
    assert_eq!(refused(&rig.back(|back| back.offset = 4711)), (1, "look message by offset failed, 4711"));
    assert!(rig.topic("%RETRY%G").is_some(), "the retry topic comes first");
    rig.turn(|broker, turn| broker.process_mut().unwrap().set_topic(TopicConfig::new("%RETRY%G", 1, 1, 4), turn));
    assert_eq!(refused(&rig.back(|_| {})), (16, "the topic[%RETRY%G] sending message is forbidden"));
}

#[test]
fn retries_wait_a_level_longer_each_until_the_groups_times_are_over() {
    let mut rig = Rig::new(&[]);
    rig.send(|_| {});
    // The record at 0 was never retried; the group's limit is 16, the request's counts where there is one.
    assert_eq!(rig.back(|_| {}).code, ResponseCode::Success);
    assert_eq!(rig.newest(), ("SCHEDULE_TOPIC_XXXX".to_owned(), 2, Some("3".to_owned()), 1));
    rig.send(|send| send.reconsume_times = Some(15));
    let sent = rig.newest_offset();
    rig.back(|back| back.offset = sent);
    assert_eq!(rig.newest(), ("SCHEDULE_TOPIC_XXXX".to_owned(), 17, Some("18".to_owned()), 16));
    rig.send(|send| send.reconsume_times = Some(16));
    let sent = rig.newest_offset();
    rig.back(|back| back.offset = sent);
    assert_eq!(rig.newest(), ("%DLQ%G".to_owned(), 0, Some("0".to_owned()), 17));
    rig.back(|back| (back.offset, back.max_reconsume_times) = (sent, Some(17)));
    // Level 19 does not exist: the highest is taken.
    assert_eq!(rig.newest(), ("SCHEDULE_TOPIC_XXXX".to_owned(), 17, Some("18".to_owned()), 17));
}

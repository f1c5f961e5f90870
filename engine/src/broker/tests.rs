//! The broker's tables and their files, against what a real 4.9.8 broker left (golden `broker`).

use super::{
    BrokerConfig, Groups, QUEUES_MAX, Topics,
    config_file::ConfigFile,
    offsets::ConsumerOffsets,
    topics::{may_send, validate},
};
use crate::wire::TopicConfig;

fn topics() -> Topics {
    Topics::of(&BrokerConfig { broker_name: "oracle-broker".to_owned(), ..BrokerConfig::default() })
}

#[test]
fn the_topics_from_the_start_are_those_of_a_real_broker() {
    let topics = topics();
    let have: Vec<_> = topics
        .table()
        .values()
        .map(|topic| (topic.topic_name.as_str(), topic.read_queue_nums, topic.write_queue_nums, topic.perm))
        .collect();
    assert_eq!(
        have,
        [
            ("BenchmarkTest", 1024, 1024, 6),
            ("DefaultCluster", 16, 16, 7),
            ("DefaultCluster_REPLY_TOPIC", 1, 1, 6),
            ("OFFSET_MOVED_EVENT", 1, 1, 6),
            ("SCHEDULE_TOPIC_XXXX", 18, 18, 6),
            ("SELF_TEST_TOPIC", 1, 1, 6),
            ("TBW102", 8, 8, 7),
            ("oracle-broker", 1, 1, 7),
        ]
    );
    let groups = Groups::default();
    assert_eq!(
        groups.table().keys().collect::<Vec<_>>(),
        [
            "CID_ONS-HTTP-PROXY",
            "CID_ONSAPI_OWNER",
            "CID_ONSAPI_PERMISSION",
            "CID_ONSAPI_PULL",
            "FILTERSRV_CONSUMER",
            "SELF_TEST_C_GROUP",
            "TOOLS_CONSUMER",
        ]
    );
}

#[test]
fn topics_are_written_as_fastjson_does() {
    let mut topics = Topics::default();
    topics.put(TopicConfig::new("TopicTest", 4, 4, 6), 1_700_000_000_000);
    topics.version.counter = 2;
    // store-format, section 10.
    let text = "{\n\t\"dataVersion\":{\n\t\t\"counter\":2,\n\t\t\"timestamp\":1700000000000\n\t},\n\t\"topicConfigTable\":{\
                \n\t\t\"TopicTest\":{\n\t\t\t\"order\":false,\n\t\t\t\"perm\":6,\n\t\t\t\"readQueueNums\":4,\n\t\t\t\
                \"topicFilterType\":\"SINGLE_TAG\",\n\t\t\t\"topicName\":\"TopicTest\",\n\t\t\t\"topicSysFlag\":0,\
                \n\t\t\t\"writeQueueNums\":4\n\t\t}\n\t}\n}";
    assert_eq!(topics.to_text(), text);
    let mut again = Topics::default();
    again.take_text(text).unwrap();
    assert_eq!(again, topics);
    assert!(again.take_text("{\"topicConfigTable\":").is_err());
}

#[test]
fn offsets_are_read_as_a_real_broker_wrote_them() {
    let text = "{\n\t\"offsetTable\":{\n\t\t\"TxTopic@CGTX\":{0:2,1:0\n\t\t},\n\t\t\"%RETRY%CG@CG\":{0:2\n\t\t},\n\t\t\
                \"BTopic@CG\":{0:6,1:6\n\t\t}\n\t}\n}";
    let mut offsets = ConsumerOffsets::default();
    offsets.take_text(text).unwrap();
    assert_eq!(offsets.query("CGTX", "TxTopic", 0), Some(2));
    assert_eq!(offsets.query("CGTX", "TxTopic", 2), None);
    assert_eq!(offsets.iter().count(), 5);
    assert!(offsets.to_text().contains("\t\t\"BTopic@CG\":{0:6,1:6\n\t\t}"));
    assert!(offsets.commit("CG", "BTopic", 1, 3), "a smaller offset overwrites too");
    assert!(!offsets.commit("CG", "BTopic", 1, 3));
}

#[test]
fn groups_come_back_from_their_file() {
    let mut groups = Groups::default();
    let (made, fresh) = groups.find("group_a", true, 5).unwrap();
    assert!(fresh && made.retry_max_times == 16 && made.which_broker_when_consume_slowly == 1);
    assert!(groups.find("group_b", false, 6).is_none());
    assert!(groups.find("CID_RMQ_SYS_X", false, 6).is_some(), "the system's own groups always may");
    let mut again = Groups::default();
    again.take_text(&groups.to_text()).unwrap();
    assert_eq!(again, groups);
}

#[test]
fn inherited_topics_have_the_smaller_number_of_queues_and_no_inherit_bit() {
    let topics = topics();
    let made = |wanted| topics.inherit("New", "TBW102", wanted).unwrap();
    assert_eq!((made(4).read_queue_nums, made(4).perm), (4, 6));
    assert_eq!(made(20).write_queue_nums, 8);
    assert_eq!(made(-3).write_queue_nums, 0);
    assert!(topics.inherit("New", "BenchmarkTest", 4).is_none(), "a model without the inherit bit");
    assert!(topics.inherit("New", "nowhere", 4).is_none());
}

#[test]
fn names_are_checked_in_4_9_8s_order() {
    assert_eq!(validate(" ").unwrap_err(), "The specified topic is blank.");
    assert!(validate("a/b").unwrap_err().contains("illegal characters"));
    assert!(validate(&"a".repeat(127)).is_ok());
    assert_eq!(validate(&"a".repeat(128)).unwrap_err(), "The specified topic is longer than topic max length.");
    assert!(validate("%RETRY%g|x-y_z9").is_ok());
    assert!(may_send("OFFSET_MOVED_EVENT").is_err() && may_send("TBW102").is_ok());
    assert!(topics().table().values().all(|topic| topic.read_queue_nums <= QUEUES_MAX));
}

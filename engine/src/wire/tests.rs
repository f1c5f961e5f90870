//! Codes and texts of the wire.

use super::{RequestCode, ResponseCode, TopicConfig};

#[test]
fn codes_have_the_numbers_of_4_9_8() {
    // broker, section 1.
    let requests = [
        (10, "SEND_MESSAGE"),
        (11, "PULL_MESSAGE"),
        (34, "HEART_BEAT"),
        (37, "END_TRANSACTION"),
        (38, "GET_CONSUMER_LIST_BY_GROUP"),
        (39, "CHECK_TRANSACTION_STATE"),
        (40, "NOTIFY_CONSUMER_IDS_CHANGED"),
        (41, "LOCK_BATCH_MQ"),
        (42, "UNLOCK_BATCH_MQ"),
        (46, "CHECK_CLIENT_CONFIG"),
        (103, "REGISTER_BROKER"),
        (105, "GET_ROUTEINFO_BY_TOPIC"),
        (310, "SEND_MESSAGE_V2"),
        (320, "SEND_BATCH_MESSAGE"),
        (323, "RESUME_CHECK_HALF_MESSAGE"),
    ];
    for (value, name) in requests {
        assert_eq!(RequestCode::of(value).map(RequestCode::name), Some(name));
    }
    let responses = [(0, "SUCCESS"), (14, "SERVICE_NOT_AVAILABLE"), (17, "TOPIC_NOT_EXIST"), (21, "PULL_OFFSET_MOVED")];
    for (value, name) in responses {
        assert_eq!(ResponseCode::of(value).map(ResponseCode::name), Some(name));
    }
    assert_eq!((RequestCode::of(9), ResponseCode::of(5)), (None, None));
    assert!(RequestCode::ALL.is_sorted_by_key(|code| code.value()));
    assert!(ResponseCode::ALL.is_sorted_by_key(|code| code.value()));
}

#[test]
fn codes_are_written_by_name() {
    assert_eq!(serde_json::to_string(&RequestCode::SendMessageV2).unwrap(), "\"SEND_MESSAGE_V2\"");
    assert_eq!(serde_json::from_str::<ResponseCode>("\"SUCCESS\"").unwrap(), ResponseCode::Success);
}

#[test]
fn topics_print_as_in_java() {
    assert_eq!(
        TopicConfig::new("T", 4, 8, 7).to_string(),
        "TopicConfig [topicName=T, readQueueNums=4, writeQueueNums=8, perm=RWX, topicFilterType=SINGLE_TAG, \
         topicSysFlag=0, order=false]"
    );
    assert!(TopicConfig::new("T", 4, 8, 4).to_string().contains("perm=R--,"));
}

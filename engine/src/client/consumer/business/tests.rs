//! What a listener asks its database for a message, worked out by hand.

use bytes::Bytes;

use super::{template::Filling, *};
use crate::wire::DatabaseCommand;

fn message() -> Received {
    Received {
        topic: "PayTopic".to_owned(),
        queue_id: 3,
        queue_offset: 9,
        physical_offset: 0,
        size: 100,
        msg_id: "0A01".to_owned(),
        offset_msg_id: String::new(),
        tags: Some("PAID".to_owned()),
        keys: Some("K1 K2".to_owned()),
        flag: 0,
        properties_text: "eventId\u{1}E1\u{2}orderId\u{1}O7".to_owned(),
        body: Bytes::from_static(b"pay 5"),
        born_timestamp: 0,
        store_timestamp: 0,
        reconsume_times: 2,
        queue_range: None,
    }
}

#[test]
fn a_text_is_filled_in_from_the_message() {
    let message = message();
    let filling = Filling::of(&message);
    for (template, text) in [
        ("{orderId}-{tag}", "O7-PAID"),
        ("{topic}/{queueId}/{queueOffset} {msgId} {keys} {body} {times}", "PayTopic/3/9 0A01 K1 K2 pay 5 2"),
        ("no name", "no name"),
        ("[{nothing}]", "[]"),
        ("{open", "{open"),
        ("a{{orderId}", "a"),
        ("", ""),
    ] {
        assert_eq!(filling.cell(template), Cell::from(text), "{template}");
    }
    // A name alone is what it stands for.
    assert_eq!(filling.cell("{times}"), Cell::Int(2));
    assert_eq!(filling.cell("{eventId}"), Cell::from("E1"));
    assert_eq!(filling.cell("{nothing}"), Cell::Null);
}

fn business(text: &str) -> ListenerBusiness {
    let business: ListenerBusiness = toml::from_str(text).unwrap();
    business.check().unwrap();
    business
}

const CHANGES: &str = r#"
database = "policy-db"
changes = [{ kind = "insert", table = "policies", row = { id = "{eventId}", orderId = "{orderId}" } }]
cases = [
    { when = { tag = "REFUND" }, changes = [{ kind = "delete", table = "policies", key = { id = "{orderId}" } }] },
    { when = { tag = "PAID" }, changes = [
        { kind = "update", table = "orders", key = { id = "{orderId}" }, onlyIf = { state = "CREATED" }, set = { state = "{tag}" } },
    ] },
]
"#;

#[test]
fn the_changes_are_those_for_all_and_those_of_the_first_case_that_fits() {
    let business = business(CHANGES);
    let values = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(column, text)| ((*column).to_owned(), Cell::from(*text))).collect::<Values>()
    };
    let update = Change::Update {
        table: "orders".to_owned(),
        key: values(&[("id", "O7")]),
        only_if: values(&[("state", "CREATED")]),
        set: values(&[("state", "PAID")]),
        add: std::collections::BTreeMap::new(),
    };
    let insert = Change::Insert { table: "policies".to_owned(), row: values(&[("id", "E1"), ("orderId", "O7")]) };
    assert_eq!(business.changes_for(&message()), [insert, update]);
    assert!(business.misses_row(&message(), &[1, 0]) && !business.misses_row(&message(), &[0, 1]));
}

#[test]
fn a_record_is_written_where_it_says() {
    use WorkPhase::{Change as Changes, Commit, LookUp, Record};
    let phases = |record: &str| {
        let business = business(&format!("{CHANGES}{record}"));
        business.phases(&message()).into_iter().collect::<Vec<_>>()
    };
    assert_eq!(phases(""), [Changes, Commit]);
    assert_eq!(phases("record = { key = \"{eventId}\" }"), [Changes, Commit]);
    assert_eq!(phases("record = { key = \"{eventId}\", at = \"before\" }"), [Record, Changes, Commit]);
    assert_eq!(phases("record = { key = \"{eventId}\", at = \"after\" }"), [LookUp, Changes, Commit, Record]);
    let nothing = business("database = \"policy-db\"");
    assert!(nothing.phases(&message()).is_empty());
    let recorded = business("database = \"policy-db\"\nrecord = {}");
    assert_eq!(recorded.phases(&message()), [Changes, Commit]);
}

#[test]
fn a_record_together_is_the_first_of_the_changes() {
    let business = business(&format!("{CHANGES}record = {{ table = \"seen\", key = \"{{eventId}}\" }}"));
    assert_eq!(business.record_place(), Some(("policy-db", "seen")));
    let (database, command) = business.command(WorkPhase::Change, &message(), None).unwrap();
    let DatabaseCommand::Begin { changes } = command else { panic!("{command:?}") };
    let row = Values::from([("id".to_owned(), "E1".into())]);
    assert_eq!((database, &changes[0]), ("policy-db", &Change::Insert { table: "seen".to_owned(), row }));
    assert_eq!(changes.len(), 3);
    // The rows touched by the record are not the update's.
    assert!(business.misses_row(&message(), &[1, 1, 0]) && !business.misses_row(&message(), &[1, 0, 1]));
    assert_eq!(business.command(WorkPhase::Commit, &message(), None), None);
}

#[test]
fn two_databases_have_no_transaction_in_common() {
    let elsewhere = |at: &str| {
        let text = format!("{CHANGES}record = {{ database = \"cache\", at = \"{at}\" }}");
        toml::from_str::<ListenerBusiness>(&text).unwrap().check().map_err(|error| error.place)
    };
    assert_eq!(elsewhere("together"), Err("business.record.at".to_owned()));
    assert_eq!((elsewhere("before"), elsewhere("after")), (Ok(()), Ok(())));
}

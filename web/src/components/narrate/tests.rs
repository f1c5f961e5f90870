use rocketscope_engine::sim::ActionError;
use rocketscope_engine::store::step::{LoadFault, RecordFault};
use rocketscope_engine::view::recovery::{Finding, LostRecord, RecoveryFact};
use serde_json::json;

use super::{Parts, finding_parts, refusal, told};
use crate::i18n::{Lang, Text};

#[test]
fn a_step_is_found_inside_its_wrapping() {
    let parts = Parts::of(&json!({"store": {"kind": "appended", "physicalOffset": 1200}})).unwrap();
    assert_eq!(parts.kind, "appended");
    assert_eq!(parts.parts, [("physicalOffset".to_owned(), json!(1200))]);
    assert_eq!(Parts::of(&json!("turn")).unwrap().kind, "turn");
    assert!(Parts::of(&json!(3)).is_none());
}

/// One of each kind, each part with words of its own.
fn refusals() -> Vec<ActionError> {
    let name = |name: &str| format!("<{name}>");
    vec![
        ActionError::NoSuchNode { node: name("node") },
        ActionError::WrongNode { node: name("node"), wanted: name("wanted") },
        ActionError::NoSuchService { node: name("node"), service: name("service") },
        ActionError::AlreadyPaused { what: name("what") },
        ActionError::NotPaused { what: name("what") },
        ActionError::Paused { what: name("what") },
        ActionError::LinkAlready { a: name("a"), b: name("b"), state: name("state") },
        ActionError::RecordSize { record_size: 17, least: 178, most: 4096 },
        ActionError::NotRunning { node: name("node") },
        ActionError::OutsideLog { offset: 17, min: 1000, max: 1650 },
        ActionError::BadValue { field: name("field"), cause: name("cause") },
        ActionError::Running { node: name("node") },
        ActionError::Stopping { node: name("node") },
        ActionError::NoSuchFile { node: name("node"), path: name("path") },
    ]
}

#[test]
fn every_refusal_has_a_sentence_with_all_its_parts_in_every_language() {
    for lang in Lang::ALL {
        let text = Text::new(lang);
        for refused in refusals() {
            let said = refusal(&refused, &text).unwrap_or_else(|| panic!("{refused:?} has no words"));
            assert!(!said.contains('{'), "{said}");
            for (part, value) in Parts::of(&refused).unwrap().parts {
                assert!(said.contains(&super::values::words(&value)), "{said:?} says nothing of {part}");
            }
        }
    }
}

#[test]
fn the_words_of_a_refusal_are_the_readers_and_names_stay() {
    let refused = ActionError::WrongNode { node: "cut".to_owned(), wanted: "broker".to_owned() };
    let said = refusal(&refused, &Text::new(Lang::Zh)).unwrap();
    assert_eq!(said, "cut 不是 Broker。");
}

fn findings() -> Vec<Finding> {
    let (topic, queue_id) = ("OrderTopic".to_owned(), 0);
    let topic = || topic.clone();
    let file = || "commitlog/00000000000000000000".to_owned();
    vec![
        Finding::Refused { fault: LoadFault::BadName { file: file() } },
        Finding::StartFailed { cause: "locked".to_owned() },
        Finding::Kept { min_phy_offset: 0, max_phy_offset: 1650, records: Some(4) },
        Finding::Kept { min_phy_offset: 0, max_phy_offset: 1650, records: None },
        Finding::EndsAtDamage {
            physical_offset: 1650,
            file: file(),
            position: 1650,
            at: 1654,
            fault: RecordFault::Magic { magic: 17 },
        },
        Finding::RecordsLost {
            count: 1,
            bytes: 300,
            first: 1650,
            last: 1650,
            file: file(),
            examples: vec![LostRecord { physical_offset: 1650, topic: topic(), queue_id, queue_offset: 2 }],
        },
        Finding::LogFilesDeleted { count: 2, first: file(), last: file() },
        Finding::DamageUnseen { physical_offset: 10, file: file(), position: 10, cause: "CRC".to_owned() },
        Finding::LogGap { from: 0, to: 65536, units: 3, queues: 1 },
        Finding::QueuesDestroyed { files: 3 },
        Finding::UnitsCut { topic: topic(), queue_id, from: 3, to: 5, count: 2 },
        Finding::QueueHole { topic: topic(), queue_id, from: 3, to: 5, records: 2, first: 100, last: 200 },
        Finding::Overtaken { topic: topic(), queue_id, from: 3, to: 5, records: 2, first: 100, last: 200 },
        Finding::OffsetsReused { topic: topic(), queue_id, from: 3, to: 5 },
        Finding::PreBlank { topic: topic(), queue_id, units: 7, to: 7 },
        index_dropped(Some(1200)),
        index_dropped(None),
        Finding::NotIndexed { records: 2, first: 100, last: 200 },
        Finding::Rebuilt { units: 3, queues: 2, index_entries: 4 },
        Finding::ConsumerAhead { group: "pay".to_owned(), topic: topic(), queue_id, offset: 9, max: 7 },
        Finding::MarkedBroken,
        Finding::Unreadable { file: file(), cause: "gone".to_owned() },
        Finding::NotExamined { before: 65536 },
        Finding::More { count: 4 },
    ]
}

fn index_dropped(lost_before: Option<i64>) -> Finding {
    Finding::IndexDropped {
        file: "index/20261130000000000".to_owned(),
        entries: 2,
        begin_phy_offset: 1000,
        end_phy_offset: 1350,
        end_timestamp: 1_700_000_000_000,
        limit: 1_600_000_000_000,
        lost_before,
    }
}

#[test]
fn every_finding_has_a_sentence_in_every_language() {
    for lang in Lang::ALL {
        let text = Text::new(lang);
        for finding in findings() {
            let parts = finding_parts(&finding).unwrap();
            let said = parts.plain("finding", &text);
            assert_ne!(said, parts.kind, "{finding:?}");
            assert!(!said.contains('{') && !said.contains('⟦'), "{said}");
        }
    }
}

#[test]
fn a_range_of_queue_offsets_names_its_last() {
    let text = Text::new(Lang::En);
    let cut = Finding::UnitsCut { topic: "T".to_owned(), queue_id: 1, from: 3, to: 5, count: 2 };
    let said = finding_parts(&cut).unwrap().plain("finding", &text);
    assert_eq!(said, "T/1: 2 units are cut, queue offsets 3 to 4: their records lie behind the end of the log.");
    let cut = Finding::UnitsCut { topic: "T".to_owned(), queue_id: 1, from: 3, to: 4, count: 1 };
    let said = finding_parts(&cut).unwrap().plain("finding", &text);
    assert_eq!(said, "T/1: 1 unit is cut, queue offset 3: its record lies behind the end of the log.");
}

#[test]
fn every_item_and_every_fault_has_words() {
    let queue = || ("T".to_owned(), 1);
    for lang in Lang::ALL {
        let text = Text::new(lang);
        let ((topic, queue_id), (count, from, to, first, last)) = (queue(), (2, 3, 5, 100, 200));
        let facts = [
            RecoveryFact::RecordsAccepted { file: "f".to_owned(), count, from, to, dispatched: 1 },
            RecoveryFact::UnitsCut { topic: topic.clone(), queue_id, count, from, to, first, last },
            RecoveryFact::UnitsWritten { topic: topic.clone(), queue_id, count, from, to, first, last },
            RecoveryFact::UnitsThere { topic, queue_id, count, from, to, first, last },
            RecoveryFact::IndexEntriesWritten { file: "f".to_owned(), count, first, last },
            RecoveryFact::RecordsNotIndexed { count, first, last },
        ];
        for fact in facts {
            let parts = told(&fact).unwrap();
            assert_ne!(parts.plain("fact", &text), parts.kind);
        }
        let field = rocketscope_engine::message::record::FieldName::BodyLength;
        let faults = [
            RecordFault::Zeros,
            RecordFault::Magic { magic: -1 },
            RecordFault::Crc { stored: 1, computed: 2 },
            RecordFault::Size { total_size: 100, read: 99 },
            RecordFault::Length { field, value: -1, total_size: 100 },
            RecordFault::Underflow { field, needed: 4, available: 2 },
            RecordFault::DelayLevel { text: "x".to_owned() },
            RecordFault::Unreadable,
        ];
        for fault in faults {
            let parts = Parts::of(&fault).unwrap();
            assert_ne!(parts.plain("cause", &text), parts.kind, "{fault:?}");
        }
    }
}

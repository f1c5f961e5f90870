//! The files in `testdata` were written by a 4.9.8 broker; what else is expected comes from RFC 8259 and from
//! fastjson's rules as the module's documentation tells them.

use proptest::prelude::*;

use super::*;

const FILES: [(&str, &str); 6] = [
    ("topics.json", include_str!("testdata/topics.json")),
    ("consumerOffset.json", include_str!("testdata/consumerOffset.json")),
    ("consumerFilter.json", include_str!("testdata/consumerFilter.json")),
    ("subscriptionGroup.json", include_str!("testdata/subscriptionGroup.json")),
    ("delayOffset.json", include_str!("testdata/delayOffset.json")),
    ("delayOffset-empty.json", include_str!("testdata/delayOffset-empty.json")),
];

/// The form of a broadcast consumer's `offsets.json`: keys that are objects.
const OBJECT_KEYS: &str = r#"{
	"offsetTable":{{
			"brokerName":"broker-a",
			"queueId":0,
			"topic":"TopicTest"
		}:12,{
			"brokerName":"broker-a",
			"queueId":1,
			"topic":"TopicTest"
		}:9
	}
}"#;

fn fails(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn the_files_of_a_real_broker_are_read_and_written_byte_for_byte() {
    for (name, text) in FILES {
        let value = parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(value.to_pretty(), text, "{name}");
        assert_eq!(parse(&value.to_compact()).unwrap(), value, "{name}");
    }
}

#[test]
fn what_stands_in_the_files_is_found() {
    let offsets = parse(FILES[1].1).unwrap();
    let queues = offsets.get("offsetTable").and_then(|table| table.get("TxTopic@CGTX")).unwrap();
    assert_eq!(queues.entries(), [(Value::Int(0), Value::Int(2)), (Value::Int(1), Value::Int(0))]);
    let topics = parse(FILES[0].1).unwrap();
    let topic = topics.get("topicConfigTable").and_then(|table| table.get("SCHEDULE_TOPIC_XXXX")).unwrap();
    assert_eq!(topic.get("readQueueNums").and_then(Value::as_i32), Some(18));
    assert_eq!(topic.get("order").and_then(Value::as_bool), Some(false));
    assert_eq!(topic.get("topicFilterType").and_then(Value::as_str), Some("SINGLE_TAG"));
    assert_eq!(topic.get("none"), None);
}

#[test]
fn keys_may_be_objects() {
    let value = parse(OBJECT_KEYS).unwrap();
    let (key, offset) = &value.get("offsetTable").unwrap().entries()[1];
    assert_eq!((key.get("queueId").and_then(Value::as_i64), offset.as_i64()), (Some(1), Some(9)));
    assert_eq!(value.to_pretty(), OBJECT_KEYS);
}

#[test]
fn values_are_built_and_written() {
    let table = Value::Object(vec![(Value::Int(3), Value::Int(17)), (Value::Int(-4), Value::Int(2))]);
    let value = Value::object([("offsetTable", table)]);
    assert_eq!(value.to_pretty(), "{\n\t\"offsetTable\":{3:17,-4:2\n\t}\n}");
    assert_eq!(value.to_compact(), r#"{"offsetTable":{3:17,-4:2}}"#);
    let list = |items| Value::object([("a", Value::Array(items))]);
    assert_eq!(list(vec![]).to_pretty(), "{\n\t\"a\":[]\n}");
    assert_eq!(list(vec![1.into(), 2.into()]).to_pretty(), "{\n\t\"a\":[1,2]\n}");
    let mixed = list(vec!["x".into(), true.into(), Value::Null]);
    assert_eq!(mixed.to_pretty(), "{\n\t\"a\":[\n\t\t\"x\",\n\t\ttrue,\n\t\tnull\n\t]\n}");
    assert_eq!(Value::Object(vec![]).to_pretty(), "{}");
}

#[test]
fn strings_are_escaped_as_fastjson_does() {
    let text = "\u{0}\u{7}\u{8}\t\n\u{b}\u{c}\r\u{1f} \"'/\\\u{7f}\u{9f}\u{a0}é中\u{2028}\u{2029}😀";
    let written = "\"\\u0000\\u0007\\b\\t\\n\\u000B\\f\\r\\u001F \\\"'/\\\\\\u007F\\u009F\u{a0}é中\\u2028\\u2029😀\"";
    assert_eq!(Value::from(text).to_pretty(), written);
    assert_eq!(parse(written).unwrap(), Value::from(text));
}

#[test]
fn standard_json_is_read() {
    let value =
        parse(" [ 1 , -0 , 1.5e+3 , 99999999999999999999 , true , false , null , \"a\\u0041\\/\" , { } , [ ] ] ");
    let expected = [
        Value::Int(1),
        Value::Int(0),
        Value::Float("1.5e+3".into()),
        Value::Float("99999999999999999999".into()),
        Value::Bool(true),
        Value::Bool(false),
        Value::Null,
        Value::Str("aA/".into()),
        Value::Object(vec![]),
        Value::Array(vec![]),
    ];
    assert_eq!(value.unwrap().items(), expected);
    assert_eq!(parse("\u{feff}-9223372036854775808").unwrap(), Value::Int(i64::MIN));
    assert_eq!(
        parse(r#""\ud83d\ude00|\ud83d|\ude00|\ud83dA""#).unwrap(),
        Value::from("😀|\u{fffd}|\u{fffd}|\u{fffd}A")
    );
}

#[test]
fn a_key_that_is_there_twice_is_kept_and_the_last_is_found() {
    let value = parse(r#"{"a":1,"b":2,"a":3}"#).unwrap();
    assert_eq!(value.get("a"), Some(&Value::Int(3)));
    assert_eq!(value.to_compact(), r#"{"a":1,"b":2,"a":3}"#);
}

#[test]
fn numbers_in_strings_are_numbers() {
    assert_eq!(Value::from("12").as_i64(), Some(12));
    assert_eq!(Value::from("12x").as_i64(), None);
    assert_eq!(Value::Int(1 << 31).as_i32(), None);
}

#[test]
fn errors_name_line_and_column() {
    assert_eq!(fails(""), "line 1, column 1: expected a value");
    assert_eq!(fails("{\n\t\"中\" 1}"), "line 2, column 6: expected ':'");
    assert_eq!(fails("{\"a\":1\n \"b\":2}"), "line 2, column 2: expected ',' or '}'");
    assert_eq!(fails("[1 2]"), "line 1, column 4: expected ',' or ']'");
    assert_eq!(fails("{a:1}"), "line 1, column 2: expected a key: a string, an integer or an object");
    assert_eq!(fails("{1.5:1}"), "line 1, column 2: expected a key: a string, an integer or an object");
    assert_eq!(fails("{\"a\":1,}"), "line 1, column 8: expected a key: a string, an integer or an object");
    assert_eq!(fails("\"a\nb\""), "line 1, column 3: expected the end of the string");
    assert_eq!(fails("\"abc"), "line 1, column 5: expected the end of the string");
    assert_eq!(fails("1 1"), "line 1, column 3: expected the end of the text");
    assert_eq!(fails("-x"), "line 1, column 2: expected a digit");
    assert_eq!(fails("01"), "line 1, column 2: expected the end of the text");
    for escape in [r#""\x""#, r#""\u12"#, r#""\u+123""#, r#""\u12中""#] {
        assert!(fails(escape).starts_with("line 1, column 2: expected one of the escapes"), "{escape}");
    }
}

#[test]
fn depth_is_limited() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse(&nested(128)).is_ok());
    assert_eq!(fails(&nested(129)), "line 1, column 129: more than 128 objects and arrays in each other");
    assert!(parse(&"{".repeat(1_000_000)).is_err());
    assert!(parse(&nested(100).replace("[]", "[[],[]]")).is_ok(), "depth, not number");
}

fn value() -> impl Strategy<Value = Value<'static>> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        Just(Value::Float("1.5".into())),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let object = prop::collection::vec((any::<String>().prop_map(Value::from), inner.clone()), 0..5);
        let object = object.prop_map(Value::Object);
        let key = prop_oneof![any::<String>().prop_map(Value::from), any::<i64>().prop_map(Value::Int), object.clone()];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            object,
            prop::collection::vec((key, inner), 0..5).prop_map(Value::Object),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_again(value in value()) {
        let (pretty, compact) = (value.to_pretty(), value.to_compact());
        prop_assert_eq!(parse(&pretty), Ok(value.clone()));
        prop_assert_eq!(parse(&compact), Ok(value));
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let _ = parse(&text);
    }

    #[test]
    fn any_text_of_the_characters_of_json_is_read_or_refused(text in r#"[\[\]{}:,"\\u0-9a-f\-.eE \n中]{0,60}"#) {
        let _ = parse(&text);
    }

    #[test]
    fn a_real_file_cut_or_changed_anywhere_is_read_or_refused(file in 0..FILES.len(), at in any::<prop::sample::Index>(), by in any::<char>()) {
        let text = FILES[file].1;
        let at = text.char_indices().map(|(at, _)| at).nth(at.index(text.chars().count())).unwrap_or(0);
        let _ = parse(&text[..at]);
        let _ = parse(&format!("{}{by}{}", &text[..at], &text[at..]));
    }
}

use proptest::prelude::*;

use super::*;
use crate::message::property;

/// Writes a text as the format sheet does: `=` for 0x01, `|` for 0x02.
fn shown(properties: &Properties) -> String {
    properties.to_text().replace('\u{1}', "=").replace('\u{2}', "|")
}

fn of(text: &str) -> Properties {
    Properties::parse(&text.replace('=', "\u{1}").replace('|', "\u{2}"))
}

fn names(properties: &Properties) -> String {
    properties.iter().map(|(name, _)| name).collect::<Vec<_>>().join(" ")
}

fn put_all(properties: &mut Properties, names: &str) {
    properties.extend(names.split(' ').map(|name| (name, "v")));
}

/// Buckets of the system's names at capacity 16, from the format sheet.
#[test]
fn buckets_of_system_names() {
    for (name, bucket) in [
        (property::MIN_OFFSET, 0),
        (property::CHECK_IMMUNITY_TIME_IN_SECONDS, 0),
        (property::REAL_TOPIC, 1),
        (property::RECONSUME_TIME, 2),
        (property::TRAN_PREPARED_QUEUE_OFFSET, 3),
        (property::ORIGIN_MESSAGE_ID, 4),
        (property::TRACE_ON, 4),
        ("__transactionId__", 4),
        (property::RETRY_TOPIC, 5),
        (property::TRANSACTION_CHECK_TIMES, 5),
        (property::MAX_OFFSET, 6),
        (property::KEYS, 7),
        (property::MSG_REGION, 7),
        (property::TRAN_MSG, 9),
        (property::CONSUME_START_TIME, 9),
        (property::UNIQ_KEY, 12),
        (property::CLUSTER, 12),
        (property::MAX_RECONSUME_TIMES, 12),
        (property::WAIT, 13),
        (property::DELAY, 13),
        (property::PGROUP, 13),
        (property::TAGS, 14),
        (property::REAL_QID, 15),
        (property::INSTANCE_ID, 15),
    ] {
        assert_eq!(spread(name) & 15, bucket, "{name}");
    }
}

/// What a client sends: tags, keys and WAIT by the constructor of a message, then `more`, then the unique key.
fn sent_by_client(keys: Option<&str>, more: &[(&str, &str)]) -> String {
    let mut sent = Properties::new();
    sent.put(property::TAGS, "t");
    if let Some(keys) = keys {
        sent.put(property::KEYS, keys);
    }
    sent.put(property::WAIT, "true");
    sent.extend(more.iter().copied());
    sent.put(property::UNIQ_KEY, "u");
    sent.to_text()
}

/// What the broker does with the properties of every send: parse, add the cluster, write the text without WAIT, and
/// put WAIT back into the map (`SendMessageProcessor.asyncSendMessage`).
fn received_by_broker(sent: &str) -> (Properties, String) {
    let mut properties = Properties::parse(sent);
    properties.put(property::CLUSTER, "c");
    let wait = properties.remove(property::WAIT);
    let stored = shown(&properties);
    properties.extend(wait.map(|wait| (property::WAIT, wait)));
    (properties, stored)
}

/// What the store does to a message that is for another topic for now.
fn redirected(properties: &mut Properties, topic: &str) {
    properties.put(property::REAL_TOPIC, topic);
    properties.put(property::REAL_QID, "0");
}

// The six flows of the format sheet, each by the puts and removes that lead to its string.

#[test]
fn normal_message() {
    let (_, stored) = received_by_broker(&sent_by_client(Some("k"), &[]));
    assert_eq!(stored, "KEYS=k|UNIQ_KEY=u|CLUSTER=c|TAGS=t");
}

#[test]
fn delayed_message() {
    let (mut properties, _) = received_by_broker(&sent_by_client(None, &[(property::DELAY, "3")]));
    redirected(&mut properties, "T");
    let stored = "REAL_TOPIC=T|UNIQ_KEY=u|CLUSTER=c|DELAY=3|WAIT=true|TAGS=t|REAL_QID=0";
    assert_eq!(shown(&properties), stored);
    // Redelivered, it is parsed and loses DELAY in memory, but the stored string is written before that.
    assert_eq!(shown(&of(stored)), stored);
}

#[test]
fn half_message() {
    let more = [(property::TRAN_MSG, "true"), (property::PGROUP, "g")];
    let (mut properties, _) = received_by_broker(&sent_by_client(None, &more));
    redirected(&mut properties, "T");
    let stored = "REAL_TOPIC=T|TRAN_MSG=true|UNIQ_KEY=u|CLUSTER=c|PGROUP=g|WAIT=true|TAGS=t|REAL_QID=0";
    assert_eq!(shown(&properties), stored);
    assert_eq!(shown(&of(stored)), stored, "and so is the committed message's");
}

#[test]
fn op_message() {
    let mut properties = Properties::new();
    properties.put(property::TAGS, "d");
    properties.put(property::WAIT, "true");
    assert_eq!(shown(&properties), "WAIT=true|TAGS=d");
}

#[test]
fn message_given_back() {
    let mut properties = of("UNIQ_KEY=u|CLUSTER=c|TAGS=t");
    properties.put(property::RETRY_TOPIC, "T");
    properties.put(property::WAIT, "false");
    properties.put(property::DELAY, "3");
    properties.put(property::ORIGIN_MESSAGE_ID, "o");
    redirected(&mut properties, "%RETRY%g");
    assert_eq!(
        shown(&properties),
        "REAL_TOPIC=%RETRY%g|ORIGIN_MESSAGE_ID=o|RETRY_TOPIC=T|UNIQ_KEY=u|CLUSTER=c|WAIT=false|DELAY=3|TAGS=t|REAL_QID=0"
    );
}

/// Thirteen names, so the table grows once. The hash of a one-letter name is the letter's code c, and spreading
/// changes nothing below 65536: the bucket is c & 15 at capacity 16, c & 31 at 32.
///
/// | name     | q   | a  | Q  | A  | 1  | B  | 2  | R  | b  | TAGS   | O  | o   | Kz   |
/// |----------|-----|----|----|----|----|----|----|----|----|--------|----|-----|------|
/// | hash     | 113 | 97 | 81 | 65 | 49 | 66 | 50 | 82 | 98 | 272C19 | 79 | 111 | 2447 |
/// | spread   | 113 | 97 | 81 | 65 | 49 | 66 | 50 | 82 | 98 | 272C3E | 79 | 111 | 2447 |
/// | &15      | 1   | 1  | 1  | 1  | 1  | 2  | 2  | 2  | 2  | 14     | 15 | 15  | 15   |
/// | &31      | 17  | 1  | 17 | 1  | 17 | 2  | 18 | 18 | 2  | 30     | 15 | 15  | 15   |
///
/// TAGS: ((84 * 31 + 65) * 31 + 71) * 31 + 83 = 2567193 = 0x272C19, and 0x2C19 ^ 0x0027 = 0x2C3E.
/// Kz: 75 * 31 + 122 = 2447 = 0x98F.
#[test]
fn thirteenth_name_doubles_the_table() {
    let mut properties = Properties::new();
    put_all(&mut properties, "q a Q A 1 B 2 R b TAGS O o");
    assert_eq!(names(&properties), "q a Q A 1 B 2 R b TAGS O o", "by &15");
    put_all(&mut properties, "Kz");
    assert_eq!(names(&properties), "a A B b O o Kz q Q 1 2 R TAGS", "by &31");
    for name in ["q", "Q", "1", "2", "R", "O", "o", "Kz"] {
        properties.remove(name);
    }
    put_all(&mut properties, "Q");
    assert_eq!(names(&properties), "a A B b Q TAGS", "it never shrinks: Q stays in bucket 17 of 32, behind B and b");
}

/// Twenty-five names, so the table grows twice: the codes of `0`..`8` (48 to 56), `P`..`W` (80 to 87) and `p`..`w`
/// (112 to 119), put interleaved.
///
/// At 32 buckets all three rows fall on 16 to 24 (48 & 31 = 80 & 31 = 112 & 31 = 16, one more for each step), so each
/// bucket holds its three in order of insertion: `p 0 P`, `q 1 Q` ... At 64 the digits and the small letters fall on
/// 48 to 56 (48 & 63 = 112 & 63 = 48) and the capitals on 16 to 23 (80 & 63 = 16): the capitals come first, then
/// `p 0`, `q 1` ..., each pair still in its old order, and the twenty-fifth, `8`, last.
#[test]
fn twenty_fifth_name_doubles_it_again() {
    let mut properties = Properties::new();
    put_all(&mut properties, "p 0 P q 1 Q r 2 R s 3 S t 4 T u 5 U v 6 V w 7 W");
    assert_eq!(properties.len(), 24);
    assert_eq!(names(&properties), "p 0 P q 1 Q r 2 R s 3 S t 4 T u 5 U v 6 V w 7 W", "by &31");
    put_all(&mut properties, "8");
    assert_eq!(names(&properties), "P Q R S T U V W p 0 q 1 r 2 s 3 t 4 u 5 v 6 w 7 8", "by &63");
}

/// `Aa` and `BB` have one hash (65 * 31 + 97 = 66 * 31 + 66 = 2112), so the sixteen names of four such pairs have one
/// hash too. The ninth in a bucket doubles a table below 64, whatever its size: `1` (49) is in bucket 1 of 16, 17 of
/// 32 and 49 of 64, `A` (65) in bucket 1 of each, `Q` (81) in 1, 17 and 17.
#[test]
fn crowded_bucket_doubles_the_table() {
    let pair = |bit: usize| if bit == 0 { "Aa" } else { "BB" };
    let crowd: Vec<String> = (0..10).map(|n| [3, 2, 1, 0].map(|bit| pair(n >> bit & 1)).concat()).collect();
    let mut properties = Properties::new();
    put_all(&mut properties, "1 A Q");
    let others = |properties: &Properties| {
        properties.iter().map(|(name, _)| name).filter(|name| name.len() == 1).collect::<String>()
    };
    properties.extend(crowd.iter().take(8).map(|name| (name.as_str(), "v")));
    assert_eq!(others(&properties), "1AQ");
    properties.put(crowd[8].as_str(), "v");
    assert_eq!((properties.len(), others(&properties)), (12, "A1Q".to_owned()), "32 buckets at size 12");
    properties.put(crowd[9].as_str(), "v");
    assert_eq!((properties.len(), others(&properties)), (13, "AQ1".to_owned()), "64 buckets at size 13");
    assert!(crowd.iter().all(|name| properties.contains(name)));
}

#[test]
fn replaced_keeps_its_place_and_removed_loses_it() {
    let mut properties = of("UNIQ_KEY=u|CLUSTER=c|MAX_RECONSUME_TIMES=3");
    assert_eq!(properties.put("UNIQ_KEY", "w"), Some("u".to_owned()));
    assert_eq!(shown(&properties), "UNIQ_KEY=w|CLUSTER=c|MAX_RECONSUME_TIMES=3");
    assert_eq!(properties.remove("UNIQ_KEY"), Some("w".to_owned()));
    assert_eq!(properties.remove("UNIQ_KEY"), None);
    assert_eq!(properties.put("UNIQ_KEY", "x"), None);
    assert_eq!(shown(&properties), "CLUSTER=c|MAX_RECONSUME_TIMES=3|UNIQ_KEY=x");
    assert_eq!((properties.get("CLUSTER"), properties.get("cluster")), (Some("c"), None));
}

#[test]
fn text_form() {
    assert_eq!(Properties::new().to_text(), "");
    assert_eq!(Properties::parse(""), Properties::new());
    assert_eq!(shown(&of("KEYS=k|")), "KEYS=k", "a separator at the end is accepted and not written");
    assert_eq!(shown(&of("||KEYS=k||")), "KEYS=k");
    assert_eq!(shown(&of("=v|k=|k|=|==|a=b")), "a=b", "no name or no value: dropped");
    assert_eq!(shown(&of("a=1|a=2")), "a=2", "the last counts");
    assert_eq!(shown(&of("a=1|a=")), "a=1", "but a dropped one does not");
    assert_eq!(of("k=a=b").get("k"), Some("a\u{1}b"), "the name ends at the first 0x01");
    assert_eq!(shown(&of("k==")), "k==", "so this value is 0x01");
    assert_eq!(shown(&of("\u{4E2D}=\u{6587}")), "\u{4E2D}=\u{6587}");
}

/// The map as Java builds it: a table of lists, each entry moved by its hash when the table doubles.
struct Table(Vec<Vec<(String, String)>>);

impl Table {
    fn put(&mut self, name: &str, value: &str) {
        let bits = self.0.len() as u32 - 1;
        let bucket = &mut self.0[(spread(name) & bits) as usize];
        if let Some(entry) = bucket.iter_mut().find(|entry| entry.0 == name) {
            value.clone_into(&mut entry.1);
            return;
        }
        bucket.push((name.to_owned(), value.to_owned()));
        if bucket.len() > 8 && self.0.len() < 64 {
            self.double();
        }
        if self.0.iter().map(Vec::len).sum::<usize>() * 4 > self.0.len() * 3 {
            self.double();
        }
    }

    fn double(&mut self) {
        let mut doubled = vec![Vec::new(); self.0.len() * 2];
        for entry in self.0.drain(..).flatten() {
            let bucket = spread(&entry.0) as usize & (doubled.len() - 1);
            doubled[bucket].push(entry);
        }
        self.0 = doubled;
    }

    fn remove(&mut self, name: &str) {
        self.0.iter_mut().for_each(|bucket| bucket.retain(|entry| entry.0 != name));
    }
}

proptest! {
    #[test]
    fn any_history_is_in_the_order_of_a_table(
        history in prop::collection::vec(("[A-D]{1,3}|[0-9a-z]{1,2}|(Aa|BB){3}", prop::option::weighted(0.8, "[x-z]")), 0..200)
    ) {
        let mut properties = Properties::new();
        let mut table = Table(vec![Vec::new(); 16]);
        for (name, value) in &history {
            if let Some(value) = value {
                properties.put(name.as_str(), value.as_str());
                table.put(name, value);
            } else {
                properties.remove(name);
                table.remove(name);
            }
        }
        let listed: Vec<_> = table.0.into_iter().flatten().collect();
        prop_assert_eq!(properties.len(), listed.len());
        prop_assert!(properties.iter().eq(listed.iter().map(|(name, value)| (name.as_str(), value.as_str()))));
    }

    #[test]
    fn any_text_is_parsed_and_its_text_is_stable(text in "(\u{1}|\u{2}|[a-c]|\u{4E2D}){0,60}") {
        let properties = Properties::parse(&text);
        let again = Properties::parse(&properties.to_text());
        for name in ["", "a", "b", "ab", "\u{4E2D}"] {
            prop_assert_eq!(find_value(&text, name), properties.get(name), "found without the map, as in the map");
        }
        for (name, value) in properties.iter() {
            prop_assert!(!name.is_empty() && !value.is_empty());
            prop_assert_eq!(again.get(name), Some(value));
        }
        prop_assert_eq!(again.len(), properties.len());
    }
}

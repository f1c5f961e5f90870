mod check;
mod decode;
mod encode;
mod fuzz;
mod stored;

use crate::message::offset_msg_id::read_hex;
use crate::message::{Host, Message, Properties};

/// The worked record of the format sheet, verified there with a JDK.
const WORKED: &str = "000000C7DAA320A769C865ED00000003000000000000000000000007000000000000040000000000\
    0000018BCFE56800C0A8010A0000D4310000018BCFE5687B0A00000100002A9F0000000000000000\
    000000000000000E48656C6C6F20526F636B65744D5109546F7069635465737400554B455953016B\
    31206B3202554E49515F4B45590141433131303030313041324331384234414143323744334635413544\
    3030303002434C55535445520144656661756C74436C7573746572025441475301\
    54616741";

fn worked() -> Vec<u8> {
    read_hex(WORKED).expect("hex")
}

/// The message that becomes [`WORKED`] with queue offset 7, physical offset 1024 and store timestamp 1700000000123.
fn worked_message() -> Message {
    let text = "KEYS\u{1}k1 k2\u{2}UNIQ_KEY\u{1}AC1100010A2C18B4AAC27D3F5A5D0000\u{2}CLUSTER\u{1}DefaultCluster\u{2}TAGS\u{1}TagA";
    Message {
        topic: "TopicTest".to_owned(),
        queue_id: 3,
        flag: 0,
        sys_flag: 0,
        born_timestamp: 1_700_000_000_000,
        born_host: Host::new([192, 168, 1, 10], 54321),
        store_host: Host::new([10, 0, 0, 1], 10911),
        reconsume_times: 0,
        prepared_transaction_offset: 0,
        body: "Hello RocketMQ".into(),
        properties: Properties::parse(text),
        properties_text: text.to_owned(),
    }
}

fn v6() -> Host {
    "[2001:db8::2]:10911".parse().expect("a host")
}

/// Overwrites bytes of a record.
fn with(mut record: Vec<u8>, position: usize, bytes: &[u8]) -> Vec<u8> {
    record[position..position + bytes.len()].copy_from_slice(bytes);
    record
}

/// Encodes without a limit worth naming.
fn encoded(message: &Message) -> Vec<u8> {
    let mut out = Vec::new();
    super::encode(message, &super::Limits::default(), &mut out).expect("a message within limits");
    out
}

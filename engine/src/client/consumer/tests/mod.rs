//! The parts of a push consumer, each alone. Expected values come from 4.9.8's rules worked out by hand.

mod config;
mod listener;
mod offsets;
mod process_queue;

use std::sync::Arc;

use bytes::Bytes;

use crate::client::Received;

/// A message at an offset of a queue, of one byte unless it is given another body.
fn message(queue_offset: i64) -> Received {
    Received {
        topic: "TopicTest".to_owned(),
        queue_id: 0,
        queue_offset,
        physical_offset: queue_offset * 100,
        size: 100,
        msg_id: format!("id{queue_offset}"),
        offset_msg_id: String::new(),
        tags: None,
        keys: None,
        flag: 0,
        properties_text: String::new(),
        body: Bytes::from_static(b"x"),
        born_timestamp: 0,
        store_timestamp: 0,
        reconsume_times: 0,
        queue_range: None,
    }
}

fn messages(offsets: impl IntoIterator<Item = i64>) -> Vec<Arc<Received>> {
    offsets.into_iter().map(|offset| Arc::new(message(offset))).collect()
}

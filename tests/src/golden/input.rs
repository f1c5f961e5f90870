//! Recorded puts as values that our store takes.

use std::net::IpAddr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use rocketscope_engine::message::batch::{BatchEntry, MessageBatch, encode_client};
use rocketscope_engine::message::{Host, Message, Properties};

use super::expected::{Body, Entry, Pairs, PutInput};

/// The message of a single put. The error is a sentence.
pub fn message(input: &PutInput) -> Result<Message, String> {
    let body = input.body.as_ref().map_or(Ok(Vec::new()), Body::bytes)?;
    Ok(Message {
        topic: input.topic.clone(),
        queue_id: input.queue_id,
        flag: input.flag,
        sys_flag: input.sys_flag,
        born_timestamp: input.born_timestamp,
        born_host: host(&input.born_host, input.born_port)?,
        store_host: host(&input.store_host, input.store_port)?,
        reconsume_times: input.reconsume_times,
        prepared_transaction_offset: input.prepared_transaction_offset,
        body: Bytes::from(body),
        properties: properties(&input.properties),
        properties_text: input.properties_string.clone(),
    })
}

/// The batch of a batch put, encoded by our client; where the real client's bytes were recorded they must be the same.
pub fn batch(input: &PutInput) -> Result<MessageBatch, String> {
    let entry = |entry: &Entry| {
        let properties_text = entry.properties_string.clone();
        Ok(BatchEntry { flag: entry.flag, body: entry.body.bytes()?.into(), properties_text })
    };
    let entries = input.messages.iter().map(entry).collect::<Result<Vec<_>, String>>()?;
    let body = encode_client(&entries).map_err(|cause| format!("batch: {cause}"))?;
    if let Some(recorded) = &input.batch_body_base64 {
        let recorded = BASE64_STANDARD.decode(recorded).map_err(|cause| format!("batch body: {cause}"))?;
        if recorded != body {
            return Err("the batch is not encoded as the real client does".into());
        }
    }
    Ok(MessageBatch {
        topic: input.topic.clone(),
        queue_id: input.queue_id,
        sys_flag: input.sys_flag,
        born_timestamp: input.born_timestamp,
        born_host: host(&input.born_host, input.born_port)?,
        store_host: host(&input.store_host, input.store_port)?,
        reconsume_times: input.reconsume_times,
        properties: properties(&input.batch_properties),
        body: body.into(),
    })
}

fn properties(pairs: &Pairs) -> Properties {
    pairs.0.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

fn host(ip: &str, port: i32) -> Result<Host, String> {
    let ip: IpAddr = ip.parse().map_err(|_| format!("{ip}: no address"))?;
    Ok(Host::new(ip, port))
}

//! What a broker's disk holds before the world begins: the work of a broker that was stopped cleanly.

use bytes::Bytes;

use super::{BrokerConfig, Topics, config_file::ConfigFile};
use crate::{
    disk::{Disk, MemoryDisk},
    message::{Host, Message, Properties, property, record},
    store::{PutMessageStatus, StillEnv, Store, StoreConfig, config_file},
    wire::TopicConfig,
};

/// Records that a starting store holds, all of one topic's queue 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Earlier {
    /// The topic.
    pub topic: String,
    /// The length of each record in bytes, in order.
    pub record_sizes: Vec<i32>,
}

/// The disk of a broker with these topics and records, stopped cleanly at `now_ms`, milliseconds since the epoch. The
/// cause if that cannot be.
pub fn starting_disk(
    config: &BrokerConfig,
    store_config: &StoreConfig,
    store_host: Host,
    topics: &[TopicConfig],
    earlier: &Earlier,
    now_ms: i64,
) -> Result<MemoryDisk, String> {
    let mut disk = MemoryDisk::new();
    if !earlier.record_sizes.is_empty() {
        disk = write_earlier(disk, config, store_config, store_host, earlier, now_ms)?;
    }
    let mut table = Topics::of(config);
    for topic in topics {
        table.put(topic.clone(), now_ms);
    }
    if !earlier.record_sizes.is_empty() {
        table.put(TopicConfig::new(&earlier.topic, 1, 1, 6), now_ms);
    }
    disk.set_time(now_ms);
    config_file::save(&mut disk, Topics::PATH, &table.to_text()).map_err(|error| error.to_string())?;
    flush_everything(&mut disk)?;
    Ok(disk)
}

fn write_earlier(
    disk: MemoryDisk,
    config: &BrokerConfig,
    store_config: &StoreConfig,
    store_host: Host,
    earlier: &Earlier,
    now_ms: i64,
) -> Result<MemoryDisk, String> {
    let mut env = StillEnv(now_ms);
    let mut store = Store::load(disk, store_config.clone(), &mut env).map_err(|error| error.to_string())?;
    store.start(&mut env).map_err(|error| error.to_string())?;
    for size in &earlier.record_sizes {
        let message =
            earlier_message(config, store_host, &earlier.topic, *size, store_config.max_message_size, now_ms)?;
        let result = store.put_message(&message, &mut env);
        let wrote = result.append.map_or(0, |append| append.wrote_bytes);
        if result.status != PutMessageStatus::PutOk || wrote != *size {
            return Err(format!("a record of {size} bytes was not stored: {}", result.status.name()));
        }
    }
    if store.shutdown(&mut env) { Ok(store.into_disk()) } else { Err("the store could not be stopped".to_owned()) }
}

fn earlier_message(
    config: &BrokerConfig,
    store_host: Host,
    topic: &str,
    size: i32,
    max_message_size: i32,
    now_ms: i64,
) -> Result<Message, String> {
    let mut properties = Properties::new();
    properties.put(property::CLUSTER, config.broker_cluster_name.clone());
    let mut message = Message {
        topic: topic.to_owned(),
        queue_id: 0,
        flag: 0,
        sys_flag: 0,
        born_timestamp: now_ms,
        born_host: Host { ip: std::net::Ipv4Addr::new(10, 0, 3, 250).into(), port: 50_000 },
        store_host,
        reconsume_times: 0,
        prepared_transaction_offset: 0,
        body: Bytes::new(),
        properties_text: properties.to_text(),
        properties,
    };
    let limits = record::Limits { max_message_size: i32::MAX };
    let least = record::encoded_len(&message, &limits).map_err(|error| error.to_string())?;
    let body = size.checked_sub(least).and_then(|len| usize::try_from(len).ok());
    let most = usize::try_from(max_message_size).unwrap_or(0);
    let body = body.filter(|body| *body <= most).ok_or_else(|| {
        format!("a record of {size} bytes is impossible: it takes at least {least} and has a body of at most {most}")
    })?;
    message.body = vec![b'.'; body].into();
    Ok(message)
}

/// Long before the world begins everything has reached the disk.
fn flush_everything(disk: &mut MemoryDisk) -> Result<(), String> {
    use crate::disk::ReadAt;
    for (_, file) in disk.files() {
        let len = disk.meta(file).map_err(|error| error.to_string())?.len;
        disk.flush(file, 0, len).map_err(|error| error.to_string())?;
    }
    Ok(())
}

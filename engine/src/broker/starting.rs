//! What a broker's disk holds before the world begins: the work of a broker that was stopped cleanly.

use bytes::Bytes;

use super::{BrokerConfig, ConsumerFilters, Topics, config_file::ConfigFile};
use crate::{
    disk::{Disk, MemoryDisk},
    message::{Host, Message, Properties, property, record, transaction::HALF_TOPIC},
    store::{BrokerRole, PutMessageStatus, Reput, StillEnv, Store, StoreConfig, config_file},
    wire::{PERM_READ, PERM_WRITE, TopicConfig},
};

/// What a starting store holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Earlier {
    /// Where the CommitLog begins, a multiple of its file size: what lay before is deleted.
    pub begin_offset: i64,
    /// The records, in order.
    pub records: Vec<EarlierRecords>,
}

/// Records of one queue, alike but for their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EarlierRecords {
    /// The topic, which the broker has.
    pub topic: String,
    /// The queue.
    pub queue_id: i32,
    /// Queue offset of the first, if it is not the queue's next.
    pub queue_offset: Option<i64>,
    /// `TAGS`.
    pub tags: Option<String>,
    /// `KEYS`; `{n}` stands for the record's place in the store, from 0.
    pub keys: Option<String>,
    /// The length of each in bytes.
    pub size: i32,
    /// How many.
    pub count: u32,
    /// How long before the stop they were stored, dispatched and flushed, milliseconds.
    pub earlier_ms: i64,
}

/// What stands for the record's place in its keys.
const NUMBER: &str = "{n}";

/// The broker that wrote them.
struct Writer<'a> {
    config: &'a BrokerConfig,
    store_config: &'a StoreConfig,
    store_host: Host,
    now_ms: i64,
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
    let mut table = Topics::of(config);
    // Its first check of transactions, a minute after its start, made it.
    table.put(TopicConfig::new(HALF_TOPIC, 1, 1, PERM_READ | PERM_WRITE), now_ms);
    for topic in topics {
        table.put(topic.clone(), now_ms);
    }
    for records in &earlier.records {
        let topic = table.get(&records.topic).ok_or_else(|| format!("the broker has no topic `{}`", records.topic))?;
        let queues = topic.write_queue_nums.max(topic.read_queue_nums);
        if !(0..queues).contains(&records.queue_id) {
            return Err(format!("`{}` has no queue {}", records.topic, records.queue_id));
        }
    }
    let mut disk = MemoryDisk::new();
    if *earlier != Earlier::default() {
        disk = Writer { config, store_config, store_host, now_ms }.write(disk, earlier)?;
    }
    disk.set_time(now_ms);
    let filters = ConsumerFilters::new(config).to_text();
    for (path, text) in [
        (Topics::PATH, &table.to_text()),
        // It was saved every 10 s, and once more at the end, so that it has a copy.
        (ConsumerFilters::PATH, &filters),
        (ConsumerFilters::PATH, &filters),
    ] {
        config_file::save(&mut disk, path, text).map_err(|error| error.to_string())?;
    }
    flush_everything(&mut disk)?;
    Ok(disk)
}

impl Writer<'_> {
    fn write(&self, mut disk: MemoryDisk, earlier: &Earlier) -> Result<MemoryDisk, String> {
        disk.set_time(self.now_ms);
        self.begin_log(&mut disk, earlier.begin_offset)?;
        let mut env = StillEnv(self.now_ms);
        let mut stored = 0_u32;
        // They were written long ago, by a master whose slaves do not matter any more.
        let writing = StoreConfig { broker_role: BrokerRole::AsyncMaster, ..self.store_config.clone() };
        let mut store = Store::load(disk, writing, &mut env).map_err(|error| error.to_string())?;
        store.start(&mut env).map_err(|error| error.to_string())?;
        for records in &earlier.records {
            if let Some(queue_offset) = records.queue_offset {
                store.set_next_queue_offset(&records.topic, records.queue_id, queue_offset);
            }
            env = StillEnv(self.now_ms.saturating_sub(records.earlier_ms));
            let mut message = self.message(records, stored, env.0)?;
            for _ in 0..records.count {
                if records.keys.as_ref().is_some_and(|keys| keys.contains(NUMBER)) {
                    message = self.message(records, stored, env.0)?;
                }
                stored = stored.saturating_add(1);
                let result = store.put_message(&message, &mut env);
                let wrote = result.append.map_or(0, |append| append.wrote_bytes);
                if result.status != PutMessageStatus::PutOk || wrote != records.size {
                    return Err(format!("a record of {} bytes was not stored: {}", records.size, result.status.name()));
                }
            }
            while store.reput(&mut env) != Reput::Idle {}
            while !store.flush_commit_log(0, &mut env) {}
        }
        env = StillEnv(self.now_ms);
        if store.shutdown(&mut env) { Ok(store.into_disk()) } else { Err("the store could not be stopped".to_owned()) }
    }

    /// The empty file that the log begins with once the files before are deleted.
    fn begin_log(&self, disk: &mut MemoryDisk, begin_offset: i64) -> Result<(), String> {
        if begin_offset == 0 {
            return Ok(());
        }
        let size = self.store_config.mapped_file_size_commit_log;
        if begin_offset.checked_rem(i64::from(size)) != Some(0) {
            return Err(format!(
                "beginOffset {begin_offset}: a log of files of {size} bytes begins at a multiple of it"
            ));
        }
        if self.store_config.store_path_commit_log.is_some() {
            return Err("beginOffset: only with the usual storePathCommitLog".to_owned());
        }
        let len = u64::try_from(size).map_err(|error| error.to_string())?;
        disk.create(&format!("commitlog/{begin_offset:020}"), len).map_err(|error| error.to_string())?;
        Ok(())
    }

    /// The message that makes a record of these, the one at `place` in the store; its body is as long as that takes.
    fn message(&self, records: &EarlierRecords, place: u32, born_ms: i64) -> Result<Message, String> {
        let mut properties = Properties::new();
        properties.put(property::CLUSTER, self.config.broker_cluster_name.clone());
        let keys = records.keys.as_ref().map(|keys| keys.replace(NUMBER, &place.to_string()));
        for (name, value) in [(property::TAGS, records.tags.clone()), (property::KEYS, keys)] {
            if let Some(value) = value {
                properties.put(name, value);
            }
        }
        let mut message = Message {
            topic: records.topic.clone(),
            queue_id: records.queue_id,
            flag: 0,
            sys_flag: 0,
            born_timestamp: born_ms,
            born_host: Host { ip: std::net::Ipv4Addr::new(10, 0, 3, 250).into(), port: 50_000 },
            store_host: self.store_host,
            reconsume_times: 0,
            prepared_transaction_offset: 0,
            body: Bytes::new(),
            properties_text: properties.to_text(),
            properties,
        };
        let limits = record::Limits { max_message_size: i32::MAX };
        let least = record::encoded_len(&message, &limits).map_err(|error| error.to_string())?;
        let size = records.size;
        let body = size.checked_sub(least).and_then(|len| usize::try_from(len).ok());
        let most = usize::try_from(self.store_config.max_message_size).unwrap_or(0);
        let body = body.filter(|body| *body <= most).ok_or_else(|| {
            format!(
                "a record of {size} bytes is impossible: it takes at least {least} and has a body of at most {most}"
            )
        })?;
        message.body = vec![b'.'; body].into();
        Ok(message)
    }
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

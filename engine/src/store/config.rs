//! The store's configuration, under RocketMQ's own key names.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::config_value::{BrokerRole, FlushDiskType, Value};
use super::properties_file;

/// A key or value that the configuration does not take: where, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Line of the file, counted from 1; `None` when the pair did not come from a file.
    pub line: Option<u32>,
    /// The key as written.
    pub key: String,
    /// What is wrong with it.
    pub kind: ConfigErrorKind,
}

/// Why a key or value is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigErrorKind {
    /// Not a key of `MessageStoreConfig`.
    UnknownKey,
    /// The value cannot be read, or is outside what the store can work with.
    BadValue {
        /// The value as written.
        value: String,
        /// What would be taken.
        expects: &'static str,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        match &self.kind {
            ConfigErrorKind::UnknownKey => write!(f, "{}: not a key of the message store", self.key),
            ConfigErrorKind::BadValue { value, expects } => {
                write!(f, "{} = {value}: expected {expects}", self.key)
            }
        }
    }
}

impl std::error::Error for ConfigError {}

/// One list of the keys gives the struct, its defaults, and reading and writing by key.
macro_rules! store_config {
    ($($(#[$doc:meta])* $key:literal => $field:ident: $type:ty = $default:expr;)*) => {
        /// What 4.9.8 reads into `MessageStoreConfig`; the defaults are its own.
        ///
        /// Sizes are bytes, times milliseconds, unless a field says otherwise.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct StoreConfig {
            $($(#[$doc])* #[serde(rename = $key)] pub $field: $type,)*
        }

        impl Default for StoreConfig {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl StoreConfig {
            /// Every key, in the order of `MessageStoreConfig`.
            pub const KEYS: &[&str] = &[$($key,)*];

            /// Sets the value of `key` from its text.
            pub fn set(&mut self, key: &str, value: &str) -> Result<(), ConfigError> {
                let error = |kind| ConfigError { line: None, key: key.to_owned(), kind };
                let text = value.trim();
                match key {
                    $($key => {
                        self.$field = <$type as Value>::read(text).ok_or_else(|| {
                            error(ConfigErrorKind::BadValue { value: value.to_owned(), expects: <$type as Value>::EXPECTS })
                        })?;
                    })*
                    _ => return Err(error(ConfigErrorKind::UnknownKey)),
                }
                Ok(())
            }

            /// What the value of `key` may be, in English; `None` for a key that is not the store's.
            pub fn expects(key: &str) -> Option<&'static str> {
                match key {
                    $($key => Some(<$type as Value>::EXPECTS),)*
                    _ => None,
                }
            }

            /// The value of `key` as text; `None` for a key that is not the store's.
            pub fn get(&self, key: &str) -> Option<String> {
                match key {
                    $($key => Some(Value::write(&self.$field)),)*
                    _ => None,
                }
            }
        }
    };
}

store_config! {
    /// The root of the store's files. The disk is that root: this only tells which part of the other paths lies inside.
    "storePathRootDir" => store_path_root_dir: String = "$HOME/store".to_owned();
    /// Where the commit log is, several separated by commas; absent: `commitlog` below the root.
    "storePathCommitLog" => store_path_commit_log: Option<String> = None;
    /// Commit log directories that are read and never written.
    "readOnlyCommitLogStorePaths" => read_only_commit_log_store_paths: Option<String> = None;
    /// Size of one commit log file.
    "mappedFileSizeCommitLog" => mapped_file_size_commit_log: i32 = 1024 * 1024 * 1024;
    /// Size of one ConsumeQueue file; rounded up to whole units, see [`StoreConfig::consume_queue_file_size`].
    "mappedFileSizeConsumeQueue" => mapped_file_size_consume_queue: i32 = 300_000 * 20;
    /// Whether filter bits are kept beside the ConsumeQueue.
    "enableConsumeQueueExt" => enable_consume_queue_ext: bool = false;
    /// Size of one ConsumeQueueExt file.
    "mappedFileSizeConsumeQueueExt" => mapped_file_size_consume_queue_ext: i32 = 48 * 1024 * 1024;
    /// Bits of a filter bit map.
    "bitMapLengthConsumeQueueExt" => bit_map_length_consume_queue_ext: i32 = 64;
    /// Pause between two flushes of the commit log.
    "flushIntervalCommitLog" => flush_interval_commit_log: i32 = 500;
    /// Pause between two commits of the transient buffer.
    "commitIntervalCommitLog" => commit_interval_commit_log: i32 = 200;
    /// Which lock orders the appends: re-entrant, or spinning.
    "useReentrantLockWhenPutMessage" => use_reentrant_lock_when_put_message: bool = true;
    /// Whether the flush service sleeps its whole interval, or is woken by each put.
    "flushCommitLogTimed" => flush_commit_log_timed: bool = true;
    /// Pause between two flushes of the ConsumeQueues.
    "flushIntervalConsumeQueue" => flush_interval_consume_queue: i32 = 1000;
    /// Pause between two clean-ups.
    "cleanResourceInterval" => clean_resource_interval: i32 = 10_000;
    /// Pause after a deleted commit log file.
    "deleteCommitLogFilesInterval" => delete_commit_log_files_interval: i32 = 100;
    /// Pause after a queue of which files were deleted.
    "deleteConsumeQueueFilesInterval" => delete_consume_queue_files_interval: i32 = 100;
    /// After this time a file that is still read is destroyed all the same.
    "destroyMapedFileIntervalForcibly" => destroy_maped_file_interval_forcibly: i32 = 120_000;
    /// Pause between two tries to delete a file that was still read.
    "redeleteHangedFileInterval" => redelete_hanged_file_interval: i32 = 120_000;
    /// Hours of the day in which expired files are deleted, `;`-separated.
    "deleteWhen" => delete_when: String = "04".to_owned();
    /// Percentage of the disk above which files are deleted at any hour; used as 10 to 95.
    "diskMaxUsedSpaceRatio" => disk_max_used_space_ratio: i32 = 75;
    /// Hours that a commit log file is kept after its last write.
    "fileReservedTime" => file_reserved_time: i32 = 72;
    /// Read and never used by 4.9.8.
    "putMsgIndexHightWater" => put_msg_index_hight_water: i32 = 600_000;
    /// The longest body.
    "maxMessageSize" => max_message_size: i32 = 4 * 1024 * 1024;
    /// Whether recovery compares the bodies with their CRC.
    "checkCRCOnRecover" => check_crc_on_recover: bool = true;
    /// Pages that must wait before a flush of the commit log does anything.
    "flushCommitLogLeastPages" => flush_commit_log_least_pages: i32 = 4;
    /// Pages that must wait before a commit of the transient buffer does anything.
    "commitCommitLogLeastPages" => commit_commit_log_least_pages: i32 = 4;
    /// Pages between two flushes while a new file is warmed.
    "flushLeastPagesWhenWarmMapedFile" => flush_least_pages_when_warm_maped_file: i32 = 4096;
    /// Pages that must wait before a flush of a ConsumeQueue does anything.
    "flushConsumeQueueLeastPages" => flush_consume_queue_least_pages: i32 = 2;
    /// After this time everything of the commit log is flushed.
    "flushCommitLogThoroughInterval" => flush_commit_log_thorough_interval: i32 = 10_000;
    /// After this time everything of the transient buffer is committed.
    "commitCommitLogThoroughInterval" => commit_commit_log_thorough_interval: i32 = 200;
    /// After this time everything of the ConsumeQueues is flushed, and the checkpoint written.
    "flushConsumeQueueThoroughInterval" => flush_consume_queue_thorough_interval: i32 = 60_000;
    /// Bytes that one pull may take from memory.
    "maxTransferBytesOnMessageInMemory" => max_transfer_bytes_on_message_in_memory: i32 = 256 * 1024;
    /// Messages that one pull may take from memory.
    "maxTransferCountOnMessageInMemory" => max_transfer_count_on_message_in_memory: i32 = 32;
    /// Bytes that one pull may take from the disk.
    "maxTransferBytesOnMessageInDisk" => max_transfer_bytes_on_message_in_disk: i32 = 64 * 1024;
    /// Messages that one pull may take from the disk.
    "maxTransferCountOnMessageInDisk" => max_transfer_count_on_message_in_disk: i32 = 8;
    /// Percentage of the machine's memory within which the end of the log counts as being in memory.
    "accessMessageInMemoryMaxRatio" => access_message_in_memory_max_ratio: i32 = 40;
    /// Whether keys are indexed.
    "messageIndexEnable" => message_index_enable: bool = true;
    /// Hash slots of an index file.
    "maxHashSlotNum" => max_hash_slot_num: i32 = 5_000_000;
    /// Entries of an index file, the unused entry 0 among them.
    "maxIndexNum" => max_index_num: i32 = 20_000_000;
    /// The most messages that a query by key answers.
    "maxMsgsNumBatch" => max_msgs_num_batch: i32 = 64;
    /// Whether an unclean recovery starts early enough for the index too.
    "messageIndexSafe" => message_index_safe: bool = false;
    /// Port for slaves.
    "haListenPort" => ha_listen_port: i32 = 10_912;
    /// Pause after which replication says that it is alive.
    "haSendHeartbeatInterval" => ha_send_heartbeat_interval: i32 = 5000;
    /// Silence after which a replication connection is closed.
    "haHousekeepingInterval" => ha_housekeeping_interval: i32 = 20_000;
    /// Bytes of one replication frame.
    "haTransferBatchSize" => ha_transfer_batch_size: i32 = 32 * 1024;
    /// The master's address for replication; absent: told by the NameServer.
    "haMasterAddress" => ha_master_address: Option<String> = None;
    /// A slave further behind counts as absent.
    "haSlaveFallbehindMax" => ha_slave_fallbehind_max: i32 = 256 * 1024 * 1024;
    /// Master or slave.
    "brokerRole" => broker_role: BrokerRole = BrokerRole::AsyncMaster;
    /// Whether a put waits for the flush.
    "flushDiskType" => flush_disk_type: FlushDiskType = FlushDiskType::AsyncFlush;
    /// How long a put waits for the flush.
    "syncFlushTimeout" => sync_flush_timeout: i32 = 5000;
    /// How long a put waits for a slave.
    "slaveTimeout" => slave_timeout: i32 = 3000;
    /// The delay of each level.
    "messageDelayLevel" => message_delay_level: String =
        "1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h".to_owned();
    /// Pause between two saves of `delayOffset.json`.
    "flushDelayOffsetInterval" => flush_delay_offset_interval: i64 = 10_000;
    /// Whether files go before their time when the disk is nearly full.
    "cleanFileForciblyEnable" => clean_file_forcibly_enable: bool = true;
    /// Whether a new commit log file is touched before use.
    "warmMapedFileEnable" => warm_maped_file_enable: bool = false;
    /// Whether a slave corrects the offsets that consumers ask for.
    "offsetCheckInSlave" => offset_check_in_slave: bool = false;
    /// Whether stacks are written when the lock is held long.
    "debugLockEnable" => debug_lock_enable: bool = false;
    /// Whether dispatch stops at the confirm offset.
    "duplicationEnable" => duplication_enable: bool = false;
    /// Whether the distance of readers to the end of the log is recorded.
    "diskFallRecorded" => disk_fall_recorded: bool = true;
    /// Time in the append lock after which the page cache counts as busy.
    "osPageCacheBusyTimeOutMills" => os_page_cache_busy_time_out_mills: i64 = 1000;
    /// The most messages that a query by unique key answers.
    "defaultQueryMaxNum" => default_query_max_num: i32 = 32;
    /// Whether appends go to a buffer that is committed later; see [`StoreConfig::transient_store_pool`].
    "transientStorePoolEnable" => transient_store_pool_enable: bool = false;
    /// Buffers of the transient pool.
    "transientStorePoolSize" => transient_store_pool_size: i32 = 5;
    /// Whether a put fails at once when no transient buffer is left.
    "fastFailIfNoBufferInStorePool" => fast_fail_if_no_buffer_in_store_pool: bool = false;
    /// Whether the log is replicated by `DLedger`, which the simulator does not model.
    "enableDLegerCommitLog" => enable_dleger_commit_log: bool = false;
    /// Whether deliveries of delayed messages are counted.
    "enableScheduleMessageStats" => enable_schedule_message_stats: bool = true;
    /// Whether light queues are served, which the simulator does not model.
    "enableLmq" => enable_lmq: bool = false;
    /// Whether one message goes to several queues, which the simulator does not model.
    "enableMultiDispatch" => enable_multi_dispatch: bool = false;
    /// The most light queues.
    "maxLmqConsumeQueueNum" => max_lmq_consume_queue_num: i32 = 20_000;
    /// Whether delayed messages are delivered without waiting for each.
    "enableScheduleAsyncDeliver" => enable_schedule_async_deliver: bool = false;
    /// Deliveries that may be under way in one level.
    "scheduleAsyncDeliverMaxPendingLimit" => schedule_async_deliver_max_pending_limit: i32 = 2000;
    /// Tries of one delivery before its level waits.
    "scheduleAsyncDeliverMaxResendNum2Blocked" => schedule_async_deliver_max_resend_num_2_blocked: i32 = 3;
    /// Use of the disk, 0 to 1, above which files go before their time (a system property of 4.9.8).
    "rocketmq.broker.diskSpaceCleanForciblyRatio" => disk_space_clean_forcibly_ratio: f64 = 0.85;
    /// Use of the disk, 0 to 1, above which the store refuses writes (a system property of 4.9.8).
    "rocketmq.broker.diskSpaceWarningLevelRatio" => disk_space_warning_level_ratio: f64 = 0.90;
    /// Memory of the machine in bytes (`StoreUtil.TOTAL_PHYSICAL_MEMORY_SIZE`; 24 GiB where 4.9.8 cannot find out).
    "rocketscope.totalPhysicalMemory" => total_physical_memory: i64 = 24 * 1024 * 1024 * 1024;
}

impl StoreConfig {
    /// Reads a `broker.conf`. Keys that are not the store's are passed over, as in 4.9.8, where several parts read the
    /// same file; a value that cannot be read is an error here and silently ignored there (`MixAll.properties2Object`).
    pub fn from_properties(text: &str) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        for entry in properties_file::parse(text) {
            match config.set(&entry.key, &entry.value) {
                Ok(()) | Err(ConfigError { kind: ConfigErrorKind::UnknownKey, .. }) => {}
                Err(error) => return Err(ConfigError { line: Some(entry.line), ..error }),
            }
        }
        Ok(config)
    }

    /// Size of a ConsumeQueue file, rounded up to whole units of 20 bytes (`getMappedFileSizeConsumeQueue`).
    pub fn consume_queue_file_size(&self) -> i32 {
        let units = (i64::from(self.mapped_file_size_consume_queue.max(0)) + 19) / 20;
        i32::try_from(units * 20).unwrap_or(i32::MAX / 20 * 20)
    }

    /// Size of an index file: header, slots and entries (`IndexFile`).
    pub fn index_file_size(&self) -> i32 {
        self.max_hash_slot_num.wrapping_mul(4).wrapping_add(self.max_index_num.wrapping_mul(20)).wrapping_add(40)
    }

    /// `diskMaxUsedSpaceRatio` as it is used: 10 to 95.
    pub fn disk_max_used_space_percent(&self) -> i32 {
        self.disk_max_used_space_ratio.clamp(10, 95)
    }

    /// Whether appends go through the transient pool: only a master that flushes asynchronously has one
    /// (`isTransientStorePoolEnable`).
    pub fn transient_store_pool(&self) -> bool {
        self.transient_store_pool_enable
            && self.flush_disk_type == FlushDiskType::AsyncFlush
            && self.broker_role != BrokerRole::Slave
    }

    /// Bytes at the end of the log that count as being in memory (`checkInDiskByCommitOffset`).
    pub fn memory_for_messages(&self) -> i64 {
        let ratio = f64::from(self.access_message_in_memory_max_ratio) / 100.0;
        (self.total_physical_memory as f64 * ratio) as i64
    }

    /// Whether a store can work with these values; 4.9.8 finds out by exceptions on the way.
    pub fn check(&self) -> Result<(), ConfigError> {
        let bad = |key: &'static str, expects| ConfigError {
            line: None,
            key: key.to_owned(),
            kind: ConfigErrorKind::BadValue { value: self.get(key).unwrap_or_default(), expects },
        };
        if self.mapped_file_size_commit_log < 8 {
            return Err(bad("mappedFileSizeCommitLog", "a size that holds at least the blank record of 8 bytes"));
        }
        if self.mapped_file_size_consume_queue <= 0 {
            return Err(bad("mappedFileSizeConsumeQueue", "a size above 0"));
        }
        if self.mapped_file_size_consume_queue_ext < 4 {
            return Err(bad("mappedFileSizeConsumeQueueExt", "a size of at least 4"));
        }
        if self.max_hash_slot_num <= 0 {
            return Err(bad("maxHashSlotNum", "a number above 0"));
        }
        if self.max_index_num <= 1 {
            return Err(bad("maxIndexNum", "a number above 1, since entry 0 is never used"));
        }
        if self.ha_transfer_batch_size <= 0 {
            return Err(bad("haTransferBatchSize", "a size above 0"));
        }
        let index_file = 40 + i64::from(self.max_hash_slot_num) * 4 + i64::from(self.max_index_num) * 20;
        if index_file > i64::from(i32::MAX) {
            return Err(bad("maxIndexNum", "slots and entries that make an index file below 2 GiB"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_4_9_8() {
        let config = StoreConfig::default();
        assert_eq!(config.mapped_file_size_commit_log, 1_073_741_824);
        assert_eq!(config.consume_queue_file_size(), 6_000_000);
        assert_eq!(config.index_file_size(), 420_000_040);
        assert_eq!(config.check(), Ok(()));
    }

    #[test]
    fn a_queue_file_is_rounded_up_to_whole_units() {
        let mut config = StoreConfig::default();
        config.set("mappedFileSizeConsumeQueue", "81").unwrap();
        assert_eq!(config.consume_queue_file_size(), 100);
    }

    #[test]
    fn every_key_can_be_written_and_read_back() {
        let defaults = StoreConfig::default();
        for key in StoreConfig::KEYS {
            let mut config = StoreConfig::default();
            config.set(key, &defaults.get(key).unwrap()).unwrap();
            assert_eq!(config, defaults, "{key}");
        }
    }

    #[test]
    fn a_bad_value_names_line_and_key() {
        let error = StoreConfig::from_properties("brokerName=a\n# sizes\nmaxIndexNum = many\n").unwrap_err();
        assert_eq!(error.to_string(), "line 3: maxIndexNum = many: expected a whole number of 32 bits");
    }

    #[test]
    fn an_unknown_key_is_an_error_only_where_it_is_set_by_hand() {
        assert!(StoreConfig::from_properties("listenPort=10911").is_ok());
        let error = StoreConfig::default().set("listenPort", "10911").unwrap_err();
        assert_eq!(error.kind, ConfigErrorKind::UnknownKey);
    }

    #[test]
    fn the_pool_is_for_masters_that_flush_asynchronously() {
        let mut config = StoreConfig { transient_store_pool_enable: true, ..StoreConfig::default() };
        assert!(config.transient_store_pool());
        config.set("flushDiskType", "SYNC_FLUSH").unwrap();
        assert!(!config.transient_store_pool());
    }
}

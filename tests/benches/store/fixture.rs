//! A store to measure, and memory to hold it against.

use rocketscope_engine::disk::MemoryDisk;
use rocketscope_engine::message::Message;
use rocketscope_engine::store::{Reput, StillEnv, Store, StoreConfig};

use super::messages::NOW;

/// Length of a commit-log file. Two or three of them, and as much memory for a limit, are far more than a cache holds.
const FILE_SIZE: i32 = 32 * 1024 * 1024;
/// Memory that a limit works in.
pub(crate) const LIMIT_MEMORY: usize = 64 * 1024 * 1024;
/// Length of TOTALSIZE to STOREHOSTADDRESS and on to the body's length, with the lengths of topic and properties.
pub(crate) const HEADER: usize = 91;

/// A store with 4.9.8's own configuration but for smaller commit-log files.
pub(crate) struct Fixture {
    pub(crate) store: Store<MemoryDisk>,
    pub(crate) env: StillEnv,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let mut env = StillEnv(NOW);
        let config = StoreConfig { mapped_file_size_commit_log: FILE_SIZE, ..StoreConfig::default() };
        let mut store = Store::load(MemoryDisk::new(), config, &mut env).expect("an empty disk loads");
        store.start(&mut env).expect("a loaded store starts");
        Self { store, env }
    }

    pub(crate) fn put(&mut self, message: &Message) {
        let result = self.store.put_message(message, &mut self.env);
        assert!(result.is_ok(), "{result:?}");
    }

    /// Dispatches everything that waits.
    pub(crate) fn dispatch(&mut self) {
        while self.store.reput(&mut self.env) != Reput::Idle {}
    }

    /// Removes the log's files but for the last two, and what pointed into them. The disk keeps their pages for new
    /// files: memory that was touched before.
    pub(crate) fn recycle(&mut self) {
        if self.store.commit_log_files().count() > 2 {
            self.store.delete_expired_commit_log(0, true, &mut self.env);
            self.store.clean_consume_queues(&mut self.env);
        }
    }
}

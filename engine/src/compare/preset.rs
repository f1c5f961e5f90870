//! Comparisons that are ready: a lesson's solution and a change.

use serde::{Deserialize, Serialize};

use super::Change;

/// A comparison that can be begun without a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Preset {
    /// Its id, which the page's texts and address know it by.
    pub id: String,
    /// The lesson whose solution is the first run.
    pub lesson: String,
    /// What the second run has otherwise.
    pub change: Change,
}

/// The presets: an asynchronous flush against a synchronous one, one slave against two, and a record by the event's id
/// against one by the order's.
pub fn presets() -> Vec<Preset> {
    let of = |id: &str, lesson: &str, change| Preset { id: id.to_owned(), lesson: lesson.to_owned(), change };
    let sync = Change::Config {
        node: "broker-async".to_owned(),
        key: "flushDiskType".to_owned(),
        value: Some("SYNC_FLUSH".to_owned()),
    };
    let slave = Change::AddSlave { master: "broker-a".to_owned() };
    let by_order = Change::RecordKey { consumer: "safe".to_owned(), key: "{orderId}".to_owned() };
    vec![
        of("flush", "07-flush-modes", sync),
        of("slaves", "08-replication", slave),
        of("record-key", "20-crash-after-commit", by_order),
    ]
}

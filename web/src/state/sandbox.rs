//! The sandbox's cluster: the one that it begins with, and the one that is being described.

use rocketscope_engine::sim::Cluster;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::storage;

const BEGUN: &str = "rocketscope.cluster";
const DRAFT: &str = "rocketscope.cluster-draft";

/// The cluster that was begun last, with its seed; `None` before the first, and where an older page kept what this one
/// cannot read.
pub fn begun() -> Option<(Cluster, u64)> {
    storage::load(BEGUN)
}

/// Keeps the cluster that was begun.
pub fn keep_begun(cluster: &Cluster, seed: u64) {
    storage::save(BEGUN, (cluster, seed));
}

/// The sandbox begins with its own cluster again.
pub fn forget() {
    storage::remove(BEGUN);
    storage::remove(DRAFT);
}

/// The seed of the world that was begun last.
pub fn seed() -> u64 {
    begun().map_or(1, |(_, seed)| seed)
}

/// What is being described.
pub fn draft<T: DeserializeOwned>() -> Option<T> {
    storage::load(DRAFT)
}

/// Keeps what is being described.
pub fn keep_draft<T: Serialize>(draft: &T) {
    storage::save(DRAFT, draft);
}

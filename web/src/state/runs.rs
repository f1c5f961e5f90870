//! The runs that the reader left, one per lesson and one of the sandbox, each as a link: the link says its version itself.

use super::storage;

const PREFIX: &str = "rocketscope.run.";

/// The name that the sandbox's run is kept under; a lesson's is its id.
pub const SANDBOX: &str = "sandbox";

fn key(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// The run that was left, as a link.
pub fn kept(name: &str) -> Option<String> {
    storage::load(&key(name))
}

/// Keeps a run. Whether that could be done; it cannot where the storage is off, or full.
pub fn keep(name: &str, link: &str) -> bool {
    storage::save(&key(name), link)
}

/// Forgets a run.
pub fn forget(name: &str) {
    storage::remove(&key(name));
}

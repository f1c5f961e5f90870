//! The browser's storage, which may be off (private windows, blocked site data): then nothing is kept and nothing
//! breaks.

use gloo::storage::{LocalStorage, Storage};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Whether there is a storage. Asking for it is itself refused where site data is blocked, and `LocalStorage` panics on
/// that.
pub fn is_on() -> bool {
    web_sys::window().is_some_and(|window| matches!(window.local_storage(), Ok(Some(_))))
}

/// What is kept under `key`; `None` where nothing is, or nothing that can be read.
pub fn load<T: DeserializeOwned>(key: &str) -> Option<T> {
    if is_on() { LocalStorage::get(key).ok() } else { None }
}

/// Keeps `value` under `key`. Whether that could be done: a full storage is no reason to stop, the value then lasts as
/// long as the visit.
pub fn save<T: Serialize>(key: &str, value: T) -> bool {
    is_on() && LocalStorage::set(key, value).is_ok()
}

/// Forgets what is kept under `key`.
pub fn remove(key: &str) {
    if is_on() {
        LocalStorage::delete(key);
    }
}

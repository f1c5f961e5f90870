//! Finding the stores in what was opened: people drop the store, the folder above it, or a whole home.

use std::collections::BTreeSet;

/// Names directly in a store's root that make it one.
const FOLDERS: [&str; 4] = ["commitlog", "consumequeue", "index", "consumequeue_ext"];

/// Folders that look like stores, shortest first, then by name. Never empty: without any, what was opened itself.
pub(super) fn find<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found = BTreeSet::new();
    for path in paths {
        let names: Vec<&str> = path.split('/').collect();
        // A file of a store lies in a folder of one of these names, or it is the checkpoint.
        let at = match names.iter().position(|name| FOLDERS.contains(name)) {
            Some(at) if at + 1 < names.len() => at,
            _ if names.last() == Some(&"checkpoint") => names.len() - 1,
            _ => continue,
        };
        found.insert((at, names.get(..at).unwrap_or_default().join("/")));
    }
    if found.is_empty() {
        return vec![String::new()];
    }
    found.into_iter().map(|(_, root)| root).collect()
}

/// The path inside `root`, if it is inside.
pub(super) fn inside<'a>(root: &str, path: &'a str) -> Option<&'a str> {
    if root.is_empty() { Some(path) } else { path.strip_prefix(root)?.strip_prefix('/') }
}

#[cfg(test)]
mod tests {
    use super::{find, inside};

    #[test]
    fn the_store_itself_is_found() {
        assert_eq!(find(["commitlog/00000000000000000000", "checkpoint", "lock"].into_iter()), [""]);
    }

    #[test]
    fn stores_below_are_found_shortest_first() {
        let paths = ["a/expected.json", "a/b/store/consumequeue/T/0/000", "a/before/index/2026", "a/before/checkpoint"];
        assert_eq!(find(paths.into_iter()), ["a/before", "a/b/store"]);
    }

    #[test]
    fn a_topic_named_index_is_no_store() {
        assert_eq!(find(["store/consumequeue/index/0/000"].into_iter()), ["store"]);
    }

    #[test]
    fn without_a_store_there_is_what_was_opened() {
        assert_eq!(find(["readme.txt"].into_iter()), [""]);
    }

    #[test]
    fn paths_lose_their_root() {
        assert_eq!(inside("a/store", "a/store/lock"), Some("lock"));
        assert_eq!(inside("a/store", "a/store2/lock"), None);
        assert_eq!(inside("", "lock"), Some("lock"));
    }
}

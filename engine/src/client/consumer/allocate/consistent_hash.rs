//! Consistent hashing (`ConsistentHashRouter`).

use std::collections::BTreeMap;

use md5::{Digest, Md5};

use crate::client::PullQueue;

/// The place of a text on the ring: the first four bytes of its MD5.
pub(super) fn place(text: &str) -> u32 {
    let [a, b, c, d, ..] = <[u8; 16]>::from(Md5::digest(text.as_bytes()));
    u32::from_be_bytes([a, b, c, d])
}

/// The queues of which `own_id` is the next member on the ring.
pub(super) fn allocate(virtual_nodes: u16, own_id: &str, queues: &[PullQueue], ids: &[String]) -> Vec<PullQueue> {
    let mut ring: BTreeMap<u32, &str> = BTreeMap::new();
    for id in ids {
        // An id that is there twice goes on counting where it has got to.
        let first = ring.values().filter(|member| *member == id).count();
        for n in first..first + usize::from(virtual_nodes) {
            ring.insert(place(&format!("{id}-{n}")), id);
        }
    }
    let owner = |queue: &PullQueue| {
        let next = ring.range(place(&queue.to_string())..).next().or_else(|| ring.iter().next());
        next.map(|(_, member)| *member)
    };
    queues.iter().filter(|queue| owner(queue) == Some(own_id)).cloned().collect()
}

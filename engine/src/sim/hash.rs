//! Names for runs and states: hashes that are the same natively and in wasm.

use super::TraceEvent;
use crate::node::Fnv;

/// The trace hash after one more event: over the JSON text of the event, whose field order is that of the types.
pub(super) fn hash_event(before: u64, event: &TraceEvent) -> u64 {
    let mut hash = Fnv::default();
    hash.write_u64(before);
    // Serialising plain data into a sink that takes everything cannot fail; were it to, the hash would still be one.
    if serde_json::to_writer(&mut hash, event).is_err() {
        hash.write_u64(event.seq);
    }
    hash.value()
}

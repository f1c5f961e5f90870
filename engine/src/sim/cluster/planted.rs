//! Which planted faults a cluster can show.

use super::Cluster;
use crate::{client::consumer::ListenerKind, planted::PlantedFault};

impl Cluster {
    /// Whether the cluster has what a planted fault works on: where it has not, nothing is to be seen of it.
    pub fn can_show(&self, fault: PlantedFault) -> bool {
        let set = |key: &str, value: &str| {
            self.brokers.iter().any(|broker| broker.config.get(key).is_some_and(|set| set == value))
        };
        let mut pushes = self.consumers.iter().filter_map(|consumer| consumer.push.as_deref());
        match fault {
            PlantedFault::ReplyBeforeFlush => set("flushDiskType", "SYNC_FLUSH"),
            PlantedFault::ReplyBeforeReplication => set("brokerRole", "SYNC_MASTER"),
            PlantedFault::HalfMessageVisible => self.producers.iter().any(|producer| producer.listener.is_some()),
            PlantedFault::UnitOfNextRecord => !self.brokers.is_empty(),
            PlantedFault::OffsetBeforeProcessing => pushes.next().is_some(),
            PlantedFault::RefusedCountsAsConsumed => {
                pushes.any(|push| push.listener.kind == ListenerKind::Concurrently)
            }
            PlantedFault::QueueLockIgnored => pushes.any(|push| push.listener.kind == ListenerKind::Orderly),
        }
    }
}

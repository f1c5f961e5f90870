//! The cluster that the sandbox begins with.

use std::collections::BTreeMap;

use crate::sim::{BrokerSpec, Cluster, ConsumerSpec, NameServerSpec, ProducerSpec, TopicSpec};

/// One of each, with files so small that a handful of messages fills them: 16 KiB of CommitLog, 20 units a
/// ConsumeQueue file, 100 hash slots.
pub fn cluster() -> Cluster {
    let text = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    let config = [
        ("mappedFileSizeCommitLog", "16384"),
        ("mappedFileSizeConsumeQueue", "400"),
        ("maxHashSlotNum", "100"),
        ("maxIndexNum", "400"),
    ];
    let topic = |name: &str| TopicSpec { name: name.to_owned(), read_queues: 2, write_queues: 2, perm: 6 };
    Cluster {
        name_servers: vec![NameServerSpec { name: "namesrv".to_owned(), ..Default::default() }],
        brokers: vec![BrokerSpec {
            name: "broker-a".to_owned(),
            config: config.into_iter().map(text).collect::<BTreeMap<_, _>>(),
            topics: vec![topic("OrderTopic"), topic("PaymentTopic")],
            ..Default::default()
        }],
        producers: vec![ProducerSpec {
            name: "producer".to_owned(),
            group: "order_producer".to_owned(),
            ..Default::default()
        }],
        consumers: vec![ConsumerSpec {
            name: "consumer".to_owned(),
            group: "order_group".to_owned(),
            ..Default::default()
        }],
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::cluster;
    use crate::view::{Answer, FailureKind, Query, Session};

    /// A cluster is looked over without a run being lost for it, and refused with the node that is wrong.
    #[test]
    fn a_wrong_cluster_leaves_what_runs_alone() {
        let mut session = Session::new();
        assert_eq!(session.ask(Query::Cluster), Answer::Cluster(Box::new(cluster())));
        session.ask(Query::StartSandbox { cluster: None, seed: 1 });
        let Answer::Workbench(before) = session.ask(Query::Step) else { panic!("no workbench") };
        let mut wrong = cluster();
        wrong.brokers[0].config.insert("flushDiskType".to_owned(), "SOMETIMES".to_owned());
        let wrong = Box::new(wrong);
        let Answer::Checked(Some(error)) = session.ask(Query::CheckCluster { cluster: wrong.clone() }) else {
            panic!("nothing found")
        };
        let cause = "`flushDiskType` = `SOMETIMES`: expected ASYNC_FLUSH or SYNC_FLUSH";
        assert_eq!((error.place.as_str(), error.cause.as_str()), ("broker-a", cause));
        let Answer::Failed(failure) = session.ask(Query::StartSandbox { cluster: Some(wrong), seed: 1 }) else {
            panic!("it was begun")
        };
        assert_eq!((failure.kind, failure.cluster.as_deref()), (FailureKind::Cluster, Some(&error)));
        assert_eq!(session.ask(Query::Look), Answer::Workbench(before));
        let right = Box::new(cluster());
        assert_eq!(session.ask(Query::CheckCluster { cluster: right }), Answer::Checked(None));
    }
}

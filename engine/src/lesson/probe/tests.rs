//! Probes as scripts write them.

use super::*;

#[test]
fn a_probe_reads_back_as_it_is_written() {
    for text in [
        "broker-a.log.max",
        "producer.clock",
        "broker-a.reput",
        "broker-a.log.replicated",
        "broker-a.ha.connections",
        "broker-b.role",
        "broker-a.queue.OrderTopic/0.maxPhysicOffset",
        "broker-a.unit.%RETRY%g/0.17.logicalByte",
        "broker-a.record.1350.queueOffset",
        "broker-a.blank.3896",
        "broker-a.lag.order_group.OrderTopic/0",
        "producer.result.last.status",
        "producer.result.0.brokerName",
        "producer.fault.broker-b.available",
        "consumer.message.0.physicalOffset",
        "broker-a.held",
        "consumer.pulls",
        "consumer.pull.nextBeginOffset",
        "consumer.pull.0.remark",
        "broker-a.state",
        "broker-a.exists.abort",
        "broker-a.file.config/topics.json.bak.len",
        "broker-a.file.commitlog/00000000000000020480.int.600",
        "broker-a.checkpoint.physic",
        "broker-a.recovery.why",
        "broker-a.index.entries",
        "consumer.answer.last.candidates",
        "order-db.orders.rows",
        "order-db.row.orders.pay,1.state",
        "order-db.commits",
        "producer.application.last.state",
        "producer.transactions",
        "producer.transaction.last.state",
        "producer.listener.kept",
        "producer.checks",
        "producer.check.0.times",
        "broker-a.half.offset",
        "broker-a.op.max",
        "broker-a.discarded",
        "broker-a.delay.18.persisted",
        "namesrv.brokers",
        "producer.nameServer",
        "producer.route.OrderTopic.queues",
        "namesrv.route.%RETRY%g.broker-a.writeQueues",
        "broker-a.topic.OrderTopic.order",
        "broker-a.group.order_group.consumeEnable",
    ] {
        assert_eq!(Probe::parse(text).map(|probe| probe.to_string()), Ok(text.to_owned()));
    }
}

#[test]
fn a_wrong_probe_says_which_segment() {
    let cause = |text: &str| Probe::parse(text).expect_err(text).cause;
    assert_eq!(cause("broker-a.queue.OrderTopic.max"), "`OrderTopic` is no TOPIC/ID");
    assert_eq!(cause("broker-a.queue.OrderTopic/x.max"), "`x` is no queue id");
    assert_eq!(cause("broker-a.queue.OrderTopic/0.maximum"), "`maximum` is none of min, max, maxPhysicOffset, flushed");
    assert_eq!(cause("broker-a.record.ten.size"), "`ten` is no number");
    assert_eq!(cause("consumer.message.first.size"), "`first` is neither a number nor `last`");
    assert_eq!(cause(".log.max"), "the node's name is missing");
    assert_eq!(cause("broker-a"), "nothing comes after the node");
    assert!(cause("broker-a.log").starts_with("`log` is none of log.min"));
}

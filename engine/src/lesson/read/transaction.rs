//! Reading probes of transactional messages.

use super::{
    super::probe::{CheckField, HalfField, TransactionField, TransactionPlace, Value, Which},
    client, count, int, store, text,
};
use crate::{
    client::{CheckOutcome, TransactionOutcome},
    message::transaction::{DISCARD_TOPIC, GROUP, HALF_TOPIC, OP_TOPIC},
    sim::World,
    store::ConsumeQueue,
};

/// The value that a probe names at a node.
pub(super) fn read(world: &World, node: &str, place: &TransactionPlace) -> Option<Value> {
    match place {
        TransactionPlace::Count => Some(count(client(world, node)?.transactions().len())),
        TransactionPlace::Sent(which, field) => {
            let sent = client(world, node)?.transactions();
            read_sent(of(sent, *which)?, *field)
        }
        TransactionPlace::Kept => Some(count(client(world, node)?.kept_in_memory())),
        TransactionPlace::Checks => Some(match world.broker(node) {
            Some(broker) => int(i64::try_from(broker.process()?.transactions().asked()).unwrap_or(i64::MAX)),
            None => count(client(world, node)?.checks().len()),
        }),
        TransactionPlace::Check(which, field) => {
            let checks = client(world, node)?.checks();
            read_check(of(checks, *which)?, *field)
        }
        TransactionPlace::Half(field) => read_queue(world, node, HALF_TOPIC, *field),
        TransactionPlace::Op(field) => read_queue(world, node, OP_TOPIC, *field),
        TransactionPlace::Discarded => {
            let queue = store(world, node)?.queue(DISCARD_TOPIC, 0);
            Some(int(queue.map_or(0, ConsumeQueue::max_offset_in_queue)))
        }
    }
}

fn of<T: Clone>(list: &imbl::Vector<T>, which: Which) -> Option<&T> {
    match which {
        Which::At(at) => list.get(at),
        Which::Last => list.last(),
    }
}

fn read_sent(sent: &TransactionOutcome, field: TransactionField) -> Option<Value> {
    let half = sent.half.as_ref();
    Some(match field {
        TransactionField::Progress => text(sent.progress.name()),
        TransactionField::Phase => text(sent.phase.name()),
        TransactionField::Status => text(&sent.status),
        TransactionField::Local => text(sent.local?.name()),
        TransactionField::State => text(sent.state?.name()),
        TransactionField::TransactionId => text(&half?.msg_id),
        TransactionField::PhysicalOffset => int(half?.commit_log_offset),
        TransactionField::QueueOffset => int(half?.queue_offset),
        TransactionField::Error => text(sent.error.as_deref()?),
        TransactionField::EndError => text(sent.end_error.as_deref()?),
    })
}

fn read_check(check: &CheckOutcome, field: CheckField) -> Option<Value> {
    Some(match field {
        CheckField::Broker => text(&check.broker),
        CheckField::Topic => text(&check.topic),
        CheckField::TransactionId => text(&check.transaction_id),
        CheckField::PhysicalOffset => int(check.commit_log_offset),
        CheckField::QueueOffset => int(check.queue_offset),
        CheckField::Times => int(i64::from(check.times?)),
        CheckField::Result => text(check.result?.name()),
        CheckField::State => text(check.state?.name()),
        CheckField::Cause => text(check.cause.as_deref()?),
    })
}

/// A number of queue 0 of the half topic or the op topic; 0 as long as there is none.
fn read_queue(world: &World, node: &str, topic: &str, field: HalfField) -> Option<Value> {
    let queue = store(world, node)?.queue(topic, 0);
    Some(int(match field {
        HalfField::Min => queue.map_or(0, ConsumeQueue::min_offset_in_queue),
        HalfField::Max => queue.map_or(0, ConsumeQueue::max_offset_in_queue),
        HalfField::Offset => world.broker(node)?.process()?.offsets().query(GROUP, topic, 0).unwrap_or(0),
    }))
}

#[cfg(test)]
mod tests {
    use super::super::super::{Probe, Value, read};
    use crate::{
        client::ListenerResult,
        sim::{Action, BrokerSpec, Cluster, ListenerSpec, NameServerSpec, ProducerSpec, SendInTransaction, World},
    };

    /// A message that the listener commits when it is asked for the second time.
    fn world() -> World {
        let config = [("transactionTimeOut", "1000"), ("transactionCheckInterval", "1000")];
        let config = config.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        let listener = Some(ListenerSpec::default());
        let cluster = Cluster {
            name_servers: vec![NameServerSpec { name: "namesrv".to_owned(), ..NameServerSpec::default() }],
            brokers: vec![BrokerSpec { name: "broker-a".to_owned(), config, ..BrokerSpec::default() }],
            producers: vec![ProducerSpec { name: "producer".to_owned(), listener, ..ProducerSpec::default() }],
            ..Cluster::default()
        };
        let mut world = World::new(&cluster, 1).unwrap();
        let mut what = SendInTransaction { local: ListenerResult::Throw, ..SendInTransaction::default() };
        (what.send.producer, what.send.topic) = ("producer".to_owned(), "Paid".to_owned());
        what.checks = vec![ListenerResult::Unknown, ListenerResult::Commit];
        world.act(Action::SendInTransaction(Box::new(what))).unwrap();
        world.run_to_rest(i64::MAX);
        world
    }

    #[test]
    fn the_values_of_a_transaction_from_its_half_message_to_its_commit() {
        let world = world();
        let text = |value: &str| Some(Value::Text(value.to_owned()));
        let int = |value: i64| Some(Value::Int(value));
        for (probe, expected) in [
            ("producer.transactions", int(1)),
            ("producer.transaction.0.progress", text("told")),
            ("producer.transaction.last.phase", text("end")),
            ("producer.transaction.last.status", text("SEND_OK")),
            ("producer.transaction.last.local", text("exception")),
            ("producer.transaction.last.state", text("UNKNOW")),
            ("producer.transaction.last.queueOffset", int(0)),
            ("producer.transaction.last.physicalOffset", int(0)),
            ("producer.transaction.last.error", None),
            ("producer.transaction.last.endError", None),
            ("producer.transaction.1.state", None),
            ("producer.listener.kept", int(1)),
            ("producer.checks", int(2)),
            ("producer.check.0.state", text("UNKNOW")),
            ("producer.check.last.state", text("COMMIT_MESSAGE")),
            ("producer.check.last.result", text("COMMIT_MESSAGE")),
            ("producer.check.last.broker", text("broker-a")),
            ("producer.check.last.topic", text("Paid")),
            // The question is about the copy that the broker put before it asked.
            ("producer.check.last.queueOffset", int(2)),
            ("producer.check.last.times", int(2)),
            ("producer.check.last.cause", None),
            ("broker-a.checks", int(2)),
            ("broker-a.discarded", int(0)),
            ("broker-a.half.min", int(0)),
            ("broker-a.half.max", int(3)),
            // The commit is younger than the newest check.
            ("broker-a.half.offset", int(2)),
            ("broker-a.op.max", int(1)),
            ("namesrv.checks", None),
        ] {
            assert_eq!(read(&world, &Probe::parse(probe).unwrap()), expected, "{probe}");
        }
        let id = |probe: &str| read(&world, &Probe::parse(probe).unwrap());
        assert_eq!(id("producer.transaction.last.transactionId"), id("producer.check.last.transactionId"));
        assert_ne!(id("producer.transaction.last.physicalOffset"), id("producer.check.last.physicalOffset"));
    }
}

//! Reading probes from a world.

mod consumer;
mod names;
mod transaction;

use super::{
    Condition, Test,
    probe::{
        AnswerField, ApplicationField, CheckpointField, DelayField, FaultField, MessageField, Place, Probe, PullField,
        QueueField, QueueName, RecordField, RecoveryField, ResultField, UnitField, Value, Which,
    },
};
use crate::{
    broker::{Broker, LastStart},
    client::Client,
    disk::{MemoryDisk, ReadAt, memory::Room},
    message::{delay::SCHEDULE_TOPIC, record},
    sim::World,
    store::{IndexFile, Store, UNIT_SIZE, saved_delay_offsets, step::Flag},
    wire::Cell,
};

/// The value a probe names, or `None` where there is nothing to read: no such node, record, unit or message (yet).
pub fn read(world: &World, probe: &Probe) -> Option<Value> {
    let node = probe.node.as_str();
    match &probe.place {
        Place::Clock => Some(int(world.node_wall_ms(node)?)),
        Place::LogMin => Some(int(store(world, node)?.min_phy_offset())),
        Place::LogMax => Some(int(store(world, node)?.max_phy_offset())),
        Place::LogWrote => Some(int(store(world, node)?.max_wrote_offset())),
        Place::LogCommitted => Some(int(store(world, node)?.committed_offset())),
        Place::DiskPercent => Some(int(i64::from(Room::of(world.broker(node)?.disk()).used_percent()))),
        Place::DiskFull => Some(Value::Bool(store(world, node)?.running_flags().has(Flag::DiskFull))),
        Place::FlagWriteable => Some(Value::Bool(store(world, node)?.running_flags().is_writeable())),
        Place::LogFlushed => Some(int(store(world, node)?.flushed_where())),
        Place::LogReplicated => store(world, node)?.replicated_offset().map(int),
        Place::Role => Some(text(world.broker(node)?.store_config().broker_role.name())),
        Place::HaConnections => Some(int(i64::from(world.broker(node)?.process()?.ha_connections()))),
        Place::LogFiles => Some(count(store(world, node)?.commit_log_files().count())),
        Place::Reput => Some(int(store(world, node)?.reput_from_offset())),
        Place::Behind => Some(int(store(world, node)?.dispatch_behind_bytes())),
        Place::Queue(queue, field) => read_queue(store(world, node)?, queue, *field),
        Place::Unit(queue, at, field) => read_unit(store(world, node)?, queue, *at, *field),
        Place::Offset(group, queue) => Some(int(read_offset(world, node, group, queue)?)),
        Place::Lag(group, queue) => {
            let max = store(world, node)?.queue(&queue.topic, queue.queue_id)?.max_offset_in_queue();
            Some(int(max.checked_sub(read_offset(world, node, group, queue)?)?))
        }
        Place::Blank(at) => read_blank(store(world, node)?, *at),
        Place::Record(at, field) => read_record(store(world, node)?, *at, *field),
        Place::Results => Some(count(client(world, node)?.sent().len())),
        Place::Result(which, field) => read_result(client(world, node)?, *which, *field),
        Place::Fault(broker, field) => read_fault(world, node, broker, *field),
        Place::Received => Some(count(client(world, node)?.received().len())),
        Place::Message(which, field) => read_message(client(world, node)?, *which, *field),
        Place::Held => Some(count(world.broker(node)?.process()?.held_pulls().count())),
        Place::Pulls => Some(count(client(world, node)?.pulls().len())),
        Place::Pull(which, field) => read_pull(client(world, node)?, *which, *field),
        Place::State => Some(text(world.node_state(node)?.name())),
        Place::Exists(path) => Some(Value::Bool(world.broker(node)?.disk().find(path).is_some())),
        Place::FileLen(path) => {
            let disk = world.broker(node)?.disk();
            Some(int(i64::try_from(disk.meta(disk.find(path)?).ok()?.len).ok()?))
        }
        Place::FileInt(path, at) => {
            let disk = world.broker(node)?.disk();
            let mut bytes = [0; 4];
            disk.read_at(disk.find(path)?, *at, &mut bytes).ok()?;
            Some(int(i64::from(i32::from_be_bytes(bytes))))
        }
        Place::Checkpoint(field) => read_checkpoint(world.broker(node)?, *field),
        Place::Recovery(field) => read_recovery(world.broker(node)?.last_start()?, *field),
        Place::Delay(level, field) => read_delay(world.broker(node)?, *level, *field),
        Place::IndexFiles => Some(count(store(world, node)?.index_files().len())),
        Place::IndexEntries => {
            // The count in a header begins at 1.
            let entries = |file: &IndexFile| i64::from(file.header().index_count.saturating_sub(1).max(0));
            Some(int(store(world, node)?.index_files().iter().map(entries).sum()))
        }
        Place::Commits => Some(int(i64::try_from(world.database(node)?.commits()).unwrap_or(i64::MAX))),
        Place::OpenTransactions => Some(count(world.database(node)?.open().count())),
        Place::Rows(table) => Some(count(world.database(node)?.table(table)?.len())),
        Place::Row(table, key, column) => read_cell(world.database(node)?.table(table)?.cell(key, column)?),
        Place::Application(which, field) => read_application(client(world, node)?, *which, *field),
        Place::Names(place) => names::read(world, node, place),
        Place::Transaction(place) => transaction::read(world, node, place),
        Place::Consumer(place) => consumer::read(world, node, place),
        Place::Answers => Some(count(client(world, node)?.answers().len())),
        Place::Answer(which, field) => read_answer(client(world, node)?, *which, *field),
    }
}

/// Whether a condition holds in a world.
pub fn holds(world: &World, condition: &Condition) -> bool {
    match condition {
        Condition::Is(probe, test) => read(world, probe).is_some_and(|value| match (test, &value) {
            (Test::Is(wanted), value) => value == wanted,
            (Test::Not(wanted), value) => value != wanted,
            (Test::AtLeast(least), Value::Int(value)) => value >= least,
            (Test::AtMost(most), Value::Int(value)) => value <= most,
            (Test::AtLeast(_) | Test::AtMost(_), _) => false,
        }),
        Condition::All(all) => all.iter().all(|condition| holds(world, condition)),
        Condition::Any(any) => any.iter().any(|condition| holds(world, condition)),
    }
}

fn read_queue(store: &Store<MemoryDisk>, queue: &QueueName, field: QueueField) -> Option<Value> {
    let queue = store.queue(&queue.topic, queue.queue_id)?;
    Some(int(match field {
        QueueField::Min => queue.min_offset_in_queue(),
        QueueField::Max => queue.max_offset_in_queue(),
        QueueField::MaxPhysicOffset => queue.max_physic_offset(),
        QueueField::Flushed => queue.flushed_where(),
    }))
}

fn read_unit(store: &Store<MemoryDisk>, queue: &QueueName, at: i64, field: UnitField) -> Option<Value> {
    let unit = store.unit(&queue.topic, queue.queue_id, at)?;
    Some(int(match field {
        UnitField::PhysicalOffset => unit.physical_offset,
        UnitField::Size => i64::from(unit.size),
        UnitField::TagsCode => unit.tags_code,
        UnitField::LogicalByte => at.checked_mul(i64::from(UNIT_SIZE))?,
        UnitField::File | UnitField::Position => {
            let byte = at.checked_mul(i64::from(UNIT_SIZE))?;
            let position = byte.checked_rem(i64::from(store.config().consume_queue_file_size()))?;
            if field == UnitField::File { byte - position } else { position }
        }
    }))
}

/// The next offset to read, as the broker keeps it for the group.
fn read_offset(world: &World, node: &str, group: &str, queue: &QueueName) -> Option<i64> {
    world.broker(node)?.process()?.offsets().query(group, &queue.topic, queue.queue_id)
}

fn read_blank(store: &Store<MemoryDisk>, at: i64) -> Option<Value> {
    let bytes = store.read(at, 8)?;
    let remaining = i32::from_be_bytes(bytes.get(..4)?.try_into().ok()?);
    (*bytes == record::blank(remaining)).then(|| int(i64::from(remaining)))
}

fn read_record(store: &Store<MemoryDisk>, at: i64, field: RecordField) -> Option<Value> {
    let bytes = store.look_message_by_offset(at)?;
    let record = record::decode(&bytes).ok()?;
    Some(match field {
        RecordField::Size => int(i64::from(record.total_size)),
        RecordField::Topic => text(&record.topic),
        RecordField::QueueId => int(i64::from(record.queue_id)),
        RecordField::QueueOffset => int(record.queue_offset),
        RecordField::PhysicalOffset => int(record.physical_offset),
        RecordField::Tags => text(record.tags()?),
        RecordField::File => int(store.commit_log_place(at)?.0),
        RecordField::Position => int(i64::from(store.commit_log_place(at)?.1)),
    })
}

fn read_delay(broker: &Broker, level: i32, field: DelayField) -> Option<Value> {
    let queue = || broker.store()?.queue(SCHEDULE_TOPIC, level.checked_sub(1)?);
    Some(int(match field {
        DelayField::Offset => broker.store()?.delay_offsets().get(&level).copied().unwrap_or(0),
        DelayField::Persisted => saved_delay_offsets(broker.disk()).get(&level).copied().unwrap_or(0),
        DelayField::Min => queue()?.min_offset_in_queue(),
        DelayField::Max => queue()?.max_offset_in_queue(),
    }))
}

fn read_checkpoint(broker: &Broker, field: CheckpointField) -> Option<Value> {
    let disk = broker.disk();
    let file = disk.find("checkpoint")?;
    let at = match field {
        CheckpointField::Physic => 0,
        CheckpointField::Logics => 8,
        CheckpointField::Index => 16,
    };
    let mut bytes = [0; 8];
    disk.read_at(file, at, &mut bytes).ok()?;
    Some(int(i64::from_be_bytes(bytes)))
}

fn read_recovery(start: &LastStart, field: RecoveryField) -> Option<Value> {
    let number = |value: u64| int(i64::try_from(value).unwrap_or(i64::MAX));
    Some(match field {
        RecoveryField::Clean => Value::Bool(start.clean?),
        RecoveryField::File => int(start.began_in?),
        RecoveryField::End => int(start.end?),
        RecoveryField::Records => number(start.records),
        RecoveryField::Dispatched => number(start.dispatched),
        RecoveryField::Why => text(serde_json::to_value(start.why?).ok()?.as_str()?),
    })
}

fn read_result(client: &Client, which: Which, field: ResultField) -> Option<Value> {
    let result = match which {
        Which::At(at) => client.sent().get(at),
        Which::Last => client.sent().last(),
    }?;
    Some(match field {
        ResultField::Status => text(&result.status),
        ResultField::Code => int(i64::from(result.response_code?)),
        ResultField::QueueId => int(i64::from(result.queue_id?)),
        ResultField::QueueOffset => int(result.queue_offset?),
        ResultField::PhysicalOffset => int(result.physical_offset?),
        ResultField::Attempts => int(i64::from(result.attempts)),
        ResultField::BrokerName => text(result.broker_name.as_deref()?),
        ResultField::MsgId => text(result.msg_id.as_deref()?),
        ResultField::Error => text(result.error.as_deref()?),
    })
}

fn read_fault(world: &World, node: &str, broker: &str, field: FaultField) -> Option<Value> {
    let faults = client(world, node)?.faults();
    Some(match field {
        FaultField::Available => Value::Bool(faults.is_available(broker, world.node_wall_ms(node)?)),
        FaultField::Latency => int(faults.items().get(broker)?.latency_ms),
    })
}

fn read_message(client: &Client, which: Which, field: MessageField) -> Option<Value> {
    let message = match which {
        Which::At(at) => client.received().get(at),
        Which::Last => client.received().last(),
    }?;
    Some(match field {
        MessageField::Topic => text(&message.topic),
        MessageField::QueueId => int(i64::from(message.queue_id)),
        MessageField::QueueOffset => int(message.queue_offset),
        MessageField::PhysicalOffset => int(message.physical_offset),
        MessageField::Size => int(i64::from(message.size)),
        MessageField::Tags => text(message.tags.as_deref()?),
    })
}

fn read_pull(client: &Client, which: Which, field: PullField) -> Option<Value> {
    let pull = match which {
        Which::At(at) => client.pulls().get(at),
        Which::Last => client.pulls().last(),
    }?;
    Some(match field {
        PullField::Status => text(&pull.status),
        PullField::NextBeginOffset => int(pull.next_begin_offset),
        PullField::Received => int(i64::from(pull.received)),
        PullField::DroppedByTag => int(i64::from(pull.dropped_by_tag)),
        PullField::Node => text(pull.node.as_deref()?),
        PullField::Remark => text(pull.remark.as_deref()?),
        PullField::SuggestWhichBrokerId => int(pull.suggest_which_broker_id),
        PullField::Error => text(pull.error.as_deref()?),
    })
}

fn read_answer(client: &Client, which: Which, field: AnswerField) -> Option<Value> {
    let answer = match which {
        Which::At(at) => client.answers().get(at),
        Which::Last => client.answers().last(),
    }?;
    Some(match field {
        AnswerField::Value => int(answer.value?),
        AnswerField::Messages => count(answer.messages.len()),
        AnswerField::Candidates => count(answer.candidates),
        AnswerField::PhysicalOffset => int(answer.messages.first()?.physical_offset),
        AnswerField::Node => text(answer.node.as_deref()?),
        AnswerField::Error => text(answer.error.as_deref()?),
    })
}

fn read_cell(cell: &Cell) -> Option<Value> {
    match cell {
        Cell::Null => None,
        Cell::Int(value) => Some(int(*value)),
        Cell::Text(value) => Some(text(value)),
    }
}

fn read_application(client: &Client, which: Which, field: ApplicationField) -> Option<Value> {
    let business = match which {
        Which::At(at) => client.business().get(at),
        Which::Last => client.business().last(),
    }?;
    Some(match field {
        ApplicationField::State => text(business.state.name()),
        ApplicationField::Phase => text(business.phase.name()),
        ApplicationField::Cause => text(business.cause.as_deref()?),
    })
}

fn store<'a>(world: &'a World, node: &str) -> Option<&'a Store<MemoryDisk>> {
    world.broker(node).and_then(Broker::store)
}

fn client<'a>(world: &'a World, node: &str) -> Option<&'a Client> {
    world.client(node)
}

fn int(value: i64) -> Value {
    Value::Int(value)
}

fn count(value: usize) -> Value {
    Value::Int(i64::try_from(value).unwrap_or(i64::MAX))
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

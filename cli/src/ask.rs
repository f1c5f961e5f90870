//! What a broker on this store would answer.
//!
//! The store is loaded and started over the directory as 4.9.8 does it, recovery and dispatch included; what that
//! writes stays in memory.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use bytes::Bytes;
use rocketscope_engine::disk::{MemoryDisk, ReadAt};
use rocketscope_engine::message::record::{self, Record};
use rocketscope_engine::message::{OffsetMsgId, java};
use rocketscope_engine::store::{GetMessageStatus, Store};
use serde::Serialize;

use crate::Outcome;
use crate::args::{GetArgs, MessageArgs, QueryArgs, StoreArgs};
use crate::clock::Clock;
use crate::message::{self, MessageJson};
use crate::output::{DIM, Out, TITLE, WARN, count};
use crate::store_dir::StoreDir;
use crate::subscription::Subscription;

/// The consumer group of a pull; the store only counts by it.
const GROUP: &str = "rocketscope";

/// Starts the store in memory above its directory.
fn start(args: &StoreArgs) -> Result<Store<MemoryDisk>> {
    let found = StoreDir::open(args)?;
    let dir = args.dir.display().to_string();
    let config = found.settings.broker(&found.layout);
    let beneath: Arc<dyn ReadAt + Send + Sync> = found.disk;
    let disk = MemoryDisk::over(&beneath)?;
    let mut env = Clock::now();
    let refused = || format!("{dir}: a broker would not start on this store");
    let mut store = Store::load(disk, config, &mut env).map_err(|error| anyhow!("{error}")).with_context(refused)?;
    store.start(&mut env).map_err(|error| anyhow!("{error}")).with_context(refused)?;
    Ok(store)
}

/// A record and where it lies.
struct Found {
    physical_offset: i64,
    bytes: Bytes,
}

impl Found {
    fn record(&self) -> Result<Record<'_>> {
        record::decode(&self.bytes)
            .map_err(|error| anyhow!("commit log at {}: no message: {error}", self.physical_offset))
    }

    fn json(&self) -> Result<MessageJson> {
        Ok(MessageJson::of(&self.record()?))
    }
}

fn read(store: &Store<MemoryDisk>, physical_offset: i64, size: i32) -> Result<Found> {
    let bytes = store.read(physical_offset, size);
    let bytes = bytes.ok_or_else(|| anyhow!("commit log at {physical_offset}: {size} bytes cannot be read"))?;
    Ok(Found { physical_offset, bytes })
}

fn all_json(messages: &[Found]) -> Result<Vec<MessageJson>> {
    messages.iter().map(Found::json).collect()
}

fn print_json(out: &mut Out, value: &impl Serialize) -> Result<Outcome> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)?;
    Ok(Outcome::Done)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GetJson {
    status: GetMessageStatus,
    next_begin_offset: i64,
    min_offset: i64,
    max_offset: i64,
    messages: Vec<MessageJson>,
}

/// `get`: messages of a queue from an offset on.
pub(crate) fn get(args: &GetArgs, out: &mut Out) -> Result<Outcome> {
    let filter = Subscription::parse(&args.subscription)?;
    let mut store = start(&args.store)?;
    let result = store.get_message(GROUP, &args.topic, args.queue, args.offset, args.max, Some(&filter));
    let result = result.ok_or_else(|| anyhow!("the store cannot be read from: store getMessage return null"))?;
    let selected = result.selected.iter();
    let messages = selected.map(|at| read(&store, at.physical_offset, at.size)).collect::<Result<Vec<_>>>()?;
    if args.store.json {
        let answer = GetJson {
            status: result.status,
            next_begin_offset: result.next_begin_offset,
            min_offset: result.min_offset,
            max_offset: result.max_offset,
            messages: all_json(&messages)?,
        };
        return print_json(out, &answer);
    }
    writeln!(out, "{TITLE}{}{TITLE:#}  {}", result.status.name(), count(messages.len() as u64, "message", "messages"))?;
    writeln!(
        out,
        "{DIM}next offset {}, queue {}/{} holds {} to {}{DIM:#}",
        result.next_begin_offset, args.topic, args.queue, result.min_offset, result.max_offset
    )?;
    for found in &messages {
        writeln!(out)?;
        message::print(out, &found.record()?, "")?;
    }
    Ok(Outcome::Done)
}

#[derive(Serialize)]
struct QueryJson {
    messages: Vec<MessageJson>,
}

/// `query`: messages by key.
pub(crate) fn query(args: &QueryArgs, out: &mut Out) -> Result<Outcome> {
    let store = start(&args.store)?;
    let result = store.query_message(&args.topic, &args.key, args.max, args.begin, args.end);
    let located = result.messages.iter();
    let messages = located.map(|at| read(&store, at.physical_offset, at.size)).collect::<Result<Vec<_>>>()?;
    if args.store.json {
        return print_json(out, &QueryJson { messages: all_json(&messages)? });
    }
    writeln!(out, "{TITLE}{}{TITLE:#}", count(messages.len() as u64, "message", "messages"))?;
    let mut seen = BTreeSet::new();
    for found in &messages {
        let record = found.record()?;
        let keys = record.keys().map(|keys| java::split(keys, " ")).unwrap_or_default();
        let has_key = keys.contains(&args.key.as_str()) || record.uniq_key() == Some(&args.key);
        let note = if record.topic != args.topic.as_str() || !has_key {
            format!("{WARN}another key of the same hash: the client drops it{WARN:#}")
        } else if seen.insert(found.physical_offset) {
            String::new()
        } else {
            format!("{WARN}once more: its key was indexed twice{WARN:#}")
        };
        writeln!(out)?;
        message::print(out, &record, &note)?;
    }
    Ok(Outcome::Done)
}

/// `message`: the message of an offsetMsgId.
pub(crate) fn message(args: &MessageArgs, out: &mut Out) -> Result<Outcome> {
    let id: OffsetMsgId = args.id.parse().map_err(|error| anyhow!("{}: not an offsetMsgId: {error}", args.id))?;
    let store = start(&args.store)?;
    let bytes = store.message_by_id(&id).ok_or_else(|| {
        anyhow!(
            "{}: no message at physical offset {}; if it is the client's msgId (UNIQ_KEY), ask: query {} --topic TOPIC \
             --key {}",
            args.id,
            id.physical_offset,
            args.store.dir.display(),
            args.id
        )
    })?;
    let found = Found { physical_offset: id.physical_offset, bytes };
    if args.store.json {
        return print_json(out, &found.json()?);
    }
    message::print(out, &found.record()?, "")?;
    Ok(Outcome::Done)
}

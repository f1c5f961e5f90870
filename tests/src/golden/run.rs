//! A store of ours driven by a recording.

use rocketscope_engine::disk::Disk;
use rocketscope_engine::store::{AppendMessageResult, PutMessageResult, PutMessageStatus, Reput, Store, StoreConfig};
use serde_json::Value;

use super::archive::Case;
use super::broker;
use super::clock::Clock;
use super::diff::Report;
use super::expected::{DiskState, Put, PutKind, PutOutput};
use super::input;

/// Turns of dispatch after which a run is given up: more than any case has records.
const MOST_TURNS: usize = 10_000_000;

/// A running store and its clock.
#[derive(Debug)]
pub struct Run<D> {
    /// The store.
    pub store: Store<D>,
    /// Its clock.
    pub clock: Clock,
}

impl<D: Disk> Run<D> {
    /// Loads the store on `disk`, with the case's configuration, at the time `now`; it is not started yet.
    pub fn load(disk: D, case: &Case, now: i64) -> Result<Self, String> {
        let mut clock = Clock::at(now);
        let store = Store::load(disk, config(case)?, &mut clock).map_err(|cause| format!("load: {cause}"))?;
        Ok(Self { store, clock })
    }

    /// Starts the store and dispatches what is waiting.
    pub fn start(&mut self) -> Result<(), String> {
        self.store.start(&mut self.clock).map_err(|cause| format!("start: {cause}"))?;
        self.dispatch()
    }

    /// Stops the store, as after a round of each flush service.
    pub fn shutdown(&mut self) -> Result<(), String> {
        self.clock.resume();
        self.store.flush_commit_log(0, &mut self.clock);
        if self.store.shutdown(&mut self.clock) { Ok(()) } else { Err("shutdown: not clean".into()) }
    }

    /// Puts everything again, each at its recorded time and dispatched before the next.
    pub fn put_all(&mut self, report: &mut Report, what: &str, puts: &[Put]) -> Result<(), String> {
        for put in puts {
            let place = format!("{what}[{}] ({}-{})", put.seq, put.input.topic, put.input.queue_id);
            if let Some(time) = put.output.store_timestamp {
                self.clock.set(time);
            }
            let result = self.put(put).map_err(|cause| format!("{place}: {cause}"))?;
            report.compare(&place, &put.output, &output_of(&result));
            self.dispatch()?;
        }
        Ok(())
    }

    /// Saves the offsets of the delay levels as often as the recording shows: a store that runs for more than 10 seconds
    /// does it by itself, and the second time keeps the file before as `.bak`.
    pub fn save_delay_offsets_as_in(&mut self, recorded: &DiskState) {
        for path in ["config/delayOffset.json", "config/delayOffset.json.bak"] {
            if recorded.files.contains_key(path) && self.store.disk().find(path).is_none() {
                self.store.persist_delay_offsets(&mut self.clock);
            }
        }
    }

    fn put(&mut self, put: &Put) -> Result<PutMessageResult, String> {
        let mut result = self.append(put)?;
        if let Some(request) = result.flush {
            if !self.store.group_commit(request.next_offset, &mut self.clock) {
                result.status = PutMessageStatus::FlushDiskTimeout;
            }
            self.store.note_physic_timestamp();
        }
        Ok(result)
    }

    fn append(&mut self, put: &Put) -> Result<PutMessageResult, String> {
        Ok(match put.kind {
            PutKind::Single => self.store.put_message(&input::message(&put.input)?, &mut self.clock),
            PutKind::Batch => self.store.put_messages(&input::batch(&put.input)?, &mut self.clock),
        })
    }

    /// Dispatches until nothing is left. The clock goes on from the latest time it showed.
    fn dispatch(&mut self) -> Result<(), String> {
        self.clock.resume();
        for _ in 0..MOST_TURNS {
            if matches!(self.store.reput(&mut self.clock), Reput::Idle) {
                return Ok(());
            }
        }
        Err("dispatch comes to no end".into())
    }
}

/// The case's configuration, on top of the defaults.
pub fn config(case: &Case) -> Result<StoreConfig, String> {
    if case.file(broker::WIRE).is_some() {
        return broker::store_config(case);
    }
    let mut config = StoreConfig::default();
    if let Some(role) = &case.expected.broker_role {
        config.set("brokerRole", role).map_err(|cause| format!("config: {cause}"))?;
    }
    for (key, value) in &case.expected.config {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        config.set(key, &text).map_err(|cause| format!("config: {cause}"))?;
    }
    Ok(config)
}

fn output_of(result: &PutMessageResult) -> PutOutput {
    let append = &result.append;
    PutOutput {
        put_message_status: result.status.name().to_owned(),
        append_message_status: append.as_ref().map(|append| append.status.name().to_owned()),
        wrote_offset: append.as_ref().map(|append| append.wrote_offset),
        wrote_bytes: append.as_ref().map(|append| append.wrote_bytes),
        queue_offset: append.as_ref().map(|append| append.queue_offset),
        store_timestamp: append.as_ref().map(|append| append.store_timestamp),
        msg_num: append.as_ref().map(|append| append.msg_num),
        msg_id: append.as_ref().map(AppendMessageResult::msg_id),
    }
}

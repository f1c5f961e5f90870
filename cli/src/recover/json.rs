//! The recovery for programs.

use std::io::Write;

use anyhow::Result;
use rocketscope_engine::disk::MemoryDisk;
use rocketscope_engine::store::Store;
use rocketscope_engine::view::recovery::{Finding, PhaseKind, Place, RecoveryFact, RecoveryPicture, Severity};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Recovered, print, words};
use crate::copy::Copied;
use crate::output::Out;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RecoverJson<'r> {
    loaded: bool,
    clean: bool,
    steps: Vec<StepJson<'r>>,
    min_phy_offset: Option<i64>,
    max_phy_offset: Option<i64>,
    flushed_where: Option<i64>,
    consume_queues: Vec<QueueJson<'r>>,
    index_files: Vec<IndexJson>,
    verdict: Vec<FindingJson>,
    copy: Option<&'r Copied>,
}

/// A step: its phase and place, and what it says under the store's own names.
#[derive(Serialize)]
struct StepJson<'r> {
    phase: PhaseKind,
    place: Option<&'r Place>,
    message: String,
    #[serde(flatten)]
    what: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct QueueJson<'r> {
    topic: &'r str,
    queue_id: i32,
    min_offset: i64,
    max_offset: i64,
    max_physic_offset: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct IndexJson {
    name: String,
    begin_timestamp: i64,
    end_timestamp: i64,
    begin_phy_offset: i64,
    end_phy_offset: i64,
    hash_slot_count: i32,
    index_count: i32,
}

#[derive(Serialize)]
struct FindingJson {
    severity: Severity,
    message: String,
    #[serde(flatten)]
    what: Map<String, Value>,
}

pub(super) fn write(recovered: &Recovered, out: &mut Out) -> Result<()> {
    let Recovered { run, copied } = recovered;
    let store = run.ended.store();
    let answer = RecoverJson {
        loaded: run.picture.loaded,
        clean: run.picture.clean,
        steps: steps(&run.picture)?,
        min_phy_offset: store.map(Store::min_phy_offset),
        max_phy_offset: store.map(Store::max_phy_offset),
        flushed_where: store.map(Store::flushed_where),
        consume_queues: store.map(queues).unwrap_or_default(),
        index_files: store.map(index_files).unwrap_or_default(),
        verdict: run.picture.verdict.iter().map(finding).collect::<Result<_>>()?,
        copy: copied.as_ref(),
    };
    serde_json::to_writer_pretty(&mut *out, &answer)?;
    writeln!(out)?;
    Ok(())
}

fn steps(picture: &RecoveryPicture) -> Result<Vec<StepJson<'_>>> {
    let mut steps = Vec::new();
    for phase in &picture.phases {
        for item in &phase.items {
            let what = match &item.what {
                RecoveryFact::Step { step } => object(step)?,
                other => object(other)?,
            };
            steps.push(StepJson {
                phase: phase.kind,
                place: item.place.as_ref(),
                message: words::sentence(&item.what),
                what,
            });
        }
        if phase.left_out > 0 {
            let message = print::left_out(phase.left_out);
            let what = [("kind".to_owned(), "leftOut".into()), ("count".to_owned(), phase.left_out.into())];
            steps.push(StepJson { phase: phase.kind, place: None, message, what: what.into_iter().collect() });
        }
    }
    Ok(steps)
}

fn finding(finding: &Finding) -> Result<FindingJson> {
    Ok(FindingJson { severity: finding.severity(), message: finding.to_string(), what: object(finding)? })
}

fn object(value: &impl Serialize) -> Result<Map<String, Value>> {
    match serde_json::to_value(value)? {
        Value::Object(object) => Ok(object),
        other => Ok(std::iter::once(("kind".to_owned(), other)).collect()),
    }
}

/// The queues that ever had a unit.
fn queues(store: &Store<MemoryDisk>) -> Vec<QueueJson<'_>> {
    print::used_queues(store)
        .map(|(topic, queue_id, queue)| QueueJson {
            topic,
            queue_id,
            min_offset: queue.min_offset_in_queue(),
            max_offset: queue.max_offset_in_queue(),
            max_physic_offset: queue.max_physic_offset(),
        })
        .collect()
}

fn index_files(store: &Store<MemoryDisk>) -> Vec<IndexJson> {
    print::index_headers(store)
        .map(|(name, header)| IndexJson {
            name,
            begin_timestamp: header.begin_timestamp,
            end_timestamp: header.end_timestamp,
            begin_phy_offset: header.begin_phy_offset,
            end_phy_offset: header.end_phy_offset,
            hash_slot_count: header.hash_slot_count,
            index_count: header.index_count,
        })
        .collect()
}

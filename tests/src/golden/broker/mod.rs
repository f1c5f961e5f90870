//! The case of a whole broker: the requests that real clients sent, fed into a broker of ours at the recorded times, and
//! its services driven when the real ones did what the log shows.
//!
//! The log says in which order things happened: each record has an offset and the time of its append. What the recorded
//! requests brought about is found by that ([`timeline`]), and what is left was the work of a service. In the end every
//! file has to be the same, byte for byte, but for what [`settle`] and [`compare_configs`] name.

mod rig;
mod settle;
mod timeline;
mod wire;

use rocketscope_engine::store::StoreConfig;

use self::rig::Rig;
use self::timeline::{Cause, timeline};
use super::archive::{Case, Tree};
use super::diff::Report;
use super::dump::{snapshot, tree};
use super::settle::compare_snapshots;
use super::tree::{Except, Layout, compare};

/// The file of the recorded requests.
pub const WIRE: &str = "wire.json";

/// The log's first file.
const LOG: &str = "commitlog/00000000000000000000";

/// The configuration of the recorded broker's store.
pub(super) fn store_config(case: &Case) -> Result<StoreConfig, String> {
    rig::store_config(case)
}

/// Everything that the recorded requests ask for, record by record, then the stop: every answer, every question about a
/// half message, every file, and what the configuration files say.
pub fn replay(case: &Case) -> Result<(), String> {
    let mut report = Report::default();
    let exchanges = wire::exchanges(case)?;
    let expected = case.directory("store").ok_or("store: missing")?;
    let records = timeline(&expected, &exchanges)?;
    let first_ms = records.first().map_or(0, |record| record.store_timestamp);
    let last_ms = records.last().map_or(0, |record| record.store_timestamp);
    let mut rig = Rig::start(case, first_ms - 20_000)?;
    rig.producer_unrecorded(first_ms - 1_000);
    for exchange in exchanges.iter().filter(|exchange| exchange.comes_first()) {
        rig.exchange(exchange, first_ms - 1_000, &mut report)?;
    }
    for (at, recorded) in records.iter().enumerate() {
        rig.caller_of(recorded);
        if recorded.cause.is_some() {
            report.compare(&format!("where the record in {} begins", recorded.topic), &recorded.offset, &rig.end());
        }
        match &recorded.cause {
            Some(Cause::Exchange(place)) => {
                let exchange = exchanges.get(*place).ok_or("an exchange that is not there")?;
                rig.exchange(exchange, recorded.store_timestamp, &mut report)?;
            }
            Some(Cause::Send(send)) => rig.oneway(send, recorded.store_timestamp),
            Some(Cause::Service(service)) => rig.drive(*service, recorded, timeline::append_us(&records, at))?,
            None => {}
        }
    }
    for exchange in exchanges.iter().filter(|exchange| exchange.comes_last()) {
        rig.exchange(exchange, last_ms, &mut report)?;
    }
    let (recorded, ours) = wire::questions(&exchanges, rig.questions());
    report.compare("questions about half messages", &recorded, &ours);
    rig.commit_unrecorded(&expected)?;
    rig.heartbeat_unrecorded(last_ms + 1_000);
    compare_running(&mut report, case, &rig)?;
    rig.stop()?;
    let mut actual = tree(rig.disk());
    settle::births(&mut report, &expected, &mut actual, &records);
    let layout = Layout::of(case)?;
    compare(&mut report, &without_configs(&expected), &without_configs(&actual), layout, Except::default());
    compare_configs(&mut report, &expected, &actual);
    report.finish()
}

/// The store as it runs: its numbers, queues and index. Its directory and its records are compared after the stop.
fn compare_running(report: &mut Report, case: &Case, rig: &Rig) -> Result<(), String> {
    let recorded = case.expected.snapshot.as_ref().ok_or("snapshot: missing")?;
    let mut ours = snapshot(rig.store()?, &recorded.stage, recorded.taken_at);
    ours.disk.clone_from(&recorded.disk);
    ours.commit_log.clone_from(&recorded.commit_log);
    compare_snapshots(report, "the running store", recorded, &ours);
    Ok(())
}

fn is_config(path: &str) -> bool {
    path.starts_with("config/")
}

fn without_configs(tree: &Tree) -> Tree {
    tree.iter().filter(|(path, _)| !is_config(path)).map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
}

/// What the configuration files say, and the copies from before they were last saved. Not compared: the order of entries,
/// which is that of Java maps, and the moments of versions, which are those of a clock that is not recorded.
fn compare_configs(report: &mut Report, expected: &Tree, actual: &Tree) {
    for path in expected.keys().filter(|path| is_config(path)) {
        let content = |tree: &Tree| wire::config(&String::from_utf8_lossy(tree.get(path).map_or(&[], Vec::as_slice)));
        report.compare(path, &content(expected), &content(actual));
    }
}

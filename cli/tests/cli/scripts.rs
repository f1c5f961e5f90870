//! `run`: scripts that are played.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::run::{json_of, rocketscope, stdout_of};

/// A message of 10 s, a broker that is killed while it waits, and what a restart makes of it.
pub(crate) const DELAYED: &str = r#"
seed = 7
moves = [
    { act = { kind = "send", name = "M1", producer = "producer", topic = "Orders", delayLevel = 3, body = "later" } },
    { at = 5000, act = { kind = "kill", node = "broker" } },
    { at = 6000, act = { kind = "start", node = "broker" } },
    { until = { probe = "broker.delay.3.offset", is = 1 } },
    "rest",
]
expect = [
    { probe = "broker.delay.3.max", is = 1 },
    { any = [{ probe = "producer.result.0.status", is = "SEND_OK" }, { probe = "producer.results", is = 0 }] },
]

[cluster]
nameServers = [{ name = "namesrv" }]
producers = [{ name = "producer" }]

[[cluster.brokers]]
name = "broker"
topics = [{ name = "Orders", readQueues = 1, writeQueues = 1 }]
"#;

/// A script in a directory of its own.
pub(crate) struct Script {
    directory: TempDir,
    pub(crate) path: String,
}

impl Script {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        fs::write(&path, text).unwrap();
        Self { path: path.to_str().unwrap().to_owned(), directory }
    }
}

pub(crate) fn lesson(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../lessons").join(name).to_str().unwrap().to_owned()
}

#[test]
fn a_lesson_is_played_by_its_solution() {
    let printed = stdout_of(&["run", &lesson("01-three-messages")]);
    for part in ["Trace", "broker-a put", "SEND_MESSAGE", "Nodes", "Goals", "met  read-m3"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert!(!printed.contains("not met"));
    // Three bare sends: 200, 150 and 300 bytes behind the first 1000.
    assert!(printed.contains("log to 1650"), "{printed}");
    let script = format!("{}/lesson.toml", lesson("01-three-messages"));
    let quiet = stdout_of(&["run", &script, "--quiet"]);
    assert!(!quiet.contains("Trace") && quiet.contains("Goals"));
    assert!(stdout_of(&["run", &script, "--steps"]).contains("appended"));
}

#[test]
fn a_scenario_tells_what_each_send_was_told_and_what_is_stored() {
    let script = Script::new("delayed.toml", DELAYED);
    let printed = stdout_of(&["run", &script.path, "--check"]);
    assert!(printed.contains("broker SCHEDULE_TOPIC_XXXX/2 @0 (waited), broker Orders/0 @0"), "{printed}");
    assert!(printed.contains("1 message acknowledged, 0 of them stored nowhere"), "{printed}");
    let json = json_of(&["run", &script.path]);
    assert_eq!(json["seed"], 7);
    assert_eq!(json["atRest"], true);
    assert_eq!(json["goals"][0]["met"], true);
    let account = &json["ledger"]["accounts"][0];
    assert_eq!(account["findings"][0]["why"], "once");
    let copies = &account["copies"];
    assert_eq!((&copies[0]["state"], &copies[1]["state"]), (&"over".into(), &"visible".into()));
    assert_eq!(json["nodes"].as_array().unwrap().len(), 3);
    let kinds = json["events"].as_array().unwrap().iter().filter(|event| event["service"] == "schedule");
    assert_eq!(kinds.count(), 1);
}

/// The same scenario in JSON is the same run.
#[test]
fn toml_and_json_say_the_same() {
    let toml = Script::new(
        "a.toml",
        "[cluster]\nnameServers = [{ name = \"n\" }]\n[[moves]]\nat = 2500\n[[moves]]\nrest = true\n",
    );
    let json = Script::new(
        "a.json",
        r#"{ "cluster": { "nameServers": [{ "name": "n" }] }, "moves": [{ "at": 2500 }, "rest"] }"#,
    );
    let [first, second] = [toml, json].map(|script| json_of(&["run", &script.path]));
    assert_eq!(first["traceHash"], second["traceHash"]);
    assert_eq!(first["nowUs"], 2_500_000);
}

#[test]
fn what_is_wrong_with_a_script_is_told_with_file_line_and_cause() {
    let wrong = |name: &str, text: &str| {
        let script = Script::new(name, text);
        let run = rocketscope(&["run", &script.path]);
        assert_eq!(run.status.code(), Some(1), "{text}");
        let error = String::from_utf8(run.stderr).unwrap();
        assert!(error.contains(script.directory.path().to_str().unwrap()), "{error}");
        error
    };
    let error = wrong("a.toml", "seed = 1\n[cluster]\n\n[[moves]]\nact = { kind = \"sing\" }\n");
    assert!(error.contains("a.toml:") && error.contains("sing"), "{error}");
    let error = wrong("a.toml", "[cluster]\n[[expect]]\nprobe = \"b.delay.x.max\"\nis = 1\n");
    assert!(error.contains("a.toml:2: `b.delay.x.max` is no probe: `x` is no delay level"), "{error}");
    let error = wrong("a.json", "{ \"cluster\": {},\n \"moves\": [{ \"att\": 1 }] }");
    assert!(error.contains("a.json:2:") && error.contains("att"), "{error}");
    let error = wrong("a.toml", "[cluster]\n[[moves]]\nact = { kind = \"kill\", node = \"nobody\" }\n");
    assert!(error.contains("moves[0]:") && error.contains("nobody"), "{error}");
    let error = wrong("a.toml", "[cluster]\n[[moves]]\nat = 5\n[[moves]]\nat = 4\n");
    assert!(error.contains("moves[1]: it is to be made at 4 ms, and the time is 5 ms"), "{error}");
}

#[test]
fn an_expectation_that_does_not_hold_exits_with_3() {
    let text = "expect = [{ probe = \"n.state\", is = \"down\" }]\n[cluster]\nnameServers = [{ name = \"n\" }]\n";
    let script = Script::new("a.toml", text);
    let run = rocketscope(&["run", &script.path]);
    assert_eq!(run.status.code(), Some(3));
    let printed = String::from_utf8(run.stdout).unwrap();
    assert!(printed.contains("not met  n.state is down"), "{printed}");
}

/// What was acknowledged and is gone after a power loss: only `--check` makes that the exit status.
#[test]
fn a_loss_is_counted() {
    let text = r#"
moves = [
    { act = { kind = "send", producer = "producer", topic = "Orders", body = "x" } },
    { until = { probe = "producer.results", is = 1 } },
    { act = { kind = "powerLoss", node = "broker" } },
    { act = { kind = "start", node = "broker" } },
]
[cluster]
nameServers = [{ name = "namesrv" }]
producers = [{ name = "producer" }]
[[cluster.brokers]]
name = "broker"
topics = [{ name = "Orders", readQueues = 1, writeQueues = 1 }]
"#;
    let script = Script::new("loss.toml", text);
    let printed = stdout_of(&["run", &script.path]);
    assert!(printed.contains("1 message acknowledged, 1 of them stored nowhere"), "{printed}");
    assert!(printed.contains("lost: broker, ASYNC_FLUSH"), "{printed}");
    assert_eq!(rocketscope(&["run", &script.path, "--check"]).status.code(), Some(3));
}

/// The put is answered before the flush: the run ends at that event, and says so.
#[test]
fn a_planted_fault_ends_the_run_where_it_breaks_an_invariant() {
    let text = r#"
moves = [
    { act = { kind = "send", producer = "producer", topic = "Orders", body = "x" } },
    { until = { probe = "producer.results", is = 1 } },
]
[cluster]
planted = ["replyBeforeFlush"]
nameServers = [{ name = "namesrv" }]
producers = [{ name = "producer" }]
[[cluster.brokers]]
name = "broker"
config = { flushDiskType = "SYNC_FLUSH" }
topics = [{ name = "Orders", readQueues = 1, writeQueues = 1 }]
"#;
    let script = Script::new("planted.toml", text);
    let run = rocketscope(&["run", &script.path]);
    assert_eq!(run.status.code(), Some(3));
    let printed = String::from_utf8(run.stdout).unwrap();
    assert!(printed.contains("Broken at event") && printed.contains("SYNC_FLUSH has answered PUT_OK"), "{printed}");
    let sound = Script::new("sound.toml", &text.replace("planted = [\"replyBeforeFlush\"]", ""));
    assert_eq!(rocketscope(&["run", &sound.path]).status.code(), Some(0));
}

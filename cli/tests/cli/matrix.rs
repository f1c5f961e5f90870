//! `matrix`. What is lost where is worked out by hand from the rules of the two flush modes: `ASYNC_FLUSH` answers with the
//! record in the page cache and flushes half a second later, which is after the end of these runs; `SYNC_FLUSH` answers once
//! it is on the disk.

use std::fs;

use serde_json::Value;

use super::run::{json_of, rocketscope, stdout_of};

/// One message to a broker of a flush mode.
fn script(flush: &str) -> (tempfile::TempDir, String) {
    let text = format!(
        r#"
moves = [{{ act = {{ kind = "send", name = "M1", producer = "producer", topic = "Orders", queue = 0, body = "x" }} }}]
[cluster]
nameServers = [{{ name = "namesrv" }}]
producers = [{{ name = "producer", sender = "bare" }}]
[[cluster.brokers]]
name = "broker"
config = {{ flushDiskType = "{flush}" }}
topics = [{{ name = "Orders", readQueues = 1, writeQueues = 1 }}]
"#
    );
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("one.toml");
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (directory, path)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The events in which a broker's put takes its turn.
fn puts(json: &Value) -> Vec<u64> {
    let puts = list(&json["moments"]).iter().filter(|moment| moment["turn"]["service"] == "put");
    puts.map(|moment| moment["event"].as_u64().unwrap()).collect()
}

/// Lesson 1: M1, M2 and M3 are lost by every loss of power behind their put, and by nothing else.
#[test]
fn lesson_1_loses_by_power_what_it_has_answered() {
    let json = json_of(&["matrix", "01", "--jobs", "2"]);
    assert_eq!(json["script"], "01-three-messages");
    assert_eq!(list(&json["faults"]), ["kill", "powerLoss:flushed", "tornWrite"]);
    let puts = puts(&json);
    assert_eq!(puts.len(), 3);
    let cells = list(&json["cells"]);
    assert_eq!(
        cells.len() as u64,
        list(&json["moments"]).iter().map(|one| one["cells"].as_u64().unwrap()).sum::<u64>()
    );
    let mut lost = 0;
    for cell in cells {
        assert_eq!((&cell["end"], &cell["up"]), (&"rest".into(), &true.into()), "{cell}");
        for message in list(&cell["messages"]) {
            let number = ["M1", "M2", "M3"].iter().position(|name| message["name"] == *name).unwrap();
            let is_lost = cell["fault"]["kind"] == "powerLoss" && cell["event"].as_u64().unwrap() > puts[number];
            assert_eq!(message["verdict"] == "lost", is_lost, "{cell}");
            lost += u32::from(is_lost);
        }
    }
    assert!(lost > 0);
    let printed = stdout_of(&["matrix", "01"]);
    assert!(printed.contains("M1 lost (unflushedAtPowerLoss)") && printed.contains("worlds per second"), "{printed}");
}

#[test]
fn only_the_asynchronous_flush_loses() {
    for (flush, status) in [("ASYNC_FLUSH", 3), ("SYNC_FLUSH", 0)] {
        let (_directory, path) = script(flush);
        assert_eq!(rocketscope(&["matrix", &path, "--check"]).status.code(), Some(status), "{flush}");
        // A kill leaves the page cache, and so does a loss of power for which the system had written all back.
        let faults = "--faults=kill,tornWrite,powerLoss:everything";
        assert_eq!(rocketscope(&["matrix", &path, "--check", faults]).status.code(), Some(0), "{flush}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let [one, three] = ["1", "3"].map(|jobs| stdout_of(&["matrix", "01-three-messages", "--json", "--jobs", jobs]));
    assert!(one == three);
}

#[test]
fn targets_are_chosen_and_those_that_are_right_are_printed_on_demand() {
    let (_directory, path) = script("SYNC_FLUSH");
    let all = stdout_of(&["matrix", &path, "--targets", "namesrv", "--faults", "kill", "--all"]);
    let length = json_of(&["matrix", &path, "--faults", "kill"])["length"].as_u64().unwrap();
    let rows =
        |printed: &str| printed.lines().filter(|line| line.contains(" namesrv ") && line.contains("kill")).count();
    assert_eq!(rows(&all) as u64, length + 1);
    let bad = stdout_of(&["matrix", &path, "--targets", "namesrv", "--faults", "kill"]);
    assert_eq!(rows(&bad), 0);
    assert!(bad.contains(&format!("{} crashes more in which everything is exactly right", length + 1)), "{bad}");
}

#[test]
fn what_cannot_be_crashed_is_refused() {
    let (_directory, path) = script("SYNC_FLUSH");
    let refused = |args: &[&str], status, words: &str| {
        let run = rocketscope(args);
        let error = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(status), "{error}");
        assert!(error.contains(words), "{error}");
    };
    refused(&["matrix", &path, "--targets", "nobody"], 1, "no node `nobody`");
    refused(&["matrix", &path, "--faults", "flood"], 2, "`flood` is none of kill");
    refused(&["matrix", &path, "--jobs", "0"], 2, "jobs");
    refused(&["matrix", &path, "--down-ms", "0"], 2, "down-ms");
    refused(&["matrix", "no-such-lesson"], 1, "no-such-lesson");
}

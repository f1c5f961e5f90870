//! `recover` against what the real store did: the numbers after its start, and its files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::run::{Store, json_of, rocketscope, stdout_of};

/// The recorded recoveries.
fn cases() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden");
    let entries = fs::read_dir(folder).unwrap();
    let name = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut cases: Vec<_> = entries.map(|entry| name(entry.unwrap().path())).collect();
    cases.retain(|case| case.starts_with("recovery-c") || case.starts_with("random-recovery-"));
    cases.sort();
    assert!(cases.len() >= 26, "{cases:?}");
    cases
}

/// The configuration that a case was recorded with.
fn settings(store: &Store) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let config = store.expected["config"].as_object().unwrap();
    config.iter().flat_map(|(key, value)| ["--set".to_owned(), format!("{key}={}", text(value))]).collect()
}

fn recover(store: &Store, more: &[&str]) -> Value {
    let settings = settings(store);
    let settings = settings.iter().map(String::as_str);
    json_of(&["recover", store.path()].into_iter().chain(settings).chain(more.iter().copied()).collect::<Vec<_>>())
}

/// Content of every file below a directory.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                files.insert(name, fs::read(path).unwrap());
            }
        }
    }
    files
}

#[test]
fn every_recorded_recovery_has_the_numbers_and_files_of_the_real_one() {
    for case in cases() {
        let store = Store::case(&case, "before");
        let untouched = store.state();
        let copy = store.file("../copy");
        let found = recover(&store, &["--out", copy.to_str().unwrap()]);
        assert_eq!(store.state(), untouched, "{case}");
        assert_eq!(found["loaded"], true, "{case}");
        let snapshots = store.expected["snapshots"].as_array().unwrap();
        let started = snapshots.iter().find(|snapshot| snapshot["stage"] == "afterStart").unwrap();
        for number in ["minPhyOffset", "maxPhyOffset", "flushedWhere"] {
            assert_eq!(found[number], started[number], "{case} {number}");
        }
        let keep = |list: &Value, names: &[&str]| -> Vec<Value> {
            let keep = |entry: &Value| names.iter().map(|name| entry[*name].clone()).collect();
            list.as_array().unwrap().iter().map(keep).collect()
        };
        let of_queue = ["topic", "queueId", "minOffset", "maxOffset", "maxPhysicOffset"];
        assert_eq!(keep(&found["consumeQueues"], &of_queue), keep(&started["queues"], &of_queue), "{case}");
        // Index files made during the start are named by the clock.
        let of_index =
            ["beginTimestamp", "endTimestamp", "beginPhyOffset", "endPhyOffset", "hashSlotCount", "indexCount"];
        assert_eq!(keep(&found["indexFiles"], &of_index), keep(&started["indexFiles"], &of_index), "{case}");

        // The copy is what the running store had on its disk: these files, with abort.
        let copied = files(&copy);
        let recorded = started["disk"]["files"].as_object().unwrap();
        let without_clock =
            |path: &str| path.strip_prefix("index/").map_or_else(|| path.to_owned(), |_| "index/".into());
        let mut lengths: Vec<_> =
            copied.iter().map(|(path, bytes)| (without_clock(path), bytes.len() as u64)).collect();
        let mut expected: Vec<_> =
            recorded.iter().map(|(path, len)| (without_clock(path), len.as_u64().unwrap())).collect();
        // The recording store writes its configuration while it stops.
        lengths.retain(|(path, _)| !path.starts_with("config/"));
        expected.retain(|(path, _)| !path.starts_with("config/"));
        lengths.sort();
        expected.sort();
        assert_eq!(lengths, expected, "{case}");
        assert!(copied.contains_key("abort"), "{case}");
        // Log, queues and index change no more in a clean stop; the real bytes after it are recorded.
        let after = files(&store.file("../after"));
        let content = |files: &BTreeMap<String, Vec<u8>>| -> Vec<(String, Vec<u8>)> {
            let kept = |path: &str| ["commitlog/", "consumequeue/", "index/"].iter().any(|root| path.starts_with(root));
            let kept = files.iter().filter(|(path, _)| kept(path));
            kept.map(|(path, bytes)| (without_clock(path), bytes.clone())).collect()
        };
        let (ours, real) = (content(&copied), content(&after));
        let paths = |files: &[(String, Vec<u8>)]| files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
        assert_eq!(paths(&ours), paths(&real), "{case}");
        for ((path, ours), (_, real)) in ours.iter().zip(&real) {
            assert!(
                ours == real,
                "{case}: {path} differs at byte {:?}",
                (0..ours.len()).find(|at| ours[*at] != real[*at])
            );
        }
    }
}

#[test]
fn a_store_that_no_broker_starts_on_is_an_answer() {
    let store = Store::case("recovery-load-wrong-size-commitlog", "before");
    let found = recover(&store, &[]);
    assert_eq!(found["loaded"], false);
    for number in ["minPhyOffset", "maxPhyOffset", "flushedWhere", "copy"] {
        assert_eq!(found[number], Value::Null, "{number}");
    }
    assert_eq!((&found["consumeQueues"], &found["indexFiles"]), (&json!([]), &json!([])));
    let verdict = found["verdict"].as_array().unwrap();
    assert_eq!((verdict.len(), &verdict[0]["kind"], &verdict[0]["severity"]), (1, &json!("refused"), &json!("loss")));
    let fault = &verdict[0]["fault"];
    assert_eq!((&fault["kind"], &fault["expected"]), (&json!("wrongSize"), &json!(8192)));
    assert!(verdict[0]["message"].as_str().unwrap().starts_with("The broker does not start: commitlog/"));
    let settings = settings(&store);
    let args = ["recover", store.path(), "--check"].into_iter().chain(settings.iter().map(String::as_str));
    assert_eq!(rocketscope(&args.collect::<Vec<_>>()).status.code(), Some(3));
}

/// The fifth record from the end has a damaged body: four whole ones are lost behind it.
#[test]
fn the_verdict_says_what_is_lost_and_where() {
    let store = Store::base("base-clean");
    let log = store.file("commitlog/00000000000000024576");
    let mut bytes = fs::read(&log).unwrap();
    bytes[26641 - 24576 + 88] ^= 1;
    fs::write(&log, bytes).unwrap();
    let untouched = store.state();

    let found = json_of(&["recover", store.path()]);
    let verdict = found["verdict"].as_array().unwrap();
    let finding =
        |kind: &str| verdict.iter().find(|finding| finding["kind"] == kind).unwrap_or_else(|| panic!("{found}"));
    assert_eq!((&found["clean"], &found["maxPhyOffset"]), (&json!(true), &json!(26641)));
    assert_eq!(finding("kept")["records"], 125);
    let damage = finding("endsAtDamage");
    assert_eq!((&damage["position"], &damage["fault"]["kind"]), (&json!(2065), &json!("crc")));
    let lost = finding("recordsLost");
    assert_eq!((&lost["count"], &lost["severity"]), (&json!(4), &json!("loss")));
    assert_eq!(lost["examples"].as_array().unwrap().len(), 4);
    let steps = found["steps"].as_array().unwrap();
    let rejected = steps.iter().find(|step| step["kind"] == "recordRejected").unwrap();
    assert_eq!((&rejected["phase"], &rejected["physicalOffset"]), (&json!("logScan"), &json!(26641)));
    assert_eq!(rejected["place"]["path"], "commitlog/00000000000000024576");
    assert!(steps.iter().any(|step| step["kind"] == "recordsAccepted" && step["count"].as_u64() > Some(10)));

    let text = stdout_of(&["recover", store.path()]);
    for part in [
        "scan of the log",
        "begins in commitlog/",
        "CRC check failed",
        "Verdict",
        "LOSS",
        "Lost: 4 records",
        "--out COPY",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!text.contains('\u{1b}') && text.lines().all(|line| line.chars().count() <= 101), "{text}");
    assert_eq!(store.state(), untouched);
}

#[test]
fn a_copy_is_written_only_where_nothing_is_lost_by_it() {
    let store = Store::base("base-crash");
    let untouched = store.state();
    let refused = |out: &Path| {
        let run = rocketscope(&["recover", store.path(), "--out", out.to_str().unwrap()]);
        assert_eq!((run.status.code(), run.stdout.as_slice()), (Some(1), &b""[..]));
        String::from_utf8(run.stderr).unwrap()
    };
    assert!(refused(&store.file("copy")).contains("inside the store"));
    assert!(refused(Path::new(store.parent())).contains("not empty"));
    assert_eq!(store.state(), untouched);
    let copy = store.file("../new/copy");
    let text = stdout_of(&["recover", store.path(), "--out", copy.to_str().unwrap()]);
    assert!(text.contains("written to") && text.contains("not touched"), "{text}");
    assert_eq!(store.state(), untouched);
    // A start on the copy finds everything in its place; it was not stopped, so it is checked once more.
    let found = json_of(&["recover", copy.to_str().unwrap()]);
    assert_eq!((&found["clean"], &found["loaded"]), (&json!(false), &json!(true)));
    let kinds: Vec<_> = found["verdict"].as_array().unwrap().iter().map(|finding| &finding["severity"]).collect();
    assert!(!kinds.contains(&&json!("loss")), "{found}");
}

/// One queue lost its last file: only a start after a crash makes the units again.
#[test]
fn a_hole_that_no_start_fills_is_told() {
    let store = Store::case("recovery-crash-cq-one-file-deleted", "before");
    fs::remove_file(store.file("abort")).unwrap();
    let found = recover(&store, &[]);
    let verdict = found["verdict"].as_array().unwrap();
    let holes: Vec<_> = verdict.iter().filter(|finding| finding["kind"] == "queueHole").collect();
    assert!(!holes.is_empty(), "{found}");
    assert!(holes[0]["message"].as_str().unwrap().contains("an ordinary start does not make them"));
}

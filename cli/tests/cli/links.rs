//! `run --link`, run files, and the links that are printed.

use std::fs;

use rocketscope_engine::disk::native::ReadOnlyDir;
use rocketscope_engine::disk::{FileId, ReadAt};
use rocketscope_engine::link::{Link, text_of};
use rocketscope_engine::sim::Imports;

use super::run::{json_of, rocketscope, stdout_of};
use super::scripts::{DELAYED, Script, lesson};

/// What `--show-link` prints last.
fn shown(args: &[&str]) -> String {
    let printed = stdout_of(&[args, &["--quiet", "--show-link"]].concat());
    printed.lines().last().unwrap().to_owned()
}

fn error_of(args: &[&str]) -> String {
    let run = rocketscope(args);
    assert_eq!(run.status.code(), Some(1), "{args:?}");
    String::from_utf8(run.stderr).unwrap()
}

/// Everything but the first line, which names the script.
fn below(printed: &str) -> &str {
    printed.split_once('\n').unwrap().1
}

#[test]
fn the_link_of_a_lesson_replays_the_same_trace_and_verdict() {
    let script = lesson("01-three-messages");
    let link = shown(&["run", &script]);
    assert!(link.starts_with("#/lesson/01?r=UlMB"), "{link}");
    let whole = format!("https://example.org/scope/{link}");
    let text = link.split_once("r=").unwrap().1;
    let played = stdout_of(&["run", &script]);
    for link in [link.as_str(), whole.as_str(), text] {
        let again = stdout_of(&["run", "--link", link]);
        assert_eq!(below(&again), below(&played), "{link}");
        let file = format!("{script}/lesson.toml");
        assert_eq!(again.lines().next().unwrap().replacen("link", &file, 1), played.lines().next().unwrap());
    }
    let (json, again) = (json_of(&["run", &script]), json_of(&["run", "--link", &link]));
    for part in ["traceHash", "goals", "ledger", "nodes", "events", "seed"] {
        assert_eq!(json[part], again[part], "{part}");
    }
    assert_eq!(json_of(&["run", &script, "--show-link"])["link"], link.as_str());
}

#[test]
fn a_run_goes_to_a_file_and_comes_from_it() {
    let script = Script::new("delayed.toml", DELAYED);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("late.rocketscope");
    let file = file.to_str().unwrap();
    let played = json_of(&["run", &script.path, "--save", file]);
    let again = json_of(&["run", file]);
    assert_eq!(again["script"], file);
    for part in ["traceHash", "ledger", "events", "seed", "atRest"] {
        assert_eq!(played[part], again[part], "{part}");
    }
    // What stands in the file is the link.
    let link = shown(&["run", &script.path]);
    assert_eq!(format!("#/sandbox?r={}", fs::read_to_string(file).unwrap().trim()), link);
    assert_eq!(shown(&["run", "--link", &link]), link);
}

#[test]
fn a_link_that_cannot_be_honoured_says_why() {
    let link = shown(&["run", &lesson("01-three-messages")]);
    let error = error_of(&["run", "--link", &link[..link.len() - 4]]);
    assert!(error.contains("link: the link was cut off: it has "), "{error}");
    let mut changed = link.clone();
    let last = if link.ends_with('A') { "BBB" } else { "AAA" };
    changed.replace_range(link.len() - 3.., last);
    let error = error_of(&["run", "--link", &changed]);
    assert!(error.contains("the link was changed: its check sum is "), "{error}");
    let error = error_of(&["run", "--link", "hello"]);
    assert!(error.contains("this is no link to a run"), "{error}");
    let script = Script::new("broken.rocketscope", "UlM");
    let error = error_of(&["run", &script.path]);
    assert!(error.contains("broken.rocketscope: the link was cut off"), "{error}");
    // Neither a script nor a link, and both.
    for args in [vec!["run"], vec!["run", "--link", &link, &script.path]] {
        assert_eq!(rocketscope(&args).status.code(), Some(2), "{args:?}");
    }
}

/// A lesson's script that is none of those built in: its link holds the cluster.
#[test]
fn the_link_of_a_script_of_ones_own_holds_its_cluster() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("01-three-messages");
    fs::create_dir(&own).unwrap();
    for file in ["lesson.toml", "en.md", "zh.md"] {
        let text = fs::read_to_string(format!("{}/{file}", lesson("01-three-messages"))).unwrap();
        fs::write(own.join(file), text.replacen("\nseed = ", "\nseed = 4", 1)).unwrap();
    }
    let own = own.to_str().unwrap();
    let link = shown(&["run", own]);
    assert!(link.starts_with("#/sandbox?r="), "{link}");
    let (played, again) = (json_of(&["run", own]), json_of(&["run", "--link", &link]));
    assert_eq!((&played["traceHash"], &played["seed"]), (&again["traceHash"], &again["seed"]));
}

/// The store that a run leaves is one for every reader, byte by byte the simulated disk, and a run can begin on it.
#[test]
fn a_store_is_exported_read_and_begun_on() {
    let sizes = "config = { mappedFileSizeCommitLog = \"65536\", mappedFileSizeConsumeQueue = \"400\", maxHashSlotNum = \"100\", \
                 maxIndexNum = \"400\" }\n";
    let small = DELAYED.replacen("name = \"broker\"\n", &format!("name = \"broker\"\n{sizes}"), 1);
    let script = Script::new("delayed.toml", &small);
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("stores");
    let json = json_of(&["run", &script.path, "--export", out.to_str().unwrap(), "--show-link"]);
    let store = out.join("broker");
    assert_eq!(json["exported"][0]["path"], store.to_str().unwrap());

    let link = Link::decode(text_of(json["link"].as_str().unwrap())).unwrap();
    let opened = link.open(&Imports::default()).unwrap();
    let simulated = opened.history().world().broker("broker").unwrap().disk();
    let written = ReadOnlyDir::open(&store).unwrap();
    let paths = |files: Vec<(String, FileId)>| files.into_iter().map(|(path, _)| path).collect::<Vec<_>>();
    assert_eq!(paths(written.files()), paths(simulated.files()));
    for (path, file) in simulated.files() {
        let there = written.find(&path).unwrap();
        assert_eq!(written.meta(there), simulated.meta(file), "{path}");
        let len = simulated.meta(file).unwrap().len;
        let read = |disk: &dyn ReadAt, file| disk.slice(file, 0, len as usize).unwrap();
        assert_eq!(read(&written, there), read(simulated, file), "{path}");
    }
    let inspected = stdout_of(&["inspect", store.to_str().unwrap()]);
    assert!(inspected.contains("Orders"), "{inspected}");

    // Twice is refused, before anything is played.
    let error = error_of(&["run", &script.path, "--export", out.to_str().unwrap()]);
    assert!(error.contains("the directory is not empty"), "{error}");

    // A broker without topics starts on it and finds topic and message there. The progress of a delay level is saved every
    // 10 s and was not yet since the last start, so what it delivered is delivered once more.
    let text = "begin = \"cold\"";
    let reader = format!(
        "expect = [{{ probe = \"b.queue.Orders/0.max\", is = 2 }}, {{ probe = \"b.recovery.clean\", is = false }}]\n\
         [cluster]\n{text}\nstartMs = 1700000100000\nnameServers = [{{ name = \"n\" }}]\n[[cluster.brokers]]\nname = \"b\"\n"
    );
    let reader = Script::new("reader.toml", &reader);
    let begun = json_of(&["run", &reader.path, "--store", store.to_str().unwrap(), "--show-link"]);
    let link = begun["link"].as_str().unwrap();
    let error = error_of(&["run", "--link", link]);
    assert!(error.contains("which is not in the link") && error.contains("fingerprint"), "{error}");
    let again = json_of(&["run", "--link", link, "--store", store.to_str().unwrap()]);
    assert_eq!(again["traceHash"], begun["traceHash"]);
    let error = error_of(&["run", &reader.path, "--store", directory.path().to_str().unwrap()]);
    assert!(error.contains("no store here"), "{error}");
}

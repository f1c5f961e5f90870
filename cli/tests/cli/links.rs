//! `run --link`, run files, and the links that are printed.

use std::fs;

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

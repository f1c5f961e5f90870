//! The built command, run on stores that the real 4.9.8 wrote.

mod answers;
mod backlog;
mod inspect;
mod links;
mod matrix;
mod recover;
mod run;
mod scripts;

use run::{Store, stdout_of};

#[test]
fn help_and_version_are_answered() {
    let help = stdout_of(&["--help"]);
    for command in ["inspect", "get", "query", "message", "recover", "run", "matrix", "backlog"] {
        assert!(help.contains(command), "{help}");
    }
    assert!(stdout_of(&["--version"]).starts_with("rocketscope "));
}

#[test]
fn a_command_line_that_makes_no_sense_exits_with_2() {
    for args in [&["inspect"][..], &["frob"], &["get", "x", "--topic", "T"]] {
        assert_eq!(run::rocketscope(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn no_store_is_an_error_that_names_the_directory() {
    let empty = tempfile::tempdir().unwrap();
    let path = empty.path().to_str().unwrap();
    for args in [&["inspect", path][..], &["message", path, "0A00000100002A9F0000000000000000"]] {
        let run = run::rocketscope(args);
        assert_eq!(run.status.code(), Some(1));
        let error = String::from_utf8(run.stderr).unwrap();
        assert!(error.contains(path) && error.contains("no store here"), "{error}");
        assert_eq!(run.stdout, b"");
    }
    let missing = format!("{path}/nothing");
    let run = run::rocketscope(&["inspect", &missing]);
    assert_eq!(run.status.code(), Some(1));
    assert!(String::from_utf8(run.stderr).unwrap().contains(&missing));
}

#[test]
fn a_directory_that_holds_the_store_is_told_apart_from_it() {
    let store = Store::golden("basic");
    let run = run::rocketscope(&["inspect", store.parent()]);
    assert_eq!(run.status.code(), Some(1));
    assert!(String::from_utf8(run.stderr).unwrap().contains(store.path()));
}

#[test]
fn no_command_changes_a_byte_a_length_or_a_time() {
    let store = Store::base("base-crash");
    let before = store.state();
    stdout_of(&["inspect", store.path(), "--all"]);
    stdout_of(&["inspect", store.path(), "--json"]);
    stdout_of(&["get", store.path(), "--topic", "R1", "--queue", "0", "--offset", "0"]);
    stdout_of(&["query", store.path(), "--topic", "R1", "--key", "k1"]);
    stdout_of(&["message", store.path(), "0A00000100002A9F0000000000000000"]);
    assert_eq!(store.state(), before);
}

#[test]
fn colours_are_for_terminals_only() {
    let store = Store::base("base-clean");
    assert!(!stdout_of(&["inspect", store.path()]).contains('\u{1b}'));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::io::Read;
    let store = Store::base("base-clean");
    for form in ["--all", "--json"] {
        let mut child = run::command(&["inspect", store.path(), form])
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let ended = child.wait_with_output().unwrap();
        assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]));
    }
}

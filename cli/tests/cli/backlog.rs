//! `backlog`. The numbers are those of the plans, by hand: 400 threads of 80 ms are 5000 a second, 120 are 1500.

use serde_json::Value;

use crate::run::{rocketscope, stdout_of};

#[test]
fn the_sentence_the_bound_and_the_curve_are_printed() {
    let enough = stdout_of(&["backlog", "enough"]);
    assert!(
        enough.starts_with("It clears after 2000 s.\nBy the formula: 6000000 / (5000 - 2000) = 2000 s\n"),
        "{enough}"
    );
    let threads = enough.lines().find(|line| line.trim_start().starts_with("threads")).unwrap();
    assert_eq!(threads.split_whitespace().collect::<Vec<_>>(), ["threads", "400", "5000", "100.0", "%", "bounds"]);
    // After 1500 s: 6,000,000 - 1500 * 3000 behind, 3,000,000 came, 7,500,000 done.
    let row = enough.lines().find(|line| line.trim_start().starts_with("1500 s")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["1500", "s", "1500000", "1500000", "3000000", "7500000"]);
    assert!(stdout_of(&["backlog"]).starts_with("It never clears.\nBy the formula: 6000000 / (1500 - 2000) = never\n"));
}

#[test]
fn what_is_set_counts_and_json_has_it_all() {
    let set = ["backlog", "--set", "threads=100", "--set", "connections=117", "--json"];
    let json: Value = serde_json::from_str(&stdout_of(&set)).unwrap();
    assert_eq!(json["plan"]["threads"], 100);
    assert_eq!(json["plan"]["behind"], 6_000_000);
    // 117 / 78 ms = 1500 a second.
    assert_eq!(json["outlook"]["formula"]["outMilliPerS"], 1_500_000);
    assert_eq!(json["outlook"]["clearing"]["kind"], "never");
}

#[test]
fn what_is_no_plan_and_no_number_is_an_error_that_names_it() {
    let cases: [(&[&str], &str); 4] = [
        (&["backlog", "nothing"], "no plan `nothing`: there are never, enough"),
        (&["backlog", "--set", "colour=1"], "`colour=1`"),
        (&["backlog", "--set", "threads"], "`threads=`"),
        (&["backlog", "--set", "threads=1001"], "threads must be between 1 and 1000, not 1001"),
    ];
    for (args, words) in cases {
        let run = rocketscope(args);
        assert_eq!(run.status.code(), Some(1), "{args:?}");
        let error = String::from_utf8(run.stderr).unwrap();
        assert!(error.contains(words), "{error}");
        assert_eq!(run.stdout, b"");
    }
}

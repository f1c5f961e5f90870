use super::{LESSONS, Lesson};

const SCRIPT: &str = r#"number = 1
part = "A"
seed = 1
sources = []
cluster = {}
solution = []

[[steps]]
id = "one"
until = { probe = "b.log.max", is = 1 }

[[questions]]
id = "q"
step = "one"
choices = [1, 2]
probe = "b.reput"
"#;
const TEXT: &str = "# T\n## step one: One\n## question q: Which?\n## hint\nh\n## break\nb\n";

fn error(script: &str, en: &str, zh: &str) -> String {
    Lesson::load("x", script, en, zh).map(|lesson| lesson.id).expect_err("it is wrong").to_string()
}

#[test]
fn every_lesson_of_the_catalogue_loads() {
    for source in LESSONS {
        if let Err(error) = source.load() {
            panic!("{error}");
        }
    }
}

#[test]
fn a_minimal_lesson_loads() {
    let lesson = Lesson::load("x", SCRIPT, TEXT, TEXT).expect("it is right");
    assert_eq!(lesson.steps[0].until.to_string(), "b.log.max is 1");
    assert_eq!(lesson.questions[0].step, 0);
}

#[test]
fn errors_of_the_script_name_its_line() {
    let with = |from: &str, to: &str| error(&SCRIPT.replace(from, to), TEXT, TEXT);
    let no_probe = with("b.reput", "b.put");
    assert!(no_probe.starts_with("x/lesson.toml:16: `b.put` is no probe: `put` is none of log.min, "), "{no_probe}");
    assert_eq!(with(r#"step = "one""#, r#"step = "two""#), "x/lesson.toml:14: there is no step `two`");
    assert_eq!(with("[1, 2]", "[1]"), "x/lesson.toml:15: a question has two choices at least");
    assert_eq!(with("[1, 2]", "[1, 1]"), "x/lesson.toml:15: a choice comes twice");
    assert_eq!(with(r#"part = "A""#, r#"part = "Z""#), "x/lesson.toml:2: part `Z` is none of A to H");
    assert_eq!(
        with(", is = 1", ", is = 1, not = 2"),
        "x/lesson.toml:10: a probe is compared by one of is, not, atLeast, atMost"
    );
    assert_eq!(with("solution = []", r#"solution = [{ take = "x" }]"#), "x/lesson.toml:6: no step offers `x`");
    let wanted = "x/lesson.toml:13: a question has a probe, or a backlog and the number that is asked about";
    for wrong in ["", "backlog = {}", r#"number = "nodes""#, "probe = 'b.reput'\nbacklog = {}\nnumber = 'nodes'"] {
        assert_eq!(with(r#"probe = "b.reput""#, wrong), wanted, "{wrong}");
    }
    let no_thread = with(r#"probe = "b.reput""#, "number = 'nodes'\nbacklog = { threads = 0 }");
    assert_eq!(no_thread, "x/lesson.toml:17: threads must be between 1 and 1000, not 0");
    assert!(with("seed = 1", "speed = 1").starts_with("x/lesson.toml:3: unknown field `speed`"));
}

#[test]
fn the_texts_have_what_the_script_has() {
    assert_eq!(
        error(SCRIPT, &TEXT.replace("## step one: One\n", ""), TEXT),
        "x/en.md:1: step `one` has no `## step one: ...`"
    );
    assert_eq!(
        error(SCRIPT, TEXT, &TEXT.replace("## hint", "## goal g: G\n## hint")),
        "x/zh.md:4: lesson.toml has no goal `g`"
    );
    assert_eq!(error(SCRIPT, TEXT, &TEXT.replace("## break\nb\n", "")), "x/zh.md:1: `## break` is missing");
}

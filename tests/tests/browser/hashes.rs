//! The engine that the page ships does what the native one does: whole runs, compared by their events and by what they
//! leave.

use std::io::Write as _;
use std::sync::Arc;
use std::thread;

use anyhow::{Context as _, Result, anyhow, ensure};
use rocketscope_tests::browser;
use rocketscope_tests::trace::{self, Outcome, Scenario};
use serde_json::json;

use super::embed::{IMPORT, awaited_with};

/// Scenarios that the browser is handed at once.
const AT_ONCE: usize = 4;

/// Plays what it is handed, JSON of `Play`s, and tells the `Outcome`s. Numbers that JavaScript's do not hold exactly are
/// taken from the text.
const PLAY: &str = "
    const exact = (_, value, { source }) =>
        Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(source) : value;
    const hex = (hash) => hash.toString(16).padStart(16, '0');
    return JSON.parse(given, exact).map(({ lesson, script }) => {
        const run = lesson ? RocketScope.lesson(lesson) : RocketScope.sandbox(script.cluster, script.seed);
        const refused = [];
        if (lesson) {
            run.solve();
        }
        for (const [place, { action, events }] of (script?.moves ?? []).entries()) {
            try {
                run.act(action);
            } catch (error) {
                refused.push([place, error.message]);
            }
            run.run(events);
        }
        const outcome = { refused, events: run.length, traceHash: hex(run.traceHash), stateHash: hex(run.stateHash) };
        run.free();
        return outcome;
    });";

/// Plays them here and there, and tells how many there were.
fn compare(scenarios: Vec<Scenario>) {
    browser::run(async |page| {
        let scenarios = Arc::new(scenarios);
        // It computes while the browser does.
        let native = thread::spawn({
            let scenarios = Arc::clone(&scenarios);
            move || scenarios.iter().map(Scenario::outcome).collect::<Result<Vec<_>>>()
        });

        page.open("examples/embed.html").await?;
        page.wait("#go:not(:disabled)").await?;
        let mut browsers: Vec<Outcome> = Vec::new();
        for some in scenarios.chunks(AT_ONCE) {
            let plays: Vec<_> = some.iter().map(|scenario| &scenario.play).collect();
            let given = json!(serde_json::to_string(&plays)?);
            let told = awaited_with(page, &format!("{IMPORT} {PLAY}"), given).await;
            let told = told.with_context(|| format!("in those from {} on", some[0].name))?;
            browsers.extend(serde_json::from_value::<Vec<Outcome>>(told)?);
        }

        let native = native.join().map_err(|_| anyhow!("the native runs panicked"))??;
        ensure!(browsers.len() == native.len(), "{} of {} runs were played", browsers.len(), native.len());
        for ((scenario, native), browsers) in scenarios.iter().zip(&native).zip(&browsers) {
            let name = &scenario.name;
            ensure!(native == browsers, "{name} differs: natively {native:?}, in the browser {browsers:?}");
        }
        // Past the harness, which shows nothing of a test that passes.
        writeln!(std::io::stdout(), "{} traces are equal natively and in the browser", native.len())?;
        page.no_console_errors().await
    });
}

#[test]
fn what_is_written_down_and_every_lesson_is_the_same_natively_and_in_the_browser() {
    compare(trace::written());
}

#[test]
fn random_runs_0_to_124_are_the_same_natively_and_in_the_browser() {
    compare(trace::random(0..125));
}

#[test]
fn random_runs_125_to_249_are_the_same_natively_and_in_the_browser() {
    compare(trace::random(125..250));
}

#[test]
fn random_runs_250_to_374_are_the_same_natively_and_in_the_browser() {
    compare(trace::random(250..375));
}

#[test]
fn random_runs_375_to_499_are_the_same_natively_and_in_the_browser() {
    compare(trace::random(375..500));
}

#[test]
fn random_runs_500_to_624_are_the_same_natively_and_in_the_browser() {
    compare(trace::random(500..625));
}

#[test]
fn random_runs_625_to_749_are_the_same_natively_and_in_the_browser() {
    compare(trace::random(625..750));
}

#[test]
fn random_runs_750_to_874_are_the_same_natively_and_in_the_browser() {
    compare(trace::random(750..875));
}

#[test]
fn random_runs_875_to_999_are_the_same_natively_and_in_the_browser() {
    compare(trace::random(875..1000));
}

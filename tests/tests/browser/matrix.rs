//! The crash matrix: a run that is crashed everywhere, and the worlds that come of it.

use anyhow::{Result, ensure};
use rocketscope_tests::browser::{self, Key, NARROW, Page};

use super::actions::choose;
use super::bench::{open_in, same};

const PROGRESS: &str = "[data-testid=matrix-progress]";
const SUMMARY: &str = "[data-testid=matrix-summary]";
const DETAIL: &str = "[data-testid=matrix-detail]";
const BEGIN: &str = "[data-testid=matrix-begin]:enabled";

/// Plays the matrix of lesson 1 with the faults that are ticked at first.
async fn play(page: &Page) -> Result<()> {
    page.open("#/matrix").await?;
    page.click(BEGIN).await?;
    page.wait_text(PROGRESS, "All ").await
}

#[test]
fn a_lesson_is_crashed_everywhere_and_a_cell_opens_its_world() {
    browser::run(async |page| {
        play(page).await?;
        // M1, M2 and M3, below the sum over all worlds.
        let names = page.texts(&format!("{SUMMARY} tbody th")).await?;
        same("the messages", &names[1..].to_vec(), &["M1", "M2", "M3"].map(str::to_owned).to_vec())?;
        // The broker flushes asynchronously, so some loss of power loses what was acknowledged.
        ensure!(page.count(".mx-cell.is-lost").await? > 0, "nothing is lost");
        page.click(".mx-cell.is-lost").await?;
        page.wait_text(DETAIL, "lost").await?;
        let open = format!("{DETAIL} .button");
        page.click(&open).await?;
        page.wait("[data-testid=timeline]").await?;
        same("the address", &page.route().await?.as_str(), &"#/matrix/world")?;
        // The world can be gone back in, through the crash to its start.
        page.press(Key::Home).await?;
        page.wait("[data-testid='transport.first']:disabled").await?;
        page.click("[data-testid=matrix-back]").await?;
        page.wait_text(PROGRESS, "All ").await?;
        page.no_console_errors().await
    });
}

#[test]
fn the_grid_is_gone_through_by_keys_and_has_a_table_as_its_equal() {
    browser::run(async |page| {
        play(page).await?;
        page.click(".mx-cell").await?;
        page.wait_text(DETAIL, "Event 1,").await?;
        page.press(Key::Down).await?;
        page.wait_text(DETAIL, "Event 2,").await?;
        ensure!(page.focused().await?.starts_with("button"), "the focus left the grid");
        page.click("[data-testid='segment:table']").await?;
        page.wait_text("[data-testid=matrix-table]", "lost").await?;
        // By fault: a killed process leaves the page cache, so nothing that was acknowledged is lost.
        choose(page, "matrix-by-fault", "kill").await?;
        page.wait_text("[data-testid=matrix-table]", "Not one crash so far").await?;
        page.no_console_errors().await
    });
}

/// Takes down what the worker of the matrix is asked. Its questions are texts; those to the page's own are not.
const ASKED: &str = "
    window.asked = [];
    const ask = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...rest) {
        for (const kind of ['Begin', 'GoOn']) {
            if (typeof message === 'string' && message.includes(`\"${kind}\"`)) window.asked.push(kind);
        }
        return ask.call(this, message, ...rest);
    };
";

/// Begins what is chosen, and stops it as soon as it can be stopped and a condition holds: from inside of the page, which
/// is there before the worker's next word, however fast that is.
async fn begin_and_stop(page: &Page, when: &str) -> Result<()> {
    page.wait(BEGIN).await?;
    page.eval(&format!(
        "new MutationObserver((_, observer) => {{
             const stop = document.querySelector('[data-testid=matrix-stop]');
             if (stop.disabled || !({when})) return;
             observer.disconnect();
             window.asked.push('Stop');
             stop.click();
         }}).observe(document.querySelector('[data-testid=matrix]'), {{ subtree: true, childList: true, attributes: true }});"
    ))
    .await?;
    page.click(BEGIN).await
}

#[test]
fn a_matrix_can_be_stopped_and_a_run_that_is_open_can_be_crashed() {
    browser::run(async |page| {
        page.before_load(ASKED).await?;
        page.open("#/matrix").await?;
        page.wait(BEGIN).await?;
        // While the run is walked through, before there is any world.
        choose(page, "matrix-scenario", "22-rebalance").await?;
        begin_and_stop(page, "true").await?;
        page.wait_text(PROGRESS, "Stopped before the first world").await?;

        // Among its worlds. There are some ten thousand: 1278 events, of its one broker alone six crashes before each.
        choose(page, "matrix-scenario", "23-retry-and-dlq").await?;
        for fault in ["everything", "prefix", "torn", "random"] {
            page.click(&format!("[data-testid=matrix-fault-{fault}]")).await?;
        }
        begin_and_stop(page, "document.querySelector('.mx-progress progress')?.value > 0").await?;
        page.wait_text(PROGRESS, "Stopped after").await?;
        page.wait(".mx-cell").await?;

        page.open("#/lesson/01").await?;
        page.wait(".bench").await?;
        page.open("#/matrix").await?;
        page.wait(BEGIN).await?;
        choose(page, "matrix-scenario", "").await?;
        // The lesson has only paused its reput so far: one event, before and behind which there is a crash.
        page.wait_text(".mx-setup", "1 event").await?;
        page.wait(BEGIN).await?;
        page.click(BEGIN).await?;
        page.wait_text(PROGRESS, "All 4 worlds").await?;
        // Once it was stopped, the worker was not asked to go on. The first time it was still loading, or not: it was told
        // to begin after the stop, or before.
        let asked = page.eval("return window.asked.join(' ');").await?;
        let asked = asked.as_str().unwrap_or_default();
        let later = ["Stop Begin ", "Begin Stop "].iter().find_map(|first| asked.strip_prefix(first));
        let stopped = later.and_then(|later| later.split_once(" Stop "));
        let goes_on =
            |begun: &str| begun.strip_prefix("Begin").is_some_and(|rest| rest.replace(" GoOn", "").is_empty());
        ensure!(stopped.is_some_and(|(among, last)| goes_on(among) && goes_on(last)), "{asked} was asked");
        page.no_console_errors().await
    });
}

#[test]
fn the_matrix_speaks_chinese_and_fits_a_phone() {
    browser::run(async |page| {
        page.resize(NARROW).await?;
        open_in(page, "zh", "#/matrix").await?;
        page.click(BEGIN).await?;
        page.wait_text(PROGRESS, "全部推演完").await?;
        ensure!(!page.overflows_sideways().await?, "the matrix is wider than a phone");
        page.click(".mx-cell.is-lost").await?;
        page.wait_text(DETAIL, "丢失").await?;
        ensure!(!page.text("body").await?.contains('⟦'), "words are missing");
        page.no_console_errors().await
    });
}

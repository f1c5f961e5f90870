//! The backlog lab: plans, sliders, the curve beside the formula, the table, the address. The numbers are by hand: 120
//! threads of 80 ms do 1500 messages a second, 400 do 5000; 6,000,000 / (5000 - 2000) = 2000 s.

use anyhow::{Result, ensure};
use rocketscope_tests::browser::{self, Key, NARROW, Page};

use super::bench::{open_in, same};

const VERDICT: &str = "[data-testid=backlog-verdict]";

/// Types a number in place of the one that is there.
async fn set(page: &Page, field: &str, value: &str) -> Result<()> {
    page.click(&format!("[data-testid=backlog-{field}]")).await?;
    page.eval("document.activeElement.select();").await?;
    page.type_text(value).await
}

/// The last point of a path, as it stands in the picture.
async fn end_of(page: &Page, curve: &str) -> Result<(f64, f64)> {
    let script = format!(
        "const points = document.querySelector('[data-testid={curve}]').getAttribute('d').split(/[ML]/).filter(Boolean);
         return points[points.length - 1].split(' ').map(Number);"
    );
    let end = page.eval(&script).await?;
    Ok((end[0].as_f64().unwrap_or_default(), end[1].as_f64().unwrap_or_default()))
}

#[test]
fn six_million_messages_never_clear_and_then_clear_in_2000_seconds() {
    browser::run(async |page| {
        page.open("#/lesson/01").await?;
        page.click("[data-testid=nav-backlog]").await?;
        page.wait_text(VERDICT, "never clears: every second 500 more").await?;
        page.wait_text("[data-testid=backlog-bound]", "120 threads of 4 instances").await?;
        page.wait_text("[data-testid=backlog-told]", "After 3,600 s (1 h): 7,800,000 behind").await?;

        set(page, "threads", "100").await?;
        page.wait_text(VERDICT, "It clears after 2,000 s (33 min 20 s)").await?;
        page.wait_text(VERDICT, "6,000,000 / (5,000 − 2,000) = 2,000 s").await?;
        page.wait("[data-testid=chart-clears]").await?;
        // Curve and formula end at the axis, in the same place.
        same("the ends", &end_of(page, "curve").await?, &end_of(page, "curve-formula").await?)?;

        // The plan is in the address, and comes back from it.
        page.wait_true("return location.hash === '#/backlog?threads=100';").await?;
        page.reload().await?;
        page.wait_text(VERDICT, "It clears after 2,000 s").await?;
        // The link in the header leads to the plan that the lab begins with.
        page.click("[data-testid=nav-backlog]").await?;
        page.wait_text(VERDICT, "never clears").await?;
        page.no_console_errors().await
    });
}

#[test]
fn every_plan_shows_what_it_is_there_to_show() {
    let plans = [
        ("enough", "It clears after 2,000 s"),
        ("queues", "12 of 16 instances have no queue"),
        ("connections", "280 threads wait for a connection"),
        ("cores", "Of 100 threads, 40 are enough"),
        ("throttled", "It clears after 6,000 s"),
        ("orderly", "each of the 16 queues with one thread, 200 messages"),
        ("skew", "It clears after 7,000 s"),
        ("burst", "The most there is behind: 2,400,000, after 1,200 s"),
        ("never", "every second 500 more"),
    ];
    browser::run(async move |page| {
        page.open("#/backlog").await?;
        for (plan, words) in plans {
            page.click(&format!("[data-testid='preset:{plan}']")).await?;
            page.wait_text(VERDICT, words).await?;
            let pressed = page.attribute(&format!("[data-testid='preset:{plan}']"), "aria-pressed").await?;
            same("the plan's button", &pressed.as_deref(), &Some("true"))?;
        }
        // Twice the threads help where threads bound, and twice the cores do not.
        page.wait_text("[data-testid='what-if:threads']", "3,000 /s").await?;
        page.wait_text("[data-testid='what-if:cores']", "changes nothing").await?;
        page.no_console_errors().await
    });
}

#[test]
fn sliders_are_moved_by_the_keyboard_and_have_names_and_values() {
    browser::run(async |page| {
        page.open("#/backlog").await?;
        page.wait(VERDICT).await?;
        let slider = "[data-testid=backlog-threads-slider]";
        page.click("[data-testid=backlog-threads]").await?;
        page.tab_to(slider, "").await?;
        same(
            "its name",
            &page.attribute(slider, "aria-label").await?.as_deref(),
            &Some("consumeThreadMin, per instance"),
        )?;
        page.press(Key::Right).await?;
        page.wait_true(&format!(
            "return document.querySelector('{slider}').getAttribute('aria-valuetext') === '40 threads';"
        ))
        .await?;
        // 4 * 40 / 80 ms.
        page.wait_text(VERDICT, "just as many messages go out as come in").await?;
        same(
            "the number beside it",
            &page.wait("[data-testid=backlog-threads]").await?.prop("value").await?,
            &Some("40".into()),
        )?;
        page.press(Key::End).await?;
        page.wait_text("[data-testid=backlog-bound]", "Cores bound the rate").await?;
        page.no_console_errors().await
    });
}

#[test]
fn a_number_that_cannot_be_is_told_at_its_field_and_the_picture_stays() {
    browser::run(async |page| {
        page.open("#/backlog").await?;
        page.wait(VERDICT).await?;
        // Not 2000: on the way to it stand numbers that can be.
        set(page, "threads", "0").await?;
        page.wait_text("#backlog-threads-error", "Between 1 and 1,000.").await?;
        set(page, "threads", "many").await?;
        page.wait_text("#backlog-threads-error", "A number is needed here.").await?;
        page.wait_text(VERDICT, "every second 500 more").await?;
        set(page, "threads", "100").await?;
        page.wait_text(VERDICT, "It clears after 2,000 s").await?;
        page.wait_gone("#backlog-threads-error").await?;

        // A link that says what the lab cannot read is not followed in silence.
        page.open("#/backlog?threads=100&colour=red").await?;
        page.wait_text("[data-testid=backlog-unread]", "colour=red").await?;
        page.wait_text(VERDICT, "It clears after 2,000 s").await?;
        page.no_console_errors().await
    });
}

#[test]
fn the_table_has_the_numbers_of_the_chart() {
    browser::run(async |page| {
        page.open("#/backlog?threads=100").await?;
        page.wait("[data-testid=backlog-chart]").await?;
        let label = page.attribute("[data-testid=backlog-chart]", "aria-label").await?.unwrap_or_default();
        ensure!(label.contains("6,000,000 at the start") && label.contains("none after 2,000 s"), "{label}");
        // It is there for screen readers while the chart is shown.
        same("tables", &page.count("[data-testid=backlog-table] tbody tr").await?, &14)?;
        page.click("[data-testid='segment:table']").await?;
        page.wait_gone("[data-testid=backlog-chart]").await?;
        let row = page.texts("[data-testid=backlog-table] tbody tr:nth-child(8) > *").await?;
        same(
            "the row",
            &row,
            &["2,000 s (33 min 20 s)", "0", "0", "4,000,000", "10,000,000"].map(str::to_owned).to_vec(),
        )?;
        page.no_console_errors().await
    });
}

#[test]
fn the_lab_speaks_chinese_and_fits_a_phone() {
    browser::run(async |page| {
        page.resize(NARROW).await?;
        open_in(page, "zh", "#/backlog?threads=100&arrival=bursts&peakPerS=9000&fromS=600&lastsS=600&everyS=0").await?;
        page.wait_text(VERDICT, "后清空").await?;
        page.wait_text(VERDICT, "瓶颈是线程").await?;
        ensure!(!page.overflows_sideways().await?, "the lab is wider than a phone");
        ensure!(!page.text("body").await?.contains('⟦'), "words are missing");
        page.no_console_errors().await
    });
}

//! Lesson 01 by the keyboard alone: Tab, Enter and the arrows; nothing is clicked. And every lesson's solution.

use anyhow::{Context, Result};
use rocketscope_engine::lesson::LESSONS;
use rocketscope_tests::browser::{self, Key, Page};

use super::bench::{changes, go, look, same, step_until};

/// Goes to a button by Tab and presses it.
async fn enter(page: &Page, selector: &str, text: &str) -> Result<()> {
    page.tab_to(selector, text).await?;
    page.press(Key::Enter).await
}

async fn take(page: &Page, offer: &str) -> Result<()> {
    enter(page, &format!("[data-testid='offer:{offer}']"), "").await?;
    // What is offered may be gone with the step that offered it.
    page.wait_true(&format!(
        "const e = document.querySelector(\"[data-testid='offer:{offer}']\"); return !e || e.matches('.is-taken');"
    ))
    .await
}

async fn answer(page: &Page, question: &str, choice: &str) -> Result<()> {
    enter(page, &format!("[data-testid='question:{question}'] button"), choice).await?;
    page.wait(&format!("[data-testid='question:{question}'].is-answered")).await?;
    Ok(())
}

fn done(step: &str) -> String {
    format!("[data-testid='step:{step}'].is-done")
}

/// The lesson up to its last goal. The numbers are worked out by hand: a prefix of 1000 bytes, then records of 200, 150
/// and 300.
async fn solve(page: &Page) -> Result<()> {
    page.open("#/lesson/01").await?;
    page.wait("[data-testid='offer:m1']").await?;
    // The lesson itself has paused reput.
    let start = look(page).await?;
    same("the start", &(start.position, start.written, start.dispatched), &(1, 1000, 1000))?;

    answer(page, "where-m2", "1200").await?;
    page.wait("[data-testid='question:where-m2'] .verdict-line.is-right").await?;
    for offer in ["m1", "m2", "m3"] {
        take(page, offer).await?;
    }
    let sights = step_until(page, &done("append")).await?;
    same("the end of the log", &changes(sights.iter().map(|sight| sight.written)), &[1000, 1200, 1350, 1650])?;
    same("reput, which is paused", &changes(sights.iter().map(|sight| sight.dispatched)), &[1000])?;
    let records = [("M1".to_owned(), 1000), ("M2".to_owned(), 1200), ("M3".to_owned(), 1350)];
    same("what the ruler marks", &look(page).await?.marks, &records)?;

    // A wrong answer is told apart from the right one.
    answer(page, "reput-m1", "1650").await?;
    page.wait("[data-testid='question:reput-m1'] .is-wrong").await?;
    same("the truth", &page.text("[data-testid='question:reput-m1'] .choice.is-right").await?.trim(), &"1200")?;

    take(page, "resume").await?;
    let sights = step_until(page, &done("dispatch-m3")).await?;
    same("reput", &changes(sights.iter().map(|sight| sight.dispatched)), &[1000, 1200, 1350, 1650])?;
    take(page, "pull").await?;
    step_until(page, &done("read")).await?;
    take(page, "rewind").await?;
    let sights = step_until(page, "[data-testid=finished]").await?;
    same("reput, set back", &changes(sights.iter().map(|sight| sight.dispatched)), &[1000, 1200, 1350, 1650])?;
    same("the goals", &page.count("[data-testid^='goal:']").await?, &5)?;
    same("the goals met", &page.count("[data-testid^='goal:'].is-met").await?, &5)
}

#[test]
fn lesson_01_is_solved_by_the_keyboard_alone() {
    browser::run(async |page| {
        solve(page).await?;
        let end = look(page).await?;
        for number in ["1000", "1200", "1350", "1650"] {
            page.wait_text(".column-stage", number).await?;
        }

        // Back to where reput stood behind M2, one event at a time; what was reached stays reached.
        let mut sights = vec![end.clone()];
        while sights.last().is_some_and(|sight| sight.dispatched != 1350) {
            sights.push(go(page, Key::Left).await?);
        }
        let steps = u64::try_from(sights.len())? - 1;
        let back = look(page).await?;
        same("the event after so many steps back", &back.position, &(end.position - steps))?;
        same("the events known", &back.length, &end.length)?;
        same("the goals met", &page.count("[data-testid^='goal:'].is-met").await?, &5)?;

        // On again through the very same sights.
        let mut again = vec![back];
        for _ in 0..steps {
            again.push(go(page, Key::Right).await?);
        }
        again.reverse();
        same("the way on again", &again, &sights)?;

        // To the very start and to the very end.
        let start = go(page, Key::Home).await?;
        same("the start", &(start.position, start.written, start.marks), &(0, 1000, Vec::new()))?;
        same("the end", &go(page, Key::End).await?, &end)?;

        // Space runs, and Space stops.
        go(page, Key::Home).await?;
        // On a button, Space would press that button.
        enter(page, ".skip", "").await?;
        page.type_text(" ").await?;
        page.wait("[data-testid='transport.pause']").await?;
        page.wait_true("return !document.querySelector('[data-testid=position]').innerText.includes('event 0 ');")
            .await?;
        page.type_text(" ").await?;
        page.wait("[data-testid='transport.run']").await?;

        page.reload().await?;
        page.click("[data-testid=reset]").await?;
        page.wait("[data-testid='offer:m1']").await?;
        same("the goals met in an earlier visit", &page.count("[data-testid^='goal:'].is-met").await?, &5)?;
        page.no_console_errors().await
    });
}

#[test]
fn the_solution_that_the_lesson_offers_reaches_its_goals_and_reset_begins_anew() {
    browser::run(async |page| {
        page.open("#/lesson/01").await?;
        page.click("[data-testid=solution]").await?;
        page.wait("[data-testid=finished]").await?;
        let end = look(page).await?;
        same("the end of the log, and reput", &(end.written, end.dispatched), &(1650, 1650))?;
        page.click("[data-testid=reset]").await?;
        page.wait_gone("[data-testid=finished]").await?;
        let start = look(page).await?;
        same("the start", &(start.position, start.written, start.dispatched), &(1, 1000, 1000))?;
        page.no_console_errors().await
    });
}

/// Nothing of the lesson is wider than its column.
async fn fits(page: &Page) -> Result<()> {
    page.wait_true(
        "const column = document.querySelector('.column-text'); return column.scrollWidth <= column.clientWidth;",
    )
    .await
    .context("the lesson is wider than its column")
}

/// Plays a lesson's solution, and looks at its end in every tab of the inspector and one step back.
async fn play_through(page: &Page, id: &str) -> Result<()> {
    page.open(&format!("#/lesson/{id}")).await?;
    page.wait(&format!("[data-testid=lesson][data-lesson='{id}']")).await?;
    fits(page).await?;
    page.click("[data-testid=solution]").await?;
    page.wait("[data-testid=finished]").await?;
    fits(page).await?;
    let goals = page.count("[data-testid^='goal:']").await?;
    same("the goals met", &page.count("[data-testid^='goal:'].is-met").await?, &goals)?;
    for tab in ["queues", "index", "recovery", "log", "disk"] {
        page.open(&format!("#/lesson/{id}?tab={tab}")).await?;
        page.wait(&format!("a[data-testid='tab-{tab}'].is-here")).await?;
    }
    go(page, Key::Left).await?;
    page.no_console_errors().await
}

#[test]
fn every_lesson_is_played_to_its_end_and_looked_at() {
    browser::run(async |page| {
        for lesson in LESSONS {
            play_through(page, lesson.id).await.context(lesson.id)?;
        }
        Ok(())
    });
}

#[test]
fn an_offset_leads_to_its_bytes_its_fields_and_the_step_that_wrote_them() {
    browser::run(async |page| {
        page.open("#/lesson/01").await?;
        page.click("[data-testid=solution]").await?;
        page.wait("[data-testid=finished]").await?;
        let end = look(page).await?;

        page.click(".ruler .mark[href*='at=1200']").await?;
        page.wait("[data-testid=record]").await?;
        for (field, value) in
            [("totalSize", "150"), ("queueOffset", "0"), ("physicalOffset", "1200"), ("topic", "PaymentTopic")]
        {
            page.wait_text(&format!("[data-testid='field:{field}'] .value"), value).await?;
        }
        // 150 bytes as the first field of the record, in the hex view.
        page.wait_text("[data-testid=hex] .is-chosen", "00 00 00 96").await?;

        // The last column of a field's row names the event that wrote it, and leads there.
        page.click(
            "[data-testid='field:totalSize'] td:last-child .link, [data-testid='field:totalSize'] td:last-child button",
        )
        .await?;
        page.wait_true(&format!(
            "return !document.querySelector('[data-testid=position]').innerText.includes(' {} ');",
            end.position
        ))
        .await?;
        let then = look(page).await?;
        same("the log's end when M2 had been written", &then.written, &1350)?;
        page.no_console_errors().await
    });
}

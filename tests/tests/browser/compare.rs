//! Two runs side by side: the presets with what their lessons say comes of the change, a change to the run that is open,
//! stepping both at once.

use anyhow::Result;
use rocketscope_tests::browser::{self, Key, NARROW, Page};

use super::bench::{open_in, same};

/// A preset that is open, at its first difference.
async fn open_preset(page: &Page, preset: &str) -> Result<()> {
    page.open("#/compare").await?;
    page.click(&format!("[data-testid=compare-preset-{preset}]")).await?;
    page.wait("[data-testid=compare-found]").await?;
    Ok(())
}

/// `handleDiskFlush`: an asynchronous put does not wait for the flush that it asks for, a synchronous one does.
#[test]
fn flush_modes_part_where_the_put_asks_for_a_flush() {
    browser::run(async |page| {
        open_preset(page, "flush").await?;
        page.wait_true("return location.hash === '#/compare?preset=flush';").await?;
        page.wait_text("[data-testid=compare-found]", "broker-async · put").await?;
        page.wait("[data-testid=compare-turn-first] .differs").await?;
        page.wait("[data-testid=compare-turn-second] .differs").await?;
        // Both stand at it, and say so.
        page.wait("[data-testid=compare-here-first]").await?;
        page.wait("[data-testid=compare-here-second]").await?;
        // The 400 bytes of A1 outlive the power loss in the second run alone; what producers are told is the same.
        page.wait_text("[data-testid=compare-found]", "Every send and pull is told the same in both runs.").await?;
        let end = |column: u32| format!("[data-testid=compare-ends] tr.differs td:nth-child({column})");
        page.wait_text(&end(2), "told SEND_OK · 0 records").await?;
        page.wait_text(&format!("{} .is-lost", end(2)), "lost").await?;
        page.wait_text(&format!("{} [data-rule=unflushedAtPowerLoss]", end(2)), "the power failed before the flush")
            .await?;
        page.wait_text(&end(3), "told SEND_OK · one record").await?;
        page.wait_text(&format!("{} .is-right", end(3)), "exactly right").await?;
        same("rules of what is right", &page.count(&format!("{} [data-rule]", end(3))).await?, &0)?;
        page.wait_text("[data-testid=compare-ends]", "readable to 400, flushed to 400, dispatched to 400").await?;
        page.no_console_errors().await
    });
}

/// `slaveTimeout` is 3000 ms; the second slave acknowledges M2 within a few.
#[test]
fn a_second_slave_answers_in_time() {
    browser::run(async |page| {
        open_preset(page, "slaves").await?;
        page.wait_text("[data-testid=compare-found]", "broker-a · groupTransfer").await?;
        page.wait_text("[data-testid=compare-told]", "FLUSH_SLAVE_TIMEOUT").await?;
        page.wait_text("[data-testid=compare-told]", "SEND_OK").await?;
        page.wait_text("[data-testid=compare-ends]", "broker-a-s-2").await?;
        page.no_console_errors().await
    });
}

#[test]
fn an_order_has_several_events() {
    browser::run(async |page| {
        open_preset(page, "record-key").await?;
        page.wait_text("[data-testid=compare-found]", "policy-db · sql").await?;
        page.wait_text("[data-testid=compare-ends] tr.differs", "policies_safe").await?;
        page.no_console_errors().await
    });
}

#[test]
fn both_runs_go_back_and_on_together() {
    browser::run(async |page| {
        open_preset(page, "flush").await?;
        let at_difference = page.text("[data-testid=compare-moment]").await?;
        page.press(Key::Home).await?;
        page.wait_text("[data-testid=compare-clock]", "t = 0.000000 s").await?;
        page.wait_text("[data-testid=compare-moment]", "moment 0 of ").await?;
        page.press(Key::Right).await?;
        page.wait_text("[data-testid=compare-moment]", "moment 1 of ").await?;
        page.press(Key::Left).await?;
        page.wait_text("[data-testid=compare-moment]", "moment 0 of ").await?;
        page.click("[data-testid=compare-jump]").await?;
        page.wait_text("[data-testid=compare-moment]", &at_difference).await?;
        page.press(Key::End).await?;
        page.wait_true("return document.querySelector('[data-testid=\"transport.last\"]').disabled;").await?;
        // A turn on a timeline takes both there.
        page.press(Key::Home).await?;
        page.wait_text("[data-testid=compare-moment]", "moment 0 of ").await?;
        page.eval(
            "const hit = document.querySelector('[data-testid=compare-second] .event');
             hit.dispatchEvent(new MouseEvent('click', { bubbles: true }));",
        )
        .await?;
        page.wait_text("[data-testid=compare-moment]", "moment 1 of ").await?;
        page.no_console_errors().await
    });
}

#[test]
fn the_open_run_is_compared_with_one_setting_changed() {
    browser::run(async |page| {
        page.open("#/compare").await?;
        page.wait("[data-testid=compare-no-run]").await?;
        page.open("#/lesson/01").await?;
        page.click("[data-testid=to-compare]").await?;
        page.wait("[data-testid=compare-own]").await?;
        page.wait_text("[data-testid=compare-own]", "01-three-messages").await?;
        // The first broker, its flush, the other way.
        choose(page, "compare-node", "broker-a").await?;
        choose(page, "compare-key", "flushDiskType").await?;
        page.wait_text("[data-testid=compare-own]", "By default: ASYNC_FLUSH").await?;
        type_over(page, "compare-value", "SYNC_FLUSH").await?;
        page.click("[data-testid=compare-begin]").await?;
        page.wait("[data-testid=compare-found]").await?;
        page.wait_text("[data-testid=compare-second]", "SYNC_FLUSH").await?;

        // A value that the key cannot have is refused with its place.
        page.click("[data-testid=compare-other]").await?;
        choose(page, "compare-node", "broker-a").await?;
        choose(page, "compare-key", "flushDiskType").await?;
        type_over(page, "compare-value", "SOMETIMES").await?;
        page.click("[data-testid=compare-begin]").await?;
        page.wait_text("[data-testid=compare-trouble]", "SOMETIMES").await?;
        page.no_console_errors().await
    });
}

#[test]
fn it_speaks_chinese_and_fits_a_phone() {
    browser::run(async |page| {
        page.resize(NARROW).await?;
        open_in(page, "zh", "#/compare?preset=slaves").await?;
        page.wait_text("h1", "两次运行对比").await?;
        page.wait_text("[data-testid=compare-found]", "首个差异").await?;
        page.wait("[data-testid=compare-second] [data-testid=stage]").await?;
        page.wait_true("return document.documentElement.scrollWidth <= innerWidth;").await?;
        let tops = page
            .eval("return ['first', 'second'].map(id => document.querySelector(`[data-testid=compare-${id}]`).getBoundingClientRect().left);")
            .await?;
        same("they stand below each other", &tops[0], &tops[1])?;
        page.open("#/compare?preset=flush").await?;
        page.wait_text("[data-testid=compare-ends] .is-lost", "丢失").await?;
        page.wait_text("[data-testid=compare-ends] [data-rule=unflushedAtPowerLoss]", "刷盘").await?;
        page.wait_true("return document.documentElement.scrollWidth <= innerWidth;").await?;
        page.no_console_errors().await
    });
}

/// Chooses in a select, as a person does.
async fn choose(page: &Page, id: &str, value: &str) -> Result<()> {
    page.wait(&format!("[data-testid={id}]")).await?;
    page.eval(&format!(
        "const field = document.querySelector('[data-testid={id}]');
         field.value = '{value}';
         field.dispatchEvent(new Event('change', {{ bubbles: true }}));"
    ))
    .await?;
    page.wait_true(&format!("return document.querySelector('[data-testid={id}]').value === '{value}';")).await
}

/// Types in place of what is there.
async fn type_over(page: &Page, id: &str, value: &str) -> Result<()> {
    page.click(&format!("[data-testid={id}]")).await?;
    page.eval("document.activeElement.select();").await?;
    page.type_text(value).await
}

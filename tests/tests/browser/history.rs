//! Time in both directions: undo and redo, branches that are gone back to, breakpoints.

use anyhow::{Result, ensure};
use rocketscope_tests::browser::{self, Key, NARROW, Page};

use super::actions::choose;
use super::bench::{Sight, look, open_in, same};
use super::sandbox::{fill, send};

/// Waits until the run stands after so many events.
async fn wait_position(page: &Page, position: u64) -> Result<Sight> {
    let stands = format!(
        "return Number(document.querySelector('[data-testid=position]').innerText.match(/\\d+/)[0]) === {position};"
    );
    page.wait_true(&stands).await?;
    look(page).await
}

async fn open(page: &Page) -> Result<()> {
    page.open("#/sandbox").await?;
    page.wait("[data-testid=sandbox]").await?;
    Ok(())
}

/// Sends a message from the form; nothing follows by itself.
async fn send_only(page: &Page, body: &str) -> Result<()> {
    let before = look(page).await?.position;
    fill(page, "send-queue", "0").await?;
    fill(page, "send-body", body).await?;
    page.click("[data-testid=send]").await?;
    wait_position(page, before + 1).await?;
    Ok(())
}

#[test]
fn undo_and_redo_go_from_action_to_action() {
    browser::run(async |page| {
        open(page).await?;
        page.wait("[data-testid='past.undo']:disabled").await?;
        send(page, "one", 1).await?;
        let first = look(page).await?;
        send(page, "two", 2).await?;
        let both = look(page).await?;

        page.click("[data-testid='past.undo']").await?;
        same("the run before the second send", &wait_position(page, first.position).await?.marks, &first.marks)?;
        page.click("[data-testid='past.redo']").await?;
        same("the run after the redo", &wait_position(page, both.position).await?, &both)?;

        page.eval("document.activeElement.blur();").await?;
        page.type_with(&[Key::Control], 'z').await?;
        wait_position(page, first.position).await?;
        page.type_with(&[Key::Control], 'z').await?;
        wait_position(page, 0).await?;
        page.type_with(&[Key::Control, Key::Shift], 'z').await?;
        wait_position(page, first.position).await?;

        // While one types, it is the field's own undo.
        page.click("[data-testid=send-keys]").await?;
        page.type_with(&[Key::Control], 'z').await?;
        same("the run, while somebody types", &look(page).await?.position, &first.position)?;
        page.no_console_errors().await
    });
}

#[test]
fn a_branch_that_was_left_is_drawn_and_gone_back_to() {
    browser::run(async |page| {
        open(page).await?;
        send(page, "one", 1).await?;
        let first = look(page).await?;
        send(page, "two", 2).await?;
        let both = look(page).await?;
        page.click("[data-testid='past.undo']").await?;
        wait_position(page, first.position).await?;
        send(page, "another one", 2).await?;
        let other = look(page).await?;

        let own = both.length - first.position;
        let said = format!("forks after event {} and goes on for {own} events", first.position);
        page.wait_text("[data-testid='branch:0']", &said).await?;
        page.wait_text("[data-testid='branch-line:0']", &format!("0 · {own}")).await?;
        page.click("[data-testid='branch:0']").await?;
        let back = wait_position(page, both.length).await?;
        same("what the log holds there", &back.marks, &both.marks)?;
        page.wait_gone("[data-testid='branch:0']").await?;

        // The one that was left for it has taken its place; its line leads back.
        page.wait("[data-testid='branch-line:1']").await?;
        page.eval("document.querySelector(\"[data-testid='branch-line:1'] text\").dispatchEvent(new MouseEvent('click', { bubbles: true }));")
            .await?;
        let there = wait_position(page, other.length).await?;
        same("what the log holds on the other branch", &there.written, &other.written)?;
        page.no_console_errors().await
    });
}

#[test]
fn the_name_of_a_lane_stops_the_run_at_its_service() {
    browser::run(async |page| {
        open(page).await?;
        send(page, "one", 1).await?;
        page.click("[data-testid='lane:broker-a/put']").await?;
        page.wait("[data-testid='lane:broker-a/put'][aria-pressed=true]").await?;
        page.wait_text("[data-testid=breakpoints]", "broker-a · put").await?;
        send_only(page, "two").await?;
        page.click("[data-testid='past.run-to']").await?;
        page.wait_text("[data-testid=stopped-by]", "by the breakpoint: broker-a · put.").await?;
        let stopped = look(page).await?;
        ensure!(stopped.written > stopped.dispatched, "the put is not the present event: {stopped:?}");

        // A run at its ordinary pace stops there as well.
        page.click("[data-testid='past.undo']").await?;
        page.wait_true("return document.querySelector('[data-testid=stopped-by]').innerText === '';").await?;
        page.click("[data-testid='transport.step']").await?;
        page.click("[data-testid='transport.run']").await?;
        wait_position(page, stopped.position).await?;
        page.wait_text("[data-testid=stopped-by]", "broker-a · put").await?;
        page.wait("[data-testid='transport.run']").await?;

        page.click("[data-testid='lane:broker-a/put']").await?;
        page.wait_gone("[data-testid=breakpoints]").await?;
        page.no_console_errors().await
    });
}

#[test]
fn breakpoints_are_described_refused_and_removed() {
    browser::run(async |page| {
        open(page).await?;
        page.click("[data-testid='past.add']").await?;
        page.click("[data-testid='segment:physical']").await?;
        page.click("[data-testid=breakpoint-set]").await?;
        page.wait_text("[data-testid=breakpoint-form] .field-error", "A whole number").await?;
        choose(page, "breakpoint-mark", "dispatched").await?;
        fill(page, "breakpoint-offset", "0").await?;
        page.click("[data-testid=breakpoint-set]").await?;
        page.wait_text("[data-testid=breakpoints]", "broker-a · dispatched passes 0").await?;
        page.wait_gone("[data-testid=breakpoint-form]").await?;

        page.click("[data-testid='past.add']").await?;
        page.click("[data-testid='segment:condition']").await?;
        fill(page, "breakpoint-probe", "broker-a.end").await?;
        fill(page, "breakpoint-value", "1").await?;
        page.click("[data-testid=breakpoint-set]").await?;
        page.wait_text("[data-testid=breakpoint-refused]", "`end` is none of").await?;
        fill(page, "breakpoint-probe", "producer.results").await?;
        page.click("[data-testid=breakpoint-set]").await?;
        page.wait_text("[data-testid=breakpoints]", "producer.results = 1").await?;

        send_only(page, "one").await?;
        page.click("[data-testid='past.run-to']").await?;
        page.wait_text("[data-testid='breakpoints'] .is-met", "").await?;
        let met = page.text("[data-testid=stopped-by]").await?;
        page.click("[data-testid='past.run-to']").await?;
        page.wait_true(&format!(
            "const said = document.querySelector('[data-testid=stopped-by]').innerText; return said !== '' && said !== {met:?};"
        ))
        .await?;
        // Both come true once, the one after the other.
        page.click("[aria-label='Remove the breakpoint producer.results = 1']").await?;
        page.click("[aria-label='Remove the breakpoint broker-a · dispatched passes 0']").await?;
        page.wait_gone("[data-testid=breakpoints]").await?;
        page.no_console_errors().await
    });
}

#[test]
fn a_phone_shows_the_past_in_chinese() {
    browser::run(async |page| {
        page.resize(NARROW).await?;
        open_in(page, "zh", "#/sandbox").await?;
        page.click("[data-testid='column.stage']").await?;
        page.wait_text("[data-testid='past.undo']", "撤销").await?;
        page.click("[data-testid='past.add']").await?;
        page.click("[data-testid='segment:message']").await?;
        fill(page, "breakpoint-message", "M1").await?;
        ensure!(!page.overflows_sideways().await?, "the form is wider than the phone");
        page.click("[data-testid=breakpoint-set]").await?;
        page.wait_text("[data-testid=breakpoints]", "消息 M1").await?;
        page.no_console_errors().await
    });
}

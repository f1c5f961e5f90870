//! The ledger of a run, and planted faults that stop it.

use rocketscope_tests::browser::{self, NARROW};

use super::bench::{open_in, rest, same};
use super::cluster::{begin, begin_template, open_editor};
use super::faults::fault;
use super::sandbox::{fill, send};

const ROW: &str = "[data-testid='account:producer:0']";

#[test]
fn what_an_acknowledged_message_came_to_is_told_with_its_rule() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        send(page, "one", 1).await?;
        page.click("[data-testid=tab-ledger]").await?;
        page.wait_text(ROW, "SEND_OK").await?;
        rest(page).await?;
        page.wait_text(ROW, "exactly right").await?;
        page.wait_text(ROW, "OrderTopic/0").await?;

        // The power fails, and the broker starts without it.
        fault(page, "power", "fault-power").await?;
        fault(page, "process", "fault-start").await?;
        rest(page).await?;
        page.wait(&format!("{ROW}[data-verdict=lost]")).await?;
        page.wait(&format!("{ROW} [data-rule=unflushedAtPowerLoss]")).await?;
        page.wait_text(ROW, "ASYNC_FLUSH").await?;

        // Of the verdicts only this one has a message.
        page.click("[data-testid='ledger-verdict:lost']").await?;
        page.wait_text("[data-testid=ledger-count]", "1 of 1 messages").await?;
        fill(page, "ledger-search", "no such message").await?;
        page.wait_text("[data-testid=ledger-count]", "0 of 1 messages").await?;
        page.wait_gone(ROW).await?;
        page.no_console_errors().await
    });
}

#[test]
fn the_ledger_speaks_chinese_and_fits_a_phone() {
    browser::run(async |page| {
        open_in(page, "zh", "#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        fill(page, "send-queue", "0").await?;
        page.click("[data-testid=send]").await?;
        rest(page).await?;
        page.click("[data-testid=tab-ledger]").await?;
        page.wait_text(ROW, "正确").await?;
        page.wait_text(ROW, "每个消费组恰好收到一次").await?;
        page.resize(NARROW).await?;
        page.wait(ROW).await?;
        same("what overflows", &page.overflows_sideways().await?, &false)?;
        page.no_console_errors().await
    });
}

#[test]
fn a_planted_fault_stops_the_run_at_the_event_that_breaks_an_invariant() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        begin_template(page, "one-master").await?;
        open_editor(page).await?;
        page.click("[data-testid=planted-unitOfNextRecord]").await?;
        begin(page).await?;
        page.wait_text("[data-testid=planted-note]", "not RocketMQ's").await?;
        for body in ["one", "two"] {
            fill(page, "send-queue", "0").await?;
            fill(page, "send-body", body).await?;
            page.click("[data-testid=send]").await?;
        }
        page.click("[data-testid='transport.run']").await?;
        page.wait("[data-testid=broken][data-invariant=unitPointsAtRecord]").await?;
        page.wait_text("[data-testid=broken]", "Unit 0 of OrderTopic/0 does not point at its record").await?;

        // A step back it does not stand there, and the link leads to it again once it does.
        page.click("[data-testid='transport.back']").await?;
        page.wait_gone("[data-testid=broken]").await?;
        page.click("[data-testid='transport.step']").await?;
        page.wait("[data-testid=broken-go]").await?;
        page.no_console_errors().await
    });
}

#[test]
fn a_fault_is_planted_for_the_reader_to_find() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        open_editor(page).await?;
        page.click("[data-testid=planted-draw]").await?;
        page.wait("[data-testid=planted-reveal]").await?;
        begin(page).await?;
        page.wait_text("[data-testid=planted-note]", "find it").await?;
        open_editor(page).await?;
        page.click("[data-testid=planted-reveal]").await?;
        page.wait("[data-testid=planted] input:checked").await?;
        page.click("[data-testid=planted-clear]").await?;
        page.wait_gone("[data-testid=planted-clear]").await?;
        begin(page).await?;
        page.wait_gone("[data-testid=planted-note]").await?;
        page.no_console_errors().await
    });
}

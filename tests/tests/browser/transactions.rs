//! Transactions at a broker: half messages, what says that they are decided, and the rows of the check that decided it.

use anyhow::{Result, ensure};
use rocketscope_tests::browser::{self, Key, Page};

use super::actions::choose;
use super::bench::{go, rest, same, step_until};
use super::cluster::{begin, open_editor};
use super::sandbox::{fill, step_until_node_says};
use super::world::back_until;

/// Takes up what a lesson offers, so that the run has begun to do it.
async fn take(page: &Page, offer: &str) -> Result<()> {
    page.click(&format!("[data-testid='offer:{offer}']")).await?;
    go(page, Key::Right).await?;
    Ok(())
}

/// By the lesson's script H1 is committed twice, the first two messages of its queue; H2 is rolled back and committed
/// after all, the third. Each of the four ends is an op message.
#[test]
fn half_messages_stay_as_they_are_and_the_op_queue_says_what_is_decided() {
    browser::run(async |page| {
        page.open("#/lesson/28").await?;
        page.click("[data-testid=solution]").await?;
        page.wait("[data-testid=finished]").await?;
        page.click("[data-testid=tab-transactions]").await?;
        page.wait_text("[data-testid=transactions]", "Every 1 min a check walks the half queue.").await?;
        page.wait_text("[data-testid='half:0'][data-state=decided]", "H1").await?;
        page.wait_text("[data-testid='half:0'] [data-testid=committed-again]", "units 0, 1 of its queue").await?;
        page.wait_text("[data-testid='half:1'][data-state=decided]", "as unit 2 of its queue").await?;
        page.wait_text("[data-testid='op:0']", "half message 0 is decided").await?;
        same("the op messages", &page.count("[data-testid=op-queue] [data-testid^='op:']").await?, &4)?;
        page.wait("[data-testid=no-check]").await?;
        page.no_console_errors().await
    });
}

/// By hand: T1 is half message 0, and its op message says so before the first check, which passes it (row 2) and finds
/// the queue's end behind it (row 4). T2's producer has died, so the next check puts half message 1 back as 2 and asks
/// another of the group (row 10), whose commit the check after that finds in the op queue (row 2).
#[test]
fn the_rows_of_a_check_tell_who_was_passed_and_who_was_asked() {
    browser::run(async |page| {
        page.open("#/lesson/29?tab=transactions").await?;
        take(page, "t1").await?;
        rest(page).await?;
        page.wait("[data-testid=no-check]").await?;
        page.wait_text("[data-testid=pasts]", "Nothing yet.").await?;
        take(page, "a-minute").await?;
        step_until(page, "[data-testid=last-check]").await?;
        page.wait_text("[data-testid='decision:0'][data-row='2']", "half message 0 T1").await?;
        page.wait_text("[data-testid='decision:0'] .row-number", "2").await?;
        page.wait_text("[data-testid='decision:1'][data-row='4']", "The half queue ends here").await?;
        page.wait_text("[data-testid=done-ops]", "0").await?;
        page.wait_text("[data-testid=remove-map]", "empty").await?;
        same("decisions", &page.count("[data-testid=last-check] [data-testid^='decision:']").await?, &2)?;

        for offer in ["trap-t2", "t2", "two-minutes"] {
            take(page, offer).await?;
        }
        step_until(page, "[data-testid='decision:1'][data-row='10']").await?;
        page.wait_text("[data-testid='decision:1']", "its producer was asked").await?;
        page.wait_text("[data-testid='past:T2']", "half 1: icbc-2 was asked, 1 of 15; the copy is 2").await?;
        page.wait_text("[data-testid=asked]", "1").await?;
        // The copy is in the log and becomes a message of the half queue once it is dispatched.
        step_until(page, "[data-testid='half:2']").await?;
        page.wait_text("[data-testid='half:1']", "put back: its copy at 2 counts now").await?;
        step_until(page, "[data-testid='decision:2'][data-row='2']").await?;
        page.wait_text("[data-testid='half:2'][data-state=decided]", "op message 1 says so").await?;
        page.wait_text("[data-testid=done-ops]", "1").await?;

        // Back in time the check before it stands there again.
        back_until(page, "[data-testid='decision:1'][data-row='10']").await?;
        page.no_console_errors().await
    });
}

/// The first of two half messages is left undecided and is young at every check, so each check ends with it (row 9) and
/// keeps for later what the op queue says of the second: `removeMap` is never come to.
#[test]
fn what_the_op_queue_says_of_a_message_further_on_is_kept_in_the_remove_map() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        open_editor(page).await?;
        page.click("[data-testid='template:transactions']").await?;
        page.click("[data-testid='edit:broker-a']").await?;
        let find = page.eval("return document.querySelector('[data-testid^=key-]').dataset.testid;").await?;
        fill(page, find.as_str().unwrap_or_default(), "transactionTimeOut").await?;
        page.click("[data-testid='add-key:transactionTimeOut']").await?;
        fill(page, "setting-transactionTimeOut", "600000").await?;
        begin(page).await?;

        page.click("[data-testid=transaction-head]").await?;
        for (local, sent) in [("unknown", 1), ("commit", 2)] {
            choose(page, "transaction-local", local).await?;
            page.click("[data-testid=transaction]").await?;
            step_until_node_says(page, "producer", &format!("SEND_OK × {sent}")).await?;
        }
        page.open("#/sandbox?tab=transactions").await?;
        page.wait_text("[data-testid=transactions]", "nothing is said for 10 min").await?;
        step_until(page, "[data-testid=last-check]").await?;
        page.wait_text("[data-testid='decision:0'][data-row='9']", "It is younger than 10 min").await?;
        page.wait_text("[data-testid=remove-map]", "half 1 ← op 0").await?;
        page.wait_text("[data-testid=done-ops]", "empty").await?;
        page.wait_text("[data-testid='half:0'][data-state=open]", "M1").await?;
        page.wait_text("[data-testid='half:1'][data-state=decided]", "op message 0 says so").await?;
        let said = page.text("[data-testid=last-check]").await?;
        ensure!(!said.contains("half message 1"), "the check came to the second: {said}");
        page.no_console_errors().await
    });
}

//! The sandbox: what a learner sends is found by a reader, and a stopped service is overtaken by the others.

use anyhow::{Result, bail, ensure};
use rocketscope_tests::browser::{self, Key, Page};

use super::bench::{go, look, rest, same};

/// Events that may pass until something is to be seen.
const EVENTS: usize = 120;

pub(crate) async fn fill(page: &Page, field: &str, value: &str) -> Result<()> {
    let field = page.wait(&format!("[data-testid={field}]")).await?;
    field.clear().await?;
    field.send_keys(value).await?;
    Ok(())
}

/// Steps until a node's card on the stage says `words`.
pub(crate) async fn step_until_node_says(page: &Page, node: &str, words: &str) -> Result<()> {
    let card = format!("[data-testid='node:{node}']");
    page.wait(&card).await?;
    for _ in 0..EVENTS {
        if page.texts(&card).await?.iter().any(|text| text.contains(words)) {
            return Ok(());
        }
        go(page, Key::Right).await?;
    }
    bail!("{node} does not come to say `{words}`, but {:?}", page.texts(&card).await?)
}

/// Sends to queue 0 and steps until the producer has so many answers.
pub(crate) async fn send(page: &Page, body: &str, answers: usize) -> Result<()> {
    fill(page, "send-queue", "0").await?;
    fill(page, "send-body", body).await?;
    page.click("[data-testid=send]").await?;
    step_until_node_says(page, "producer", &format!("SEND_OK × {answers}")).await
}

#[test]
fn a_message_is_sent_pulled_and_read_byte_by_byte() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        let before = look(page).await?;
        send(page, "Hello RocketMQ", 1).await?;
        let sent = look(page).await?;
        ensure!(sent.written > before.written, "the log did not grow: {sent:?}");

        // By itself, until nothing is left to do.
        rest(page).await?;
        let rested = look(page).await?;
        same("reput", &rested.dispatched, &rested.written)?;

        page.click("[data-testid=pull]").await?;
        step_until_node_says(page, "consumer", "FOUND").await?;
        page.wait_text("[data-testid='node:consumer']", "1 received").await?;

        let at = before.written;
        same("what the ruler marks", &rested.marks, &[("M1".to_owned(), at)])?;
        page.click(&format!(".ruler .mark[href$='at={at}']")).await?;
        page.wait("[data-testid=record]").await?;
        for (field, value) in [
            ("totalSize", (rested.written - at).to_string()),
            // CRC-32 of the body, the sign bit cleared, worked out with zlib.
            ("bodyCrc", "0x69C865ED".to_owned()),
            ("queueOffset", "0".to_owned()),
            ("physicalOffset", at.to_string()),
            ("body", "14 bytes".to_owned()),
            ("topic", "OrderTopic".to_owned()),
        ] {
            page.wait_text(&format!("[data-testid='field:{field}'] .value"), &value).await?;
        }
        page.wait_text("[data-testid=record] pre", "Hello RocketMQ").await?;
        // The body as bytes: it begins at 88 of the record.
        page.wait_text(&format!("[data-testid=hex] [data-at='{}']", at + 88), "48 65 6C 6C 6F").await?;

        page.click("[data-testid=tab-queues]").await?;
        page.wait_text("[data-testid=queues]", "OrderTopic/0").await?;
        page.no_console_errors().await
    });
}

#[test]
fn reput_stopped_falls_behind_and_catches_up() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        let start = look(page).await?;
        page.click("[data-testid='service:reput']").await?;
        step_until_pressed(page, true).await?;
        send(page, "one", 1).await?;
        send(page, "two", 2).await?;
        let behind = look(page).await?;
        same("reput, which is stopped", &behind.dispatched, &start.dispatched)?;
        ensure!(behind.written > start.written, "the log did not grow: {behind:?}");
        page.wait_text("[data-testid='node:broker-a']", "paused").await?;
        let names: Vec<&str> = behind.marks.iter().map(|(name, _)| name.as_str()).collect();
        same("the names of what was sent", &names, &["M1", "M2"])?;

        page.click("[data-testid='service:reput']").await?;
        step_until_pressed(page, false).await?;
        let mut now = look(page).await?;
        for _ in 0..EVENTS {
            if now.dispatched == behind.written {
                break;
            }
            now = go(page, Key::Right).await?;
        }
        same("reput, which goes on", &now.dispatched, &behind.written)?;
        page.no_console_errors().await
    });
}

/// Steps until reput is stopped, or is not.
async fn step_until_pressed(page: &Page, pressed: bool) -> Result<()> {
    let button = format!("[data-testid='services:broker-a'] [data-testid='service:reput'][aria-pressed={pressed}]");
    for _ in 0..EVENTS {
        if page.count(&button).await? > 0 {
            return Ok(());
        }
        go(page, Key::Right).await?;
    }
    bail!("no event brings {button}")
}

#[test]
fn what_cannot_be_sent_is_not_offered() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        let before = look(page).await?;
        fill(page, "send-queue", "x").await?;
        page.wait("[data-testid=send]:disabled").await?;
        page.wait("[data-testid=send-queue][aria-invalid=true]").await?;
        fill(page, "send-queue", "0").await?;
        page.wait("[data-testid=send]:enabled").await?;
        same("the run", &look(page).await?, &before)?;
        page.no_console_errors().await
    });
}

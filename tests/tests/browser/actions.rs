//! The sandbox's forms: what they send is what was filled in, what is refused is told in place, and every form fits a
//! phone in both languages.

use anyhow::{Context as _, Result, ensure};
use rocketscope_tests::browser::{self, Key, NARROW, Page};

use super::bench::{look, open_in, rest, same, step_until};
use super::cluster::{begin_template, tables_of};
use super::sandbox::{fill, step_until_node_says};

/// Chooses one of a list by its value.
pub(crate) async fn choose(page: &Page, field: &str, value: &str) -> Result<()> {
    let select = page.wait(&format!("select[data-testid='{field}']")).await?;
    select.select_by_value(value).await.with_context(|| format!("{field} offers no {value}"))?;
    Ok(())
}

async fn open_sandbox(page: &Page) -> Result<()> {
    page.open("#/sandbox").await?;
    page.wait("[data-testid=sandbox]").await?;
    Ok(())
}

#[test]
fn a_record_is_as_long_as_it_was_asked_for_and_what_is_impossible_is_told_in_the_form() {
    browser::run(async |page| {
        open_sandbox(page).await?;
        let before = look(page).await?;
        fill(page, "send-body", "hello").await?;
        page.click("[data-testid=send-more]").await?;
        choose(page, "send-made-of", "record").await?;
        fill(page, "send-recordSize", "10").await?;
        page.click("[data-testid=send]").await?;
        page.wait_text("[data-testid=send-refused]", "A record of 10 bytes cannot be made").await?;
        page.wait("[data-testid=send-recordSize][aria-invalid=true]").await?;
        same("the run", &look(page).await?.position, &before.position)?;

        // What was typed is still there, and only the length is changed.
        let body = page.wait("[data-testid=send-body]").await?.prop("value").await?;
        same("the body", &body.as_deref(), &Some("hello"))?;
        fill(page, "send-recordSize", "300").await?;
        page.click("[data-testid=send]").await?;
        page.wait_gone("[data-testid=send-refused]").await?;
        step_until_node_says(page, "producer", "SEND_OK × 1").await?;
        same("the log", &(look(page).await?.written - before.written), &300)?;
        // Folded, the rest of the form says that something in it is set.
        page.click("[data-testid=send-more]").await?;
        page.wait_text("[data-testid=send-more]", "1 set").await?;
        page.no_console_errors().await
    });
}

#[test]
fn a_batch_is_one_send_of_several_records() {
    browser::run(async |page| {
        open_sandbox(page).await?;
        page.click("[data-testid=batch-head]").await?;
        fill(page, "batch-queue", "1").await?;
        page.click("[data-testid=batch-add]").await?;
        page.wait("[data-testid=batch-4]").await?;
        page.click("[data-testid=batch-2-remove]").await?;
        page.wait_gone("[data-testid=batch-4]").await?;
        let bodies =
            page.eval("return ['1', '2', '3'].map(n => document.getElementById(`batch-${n}-body`).value);").await?;
        same("the entries", &bodies, &serde_json::json!(["one", "three", "three"]))?;
        page.click("[data-testid=batch]").await?;
        step_until_node_says(page, "producer", "SEND_OK × 1").await?;
        rest(page).await?;
        page.wait_text("[data-testid='node:broker-a']", "3 units").await?;
        page.no_console_errors().await
    });
}

#[test]
fn a_message_is_looked_up_by_its_key_and_given_back() {
    browser::run(async |page| {
        open_sandbox(page).await?;
        fill(page, "send-queue", "0").await?;
        fill(page, "send-keys", "order-1").await?;
        page.click("[data-testid=send]").await?;
        step_until_node_says(page, "producer", "SEND_OK × 1").await?;
        rest(page).await?;

        page.click("[data-testid=lookup-head]").await?;
        page.wait("[data-testid=lookup]:disabled").await?;
        fill(page, "lookup-key", "order-1").await?;
        page.click("[data-testid=lookup]").await?;
        page.wait_text("[data-testid=saying]", "order-1").await?;
        rest(page).await?;

        // Nothing was pulled yet, so there is nothing to give back.
        page.click("[data-testid=give-back-head]").await?;
        page.click("[data-testid=give-back]").await?;
        page.wait_text("[data-testid=give-back-refused]", "received no message").await?;
        page.click("[data-testid=pull]").await?;
        page.wait_gone("[data-testid=give-back-refused]").await?;
        step_until_node_says(page, "consumer", "1 received").await?;
        page.click("[data-testid=give-back]").await?;
        rest(page).await?;
        page.wait_text("[data-testid='node:broker-a']", "SCHEDULE").await?;
        page.no_console_errors().await
    });
}

#[test]
fn an_application_changes_its_database_and_sends() {
    browser::run(async |page| {
        open_sandbox(page).await?;
        same("forms of databases", &page.count("[data-testid=database-card]").await?, &0)?;
        begin_template(page, "shop").await?;
        page.click("[data-testid=database-head]").await?;
        choose(page, "database-change-1-table", "accounts").await?;
        choose(page, "database-change-1-kind", "update").await?;
        fill(page, "database-change-1-owner", "alice").await?;
        choose(page, "database-change-1-deed-balance", "add").await?;
        fill(page, "database-change-1-balance", "much").await?;
        page.wait("[data-testid=database]:disabled").await?;
        fill(page, "database-change-1-balance", "-30").await?;
        page.click("[data-testid=database-add]").await?;
        choose(page, "database-change-2-table", "orders").await?;
        fill(page, "database-change-2-item", "book").await?;
        page.click("[data-testid=database]").await?;
        step_until_node_says(page, "producer", "SEND_OK × 1").await?;
        page.wait_text("[data-testid='node:shop-db']", "1 commit").await?;
        let tables = tables_of(page, "shop-db").await?;
        ensure!(tables.contains(&("orders".to_owned(), "1 row".to_owned())), "the tables are {tables:?}");
        page.no_console_errors().await
    });
}

#[test]
fn a_message_is_sent_in_a_transaction_and_what_its_listener_cannot_say_is_not_offered() {
    browser::run(async |page| {
        open_sandbox(page).await?;
        same("forms of transactions", &page.count("[data-testid=transaction-card]").await?, &0)?;
        begin_template(page, "transactions").await?;
        page.click("[data-testid=transaction-head]").await?;
        // The listener keeps its transactions in a table: it answers what it finds there.
        page.click("[data-testid=transaction-local-more]").await?;
        page.wait("[data-testid=transaction-localMs]").await?;
        same("answers by hand", &page.count("[data-testid=transaction-checks]").await?, &0)?;
        fill(page, "transaction-change-1-item", "book").await?;
        page.click("[data-testid=transaction]").await?;
        step_until_node_says(page, "shop-db", "1 commit").await?;
        step_until_node_says(page, "producer", "SEND_OK × 1").await?;
        page.click("[data-testid=end-head]").await?;
        choose(page, "end-half", "message").await?;
        fill(page, "end-message", "M9").await?;
        page.click("[data-testid=end]").await?;
        page.wait_text("[data-testid=end-refused]", "no such half message").await?;
        page.no_console_errors().await
    });
}

#[test]
fn an_administrator_is_told_what_to_do() {
    browser::run(async |page| {
        open_sandbox(page).await?;
        same("forms of administrators", &page.count("[data-testid=administer-card]").await?, &0)?;
        begin_template(page, "administered").await?;
        page.wait_text("[data-testid=sandbox-lead]", "2 NameServers, 2 brokers").await?;
        page.click("[data-testid=administer-head]").await?;
        fill(page, "administer-topic", "NewTopic").await?;
        page.click("[data-testid=administer]").await?;
        step_until_node_says(page, "admin", "1 command done").await?;
        // The topic is among those that can be chosen now.
        page.wait_true(
            "return [...document.querySelectorAll('#send-topic-words option')].some(o => o.value === 'NewTopic');",
        )
        .await?;
        page.no_console_errors().await
    });
}

#[test]
fn a_process_dies_right_before_the_turn_that_was_chosen() {
    browser::run(async |page| {
        open_sandbox(page).await?;
        let before = look(page).await?;
        page.click("[data-testid=fault]").await?;
        page.click("[data-testid='fault-node:broker-a']").await?;
        page.click("[data-testid='fault:before']").await?;
        choose(page, "fault-before-service", "put").await?;
        fill(page, "fault-before", "0").await?;
        page.wait("[data-testid=fault-before-trap]:disabled").await?;
        fill(page, "fault-before", "2").await?;
        page.click("[data-testid=fault-before-trap]").await?;
        page.wait_gone("[data-testid=fault-menu]").await?;
        for queue in ["0", "1"] {
            fill(page, "send-queue", queue).await?;
            page.click("[data-testid=send]").await?;
        }
        let sights = step_until(page, "[data-testid='node:broker-a'].is-down").await?;
        // The first of the two was stored, the second was not.
        let ends: Vec<i64> = super::bench::changes(sights.iter().map(|sight| sight.written).filter(|end| *end >= 0));
        same("ends of the log", &ends.len(), &2)?;
        same("the first of them", &ends[0], &before.written)?;
        page.no_console_errors().await
    });
}

#[test]
fn cards_open_by_the_keyboard_and_keep_what_was_typed() {
    browser::run(async |page| {
        open_sandbox(page).await?;
        page.click("[data-testid=time-head]").await?;
        fill(page, "time-ms", "250").await?;
        page.tab_to("[data-testid=time]", "Wait").await?;
        page.press_with(&[Key::Shift], Key::Tab).await?;
        page.press_with(&[Key::Shift], Key::Tab).await?;
        page.wait_true("return document.activeElement.matches('[data-testid=time-head]');").await?;
        page.press(Key::Enter).await?;
        page.wait_true("return !document.querySelector('[data-testid=time-card]').open;").await?;
        page.press(Key::Enter).await?;
        let typed = page.wait("[data-testid=time-ms]").await?.prop("value").await?;
        same("what was typed", &typed.as_deref(), &Some("250"))?;
        page.no_console_errors().await
    });
}

#[test]
fn the_forms_fit_a_phone_in_both_languages() {
    browser::run(async |page| {
        page.resize(NARROW).await?;
        for (lang, actions) in [("en", "Actions"), ("zh", "操作")] {
            open_in(page, lang, "#/sandbox").await?;
            same("the column's name", &page.text("[data-testid='column.text']").await?.as_str(), &actions)?;
            page.click("[data-testid='column.text']").await?;
            for template in ["shop", "administered"] {
                begin_template(page, template).await?;
                page.click("[data-testid='column.text']").await?;
                page.eval("document.querySelectorAll('.sandbox details').forEach(one => one.open = true);").await?;
                page.wait_true(
                    "const column = document.querySelector('.column-text');
                     return column.scrollWidth <= column.clientWidth
                         && [...document.querySelectorAll('.sandbox .field')].every(field => field.clientWidth > 60);",
                )
                .await?;
                let said = page.text("[data-testid=sandbox]").await?;
                ensure!(!said.contains('⟦'), "words are missing ({lang}): {said}");
                ensure!(!page.overflows_sideways().await?, "the page can be scrolled sideways ({lang})");
            }
        }
        page.no_console_errors().await
    });
}

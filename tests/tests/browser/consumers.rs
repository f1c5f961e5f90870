//! The picture of a consumer group: who has which queue, what holds an offset back, what is retried; and push consumers
//! described in the cluster editor.

use anyhow::{Context as _, Result, ensure};
use rocketscope_tests::browser::{self, Key, NARROW, Page};

use super::actions::choose;
use super::bench::{go, open_in, rest, same, step_until};
use super::cluster::{begin, begin_template, open_editor, tables_of};
use super::sandbox::fill;

/// A group of two in the sandbox, whose picture is shown.
async fn open_group(page: &Page, template: &str) -> Result<()> {
    page.open("#/sandbox").await?;
    page.wait("[data-testid=sandbox]").await?;
    begin_template(page, template).await?;
    page.click("[data-testid=tab-consumers]").await?;
    page.wait("[data-testid=consumers]").await?;
    Ok(())
}

/// One push consumer in the sandbox with rules for messages by their bodies, each as body, results and how long.
async fn open_rules(page: &Page, rules: &[(&str, &str, &str)]) -> Result<()> {
    page.open("#/sandbox").await?;
    page.wait("[data-testid=sandbox]").await?;
    open_editor(page).await?;
    page.click("[data-testid='template:push-group']").await?;
    page.click("[data-testid='edit:consumer-2']").await?;
    page.click("[data-testid=remove-node]").await?;
    page.click("[data-testid='edit:consumer']").await?;
    for (at, (body, results, takes)) in rules.iter().enumerate() {
        page.click("[data-testid=add-rule]").await?;
        fill(page, &format!("rule-{at}-body"), body).await?;
        if !results.is_empty() {
            fill(page, &format!("rule-{at}-results"), results).await?;
        }
        if !takes.is_empty() {
            fill(page, &format!("rule-{at}-takes"), takes).await?;
        }
    }
    begin(page).await?;
    page.click("[data-testid=tab-consumers]").await?;
    page.wait("[data-testid=consumers]").await?;
    Ok(())
}

async fn send_body(page: &Page, body: &str) -> Result<()> {
    fill(page, "send-queue", "0").await?;
    fill(page, "send-body", body).await?;
    page.click("[data-testid=send]").await?;
    go(page, Key::Right).await?;
    Ok(())
}

fn cell(row: &str, queue: u32) -> String {
    format!("[data-testid='shares:OrderTopic'] {row} [data-queue='broker-a/{queue}']")
}

/// Four queues and two members: AVG gives runs of two, AVG_BY_CIRCLE every other one. Who is left takes all.
#[test]
fn the_queues_of_a_group_are_seen_with_who_has_them_and_who_would() {
    browser::run(async |page| {
        open_group(page, "push-group").await?;
        for (queue, owner) in [(0, "A"), (1, "A"), (2, "B"), (3, "B")] {
            page.wait_text(&cell(".is-held", queue), owner).await?;
        }
        let words = "[data-testid='shares:OrderTopic'] [data-testid=shares-in-words]";
        page.wait_text(words, "AVG: consumer: broker-a/0, broker-a/1; consumer-2: broker-a/2, broker-a/3.").await?;
        page.wait_text(words, "Set by consumer, consumer-2.").await?;
        page.wait_text(words, "AVG_BY_CIRCLE: consumer: broker-a/0, broker-a/2;").await?;
        // Two of the topic's and the one of the retry topic.
        page.wait_text("[data-testid='node:consumer']", "queues 3").await?;
        page.wait_text("[data-testid=group-state]", "Everything that is there is consumed.").await?;

        page.click("[data-testid=fault]").await?;
        page.click("[data-testid='fault-node:consumer-2']").await?;
        page.click("[data-testid='fault:process']").await?;
        page.click("[data-testid=fault-kill]").await?;
        step_until(page, &format!("{} .tint-0", cell(".is-held", 3))).await?;
        page.wait_text(words, "Now: consumer: broker-a/0, broker-a/1, broker-a/2, broker-a/3.").await?;
        page.wait_text("[data-testid='member:consumer-2']", "down").await?;
        page.no_console_errors().await
    });
}

/// The first message takes a minute; the two behind it are done with at once, and the offset stays at the first.
#[test]
fn a_slow_message_holds_the_offset_of_those_that_are_done_with() {
    browser::run(async |page| {
        open_rules(page, &[("slow", "", "60000")]).await?;
        for body in ["slow", "two", "three"] {
            send_body(page, body).await?;
        }
        let hand = "[data-testid='hand:consumer/OrderTopic/0']";
        step_until(page, &format!("{hand} [data-testid='in-hand:2'][data-state=done]")).await?;
        page.wait(&format!("{hand} [data-testid='in-hand:0'][data-state=consuming].is-lowest")).await?;
        page.wait_text(&format!("{hand} [data-testid=hand-says]"), "The offset stays at 0 M1 until that is done with.")
            .await?;
        page.wait_text(&format!("{hand} [data-testid=hand-says]"), "2 behind it are done with").await?;
        page.wait_text("[data-testid='member:consumer'] [data-testid='call:1']", "M1").await?;
        page.wait_text("[data-testid='node:consumer']", "M1").await?;
        page.wait_text("[data-testid=group-state]", "not consumed yet").await?;

        rest(page).await?;
        page.wait("[data-testid=nothing-in-hand]").await?;
        page.wait_text("[data-testid=group-state]", "Everything that is there is consumed.").await?;
        page.no_console_errors().await
    });
}

/// Level 3 is ten seconds and level 4 half a minute; the third delivery is a success.
#[test]
fn what_fails_twice_climbs_two_rungs_of_the_ladder() {
    browser::run(async |page| {
        open_rules(page, &[("bad", "later, later, success", "")]).await?;
        page.wait("[data-testid=no-retry]").await?;
        send_body(page, "bad").await?;
        let message = "[data-testid='retried:M1']";
        step_until(page, &format!("{message} [data-testid='rung:3'].is-here")).await?;
        page.wait_text(&format!("{message} [data-testid=retry-place]"), "waits at broker-a on level 3").await?;
        page.wait_text(&format!("{message} [data-testid='attempt:0']"), "RECONSUME_LATER").await?;
        page.wait(&format!("{message} [data-testid='rung:4'].is-ahead")).await?;
        step_until(page, &format!("{message} [data-testid='rung:4'].is-here")).await?;
        page.wait(&format!("{message} [data-testid='rung:3'].is-passed")).await?;
        rest(page).await?;
        page.wait_text(&format!("{message} [data-testid=retry-place]"), "consumed in the end").await?;
        page.wait_text(&format!("{message} [data-testid='attempt:2']"), "CONSUME_SUCCESS").await?;
        same("the deliveries", &page.count(&format!("{message} [data-testid^='attempt:']")).await?, &3)?;
        page.no_console_errors().await
    });
}

#[test]
fn a_push_consumer_is_described_by_hand_and_what_is_wrong_stands_at_its_field() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        open_editor(page).await?;
        page.click("[data-testid='edit:consumer']").await?;
        page.click("[data-testid='segment:push']").await?;
        fill(page, "node-group", "billing").await?;
        choose(page, "subscription-0-by", "tags").await?;
        fill(page, "subscription-0-expression", "Paid || Refunded").await?;
        page.click("[data-testid='segment:orderly']").await?;
        page.click("[data-testid=add-rule]").await?;
        fill(page, "rule-0-results", "perhaps").await?;
        page.wait("[data-testid=rule-0-results][aria-invalid=true]").await?;
        // A listener that consumes in order does not put off: the engine says so at the rule.
        fill(page, "rule-0-results", "later").await?;
        page.wait("[data-testid=rule-0-results][aria-invalid=true]").await?;
        page.wait("[data-testid=cluster-begin]:disabled").await?;
        fill(page, "rule-0-results", "suspend, success").await?;
        page.click("[data-testid='add-key:consumeThreadMin']").await?;
        fill(page, "setting-consumeThreadMin", "0").await?;
        page.wait("[data-testid=setting-consumeThreadMin][aria-invalid=true]").await?;
        fill(page, "setting-consumeThreadMin", "1").await?;
        begin(page).await?;
        page.click("[data-testid=tab-consumers]").await?;
        page.wait_text("[data-testid=consumers]", "CONSUMER GROUP billing").await?;
        page.wait_text("[data-testid='member:consumer']", "orderly listener").await?;
        page.wait_text("[data-testid=subscriptions] [data-topic=OrderTopic] [data-node=consumer]", "Paid || Refunded")
            .await?;
        // Nobody can be told to pull here.
        same("forms of pulls", &page.count("[data-testid=pull-card]").await?, &0)?;
        page.no_console_errors().await
    });
}

#[test]
fn a_phone_shows_a_group_and_its_editor_in_both_languages() {
    browser::run(async |page| {
        page.resize(NARROW).await?;
        for lang in ["en", "zh"] {
            open_in(page, lang, "#/sandbox").await?;
            page.click("[data-testid='column.text']").await?;
            open_editor(page).await?;
            page.click("[data-testid='template:push-group']").await?;
            page.click("[data-testid='edit:consumer']").await?;
            page.click("[data-testid=add-rule]").await?;
            page.wait_true(
                "const form = document.querySelector('.cluster-form');
                 return form.scrollWidth <= form.clientWidth + 1;",
            )
            .await?;
            let said = page.text("[data-testid=node-form]").await?;
            ensure!(!said.contains('⟦'), "words are missing ({lang}): {said}");
            begin(page).await?;
            page.open("#/sandbox?tab=consumers").await?;
            page.wait("[data-testid=consumers]").await?;
            ensure!(!page.overflows_sideways().await?, "the group is wider than the window ({lang})");
            let said = page.text("[data-testid=consumers]").await.context(lang)?;
            ensure!(!said.contains('⟦'), "words are missing ({lang}): {said}");
        }
        page.no_console_errors().await
    });
}

/// Fails unless the tables of the shop hold so many rows, as its drum says them.
async fn shop_holds(page: &Page, tables: &[(&str, &str)]) -> Result<()> {
    let wanted: Vec<(String, String)> =
        tables.iter().map(|(table, rows)| ((*table).to_owned(), (*rows).to_owned())).collect();
    same("the tables", &tables_of(page, "shop-db").await?, &wanted)
}

/// Both listeners commit and put the message off once; ten seconds later it comes again.
#[test]
fn a_listener_without_a_record_does_a_message_twice_and_the_stage_says_so() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        begin_template(page, "shop-consumers").await?;
        send_body(page, "book").await?;
        rest(page).await?;
        let twice = "[data-testid='node:shop-db'] .table-line.is-twice[data-table=parcels_naive]";
        page.wait(&format!("{twice} .twice[aria-label='1 row says what an earlier row says']")).await?;
        shop_holds(page, &[("parcels_naive", "2 rows, 1 twice"), ("parcels_safe", "1 row"), ("processed", "1 row")])
            .await?;

        // With a record of its own in the same transaction the naive one does it once too.
        open_editor(page).await?;
        page.click("[data-testid='edit:naive']").await?;
        choose(page, "business-record-at", "together").await?;
        page.wait_text("[data-testid=record-says]", "committed together").await?;
        fill(page, "business-record-table", "processed_naive").await?;
        begin(page).await?;
        send_body(page, "book").await?;
        rest(page).await?;
        page.wait_text("[data-testid='node:shop-db'] .table-line[data-table=processed_naive] .rows", "1 row").await?;
        same("tables with something twice", &page.count(".table-line.is-twice").await?, &0)?;
        shop_holds(
            page,
            &[
                ("parcels_naive", "1 row"),
                ("parcels_safe", "1 row"),
                ("processed_naive", "1 row"),
                ("processed", "1 row"),
            ],
        )
        .await?;
        page.no_console_errors().await
    });
}

#[test]
fn what_a_listener_does_with_a_database_is_described_by_hand() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        open_editor(page).await?;
        page.click("[data-testid='add:database']").await?;
        page.click("[data-testid='add:database']").await?;
        page.click("[data-testid='edit:consumer']").await?;
        page.click("[data-testid='segment:push']").await?;
        page.click("[data-testid=node-down]").await?;
        choose(page, "business-database", "db").await?;
        fill(page, "business-change-1-id", "{keys}").await?;
        fill(page, "business-change-1-state", "'42'").await?;
        // A change that names no row cannot be made.
        page.click("[data-testid=business-add]").await?;
        choose(page, "business-change-2-kind", "delete").await?;
        page.wait("[data-testid='error:push.business.changes']").await?;
        page.wait("[data-testid=cluster-begin]:disabled").await?;
        page.click("[data-testid=business-change-2-remove]").await?;
        page.wait_gone("[data-testid='error:push.business.changes']").await?;
        // One transaction has one database: the engine says so where the record is.
        choose(page, "business-record-at", "together").await?;
        choose(page, "business-record-database", "db-2").await?;
        page.wait("[data-testid='error:push.business.record.at']").await?;
        choose(page, "business-record-at", "before").await?;
        page.wait_gone("[data-testid='error:push.business.record.at']").await?;
        fill(page, "business-record-key", "{keys}").await?;
        page.click("[data-testid=add-case]").await?;
        fill(page, "case-0-tag", "Cancelled").await?;
        choose(page, "case-0-change-1-kind", "delete").await?;
        fill(page, "case-0-change-1-id", "{keys}").await?;
        begin(page).await?;
        page.wait("[data-testid='node:consumer'].is-down").await?;
        let tables = [("orders", "0 rows"), ("processed", "0 rows")].map(|(table, rows)| (table.into(), rows.into()));
        same("the tables", &tables_of(page, "db-2").await?, &tables)?;

        // What runs is what was typed.
        open_editor(page).await?;
        page.click("[data-testid='template:running']").await?;
        page.click("[data-testid='edit:consumer']").await?;
        for (field, value) in [
            ("business-change-1-id", "{keys}"),
            ("business-change-1-state", "'42'"),
            ("business-record-key", "{keys}"),
            ("business-record-database", "db-2"),
            ("case-0-tag", "Cancelled"),
            ("case-0-change-1-kind", "delete"),
        ] {
            let typed = page.wait(&format!("[data-testid='{field}']")).await?.prop("value").await?;
            same(field, &typed.as_deref(), &Some(value))?;
        }
        same("down", &page.count("[data-testid=node-down]:checked").await?, &1)?;
        page.no_console_errors().await
    });
}

#[test]
fn the_form_of_a_listener_that_writes_fits_a_phone_in_both_languages() {
    browser::run(async |page| {
        page.resize(NARROW).await?;
        for lang in ["en", "zh"] {
            open_in(page, lang, "#/sandbox").await?;
            page.click("[data-testid='column.text']").await?;
            open_editor(page).await?;
            page.click("[data-testid='template:shop-consumers']").await?;
            page.click("[data-testid='edit:safe']").await?;
            choose(page, "business-change-1-kind", "update").await?;
            choose(page, "business-cache-set", "after").await?;
            page.click("[data-testid=add-case]").await?;
            page.wait("[data-testid=case-0-body]").await?;
            page.wait_true(
                "const form = document.querySelector('.cluster-form');
                 const edge = form.getBoundingClientRect().right;
                 const fields = [...form.querySelectorAll('.field, .input > span, .tick, p')];
                 return form.scrollWidth <= form.clientWidth + 1
                     && fields.every(field => field.getBoundingClientRect().right <= edge + 1);",
            )
            .await?;
            let said = page.text("[data-testid=node-form]").await?;
            ensure!(!said.contains('⟦'), "words are missing ({lang}): {said}");
            page.press(Key::Escape).await?;
        }
        page.no_console_errors().await
    });
}

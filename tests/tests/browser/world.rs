//! The pictures of the running world: routes, a producer, delay levels, databases; and what a client makes of an index.

use anyhow::{Context as _, Result, ensure};
use rocketscope_tests::browser::{self, Key, NARROW, Page};

use super::bench::{go, open_in, rest, same, step_until};
use super::faults::fault;
use super::sandbox::{fill, send};

/// Sends what the form says and runs until nothing is left to do.
async fn send_and_rest(page: &Page) -> Result<()> {
    page.click("[data-testid=send]").await?;
    page.wait_text("[data-testid='node:producer']", "1 without an answer").await?;
    rest(page).await
}

/// Goes back until a selector finds something.
pub(crate) async fn back_until(page: &Page, selector: &str) -> Result<()> {
    for _ in 0..200 {
        if page.count(selector).await? > 0 {
            return Ok(());
        }
        go(page, Key::Left).await?;
    }
    anyhow::bail!("no event before has `{selector}`")
}

#[test]
fn routes_stand_beside_each_other_and_a_cache_outlives_the_broker() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        send(page, "one", 1).await?;
        page.click("[data-testid=tab-routes]").await?;
        let cell = |node: &str| {
            format!("[data-testid=routes] [data-topic=OrderTopic] [data-broker=broker-a] [data-node={node}]")
        };
        page.wait_text(&cell("namesrv"), "2/2").await?;
        page.wait_text(&cell("producer"), "2/2").await?;
        page.wait_text("[data-testid=differences]", "Everybody knows the same.").await?;
        page.wait_text("[data-testid='live:namesrv/broker-a/0']", "ago").await?;
        page.wait_text("[data-testid='cache:producer']", "asks namesrv every 30 s").await?;

        fault(page, "process", "fault-kill").await?;
        step_until(page, "[data-testid=differences] .is-bad").await?;
        page.wait_text("[data-testid=differences]", "producer has a route for OrderTopic, namesrv has none").await?;
        page.wait_text(&cell("namesrv"), "–").await?;
        page.wait_text(&format!("{}.is-bad", cell("producer")), "2/2").await?;
        page.no_console_errors().await
    });
}

#[test]
fn a_producer_tells_its_attempts_and_where_it_sends_next() {
    browser::run(async |page| {
        page.open("#/sandbox?tab=producer").await?;
        page.wait_text("[data-testid=producer]", "Nothing was sent yet.").await?;
        fill(page, "send-queue", "").await?;
        send_and_rest(page).await?;
        page.wait_text("[data-testid='send:0']", "M1").await?;
        page.wait_text("[data-testid='send:0']", "SEND_OK").await?;
        same("the attempts", &page.count("[data-testid='send:0'] [data-testid=try]").await?, &1)?;
        // Two queues in turn: the next is the other one.
        let tried = page.text("[data-testid='send:0'] [data-testid=try]").await?;
        let next = page.text("[data-testid='publish:OrderTopic'] .chip.is-next").await?;
        let other = if tried.contains("broker-a/0") { "broker-a/1" } else { "broker-a/0" };
        same("the queue that comes next", &next.trim(), &other)?;
        page.wait("[data-testid=faults-off]").await?;

        // The record that it tells of is there.
        page.click("[data-testid='send:0'] a[href*='tab=record']").await?;
        page.wait_text("[data-testid='field:topic'] .value", "OrderTopic").await?;
        page.no_console_errors().await
    });
}

#[test]
fn a_delayed_message_is_seen_waiting_at_the_head_of_its_level() {
    browser::run(async |page| {
        page.open("#/lesson/27").await?;
        page.click("[data-testid='offer:d1']").await?;
        page.open("#/lesson/27?tab=delay").await?;
        // Level 3 is ten seconds.
        step_until(page, "[data-testid='level:3'] [data-testid='waiting:0']").await?;
        page.wait_text("[data-testid='level:3']", "0 delivered and saved · 0 delivered, in memory only · 1 waiting")
            .await?;
        let place = "[data-testid='level:3'] [data-testid='waiting:0'].is-here";
        // What the message is called is known once its producer has the answer.
        while !page.text(place).await?.contains("D1") {
            go(page, Key::Right).await?;
        }
        let head = page.text(place).await?;
        for said in ["D1", "→ OrderTopic/0", "the head: it decides"] {
            ensure!(head.contains(said), "the head says {head}");
        }
        same("the levels that wait for nothing", &page.count("[data-testid=delay] .chips > li").await?, &17)?;
        page.no_console_errors().await
    });
}

#[test]
fn databases_tell_what_is_pending_what_was_sent_and_what_was_written_twice() {
    browser::run(async |page| {
        page.open("#/lesson/30").await?;
        page.click("[data-testid=solution]").await?;
        page.wait("[data-testid=finished]").await?;
        page.click("[data-testid=tab-databases]").await?;
        let row = |table: &str, key: &str| {
            format!("[data-testid=databases] [data-testid='table:{table}'] [data-key='{key}']")
        };
        page.wait_text(&row("outbox", "1"), "sent").await?;
        page.wait_text(&row("outbox", "2"), "paid-1005").await?;
        page.wait_text("[data-testid='table:orders']", "key: id").await?;
        same("what is said twice", &page.count("[data-testid=databases] .is-twin").await?, &0)?;
        same("tables with something twice", &page.count(".table-line.is-twice").await?, &0)?;

        // Before somebody fetched them back there were two parcels for one order.
        back_until(page, "[data-testid='table:parcels'] .is-twin").await?;
        page.wait_text(&row("parcels", "2"), "says the same as 1").await?;
        // On the stage by colour, sign and words, and in the sentences of the stage.
        let parcels = "[data-testid='node:ship-db'] .table-line.is-twice[data-table=parcels]";
        page.wait_text(parcels, "2 rows, 1 twice").await?;
        page.wait(&format!("{parcels} .twice[aria-label='1 row says what an earlier row says']")).await?;
        page.wait_text("[data-testid=stage] figcaption", "parcels: 2 rows, 1 twice").await?;
        // And before that, the second was written in a transaction that nobody else saw.
        back_until(page, "[data-testid='table:parcels'] .is-pending").await?;
        page.wait_text("[data-testid=open-transactions]", "Transaction").await?;
        page.wait_text("[data-testid='table:parcels'] .is-pending", "not committed").await?;
        page.no_console_errors().await
    });
}

/// The texts of topic and key of the two messages hash to the same number, -10606476, so the store answers both.
#[test]
fn the_walk_through_the_index_tells_what_only_the_client_compares() {
    browser::run(async |page| {
        page.open("#/sandbox").await?;
        page.wait("[data-testid=sandbox]").await?;
        for (topic, keys) in [("AaTopic", "Aa"), ("BBTopic", "BB")] {
            fill(page, "send-topic", topic).await?;
            fill(page, "send-keys", keys).await?;
            send_and_rest(page).await?;
        }
        page.open("#/sandbox?tab=index&topic=AaTopic&key=Aa").await?;
        page.wait_text("[data-testid=chain-kept]", "a query by key keeps 1 of them").await?;
        same("the entries", &page.count("[data-testid=chain] [data-testid^='entry:']").await?, &2)?;
        page.wait_text("[data-testid=chain] [data-verdict=otherTopic]", "topic different, key different").await?;
        page.wait_text("[data-testid=chain] [data-verdict=kept]", "topic equal, key equal").await?;
        page.no_console_errors().await
    });
}

#[test]
fn a_phone_shows_the_world_in_both_languages() {
    browser::run(async |page| {
        page.resize(NARROW).await?;
        for lang in ["en", "zh"] {
            open_in(page, lang, "#/lesson/30").await?;
            page.click("[data-testid='column.text']").await?;
            page.click("[data-testid=solution]").await?;
            page.wait("[data-testid=finished]").await?;
            for tab in ["routes", "producer", "delay", "transactions", "databases"] {
                page.open(&format!("#/lesson/30?tab={tab}")).await?;
                page.wait(&format!("[data-testid={tab}]")).await?;
                let place = format!("{tab} ({lang})");
                ensure!(!page.overflows_sideways().await?, "{place} is wider than the window");
                let said = page.text(&format!("[data-testid={tab}]")).await.context(place)?;
                ensure!(!said.contains('⟦'), "words are missing: {said}");
            }
        }
        page.no_console_errors().await
    });
}

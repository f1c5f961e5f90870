//! The page inside another page, and the engine as a module of another page.

use anyhow::{Context as _, Result};
use fantoccini::Locator;
use rocketscope_tests::browser::{self, Page};
use serde_json::{Value, json};

use super::bench::same;

/// Waits for a script of another page that is `async`, and gives what it returns.
async fn awaited(page: &Page, script: &str) -> Result<Value> {
    let script = format!(
        "const done = arguments[arguments.length - 1];
         (async () => {{ {script} }})().then(value => done({{ value }}), cause => done({{ cause: String(cause) }}));"
    );
    let told = page.client().execute_async(&script, Vec::new()).await?;
    told.get("value").cloned().with_context(|| format!("it fails: {told}"))
}

/// What every script here begins with.
const IMPORT: &str = "const { default: init, RocketScope } = await import('../rocketscope-web.js'); await init();";

#[test]
fn an_embedded_page_has_no_header_and_leads_to_the_whole_one() {
    browser::run(async |page| {
        page.open("?embed=1&lang=zh&theme=dark#/lesson/07").await?;
        page.wait("[data-testid=stage]").await?;
        same("the header", &page.count(".header").await?, &0)?;
        page.wait_text("[data-testid=embed-bar]", "打开完整页面").await?;
        same("the theme", &page.eval("return document.documentElement.dataset.theme;").await?, &json!("dark"))?;
        // The way out leads to where the reader is now, without what embeds.
        page.eval("location.hash = '#/lesson/08';").await?;
        page.wait_true(
            "const link = document.querySelector('[data-testid=embed-open]').getAttribute('href');
             return link.endsWith('#/lesson/08') && !link.includes('?');",
        )
        .await?;
        // The page around decides for this visit only.
        same("what is kept", &page.stored("rocketscope.settings").await?, &None)?;
        page.no_console_errors().await
    });
}

#[test]
fn the_example_shows_a_lesson_in_a_course() {
    browser::run(async |page| {
        page.open("examples/embed.html").await?;
        let frame = page.client().wait().for_element(Locator::Id("lesson")).await?;
        page.eval("document.getElementById('lesson').scrollIntoView();").await?;
        frame.enter_frame().await?;
        page.wait("[data-testid=stage]").await?;
        page.wait("[data-testid=embed-open]").await?;
        page.wait_true("return document.documentElement.scrollWidth <= innerWidth;").await?;
        page.client().enter_parent_frame().await?;
        page.no_console_errors().await
    });
}

/// The record has 400 bytes, and nothing is flushed before the producer is told: from there on until the flush half a
/// second later (`flushIntervalCommitLog`) the message is known and lost.
#[test]
fn the_example_drives_the_engine() {
    browser::run(async |page| {
        page.open("examples/embed.html").await?;
        page.wait("#go:not(:disabled)").await?;
        // The file is a module here: nothing of the page was drawn.
        same("the page", &page.count("#main").await?, &0)?;
        page.click("#go").await?;
        page.wait("#results tr:nth-child(3)").await?;
        page.wait_text("#results", "SEND_OK").await?;
        page.wait_text("#said", "the producer knew SEND_OK, and the message was gone").await?;
        page.wait_true(
            "const rows = [...document.querySelectorAll('#results tbody tr')].map(row => [...row.cells].map(cell => cell.textContent));
             return rows.some(([, , told, left]) => told === 'SEND_OK' && left === '0')
                 && rows.every(([, , , left]) => left === '0' || left === '400');",
        )
        .await?;
        page.no_console_errors().await
    });
}

#[test]
fn the_module_does_what_its_declarations_say() {
    browser::run(async |page| {
        page.open("examples/embed.html").await?;
        page.wait("#go:not(:disabled)").await?;
        let solved = awaited(page, &format!(
            "{IMPORT}
             const run = RocketScope.lesson('01-three-messages');
             run.solve();
             const end = run.view({{ kind: 'look' }});
             const hash = run.traceHash;
             const events = run.length;
             run.seek(0);
             const start = run.position;
             run.seek(events);
             const back = run.stepBack().run.position;
             const timeline = run.view({{ kind: 'timeline', from: 0, limit: 5 }});
             const event = run.view({{ kind: 'event', seq: 0 }});
             return {{
                 finished: end.lesson.finished, bigint: typeof hash, same: BigInt(end.run.traceHash) === hash,
                 start, back: events - back, lanes: timeline.lanes.length > 0, first: event.seq, steps: event.steps.length > 0,
             }};"
        ))
        .await?;
        let wanted = json!({
            "finished": true, "bigint": "bigint", "same": true, "start": 0, "back": 1, "lanes": true, "first": 0, "steps": true,
        });
        same("a lesson", &solved, &wanted)?;

        let script = awaited(page, &format!(
            "{IMPORT}
             const run = RocketScope.script(JSON.stringify({{
                 cluster: {{
                     nameServers: [{{ name: 'namesrv' }}],
                     brokers: [{{ name: 'broker-a', topics: [{{ name: 'OrderTopic', readQueues: 1, writeQueues: 1 }}] }}],
                     producers: [{{ name: 'producer', sender: 'bare' }}],
                 }},
                 moves: [
                     {{ act: {{ kind: 'send', producer: 'producer', topic: 'OrderTopic', queue: 0, recordSize: 400 }} }},
                     'rest',
                 ],
             }}));
             return run.view({{ kind: 'look' }}).run.rulers[0].written;"
        ))
        .await?;
        same("a script", &script, &json!(400))?;

        let thrown = awaited(page, &format!(
            "{IMPORT}
             const run = RocketScope.sandbox(undefined, 7n);
             const told = (call) => {{ try {{ call(); return null; }} catch (error) {{ return [error instanceof Error, error.name, error.kind, error.refused?.kind ?? null]; }} }};
             return [
                 told(() => run.act({{ kind: 'start', node: 'nobody' }})),
                 told(() => run.act({{ kind: 'nothing' }})),
                 told(() => RocketScope.lesson('99')),
                 run.position,
             ];"
        ))
        .await?;
        let wanted = json!([
            [true, "RocketScopeError", "action", "noSuchNode"],
            [true, "RocketScopeError", "arguments", null],
            [true, "RocketScopeError", "notFound", null],
            0,
        ]);
        same("what is thrown", &thrown, &wanted)?;
        page.no_console_errors().await
    });
}

#[test]
fn the_declarations_are_published() {
    browser::run(async |page| {
        page.open("examples/embed.html").await?;
        let declared = awaited(page, "return await (await fetch('../rocketscope-web.d.ts')).text();").await?;
        let declared = declared.as_str().unwrap_or_default();
        for words in [
            "export class RocketScope",
            "act(action: Action): Workbench",
            "export interface Workbench",
            "view<Q extends Query>",
        ] {
            anyhow::ensure!(declared.contains(words), "no `{words}` in the declarations");
        }
        Ok(())
    });
}

//! The page inside another page, and the engine as a module of another page.

use anyhow::{Context as _, Result};
use fantoccini::Locator;
use rocketscope_engine::link::Link;
use rocketscope_engine::sim::Imports;
use rocketscope_tests::browser::{self, Page};
use serde_json::{Value, json};

use super::bench::same;

/// Waits for a script of another page that is `async`, and gives what it returns.
async fn awaited(page: &Page, script: &str) -> Result<Value> {
    awaited_with(page, script, Value::Null).await
}

/// [`awaited`], where `given` is what the script is handed.
pub(crate) async fn awaited_with(page: &Page, script: &str, given: Value) -> Result<Value> {
    let script = format!(
        "const [given, done] = arguments;
         (async () => {{ {script} }})().then(value => done({{ value }}), cause => done({{ cause: String(cause) }}));"
    );
    let told = page.client().execute_async(&script, vec![given]).await?;
    told.get("value").cloned().with_context(|| format!("it fails: {told}"))
}

/// What every script here begins with: the module, and what a call throws, null if nothing.
pub(crate) const IMPORT: &str = "
    const { default: init, RocketScope } = await import('../rocketscope-web.js');
    await init();
    const thrown = call => {
        try { call(); return null; }
        catch ({ name, kind, message, refused }) { return { name, kind, message, refused: refused?.kind ?? null }; }
    };
";

/// A page that is none of ours and has loaded the module.
async fn open(page: &Page) -> Result<()> {
    page.open("examples/embed.html").await?;
    page.wait("#go:not(:disabled)").await?;
    Ok(())
}

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
        open(page).await?;
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
        open(page).await?;
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

        let thrown = awaited(
            page,
            &format!(
                "{IMPORT}
             const run = RocketScope.sandbox(undefined, 7n);
             const told = call => {{ const {{ name, kind, refused }} = thrown(call); return [name, kind, refused]; }};
             return [
                 told(() => run.act({{ kind: 'start', node: 'nobody' }})),
                 told(() => run.act({{ kind: 'nothing' }})),
                 told(() => RocketScope.lesson('99')),
                 run.position,
             ];"
            ),
        )
        .await?;
        let wanted = json!([
            ["RocketScopeError", "action", "noSuchNode"],
            ["RocketScopeError", "arguments", null],
            ["RocketScopeError", "notFound", null],
            0,
        ]);
        same("what is thrown", &thrown, &wanted)?;
        page.no_console_errors().await
    });
}

#[test]
fn a_run_is_handed_on_as_a_link_and_opens_where_it_stood() {
    browser::run(async |page| {
        open(page).await?;
        let handed = awaited(
            page,
            &format!(
                "{IMPORT}
             const run = RocketScope.lesson('01-three-messages');
             run.solve();
             for (let back = 0; back < 3; back++) run.stepBack();
             const stands = one => [one.traceHash, one.length, one.position, one.nowUs].map(String);
             const text = run.share();
             const opened = [text, `https://example.org/somewhere/#/lesson/01?tab=log&r=${{text}}`, `\n${{text}}\n`]
                 .map(link => stands(RocketScope.link(link)));
             const here = stands(run);
             // Opened, it goes on as the run that it is.
             const other = RocketScope.link(text);
             const ends = [run, other].map(one => {{ one.seek(one.length); return stands(one); }});
             // In the past something else is done: with its branches the run is two, without them one.
             run.seek(0);
             run.act({{ kind: 'wait', ms: 5 }});
             const ways = [undefined, false, true]
                 .map(branches => RocketScope.link(run.share(branches)).view({{ kind: 'look' }}).past.branches.length);
             return {{ text, here, opened, ends, ways }};"
            ),
        )
        .await?;
        let here = &handed["here"];
        for opened in handed["opened"].as_array().context("nothing was opened")? {
            same("the run of the link", opened, here)?;
        }
        same("its end", &handed["ends"][1], &handed["ends"][0])?;
        same("the branches that were left", &handed["ways"], &json!([0, 0, 1]))?;

        // The engine itself reads the same out of the same text.
        let text = handed["text"].as_str().context("a link is a text")?;
        let native = Link::decode(text)?.open(&Imports::default())?;
        let history = native.history();
        let stands = [
            history.world().trace_hash().to_string(),
            history.len().to_string(),
            history.position().to_string(),
            history.world().now_us().to_string(),
        ];
        same("the run of the link, natively", here, &json!(stands))?;

        // A header has 11 bytes; a character of the text is six bits, so that 8 of them are 6 bytes.
        let thrown = awaited(
            page,
            &format!(
                "{IMPORT}
             const text = '{text}';
             const bytes = Math.floor(text.length * 6 / 8);
             return {{
                 bytes,
                 cut: thrown(() => RocketScope.link(text.slice(0, -8))),
                 none: thrown(() => RocketScope.link('good morning')),
                 character: thrown(() => RocketScope.link(text.slice(0, 20) + '!' + text.slice(21))),
             }};"
            ),
        )
        .await?;
        let bytes = thrown["bytes"].as_u64().context("no length")?;
        let error = |message: String| json!({ "name": "RocketScopeError", "kind": "link", "message": message, "refused": null });
        let cut = error(format!("the link was cut off: it has {} bytes of {bytes}", bytes - 6));
        same("what a link that was cut off throws", &thrown["cut"], &cut)?;
        let none = error("this is no link to a run: it does not begin with `UlM`".to_owned());
        same("what a text that is no link throws", &thrown["none"], &none)?;
        let character = error("character 21 is `!`, which no link holds".to_owned());
        same("what a link with a foreign character throws", &thrown["character"], &character)?;
        page.no_console_errors().await
    });
}

/// By hand, from the rule of the cells: before each event and behind the last one of each target a kill and a power loss,
/// after each operation on a target's disk both again, and a torn write for each write of two bytes and more. Nothing is
/// flushed before `flushIntervalCommitLog` is over, so a power loss right after the put of M1 takes what was acknowledged;
/// a kill leaves the page cache, and takes nothing.
#[test]
fn a_crash_matrix_streams_its_cells() {
    browser::run(async |page| {
        open(page).await?;
        let told = awaited(page, &format!(
            "{IMPORT}
             const run = RocketScope.lesson('01-three-messages');
             run.solve();
             const plan = run.view({{ kind: 'matrixPlan', lesson: null }});
             const matrix = run.matrix();
             const moments = matrix.moments();
             const cells = [];
             const pieces = [];
             for (;;) {{
                 const piece = matrix.next(7);
                 if (piece.length === 0) break;
                 pieces.push(piece.length);
                 cells.push(...piece);
             }}
             const byRule = moment => {{
                 const of = plan.targets.includes(moment.turn?.node) ? moment.turn.writes : [];
                 return 2 * plan.targets.length + 2 * of.length
                     + of.filter(write => write.op === 'write' && write.len > 1).length;
             }};
             const put = moments.findIndex(moment => moment.turn?.service === 'put');
             const after = cells.find(cell => cell.event === put + 1 && cell.write === null && cell.fault.kind === 'powerLoss');
             const verdicts = cells.flatMap(cell => cell.messages.map(message => message.verdict));
             return {{
                 targets: plan.targets,
                 faults: plan.faults.map(fault => fault.kind),
                 moments: moments.length - run.length,
                 numbered: cells.every((cell, at) => cell.number === at),
                 all: [cells.length - matrix.cells, matrix.next(7).length],
                 pieces: pieces.slice(0, -1).every(length => length === 7),
                 rule: moments.map(byRule).join() === moments.map(moment => moment.cells).join(),
                 writes: moments.some(moment => moment.turn?.writes.length > 0),
                 after: after.messages.find(message => message.name === 'M1'),
                 killed: cells.filter(cell => cell.fault.kind !== 'powerLoss')
                     .flatMap(cell => cell.messages).filter(message => message.verdict === 'lost').length,
                 ends: [...new Set(cells.map(cell => cell.end))],
                 strange: verdicts.filter(verdict =>
                     !['exactlyRight', 'open', 'duplicated', 'outOfOrder', 'lost'].includes(verdict)),
                 right: verdicts.includes('exactlyRight'),
             }};"
        ))
        .await?;
        let wanted = json!({
            "targets": ["broker-a"],
            "faults": ["kill", "powerLoss", "tornWrite"],
            "moments": 1,
            "numbered": true,
            "all": [0, 0],
            "pieces": true,
            "rule": true,
            "writes": true,
            "after": {
                "producer": "producer", "number": 0, "name": "M1", "told": "SEND_OK",
                "verdict": "lost", "why": ["unflushedAtPowerLoss"],
            },
            "killed": 0,
            "ends": ["rest"],
            "strange": [],
            "right": true,
        });
        same("the matrix", &told, &wanted)?;

        let thrown = awaited(page, &format!(
            "{IMPORT}
             const run = RocketScope.lesson('01-three-messages');
             const plan = run.view({{ kind: 'matrixPlan', lesson: null }});
             const {{ targets, ...without }} = plan;
             const told = plan => {{ const {{ name, kind, message }} = thrown(() => run.matrix(plan)); return [name, kind, message]; }};
             return [
                 told({{ ...plan, downMs: 0 }}),
                 told({{ ...plan, downMs: 'soon' }}),
                 told({{ ...plan, targets: ['nobody'] }}),
                 told({{ ...plan, faults: [{{ kind: 'kill' }}, {{ kind: 'flood' }}] }})[2].split(', expected')[0],
                 told({{ ...plan, speed: 2 }})[2].split(', expected')[0],
                 told(without),
                 run.matrix({{ ...plan, faults: [{{ kind: 'kill' }}] }}).cells - run.length,
             ];"
        ))
        .await?;
        let wanted = json!([
            ["RocketScopeError", "matrix", "downMs: at least 1"],
            ["RocketScopeError", "arguments", "downMs: invalid type: string \"soon\", expected i64"],
            ["RocketScopeError", "matrix", "no node `nobody`"],
            "faults[1].kind: unknown variant `flood`",
            "speed: unknown field `speed`",
            ["RocketScopeError", "arguments", "missing field `targets`"],
            1,
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

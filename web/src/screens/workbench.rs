//! The workbench: a lesson or the sandbox, the stage and the inspector.

use std::rc::Rc;

use rocketscope_engine::planted::PlantedFault;
use rocketscope_engine::sim::DiskOp;
use rocketscope_engine::view::lesson::LessonSummary;
use rocketscope_engine::view::world::{NodeKind, NodePicture, RunPicture};
use rocketscope_engine::view::{Answer, Query, Source, Workbench as Picture};
use yew::{
    Callback, ContextProvider, Html, Properties, classes, component, html, use_callback, use_effect_with, use_memo,
    use_state_eq,
};

use super::keep::use_kept;
use super::run::{Plan, Run, use_run};
use crate::backend::use_ask;
use crate::components::cluster::Draft;
use crate::components::faults::{Aim, FaultContext, FaultMenu};
use crate::components::past::PastBar;
use crate::components::recovery::BrokerRecovery;
use crate::components::sandbox::SandboxPane;
use crate::components::share::{Arrived, ExportStore};
use crate::components::store::{Inspector, SeekContext, StoreContext, Waiting};
use crate::components::workbench::{
    BrokenAlert, LessonPane, Log, Move, PlantedNote, Rulers, Saying, StageView, TimelineView, Transport, Wish,
};
use crate::components::world::world_tabs;
use crate::i18n::use_text;
use crate::keys::use_keys;
use crate::route::{Place, Route, Screen};
use crate::state::{Held, Way, progress, runs, sandbox};

/// The sandbox's own cluster.
const USUAL_SANDBOX: Query = Query::StartSandbox { cluster: None, seed: 1 };

/// Properties of [`Workbench`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Where the reader is.
    pub route: Route,
    /// Positions in hexadecimal.
    pub hexadecimal: bool,
    /// The reader wants them so, or not.
    pub on_hexadecimal: Callback<bool>,
    /// What begins the run where the address alone does not say it.
    #[prop_or_default]
    pub start: Option<Query>,
    /// Whether the run is kept for the next visit, and gone on with where one was kept.
    pub keeps: bool,
    /// The run that was opened last; the worker has it.
    #[prop_or_default]
    pub held: Option<Held>,
    /// A run was kept here: its name, and the text of its link.
    #[prop_or_default]
    pub on_kept: Callback<(String, Rc<str>)>,
}

/// The columns, which are tabs on a narrow screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Text,
    Stage,
    Inspector,
}

impl Column {
    const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Text, "column.text", "is-text"),
        (Self::Stage, "column.stage", "is-stage"),
        (Self::Inspector, "column.inspector", "is-inspector"),
    ];
}

/// The workbench of the address's screen.
#[component]
pub fn Workbench(props: &Props) -> Html {
    let lessons = use_ask(Some(Query::Lessons), 0);
    // Only what was kept when the reader came here counts: what they begin here runs already.
    let begun = use_memo(props.route.screen.clone(), |_| sandbox::begun());
    // The screen whose run was begun here, since none was kept.
    let kept = use_state_eq(|| None::<String>);
    let on_none = use_callback((), {
        let kept = kept.setter();
        move |name: String, ()| kept.set(Some(name))
    });
    let Some(Answer::Lessons(list)) = lessons.answer.as_deref() else { return html! { <Waiting asked={lessons} /> } };
    let (name, start) = match &props.route.screen {
        Screen::Lesson(number) => {
            let wanted = list
                .iter()
                .find(|lesson| lesson.id.starts_with(number.as_str()) || lesson.number.to_string() == *number);
            match wanted {
                Some(lesson) => (lesson.id.clone(), Query::StartLesson { id: lesson.id.clone() }),
                None => return html! { <NoLesson number={number.clone()} /> },
            }
        }
        Screen::Matrix { .. } => (String::new(), props.start.clone().unwrap_or(USUAL_SANDBOX)),
        Screen::Sandbox | Screen::Explorer | Screen::Backlog { .. } | Screen::Compare { .. } => {
            let start = match &*begun {
                Some((cluster, seed)) => Query::StartSandbox { cluster: Some(Box::new(cluster.clone())), seed: *seed },
                None => USUAL_SANDBOX,
            };
            (runs::SANDBOX.to_owned(), start)
        }
    };
    let held = props.held.clone().filter(|held| held.screen == props.route.screen);
    // What was kept is gone on with, once: a run that is begun here is not mistaken for it.
    if props.keeps && held.is_none() && kept.as_deref() != Some(name.as_str()) {
        return html! { <Resume {name} on_kept={props.on_kept.clone()} on_none={on_none} /> };
    }
    let start = if held.is_some() { Query::Look } else { start };
    html! {
        <Bench
            way={held.map(|held| held.way)}
            {start}
            keeps={props.keeps}
            lessons={Rc::from(list.as_slice())}
            route={props.route.clone()}
            hexadecimal={props.hexadecimal}
            on_hexadecimal={props.on_hexadecimal.clone()}
        />
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ResumeProps {
    name: String,
    on_kept: Callback<(String, Rc<str>)>,
    on_none: Callback<String>,
}

/// Looks whether a run was kept when the reader left.
#[component]
fn Resume(props: &ResumeProps) -> Html {
    use_effect_with(props.clone(), |props| match runs::kept(&props.name) {
        Some(text) => props.on_kept.emit((props.name.clone(), text.into())),
        None => props.on_none.emit(props.name.clone()),
    });
    html! { <div class="waiting" aria-busy="true" /> }
}

#[derive(Clone, PartialEq, Properties)]
struct NoLessonProps {
    number: String,
}

#[component]
fn NoLesson(props: &NoLessonProps) -> Html {
    let text = use_text();
    html! {
        <section class="welcome">
            <h1>{ text.fill("lesson.unknown", &[("number", &props.number)]) }</h1>
            <a class="button primary" href="#/lesson/01">{ text.get("lesson.to-first") }</a>
        </section>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct BenchProps {
    way: Option<Way>,
    start: Query,
    keeps: bool,
    lessons: Rc<[LessonSummary]>,
    route: Route,
    hexadecimal: bool,
    on_hexadecimal: Callback<bool>,
}

#[component]
fn Bench(props: &BenchProps) -> Html {
    let text = use_text();
    let run = use_run(props.start.clone());
    let unkept = use_kept(run.revision, props.keeps);
    let column = use_state_eq(|| Column::Stage);
    // A link into the store shows the inspector where only one column fits.
    use_effect_with(props.route.place.clone(), {
        let column = column.clone();
        move |place: &Place| {
            if *place != Place::default() {
                column.set(Column::Inspector);
            }
        }
    });
    let aim = use_state_eq(|| None::<Aim>);
    let on_aim = use_callback((), {
        let aim = aim.setter();
        move |to: Option<Aim>, ()| aim.set(to)
    });
    let on_key = use_callback((run.on_move.clone(), on_aim.clone()), |key: String, (on_move, on_aim)| {
        if key.eq_ignore_ascii_case("c") {
            on_aim.emit(Some(Aim::default()));
            return true;
        }
        match Move::of_key(&key) {
            Some(to) => {
                on_move.emit(to);
                true
            }
            None => false,
        }
    });
    use_keys(on_key);
    let position = run.picture.as_ref().map_or(0, |picture| picture.run.position);
    let on_do = run.on_plan.reform(move |moves| Plan { moves, position });
    let on_set = run.on_ask.reform(|breakpoints| Query::SetBreakpoints { breakpoints });
    let on_switch = run.on_ask.reform(|branch| Query::Switch { branch });

    let Some(picture) = run.picture.clone() else {
        // A cluster that was kept and cannot be begun any more must not keep the reader out.
        let usual = run.on_ask.reform(|_: yew::MouseEvent| {
            sandbox::forget();
            runs::forget(runs::SANDBOX);
            USUAL_SANDBOX
        });
        return html! {
            <div class="bench-waiting">
                { run.trouble(&text) }
                if run.error.is_some() && props.route.screen == Screen::Sandbox {
                    <button type="button" class="button" onclick={usual}>{ text.get("cluster.usual") }</button>
                } else {
                    <div class="waiting" aria-busy="true" />
                }
            </div>
        };
    };
    let world = &picture.run;
    // Without a lesson there is only what can be done.
    let text_column = if picture.lesson.is_some() { "column.text" } else { "column.actions" };
    // The numbers of the stage lead into the store of this screen, whichever broker's it shows.
    let links = StoreContext {
        source: Source::Broker { node: String::new() },
        revision: run.revision,
        route: props.route.clone(),
        hexadecimal: props.hexadecimal,
    };
    html! {
        <ContextProvider<FaultContext> context={FaultContext { on_aim: on_aim.reform(Some) }}>
        <div class="bench">
            <div class="columns-tabs" role="group" aria-label={text.get("column.label")}>
                { for Column::ALL.iter().map(|(which, key, _)| {
                    let (which, here) = (*which, *column == *which);
                    let name = if which == Column::Text { text_column } else { *key };
                    let column = column.clone();
                    html! {
                        <button
                            key={*key}
                            type="button"
                            class={classes!("tab", here.then_some("is-here"))}
                            aria-pressed={here.to_string()}
                            onclick={move |_| column.set(which)}
                            data-testid={*key}
                        >{ text.get(name) }</button>
                    }
                }) }
            </div>
            <div class={classes!("columns", Column::ALL.iter().find(|(which, ..)| *which == *column).map(|(.., class)| *class))}>
                <section class="column column-text" aria-label={text.get(text_column)}>
                    <Arrived
                        way={props.way.clone()}
                        {unkept}
                        on_anew={run.on_ask.reform(|()| Query::Reset)}
                    />
                    <TextColumn run={run.clone()} picture={picture.clone()} lessons={props.lessons.clone()} />
                </section>
                <section class="column column-stage" aria-label={text.get("column.stage")}>
                    <ContextProvider<StoreContext> context={links}>
                    <BrokenAlert broken={picture.broken.clone()} on_seek={run.on_seek.clone()} />
                    <PlantedNote planted={picture.planted.clone()} hidden={cluster_hides(&picture.planted)} />
                    <StageView
                        stage={world.stage.clone()}
                        now_us={world.now_us}
                        position={world.position}
                        route={props.route.clone()}
                    />
                    <div class="card saying-card"><Saying event={world.event.as_deref().cloned()} /></div>
                    <Rulers rulers={world.rulers.clone()} down={down(world)} route={props.route.clone()} />
                    <h2 class="label">{ text.get("timeline.title") }</h2>
                    <PastBar
                        past={picture.past.clone()}
                        position={world.position}
                        stage={world.stage.clone()}
                        rulers={world.rulers.clone()}
                        refused={run.refused_breakpoint(&text)}
                        on_move={run.on_move.clone()}
                        on_set={on_set.clone()}
                        on_switch={on_switch.clone()}
                    />
                    if let Some(timeline) = run.timeline.clone() {
                        <TimelineView
                            {timeline}
                            position={world.position}
                            past={picture.past.clone()}
                            on_seek={run.on_seek.clone()}
                            {on_set}
                            {on_switch}
                        />
                    }
                    <p class="small">
                        <a href={Route::screen(Screen::Compare { preset: None }).to_string()} data-testid="to-compare">
                            { text.get("compare.from-run") }
                        </a>
                    </p>
                    </ContextProvider<StoreContext>>
                </section>
                <section class="column column-inspector" aria-label={text.get("column.inspector")}>
                    <BrokerInspector bench={props.clone()} run={run.clone()} picture={picture.clone()} />
                </section>
            </div>
            <Transport
                position={world.position}
                length={world.length}
                now_us={world.now_us}
                at_rest={world.at_rest}
                next_us={world.next_us}
                running={run.running}
                speed={run.speed}
                on_move={run.on_move.clone()}
                on_speed={run.on_speed.clone()}
                on_fault={on_aim.reform(|()| Some(Aim::default()))}
            />
            <FaultMenu
                aim={(*aim).clone()}
                on_close={on_aim.reform(|()| None)}
                stage={world.stage.clone()}
                rulers={world.rulers.clone()}
                event={world.event.as_deref().cloned()}
                position={world.position}
                revision={run.revision}
                refused={run.refused(&text)}
                {on_do}
            />
        </div>
        </ContextProvider<FaultContext>>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct TextColumnProps {
    run: Run,
    picture: Rc<Picture>,
    lessons: Rc<[LessonSummary]>,
}

/// The lesson, or the sandbox's forms.
#[component]
fn TextColumn(props: &TextColumnProps) -> Html {
    let text = use_text();
    let (run, picture) = (&props.run, &props.picture);
    let id = picture.lesson.as_ref().map(|lesson| lesson.id.clone());
    let words = use_ask(id.clone().map(|id| Query::LessonText { id, language: text.lang().tag().to_owned() }), 0);
    let reached: Option<(Vec<String>, bool)> = picture.lesson.as_ref().map(|lesson| {
        let met = lesson.goals.iter().filter(|goal| goal.met).map(|goal| goal.id.clone()).collect();
        (met, lesson.finished)
    });
    use_effect_with((id.clone(), reached), |(id, reached)| {
        if let (Some(id), Some((goals, finished))) = (id, reached) {
            progress::keep(id, goals.iter().cloned());
            if *finished {
                progress::finish(id);
            }
        }
    });
    let on_wish = {
        let (ask, seek) = (run.on_ask.clone(), run.on_seek.clone());
        Callback::from(move |wish| match wish {
            Wish::Take(index) => ask.emit(Query::TakeOffer { index }),
            Wish::Choose(question, choice) => ask.emit(Query::Predict { question, choice }),
            Wish::Seek(position) => seek.emit(position),
            Wish::Solve => ask.emit(Query::Solve),
            Wish::Reset => ask.emit(Query::Reset),
        })
    };
    let on_act = use_callback(run.on_ask.clone(), |action, on_ask| on_ask.emit(Query::Act { action }));
    let trouble = run.trouble(&text);
    match (&picture.lesson, words.answer.as_deref()) {
        (Some(lesson), Some(Answer::LessonText(words))) => html! {
            <>
                { trouble }
                <LessonPane
                    lesson={lesson.clone()}
                    text={(**words).clone()}
                    met_before={progress::met(&lesson.id)}
                    lessons={props.lessons.clone()}
                    {on_wish}
                />
            </>
        },
        (Some(_), _) => html! { <Waiting asked={words} /> },
        (None, _) => html! {
            <SandboxPane
                stage={picture.run.stage.clone()}
                refusal={run.refusal(&text)}
                {on_act}
                on_reset={run.on_ask.reform(|()| Query::Reset)}
                revision={run.revision}
                refused_cluster={run.refused_cluster()}
                on_begin={run.on_ask.reform(|(cluster, seed)| {
                    sandbox::keep_begun(&cluster, seed);
                    Query::StartSandbox { cluster: Some(Box::new(cluster)), seed }
                })}
            />
        },
    }
}

#[derive(Clone, PartialEq, Properties)]
struct BrokerInspectorProps {
    bench: BenchProps,
    run: Run,
    picture: Rc<Picture>,
}

/// The inspector over a broker's disk.
#[component]
fn BrokerInspector(props: &BrokerInspectorProps) -> Html {
    let text = use_text();
    let world = &props.picture.run;
    let run = &props.run;
    let is_broker = |node: &&NodePicture| node.kind == NodeKind::Broker;
    let brokers: Vec<String> = world.stage.nodes.iter().filter(is_broker).map(|node| node.name.clone()).collect();
    let chosen = use_state_eq(|| None::<String>);
    let node = chosen.as_ref().filter(|name| brokers.contains(name)).cloned().or_else(|| brokers.first().cloned());
    let Some(node) = node else { return html! { <div class="notice"><p>{ text.get("stage.no-broker") }</p></div> } };
    let context = StoreContext {
        source: Source::Broker { node: node.clone() },
        revision: run.revision,
        route: props.bench.route.clone(),
        hexadecimal: props.bench.hexadecimal,
    };
    let log = run.timeline.clone().map(|timeline| {
        html! {
            <Log
                event={world.event.as_deref().cloned()}
                {timeline}
                position={world.position}
                node={Some(node.clone())}
                on_seek={run.on_seek.clone()}
            />
        }
    });
    html! {
        <ContextProvider<SeekContext> context={SeekContext { seek: run.on_seek.clone() }}>
            <div class="disk-bar">
            if brokers.len() > 1 {
                <div class="brokers" role="group" aria-label={text.get("stage.brokers")}>
                    { for brokers.iter().map(|name| {
                        let (chosen, to) = (chosen.clone(), name.clone());
                        html! {
                            <button
                                key={name.clone()}
                                type="button"
                                class="button tiny"
                                aria-pressed={(*name == node).to_string()}
                                onclick={move |_| chosen.set(Some(to.clone()))}
                            >{ name.clone() }</button>
                        }
                    }) }
                </div>
            }
            <ExportStore node={node.clone()} revision={run.revision} />
            </div>
            <Inspector
                {context}
                follow={written_last(&props.picture, &node)}
                on_hexadecimal={props.bench.on_hexadecimal.clone()}
                recovery={html! { <BrokerRecovery node={node.clone()} /> }}
                world={world_tabs(&world.stage, &node, &props.bench.route.place, log.unwrap_or_default(), &text)}
            />
        </ContextProvider<SeekContext>>
    }
}

/// Whether the reader of the cluster editor wants to find out what is planted.
fn cluster_hides(planted: &[PlantedFault]) -> bool {
    !planted.is_empty() && sandbox::draft::<Draft>().is_some_and(|draft| draft.hides())
}

/// The brokers that have no process to tell where it stands.
fn down(run: &RunPicture) -> Vec<String> {
    let brokers = run.stage.nodes.iter().filter(|node| node.kind == NodeKind::Broker);
    let is_down = |name: &String| !run.rulers.iter().any(|ruler| ruler.broker == *name);
    brokers.map(|node| node.name.clone()).filter(is_down).collect()
}

/// Where the present event wrote to a node's disk, and last so where it wrote several times.
fn written_last(picture: &Picture, node: &str) -> Option<Place> {
    let event = picture.run.event.as_ref().filter(|event| event.node == node)?;
    let write =
        event.writes.iter().rev().find(|write| write.op == DiskOp::Write && !write.path.starts_with("config/"))?;
    Some(Place::Disk { file: Some(write.path.clone()), at: Some(write.offset) })
}

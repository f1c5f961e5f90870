//! What is wrong with the store, as the search finds it.

use rocketscope_engine::view::store::{Problem, ProblemsWindow};
use rocketscope_engine::view::{Answer, Query};
use wasm_bindgen_futures::spawn_local;
use yew::{Html, Properties, classes, component, hook, html, use_effect_with, use_state_eq};

use super::context::{Num, StoreContext, use_store_context};
use super::format;
use crate::backend::use_backend;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, name_of, use_text};
use crate::route::Place;

/// Bytes that the worker looks at before it answers other questions in between.
const BUDGET: u64 = 4 << 20;

/// Searches the store, whole, in the background, and gives what is found so far.
#[hook]
pub fn use_problems(context: &StoreContext) -> Option<ProblemsWindow> {
    let backend = use_backend();
    let found = use_state_eq(|| None::<ProblemsWindow>);
    use_effect_with((context.source.clone(), context.revision), {
        let found = found.clone();
        move |(source, _)| {
            let alive = std::rc::Rc::new(std::cell::Cell::new(true));
            found.set(None);
            if let Some(backend) = backend {
                let (alive, source) = (alive.clone(), source.clone());
                spawn_local(async move {
                    while alive.get() {
                        let query = Query::ScanProblems { source: source.clone(), budget: BUDGET };
                        let Ok(Answer::Problems(window)) = backend.ask(query).await else { return };
                        let finished = window.finished;
                        if alive.get() {
                            found.set(Some(window));
                        }
                        if finished {
                            return;
                        }
                    }
                });
            }
            move || alive.set(false)
        }
    });
    (*found).clone()
}

/// Properties of [`Problems`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What was found so far.
    pub window: Option<ProblemsWindow>,
}

/// The problems found.
#[component]
pub fn Problems(props: &Props) -> Html {
    let text = use_text();
    let context = use_store_context();
    let Some(window) = &props.window else { return html! { <div class="waiting" aria-busy="true" /> } };
    let part = window.done_bytes.saturating_mul(100).checked_div(window.total_bytes).unwrap_or(100);
    let clean = window.finished && window.found == 0;
    html! {
        <section class="pane problems" aria-labelledby="problems-title" data-testid="problems">
            <h2 class="label" id="problems-title">{ text.get("problems.title") }</h2>
            <div
                class="progress"
                role="progressbar"
                aria-label={text.get("problems.progress")}
                aria-valuemin="0"
                aria-valuemax="100"
                aria-valuenow={part.to_string()}
            >
                <i style={format!("width:{part}%")} />
            </div>
            <p class={classes!("narration", "status", clean.then_some("is-clean"))} role="status">
                if clean {
                    <Icon glyph={Glyph::Tick} />
                }
                { says(window, &text) }
            </p>
            <ol class="problem-list">
                { for window.problems.iter().enumerate().map(|(key, problem)| html! {
                    <li {key} class="problem">
                        <Icon glyph={Glyph::Warn} />
                        <div>
                            <p><strong>{ text.get(&format!("problem.{}", name_of(&problem.kind))) }</strong></p>
                            <p class="dim">{ sentence(problem, &text) }</p>
                            <p class="small"><Num
                                value={format!("{} @ {}", problem.file, context.position(problem.offset))}
                                to={Place::Disk { file: Some(problem.file.clone()), at: Some(problem.offset) }}
                            /></p>
                        </div>
                    </li>
                }) }
            </ol>
            if window.not_kept > 0 {
                <p class="dim">{ text.fill("problems.more", &[("count", &window.not_kept)]) }</p>
            }
        </section>
    }
}

fn says(window: &ProblemsWindow, text: &Text) -> String {
    let bytes = format::size(window.done_bytes);
    match (window.finished, window.found) {
        (true, 0) => text.fill("problems.none", &[("bytes", &bytes)]),
        (true, found) => text.fill("problems.found", &[("count", &found), ("bytes", &bytes)]),
        (false, found) => {
            let all = format::size(window.total_bytes);
            text.fill("problems.looking", &[("count", &found), ("bytes", &bytes), ("all", &all)])
        }
    }
}

/// What the problem means: in the catalogue's words where it has some for this kind, else as the engine says it.
fn sentence(problem: &Problem, text: &Text) -> String {
    let key = format!("problem.{}-says", name_of(&problem.kind));
    if !text.has(&key) {
        return problem.message.clone();
    }
    let slots: Vec<(&str, &dyn std::fmt::Display)> =
        problem.values.iter().map(|(name, value)| (name.as_str(), value as &dyn std::fmt::Display)).collect();
    text.fill(&key, &slots)
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::view::store::{Problem, ProblemKind};

    use super::sentence;
    use crate::i18n::{Lang, Text, name_of};

    const KINDS: [ProblemKind; 32] = [
        ProblemKind::BadMagic,
        ProblemKind::BadCrc,
        ProblemKind::BadSize,
        ProblemKind::BadBlank,
        ProblemKind::PhysicalOffsetMismatch,
        ProblemKind::HoleInLog,
        ProblemKind::RecordsBehindDamage,
        ProblemKind::StaleBytes,
        ProblemKind::WrongFileLength,
        ProblemKind::WrongFileName,
        ProblemKind::MissingFile,
        ProblemKind::MissingCommitLog,
        ProblemKind::UnitPointsNowhere,
        ProblemKind::UnitInsideRecord,
        ProblemKind::UnitMismatch,
        ProblemKind::UnitBeyondEnd,
        ProblemKind::QueueOffsetMismatch,
        ProblemKind::StaleUnits,
        ProblemKind::UnitsBelowMin,
        ProblemKind::RecordWithoutUnit,
        ProblemKind::RecordNotDispatched,
        ProblemKind::DuplicateQueueOffset,
        ProblemKind::IndexNewerThanCheckpoint,
        ProblemKind::IndexPointsNowhere,
        ProblemKind::IndexMismatch,
        ProblemKind::BadIndex,
        ProblemKind::RecordNotIndexed,
        ProblemKind::BadCheckpoint,
        ProblemKind::CheckpointAhead,
        ProblemKind::AbortExists,
        ProblemKind::BadConfig,
        ProblemKind::Unreadable,
    ];

    #[test]
    fn every_kind_has_a_title_and_a_sentence_in_every_language() {
        for lang in Lang::ALL {
            let text = Text::new(lang);
            for kind in KINDS {
                let name = name_of(&kind);
                assert!(text.has(&format!("problem.{name}")), "{name}");
                // Every value that the engine's sentence speaks of is spoken of here.
                let template = kind.template();
                let mut problem = Problem::new(kind, "file", 0);
                for slot in template.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(slot, _)| slot) {
                    problem = problem.with(slot, format!("<{slot}>"));
                }
                let said = sentence(&problem, &text);
                assert!(!said.contains('{'), "{name}: {said}");
                for slot in problem.values.keys() {
                    assert!(said.contains(&format!("<{slot}>")), "{name} says nothing of {slot}: {said}");
                }
            }
        }
    }

    #[test]
    fn english_says_what_the_engine_says() {
        let text = Text::new(Lang::En);
        for kind in KINDS {
            let problem = Problem::new(kind, "file", 0);
            assert_eq!(sentence(&problem, &text), problem.message);
        }
    }
}

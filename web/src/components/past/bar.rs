//! The bar above the timeline: undo, redo, the breakpoints, and the branches that were left.

use rocketscope_engine::lesson::Breakpoint;
use rocketscope_engine::view::past::PastPicture;
use rocketscope_engine::view::world::{Ruler, Stage};
use yew::{Callback, Html, Properties, classes, component, html, use_effect_with, use_state_eq};

use super::branches::branch_words;
use super::form::BreakpointForm;
use super::toggled;
use super::words::words;
use crate::components::workbench::{Move, MoveButton};
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// Properties of [`PastBar`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Branches, breakpoints, where undo and redo lead.
    pub past: PastPicture,
    /// Events taken.
    pub position: u64,
    /// The nodes.
    pub stage: Stage,
    /// One per broker that runs.
    pub rulers: Vec<Ruler>,
    /// Why the last breakpoint was not set.
    pub refused: Option<String>,
    /// A button was pressed.
    pub on_move: Callback<Move>,
    /// Set these breakpoints in place of those before.
    pub on_set: Callback<Vec<Breakpoint>>,
    /// Go back to a branch.
    pub on_switch: Callback<u32>,
}

/// The bar.
#[component]
pub fn PastBar(props: &Props) -> Html {
    let text = use_text();
    let past = &props.past;
    let open = use_state_eq(|| false);
    // What was described is set: the form has done its work.
    use_effect_with(past.breakpoints.clone(), {
        let open = open.setter();
        move |_| open.set(false)
    });
    let on_open = {
        let open = open.clone();
        Callback::from(move |_: yew::MouseEvent| open.set(!*open))
    };
    let button = |to: Move, words: &'static str, glyph: Glyph, off: bool| {
        let means = text.get(&format!("{words}-means"));
        html! { <MoveButton {to} {words} {glyph} class="tiny" {off} {means} on_move={props.on_move.clone()} /> }
    };
    let stopped = past.stopped_by.and_then(|place| past.breakpoints.get(place as usize));
    let on_add = {
        let (on_set, before) = (props.on_set.clone(), past.breakpoints.clone());
        Callback::from(move |one: Breakpoint| {
            let mut all: Vec<Breakpoint> = before.iter().filter(|other| **other != one).cloned().collect();
            all.push(one);
            on_set.emit(all);
        })
    };
    html! {
        <section class="past-bar" aria-label={text.get("past.label")} data-testid="past">
            <div class="past-row">
                { button(Move::Undo, "past.undo", Glyph::Undo, past.undo_to.is_none()) }
                { button(Move::Redo, "past.redo", Glyph::Redo, past.redo_to.is_none()) }
                <button
                    type="button"
                    class="button tiny"
                    aria-expanded={(*open).to_string()}
                    aria-controls="breakpoint-form"
                    onclick={on_open}
                    data-testid="past.add"
                >
                    <Icon glyph={Glyph::Add} /><span>{ text.get("past.add") }</span>
                </button>
                if !past.breakpoints.is_empty() {
                    { button(Move::Breakpoint, "past.run-to", Glyph::Run, false) }
                }
            </div>
            if *open {
                <BreakpointForm
                    stage={props.stage.clone()}
                    rulers={props.rulers.clone()}
                    refused={props.refused.clone()}
                    {on_add}
                />
            }
            if !past.breakpoints.is_empty() {
                <ul class="past-list" aria-label={text.get("past.breakpoints")} data-testid="breakpoints">
                    { for past.breakpoints.iter().map(|one| {
                        let (what, met) = (words(one, &text), Some(one) == stopped);
                        let without = toggled(&past.breakpoints, one);
                        html! {
                            <li key={what.clone()} class={classes!("breakpoint", met.then_some("is-met"))}>
                                <i class="breakpoint-mark" aria-hidden="true" />
                                <span class="mono">{ what.clone() }</span>
                                <button
                                    type="button"
                                    class="button quiet icon-only"
                                    aria-label={text.fill("past.remove", &[("what", &what)])}
                                    title={text.fill("past.remove", &[("what", &what)])}
                                    onclick={props.on_set.reform(move |_| without.clone())}
                                >
                                    <Icon glyph={Glyph::Close} />
                                </button>
                            </li>
                        }
                    }) }
                </ul>
            }
            <p class="past-stopped" role="status" data-testid="stopped-by">
                if let Some(one) = stopped {
                    { text.fill("past.stopped", &[("position", &props.position), ("what", &words(one, &text))]) }
                }
            </p>
            if !past.branches.is_empty() {
                <ul class="past-list" aria-label={text.get("past.branches")} data-testid="branches">
                    { for past.branches.iter().map(|branch| {
                        let (id, what) = (branch.id, branch_words(branch, &text));
                        html! {
                            <li key={id}>
                                <button
                                    type="button"
                                    class="button tiny"
                                    title={text.fill("past.switch", &[("branch", &id)])}
                                    onclick={props.on_switch.reform(move |_| id)}
                                    data-testid={format!("branch:{id}")}
                                >
                                    <Icon glyph={Glyph::Branch} /><span>{ what }</span>
                                </button>
                            </li>
                        }
                    }) }
                </ul>
            }
        </section>
    }
}

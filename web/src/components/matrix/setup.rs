//! What crashes, and how.

use std::rc::Rc;

use rocketscope_engine::matrix::{Fault, Plan};
use rocketscope_engine::sim::{Cluster, Survives};
use rocketscope_engine::view::{Answer, Query};
use yew::{AttrValue, Callback, Html, Properties, component, html, use_effect_with, use_state_eq};

use crate::backend::{AskError, use_ask};
use crate::components::form::{Choice, Input, Tick};
use crate::components::lessons::title;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// The lesson that is chosen at first.
const FIRST: &str = "01-three-messages";

/// Properties of [`Setup`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Whether a matrix is at work.
    pub going: bool,
    /// Begin this one.
    pub on_begin: Callback<Plan>,
    /// Stop the one that is at work.
    pub on_stop: Callback<()>,
}

/// The faults that can be chosen, with the numbers that some of them take.
#[derive(Clone, Debug, PartialEq)]
struct Faults {
    chosen: [bool; 7],
    pages: String,
    sectors: String,
    seed: String,
}

/// The names of the faults, in their order.
const FAULTS: [&str; 7] = ["kill", "tornWrite", "flushed", "everything", "prefix", "torn", "random"];

impl Default for Faults {
    fn default() -> Self {
        let chosen = [true, true, true, false, false, false, false];
        Self { chosen, pages: "1".to_owned(), sectors: "4".to_owned(), seed: "1".to_owned() }
    }
}

impl Faults {
    /// Those chosen; `None` if a number that one of them needs is none.
    fn read(&self) -> Option<Vec<Fault>> {
        let power = |survives| Some(Fault::PowerLoss { survives });
        let pages = || self.pages.trim().parse().ok();
        let one = |name: &str| match name {
            "kill" => Some(Fault::Kill),
            "tornWrite" => Some(Fault::TornWrite),
            "flushed" => power(Survives::Flushed),
            "everything" => power(Survives::Everything),
            "prefix" => power(Survives::Prefix { pages: pages()? }),
            "torn" => {
                let sectors = self.sectors.trim().parse().ok().filter(|sectors| (1..8).contains(sectors))?;
                power(Survives::Torn { pages: pages()?, sectors })
            }
            _ => power(Survives::Random { seed: self.seed.trim().parse().ok()? }),
        };
        FAULTS.iter().zip(self.chosen).filter(|(_, chosen)| *chosen).map(|(name, _)| one(name)).collect()
    }

    fn needs(&self, names: &[&str]) -> bool {
        FAULTS.iter().zip(self.chosen).any(|(name, chosen)| chosen && names.contains(name))
    }
}

/// The nodes of a cluster in its order.
fn nodes(cluster: &Cluster) -> Vec<String> {
    let names = cluster.brokers.iter().map(|node| &node.name);
    let names = names.chain(cluster.name_servers.iter().map(|node| &node.name));
    let names = names.chain(cluster.producers.iter().map(|node| &node.name));
    let names = names.chain(cluster.consumers.iter().map(|node| &node.name));
    names.chain(cluster.databases.iter().map(|node| &node.name)).cloned().collect()
}

/// The form.
#[component]
pub fn Setup(props: &Props) -> Html {
    let text = use_text();
    let lesson = use_state_eq(|| FIRST.to_owned());
    let faults = use_state_eq(Faults::default);
    let targets = use_state_eq(Vec::<String>::new);
    let lessons = use_ask(Some(Query::Lessons), 0);
    let wanted = Some((*lesson).clone()).filter(|lesson| !lesson.is_empty());
    let asked = use_ask(Some(Query::MatrixPlan { lesson: wanted }), 0);
    let plan: Option<Rc<Plan>> = match asked.answer.as_deref() {
        Some(Answer::MatrixPlan(plan)) => Some(Rc::new((**plan).clone())),
        _ => None,
    };
    // While another scenario is on its way, the one before is shown and cannot be begun.
    let here = plan.as_ref().filter(|_| !asked.waiting);
    // Another scenario begins with its own targets.
    use_effect_with(here.map(|plan| plan.targets.clone()), {
        let targets = targets.setter();
        move |usual: &Option<Vec<String>>| {
            if let Some(usual) = usual {
                targets.set(usual.clone());
            }
        }
    });
    let list = match lessons.answer.as_deref() {
        Some(Answer::Lessons(list)) => list.as_slice(),
        _ => &[],
    };
    let ids = list.iter().map(|lesson| lesson.id.clone());
    let names = list.iter().map(|lesson| format!("{} {}", lesson.number, title(lesson, text.lang())));
    let on_lesson = {
        let lesson = lesson.setter();
        Callback::from(move |to| lesson.set(to))
    };
    let read = faults.read();
    let ready = here.is_some() && !targets.is_empty() && read.as_ref().is_some_and(|faults| !faults.is_empty());
    let on_begin = {
        let (begin, plan, targets, read) = (props.on_begin.clone(), plan.clone(), targets.clone(), read.clone());
        Callback::from(move |_: yew::MouseEvent| {
            if let (Some(plan), Some(faults)) = (&plan, &read) {
                begin.emit(Plan { targets: (*targets).clone(), faults: faults.clone(), ..(**plan).clone() });
            }
        })
    };
    let number = |id: &'static str, label: &str, value: &str, set: fn(&mut Faults, String)| {
        let faults = faults.clone();
        let on_change = Callback::from(move |to| {
            let mut next = (*faults).clone();
            set(&mut next, to);
            faults.set(next);
        });
        html! { <Input {id} label={text.get(label)} value={value.to_owned()} {on_change} number=true bad={read.is_none()} /> }
    };
    html! {
        <form class="mx-setup" onsubmit={|event: yew::SubmitEvent| event.prevent_default()} aria-label={text.get("matrix.setup")}>
            <Choice
                id="matrix-scenario"
                label={text.get("matrix.scenario")}
                options={ids.collect::<Vec<_>>()}
                names={names.collect::<Vec<_>>()}
                none={text.get("matrix.open-run")}
                value={(*lesson).clone()}
                on_change={on_lesson}
            />
            if let Some(AskError::Failed(failure)) = &asked.error {
                <p class="warning" role="alert" data-testid="matrix-no-plan">
                    <Icon glyph={Glyph::Warn} />
                    <span>{ if lesson.is_empty() { text.get("matrix.nothing-open") } else { failure.message.clone() } }</span>
                </p>
            }
            if let Some(plan) = &plan {
                <p class="small dim">{ text.count("matrix.events", i64::try_from(plan.length).unwrap_or(i64::MAX)) }</p>
            }
            <fieldset class="mx-group">
                <legend class="label">{ text.get("matrix.faults") }</legend>
                { for FAULTS.iter().zip(faults.chosen).enumerate().map(|(at, (name, chosen))| {
                    let faults = faults.clone();
                    let on_change = Callback::from(move |to| {
                        let mut next = (*faults).clone();
                        if let Some(chosen) = next.chosen.get_mut(at) {
                            *chosen = to;
                        }
                        faults.set(next);
                    });
                    let label = text.get(&format!("matrix.fault.{name}"));
                    html! { <Tick key={*name} id={AttrValue::from(format!("matrix-fault-{name}"))} {label} value={chosen} {on_change} /> }
                }) }
                if faults.needs(&["prefix", "torn"]) {
                    { number("matrix-pages", "survives.pages", &faults.pages, |faults, to| faults.pages = to) }
                }
                if faults.needs(&["torn"]) {
                    { number("matrix-sectors", "survives.sectors", &faults.sectors, |faults, to| faults.sectors = to) }
                }
                if faults.needs(&["random"]) {
                    { number("matrix-seed", "survives.seed", &faults.seed, |faults, to| faults.seed = to) }
                }
            </fieldset>
            if let Some(plan) = &plan {
                <fieldset class="mx-group">
                    <legend class="label">{ text.get("matrix.targets") }</legend>
                    { for nodes(&plan.cluster).into_iter().map(|node| {
                        let chosen = targets.contains(&node);
                        let on_change = {
                            let (targets, node, order) = (targets.clone(), node.clone(), nodes(&plan.cluster));
                            Callback::from(move |to: bool| {
                                let is_in = |one: &String| if *one == node { to } else { targets.contains(one) };
                                targets.set(order.iter().filter(|one| is_in(one)).cloned().collect());
                            })
                        };
                        let id = AttrValue::from(format!("matrix-target-{node}"));
                        html! { <Tick key={node.clone()} {id} label={node.clone()} value={chosen} {on_change} /> }
                    }) }
                    <p class="small dim">{ text.get("matrix.targets-mean") }</p>
                </fieldset>
            }
            <div class="mx-buttons">
                <button type="button" class="button primary" disabled={!ready || props.going} onclick={on_begin} data-testid="matrix-begin">
                    <Icon glyph={Glyph::Run} />{ text.get("matrix.begin") }
                </button>
                <button type="button" class="button" disabled={!props.going} onclick={props.on_stop.reform(|_| ())} data-testid="matrix-stop">
                    <Icon glyph={Glyph::Stop} />{ text.get("matrix.stop") }
                </button>
            </div>
        </form>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ticked_is_what_crashes() {
        let faults = Faults::default();
        let flushed = Fault::PowerLoss { survives: Survives::Flushed };
        assert_eq!(faults.read(), Some(vec![Fault::Kill, Fault::TornWrite, flushed]));
        let torn = Faults { chosen: [false, false, false, false, true, true, true], ..Faults::default() };
        let survives =
            [Survives::Prefix { pages: 1 }, Survives::Torn { pages: 1, sectors: 4 }, Survives::Random { seed: 1 }];
        assert_eq!(torn.read(), Some(survives.map(|survives| Fault::PowerLoss { survives }).to_vec()));
        // A page has eight sectors: all of them would be the page.
        assert_eq!(Faults { sectors: "8".to_owned(), ..torn }.read(), None);
    }
}

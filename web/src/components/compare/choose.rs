//! What to compare: something ready, or one change to the run that is open.

use std::rc::Rc;

use rocketscope_engine::compare::{Change, Preset};
use rocketscope_engine::node::ConfigKey;
use rocketscope_engine::view::world::NodeKind;
use rocketscope_engine::view::{CompareChoices, KeysPicture, NodeChoice, RunChoices};
use yew::{Callback, Html, Properties, component, html, use_state_eq};

use crate::components::form::{Choice, Input};
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};
use crate::route::{Route, Screen};

/// Properties of [`Choose`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What there is.
    pub choices: Rc<CompareChoices>,
    /// What can be set.
    pub keys: Rc<KeysPicture>,
    /// Compare the run that is open with it changed so.
    pub on_change: Callback<Change>,
}

/// What to compare.
#[component]
pub fn Choose(props: &Props) -> Html {
    let text = use_text();
    html! {
        <>
            <section class="card compare-choose" aria-labelledby="compare-presets">
                <h2 class="label" id="compare-presets">{ text.get("compare.choose.presets") }</h2>
                <ul class="compare-presets">
                    { for props.choices.presets.iter().map(|preset| draw_preset(preset, &text)) }
                </ul>
            </section>
            <section class="card compare-choose" aria-labelledby="compare-own">
                <h2 class="label" id="compare-own">{ text.get("compare.choose.own") }</h2>
                if let Some(run) = &props.choices.run {
                    <Own run={run.clone()} keys={props.keys.clone()} on_change={props.on_change.clone()} />
                } else {
                    <p class="dim" data-testid="compare-no-run">{ text.get("compare.choose.no-run") }</p>
                }
            </section>
        </>
    }
}

fn draw_preset(preset: &Preset, text: &Text) -> Html {
    let to = Route::screen(Screen::Compare { preset: Some(preset.id.clone()) });
    html! {
        <li key={preset.id.clone()}>
            <a class="compare-preset" href={to.to_string()} data-testid={format!("compare-preset-{}", preset.id)}>
                <strong>{ text.get(&format!("compare.preset.{}", preset.id)) }</strong>
                <span class="dim">{ text.rich(&format!("compare.preset-says.{}", preset.id), &[]) }</span>
            </a>
        </li>
    }
}

/// Kinds of changes, by the names that the texts know them by.
const CONFIG: &str = "config";
const ADD_SLAVE: &str = "add-slave";
const ADD_CONSUMER: &str = "add-consumer";
const REMOVE_NODE: &str = "remove-node";
const RECORD_KEY: &str = "record-key";
const SEED: &str = "seed";

/// The change as it is being written.
#[derive(Clone, PartialEq)]
struct Draft {
    kind: String,
    node: String,
    key: String,
    value: String,
}

impl Draft {
    /// The first of a kind that the run offers.
    fn of(kind: &str, run: &RunChoices, keys: &KeysPicture) -> Self {
        let node = nodes(kind, run).first().map(|node| node.name.clone()).unwrap_or_default();
        let mut draft = Self { kind: kind.to_owned(), node, key: String::new(), value: String::new() };
        draft.fill(run, keys);
        draft
    }

    /// What is set now stands where the new value goes.
    fn fill(&mut self, run: &RunChoices, keys: &KeysPicture) {
        let Some(node) = run.nodes.iter().find(|node| node.name == self.node) else {
            self.value = if self.kind == SEED { run.seed.to_string() } else { String::new() };
            return;
        };
        if self.kind == CONFIG {
            let known = keys_of(node, keys);
            if !known.iter().any(|key| key.key == self.key) {
                let usual = known.iter().find(|key| key.key == usual(node)).or(known.first());
                self.key = usual.map(|key| key.key.clone()).unwrap_or_default();
            }
            let default = known.iter().find(|key| key.key == self.key).map(|key| key.value.clone());
            self.value = node.config.get(&self.key).cloned().or(default).unwrap_or_default();
        } else if self.kind == RECORD_KEY {
            self.value = node.record_key.clone().unwrap_or_default();
        }
    }

    /// The change; `None` where a number is none.
    fn change(&self) -> Option<Change> {
        let node = self.node.clone();
        Some(match self.kind.as_str() {
            ADD_SLAVE => Change::AddSlave { master: node },
            ADD_CONSUMER => Change::AddConsumer { like: node },
            REMOVE_NODE => Change::RemoveNode { node },
            RECORD_KEY => Change::RecordKey { consumer: node, key: self.value.clone() },
            SEED => Change::Seed { seed: self.value.trim().parse().ok()? },
            _ => {
                let value = Some(self.value.trim().to_owned()).filter(|value| !value.is_empty());
                Change::Config { node, key: self.key.clone(), value }
            }
        })
    }
}

/// The key that is offered first.
fn usual(node: &NodeChoice) -> &'static str {
    match node.kind {
        NodeKind::Broker => "flushDiskType",
        NodeKind::Consumer if node.push => "consumeThreadMin",
        _ => "sendMsgTimeout",
    }
}

/// What a node can be set to.
fn keys_of(node: &NodeChoice, keys: &KeysPicture) -> Vec<ConfigKey> {
    let lists: &[&Vec<ConfigKey>] = match node.kind {
        NodeKind::NameServer => &[&keys.name_server],
        NodeKind::Broker => &[&keys.store, &keys.broker],
        NodeKind::Consumer if node.push => &[&keys.push_consumer, &keys.client],
        _ => &[&keys.client],
    };
    let mut all: Vec<ConfigKey> = lists.iter().flat_map(|list| list.iter().cloned()).collect();
    all.sort_by(|one, other| one.key.cmp(&other.key));
    all
}

/// The nodes that a kind of change can be made to.
fn nodes<'r>(kind: &str, run: &'r RunChoices) -> Vec<&'r NodeChoice> {
    let fits = |node: &&NodeChoice| match kind {
        CONFIG | REMOVE_NODE => true,
        ADD_SLAVE => node.master,
        ADD_CONSUMER => node.push,
        RECORD_KEY => node.record_key.is_some(),
        _ => false,
    };
    run.nodes.iter().filter(fits).collect()
}

#[derive(Clone, PartialEq, Properties)]
struct OwnProps {
    run: RunChoices,
    keys: Rc<KeysPicture>,
    on_change: Callback<Change>,
}

/// One change to the run that is open.
#[component]
fn Own(props: &OwnProps) -> Html {
    let text = use_text();
    let (run, keys) = (&props.run, &props.keys);
    let draft = use_state_eq(|| Draft::of(CONFIG, run, keys));
    let edit = |change: fn(&mut Draft, String)| {
        let (draft, run, keys) = (draft.clone(), run.clone(), Rc::clone(keys));
        Callback::from(move |value: String| {
            let mut next = (*draft).clone();
            change(&mut next, value);
            next.fill(&run, &keys);
            draft.set(next);
        })
    };
    let on_kind = {
        let (draft, run, keys) = (draft.clone(), run.clone(), Rc::clone(keys));
        Callback::from(move |kind: String| draft.set(Draft::of(&kind, &run, &keys)))
    };
    let on_value = {
        let draft = draft.clone();
        Callback::from(move |value| draft.set(Draft { value, ..(*draft).clone() }))
    };
    let kinds: Vec<String> = [CONFIG, ADD_SLAVE, ADD_CONSUMER, RECORD_KEY, REMOVE_NODE, SEED]
        .iter()
        .filter(|kind| **kind == SEED || !nodes(kind, run).is_empty())
        .map(|kind| (*kind).to_owned())
        .collect();
    let names = kinds.iter().map(|kind| text.get(&format!("compare.kind.{kind}"))).collect::<Vec<_>>();
    let fitting: Vec<String> = nodes(&draft.kind, run).iter().map(|node| node.name.clone()).collect();
    let node = run.nodes.iter().find(|node| node.name == draft.node);
    let known = node.filter(|_| draft.kind == CONFIG).map(|node| keys_of(node, keys)).unwrap_or_default();
    let chosen = known.iter().find(|key| key.key == draft.key);
    let change = draft.change();
    let on_submit = {
        let (on_change, change) = (props.on_change.clone(), change.clone());
        Callback::from(move |event: yew::SubmitEvent| {
            event.prevent_default();
            if let Some(change) = change.clone() {
                on_change.emit(change);
            }
        })
    };
    let of = run.lesson.as_ref().map_or_else(
        || text.count("compare.choose.sandbox", run.events.cast_signed()),
        |lesson| text.fill("compare.choose.lesson", &[("lesson", lesson), ("count", &run.events)]),
    );
    html! {
        <form class="form compare-own" onsubmit={on_submit} data-testid="compare-own">
            <p class="dim">{ of }</p>
            <Choice
                id="compare-kind"
                label={text.get("compare.choose.kind")}
                options={kinds}
                {names}
                value={draft.kind.clone()}
                on_change={on_kind}
            />
            if !fitting.is_empty() {
                <Choice
                    id="compare-node"
                    label={text.get("compare.choose.node")}
                    options={fitting}
                    value={draft.node.clone()}
                    on_change={edit(|draft, node| draft.node = node)}
                />
            }
            if draft.kind == CONFIG {
                <Choice
                    id="compare-key"
                    label={text.get("compare.choose.key")}
                    options={known.iter().map(|key| key.key.clone()).collect::<Vec<_>>()}
                    value={draft.key.clone()}
                    on_change={edit(|draft, key| draft.key = key)}
                />
            }
            if [CONFIG, RECORD_KEY, SEED].contains(&draft.kind.as_str()) {
                <Input
                    id="compare-value"
                    label={text.get("compare.choose.value")}
                    value={draft.value.clone()}
                    number={draft.kind == SEED}
                    error={change.is_none().then(|| text.get("compare.choose.no-number"))}
                    on_change={on_value}
                />
            }
            if let Some(key) = chosen {
                <p class="dim small">{ text.fill("compare.choose.default", &[("value", &key.value)]) }</p>
            }
            <button type="submit" class="button primary" disabled={change.is_none()} data-testid="compare-begin">
                <Icon glyph={Glyph::Run} /><span>{ text.get("compare.choose.begin") }</span>
            </button>
        </form>
    }
}

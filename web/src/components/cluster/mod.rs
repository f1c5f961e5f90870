//! The cluster editor: the nodes of a world, one form each, and a world begun anew with them.

mod business_form;
mod condition_form;
mod database_field;
mod database_form;
mod databases;
mod draft;
mod found;
mod listener_form;
mod node;
mod node_form;
mod node_list;
mod outbox_form;
mod planted;
mod push;
mod push_form;
mod reading;
mod rules_form;
mod settings;
mod sharing_form;
mod tables;
mod templates;
mod topics;

use rocketscope_engine::sim::{Cluster, ClusterError};
use rocketscope_engine::view::{Answer, KeysPicture, Query};
use yew::{
    Callback, Html, Properties, UseReducerHandle, component, html, use_effect_with, use_mut_ref, use_reducer_eq,
    use_state_eq,
};

pub use self::draft::Draft;
use self::draft::Edit;
use self::found::{Found, of_error, of_problems};
use self::node::{Kind, Node};
use self::node_form::NodeForm;
use self::node_list::NodeList;
use self::planted::{PlantedForm, Planting};
use self::reading::Problem;
use self::templates::Template;
use crate::backend::use_ask;
use crate::components::form::Input;
use crate::components::store::Waiting;
use crate::components::{Dialog, Glyph, Icon};
use crate::i18n::{Text, use_text};
use crate::state::sandbox;

/// Properties of [`ClusterEditor`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Whether it is open.
    pub open: bool,
    /// The reader closed it, or the world was begun.
    pub on_close: Callback<()>,
    /// Changes with every picture of the run.
    pub revision: u64,
    /// Where the cluster that was last to begin is wrong.
    pub refused: Option<ClusterError>,
    /// Begin a world with this cluster and seed.
    pub on_begin: Callback<(Cluster, u64)>,
}

/// The editor: a dialog. What is in it stays in it while it is closed, and in the browser between visits.
#[component]
pub fn ClusterEditor(props: &Props) -> Html {
    let text = use_text();
    let draft = use_reducer_eq(|| sandbox::draft::<Draft>().unwrap_or_default());
    // The revision at which a world was to begin.
    let since = use_mut_ref(|| None::<u64>);
    let running = use_ask(props.open.then_some(Query::Cluster), props.revision);
    let runs = match running.answer.as_deref() {
        Some(Answer::Cluster(cluster)) => Some((**cluster).clone()),
        _ => None,
    };
    use_effect_with((runs.clone(), draft.nodes.is_empty()), {
        let dispatcher = draft.dispatcher();
        move |(runs, empty): &(Option<Cluster>, bool)| {
            if let (Some(cluster), true) = (runs, empty) {
                dispatcher.dispatch(Edit::Restore(Box::new(Draft::of(cluster, sandbox::seed()))));
            }
        }
    });
    use_effect_with((*draft).clone(), |draft: &Draft| {
        if !draft.nodes.is_empty() {
            sandbox::keep_draft(draft);
        }
    });
    use_effect_with(props.revision, {
        let (since, on_close) = (since.clone(), props.on_close.clone());
        move |revision| {
            let asked_at = *since.borrow();
            if asked_at.is_some_and(|asked_at| asked_at != *revision) {
                *since.borrow_mut() = None;
                on_close.emit(());
            }
        }
    });
    let on_begin = {
        let (on_begin, revision) = (props.on_begin.clone(), props.revision);
        Callback::from(move |what| {
            *since.borrow_mut() = Some(revision);
            on_begin.emit(what);
        })
    };
    html! {
        <Dialog
            id="cluster-editor"
            class="cluster"
            title={html! { <><Icon glyph={Glyph::Cluster} />{ text.get("cluster.title") }</> }}
            close={text.get("cluster.close")}
            open={props.open}
            on_close={props.on_close.clone()}
        >
            if props.open && !draft.nodes.is_empty() {
                <Inside {draft} {runs} refused={props.refused.clone()} {on_begin} />
            }
        </Dialog>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct InsideProps {
    draft: UseReducerHandle<Draft>,
    runs: Option<Cluster>,
    refused: Option<ClusterError>,
    on_begin: Callback<(Cluster, u64)>,
}

#[component]
fn Inside(props: &InsideProps) -> Html {
    let text = use_text();
    let draft = &props.draft;
    let chosen = use_state_eq(|| None::<u32>);
    let before = use_state_eq(|| None::<Draft>);
    let keys = use_ask(Some(Query::Keys), 0);
    let read = draft.read();
    let check = read.as_ref().ok().map(|(cluster, _)| Query::CheckCluster { cluster: Box::new(cluster.clone()) });
    let checked = use_ask(check, 0);
    let found: Vec<Found> = match (&read, checked.answer.as_deref()) {
        (Err(problems), _) => of_problems(problems, &text),
        (Ok(_), Some(Answer::Checked(Some(error)))) => vec![of_error(error, draft, &text)],
        (Ok(_), _) => Vec::new(),
    };
    let Some(Answer::Keys(keys)) = keys.answer.as_deref() else { return html! { <Waiting asked={keys} /> } };
    let node = chosen.and_then(|id| draft.node(id)).or(draft.nodes.iter().find(|node| node.kind() == Kind::Broker));
    let node = node.or(draft.nodes.first());
    let on_edit = {
        let (dispatcher, chosen) = (draft.dispatcher(), chosen.setter());
        let next = draft.next();
        Callback::from(move |edit: Edit| {
            // What is added is looked at.
            if matches!(edit, Edit::Add(_) | Edit::AddSlave(_)) {
                chosen.set(Some(next));
            }
            dispatcher.dispatch(edit);
        })
    };
    let on_take = {
        let (on_edit, before, now) = (on_edit.clone(), before.setter(), (**draft).clone());
        Callback::from(move |cluster: Cluster| {
            before.set(Some(now.clone()));
            on_edit.emit(Edit::Take(Box::new(cluster)));
        })
    };
    let on_undo = {
        let (on_edit, before) = (on_edit.clone(), before.clone());
        Callback::from(move |_: yew::MouseEvent| {
            if let Some(draft) = (*before).clone() {
                before.set(None);
                on_edit.emit(Edit::Restore(Box::new(draft)));
            }
        })
    };
    let on_choose = {
        let chosen = chosen.setter();
        Callback::from(move |id| chosen.set(Some(id)))
    };
    html! {
        <>
            <div class="cluster-templates" role="group" aria-label={text.get("cluster.templates")}>
                <span class="label">{ text.get("cluster.templates") }</span>
                { for Template::ALL.iter().map(|template| html! {
                    <button
                        key={template.name()}
                        type="button"
                        class="button tiny"
                        onclick={on_take.reform(|_| template.cluster())}
                        data-testid={format!("template:{}", template.name())}
                    >{ text.get(&format!("cluster.template.{}", template.name())) }</button>
                }) }
                if let Some(runs) = props.runs.clone() {
                    <button type="button" class="button tiny" onclick={on_take.reform(move |_| runs.clone())} data-testid="template:running">
                        { text.get("cluster.template.running") }
                    </button>
                }
                if before.is_some() {
                    <button type="button" class="button tiny" onclick={on_undo} data-testid="cluster-undo">
                        <Icon glyph={Glyph::Reset} />{ text.get("cluster.undo") }
                    </button>
                }
            </div>
            <div class="cluster-body">
                <NodeList
                    draft={(**draft).clone()}
                    chosen={node.map(|node| node.id)}
                    found={found.clone()}
                    on_choose={on_choose.clone()}
                    on_edit={on_edit.clone()}
                />
                <div class="cluster-form">
                    if let Some(node) = node {
                        { form(node, draft, keys, &found, &on_edit) }
                    }
                    <PlantedForm
                        planting={Planting { faults: draft.rest.planted.clone(), hidden: draft.hides() }}
                        cluster={read.as_ref().ok().map(|(cluster, _)| cluster.clone())}
                        on_change={on_edit.reform(|planting: Planting| Edit::Plant(planting.faults, planting.hidden))}
                    />
                </div>
            </div>
            { foot(props, &read, &found, &on_choose, &on_edit, &text) }
        </>
    }
}

fn form(node: &Node, draft: &Draft, keys: &KeysPicture, found: &[Found], on_edit: &Callback<Edit>) -> Html {
    let own: Vec<Found> = found.iter().filter(|found| found.node == Some(node.id)).cloned().collect();
    html! {
        <NodeForm
            key={node.id}
            node={node.clone()}
            draft={draft.clone()}
            keys={keys.clone()}
            found={own}
            on_edit={on_edit.clone()}
        />
    }
}

/// The seed, what is wrong, and the button that begins.
fn foot(
    props: &InsideProps,
    read: &Result<(Cluster, u64), Vec<Problem>>,
    found: &[Found],
    on_choose: &Callback<u32>,
    on_edit: &Callback<Edit>,
    text: &Text,
) -> Html {
    let begin = read.as_ref().ok().filter(|_| found.is_empty()).cloned();
    let disabled = begin.is_none();
    let on_begin = {
        let on_begin = props.on_begin.clone();
        Callback::from(move |_: yew::MouseEvent| {
            if let Some(what) = begin.clone() {
                on_begin.emit(what);
            }
        })
    };
    // What was refused although it had been looked over: the engine's own words.
    let refused = props.refused.as_ref().filter(|_| found.is_empty()).map(|error| of_error(error, &props.draft, text));
    let bad_seed = found.iter().any(|found| found.field == "seed");
    html! {
        <div class="cluster-foot">
            <div class="cluster-found" role="status" data-testid="cluster-found">
                { for found.iter().chain(&refused).take(3).map(|found| {
                    let name = found.node.and_then(|id| props.draft.node(id)).map(|node| node.name.clone());
                    let at = found.node;
                    let on_choose = on_choose.clone();
                    html! {
                        <p class="field-error">
                            <Icon glyph={Glyph::Warn} />
                            if let (Some(name), Some(id)) = (name, at) {
                                <button type="button" class="link-button" onclick={move |_| on_choose.emit(id)}>
                                    { if name.trim().is_empty() { text.get("cluster.nameless") } else { name } }
                                </button>
                            }
                            <span>{ found.words.clone() }</span>
                        </p>
                    }
                }) }
                if found.is_empty() && refused.is_none() {
                    <p class="dim small">{ text.get("cluster.begin-says") }</p>
                }
            </div>
            <div class="cluster-seed">
                <Input
                    id="cluster-seed"
                    label={text.get("cluster.seed")}
                    value={props.draft.seed.clone()}
                    on_change={on_edit.reform(Edit::Seed)}
                    number=true
                    bad={bad_seed}
                />
            </div>
            <button type="button" class="button primary" {disabled} onclick={on_begin} data-testid="cluster-begin">
                <Icon glyph={Glyph::Step} />{ text.get("cluster.begin") }
            </button>
        </div>
    }
}

//! Files: a bit that flips, a file that is deleted or cut.

use rocketscope_engine::sim::{Action, NodeState};
use rocketscope_engine::view::store::{FileTree, StoreAnswer, StoreQuery, TreeNode};
use rocketscope_engine::view::world::NodePicture;
use rocketscope_engine::view::{Answer, Query, Source};
use yew::{Callback, Html, MouseEvent, Properties, component, html, use_state_eq};

use super::survives::NumberField;
use crate::backend::use_ask;
use crate::components::form::Choice;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// Properties of [`Panel`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The broker.
    pub node: NodePicture,
    /// Changes whenever its bytes may have.
    pub revision: u64,
    /// The file that is looked at.
    pub file: Option<String>,
    /// The byte of it that is.
    pub at: Option<u64>,
    /// Do something.
    pub on_act: Callback<Action>,
}

/// What can be done to files.
#[component]
pub fn Panel(props: &Props) -> Html {
    let text = use_text();
    let source = Source::Broker { node: props.node.name.clone() };
    let asked = use_ask(Some(Query::Store { source, query: StoreQuery::Tree }), props.revision);
    let chosen = use_state_eq(|| props.file.clone());
    let tree = match asked.answer.as_deref() {
        Some(Answer::Store(answer)) => match &**answer {
            StoreAnswer::Tree(tree) => Some(tree),
            _ => None,
        },
        _ => None,
    };
    let Some(tree) = tree else { return html! { <div class="waiting" aria-busy="true" /> } };
    let files = paths(tree, false);
    // What is worth damaging first is a record.
    let log = files.iter().find(|path| path.starts_with("commitlog/"));
    let Some(first) = log.or(files.first()) else { return html! { <p class="dim">{ text.get("tree.empty") }</p> } };
    let file = chosen.as_ref().filter(|chosen| files.contains(chosen)).unwrap_or(first).clone();
    let len = tree.rows.iter().find(|row| row.path == file).map_or(0, |row| row.len);
    let down = props.node.state == NodeState::Down;
    let set_file = Callback::from({
        let chosen = chosen.clone();
        move |to| chosen.set(Some(to))
    });
    let broker = props.node.name.clone();
    html! {
        <>
            <Choice label={text.get("fault.file")} options={files} value={file.clone()} on_change={set_file} />
            <Flip
                key={format!("flip {file}")}
                broker={broker.clone()}
                file={file.clone()}
                {len}
                at={props.at.filter(|_| props.file.as_ref() == Some(&file))}
                revision={props.revision}
                on_act={props.on_act.clone()}
            />
            if !down {
                <p class="dim small">{ text.get("fault.files-down") }</p>
            }
            <Cut key={format!("cut {file}")} broker={broker.clone()} file={file.clone()} {len} off={!down} on_act={props.on_act.clone()} />
            <Delete {broker} paths={paths(tree, true)} {file} off={!down} on_act={props.on_act.clone()} />
        </>
    }
}

/// The files; folders too where they are wanted.
fn paths(tree: &FileTree, folders: bool) -> Vec<String> {
    let wanted = |node: &TreeNode| folders || matches!(node, TreeNode::File { .. });
    tree.rows.iter().filter(|row| wanted(&row.node)).map(|row| row.path.clone()).collect()
}

#[derive(Clone, PartialEq, Properties)]
struct FlipProps {
    broker: String,
    file: String,
    len: u64,
    at: Option<u64>,
    revision: u64,
    on_act: Callback<Action>,
}

/// One bit of a file turns round: shown before it is done.
#[component]
fn Flip(props: &FlipProps) -> Html {
    let text = use_text();
    let offset = use_state_eq(|| props.at.unwrap_or_default().to_string());
    let bit = use_state_eq(|| "0".to_owned());
    let at = offset.trim().parse::<u64>().ok().filter(|at| *at < props.len);
    let which = bit.trim().parse::<u8>().ok().filter(|bit| *bit < 8);
    let query = at.map(|start| Query::Store {
        source: Source::Broker { node: props.broker.clone() },
        query: StoreQuery::Hex { path: props.file.clone(), start, len: 1 },
    });
    let asked = use_ask(query, props.revision);
    let byte = match asked.answer.as_deref() {
        Some(Answer::Store(answer)) => match &**answer {
            StoreAnswer::Hex(window) if Some(window.start) == at => window.bytes.first().copied(),
            _ => None,
        },
        _ => None,
    };
    let on_click = {
        let (on_act, broker, path) = (props.on_act.clone(), props.broker.clone(), props.file.clone());
        Callback::from(move |_: MouseEvent| {
            if let (Some(offset), Some(bit)) = (at, which) {
                on_act.emit(Action::FlipBit { broker: broker.clone(), path: path.clone(), offset, bit });
            }
        })
    };
    html! {
        <fieldset class="survives">
            <legend>{ text.get("fault.flip") }</legend>
            <p class="dim small">{ text.rich("fault.flip-means", &[]) }</p>
            <div class="choice-numbers">
                <NumberField
                    id="offset"
                    label={text.get("fault.offset")}
                    value={(*offset).clone()}
                    bad={at.is_none()}
                    on_change={Callback::from({ let offset = offset.clone(); move |to| offset.set(to) })}
                />
                <NumberField
                    id="bit"
                    label={text.get("fault.bit")}
                    value={(*bit).clone()}
                    bad={which.is_none()}
                    on_change={Callback::from({ let bit = bit.clone(); move |to| bit.set(to) })}
                />
            </div>
            if let (Some(byte), Some(bit)) = (byte, which) {
                <p class="small mono" data-testid="fault-byte">{ format!("{byte:02X} → {:02X}", byte ^ (1 << bit)) }</p>
            }
            <button
                type="button"
                class="button danger"
                disabled={at.is_none() || which.is_none()}
                onclick={on_click}
                data-testid="fault-flip"
            >
                <Icon glyph={Glyph::Fault} />{ text.get("fault.flip-do") }
            </button>
        </fieldset>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct CutProps {
    broker: String,
    file: String,
    len: u64,
    off: bool,
    on_act: Callback<Action>,
}

/// The file is cut.
#[component]
fn Cut(props: &CutProps) -> Html {
    let text = use_text();
    let len = use_state_eq(|| (props.len / 2).to_string());
    let to = len.trim().parse::<u64>().ok().filter(|to| *to < props.len);
    let on_click = {
        let (on_act, broker, path) = (props.on_act.clone(), props.broker.clone(), props.file.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(len) = to {
                on_act.emit(Action::TruncateFile { broker: broker.clone(), path: path.clone(), len });
            }
        })
    };
    html! {
        <fieldset class="survives" disabled={props.off}>
            <legend>{ text.get("fault.truncate") }</legend>
            <div class="choice-numbers">
                <NumberField
                    id="len"
                    label={text.fill("fault.len", &[("len", &props.len)])}
                    value={(*len).clone()}
                    bad={to.is_none()}
                    on_change={Callback::from({ let len = len.clone(); move |to| len.set(to) })}
                />
                <button
                    type="button"
                    class="button danger"
                    disabled={props.off || to.is_none()}
                    onclick={on_click}
                    data-testid="fault-truncate"
                >
                    <Icon glyph={Glyph::Cut} />{ text.get("fault.truncate-do") }
                </button>
            </div>
        </fieldset>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct DeleteProps {
    broker: String,
    paths: Vec<String>,
    file: String,
    off: bool,
    on_act: Callback<Action>,
}

/// A file, or a folder with all below it, is deleted.
#[component]
fn Delete(props: &DeleteProps) -> Html {
    let text = use_text();
    let chosen = use_state_eq(|| None::<String>);
    let path = chosen.as_ref().filter(|path| props.paths.contains(path)).unwrap_or(&props.file).clone();
    let action = Action::DeleteFile { broker: props.broker.clone(), path: path.clone() };
    let on_click = props.on_act.reform(move |_: MouseEvent| action.clone());
    html! {
        <fieldset class="survives" disabled={props.off}>
            <legend>{ text.get("fault.delete") }</legend>
            <Choice
                label={text.get("fault.delete-what")}
                options={props.paths.clone()}
                value={path}
                on_change={Callback::from({ let chosen = chosen.clone(); move |to| chosen.set(Some(to)) })}
            />
            <button
                type="button"
                class="button danger"
                disabled={props.off}
                onclick={on_click}
                data-testid="fault-delete"
            >
                <Icon glyph={Glyph::Close} />{ text.get("fault.delete-do") }
            </button>
        </fieldset>
    }
}

//! The nodes of a cluster by kind.

use yew::{Callback, Html, Properties, component, html};

use super::draft::{Draft, Edit};
use super::found::Found;
use super::node::{Kind, Node};
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};

/// Properties of [`NodeList`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The cluster.
    pub draft: Draft,
    /// The node that is looked at.
    pub chosen: Option<u32>,
    /// What is wrong.
    pub found: Vec<Found>,
    /// Another node is to be looked at.
    pub on_choose: Callback<u32>,
    /// Change the draft.
    pub on_edit: Callback<Edit>,
}

/// The nodes by kind, and the way to one more of each.
#[component]
pub fn NodeList(props: &Props) -> Html {
    let text = use_text();
    html! {
        <nav class="cluster-nodes" aria-label={text.get("cluster.nodes")}>
            { for Kind::ALL.iter().map(|kind| {
                let kind = *kind;
                let plural = text.get(&format!("cluster.kinds.{}", kind.name()));
                html! {
                    <section key={kind.name()} class="cluster-kind">
                        <div class="cluster-kind-head">
                            <h3 class="label">{ plural.clone() }</h3>
                            <button
                                type="button"
                                class="button quiet icon-only tiny"
                                aria-label={text.fill("cluster.add", &[("kind", &text.get(&format!("cluster.kind.{}", kind.name())))])}
                                title={text.fill("cluster.add", &[("kind", &text.get(&format!("cluster.kind.{}", kind.name())))])}
                                onclick={props.on_edit.reform(move |_| Edit::Add(kind))}
                                data-testid={format!("add:{}", kind.name())}
                            ><Icon glyph={Glyph::Add} /></button>
                        </div>
                        { for props.draft.of_kind(kind).map(|node| list_item(props, node, &text)) }
                    </section>
                }
            }) }
        </nav>
    }
}

fn list_item(props: &Props, node: &Node, text: &Text) -> Html {
    let id = node.id;
    let bad = props.found.iter().any(|found| found.node == Some(id));
    let nameless = node.name.trim().is_empty();
    html! {
        <button
            key={id}
            type="button"
            class={yew::classes!("cluster-node", node.is_slave().then_some("is-slave"))}
            aria-pressed={(props.chosen == Some(id)).to_string()}
            onclick={props.on_choose.reform(move |_| id)}
            data-testid={format!("edit:{}", node.name)}
        >
            <span>{ if nameless { text.get("cluster.nameless") } else { node.name.clone() } }</span>
            if node.is_slave() {
                <span class="dim small">{ text.get("stage.slave") }</span>
            }
            if bad {
                <span class="field-error" title={text.get("cluster.wrong")}><Icon glyph={Glyph::Warn} /><span class="hidden">{ text.get("cluster.wrong") }</span></span>
            }
        </button>
    }
}

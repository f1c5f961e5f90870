//! The file tree.

use std::collections::BTreeSet;

use rocketscope_engine::view::store::{FileTree, TreeNode, TreeRow};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};
use yew::{Callback, Html, Properties, classes, component, html, use_state};

use super::context::use_store_context;
use super::format;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;
use crate::route::Place;

/// Rows above which the inner folders are shut at first.
const MANY: usize = 80;

/// Properties of [`Tree`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The files.
    pub tree: FileTree,
    /// The file that is looked at.
    pub selected: Option<String>,
}

/// The file tree.
#[component]
pub fn Tree(props: &Props) -> Html {
    let text = use_text();
    let context = use_store_context();
    // Folders whose state differs from the one they have at first.
    let turned = use_state(BTreeSet::<String>::new);
    let many = props.tree.rows.len() > MANY;
    let selected = props.selected.as_deref();
    let is_open = |row: &TreeRow| {
        let holds_selected =
            selected.is_some_and(|path| path.strip_prefix(&row.path).is_some_and(|rest| rest.starts_with('/')));
        let at_first = !many || row.depth == 0 && row.name != "consumequeue" || holds_selected;
        at_first != turned.contains(&row.path)
    };

    let mut shut_below: Option<u32> = None;
    let mut rows = Vec::new();
    for row in &props.tree.rows {
        if shut_below.is_some_and(|depth| row.depth > depth) {
            continue;
        }
        shut_below = None;
        let style = format!("--depth:{}", row.depth);
        let level = (row.depth + 1).to_string();
        rows.push(match &row.node {
            TreeNode::Dir { file_count } => {
                let open = is_open(row);
                if !open {
                    shut_below = Some(row.depth);
                }
                let (turned, path) = (turned.clone(), row.path.clone());
                let on_click = Callback::from(move |_| {
                    let mut next = (*turned).clone();
                    if !next.remove(&path) {
                        next.insert(path.clone());
                    }
                    turned.set(next);
                });
                html! {
                    <li key={row.path.clone()} role="treeitem" aria-level={level} aria-expanded={open.to_string()}>
                        <button type="button" class="tree-row" {style} onclick={on_click}>
                            <span class={classes!("tree-turn", open.then_some("is-open"))}><Icon glyph={Glyph::Right} /></span>
                            <span class="tree-name">{ format!("{}/", row.name) }</span>
                            <span class="tree-size">{ text.count("tree.files", *file_count as i64) }</span>
                        </button>
                    </li>
                }
            }
            TreeNode::File { .. } => {
                let here = selected == Some(row.path.as_str());
                let link = context.link(Place::Disk { file: Some(row.path.clone()), at: None });
                html! {
                    <li key={row.path.clone()} role="treeitem" aria-level={level} aria-selected={here.to_string()}>
                        <a
                            class={classes!("tree-row", here.then_some("is-here"))}
                            {style}
                            href={link}
                            data-testid={format!("file:{}", row.path)}
                        >
                            <span class="tree-turn" />
                            <span class="tree-name">{ row.name.clone() }</span>
                            <span class="tree-size">{ format::size(row.len) }</span>
                        </a>
                    </li>
                }
            }
        });
    }
    html! {
        <ul class="tree" role="tree" aria-label={text.get("tree.label")} onkeydown={move_focus} data-testid="tree">
            { for rows }
        </ul>
    }
}

/// Up and down move the focus over the rows in sight.
#[expect(clippy::needless_pass_by_value, reason = "the form of a listener")]
fn move_focus(event: KeyboardEvent) {
    let down = match event.key().as_str() {
        "ArrowDown" => true,
        "ArrowUp" => false,
        _ => return,
    };
    let row = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let Some(item) = row.and_then(|row| row.parent_element()) else { return };
    let next = if down { item.next_element_sibling() } else { item.previous_element_sibling() };
    let next = next.and_then(|item| item.first_element_child()).and_then(|row| row.dyn_into::<HtmlElement>().ok());
    if let Some(next) = next {
        event.prevent_default();
        // Focus fails only on an element that is gone.
        let _ = next.focus();
    }
}

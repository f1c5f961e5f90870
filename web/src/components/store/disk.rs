//! The Disk tab: files, bytes, and what the byte that is looked at is part of.

use rocketscope_engine::view::store::{FileKind, FileTree, StoreAnswer, StoreQuery, TreeNode};
use yew::{Callback, Html, Properties, component, html, use_context};

use super::context::{Waiting, use_picture, use_store_context};
use super::detail::Detail;
use super::format;
use super::hex::HexView;
use super::tree::Tree;
use crate::components::aim::{Aim, FaultContext, Section};
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;
use crate::route::Place;

/// Properties of [`Disk`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The file.
    pub file: Option<String>,
    /// Byte in the file.
    pub at: Option<u64>,
    /// A physical offset in place of file and byte.
    pub physical: Option<i64>,
    /// Whether what is shown follows the writes of the run; absent where nothing writes.
    pub follow: Option<bool>,
    /// Whether positions are written in hexadecimal.
    pub hexadecimal: bool,
    /// The reader wants them so.
    pub on_hexadecimal: Callback<bool>,
}

/// The Disk tab.
#[component]
pub fn Disk(props: &Props) -> Html {
    let text = use_text();
    let asked = use_picture(Some(StoreQuery::Tree));
    let query = props.physical.map(|physical_offset| StoreQuery::Record { physical_offset });
    let record = use_picture(query);
    let place = match (props.physical, record.store()) {
        (Some(at), Some(StoreAnswer::Record(Some(record)))) => {
            let inside = u64::try_from(at - record.row.physical_offset).unwrap_or(0);
            Some((record.file.clone(), Some(record.position + inside)))
        }
        (Some(_), _) => None,
        (None, _) => props.file.clone().map(|file| (file, props.at)),
    };
    let Some(StoreAnswer::Tree(tree)) = asked.store() else { return html! { <Waiting {asked} /> } };
    if tree.rows.is_empty() {
        return html! { <div class="notice"><p>{ text.get("tree.empty") }</p></div> };
    }
    // A commit log is what everything else points into, so that is what is seen first.
    let (file, at) = place.or_else(|| first_file(tree).map(|file| (file, None))).unwrap_or_default();
    let row = tree.rows.iter().find(|row| row.path == file);
    let kind = match row.map(|row| &row.node) {
        Some(TreeNode::File { file, .. }) => Some(*file),
        _ => None,
    };
    html! {
        <div class="disk">
            <section class="pane disk-tree" aria-label={text.get("tree.label")}>
                <Tree tree={tree.clone()} selected={Some(file.clone())} />
                <p class="dim small tree-sum">
                    { text.fill("tree.sum", &[("count", &tree.file_count), ("size", &format::size(tree.total_len))]) }
                </p>
            </section>
            <section class="pane disk-bytes" aria-label={text.fill("hex.label", &[("file", &file)])}>
                <Crumbs
                    file={file.clone()}
                    len={row.map_or(0, |row| row.len)}
                    {at}
                    follow={props.follow}
                    hexadecimal={props.hexadecimal}
                    on_hexadecimal={props.on_hexadecimal.clone()}
                />
                if let Some(row) = row {
                    if row.len == 0 {
                        <div class="notice"><p>{ text.get("hex.empty") }</p></div>
                    } else {
                        <HexView key={file.clone()} path={file.clone()} len={row.len} selected={at} />
                    }
                } else {
                    <div class="notice"><p>{ text.fill("hex.absent", &[("file", &file)]) }</p></div>
                }
            </section>
            <section class="pane disk-detail" aria-live="polite">
                if props.physical.is_some() && matches!(record.store(), Some(StoreAnswer::Record(None))) {
                    <div class="notice">
                        <p>{ text.fill("record.none", &[("offset", &props.physical.unwrap_or_default())]) }</p>
                    </div>
                } else {
                    <Detail file={file.clone()} {at} kind={kind.unwrap_or(FileKind::Other)} />
                }
            </section>
        </div>
    }
}

fn first_file(tree: &FileTree) -> Option<String> {
    let is = |wanted: Option<FileKind>| {
        move |row: &&rocketscope_engine::view::store::TreeRow| match &row.node {
            TreeNode::File { file, .. } => wanted.is_none_or(|wanted| wanted == *file),
            TreeNode::Dir { .. } => false,
        }
    };
    let find = |wanted| tree.rows.iter().find(is(wanted)).map(|row| row.path.clone());
    find(Some(FileKind::CommitLog)).or_else(|| find(None))
}

#[derive(Clone, PartialEq, Properties)]
struct CrumbsProps {
    file: String,
    len: u64,
    at: Option<u64>,
    follow: Option<bool>,
    hexadecimal: bool,
    on_hexadecimal: Callback<bool>,
}

/// The path of the file, and how positions are written.
#[component]
fn Crumbs(props: &CrumbsProps) -> Html {
    let text = use_text();
    let context = use_store_context();
    let names: Vec<&str> = props.file.split('/').collect();
    let last = names.len().saturating_sub(1);
    let hexadecimal = props.hexadecimal;
    // A byte of a simulated disk can be damaged where it is looked at.
    let aim = use_context::<FaultContext>().zip(context.node()).zip(props.at).map(|((fault, node), at)| {
        let aim =
            Aim { node: Some(node.to_owned()), section: Section::Files, file: Some(props.file.clone()), at: Some(at) };
        fault.on_aim.reform(move |_: yew::MouseEvent| aim.clone())
    });
    html! {
        <div class="crumbs">
            <p class="crumbs-path mono">
                { for names.iter().enumerate().map(|(index, name)| if index == last {
                    html! { <b><a href={context.link(Place::Disk { file: Some(props.file.clone()), at: None })}>{ *name }</a></b> }
                } else {
                    html! { <span class="dim">{ format!("{name} / ") }</span> }
                }) }
                <span class="dim">{ format!(" · {}", format::size(props.len)) }</span>
            </p>
            if props.follow == Some(true) {
                <span class="pill" title={text.get("hex.follows-means")}>{ text.get("hex.follows") }</span>
            } else if props.follow == Some(false) {
                <a class="button tiny" href={context.link(Place::default())} data-testid="follow">{ text.get("hex.follow") }</a>
            }
            if let Some(aim) = aim {
                <button
                    type="button"
                    class="button tiny icon-only fault-button"
                    aria-label={text.get("fault.byte-here")}
                    title={text.get("fault.byte-here")}
                    onclick={aim}
                    data-testid="flip-here"
                >
                    <Icon glyph={Glyph::Fault} />
                </button>
            }
            <button
                type="button"
                class="button tiny"
                aria-pressed={hexadecimal.to_string()}
                title={text.get("hex.base")}
                onclick={props.on_hexadecimal.reform(move |_| !hexadecimal)}
                data-testid="hexadecimal"
            >
                { if hexadecimal { "0x4B0" } else { "1200" } }
            </button>
        </div>
    }
}

//! The bytes of a file, each field in its tint, over files of any length.

mod palette;
mod rows;

use rocketscope_engine::view::store::{HexWindow, StoreAnswer, StoreQuery};
use rocketscope_engine::view::{Answer, ByteRange, Query};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, MouseEvent};
use yew::{Callback, Html, Properties, classes, component, hook, html, use_callback, use_node_ref, use_state_eq};

pub use palette::tint;
pub use rows::span_at;

use super::context::{StoreContext, Waiting, use_picture, use_store_context};
use super::scroll::{Scroller, Window};
use crate::backend::use_ask;
use crate::components::resize::use_resize;
use crate::i18n::use_text;
use crate::route::Place;

/// Bytes asked for at a time, and how far windows overlap: a scroll of less than a screen needs no new question.
const CHUNK: u64 = 4096;

const ROW_PX: u32 = 22;

/// Properties of [`HexView`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The file.
    pub path: String,
    /// Its length in bytes.
    pub len: u64,
    /// The byte that is looked at.
    pub selected: Option<u64>,
}

/// The bytes of a file.
#[component]
pub fn HexView(props: &Props) -> Html {
    let text = use_text();
    let context = use_store_context();
    let frame = use_node_ref();
    let width = use_state_eq(|| 16_u64);
    let on_resize = use_callback((), {
        let width = width.setter();
        // A column that is hidden has no width and says nothing.
        move |(pixels, _): (i32, i32), ()| {
            if pixels > 0 {
                width.set(if pixels < 404 { 8 } else { 16 });
            }
        }
    });
    use_resize(frame.clone(), on_resize);
    let width = *width;
    let seen = use_state_eq(Window::default);
    let middle = seen.first.saturating_mul(width);
    let start = (middle / (CHUNK / 2) * (CHUNK / 2)).saturating_sub(CHUNK / 2);
    let asked = use_picture(Some(StoreQuery::Hex { path: props.path.clone(), start, len: 2 * CHUNK }));
    let window = match asked.store() {
        Some(StoreAnswer::Hex(window)) if window.path == props.path => Some(window),
        _ => None,
    };

    let dirty = use_ranges(&context, &props.path, |node, path| Query::Dirty { node, path });
    let taken = use_ranges(&context, &props.path, |node, path| Query::Taken { node, path });
    let go = {
        let (context, path) = (context.clone(), props.path.clone());
        move |at: u64, keep: bool| {
            let address = context.link(Place::Disk { file: Some(path.clone()), at: Some(at) });
            let location = gloo::utils::window().location();
            // Neither fails on an address of our own. Moving by keys leaves no trail in the history.
            let _ = if keep { location.set_hash(&address) } else { location.replace(&address) };
        }
    };
    let on_click = {
        let go = go.clone();
        Callback::from(move |event: MouseEvent| {
            let run = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            let at = run.and_then(|run| run.get_attribute("data-at")).and_then(|at| at.parse().ok());
            if let Some(at) = at {
                go(at, true);
            }
        })
    };
    let on_key = {
        let (selected, len) = (props.selected, props.len);
        Callback::from(move |event: KeyboardEvent| {
            let Some(at) = selected else { return false };
            let to = match event.key().as_str() {
                "ArrowRight" => at.saturating_add(1),
                "ArrowLeft" => at.saturating_sub(1),
                "ArrowDown" => at.saturating_add(width),
                "ArrowUp" => at.saturating_sub(width),
                _ => return false,
            };
            if to < len {
                go(to, false);
            }
            true
        })
    };
    let on_window = {
        let seen = seen.clone();
        Callback::from(move |window| seen.set(window))
    };
    let rows = props.len.div_ceil(width);
    let look = Look {
        dirty: &dirty,
        taken: &taken,
        width,
        selected: props.selected,
        hexadecimal: context.hexadecimal,
        len: props.len,
    };
    let legend = context.node().map(|_| {
        let (key, class) = match (taken.is_empty(), dirty.is_empty()) {
            (false, _) => ("hex.lost", Some("is-lost")),
            (true, false) => ("hex.cached", None),
            (true, true) => ("hex.stable", Some("is-stable")),
        };
        html! { <p class="hex-legend small dim"><i class={classes!("legend-cached", class)} />{ text.get(key) }</p> }
    });
    html! {
        <>
        <div ref={frame} class={classes!("hex", (width == 8).then_some("is-narrow"))} data-testid="hex">
            if window.is_none() && asked.error.is_some() {
                <Waiting {asked} />
            } else {
                <Scroller
                    {rows}
                    row_px={ROW_PX}
                    window={*seen}
                    {on_window}
                    reveal={props.selected.map(|at| at / width)}
                    on_key={Some(on_key)}
                    label={text.fill("hex.label", &[("file", &props.path)])}
                >
                    <div class="hex-rows" onclick={on_click}>
                        { for (seen.first..rows.min(seen.first + seen.count)).map(|row| draw(window, row, look)) }
                    </div>
                </Scroller>
            }
        </div>
        { legend.unwrap_or_default() }
        </>
    }
}

/// Ranges of bytes of a file of a simulated disk that a question is answered with; none of a real one.
#[hook]
fn use_ranges(context: &StoreContext, path: &str, query: fn(String, String) -> Query) -> Vec<ByteRange> {
    let asked = use_ask(context.node().map(|node| query(node.to_owned(), path.to_owned())), context.revision);
    match asked.answer.as_deref() {
        Some(Answer::Dirty(ranges)) => ranges.clone(),
        _ => Vec::new(),
    }
}

#[derive(Clone, Copy)]
struct Look<'a> {
    dirty: &'a [ByteRange],
    taken: &'a [ByteRange],
    width: u64,
    selected: Option<u64>,
    hexadecimal: bool,
    len: u64,
}

/// Whether a run has bytes in any of the ranges.
fn touches(ranges: &[ByteRange], run: &rows::Run) -> bool {
    let end = run.at + run.bytes.len() as u64;
    ranges.iter().any(|range| range.start < end && run.at < range.end)
}

/// One row: where it is, its bytes, its characters.
fn draw(window: Option<&HexWindow>, row: u64, look: Look<'_>) -> Html {
    let start = row * look.width;
    let runs = window.map(|window| rows::runs(window, start, look.width)).unwrap_or_default();
    let chosen = window.zip(look.selected).and_then(|(window, at)| span_at(window, at));
    let class = |run: &rows::Run| {
        let span = run.span.and_then(|index| window?.spans.get(index));
        let is_chosen = match (chosen, span) {
            (Some(chosen), Some(span)) => chosen.start == span.start,
            (None, None) => look.selected.is_some_and(|at| (run.at..run.at + run.bytes.len() as u64).contains(&at)),
            _ => false,
        };
        let other =
            chosen.is_some() && span.is_some_and(|span| chosen.is_some_and(|chosen| chosen.owner != span.owner));
        classes!(
            "run",
            span.map(|span| tint(span.field)),
            is_chosen.then_some("is-chosen"),
            other.then_some("is-other"),
            touches(look.dirty, run).then_some("is-cached"),
            touches(look.taken, run).then_some("is-lost"),
        )
    };
    let gap = |run: &rows::Run| {
        let column = run.at - start;
        if column == 0 {
            ""
        } else if column == look.width / 2 {
            "  "
        } else {
            " "
        }
    };
    let digits =
        if look.hexadecimal { format!("{:X}", look.len).len().max(4) } else { look.len.to_string().len().max(4) };
    let label = if look.hexadecimal { format!("{start:0digits$X}") } else { format!("{start:>digits$}") };
    let unknown = "·· ".repeat(usize::try_from(look.width).unwrap_or(16));
    html! {
        <div class="hex-row" key={row}>
            <span class="hex-at">{ label }</span>
            <span class="hex-bytes">
                if window.is_none() || runs.is_empty() {
                    <span class="dim">{ unknown }</span>
                }
                { for runs.iter().map(|run| html! {
                    <>
                        { gap(run) }
                        <span class={class(run)} data-at={run.at.to_string()}>
                            { run.hex(run.at - start, look.width / 2) }
                        </span>
                    </>
                }) }
            </span>
            <span class="hex-text">
                { for runs.iter().map(|run| html! {
                    <span class={class(run)} data-at={run.at.to_string()}>{ run.ascii() }</span>
                }) }
            </span>
        </div>
    }
}

//! The curve: messages behind over time, simulated and by the formula.

use std::fmt::Write;
use std::rc::Rc;

use rocketscope_engine::backlog::{Clearing, Outlook, Point};
use web_sys::{Element, HtmlInputElement};
use yew::{Html, Properties, TargetCast, component, html, use_callback, use_node_ref, use_state};

use super::number::{compact, grouped, seconds, span};
use super::scale::{filled, tick, tick_of_seconds};
use crate::components::resize::use_resize;
use crate::i18n::{Text, use_text};

/// Height of the picture, pixels.
const HEIGHT: f64 = 300.0;
/// Room beside the plot for what stands at the axes, pixels.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 22.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 44.0;
/// Where the axis of time lies.
const FOOT: f64 = HEIGHT - BOTTOM;
/// The least distance of two ticks of time, pixels: room for `1 h 30 min`.
const TICK_ROOM: f64 = 92.0;

/// Width of a letter of the words at a mark, pixels.
const MARK_LETTER: f64 = 7.8;
/// Below this width, pixels, words are short.
const NARROW: f64 = 520.0;

/// Properties of [`Chart`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What the plan comes to.
    pub outlook: Rc<Outlook>,
}

/// The curve. What is at a moment is told below it; the moment follows the pointer and has a slider.
#[component]
pub fn Chart(props: &Props) -> Html {
    let text = use_text();
    let node = use_node_ref();
    let width = use_state(|| 640);
    let chosen = use_state(|| None::<u64>);
    let on_resize = use_callback(width.setter(), |(wide, _): (i32, i32), width| width.set(wide.max(240)));
    use_resize(node.clone(), on_resize);
    let outlook = &*props.outlook;
    let plot = Plot::of(outlook, f64::from(*width));
    let shown = point_at(outlook, chosen.unwrap_or_else(|| first_shown(outlook)));
    let on_move = {
        let (chosen, node) = (chosen.clone(), node.clone());
        move |event: yew::PointerEvent| {
            if let Some(element) = node.cast::<Element>() {
                let x = f64::from(event.client_x()) - element.get_bounding_client_rect().left();
                chosen.set(Some(plot.ms(x)));
            }
        }
    };
    let on_slide = {
        let (chosen, outlook) = (chosen.clone(), Rc::clone(&props.outlook));
        move |event: yew::InputEvent| {
            let index: usize = event.target_unchecked_into::<HtmlInputElement>().value().parse().unwrap_or(0);
            chosen.set(outlook.points.get(index).map(|point| point.at_ms));
        }
    };
    let index = outlook.points.iter().position(|point| point.at_ms == shown.at_ms).unwrap_or(0);
    html! {
        <div class="lab-chart">
            <ul class="lab-legend">
                <li><svg class="lab-key" viewBox="0 0 26 10" aria-hidden="true"><path d="M1 5h24" class="curve" /></svg>{ text.get("backlog.chart.simulated") }</li>
                <li><svg class="lab-key" viewBox="0 0 26 10" aria-hidden="true"><path d="M1 5h24" class="curve-formula" /></svg>{ text.get("backlog.chart.formula") }</li>
            </ul>
            <div class="lab-plot" ref={node} onpointermove={on_move}>
                <svg
                    width={width.to_string()}
                    height={HEIGHT.to_string()}
                    role="img"
                    aria-label={summary(outlook, &text)}
                    data-testid="backlog-chart"
                >
                    { axes(&plot, &text) }
                    <path class="curve-area" d={plot.area(&outlook.points)} />
                    <path class="curve" d={plot.line(&outlook.points, |point| point.behind)} data-testid="curve" />
                    <path class="curve-formula" d={plot.line(&outlook.points, |point| point.formula)} data-testid="curve-formula" />
                    { marks(&plot, outlook, &text) }
                    <path class="chart-now" d={format!("M{:.1} {TOP}V{FOOT:.1}", plot.x(shown.at_ms))} />
                    <circle class="chart-dot" cx={format!("{:.1}", plot.x(shown.at_ms))} cy={format!("{:.1}", plot.y(shown.behind))} r="4" />
                </svg>
            </div>
            <input
                class="lab-moment"
                type="range"
                min="0"
                max={outlook.points.len().saturating_sub(1).to_string()}
                step="1"
                value={index.to_string()}
                style={filled(index, outlook.points.len())}
                aria-label={text.get("backlog.chart.moment")}
                aria-valuetext={told(&shown, &text)}
                oninput={on_slide}
                data-testid="backlog-moment"
            />
            <p class="lab-told small" data-testid="backlog-told">{ told(&shown, &text) }</p>
        </div>
    }
}

/// The moment that is told until another is chosen: where it clears, or the end.
fn first_shown(outlook: &Outlook) -> u64 {
    match outlook.clearing {
        Clearing::At { ms } => ms,
        Clearing::Later { .. } | Clearing::Never => outlook.points.last().map_or(0, |point| point.at_ms),
    }
}

/// The point closest to a moment.
fn point_at(outlook: &Outlook, ms: u64) -> Point {
    outlook.points.iter().min_by_key(|point| point.at_ms.abs_diff(ms)).copied().unwrap_or(outlook.highest)
}

fn told(point: &Point, text: &Text) -> String {
    text.fill(
        "backlog.chart.told",
        &[
            ("time", &seconds(point.at_ms)),
            ("behind", &grouped(point.behind)),
            ("formula", &grouped(point.formula)),
            ("came", &grouped(point.came)),
            ("done", &grouped(point.done)),
        ],
    )
}

/// The picture in words.
fn summary(outlook: &Outlook, text: &Text) -> String {
    let (first, last) = (outlook.points.first(), outlook.points.last());
    let start = grouped(first.map_or(0, |point| point.behind));
    match outlook.clearing {
        Clearing::At { ms } => {
            let highest = grouped(outlook.highest.behind);
            text.fill("backlog.chart.says-clears", &[("start", &start), ("highest", &highest), ("time", &seconds(ms))])
        }
        Clearing::Later { .. } | Clearing::Never => {
            let horizon = seconds(last.map_or(0, |point| point.at_ms));
            let left = grouped(outlook.left);
            text.fill("backlog.chart.says-left", &[("start", &start), ("left", &left), ("time", &horizon)])
        }
    }
}

/// Where the plot lies in the picture.
#[derive(Clone, Copy)]
struct Plot {
    width: f64,
    /// The end of the axis of time, milliseconds.
    ms: u64,
    /// The end of the axis of messages.
    most: u64,
    /// Distance of ticks, messages.
    tick: u64,
}

impl Plot {
    fn of(outlook: &Outlook, width: f64) -> Self {
        let most = outlook.points.iter().map(|point| point.behind.max(point.formula)).max().unwrap_or(0).max(1);
        let tick = tick(most, 5);
        let ms = outlook.points.last().map_or(1, |point| point.at_ms).max(1);
        Self { width, ms, most: most.div_ceil(tick) * tick, tick }
    }

    fn right(self) -> f64 {
        self.width - RIGHT
    }

    fn x(self, ms: u64) -> f64 {
        LEFT + (self.right() - LEFT) * ms as f64 / self.ms as f64
    }

    fn y(self, messages: u64) -> f64 {
        FOOT - (FOOT - TOP) * messages as f64 / self.most as f64
    }

    /// The moment at a place of the picture.
    fn ms(self, x: f64) -> u64 {
        let part = ((x - LEFT) / (self.right() - LEFT)).clamp(0.0, 1.0);
        (part * self.ms as f64) as u64
    }

    fn line(self, points: &[Point], of: fn(&Point) -> u64) -> String {
        let mut path = String::with_capacity(points.len() * 14);
        for point in points {
            path.push(if path.is_empty() { 'M' } else { 'L' });
            // Writing to a String cannot fail.
            let _ = write!(path, "{:.1} {:.1}", self.x(point.at_ms), self.y(of(point)));
        }
        path
    }

    /// What lies under the simulated curve.
    fn area(self, points: &[Point]) -> String {
        let line = self.line(points, |point| point.behind);
        format!("{line}L{:.1} {FOOT:.1}L{LEFT:.1} {FOOT:.1}Z", self.right())
    }
}

fn axes(plot: &Plot, text: &Text) -> Html {
    let rows = (0..=plot.most / plot.tick).map(|row| row * plot.tick);
    let seconds = plot.ms.div_ceil(1000);
    let room = ((plot.right() - LEFT) / TICK_ROOM).max(2.0) as u64;
    let every = tick_of_seconds(seconds, room) * 1000;
    let columns = (0..=plot.ms / every).map(|column| column * every);
    let (left, right, bottom) = (LEFT, plot.right(), FOOT);
    html! {
        <g class="chart-axes" aria-hidden="true">
            { for rows.map(|messages| {
                let y = plot.y(messages);
                html! {
                    <>
                        <path class="chart-grid" d={format!("M{left} {y:.1}H{right:.1}")} />
                        <text x={format!("{:.1}", left - 9.0)} y={format!("{:.1}", y + 4.0)} text-anchor="end">{ compact(messages, text.lang()) }</text>
                    </>
                }
            }) }
            { for columns.map(|ms| {
                let x = plot.x(ms);
                html! {
                    <>
                        <path class="chart-tick" d={format!("M{x:.1} {bottom:.1}v5")} />
                        <text x={format!("{x:.1}")} y={format!("{:.1}", bottom + 19.0)} text-anchor="middle">{ if ms == 0 { "0".to_owned() } else { span(ms) } }</text>
                    </>
                }
            }) }
            <text class="chart-title" x={left.to_string()} y={(TOP - 13.0).to_string()}>{ text.get("backlog.chart.behind") }</text>
            <text class="chart-title" x={format!("{right:.1}")} y={format!("{:.1}", HEIGHT - 6.0)} text-anchor="end">{ text.get("backlog.chart.time") }</text>
        </g>
    }
}

/// Where it is highest and where it clears, each with its number.
fn marks(plot: &Plot, outlook: &Outlook, text: &Text) -> Html {
    let highest = outlook.highest;
    let clears = match outlook.clearing {
        Clearing::At { ms } if ms > 0 => Some(ms),
        _ => None,
    };
    // Words stand beside their line: on the side that is asked for if they fit there, else on the other one, else at the
    // edge of the plot.
    let words = |ms: u64, y: f64, before: bool, words: String| {
        let (x, wide) = (plot.x(ms), words.chars().count() as f64 * MARK_LETTER);
        let (fits_before, fits_behind) = (x - 9.0 - wide >= LEFT, x + 9.0 + wide <= plot.right());
        let (x, anchor) = match (before, fits_before, fits_behind) {
            (true, true, _) | (false, true, false) => (x - 9.0, "end"),
            (false, _, true) | (true, false, true) => (x + 9.0, "start"),
            (_, false, false) => (plot.right(), "end"),
        };
        html! { <text class="chart-mark" x={format!("{x:.1}")} y={format!("{y:.1}")} text-anchor={anchor}>{ words }</text> }
    };
    let time = |ms: u64| if plot.width < NARROW { span(ms) } else { seconds(ms) };
    html! {
        <g aria-hidden="true">
            if highest.at_ms > 0 && highest.behind > 0 {
                <circle class="chart-end" cx={format!("{:.1}", plot.x(highest.at_ms))} cy={format!("{:.1}", plot.y(highest.behind))} r="4.5" />
                { words(highest.at_ms, plot.y(highest.behind) - 4.0, true, grouped(highest.behind)) }
            }
            if let Some(ms) = clears {
                <path class="chart-clear" d={format!("M{:.1} {TOP}V{FOOT:.1}", plot.x(ms))} />
                <circle class="chart-end" cx={format!("{:.1}", plot.x(ms))} cy={format!("{FOOT:.1}")} r="4.5" data-testid="chart-clears" />
                { words(ms, TOP + 14.0, false, text.fill("backlog.chart.clears", &[("time", &time(ms))])) }
            }
        </g>
    }
}

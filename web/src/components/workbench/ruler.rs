//! The offset rulers: how far each storage state reaches in a broker's log.

use rocketscope_engine::view::world::{RecordMark, Ruler};
use yew::{Html, Properties, classes, component, html};

use crate::components::name;
use crate::components::store::num;
use crate::i18n::{Text, use_text};
use crate::route::{Place, Route};

/// Properties of [`Rulers`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// One per broker that runs.
    pub rulers: Vec<Ruler>,
    /// The brokers that have no process.
    pub down: Vec<String>,
    /// Where the page is, for links.
    pub route: Route,
}

/// The rulers.
#[component]
pub fn Rulers(props: &Props) -> Html {
    let text = use_text();
    html! {
        <>
            { for props.rulers.iter().map(|ruler| draw(ruler, &props.route, &text)) }
            { for props.down.iter().map(|broker| html! {
                <section class="ruler" key={format!("down {broker}")} data-testid={format!("down-{broker}")}>
                    <h2 class="label">{ text.rich("ruler.title", &[("broker", name(broker))]) }</h2>
                    <p class="dim">{ text.fill("ruler.down", &[("broker", broker)]) }</p>
                </section>
            }) }
        </>
    }
}

/// The part of the log that the ruler shows: all of it, unless everything of interest lies in a small part at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    from: i64,
    to: i64,
}

impl Scale {
    fn of(ruler: &Ruler) -> Self {
        let marks = ruler.marks.iter().map(|mark| mark.physical_offset);
        let states = [ruler.flushed, ruler.committed, ruler.dispatched].into_iter().chain(ruler.replicated);
        let consumed = ruler.consumed.iter().map(|mark| mark.offset);
        let least = marks.chain(states).chain(consumed).min().unwrap_or(ruler.min).max(ruler.min);
        let to = ruler.written.max(ruler.min + 1);
        let span = to - least;
        // A tenth of what matters is left to the start, so that the lowest mark does not sit on the edge.
        let from = if span > 0 && (least - ruler.min) > span { least - span / 10 } else { ruler.min };
        Self { from, to }
    }

    fn percent(self, at: i64) -> f64 {
        ((at - self.from) as f64 / (self.to - self.from).max(1) as f64 * 100.0).clamp(0.0, 100.0)
    }
}

fn draw(ruler: &Ruler, route: &Route, text: &Text) -> Html {
    let scale = Scale::of(ruler);
    let row = |name: String, fills: Html, at: i64, key: String| {
        let state = key.split(' ').next().unwrap_or_default().to_owned();
        html! {
            <div class="ruler-row" data-state={state} {key}>
                <span class="ruler-name">{ name }</span>
                <span class="ruler-bar">{ fills }</span>
                <span class="ruler-at">{ num(at, None) }</span>
            </div>
        }
    };
    let bar = |name: String, class: &'static str, at: i64, key: String| {
        let fill = html! { <i class={classes!("fill", class)} style={format!("width:{:.2}%", scale.percent(at))} /> };
        row(name, fill, at, key)
    };
    let mut bars = vec![row(text.get("state.written"), written(ruler, scale), ruler.written, "written".to_owned())];
    if ruler.committed != ruler.written {
        bars.push(bar(text.get("state.committed"), "committed", ruler.committed, "committed".to_owned()));
    }
    bars.push(bar(text.get("state.flushed"), "flushed", ruler.flushed, "flushed".to_owned()));
    if let Some(replicated) = ruler.replicated {
        bars.push(bar(text.get("state.replicated"), "replicated", replicated, "replicated".to_owned()));
    }
    bars.push(bar(text.get("state.dispatched"), "dispatched", ruler.dispatched, "dispatched".to_owned()));
    for mark in &ruler.consumed {
        let name = if ruler.consumed.len() == 1 {
            text.get("state.consumed")
        } else {
            text.fill("state.consumed-by", &[("group", &mark.group)])
        };
        bars.push(bar(name, "consumed", mark.offset, format!("consumed {}", mark.group)));
    }
    let id = format!("ruler-{}", ruler.broker);
    html! {
        <section class="ruler" key={ruler.broker.clone()} aria-labelledby={id.clone()} data-testid={id.clone()}>
            <h2 class="label" {id}>{ text.rich("ruler.title", &[("broker", name(&ruler.broker))]) }</h2>
            <div class="ruler-bars">
                { for bars }
                if !ruler.marks.is_empty() || scale.from > ruler.min {
                <div class="ruler-row ruler-marks">
                    <span class="ruler-name dim">
                        if scale.from > ruler.min {
                            { text.fill("ruler.from", &[("offset", &scale.from)]) }
                        }
                    </span>
                    <span class="ruler-ticks">
                        { for ruler.marks.iter().filter(|mark| mark.physical_offset >= scale.from).map(|mark| {
                            let left = scale.percent(mark.physical_offset);
                            let width = scale.percent(mark.physical_offset + i64::from(mark.size)) - left;
                            let room = if width < 5.0 { "is-tick" } else if width < 14.0 { "is-narrow" } else { "" };
                            html! {
                                <a
                                    key={format!("{} {}", mark.physical_offset, mark.name)}
                                    class={classes!("mark", room)}
                                    style={format!("left:{left:.2}%;width:{width:.2}%")}
                                    href={route.to(Place::Record { at: mark.physical_offset }).to_string()}
                                    title={format!("{}: {} + {}", mark.name, mark.physical_offset, mark.size)}
                                >
                                    <b>{ mark.name.clone() }</b>
                                    <span>{ mark.physical_offset }</span>
                                </a>
                            }
                        }) }
                    </span>
                    <span />
                </div>
                }
            </div>
            <p class="small">{ legend(ruler, text) }</p>
            <p class="dim small">{ says(ruler, text) }</p>
        </section>
    }
}

/// What was written, told apart by what it would take to lose it: nothing, a power loss, or a kill.
fn written(ruler: &Ruler, scale: Scale) -> Html {
    let safe = ruler.flushed.min(ruler.committed).min(ruler.written);
    let cached = ruler.committed.clamp(safe, ruler.written);
    let part = |from: i64, to: i64, class: &'static str| {
        let (left, right) = (scale.percent(from), scale.percent(to));
        html! {
            if right > left {
                <i class={classes!("fill", "written", class)} style={format!("left:{left:.2}%;width:{:.2}%", right - left)} />
            }
        }
    };
    html! {
        <>
            { part(scale.from, safe, "is-safe") }
            { part(safe, cached, "is-cached") }
            { part(cached, ruler.written, "is-buffered") }
        </>
    }
}

/// What the patterns of the first bar mean, as far as they are there.
fn legend(ruler: &Ruler, text: &Text) -> Html {
    let entry = |bytes: i64, class: &'static str| {
        html! {
            if bytes > 0 {
                <span class="ruler-legend" data-testid={format!("ruler-{class}")}>
                    <i class={classes!("legend", "written", class)} />
                    { text.fill(&format!("ruler.{class}"), &[("bytes", &bytes)]) }
                </span>
            }
        }
    };
    html! {
        <>
            { entry(ruler.committed.min(ruler.written) - ruler.flushed, "is-cached") }
            { entry(ruler.written - ruler.committed, "is-buffered") }
        </>
    }
}

/// What the ruler means, in sentences.
fn says(ruler: &Ruler, text: &Text) -> Html {
    let behind = ruler.committed.min(ruler.written) - ruler.dispatched;
    let unflushed = ruler.written - ruler.flushed;
    let is_lost = |mark: &&RecordMark| mark.physical_offset + i64::from(mark.size) > ruler.flushed;
    let mut lost: Vec<String> = ruler.marks.iter().filter(is_lost).map(|mark| mark.name.clone()).collect();
    let named: i64 = ruler.marks.iter().filter(is_lost).map(|mark| i64::from(mark.size)).sum();
    if unflushed > named {
        lost.push(text.fill("ruler.unnamed", &[("bytes", &(unflushed - named))]));
    }
    let lost_words = if lost.is_empty() { text.get("ruler.nothing-lost") } else { lost.join(", ") };
    text.rich(
        "ruler.says",
        &[
            ("behind", num(behind, None)),
            ("unflushed", num(unflushed, None)),
            ("lost", html! { <b>{ lost_words }</b> }),
        ],
    )
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::view::world::Ruler;

    use super::Scale;

    fn ruler(min: i64, written: i64, low: i64) -> Ruler {
        Ruler {
            broker: "b".to_owned(),
            min,
            written,
            committed: written,
            flushed: low,
            replicated: None,
            dispatched: written,
            consumed: Vec::new(),
            file_starts: vec![min],
            marks: Vec::new(),
        }
    }

    #[test]
    fn a_log_that_is_all_of_interest_is_shown_whole() {
        assert_eq!(Scale::of(&ruler(0, 1000, 100)), Scale { from: 0, to: 1000 });
    }

    #[test]
    fn a_long_quiet_start_is_left_out() {
        let scale = Scale::of(&ruler(0, 1_000_000, 999_000));
        assert_eq!(scale, Scale { from: 998_900, to: 1_000_000 });
        assert!((scale.percent(1_000_000) - 100.0).abs() < 1e-9);
        assert!(scale.percent(0).abs() < 1e-9);
    }

    #[test]
    fn an_empty_log_has_a_scale() {
        assert_eq!(Scale::of(&ruler(0, 0, 0)), Scale { from: 0, to: 1 });
    }
}

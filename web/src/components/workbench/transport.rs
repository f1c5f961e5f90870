//! The transport bar: back and on through the run.

use yew::{Callback, Html, Properties, TargetCast, classes, component, html};

use crate::components::store::format;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};

/// A way to move through the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// To the start.
    First,
    /// One event back.
    Back,
    /// One event on.
    Step,
    /// Run until something needs the learner, or stop running.
    Run,
    /// To the last event known.
    Last,
    /// Run at once to the next breakpoint.
    Breakpoint,
    /// To before the newest action.
    Undo,
    /// To where the undo came from.
    Redo,
}

impl Move {
    /// The move of a key, as [`use_keys`](crate::keys::use_keys) names it.
    pub fn of_key(key: &str) -> Option<Self> {
        Some(match key {
            "Home" => Self::First,
            "ArrowLeft" => Self::Back,
            "ArrowRight" => Self::Step,
            " " => Self::Run,
            "End" => Self::Last,
            "Ctrl+z" => Self::Undo,
            "Ctrl+Shift+z" => Self::Redo,
            "b" | "B" => Self::Breakpoint,
            _ => return None,
        })
    }
}

/// How fast a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed(pub u32);

impl Speed {
    /// The choices, in quarters of the ordinary speed.
    pub const ALL: [Self; 4] = [Self(2), Self(4), Self(8), Self(40)];

    /// Milliseconds from one event to the next.
    pub fn pause_ms(self) -> u32 {
        2800 / self.0.max(1)
    }

    fn name(self) -> String {
        if self.0.is_multiple_of(4) { format!("{}×", self.0 / 4) } else { format!("{}×", f64::from(self.0) / 4.0) }
    }
}

/// How far away the next event is, if it is far: whole hours and minutes, rounded down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ahead {
    hours: i64,
    minutes: i64,
}

impl Ahead {
    /// `None` up to a minute.
    fn of(now_us: i64, next_us: i64) -> Option<Self> {
        let ahead_us = next_us.saturating_sub(now_us);
        let minutes = ahead_us / 60_000_000;
        (ahead_us > 60_000_000).then_some(Self { hours: minutes / 60, minutes: minutes % 60 })
    }

    fn text(self, text: &Text) -> String {
        let key = if self.hours == 0 { "transport.next-in-minutes" } else { "transport.next-in-hours" };
        text.fill(key, &[("hours", &self.hours), ("minutes", &self.minutes)])
    }
}

/// Properties of [`MoveButton`].
#[derive(Clone, PartialEq, Properties)]
pub struct MoveButtonProps {
    /// Where it leads.
    pub to: Move,
    /// The key of its words, also for tests.
    pub words: &'static str,
    /// Its picture.
    pub glyph: Glyph,
    /// How it looks, beside what all buttons look like.
    #[prop_or_default]
    pub class: &'static str,
    /// Whether there is no way on there.
    #[prop_or_default]
    pub off: bool,
    /// What it does, where its words do not say that.
    #[prop_or_default]
    pub means: Option<String>,
    /// It was pressed.
    pub on_move: Callback<Move>,
}

/// A button that moves the run. One of the class `icon-only` has its words for those who do not see the picture.
#[component]
pub fn MoveButton(props: &MoveButtonProps) -> Html {
    let name = use_text().get(props.words);
    let to = props.to;
    let quiet = props.class == "icon-only";
    html! {
        <button
            type="button"
            class={classes!("button", props.class)}
            aria-label={quiet.then(|| name.clone())}
            title={props.means.clone().unwrap_or_else(|| name.clone())}
            disabled={props.off}
            onclick={props.on_move.reform(move |_| to)}
            data-testid={props.words}
        >
            <Icon glyph={props.glyph} />
            if !quiet {
                <span>{ name }</span>
            }
        </button>
    }
}

/// Properties of [`Transport`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Events taken.
    pub position: u64,
    /// Events known.
    pub length: u64,
    /// World time, microseconds.
    pub now_us: i64,
    /// Nothing is pending but housekeeping.
    pub at_rest: bool,
    /// When the next event comes, microseconds of world time.
    pub next_us: Option<i64>,
    /// Whether it runs by itself.
    pub running: bool,
    /// How fast.
    pub speed: Speed,
    /// A button was pressed.
    pub on_move: Callback<Move>,
    /// Another speed is wanted.
    pub on_speed: Callback<Speed>,
    /// The fault menu is wanted.
    pub on_fault: Callback<()>,
}

/// The transport bar.
#[component]
pub fn Transport(props: &Props) -> Html {
    let text = use_text();
    let on_move = || props.on_move.clone();
    let (at_start, at_end) = (props.position == 0, props.position == props.length);
    let (run, glyph) = if props.running { ("transport.pause", Glyph::Pause) } else { ("transport.run", Glyph::Run) };
    let on_speed = props.on_speed.reform(|event: yew::Event| {
        let value = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
        value.parse().map_or(Speed(4), Speed)
    });
    html! {
        <footer class="transport" role="toolbar" aria-label={text.get("transport.label")} data-testid="transport">
            <MoveButton to={Move::First} words="transport.first" glyph={Glyph::First} class="icon-only" off={at_start} on_move={on_move()} />
            <MoveButton to={Move::Back} words="transport.back" glyph={Glyph::Back} class="step-back" off={at_start} on_move={on_move()} />
            <MoveButton to={Move::Step} words="transport.step" glyph={Glyph::Step} class="primary" off={props.running} on_move={on_move()} />
            <MoveButton to={Move::Run} words={run} {glyph} on_move={on_move()} />
            <MoveButton to={Move::Last} words="transport.last" glyph={Glyph::Last} class="icon-only" off={at_end} on_move={on_move()} />
            <select class="speed" aria-label={text.get("transport.speed")} onchange={on_speed}>
                { for Speed::ALL.iter().map(|speed| html! {
                    <option key={speed.0} value={speed.0.to_string()} selected={*speed == props.speed}>{ speed.name() }</option>
                }) }
            </select>
            <p class="clock mono">
                <span data-testid="clock">{ format!("t = {}", format::clock(props.now_us)) }</span>
                if let Some(ahead) = props.next_us.and_then(|next_us| Ahead::of(props.now_us, next_us)) {
                    <span class="next-event" data-testid="next-event">{ ahead.text(&text) }</span>
                }
                <span data-testid="position">
                    { text.fill("transport.position", &[("position", &props.position), ("length", &props.length)]) }
                </span>
            </p>
            if props.at_rest && at_end {
                <span class="pill">{ text.get("transport.at-rest") }</span>
            }
            <button
                type="button"
                class="button fault-button"
                aria-haspopup="dialog"
                title={text.get("fault.title")}
                onclick={props.on_fault.reform(|_| ())}
                data-testid="fault"
            >
                <Icon glyph={Glyph::Fault} /><span>{ text.get("fault.button") }</span>
            </button>
        </footer>
    }
}

#[cfg(test)]
mod tests {
    use super::{Ahead, Speed};

    #[test]
    fn speeds_have_names() {
        assert_eq!(Speed::ALL.map(Speed::name), ["0.5×", "1×", "2×", "10×"]);
    }

    #[test]
    fn only_events_more_than_a_minute_away_are_told_of() {
        let minute_us = 60_000_000;
        assert_eq!(Ahead::of(5, 5 + minute_us), None);
        assert_eq!(Ahead::of(5, 3), None);
        assert_eq!(Ahead::of(5, 6 + minute_us), Some(Ahead { hours: 0, minutes: 1 }));
        assert_eq!(Ahead::of(0, (72 * 60 - 1) * minute_us - 1), Some(Ahead { hours: 71, minutes: 58 }));
    }
}

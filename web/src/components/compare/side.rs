//! One of two runs.

use rocketscope_engine::view::world::{NodeKind, RunPicture, Timeline};
use yew::{Callback, Html, Properties, component, html};

use crate::components::workbench::{Rulers, Saying, StageView, TimelineView};
use crate::i18n::use_text;
use crate::route::Route;

/// Properties of [`Side`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// `first` or `second`.
    pub id: &'static str,
    /// What it is, beside its name.
    pub about: Html,
    /// The run.
    pub run: RunPicture,
    /// Events around the present one.
    pub timeline: Timeline,
    /// The event in which it differs from the other.
    pub marked: Option<u64>,
    /// Where the page is.
    pub route: Route,
    /// To a virtual time, microseconds.
    pub on_time: Callback<i64>,
}

/// One run: stage, what just happened, rulers, timeline.
#[component]
pub fn Side(props: &Props) -> Html {
    let text = use_text();
    let run = &props.run;
    let brokers = run.stage.nodes.iter().filter(|node| node.kind == NodeKind::Broker);
    let is_down = |name: &String| !run.rulers.iter().any(|ruler| ruler.broker == *name);
    let down: Vec<String> = brokers.map(|node| node.name.clone()).filter(is_down).collect();
    let here = props.marked.is_some_and(|seq| seq + 1 == run.position);
    let on_seek = {
        let times: Vec<(u64, i64)> = props.timeline.events.iter().map(|event| (event.seq + 1, event.at_us)).collect();
        let on_time = props.on_time.clone();
        Callback::from(move |position: u64| {
            if let Some((_, at_us)) = times.iter().find(|(known, _)| *known == position) {
                on_time.emit(*at_us);
            }
        })
    };
    html! {
        <section class="compare-side" aria-labelledby={format!("compare-{}", props.id)} data-testid={format!("compare-{}", props.id)}>
            <h2 id={format!("compare-{}", props.id)}>{ text.get(&format!("compare.side.{}", props.id)) }</h2>
            <p class="dim small">{ props.about.clone() }</p>
            <StageView stage={run.stage.clone()} now_us={run.now_us} position={run.position} route={props.route.clone()} />
            <div class="card saying-card">
                <Saying event={run.event.as_deref().cloned()} />
                if here {
                    <p class="pill compare-here" data-testid={format!("compare-here-{}", props.id)}>{ text.get("compare.side.here") }</p>
                }
            </div>
            <Rulers rulers={run.rulers.clone()} {down} route={props.route.clone()} />
            <h3 class="label">{ text.get("timeline.title") }</h3>
            <TimelineView timeline={props.timeline.clone()} position={run.position} marked={props.marked} {on_seek} />
        </section>
    }
}

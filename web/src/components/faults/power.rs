//! Power loss.

use rocketscope_engine::sim::{Action, Survives};
use rocketscope_engine::view::world::{NodeKind, NodePicture, Ruler};
use yew::{Callback, Html, MouseEvent, Properties, component, html, use_callback, use_state_eq};

use super::survives::SurvivesChoice;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// Properties of [`Panel`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The node.
    pub node: NodePicture,
    /// Where everything stands in its log; absent where no broker runs.
    pub ruler: Option<Ruler>,
    /// Do something.
    pub on_act: Callback<Action>,
}

/// The choice of what a power loss leaves, and the power loss.
#[component]
pub fn Panel(props: &Props) -> Html {
    let text = use_text();
    let survives = use_state_eq(|| Some(Survives::default()));
    let on_change = use_callback((), {
        let survives = survives.setter();
        move |entered, ()| survives.set(entered)
    });
    let node = props.node.name.clone();
    let chosen = *survives;
    let on_click = props
        .on_act
        .reform(move |_: MouseEvent| Action::PowerLoss { node: node.clone(), survives: chosen.unwrap_or_default() });
    html! {
        <>
            <p>{ text.rich("fault.power-means", &[]) }</p>
            if let Some(ruler) = &props.ruler {
                <p class="dim small">
                    { text.fill("fault.power-now", &[
                        ("bytes", &(ruler.written - ruler.flushed)),
                        ("from", &ruler.flushed),
                        ("to", &ruler.written),
                    ]) }
                </p>
            }
            if props.node.kind == NodeKind::Broker {
                <SurvivesChoice {on_change} />
            }
            <button
                type="button"
                class="button danger"
                disabled={chosen.is_none()}
                onclick={on_click}
                data-testid="fault-power"
            >
                <Icon glyph={Glyph::Power} />{ text.get("fault.power-do") }
            </button>
        </>
    }
}

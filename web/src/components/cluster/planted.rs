//! Wrong behaviours that can be switched on in the world to begin, by name or drawn without telling.

use rocketscope_engine::planted::PlantedFault;
use rocketscope_engine::sim::Cluster;
use yew::{Callback, Html, Properties, component, html};

use crate::components::form::Tick;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// What is planted, and whether the reader is told.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Planting {
    /// The faults.
    pub faults: Vec<PlantedFault>,
    /// The reader wants to find out.
    pub hidden: bool,
}

/// Properties of [`PlantedForm`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// What is planted.
    pub planting: Planting,
    /// The cluster, as far as it can be read: some faults need something of it.
    pub cluster: Option<Cluster>,
    /// Something else is planted.
    pub on_change: Callback<Planting>,
}

/// A tick for each fault, and a button that plants one and does not say which.
#[component]
pub(super) fn PlantedForm(props: &Props) -> Html {
    let text = use_text();
    let planting = &props.planting;
    let fits = |fault: &PlantedFault| props.cluster.as_ref().is_some_and(|cluster| cluster.can_show(*fault));
    let fitting: Vec<PlantedFault> = PlantedFault::ALL.into_iter().filter(fits).collect();
    let on_draw = {
        let fitting = fitting.clone();
        props.on_change.reform(move |_: yew::MouseEvent| {
            let place = (js_sys::Math::random() * fitting.len() as f64) as usize;
            Planting { faults: fitting.get(place).copied().into_iter().collect(), hidden: true }
        })
    };
    let reveal = {
        let faults = planting.faults.clone();
        props.on_change.reform(move |_: yew::MouseEvent| Planting { faults: faults.clone(), hidden: false })
    };
    let clear = props.on_change.reform(|_: yew::MouseEvent| Planting::default());
    html! {
        <section class="planted" aria-labelledby="planted-title" data-testid="planted">
            <h3 class="label" id="planted-title">{ text.get("planted.title") }</h3>
            <p class="dim small">{ text.get("planted.says") }</p>
            if planting.hidden {
                <p class="small">{ text.get("planted.drawn") }</p>
            } else {
                { for PlantedFault::ALL.into_iter().filter(|fault| fits(fault) || planting.faults.contains(fault)).map(|fault| {
                    let faults = planting.faults.clone();
                    let on_change = props.on_change.reform(move |on: bool| {
                        let mut faults = faults.clone();
                        faults.retain(|other| *other != fault);
                        if on {
                            faults.push(fault);
                            faults.sort();
                        }
                        Planting { faults, hidden: false }
                    });
                    html! {
                        <Tick
                            key={fault.name()}
                            id={format!("planted-{}", fault.name())}
                            label={text.get(&format!("planted.{}", fault.name()))}
                            value={planting.faults.contains(&fault)}
                            {on_change}
                        />
                    }
                }) }
            }
            <div class="planted-buttons">
                if planting.hidden {
                    <button type="button" class="button tiny" onclick={reveal} data-testid="planted-reveal">{ text.get("planted.reveal") }</button>
                } else {
                    <button type="button" class="button tiny" disabled={fitting.is_empty()} onclick={on_draw} data-testid="planted-draw">
                        <Icon glyph={Glyph::Fault} />{ text.get("planted.draw") }
                    </button>
                }
                if !planting.faults.is_empty() {
                    <button type="button" class="button tiny" onclick={clear} data-testid="planted-clear">{ text.get("planted.clear") }</button>
                }
            </div>
        </section>
    }
}

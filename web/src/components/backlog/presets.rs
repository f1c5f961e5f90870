//! Plans to begin with.

use rocketscope_engine::backlog::{Plan, presets};
use yew::{Callback, Html, Properties, component, html};

use crate::i18n::use_text;

/// Properties of [`Presets`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The present plan.
    pub plan: Plan,
    /// Another one.
    pub on_plan: Callback<Plan>,
}

/// A row of plans, and what the present one shows, if it is one of them.
#[component]
pub fn Presets(props: &Props) -> Html {
    let text = use_text();
    let presets = presets();
    let here = presets.iter().find(|preset| preset.plan == props.plan).map(|preset| preset.name);
    html! {
        <div class="lab-presets">
            <div class="lab-chips" role="group" aria-label={text.get("backlog.presets")}>
                { for presets.into_iter().map(|preset| {
                    let (name, plan) = (preset.name, preset.plan);
                    html! {
                        <button
                            key={name}
                            type="button"
                            class="lab-chip"
                            aria-pressed={(here == Some(name)).to_string()}
                            onclick={props.on_plan.reform(move |_| plan.clone())}
                            data-testid={format!("preset:{name}")}
                        >{ text.get(&format!("backlog.preset.{name}")) }</button>
                    }
                }) }
            </div>
            <p class="dim small" aria-live="polite">
                { text.rich(&format!("backlog.preset-says.{}", here.unwrap_or("own")), &[]) }
            </p>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::backlog::{outlook, presets};

    use crate::i18n::{Lang, Text, name_of};

    /// Every plan has a name and a sentence; and whatever can bound a rate or change it is called something.
    #[test]
    fn every_name_of_the_engine_has_words() {
        for text in Lang::ALL.map(Text::new) {
            let has = |key: String| assert!(text.has(&key), "{key}");
            for preset in presets() {
                has(format!("backlog.preset.{}", preset.name));
                has(format!("backlog.preset-says.{}", preset.name));
                let outlook = outlook(&preset.plan).expect("a plan");
                for kind in outlook.resources.iter().map(|resource| name_of(&resource.kind)) {
                    has(format!("backlog.resource.{kind}"));
                    has(format!("backlog.bound.{kind}"));
                }
                outlook.what_if.iter().for_each(|what| has(format!("backlog.if.{}", name_of(&what.kind))));
            }
        }
    }
}

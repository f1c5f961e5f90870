//! What a recovery means for whoever has to answer for the messages.

use rocketscope_engine::view::recovery::{Finding, Severity};
use yew::{Html, Properties, classes, component, html};

use crate::components::{Glyph, Icon, narrate};
use crate::i18n::{name_of, use_text};

/// Properties of [`Verdict`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The sentences.
    pub findings: Vec<Finding>,
}

/// The verdict, each sentence with how bad it is.
#[component]
pub fn Verdict(props: &Props) -> Html {
    let text = use_text();
    if props.findings.is_empty() {
        return html! {};
    }
    html! {
        <section aria-labelledby="verdict-title">
            <h3 class="label" id="verdict-title">{ text.get("recovery.verdict") }</h3>
            <ul class="findings" data-testid="verdict">
                { for props.findings.iter().enumerate().map(|(key, finding)| {
                    let severity = finding.severity();
                    let name = name_of(&severity);
                    html! {
                        <li {key} class={classes!("finding", name.clone())} data-kind={name_of(finding)}>
                            <Icon glyph={glyph(severity)} />
                            <div>
                                <span class="hidden">{ format!("{}: ", text.get(&format!("severity.{name}"))) }</span>
                                { narrate::finding(finding, &text) }
                            </div>
                        </li>
                    }
                }) }
            </ul>
        </section>
    }
}

fn glyph(severity: Severity) -> Glyph {
    match severity {
        Severity::Good => Glyph::Tick,
        Severity::Note => Glyph::Right,
        Severity::Warning => Glyph::Warn,
        Severity::Loss => Glyph::Lost,
    }
}

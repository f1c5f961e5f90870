//! Where a recovery comes from: the run's newest start of a broker, or a trial on an opened store.

use rocketscope_engine::view::{Answer, Query};
use yew::{Callback, Html, MouseEvent, Properties, component, html, use_context};

use super::RecoveryPane;
use crate::backend::{Asked, use_ask};
use crate::components::store::{SeekContext, Waiting, use_store_context};
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// Properties of [`BrokerRecovery`].
#[derive(Clone, PartialEq, Properties)]
pub struct BrokerProps {
    /// The broker's node.
    pub node: String,
}

/// The newest start of a simulated broker, up to the present event.
#[component]
pub fn BrokerRecovery(props: &BrokerProps) -> Html {
    let text = use_text();
    let context = use_store_context();
    let seek = use_context::<SeekContext>();
    let asked = use_ask(Some(Query::Recovery { node: props.node.clone() }), context.revision);
    let Some(Answer::Recovery(picture)) = asked.answer.as_deref() else { return html! { <Waiting {asked} /> } };
    let Some(picture) = picture else {
        return html! { <div class="notice" data-testid="no-recovery"><p>{ text.get("recovery.none") }</p></div> };
    };
    let actions = picture.seq.zip(seek).map(|(seq, SeekContext { seek })| {
        let to = |position: u64, key: &str| {
            html! {
                <button type="button" class="button tiny" onclick={seek.reform(move |_: MouseEvent| position)}>
                    { text.get(key) }
                </button>
            }
        };
        html! {
            <span class="recovery-actions">
                <span class="dim small">{ text.fill("recovery.event", &[("event", &(seq + 1))]) }</span>
                { to(seq, "recovery.before") }
                { to(seq + 1, "recovery.after") }
            </span>
        }
    });
    html! {
        <RecoveryPane
            key={picture.seq.unwrap_or_default()}
            picture={(**picture).clone()}
            title={text.get("recovery.title")}
            actions={actions.unwrap_or_default()}
        />
    }
}

/// Properties of [`DryRun`].
#[derive(Clone, PartialEq, Properties)]
pub struct DryRunProps {
    /// The answer, where it was asked for.
    pub asked: Option<Asked>,
    /// It is asked for.
    pub on_ask: Callback<()>,
}

/// What a start would do to the opened directory: only where it is asked for, since it reads the log.
#[component]
pub fn DryRun(props: &DryRunProps) -> Html {
    let text = use_text();
    let Some(asked) = &props.asked else {
        return html! {
            <div class="notice">
                <p>{ text.get("recovery.lead-dry") }</p>
                <p>
                    <button
                        type="button"
                        class="button primary"
                        onclick={props.on_ask.reform(|_: MouseEvent| ())}
                        data-testid="dry-run"
                    >
                        <Icon glyph={Glyph::Step} />{ text.get("recovery.ask") }
                    </button>
                </p>
            </div>
        };
    };
    match asked.answer.as_deref() {
        Some(Answer::Recovery(Some(picture))) => html! {
            <RecoveryPane
                picture={(**picture).clone()}
                title={text.get("recovery.title-dry")}
                actions={html! { <p class="dim small">{ text.get("recovery.lead-dry") }</p> }}
            />
        },
        _ => html! { <Waiting asked={asked.clone()} /> },
    }
}

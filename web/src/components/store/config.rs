//! The checkpoint and the config files.

use rocketscope_engine::view::store::{StoreAnswer, StoreQuery};
use yew::{Html, Properties, component, html};

use super::context::{Waiting, num, use_picture};
use super::format;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// The checkpoint's three times, and what recovery makes of them.
#[component]
pub fn Checkpoint() -> Html {
    let text = use_text();
    let asked = use_picture(Some(StoreQuery::Checkpoint));
    let Some(StoreAnswer::Checkpoint(checkpoint)) = asked.store() else { return html! { <Waiting {asked} /> } };
    let Some(checkpoint) = checkpoint else {
        return html! { <div class="notice"><p>{ text.get("checkpoint.none") }</p></div> };
    };
    let rows = [
        ("physicMsgTimestamp", checkpoint.physic_msg_timestamp, "checkpoint.physic"),
        ("logicsMsgTimestamp", checkpoint.logics_msg_timestamp, "checkpoint.logics"),
        ("indexMsgTimestamp", checkpoint.index_msg_timestamp, "checkpoint.index"),
        ("getMinTimestamp()", checkpoint.min_timestamp, "checkpoint.min"),
    ];
    html! {
        <dl class="times" data-testid="checkpoint">
            { for rows.into_iter().map(|(name, time, means)| html! {
                <div key={name}>
                    <dt class="mono">{ name }</dt>
                    <dd>{ num(time, None) }{ " · " }<span class="mono">{ format::time(time) }</span></dd>
                    <dd class="dim small">{ text.get(means) }</dd>
                </div>
            }) }
        </dl>
    }
}

/// Properties of [`Config`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The file.
    pub path: String,
}

/// A config file's text.
#[component]
pub fn Config(props: &Props) -> Html {
    let text = use_text();
    let asked = use_picture(Some(StoreQuery::Config { path: props.path.clone() }));
    let Some(StoreAnswer::Config(config)) = asked.store() else { return html! { <Waiting {asked} /> } };
    html! {
        <div class="detail" data-testid="config">
            if let Some(problem) = &config.problem {
                <p class="warning">
                    <Icon glyph={Glyph::Warn} />
                    <span>
                        { text.fill("config.problem", &[
                            ("line", &problem.line),
                            ("column", &problem.column),
                            ("cause", &problem.message),
                        ]) }
                    </span>
                </p>
            }
            <pre class="well">{ config.text.clone() }</pre>
            if config.cut {
                <p class="dim small">{ text.get("config.cut") }</p>
            }
        </div>
    }
}

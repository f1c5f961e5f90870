//! What the brokers hold as the group's subscription, beside what each member believes.

use rocketscope_engine::view::consumers::{SubscribedPicture, SubscriptionPicture};
use yew::{Html, Properties, classes, component, html};

use crate::components::store::format;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};

/// Properties of [`Subscriptions`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// Topic by topic.
    pub subscriptions: Vec<SubscriptionPicture>,
}

/// A row for each topic.
#[component]
pub(super) fn Subscriptions(props: &Props) -> Html {
    let text = use_text();
    let Some(first) = props.subscriptions.first() else {
        return html! { <p class="small dim">{ text.get("consumers.no-subscription") }</p> };
    };
    let nodes = first.held.iter().chain(&first.believed).map(|(node, _)| node);
    let brokers = first.held.len();
    html! {
        <>
            <p class="small dim">{ text.get("consumers.subscriptions-say") }</p>
            <div class="wide" tabindex="0" role="region" aria-label={text.get("consumers.subscriptions")}>
                <table class="table matrix" data-testid="subscriptions">
                    <thead>
                        <tr>
                            <th scope="col">{ text.get("routes.topic") }</th>
                            { for nodes.enumerate().map(|(place, node)| html! {
                                <th key={node.clone()} scope="col" class={classes!("mono", (place == brokers).then_some("is-first-client"))}>{ node.clone() }</th>
                            }) }
                        </tr>
                    </thead>
                    <tbody>
                        { for props.subscriptions.iter().map(|subscription| html! {
                            <tr key={subscription.topic.clone()} data-topic={subscription.topic.clone()}>
                                <th scope="row" class="mono">{ subscription.topic.clone() }</th>
                                { for subscription.held.iter().map(|(node, what)| cell(node, what.as_ref(), false, false, &text)) }
                                { for subscription.believed.iter().enumerate().map(|(place, (node, what))| {
                                    let differs = subscription.differing.contains(node);
                                    cell(node, what.as_ref(), differs, place == 0, &text)
                                }) }
                            </tr>
                        }) }
                    </tbody>
                </table>
            </div>
        </>
    }
}

fn cell(node: &str, what: Option<&SubscribedPicture>, differs: bool, first: bool, text: &Text) -> Html {
    html! {
        <td
            key={node.to_owned()}
            class={classes!(differs.then_some("is-bad"), first.then_some("is-first-client"))}
            data-node={node.to_owned()}
        >
            if differs {
                <Icon glyph={Glyph::Warn} /><span class="hidden">{ text.get("routes.differs") }</span>
            }
            if let Some(what) = what {
                <span class="mono">{ what.expression.clone() }</span>
                <span class="dim small block">
                    { what.expression_type.clone() }{ " · " }
                    <span class="num">{ format::time_of_day(what.version) }</span>
                </span>
            } else {
                <span class="dim">{ "–" }</span>
            }
        </td>
    }
}

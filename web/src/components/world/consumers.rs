//! A consumer group from inside: its members, who has which queue, how far each is consumed, and what is retried.

mod in_hand;
mod locks;
mod members;
mod owners;
mod progress;
mod retries;
mod shares;
mod subscriptions;

use rocketscope_engine::client::consumer::MessageModel;
use rocketscope_engine::view::consumers::{ConsumersPicture, GroupPicture, QueuePicture};
use rocketscope_engine::view::{Answer, Query};
use yew::{Html, Properties, classes, component, html};

use in_hand::InHands;
use locks::Locks;
use members::Members;
use owners::Owners;
use progress::Progress;
use retries::Retries;
use shares::Shares;
use subscriptions::Subscriptions;

use crate::backend::use_ask;
use crate::components::store::{Waiting, use_store_context};
use crate::components::{Glyph, Icon, name};
use crate::i18n::{Text, use_text};
use crate::route::Place;

/// Properties of [`ConsumersPane`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The group that is asked for.
    pub wanted: Option<String>,
}

/// A consumer group, and the choice between several.
#[component]
pub fn ConsumersPane(props: &Props) -> Html {
    let context = use_store_context();
    let asked = use_ask(Some(Query::Consumers { group: props.wanted.clone() }), context.revision);
    match asked.answer.as_deref() {
        Some(Answer::Consumers(picture)) => html! { <Groups picture={(**picture).clone()} /> },
        _ => html! { <Waiting {asked} /> },
    }
}

#[derive(Clone, PartialEq, Properties)]
struct GroupsProps {
    picture: ConsumersPicture,
}

#[component]
fn Groups(props: &GroupsProps) -> Html {
    let text = use_text();
    let context = use_store_context();
    let Some(group) = &props.picture.group else {
        return html! { <div class="pane"><p class="notice">{ text.get("consumers.nobody") }</p></div> };
    };
    html! {
        <div class="pane world" data-testid="consumers">
            if props.picture.groups.len() > 1 {
                <nav class="brokers is-inner" aria-label={text.get("consumers.which")}>
                    { for props.picture.groups.iter().map(|name| {
                        let here = *name == group.group;
                        html! {
                            <a
                                key={name.clone()}
                                class={classes!("button", "tiny", here.then_some("is-here"))}
                                href={context.link(Place::Consumers { group: Some(name.clone()) })}
                                aria-current={here.then_some("true")}
                            >{ name.clone() }</a>
                        }
                    }) }
                </nav>
            }
            <Group key={group.group.clone()} group={(**group).clone()} now_us={props.picture.now_us} />
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct GroupProps {
    group: GroupPicture,
    now_us: i64,
}

#[component]
fn Group(props: &GroupProps) -> Html {
    let text = use_text();
    let GroupPicture { group, members, shares, queues, subscriptions, retries } = &props.group;
    let owners = Owners::of(members);
    let broadcasts = members.iter().all(|member| member.message_model == MessageModel::Broadcasting);
    let locked =
        queues.iter().any(|queue| queue.lock.is_some() || queue.holders.iter().any(|holder| holder.lock.is_some()));
    html! {
        <div class="world">
            <h2 class="label">{ text.rich("consumers.title", &[("group", name(group))]) }</h2>
            <p class="narration">
                { text.get(if broadcasts { "consumers.says-broadcasting" } else { "consumers.says" }) }
            </p>
            <ul class="notes" data-testid="group-state">
                { for state(&props.group, &text).into_iter().enumerate().map(|(key, (class, glyph, says))| html! {
                    <li {key} class={classes!("note", class)}><Icon {glyph} /><span>{ says }</span></li>
                }) }
            </ul>
            <h3 class="label">{ text.get("consumers.members") }</h3>
            <Members members={members.clone()} owners={owners.clone()} now_us={props.now_us} />
            <h3 class="label">{ text.get("consumers.shares") }</h3>
            <Shares shares={shares.clone()} owners={owners.clone()} />
            <h3 class="label">{ text.get("consumers.progress") }</h3>
            <Progress queues={queues.clone()} owners={owners.clone()} {broadcasts} />
            <h3 class="label">{ text.get("consumers.in-hand") }</h3>
            <InHands queues={queues.clone()} {owners} now_us={props.now_us} />
            if locked {
                <h3 class="label">{ text.get("consumers.locks") }</h3>
                <Locks queues={queues.clone()} members={members.clone()} />
            }
            if !broadcasts || !retries.messages.is_empty() {
                <h3 class="label">{ text.get("consumers.retries") }</h3>
                <Retries retries={retries.clone()} now_us={props.now_us} />
            }
            <h3 class="label">{ text.get("consumers.subscriptions") }</h3>
            <Subscriptions subscriptions={subscriptions.clone()} />
        </div>
    }
}

/// The group in a few sentences: what is wrong, or that nothing is.
fn state(group: &GroupPicture, text: &Text) -> Vec<(&'static str, Glyph, String)> {
    let mut said = Vec::new();
    let mut bad = |words: String| said.push(("is-bad", Glyph::Warn, words));
    let differing = group.subscriptions.iter().filter(|subscription| !subscription.differing.is_empty());
    for subscription in differing {
        let members = subscription.differing.join(", ");
        bad(text.fill("consumers.differs", &[("members", &members), ("topic", &subscription.topic)]));
    }
    for shares in group.shares.iter().filter(|shares| !shares.strategies.is_empty()) {
        let queues = |wanted: fn(usize) -> bool| -> Vec<&str> {
            let queues = shares.queues.iter().zip(&shares.held);
            queues.filter(|(_, held)| wanted(held.len())).map(|(queue, _)| queue.as_str()).collect()
        };
        let (nobody, several) = (queues(|held| held == 0), queues(|held| held > 1));
        if !nobody.is_empty() {
            bad(text.fill("consumers.nobodys", &[("topic", &shares.topic), ("queues", &nobody.join(", "))]));
        }
        if !several.is_empty() {
            bad(text.fill("consumers.several", &[("topic", &shares.topic), ("queues", &several.join(", "))]));
        }
    }
    let behind = |queue: &QueuePicture| {
        let max = queue.max?;
        let done = queue.holders.iter().filter_map(|holder| holder.offset).max().or(queue.committed)?;
        Some(max.saturating_sub(done).max(0))
    };
    let lag: i64 = group.queues.iter().filter_map(behind).fold(0, i64::saturating_add);
    if said.is_empty() && lag == 0 {
        said.push(("is-good", Glyph::Tick, text.get("consumers.all-consumed")));
    } else if lag > 0 {
        said.push(("is-pending", Glyph::Clock, text.count("consumers.lag", lag)));
    }
    said
}

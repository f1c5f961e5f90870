//! The form of a consumer: one that pulls when it is told to, or a push consumer.

use rocketscope_engine::client::consumer::ListenerKind;
use rocketscope_engine::sim::PushSpec;
use yew::{Html, component, html};

use super::node::{Kind, Topic, What};
use super::node_form::Props;
use super::push::{Allocate, PLAIN, Push, STRATEGIES, Subscribed};
use super::rules_form::Rules;
use crate::components::form::{Area, Choice, Input, Segments};
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// How the group gets the messages.
const MODELS: [&str; 2] = ["CLUSTERING", "BROADCASTING"];
/// Where a group begins that has no offset; the deprecated ones are not offered.
const FROM: [&str; 3] = ["CONSUME_FROM_LAST_OFFSET", "CONSUME_FROM_FIRST_OFFSET", "CONSUME_FROM_TIMESTAMP"];
/// What is taken of a topic.
const BY: [&str; 3] = ["all", "tags", "sql"];
/// What a concurrent listener can come to.
const CONCURRENTLY: [&str; 4] = ["success", "later", "null", "throw"];
/// What an orderly listener can come to.
const ORDERLY: [&str; 6] = ["success", "suspend", "commit", "rollback", "null", "throw"];

/// What a listener of a kind can come to.
pub(super) fn results(kind: ListenerKind) -> &'static [&'static str] {
    match kind {
        ListenerKind::Concurrently => &CONCURRENTLY,
        ListenerKind::Orderly => &ORDERLY,
    }
}

impl Props {
    /// The push consumer that is described, if it is one.
    pub(super) fn push(&self) -> Option<&Push> {
        match &self.node.what {
            What::Consumer { push, .. } => push.as_deref(),
            _ => None,
        }
    }

    /// A callback that changes the push consumer by a text.
    pub(super) fn set_push(&self, put: impl Fn(&mut Push, String) + 'static) -> yew::Callback<String> {
        self.set(move |node, value| {
            if let What::Consumer { push: Some(push), .. } = &mut node.what {
                put(push, value);
            }
        })
    }

    /// A callback that changes the push consumer.
    pub(super) fn change_push(&self, change: impl Fn(&mut Push) + 'static) -> yew::Callback<yew::MouseEvent> {
        self.set_push(move |push, _| change(push)).reform(|_| String::new())
    }
}

/// What a consumer is.
#[component]
pub fn ConsumerPart(props: &Props) -> Html {
    let text = use_text();
    let pushes = props.push().is_some();
    // A new one subscribes what there is.
    let topics = props.draft.of_kind(Kind::Broker).filter_map(|broker| match &broker.what {
        What::Broker { topics, .. } => topics.first(),
        _ => None,
    });
    let first = topics.map(|topic: &Topic| topic.name.clone()).next().unwrap_or_default();
    let on_kind = props
        .set(move |node, kind| {
            if let What::Consumer { push, .. } = &mut node.what {
                *push = (kind == "push").then(|| {
                    let mut push = Push::of(&PushSpec::default());
                    push.subscriptions.push(Subscribed::to(&first));
                    Box::new(push)
                });
            }
        })
        .reform(|kind: &'static str| kind.to_owned());
    let options = vec![("pull", text.get("cluster.push.pull")), ("push", text.get("cluster.push.push"))];
    html! {
        <>
            <div class="input">
                <span>{ text.get("cluster.push.label") }</span>
                <Segments label={text.get("cluster.push.label")} {options} value={if pushes { "push" } else { "pull" }} on_change={on_kind} />
            </div>
            if pushes {
                <Subscriptions ..props.clone() />
                <Sharing ..props.clone() />
                <ListenerOf ..props.clone() />
            } else {
                <p class="dim small">{ text.get("cluster.push.pull-says") }</p>
            }
        </>
    }
}

/// What it subscribes, a topic a row.
#[component]
fn Subscriptions(props: &Props) -> Html {
    let text = use_text();
    let Some(push) = props.push() else { return html! { <></> } };
    let by_names: Vec<String> = BY.iter().map(|by| text.get(&format!("cluster.push.by.{by}"))).collect();
    html! {
        <section class="settings" aria-label={text.get("cluster.push.subscriptions")}>
            <h3 class="label">{ text.get("cluster.push.subscriptions") }</h3>
            <ul class="topic-rows">
                { for push.subscriptions.iter().enumerate().map(|(at, subscribed)| {
                    let set = |put: fn(&mut Subscribed, String)| props.set_push(move |push, value| {
                        if let Some(subscribed) = push.subscriptions.get_mut(at) {
                            put(subscribed, value);
                        }
                    });
                    let less = props.change_push(move |push| drop(push.subscriptions.remove(at)));
                    html! {
                        <li key={at} class="topic-row is-subscription">
                            <Input
                                id={format!("subscription-{at}-topic")}
                                label={text.get("cluster.topic")}
                                value={subscribed.topic.clone()}
                                on_change={set(|subscribed, value| subscribed.topic = value)}
                                error={props.error(&format!("push.subscriptions.{at}.topic"))}
                            />
                            <Choice
                                id={format!("subscription-{at}-by")}
                                label={text.get("cluster.push.takes-of-it")}
                                options={BY.map(str::to_owned).to_vec()}
                                names={by_names.clone()}
                                value={subscribed.by.clone()}
                                on_change={set(|subscribed, value| subscribed.by = value)}
                            />
                            if subscribed.by != BY[0] {
                                <Input
                                    id={format!("subscription-{at}-expression")}
                                    label={text.get("cluster.push.expression")}
                                    value={subscribed.expression.clone()}
                                    on_change={set(|subscribed, value| subscribed.expression = value)}
                                    placeholder={if subscribed.by == "sql" { "a > 5 AND b = 'x'" } else { "TagA || TagB" }}
                                />
                            }
                            <button
                                type="button"
                                class="button quiet icon-only"
                                aria-label={text.fill("cluster.push.unsubscribe", &[("topic", &subscribed.topic)])}
                                onclick={less}
                            ><Icon glyph={Glyph::Close} /></button>
                        </li>
                    }
                }) }
            </ul>
            <button
                type="button"
                class="button tiny"
                onclick={props.change_push(|push| push.subscriptions.push(Subscribed::to("")))}
                data-testid="add-subscription"
            >
                <Icon glyph={Glyph::Add} />{ text.get("cluster.push.subscribe") }
            </button>
        </section>
    }
}

/// How the group shares the messages, and where it begins.
#[component]
fn Sharing(props: &Props) -> Html {
    let text = use_text();
    let Some(push) = props.push() else { return html! { <></> } };
    let model = MODELS.into_iter().find(|model| *model == push.model).unwrap_or(MODELS[0]);
    let on_model = props.set_push(|push, model| push.model = model).reform(|model: &'static str| model.to_owned());
    let models = MODELS.map(|model| (model, text.get(&format!("cluster.push.model.{model}")))).to_vec();
    let mut from = FROM.map(str::to_owned).to_vec();
    if !from.contains(&push.from) {
        from.push(push.from.clone());
    }
    html! {
        <section class="settings" aria-label={text.get("cluster.push.sharing")}>
            <h3 class="label">{ text.get("cluster.push.sharing") }</h3>
            <Segments label={text.get("cluster.push.sharing")} options={models} value={model} on_change={on_model} />
            <div class="form-row">
                <Choice id="push-from" label="consumeFromWhere" options={from} value={push.from.clone()} on_change={props.set_push(|push, value| push.from = value)} />
                if push.from == FROM[2] {
                    <Input
                        id="push-timestamp"
                        label="consumeTimestamp"
                        value={push.timestamp.clone()}
                        on_change={props.set_push(|push, value| push.timestamp = value)}
                        placeholder="20231114221320"
                    />
                } else {
                    <Input
                        id="push-client-id"
                        label="clientId"
                        value={push.client_id.clone()}
                        on_change={props.set_push(|push, value| push.client_id = value)}
                        placeholder="ip@pid#nanos"
                    />
                }
            </div>
            if model == MODELS[0] {
                <Strategy ..props.clone() />
            }
        </section>
    }
}

/// The strategy, with what it needs.
#[component]
fn Strategy(props: &Props) -> Html {
    let text = use_text();
    let Some(push) = props.push() else { return html! { <></> } };
    let allocate = &push.allocate;
    let set = |put: fn(&mut Allocate, String)| props.set_push(move |push, value| put(&mut push.allocate, value));
    let hashes = |name: &str| name == "CONSISTENT_HASH";
    let nearby = allocate.strategy == "MACHINE_ROOM_NEARBY";
    html! {
        <>
            <div class="form-row">
                <Choice
                    id="push-strategy"
                    label={text.get("cluster.push.strategy")}
                    options={STRATEGIES.map(str::to_owned).to_vec()}
                    value={allocate.strategy.clone()}
                    on_change={set(|allocate, value| allocate.strategy = value)}
                />
                if nearby {
                    <Choice
                        id="push-inner"
                        label={text.get("cluster.push.inner")}
                        options={PLAIN.map(str::to_owned).to_vec()}
                        value={allocate.inner.clone()}
                        on_change={set(|allocate, value| allocate.inner = value)}
                    />
                } else if allocate.strategy == "MACHINE_ROOM" {
                    <Input
                        id="push-rooms"
                        label={text.get("cluster.push.rooms")}
                        value={allocate.rooms.clone()}
                        on_change={set(|allocate, value| allocate.rooms = value)}
                        placeholder="room-1, room-2"
                    />
                } else {
                    <span />
                }
            </div>
            if hashes(&allocate.strategy) || (nearby && hashes(&allocate.inner)) {
                <Input
                    id="push-virtual-nodes"
                    label={text.get("cluster.push.virtual-nodes")}
                    value={allocate.virtual_nodes.clone()}
                    on_change={set(|allocate, value| allocate.virtual_nodes = value)}
                    error={props.error("push.virtual-nodes")}
                    number=true
                />
            }
            if allocate.strategy == "CONFIG" {
                <Area
                    id="push-queues"
                    label={text.get("cluster.push.queues")}
                    value={allocate.queues.clone()}
                    on_change={set(|allocate, value| allocate.queues = value)}
                    placeholder="OrderTopic broker-a 0"
                    error={props.error("push.queues")}
                />
            }
            if nearby {
                <div class="form-row">
                    <Area
                        id="push-broker-rooms"
                        label={text.get("cluster.push.broker-rooms")}
                        value={allocate.broker_rooms.clone()}
                        on_change={set(|allocate, value| allocate.broker_rooms = value)}
                        placeholder="broker-a=room-1"
                        error={props.error("push.broker-rooms")}
                    />
                    <Area
                        id="push-consumer-rooms"
                        label={text.get("cluster.push.consumer-rooms")}
                        value={allocate.consumer_rooms.clone()}
                        on_change={set(|allocate, value| allocate.consumer_rooms = value)}
                        placeholder="10.0.4.1=room-1"
                        error={props.error("push.consumer-rooms")}
                    />
                </div>
            }
        </>
    }
}

/// The application's listener.
#[component]
fn ListenerOf(props: &Props) -> Html {
    let text = use_text();
    let Some(push) = props.push() else { return html! { <></> } };
    let kind = if push.listener_kind() == ListenerKind::Orderly { "orderly" } else { "concurrently" };
    let on_kind = props
        .set_push(|push, kind| {
            push.kind = kind;
            // What the other listener comes to, this one may not.
            if !results(push.listener_kind()).contains(&push.result.as_str()) {
                CONCURRENTLY[0].clone_into(&mut push.result);
            }
        })
        .reform(|kind: &'static str| kind.to_owned());
    let kinds = ["concurrently", "orderly"].map(|kind| (kind, text.get(&format!("cluster.push.kind.{kind}")))).to_vec();
    let results = results(push.listener_kind());
    html! {
        <section class="settings" aria-label={text.get("cluster.push.listener")}>
            <h3 class="label">{ text.get("cluster.push.listener") }</h3>
            <Segments label={text.get("cluster.push.listener")} options={kinds} value={kind} on_change={on_kind} />
            <div class="form-row">
                <Input
                    id="push-takes"
                    label={text.get("cluster.push.takes")}
                    value={push.takes.clone()}
                    on_change={props.set_push(|push, value| push.takes = value)}
                    error={props.error("push.takes")}
                    number=true
                />
                <Choice
                    id="push-result"
                    label={text.get("cluster.push.result")}
                    options={results.iter().map(|result| (*result).to_owned()).collect::<Vec<_>>()}
                    names={results.iter().map(|result| text.get(&format!("cluster.push.results.{result}"))).collect::<Vec<_>>()}
                    value={push.result.clone()}
                    on_change={props.set_push(|push, value| push.result = value)}
                />
            </div>
            if let Some(error) = props.error("push.result") {
                <p class="field-error">{ error }</p>
            }
            if let Some(business) = &push.business {
                <p class="dim small">{ text.fill("cluster.push.business", &[("database", &business.database)]) }</p>
            }
            <Rules ..props.clone() />
        </section>
    }
}

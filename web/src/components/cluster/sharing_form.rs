//! How a group of push consumers shares the messages, and where it begins.

use yew::{Html, component, html};

use super::node_form::Props;
use super::push::{Allocate, PLAIN, STRATEGIES};
use crate::components::form::{Area, Choice, Input, Segments};
use crate::i18n::use_text;

/// How the group gets the messages.
const MODELS: [&str; 2] = ["CLUSTERING", "BROADCASTING"];
/// Where a group begins that has no offset; the deprecated ones are not offered.
const FROM: [&str; 3] = ["CONSUME_FROM_LAST_OFFSET", "CONSUME_FROM_FIRST_OFFSET", "CONSUME_FROM_TIMESTAMP"];
/// How the group shares the messages, and where it begins.
#[component]
pub(super) fn Sharing(props: &Props) -> Html {
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

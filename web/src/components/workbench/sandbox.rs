//! The sandbox: what a learner can do to the world, as forms.

use rocketscope_engine::sim::{Action, Cluster, ClusterError, Send};
use rocketscope_engine::view::world::{NodeFacts, NodeKind, NodePicture, Stage};
use yew::{Callback, Html, Properties, classes, component, html, use_state, use_state_eq};

use super::super::form::{Choice, Input};
use crate::components::cluster::ClusterEditor;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// Properties of [`SandboxPane`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The nodes.
    pub stage: Stage,
    /// Why the last action was not done.
    pub refused: Option<String>,
    /// Do something.
    pub on_act: Callback<Action>,
    /// Begin anew.
    pub on_reset: Callback<()>,
    /// Changes with every picture of the run.
    pub revision: u64,
    /// Where the cluster that was last to begin is wrong.
    pub refused_cluster: Option<ClusterError>,
    /// Begin a world with this cluster and seed.
    pub on_begin: Callback<(Cluster, u64)>,
}

fn names(stage: &Stage, kind: NodeKind) -> Vec<String> {
    stage.nodes.iter().filter(|node| node.kind == kind).map(|node| node.name.clone()).collect()
}

/// The name of the next message: pictures call messages by their names. It counts what was sent in this run.
fn next_name(stage: &Stage) -> String {
    let sent = |node: &NodePicture| match &node.facts {
        NodeFacts::Producer { pending, results } => pending + results.iter().map(|(_, count)| count).sum::<u32>(),
        _ => 0,
    };
    format!("M{}", stage.nodes.iter().map(sent).sum::<u32>() + 1)
}

/// The sandbox.
#[component]
pub fn SandboxPane(props: &Props) -> Html {
    let text = use_text();
    let editing = use_state_eq(|| false);
    let on_edit = {
        let editing = editing.clone();
        Callback::from(move |_: yew::MouseEvent| editing.set(true))
    };
    let on_close = {
        let editing = editing.clone();
        Callback::from(move |()| editing.set(false))
    };
    html! {
        <article class="sandbox" aria-labelledby="sandbox-title" data-testid="sandbox">
            <h1 id="sandbox-title">{ text.get("sandbox.title") }</h1>
            <p class="dim">{ text.get("sandbox.lead") }</p>
            <div class="lesson-buttons">
                <button type="button" class="button" onclick={on_edit} data-testid="edit-cluster">
                    <Icon glyph={Glyph::Cluster} />{ text.get("cluster.open") }
                </button>
                <button type="button" class="button" onclick={props.on_reset.reform(|_| ())} data-testid="reset">
                    <Icon glyph={Glyph::Reset} />{ text.get("lesson.reset") }
                </button>
            </div>
            if let Some(refused) = &props.refused {
                <p class="warning" role="alert"><Icon glyph={Glyph::Warn} /><span>{ refused.clone() }</span></p>
            }
            <SendForm name={next_name(&props.stage)} producers={names(&props.stage, NodeKind::Producer)} on_act={props.on_act.clone()} />
            <PullForm consumers={names(&props.stage, NodeKind::Consumer)} on_act={props.on_act.clone()} />
            { for props.stage.nodes.iter().filter(|node| node.kind == NodeKind::Broker).map(|node| html! {
                <Services key={node.name.clone()} node={node.clone()} on_act={props.on_act.clone()} />
            }) }
            <ClusterEditor
                open={*editing}
                {on_close}
                revision={props.revision}
                refused={props.refused_cluster.clone()}
                on_begin={props.on_begin.clone()}
            />
        </article>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct SendProps {
    name: String,
    producers: Vec<String>,
    on_act: Callback<Action>,
}

fn some(words: &str) -> Option<String> {
    let words = words.trim();
    (!words.is_empty()).then(|| words.to_owned())
}

#[component]
fn SendForm(props: &SendProps) -> Html {
    let text = use_text();
    let producer = use_state(|| props.producers.first().cloned().unwrap_or_default());
    let topic = use_state(|| "OrderTopic".to_owned());
    let queue = use_state(String::new);
    let tag = use_state(|| "TagA".to_owned());
    let keys = use_state(String::new);
    let body = use_state(|| "Hello RocketMQ".to_owned());
    let queue_number = some(&queue).map(|queue| queue.parse::<i32>());
    let bad_queue = matches!(queue_number, Some(Err(_)));
    let bad = bad_queue || topic.trim().is_empty() || producer.is_empty();
    let on_submit = {
        let send = Send {
            name: Some(props.name.clone()),
            producer: (*producer).clone(),
            topic: topic.trim().to_owned(),
            queue: queue_number.and_then(Result::ok),
            tag: some(&tag),
            keys: some(&keys),
            body: Some((*body).clone()),
            ..Send::default()
        };
        props.on_act.reform(move |event: yew::SubmitEvent| {
            event.prevent_default();
            Action::Send(Box::new(send.clone()))
        })
    };
    html! {
        <form class="card form" onsubmit={on_submit} aria-labelledby="send-title" data-testid="send-form">
            <h2 class="label" id="send-title">{ text.get("sandbox.send") }</h2>
            if props.producers.len() > 1 {
                <Choice label={text.get("sandbox.producer")} options={props.producers.clone()} value={(*producer).clone()} on_change={set(&producer)} />
            }
            <div class="form-row">
                <Input id="send-topic" label={text.get("sandbox.topic")} value={(*topic).clone()} on_change={set(&topic)} />
                <Input
                    id="send-queue"
                    label={text.get("sandbox.queue")}
                    value={(*queue).clone()}
                    on_change={set(&queue)}
                    placeholder={text.get("sandbox.any-queue")}
                    number=true
                    bad={bad_queue}
                />
            </div>
            <div class="form-row">
                <Input id="send-tag" label={text.get("sandbox.tag")} value={(*tag).clone()} on_change={set(&tag)} />
                <Input id="send-keys" label={text.get("sandbox.keys")} value={(*keys).clone()} on_change={set(&keys)} />
            </div>
            <Input id="send-body" label={text.get("sandbox.body")} value={(*body).clone()} on_change={set(&body)} />
            <button type="submit" class="button" disabled={bad} data-testid="send">
                <Icon glyph={Glyph::Next} />{ text.get("sandbox.send-button") }
            </button>
        </form>
    }
}

fn set(state: &yew::UseStateHandle<String>) -> Callback<String> {
    let state = state.clone();
    Callback::from(move |value| state.set(value))
}

#[derive(Clone, PartialEq, Properties)]
struct PullProps {
    consumers: Vec<String>,
    on_act: Callback<Action>,
}

#[component]
fn PullForm(props: &PullProps) -> Html {
    let text = use_text();
    let consumer = use_state(|| props.consumers.first().cloned().unwrap_or_default());
    let topic = use_state(|| "OrderTopic".to_owned());
    let queue = use_state(|| "0".to_owned());
    let offset = use_state(|| "0".to_owned());
    let queue_number = queue.trim().parse::<i32>();
    let offset_number = offset.trim().parse::<i64>();
    let bad = queue_number.is_err() || offset_number.is_err() || topic.trim().is_empty() || consumer.is_empty();
    let on_submit = {
        let action = Action::Pull {
            consumer: (*consumer).clone(),
            topic: topic.trim().to_owned(),
            queue: queue_number.clone().unwrap_or_default(),
            offset: offset_number.clone().unwrap_or_default(),
            max: 32,
            tags: None,
            suspend_ms: None,
            commit: None,
        };
        props.on_act.reform(move |event: yew::SubmitEvent| {
            event.prevent_default();
            action.clone()
        })
    };
    html! {
        <form class="card form" onsubmit={on_submit} aria-labelledby="pull-title" data-testid="pull-form">
            <h2 class="label" id="pull-title">{ text.get("sandbox.pull") }</h2>
            if props.consumers.len() > 1 {
                <Choice label={text.get("sandbox.consumer")} options={props.consumers.clone()} value={(*consumer).clone()} on_change={set(&consumer)} />
            }
            <Input id="pull-topic" label={text.get("sandbox.topic")} value={(*topic).clone()} on_change={set(&topic)} />
            <div class="form-row">
                <Input id="pull-queue" label={text.get("sandbox.queue")} value={(*queue).clone()} on_change={set(&queue)} number=true bad={queue_number.is_err()} />
                <Input id="pull-offset" label={text.get("sandbox.offset")} value={(*offset).clone()} on_change={set(&offset)} number=true bad={offset_number.is_err()} />
            </div>
            <button type="submit" class="button" disabled={bad} data-testid="pull">
                <Icon glyph={Glyph::Previous} />{ text.get("sandbox.pull-button") }
            </button>
        </form>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ServicesProps {
    node: NodePicture,
    on_act: Callback<Action>,
}

#[component]
fn Services(props: &ServicesProps) -> Html {
    let text = use_text();
    let node = &props.node;
    let reput = use_state(String::new);
    let reput_number = reput.trim().parse::<i64>();
    let on_reput = {
        let (broker, offset) = (node.name.clone(), reput_number.clone().unwrap_or_default());
        props.on_act.reform(move |event: yew::SubmitEvent| {
            event.prevent_default();
            Action::ReputFrom { broker: broker.clone(), offset }
        })
    };
    html! {
        <section class="card form" aria-label={text.fill("sandbox.services", &[("broker", &node.name)])} data-testid={format!("services:{}", node.name)}>
            <h2 class="label">{ text.fill("sandbox.services", &[("broker", &node.name)]) }</h2>
            <div class="services">
                { for node.services.iter().map(|service| {
                    let name = service.name();
                    let paused = node.paused.iter().any(|paused| paused == service);
                    let (node, service) = (node.name.clone(), *service);
                    let on_click = props.on_act.reform(move |_| {
                        let (node, service) = (node.clone(), Some(service));
                        if paused { Action::Resume { node, service } } else { Action::Pause { node, service } }
                    });
                    html! {
                        <button
                            key={name}
                            type="button"
                            class={classes!("button", "tiny", paused.then_some("is-paused"))}
                            aria-pressed={paused.to_string()}
                            title={text.get(if paused { "sandbox.resume" } else { "sandbox.pause" })}
                            onclick={on_click}
                            data-testid={format!("service:{name}")}
                        >
                            <Icon glyph={if paused { Glyph::Step } else { Glyph::Pause }} />{ name }
                        </button>
                    }
                }) }
            </div>
            <form class="form-row" onsubmit={on_reput}>
                <Input id={format!("reput-{}", node.name)} label={text.get("sandbox.reput")} value={(*reput).clone()} on_change={set(&reput)} number=true bad={!reput.is_empty() && reput_number.is_err()} />
                <button type="submit" class="button" disabled={reput_number.is_err()}>{ text.get("sandbox.set") }</button>
            </form>
        </section>
    }
}

//! The form of a consumer: one that pulls when it is told to, or a push consumer.

use rocketscope_engine::client::consumer::ListenerKind;
use rocketscope_engine::sim::PushSpec;
use yew::{Html, component, html};

use super::business_form::BusinessPart;
use super::node::{Kind, Topic, What};
use super::node_form::Props;
use super::push::{Push, Subscribed};
use super::rules_form::Rules;
use super::sharing_form::Sharing;
use crate::components::form::{Choice, Input, Segments, Tick};
use crate::components::sandbox::draft::Bound;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

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

    /// The push consumer that is described, if it is one, and where it goes when it changes.
    pub(super) fn bound(&self) -> Option<Bound<Push>> {
        let node = self.node.clone();
        let on_change = self.on_change().reform(move |changed: Push| {
            let mut node = node.clone();
            if let What::Consumer { push, .. } = &mut node.what {
                *push = Some(Box::new(changed));
            }
            node
        });
        Some(Bound::new(self.push()?.clone(), on_change))
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
    let down = matches!(&props.node.what, What::Consumer { rest, .. } if rest.down);
    let on_down = props.set(|node, down| {
        if let What::Consumer { rest, .. } = &mut node.what {
            rest.down = down == "true";
        }
    });
    let options = vec![("pull", text.get("cluster.push.pull")), ("push", text.get("cluster.push.push"))];
    html! {
        <>
            <div class="input">
                <span>{ text.get("cluster.push.label") }</span>
                <Segments label={text.get("cluster.push.label")} {options} value={if pushes { "push" } else { "pull" }} on_change={on_kind} />
            </div>
            <Tick
                id="node-down"
                label={text.get("cluster.push.down")}
                value={down}
                on_change={on_down.reform(|down: bool| down.to_string())}
            />
            if pushes {
                <Subscriptions ..props.clone() />
                <Sharing ..props.clone() />
                <ListenerOf ..props.clone() />
                <BusinessPart ..props.clone() />
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
            <Rules ..props.clone() />
        </section>
    }
}

//! The topics that a broker has before the start.

use yew::{Callback, Html, Properties, component, html};

use super::found::Found;
use super::node::{Node, Topic, What};
use crate::components::form::{Choice, Input};
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// Permissions that can be chosen, with the catalogue's names for them.
const PERMS: [(&str, &str); 4] =
    [("6", "cluster.perm-both"), ("4", "cluster.perm-read"), ("2", "cluster.perm-write"), ("0", "cluster.perm-none")];

/// Properties of [`Topics`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The broker.
    pub node: Node,
    /// What is wrong with it.
    pub found: Vec<Found>,
    /// It is otherwise now.
    pub on_change: Callback<Node>,
}

/// The topics, one a row.
#[component]
pub fn Topics(props: &Props) -> Html {
    let text = use_text();
    let What::Broker { topics, .. } = &props.node.what else { return html! {} };
    let with = |change: &dyn Fn(&mut Vec<Topic>)| {
        let mut node = props.node.clone();
        if let What::Broker { topics, .. } = &mut node.what {
            change(topics);
        }
        node
    };
    let set = |at: usize, put: fn(&mut Topic, String)| {
        let node = props.node.clone();
        props.on_change.reform(move |value: String| {
            let mut node = node.clone();
            if let What::Broker { topics, .. } = &mut node.what
                && let Some(topic) = topics.get_mut(at)
            {
                put(topic, value);
            }
            node
        })
    };
    let error = |at: usize, field: &str| {
        let field = format!("topics.{at}.{field}");
        props.found.iter().find(|found| found.field == field).map(|found| found.words.clone())
    };
    let more = with(&|topics| {
        let name = (1..=topics.len() + 1)
            .map(|n| format!("Topic{n}"))
            .find(|name| !topics.iter().any(|topic| topic.name == *name));
        let four = "4".to_owned();
        topics.push(Topic { name: name.unwrap_or_default(), read: four.clone(), write: four, perm: "6".to_owned() });
    });
    let id = props.node.id;
    html! {
        <section class="settings" aria-label={text.get("cluster.topics")}>
            <h3 class="label">{ text.get("cluster.topics") }</h3>
            <ul class="topic-rows">
                { for topics.iter().enumerate().map(|(at, topic)| {
                    let less = with(&|topics| drop(topics.remove(at)));
                    let mut options: Vec<String> = PERMS.iter().map(|(perm, _)| (*perm).to_owned()).collect();
                    let mut names: Vec<String> = PERMS.iter().map(|(_, key)| text.get(key)).collect();
                    if !options.contains(&topic.perm) {
                        options.push(topic.perm.clone());
                        names.push(topic.perm.clone());
                    }
                    html! {
                        <li key={at} class="topic-row">
                            <Input id={format!("topic-{id}-{at}")} label={text.get("cluster.topic")} value={topic.name.clone()} on_change={set(at, |topic, value| topic.name = value)} error={error(at, "name")} />
                            <Input id={format!("read-{id}-{at}")} label={text.get("cluster.read-queues")} value={topic.read.clone()} on_change={set(at, |topic, value| topic.read = value)} error={error(at, "read")} number=true />
                            <Input id={format!("write-{id}-{at}")} label={text.get("cluster.write-queues")} value={topic.write.clone()} on_change={set(at, |topic, value| topic.write = value)} error={error(at, "write")} number=true />
                            <Choice label={text.get("cluster.perm")} {options} {names} value={topic.perm.clone()} on_change={set(at, |topic, value| topic.perm = value)} />
                            <button
                                type="button"
                                class="button quiet icon-only"
                                aria-label={text.fill("cluster.remove-topic", &[("topic", &topic.name)])}
                                onclick={props.on_change.reform(move |_| less.clone())}
                            ><Icon glyph={Glyph::Close} /></button>
                        </li>
                    }
                }) }
            </ul>
            <button type="button" class="button tiny" onclick={props.on_change.reform(move |_| more.clone())} data-testid="add-topic">
                <Icon glyph={Glyph::Add} />{ text.get("cluster.add-topic") }
            </button>
        </section>
    }
}

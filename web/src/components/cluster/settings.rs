//! A node's configuration: RocketMQ's own keys, with what they are by default.

use rocketscope_engine::node::ConfigKey;
use yew::{Callback, Html, Properties, component, html, use_state_eq};

use super::found::Found;
use super::node::{Kind, Node};
use crate::components::form::{Choice, Input};
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};

/// Keys shown at once at most.
const SHOWN: usize = 12;

/// Keys that are offered before anything is typed: those that lessons and learners turn most.
fn usual(kind: Kind, pushes: bool) -> &'static [&'static str] {
    match kind {
        Kind::Consumer if pushes => &[
            "consumeThreadMin",
            "consumeMessageBatchMaxSize",
            "pullBatchSize",
            "pullThresholdForQueue",
            "consumeConcurrentlyMaxSpan",
            "maxReconsumeTimes",
            "suspendCurrentQueueTimeMillis",
            "persistConsumerOffsetInterval",
        ],
        Kind::NameServer => &["listenPort"],
        Kind::Broker => &[
            "flushDiskType",
            "brokerRole",
            "mappedFileSizeCommitLog",
            "autoCreateTopicEnable",
            "defaultTopicQueueNums",
            "messageDelayLevel",
            "transientStorePoolEnable",
            "messageIndexSafe",
            "brokerPermission",
        ],
        Kind::Producer => &[
            "sendMsgTimeout",
            "retryTimesWhenSendFailed",
            "retryAnotherBrokerWhenNotStoreOK",
            "sendLatencyFaultEnable",
            "compressMsgBodyOverHowmuch",
            "maxMessageSize",
            "pollNameServerInterval",
            "heartbeatBrokerInterval",
        ],
        Kind::Consumer => &[
            "brokerSuspendMaxTimeMillis",
            "consumerPullTimeoutMillis",
            "pollNameServerInterval",
            "heartbeatBrokerInterval",
        ],
        Kind::Database | Kind::Administrator => &[],
    }
}

/// How a value is given.
#[derive(Debug, PartialEq, Eq)]
enum Control {
    OneOf(Vec<String>),
    Number,
    Text,
}

/// The control for what a value may be, as the engine says it.
fn control(wanted: &str) -> Control {
    if wanted.starts_with("a whole number") {
        return Control::Number;
    }
    let words: Vec<String> =
        wanted.split(", ").flat_map(|part| part.split(" or ")).map(|word| word.trim().to_owned()).collect();
    let is_value =
        |word: &String| word == "true" || word == "false" || word.chars().all(|c| c.is_uppercase() || c == '_');
    if words.len() > 1 && words.iter().all(is_value) { Control::OneOf(words) } else { Control::Text }
}

/// Properties of [`Settings`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The node.
    pub node: Node,
    /// Every key that it knows.
    pub keys: Vec<ConfigKey>,
    /// What is wrong with it.
    pub found: Vec<Found>,
    /// It is otherwise now.
    pub on_change: Callback<Node>,
}

/// The settings of a node.
#[component]
pub fn Settings(props: &Props) -> Html {
    let text = use_text();
    let wanted = use_state_eq(String::new);
    let node = &props.node;
    let offered = offer(&props.keys, node, &wanted);
    let add = |key: &ConfigKey| {
        let (node, key, wanted) = (node.clone(), key.clone(), wanted.setter());
        props.on_change.reform(move |_| {
            let mut node = node.clone();
            node.set(&key.key, Some(key.value.clone()));
            wanted.set(String::new());
            node
        })
    };
    let on_wanted = {
        let wanted = wanted.setter();
        Callback::from(move |words| wanted.set(words))
    };
    html! {
        <section class="settings" aria-label={text.get("cluster.settings")}>
            <h3 class="label">{ text.get("cluster.settings") }</h3>
            <p class="dim small">{ text.get("cluster.settings-say") }</p>
            if !node.config.is_empty() {
                <ul class="setting-rows">
                    { for node.config.iter().map(|setting| {
                        let key = props.keys.iter().find(|key| key.key == setting.key).cloned();
                        let field = format!("config.{}", setting.key);
                        let error = problem(key.as_ref(), &setting.value, &text)
                            .or_else(|| props.found.iter().find(|found| found.field == field).map(|found| found.words.clone()));
                        html! {
                            <Row
                                key={setting.key.clone()}
                                node={node.clone()}
                                name={setting.key.clone()}
                                value={setting.value.clone()}
                                known={key}
                                {error}
                                on_change={props.on_change.clone()}
                            />
                        }
                    }) }
                </ul>
            }
            <div class="setting-add">
                <Input
                    id={format!("key-{}", node.id)}
                    label={text.get("cluster.find-key")}
                    value={(*wanted).clone()}
                    on_change={on_wanted}
                    placeholder={text.get("cluster.find-key-example")}
                />
                <ul class="key-offers">
                    { for offered.iter().map(|key| html! {
                        <li key={key.key.clone()}>
                            <button
                                type="button"
                                class="key-offer"
                                title={meaning(&key.key, &text)}
                                onclick={add(key)}
                                data-testid={format!("add-key:{}", key.key)}
                            >
                                <Icon glyph={Glyph::Add} />
                                <code>{ key.key.clone() }</code>
                                <span class="dim mono">{ shortened(&key.value) }</span>
                            </button>
                        </li>
                    }) }
                </ul>
                if offered.is_empty() {
                    <p class="dim small" role="status">{ text.get("cluster.no-key") }</p>
                }
            </div>
        </section>
    }
}

/// The keys to offer: those with what was typed in them, or the usual ones.
fn offer(keys: &[ConfigKey], node: &Node, typed: &str) -> Vec<ConfigKey> {
    let typed = typed.trim().to_lowercase();
    let free = |key: &&ConfigKey| node.setting(&key.key).is_none();
    if typed.is_empty() {
        return usual(node.kind(), node.is_push())
            .iter()
            .filter_map(|name| keys.iter().find(|key| key.key == *name))
            .filter(free)
            .cloned()
            .collect();
    }
    let fits = |key: &&ConfigKey| key.key.to_lowercase().contains(&typed);
    keys.iter().filter(free).filter(fits).take(SHOWN).cloned().collect()
}

/// A value that may be long, as in `messageDelayLevel`.
fn shortened(value: &str) -> String {
    if value.chars().count() <= 18 {
        return value.to_owned();
    }
    value.chars().take(17).chain(['…']).collect()
}

/// What a key is for, where the catalogue says so.
fn meaning(key: &str, text: &Text) -> Option<String> {
    let words = format!("key.{}", key.replace('.', "-"));
    text.has(&words).then(|| text.get(&words))
}

/// What is wrong with a value, as far as it can be seen without building anything.
fn problem(key: Option<&ConfigKey>, value: &str, text: &Text) -> Option<String> {
    let Some(key) = key else { return Some(text.get("cluster.problem.no-such-key")) };
    let bad = match control(&key.wanted) {
        Control::Number => value.trim().parse::<i64>().is_err(),
        Control::OneOf(words) => !words.iter().any(|word| word == value.trim()),
        Control::Text => false,
    };
    bad.then(|| text.fill("cluster.problem.wanted", &[("wanted", &key.wanted)]))
}

#[derive(Clone, PartialEq, Properties)]
struct RowProps {
    node: Node,
    name: String,
    value: String,
    known: Option<ConfigKey>,
    error: Option<String>,
    on_change: Callback<Node>,
}

/// One key that is set.
#[component]
fn Row(props: &RowProps) -> Html {
    let text = use_text();
    let with = |value: Option<String>| {
        let mut node = props.node.clone();
        node.set(&props.name, value);
        node
    };
    let on_value = {
        let (node, name) = (props.node.clone(), props.name.clone());
        props.on_change.reform(move |value: String| {
            let mut node = node.clone();
            node.set(&name, Some(value));
            node
        })
    };
    let without = with(None);
    let id = format!("setting-{}", props.name);
    let usual = props.known.as_ref().map(|key| key.value.clone());
    let options = match props.known.as_ref().map(|key| control(&key.wanted)) {
        // A value that is none of the words stays what it is: it was typed somewhere.
        Some(Control::OneOf(words)) if words.contains(&props.value) => Some(words),
        _ => None,
    };
    let number = props.known.as_ref().is_some_and(|key| control(&key.wanted) == Control::Number);
    html! {
        <li class="setting" data-testid={format!("row:{}", props.name)}>
            <div class="setting-name">
                <code>{ props.name.clone() }</code>
                if let Some(usual) = &usual {
                    <span class="dim small">{ text.fill("cluster.default", &[("value", &if usual.is_empty() { "–" } else { usual })]) }</span>
                }
            </div>
            if let Some(options) = options {
                <Choice {id} label={props.name.clone()} {options} value={props.value.clone()} on_change={on_value} quiet=true />
            } else {
                <Input {id} label={props.name.clone()} value={props.value.clone()} on_change={on_value} {number} error={props.error.clone()} quiet=true />
            }
            <button
                type="button"
                class="button quiet icon-only"
                aria-label={text.fill("cluster.unset", &[("key", &props.name)])}
                title={text.get("cluster.unset-means")}
                onclick={props.on_change.reform(move |_| without.clone())}
            >
                <Icon glyph={Glyph::Close} />
            </button>
            if let Some(meaning) = meaning(&props.name, &text) {
                <p class="dim small setting-means">{ meaning }</p>
            }
        </li>
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::view::keys;

    use super::{Control, Kind, control, usual};

    #[test]
    fn a_value_is_given_as_its_kind_asks() {
        let words = |words: &[&str]| Control::OneOf(words.iter().map(|word| (*word).to_owned()).collect());
        assert_eq!(control("a whole number of 32 bits"), Control::Number);
        assert_eq!(control("true or false"), words(&["true", "false"]));
        let roles = ["ASYNC_MASTER", "SYNC_MASTER", "SLAVE"];
        assert_eq!(control("ASYNC_MASTER, SYNC_MASTER or SLAVE"), words(&roles));
        assert_eq!(control("text"), Control::Text);
        assert_eq!(control("whole numbers with commas between them"), Control::Text);
    }

    #[test]
    fn the_usual_keys_are_keys() {
        let keys = keys();
        let known = [keys.name_server, keys.broker, keys.store, keys.client, keys.push_consumer].concat();
        for (kind, pushes) in Kind::ALL.into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
            let unknown: Vec<_> =
                usual(kind, pushes).iter().filter(|name| !known.iter().any(|key| key.key == **name)).collect();
            assert!(unknown.is_empty(), "{kind:?}: {unknown:?}");
        }
    }
}

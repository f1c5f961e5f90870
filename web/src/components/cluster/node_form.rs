//! The form of one node.

use rocketscope_engine::node::ConfigKey;
use rocketscope_engine::sim::SenderKind;
use rocketscope_engine::view::KeysPicture;
use yew::{Callback, Html, Properties, component, html};

use super::database_form::Tables;
use super::draft::{Draft, Edit};
use super::found::Found;
use super::listener_form::ListenerPart;
use super::node::{Kind, Node, What};
use super::outbox_form::OutboxPart;
use super::push_form::ConsumerPart;
use super::settings::Settings;
use super::topics::Topics;
use crate::components::form::{Choice, Input, Segments};
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// Properties of [`NodeForm`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The node.
    pub node: Node,
    /// The cluster that it stands in.
    pub draft: Draft,
    /// Every key of every kind of node.
    pub keys: KeysPicture,
    /// What is wrong with this node.
    pub found: Vec<Found>,
    /// Change the draft.
    pub on_edit: Callback<Edit>,
}

impl Props {
    /// The node goes here when it changes.
    pub fn on_change(&self) -> Callback<Node> {
        self.on_edit.reform(|node| Edit::Put(Box::new(node)))
    }

    /// A callback that changes the node by a text.
    pub fn set(&self, put: impl Fn(&mut Node, String) + 'static) -> Callback<String> {
        let node = self.node.clone();
        self.on_change().reform(move |value| {
            let mut node = node.clone();
            put(&mut node, value);
            node
        })
    }

    /// What is wrong with a field.
    pub fn error(&self, field: &str) -> Option<String> {
        self.found.iter().find(|found| found.field == field).map(|found| found.words.clone())
    }

    fn keys(&self) -> Vec<ConfigKey> {
        match self.node.kind() {
            Kind::NameServer => self.keys.name_server.clone(),
            Kind::Broker => [self.keys.broker.as_slice(), self.keys.store.as_slice()].concat(),
            Kind::Consumer if self.node.is_push() => {
                [self.keys.push_consumer.as_slice(), self.keys.client.as_slice()].concat()
            }
            Kind::Producer | Kind::Consumer => self.keys.client.clone(),
            Kind::Database | Kind::Administrator => Vec::new(),
        }
    }
}

/// Fields of a form that have a place for what is wrong with them.
fn has_place(field: &str) -> bool {
    let lists = ["config.", "topics.", "tables.", "push."];
    matches!(field, "name" | "skew" | "group")
        || field.starts_with("outbox")
        || field == "listener"
        || lists.iter().any(|list| field.starts_with(list))
}

/// The form of one node.
#[component]
pub fn NodeForm(props: &Props) -> Html {
    let text = use_text();
    let node = &props.node;
    let id = node.id;
    let kind = node.kind();
    let elsewhere = props.found.iter().filter(|found| {
        let unset = found.field.strip_prefix("config.").is_some_and(|key| node.setting(key).is_none());
        unset || !has_place(&found.field)
    });
    html! {
        <div class="node-form" data-testid="node-form">
            <div class="node-form-head">
                <h3>{ text.get(&format!("cluster.kind.{}", kind.name())) }</h3>
                <span class="row-end">
                    if kind == Kind::Broker && !node.is_slave() {
                        <button type="button" class="button tiny" onclick={props.on_edit.reform(move |_| Edit::AddSlave(id))} data-testid="add-slave">
                            <Icon glyph={Glyph::Add} />{ text.get("cluster.add-slave") }
                        </button>
                    }
                    <button type="button" class="button tiny" onclick={props.on_edit.reform(move |_| Edit::Remove(id))} data-testid="remove-node">
                        <Icon glyph={Glyph::Expire} />{ text.get("cluster.remove") }
                    </button>
                </span>
            </div>
            { for elsewhere.map(|found| html! {
                <p class="warning" role="alert"><Icon glyph={Glyph::Warn} /><span>{ found.words.clone() }</span></p>
            }) }
            <div class="form-row">
                <Input id="node-name" label={text.get("cluster.name")} value={node.name.clone()} on_change={props.set(|node, name| node.name = name)} error={props.error("name")} />
                <Input
                    id="node-skew"
                    label={text.get("cluster.skew")}
                    value={node.skew.clone()}
                    on_change={props.set(|node, skew| node.skew = skew)}
                    error={props.error("skew")}
                    placeholder="0"
                    number=true
                />
            </div>
            { own_part(props) }
            if kind.has_config() {
                <Settings node={node.clone()} keys={props.keys()} found={props.found.clone()} on_change={props.on_change()} />
            }
        </div>
    }
}

/// What only nodes of this kind have.
fn own_part(props: &Props) -> Html {
    match &props.node.what {
        What::NameServer => html! { <></> },
        What::Broker { .. } => html! {
            <>
                <BrokerPart ..props.clone() />
                if !props.node.is_slave() {
                    <Topics node={props.node.clone()} found={props.found.clone()} on_change={props.on_change()} />
                }
            </>
        },
        What::Producer { .. } => html! { <ProducerPart ..props.clone() /> },
        What::Consumer { rest, .. } => html! {
            <>
                <Group kind="consumer" value={rest.group.clone()} form={props.clone()} />
                <ConsumerPart ..props.clone() />
            </>
        },
        What::Database(_) => html! {
            <Tables node={props.node.clone()} found={props.found.clone()} on_change={props.on_change()} />
        },
        What::Administrator => html! { <AdministratorPart /> },
    }
}

#[derive(Clone, PartialEq, Properties)]
struct GroupProps {
    kind: &'static str,
    value: String,
    form: Props,
}

/// A client's group.
#[component]
fn Group(props: &GroupProps) -> Html {
    let text = use_text();
    let form = &props.form;
    let prefix = if props.kind == "producer" { "PG" } else { "CG" };
    let on_change = form.set(|node, group| match &mut node.what {
        What::Producer { rest, .. } => rest.group = group,
        What::Consumer { rest, .. } => rest.group = group,
        What::NameServer | What::Broker { .. } | What::Database(_) | What::Administrator => {}
    });
    html! {
        <Input
            id="node-group"
            label={text.get("cluster.group")}
            value={props.value.clone()}
            {on_change}
            placeholder={format!("{prefix}_{}", form.node.name.trim())}
            error={form.error("group")}
        />
    }
}

/// What an administrator is.
#[component]
fn AdministratorPart() -> Html {
    let text = use_text();
    html! { <p class="dim small">{ text.rich("cluster.administrator-says", &[]) }</p> }
}

/// A broker's role, and how it flushes.
#[component]
fn BrokerPart(props: &Props) -> Html {
    let text = use_text();
    let node = &props.node;
    let role = match node.setting("brokerRole") {
        Some("SYNC_MASTER") => "SYNC_MASTER",
        Some("SLAVE") => "SLAVE",
        _ => "ASYNC_MASTER",
    };
    let masters: Vec<String> = props
        .draft
        .of_kind(Kind::Broker)
        .filter(|other| !other.is_slave())
        .map(|master| master.setting("brokerName").unwrap_or(&master.name).to_owned())
        .collect();
    let on_role = {
        let (node, master) = (node.clone(), masters.iter().find(|name| **name != node.name).cloned());
        props.on_change().reform(move |role: &'static str| {
            let mut node = node.clone();
            node.set("brokerRole", (role != "ASYNC_MASTER").then(|| role.to_owned()));
            if role == "SLAVE" {
                // A slave needs an id of its own and its master's name.
                if node.setting("brokerId").is_none_or(|id| id == "0") {
                    node.set("brokerId", Some("1".to_owned()));
                }
                if node.setting("brokerName").is_none() {
                    node.set("brokerName", master.clone());
                }
            } else {
                node.set("brokerId", None);
                node.set("brokerName", None);
            }
            node
        })
    };
    let option = |role: &'static str, key: &str| (role, text.get(key));
    let options = vec![
        option("ASYNC_MASTER", "cluster.role.async-master"),
        option("SYNC_MASTER", "cluster.role.sync-master"),
        option("SLAVE", "cluster.role.slave"),
    ];
    let mut sets = masters;
    let of = node.setting("brokerName").unwrap_or_default().to_owned();
    if !sets.contains(&of) {
        sets.push(of.clone());
    }
    html! {
        <>
            <div class="input">
                <span>{ text.get("cluster.role.label") }</span>
                <Segments label={text.get("cluster.role.label")} {options} value={role} on_change={on_role} />
            </div>
            if node.is_slave() {
                <div class="form-row">
                    <Choice
                        id="slave-of"
                        label={text.get("cluster.slave-of")}
                        options={sets}
                        value={of}
                        on_change={props.set(|node, name| node.set("brokerName", Some(name)))}
                    />
                    <Input
                        id="broker-id"
                        label="brokerId"
                        value={node.setting("brokerId").unwrap_or_default().to_owned()}
                        on_change={props.set(|node, id| node.set("brokerId", Some(id)))}
                        number=true
                    />
                </div>
                <p class="dim small">{ text.get("cluster.slave-says") }</p>
            }
        </>
    }
}

/// A producer: its group, and what kind of sender it is.
#[component]
fn ProducerPart(props: &Props) -> Html {
    let text = use_text();
    let What::Producer { rest: spec, .. } = &props.node.what else { return html! { <></> } };
    let bare = spec.sender == SenderKind::Bare;
    let on_sender = {
        let node = props.node.clone();
        props.on_change().reform(move |sender: &'static str| {
            let mut node = node.clone();
            if let What::Producer { rest: spec, .. } = &mut node.what {
                spec.sender = if sender == "bare" { SenderKind::Bare } else { SenderKind::Client };
            }
            node
        })
    };
    let brokers: Vec<String> = props.draft.of_kind(Kind::Broker).map(|broker| broker.name.clone()).collect();
    let options = vec![("client", text.get("cluster.sender.client")), ("bare", text.get("cluster.sender.bare"))];
    let on_broker = props.set(|node, name| {
        if let What::Producer { rest: spec, .. } = &mut node.what {
            spec.broker = name;
        }
    });
    html! {
        <>
            <Group kind="producer" value={spec.group.clone()} form={props.clone()} />
            <div class="input">
                <span>{ text.get("cluster.sender.label") }</span>
                <Segments label={text.get("cluster.sender.label")} {options} value={if bare { "bare" } else { "client" }} on_change={on_sender} />
            </div>
            if bare {
                <Choice label={text.get("cluster.sender.broker")} options={brokers} value={spec.broker.clone()} on_change={on_broker} />
                <p class="dim small">{ text.get("cluster.sender.bare-says") }</p>
            } else {
                <ListenerPart ..props.clone() />
                <OutboxPart ..props.clone() />
            }
        </>
    }
}

//! The form that describes a breakpoint.

use rocketscope_engine::lesson::{Breakpoint, EventName, LogMark};
use rocketscope_engine::node::Service;
use rocketscope_engine::view::world::{NodeKind, Ruler, Stage};
use rocketscope_engine::wire::RequestCode;
use yew::{Callback, Html, Properties, component, html, use_state_eq};

use super::draft::{Draft, Kind, TESTS};
use crate::components::form::{Choice, Input, Segments};
use crate::components::{Glyph, Icon};
use crate::i18n::{name_of, use_text};

/// Properties of [`BreakpointForm`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    pub(super) stage: Stage,
    pub(super) rulers: Vec<Ruler>,
    /// Why the last one was not set.
    pub(super) refused: Option<String>,
    /// It is described.
    pub(super) on_add: Callback<Breakpoint>,
}

/// The form.
#[component]
pub(super) fn BreakpointForm(props: &Props) -> Html {
    let text = use_text();
    let brokers: Vec<String> = {
        let is_broker = props.stage.nodes.iter().filter(|node| node.kind == NodeKind::Broker);
        is_broker.map(|node| node.name.clone()).collect()
    };
    let draft = use_state_eq(|| Draft::new(brokers.first().map_or("", String::as_str)));
    let bad = use_state_eq(Vec::new);
    let set = |change: fn(&mut Draft, String)| {
        let draft = draft.clone();
        Callback::from(move |value| {
            let mut next = (*draft).clone();
            change(&mut next, value);
            draft.set(next);
        })
    };
    let on_kind = {
        let (draft, bad) = (draft.clone(), bad.clone());
        Callback::from(move |name: &'static str| {
            if let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.name() == name) {
                draft.set(Draft { kind, ..(*draft).clone() });
                bad.set(Vec::new());
            }
        })
    };
    let on_submit = {
        let (draft, bad, on_add) = (draft.clone(), bad.clone(), props.on_add.clone());
        Callback::from(move |event: yew::SubmitEvent| {
            event.prevent_default();
            match draft.breakpoint() {
                Ok(breakpoint) => {
                    bad.set(Vec::new());
                    on_add.emit(breakpoint);
                }
                Err(fields) => bad.set(fields),
            }
        })
    };
    let input = |field: &'static str, value: &str, words: Vec<String>, number: bool, change: fn(&mut Draft, String)| {
        html! {
            <Input
                id={format!("breakpoint-{field}")}
                label={text.get(&format!("past.field-{field}"))}
                value={value.to_owned()}
                on_change={set(change)}
                {number}
                {words}
                error={bad.contains(&field).then(|| text.get(&format!("past.bad-{field}")))}
            />
        }
    };
    let choice =
        |field: &'static str, value: &str, options: Vec<String>, names: Vec<String>, change: fn(&mut Draft, String)| {
            html! {
                <Choice
                    id={format!("breakpoint-{field}")}
                    label={text.get(&format!("past.field-{field}"))}
                    value={value.to_owned()}
                    {options}
                    {names}
                    on_change={set(change)}
                />
            }
        };
    let node = || {
        html! {
            <Choice
                id="breakpoint-node"
                label={text.get("past.field-node")}
                value={draft.node.clone()}
                options={props.stage.nodes.iter().map(|node| node.name.clone()).collect::<Vec<_>>()}
                none={text.get("past.any-node")}
                on_change={set(|draft, value| draft.node = value)}
            />
        }
    };
    let broker = || choice("broker", &draft.broker, brokers.clone(), Vec::new(), |draft, value| draft.broker = value);
    let offset = || input("offset", &draft.offset, Vec::new(), true, |draft, value| draft.offset = value);
    let fields = match draft.kind {
        Kind::Service => html! {
            <>
                { node() }
                { choice("service", &draft.service, services(props, &draft.node), Vec::new(), |draft, value| draft.service = value) }
            </>
        },
        Kind::Event => {
            let options: Vec<String> = EventName::ALL.iter().map(name_of).collect();
            let names = options.iter().map(|name| text.get(&format!("past.event-{name}"))).collect();
            let codes = RequestCode::ALL.iter().map(|code| code.name().to_owned()).collect();
            html! {
                <>
                    { node() }
                    { choice("event", &draft.event, options, names, |draft, value| draft.event = value) }
                    { input("code", &draft.code, codes, false, |draft, value| draft.code = value) }
                </>
            }
        }
        Kind::Step => html! {
            <>
                { node() }
                { input("step", &draft.step, text.under("step"), false, |draft, value| draft.step = value) }
            </>
        },
        Kind::Message => {
            let names = props.rulers.iter().flat_map(|ruler| &ruler.marks).map(|mark| mark.name.clone()).collect();
            input("message", &draft.message, names, false, |draft, value| draft.message = value)
        }
        Kind::Physical => {
            let options: Vec<String> = LogMark::ALL.iter().map(name_of).collect();
            let names = options.iter().map(|name| text.get(&format!("state.{name}"))).collect();
            html! {
                <>
                    { broker() }
                    { choice("mark", &draft.mark, options, names, |draft, value| draft.mark = value) }
                    { offset() }
                </>
            }
        }
        Kind::Queue => html! {
            <>
                { broker() }
                { input("topic", &draft.topic, Vec::new(), false, |draft, value| draft.topic = value) }
                { input("queue", &draft.queue, Vec::new(), true, |draft, value| draft.queue = value) }
                { offset() }
                { input("group", &draft.group, Vec::new(), false, |draft, value| draft.group = value) }
            </>
        },
        Kind::Condition => {
            let options: Vec<String> = TESTS.iter().map(|(name, _)| (*name).to_owned()).collect();
            let signs = TESTS.iter().map(|(_, sign)| (*sign).to_owned()).collect();
            html! {
                <>
                    { input("probe", &draft.probe, Vec::new(), false, |draft, value| draft.probe = value) }
                    { choice("test", &draft.test, options, signs, |draft, value| draft.test = value) }
                    { input("value", &draft.value, Vec::new(), false, |draft, value| draft.value = value) }
                </>
            }
        }
    };
    html! {
        <form id="breakpoint-form" class="card breakpoint-form" onsubmit={on_submit} data-testid="breakpoint-form">
            <Segments
                label={text.get("past.kind")}
                options={Kind::ALL.map(|kind| (kind.name(), text.get(&format!("past.kind-{}", kind.name())))).to_vec()}
                value={draft.kind.name()}
                on_change={on_kind}
            />
            <p class="dim small">{ text.rich(&format!("past.means-{}", draft.kind.name()), &[]) }</p>
            <div class="breakpoint-fields" key={draft.kind.name()}>{ fields }</div>
            if let Some(refused) = &props.refused {
                <p class="warning" role="alert" data-testid="breakpoint-refused">
                    <Icon glyph={Glyph::Warn} /><span>{ refused.clone() }</span>
                </p>
            }
            <button type="submit" class="button primary" data-testid="breakpoint-set">{ text.get("past.set") }</button>
        </form>
    }
}

/// The services of a node, or of all of them, each once.
fn services(props: &Props, node: &str) -> Vec<String> {
    let nodes = props.stage.nodes.iter().filter(|one| node.is_empty() || one.name == node);
    let there: Vec<Service> = nodes.flat_map(|node| node.services.iter().copied()).collect();
    Service::ALL.iter().filter(|service| there.contains(service)).map(|service| service.name().to_owned()).collect()
}

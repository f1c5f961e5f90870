//! The sandbox: what a learner can do to the world, as forms.

mod administer;
mod batch;
mod card;
mod change;
pub(super) mod changes;
pub(super) mod choices;
mod command;
mod consumer;
mod database;
pub(super) mod draft;
mod fields;
mod give_back;
mod lookup;
mod message;
mod offsets;
mod pull;
mod send;
mod services;
mod time;
mod topic;
mod transaction;

use std::rc::Rc;

use rocketscope_engine::sim::{Action, Cluster, ClusterError};
use rocketscope_engine::view::world::{NodeFacts, NodeKind, NodePicture, Stage};
use rocketscope_engine::view::{Answer, Query};
use yew::{Callback, Html, Properties, component, html, use_callback, use_memo, use_state_eq};

use self::administer::AdministerForm;
use self::batch::BatchForm;
use self::card::FormProps;
use self::choices::Choices;
use self::consumer::ConsumerForm;
use self::database::DatabaseForm;
use self::give_back::GiveBackForm;
use self::lookup::LookupForm;
use self::offsets::OffsetsForm;
use self::pull::PullForm;
use self::send::SendForm;
use self::services::Services;
use self::time::TimeForm;
use self::topic::TopicForm;
use self::transaction::{EndForm, TransactionForm};
use super::cluster::ClusterEditor;
use super::form::Refusal;
use super::{Glyph, Icon};
use crate::backend::use_ask;
use crate::i18n::{Text, name_of, use_text};

/// Properties of [`SandboxPane`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The nodes.
    pub stage: Stage,
    /// Why the last question was not done.
    pub refusal: Option<Refusal>,
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

/// The name of the next message: pictures call messages by their names. It counts what was sent in this run.
fn next_name(stage: &Stage) -> String {
    let sent = |node: &NodePicture| match &node.facts {
        NodeFacts::Producer { pending, results } => pending + results.iter().map(|(_, count)| count).sum::<u32>(),
        _ => 0,
    };
    format!("M{}", stage.nodes.iter().map(sent).sum::<u32>() + 1)
}

/// What stands on the stage, in words.
fn lead(stage: &Stage, text: &Text) -> String {
    let kinds = [
        NodeKind::NameServer,
        NodeKind::Broker,
        NodeKind::Producer,
        NodeKind::Consumer,
        NodeKind::Database,
        NodeKind::Administrator,
    ];
    let count = |kind: NodeKind| stage.nodes.iter().filter(|node| node.kind == kind).count() as i64;
    let counts = kinds.into_iter().map(|kind| (kind, count(kind))).filter(|(_, count)| *count > 0);
    let mut words: Vec<String> =
        counts.map(|(kind, count)| text.count(&format!("sandbox.has.{}", name_of(&kind)), count)).collect();
    let last = words.pop().unwrap_or_default();
    let all = if words.is_empty() {
        last
    } else {
        text.fill("sandbox.and", &[("first", &words.join(&text.get("sandbox.comma"))), ("last", &last)])
    };
    text.fill("sandbox.lead", &[("nodes", &all)])
}

/// The sandbox.
#[component]
pub fn SandboxPane(props: &Props) -> Html {
    let text = use_text();
    let editing = use_state_eq(|| false);
    // The form that asked last: what is refused is said there.
    let asking = use_state_eq(|| None::<String>);
    let cluster = use_ask(Some(Query::Cluster), props.revision);
    let routes = use_ask(Some(Query::Routes), props.revision);
    let databases = use_ask(Some(Query::Databases), props.revision);
    let given = (props.stage.clone(), cluster.answer, routes.answer, databases.answer);
    let choices = use_memo(given, |(stage, cluster, routes, databases)| {
        let cluster = cluster.as_deref().and_then(|answer| match answer {
            Answer::Cluster(cluster) => Some(&**cluster),
            _ => None,
        });
        let routes = routes.as_deref().and_then(|answer| match answer {
            Answer::Routes(routes) => Some(&**routes),
            _ => None,
        });
        let databases = databases.as_deref().and_then(|answer| match answer {
            Answer::Databases(databases) => Some(&**databases),
            _ => None,
        });
        Choices::of(stage, cluster, routes, databases)
    });
    let on_edit = {
        let editing = editing.setter();
        Callback::from(move |_: yew::MouseEvent| editing.set(true))
    };
    let on_close = {
        let editing = editing.setter();
        Callback::from(move |()| editing.set(false))
    };
    let on_act = use_callback(props.on_act.clone(), {
        let asking = asking.setter();
        move |(id, action): (String, Action), on_act| {
            asking.set(Some(id));
            on_act.emit(action);
        }
    });
    let refusal = |id: &str| props.refusal.clone().filter(|_| asking.as_deref() == Some(id));
    let form = |id: &str| FormProps { choices: Rc::clone(&choices), refusal: refusal(id), on_act: on_act.clone() };
    html! {
        <article class="sandbox" aria-labelledby="sandbox-title" data-testid="sandbox">
            <h1 id="sandbox-title">{ text.get("sandbox.title") }</h1>
            <p class="dim" data-testid="sandbox-lead">{ lead(&props.stage, &text) }</p>
            <div class="lesson-buttons">
                <button type="button" class="button" onclick={on_edit} data-testid="edit-cluster">
                    <Icon glyph={Glyph::Cluster} />{ text.get("cluster.open") }
                </button>
                <button type="button" class="button" onclick={props.on_reset.reform(|_| ())} data-testid="reset">
                    <Icon glyph={Glyph::Reset} />{ text.get("lesson.reset") }
                </button>
            </div>
            if let Some(refusal) = props.refusal.clone().filter(|_| asking.is_none()) {
                <p class="warning" role="alert"><Icon glyph={Glyph::Warn} /><span>{ refusal.words }</span></p>
            }
            <SendForm form={form("send")} name={next_name(&props.stage)} />
            if !choices.consumers.is_empty() {
                <PullForm ..form("pull") />
            }
            <BatchForm ..form("batch") />
            <OffsetsForm ..form("offsets") />
            <LookupForm form={form("lookup")} revision={props.revision} />
            if !choices.consumers.is_empty() {
                <GiveBackForm ..form("give-back") />
            }
            if !choices.pushers.is_empty() {
                <ConsumerForm ..form("consumer") />
            }
            if !choices.databases.is_empty() {
                <DatabaseForm form={form("database")} name={next_name(&props.stage)} />
            }
            if !choices.listeners.is_empty() {
                <TransactionForm form={form("transaction")} name={next_name(&props.stage)} />
                <EndForm ..form("end") />
            }
            if choices.administrators.is_empty() {
                <TopicForm ..form("topic") />
            } else {
                <AdministerForm ..form("administer") />
            }
            <TimeForm ..form("time") />
            { for props.stage.nodes.iter().map(|node| {
                let id = format!("services:{}", node.name);
                let refusal = refusal(&id);
                html! {
                    <Services key={node.name.clone()} node={node.clone()} {refusal} {id} on_act={on_act.clone()} />
                }
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

#[cfg(test)]
mod tests {
    use rocketscope_engine::view::{Answer, Query, Session};

    use super::{
        batch, change, command, consumer, database, give_back, lead, lookup, message, offsets, topic, transaction,
    };
    use crate::i18n::{Lang, Text};

    #[test]
    fn every_choice_of_a_form_has_words() {
        let choices: [(&str, &[&str]); 29] = [
            ("mode", &["sync", "async", "oneway"]),
            ("selector", &message::SELECTORS),
            ("made-of", &message::BODIES),
            ("made-of", &batch::BODIES),
            ("wait", &message::WAITS),
            ("what", &offsets::KINDS),
            ("by", &lookup::WAYS),
            ("which", &give_back::WHICH),
            ("perm", &topic::PERMS),
            ("local", &transaction::RESULTS),
            ("state", &transaction::STATES),
            ("half", &transaction::HALVES),
            ("business", &database::BUSINESSES),
            ("business-says", &database::BUSINESSES),
            ("kind", &change::KINDS),
            ("deed", &change::DEEDS),
            ("deed-value", &change::DEEDS[1..]),
            ("command", &command::COMMANDS),
            ("command-says", &command::COMMANDS),
            ("call", &consumer::CALLS),
            ("call-says", &consumer::CALLS),
            ("result", &consumer::CONCURRENTLY),
            ("result", &consumer::ORDERLY),
            ("target", &command::TARGETS),
            ("from", &command::FROM),
            ("consumeEnable", &command::SWITCHES),
            ("consumeFromMinEnable", &command::SWITCHES),
            ("consumeBroadcastEnable", &command::SWITCHES),
            ("notifyConsumerIdsChangedEnable", &command::SWITCHES),
        ];
        let text = Text::new(Lang::En);
        for (name, options) in choices {
            for option in options {
                assert!(text.has(&format!("sandbox.{name}.{option}")), "sandbox.{name}.{option}");
            }
        }
    }

    #[test]
    fn the_sandbox_says_what_stands_on_its_stage() {
        let started = Session::new().ask(Query::StartSandbox { cluster: None, seed: 1 });
        let Answer::Workbench(bench) = started else { panic!("no workbench") };
        let said = lead(&bench.run.stage, &Text::new(Lang::En));
        assert!(said.contains(": a NameServer, a broker, a producer and a consumer."), "{said}");
        let said = lead(&bench.run.stage, &Text::new(Lang::Zh));
        assert!(said.contains("1 个 Producer 和 1 个 Consumer"), "{said}");
    }
}

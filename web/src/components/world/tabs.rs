//! Which pictures of the running world there are: only those that have something to show.

use rocketscope_engine::view::world::{NodeFacts, NodeKind, Stage};
use yew::{Html, html};

use super::consumers::ConsumersPane;
use super::databases::DatabasesPane;
use super::delay::DelayPane;
use super::ledger::LedgerPane;
use super::producer::ProducerPane;
use super::routes::RoutesPane;
use super::transactions::TransactionsPane;
use super::{HALF_TOPIC, SCHEDULE_TOPIC};
use crate::i18n::Text;
use crate::route::Place;

/// A tab of the inspector that shows the running world.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldTab {
    /// Where it leads.
    pub place: Place,
    /// What it says.
    pub name: String,
    /// Its name for tests.
    pub id: &'static str,
    /// What it shows.
    pub shown: Html,
}

impl WorldTab {
    /// Whether `place` is in this tab.
    pub fn is_at(&self, place: &Place) -> bool {
        std::mem::discriminant(&self.place) == std::mem::discriminant(place)
    }
}

/// The tabs for the world on the stage and the broker whose store is shown. A tab that the reader is in stays, even if
/// nothing is left to see in it.
pub fn world_tabs(stage: &Stage, broker: &str, here: &Place, log: Html, text: &Text) -> Vec<WorldTab> {
    let queues = stage.nodes.iter().filter(|node| node.name == broker).flat_map(|node| match &node.facts {
        NodeFacts::Broker { queues, .. } => queues.as_slice(),
        _ => &[],
    });
    let queues: Vec<&str> = queues.map(|queue| queue.topic.as_str()).collect();
    let (delays, halves) = (queues.contains(&SCHEDULE_TOPIC), queues.contains(&HALF_TOPIC));
    let has = |kind: NodeKind| stage.nodes.iter().any(|node| node.kind == kind);
    let producers: Vec<String> =
        stage.nodes.iter().filter(|node| node.kind == NodeKind::Producer).map(|node| node.name.clone()).collect();
    let pushes = stage.nodes.iter().any(|node| matches!(node.facts, NodeFacts::PushConsumer { .. }));
    let (wanted, wanted_group) = match here {
        Place::Producer { node } => (node.clone(), None),
        Place::Consumers { group } => (None, group.clone()),
        _ => (None, None),
    };
    let tab =
        |place: Place, name: &str, id: &'static str, shown: Html| WorldTab { place, name: text.get(name), id, shown };
    let has_producer = !producers.is_empty();
    let producer = html! { <ProducerPane nodes={producers} {wanted} /> };
    let consumers = html! { <ConsumersPane wanted={wanted_group} /> };
    let delay = html! { <DelayPane node={broker.to_owned()} /> };
    let transactions = html! { <TransactionsPane node={broker.to_owned()} /> };
    let tabs = [
        (true, tab(Place::Log, "tab.log", "tab-log", log)),
        (has_producer, tab(Place::Ledger, "tab.ledger", "tab-ledger", html! { <LedgerPane /> })),
        (has(NodeKind::NameServer), tab(Place::Routes, "tab.routes", "tab-routes", html! { <RoutesPane /> })),
        (has_producer, tab(Place::Producer { node: None }, "tab.producer", "tab-producer", producer)),
        (pushes, tab(Place::Consumers { group: None }, "tab.consumers", "tab-consumers", consumers)),
        (delays, tab(Place::Delay, "tab.delay", "tab-delay", delay)),
        (halves, tab(Place::Transactions, "tab.transactions", "tab-transactions", transactions)),
        (has(NodeKind::Database), tab(Place::Databases, "tab.databases", "tab-databases", html! { <DatabasesPane /> })),
    ];
    tabs.into_iter().filter(|(shows, tab)| *shows || tab.is_at(here)).map(|(_, tab)| tab).collect()
}

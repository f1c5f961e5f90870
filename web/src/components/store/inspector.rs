//! The inspector: tabs over one store, and over the world that it stands in.

use rocketscope_engine::view::store::ProblemsWindow;
use yew::{Callback, ContextProvider, Html, Properties, component, html};

use super::context::StoreContext;
use super::disk::Disk;
use super::find::Find;
use super::index::{Index, Look};
use super::problems::Problems;
use super::queues::Queues;
use crate::components::tabs::{Tab, Tabs};
use crate::components::world::WorldTab;
use crate::i18n::use_text;
use crate::route::Place;

/// A search for problems.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// What was found so far; absent before the first answer.
    pub found: Option<ProblemsWindow>,
}

/// Properties of [`Inspector`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The store.
    pub context: StoreContext,
    /// The reader wants positions in hexadecimal, or not.
    pub on_hexadecimal: Callback<bool>,
    /// The search for problems; absent where the store is not searched for any.
    #[prop_or_default]
    pub search: Option<Search>,
    /// What is shown while the reader has chosen nothing: the bytes that were written last.
    #[prop_or_default]
    pub follow: Option<Place>,
    /// What the tab Recovery shows.
    pub recovery: Html,
    /// What the running world has to show; nothing where there is none.
    #[prop_or_default]
    pub world: Vec<WorldTab>,
}

/// The inspector.
#[component]
pub fn Inspector(props: &Props) -> Html {
    let text = use_text();
    let context = &props.context;
    let place = &context.route.place;
    let link = |place: Place| context.link(place);
    let mut tabs = vec![
        Tab {
            name: text.get("tab.disk"),
            href: link(Place::default()),
            here: matches!(place, Place::Disk { .. } | Place::Record { .. }),
            count: None,
            id: "tab-disk",
        },
        Tab {
            name: text.get("tab.queues"),
            href: link(Place::Queues { queue: None, unit: None }),
            here: matches!(place, Place::Queues { .. }),
            count: None,
            id: "tab-queues",
        },
        Tab {
            name: text.get("tab.index"),
            href: link(Place::Index { file: None, slot: None }),
            here: matches!(place, Place::Index { .. } | Place::Chain { .. }),
            count: None,
            id: "tab-index",
        },
    ];
    if let Some(search) = &props.search {
        tabs.push(Tab {
            name: text.get("tab.problems"),
            href: link(Place::Problems),
            here: *place == Place::Problems,
            count: search.found.as_ref().map(|window| window.found),
            id: "tab-problems",
        });
    }
    tabs.push(Tab {
        name: text.get("recovery.tab"),
        href: link(Place::Recovery),
        here: *place == Place::Recovery,
        count: None,
        id: "tab-recovery",
    });
    let world: Vec<Tab> = props
        .world
        .iter()
        .map(|tab| Tab {
            name: tab.name.clone(),
            href: link(tab.place.clone()),
            here: tab.is_at(place),
            count: None,
            id: tab.id,
        })
        .collect();
    let follow = props.context.node().map(|_| *place == Place::default());
    let disk = |file: Option<String>, at: Option<u64>, physical: Option<i64>| {
        html! {
            <Disk
                {file}
                {at}
                {physical}
                {follow}
                hexadecimal={context.hexadecimal}
                on_hexadecimal={props.on_hexadecimal.clone()}
            />
        }
    };
    let followed = props.follow.clone().filter(|_| *place == Place::default());
    let shown = match followed.unwrap_or_else(|| place.clone()) {
        Place::Disk { file, at } => disk(file, at, None),
        Place::Record { at } => disk(None, None, Some(at)),
        Place::Queues { queue, unit } => html! { <Queues {queue} {unit} /> },
        Place::Index { file, slot } => html! { <Index look={Look::Slots(file, slot)} /> },
        Place::Chain { topic, key } => html! { <Index look={Look::Key(topic, key)} /> },
        Place::Problems => match &props.search {
            Some(search) => html! { <Problems window={search.found.clone()} /> },
            None => disk(None, None, None),
        },
        Place::Recovery => props.recovery.clone(),
        Place::Log
        | Place::Routes
        | Place::Producer { .. }
        | Place::Consumers { .. }
        | Place::Delay
        | Place::Transactions
        | Place::Databases
        | Place::Ledger => match props.world.iter().find(|tab| tab.is_at(place)) {
            Some(tab) => tab.shown.clone(),
            None => disk(None, None, None),
        },
    };
    html! {
        <ContextProvider<StoreContext> context={context.clone()}>
            <div class="inspector" data-testid="inspector">
                <div class="inspector-head">
                    <Tabs label={text.get("tab.label")} {tabs} />
                    <Find />
                    if !world.is_empty() {
                        <Tabs label={text.get("tab.world")} tabs={world} />
                    }
                </div>
                <div class="inspector-body">{ shown }</div>
            </div>
        </ContextProvider<StoreContext>>
    }
}

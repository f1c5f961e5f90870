//! The transaction listener of a producer's application.

use yew::{Html, component, html};

use super::database_field::DatabaseField;
use super::node::{Kind, Listener, What};
use super::node_form::Props;
use crate::components::form::{Choice, Input, Segments};
use crate::i18n::use_text;

/// Where a listener keeps its transactions, or that there is none.
const KEEPS: [&str; 3] = ["none", "memory", "database"];
/// What it answers about a transaction that it does not find.
const NOT_FOUND: [&str; 3] = ["unknown", "commit", "rollback"];

/// The listener of a producer.
#[component]
pub fn ListenerPart(props: &Props) -> Html {
    let text = use_text();
    let What::Producer { listener, .. } = &props.node.what else { return html! { <></> } };
    let set = |put: fn(&mut Listener, String)| {
        props.set(move |node, value| {
            if let What::Producer { listener, .. } = &mut node.what {
                put(listener, value);
            }
        })
    };
    let databases: Vec<String> = props.draft.of_kind(Kind::Database).map(|database| database.name.clone()).collect();
    let first = databases.first().cloned().unwrap_or_default();
    let on_keeps = {
        let set = props.set(move |node, keeps| {
            if let What::Producer { listener, .. } = &mut node.what {
                // One that keeps its transactions in a database needs one.
                if keeps == "database" && listener.database.is_empty() {
                    listener.database.clone_from(&first);
                }
                listener.keeps = keeps;
            }
        });
        set.reform(|keeps: &'static str| keeps.to_owned())
    };
    let keeps = KEEPS.into_iter().find(|keeps| *keeps == listener.keeps).unwrap_or(KEEPS[0]);
    let word = |option: &'static str| (option, text.get(&format!("cluster.listener.keeps.{option}")));
    html! {
        <section class="settings" aria-label={text.get("cluster.listener.title")}>
            <h3 class="label">{ text.get("cluster.listener.title") }</h3>
            <p class="dim small">{ text.get("cluster.listener.says") }</p>
            <Segments label={text.get("cluster.listener.title")} options={KEEPS.map(word).to_vec()} value={keeps} on_change={on_keeps} />
            if keeps != "none" {
                <div class="form-row">
                    <DatabaseField
                        id="listener-database"
                        label={text.get("cluster.listener.database")}
                        none={text.get("cluster.listener.no-database")}
                        {databases}
                        value={listener.database.clone()}
                        on_change={set(|listener, value| listener.database = value)}
                    />
                    if keeps == "database" {
                        <Input
                            id="listener-table"
                            label={text.get("cluster.table")}
                            value={listener.table.clone()}
                            on_change={set(|listener, value| listener.table = value)}
                        />
                    } else {
                        <span />
                    }
                </div>
                <Choice
                    id="listener-not-found"
                    label={text.get("cluster.listener.not-found")}
                    options={NOT_FOUND.map(str::to_owned).to_vec()}
                    names={NOT_FOUND.map(|state| text.get(&format!("sandbox.state.{state}"))).to_vec()}
                    value={listener.not_found.clone()}
                    on_change={set(|listener, value| listener.not_found = value)}
                />
            }
            if let Some(error) = props.error("listener") {
                <p class="field-error">{ error }</p>
            }
        </section>
    }
}

//! The outbox that a producer relays from.

use yew::{Html, component, html};

use super::database_field::DatabaseField;
use super::node::{Kind, Outbox, What};
use super::node_form::Props;
use crate::components::form::Input;
use crate::i18n::use_text;

/// The outbox of a producer.
#[component]
pub fn OutboxPart(props: &Props) -> Html {
    let text = use_text();
    let What::Producer { outbox, .. } = &props.node.what else { return html! { <></> } };
    let set = |put: fn(&mut Outbox, String)| {
        props.set(move |node, value| {
            if let What::Producer { outbox, .. } = &mut node.what {
                put(outbox, value);
            }
        })
    };
    let databases: Vec<String> = props.draft.of_kind(Kind::Database).map(|database| database.name.clone()).collect();
    html! {
        <section class="settings" aria-label={text.get("cluster.outbox.title")}>
            <h3 class="label">{ text.get("cluster.outbox.title") }</h3>
            <p class="dim small">{ text.get("cluster.outbox.says") }</p>
            <div class="form-row">
                <DatabaseField
                    id="outbox-database"
                    label={text.get("cluster.outbox.database")}
                    none={text.get("cluster.outbox.none")}
                    {databases}
                    value={outbox.database.clone()}
                    on_change={set(|outbox, value| outbox.database = value)}
                />
                if outbox.database.is_empty() {
                    <span />
                } else {
                    <Input
                        id="outbox-table"
                        label={text.get("cluster.table")}
                        value={outbox.table.clone()}
                        on_change={set(|outbox, value| outbox.table = value)}
                        error={props.error("outbox.table")}
                    />
                }
            </div>
            if !outbox.database.is_empty() {
                <div class="form-row">
                    <Input
                        id="outbox-period"
                        label={text.get("cluster.outbox.period")}
                        value={outbox.period.clone()}
                        on_change={set(|outbox, value| outbox.period = value)}
                        error={props.error("outbox.period")}
                        number=true
                    />
                    <Input
                        id="outbox-batch"
                        label={text.get("cluster.outbox.batch")}
                        value={outbox.batch.clone()}
                        on_change={set(|outbox, value| outbox.batch = value)}
                        error={props.error("outbox.batch")}
                        number=true
                    />
                </div>
            }
            if let Some(error) = props.error("outbox") {
                <p class="field-error">{ error }</p>
            }
        </section>
    }
}

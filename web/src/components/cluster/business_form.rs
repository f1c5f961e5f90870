//! What a push consumer's listener does with a database: changes, cases, record, cache, and what it makes of refusals.

use yew::{Html, Properties, component, html};

use super::condition_form::ConditionFields;
use super::database_field::DatabaseField;
use super::node_form::Props;
use super::push::{Business, Case, NONE, tables_of};
use crate::components::form::{Choice, Input};
use crate::components::sandbox::changes::ChangesFields;
use crate::components::sandbox::choices::TableChoice;
use crate::components::sandbox::draft::Bound;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};

/// When a record is written.
const RECORDS: [&str; 4] = [NONE, "together", "before", "after"];
/// When a cache is set.
const CACHES: [&str; 3] = [NONE, "before", "after"];
/// What a refusal of the database can mean.
const VERDICTS: [&str; 2] = ["failure", "success"];

/// The listener's work with a database.
#[component]
pub fn BusinessPart(props: &Props) -> Html {
    let text = use_text();
    let Some(work) = props.bound().map(|push| push.part(|push| &mut push.business)) else { return html! { <></> } };
    let databases = props.draft.databases();
    let business = &work.value;
    let tables = tables_of(&databases, &business.database).to_vec();
    let on_database = {
        let databases = databases.clone();
        work.set(move |business: &mut Business, name: String| business.choose(name, &databases))
    };
    let names: Vec<String> = databases.into_iter().map(|database| database.name).collect();
    html! {
        <section class="settings" aria-label={text.get("cluster.business.title")} data-testid="business">
            <h3 class="label">{ text.get("cluster.business.title") }</h3>
            <p class="dim small">{ text.get("cluster.business.says") }</p>
            <DatabaseField
                id="business-database"
                label={text.get("cluster.business.database")}
                none={text.get("cluster.business.none")}
                databases={names.clone()}
                value={business.database.clone()}
                on_change={on_database}
            />
            { error(props, "push.business") }
            if !business.database.is_empty() {
                <p class="dim small">{ text.rich("cluster.business.placeholders", &[]) }</p>
                <ChangesFields id="business" draft={work.part(|business| &mut business.changes)} tables={tables.clone()} />
                { error(props, "push.business.changes") }
                <Cases work={work.clone()} {tables} form={props.clone()} />
                <KnownBy work={work.clone()} {names} form={props.clone()} />
                <div class="form-row">
                    { choice(&work, "duplicate", |business| &mut business.duplicate, ("verdict", &VERDICTS), &text) }
                    { choice(&work, "no-row", |business| &mut business.no_row, ("verdict", &VERDICTS), &text) }
                </div>
            }
        </section>
    }
}

fn error(form: &Props, field: &str) -> Html {
    match form.error(field) {
        Some(error) => html! { <p class="field-error" data-testid={format!("error:{field}")}>{ error }</p> },
        None => html! { <></> },
    }
}

/// One of a few words; its label is `cluster.business.NAME`, and theirs stand below `cluster.business.OF`.
fn choice(
    work: &Bound<Business>,
    name: &str,
    field: fn(&mut Business) -> &mut String,
    (of, options): (&str, &[&str]),
    text: &Text,
) -> Html {
    html! {
        <Choice
            id={format!("business-{name}")}
            label={text.get(&format!("cluster.business.{name}"))}
            options={options.iter().map(|option| (*option).to_owned()).collect::<Vec<_>>()}
            names={options.iter().map(|option| text.get(&format!("cluster.business.{of}.{option}"))).collect::<Vec<_>>()}
            value={field(&mut work.value.clone()).clone()}
            on_change={work.set(move |business, value| *field(business) = value)}
        />
    }
}

#[derive(Clone, PartialEq, Properties)]
struct CasesProps {
    work: Bound<Business>,
    tables: Vec<TableChoice>,
    form: Props,
}

/// Changes for certain messages, a case a card; the first that fits counts.
#[component]
fn Cases(props: &CasesProps) -> Html {
    let text = use_text();
    let CasesProps { work, tables, form } = props;
    let on_add = {
        let tables = tables.clone();
        work.set(move |business: &mut Business, _: yew::MouseEvent| {
            let mut case = Case::default();
            case.changes.fit(&tables);
            business.cases.push(case);
        })
    };
    html! {
        <>
            <h4 class="label">{ text.get("cluster.business.cases") }</h4>
            <p class="dim small">{ text.get("cluster.business.cases-say") }</p>
            <ol class="rule-cards">
                { for (0..work.value.cases.len()).filter_map(|at| {
                    let case = work.item(|business| &mut business.cases, at)?;
                    let on_remove =
                        work.set(move |business: &mut Business, _: yew::MouseEvent| drop(business.cases.remove(at)));
                    let number = at + 1;
                    let place = format!("push.business.cases.{at}");
                    Some(html! {
                        <li key={at} class="rule-card" data-testid={format!("case-{at}")}>
                            <div class="node-form-head">
                                <h5>{ text.fill("cluster.business.case", &[("number", &number)]) }</h5>
                                <button
                                    type="button"
                                    class="button quiet icon-only"
                                    aria-label={text.fill("cluster.business.remove-case", &[("number", &number)])}
                                    onclick={on_remove}
                                ><Icon glyph={Glyph::Close} /></button>
                            </div>
                            <fieldset class="rule-part">
                                <legend class="dim small">{ text.get("cluster.push.when") }</legend>
                                <ConditionFields
                                    id={format!("case-{at}")}
                                    place={place.clone()}
                                    when={case.part(|case| &mut case.when)}
                                    form={form.clone()}
                                />
                            </fieldset>
                            <ChangesFields
                                id={format!("case-{at}")}
                                draft={case.part(|case| &mut case.changes)}
                                tables={tables.clone()}
                            />
                            { error(form, &format!("{place}.changes")) }
                        </li>
                    })
                }) }
            </ol>
            { error(form, "push.business.cases") }
            <button type="button" class="button tiny" onclick={on_add} data-testid="add-case">
                <Icon glyph={Glyph::Add} />{ text.get("cluster.business.add-case") }
            </button>
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct KnownByProps {
    work: Bound<Business>,
    names: Vec<String>,
    form: Props,
}

impl KnownByProps {
    fn line(&self, name: &str, of: fn(&mut Business) -> &mut String, text: &Text) -> Html {
        html! {
            <Input
                id={format!("business-{name}")}
                label={text.get(&format!("cluster.business.{name}"))}
                value={of(&mut self.work.value.clone()).clone()}
                on_change={self.work.set(move |business, value| *of(business) = value)}
                error={self.form.error(&format!("push.business.{}", name.replace('-', ".")))}
            />
        }
    }
}

/// How the listener knows that it has done a message before.
#[component]
fn KnownBy(props: &KnownByProps) -> Html {
    let text = use_text();
    let KnownByProps { work, names, form } = props;
    let business = &work.value;
    let (at, set) = (business.record.at.as_str(), business.cache.set.as_str());
    let on_database = work.set(|business: &mut Business, name| business.record.database = name);
    html! {
        <>
            <h4 class="label">{ text.get("cluster.business.known") }</h4>
            <div class="form-row">
                { choice(work, "record-at", |business| &mut business.record.at, ("records", &RECORDS), &text) }
                if at == NONE {
                    <span />
                } else {
                    { props.line("record-key", |business| &mut business.record.key, &text) }
                }
            </div>
            <p class="dim small" data-testid="record-says">{ text.get(&format!("cluster.business.record-says.{at}")) }</p>
            { error(form, "push.business.record.at") }
            if at != NONE {
                <div class="form-row">
                    { props.line("record-table", |business| &mut business.record.table, &text) }
                    <DatabaseField
                        id="business-record-database"
                        label={text.get("cluster.business.record-database")}
                        none={text.get("cluster.business.same")}
                        databases={(*names).clone()}
                        value={business.record.database.clone()}
                        on_change={on_database}
                    />
                </div>
            }
            <div class="form-row">
                { choice(work, "cache-set", |business| &mut business.cache.set, ("caches", &CACHES), &text) }
                if set == NONE {
                    <span />
                } else {
                    { props.line("cache-key", |business| &mut business.cache.key, &text) }
                }
            </div>
            if set != NONE {
                <p class="dim small">{ text.get(&format!("cluster.business.cache-says.{set}")) }</p>
            }
        </>
    }
}

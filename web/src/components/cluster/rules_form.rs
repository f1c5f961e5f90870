//! What a push consumer's listener does with certain messages, a rule a card.

use rocketscope_engine::client::consumer::ListenerKind;
use yew::{Html, Properties, component, html};

use super::condition_form::ConditionFields;
use super::node_form::Props;
use super::push::{Condition, Push, Rule};
use super::push_form::results;
use crate::components::form::{Input, Tick};
use crate::components::sandbox::draft::Bound;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// The rules; the first that fits decides.
#[component]
pub(super) fn Rules(props: &Props) -> Html {
    let text = use_text();
    let Some(push) = props.push() else { return html! { <></> } };
    html! {
        <>
            <h4 class="label">{ text.get("cluster.push.rules") }</h4>
            <p class="dim small">{ text.get("cluster.push.rules-say") }</p>
            <ol class="rule-cards">
                { for push.rules.iter().enumerate().map(|(at, rule)| html! {
                    <RuleCard key={at} {at} rule={rule.clone()} kind={push.listener_kind()} form={props.clone()} />
                }) }
            </ol>
            <button
                type="button"
                class="button tiny"
                onclick={props.change_push(|push| push.rules.push(Rule::default()))}
                data-testid="add-rule"
            >
                <Icon glyph={Glyph::Add} />{ text.get("cluster.push.add-rule") }
            </button>
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct RuleProps {
    at: usize,
    rule: Rule,
    kind: ListenerKind,
    form: Props,
}

impl RuleProps {
    fn when(&self) -> Option<Bound<Condition>> {
        Some(self.form.bound()?.item(|push| &mut push.rules, self.at)?.part(|rule| &mut rule.when))
    }

    fn line(&self, name: &'static str, value: &str, put: fn(&mut Rule, String), number: bool) -> Html {
        let at = self.at;
        let on_change = self.form.set_push(move |push: &mut Push, value| {
            if let Some(rule) = push.rules.get_mut(at) {
                put(rule, value);
            }
        });
        html! {
            <Line at={at} {name} value={value.to_owned()} {on_change} {number} error={self.form.error(&format!("push.rules.{at}.{name}"))} kind={self.kind} />
        }
    }

    fn tick(&self, put: fn(&mut Rule, bool)) -> yew::Callback<bool> {
        let at = self.at;
        let set = self.form.set_push(move |push: &mut Push, value| {
            if let Some(rule) = push.rules.get_mut(at) {
                put(rule, value == "true");
            }
        });
        set.reform(|on: bool| on.to_string())
    }
}

/// A rule: which messages, and what the listener does with them.
#[component]
fn RuleCard(props: &RuleProps) -> Html {
    let text = use_text();
    let RuleProps { at, rule, kind, form } = props;
    let at = *at;
    html! {
        <li class="rule-card" data-testid={format!("rule-{at}")}>
            <div class="node-form-head">
                <h5>{ text.fill("cluster.push.rule", &[("number", &(at + 1))]) }</h5>
                <button
                    type="button"
                    class="button quiet icon-only"
                    aria-label={text.fill("cluster.push.remove-rule", &[("number", &(at + 1))])}
                    onclick={form.change_push(move |push| drop(push.rules.remove(at)))}
                ><Icon glyph={Glyph::Close} /></button>
            </div>
            <fieldset class="rule-part">
                <legend class="dim small">{ text.get("cluster.push.when") }</legend>
                if let Some(when) = props.when() {
                    <ConditionFields id={format!("rule-{at}")} place={format!("push.rules.{at}")} {when} form={form.clone()} />
                }
            </fieldset>
            <fieldset class="rule-part">
                <legend class="dim small">{ text.get("cluster.push.then") }</legend>
                <div class="rule-fields">
                    { props.line("results", &rule.results, |rule, value| rule.results = value, false) }
                    { props.line("takes", &rule.takes, |rule, value| rule.takes = value, true) }
                    if *kind == ListenerKind::Concurrently {
                        { props.line("ack", &rule.ack_index, |rule, value| rule.ack_index = value, true) }
                        { props.line("level", &rule.delay_level, |rule, value| rule.delay_level = value, true) }
                    } else {
                        { props.line("suspend", &rule.suspend, |rule, value| rule.suspend = value, true) }
                    }
                </div>
                <Tick
                    id={format!("rule-{at}-hangs")}
                    label={text.get("cluster.push.field.hangs")}
                    value={rule.hangs}
                    on_change={props.tick(|rule, on| rule.hangs = on)}
                />
                if *kind == ListenerKind::Orderly {
                    <Tick
                        id={format!("rule-{at}-no-auto-commit")}
                        label={text.get("cluster.push.field.no-auto-commit")}
                        value={rule.no_auto_commit}
                        on_change={props.tick(|rule, on| rule.no_auto_commit = on)}
                    />
                }
            </fieldset>
        </li>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct LineProps {
    at: usize,
    name: &'static str,
    value: String,
    on_change: yew::Callback<String>,
    number: bool,
    error: Option<String>,
    kind: ListenerKind,
}

#[component]
fn Line(props: &LineProps) -> Html {
    let text = use_text();
    let words: Vec<String> = match props.name {
        "results" => results(props.kind).iter().map(|result| (*result).to_owned()).collect(),
        _ => Vec::new(),
    };
    html! {
        <Input
            id={format!("rule-{}-{}", props.at, props.name)}
            label={text.get(&format!("cluster.push.field.{}", props.name))}
            value={props.value.clone()}
            on_change={props.on_change.clone()}
            error={props.error.clone()}
            number={props.number}
            placeholder={(props.name == "results").then(|| "later, success".to_owned())}
            {words}
        />
    }
}

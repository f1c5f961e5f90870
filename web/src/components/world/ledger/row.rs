//! A message of the ledger.

use rocketscope_engine::ledger::{CopyState, Effect, Finding, GroupDeliveries, StoredCopy};
use rocketscope_engine::view::ledger::LedgerRow;
use yew::{Html, Properties, classes, component, html, use_context};

use crate::components::store::{SeekContext, num, use_store_context};
use crate::components::{Glyph, Icon, verdict};
use crate::i18n::{Text, name_of, use_text};
use crate::route::Place;

/// Properties of [`Row`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// The message.
    pub row: LedgerRow,
}

/// What was told, what is stored, who had it, what that changed, and what that comes to.
#[component]
pub(super) fn Row(props: &Props) -> Html {
    let text = use_text();
    let row = &props.row;
    let account = &row.account;
    let id = format!("account:{}:{}", account.producer, account.number);
    let visible = account.copies.iter().filter(|copy| copy.state == CopyState::Visible && !copy.slave).count();
    html! {
        <li class="card item" data-testid={id} data-verdict={row.verdict.name()}>
            <div class="item-head">
                <h4>
                    { account.name.clone().unwrap_or_else(|| format!("{} #{}", account.producer, account.number)) }
                    <span class="small dim">{ " " }{ account.topic.clone() }</span>
                    if let Some(keys) = &account.keys {
                        <span class="small dim mono">{ " " }{ keys.clone() }</span>
                    }
                </h4>
                { verdict::mark(row.verdict, &text) }
            </div>
            <ul class="ledger-why">
                { for account.findings.iter().zip(&row.others).enumerate().map(|(key, (finding, other))| html! {
                    <li {key}>{ why(finding, other.as_deref(), &text) }</li>
                }) }
            </ul>
            <dl class="ledger-facts">
                <dt>{ text.get("ledger.told") }</dt>
                <dd>{ told(row, &text) }<Events sent_at={row.sent_at} told_at={row.told_at} /></dd>
                <dt>{ text.get("ledger.copies") }</dt>
                <dd>
                    if account.copies.is_empty() {
                        <span class="dim">{ text.get("ledger.none") }</span>
                    } else {
                        <ul class="plain">
                            { for account.copies.iter().enumerate().map(|(key, copy)| html! {
                                <li {key}><CopyAt copy={copy.clone()} /></li>
                            }) }
                        </ul>
                    }
                </dd>
                <dt>{ text.get("ledger.visible") }</dt>
                <dd class="num">{ visible }</dd>
                <dt>{ text.get("ledger.groups") }</dt>
                <dd>
                    if account.groups.is_empty() {
                        <span class="dim">{ text.get("ledger.no-group") }</span>
                    } else {
                        <ul class="plain">
                            { for account.groups.iter().enumerate().map(|(key, has)| html! {
                                <li {key}>{ group(has, &text) }</li>
                            }) }
                        </ul>
                    }
                </dd>
                if !account.effects.is_empty() {
                    <dt>{ text.get("ledger.effects") }</dt>
                    <dd>
                        <ul class="plain">
                            { for account.effects.iter().enumerate().map(|(key, one)| html! {
                                <li {key}>{ effect(one, &text) }</li>
                            }) }
                        </ul>
                    </dd>
                }
            </dl>
        </li>
    }
}

/// Where a verdict comes from, and by which rule.
fn why(finding: &Finding, other: Option<&str>, text: &Text) -> Html {
    let place = |key: &str, slot: &str, name: &Option<String>| {
        name.as_ref().map(|name| text.fill(key, &[(slot, name)])).unwrap_or_default()
    };
    let broker = place("ledger.at-broker", "broker", &finding.broker);
    let group = place("ledger.in-group", "group", &finding.group);
    let other = other.map(|other| text.fill("ledger.after", &[("other", &other)])).unwrap_or_default();
    let places = [broker, group, other].into_iter().filter(|place| !place.is_empty()).collect::<Vec<_>>().join(" · ");
    html! {
        <span class={classes!("note", verdict::class(finding.verdict))} data-rule={finding.why.name()}>
            <Icon glyph={verdict::glyph(finding.verdict)} />
            <span>
                <span class="hidden">{ verdict::word(finding.verdict, text) }{ ": " }</span>
                { verdict::rule(finding.why, text) }
                if !places.is_empty() {
                    <span class="small dim">{ " " }{ places }</span>
                }
            </span>
        </span>
    }
}

fn told(row: &LedgerRow, text: &Text) -> Html {
    let account = &row.account;
    if account.told.is_empty() {
        return html! { <span class="dim">{ text.get("ledger.told-nothing") }</span> };
    }
    let (glyph, class) = if account.is_acknowledged() { (Glyph::Tick, "is-good") } else { (Glyph::Warn, "is-bad") };
    html! { <span class={classes!("note", class)}><Icon {glyph} /><span class="mono">{ account.told.clone() }</span></span> }
}

#[derive(Clone, PartialEq, Properties)]
struct EventsProps {
    sent_at: Option<u64>,
    told_at: Option<u64>,
}

/// Links to the events of the send.
#[component]
fn Events(props: &EventsProps) -> Html {
    let text = use_text();
    let Some(SeekContext { seek }) = use_context::<SeekContext>() else { return html! {} };
    let link = |key: &str, seq: Option<u64>| {
        seq.map(|seq| {
            let onclick = seek.reform(move |_: yew::MouseEvent| seq + 1);
            html! { <button type="button" class="link" {onclick}>{ text.fill(key, &[("seq", &seq)]) }</button> }
        })
    };
    html! {
        <span class="small ledger-events">
            { for link("ledger.send", props.sent_at) }
            { for link("ledger.answer", props.told_at) }
        </span>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct CopyProps {
    copy: StoredCopy,
}

/// A record; a link to it where it is one of the store that is shown.
#[component]
fn CopyAt(props: &CopyProps) -> Html {
    let text = use_text();
    let context = use_store_context();
    let copy = &props.copy;
    let shown = context.node() == Some(copy.broker.as_str());
    let place = shown.then_some(Place::Record { at: copy.physical_offset });
    let state = match copy.state {
        CopyState::Visible => None,
        state => Some(text.get(&format!("ledger.{}", name_of(&state)))),
    };
    let slave = copy.slave.then(|| text.get("ledger.slave"));
    html! {
        <>
            { text.rich("ledger.copy", &[
                ("broker", html! { <span>{ copy.broker.clone() }</span> }),
                ("queue", html! { <span class="mono">{ format!("{}/{}", copy.topic, copy.queue_id) }</span> }),
                ("offset", num(copy.physical_offset, place)),
            ]) }
            { for slave.into_iter().chain(state).map(|words| html! { <span class="chip">{ words }</span> }) }
        </>
    }
}

fn group(has: &GroupDeliveries, text: &Text) -> Html {
    let name =
        has.consumer.as_ref().map_or_else(|| has.group.clone(), |consumer| format!("{} · {consumer}", has.group));
    let key = match has.delivered {
        0 => "ledger.handed-never",
        1 => "ledger.handed-one",
        _ => "ledger.handed",
    };
    let refused = (has.refused > 0).then(|| text.fill("ledger.refused", &[("count", &has.refused)]));
    let order = (!has.in_order).then(|| text.get("ledger.not-in-order"));
    html! {
        <>
            { text.fill(key, &[("group", &name), ("delivered", &has.delivered), ("consumed", &has.consumed)]) }
            { for refused.into_iter().chain(order).map(|words| html! { <span class="chip">{ words }</span> }) }
        </>
    }
}

fn effect(one: &Effect, text: &Text) -> Html {
    let place = format!("{}.{}", one.database, one.table);
    html! {
        <>
            { text.rich("ledger.effect", &[
                ("place", html! { <span class="mono">{ place }</span> }),
                ("key", html! { <b class="mono">{ one.key.clone() }</b> }),
            ]) }
            if one.count > 1 {
                <span class="chip">{ text.fill("ledger.effect-times", &[("count", &one.count)]) }</span>
            }
        </>
    }
}

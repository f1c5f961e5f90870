//! What bounds the rate: how much of each resource is used, where the threads are, and what would help.

use std::rc::Rc;

use rocketscope_engine::backlog::{Outlook, Resource, WhatIf};
use yew::{Html, Properties, classes, component, html};

use super::number::{decimal, grouped, milli};
use crate::i18n::{Text, name_of, use_text};

/// Properties of [`Resources`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What the plan comes to.
    pub outlook: Rc<Outlook>,
}

/// Resources, threads, and what would help.
#[component]
pub fn Resources(props: &Props) -> Html {
    let text = use_text();
    let outlook = &*props.outlook;
    html! {
        <>
            <section class="lab-part" aria-labelledby="backlog-resources">
                <h3 class="label" id="backlog-resources">{ text.get("backlog.resources") }</h3>
                <ul class="lab-bars">
                    { for outlook.resources.iter().map(|resource| bar(resource, &text)) }
                </ul>
                { threads(outlook, &text) }
            </section>
            <section class="lab-part" aria-labelledby="backlog-what-if">
                <h3 class="label" id="backlog-what-if">{ text.get("backlog.what-if") }</h3>
                <ul class="lab-what-if" data-testid="backlog-what-if">
                    { for outlook.what_if.iter().map(|what| change(what, outlook.formula.out_milli_per_s, &text)) }
                </ul>
            </section>
        </>
    }
}

fn bar(resource: &Resource, text: &Text) -> Html {
    let name = name_of(&resource.kind);
    let percent = decimal(resource.used_permille, 1);
    let used = text.fill("backlog.used", &[("percent", &percent)]);
    let allows = match resource.milli_per_s {
        Some(rate) => text.fill("backlog.allows", &[("rate", &milli(rate))]),
        None => text.get("backlog.unused"),
    };
    html! {
        <li key={name.clone()} class={classes!("lab-bar", resource.bounds.then_some("is-bound"))} data-testid={format!("resource:{name}")}>
            <span class="lab-bar-name">
                { text.get(&format!("backlog.resource.{name}")) }
                <span class="dim num">{ grouped(resource.count) }</span>
            </span>
            <span class="lab-bar-line" aria-hidden="true"><i style={format!("width:{percent}%")} /></span>
            <span class="lab-bar-used">{ used }</span>
            <span class="lab-bar-allows dim">{ allows }</span>
            if resource.bounds {
                <span class="lab-tag">{ text.get("backlog.bounds") }</span>
            }
        </li>
    }
}

/// Where the threads are.
fn threads(outlook: &Outlook, text: &Text) -> Html {
    let threads = outlook.threads;
    let parts = [
        ("computing", threads.computing_milli),
        ("waiting", threads.waiting_milli),
        ("blocked", threads.blocked_milli),
    ];
    let all = parts.iter().map(|(_, milli)| milli).sum::<u64>().max(1);
    html! {
        <div class="lab-threads" data-testid="backlog-threads">
            <p class="small">{ text.get("backlog.threads") }</p>
            <span class="lab-stack" aria-hidden="true">
                { for parts.iter().map(|(name, milli)| html! {
                    <i key={*name} class={format!("is-{name}")} style={format!("width:{}%", decimal(milli * 10_000 / all, 2))} />
                }) }
            </span>
            <ul class="lab-legend">
                { for parts.iter().map(|(name, parts)| html! {
                    <li key={*name}>
                        <i class={format!("lab-swatch is-{name}")} aria-hidden="true" />
                        { text.get(&format!("backlog.thread.{name}")) }{ " " }<b class="num">{ milli(*parts) }</b>
                    </li>
                }) }
            </ul>
        </div>
    }
}

/// What a change would make of the rate.
fn change(what: &WhatIf, now: u64, text: &Text) -> Html {
    let name = name_of(&what.kind);
    let helps = what.out_milli_per_s > now;
    html! {
        <li key={name.clone()} class={classes!(helps.then_some("is-help"))} data-testid={format!("what-if:{name}")}>
            <span>{ text.get(&format!("backlog.if.{name}")) }</span>
            <span class="num">
                if helps {
                    { text.fill("backlog.if-more", &[("rate", &milli(what.out_milli_per_s))]) }
                } else {
                    { text.get("backlog.if-same") }
                }
            </span>
        </li>
    }
}

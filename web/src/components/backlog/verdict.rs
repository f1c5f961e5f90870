//! The answer in a sentence, and why.

use std::rc::Rc;

use rocketscope_engine::backlog::{Arrival, Clearing, Outlook, Plan, ResourceKind};
use yew::{Html, Properties, classes, component, html};

use super::number::{grouped, milli, seconds};
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, name_of, use_text};

/// Properties of [`Verdict`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The plan.
    pub plan: Plan,
    /// What it comes to.
    pub outlook: Rc<Outlook>,
}

/// The answer.
#[component]
pub fn Verdict(props: &Props) -> Html {
    let text = use_text();
    let (plan, outlook) = (&props.plan, &*props.outlook);
    let never = outlook.clearing == Clearing::Never;
    let glyph = if never { Glyph::Warn } else { Glyph::Tick };
    html! {
        <section class={classes!("card", "lab-verdict", never.then_some("is-never"))} aria-live="polite" data-testid="backlog-verdict">
            <h2><Icon {glyph} /><span>{ answer(outlook, &text) }</span></h2>
            <p>{ sum(plan, outlook, &text) }</p>
            { for outlook.resources.iter().filter(|resource| resource.bounds).map(|resource| {
                let key = format!("backlog.bound.{}", name_of(&resource.kind));
                let words = text.rich(&key, &[
                    ("count", number(grouped(resource.count))),
                    ("rate", number(milli(outlook.formula.out_milli_per_s))),
                    ("instances", number(grouped(outlook.allocation.working.into()))),
                ]);
                html! { <p key={key} data-testid="backlog-bound">{ words }</p> }
            }) }
            { for notes(plan, outlook, &text).into_iter().map(|note| html! { <p class="lab-note">{ note }</p> }) }
        </section>
    }
}

fn number(words: String) -> Html {
    html! { <b class="num">{ words }</b> }
}

/// Whether and when it clears.
fn answer(outlook: &Outlook, text: &Text) -> Html {
    let (comes, goes) = (outlook.formula.in_milli_per_s, outlook.formula.out_milli_per_s);
    match outlook.clearing {
        Clearing::At { .. } if outlook.highest.behind == 0 => text.rich("backlog.verdict.keeps-up", &[]),
        Clearing::At { ms } => text.rich("backlog.verdict.at", &[("time", number(seconds(ms)))]),
        Clearing::Later { ms } => text.rich("backlog.verdict.later", &[("time", number(seconds(ms)))]),
        Clearing::Never if comes > goes => text.rich("backlog.verdict.grows", &[("more", number(milli(comes - goes)))]),
        Clearing::Never if comes == goes => text.rich("backlog.verdict.stays", &[]),
        Clearing::Never => text.rich("backlog.verdict.stuck", &[]),
    }
}

/// The formula with its numbers.
fn sum(plan: &Plan, outlook: &Outlook, text: &Text) -> Html {
    let formula = &outlook.formula;
    let slots = [
        ("behind", number(grouped(plan.behind))),
        ("out", number(milli(formula.out_milli_per_s))),
        ("in", number(milli(formula.in_milli_per_s))),
    ];
    match formula.clears_ms {
        Some(_) if plan.behind == 0 => text.rich("backlog.sum.nothing", &slots),
        Some(ms) => {
            let [behind, out, comes] = slots;
            text.rich("backlog.sum.clears", &[behind, out, comes, ("time", number(seconds(ms)))])
        }
        None => text.rich("backlog.sum.never", &slots),
    }
}

/// What else there is to know.
fn notes(plan: &Plan, outlook: &Outlook, text: &Text) -> Vec<Html> {
    let mut notes = Vec::new();
    if let Some(ms) = outlook.uneven_from_ms {
        notes.push(text.rich("backlog.note.uneven", &[("time", number(seconds(ms)))]));
    }
    if outlook.allocation.idle > 0 {
        let idle = number(grouped(outlook.allocation.idle.into()));
        let instances = number(grouped(plan.instances.into()));
        let queues = number(grouped(plan.queues.into()));
        notes.push(text.rich("backlog.note.idle", &[("idle", idle), ("instances", instances), ("queues", queues)]));
    }
    let bounds = |kind| outlook.resources.iter().any(|resource| resource.kind == kind && resource.bounds);
    if let Some(best) = outlook.formula.best_milli_threads
        && u64::from(plan.threads) * 1000 > best
        && bounds(ResourceKind::Cores)
    {
        let threads = number(grouped(plan.threads.into()));
        notes.push(text.rich("backlog.note.best", &[("best", number(milli(best))), ("threads", threads)]));
    }
    if outlook.threads.blocked_milli >= 1000 && bounds(ResourceKind::Connections) {
        let blocked = number(grouped(outlook.threads.blocked_milli / 1000));
        notes.push(text.rich("backlog.note.blocked", &[("blocked", blocked)]));
    }
    let horizon_ms = u64::from(plan.horizon_s) * 1000;
    if (1..horizon_ms).contains(&outlook.highest.at_ms) {
        let (at, most) = (number(seconds(outlook.highest.at_ms)), number(grouped(outlook.highest.behind)));
        notes.push(text.rich("backlog.note.highest", &[("time", at), ("behind", most)]));
    }
    if outlook.highest.behind > 0 && outlook.clearing != Clearing::Never && outlook.uneven_from_ms.is_none() {
        let wait = number(seconds(outlook.longest_wait_ms));
        notes.push(text.rich("backlog.note.wait", &[("time", wait)]));
    }
    if plan.batch > 1 {
        notes.push(text.rich("backlog.note.batch", &[("batch", number(grouped(plan.batch.into())))]));
    }
    if !matches!(plan.arrival, Arrival::Steady) {
        notes.push(text.rich("backlog.note.mean", &[]));
    }
    notes
}

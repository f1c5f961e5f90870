//! The formulas with the plan's numbers.

use std::rc::Rc;

use rocketscope_engine::backlog::{Outlook, Plan};
use yew::{Html, Properties, component, html};

use super::number::{decimal, grouped, milli};
use crate::i18n::use_text;

/// Properties of [`Formulas`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The plan.
    pub plan: Plan,
    /// What it comes to.
    pub outlook: Rc<Outlook>,
}

/// The formulas.
#[component]
pub fn Formulas(props: &Props) -> Html {
    let text = use_text();
    let (plan, formula) = (&props.plan, &props.outlook.formula);
    let (comes, goes) = (formula.in_milli_per_s, formula.out_milli_per_s);
    let net = if goes < comes { format!("−{}", milli(comes - goes)) } else { milli(goes - comes) };
    let (cpu, wait) = (decimal(plan.cpu_us.into(), 3), decimal(plan.wait_us.into(), 3));
    let (cores, batch, node) = (grouped(plan.cores.into()), plan.batch, milli(formula.node_milli_per_s));
    let sum = if batch == 1 {
        format!("({cpu} + {wait}) / {cpu}")
    } else {
        format!("({batch} × {cpu} + {wait}) / ({batch} × {cpu})")
    };
    let best = formula.best_milli_threads.map(|best| format!("{cores} × {sum} = {}", milli(best)));
    let rows = [
        (
            "net",
            text.get("backlog.formula.net-is"),
            format!("{} − {} = {net}", milli(goes), milli(comes)),
            "per-second",
        ),
        (
            "best",
            text.get(if batch == 1 { "backlog.formula.best-is" } else { "backlog.formula.best-is-of-a-batch" }),
            best.unwrap_or_else(|| text.get("backlog.formula.best-none")),
            if plan.cpu_us == 0 { "none" } else { "threads" },
        ),
        ("node", text.get("backlog.formula.node-is"), node.clone(), "per-second"),
        (
            "nodes",
            text.get("backlog.formula.nodes-is"),
            format!("{} / {node} → {}", milli(formula.peak_milli_per_s), grouped(formula.nodes)),
            "instances",
        ),
    ];
    html! {
        <section class="lab-part" aria-labelledby="backlog-formulas">
            <h3 class="label" id="backlog-formulas">{ text.get("backlog.formulas") }</h3>
            <dl class="lab-formulas" data-testid="backlog-formulas">
                { for rows.into_iter().map(|(name, is, sum, unit)| html! {
                    <div key={name}>
                        <dt>{ text.get(&format!("backlog.formula.{name}")) }</dt>
                        <dd>
                            <span class="dim">{ is }</span>
                            <span class="num">{ sum }{ " " }{ text.get(&format!("backlog.unit.{unit}")) }</span>
                        </dd>
                    </div>
                }) }
            </dl>
            if formula.nodes > u64::from(plan.queues) {
                <p class="small">{ text.fill("backlog.formula.too-few-queues", &[("queues", &plan.queues)]) }</p>
            }
        </section>
    }
}

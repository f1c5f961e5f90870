//! Transactions at a broker: half queue and op queue, what the last check decided and why, and what it has come to.

mod check;
mod past;
mod queues;

use rocketscope_engine::view::transactions::TransactionsPicture;
use rocketscope_engine::view::{Answer, Query};
use yew::{Html, Properties, component, html};

use super::HALF_TOPIC;
use check::LastCheck;
use past::Pasts;
use queues::{Halves, Ops};

use crate::backend::use_ask;
use crate::components::store::{Waiting, format, use_store_context};
use crate::components::{Glyph, Icon, name};
use crate::i18n::use_text;

/// What says that a half message is decided.
const OP_TOPIC: &str = "RMQ_SYS_TRANS_OP_HALF_TOPIC";

/// Properties of [`TransactionsPane`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The broker's node.
    pub node: String,
}

/// Transactions at a broker.
#[component]
pub fn TransactionsPane(props: &Props) -> Html {
    let context = use_store_context();
    let asked = use_ask(Some(Query::Transactions { node: props.node.clone() }), context.revision);
    match asked.answer.as_deref() {
        Some(Answer::Transactions(picture)) => html! { <Transactions picture={(**picture).clone()} /> },
        _ => html! { <Waiting {asked} /> },
    }
}

/// Properties of [`Transactions`].
#[derive(Clone, PartialEq, Properties)]
struct TransactionsProps {
    picture: TransactionsPicture,
}

#[component]
fn Transactions(props: &TransactionsProps) -> Html {
    let text = use_text();
    let picture = &props.picture;
    let code = |name: &'static str| html! { <code>{ name }</code> };
    html! {
        <div class="pane world" data-testid="transactions">
            <h2 class="label">{ text.rich("transactions.title", &[("node", name(&picture.node))]) }</h2>
            <p class="narration">{ text.rich("transactions.says", &[("half", code(HALF_TOPIC)), ("op", code(OP_TOPIC))]) }</p>
            <p class="narration">
                { text.fill("transactions.settings", &[
                    ("interval", &format::span(picture.interval_ms)),
                    ("timeout", &format::span(picture.timeout_ms)),
                    ("max", &picture.check_max),
                ]) }
            </p>
            if picture.running {
                <dl class="tiles">
                    <div class="tile"><dt>{ text.get("transactions.asked") }</dt><dd class="mono" data-testid="asked">{ picture.asked }</dd></div>
                    <div class="tile"><dt>{ text.get("transactions.discarded") }</dt><dd class="mono">{ picture.discarded }</dd></div>
                    <div class="tile">
                        <dt>{ text.get("transactions.next") }</dt>
                        <dd class="mono">{ match picture.next_check_us {
                            Some(next_us) => format::span(next_us.saturating_sub(picture.now_us) / 1000),
                            None => "–".to_owned(),
                        } }</dd>
                    </div>
                </dl>
                if picture.next_check_us.is_none() {
                    <p class="warning"><Icon glyph={Glyph::Warn} /><span>{ text.get("transactions.no-checks") }</span></p>
                }
                <Halves queue={picture.half} slots={picture.halves.clone()} max={picture.check_max} />
                <Ops queue={picture.op} slots={picture.ops.clone()} />
                <LastCheck check={picture.last_check.clone()} timeout_ms={picture.timeout_ms} max={picture.check_max} />
                <Pasts pasts={picture.pasts.clone()} max={picture.check_max} />
            } else {
                <p class="notice">{ text.get("transactions.down") }</p>
            }
        </div>
    }
}

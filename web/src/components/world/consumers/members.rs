//! The members of a group, and what their threads do.

use rocketscope_engine::sim::NodeState;
use rocketscope_engine::view::consumers::{CallPicture, MemberPicture, MessageName};
use yew::{Html, Properties, classes, component, html};

use super::owners::Owners;
use crate::components::store::format;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, name_of, use_text};

/// Properties of [`Members`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// The members.
    pub members: Vec<MemberPicture>,
    /// Their letters.
    pub owners: Owners,
    /// World time, microseconds.
    pub now_us: i64,
}

/// The members of a group.
#[component]
pub(super) fn Members(props: &Props) -> Html {
    html! {
        <ul class="world-list">
            { for props.members.iter().map(|member| html! {
                <Member key={member.node.clone()} member={member.clone()} owners={props.owners.clone()} now_us={props.now_us} />
            }) }
        </ul>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct MemberProps {
    member: MemberPicture,
    owners: Owners,
    now_us: i64,
}

#[component]
fn Member(props: &MemberProps) -> Html {
    let text = use_text();
    let member = &props.member;
    let up = member.state == NodeState::Up;
    html! {
        <li class="card item" data-testid={format!("member:{}", member.node)}>
            <div class="item-head">
                <h4>{ props.owners.badge(&member.node) }<span class="mono">{ member.node.clone() }</span></h4>
                { life(member, &text) }
                <span class="small num item-end">{ member.client_id.clone() }</span>
            </div>
            <p class="small dim">
                <span class="mono">{ member.message_model.name() }</span>{ " · " }
                <span class="mono">{ name_of(&member.consume_from_where) }</span>{ " · " }
                { text.get(&format!("consumers.{}", name_of(&member.listener))) }{ " · " }
                { text.count("consumers.batch", i64::from(member.batch)) }
            </p>
            if up {
                <Threads member={member.clone()} now_us={props.now_us} />
            }
            <p class="small dim">
                { text.fill("consumers.calls", &[("succeeded", &member.succeeded), ("failed", &member.failed)]) }
            </p>
        </li>
    }
}

fn life(member: &MemberPicture, text: &Text) -> Html {
    let (class, glyph, says) = match member.state {
        NodeState::Up if member.stopped => ("is-bad", Glyph::Pause, text.get("consumers.stands-still")),
        NodeState::Up if member.suspended => ("is-bad", Glyph::Pause, text.get("consumers.suspended")),
        NodeState::Up if member.running => ("is-good", Glyph::Tick, text.get("consumers.runs")),
        NodeState::Up => ("is-pending", Glyph::Clock, text.get("consumers.starts")),
        state => ("is-bad", Glyph::Kill, text.get(&format!("life.{}", name_of(&state)))),
    };
    html! { <span class={classes!("note", class)}><Icon {glyph} />{ says }</span> }
}

#[derive(Clone, PartialEq, Properties)]
struct ThreadsProps {
    member: MemberPicture,
    now_us: i64,
}

/// The calls of the listener that are under way, thread by thread.
#[component]
fn Threads(props: &ThreadsProps) -> Html {
    let text = use_text();
    let member = &props.member;
    let (made, most) = member.threads;
    html! {
        <>
            <p class="small">
                { text.fill("consumers.threads", &[("busy", &member.calls.len()), ("made", &made), ("most", &most)]) }
                if member.waiting_calls > 0 {
                    { " " }{ text.count("consumers.waiting-calls", i64::from(member.waiting_calls)) }
                }
            </p>
            if !member.calls.is_empty() {
                <ul class="queue-list">
                    { for member.calls.iter().map(|call| html! {
                        <li key={call.thread} data-testid={format!("call:{}", call.thread)}>
                            <span class="num">{ text.fill("consumers.thread", &[("thread", &call.thread)]) }</span>
                            <span class="small">{ says(call, props.now_us, &text) }</span>
                        </li>
                    }) }
                </ul>
            }
        </>
    }
}

fn says(call: &CallPicture, now_us: i64, text: &Text) -> String {
    let queue = format!("{}/{}", call.queue.topic, call.queue.queue_id);
    let messages: Vec<String> = call.messages.iter().map(name).collect();
    let span = format::span(now_us.saturating_sub(call.began_us) / 1000);
    let key = if call.sending_back { "consumers.sends-back" } else { "consumers.has" };
    let says = text.fill(key, &[("messages", &messages.join(", ")), ("queue", &queue), ("span", &span)]);
    if call.reconsume_times > 0 {
        return format!("{says} {}", text.fill("consumers.again", &[("times", &call.reconsume_times)]));
    }
    says
}

/// A message by its name, or by its place in the queue.
pub(super) fn name(message: &MessageName) -> String {
    message.name.clone().unwrap_or_else(|| format!("@{}", message.queue_offset))
}

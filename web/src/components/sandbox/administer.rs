//! An administrator is given a command.

use yew::{Html, component, html, use_state_eq};

use super::card::{Card, FormProps, More};
use super::command::{COMMANDS, CommandDraft, FROM, SWITCHES, TARGETS};
use super::draft::Bound;
use super::fields::Fields;
use super::topic::PERMS;
use crate::components::Glyph;
use crate::i18n::use_text;

/// The form of a command.
#[component]
pub fn AdministerForm(props: &FormProps) -> Html {
    let text = use_text();
    let state = use_state_eq(CommandDraft::default);
    let choices = &props.choices;
    let draft = Bound::to(&state, |draft| draft.fit(choices));
    let read = draft.value.read();
    let fields = Fields {
        id: "administer",
        draft: &draft,
        wrong: read.as_ref().err(),
        refusal: props.refusal.as_ref(),
        text: &text,
    };
    let now = &draft.value;
    let topic = || fields.line("topic", |draft| &mut draft.topic.value).words(&choices.topics).html();
    let group = || fields.line("group", |draft| &mut draft.group.value).words(&choices.groups).html();
    let own = match now.command.as_str() {
        "updateTopic" => html! {
            <>
                <div class="form-row">
                    { topic() }
                    { fields.choice("perm", |draft| &mut draft.perm, &PERMS) }
                </div>
                <div class="form-row">
                    { fields.line("readQueues", |draft| &mut draft.read).number().html() }
                    { fields.line("writeQueues", |draft| &mut draft.write).number().html() }
                </div>
                { fields.tick("order", |draft| &mut draft.order) }
            </>
        },
        "updateGroup" => html! {
            <>
                { group() }
                { fields.line("retryMaxTimes", |draft| &mut draft.retry_max).number().empty("16").html() }
                <More id="administer" set={now.set()}>
                    <div class="form-row">
                        { fields.choice("consumeEnable", |draft| &mut draft.consume, &SWITCHES) }
                        { fields.choice("consumeFromMinEnable", |draft| &mut draft.from_min, &SWITCHES) }
                    </div>
                    <div class="form-row">
                        { fields.choice("consumeBroadcastEnable", |draft| &mut draft.broadcast, &SWITCHES) }
                        { fields.choice("notifyConsumerIdsChangedEnable", |draft| &mut draft.notify, &SWITCHES) }
                    </div>
                    { fields.line("retryQueueNums", |draft| &mut draft.retry_queues).number().empty("1").html() }
                    <div class="form-row">
                        { fields.line("brokerId", |draft| &mut draft.broker_id).number().empty("0").html() }
                        { fields.line("whichBrokerWhenConsumeSlowly", |draft| &mut draft.slow_broker).number().empty("1").html() }
                    </div>
                </More>
            </>
        },
        "deleteGroup" => html! { <>{ group() }{ fields.tick("removeOffset", |draft| &mut draft.remove_offset) }</> },
        "wipeWritePerm" | "addWritePerm" => {
            html! { <>{ fields.name("at-broker", |draft| &mut draft.broker, &choices.brokers) }</> }
        }
        "resumeCheck" => html! {
            <>
                { fields.name("at-broker", |draft| &mut draft.broker, &choices.brokers) }
                { fields.line("discardedOffset", |draft| &mut draft.discarded).number().html() }
            </>
        },
        "resetOffset" => html! {
            <>
                <div class="form-row">{ group() }{ topic() }</div>
                <div class="form-row">
                    { fields.choice("from", |draft| &mut draft.from, &FROM) }
                    if now.from == "at" {
                        { fields.line("timestampMs", |draft| &mut draft.at).number().html() }
                    } else {
                        <span />
                    }
                </div>
                { fields.tick("force", |draft| &mut draft.force) }
            </>
        },
        "resendDeadLetter" => html! {
            <>
                { group() }
                { fields.line("queueOffset", |draft| &mut draft.queue_offset).number().empty(text.get("sandbox.all-of-them")).html() }
            </>
        },
        _ => html! { <>{ topic() }</> },
    };
    html! {
        <Card id="administer" glyph={Glyph::Mend} action={read.clone().ok()} form={props.clone()}>
            { fields.name("administrator", |draft| &mut draft.administrator, &choices.administrators) }
            { fields.choice("command", |draft| &mut draft.command, &COMMANDS) }
            <p class="dim small">{ text.get(&format!("sandbox.command-says.{}", now.command)) }</p>
            { own }
            if now.has_target() {
                <div class="form-row">
                    { fields.choice("target", |draft| &mut draft.target, &TARGETS) }
                    if now.target == "broker" {
                        { fields.choose("at-broker", |draft| &mut draft.broker, &choices.brokers) }
                    } else {
                        { fields.choose("cluster", |draft| &mut draft.cluster, &choices.clusters) }
                    }
                </div>
            }
        </Card>
    }
}

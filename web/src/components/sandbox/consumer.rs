//! What an application does with its push consumer while it runs.

use rocketscope_engine::client::consumer::{ConsumeResult, ListenerKind, MessageListener};
use rocketscope_engine::sim::{Action, SubscriptionSpec};
use yew::{Html, component, html, use_state_eq};

use super::card::{Card, FormProps};
use super::choices::Choices;
use super::draft::{Bound, Offered, Reader, Wrong, fit, some};
use super::fields::Fields;
use crate::components::Glyph;
use crate::i18n::use_text;

/// What can be done.
pub const CALLS: [&str; 6] =
    ["subscribe", "unsubscribe", "setListener", "updateCorePoolSize", "suspendConsumer", "resumeConsumer"];

/// What a concurrent listener comes to.
pub const CONCURRENTLY: [&str; 4] = ["success", "later", "null", "throw"];

/// What an orderly one comes to.
pub const ORDERLY: [&str; 6] = ["success", "suspend", "commit", "rollback", "null", "throw"];

#[derive(Clone, Debug, PartialEq, Eq)]
struct ConsumerDraft {
    call: String,
    consumer: String,
    topic: Offered,
    tags: String,
    sql: String,
    takes_ms: String,
    result: String,
    core_pool_size: String,
    /// The consumer's listener is orderly.
    orderly: bool,
}

impl Default for ConsumerDraft {
    fn default() -> Self {
        Self {
            call: "subscribe".to_owned(),
            consumer: String::new(),
            topic: Offered::default(),
            tags: String::new(),
            sql: String::new(),
            takes_ms: "10".to_owned(),
            result: "success".to_owned(),
            core_pool_size: "10".to_owned(),
            orderly: false,
        }
    }
}

impl ConsumerDraft {
    fn fit(&mut self, choices: &Choices) {
        fit(&mut self.consumer, &choices.pushers.iter().map(|pusher| pusher.name.clone()).collect::<Vec<_>>());
        self.topic.follow(choices.topic());
        self.orderly = choices.pushers.iter().any(|pusher| pusher.name == self.consumer && pusher.orderly);
        // What the other listener comes to, this one may not.
        if !self.results().contains(&self.result.as_str()) {
            "success".clone_into(&mut self.result);
        }
    }

    const fn results(&self) -> &'static [&'static str] {
        if self.orderly { &ORDERLY } else { &CONCURRENTLY }
    }

    fn listener(&self, takes_ms: u32) -> MessageListener {
        let result = match self.result.as_str() {
            "later" => ConsumeResult::Later,
            "suspend" => ConsumeResult::Suspend,
            "commit" => ConsumeResult::Commit,
            "rollback" => ConsumeResult::Rollback,
            "null" => ConsumeResult::Null,
            "throw" => ConsumeResult::Throw,
            _ => ConsumeResult::Success,
        };
        let kind = if self.orderly { ListenerKind::Orderly } else { ListenerKind::Concurrently };
        MessageListener { kind, takes_ms, result, ..MessageListener::default() }
    }

    fn read(&self) -> Result<Action, Wrong> {
        let mut read = Reader::default();
        let consumer = read.needed("consumer", &self.consumer);
        let action = match self.call.as_str() {
            "suspendConsumer" => Action::SuspendConsumer { consumer },
            "resumeConsumer" => Action::ResumeConsumer { consumer },
            "unsubscribe" => Action::Unsubscribe { consumer, topic: read.needed("topic", &self.topic.value) },
            "updateCorePoolSize" => Action::UpdateCorePoolSize {
                consumer,
                core_pool_size: read.number("corePoolSize", &self.core_pool_size),
            },
            "setListener" => {
                let takes_ms = read.number("takesMs", &self.takes_ms);
                Action::SetListener { consumer, listener: Box::new(self.listener(takes_ms)) }
            }
            _ => {
                let topic = read.needed("topic", &self.topic.value);
                let sql = some(&self.sql);
                let tags = some(&self.tags).filter(|_| sql.is_none());
                Action::Subscribe { consumer, subscription: SubscriptionSpec { topic, tags, sql } }
            }
        };
        read.done(action)
    }
}

/// The form of what an application does with its push consumer.
#[component]
pub fn ConsumerForm(props: &FormProps) -> Html {
    let text = use_text();
    let state = use_state_eq(ConsumerDraft::default);
    let choices = &props.choices;
    let draft = Bound::to(&state, |draft| draft.fit(choices));
    let read = draft.value.read();
    let fields = Fields {
        id: "consumer",
        draft: &draft,
        wrong: read.as_ref().err(),
        refusal: props.refusal.as_ref(),
        text: &text,
    };
    let now = &draft.value;
    let names: Vec<String> = choices.pushers.iter().map(|pusher| pusher.name.clone()).collect();
    html! {
        <Card id="consumer" glyph={Glyph::Process} action={read.clone().ok()} form={props.clone()}>
            { fields.choice("call", |draft| &mut draft.call, &CALLS) }
            { fields.name("consumer", |draft| &mut draft.consumer, &names) }
            <p class="dim">{ text.get(&format!("sandbox.call-says.{}", now.call)) }</p>
            if matches!(now.call.as_str(), "subscribe" | "unsubscribe") {
                { fields.line("topic", |draft| &mut draft.topic.value).words(&choices.topics).html() }
            } else {
                <></>
            }
            if now.call == "subscribe" {
                { fields.line("tags", |draft| &mut draft.tags).empty("TagA || TagB").html() }
                { fields.line("sql", |draft| &mut draft.sql).empty(text.get("sandbox.no-sql")).html() }
            } else if now.call == "setListener" {
                <div class="form-row">
                    { fields.line("takesMs", |draft| &mut draft.takes_ms).number().html() }
                    { fields.choice("result", |draft| &mut draft.result, now.results()) }
                </div>
            } else if now.call == "updateCorePoolSize" {
                { fields.line("corePoolSize", |draft| &mut draft.core_pool_size).number().html() }
            } else {
                <></>
            }
        </Card>
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::client::consumer::{ConsumeResult, ListenerKind};
    use rocketscope_engine::sim::{Action, SubscriptionSpec};

    use super::{CALLS, ConsumerDraft, ORDERLY};
    use crate::components::sandbox::choices::{Choices, PushChoice};

    fn choices() -> Choices {
        let push = |name: &str, orderly| PushChoice { name: name.to_owned(), orderly };
        Choices { pushers: vec![push("c1", false), push("c2", true)], ..Choices::default() }
    }

    fn draft(call: &str, consumer: &str) -> ConsumerDraft {
        let mut draft =
            ConsumerDraft { call: call.to_owned(), consumer: consumer.to_owned(), ..ConsumerDraft::default() };
        draft.fit(&choices());
        draft
    }

    #[test]
    fn every_call_is_an_action_of_its_name() {
        for call in CALLS {
            let action = serde_json::to_value(draft(call, "c1").read().unwrap()).unwrap();
            assert_eq!((&action["kind"], &action["consumer"]), (&call.into(), &"c1".into()));
        }
    }

    #[test]
    fn the_size_of_the_thread_pool_is_a_number() {
        let mut sizes = draft("updateCorePoolSize", "c1");
        "5".clone_into(&mut sizes.core_pool_size);
        assert_eq!(
            sizes.read().ok(),
            Some(Action::UpdateCorePoolSize { consumer: "c1".to_owned(), core_pool_size: 5 })
        );
        "few".clone_into(&mut sizes.core_pool_size);
        assert!(sizes.read().is_err());
    }

    #[test]
    fn an_expression_takes_the_place_of_tags() {
        let mut subscribes = draft("subscribe", "c1");
        "TagA".clone_into(&mut subscribes.tags);
        let told = |draft: &ConsumerDraft| match draft.read() {
            Ok(Action::Subscribe { subscription: SubscriptionSpec { tags, sql, .. }, .. }) => (tags, sql),
            other => panic!("{other:?}"),
        };
        assert_eq!(told(&subscribes), (Some("TagA".to_owned()), None));
        "a > 5".clone_into(&mut subscribes.sql);
        assert_eq!(told(&subscribes), (None, Some("a > 5".to_owned())));
    }

    #[test]
    fn a_listener_stays_of_its_kind_and_comes_to_what_it_may() {
        let mut sets = draft("setListener", "c2");
        for result in ORDERLY {
            result.clone_into(&mut sets.result);
            let Ok(Action::SetListener { listener, .. }) = sets.read() else { panic!("{result}") };
            assert_eq!((listener.kind, listener.check()), (ListenerKind::Orderly, Ok(())));
        }
        "suspend".clone_into(&mut sets.result);
        "c1".clone_into(&mut sets.consumer);
        sets.fit(&choices());
        let Ok(Action::SetListener { listener, .. }) = sets.read() else { panic!("no listener") };
        assert_eq!((listener.kind, listener.result), (ListenerKind::Concurrently, ConsumeResult::Success));
        "soon".clone_into(&mut sets.takes_ms);
        assert!(sets.read().is_err());
    }
}

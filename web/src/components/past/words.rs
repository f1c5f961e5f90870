//! A breakpoint in words.

use std::fmt::Display;

use rocketscope_engine::lesson::{Breakpoint, Test};

use crate::i18n::{Text, name_of};

/// What a breakpoint waits for, short enough for a button.
pub(super) fn words(breakpoint: &Breakpoint, text: &Text) -> String {
    let at = |node: &Option<String>| node.clone().unwrap_or_else(|| text.get("past.any-node"));
    match breakpoint {
        Breakpoint::Service { node, service } => {
            text.fill("past.at-service", &[("node", &at(node)), ("service", service)])
        }
        Breakpoint::Event { node, event, code } => {
            let what = text.get(&format!("past.event-{}", name_of(event)));
            let what = match code {
                Some(code) => format!("{what} {}", code.name()),
                None => what,
            };
            text.fill("past.at-event", &[("node", &at(node)), ("what", &what)])
        }
        Breakpoint::Step { node, step } => text.fill("past.at-step", &[("node", &at(node)), ("step", step)]),
        Breakpoint::Message { message } => text.fill("past.at-message", &[("message", message)]),
        Breakpoint::PhysicalOffset { broker, mark, offset } => {
            let mark = text.get(&format!("state.{}", name_of(mark)));
            text.fill("past.at-physical", &[("broker", broker), ("mark", &mark), ("offset", offset)])
        }
        Breakpoint::QueueOffset { broker, topic, queue, group, offset } => {
            let slots: [(&str, &dyn Display); 4] =
                [("broker", broker), ("topic", topic), ("queue", queue), ("offset", offset)];
            match group {
                Some(group) => text.fill("past.at-group", &[slots[0], slots[1], slots[2], slots[3], ("group", group)]),
                None => text.fill("past.at-queue", &slots),
            }
        }
        Breakpoint::Condition { probe, test } => {
            let (sign, value): (&str, &dyn Display) = match test {
                Test::Is(value) => ("=", value),
                Test::Not(value) => ("≠", value),
                Test::AtLeast(value) => ("≥", value),
                Test::AtMost(value) => ("≤", value),
            };
            format!("{probe} {sign} {value}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::words;
    use crate::i18n::{Lang, Text};
    use rocketscope_engine::lesson::{Breakpoint, EventName, LogMark, Test, Value};
    use rocketscope_engine::node::Service;
    use rocketscope_engine::wire::RequestCode;

    #[test]
    fn every_kind_has_words_in_both_languages() {
        let node = || Some("broker-a".to_owned());
        let mut all = vec![
            Breakpoint::Service { node: node(), service: Service::Reput },
            Breakpoint::Service { node: None, service: Service::Reput },
            Breakpoint::Event { node: None, event: EventName::Request, code: Some(RequestCode::PullMessage) },
            Breakpoint::Step { node: node(), step: "appended".to_owned() },
            Breakpoint::Message { message: "M1".to_owned() },
            Breakpoint::Condition { probe: "broker-a.behind".to_owned(), test: Test::Is(Value::Int(0)) },
        ];
        all.extend(EventName::ALL.iter().map(|event| Breakpoint::Event { node: node(), event: *event, code: None }));
        all.extend(LogMark::ALL.iter().map(|mark| Breakpoint::PhysicalOffset {
            broker: "broker-a".to_owned(),
            mark: *mark,
            offset: 1200,
        }));
        all.extend([None, Some("order_group".to_owned())].map(|group| Breakpoint::QueueOffset {
            broker: "broker-a".to_owned(),
            topic: "OrderTopic".to_owned(),
            queue: 0,
            group,
            offset: 7,
        }));
        for lang in Lang::ALL {
            let text = Text::new(lang);
            for breakpoint in &all {
                let words = words(breakpoint, &text);
                assert!(!words.contains('⟦') && !words.contains('{'), "{words}");
            }
        }
        let text = Text::new(Lang::En);
        assert_eq!(words(&all[0], &text), "broker-a · reput");
        assert_eq!(words(&all[2], &text), "any node · request PULL_MESSAGE");
        assert_eq!(words(&all[5], &text), "broker-a.behind = 0");
    }
}

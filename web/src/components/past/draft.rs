//! A breakpoint while it is being described.

use rocketscope_engine::lesson::{Breakpoint, EventName, LogMark, Test, Value};
use rocketscope_engine::node::Service;
use rocketscope_engine::wire::RequestCode;

use crate::i18n::name_of;

/// What a breakpoint can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Service,
    Event,
    Step,
    Message,
    Physical,
    Queue,
    Condition,
}

impl Kind {
    pub(super) const ALL: [Self; 7] =
        [Self::Service, Self::Event, Self::Step, Self::Message, Self::Physical, Self::Queue, Self::Condition];

    /// Its name in the catalogue.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Event => "event",
            Self::Step => "step",
            Self::Message => "message",
            Self::Physical => "physical",
            Self::Queue => "queue",
            Self::Condition => "condition",
        }
    }
}

/// How a condition compares, by the names of [`Test`].
pub(super) const TESTS: [(&str, &str); 4] = [("is", "="), ("not", "≠"), ("atLeast", "≥"), ("atMost", "≤")];

/// What the form holds: as it is typed, and of the choices the names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Draft {
    pub(super) kind: Kind,
    /// Empty: any node.
    pub(super) node: String,
    pub(super) service: String,
    pub(super) event: String,
    /// Empty: any request.
    pub(super) code: String,
    pub(super) step: String,
    pub(super) message: String,
    pub(super) broker: String,
    pub(super) mark: String,
    pub(super) topic: String,
    pub(super) queue: String,
    /// Empty: the unit is built.
    pub(super) group: String,
    pub(super) offset: String,
    pub(super) probe: String,
    pub(super) test: String,
    pub(super) value: String,
}

impl Draft {
    pub(super) fn new(broker: &str) -> Self {
        let empty = String::new;
        Self {
            kind: Kind::Service,
            node: empty(),
            service: Service::Put.name().to_owned(),
            event: name_of(&EventName::Request),
            code: empty(),
            step: empty(),
            message: empty(),
            broker: broker.to_owned(),
            mark: name_of(&LogMark::Written),
            topic: empty(),
            queue: "0".to_owned(),
            group: empty(),
            offset: empty(),
            probe: empty(),
            test: "is".to_owned(),
            value: empty(),
        }
    }

    /// The breakpoint, or the names of the fields that cannot be used.
    pub(super) fn breakpoint(&self) -> Result<Breakpoint, Vec<&'static str>> {
        let node = Some(self.node.clone()).filter(|node| !node.is_empty());
        match self.kind {
            Kind::Service => {
                let service = Service::ALL.iter().copied().find(|service| service.name() == self.service);
                Ok(Breakpoint::Service { node, service: service.ok_or_else(|| vec!["service"])? })
            }
            Kind::Event => {
                let event = EventName::ALL.iter().copied().find(|event| name_of(event) == self.event);
                let code = self.code.trim();
                let known = RequestCode::ALL.iter().copied().find(|known| known.name() == code);
                if !code.is_empty() && known.is_none() {
                    return Err(vec!["code"]);
                }
                Ok(Breakpoint::Event { node, event: event.ok_or_else(|| vec!["event"])?, code: known })
            }
            Kind::Step => Ok(Breakpoint::Step { node, step: full("step", &self.step)? }),
            Kind::Message => Ok(Breakpoint::Message { message: full("message", &self.message)? }),
            Kind::Physical => {
                let mark = LogMark::ALL.iter().copied().find(|mark| name_of(mark) == self.mark);
                Ok(Breakpoint::PhysicalOffset {
                    broker: self.broker.clone(),
                    mark: mark.ok_or_else(|| vec!["mark"])?,
                    offset: number("offset", &self.offset)?,
                })
            }
            Kind::Queue => {
                let topic = full("topic", &self.topic);
                let (queue, offset) = (number("queue", &self.queue), number("offset", &self.offset));
                let bad: Vec<&'static str> = [topic.as_ref().err(), queue.as_ref().err(), offset.as_ref().err()]
                    .into_iter()
                    .flatten()
                    .flatten()
                    .copied()
                    .collect();
                match (topic, queue.map(i32::try_from), offset) {
                    (Ok(topic), Ok(Ok(queue)), Ok(offset)) => Ok(Breakpoint::QueueOffset {
                        broker: self.broker.clone(),
                        topic,
                        queue,
                        group: Some(self.group.trim().to_owned()).filter(|group| !group.is_empty()),
                        offset,
                    }),
                    _ if bad.is_empty() => Err(vec!["queue"]),
                    _ => Err(bad),
                }
            }
            Kind::Condition => {
                let (probe, value) = (full("probe", &self.probe)?, full("value", &self.value)?);
                let test = match self.test.as_str() {
                    "atLeast" => Test::AtLeast(value.parse().map_err(|_| vec!["value"])?),
                    "atMost" => Test::AtMost(value.parse().map_err(|_| vec!["value"])?),
                    "not" => Test::Not(value_of(value)),
                    _ => Test::Is(value_of(value)),
                };
                Ok(Breakpoint::Condition { probe, test })
            }
        }
    }
}

fn full(field: &'static str, text: &str) -> Result<String, Vec<&'static str>> {
    let text = text.trim();
    if text.is_empty() { Err(vec![field]) } else { Ok(text.to_owned()) }
}

fn number(field: &'static str, text: &str) -> Result<i64, Vec<&'static str>> {
    text.trim().parse().ok().filter(|number| *number >= 0).ok_or_else(|| vec![field])
}

/// A value as scripts write it: a truth, a whole number, or a name.
fn value_of(text: String) -> Value {
    match text.as_str() {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => text.parse().map_or(Value::Text(text), Value::Int),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(kind: Kind) -> Draft {
        Draft { kind, ..Draft::new("broker-a") }
    }

    #[test]
    fn what_is_typed_becomes_a_breakpoint() {
        let put = Breakpoint::Service { node: None, service: Service::Put };
        assert_eq!(draft(Kind::Service).breakpoint(), Ok(put));
        let pull = Draft { code: " PULL_MESSAGE ".to_owned(), node: "broker-a".to_owned(), ..draft(Kind::Event) };
        let (node, code) = (Some("broker-a".to_owned()), Some(RequestCode::PullMessage));
        assert_eq!(pull.breakpoint(), Ok(Breakpoint::Event { node, event: EventName::Request, code }));
        let flushed = Draft { mark: "flushed".to_owned(), offset: "1200".to_owned(), ..draft(Kind::Physical) };
        let broker = || "broker-a".to_owned();
        let wanted = Breakpoint::PhysicalOffset { broker: broker(), mark: LogMark::Flushed, offset: 1200 };
        assert_eq!(flushed.breakpoint(), Ok(wanted));
        let (topic, offset) = ("OrderTopic".to_owned(), "3".to_owned());
        let unit = Draft { topic: topic.clone(), offset, ..draft(Kind::Queue) };
        let wanted = Breakpoint::QueueOffset { broker: broker(), topic, queue: 0, group: None, offset: 3 };
        assert_eq!(unit.breakpoint(), Ok(wanted));
        let probe = || "producer.result.0.status".to_owned();
        let told = |value: &str| Draft { probe: probe(), value: value.to_owned(), ..draft(Kind::Condition) };
        let is = |value| Ok(Breakpoint::Condition { probe: probe(), test: Test::Is(value) });
        assert_eq!(told("SEND_OK").breakpoint(), is(Value::Text("SEND_OK".to_owned())));
        assert_eq!(told("-1").breakpoint(), is(Value::Int(-1)));
        assert_eq!(told("true").breakpoint(), is(Value::Bool(true)));
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        assert_eq!(draft(Kind::Message).breakpoint(), Err(vec!["message"]));
        assert_eq!(Draft { code: "PULL".to_owned(), ..draft(Kind::Event) }.breakpoint(), Err(vec!["code"]));
        assert_eq!(Draft { offset: "-1".to_owned(), ..draft(Kind::Physical) }.breakpoint(), Err(vec!["offset"]));
        assert_eq!(draft(Kind::Queue).breakpoint(), Err(vec!["topic", "offset"]));
        let large = Draft {
            topic: "T".to_owned(),
            offset: "0".to_owned(),
            queue: (1_i64 << 40).to_string(),
            ..draft(Kind::Queue)
        };
        assert_eq!(large.breakpoint(), Err(vec!["queue"]));
        let (probe, value, test) = ("broker-a.behind".to_owned(), "many".to_owned(), "atLeast".to_owned());
        assert_eq!(Draft { probe, test, value, ..draft(Kind::Condition) }.breakpoint(), Err(vec!["value"]));
    }
}

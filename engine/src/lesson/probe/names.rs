//! Probes of route tables, topics and groups.

/// What a probe reads of routes, topics and groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamesPlace {
    /// `brokers`: broker addresses that are alive for a NameServer.
    Brokers,
    /// `topics`: topics that a NameServer, or a broker, knows.
    Topics,
    /// `nameServer`: the node of the NameServer that a client uses.
    NameServer,
    /// `route.TOPIC.queues`: queues that a client would send to.
    RouteQueues(String),
    /// `route.TOPIC.BROKERNAME.FIELD`: what a NameServer's table, or a client's cache, says of a topic at a broker.
    Route(String, String, RouteField),
    /// `topic.NAME.FIELD`: a topic in a broker's own table.
    Topic(String, TopicField),
    /// `group.NAME.FIELD`: a group in a broker's own table.
    Group(String, GroupField),
}

super::fields! {
    /// Fields of a topic's route at one broker.
    RouteField {
        /// Queues that may be read.
        ReadQueues = "readQueues",
        /// Queues that may be written.
        WriteQueues = "writeQueues",
        /// Permission bits.
        Perm = "perm",
    }
}
super::fields! {
    /// Fields of a topic.
    TopicField {
        /// Queues that may be read.
        ReadQueues = "readQueues",
        /// Queues that may be written.
        WriteQueues = "writeQueues",
        /// Permission bits.
        Perm = "perm",
        /// Whether it is ordered.
        Order = "order",
    }
}
super::fields! {
    /// Fields of a group.
    GroupField {
        /// Retries before the dead-letter queue.
        RetryMaxTimes = "retryMaxTimes",
        /// Queues of its retry topic.
        RetryQueueNums = "retryQueueNums",
        /// Whether it may consume.
        ConsumeEnable = "consumeEnable",
    }
}

/// The forms of these probes, for the message that lists them.
pub(super) const PLACES: &[&str] = &[
    "brokers",
    "topics",
    "nameServer",
    "route.TOPIC.queues",
    "route.TOPIC.BROKERNAME.FIELD",
    "topic.NAME.FIELD",
    "group.NAME.FIELD",
];

impl NamesPlace {
    /// Reads the segments of a probe; `None`: it is of another kind.
    pub(super) fn parse(segments: &[&str]) -> Option<Result<Self, String>> {
        Some(Ok(match *segments {
            ["brokers"] => Self::Brokers,
            ["topics"] => Self::Topics,
            ["nameServer"] => Self::NameServer,
            ["route", topic, "queues"] => Self::RouteQueues(topic.to_owned()),
            ["route", topic, broker, field] => {
                let of = |field| Self::Route(topic.to_owned(), broker.to_owned(), field);
                return Some(RouteField::parse(field).map(of));
            }
            ["topic", name, field] => {
                return Some(TopicField::parse(field).map(|field| Self::Topic(name.to_owned(), field)));
            }
            ["group", name, field] => {
                return Some(GroupField::parse(field).map(|field| Self::Group(name.to_owned(), field)));
            }
            _ => return None,
        }))
    }
}

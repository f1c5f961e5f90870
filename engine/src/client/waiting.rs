//! What the client's calls are for, and where their answers go.

use std::collections::VecDeque;

use super::{
    Ask, Client, Phase, PullQueue, PullRequest,
    ask::Asked,
    consumer::{Asking as AskingMembers, ConsumerCall, StartOf, WaitingOffset},
    give_back::GivingBack,
    job::Job,
    name_servers::Asking,
    outbox::RelayCall,
    pull::Pulling,
    transaction::{Checked, EndOf},
};
use crate::{
    node::{Answer, Turn},
    wire::{QueryMessage, Request},
};

/// What a call of the client is for.
#[derive(Clone, Debug)]
pub(super) enum Waiting {
    /// The route poll of a topic.
    Poll(String),
    /// A route that a send needs, and the topic that was asked for.
    SendRoute { job: u64, asked: String },
    /// An attempt of a send.
    Send { job: u64 },
    /// A one-way send that began then, whose outcome stands at `place`; only its failure comes.
    Oneway { place: usize, began_us: i64, job: Box<Job> },
    /// A route that another call needs.
    Route { topic: String, then: Box<After> },
    /// A query by key, at one of its brokers.
    Query { id: u64, broker_name: String },
    /// A pull.
    Pull(Box<Pulling>),
    /// Another question.
    Ask(Box<Asked>),
    /// A message that a consumer gives back.
    GiveBack(Box<GivingBack>),
    /// A phase of the application's business.
    Business { number: u64, phase: Phase },
    /// A step of a local transaction.
    LocalTransaction { number: u64 },
    /// A listener's look into its database.
    Check(Checked),
    /// A one-way `END_TRANSACTION` that left then; only its failure comes.
    EndTransaction { end: EndOf, began_us: i64 },
    /// A statement of the outbox's relay.
    Relay(RelayCall),
    /// A heartbeat to a broker.
    Heartbeat,
    /// A call of the push consumer.
    Consumer(ConsumerCall),
    /// A call of an administrator's command.
    Admin { job: u64 },
    /// A question to whatever NameServer is in use.
    NameServer(Box<Asking>),
}

/// What follows once the route is there.
#[derive(Clone, Debug)]
pub(super) enum After {
    Pull(PullRequest),
    Ask(Ask),
    Query(QueryMessage),
    /// The start of a push consumer, which asks for the routes of these topics next.
    Start(VecDeque<String>),
    /// The rebalance of a topic.
    Members(AskingMembers),
    /// A pull of a push consumer's queue, in the hands that it was in then.
    PushPull(PullQueue, u64),
    /// The question for the offset that a queue of a push consumer begins at.
    StartOf(StartOf),
    /// The question for an end, or for a time, that such a queue begins at.
    Position(StartOf, Request),
    /// An offset of a push consumer on its way to the broker.
    Offset(WaitingOffset),
}

impl Client {
    /// What a call waited for is there.
    pub(super) fn answered(&mut self, waiting: Waiting, answer: Answer, turn: &mut Turn<'_>) {
        match waiting {
            Waiting::Poll(topic) => self.polled(&topic, answer, turn),
            Waiting::SendRoute { job, asked } => self.send_route(job, &asked, answer, turn),
            Waiting::Send { job } => self.send_answered(job, answer, turn),
            Waiting::Oneway { place, job, .. } => self.oneway_failed(place, *job, answer, turn),
            Waiting::Route { topic, then } => self.routed(&topic, *then, answer, turn),
            Waiting::Query { id, broker_name } => self.query_answered(id, &broker_name, answer, turn),
            Waiting::Pull(pulling) => self.pulled(*pulling, answer, turn),
            Waiting::Ask(asked) => self.asked(&asked, answer, turn),
            Waiting::GiveBack(giving) => self.gave_back(*giving, answer, turn),
            Waiting::Business { number, phase } => self.business_answered(number, phase, answer, turn),
            Waiting::LocalTransaction { number } => self.local_answered(number, answer, turn),
            Waiting::Check(checked) => self.check_looked(checked, answer, turn),
            Waiting::EndTransaction { end, .. } => self.end_failed(end, answer, turn),
            Waiting::Relay(call) => self.relay_answered(call, answer, turn),
            Waiting::Heartbeat => self.heartbeat_answered(&answer, turn),
            Waiting::Consumer(call) => self.consumer_answered(call, answer, turn),
            Waiting::Admin { job } => self.administered(job, answer, turn),
            Waiting::NameServer(asking) => self.name_server_answered(*asking, answer, turn),
        }
    }
}

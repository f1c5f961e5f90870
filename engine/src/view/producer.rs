//! Pictures of a producer: its sends with their attempts, its transactions, and what it knows of the brokers' speed.

use serde::{Deserialize, Serialize};

use super::names::MessageNames;
use crate::{
    client::{CheckOutcome, Client, Keeps, SendMode, SendOutcome, TransactionOutcome, Try},
    sim::World,
};

/// Ended sends that one picture holds, and as many transactional sends and questions.
const SENDS_MAX: usize = 200;

/// A producer from inside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProducerPicture {
    /// The node.
    pub node: String,
    /// The producer group.
    pub group: String,
    /// `ip@instanceName`; of a bare sender too, which tells it to nobody.
    pub client_id: String,
    /// How long a send may take, all attempts together, milliseconds (`sendMsgTimeout`).
    pub timeout_ms: i64,
    /// Number of the first of `sends`, from 0: older ones are left out.
    pub first: u64,
    /// What the application was told, newest last.
    pub sends: Vec<SendOutcome>,
    /// Sends that it waits for, oldest first.
    pub pending: Vec<PendingSend>,
    /// Where its application's listener keeps what became of local transactions; absent: it has set none.
    pub listener: Option<Keeps>,
    /// Transactions that the listener has in memory.
    pub kept_in_memory: u64,
    /// Its transactional sends, those under way among them, newest last; older ones are left out.
    pub transactions: Vec<TransactionOutcome>,
    /// Brokers' questions about half messages, newest last; older ones are left out.
    pub checks: Vec<Question>,
    /// Whether slow brokers are avoided (`sendLatencyFaultEnable`); without it the table stays empty.
    pub avoids_slow_brokers: bool,
    /// What is known of the brokers' speed, by name.
    pub faults: Vec<FaultRow>,
    /// The queues that it would send to, by topic.
    pub publish: Vec<PublishPicture>,
}

/// A broker's question about a half message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The name that the scenario gave the message, whichever producer sent it.
    pub name: Option<String>,
    /// The question, and what was answered.
    #[serde(flatten)]
    pub outcome: CheckOutcome,
}

/// The queues that a topic's messages can be sent to (`TopicPublishInfo`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PublishPicture {
    /// The topic.
    pub topic: String,
    /// The queues, in the order in which the round robin goes through them.
    pub queues: Vec<PublishQueue>,
    /// The place in `queues` that the next send without a queue of its own begins at; `None` before the first, which
    /// draws it.
    pub next: Option<u32>,
}

/// A queue that can be sent to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PublishQueue {
    /// The broker.
    pub broker_name: String,
    /// The queue.
    pub queue_id: i32,
    /// Whether its broker counts as available, as far as slow brokers are avoided at all.
    pub available: bool,
}

/// A send that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingSend {
    /// The name that the scenario gave the message.
    pub name: Option<String>,
    /// The topic.
    pub topic: String,
    /// How it is sent.
    pub mode: SendMode,
    /// The client's message id, once it has one.
    pub msg_id: Option<String>,
    /// When the application called, microseconds.
    pub began_us: i64,
    /// What is left of its time, milliseconds; below 0 when the time is over and nobody has noticed.
    pub left_ms: i64,
    /// Attempts begun.
    pub attempts: u32,
    /// The attempts, in order; the last is under way. None while the route is asked for.
    pub tries: Vec<Try>,
}

/// A broker in the latency fault table (`LatencyFaultToleranceImpl`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FaultRow {
    /// The broker.
    pub broker_name: String,
    /// How long the last attempt took, milliseconds.
    pub latency_ms: i64,
    /// From when on it counts as available, by the client's wall clock, milliseconds since the epoch.
    pub start_ms: i64,
    /// Whether it counts as available now.
    pub available: bool,
    /// How long it will not, milliseconds; 0 if it is available.
    pub left_ms: i64,
}

/// The picture of a producer; `None` if there is no such node, or it is no producer.
pub(super) fn producer_picture(world: &World, node: &str) -> Option<ProducerPicture> {
    let client = world.client(node).filter(|client| client.is_producer())?;
    let now_ms = world.node_wall_ms(node)?;
    let sent = client.sent();
    let first = sent.len().saturating_sub(SENDS_MAX);
    let faults = client.faults().items().iter().map(|(broker_name, item)| FaultRow {
        broker_name: broker_name.clone(),
        latency_ms: item.latency_ms,
        start_ms: item.start_ms,
        available: item.is_available(now_ms),
        left_ms: item.start_ms.saturating_sub(now_ms).max(0),
    });
    let publish = client.routes().publish().iter().map(|(topic, info)| PublishPicture {
        topic: topic.clone(),
        queues: info
            .queues
            .iter()
            .map(|queue| PublishQueue {
                broker_name: queue.broker_name.clone(),
                queue_id: queue.queue_id,
                available: client.faults().is_available(&queue.broker_name, now_ms),
            })
            .collect(),
        next: info.next_place().and_then(|place| u32::try_from(place).ok()),
    });
    Some(ProducerPicture {
        node: node.to_owned(),
        group: client.group().to_owned(),
        client_id: client.client_id().to_owned(),
        timeout_ms: client.config().send_msg_timeout,
        first: first as u64,
        sends: sent.iter().skip(first).cloned().collect(),
        pending: client.pending_sends(world.now_us()).map(|send| pending(client, send)).collect(),
        listener: client.listener().map(|listener| listener.keeps),
        kept_in_memory: client.kept_in_memory() as u64,
        transactions: newest(client.transactions()),
        checks: questions(world, client),
        avoids_slow_brokers: client.config().send_latency_fault_enable,
        faults: faults.collect(),
        publish: publish.collect(),
    })
}

fn questions(world: &World, client: &Client) -> Vec<Question> {
    let asked = newest(client.checks());
    let names = (!asked.is_empty()).then(|| MessageNames::of(world));
    let name = |outcome: &CheckOutcome| names.as_ref()?.get(&outcome.transaction_id);
    let named = |outcome: CheckOutcome| Question { name: name(&outcome), outcome };
    asked.into_iter().map(named).collect()
}

/// The newest of a list that a picture holds.
fn newest<T: Clone>(list: &imbl::Vector<T>) -> Vec<T> {
    list.iter().skip(list.len().saturating_sub(SENDS_MAX)).cloned().collect()
}

/// A send under way, as far as its outcome is known.
fn pending(client: &Client, so_far: SendOutcome) -> PendingSend {
    let spent_ms = (so_far.ended_us - so_far.began_us) / 1000;
    PendingSend {
        name: so_far.name,
        topic: so_far.topic,
        mode: so_far.mode,
        msg_id: so_far.msg_id,
        began_us: so_far.began_us,
        left_ms: client.config().send_msg_timeout.saturating_sub(spent_ms),
        attempts: so_far.attempts,
        tries: so_far.tries,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, FailureKind, Query, Session};
    use super::*;
    use crate::{
        client::{ListenerResult, LocalTransactionState, TransactionPhase, TransactionProgress},
        sim::{Action, ListenerSpec, Send, SendInTransaction},
        view::sandbox,
    };

    fn picture(session: &mut Session) -> ProducerPicture {
        match session.ask(Query::Producer { node: "producer".to_owned() }) {
            Answer::Producer(picture) => *picture,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_producer_is_shown_with_what_is_under_way_and_what_has_ended() {
        let mut session = Session::new();
        session.ask(Query::StartSandbox { cluster: None, seed: 1 });
        let send = Send { producer: "producer".to_owned(), topic: "OrderTopic".to_owned(), ..Send::default() };
        session.ask(Query::Act { action: Action::Send(Box::new(send)) });
        let before = picture(&mut session);
        assert_eq!((before.sends.len(), before.pending.len(), before.pending[0].left_ms), (0, 1, 3000));
        session.ask(Query::Run { events: 1000 });
        let after = picture(&mut session);
        assert_eq!((after.sends.len(), after.pending.len(), after.sends[0].tries.len()), (1, 0, 1));
        let orders = after.publish.iter().find(|publish| publish.topic == "OrderTopic").unwrap();
        // Two queues, and the round robin goes on behind the one that was used.
        let used = after.sends[0].queue_id.unwrap();
        assert_eq!((orders.queues.len(), orders.next), (2, Some(u32::try_from((used + 1) % 2).unwrap())));
        assert!(before.publish.iter().all(|publish| publish.next.is_none()), "nothing was drawn yet");
        let tried = &after.sends[0].tries[0];
        assert_eq!((tried.broker_name.as_str(), tried.status.as_deref()), ("broker-a", Some("SEND_OK")));
        let Answer::Failed(failure) = session.ask(Query::Producer { node: "broker-a".to_owned() }) else { panic!() };
        assert_eq!(failure.kind, FailureKind::NotFound);
    }

    #[test]
    fn a_transactional_send_is_shown_while_it_runs_and_once_it_is_told() {
        let mut cluster = sandbox::cluster();
        cluster.producers[0].listener = Some(ListenerSpec::default());
        let mut session = Session::new();
        session.ask(Query::StartSandbox { cluster: Some(Box::new(cluster)), seed: 1 });
        let send = Send { producer: "producer".to_owned(), topic: "OrderTopic".to_owned(), ..Send::default() };
        let what = SendInTransaction { send, ..SendInTransaction::default() };
        session.ask(Query::Act { action: Action::SendInTransaction(Box::new(what)) });
        let before = picture(&mut session);
        assert_eq!((before.listener, before.kept_in_memory), (Some(Keeps::Memory), 0));
        let running = &before.transactions[0];
        assert_eq!((running.progress, running.phase), (TransactionProgress::Running, TransactionPhase::Half));
        session.ask(Query::Run { events: 1000 });
        let after = picture(&mut session);
        assert_eq!((after.kept_in_memory, after.checks.len()), (1, 0));
        let told = &after.transactions[0];
        assert_eq!((told.progress, told.state), (TransactionProgress::Told, Some(LocalTransactionState::Commit)));
        assert_eq!(told.half.as_ref().map(|half| half.queue_offset), Some(0));
    }

    /// By the check's table a half message older than 6 s is asked about; the listener keeps nothing of it, since its
    /// local transaction came to UNKNOW, and says so again.
    #[test]
    fn a_question_names_the_message_that_it_is_about() {
        let mut cluster = sandbox::cluster();
        cluster.producers[0].listener = Some(ListenerSpec::default());
        let mut session = Session::new();
        session.ask(Query::StartSandbox { cluster: Some(Box::new(cluster)), seed: 1 });
        let (name, producer, topic) = (Some("T1".to_owned()), "producer".to_owned(), "OrderTopic".to_owned());
        let send = Send { name, producer, topic, ..Send::default() };
        let local = ListenerResult::Unknown;
        let what = SendInTransaction { send, local, ..SendInTransaction::default() };
        session.ask(Query::Act { action: Action::SendInTransaction(Box::new(what)) });
        session.ask(Query::Act { action: Action::Wait { ms: 61_000 } });
        for _ in 0..400 {
            if picture(&mut session).checks.iter().any(|question| question.outcome.ended_us.is_some()) {
                break;
            }
            session.ask(Query::Step);
        }
        let asked = picture(&mut session).checks.pop().unwrap();
        assert_eq!((asked.name.as_deref(), asked.outcome.times, asked.outcome.queue_offset), (Some("T1"), Some(1), 1));
        assert_eq!(asked.outcome.state, Some(LocalTransactionState::Unknown));
    }
}

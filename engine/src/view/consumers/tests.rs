//! Groups of push consumers, as the picture shows them.

use super::{GroupPicture, HolderPicture, InHandState, PullingPicture, QueuePicture, RetryPlace};
use crate::{
    client::consumer::DeliveryFate,
    sim::{Action, Cluster, Send},
    view::{Answer, Query, Session, sandbox_cluster},
};

/// The usual cluster with a topic T of four queues, and consumers as `consumers` says.
fn session(consumers: &str) -> Session {
    let mut cluster = sandbox_cluster();
    let told: Cluster = toml::from_str(consumers).unwrap();
    cluster.consumers = told.consumers;
    let topic = &mut cluster.brokers[0].topics[0];
    (topic.name, topic.read_queues, topic.write_queues) = ("T".to_owned(), 4, 4);
    cluster.brokers[0].topics.truncate(1);
    let mut session = Session::new();
    let answer = session.ask(Query::StartSandbox { cluster: Some(Box::new(cluster)), seed: 1 });
    assert!(matches!(answer, Answer::Workbench(_)), "{answer:?}");
    session
}

fn group(session: &mut Session) -> GroupPicture {
    let Answer::Consumers(picture) = session.ask(Query::Consumers { group: None }) else { panic!("no picture") };
    *picture.group.unwrap()
}

fn act(session: &mut Session, action: Action) {
    let answer = session.ask(Query::Act { action });
    assert!(matches!(answer, Answer::Workbench(_)), "{answer:?}");
}

fn send(session: &mut Session, name: &str, queue: i32, tag: Option<&str>) {
    let what = Send {
        name: Some(name.to_owned()),
        producer: "producer".to_owned(),
        topic: "T".to_owned(),
        queue: Some(queue),
        body: Some(name.to_owned()),
        tag: tag.map(str::to_owned),
        ..Send::default()
    };
    act(session, Action::Send(Box::new(what)));
}

fn step_until(session: &mut Session, done: impl Fn(&GroupPicture) -> bool) -> GroupPicture {
    for _ in 0..2000 {
        let seen = group(session);
        if done(&seen) {
            return seen;
        }
        session.ask(Query::Step);
    }
    panic!("it does not come about: {:?}", group(session));
}

fn queue(group: &GroupPicture, queue_id: i32) -> &QueuePicture {
    group.queues.iter().find(|queue| queue.queue.topic == "T" && queue.queue.queue_id == queue_id).unwrap()
}

fn holder(group: &GroupPicture, queue_id: i32) -> &HolderPicture {
    &queue(group, queue_id).holders[0]
}

const TWO: &str = r#"
    [[consumers]]
    name = "c1"
    group = "g"
    [consumers.push]
    clientId = "10.0.4.1@A"
    subscriptions = [{ topic = "T" }]
    [[consumers]]
    name = "c2"
    group = "g"
    [consumers.push]
    clientId = "10.0.4.2@B"
    subscriptions = [{ topic = "T" }]
"#;

/// Four queues and two members: AVG gives runs of two, `AVG_BY_CIRCLE` every other one.
#[test]
fn the_queues_are_seen_with_who_has_them_and_who_would_by_another_strategy() {
    let mut session = session(TWO);
    let seen = step_until(&mut session, |group| {
        group.shares.iter().any(|shares| shares.topic == "T" && shares.held.iter().all(|held| held.len() == 1))
    });
    let shares = seen.shares.iter().find(|shares| shares.topic == "T").unwrap();
    assert_eq!(shares.queues, ["broker-a/0", "broker-a/1", "broker-a/2", "broker-a/3"]);
    assert_eq!(shares.held, [["c1"], ["c1"], ["c2"], ["c2"]]);
    let of = |name: &str| shares.strategies.iter().find(|strategy| strategy.name == name).unwrap();
    assert_eq!(of("AVG").owners, [["c1"], ["c1"], ["c2"], ["c2"]]);
    assert_eq!(of("AVG").used_by, ["c1", "c2"]);
    assert_eq!(of("AVG_BY_CIRCLE").owners, [["c1"], ["c2"], ["c1"], ["c2"]]);
    assert!(of("AVG_BY_CIRCLE").used_by.is_empty() && of("CONSISTENT_HASH").error.is_none());
    assert!(seen.subscriptions.iter().all(|subscription| subscription.differing.is_empty()));
    assert!(seen.members.iter().all(|member| member.running && member.strategy == "AVG"));
    assert_eq!(seen.retries.messages.len(), 0);
}

const SLOW: &str = r#"
    [[consumers]]
    name = "c1"
    group = "g"
    [consumers.push]
    subscriptions = [{ topic = "T", tags = "A" }]
    [consumers.push.listener]
    rules = [{ when = { body = "M1" }, takesMs = 60000 }]
"#;

/// M1 takes a minute, M2 has a tag that nobody wants, M3 is done with at once: the offset stays at 0.
#[test]
fn a_slow_message_holds_the_offset_of_what_is_done_behind_it() {
    let mut session = session(SLOW);
    step_until(&mut session, |group| queue(group, 0).holders.len() == 1);
    for (name, tag) in [("M1", "A"), ("M2", "B"), ("M3", "A")] {
        send(&mut session, name, 0, Some(tag));
    }
    let states = |group: &GroupPicture| -> Vec<InHandState> {
        queue(group, 0).holders.iter().flat_map(|holder| &holder.messages).map(|message| message.state).collect()
    };
    let seen = step_until(&mut session, |group| states(group).last() == Some(&InHandState::Done));
    let hand = holder(&seen, 0);
    assert!(matches!(states(&seen)[..], [InHandState::Consuming { .. }, InHandState::Passed, InHandState::Done]));
    let names: Vec<_> = hand.messages.iter().map(|message| message.name.as_deref()).collect();
    assert_eq!(names, [Some("M1"), None, Some("M3")]);
    assert_eq!((hand.lowest_unfinished, hand.count, hand.next_offset), (Some(0), 1, 3));
    assert_eq!(hand.offset.unwrap_or(0), 0, "it is held back");
    assert!(matches!(hand.pulling, PullingPicture::Queued | PullingPicture::Asked { .. }));
    let [call] = &seen.members[0].calls[..] else { panic!("{:?}", seen.members[0].calls) };
    assert_eq!((call.messages[0].name.as_deref(), call.sending_back), (Some("M1"), false));
    assert_eq!((seen.members[0].succeeded, seen.members[0].failed), (1, 0));

    // Everything is done with: the broker is told with a pull or within 5 s, and saves within 5 s more.
    act(&mut session, Action::Wait { ms: 75_000 });
    let after = step_until(&mut session, |group| queue(group, 0).persisted == Some(3));
    let done = queue(&after, 0);
    assert_eq!((done.committed, done.max, holder(&after, 0).offset), (Some(3), Some(3), Some(3)));
    assert_eq!((holder(&after, 0).count, holder(&after, 0).messages.len()), (0, 0));
}

const RETRY: &str = r#"
    [[consumers]]
    name = "c1"
    group = "g"
    [consumers.push]
    subscriptions = [{ topic = "T" }]
    [consumers.push.listener]
    rules = [{ results = ["later", "success"] }]
"#;

/// The first retry waits on level 3, which is 10 s.
#[test]
fn what_fails_once_is_seen_on_its_delay_level_and_then_consumed() {
    let mut session = session(RETRY);
    step_until(&mut session, |group| queue(group, 0).holders.len() == 1);
    send(&mut session, "M1", 0, None);
    let delayed = |group: &GroupPicture| {
        group.retries.messages.first().is_some_and(|message| matches!(message.place, RetryPlace::Delayed { .. }))
    };
    let seen = step_until(&mut session, delayed);
    let message = &seen.retries.messages[0];
    assert_eq!((message.name.as_deref(), message.topic.as_str(), message.attempts.len()), (Some("M1"), "T", 1));
    let first = &message.attempts[0];
    assert_eq!((first.result.as_deref(), first.fate), (Some("RECONSUME_LATER"), DeliveryFate::Counted));
    let RetryPlace::Delayed { level, due_us, .. } = message.place else { panic!("{:?}", message.place) };
    let after_us = due_us - first.ended_us.unwrap();
    assert!(level == 3 && (9_999_000..10_100_000).contains(&after_us), "level {level}, {after_us}");
    assert_eq!(seen.retries.max_reconsume_times, 16);
    assert_eq!(seen.retries.levels.iter().find(|(level, _)| *level == 3), Some(&(3, 10_000)));

    // The group's offset of the retry topic is told seconds later; the message is consumed now.
    let returned =
        |group: &GroupPicture| group.retries.messages[0].attempts.get(1).is_some_and(|at| at.ended_us.is_some());
    let after = step_until(&mut session, returned);
    let message = &after.retries.messages[0];
    assert_eq!(message.place, RetryPlace::Consumed);
    let [_, second] = &message.attempts[..] else { panic!("{message:?}") };
    assert_eq!((second.reconsume_times, second.queue.topic.as_str()), (1, "%RETRY%g"));
    assert_eq!(second.result.as_deref(), Some("CONSUME_SUCCESS"));
}

const TORN: &str = r#"
    [[consumers]]
    name = "c1"
    group = "g"
    [consumers.push]
    subscriptions = [{ topic = "T", tags = "A" }]
    [[consumers]]
    name = "c2"
    group = "g"
    [consumers.push]
    subscriptions = [{ topic = "T", tags = "B" }]
"#;

/// The broker holds one subscription for the whole group, so one of two different ones is not what it holds.
#[test]
fn members_that_believe_something_else_than_the_broker_are_told() {
    let mut session = session(TORN);
    let seen = step_until(&mut session, |group| group.members.iter().all(|member| member.running));
    let of_topic = seen.subscriptions.iter().find(|subscription| subscription.topic == "T").unwrap();
    let believed: Vec<&str> =
        of_topic.believed.iter().filter_map(|(_, what)| what.as_ref()).map(|what| what.expression.as_str()).collect();
    assert_eq!(believed, ["A", "B"]);
    let [(broker, Some(held))] = &of_topic.held[..] else { panic!("{:?}", of_topic.held) };
    let other = if held.expression == "A" { "c2" } else { "c1" };
    assert_eq!((broker.as_str(), of_topic.differing.as_slice()), ("broker-a", [other.to_owned()].as_slice()));
}

const ORDERLY: &str = r#"
    [[consumers]]
    name = "c1"
    group = "g"
    [consumers.push]
    clientId = "10.0.4.1@A"
    subscriptions = [{ topic = "T" }]
    listener = { kind = "orderly" }
"#;

/// A broker keeps a lock for 60 s, and the client that has it counts on it for 30 s; it is renewed every 20 s.
#[test]
fn the_lock_of_a_queue_is_seen_at_its_broker_and_as_the_member_counts_on_it() {
    let mut session = session(ORDERLY);
    let seen = step_until(&mut session, |group| queue(group, 0).lock.is_some() && !queue(group, 0).holders.is_empty());
    let lock = queue(&seen, 0).lock.clone().unwrap();
    assert_eq!((lock.client_id.as_str(), (39_000..=60_000).contains(&lock.left_ms)), ("10.0.4.1@A", true), "{lock:?}");
    let own = holder(&seen, 0).lock.unwrap();
    assert!(own.locked && (9_000..=30_000).contains(&own.left_ms), "{own:?}");
}

const BROADCASTING: &str = r#"
    [[consumers]]
    name = "c1"
    group = "g"
    [consumers.push]
    messageModel = "BROADCASTING"
    subscriptions = [{ topic = "T" }]
"#;

/// Who gets everything shares nothing out, and keeps its offsets in a file of its own, every 5 s.
#[test]
fn a_member_that_broadcasts_keeps_its_offsets_itself() {
    let mut session = session(BROADCASTING);
    step_until(&mut session, |group| !queue(group, 0).holders.is_empty());
    send(&mut session, "M1", 0, None);
    act(&mut session, Action::Wait { ms: 30_000 });
    let seen = step_until(&mut session, |group| holder(group, 0).file == Some(1));
    assert_eq!((holder(&seen, 0).offset, queue(&seen, 0).committed, queue(&seen, 0).persisted), (Some(1), None, None));
    let shares = seen.shares.iter().find(|shares| shares.topic == "T").unwrap();
    assert_eq!((shares.strategies.len(), shares.held[0].as_slice()), (0, ["c1".to_owned()].as_slice()));
}

#[test]
fn without_a_push_consumer_there_is_no_group() {
    let mut session = Session::new();
    session.ask(Query::StartSandbox { cluster: None, seed: 1 });
    let Answer::Consumers(picture) = session.ask(Query::Consumers { group: Some("g".to_owned()) }) else { panic!() };
    assert_eq!((picture.groups.len(), picture.group), (0, None));
}

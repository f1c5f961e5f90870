//! The choice among several NameServers, which know nothing of each other, and brokers that do not force their
//! registration.

use super::{
    crashes::{act, kill, start},
    *,
};
use crate::{client::SendOutcome, node::NamesStep, wire::RequestCode};

const ALL: [&str; 3] = ["namesrv", "namesrv-2", "namesrv-3"];

/// The usual cluster with so many NameServers, and the broker set as given.
fn with(name_servers: usize, settings: &[(&str, &str)]) -> World {
    let mut cluster = cluster();
    let named = |name: &&str| NameServerSpec { name: (*name).to_owned(), ..NameServerSpec::default() };
    cluster.name_servers = ALL.iter().take(name_servers).map(named).collect();
    let set = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    cluster.brokers[0].config.extend(set);
    World::new(&cluster, 1).unwrap()
}

fn wait(world: &mut World, ms: i64) -> Vec<TraceEvent> {
    act(world, Action::Wait { ms })
}

/// The NameServer that the producer uses.
fn chosen(world: &World) -> String {
    let addr = world.client("producer").unwrap().name_server().unwrap();
    world.node_at(addr).unwrap().to_owned()
}

/// The NameServer after `node` in the producer's own list.
fn after(world: &World, node: &str) -> String {
    let addrs = world.client("producer").unwrap().name_servers();
    let nodes: Vec<&str> = addrs.iter().map(|addr| world.node_at(addr).unwrap()).collect();
    let place = nodes.iter().position(|name| *name == node).unwrap();
    nodes[(place + 1) % nodes.len()].to_owned()
}

fn told(world: &World) -> SendOutcome {
    world.client("producer").unwrap().sent().last().unwrap().clone()
}

fn knows(world: &World, name_server: &str, topic: &str) -> bool {
    world.name_server(name_server).unwrap().tables().route(topic).is_some()
}

/// Requests of a kind that the broker has sent.
fn asked(events: &[TraceEvent], code: RequestCode) -> usize {
    let sent = events.iter().filter(|event| event.node == "broker-a").flat_map(|event| &event.sent);
    sent.filter(|sent| sent.label == code.name()).count()
}

#[test]
fn one_name_server_is_used_until_its_connection_fails_then_the_next_of_the_list() {
    let mut world = with(3, &[]);
    let first = chosen(&world);
    act(&mut world, send("OrderTopic"));
    wait(&mut world, 120_000);
    assert_eq!(chosen(&world), first, "there is no turn-taking");

    let second = after(&world, &first);
    act(&mut world, kill(&first));
    let events = wait(&mut world, 31_000);
    assert_eq!(chosen(&world), second);
    let steps = events.iter().filter(|event| event.node == "producer").flat_map(|event| &event.steps);
    let changes: Vec<&NamesStep> = steps
        .filter_map(|step| if let StepKind::Names(step) = &step.what { Some(step) } else { None })
        .filter(|step| matches!(step, NamesStep::NameServerChosen { .. }))
        .collect();
    assert_eq!(changes, [&NamesStep::NameServerChosen { node: second.clone(), before: Some(first.clone()) }]);

    act(&mut world, start(&first));
    wait(&mut world, 120_000);
    assert_eq!(chosen(&world), second, "nobody goes back");
}

#[test]
fn a_question_goes_round_the_list_once() {
    let mut world = with(3, &[]);
    let first = chosen(&world);
    let second = after(&world, &first);
    let third = after(&world, &second);
    act(&mut world, kill(&first));
    act(&mut world, kill(&second));
    act(&mut world, send("OrderTopic"));
    assert_eq!((told(&world).status.as_str(), chosen(&world)), ("SEND_OK", third.clone()));

    act(&mut world, kill(&third));
    let began_us = world.now_us();
    act(&mut world, send("OrderTopic"));
    assert_eq!(told(&world).status, "SEND_OK", "the route is known");
    act(&mut world, send("PaymentTopic"));
    // NettyRemotingClient.getAndCreateNameserverChannel names the list; DefaultMQProducerImpl hands it on as it is.
    let addrs = world.client("producer").unwrap().name_servers().join(", ");
    let failed = told(&world);
    assert_eq!((failed.status.as_str(), failed.attempts), ("IllegalStateException", 0));
    assert!(failed.error.unwrap().contains(&format!("connect to [{addrs}] failed")));
    assert!(world.now_us() - began_us < 100_000, "refused connections cost no time");
}

#[test]
fn sends_go_on_from_the_cache_for_as_long_as_all_name_servers_are_down() {
    let mut world = with(2, &[]);
    act(&mut world, send("OrderTopic"));
    for name_server in ["namesrv", "namesrv-2"] {
        act(&mut world, kill(name_server));
    }
    wait(&mut world, 3_600_000);
    act(&mut world, send("OrderTopic"));
    assert_eq!(told(&world).status, "SEND_OK");
    // A NameServer that starts anew knows nothing until the broker's next round, and the client keeps what it had.
    act(&mut world, start("namesrv"));
    assert!(!knows(&world, "namesrv", "OrderTopic"));
    act(&mut world, send("OrderTopic"));
    assert_eq!(told(&world).status, "SEND_OK");
    wait(&mut world, 31_000);
    assert!(knows(&world, "namesrv", "OrderTopic"));
    assert_eq!(chosen(&world), "namesrv");
}

#[test]
fn a_question_that_is_not_answered_moves_only_the_next_one() {
    let mut world = with(2, &[]);
    // The polls are every 30 s; the next one must not be the one that moves on.
    wait(&mut world, 5_000);
    let first = chosen(&world);
    act(&mut world, stall(&first));
    let began_us = world.now_us();
    act(&mut world, send("OrderTopic"));
    // mqClientApiTimeout; clientCloseSocketIfTimeout closes the connection then.
    let failed = told(&world);
    assert_eq!((failed.status.as_str(), failed.ended_us - began_us), ("IllegalStateException", 3_000_000));
    assert_eq!(chosen(&world), first);
    act(&mut world, send("OrderTopic"));
    assert_eq!((told(&world).status.as_str(), chosen(&world)), ("SEND_OK", after(&world, &first)));
}

#[test]
fn a_name_server_that_knows_less_is_believed_all_the_same() {
    let mut world = with(2, &[("autoCreateTopicEnable", "false")]);
    let first = chosen(&world);
    let second = after(&world, &first);
    act(&mut world, Action::Cut { a: "broker-a".to_owned(), b: first.clone() });
    assert!(!knows(&world, &first, "OrderTopic") && knows(&world, &second, "OrderTopic"));
    act(&mut world, send("OrderTopic"));
    assert_eq!((told(&world).status.as_str(), told(&world).response_code), ("MQClientException", Some(10_005)));
    wait(&mut world, 60_000);
    assert_eq!(chosen(&world), first, "an answer without a route is an answer");

    act(&mut world, kill(&first));
    act(&mut world, send("OrderTopic"));
    assert_eq!((told(&world).status.as_str(), chosen(&world)), ("SEND_OK", second));
}

#[test]
fn what_one_name_server_was_not_told_it_learns_with_the_next_round() {
    let mut world = with(2, &[]);
    act(&mut world, Action::Cut { a: "broker-a".to_owned(), b: "namesrv-2".to_owned() });
    let topic = Action::SetTopic {
        broker: "broker-a".to_owned(),
        topic: "New".to_owned(),
        read_queues: 1,
        write_queues: 1,
        perm: 6,
    };
    act(&mut world, topic);
    assert!(knows(&world, "namesrv", "New") && !knows(&world, "namesrv-2", "New"));
    act(&mut world, Action::Mend { a: "broker-a".to_owned(), b: "namesrv-2".to_owned() });
    wait(&mut world, 31_000);
    assert!(knows(&world, "namesrv-2", "New"));
}

#[test]
fn a_broker_that_is_not_forced_registers_only_what_is_new() {
    let mut world = with(2, &[("forceRegister", "false")]);
    // It is alive by its questions alone, longer than the 120 s after which the scan would remove it.
    let mut events = wait(&mut world, 600_000);
    let live = world.name_server("namesrv").unwrap().tables().live().values().next().unwrap().last_update_ms;
    assert!((0..=30_000).contains(&(world.wall_ms() - live)));
    assert!(knows(&world, "namesrv", "OrderTopic") && knows(&world, "namesrv-2", "OrderTopic"));
    assert_eq!(asked(&events, RequestCode::RegisterBroker), 0);

    // A NameServer that starts anew knows no version: the broker tells all of them.
    act(&mut world, kill("namesrv-2"));
    act(&mut world, start("namesrv-2"));
    events = wait(&mut world, 31_000);
    assert_eq!(asked(&events, RequestCode::QueryDataVersion), 2);
    assert_eq!(asked(&events, RequestCode::RegisterBroker), 2);
    assert!(knows(&world, "namesrv-2", "OrderTopic"));
    assert_eq!(asked(&wait(&mut world, 60_000), RequestCode::RegisterBroker), 0);
}

#[test]
fn a_name_server_that_cannot_be_asked_may_need_to_be_told() {
    let mut world = with(2, &[("forceRegister", "false")]);
    act(&mut world, kill("namesrv-2"));
    let events = wait(&mut world, 31_000);
    // BrokerOuterAPI.needRegister answers true for it, and whoever is there is told too.
    assert_eq!(asked(&events, RequestCode::QueryDataVersion), 1);
    assert_eq!(asked(&events, RequestCode::RegisterBroker), 1);
}

fn stall(b: &str) -> Action {
    Action::Stall { a: "producer".to_owned(), b: b.to_owned() }
}

/// A producer whose poll has just asked its only NameServer, over a link that stands still.
fn polling(api_timeout_ms: &str) -> World {
    let mut cluster = cluster();
    cluster.producers[0].config.insert("mqClientApiTimeout".to_owned(), api_timeout_ms.to_owned());
    let mut world = World::new(&cluster, 1).unwrap();
    act(&mut world, send("OrderTopic"));
    world.act(stall("namesrv")).unwrap();
    while !world.step().unwrap().sent.iter().any(|sent| sent.label == RequestCode::GetRouteinfoByTopic.name()) {}
    world
}

/// What the producer does about routes.
fn names_steps(events: &[TraceEvent]) -> Vec<NamesStep> {
    let steps = events.iter().filter(|event| event.node == "producer").flat_map(|event| &event.steps);
    steps.filter_map(|step| if let StepKind::Names(step) = &step.what { Some(step.clone()) } else { None }).collect()
}

#[test]
fn a_send_without_a_route_waits_for_the_poll_that_has_the_lock() {
    let mut world = polling("3000");
    let topic = || "PaymentTopic".to_owned();
    let mut events = act(&mut world, send("OrderTopic"));
    assert_eq!((told(&world).status.as_str(), names_steps(&events)), ("SEND_OK", vec![]), "the route is known");
    events = vec![world.act(send("PaymentTopic")).unwrap()];
    assert_eq!(names_steps(&events), [NamesStep::RouteLockTaken { topic: topic() }]);
    assert!(events[0].sent.is_empty());
    events = act(&mut world, Action::Mend { a: "producer".to_owned(), b: "namesrv".to_owned() });
    assert_eq!((told(&world).topic, told(&world).status.as_str()), (topic(), "SEND_OK"));
    assert_eq!(names_steps(&events), []);
}

#[test]
fn after_three_seconds_the_lock_is_missed_and_the_send_goes_on_with_what_is_known() {
    let mut world = polling("20000");
    let began_us = world.now_us();
    let events = act(&mut world, send("PaymentTopic"));
    let missed = |topic: &str| NamesStep::RouteLockMissed { topic: topic.to_owned() };
    let taken = |topic: &str| NamesStep::RouteLockTaken { topic: topic.to_owned() };
    // The topic itself, then the one that unknown topics take after (tryToFindTopicPublishInfo).
    let steps = [taken("PaymentTopic"), missed("PaymentTopic"), taken("TBW102"), missed("TBW102")];
    assert_eq!(names_steps(&events), steps);
    let failed = told(&world);
    assert_eq!((failed.status.as_str(), failed.response_code), ("MQClientException", Some(10_005)));
    assert_eq!(failed.ended_us - began_us, 6_000_000);
}

#[test]
fn a_round_of_polls_ends_with_the_first_question_that_nobody_answers() {
    let mut world = with(1, &[]);
    for topic in ["OrderTopic", "PaymentTopic"] {
        act(&mut world, send(topic));
    }
    act(&mut world, stall("namesrv"));
    let events = wait(&mut world, 60_000);
    let polls = events.iter().filter(|event| event.node == "producer" && event.service == "routePoll");
    let asked = polls
        .flat_map(node_steps)
        .filter(|step| matches!(step, NodeStep::RequestSent { code: RequestCode::GetRouteinfoByTopic, .. }));
    // Two rounds; each has three topics to ask for, TBW102 among them.
    assert_eq!(asked.count(), 2);
}

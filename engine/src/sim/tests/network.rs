//! Connections: order, cuts, stalls, silence.

use super::*;
use crate::{
    client::SendMode,
    wire::{Request, RequestCode, ResumeCheckHalfMessage},
};

fn cut(a: &str, b: &str) -> Action {
    Action::Cut { a: a.to_owned(), b: b.to_owned() }
}

fn stall(a: &str, b: &str) -> Action {
    Action::Stall { a: a.to_owned(), b: b.to_owned() }
}

fn mend(a: &str, b: &str) -> Action {
    Action::Mend { a: a.to_owned(), b: b.to_owned() }
}

fn route(world: &World) -> bool {
    world.name_server("namesrv").unwrap().tables().route("OrderTopic").is_some()
}

/// Steps on until `until` or the end; the time.
fn run(world: &mut World, mut until: impl FnMut(&World) -> bool) -> i64 {
    while !until(world) && world.step().is_some() {}
    world.now_us()
}

#[test]
fn requests_on_a_connection_arrive_in_the_order_they_were_sent() {
    let mut world = world();
    for size in [200, 250, 300, 350] {
        world.act(bare("OrderTopic", 0, "TagA", size)).unwrap();
    }
    let arrivals: Vec<i64> = world.flights().map(|flight| flight.arrives_us).collect();
    assert!(arrivals.is_sorted() && arrivals.len() == 4);
    rest(&mut world);
    let told: Vec<i64> =
        world.client("sender").unwrap().sent().iter().map(|sent| sent.physical_offset.unwrap()).collect();
    assert_eq!(told, [1000, 1200, 1450, 1750]);
}

#[test]
fn a_broker_that_stands_still_leaves_the_routes_after_120_s() {
    let mut world = world();
    assert!(route(&world));
    world.act(pause("broker-a", None)).unwrap();
    let gone_us = run(&mut world, |world| !route(world));
    // Its last registration was at most 30 s old.
    assert!((90_000_000..=130_000_000).contains(&gone_us), "{gone_us}");
    assert!(!route(&world));

    world.act(resume("broker-a", None)).unwrap();
    let back_us = run(&mut world, route);
    assert!(route(&world) && back_us <= gone_us + 31_000_000, "{back_us}");
}

#[test]
fn a_broker_behind_a_stalled_link_leaves_the_routes_after_120_s() {
    let mut world = world();
    world.act(stall("broker-a", "namesrv")).unwrap();
    let gone_us = run(&mut world, |world| !route(world));
    assert!((90_000_000..=130_000_000).contains(&gone_us), "{gone_us}");
    world.act(mend("broker-a", "namesrv")).unwrap();
    run(&mut world, route);
    assert!(route(&world));
}

#[test]
fn a_cut_connection_takes_the_routes_at_once_and_a_registration_brings_them_back() {
    let mut world = world();
    world.act(cut("broker-a", "namesrv")).unwrap();
    rest(&mut world);
    assert!(!route(&world) && world.now_us() < 1_000_000);
    world.act(mend("namesrv", "broker-a")).unwrap();
    let back_us = run(&mut world, route);
    assert!(back_us <= 30_000_000, "{back_us}");
}

#[test]
fn a_producer_goes_on_with_the_route_it_knows() {
    let mut world = world();
    world.act(send("OrderTopic")).unwrap();
    rest(&mut world);
    world.act(cut("producer", "namesrv")).unwrap();
    world.act(send("OrderTopic")).unwrap();
    rest(&mut world);
    assert_eq!(world.client("producer").unwrap().sent().last().unwrap().status, "SEND_OK");
}

#[test]
fn a_synchronous_send_makes_three_tries() {
    let mut world = world();
    world.act(send("OrderTopic")).unwrap();
    rest(&mut world);
    world.act(cut("producer", "broker-a")).unwrap();
    rest(&mut world);
    world.act(send("OrderTopic")).unwrap();
    rest(&mut world);
    let sent = world.client("producer").unwrap().sent().last().unwrap().clone();
    // Observed of a stopped broker: MQClientException 10001 after three tries.
    assert_eq!((sent.status.as_str(), sent.response_code, sent.attempts), ("MQClientException", Some(10_001), 3));
    let error = sent.error.unwrap();
    assert!(error.starts_with("Send [3] times, still failed, cost ["), "{error}");
    assert!(error.contains("ms, Topic: OrderTopic, BrokersSent: [broker-a, broker-a, broker-a]\nSee http"), "{error}");
}

#[test]
fn with_a_given_queue_there_is_no_retry() {
    let mut world = world();
    world.act(send("OrderTopic")).unwrap();
    rest(&mut world);
    world.act(cut("producer", "broker-a")).unwrap();
    let message =
        Send { producer: "producer".to_owned(), topic: "OrderTopic".to_owned(), queue: Some(0), ..Send::default() };
    // Only what has no given queue is told in an MQClientException (`sendOneway(msg, queue)` hands on what it gets).
    for (mode, status) in [(SendMode::Sync, "RemotingConnectException"), (SendMode::Oneway, "RemotingConnectException")]
    {
        world.act(Action::Send(Box::new(Send { mode, ..message.clone() }))).unwrap();
        rest(&mut world);
        let sent = world.client("producer").unwrap().sent().last().unwrap().clone();
        assert_eq!((sent.status.as_str(), sent.attempts), (status, 1));
    }
    // The one-way send was told as `ONEWAY` first, which does not count any more.
    let results = world.client("producer").unwrap().results();
    assert_eq!(results, [("SEND_OK".to_owned(), 1), ("RemotingConnectException".to_owned(), 2)]);
}

#[test]
fn a_timeout_is_no_failure() {
    let mut world = world();
    world.act(send("OrderTopic")).unwrap();
    rest(&mut world);
    let end = world.broker("broker-a").unwrap().store().unwrap().max_phy_offset();
    // The message arrives, the answer does not: the link stalls while the broker works.
    world.act(send("OrderTopic")).unwrap();
    while world.broker("broker-a").unwrap().store().unwrap().max_phy_offset() == end {
        world.step().unwrap();
    }
    world.act(stall("producer", "broker-a")).unwrap();
    rest(&mut world);
    let sent = world.client("producer").unwrap().sent().last().unwrap().clone();
    assert_ne!(sent.status, "SEND_OK");
    assert_eq!(sent.attempts, 1, "one budget of 3 s for all attempts, and it is spent");
    assert!(world.broker("broker-a").unwrap().store().unwrap().max_phy_offset() > end);
}

#[test]
fn a_connection_that_nobody_uses_is_closed_after_120_s() {
    let mut world = world();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    let connected = |world: &World| world.connections().any(|pair| pair == ("sender", "broker-a"));
    assert!(connected(&world));
    let gone_us = run(&mut world, |world| !connected(world));
    assert!((120_000_000..121_000_000).contains(&gone_us), "{gone_us}");
    // The next send opens another.
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(&mut world);
    assert_eq!(world.client("sender").unwrap().sent().last().unwrap().status, "SEND_OK");
}

/// Has the broker send a one-way request to the producer, over the connection of its heartbeats.
fn notify(world: &mut World) -> TraceEvent {
    let broker = world.node_id("broker-a").unwrap();
    let clients = world.broker("broker-a").unwrap().process().unwrap().clients();
    let (conn, channel) = clients.channels().into_iter().find(|(_, channel)| channel.name == "producer").unwrap();
    let name = channel.name.clone();
    let request = Request::ResumeCheckHalfMessage(ResumeCheckHalfMessage { msg_id: String::new() });
    let told = world.turn(broker, Some(Service::Admin), None, EventKind::Turn, false, |_, turn| {
        turn.notify(conn, &name, request);
    });
    told.unwrap()
}

#[test]
fn a_broker_reaches_its_client_on_the_clients_own_connection() {
    let mut world = world();
    let told = notify(&mut world);
    let [sent] = told.sent.as_slice() else { panic!("{told:?}") };
    assert_eq!(
        (sent.to.as_str(), sent.kind, sent.label.as_str()),
        ("producer", SentKind::Oneway, "RESUME_CHECK_HALF_MESSAGE")
    );
    let heard = world.step().unwrap();
    assert_eq!((heard.node.as_str(), heard.cause), ("producer", Some(told.seq)));
    let what = EventKind::Request { code: RequestCode::ResumeCheckHalfMessage, from: "broker-a".to_owned() };
    assert_eq!(heard.what, what);
    assert!(heard.sent.is_empty(), "nobody answers a one-way request");
}

#[test]
fn what_a_broker_says_is_lost_with_the_connection() {
    let mut world = world();
    world.act(pause("broker-a", Some(Service::Remoting))).unwrap();
    world.act(cut("broker-a", "producer")).unwrap();
    assert!(notify(&mut world).sent.is_empty(), "the broker has not been told yet that the connection is gone");
}

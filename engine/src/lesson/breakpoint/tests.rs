use super::*;
use crate::sim::{
    Action, BrokerSpec, Cluster, ConsumerSpec, History, NameServerSpec, ProducerSpec, PushSpec, Send, StoreSpec,
    SubscriptionSpec, TopicSpec,
};

const PREFIX: i32 = 1000;

/// A log that begins with 1000 bytes, a producer, a consumer that pulls when told to, and a push consumer.
fn history() -> History {
    let topic = TopicSpec { name: "OrderTopic".to_owned(), read_queues: 1, write_queues: 1, perm: 6 };
    let push = PushSpec {
        subscriptions: vec![SubscriptionSpec { topic: "OrderTopic".to_owned(), ..SubscriptionSpec::default() }],
        ..PushSpec::default()
    };
    let consumer = |name: &str, push| ConsumerSpec {
        name: name.to_owned(),
        group: format!("{name}_group"),
        push,
        ..ConsumerSpec::default()
    };
    let cluster = Cluster {
        name_servers: vec![NameServerSpec { name: "namesrv".to_owned(), ..NameServerSpec::default() }],
        brokers: vec![BrokerSpec {
            name: "broker-a".to_owned(),
            topics: vec![topic],
            store: StoreSpec { prefix_bytes: PREFIX, ..StoreSpec::default() },
            ..BrokerSpec::default()
        }],
        producers: vec![ProducerSpec { name: "producer".to_owned(), ..ProducerSpec::default() }],
        consumers: vec![consumer("puller", None), consumer("pusher", Some(Box::new(push)))],
        ..Cluster::default()
    };
    History::new(&cluster, 1).unwrap()
}

fn send(history: &mut History, name: &str) {
    let (producer, topic, name) = ("producer".to_owned(), "OrderTopic".to_owned(), Some(name.to_owned()));
    history
        .act(Action::Send(Box::new(Send { producer, topic, name, record_size: Some(400), ..Send::default() })))
        .unwrap();
}

/// Every stop of a run from here to its rest, or of its first 500 events: node, service, and the breakpoint's place.
fn stops(history: &mut History, breakpoints: &[Breakpoint]) -> Vec<(String, String, usize)> {
    let mut watch = Watch::new(breakpoints, history.world());
    let mut stops = Vec::new();
    history.run(500, |world, event| {
        if let Some(place) = watch.met(world, event) {
            stops.push((event.node.clone(), event.service.clone(), place));
        }
        world.at_rest()
    });
    stops
}

/// The service at which a run of 500 events, rest or not, stops first.
fn first_stop(history: &mut History, breakpoints: &[Breakpoint]) -> Option<String> {
    let mut watch = Watch::new(breakpoints, history.world());
    let mut service = None;
    history.run(500, |world, event| {
        service = watch.met(world, event).map(|_| event.service.clone());
        service.is_some()
    });
    service
}

fn at(node: &str, service: &str) -> (String, String, usize) {
    (node.to_owned(), service.to_owned(), 0)
}

#[test]
fn a_turn_of_a_service_stops_the_run() {
    let mut history = history();
    send(&mut history, "M1");
    let reput = |node: Option<&str>| Breakpoint::Service { node: node.map(str::to_owned), service: Service::Reput };
    let mut other = history.clone();
    assert_eq!(stops(&mut history, &[reput(None)]), [at("broker-a", "reput")]);
    assert_eq!(stops(&mut other, &[reput(Some("producer"))]), []);
    assert_eq!(reput(Some("producer")).check(other.world()), Err(BreakpointError::NoSuchService(Service::Reput)));
    assert_eq!(reput(Some("p")).check(other.world()), Err(BreakpointError::NoSuchNode("p".to_owned())));
}

#[test]
fn a_kind_of_event_and_a_request_stop_the_run() {
    let mut history = history();
    send(&mut history, "M1");
    let event = |event, code| Breakpoint::Event { node: None, event, code };
    let put = event(EventName::Request, Some(RequestCode::SendMessageV2));
    assert_eq!(stops(&mut history.clone(), &[put]), [at("broker-a", "put")]);
    let answer = event(EventName::Response, Some(RequestCode::SendMessageV2));
    assert_eq!(stops(&mut history.clone(), &[answer]), [at("producer", "api")]);
    let step = |step: &str| Breakpoint::Step { node: None, step: step.to_owned() };
    assert_eq!(stops(&mut history.clone(), &[step("appended")]), [at("broker-a", "put")]);
    assert_eq!(stops(&mut history.clone(), &[step("unitWritten")]), [at("broker-a", "reput")]);
    // Of two that one event meets, the first is told.
    let both = [step("nothing"), step("appended"), step("lockTaken")];
    assert_eq!(stops(&mut history, &both), [("broker-a".to_owned(), "put".to_owned(), 1)]);
}

/// The log holds 1000 bytes before; records of 400 bytes end at 1400 and 1800.
#[test]
fn a_mark_that_passes_a_byte_stops_the_run_once() {
    let mut history = history();
    let physical = |mark, offset| Breakpoint::PhysicalOffset { broker: "broker-a".to_owned(), mark, offset };
    let first = [physical(LogMark::Written, 1399)];
    let second = [physical(LogMark::Written, 1400)];
    let dispatched = [physical(LogMark::Dispatched, 1400)];
    let flushed = [physical(LogMark::Flushed, 1000)];
    send(&mut history, "M1");
    assert_eq!(stops(&mut history.clone(), &first), [at("broker-a", "put")]);
    assert_eq!(first_stop(&mut history.clone(), &flushed).as_deref(), Some("flushCommitLog"));
    assert_eq!(stops(&mut history, &second), []);
    send(&mut history, "M2");
    assert_eq!(stops(&mut history.clone(), &first), [], "it is passed already");
    assert_eq!(stops(&mut history.clone(), &second), [at("broker-a", "put")]);
    assert_eq!(stops(&mut history, &dispatched), [at("broker-a", "reput")]);
}

#[test]
fn a_unit_and_a_groups_progress_stop_the_run() {
    let mut history = history();
    let queue = |group: Option<&str>| Breakpoint::QueueOffset {
        broker: "broker-a".to_owned(),
        topic: "OrderTopic".to_owned(),
        queue: 0,
        group: group.map(str::to_owned),
        offset: 0,
    };
    send(&mut history, "M1");
    assert_eq!(stops(&mut history.clone(), &[queue(None)]), [at("broker-a", "reput")]);
    let mut watch = [queue(Some("pusher_group"))];
    watch[0].check(history.world()).unwrap();
    assert_eq!(first_stop(&mut history, &watch).as_deref(), Some("consumerManage"));
    watch[0] = Breakpoint::QueueOffset {
        broker: "producer".to_owned(),
        topic: "OrderTopic".to_owned(),
        queue: 0,
        group: None,
        offset: 0,
    };
    assert_eq!(watch[0].check(history.world()), Err(BreakpointError::NotABroker("producer".to_owned())));
}

#[test]
fn a_condition_that_comes_true_stops_the_run() {
    let mut history = history();
    let written = |least| Breakpoint::Condition { probe: "broker-a.log.wrote".to_owned(), test: Test::AtLeast(least) };
    send(&mut history, "M1");
    assert_eq!(stops(&mut history.clone(), &[written(1400)]), [at("broker-a", "put")]);
    assert_eq!(stops(&mut history.clone(), &[written(1000)]), [], "it holds all the time");
    assert_eq!(stops(&mut history.clone(), &[written(1401)]), []);
    let wrong = Breakpoint::Condition { probe: "broker-a.log.end".to_owned(), test: Test::AtLeast(1) };
    assert!(matches!(wrong.check(history.world()), Err(BreakpointError::Probe(_))));
}

/// The way of M2: it is sent, put and answered for, dispatched, answered to the push consumer's pull and cached there,
/// and its listener is called and returns. What happens to M1 and M3 is none of it.
#[test]
fn a_message_is_followed_by_its_name_and_by_its_id() {
    let mut history = history();
    send(&mut history, "M1");
    history.run_to_rest(500);
    let before = history.len();
    send(&mut history, "M2");
    let by_name = [Breakpoint::Message { message: "M2".to_owned() }];
    let followed: Vec<_> =
        stops(&mut history, &by_name).into_iter().map(|(node, service, _)| (node, service)).collect();
    let here = |node: &str, service: &str| (node.to_owned(), service.to_owned());
    for wanted in [
        here("broker-a", "put"),
        here("broker-a", "reput"),
        here("producer", "api"),
        here("pusher", "pullMessage"),
        here("pusher", "consume"),
    ] {
        assert!(followed.contains(&wanted), "{wanted:?} is none of {followed:?}");
    }
    let sent = history.world().client("producer").unwrap().sent();
    let id = sent.last().unwrap().msg_id.clone().unwrap();
    history.seek(before);
    let mut events = Vec::new();
    let by_id = [Breakpoint::Message { message: id }];
    let mut watch = Watch::new(&by_id, history.world());
    history.run(500, |world, event| {
        if watch.met(world, event).is_some() {
            events.push((event.node.clone(), event.service.clone()));
        }
        world.at_rest()
    });
    assert_eq!(events[1..], followed[..], "the id is given in the event of the send");
    send(&mut history, "M3");
    assert_eq!(stops(&mut history, &by_id), []);
}

#[test]
fn breakpoints_are_data() {
    let text = r#"{"kind":"physicalOffset","broker":"broker-a","mark":"flushed","offset":1200}"#;
    let physical = Breakpoint::PhysicalOffset { broker: "broker-a".to_owned(), mark: LogMark::Flushed, offset: 1200 };
    assert_eq!(serde_json::from_str::<Breakpoint>(text).unwrap(), physical);
    assert_eq!(serde_json::to_string(&physical).unwrap(), text);
    let text = r#"{"kind":"condition","probe":"broker-a.behind","test":{"is":0}}"#;
    let condition =
        Breakpoint::Condition { probe: "broker-a.behind".to_owned(), test: Test::Is(super::super::Value::Int(0)) };
    assert_eq!(serde_json::from_str::<Breakpoint>(text).unwrap(), condition);
    assert!(serde_json::from_str::<Breakpoint>(r#"{"kind":"message","message":"M1","when":1}"#).is_err());
}

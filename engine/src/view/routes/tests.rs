//! What the picture says of a cache that is older than the table it came from, and of a table that is not the brokers'.

use super::{CachedRoute, RoutesPicture, Stale, Unlike, brokers};
use crate::{
    sim::{
        Action, Administer, AdministratorSpec, BrokerSpec, Cluster, Command, NameServerSpec, ProducerSpec, Send,
        TopicSpec,
    },
    view::{Answer, Query, Session},
    wire::QueueData,
};

/// Two brokers that both have the topic T, a slave of the first, a producer that has sent to T, and an administrator.
fn session() -> Session {
    let broker = |name: &str, config: &[(&str, &str)]| BrokerSpec {
        name: name.to_owned(),
        config: config.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        topics: vec![TopicSpec { name: "T".to_owned(), read_queues: 4, write_queues: 4, perm: 6 }],
        ..BrokerSpec::default()
    };
    let cluster = Cluster {
        name_servers: vec![NameServerSpec { name: "namesrv".to_owned(), ..NameServerSpec::default() }],
        brokers: vec![
            broker("broker-a", &[]),
            broker("broker-b", &[]),
            broker("slave-a", &[("brokerName", "broker-a"), ("brokerRole", "SLAVE"), ("brokerId", "1")]),
        ],
        producers: vec![ProducerSpec { name: "producer".to_owned(), ..ProducerSpec::default() }],
        administrators: vec![AdministratorSpec { name: "admin".to_owned(), ..AdministratorSpec::default() }],
        ..Cluster::default()
    };
    let mut session = Session::new();
    session.ask(Query::StartSandbox { cluster: Some(Box::new(cluster)), seed: 1 });
    let send = Send { producer: "producer".to_owned(), topic: "T".to_owned(), ..Send::default() };
    act(&mut session, Action::Send(Box::new(send)));
    session
}

/// Does something, and gives it a second; the next poll is further off.
fn act(session: &mut Session, action: Action) {
    for action in [action, Action::Wait { ms: 1000 }] {
        let answer = session.ask(Query::Act { action });
        assert!(matches!(answer, Answer::Workbench(_)), "{answer:?}");
    }
    session.ask(Query::Run { events: 10_000 });
}

fn picture(session: &mut Session) -> RoutesPicture {
    let Answer::Routes(picture) = session.ask(Query::Routes) else { panic!("the route tables") };
    *picture
}

fn cached<'a>(picture: &'a RoutesPicture, topic: &str) -> &'a CachedRoute {
    let producer = picture.clients.iter().find(|client| client.node == "producer").unwrap();
    producer.topics.iter().find(|route| route.topic == topic).unwrap()
}

fn stale(session: &mut Session) -> Vec<Stale> {
    cached(&picture(session), "T").stale.clone()
}

fn administer(session: &mut Session, command: Command) {
    act(session, Action::Administer(Box::new(Administer { administrator: "admin".to_owned(), command })));
}

fn queues(broker_name: &str, queues: i32) -> QueueData {
    QueueData {
        broker_name: broker_name.to_owned(),
        read_queue_nums: queues,
        write_queue_nums: queues,
        perm: 6,
        topic_sys_flag: 0,
    }
}

#[test]
fn a_cache_differs_from_the_table_until_the_next_poll() {
    let mut session = session();
    assert_eq!(stale(&mut session), []);
    let topic = Command::UpdateTopic {
        topic: "T".to_owned(),
        cluster: None,
        broker: Some("broker-a".to_owned()),
        read_queues: 2,
        write_queues: 2,
        perm: 6,
        order: false,
    };
    administer(&mut session, topic);
    let (cached, now) = (queues("broker-a", 4), queues("broker-a", 2));
    assert_eq!(stale(&mut session), [Stale::Queues { broker_name: "broker-a".to_owned(), cached, now }]);
    act(&mut session, Action::Wait { ms: 31_000 });
    assert_eq!(stale(&mut session), []);
}

#[test]
fn brokers_that_go_and_come_are_told_by_name() {
    let mut session = session();
    let named = || "broker-b".to_owned();
    act(&mut session, Action::Stop { node: named() });
    assert_eq!(stale(&mut session), [Stale::Gone { broker_name: named() }]);
    act(&mut session, Action::Wait { ms: 31_000 });
    assert_eq!(stale(&mut session), []);
    act(&mut session, Action::Start { node: named() });
    assert_eq!(stale(&mut session), [Stale::Missing { broker_name: named() }]);
    act(&mut session, Action::Stop { node: "slave-a".to_owned() });
    let addresses = Stale::Addresses { broker_name: "broker-a".to_owned() };
    assert_eq!(stale(&mut session), [Stale::Missing { broker_name: named() }, addresses]);
}

#[test]
fn a_route_that_the_name_server_has_no_more_is_kept_for_ever() {
    let mut session = session();
    let (cluster, broker) = (Some("DefaultCluster".to_owned()), None);
    administer(&mut session, Command::DeleteTopic { topic: "T".to_owned(), cluster, broker });
    act(&mut session, Action::Wait { ms: 120_000 });
    assert_eq!(stale(&mut session), [Stale::NoRoute]);
}

/// Every process starts 60 s before the run. A broker registers at its start, 10 s later, and every 30 s from then
/// on, so the last time 20 s before the run; a NameServer scans 5 s after its start and every 10 s from then on. Its
/// first scan more than 120 s after the registration is at 105 s.
#[test]
fn tables_and_caches_tell_how_old_they_are_and_in_what_they_differ() {
    let mut session = Session::new();
    session.ask(Query::StartSandbox { cluster: None, seed: 1 });
    let (producer, topic) = ("producer".to_owned(), "OrderTopic".to_owned());
    act(&mut session, Action::Send(Box::new(Send { producer, topic, ..Send::default() })));
    let early = picture(&mut session);
    let server = &early.name_servers[0];
    let systems = |topic: &str| server.topics.iter().find(|known| known.topic == topic).map(|known| known.system);
    assert_eq!((systems("OrderTopic"), systems("TBW102"), systems("broker-a")), (Some(false), Some(true), Some(true)));
    let live = &server.brokers[0].addrs[0];
    let removed_ms = early.now_us / 1000 + live.expires_in_ms.unwrap();
    assert!((104_990..=105_000).contains(&removed_ms), "{removed_ms}");
    let route = cached(&early, "OrderTopic");
    assert_eq!((route.stale.as_slice(), route.changed_us.is_some()), ([].as_slice(), true));

    // The polls have gone on, parked or not, and changed nothing.
    act(&mut session, Action::Wait { ms: 70_000 });
    let later = picture(&mut session);
    let again = cached(&later, "OrderTopic");
    assert_eq!(again.changed_us, route.changed_us);
    let age_us = later.now_us - again.asked_us.unwrap();
    assert!((0..=30_100_000).contains(&age_us), "asked every 30 s, {age_us}");
    let heard_ms = later.name_servers[0].brokers[0].addrs[0].age_ms.unwrap();
    assert!((0..=30_100).contains(&heard_ms), "registered every 30 s, {heard_ms}");

    // The connection goes with the process, and the NameServer forgets the broker at once; the client does not.
    act(&mut session, Action::Kill { node: "broker-a".to_owned() });
    let alone = picture(&mut session);
    assert!(alone.name_servers[0].brokers.is_empty());
    assert_eq!(cached(&alone, "OrderTopic").stale, [Stale::NoRoute]);
}

/// A NameServer takes topics from masters only, so the slave's own table, which is not the master's here, is no
/// difference; nor are topics that brokers make for themselves.
#[test]
fn a_name_servers_table_is_compared_with_what_the_masters_have_themselves() {
    let mut session = session();
    let mut picture = picture(&mut session);
    let server = &picture.name_servers[0];
    assert_eq!(server.unlike, []);
    let names: Vec<&str> = picture.brokers.iter().map(|broker| broker.node.as_str()).collect();
    assert_eq!(names, ["broker-a", "broker-b", "slave-a"]);
    let own = |broker: usize, topic: &str| picture.brokers[broker].topics.iter().position(|own| own.topic == topic);
    let (in_a, in_b, in_slave) = (own(0, "T").unwrap(), own(1, "T").unwrap(), own(2, "T"));
    assert!(!picture.brokers[0].topics[in_a].system && picture.brokers[0].topics.iter().any(|own| own.system));
    assert!(picture.brokers[0].groups.iter().all(|group| group.system), "no group has come yet");

    let mut more = picture.brokers[0].topics[in_a].clone();
    more.topic = "More".to_owned();
    picture.brokers[0].topics[in_a].queues.write_queue_nums = 8;
    picture.brokers[0].topics.push(more);
    picture.brokers[0].topics.retain(|own| own.topic != "TBW102");
    picture.brokers[1].topics.remove(in_b);
    if let Some(place) = in_slave {
        picture.brokers[2].topics.remove(place);
    }
    let named = str::to_owned;
    let own = QueueData { write_queue_nums: 8, ..queues("broker-a", 4) };
    let registered = queues("broker-a", 4);
    let wanted = [
        Unlike::Queues { topic: named("T"), own, registered },
        Unlike::Unregistered { broker_name: named("broker-a"), topic: named("More") },
        Unlike::Kept { broker_name: named("broker-b"), topic: named("T") },
    ];
    assert_eq!(brokers::unlike(&picture.name_servers[0], &picture.brokers), wanted);

    picture.brokers[1].broker_name = named("broker-c");
    let last = brokers::unlike(&picture.name_servers[0], &picture.brokers).pop();
    assert_eq!(last, Some(Unlike::NoBroker { broker_name: named("broker-c") }));
}

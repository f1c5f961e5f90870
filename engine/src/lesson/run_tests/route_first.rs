//! Lesson 02: what brokers, NameServers and clients know of a topic, and how late each of them learns it.

use super::*;

/// `pollNameServerInterval` is 30 s; a broker is forgotten 120 s after its last registration, and at the latest with the
/// next scan, 10 s later; a client takes 4 of `TBW102`'s 8 queues for each broker.
#[test]
fn nobody_is_told_and_everybody_learns_it_late() {
    let mut run = lesson("02-route-first");
    let now_ms = |run: &LessonRun| int(run, "namesrv-1.clock").expect("it has a clock");
    take(&mut run, "o1");
    until(&mut run, "producer.results", 1);
    take(&mut run, "start-b");
    until(&mut run, "namesrv-1.brokers", 2);
    let registered_ms = now_ms(&run);
    assert_eq!(int(&run, "producer.route.OrderTopic.queues"), Some(4));
    until(&mut run, "producer.route.OrderTopic.queues", 8);
    assert!((1..=30_000).contains(&(now_ms(&run) - registered_ms)));

    take(&mut run, "half-a-minute");
    take(&mut run, "power");
    let tables = run.history().world().name_server("namesrv-1").expect("a NameServer").tables();
    let addr = &tables.broker_addrs()["broker-b"].broker_addrs[&0];
    let last_ms = tables.live()[addr].last_update_ms;
    until(&mut run, "namesrv-1.brokers", 1);
    assert!((120_000..=130_001).contains(&(now_ms(&run) - last_ms)));
    assert_eq!(int(&run, "producer.route.OrderTopic.queues"), Some(8), "it has not asked yet");

    run.solve().expect("the solution plays");
    let sent = run.history().world().client("producer").expect("a producer").sent();
    let told: Vec<&str> = sent.iter().map(|sent| sent.status.as_str()).collect();
    let ok = "SEND_OK";
    assert_eq!(told, [ok, ok, "IllegalStateException", ok, ok, ok, ok, ok]);
    let writable = |node: &str| int(&run, &format!("{node}.topic.NewTopic.writeQueues"));
    let made = ["broker-a", "broker-b"].map(writable);
    assert!(made == [Some(4), None] || made == [None, Some(4)], "{made:?}");
}

#[test]
fn the_engine_answers_the_questions_of_route_first() {
    let mut run = lesson("02-route-first");
    run.solve().expect("the solution plays");
    let truths = [
        ("still-four", "4"),
        ("after-a-minute", "2"),
        ("killed", "1"),
        ("o2-told", "SEND_OK"),
        ("unknown-told", "IllegalStateException"),
        ("kept", "4"),
        ("at-first", "8"),
        ("later", "4"),
        ("in-all", "32"),
        ("p2-told", "SEND_OK"),
        ("read-first", "MQBrokerException"),
        ("p3-told", "SEND_OK"),
        ("write-only", "MQBrokerException"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}

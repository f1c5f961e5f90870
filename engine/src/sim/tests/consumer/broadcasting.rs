//! Consumers of a group that each get everything.

use super::*;
use crate::client::consumer::MessageModel;

fn two() -> World {
    let mut cluster = cluster_of(&["c1", "c2"]);
    for spec in &mut cluster.consumers {
        spec.push.as_mut().unwrap().message_model = MessageModel::Broadcasting;
    }
    World::new(&cluster, 1).unwrap()
}

#[test]
fn each_has_all_queues_and_its_offsets_in_a_file_of_its_own() {
    let mut world = two();
    for name in ["c1", "c2"] {
        // There is no retry topic.
        assert_eq!(queues(&world, name), ["OrderTopic/0", "OrderTopic/1"]);
    }
    // The instance keeps its name, which is in the file's path.
    assert_eq!(client(&world, "c1").client_id(), "10.0.4.1@DEFAULT");
    for n in 0..3 {
        act(&mut world, order(0, &format!("m{n}")));
    }
    act(&mut world, wait(5_000));
    for name in ["c1", "c2"] {
        assert_eq!(bodies(&deliveries(&world, name)), ["m0", "m1", "m2"]);
        let (path, text) = push(&world, name).offsets_file().unwrap();
        assert!(path.ends_with("@DEFAULT/g/offsets.json"), "{path}");
        let text: String = text.split_whitespace().collect();
        assert!(text.contains("\"queueId\":0,\"topic\":\"OrderTopic\"}:3"), "{text}");
    }
    assert_eq!(kept(&world, "OrderTopic", 0), None, "the broker keeps nothing");
}

#[test]
fn what_was_not_consumed_is_lost() {
    let mut cluster = cluster_of(&["c1"]);
    let spec = &mut cluster.consumers[0];
    spec.push.as_mut().unwrap().message_model = MessageModel::Broadcasting;
    listens(spec).result = ConsumeResult::Later;
    let mut world = World::new(&cluster, 1).unwrap();
    let events = act(&mut world, order(0, "m0"));
    assert_eq!(deliveries(&world, "c1").len(), 1);
    assert!(
        consumer_steps(&events).iter().any(|(_, step)| *step == ConsumerStep::MessagesLost { number: 0, count: 1 })
    );
    assert_eq!(push(&world, "c1").offsets().get(&queue("OrderTopic", 0)), Some(1));
}

/// The file is there after a kill, so the next process goes on where it was saved last.
#[test]
fn the_next_process_begins_where_the_file_says() {
    let mut world = two();
    act(&mut world, order(0, "m0"));
    act(&mut world, wait(5_000));
    act(&mut world, order(0, "m1"));
    act(&mut world, kill("c1"));
    act(&mut world, start("c1"));
    assert_eq!(bodies(&deliveries(&world, "c1")), ["m0", "m1", "m1"]);
}

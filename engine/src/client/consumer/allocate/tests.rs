//! Expected parts come from 4.9.8's rules worked out by hand; the hashes were checked with a JDK.

use super::*;

fn queues_of(broker_name: &str, count: i32) -> Vec<PullQueue> {
    let queue = |queue_id| PullQueue { topic: "TopicTest".to_owned(), broker_name: broker_name.to_owned(), queue_id };
    (0..count).map(queue).collect()
}

fn ids(count: usize) -> Vec<String> {
    (1..=count).map(|n| format!("10.0.0.{n}@{n}")).collect()
}

/// The queue ids of each member.
fn parts(strategy: &AllocateStrategy, queues: &[PullQueue], ids: &[String]) -> Vec<Vec<i32>> {
    let part = |id: &String| strategy.allocate(id, queues, ids).unwrap().iter().map(|queue| queue.queue_id).collect();
    ids.iter().map(part).collect()
}

#[test]
fn averagely_hands_out_runs() {
    let share = |queues, members| parts(&AllocateStrategy::Average, &queues_of("broker-a", queues), &ids(members));
    assert_eq!(share(8, 3), [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7]]);
    assert_eq!(share(10, 4), [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7], vec![8, 9]]);
    assert_eq!(share(3, 5), [vec![0], vec![1], vec![2], vec![], vec![]]);
    assert_eq!(share(3, 3), [[0], [1], [2]]);
    assert_eq!(share(4, 2), [[0, 1], [2, 3]]);
}

#[test]
fn by_circle_deals_them_out() {
    let strategy = AllocateStrategy::AverageByCircle;
    let share = |queues, members| parts(&strategy, &queues_of("broker-a", queues), &ids(members));
    assert_eq!(share(8, 3), [vec![0, 3, 6], vec![1, 4, 7], vec![2, 5]]);
    assert_eq!(share(10, 4), [vec![0, 4, 8], vec![1, 5, 9], vec![2, 6], vec![3, 7]]);
    assert_eq!(share(3, 5), [vec![0], vec![1], vec![2], vec![], vec![]]);
}

#[test]
fn queues_hash_to_the_places_that_java_finds() {
    let places =
        queues_of("broker-a", 8).iter().map(|queue| consistent_hash::place(&queue.to_string())).collect::<Vec<_>>();
    let jdk: [u32; 8] = [
        1_987_926_524,
        4_291_349_817,
        853_506_239,
        3_652_785_994,
        3_819_253_357,
        3_264_541_832,
        2_650_622_136,
        4_171_190_878,
    ];
    assert_eq!(places, jdk);
}

#[test]
fn consistent_hashing_leaves_the_second_member_without_a_queue() {
    let strategy = AllocateStrategy::ConsistentHash { virtual_nodes: 10 };
    let shared = parts(&strategy, &queues_of("broker-a", 8), &ids(3));
    assert_eq!(shared, [vec![1, 2, 4, 5, 7], vec![], vec![0, 3, 6]]);
}

#[test]
fn consistent_hashing_moves_no_queue_between_those_who_stay() {
    let strategy = AllocateStrategy::ConsistentHash { virtual_nodes: 10 };
    let queues = queues_of("broker-a", 64);
    let (three, four) = (parts(&strategy, &queues, &ids(3)), parts(&strategy, &queues, &ids(4)));
    for (before, after) in three.iter().zip(&four) {
        assert!(after.iter().all(|queue| before.contains(queue)));
    }
    assert_eq!(four.concat().len(), 64);
    let none = AllocateStrategy::ConsistentHash { virtual_nodes: 0 };
    assert!(parts(&none, &queues, &ids(3)).concat().is_empty());
}

#[test]
fn machine_rooms_count_only_brokers_that_name_theirs() {
    let strategy = AllocateStrategy::MachineRoom { rooms: BTreeSet::from(["r1".to_owned()]) };
    let mut queues = queues_of("broker-a", 2);
    queues.extend(queues_of("r1@a", 5));
    queues.extend(queues_of("r1@a@b", 2));
    queues.extend(queues_of("r2@a", 4));
    // Five queues for two members: two each, and the fifth to the first.
    assert_eq!(parts(&strategy, &queues, &ids(2)), [vec![0, 1, 4], vec![2, 3]]);
}

#[test]
fn a_fixed_list_is_whoever_asks() {
    let strategy = AllocateStrategy::Config { queues: queues_of("broker-b", 2) };
    assert_eq!(strategy.allocate("stranger", &[], &[]), Ok(queues_of("broker-b", 2)));
}

fn nearby(consumer_rooms: &[(&str, &str)]) -> AllocateStrategy {
    let map =
        |pairs: &[(&str, &str)]| pairs.iter().map(|(key, room)| ((*key).to_owned(), (*room).to_owned())).collect();
    AllocateStrategy::MachineRoomNearby {
        inner: Box::default(),
        broker_rooms: map(&[("a", "hz"), ("b", "sh"), ("c", "bj")]),
        consumer_rooms: map(consumer_rooms),
    }
}

#[test]
fn nearby_shares_a_room_among_its_members_and_empty_rooms_among_all() {
    let strategy = nearby(&[("10.0.0.1", "hz"), ("10.0.0.2", "hz"), ("10.0.0.3@3", "sh")]);
    assert_eq!(strategy.name(), "MACHINE_ROOM_NEARBY-AVG");
    let queues: Vec<PullQueue> = ["a", "b", "c"].iter().flat_map(|name| queues_of(name, 4)).collect();
    let part = |id: &str| {
        let part = strategy.allocate(id, &queues, &ids(3)).unwrap();
        part.iter().map(|queue| format!("{}{}", queue.broker_name, queue.queue_id)).collect::<Vec<_>>()
    };
    // Room hz: four queues for two; sh: all for its one member; bj has none, and its four are shared by three.
    assert_eq!(part("10.0.0.1@1"), ["a0", "a1", "c0", "c1"]);
    assert_eq!(part("10.0.0.2@2"), ["a2", "a3", "c2"]);
    assert_eq!(part("10.0.0.3@3"), ["b0", "b1", "b2", "b3", "c3"]);
}

#[test]
fn nearby_refuses_whom_it_cannot_place() {
    let strategy = nearby(&[("10.0.0.1", "hz")]);
    let error =
        |queues: &[PullQueue], ids: &[String]| strategy.allocate("10.0.0.1@1", queues, ids).unwrap_err().to_string();
    assert_eq!(
        error(&queues_of("d", 1), &ids(1)),
        "Machine room is null for mq MessageQueue [topic=TopicTest, brokerName=d, queueId=0]"
    );
    assert_eq!(error(&queues_of("a", 1), &ids(2)), "Machine room is null for consumer id 10.0.0.2@2");
}

#[test]
fn an_unknown_id_gets_nothing_and_missing_lists_are_errors() {
    let queues = queues_of("broker-a", 4);
    for strategy in [
        AllocateStrategy::Average,
        AllocateStrategy::AverageByCircle,
        AllocateStrategy::ConsistentHash { virtual_nodes: 10 },
        AllocateStrategy::MachineRoom { rooms: BTreeSet::new() },
        nearby(&[]),
    ] {
        assert_eq!(strategy.allocate("10.0.0.9@9", &queues, &ids(2)), Ok(Vec::new()), "{}", strategy.name());
        assert_eq!(strategy.allocate("", &queues, &ids(2)), Err(AllocateError::NoOwnId));
        assert_eq!(strategy.allocate("10.0.0.1@1", &[], &ids(2)), Err(AllocateError::NoQueues));
        assert_eq!(strategy.allocate("10.0.0.1@1", &queues, &[]), Err(AllocateError::NoIds));
    }
}

#[test]
fn two_members_with_one_id_consume_the_same_and_leave_the_rest() {
    let ids = ["A".to_owned(), "A".to_owned()];
    assert_eq!(parts(&AllocateStrategy::Average, &queues_of("broker-a", 4), &ids), [[0, 1], [0, 1]]);
    // On the ring their places are 20 of one member.
    let strategy = AllocateStrategy::ConsistentHash { virtual_nodes: 10 };
    assert_eq!(parts(&strategy, &queues_of("broker-a", 2), &ids), [[0, 1], [0, 1]]);
}

#[test]
fn strategies_are_written_by_their_names() {
    let read = |text: &str| toml::from_str::<AllocateStrategy>(text);
    assert_eq!(read("strategy = \"AVG\"").unwrap(), AllocateStrategy::Average);
    let hash = AllocateStrategy::ConsistentHash { virtual_nodes: 10 };
    assert_eq!(read("strategy = \"CONSISTENT_HASH\"").unwrap(), hash);
    let queues = "strategy = \"CONFIG\"\nqueues = [{ topic = \"TopicTest\", brokerName = \"b\", queueId = 0 }]";
    assert_eq!(read(queues).unwrap(), AllocateStrategy::Config { queues: queues_of("b", 1) });
    let near = "strategy = \"MACHINE_ROOM_NEARBY\"\ninner = { strategy = \"AVG_BY_CIRCLE\" }\nbrokerRooms = { a = \"hz\" }\nconsumerRooms = {}";
    assert_eq!(read(near).unwrap().name(), "MACHINE_ROOM_NEARBY-AVG_BY_CIRCLE");
    assert!(read("strategy = \"NEAREST\"").is_err());
    assert!(read("strategy = \"CONSISTENT_HASH\"\nrooms = []").is_err());
}

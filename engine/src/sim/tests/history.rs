//! Time runs both ways, and always the same way.

use proptest::{collection::vec, prelude::*};

use super::*;

/// Something to do: an action, or so many steps.
#[derive(Clone, Debug)]
enum Move {
    Act(Action),
    Step(usize),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let size = 180..400_i32;
    let link =
        prop_oneof![Just(("broker-a", "namesrv")), Just(("producer", "broker-a")), Just(("consumer", "broker-a"))];
    let lane = prop_oneof![
        Just(None),
        Just(Some(Service::Put)),
        Just(Some(Service::Reput)),
        Just(Some(Service::FlushCommitLog)),
        Just(Some(Service::Register)),
    ];
    let names = |(a, b): (&str, &str)| (a.to_owned(), b.to_owned());
    let action = prop_oneof![
        4 => (0..2_i32, size).prop_map(|(queue, size)| bare("OrderTopic", queue, "TagA", size)),
        4 => prop_oneof![Just("OrderTopic"), Just("PaymentTopic"), Just("NewTopic")].prop_map(send),
        2 => (0..2_i32, 0..3_i64).prop_map(|(queue, offset)| pull("OrderTopic", queue, offset)),
        1 => lane.clone().prop_map(|lane| pause("broker-a", lane)),
        1 => lane.prop_map(|lane| resume("broker-a", lane)),
        1 => (900..2000_i64).prop_map(|offset| Action::ReputFrom { broker: "broker-a".to_owned(), offset }),
        1 => link.clone().prop_map(names).prop_map(|(a, b)| Action::Cut { a, b }),
        1 => link.clone().prop_map(names).prop_map(|(a, b)| Action::Stall { a, b }),
        1 => link.prop_map(names).prop_map(|(a, b)| Action::Mend { a, b }),
        1 => (1..200_000_i64).prop_map(|ms| Action::Wait { ms }),
        4 => crash(),
    ];
    vec(prop_oneof![3 => action.prop_map(Move::Act), 2 => (1..30_usize).prop_map(Move::Step)], 1..25)
}

fn crash() -> impl Strategy<Value = Action> {
    let node = prop_oneof![4 => Just("broker-a"), 1 => Just("namesrv"), 1 => Just("producer")];
    let survives = prop_oneof![
        Just(Survives::Flushed),
        Just(Survives::Everything),
        (0..4_u32).prop_map(|pages| Survives::Prefix { pages }),
        (0..4_u32, 1..8_u16).prop_map(|(pages, sectors)| Survives::Torn { pages, sectors }),
        (0..9_u64).prop_map(|seed| Survives::Random { seed }),
    ];
    let service = prop_oneof![Just(None), Just(Some(Service::Put)), Just(Some(Service::Process))];
    let (bytes, maybe) = (proptest::option::of(0..200_u32), proptest::option::of(survives.clone()));
    let trap =
        (service, 0..6_u32, bytes, maybe, any::<bool>()).prop_map(|(service, write, bytes, survives, unsent)| {
            Action::CrashAt { node: "broker-a".to_owned(), service, write, bytes, survives, unsent }
        });
    prop_oneof![
        2 => node.clone().prop_map(crashes::kill),
        2 => (node.clone(), survives).prop_map(|(node, survives)| crashes::power_loss(node, survives)),
        5 => node.clone().prop_map(crashes::start),
        1 => node.prop_map(crashes::stop),
        2 => trap,
        1 => Just(Action::SecondProcess { broker: "broker-a".to_owned() }),
    ]
}

fn play(history: &mut History, moves: &[Move]) {
    for one in moves {
        match one {
            // What cannot be done now is part of the game.
            Move::Act(action) => drop(history.act(action.clone())),
            Move::Step(times) => {
                for _ in 0..*times {
                    history.step();
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_same_run_twice_is_the_same(moves in moves(), seed in 0..4_u64) {
        let mut one = History::new(&cluster(), seed).unwrap();
        play(&mut one, &moves);
        let mut two = History::new(&cluster(), seed).unwrap();
        play(&mut two, &moves);
        prop_assert_eq!(one.world().trace_hash(), two.world().trace_hash());
        prop_assert_eq!(one.world().state_hash(), two.world().state_hash());
        let replayed = History::replay(&cluster(), seed, one.actions(), one.len()).unwrap();
        prop_assert_eq!(one.world().state_hash(), replayed.world().state_hash());
    }

    #[test]
    fn a_step_back_is_a_replay(moves in moves(), places in vec(0..1000_u64, 1..6)) {
        let mut history = History::new(&cluster(), 1).unwrap();
        let mut hashes = vec![history.world().state_hash()];
        play(&mut history, &moves);
        let len = history.len();
        history.seek(0);
        while history.position() < len {
            history.step();
            hashes.push(history.world().state_hash());
        }
        for place in places {
            let place = place % (len + 1);
            prop_assert_eq!(history.seek(place), place);
            prop_assert_eq!(history.world().state_hash(), hashes[place as usize]);
            if history.step_back() {
                prop_assert_eq!(history.world().state_hash(), hashes[place as usize - 1]);
            }
        }
    }

    #[test]
    fn a_clone_goes_the_same_way(moves in moves()) {
        let mut history = History::new(&cluster(), 1).unwrap();
        play(&mut history, &moves);
        let (mut one, mut two) = (history.world().clone(), history.world().clone());
        for _ in 0..50 {
            prop_assert_eq!(one.step(), two.step());
        }
        prop_assert_eq!(one.state_hash(), two.state_hash());
    }
}

#[test]
fn another_seed_is_another_run() {
    let first_queue = |seed| {
        let mut world = World::new(&cluster(), seed).unwrap();
        world.act(send("OrderTopic")).unwrap();
        rest(&mut world);
        world.client("producer").unwrap().sent()[0].msg_id.clone()
    };
    assert_eq!(first_queue(1), first_queue(1));
    assert_ne!(first_queue(1), first_queue(2));
}

#[test]
fn acting_in_the_past_begins_a_branch_and_keeps_the_old_one() {
    let mut history = History::new(&cluster(), 1).unwrap();
    history.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    history.run_to_rest(1000);
    let (length, hash) = (history.len(), history.world().state_hash());
    history.seek(1);
    assert_eq!((history.position(), history.len()), (1, length));
    history.act(bare("OrderTopic", 0, "TagB", 300)).unwrap();
    history.run_to_rest(1000);
    assert_eq!(history.world().client("sender").unwrap().sent().len(), 2);
    let branch = history.branches()[0];
    assert_eq!((branch.id, branch.forked_at, branch.length), (0, 1, length));
    let actions = history.actions_of(branch.id, 0).unwrap();
    let old = History::replay(&cluster(), 1, &actions, branch.length).unwrap();
    assert_eq!(old.world().state_hash(), hash);
}

#[test]
fn an_action_that_is_refused_in_the_past_changes_nothing() {
    let mut history = History::new(&cluster(), 1).unwrap();
    history.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    history.run_to_rest(1000);
    let length = history.len();
    history.seek(1);
    assert!(history.act(bare("OrderTopic", 0, "TagA", 1)).is_err());
    assert_eq!((history.position(), history.len(), history.branches().len()), (1, length, 0));
}

/// 100,000 events: 512 snapshots at most stand for 256 events each, so a seek goes through 255 events again at most.
#[test]
fn a_long_run_has_few_snapshots_and_short_seeks() {
    let mut history = History::new(&cluster(), 1).unwrap();
    while history.len() < 100_000 {
        history.act(Action::Wait { ms: 1 }).unwrap();
        history.run(1, |_, _| true);
    }
    assert_eq!(history.snapshots(), 100_000 / 256 + 1);
    for position in [0, 255, 256, 50_000, 99_999, 31_743] {
        assert!(history.distance_to(position) < 256, "{position}");
        history.seek(position);
        assert_eq!((history.position(), history.world().events()), (position, position));
        // What the seek has left near there makes the steps back shorter.
        assert!(history.distance_to(position.saturating_sub(1)) <= 32, "{position}");
        assert!(history.snapshots() <= 100_000 / 256 + 1 + 16, "{position}");
    }
    history.seek(u64::MAX);
    assert_eq!(history.position(), 100_000);
}

/// One after the other, all steps back together go through each event a few times at most.
#[test]
fn stepping_back_is_cheap_all_the_way() {
    let mut history = History::new(&cluster(), 1).unwrap();
    while history.len() < 20_000 {
        history.act(Action::Wait { ms: 1 }).unwrap();
        history.run(1, |_, _| true);
    }
    history.seek(9_000);
    let mut again = 0;
    while history.position() > 8_000 {
        again += history.distance_to(history.position() - 1);
        history.step_back();
    }
    assert!(again < 1_000 * 40, "{again}");
}

#[test]
fn every_byte_knows_the_step_that_wrote_it() {
    let mut history = History::new(&cluster(), 1).unwrap();
    history.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    history.run_to_rest(1000);
    let log = "commitlog/00000000000000000000";
    let (seq, step) = history.writer_of("broker-a", log, 1050).unwrap();
    let event = history.event(seq).unwrap().clone();
    assert_eq!(event.service, "put");
    let told = &event.steps[step as usize].what;
    assert!(matches!(told, StepKind::Store(Step::Appended { physical_offset: 1000, .. })), "{told:?}");
    assert!(history.writer_of("broker-a", log, 1200).is_none(), "nobody has written there");
    assert!(history.writer_of("broker-a", log, 500).is_none(), "written before the run");
    history.seek(seq);
    assert!(history.writer_of("broker-a", log, 1050).is_none(), "not yet written at this position");
}

#[test]
fn running_until_a_time_stops_before_the_next_event() {
    let mut history = History::new(&cluster(), 1).unwrap();
    history.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    history.run_until_us(600_000, 1000);
    assert!(history.world().now_us() <= 600_000);
    assert!(history.next_event_us().unwrap() > 600_000);
    assert_eq!(history.world().broker("broker-a").unwrap().store().unwrap().flushed_where(), 1200);
}

/// A learner is told how far away the next event is: what is known exactly, and nothing else later than it comes.
#[test]
fn the_next_event_is_never_before_its_time_is_told() {
    let mut history = History::new(&cluster(), 1).unwrap();
    history.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    while let Some(next_us) = history.next_event_us().filter(|_| history.len() < 60) {
        let told_us = history.next_us().unwrap();
        let event_us = history.step().unwrap().at_us;
        assert!(told_us <= event_us && next_us == event_us, "{told_us} {next_us} {event_us}");
    }
    history.seek(3);
    assert_eq!(history.next_us(), Some(history.event(3).unwrap().at_us));
}

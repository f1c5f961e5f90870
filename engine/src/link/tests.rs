//! Links of random runs come back, and nothing that is no such link does.

use std::sync::Arc;

use flate2::{Compression, write::DeflateEncoder};
use proptest::{collection::vec, prelude::*};
use std::io::Write;

use super::{EVENTS_MAX, LeftBranch, Link, LinkError, Opened, Origin, VERSION};
use crate::{
    disk::MemoryDisk,
    lesson::{Answered, LESSONS, LessonRun, LessonSource, LoggedMove, Made},
    sim::{
        Action, ActionError, BRANCHES_MAX, Begin, Branch, Cluster, History, ImportSpec, Imports, StoreSpec, Survives,
    },
};

fn lesson(id: &str) -> LessonRun {
    let lesson = LessonSource::find(id).expect("the lesson is there").load().expect("it is right");
    LessonRun::new(Arc::new(lesson)).expect("it begins")
}

fn cluster() -> Cluster {
    let text = r#"{
        "nameServers": [{ "name": "namesrv" }],
        "brokers": [{ "name": "broker-a", "topics": [{ "name": "OrderTopic", "readQueues": 2, "writeQueues": 2 }] }],
        "producers": [{ "name": "producer" }]
    }"#;
    serde_json::from_str(text).expect("a cluster")
}

fn send(keys: &str) -> Action {
    let text = format!(r#"{{ "kind": "send", "producer": "producer", "topic": "OrderTopic", "keys": "{keys}" }}"#);
    serde_json::from_str(&text).expect("an action")
}

fn there_and_back(link: &Link) -> Opened {
    let text = link.encode().expect("it can be written");
    let read = Link::decode(&text).expect("it can be read");
    assert_eq!(&read, link);
    read.open(&Imports::default()).expect("it is the same run")
}

/// Where a run's branches part and end, from each of its branches, and what the world was at their ends.
fn tree(history: &History) -> Vec<(u32, Vec<Branch>, u64)> {
    let mut ids: Vec<u32> = history.branches().iter().map(|branch| branch.id).collect();
    ids.push(history.branch());
    let mut history = history.clone();
    let seen = ids.into_iter().map(|id| {
        history.switch(id);
        history.seek(u64::MAX);
        (id, history.branches(), history.world().state_hash())
    });
    seen.collect()
}

/// Everything that a learner sees of a lesson's run.
#[derive(Debug, PartialEq)]
struct Told {
    position: u64,
    length: u64,
    hash: u64,
    step: usize,
    taken: Vec<bool>,
    moves: Vec<LoggedMove>,
    answered: Vec<Answered>,
    met: Vec<String>,
}

fn told(run: &LessonRun) -> Told {
    let steps = run.lesson().steps.iter().enumerate();
    let offers = steps.flat_map(|(step, one)| (0..one.offers.len()).map(move |offer| (step, offer)));
    Told {
        position: run.history().position(),
        length: run.history().len(),
        hash: run.history().world().trace_hash(),
        step: run.step_now(),
        taken: offers.map(|(step, offer)| run.is_taken(step, offer)).collect(),
        moves: run.moves(),
        answered: run.answered(),
        met: run.goals_met(),
    }
}

/// The whole text of a link that holds this JSON and says that it has this version.
fn written(json: &[u8], version: u8) -> String {
    let mut packer = DeflateEncoder::new(Vec::new(), Compression::best());
    packer.write_all(json).expect("a vector takes everything");
    let packed = packer.finish().expect("a vector takes everything");
    let mut bytes = b"RS".to_vec();
    bytes.push(version);
    bytes.extend((packed.len() as u32).to_be_bytes());
    bytes.extend(crc32fast::hash(&packed).to_be_bytes());
    bytes.extend(packed);
    super::text::to_base64(&bytes)
}

#[derive(Clone, Debug)]
enum Deed {
    Act(Box<Action>),
    Take(usize),
    Predict(usize, usize),
    Step(usize),
    Seek(u64),
}

fn deeds(acts: impl Strategy<Value = Action> + 'static) -> impl Strategy<Value = Vec<Deed>> {
    let deed = prop_oneof![
        2 => acts.prop_map(|action| Deed::Act(Box::new(action))),
        4 => (0..3_usize).prop_map(Deed::Take),
        1 => (0..4_usize, 0..4_usize).prop_map(|(question, choice)| Deed::Predict(question, choice)),
        4 => (1..40_usize).prop_map(Deed::Step),
        3 => (0..200_u64).prop_map(Deed::Seek),
    ];
    vec(deed, 0..24)
}

fn acts() -> impl Strategy<Value = Action> {
    let node = Just("broker-a".to_owned());
    prop_oneof![
        3 => "[a-z组]{1,8}".prop_map(|keys| send(&keys)),
        1 => (1..200_000_i64).prop_map(|ms| Action::Wait { ms }),
        1 => node.clone().prop_map(|node| Action::Kill { node }),
        1 => node.clone().prop_map(|node| Action::Start { node }),
        1 => (node, 0..9_u64).prop_map(|(node, seed)| Action::PowerLoss { node, survives: Survives::Random { seed } }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_random_run_of_a_cluster_comes_back(deeds in deeds(acts()), seed in any::<u64>()) {
        let cluster = cluster();
        let mut history = History::new(&cluster, seed).unwrap();
        for deed in deeds {
            match deed {
                // What cannot be done now is part of the game.
                Deed::Act(action) => drop(history.act(*action)),
                Deed::Seek(to) => drop(history.seek(to)),
                Deed::Step(times) => for _ in 0..times {
                    history.step();
                },
                Deed::Take(_) | Deed::Predict(..) => {}
            }
        }
        let opened = there_and_back(&Link::of_cluster(&cluster, seed, &history));
        let back = opened.history();
        prop_assert_eq!((back.position(), back.len()), (history.position(), history.len()));
        prop_assert_eq!(back.world().state_hash(), history.world().state_hash());
        prop_assert_eq!(back.actions(), history.actions());
        prop_assert_eq!(back.branches(), &[]);
        let opened = there_and_back(&Link::with_branches_of_cluster(&cluster, seed, &history));
        let back = opened.history();
        prop_assert_eq!((back.branch(), back.position()), (history.branch(), history.position()));
        prop_assert_eq!(back.offshoots(), history.offshoots());
        prop_assert_eq!(tree(back), tree(&history));
    }

    /// Lesson 07 begins one of its steps with two actions of its own, and so does none of the others.
    #[test]
    fn a_random_run_of_a_lesson_comes_back(deeds in deeds(acts()), which in 0..3_usize) {
        let mut run = lesson(["01-three-messages", "04-key-lookup", "07-flush-modes"][which]);
        for deed in deeds {
            match deed {
                Deed::Act(action) => drop(run.act(*action)),
                Deed::Seek(to) => run.seek(to),
                Deed::Step(times) => for _ in 0..times {
                    run.step().unwrap();
                },
                Deed::Take(offer) => drop(run.take(offer)),
                Deed::Predict(question, choice) => {
                    let id = run.lesson().questions.get(question).map(|question| question.id.clone());
                    drop(run.predict(&id.unwrap_or_default(), choice));
                }
            }
        }
        let Opened::Lesson(back) = there_and_back(&Link::of_lesson(&run)) else { panic!("no lesson") };
        prop_assert_eq!(told(&back), told(&run));
        prop_assert_eq!(back.history().world().state_hash(), run.history().world().state_hash());
        let Opened::Lesson(mut back) = there_and_back(&Link::with_branches_of_lesson(&run)) else { panic!("no lesson") };
        prop_assert_eq!(back.history().offshoots(), run.history().offshoots());
        prop_assert_eq!(told(&back), told(&run));
        for branch in run.history().branches() {
            prop_assert!(back.switch(branch.id) && run.switch(branch.id));
            prop_assert_eq!(told(&back), told(&run));
            prop_assert_eq!(back.history().branches(), run.history().branches());
        }
    }
}

proptest! {
    #[test]
    fn no_text_is_too_strange_to_be_read(text in ".{0,60}") {
        prop_assert!(Link::decode(&text).is_err());
        let begun = format!("UlMB{text}");
        prop_assert!(Link::decode(&begun).is_err());
    }

    #[test]
    fn no_json_is_too_strange_to_be_opened(
        json in prop_oneof![
            ".{0,40}",
            (any::<u64>(), any::<u64>(), any::<u64>(), 0..99_u64).prop_map(|(length, position, at, ms)| format!(
                r#"{{"origin":{{"cluster":{{"cluster":{{}},"seed":1}}}},"moves":[{{"at":{at},"made":{{"act":
                {{"kind":"wait","ms":{ms}}}}}}}],"length":{length},"position":{position},"hash":1}}"#
            )),
        ],
    ) {
        let link = Link::decode(&written(json.as_bytes(), VERSION));
        prop_assert!(link.and_then(|link| link.open(&Imports::default())).is_err());
    }

    #[test]
    fn a_link_that_was_cut_says_so_and_one_that_was_changed_does_too(place in 0..400_usize, digit in 0..64_usize) {
        let mut run = lesson("01-three-messages");
        run.take(0).unwrap();
        let link = Link::of_lesson(&run);
        let text = link.encode().unwrap();
        let place = place % text.len();
        let cut = Link::decode(&text[..place]);
        if place == 0 {
            prop_assert_eq!(cut, Err(LinkError::NotALink));
        } else {
            // Three quarters of a byte may be left over, but never a whole one.
            let whole = text.len() * 3 / 4;
            let got = place * 3 / 4;
            let expected = if got < 11 { 11 } else { whole };
            prop_assert_eq!(cut, Err(LinkError::CutOff { got: got as u64, expected: expected as u64 }));
        }
        let digit = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[digit] as char;
        let mut changed = text.clone();
        changed.replace_range(place..=place, &digit.to_string());
        match Link::decode(&changed) {
            // The last digit may have bits that belong to no byte.
            Ok(read) => prop_assert!(read == link && (changed == text || place + 1 == text.len())),
            // From the check sum on, and in the stream, every change is told as one: 7 bytes are 9 digits and a third.
            Err(error) => prop_assert!(place < 10 || matches!(error, LinkError::Changed { .. }), "{}: {}", place, error),
        }
    }
}

#[test]
fn every_solution_comes_back_from_its_link_which_fits_an_address() {
    for source in LESSONS {
        let mut run = lesson(source.id);
        run.solve().unwrap_or_else(|error| panic!("{}: {error}", source.id));
        let link = Link::of_lesson(&run);
        assert!(link.encode().expect("it can be written").len() < super::ADDRESS_MAX, "{}", source.id);
        let Opened::Lesson(back) = there_and_back(&link) else { panic!("no lesson") };
        assert_eq!(told(&back), told(&run), "{}", source.id);
        assert!(back.is_finished(), "{}", source.id);
    }
}

#[test]
fn acting_amid_the_beginning_of_a_step_finishes_the_beginning_first() {
    // Step by step to where lesson 07 begins a step with two actions of its own; a solution goes there.
    let mut run = lesson("07-flush-modes");
    run.solve().expect("the solution is right");
    let step = run.lesson().steps.iter().position(|step| step.begin.len() > 1).expect("there is one");
    let began = run.began_at(step).expect("it has begun");
    run.seek(began - 1);
    run.act(Action::Wait { ms: 7 }).expect("time can pass");
    let own = &run.lesson().steps[step].begin;
    let actions: Vec<_> = run.history().actions().iter().rev().take(3).map(|logged| logged.action.clone()).collect();
    assert_eq!(actions, [Action::Wait { ms: 7 }, own[1].clone(), own[0].clone()]);
    for link in [Link::of_lesson(&run), Link::with_branches_of_lesson(&run)] {
        let Opened::Lesson(back) = there_and_back(&link) else { panic!("no lesson") };
        assert_eq!(told(&back), told(&run));
    }
    // The solution's own way grows from there, and stands where it stood.
    let Opened::Lesson(mut back) = there_and_back(&Link::with_branches_of_lesson(&run)) else { panic!("no lesson") };
    assert!(back.switch(0) && run.switch(0));
    assert_eq!((told(&back), back.is_finished()), (told(&run), true));
    assert_eq!(back.history().branches(), run.history().branches());
}

#[test]
fn what_cannot_be_honoured_says_where_and_why() {
    let mut history = History::new(&cluster(), 7).expect("it can be built");
    history.act(send("a")).expect("it can be sent");
    history.run_to_rest(1000);
    let link = Link::of_cluster(&cluster(), 7, &history);
    let open = |change: &dyn Fn(&mut Link)| {
        let mut link = link.clone();
        change(&mut link);
        link.open(&Imports::default()).map(drop)
    };
    assert_eq!(open(&|_| {}), Ok(()));
    assert_eq!(open(&|link| link.hash ^= 1), Err(LinkError::Differs { expected: link.hash ^ 1, got: link.hash }));
    let length = EVENTS_MAX + 1;
    let too_long = LinkError::TooLong { length, limit: EVENTS_MAX };
    assert_eq!(open(&|link| link.length = length), Err(too_long.clone()));
    assert_eq!(Link { length, ..link.clone() }.encode(), Err(too_long));
    assert!(matches!(open(&|link| link.position = link.length + 1), Err(LinkError::NotARun { .. })));
    let kill = |node: &str| LoggedMove { at: 1, made: Made::Act(Box::new(Action::Kill { node: node.to_owned() })) };
    let refused = ActionError::NoSuchNode { node: "nobody".to_owned() };
    assert_eq!(
        open(&|link| link.moves.push(kill("nobody"))),
        Err(LinkError::Refused {
            number: 2,
            at: 1,
            cause: refused.to_string(),
            refused: Some(Box::new(refused.clone()))
        })
    );
    // Beyond the end, and before the one before it.
    assert_eq!(
        open(&|link| link.moves.push(LoggedMove { at: link.length, ..kill("broker-a") })),
        Err(LinkError::Misplaced { number: 2, at: link.length })
    );
    assert_eq!(
        open(&|link| link.moves.push(LoggedMove { at: 0, ..kill("broker-a") })),
        Err(LinkError::Misplaced { number: 2, at: 0 })
    );
    assert!(matches!(
        open(&|link| link.moves = vec![LoggedMove { at: 0, made: Made::Take("m1".to_owned()) }]),
        Err(LinkError::NotARun { .. })
    ));
    let wrong = |link: &mut Link| {
        let mut cluster = cluster();
        cluster.brokers[0].name = "producer".to_owned();
        link.origin = Origin::Cluster { cluster: Box::new(cluster), seed: 7 };
    };
    assert!(matches!(open(&wrong), Err(LinkError::Cluster { place, .. }) if place == "producer"));
}

#[test]
fn a_branch_that_does_not_grow_says_which_and_why() {
    let cluster = cluster();
    let mut history = History::new(&cluster, 7).expect("it can be built");
    history.act(send("a")).expect("it can be sent");
    history.run_to_rest(1000);
    history.seek(0);
    history.act(send("b")).expect("it can be sent");
    history.run_to_rest(1000);
    let link = Link::with_branches_of_cluster(&cluster, 7, &history);
    assert_eq!((link.branch, link.branches.len(), link.branches[0].id, link.branches[0].moves.len()), (1, 1, 0, 1));
    let open = |change: &dyn Fn(&mut LeftBranch)| {
        let mut link = link.clone();
        change(&mut link.branches[0]);
        link.open(&Imports::default()).map(drop)
    };
    assert_eq!(open(&|_| {}), Ok(()));
    let of = |branch, error| Err(LinkError::Branch { branch, error: Box::new(error) });
    let hash = link.branches[0].hash;
    assert_eq!(open(&|left| left.hash ^= 1), of(0, LinkError::Differs { expected: hash ^ 1, got: hash }));
    let nowhere =
        |branch, at| of(0, LinkError::NotARun { cause: format!("it cannot part from branch {branch} at event {at}") });
    assert_eq!(open(&|left| left.of = 3), nowhere(3, 0));
    assert_eq!(open(&|left| left.at = link.length), nowhere(1, link.length));
    let taken = LinkError::NotARun { cause: "it cannot part from branch 1 at event 0".to_owned() };
    assert_eq!(open(&|left| left.id = 1), of(1, taken));
    let (number, at) = (2, 0);
    let twice = |left: &mut LeftBranch| left.moves.push(left.moves[0].clone());
    assert_eq!(open(&twice), of(0, LinkError::Misplaced { number, at }));
    let nobody = |left: &mut LeftBranch| {
        left.moves[0].made = Made::Act(Box::new(Action::Kill { node: "nobody".to_owned() }));
    };
    let refused = ActionError::NoSuchNode { node: "nobody".to_owned() };
    let cause = refused.to_string();
    let refused = Some(Box::new(refused));
    assert_eq!(open(&nobody), of(0, LinkError::Refused { number: 1, at, cause, refused }));

    let number = Link { branch: u32::MAX, ..link.clone() }.open(&Imports::default()).map(drop);
    assert_eq!(number, Err(LinkError::NotARun { cause: "no branch is number 4294967295".to_owned() }));
    let mut many = link.clone();
    many.branches = vec![link.branches[0].clone(); BRANCHES_MAX + 1];
    assert_eq!(many.encode(), Err(LinkError::NotARun { cause: "17 branches; the most are 16".to_owned() }));
    let mut long = link.clone();
    long.branches[0].length = EVENTS_MAX;
    let length = link.length + EVENTS_MAX;
    assert_eq!(long.open(&Imports::default()).map(drop), Err(LinkError::TooLong { length, limit: EVENTS_MAX }));
}

/// `RS` and the version are the first three bytes.
#[test]
fn only_a_link_with_branches_has_the_new_version() {
    let mut run = lesson("01-three-messages");
    run.take(0).expect("m1 is offered");
    run.seek(0);
    run.act(Action::Wait { ms: 5 }).expect("time can pass");
    assert_eq!(&Link::of_lesson(&run).encode().expect("it can be written")[..4], "UlMB");
    assert_eq!(&Link::with_branches_of_lesson(&run).encode().expect("it can be written")[..4], "UlMC");
}

#[test]
fn a_lesson_that_is_gone_or_changed_says_so() {
    let mut run = lesson("01-three-messages");
    run.take(0).expect("m1 is offered");
    let link = Link::of_lesson(&run);
    let open = |origin: Origin| Link { origin, ..link.clone() }.open(&Imports::default()).map(drop);
    let Origin::Lesson { id, fingerprint } = link.origin.clone() else { panic!("no lesson") };
    let gone = "99-gone".to_owned();
    assert_eq!(open(Origin::Lesson { id: gone.clone(), fingerprint }), Err(LinkError::UnknownLesson { id: gone }));
    let changed = Origin::Lesson { id: id.clone(), fingerprint: fingerprint + 1 };
    assert_eq!(open(changed), Err(LinkError::LessonChanged { id }));
    let mut twice = link.clone();
    twice.moves.push(LoggedMove { at: twice.length, ..twice.moves[0].clone() });
    let refused = twice.open(&Imports::default()).map(drop);
    assert!(matches!(refused, Err(LinkError::Refused { number: 2, refused: None, .. })), "{refused:?}");
    let mut strange = link;
    strange.met.push("wealth".to_owned());
    assert_eq!(
        strange.open(&Imports::default()).map(drop),
        Err(LinkError::NotARun { cause: "the lesson has no goal `wealth`".to_owned() })
    );
}

#[test]
fn newer_links_and_bombs_are_refused() {
    assert_eq!(Link::decode(&written(b"{}", 3)), Err(LinkError::Newer { version: 3, known: 2 }));
    assert_eq!(Link::decode(&written(b"{}", 0)), Err(LinkError::NotALink));
    // 17 MiB of blanks are a few KiB packed.
    let bomb = written(&vec![b' '; 17 * 1024 * 1024], VERSION);
    assert!(bomb.len() < 30_000);
    assert_eq!(Link::decode(&bomb), Err(LinkError::TooLarge { limit: 16 * 1024 * 1024 }));
    let whole = written(b"{}", VERSION);
    assert!(matches!(Link::decode(&whole), Err(LinkError::NotARun { cause }) if cause.contains("origin")));
    assert_eq!(Link::decode(&format!("{whole}AAAA")), Err(LinkError::Longer { more: 3 }));
}

/// A store of two files, made by hand: a log of 16 KiB without a record, and an index folder's checkpoint.
fn brought() -> MemoryDisk {
    let files =
        [("checkpoint".to_owned(), vec![0; 4096], 5), ("commitlog/00000000000000000000".to_owned(), vec![0; 16384], 5)];
    MemoryDisk::from_files(files).expect("two files")
}

#[test]
fn a_link_names_the_store_that_it_needs_and_opens_with_it() {
    let mut imports = Imports::default();
    let fingerprint = imports.add(&brought()).expect("it is small");
    let mut own = cluster();
    own.begin = Begin::Cold;
    own.brokers[0].topics.clear();
    own.brokers[0].config.insert("mappedFileSizeCommitLog".to_owned(), "16384".to_owned());
    let import = ImportSpec { name: "mine".to_owned(), fingerprint: fingerprint.clone() };
    own.brokers[0].store = StoreSpec { import: Some(import), ..StoreSpec::default() };
    let error = History::new(&own, 1).expect_err("nobody brought the store");
    assert_eq!(error.place, "broker-a.store.import");
    let mut history = History::with_imports(&own, 1, &imports).expect("it begins");
    history.run_to_rest(1000);
    let disk = history.world().broker("broker-a").expect("there is one").disk();
    assert!(crate::disk::ReadAt::find(disk, "abort").is_some(), "the broker did not start on it");
    let link = Link::of_cluster(&own, 1, &history);
    let needs = LinkError::NeedsStore { node: "broker-a".to_owned(), name: "mine".to_owned(), fingerprint };
    assert_eq!(link.open(&Imports::default()).map(drop), Err(needs));
    let opened = link.open(&imports).expect("the store is here");
    assert_eq!(opened.history().world().state_hash(), history.world().state_hash());
    own.brokers[0].store.prefix_messages = 1;
    let error = History::with_imports(&own, 1, &imports).expect_err("a store is one or the other");
    assert_eq!(error.cause, "topics and records are those of the store");
}

use std::sync::Arc;

use super::{LESSONS, Lesson, LessonRun, LessonSource, Move, Probe, RunError, Value, holds, read};
use crate::{node::Service, sim::Action};

mod backlog;
mod branches;
mod broadcast_and_start;
mod catch_up;
mod checkpoint_and_abort;
mod cq_ahead;
mod crash_after_commit;
mod delay_levels;
mod expiry;
mod filters;
mod flush_modes;
mod get_message;
mod half_message;
mod index_unsafe;
mod key_lookup;
mod long_polling;
mod lost_commit;
mod offset_commit;
mod orderly;
mod outbox;
mod producer_retry;
mod rebalance;
mod replication;
mod reput_lag;
mod retry_and_dlq;
mod rollover;
mod route_first;
mod subscription_mismatch;
mod the_hole;
mod timeout_is_not_failure;
mod torn_tail;

fn run_of(source: &LessonSource) -> LessonRun {
    let lesson = source.load().unwrap_or_else(|error| panic!("{error}"));
    LessonRun::new(Arc::new(lesson)).unwrap_or_else(|error| panic!("{}: {error}", source.id))
}

fn lesson(id: &str) -> LessonRun {
    run_of(LessonSource::find(id).unwrap_or_else(|| panic!("no lesson {id}")))
}

fn three_messages() -> LessonRun {
    lesson("01-three-messages")
}

/// Takes up an offer of the present step, by its name.
fn take(run: &mut LessonRun, id: &str) {
    let offers = &run.lesson().steps[run.step_now()].offers;
    let offer = offers.iter().position(|offer| offer.id == id).unwrap_or_else(|| panic!("{id} is not offered now"));
    run.take(offer).unwrap_or_else(|error| panic!("{id}: {error}"));
}

fn value(run: &LessonRun, probe: &str) -> Option<Value> {
    read(run.history().world(), &Probe::parse(probe).expect("a probe"))
}

fn int(run: &LessonRun, probe: &str) -> Option<i64> {
    match value(run, probe)? {
        Value::Int(value) => Some(value),
        other => panic!("{probe} is {other}"),
    }
}

fn until(run: &mut LessonRun, probe: &str, wanted: i64) {
    for _ in 0..1000 {
        if int(run, probe) == Some(wanted) {
            return;
        }
        assert!(run.step().expect("no step of the lesson fails"), "the world ends before {probe} is {wanted}");
    }
    panic!("{probe} never becomes {wanted}");
}

fn until_text(run: &mut LessonRun, probe: &str, wanted: &str) {
    for _ in 0..10_000 {
        if value(run, probe) == Some(Value::Text(wanted.to_owned())) {
            return;
        }
        assert!(run.step().expect("no step of the lesson fails"), "the world ends before {probe} is {wanted}");
    }
    panic!("{probe} never becomes {wanted}");
}

fn truth(run: &mut LessonRun, question: &str) -> String {
    let prediction = run.predict(question, 0).unwrap_or_else(|error| panic!("{error}"));
    let asked = run.lesson().questions.iter().find(|one| one.id == question).expect("the question is there");
    asked.choices[prediction.truth].to_string()
}

#[test]
fn every_solution_reaches_every_goal() {
    for source in LESSONS {
        let mut run = run_of(source);
        run.solve().unwrap_or_else(|error| panic!("{}: {error}", source.id));
        for (index, goal) in run.lesson().goals.iter().enumerate() {
            assert!(run.is_met(index), "{}: goal {} is not met", source.id, goal.id);
        }
        assert!(run.is_finished(), "{}: a step is left", source.id);
    }
}

/// Somebody presses "next" more often than the solution does, which lets flushes happen, days pass and files expire.
#[test]
fn a_learner_who_looks_around_between_the_moves_still_reaches_every_goal() {
    let ids = LESSONS.iter().map(|source| source.id);
    for (id, events) in ids.flat_map(|id| [(id, 3), (id, 20)]) {
        let mut run = lesson(id);
        for one in &Arc::clone(run.lesson()).solution {
            for _ in 0..events {
                run.step().unwrap_or_else(|error| panic!("{id}: {error}"));
            }
            match one {
                Move::Take(offer) => take(&mut run, offer),
                Move::Until(condition) => {
                    while !holds(run.history().world(), condition) {
                        assert!(run.step().expect("no step of the lesson fails"), "{id}: never {condition}");
                    }
                }
                Move::Rest => {
                    while !run.history().world().at_rest() {
                        run.step().unwrap_or_else(|error| panic!("{id}: {error}"));
                    }
                }
                other => panic!("{id}: {other:?} is not what lessons are solved by"),
            }
        }
        assert!(run.is_finished(), "{id}, with {events} events before each move");
    }
}

#[test]
fn every_question_has_its_answer_among_its_choices() {
    for source in LESSONS {
        let mut run = run_of(source);
        run.solve().unwrap_or_else(|error| panic!("{}: {error}", source.id));
        assert!(run.lesson().questions.len() >= 2, "{}: fewer than two questions", source.id);
        for question in &Arc::clone(run.lesson()).questions {
            run.predict(&question.id, 0).unwrap_or_else(|error| panic!("{}: {error}", source.id));
        }
    }
}

/// The numbers of the curriculum: 1000, 1200, 1350 and 1650 in the log, (1000,200) and (1350,300) in OrderTopic/0.
#[test]
fn three_messages_give_the_numbers_of_the_curriculum() {
    let mut run = three_messages();
    assert_eq!(int(&run, "broker-a.log.max"), Some(1000));
    for offer in 0..3 {
        run.take(offer).expect("it is offered");
    }
    until(&mut run, "producer.results", 3);
    let results = |field: &str| [0, 1, 2].map(|at| int(&run, &format!("producer.result.{at}.{field}")));
    assert_eq!(results("physicalOffset"), [Some(1000), Some(1200), Some(1350)]);
    assert_eq!(results("queueOffset"), [Some(0), Some(0), Some(1)]);
    assert_eq!(int(&run, "broker-a.log.max"), Some(1650));
    // Reput is paused: all is stored, nothing dispatched.
    assert_eq!(int(&run, "broker-a.behind"), Some(650));
    assert_eq!(int(&run, "broker-a.unit.OrderTopic/0.0.physicalOffset"), None);

    assert_eq!(run.lesson().steps[run.step_now()].id, "dispatch-m1");
    run.take(0).expect("reput may go on");
    for position in [1200, 1350, 1650] {
        until(&mut run, "broker-a.reput", position);
    }
    let unit = |queue: &str, at: i64, field: &str| int(&run, &format!("broker-a.unit.{queue}.{at}.{field}"));
    // "TagA", "TagB" and "TagC" hash to 2598919, 2598920 and 2598921 (java.lang.String.hashCode).
    assert_eq!(
        ["physicalOffset", "size", "tagsCode", "logicalByte"].map(|field| unit("OrderTopic/0", 0, field)),
        [Some(1000), Some(200), Some(2_598_919), Some(0)]
    );
    assert_eq!(
        ["physicalOffset", "size", "tagsCode", "logicalByte"].map(|field| unit("OrderTopic/0", 1, field)),
        [Some(1350), Some(300), Some(2_598_920), Some(20)]
    );
    assert_eq!(
        ["physicalOffset", "size", "tagsCode", "logicalByte"].map(|field| unit("PaymentTopic/1", 0, field)),
        [Some(1200), Some(150), Some(2_598_921), Some(0)]
    );

    run.take(0).expect("a pull is offered");
    until(&mut run, "consumer.received", 1);
    assert_eq!(int(&run, "consumer.message.last.physicalOffset"), Some(1350));
    assert_eq!(int(&run, "consumer.message.last.size"), Some(300));

    run.take(0).expect("the replay is offered");
    assert_eq!(int(&run, "broker-a.reput"), Some(1000));
    until(&mut run, "broker-a.reput", 1650);
    assert_eq!(int(&run, "broker-a.queue.OrderTopic/0.max"), Some(2));
    assert_eq!(int(&run, "broker-a.queue.PaymentTopic/1.max"), Some(1));
    assert_eq!(int(&run, "broker-a.queue.OrderTopic/0.maxPhysicOffset"), Some(1650));
    assert!(run.is_finished());
}

#[test]
fn the_engine_answers_the_questions_of_three_messages() {
    let mut run = three_messages();
    run.solve().expect("the solution plays");
    let truths = ["where-m2", "queue-offset-m2", "reput-m1", "order-units", "logical-byte", "after-replay"]
        .map(|question| truth(&mut run, question));
    assert_eq!(truths, ["1200", "0", "1200", "1", "20", "2"]);
}

/// M1's key finds one message, a key that nobody used none: then the client throws (`MQAdminImpl.queryMessage`).
#[test]
fn answers_to_other_questions_can_be_read() {
    let mut run = three_messages();
    run.solve().expect("the solution plays");
    for (at, key, messages) in [(1, "M1", 1), (2, "M4", 0)] {
        let query = Action::QueryKey {
            client: "consumer".to_owned(),
            topic: "OrderTopic".to_owned(),
            key: key.to_owned(),
            unique: false,
            max: 32,
            begin: None,
            end: i64::MAX,
        };
        run.act(query).expect("the consumer may ask");
        until(&mut run, "consumer.answers", at);
        assert_eq!(int(&run, "consumer.answer.last.messages"), Some(messages));
    }
    assert_eq!(value(&run, "consumer.answer.0.error"), None);
    let error = "CODE: 208  DESC: query message by key finished, but no message.\n\
                 For more information, please visit the url, http://rocketmq.apache.org/docs/faq/";
    assert_eq!(value(&run, "consumer.answer.last.error"), Some(Value::Text(error.to_owned())));
    assert_eq!(value(&run, "consumer.answer.last.value"), None);
}

#[test]
fn a_step_back_shows_the_lesson_as_it_was() {
    let mut run = three_messages();
    run.solve().expect("the solution plays");
    let end = run.history().position();
    let hash = run.history().world().state_hash();
    run.seek(run.began_at(0).expect("it has begun"));
    assert_eq!(run.step_now(), 0);
    assert!(!run.is_done(0) && !run.is_taken(0, 0));
    assert!(run.is_met(0), "a goal stays met");
    while run.history().position() < end {
        run.step().expect("it goes the same way");
    }
    assert!(run.is_finished());
    assert_eq!(run.history().world().state_hash(), hash);
}

#[test]
fn acting_in_the_past_forgets_what_came_later() {
    let mut run = three_messages();
    run.solve().expect("the solution plays");
    // Before the first step's own pause of reput: it is paused again on the new branch.
    run.seek(0);
    let mut early = run.clone();
    early.take(0).expect("M1 is offered again");
    let paused = early.history().world().paused_services("broker-a");
    assert_eq!(paused, [Service::Reput]);
    assert_eq!((early.step_now(), early.began_at(1)), (0, None));
    assert!(early.is_taken(0, 0) && !early.is_taken(0, 1));

    // After M1 was taken up: the offer stays taken, M2's does not.
    run.seek(run.began_at(0).expect("it has begun") + 1);
    run.act(Action::Resume { node: "broker-a".to_owned(), service: Some(Service::Reput) }).expect("it was paused");
    assert!(run.is_taken(0, 0) && !run.is_taken(0, 1));
    assert_eq!(run.began_at(1), None);
}

#[test]
fn what_cannot_be_done_leaves_the_run_as_it_was() {
    let mut run = three_messages();
    run.take(0).expect("M1 is offered");
    let before = run.history().world().state_hash();
    assert_eq!(run.take(0), Err(RunError::NoSuchOffer("m1".to_owned())));
    assert_eq!(run.take(9), Err(RunError::NoSuchOffer("10".to_owned())));
    assert_eq!(run.predict("after-replay", 0), Err(RunError::NoSuchQuestion("after-replay".to_owned())));
    assert_eq!(run.predict("where-m2", 9), Err(RunError::NoSuchChoice { question: "where-m2".to_owned(), choice: 9 }));
    let pause = Action::Pause { node: "broker-a".to_owned(), service: Some(Service::Reput) };
    assert!(matches!(run.act(pause), Err(RunError::Action(_))));
    assert_eq!(run.history().world().state_hash(), before);
}

#[test]
fn a_reset_keeps_the_goals_and_opens_the_questions() {
    let mut run = three_messages();
    run.solve().expect("the solution plays");
    run.predict("where-m2", 0).expect("it can be answered");
    run.reset().expect("it began once");
    assert!(run.is_met(4));
    assert_eq!(run.prediction(0), None);
    assert_eq!(run.history().position(), run.began_at(0).expect("it has begun"));
}

#[test]
fn a_question_whose_answer_is_no_choice_is_the_scripts_fault() {
    let source = LessonSource::find("01-three-messages").expect("the first lesson is there");
    let mut lesson: Lesson = source.load().expect("it loads");
    lesson.questions[0].choices = vec![Value::Int(1), Value::Int(2)];
    let mut run = LessonRun::new(Arc::new(lesson)).expect("it begins");
    assert_eq!(
        run.predict("where-m2", 0),
        Err(RunError::TruthIsNoChoice { question: "where-m2".to_owned(), truth: "1200".to_owned() })
    );
}

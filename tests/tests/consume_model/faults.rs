//! Is the judge any good? The run of a small case is right; made wrong by hand in one place, it must not pass, and for that
//! very reason.

use rocketscope_engine::client::consumer::DeliveryFate;

use crate::{
    case::{Case, Op, Shape, Strategy},
    judge::judge,
    play,
    record::{Group, Run},
};

/// One consumer, one queue that matters, three messages that are consumed one after the other, and one that is given up.
fn case(orderly: bool) -> Case {
    let shape = Shape {
        brokers: 1,
        consumers: 1,
        other_group: false,
        records: true,
        orderly,
        max_reconsume: 1,
        threads: 1,
        takes_ms: 10,
        call_batch: 1,
        pull_batch: 32,
        failures: 3,
        strategy: Strategy::Runs,
        from_first: true,
        seed: 1,
    };
    let send = |fails| Op::Send { topic: 0, fails };
    // The producer goes round the two queues.
    let ops = vec![send(false), send(false), send(false), send(false), send(true), Op::Pass(30_000)];
    Case { shape, ops }
}

/// The fault, and what the judge says of it.
type Fault = (&'static str, fn(&mut Run), &'static str);

const ALWAYS: [Fault; 11] = [
    ("a delivery is missing", |run| drop(group(run).calls.remove(0)), "has not consumed m"),
    ("a call failed, and nothing came after it", |run| group(run).calls[0].consumed = false, "has not consumed m"),
    ("a dead letter is lost", |run| group(run).dead.clear(), "has not consumed m4"),
    ("another body", |run| group(run).calls[0].messages[0].body.push('!'), "nobody sent"),
    ("another topic", |run| group(run).calls[0].messages[0].topic.push_str("Others"), "nobody sent"),
    ("two effects", |run| run.effects.values_mut().for_each(|times| *times += 1), "has had 2 effects"),
    ("no effect", |run| run.effects.clear(), "has had no effect"),
    ("a queue without owner", |run| group(run).queues[0].owners.clear(), "has 0 owners"),
    ("a queue with two", |run| group(run).queues[0].owners.push((0, 0)), "has 2 owners"),
    ("a message left in hand", |run| group(run).queues[0].owners[0].0 = 1, "has 1 messages in hand"),
    ("an offset behind", |run| group(run).queues[0].kept = Some(0), "the broker keeps Some(0)"),
];

const ORDERLY: [Fault; 4] = [
    ("two calls change places", swap_first_two, "was consumed before offset 0"),
    ("a failed message does not hold the next up", goes_on, "was consumed before offset 0"),
    ("the same batch has a gap", gap, "with a gap"),
    ("two at once", |run| of_first_queue(run, 0).ended_us = Some(i64::MAX), "two listeners have"),
];

fn group(run: &mut Run) -> &mut Group {
    &mut run.groups[0]
}

/// The so manieth call of the first queue.
fn of_first_queue(run: &mut Run, at: usize) -> &mut crate::record::Call {
    let group = group(run);
    let queue = group.queues[0].queue.clone();
    group.calls.iter_mut().filter(|call| call.queue == queue).nth(at).expect("a call of the first queue")
}

fn swap_first_two(run: &mut Run) {
    let first = of_first_queue(run, 0).messages.clone();
    let second = std::mem::replace(&mut of_first_queue(run, 1).messages, first);
    of_first_queue(run, 0).messages = second;
}

fn goes_on(run: &mut Run) {
    let first = of_first_queue(run, 0);
    let again = first.clone();
    first.consumed = false;
    group(run).calls.push(again);
}

fn gap(run: &mut Run) {
    let second = of_first_queue(run, 1).messages.clone();
    let call = of_first_queue(run, 0);
    call.messages.extend(second);
    call.messages[1].queue_offset += 1;
}

/// Every fault is found.
pub(crate) fn are_found() -> Result<(), String> {
    for orderly in [false, true] {
        let case = case(orderly);
        let play = play::healed(&case).map_err(|(_, what)| what)?;
        let right = Run::of(&case, &play)?;
        let tally = judge(&right)?;
        if (tally.acknowledged, tally.given_up, tally.repeated) != (5, 1, 0) {
            return Err(format!("the right run came to {tally}"));
        }
        for (fault, make, expected) in ALWAYS.iter().chain(ORDERLY.iter().filter(|_| orderly)) {
            let mut wrong = right.clone();
            make(&mut wrong);
            match judge(&wrong) {
                Err(what) if what.contains(expected) => {}
                other => return Err(format!("orderly: {orderly}; {fault}, and the judge said {other:?}")),
            }
        }
    }
    Ok(())
}

/// Two listeners at once are excused where the broker has forgotten who has its locks, and nowhere else; a second effect
/// where the listeners note nothing.
pub(crate) fn are_excused() -> Result<(), String> {
    let case = case(true);
    let play = play::healed(&case).map_err(|(_, what)| what)?;
    let mut run = Run::of(&case, &play)?;
    let second_us = of_first_queue(&mut run, 1).began_us;
    of_first_queue(&mut run, 0).ended_us = Some(second_us + 1);
    for (before_us, forgotten) in [(0, true), (40_000_000, false), (-1, false)] {
        run.broker_ends = [("broker-0".to_owned(), vec![second_us - before_us])].into();
        let times = judge(&run).map(|tally| tally.locks_forgotten).ok();
        if times != forgotten.then_some(1) {
            return Err(format!("{before_us} us after the broker's end: {times:?}"));
        }
    }
    run.broker_ends.clear();
    let first_us = of_first_queue(&mut run, 0).began_us;
    for (from_us, to_us, excused) in [
        (first_us, i64::MAX, true),
        (second_us - 1, second_us, true),
        (0, first_us - 1, false),
        (second_us, i64::MAX, false),
    ] {
        run.stood_still = [("c0".to_owned(), vec![(from_us, to_us)])].into();
        let times = judge(&run).map(|tally| tally.stood_still).ok();
        if times != excused.then_some(1) {
            return Err(format!("a standstill from {from_us} to {to_us} us: {times:?}"));
        }
    }
    run.stood_still.clear();
    // Whose process ended never says when it stopped working.
    of_first_queue(&mut run, 0).fate = DeliveryFate::Crashed;
    judge(&run)?;
    run.effects.values_mut().for_each(|times| *times = 2);
    run.records = false;
    match judge(&run) {
        Ok(tally) if tally.doubled == run.effects.len() as u64 => Ok(()),
        other => Err(format!("second effects without records: {other:?}")),
    }
}

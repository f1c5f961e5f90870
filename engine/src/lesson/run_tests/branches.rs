//! A lesson over branches: each has its own steps and what was taken up on it.

use super::*;

#[test]
fn a_branch_keeps_its_steps_and_what_was_taken_up_on_it() {
    let mut run = three_messages();
    let before = run.history().position();
    for message in ["m1", "m2", "m3"] {
        take(&mut run, message);
    }
    until(&mut run, "producer.results", 3);
    let (length, hash) = (run.history().len(), run.history().world().state_hash());
    assert_eq!(run.step_now(), 1);
    assert!(run.is_done(0));

    run.seek(before);
    take(&mut run, "m2");
    assert_eq!(run.history().branch(), 1);
    let taken = |run: &LessonRun| [0, 1, 2].map(|offer| run.is_taken(0, offer));
    assert_eq!((run.step_now(), run.is_done(0), taken(&run)), (0, false, [false, true, false]));
    assert_eq!(run.began_at(1), None);

    assert!(run.switch(0));
    assert_eq!((run.history().position(), run.history().world().state_hash()), (length, hash));
    assert_eq!((run.step_now(), run.is_done(0), taken(&run)), (1, true, [true; 3]));
    assert!(run.switch(1));
    assert_eq!((run.step_now(), run.is_done(0), taken(&run)), (0, false, [false, true, false]));
    assert!(!run.switch(5));
    // The script goes on at the end of the branch as if nobody had looked elsewhere.
    for message in ["m1", "m3"] {
        take(&mut run, message);
    }
    until(&mut run, "producer.results", 3);
    assert_eq!((run.step_now(), run.is_done(0)), (1, true));
}

/// The script pauses reput before the first step; the learner undoes only what they took up.
#[test]
fn undo_stops_at_what_the_script_did() {
    let mut run = three_messages();
    assert_eq!(run.undo_to(), None);
    let before = run.history().position();
    take(&mut run, "m1");
    assert_eq!(run.undo_to(), Some(before));
    run.seek(before);
    assert!(!run.is_taken(0, 0));
    assert_eq!((run.undo_to(), run.redo_to()), (None, Some(run.history().len())));
}

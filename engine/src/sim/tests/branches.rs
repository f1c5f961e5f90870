//! Branches that were left can be gone back to; undo and redo go from action to action.

use super::*;

/// A send and everything that follows from it. Where the run stands then.
fn sent(history: &mut History, tag: &str, size: i32) -> u64 {
    history.act(bare("OrderTopic", 0, tag, size)).unwrap();
    history.run_to_rest(1000);
    history.position()
}

fn told(history: &History) -> (u64, u64, u64) {
    (history.position(), history.len(), history.world().state_hash())
}

#[test]
fn a_branch_is_gone_back_to_and_left_again() {
    let mut history = History::new(&cluster(), 1).unwrap();
    let first = sent(&mut history, "TagA", 200);
    sent(&mut history, "TagA", 200);
    let old = told(&history);
    history.seek(first);
    sent(&mut history, "TagB", 300);
    let new = told(&history);
    assert_eq!(history.branch(), 1);

    assert!(history.switch(0));
    assert_eq!((history.branch(), told(&history)), (0, old));
    assert_eq!(history.actions().len(), 2);
    let forked_at = first;
    assert_eq!(history.branches(), [Branch { id: 1, forked_at, length: new.1 }]);
    assert!(history.switch(1));
    assert_eq!((history.branch(), told(&history)), (1, new));
    assert_eq!(history.branches(), [Branch { id: 0, forked_at, length: old.1 }]);
    assert!(!history.switch(1), "the present one is none that was left");
    assert!(!history.switch(7));
}

/// Branch 0 is left at `first`, branch 1 at `second` < `first`: then branch 0 shares `second` events with branch 2, and
/// `first` with branch 1.
#[test]
fn branches_of_branches_know_where_they_part() {
    let mut history = History::new(&cluster(), 1).unwrap();
    let second = sent(&mut history, "TagA", 200);
    let first = sent(&mut history, "TagA", 200);
    let zero = sent(&mut history, "TagA", 200);
    history.seek(first);
    let one = sent(&mut history, "TagB", 300);
    history.seek(second);
    let two = sent(&mut history, "TagB", 400);
    let branch = |id, forked_at, length| Branch { id, forked_at, length };
    assert_eq!(history.branches(), [branch(0, second, zero), branch(1, second, one)]);
    let hash = history.world().state_hash();
    assert!(history.switch(1));
    assert_eq!(history.branches(), [branch(0, first, zero), branch(2, second, two)]);
    assert_eq!(history.actions_of(2, 0).unwrap().len(), 2);
    // What was left can be gone through from its start, and acted in.
    history.seek(second);
    assert_eq!(history.len(), one);
    history.seek(first);
    sent(&mut history, "TagC", 500);
    assert_eq!(history.branch(), 3);
    let told = [branch(0, first, zero), branch(1, first, one), branch(2, second, two)];
    assert_eq!(history.branches(), told);
    assert!(history.switch(2));
    assert_eq!(history.world().state_hash(), hash);
    let again = History::replay(&cluster(), 1, history.actions(), two).unwrap();
    assert_eq!(again.world().state_hash(), hash);
}

/// The same tree: branch 0 is left at `first`, so it parts from branch 2, which is the present one, at `second`, and branch
/// 1 has more in common with branch 0.
#[test]
fn branches_grow_again_from_where_they_part() {
    let mut history = History::new(&cluster(), 1).unwrap();
    let second = sent(&mut history, "TagA", 200);
    let first = sent(&mut history, "TagA", 200);
    sent(&mut history, "TagA", 200);
    let zero = told(&history);
    history.seek(first);
    sent(&mut history, "TagB", 300);
    let one = told(&history);
    history.seek(second);
    sent(&mut history, "TagB", 400);
    let two = told(&history);
    let offshoots = history.offshoots();
    let parts: Vec<_> = offshoots.iter().map(|one| (one.id, one.of, one.at, one.length)).collect();
    assert_eq!(parts, [(0, 2, second, zero.1), (1, 0, first, one.1)]);

    let mut again = History::replay(&cluster(), 1, history.actions(), two.1).unwrap();
    assert_eq!(again.end_hash(), history.end_hash());
    assert!(again.renumber(2));
    for left in &offshoots {
        assert!(again.grow(left.id, left.of, left.at));
        assert_eq!((again.branch(), again.position(), again.len()), (left.id, left.at, left.at));
        again.go_through(&history.actions_of(left.id, left.at).unwrap(), left.length).unwrap();
        assert_eq!((again.end_hash(), again.world().trace_hash()), (left.hash, left.hash));
    }
    assert!(again.come_back(2, &[0, 1]));
    assert_eq!((again.branch(), told(&again)), (2, two));
    assert_eq!((again.branches(), again.offshoots()), (history.branches(), offshoots));
    for (branch, before) in [(1, one), (0, zero), (2, two)] {
        assert!(again.switch(branch) && history.switch(branch));
        assert_eq!(told(&again), before);
        assert_eq!((again.branches(), again.actions()), (history.branches(), history.actions()));
    }
    // The next one has the next number.
    again.seek(0);
    sent(&mut again, "TagC", 200);
    assert_eq!(again.branch(), 3);
}

#[test]
fn a_branch_grows_only_where_there_is_a_place_for_it() {
    let mut history = History::new(&cluster(), 1).unwrap();
    let end = sent(&mut history, "TagA", 200);
    let before = (told(&history), history.clone().branches());
    assert!(!history.grow(1, 0, end), "nothing parts at the end");
    assert!(!history.grow(1, 2, 0), "there is no branch 2");
    assert!(!history.grow(0, 0, 0), "0 is taken");
    assert!(!history.grow(1 << 31, 0, 0) && !history.renumber(1 << 31));
    assert_eq!((told(&history), history.branches()), before);
    assert!(history.grow((1 << 31) - 1, 0, end - 1));
    assert!(!history.renumber(5), "the other one has a number that means something");
    assert!(!history.come_back(7, &[]));
    assert!(history.come_back(0, &[]));
    assert_eq!(told(&history), before.0);
}

#[test]
fn a_byte_knows_who_wrote_it_on_its_own_branch() {
    let mut history = History::new(&cluster(), 1).unwrap();
    let writer = |history: &History| history.writer_of("broker-a", "commitlog/00000000000000000000", 1150);
    history.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    history.run_to_rest(1000);
    let old = writer(&history).unwrap();
    history.seek(0);
    history.act(Action::Wait { ms: 5 }).unwrap();
    assert_eq!(writer(&history), None, "nobody has written there on this branch");
    history.switch(0);
    assert_eq!(writer(&history), Some(old));
}

/// 16 branches are kept beside the present one, and of those the ones that were left last.
#[test]
fn the_oldest_branches_are_forgotten() {
    let mut history = History::new(&cluster(), 1).unwrap();
    for _ in 0..20 {
        history.seek(0);
        sent(&mut history, "TagA", 200);
    }
    let ids: Vec<u32> = history.branches().iter().map(|branch| branch.id).collect();
    assert_eq!((history.branch(), ids), (19, (3..19).collect()));
    // They have grown again when the next one is left, and 3 was left the longest ago.
    let mut again = History::replay(&cluster(), 1, history.actions(), history.len()).unwrap();
    assert!(again.renumber(19));
    let offshoots = history.offshoots();
    for left in &offshoots {
        assert!(again.grow(left.id, left.of, left.at));
        again.go_through(&history.actions_of(left.id, left.at).unwrap(), left.length).unwrap();
    }
    let order: Vec<u32> = offshoots.iter().map(|left| left.id).collect();
    assert!(again.come_back(19, &order));
    assert_eq!(again.offshoots(), offshoots);
    again.seek(0);
    sent(&mut again, "TagA", 200);
    let ids: Vec<u32> = again.branches().iter().map(|branch| branch.id).collect();
    assert_eq!((again.branch(), ids), (20, (4..20).collect()));
}

/// All branches that were left have 100,000 events of their own at most together; the last one stays whatever it has.
#[test]
fn long_branches_are_few() {
    let mut history = History::new(&cluster(), 1).unwrap();
    let long = |history: &mut History, events: u64| {
        history.seek(0);
        while history.position() < events {
            history.act(Action::Wait { ms: 1 }).unwrap();
            history.run(1, |_, _| true);
        }
    };
    for _ in 0..4 {
        long(&mut history, 40_000);
    }
    let lengths: Vec<u64> = history.branches().iter().map(|branch| branch.length).collect();
    assert_eq!(lengths, [40_000; 2]);
    // 40,000 events: 313 snapshots of the present branch, 128 events apart, and 16 of each that was left; the start is
    // one that all share.
    assert_eq!(history.snapshots(), 313 + 2 * 16);
    let hash = history.world().state_hash();
    history.switch(2);
    assert_eq!(history.position(), 40_000);
    history.switch(3);
    assert_eq!(history.world().state_hash(), hash);
}

#[test]
fn undo_and_redo_go_from_action_to_action() {
    let mut history = History::new(&cluster(), 1).unwrap();
    let any = |_: &LoggedAction| true;
    assert_eq!((history.undo_to(any), history.redo_to(any)), (None, None));
    let first = sent(&mut history, "TagA", 200);
    let end = sent(&mut history, "TagA", 200);
    assert_eq!((history.undo_to(any), history.redo_to(any)), (Some(first), None));
    history.seek(first);
    assert_eq!((history.undo_to(any), history.redo_to(any)), (Some(0), Some(end)));
    history.seek(0);
    assert_eq!((history.undo_to(any), history.redo_to(any)), (None, Some(first)));
    history.seek(end);
    assert_eq!(history.undo_to(|logged| logged.at == 0), Some(0), "one that somebody else did is none to undo");
}

/// Each of these sets what is so already: the world that the undo leads to lies before the action ahead of them.
#[test]
fn undo_passes_over_what_changed_nothing() {
    let disk = || Action::SetDisk { broker: "broker-a".to_owned(), capacity_bytes: Some(1 << 30), percent: None };
    let trap = |write| Action::CrashAt {
        node: "broker-a".to_owned(),
        service: None,
        write,
        bytes: None,
        survives: None,
        unsent: false,
    };
    let mut history = History::new(&cluster(), 1).unwrap();
    let at = history.act(disk()).unwrap();
    history.act(disk()).unwrap();
    assert_eq!(history.undo_to(|_| true), Some(at), "the second set nothing");
    let at = history.act(trap(3)).unwrap();
    history.act(trap(3)).unwrap();
    assert_eq!(history.undo_to(|_| true), Some(at));
    let at = history.act(trap(4)).unwrap();
    assert_eq!(history.undo_to(|_| true), Some(at), "another trap is a change");
    let reput = history.world().broker("broker-a").unwrap().store().unwrap().reput_from_offset();
    history.act(Action::ReputFrom { broker: "broker-a".to_owned(), offset: reput }).unwrap();
    assert_eq!(history.undo_to(|_| true), Some(at));
    let at = history.act(Action::Wait { ms: 5 }).unwrap();
    assert_eq!(history.undo_to(|_| true), Some(at), "time that is to pass is a change");
}

//! What counts where listeners change the rows of a database.

use super::*;

/// Call, answer, commit, answer, return: before the fifth turn the policy is issued. With a record before it: record,
/// answer, changes, answer, commit.
#[test]
fn effects_count_where_there_are_any() {
    let crashed = |at, turn| {
        let mut world = world(&office("{msgId}", at));
        falls(&mut world, "c1", Service::Consume, turn);
        act(&mut world, sent("M1", "k"));
        act(&mut world, start("c1"));
        let account = ledger(&world).accounts.remove(0);
        let rows: Vec<_> = account.effects.iter().map(|effect| (effect.key.clone(), effect.count)).collect();
        (found(&world)[0][0], account.groups[0].effects, rows)
    };
    let row = |key: &str| (key.to_owned(), 1);
    let twice = (Verdict::Duplicated, Rule::DiedWhileConsuming);
    assert_eq!(crashed(None, 5), (twice, Some(2), vec![row("1"), row("2")]));
    let once = (Verdict::ExactlyRight, Rule::RepeatRecognised);
    assert_eq!(crashed(Some(RecordAt::Together), 5), (once, Some(1), vec![row("1")]));
    let undone = (Verdict::ExactlyRight, Rule::FirstTimeUndone);
    assert_eq!(crashed(Some(RecordAt::Together), 3), (undone, Some(1), vec![row("2")]));
    assert_eq!(crashed(Some(RecordAt::Before), 4), ((Verdict::Lost, Rule::NotedBeforeDone), Some(0), vec![]));
}

/// The listener adds 5 to a sum, issues a policy, commits, puts the message off once and gets it again.
#[test]
fn changes_that_are_made_again_for_a_message_are_counted_by_table() {
    let again = |at| {
        let mut cluster = office("{msgId}", at);
        let sums = TableSpec {
            name: "sums".to_owned(),
            columns: vec!["id".to_owned(), "sum".to_owned()],
            key: vec!["id".to_owned()],
            rows: vec![[("id".to_owned(), Cell::from("all")), ("sum".to_owned(), Cell::Int(0))].into()],
            ..TableSpec::default()
        };
        let states = TableSpec {
            name: "states".to_owned(),
            columns: vec!["id".to_owned(), "state".to_owned()],
            rows: vec![values(&[("id", "all"), ("state", "new")])],
            ..sums.clone()
        };
        cluster.databases[0].tables.extend([sums, states]);
        // What is set as it is already is no change.
        let update = |set: &[(&str, &str)], add: &[(&str, i64)]| Change::Update {
            table: if add.is_empty() { "states" } else { "sums" }.to_owned(),
            key: values(&[("id", "all")]),
            only_if: Values::new(),
            set: values(set),
            add: add.iter().map(|(column, more)| ((*column).to_owned(), *more)).collect(),
        };
        let listener = &mut push(&mut cluster).listener;
        let results = vec![ConsumeResult::Later, ConsumeResult::Success];
        listener.rules.push(ListenerRule { results, ..ListenerRule::default() });
        let business = listener.business.as_mut().unwrap();
        business.changes.extend([update(&[], &[("sum", 5)]), update(&[("state", "{body}")], &[])]);
        let mut world = world(&cluster);
        act(&mut world, sent("M1", "k"));
        let cell = world.database(DB).and_then(|database| database.table("sums")?.cell("all", "sum").cloned());
        let tables: Vec<_> = redone(&world).into_iter().map(|((_, table), count)| (table.to_owned(), count)).collect();
        (cell, tables)
    };
    let count = |table: &str| (table.to_owned(), 1);
    assert_eq!(again(None), (Some(Cell::Int(10)), vec![count("policies"), count("sums")]));
    assert_eq!(again(Some(RecordAt::Together)), (Some(Cell::Int(5)), vec![]));
}

#[test]
fn a_key_that_is_too_wide_takes_one_message_for_another() {
    let second = |key: &str, body: &str| {
        let mut world = world(&office(key, Some(RecordAt::Together)));
        act(&mut world, sent("M1", "k"));
        act(&mut world, Action::Send(Box::new(Send { body: Some(body.to_owned()), ..message("M2", "k") })));
        found(&world)[1][0]
    };
    assert_eq!(second("{keys}", "refund"), (Verdict::Lost, Rule::TakenForAnother));
    assert_eq!(second("{body}", "refund"), (Verdict::ExactlyRight, Rule::Once));
    // The application has sent the same thing twice.
    assert_eq!(second("{keys}", "k"), (Verdict::ExactlyRight, Rule::RepeatRecognised));
}

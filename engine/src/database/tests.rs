//! Statements, constraints and transactions, each checked by hand.

use std::{collections::BTreeMap, sync::Arc};

use super::*;
use crate::{
    node::{CallId, Costs, Effect, StepKind, Streams},
    wire::{Change, RequestCode, ResponseCode},
};

fn values(pairs: &[(&str, Cell)]) -> Values {
    pairs.iter().map(|(column, cell)| ((*column).to_owned(), cell.clone())).collect()
}

fn insert(table: &str, pairs: &[(&str, Cell)]) -> Change {
    Change::Insert { table: table.to_owned(), row: values(pairs) }
}

fn update(key: i64, set: &[(&str, Cell)], add: &[(&str, i64)]) -> Change {
    Change::Update {
        table: "accounts".to_owned(),
        key: values(&[("id", key.into())]),
        only_if: Values::new(),
        set: values(set),
        add: add.iter().map(|(column, more)| ((*column).to_owned(), *more)).collect(),
    }
}

fn names(columns: &[&str]) -> Vec<String> {
    columns.iter().map(|column| (*column).to_owned()).collect()
}

fn accounts() -> TableSpec {
    TableSpec {
        name: "accounts".to_owned(),
        columns: names(&["id", "owner", "balance"]),
        key: names(&["id"]),
        unique: vec![names(&["owner"])],
        at_least: BTreeMap::from([("balance".to_owned(), 0)]),
        rows: vec![values(&[("id", 1.into()), ("owner", "A".into()), ("balance", 100.into())])],
        ..TableSpec::default()
    }
}

fn events() -> TableSpec {
    TableSpec {
        name: "events".to_owned(),
        columns: names(&["seq", "text"]),
        key: names(&["seq"]),
        auto_increment: Some("seq".to_owned()),
        ..TableSpec::default()
    }
}

fn database() -> Database {
    Database::new(&[accounts(), events()], vec!["events".to_owned()]).unwrap()
}

/// What a request over connection `conn` is answered, and whether relays were roused.
fn ask_over(database: &mut Database, conn: u64, request: Request) -> (Response, bool) {
    let (costs, names) = (Costs::default(), BTreeMap::<String, Arc<str>>::new());
    let mut streams = Streams::new(1, "db");
    let mut turn = Turn::new(0, 0, 0, &costs, &mut streams, &names, 0);
    let host = "10.0.3.1:50000".parse().unwrap();
    let caller = Caller { conn: ConnId(conn), call: Some(CallId(1)), host, name: "app".to_owned() };
    database.request(&caller, request, &mut turn);
    let effects = turn.end().effects;
    let roused = effects.iter().any(|effect| matches!(effect, Effect::Rouse { .. }));
    let reply = effects.into_iter().find_map(|effect| match effect {
        Effect::Reply { response, .. } => Some(response),
        _ => None,
    });
    (reply.unwrap(), roused)
}

fn ask(database: &mut Database, command: DatabaseCommand) -> Result<DatabaseAnswer, DatabaseError> {
    let (response, _) = ask_over(database, 1, Request::Database(Box::new(command)));
    match response.body {
        ResponseBody::Database(result) => *result,
        body => panic!("{body:?}"),
    }
}

fn execute(database: &mut Database, changes: &[Change]) -> Result<DatabaseAnswer, DatabaseError> {
    ask(database, DatabaseCommand::Execute { transaction: None, changes: changes.to_vec() })
}

fn begin(database: &mut Database, changes: &[Change]) -> Result<u64, DatabaseError> {
    match ask(database, DatabaseCommand::Begin { changes: changes.to_vec() })? {
        DatabaseAnswer::Began { transaction, .. } => Ok(transaction),
        answer => panic!("{answer:?}"),
    }
}

fn balance(database: &Database) -> Option<&Cell> {
    database.table("accounts").unwrap().cell("1", "balance")
}

#[test]
fn a_transaction_is_seen_by_itself_until_it_commits() {
    let mut database = database();
    let transaction = begin(&mut database, &[update(1, &[], &[("balance", -30)])]).unwrap();
    assert_eq!(balance(&database), Some(&Cell::Int(100)));
    let look = |transaction| DatabaseCommand::Select {
        transaction,
        table: "accounts".to_owned(),
        only: values(&[("owner", "A".into())]),
        limit: 10,
    };
    let read = |answer: Result<DatabaseAnswer, _>| match answer {
        Ok(DatabaseAnswer::Rows { rows }) => rows[0]["balance"].clone(),
        answer => panic!("{answer:?}"),
    };
    assert_eq!(read(ask(&mut database, look(Some(transaction)))), Cell::Int(70));
    assert_eq!(read(ask(&mut database, look(None))), Cell::Int(100));
    assert_eq!(ask(&mut database, DatabaseCommand::Commit { transaction }), Ok(DatabaseAnswer::Committed));
    assert_eq!(balance(&database), Some(&Cell::Int(70)));
    assert_eq!(
        ask(&mut database, DatabaseCommand::Commit { transaction }),
        Err(DatabaseError::NoSuchTransaction { transaction })
    );
    let commit = &database.log()[0];
    assert_eq!((commit.number, commit.by.as_str(), commit.rows[0].key.as_str()), (1, "app", "1"));
}

#[test]
fn a_refused_change_takes_the_whole_transaction_back() {
    let mut database = database();
    let twice = [update(1, &[], &[("balance", -30)]), update(1, &[], &[("balance", -80)])];
    let least =
        DatabaseError::BelowLeast { table: "accounts".to_owned(), column: "balance".to_owned(), value: -10, least: 0 };
    assert_eq!(execute(&mut database, &twice), Err(least));
    assert_eq!(balance(&database), Some(&Cell::Int(100)));
    assert_eq!((database.open().count(), database.commits()), (0, 0));
}

#[test]
fn keys_and_unique_values_are_there_once() {
    let mut database = database();
    let duplicate = |constraint: &str, value: &str| DatabaseError::Duplicate {
        table: "accounts".to_owned(),
        constraint: constraint.to_owned(),
        value: value.to_owned(),
    };
    let same_key = [insert("accounts", &[("id", 1.into())])];
    assert_eq!(execute(&mut database, &same_key), Err(duplicate("id", "1")));
    let same_owner = [insert("accounts", &[("id", 2.into()), ("owner", "A".into())])];
    assert_eq!(execute(&mut database, &same_owner), Err(duplicate("owner", "A")));
    // No value is no duplicate of no value, as in SQL.
    let nobodys = [insert("accounts", &[("id", 2.into())]), insert("accounts", &[("id", 3.into())])];
    assert!(execute(&mut database, &nobodys).is_ok());
    assert_eq!(execute(&mut database, &[update(3, &[("owner", "A".into())], &[])]), Err(duplicate("owner", "A")));
    // A name that was given up is free again.
    let moved = [update(1, &[("owner", "B".into())], &[]), update(3, &[("owner", "A".into())], &[])];
    assert!(execute(&mut database, &moved).is_ok());
}

#[test]
fn an_insertion_if_absent_tells_by_its_rows() {
    let mut database = database();
    let row = values(&[("id", 1.into()), ("owner", "Z".into())]);
    let again = Change::InsertIfAbsent { table: "accounts".to_owned(), row };
    assert_eq!(execute(&mut database, &[again]), Ok(DatabaseAnswer::Executed { rows: vec![0] }));
    let other = Change::InsertIfAbsent { table: "accounts".to_owned(), row: values(&[("id", 2.into())]) };
    assert_eq!(execute(&mut database, &[other]), Ok(DatabaseAnswer::Executed { rows: vec![1] }));
}

#[test]
fn an_update_touches_the_row_that_is_meant() {
    let mut database = database();
    let guarded = |balance: i64| Change::Update {
        table: "accounts".to_owned(),
        key: values(&[("id", 1.into())]),
        only_if: values(&[("balance", balance.into())]),
        set: values(&[("balance", 7.into())]),
        add: BTreeMap::new(),
    };
    let rows = |rows: u32| Ok(DatabaseAnswer::Executed { rows: vec![rows] });
    assert_eq!(execute(&mut database, &[guarded(99)]), rows(0));
    assert_eq!(execute(&mut database, &[guarded(100)]), rows(1));
    assert_eq!(execute(&mut database, &[update(9, &[], &[("balance", 1)])]), rows(0));
    let remove = Change::Delete { table: "accounts".to_owned(), key: values(&[("id", 1.into())]) };
    assert_eq!(execute(&mut database, std::slice::from_ref(&remove)), rows(1));
    assert_eq!(execute(&mut database, &[remove]), rows(0));
    assert!(execute(&mut database, &[insert("accounts", &[("id", 5.into()), ("owner", "A".into())])]).is_ok());
}

#[test]
fn statements_that_mean_nothing_are_refused_with_their_place() {
    let mut database = database();
    let (table, column) = ("accounts".to_owned(), |column: &str| column.to_owned());
    let cases = [
        (insert("nothing", &[]), DatabaseError::NoSuchTable { table: "nothing".to_owned() }),
        (
            insert("accounts", &[("colour", 1.into())]),
            DatabaseError::NoSuchColumn { table: table.clone(), column: column("colour") },
        ),
        (
            insert("accounts", &[("owner", "B".into())]),
            DatabaseError::KeyIncomplete { table: table.clone(), column: column("id") },
        ),
        (
            Change::Delete { table: table.clone(), key: values(&[("owner", "A".into())]) },
            DatabaseError::NotInKey { table: table.clone(), column: column("owner") },
        ),
        (update(1, &[("id", 2.into())], &[]), DatabaseError::KeyFixed { table: table.clone(), column: column("id") }),
        (
            update(1, &[], &[("owner", 1)]),
            DatabaseError::NoSum { table: table.clone(), column: column("owner"), value: column("A"), add: 1 },
        ),
        (
            update(1, &[], &[("balance", i64::MAX)]),
            DatabaseError::NoSum { table, column: column("balance"), value: column("100"), add: i64::MAX },
        ),
    ];
    for (change, error) in cases {
        assert_eq!(execute(&mut database, &[change]), Err(error));
    }
    assert_eq!(database.commits(), 0);
}

#[test]
fn two_transactions_cannot_change_one_row_or_claim_one_value() {
    let mut database = database();
    let first = begin(&mut database, &[update(1, &[], &[("balance", -30)])]).unwrap();
    let locked = DatabaseError::Locked { table: "accounts".to_owned(), value: "1".to_owned(), by: first };
    assert_eq!(execute(&mut database, &[update(1, &[], &[("balance", -30)])]), Err(locked));
    ask(&mut database, DatabaseCommand::Rollback { transaction: first }).unwrap();
    assert!(execute(&mut database, &[update(1, &[], &[("balance", -30)])]).is_ok());
    assert_eq!(balance(&database), Some(&Cell::Int(70)));

    let second = begin(&mut database, &[insert("accounts", &[("id", 2.into()), ("owner", "B".into())])]).unwrap();
    let same_owner = [insert("accounts", &[("id", 3.into()), ("owner", "B".into())])];
    let locked = DatabaseError::Locked { table: "accounts".to_owned(), value: "3".to_owned(), by: second };
    assert_eq!(execute(&mut database, &same_owner), Err(locked));
}

#[test]
fn numbers_count_up_and_are_not_given_twice() {
    let mut database = database();
    let event = |text: &str| insert("events", &[("text", text.into())]);
    let first = begin(&mut database, &[event("a")]).unwrap();
    ask(&mut database, DatabaseCommand::Rollback { transaction: first }).unwrap();
    execute(&mut database, &[event("b"), insert("events", &[("seq", 10.into())]), event("c")]).unwrap();
    let events = database.table("events").unwrap();
    let seqs: Vec<&Cell> = events.rows().map(|row| &row[0]).collect();
    assert_eq!(seqs, [&Cell::Int(2), &Cell::Int(10), &Cell::Int(11)]);
}

#[test]
fn a_crash_and_a_lost_connection_take_what_is_not_committed() {
    let mut database = database();
    let change =
        || Request::Database(Box::new(DatabaseCommand::Begin { changes: vec![update(1, &[], &[("balance", 1)])] }));
    ask_over(&mut database, 7, change());
    assert_eq!(database.open().next().map(|open| (open.transaction, open.by, open.writes.len())), Some((1, "app", 1)));
    let (costs, names) = (Costs::default(), BTreeMap::<String, Arc<str>>::new());
    let mut streams = Streams::new(1, "db");
    let mut turn = Turn::new(0, 0, 0, &costs, &mut streams, &names, 0);
    database.closed(Service::Remoting, ConnId(8), &mut turn);
    assert_eq!(database.open().count(), 1);
    database.closed(Service::Remoting, ConnId(7), &mut turn);
    assert_eq!(database.open().count(), 0);
    let steps: Vec<StepKind> = turn.end().steps.into_iter().map(|step| step.what).collect();
    let gone = DatabaseStep::DbRolledBack { transaction: 1, reason: "disconnected".to_owned() };
    assert_eq!(steps, [StepKind::Database(gone)]);

    execute(&mut database, &[update(1, &[], &[("balance", 5)])]).unwrap();
    ask_over(&mut database, 7, change());
    database.die();
    let mut turn = Turn::new(0, 0, 0, &costs, &mut streams, &names, 0);
    database.start(&mut turn);
    let steps: Vec<StepKind> = turn.end().steps.into_iter().map(|step| step.what).collect();
    assert_eq!(steps, [StepKind::Database(DatabaseStep::DbOpened { commits: 1, lost: 1 })]);
    assert_eq!(balance(&database), Some(&Cell::Int(105)));
}

/// Of three rows with one text two are twins; another text, a row that goes and one that says something else now leave
/// fewer. The accounts have keys of their own.
#[test]
fn rows_that_differ_in_their_number_alone_are_counted() {
    let mut database = database();
    let twins = |database: &Database, table: &str| database.table(table).map(TableRef::twins);
    let event = |text: &str| insert("events", &[("text", text.into())]);
    execute(&mut database, &[event("paid"), event("paid"), event("sent"), event("paid")]).unwrap();
    assert_eq!((twins(&database, "events"), twins(&database, "accounts")), (Some(2), Some(0)));
    let key = || values(&[("seq", 2.into())]);
    let said = |text: &str| Change::Update {
        table: "events".to_owned(),
        key: key(),
        only_if: Values::new(),
        set: values(&[("text", text.into())]),
        add: BTreeMap::new(),
    };
    execute(&mut database, &[said("sent")]).unwrap();
    assert_eq!(twins(&database, "events"), Some(2), "paid, sent, sent, paid");
    execute(&mut database, &[Change::Delete { table: "events".to_owned(), key: key() }]).unwrap();
    assert_eq!(twins(&database, "events"), Some(1), "paid, sent, paid");
    // What is not committed does not count.
    let begin = DatabaseCommand::Begin { changes: vec![event("sent")] };
    ask_over(&mut database, 1, Request::Database(Box::new(begin)));
    assert_eq!(twins(&database, "events"), Some(1));
    execute(&mut database, &[insert("accounts", &[("id", 2.into()), ("balance", 100.into())])]).unwrap();
    assert_eq!(twins(&database, "accounts"), Some(0));
}

#[test]
fn only_new_rows_of_a_polled_table_rouse_its_relays() {
    let mut database = database();
    let mut rouses = |changes: &[Change]| {
        let command = DatabaseCommand::Execute { transaction: None, changes: changes.to_vec() };
        ask_over(&mut database, 1, Request::Database(Box::new(command))).1
    };
    assert!(rouses(&[insert("events", &[("text", "a".into())])]));
    assert!(!rouses(&[update(1, &[], &[("balance", 1)])]));
}

#[test]
fn refusals_go_over_the_wire_with_their_words_and_other_requests_are_unknown() {
    let mut database = database();
    let command = DatabaseCommand::Commit { transaction: 9 };
    assert_eq!(command.code(), RequestCode::SqlCommit);
    let (response, _) = ask_over(&mut database, 1, Request::Database(Box::new(command)));
    assert_eq!(
        (response.code, response.remark.as_deref()),
        (ResponseCode::SqlRefused, Some("transaction 9 is not open"))
    );
    let (response, _) = ask_over(&mut database, 1, Request::GetAllTopicConfig);
    assert_eq!(response.code, ResponseCode::RequestCodeNotSupported);
}

#[test]
fn a_description_that_makes_no_table_is_refused() {
    let cause = |spec: TableSpec| Database::new(&[spec], Vec::new()).unwrap_err();
    assert_eq!(
        cause(TableSpec { key: Vec::new(), ..accounts() }),
        "table `accounts`: a key or a constraint needs a column"
    );
    assert_eq!(cause(TableSpec { key: names(&["no"]), ..accounts() }), "table `accounts`: there is no column `no`");
    let twice = vec![values(&[("id", 1.into())]), values(&[("id", 1.into())])];
    assert_eq!(cause(TableSpec { rows: twice, ..accounts() }), "duplicate entry `1` for `accounts.id`");
    assert!(cause(TableSpec { name: "a.b".to_owned(), ..accounts() }).starts_with("`a.b` is no name for a table"));
    assert_eq!(Database::new(&[accounts(), accounts()], Vec::new()).unwrap_err(), "two tables `accounts`");
}

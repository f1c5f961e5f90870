//! What a producer answers a broker that asks, in turns of its own.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;

use super::*;
use crate::{
    client::{ClientConfig, Role, Waiting},
    message::{Host, Message, Properties, record, sys_flag},
    node::{Actor, Caller, ConnId, Costs, Effect, Outcome, Service, Streams, Turn},
    wire::{CheckTransactionState, EndTransaction, Request},
};

const BROKER: &str = "10.0.2.1:10911";
const KEY: &str = "0A0003010FA218B4AAC20000000000000";

fn producer(listener: Option<Listener>) -> Client {
    let role = Role::Producer { group: "TPG".to_owned() };
    let mut client = Client::new(role, [10, 0, 3, 1].into(), ClientConfig::default(), Vec::new());
    client.set_listener(listener);
    client
}

fn in_memory(not_found: LocalTransactionState) -> Listener {
    Listener { keeps: Keeps::Memory, database: None, table: String::new(), not_found }
}

/// What `DefaultTransactionalMessageCheckListener` sends: the message under its real topic.
fn question(group: &str) -> CheckTransactionState {
    let text = format!("TRANSACTION_CHECK_TIMES\u{1}2\u{2}UNIQ_KEY\u{1}{KEY}\u{2}PGROUP\u{1}{group}");
    let message = Message {
        topic: "OrderTopic".to_owned(),
        queue_id: 1,
        flag: 0,
        sys_flag: sys_flag::TRANSACTION_NOT,
        born_timestamp: 0,
        born_host: Host::new([10, 0, 3, 1], 50_000),
        store_host: Host::new([10, 0, 2, 1], 10_911),
        reconsume_times: 0,
        prepared_transaction_offset: 0,
        body: "paid".into(),
        properties: Properties::parse(&text),
        properties_text: text,
    };
    let mut bytes = Vec::new();
    record::encode(&message, &record::Limits::default(), &mut bytes).unwrap();
    record::patch(&mut bytes, 4, 1_200, 0);
    CheckTransactionState {
        tran_state_table_offset: 4,
        commit_log_offset: 1_200,
        msg_id: Some(KEY.to_owned()),
        transaction_id: Some(KEY.to_owned()),
        offset_msg_id: String::new(),
        body: bytes.into(),
    }
}

fn in_turn(run: impl FnOnce(&mut Turn<'_>)) -> Outcome {
    let (costs, names) = (Costs::default(), BTreeMap::<String, Arc<str>>::new());
    let mut streams = Streams::new(1, "client");
    let mut turn = Turn::new(0, 0, 0, &costs, &mut streams, &names, 0);
    run(&mut turn);
    turn.end()
}

fn ask(client: &mut Client, question: CheckTransactionState) -> Outcome {
    let caller = Caller { conn: ConnId(1), call: None, host: BROKER.parse().unwrap(), name: "broker-a".to_owned() };
    in_turn(|turn| client.request(&caller, Request::CheckTransactionState(Box::new(question)), turn))
}

/// The answers among what a turn sends, with the lane that hears of their failure.
fn ends(outcome: &Outcome) -> Vec<(&str, Service, &EndTransaction)> {
    let end = |effect| match effect {
        &Effect::Request { ref addr, request: Request::EndTransaction(ref end), service, .. } => {
            Some((addr.as_str(), service, end))
        }
        _ => None,
    };
    outcome.effects.iter().filter_map(end).collect()
}

#[test]
fn the_answer_goes_where_the_question_came_from_and_names_the_same_half() {
    let mut client = producer(Some(in_memory(LocalTransactionState::Rollback)));
    let outcome = ask(&mut client, question("TPG"));
    let expected = EndTransaction {
        producer_group: "TPG".to_owned(),
        tran_state_table_offset: 4,
        commit_log_offset: 1_200,
        commit_or_rollback: 12,
        from_transaction_check: true,
        msg_id: KEY.to_owned(),
        transaction_id: Some(KEY.to_owned()),
    };
    assert_eq!(ends(&outcome), [(BROKER, Service::CheckListener, &expected)]);
    let check = client.checks().last().unwrap();
    assert_eq!(
        (check.broker.as_str(), check.topic.as_str(), check.transaction_id.as_str()),
        ("broker-a", "OrderTopic", KEY)
    );
    assert_eq!((check.times, check.result), (Some(2), Some(ListenerResult::Rollback)));
    assert_eq!((check.state, check.ended_us), (Some(LocalTransactionState::Rollback), Some(0)));
}

#[test]
fn a_memory_answers_one_question_after_the_other_and_the_last_for_ever() {
    let mut client = producer(Some(in_memory(LocalTransactionState::Rollback)));
    let script = [ListenerResult::Unknown, ListenerResult::Throw, ListenerResult::Null, ListenerResult::Commit];
    client.transactions.memory.began(KEY, &script);
    // A state that the script has set is not the end's to change.
    client.transactions.memory.ended(KEY, LocalTransactionState::Rollback);
    let said: Vec<Vec<i32>> = (0..5)
        .map(|_| {
            let outcome = ask(&mut client, question("TPG"));
            ends(&outcome).iter().map(|(_, _, end)| end.commit_or_rollback).collect()
        })
        .collect();
    // `UNKNOW` twice, nothing, and then the commit.
    assert_eq!(said, [vec![0], vec![0], vec![], vec![8], vec![8]]);
    client.die();
    let outcome = ask(&mut client, question("TPG"));
    assert_eq!(
        ends(&outcome).first().map(|(_, _, end)| end.commit_or_rollback),
        Some(12),
        "it is gone with the process"
    );
}

#[test]
fn a_memory_knows_the_end_once_there_is_one() {
    let mut memory = Memory::default();
    memory.began(KEY, &[]);
    assert_eq!(memory.answer(KEY), Some(ListenerResult::Unknown));
    memory.ended(KEY, LocalTransactionState::Commit);
    assert_eq!(memory.answer(KEY), Some(ListenerResult::Commit));
    assert_eq!((memory.answer("another"), memory.len()), (None, 1));
}

#[test]
fn what_is_not_for_it_is_not_answered() {
    let unreadable = CheckTransactionState { body: Bytes::from_static(b"no record"), ..question("TPG") };
    for (listener, question, reason) in [
        (Some(in_memory(LocalTransactionState::Commit)), question("OPG"), "otherGroup"),
        (None, question("TPG"), "noListener"),
        (Some(in_memory(LocalTransactionState::Commit)), unreadable, "undecodable"),
    ] {
        let mut client = producer(listener);
        let outcome = ask(&mut client, question);
        assert_eq!(ends(&outcome), [], "{reason}");
        let ignored = ProducerStep::CheckIgnored { reason: reason.to_owned() };
        assert_eq!(outcome.steps.last().map(|step| step.what.clone()), Some(ignored.into()));
    }
}

/// A null address means any NameServer to `NettyRemotingClient`.
#[test]
fn an_end_for_a_broker_that_nobody_knows_goes_to_the_name_server() {
    let role = Role::Producer { group: "TPG".to_owned() };
    let name_servers = vec!["10.0.1.1:9876".to_owned()];
    let mut client = Client::new(role, [10, 0, 3, 1].into(), ClientConfig::default(), name_servers);
    let half = HalfMessage {
        broker_name: "gone".to_owned(),
        commit_log_offset: 1_200,
        queue_offset: 4,
        msg_id: KEY.to_owned(),
    };
    let sent_to = |client: &mut Client| {
        let outcome = in_turn(|turn| client.end_by_hand(&half, LocalTransactionState::Commit, turn));
        ends(&outcome).first().map(|(addr, service, _)| ((*addr).to_owned(), *service))
    };
    assert_eq!(sent_to(&mut client), Some(("null".to_owned(), Service::Api)), "none is in use yet");
    in_turn(|turn| {
        client.call_name_server(Service::Api, Request::GetBrokerClusterInfo, 3_000, Waiting::Heartbeat, turn);
    });
    assert_eq!(sent_to(&mut client), Some(("10.0.1.1:9876".to_owned(), Service::Api)));
}

/// The services that a listener brings, and the lane of its questions.
#[test]
fn only_a_producer_with_a_listener_has_a_check_executor() {
    let request = Request::CheckTransactionState(Box::new(question("TPG")));
    let with = producer(Some(in_memory(LocalTransactionState::Unknown)));
    assert_eq!(with.lane(&request), Service::CheckListener);
    assert!(with.services().contains(&Service::LocalTransaction));
    let without = producer(None);
    assert_eq!(without.lane(&request), Service::Remoting);
    assert!(!without.services().contains(&Service::LocalTransaction));
}

//! What an account says beside its verdict.

use super::*;

#[test]
fn a_message_that_everybody_has_had_once_is_exactly_right() {
    let mut world = world(&cluster(&["c1"]));
    act(&mut world, sent("M1", "k"));
    let ledger = ledger(&world);
    let account = &ledger.accounts[0];
    assert_eq!((account.producer.as_str(), account.number, account.name.as_deref()), ("producer", 0, Some("M1")));
    assert_eq!((account.told.as_str(), account.keys.as_deref()), ("SEND_OK", Some("k")));
    let copies: Vec<_> = account.copies.iter().map(|copy| (copy.broker.as_str(), copy.state)).collect();
    assert_eq!(copies, [(BROKER, CopyState::Visible)]);
    let has = GroupDeliveries {
        group: "g".to_owned(),
        consumer: None,
        delivered: 1,
        consumed: 1,
        refused: 0,
        effects: None,
        in_order: true,
    };
    assert_eq!((account.groups.as_slice(), account.effects.len()), (&[has][..], 0));
    assert_eq!(
        (account.verdict(), found(&world)),
        (Verdict::ExactlyRight, vec![vec![(Verdict::ExactlyRight, Rule::Once)]])
    );
    assert_eq!((ledger.acknowledged(), ledger.missing(), ledger.count(Verdict::ExactlyRight)), (1, 0, 1));
}

#[test]
fn a_send_whose_producer_dies_is_kept() {
    let mut world = world(&cluster(&[]));
    world.act(sent("M1", "k")).unwrap();
    world.act(kill("producer")).unwrap();
    world.run_to_rest(i64::MAX);
    let ledger = ledger(&world);
    assert_eq!((ledger.accounts[0].told.as_str(), ledger.accounts[0].told_us), ("", None));
    // It had not left the machine.
    assert_eq!(found(&world), [[(Verdict::ExactlyRight, Rule::UntoldNothingStored)]]);
}

#[test]
fn a_power_loss_takes_what_was_acknowledged_from_the_page_cache() {
    let mut world = world(&cluster(&[]));
    act(&mut world, sent("M1", "k"));
    power_loss(&mut world);
    assert_eq!(found(&world), [[(Verdict::Lost, Rule::UnflushedAtPowerLoss)]]);
    let ledger = ledger(&world);
    assert_eq!((ledger.missing(), ledger.accounts[0].findings[0].broker.as_deref()), (1, Some(BROKER)));
}

#[test]
fn a_broker_that_is_down_is_judged_by_what_a_start_would_find() {
    let mut world = world(&cluster(&["c1"]));
    act(&mut world, kill("c1"));
    act(&mut world, sent("M1", "k"));
    act(&mut world, kill(BROKER));
    assert_eq!(
        (ledger(&world).down, found(&world)),
        (vec![BROKER.to_owned()], vec![vec![(Verdict::Open, Rule::BrokerDown)]])
    );
    act(&mut world, Action::PowerLoss { node: BROKER.to_owned(), survives: Survives::Flushed });
    assert_eq!(found(&world), [[(Verdict::Lost, Rule::UnflushedAtPowerLoss)]]);
}

/// `maxReconsumeTimes` 0: the first refusal is the last.
#[test]
fn what_a_group_refuses_too_often_is_a_dead_letter() {
    let mut refusing = cluster(&["c1"]);
    push(&mut refusing).listener.result = ConsumeResult::Later;
    let mut world = world(&refusing);
    world.act(sent("M1", "k")).unwrap();
    world.run_to_rest(world.now_us() + 2_000_000);
    assert_eq!(found(&world), [[(Verdict::Open, Rule::RetryToCome)]]);
    refusing.consumers[0].config.extend(config(&[("maxReconsumeTimes", "0")]));
    let mut world = World::new(&refusing, 1).unwrap();
    act(&mut world, sent("M1", "k"));
    assert_eq!(found(&world), [[(Verdict::Lost, Rule::DeadLetter)]]);
    let has = ledger(&world).accounts[0].groups[0].clone();
    assert_eq!((has.delivered, has.consumed, has.refused), (1, 0, 1));
}

#[test]
fn what_belongs_together_is_out_of_order_where_several_threads_have_it() {
    let when = MessageCondition { body: Some("slow".to_owned()), ..MessageCondition::default() };
    let mut concurrent = cluster(&["c1"]);
    push(&mut concurrent).listener.rules = vec![ListenerRule { when, takes_ms: Some(500), ..ListenerRule::default() }];
    let slow = Send { body: Some("slow".to_owned()), ..message("M1", "k") };
    let out_of_order = |second: Send| {
        let mut world = world(&concurrent);
        for send in [slow.clone(), second] {
            let before = world.client("producer").unwrap().sent().len();
            world.act(Action::Send(Box::new(send))).unwrap();
            while world.client("producer").unwrap().sent().len() == before {
                world.step().unwrap();
            }
        }
        world.run_to_rest(i64::MAX);
        let ledger = ledger(&world);
        (found(&world)[0][0], ledger.accounts[0].findings[0].other, ledger.accounts[0].groups[0].in_order)
    };
    let expected = (Verdict::OutOfOrder, Rule::ConcurrentListener);
    assert_eq!(out_of_order(message("M2", "k")), (expected, Some(1), false));
    let expected = (Verdict::OutOfOrder, Rule::DifferentQueues);
    assert_eq!(out_of_order(Send { queue: Some(1), ..message("M2", "k") }), (expected, Some(1), false));
    // What has another key belongs elsewhere.
    assert_eq!(out_of_order(message("M2", "l")), ((Verdict::ExactlyRight, Rule::Once), None, true));
}

#[test]
fn a_broadcasting_consumer_that_comes_later_begins_at_the_end() {
    let mut broadcasting = cluster(&["c1"]);
    push(&mut broadcasting).message_model = MessageModel::Broadcasting;
    broadcasting.consumers[0].down = true;
    let mut world = world(&broadcasting);
    act(&mut world, sent("M1", "k"));
    assert_eq!(found(&world), [[(Verdict::Open, Rule::NotConsumedYet)]]);
    act(&mut world, start("c1"));
    assert_eq!(found(&world), [[(Verdict::Lost, Rule::BeganBehindIt)]]);
    let has = ledger(&world).accounts[0].groups[0].clone();
    assert_eq!((has.consumer.as_deref(), has.delivered), (Some("c1"), 0));
}

#[test]
fn a_transaction_is_open_until_it_is_decided_and_then_seen_or_not() {
    let local = |local| {
        let mut world = world(&cluster(&["c1"]));
        let what = SendInTransaction {
            send: Send { queue: None, ..message("M1", "k") },
            local,
            ..SendInTransaction::default()
        };
        world.act(Action::SendInTransaction(Box::new(what))).unwrap();
        world.run_to_rest(world.now_us() + 1_000_000);
        found(&world)[0][0]
    };
    assert_eq!(local(ListenerResult::Commit), (Verdict::ExactlyRight, Rule::Once));
    assert_eq!(local(ListenerResult::Rollback), (Verdict::ExactlyRight, Rule::RolledBack));
    assert_eq!(local(ListenerResult::Unknown), (Verdict::Open, Rule::HalfUndecided));
}

//! Transactions beside replication: a slave has no part in them, and what a commit makes of a slave that is missing.

use super::{
    super::{
        crashes::kill,
        replication::{SLAVE, with_slave},
    },
    *,
};
use crate::wire::ResponseCode;

fn started(role: &str) -> World {
    World::new(&with_slave(role), 1).unwrap()
}

#[test]
fn a_slave_ends_no_transaction_and_checks_none() {
    let mut world = started("ASYNC_MASTER");
    sent(&mut world, &[]);
    run_until(&mut world, |world| world.broker(SLAVE).unwrap().store().unwrap().queue(HALF_TOPIC, 0).is_some());
    let request = end_of(&world, 0, COMMIT);
    say_to(&mut world, SLAVE, request);
    let events = run_until_event(&mut world, |event| event.service == "endTransaction");
    let codes = events.iter().flat_map(|event| broker_steps(event)).filter_map(|step| match step {
        BrokerStep::Refused { code, .. } => Some(*code),
        _ => None,
    });
    assert_eq!(codes.collect::<Vec<_>>(), [ResponseCode::SlaveNotAvailable]);
    assert_eq!(counts(&world), (0, 1, 0));
    let events = rest(&mut world);
    let checking: Vec<&str> =
        events.iter().filter(|event| event.service == "transactionCheck").map(|event| event.node.as_str()).collect();
    assert_eq!(checking, [BROKER; 16], "fifteen questions, and the end");
    let ends = [BROKER, SLAVE].map(|node| world.broker(node).unwrap().store().unwrap().max_phy_offset());
    assert_eq!(ends[0], ends[1], "the slave has what the master put");
}

/// `SLAVE_NOT_AVAILABLE` counts as success; what a check puts waits for no slave.
#[test]
fn a_commit_without_its_slave_is_a_commit() {
    let mut world = started("SYNC_MASTER");
    world.act(kill(SLAVE)).unwrap();
    sent(&mut world, &[]);
    let events = end(&mut world, 0, COMMIT);
    let statuses = events.iter().flat_map(|event| broker_steps(event)).filter_map(|step| match step {
        BrokerStep::PutEnded { status } => Some(status.as_str()),
        _ => None,
    });
    assert_eq!(statuses.collect::<Vec<_>>(), ["SLAVE_NOT_AVAILABLE", "PUT_OK"]);
    assert_eq!(counts(&world), (1, 1, 1));
    sent(&mut world, &[]);
    let events = run_until_event(&mut world, |event| event.service == "transactionCheck");
    let put_back = TransactionStep::HalfPutBack { half_offset: 1, new_offset: 2, check_times: 1 };
    assert!(told(&events).contains(&put_back), "{:?}", told(&events));
}

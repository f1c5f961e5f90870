//! The numbers of lesson 01 (curriculum): three records behind a prefix of 1000 bytes.

use super::*;
use crate::store::step::UnitSkip;

/// Where reput stands, with M1, M2 and M3 in the log and reput paused.
fn sent() -> World {
    let mut world = world();
    world.act(pause("broker-a", Some(Service::Reput))).unwrap();
    for action in
        [bare("OrderTopic", 0, "TagA", 200), bare("PaymentTopic", 1, "TagC", 150), bare("OrderTopic", 0, "TagB", 300)]
    {
        world.act(action).unwrap();
        rest(&mut world);
    }
    world
}

#[test]
fn physical_offsets_go_up_by_the_record_sizes_and_queue_offsets_per_queue() {
    let world = sent();
    let client = world.client("sender").unwrap();
    let told: Vec<_> = client
        .sent()
        .iter()
        .map(|sent| (sent.status.as_str(), sent.physical_offset.unwrap(), sent.queue_offset.unwrap()))
        .collect();
    assert_eq!(told, [("SEND_OK", 1000, 0), ("SEND_OK", 1200, 0), ("SEND_OK", 1350, 1)]);
    let store = world.broker("broker-a").unwrap().store().unwrap();
    assert_eq!((store.max_phy_offset(), store.reput_from_offset()), (1650, 1000));
    assert_eq!(store.dispatch_behind_bytes(), 650);
}

#[test]
fn reput_goes_record_by_record() {
    let mut world = sent();
    world.act(resume("broker-a", Some(Service::Reput))).unwrap();
    let turns: Vec<_> = rest(&mut world)
        .into_iter()
        .filter(|event| event.service == "reput")
        .flat_map(|event| {
            let steps = event.steps.iter().map(|step| step.what.clone()).collect::<Vec<_>>();
            steps.into_iter().filter_map(move |step| match step {
                StepKind::Store(Step::ReputRead { physical_offset, size, .. }) => Some((physical_offset, size)),
                _ => None,
            })
        })
        .collect();
    assert_eq!(turns, [(1000, 200), (1200, 150), (1350, 300)]);

    let store = world.broker("broker-a").unwrap().store().unwrap();
    assert_eq!(store.reput_from_offset(), 1650);
    // "TagA".hashCode() = 2598919, TagB and TagC follow.
    let unit = |topic, queue, offset| {
        let unit = store.unit(topic, queue, offset).unwrap();
        (unit.physical_offset, unit.size, unit.tags_code)
    };
    assert_eq!(unit("OrderTopic", 0, 0), (1000, 200, 2_598_919));
    assert_eq!(unit("OrderTopic", 0, 1), (1350, 300, 2_598_920));
    assert_eq!(unit("PaymentTopic", 1, 0), (1200, 150, 2_598_921));
}

#[test]
fn each_reput_turn_is_caused_by_the_append_of_its_record() {
    let mut world = world();
    let mut puts = Vec::new();
    let mut reputs = Vec::new();
    for (topic, queue, size) in [("OrderTopic", 0, 200), ("PaymentTopic", 1, 150)] {
        world.act(bare(topic, queue, "TagA", size)).unwrap();
    }
    for event in rest(&mut world) {
        match event.service.as_str() {
            "put" => puts.push(event.seq),
            "reput" => reputs.push(event.cause),
            _ => {}
        }
    }
    assert_eq!(reputs, puts.into_iter().map(Some).collect::<Vec<_>>());
}

#[test]
fn pulling_queue_offset_1_gives_the_third_message() {
    let mut world = sent();
    world.act(resume("broker-a", Some(Service::Reput))).unwrap();
    rest(&mut world);
    world.act(pull("OrderTopic", 0, 1)).unwrap();
    rest(&mut world);
    let consumer = world.client("consumer").unwrap();
    let got: Vec<_> = consumer
        .received()
        .iter()
        .map(|message| (message.queue_offset, message.physical_offset, message.size, message.tags.clone()))
        .collect();
    assert_eq!(got, [(1, 1350, 300, Some("TagB".to_owned()))]);
    assert_eq!(consumer.pulls().last().unwrap().status, "FOUND");
    assert_eq!(consumer.pulls().last().unwrap().next_begin_offset, 2);
}

#[test]
fn replaying_writes_no_unit_again() {
    let mut world = sent();
    world.act(resume("broker-a", Some(Service::Reput))).unwrap();
    rest(&mut world);
    world.act(Action::ReputFrom { broker: "broker-a".to_owned(), offset: 1000 }).unwrap();
    let events = rest(&mut world);
    let skipped: Vec<_> = events
        .iter()
        .flat_map(store_steps)
        .filter_map(|step| match step {
            Step::UnitSkipped { physical_offset, reason, .. } => Some((*physical_offset, *reason)),
            Step::UnitWritten { .. } => panic!("a unit was written again"),
            _ => None,
        })
        .collect();
    // 1000 + 200 <= maxPhysicOffset 1650 of OrderTopic/0; 1200 + 150 <= 1350 of PaymentTopic/1; 1350 + 300 <= 1650.
    let reason = UnitSkip::AlreadyBuilt;
    assert_eq!(skipped, [(1000, reason), (1200, reason), (1350, reason)]);
    let store = world.broker("broker-a").unwrap().store().unwrap();
    assert_eq!(store.queue("OrderTopic", 0).unwrap().max_physic_offset(), 1650);
    assert_eq!(store.queue("OrderTopic", 0).unwrap().max_offset_in_queue(), 2);
    assert_eq!(store.reput_from_offset(), 1650);
}

#[test]
fn writes_belong_to_the_steps_that_tell_of_them() {
    let mut world = world();
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    let events = rest(&mut world);
    let put = events.iter().find(|event| event.service == "put").unwrap();
    let write = put.writes.iter().find(|write| write.op == DiskOp::Write).unwrap();
    assert_eq!((write.path.as_str(), write.offset, write.len), ("commitlog/00000000000000000000", 1000, 200));
    let told = &put.steps[write.step as usize].what;
    assert!(matches!(told, StepKind::Store(Step::Appended { physical_offset: 1000, size: 200, .. })), "{told:?}");

    let reput = events.iter().find(|event| event.service == "reput").unwrap();
    let write = reput.writes.iter().find(|write| write.path.starts_with("consumequeue") && write.op == DiskOp::Write);
    let write = write.unwrap();
    assert_eq!(
        (write.path.as_str(), write.offset, write.len),
        ("consumequeue/OrderTopic/0/00000000000000000000", 0, 20)
    );
    let told = &reput.steps[write.step as usize].what;
    assert!(matches!(told, StepKind::Store(Step::UnitWritten { queue_offset: 0, .. })), "{told:?}");
}

//! B21: where a broker lets a group begin that has committed nothing.

use super::*;

/// What a broker of these settings answers after so many messages of 200 bytes; with `head_lost` its first file is gone.
fn begins(settings: &[(&str, &str)], messages: usize, head_lost: bool) -> Result<i64, String> {
    let mut cluster = cluster_of(1);
    let settings = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    cluster.brokers[0].config.extend(settings);
    let mut world = World::new(&cluster, 1).unwrap();
    put(&mut world, 0, messages);
    if head_lost {
        act(&mut world, stop(BROKER));
        delete_below(&mut world, "commitlog/00000000000000000000");
        delete_below(&mut world, "consumequeue/");
        act(&mut world, start(BROKER));
        assert!(store(&world).queue("T", 0).unwrap().min_offset_in_queue() > 0);
    }
    offset(&mut world)
}

fn offset(world: &mut World) -> Result<i64, String> {
    let (client, topic) = ("consumer".to_owned(), "T".to_owned());
    act(world, Action::Ask { client, topic, queue: 0, what: Question::ConsumerOffset });
    let answer = world.client("consumer").unwrap().answers().last().unwrap().clone();
    answer.value.ok_or_else(|| answer.error.unwrap_or_default())
}

/// At 0 as long as the queue has its first message, and that is in memory: 40 per cent of 4000 bytes hold eight of 200.
#[test]
fn b21_a_new_group_begins_at_the_first_message_while_it_is_in_memory() {
    let said = "CODE: 22  DESC: Not found, V3_0_6_SNAPSHOT maybe this group consumer boot first BROKER: 10.0.2.1:10911";
    let not_found = Err(said.to_owned());
    let without_advice =
        |answer: Result<i64, String>| answer.map_err(|error| error.lines().next().unwrap_or_default().to_owned());
    let memory = [("rocketscope.totalPhysicalMemory", "4000")];
    assert_eq!(begins(&[], 10, false), Ok(0));
    assert_eq!(without_advice(begins(&[("mappedFileSizeCommitLog", "1024")], 10, true)), not_found);
    assert_eq!(begins(&memory, 8, false), Ok(0));
    assert_eq!(without_advice(begins(&memory, 9, false)), not_found);
}

/// An offset that the group has committed counts, wherever the queue begins.
#[test]
fn b21_a_committed_offset_counts() {
    let mut world = World::new(&cluster_of(1), 1).unwrap();
    put(&mut world, 0, 10);
    commit(&mut world, 7);
    assert_eq!(offset(&mut world), Ok(7));
}

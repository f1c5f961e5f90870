//! The same bytes on the slave as on the master, for random loads and interruptions.

use super::*;
use crate::node::Streams;

const SLAVE: &str = "broker-a-s";

fn both(cluster: &mut Cluster, seed: u64, draw: &mut Streams) {
    let role = if draw.below("role", 2) == 0 { "SYNC_MASTER" } else { "ASYNC_MASTER" };
    let batch = 1 + draw.below("batch", 3000);
    let master = &mut cluster.brokers[0];
    // Small files, so that pieces end at files and inside records alike.
    for (key, value) in [("brokerRole", role.to_owned()), ("haTransferBatchSize", batch.to_string())] {
        master.config.insert(key.to_owned(), value);
    }
    master.config.insert("mappedFileSizeCommitLog".to_owned(), (4096 + 512 * (seed % 4)).to_string());
    let mut slave = master.clone();
    slave.name = SLAVE.to_owned();
    for (key, value) in [("brokerRole", "SLAVE"), ("brokerId", "1"), ("brokerName", "broker-a")] {
        slave.config.insert(key.to_owned(), value.to_owned());
    }
    cluster.brokers.push(slave);
}

/// What a run does next; an action that is impossible at the moment is passed over.
fn next_action(draw: &mut Streams) -> Action {
    let (a, b) = ("broker-a".to_owned(), SLAVE.to_owned());
    let services = [Service::HaTransfer, Service::HaRead, Service::HaAccept, Service::HaClient, Service::Reput];
    let service = services[draw.below("service", 5) as usize];
    let node = if matches!(service, Service::HaClient | Service::Reput) { SLAVE } else { "broker-a" };
    match draw.below("action", 20) {
        0 => Action::Cut { a, b },
        1 => Action::Stall { a, b },
        2..=4 => Action::Mend { a, b },
        5 => pause(node, Some(service)),
        6..=8 => resume(node, Some(service)),
        9 => pause(SLAVE, None),
        10 => resume(SLAVE, None),
        11 if draw.below("kill", 3) == 0 => Action::Kill { node: a },
        11 => Action::Kill { node: SLAVE.to_owned() },
        12 => Action::Stop { node: SLAVE.to_owned() },
        13 if draw.below("start", 2) == 0 => Action::Start { node: SLAVE.to_owned() },
        13 => Action::Start { node: a },
        14 | 15 => Action::Wait { ms: 1 + i64::from(draw.below("wait", 30_000)) },
        _ => {
            let size = 160 + i32::try_from(draw.below("size", 3000)).unwrap();
            bare("OrderTopic", i32::try_from(draw.below("queue", 2)).unwrap(), "TagA", size)
        }
    }
}

fn log(world: &World, node: &str) -> (i64, i64, Vec<Vec<u8>>) {
    let store = world.broker(node).unwrap().store().unwrap();
    let (min, max) = (store.min_phy_offset(), store.max_phy_offset());
    let files = store.commit_log_files().map(|(from, wrote)| store.read(from, wrote).unwrap().to_vec());
    (min, max, files.collect())
}

/// Puts, and now and then a cut, a stall, a pause, a kill of either, a stop or a restart; then everything is mended, and
/// after some time both have the same log and the same queues. (A master that is killed loses nothing: its page cache
/// stays.)
#[test]
fn whatever_happens_the_slave_gets_the_masters_bytes() {
    for seed in 0..16 {
        let mut draw = Streams::new(seed, "same bytes");
        let mut description = cluster();
        both(&mut description, seed, &mut draw);
        let mut world = World::new(&description, seed).unwrap();
        for _ in 0..60 {
            let _ = world.act(next_action(&mut draw));
            for _ in 0..draw.below("steps", 60) {
                // Beyond rest lie idle days, in which the master would delete what the slave has not got yet.
                if world.at_rest() {
                    break;
                }
                world.step();
            }
        }
        let _ = world.act(Action::Mend { a: "broker-a".to_owned(), b: SLAVE.to_owned() });
        for (node, services) in [
            ("broker-a", [None, Some(Service::HaTransfer), Some(Service::HaRead), Some(Service::HaAccept)]),
            (SLAVE, [None, Some(Service::HaClient), Some(Service::Reput), None]),
        ] {
            for service in services {
                let _ = world.act(resume(node, service));
            }
        }
        let _ = world.act(Action::Wait { ms: 20_000 });
        rest(&mut world);
        for node in [SLAVE, "broker-a"] {
            let _ = world.act(Action::Start { node: node.to_owned() });
        }
        world.act(Action::Wait { ms: 60_000 }).unwrap();
        rest(&mut world);
        assert!(log(&world, "broker-a") == log(&world, SLAVE), "seed {seed}: the logs differ");
        for queue in 0..2 {
            let units = |node: &str| {
                let store = world.broker(node).unwrap().store().unwrap();
                (0..).map_while(|at| store.unit("OrderTopic", queue, at)).collect::<Vec<_>>()
            };
            assert_eq!(units("broker-a"), units(SLAVE), "seed {seed}, queue {queue}");
        }
        assert_eq!(world.broker("broker-a").unwrap().process().unwrap().ha_connections(), 1, "seed {seed}");
    }
}

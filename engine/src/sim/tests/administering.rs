//! What an administrator does: every command, over the wire, and what it refuses.

use super::*;
use crate::client::AskOutcome;

mod groups;
mod topics;

/// Two masters, a slave of the first, two NameServers and an administrator.
fn cluster_of_two() -> Cluster {
    let mut cluster = cluster();
    let small = cluster.brokers[0].config.clone();
    let broker = |name: &str, more: &[(&str, &str)]| {
        let mut config = small.clone();
        config.extend(more.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
        BrokerSpec { name: name.to_owned(), config, ..BrokerSpec::default() }
    };
    cluster.name_servers.push(NameServerSpec { name: "namesrv-2".to_owned(), ..NameServerSpec::default() });
    cluster.brokers.push(broker("broker-b", &[]));
    cluster.brokers.push(broker("slave-a", &[("brokerName", "broker-a"), ("brokerRole", "SLAVE"), ("brokerId", "1")]));
    cluster.administrators.push(AdministratorSpec { name: "admin".to_owned(), ..AdministratorSpec::default() });
    cluster
}

fn administer(command: Command) -> Action {
    Action::Administer(Box::new(Administer { administrator: "admin".to_owned(), command }))
}

fn update_topic(topic: &str, at: At<'_>, read_queues: i32, write_queues: i32) -> Command {
    let (cluster, broker) = at.fields();
    Command::UpdateTopic { topic: topic.to_owned(), cluster, broker, read_queues, write_queues, perm: 6, order: false }
}

/// Where a command works.
#[derive(Clone, Copy)]
enum At<'a> {
    Cluster,
    Broker(&'a str),
}

impl At<'_> {
    fn fields(self) -> (Option<String>, Option<String>) {
        match self {
            Self::Cluster => (Some("DefaultCluster".to_owned()), None),
            Self::Broker(broker) => (None, Some(broker.to_owned())),
        }
    }
}

/// Gives a command and lets it come to its end: what the administrator was told.
fn told(world: &mut World, command: Command) -> AskOutcome {
    let before = world.client("admin").unwrap().answers().len();
    world.act(administer(command)).unwrap();
    rest(world);
    let answers = world.client("admin").unwrap().answers();
    assert_eq!(answers.len(), before + 1, "one command, one outcome");
    answers.last().unwrap().clone()
}

fn topic(world: &World, broker: &str, topic: &str) -> Option<(i32, i32, i32)> {
    let config = world.broker(broker)?.process()?.topics().get(topic)?;
    Some((config.read_queue_nums, config.write_queue_nums, config.perm))
}

/// What a NameServer has of a topic: broker name, read queues, write queues, permission.
fn route(world: &World, name_server: &str, topic: &str) -> Vec<(String, i32, i32, i32)> {
    let tables = world.name_server(name_server).unwrap().tables();
    let queues = tables.topic_queues().get(topic).into_iter().flat_map(|queues| queues.iter());
    queues.map(|data| (data.broker_name.clone(), data.read_queue_nums, data.write_queue_nums, data.perm)).collect()
}

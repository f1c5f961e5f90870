//! A command for an administrator being written.

use rocketscope_engine::sim::{Action, Administer, Command};

use super::choices::Choices;
use super::draft::{Offered, Reader, Wrong, fit, some};

/// The commands, by their names in scripts.
pub const COMMANDS: [&str; 10] = [
    "updateTopic",
    "deleteTopic",
    "updateGroup",
    "deleteGroup",
    "topicRoute",
    "wipeWritePerm",
    "addWritePerm",
    "resetOffset",
    "resendDeadLetter",
    "resumeCheck",
];
/// Where a command is carried out.
pub const TARGETS: [&str; 2] = ["cluster", "broker"];
/// From when a group is to read again.
pub const FROM: [&str; 3] = ["begin", "end", "at"];
/// A setting of a group that is a yes or no, or left to the tool.
pub const SWITCHES: [&str; 3] = ["usual", "true", "false"];

/// A command being written. Everything stays while another command is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandDraft {
    /// Who is told.
    pub administrator: String,
    /// Which command.
    pub command: String,
    /// The topic.
    pub topic: Offered,
    /// The group.
    pub group: Offered,
    /// A cluster, or one broker.
    pub target: String,
    /// The cluster.
    pub cluster: String,
    /// The broker.
    pub broker: String,
    /// Read queues.
    pub read: String,
    /// Write queues.
    pub write: String,
    /// Permission bits.
    pub perm: String,
    /// An order configuration is made.
    pub order: bool,
    /// `consumeEnable`.
    pub consume: String,
    /// `consumeFromMinEnable`.
    pub from_min: String,
    /// `consumeBroadcastEnable`.
    pub broadcast: String,
    /// `notifyConsumerIdsChangedEnable`.
    pub notify: String,
    /// `retryQueueNums`.
    pub retry_queues: String,
    /// `retryMaxTimes`.
    pub retry_max: String,
    /// `brokerId`.
    pub broker_id: String,
    /// `whichBrokerWhenConsumeSlowly`.
    pub slow_broker: String,
    /// The consumer offsets go too.
    pub remove_offset: bool,
    /// From when on a group reads again.
    pub from: String,
    /// That time, where it is one.
    pub at: String,
    /// Forwards too.
    pub force: bool,
    /// One dead letter.
    pub queue_offset: String,
    /// One discarded half message.
    pub discarded: String,
}

impl Default for CommandDraft {
    fn default() -> Self {
        let (empty, text) = (String::new, str::to_owned);
        Self {
            administrator: empty(),
            command: text("updateTopic"),
            topic: Offered::default(),
            group: Offered::default(),
            target: text("cluster"),
            cluster: empty(),
            broker: empty(),
            read: text("8"),
            write: text("8"),
            perm: text("6"),
            order: false,
            consume: text("usual"),
            from_min: text("usual"),
            broadcast: text("usual"),
            notify: text("usual"),
            retry_queues: empty(),
            retry_max: empty(),
            broker_id: empty(),
            slow_broker: empty(),
            remove_offset: false,
            from: text("begin"),
            at: empty(),
            force: true,
            queue_offset: empty(),
            discarded: text("0"),
        }
    }
}

fn switch(words: &str) -> Option<bool> {
    match words {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

impl CommandDraft {
    /// Makes it fit what can be chosen.
    pub fn fit(&mut self, choices: &Choices) {
        fit(&mut self.administrator, &choices.administrators);
        fit(&mut self.cluster, &choices.clusters);
        fit(&mut self.broker, &choices.brokers);
        self.topic.follow(choices.topic());
        self.group.follow(choices.group());
    }

    /// Whether the command is carried out at a cluster or one broker.
    pub fn has_target(&self) -> bool {
        matches!(self.command.as_str(), "updateTopic" | "deleteTopic" | "updateGroup" | "deleteGroup")
    }

    /// How many settings of a group hold something.
    pub fn set(&self) -> usize {
        let switches = [&self.consume, &self.from_min, &self.broadcast, &self.notify];
        let said = [&self.retry_queues, &self.broker_id, &self.slow_broker];
        switches.into_iter().filter(|now| switch(now).is_some()).count()
            + said.into_iter().filter(|words| some(words).is_some()).count()
    }

    /// The engine's action, or what is in the way.
    pub fn read(&self) -> Result<Action, Wrong> {
        let mut read = Reader::default();
        let administrator = read.needed("administrator", &self.administrator);
        let command = self.command(&mut read);
        read.done(Action::Administer(Box::new(Administer { administrator, command })))
    }

    fn command(&self, read: &mut Reader) -> Command {
        let at_cluster = self.target == "cluster";
        let cluster = at_cluster.then(|| self.cluster.clone());
        let broker = (!at_cluster).then(|| self.broker.clone());
        match self.command.as_str() {
            "deleteTopic" => Command::DeleteTopic { topic: read.needed("topic", &self.topic.value), cluster, broker },
            "updateGroup" => Command::UpdateGroup {
                group: read.needed("group", &self.group.value),
                cluster,
                broker,
                consume_enable: switch(&self.consume),
                consume_from_min_enable: switch(&self.from_min),
                consume_broadcast_enable: switch(&self.broadcast),
                retry_queue_nums: read.some_number("retryQueueNums", &self.retry_queues),
                retry_max_times: read.some_number("retryMaxTimes", &self.retry_max),
                broker_id: read.some_number("brokerId", &self.broker_id),
                which_broker_when_consume_slowly: read.some_number("whichBrokerWhenConsumeSlowly", &self.slow_broker),
                notify_consumer_ids_changed_enable: switch(&self.notify),
            },
            "deleteGroup" => Command::DeleteGroup {
                group: read.needed("group", &self.group.value),
                cluster,
                broker,
                remove_offset: self.remove_offset,
            },
            "topicRoute" => Command::TopicRoute { topic: read.needed("topic", &self.topic.value) },
            "wipeWritePerm" => Command::WipeWritePerm { broker: read.needed("broker", &self.broker) },
            "addWritePerm" => Command::AddWritePerm { broker: read.needed("broker", &self.broker) },
            "resetOffset" => Command::ResetOffset {
                group: read.needed("group", &self.group.value),
                topic: read.needed("topic", &self.topic.value),
                timestamp_ms: match self.from.as_str() {
                    "end" => -1,
                    "at" => read.number("timestampMs", &self.at),
                    _ => 0,
                },
                force: self.force,
            },
            "resendDeadLetter" => Command::ResendDeadLetter {
                group: read.needed("group", &self.group.value),
                queue_offset: read.some_number("queueOffset", &self.queue_offset),
            },
            "resumeCheck" => Command::ResumeCheck {
                broker: read.needed("broker", &self.broker),
                queue_offset: read.number("discardedOffset", &self.discarded),
            },
            _ => Command::UpdateTopic {
                topic: read.needed("topic", &self.topic.value),
                cluster,
                broker,
                read_queues: read.number("readQueues", &self.read),
                write_queues: read.number("writeQueues", &self.write),
                perm: read.number("perm", &self.perm),
                order: self.order,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::sim::{Action, AdministratorSpec, Command, World};
    use rocketscope_engine::view::sandbox_cluster;

    use super::{COMMANDS, CommandDraft};
    use crate::components::sandbox::choices::Choices;
    use crate::i18n::name_of;

    fn draft(command: &str) -> CommandDraft {
        let names = |name: &str| vec![name.to_owned()];
        let choices = Choices {
            administrators: names("admin"),
            brokers: names("broker-a"),
            clusters: names("DefaultCluster"),
            groups: names("order_group"),
            ..Choices::default()
        };
        let mut draft = CommandDraft { command: command.to_owned(), ..CommandDraft::default() };
        draft.fit(&choices);
        draft
    }

    /// What the form offers before anything is typed is a command that the engine takes.
    #[test]
    fn every_command_is_the_engines_and_is_taken() {
        let mut cluster = sandbox_cluster();
        cluster.administrators.push(AdministratorSpec { name: "admin".to_owned(), skew_ms: 0 });
        for command in COMMANDS {
            let Ok(Action::Administer(deed)) = draft(command).read() else { panic!("{command}") };
            assert_eq!(name_of(&deed.command), command);
            let mut world = World::new(&cluster, 1).unwrap();
            let done = world.act(Action::Administer(deed));
            // No half message was given up yet, so there is none to ask about anew.
            assert_eq!(done.is_ok(), command != "resumeCheck", "{command}: {done:?}");
        }
    }

    #[test]
    fn what_is_left_to_the_tool_is_not_said() {
        let Ok(Action::Administer(deed)) = draft("updateGroup").read() else { panic!("no action") };
        let Command::UpdateGroup { cluster, broker, consume_enable, retry_max_times, .. } = deed.command else {
            panic!("another command")
        };
        assert_eq!((cluster.as_deref(), broker), (Some("DefaultCluster"), None));
        assert_eq!((consume_enable, retry_max_times), (None, None));
        let said = CommandDraft {
            target: "broker".to_owned(),
            consume: "false".to_owned(),
            retry_max: "3".to_owned(),
            ..draft("updateGroup")
        };
        let Ok(Action::Administer(deed)) = said.read() else { panic!("no action") };
        let Command::UpdateGroup { cluster, broker, consume_enable, retry_max_times, .. } = deed.command else {
            panic!("another command")
        };
        assert_eq!((cluster, broker.as_deref()), (None, Some("broker-a")));
        assert_eq!((consume_enable, retry_max_times), (Some(false), Some(3)));
        assert_eq!(said.set(), 1);
    }

    #[test]
    fn a_group_reads_again_from_the_beginning_the_end_or_a_time() {
        let at =
            |from: &str| CommandDraft { from: from.to_owned(), at: "1700000000000".to_owned(), ..draft("resetOffset") };
        let times = ["begin", "end", "at"].map(|from| match at(from).read() {
            Ok(Action::Administer(deed)) => match deed.command {
                Command::ResetOffset { timestamp_ms, .. } => timestamp_ms,
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        });
        assert_eq!(times, [0, -1, 1_700_000_000_000]);
    }
}

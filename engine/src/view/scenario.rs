//! Opening a scenario as a run.

use super::{Failure, FailureKind, failure::failure};
use crate::{
    lesson::{Scenario, ScenarioError, StoppedAt},
    sim::{Cluster, History},
};

/// A scenario, played: its cluster, its seed and the run, at its end.
///
/// # Errors
/// If the text is no scenario, its cluster cannot be built, or a move of it cannot be made.
pub(super) fn open(name: &str, text: &str) -> Result<(Cluster, u64, History), Failure> {
    let scenario = Scenario::read(name, text)?;
    let (history, played) = scenario.play()?;
    played?;
    Ok((scenario.cluster, scenario.seed, history))
}

impl From<ScenarioError> for Failure {
    fn from(error: ScenarioError) -> Self {
        let message = error.to_string();
        match error.error {
            StoppedAt::Run(cause) => Self { message, ..cause.into() },
            StoppedAt::TooLate { .. } => failure(FailureKind::Lesson, &message),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::view::{Answer, FailureKind, Query, Session};

    const SCRIPT: &str = r#"
seed = 3
moves = [
    { act = { kind = "send", producer = "producer", topic = "OrderTopic", queue = 0, name = "M1", recordSize = 400 } },
    "rest",
]
[cluster]
nameServers = [{ name = "namesrv" }]
brokers = [{ name = "broker-a", topics = [{ name = "OrderTopic", readQueues = 1, writeQueues = 1 }] }]
producers = [{ name = "producer", sender = "bare" }]
"#;

    fn open(text: &str) -> (Session, Answer) {
        let mut session = Session::new();
        let answer = session.ask(Query::OpenScenario { name: "script.toml".to_owned(), text: text.to_owned() });
        (session, answer)
    }

    /// The record is 400 bytes by the script, the first of the log.
    #[test]
    fn a_scenario_is_played_to_its_end_and_can_be_gone_back_in() {
        let (mut session, Answer::Workbench(bench)) = open(SCRIPT) else { panic!("it opens") };
        assert_eq!((bench.run.rulers[0].written, bench.run.at_rest, bench.lesson), (400, true, None));
        let Answer::Workbench(start) = session.ask(Query::Seek { position: 0 }) else { panic!("a picture") };
        assert_eq!((start.run.rulers[0].written, start.run.length), (0, bench.run.length));
        let Answer::Cluster(cluster) = session.ask(Query::Cluster) else { panic!("a cluster") };
        assert_eq!(cluster.brokers[0].name, "broker-a");
    }

    #[test]
    fn what_is_wrong_with_it_is_told_with_its_place() {
        let failure = |text: &str| match open(text).1 {
            Answer::Failed(failure) => failure,
            other => panic!("{other:?}"),
        };
        let unreadable = failure("seed = 3\nmovs = []\n");
        assert_eq!(unreadable.kind, FailureKind::Lesson);
        assert!(unreadable.message.starts_with("script.toml:2: "), "{}", unreadable.message);
        let refused = failure(&SCRIPT.replace("producer = \"producer\"", "producer = \"nobody\""));
        assert_eq!(
            (refused.kind, refused.message.as_str()),
            (FailureKind::Action, "moves[0]: there is no node `nobody`")
        );
        let unbuilt = failure(&SCRIPT.replace("name = \"broker-a\"", "name = \"world\""));
        assert_eq!(unbuilt.kind, FailureKind::Cluster);
    }
}

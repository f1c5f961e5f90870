//! The picture of a broker's newest start.

use super::recovery::{Depth, RecoveryPicture, examine, recovery_picture};
use crate::{
    disk::{MemoryDisk, ReadAt},
    node::StepKind,
    sim::{History, World},
    store::{Reput, StillEnv, Store},
};

/// Bytes of the log that are compared with what recovery took in, at most.
const EXAMINED: Depth = Depth { log_bytes: 64 * 1024 * 1024 };

/// The load and recovery of a broker's newest start up to the present position, with the verdict on what it left
/// behind. `None` if there is no such broker, or it has not started since the run began.
pub(super) fn last_start(history: &History, node: &str) -> Option<RecoveryPicture> {
    let seq = history.world().broker(node)?.last_start()?.seq?;
    let steps = history.event(seq)?.steps.iter().filter_map(|step| match &step.what {
        StepKind::Store(what) => Some((step.index, what)),
        _ => None,
    });
    let mut picture = recovery_picture(steps);
    picture.seq = Some(seq);
    let mut past = history.clone();
    past.seek(seq);
    let before = past.world().broker(node)?.disk().clone();
    past.step();
    if let Some(store) = started(past.world(), node) {
        examine(&before as &dyn ReadAt, &store, EXAMINED, &mut picture);
    }
    Some(picture)
}

/// The store as the start is going to leave it, once it has dispatched what waits.
fn started(world: &World, node: &str) -> Option<Store<MemoryDisk>> {
    let mut store = world.broker(node)?.store()?.clone();
    let mut env = StillEnv(world.wall_ms());
    while store.dispatch_behind_bytes() > 0 {
        match store.reput(&mut env) {
            Reput::Idle => break,
            Reput::Skipped { from, to } if from == to => break,
            _ => {}
        }
    }
    store.finish_start(&mut env).ok()?;
    Some(store)
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, Query, Session};
    use crate::sim::{Action, Send};

    fn ask(session: &mut Session, query: Query) -> Answer {
        let answer = session.ask(query);
        assert!(!matches!(answer, Answer::Failed(_)), "{answer:?}");
        answer
    }

    #[test]
    fn the_newest_start_is_the_one_before_the_present_position() {
        let node = || "broker-a".to_owned();
        let mut session = Session::new();
        ask(&mut session, Query::StartSandbox { cluster: None, seed: 1 });
        let recovery = |session: &mut Session| match ask(session, Query::Recovery { node: node() }) {
            Answer::Recovery(picture) => picture,
            other => panic!("{other:?}"),
        };
        assert_eq!(recovery(&mut session), None, "it started before the run began");
        let send = Send { producer: "producer".to_owned(), topic: "OrderTopic".to_owned(), ..Send::default() };
        let actions = [Action::Send(Box::new(send)), Action::Kill { node: node() }, Action::Start { node: node() }];
        for action in actions {
            ask(&mut session, Query::Act { action });
            ask(&mut session, Query::Run { events: 1000 });
        }
        let picture = recovery(&mut session).expect("a start");
        assert_eq!((picture.clean, picture.numbers.records_accepted, picture.begin), (false, 1, Some(0)));
        assert!(picture.end > Some(0));
        let seq = picture.seq.expect("an event of the run");
        ask(&mut session, Query::Seek { position: seq });
        assert_eq!(recovery(&mut session), None, "before its event there was none");
        ask(&mut session, Query::Seek { position: seq + 1 });
        assert_eq!(recovery(&mut session).map(|picture| picture.seq), Some(Some(seq)));
        let unknown = session.ask(Query::Recovery { node: "nobody".to_owned() });
        assert!(matches!(unknown, Answer::Failed(_)));
    }
}

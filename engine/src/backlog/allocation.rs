//! Which instance consumes from how many queues.

use serde::{Deserialize, Serialize};

use super::plan::Plan;

/// How the queues are given out to the instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Allocation {
    /// Instances that have a queue.
    pub working: u32,
    /// Instances that have none, because there are more of them than queues.
    pub idle: u32,
    /// Queues of the instance that has most.
    pub most: u32,
    /// Queues of the instance that has fewest, of those that have any.
    pub fewest: u32,
}

/// Instances that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// How many they are.
    pub(super) instances: u32,
    /// The queues of each of them.
    pub(super) queues: Vec<Queues>,
}

/// Queues of one instance that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Queues {
    /// How many they are.
    pub(super) count: u32,
    /// What each of them has of all messages, in parts of [`parts`].
    pub(super) part: u64,
}

/// In how many parts all messages are cut: `100 * queues`.
pub(super) fn parts(plan: &Plan) -> u64 {
    100 * u64::from(plan.queues)
}

/// The queues as `AllocateMessageQueueAveragely.allocate` gives them out: each instance has `queues / instances` of
/// them, and the first ones have one more where that leaves a remainder.
pub(super) fn allocation(plan: &Plan) -> Allocation {
    let working = plan.instances.min(plan.queues).max(1);
    Allocation {
        working,
        idle: plan.instances.saturating_sub(working),
        most: plan.queues.div_ceil(working),
        fewest: plan.queues / working,
    }
}

/// The instances that have queues, in groups of alike ones.
pub(super) fn groups(plan: &Plan) -> Vec<Group> {
    let Allocation { working, most, fewest, .. } = allocation(plan);
    let even = u64::from(100 - plan.skew_percent.min(100));
    let first_queue = u64::from(plan.queues) * u64::from(plan.skew_percent.min(100)) + even;
    let alike = |instances, count| Group { instances, queues: vec![Queues { count, part: even }] };
    let with_one_more = if most == fewest { 0 } else { plan.queues % working };
    let mut groups = Vec::new();
    if first_queue == even {
        groups.push(alike(with_one_more, most));
        groups.push(alike(working - with_one_more, fewest));
    } else {
        // The first queue is the first instance's, which is one of those with one more if there are any.
        let others = Queues { count: most - 1, part: even };
        let own = Queues { count: 1, part: first_queue };
        groups.push(Group { instances: 1, queues: vec![own, others] });
        groups.push(alike(with_one_more.saturating_sub(1), most));
        groups.push(alike(working - with_one_more.max(1), fewest));
    }
    for group in &mut groups {
        group.queues.retain(|queues| queues.count > 0);
    }
    groups.retain(|group| group.instances > 0);
    groups
}

#[cfg(test)]
mod tests {
    use super::{Allocation, allocation, groups};
    use crate::{
        backlog::Plan,
        client::{PullQueue, consumer::AllocateStrategy},
    };

    fn plan(queues: u32, instances: u32, skew_percent: u32) -> Plan {
        Plan { queues, skew_percent, instances, ..Plan::default() }
    }

    /// `(instances, [(queues of each, part of each)])`
    fn seen(plan: &Plan) -> Vec<(u32, Vec<(u32, u64)>)> {
        let queues = |group: &super::Group| group.queues.iter().map(|queues| (queues.count, queues.part)).collect();
        groups(plan).iter().map(|group| (group.instances, queues(group))).collect()
    }

    #[test]
    fn queues_are_given_out_on_average() {
        assert_eq!(allocation(&plan(16, 4, 0)), Allocation { working: 4, idle: 0, most: 4, fewest: 4 });
        assert_eq!(allocation(&plan(8, 3, 0)), Allocation { working: 3, idle: 0, most: 3, fewest: 2 });
        assert_eq!(allocation(&plan(4, 10, 0)), Allocation { working: 4, idle: 6, most: 1, fewest: 1 });
        assert_eq!(seen(&plan(8, 3, 0)), [(2, vec![(3, 100)]), (1, vec![(2, 100)])]);
        assert_eq!(seen(&plan(4, 10, 0)), [(4, vec![(1, 100)])]);
    }

    /// What the model says is what the strategy of the clients gives out.
    #[test]
    fn queues_are_given_out_as_clients_give_them_out() {
        for (queues, instances) in [(1, 1), (4, 10), (8, 3), (16, 4), (17, 16), (31, 7), (64, 64)] {
            let all: Vec<PullQueue> = (0..queues).map(queue).collect();
            let ids: Vec<String> = (10..10 + instances).map(|id| format!("10.0.4.1@{id}")).collect();
            let counts = ids.iter().map(|id| AllocateStrategy::Average.allocate(id, &all, &ids).unwrap().len() as u32);
            let mut counts: Vec<u32> = counts.filter(|count| *count > 0).collect();
            let seen = allocation(&plan(queues, instances as u32, 0));
            assert_eq!(
                (counts.len() as u32, counts[0], *counts.last().unwrap()),
                (seen.working, seen.most, seen.fewest)
            );
            let groups = groups(&plan(queues, instances as u32, 0));
            for (group, own) in
                groups.iter().flat_map(|group| (0..group.instances).map(move |_| group)).zip(counts.drain(..))
            {
                assert_eq!(group.queues[0].count, own, "{queues} {instances}");
            }
        }
    }

    fn queue(id: u32) -> PullQueue {
        PullQueue { topic: "T".to_owned(), broker_name: "broker-a".to_owned(), queue_id: id as i32 }
    }

    /// By hand: of 4 queues and 60 percent skew, the first has 60 + 40 / 4 = 70 percent, the others 10 each; in parts of
    /// 400 that is 280 and 40.
    #[test]
    fn the_first_queue_has_more_and_is_the_first_instances() {
        assert_eq!(seen(&plan(4, 2, 60)), [(1, vec![(1, 280), (1, 40)]), (1, vec![(2, 40)])]);
        assert_eq!(seen(&plan(5, 3, 50)), [(1, vec![(1, 300), (1, 50)]), (1, vec![(2, 50)]), (1, vec![(1, 50)])]);
        assert_eq!(seen(&plan(3, 9, 100)), [(1, vec![(1, 300)]), (2, vec![(1, 0)])]);
    }

    #[test]
    fn no_queue_and_no_message_is_forgotten() {
        for queues in 1..40 {
            for instances in 1..40 {
                for skew in [0, 1, 33, 100] {
                    let plan = plan(queues, instances, skew);
                    let (mut count, mut part, mut working) = (0, 0, 0);
                    for group in groups(&plan) {
                        working += group.instances;
                        for queues in &group.queues {
                            count += group.instances * queues.count;
                            part += u64::from(group.instances * queues.count) * queues.part;
                        }
                    }
                    assert_eq!((count, part), (queues, super::parts(&plan)), "{queues} {instances} {skew}");
                    assert_eq!(working, allocation(&plan).working);
                }
            }
        }
    }
}

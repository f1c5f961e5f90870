use std::path::Path;
use std::rc::Rc;

use rocketscope_engine::sim::{Cluster, World};
use rocketscope_engine::view::sandbox_cluster;
use yew::Reducible;

use super::{Draft, Edit};
use crate::components::cluster::node::{Kind, What};
use crate::components::cluster::reading::Problem;
use crate::components::cluster::templates::Template;

fn edit(draft: &Rc<Draft>, edits: impl IntoIterator<Item = Edit>) -> Rc<Draft> {
    edits.into_iter().fold(Rc::clone(draft), Reducible::reduce)
}

#[test]
fn a_cluster_comes_back_as_it_was() {
    let cluster = sandbox_cluster();
    assert_eq!(Draft::of(&cluster, 7).read(), Ok((cluster, 7)));
}

#[test]
fn what_is_added_can_be_built_and_has_its_own_name() {
    let draft = Rc::new(Draft::of(&sandbox_cluster(), 1));
    let master = draft.of_kind(Kind::Broker).next().map(|node| node.id).unwrap();
    let two_each = Kind::ALL.iter().flat_map(|kind| [Edit::Add(*kind), Edit::Add(*kind)]);
    let draft = edit(&draft, two_each.chain([Edit::AddSlave(master), Edit::AddSlave(master)]));
    let (cluster, seed) = draft.read().unwrap();
    let brokers: Vec<&str> = cluster.brokers.iter().map(|broker| broker.name.as_str()).collect();
    assert_eq!(brokers, ["broker-a", "broker-a-s", "broker-a-s-2", "broker-b", "broker-c"]);
    let ids: Vec<_> = cluster.brokers.iter().map(|broker| broker.config.get("brokerId").cloned()).collect();
    assert_eq!(ids, [None, Some("1".to_owned()), Some("2".to_owned()), None, None]);
    assert_eq!(cluster.brokers[3].topics, cluster.brokers[0].topics);
    World::new(&cluster, seed).unwrap();
}

#[test]
fn what_cannot_be_read_is_told_where_it_stands_and_stays() {
    let draft = Rc::new(Draft::of(&sandbox_cluster(), 1));
    let mut broker = draft.of_kind(Kind::Broker).next().unwrap().clone();
    let producer = draft.of_kind(Kind::Producer).next().unwrap();
    let mut consumer = draft.of_kind(Kind::Consumer).next().unwrap().clone();
    let What::Broker { topics, .. } = &mut broker.what else { panic!("no broker") };
    topics[1].read = "two".to_owned();
    broker.name = " ".to_owned();
    consumer.name.clone_from(&producer.name);
    let (broker_id, consumer_id) = (broker.id, consumer.id);
    let put = [Edit::Put(Box::new(broker.clone())), Edit::Put(Box::new(consumer)), Edit::Seed("x".to_owned())];
    let draft = edit(&draft, put);
    let problem = |node, field: &str, why| Problem { node, field: field.to_owned(), why };
    let found = [
        problem(broker_id, "name", "no-name"),
        problem(broker_id, "topics.1.read", "number"),
        problem(consumer_id, "name", "taken"),
        problem(u32::MAX, "seed", "number"),
    ];
    assert_eq!(draft.read(), Err(found.to_vec()));
    assert_eq!(draft.node(broker_id), Some(&broker));
}

#[test]
fn databases_outboxes_and_administrators_come_back_as_they_were() {
    for template in Template::ALL {
        let cluster = template.cluster();
        assert_eq!(Draft::of(&cluster, 1).read(), Ok((cluster, 1)), "{}", template.name());
    }
}

/// Every lesson's cluster as its script says it; those without one use the usual one.
#[test]
fn the_clusters_of_the_lessons_come_back_as_they_were() {
    let lessons = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lessons");
    let (mut clusters, mut businesses, mut down) = (0, 0, 0);
    for folder in std::fs::read_dir(lessons).unwrap() {
        let Ok(script) = std::fs::read_to_string(folder.unwrap().path().join("lesson.toml")) else { continue };
        let mut script: toml::Table = script.parse().unwrap();
        let Some(cluster) = script.remove("cluster") else { continue };
        let cluster: Cluster = cluster.try_into().unwrap();
        let pushes = cluster.consumers.iter().filter_map(|consumer| consumer.push.as_ref());
        businesses += pushes.filter(|push| push.listener.business.is_some()).count();
        down += cluster.consumers.iter().filter(|consumer| consumer.down).count();
        clusters += 1;
        assert_eq!(Draft::of(&cluster, 1).read(), Ok((cluster, 1)), "{:?}", script.get("number"));
    }
    // At least the seven shops of lesson 20, the guard of lesson 24 and the two of lesson 12 that start later.
    assert!(clusters > 10 && businesses >= 8 && down >= 2, "{clusters} {businesses} {down}");
}

#[test]
fn what_is_no_outbox_and_no_table_is_told_at_its_field() {
    let draft = Rc::new(Draft::of(&Template::Shop.cluster(), 1));
    let mut producer = draft.of_kind(Kind::Producer).next().unwrap().clone();
    let mut database = draft.of_kind(Kind::Database).next().unwrap().clone();
    let What::Producer { outbox, .. } = &mut producer.what else { panic!("no producer") };
    outbox.period = "soon".to_owned();
    let What::Database(tables) = &mut database.what else { panic!("no database") };
    tables[1].rows = "alice, 1, 2, 3".to_owned();
    let (producer_id, database_id) = (producer.id, database.id);
    let draft = edit(&draft, [Edit::Put(Box::new(producer)), Edit::Put(Box::new(database))]);
    let problem = |node, field: &str, why| Problem { node, field: field.to_owned(), why };
    let found =
        [problem(producer_id, "outbox.period", "number"), problem(database_id, "tables.1.rows", "row-too-long")];
    assert_eq!(draft.read(), Err(found.to_vec()));
}

//! What is wrong with a draft, each thing where it stands.

use rocketscope_engine::sim::ClusterError;

use super::draft::Draft;
use super::node::What;
use super::reading::Problem;
use crate::i18n::Text;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The node's number; nothing where the whole cluster is meant.
    pub node: Option<u32>,
    /// The field of its form: `name`, `skew`, `group`, `config.KEY`, `topics.0.read`, `tables.0.rows`; empty for the node as a whole.
    pub field: String,
    /// What it is, in a sentence.
    pub words: String,
}

/// What the draft itself knows.
pub fn of_problems(problems: &[Problem], text: &Text) -> Vec<Found> {
    let found = |problem: &Problem| Found {
        node: (problem.node != u32::MAX).then_some(problem.node),
        field: problem.field.clone(),
        words: text.get(&format!("cluster.problem.{}", problem.why)),
    };
    problems.iter().map(found).collect()
}

/// What the engine says, laid to the field that it speaks of.
pub fn of_error(error: &ClusterError, draft: &Draft, text: &Text) -> Found {
    let rest_of = |name: &str| match error.place.strip_prefix(name)? {
        "" => Some(String::new()),
        rest => rest.strip_prefix('.').map(str::to_owned),
    };
    // A name may begin as another one does: the longest that fits is meant.
    let fits = draft.nodes.iter().filter_map(|node| Some((node, rest_of(node.name.trim())?)));
    let Some((node, rest)) = fits.max_by_key(|(node, _)| node.name.len()) else {
        let words = text.fill("cluster.refused-at", &[("place", &error.place), ("cause", &error.cause)]);
        return Found { node: None, field: String::new(), words };
    };
    let field = match key_of(&error.cause) {
        Some(key) if rest.is_empty() => format!("config.{key}"),
        _ => match rest.as_str() {
            "skewMs" => "skew".to_owned(),
            rest => topic_field(rest, &node.what)
                .or_else(|| table_field(&error.cause, &node.what))
                .or_else(|| push_field(rest, &node.what))
                .unwrap_or_else(|| rest.to_owned()),
        },
    };
    Found { node: Some(node.id), field, words: text.fill("cluster.refused", &[("cause", &error.cause)]) }
}

/// The configuration key that a cause begins with, as in `` `listenPort` = `x`: … `` or `listenPort: …`.
fn key_of(cause: &str) -> Option<&str> {
    let key = match cause.strip_prefix('`') {
        Some(rest) => rest.split('`').next()?,
        None => cause.split([':', ' ']).next()?,
    };
    let is_key = key.contains(char::is_uppercase) && key.chars().all(|c| c.is_alphanumeric() || c == '.');
    (is_key && key.starts_with(char::is_lowercase)).then_some(key)
}

fn topic_field(rest: &str, what: &What) -> Option<String> {
    let name = rest.strip_prefix("topics.")?;
    let What::Broker { topics, .. } = what else { return None };
    let at = topics.iter().position(|topic| topic.name.trim() == name)?;
    Some(format!("topics.{at}.name"))
}

/// The table that a cause begins with, as in `` table `orders`: … ``.
fn table_field(cause: &str, what: &What) -> Option<String> {
    let name = cause.strip_prefix("table `")?.split('`').next()?;
    let What::Database(tables) = what else { return None };
    let at = tables.iter().position(|table| table.name.trim() == name)?;
    Some(format!("tables.{at}.name"))
}

/// A place in a push consumer, as in `push.subscriptions.OrderTopic` or `push.listener.rules[2].results`.
fn push_field(rest: &str, what: &What) -> Option<String> {
    let What::Consumer { push: Some(push), .. } = what else { return None };
    if let Some(topic) = rest.strip_prefix("push.subscriptions.") {
        let at = push.subscriptions.iter().position(|subscribed| subscribed.topic.trim() == topic)?;
        return Some(format!("push.subscriptions.{at}.topic"));
    }
    let of_listener = rest.strip_prefix("push.listener.")?;
    let rule = of_listener.strip_prefix("rules[").and_then(|rule| rule.split_once("]."));
    let field = match rule {
        None => of_listener.strip_suffix("Ms").unwrap_or(of_listener).to_owned(),
        Some((at, key)) => {
            let key = match key {
                "ackIndex" => "ack",
                "suspendMs" => "suspend",
                key => key,
            };
            format!("rules.{at}.{key}")
        }
    };
    Some(format!("push.{field}"))
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::client::consumer::{BusinessRecord, ConsumeResult, ListenerBusiness, ListenerRule};
    use rocketscope_engine::sim::World;
    use rocketscope_engine::view::sandbox_cluster;

    use super::{Found, of_error};
    use crate::components::cluster::draft::Draft;
    use crate::components::cluster::node::Kind;
    use crate::components::cluster::templates::Template;
    use crate::i18n::{Lang, Text};

    /// The engine's own words, laid where they belong.
    #[test]
    fn an_error_of_the_engine_stands_at_its_field() {
        type Spoil = fn(&mut rocketscope_engine::sim::Cluster);
        let spoil: [(&str, Spoil); 5] = [
            ("config.flushDiskType", |cluster| {
                cluster.brokers[0].config.insert("flushDiskType".to_owned(), "x".to_owned());
            }),
            ("config.noSuchKey", |cluster| {
                cluster.brokers[0].config.insert("noSuchKey".to_owned(), "1".to_owned());
            }),
            ("topics.1.name", |cluster| cluster.brokers[0].topics[1].perm = 99),
            ("skew", |cluster| cluster.brokers[0].skew_ms = i64::MAX),
            ("config.brokerIP1", |cluster| {
                cluster.brokers[0].config.insert("brokerIP1".to_owned(), "nowhere".to_owned());
            }),
        ];
        for (field, spoil) in spoil {
            let mut cluster = sandbox_cluster();
            spoil(&mut cluster);
            let draft = Draft::of(&cluster, 1);
            let error = World::new(&cluster, 1).unwrap_err();
            let broker = draft.of_kind(Kind::Broker).next().map(|node| node.id);
            let Found { node, field: found, words } = of_error(&error, &draft, &Text::new(Lang::En));
            assert_eq!((node, found.as_str()), (broker, field), "{error}");
            assert!(words.contains(&error.cause), "{words}");
        }
    }

    #[test]
    fn a_table_or_outbox_that_cannot_be_made_is_told_at_its_field() {
        type Spoil = fn(&mut rocketscope_engine::sim::Cluster);
        let spoil: [(Kind, &str, Spoil); 2] = [
            (Kind::Database, "tables.0.name", |cluster| cluster.databases[0].tables[0].key = vec!["no".to_owned()]),
            (Kind::Producer, "outbox", |cluster| {
                if let Some(outbox) = &mut cluster.producers[0].outbox {
                    outbox.database = "nowhere".to_owned();
                }
            }),
        ];
        for (kind, field, spoil) in spoil {
            let mut cluster = Template::Shop.cluster();
            spoil(&mut cluster);
            let draft = Draft::of(&cluster, 1);
            let error = World::new(&cluster, 1).unwrap_err();
            let found = of_error(&error, &draft, &Text::new(Lang::En));
            let node = draft.of_kind(kind).next().map(|node| node.id);
            assert_eq!((found.node, found.field.as_str()), (node, field), "{error}");
        }
    }

    /// Work with a database that there is not.
    fn business(push: &mut rocketscope_engine::sim::PushSpec) -> &mut ListenerBusiness {
        let business = push.listener.business.insert(Box::default());
        business.database = "nowhere".to_owned();
        business
    }

    #[test]
    fn what_a_push_consumer_cannot_be_is_told_at_its_field() {
        type Spoil = fn(&mut rocketscope_engine::sim::PushSpec);
        let spoil: [(&str, Spoil); 6] = [
            ("push.business", |push| business(push).record = None),
            ("push.business.record.at", |push| {
                let database = Some("elsewhere".to_owned());
                business(push).record = Some(BusinessRecord { database, ..BusinessRecord::default() });
            }),
            ("push.subscriptions.0.topic", |push| push.subscriptions[0].topic = "no such name!".to_owned()),
            ("push.result", |push| push.listener.result = ConsumeResult::Suspend),
            ("push.rules.0.results", |push| {
                let results = vec![ConsumeResult::Rollback];
                push.listener.rules.push(ListenerRule { results, ..ListenerRule::default() });
            }),
            ("push.takes", |push| push.listener.takes_ms = u32::MAX),
        ];
        for (field, spoil) in spoil {
            let mut cluster = Template::PushGroup.cluster();
            spoil(cluster.consumers[0].push.as_mut().unwrap());
            let draft = Draft::of(&cluster, 1);
            let error = World::new(&cluster, 1).unwrap_err();
            let found = of_error(&error, &draft, &Text::new(Lang::En));
            let node = draft.of_kind(Kind::Consumer).next().map(|node| node.id);
            assert_eq!((found.node, found.field.as_str()), (node, field), "{error}");
        }
    }
}

//! What each consumer group was handed, by message.

use std::{borrow::Cow, cell::OnceCell, collections::BTreeMap};

use super::effects;
use crate::{
    client::{
        Client, PullQueue, Received, Role,
        consumer::{
            Delivery, DeliveryFate, Expression, ListenerBusiness, ListenerKind, MessageModel, OwnQueue, PushConsumer,
        },
    },
    database::Database,
    filter::{Subscription, sql},
    message::property,
    sim::{Life, NodeActor, World},
};

/// A group, or one consumer where each gets everything.
pub(super) struct Group<'w> {
    pub(super) name: &'w str,
    /// The consumer's node, where each gets everything.
    pub(super) consumer: Option<&'w str>,
    pub(super) members: Vec<Member<'w>>,
    /// What was handed out, by the id of the message as it was sent, in the order of the calls.
    handed: BTreeMap<String, Vec<Handed<'w>>>,
    /// How often consumers that pull when told to have received it.
    received: BTreeMap<&'w str, u32>,
    /// What the push consumers want, by topic.
    wants: BTreeMap<&'w str, Vec<Wanted>>,
    /// By what listeners know messages by, the first that they have changed rows for; worked out when it is asked for.
    firsts: OnceCell<BTreeMap<String, &'w Received>>,
}

/// A push consumer.
pub(super) struct Member<'w> {
    pub(super) push: &'w PushConsumer,
    pub(super) lives: &'w [Life],
}

/// A message in a call of a listener.
#[derive(Clone, Copy)]
pub(super) struct Handed<'w> {
    /// Place of the consumer among the members.
    pub(super) member: usize,
    pub(super) delivery: &'w Delivery,
    /// The message as the listener got it.
    pub(super) message: &'w Received,
    /// The place of the message in the call.
    pub(super) place: usize,
}

/// What a push consumer wants of a topic.
enum Wanted {
    Tags(Subscription),
    /// An expression that cannot be read takes nothing.
    Sql(Option<sql::Expression>),
}

/// Whether a group of the world has an expression over properties.
pub(super) fn filters_by_properties(world: &World) -> bool {
    let mut pushes = world.nodes().filter_map(|node| match node.actor {
        NodeActor::Client(client) => client.push(),
        _ => None,
    });
    pushes.any(|push| push.settings().subscriptions.values().any(|wants| matches!(wants, Expression::Sql(_))))
}

/// The groups of a world, by name.
pub(super) fn groups(world: &World) -> Vec<Group<'_>> {
    let mut groups: BTreeMap<(&str, Option<&str>), Group<'_>> = BTreeMap::new();
    for node in world.nodes() {
        let NodeActor::Client(client) = node.actor else { continue };
        if !matches!(client.role(), Role::Consumer { .. }) {
            continue;
        }
        let alone = client.push().is_some_and(|push| push.settings().message_model == MessageModel::Broadcasting);
        let consumer = alone.then_some(node.name);
        let group = groups.entry((client.group(), consumer)).or_insert_with(|| Group {
            name: client.group(),
            consumer,
            members: Vec::new(),
            handed: BTreeMap::new(),
            received: BTreeMap::new(),
            wants: BTreeMap::new(),
            firsts: OnceCell::new(),
        });
        group.add(client, world.lives(node.name));
    }
    let mut groups: Vec<Group<'_>> = groups.into_values().collect();
    for group in &mut groups {
        for handed in group.handed.values_mut() {
            handed.sort_by_key(|handed| handed.delivery.began_us);
        }
    }
    groups
}

impl<'w> Group<'w> {
    fn add(&mut self, client: &'w Client, lives: &'w [Life]) {
        for message in client.received() {
            let count = self.received.entry(message.msg_id.as_str()).or_default();
            *count = count.saturating_add(1);
        }
        let Some(push) = client.push() else { return };
        for (topic, expression) in &push.settings().subscriptions {
            let wanted = match expression {
                Expression::Tags(tags) => Wanted::Tags(Subscription::tags(topic, tags.as_deref(), 0)),
                Expression::Sql(sql) => Wanted::Sql(sql::Expression::parse(sql).ok()),
            };
            self.wants.entry(topic).or_default().push(wanted);
        }
        let member = self.members.len();
        self.members.push(Member { push, lives });
        for delivery in push.consumed() {
            for (place, message) in delivery.messages.iter().enumerate() {
                let handed = Handed { member, delivery, message, place };
                self.handed.entry(origin_of(message).into_owned()).or_default().push(handed);
            }
        }
    }

    /// The calls of listeners with a message, in their order.
    pub(super) fn handed(&self, id: &str) -> &[Handed<'w>] {
        self.handed.get(id).map_or(&[], Vec::as_slice)
    }

    /// The calls with any message.
    pub(super) fn all_handed(&self) -> impl Iterator<Item = &Handed<'w>> {
        self.handed.values().flatten()
    }

    /// The first message that listeners have changed rows for, of those that they know by this.
    pub(super) fn first_done(&self, world: &'w World, known_by: &str) -> Option<&'w Received> {
        self.firsts.get_or_init(|| effects::firsts(world, self)).get(known_by).copied()
    }

    /// How often consumers that pull when told to have received it.
    pub(super) fn received(&self, id: &str) -> u32 {
        self.received.get(id).copied().unwrap_or(0)
    }

    /// Whether one of its push consumers subscribes the topic.
    pub(super) fn subscribes(&self, topic: &str) -> bool {
        self.wants.contains_key(topic)
    }

    /// Whether one of its push consumers wants a message of these tags and properties.
    pub(super) fn wants(&self, topic: &str, tags: Option<&str>, properties: Option<&str>) -> bool {
        self.wants.get(topic).is_some_and(|wants| wants.iter().any(|wanted| wanted.fits(tags, properties)))
    }

    /// Whether all of its push consumers that subscribe the topic want such a message.
    pub(super) fn agrees_on(&self, topic: &str, tags: Option<&str>, properties: Option<&str>) -> bool {
        let wants = self.wants.get(topic).map_or(&[][..], Vec::as_slice);
        wants.len() == self.members.len() && wants.iter().all(|wanted| wanted.fits(tags, properties))
    }

    /// The consumer that has the queue now.
    pub(super) fn owner(&self, queue: &PullQueue) -> Option<&'w OwnQueue> {
        let mut own = self.members.iter().filter_map(|member| member.push.queues().get(queue));
        own.find(|own| !own.process_queue().is_dropped())
    }

    /// Whether its listeners are orderly ones.
    pub(super) fn is_orderly(&self) -> bool {
        self.members.iter().any(|member| member.push.listener().kind == ListenerKind::Orderly)
    }

    /// What the listener that was called does in a database, if anything.
    pub(super) fn business(&self, handed: &Handed<'_>) -> Option<&'w ListenerBusiness> {
        self.members.get(handed.member)?.push.listener().business.as_deref()
    }

    /// The database that it changes rows of: the node.
    pub(super) fn database(&self, handed: &Handed<'_>) -> Option<&'w str> {
        self.business(handed).map(|business| business.database.as_str())
    }

    /// Whether its listeners work with a database.
    pub(super) fn has_business(&self) -> bool {
        self.members.iter().any(|member| member.push.listener().business.is_some())
    }
}

impl Wanted {
    fn fits(&self, tags: Option<&str>, properties: Option<&str>) -> bool {
        match self {
            Self::Tags(subscription) => subscription.matches_tag(tags),
            Self::Sql(None) => false,
            Self::Sql(Some(expression)) => {
                let properties = crate::message::Properties::parse(properties.unwrap_or_default());
                expression.matches(|name| properties.get(name))
            }
        }
    }
}

impl<'w> Handed<'w> {
    /// Whether the listener said that it is done with the message.
    pub(super) fn is_consumed(&self) -> bool {
        self.delivery.result.is_some() && self.place < self.delivery.consumed
    }

    /// Whether the listener said that it is not done with it.
    pub(super) fn is_refused(&self) -> bool {
        self.delivery.result.is_some() && self.place >= self.delivery.consumed
    }

    /// Whether the listener has it now.
    pub(super) fn is_running(&self) -> bool {
        self.delivery.fate == DeliveryFate::Running
    }

    /// Messages of its call that the application took for done before.
    pub(super) fn skipped(&self) -> u32 {
        self.delivery.business.as_ref().map_or(0, |done| done.skipped)
    }

    /// The record that it was: broker and place.
    pub(super) fn record(&self) -> (&'w str, i64) {
        (self.delivery.queue.broker_name.as_str(), self.message.physical_offset)
    }

    /// The transactions that it began for the message and that have changed rows other than the listener's own records.
    pub(super) fn effects(&self, database: &'w Database, records: Option<&str>) -> impl Iterator<Item = Changed<'w>> {
        let place = self.place;
        let begun = self.delivery.transactions.iter().filter(move |begun| begun.place == place);
        begun.filter_map(move |begun| {
            let rows = database.changed_by(begun.transaction)?.iter();
            let rows: Vec<_> = rows.filter(|row| records != Some(row.table.as_str())).collect();
            (!rows.is_empty()).then_some(rows)
        })
    }
}

/// The rows that a transaction has changed.
pub(super) type Changed<'w> = Vec<&'w crate::database::RowChanged>;

/// The id that a message was sent with. What was given back without a `UNIQ_KEY` has another one now.
pub(super) fn origin_of(message: &Received) -> Cow<'_, str> {
    let given_back = message.reconsume_times > 0 && message.msg_id == message.offset_msg_id;
    let origin = given_back.then(|| message.property(property::ORIGIN_MESSAGE_ID)).flatten();
    origin.map_or(Cow::Borrowed(&*message.msg_id), Cow::Owned)
}

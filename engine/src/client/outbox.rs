//! The relay of an outbox: it reads the rows that are not sent yet, sends them in order, and notes each that is sent.
//!
//! A crash, or a database that cannot be reached, between a send and its note leaves a row that is sent again. So a
//! relay loses nothing and may send twice; two sends of a row have two client ids and the same keys.

use std::collections::{BTreeMap, VecDeque};

use super::{
    Client, NewMessage, SendMode, Waiting,
    application::{DATABASE_TIMEOUT_MS, Failed, database_result},
    purpose::Purpose,
};
use crate::{
    database::TableSpec,
    message::property,
    node::{Answer, ApplicationStep, Grid, Service, Turn},
    wire::{Cell, Change, DatabaseAnswer, DatabaseCommand, Request, Values},
};

/// The columns of an outbox.
mod column {
    pub(super) const ID: &str = "id";
    pub(super) const EVENT: &str = "event";
    pub(super) const TOPIC: &str = "topic";
    pub(super) const QUEUE: &str = "queue";
    pub(super) const TAG: &str = "tag";
    pub(super) const KEYS: &str = "keys";
    pub(super) const PROPERTIES: &str = "properties";
    pub(super) const BODY: &str = "body";
    pub(super) const SENT: &str = "sent";

    pub(super) const ALL: [&str; 9] = [ID, EVENT, TOPIC, QUEUE, TAG, KEYS, PROPERTIES, BODY, SENT];
}

/// The table of an outbox.
pub fn outbox_table(name: &str) -> TableSpec {
    TableSpec {
        name: name.to_owned(),
        columns: column::ALL.map(str::to_owned).to_vec(),
        key: vec![column::ID.to_owned()],
        auto_increment: Some(column::ID.to_owned()),
        ..TableSpec::default()
    }
}

/// The row that holds a message until it is sent. The cause if a row cannot hold it.
pub fn outbox_row(message: &NewMessage) -> Result<Values, String> {
    let body = String::from_utf8(message.body.to_vec()).map_err(|_| "an outbox holds bodies of text".to_owned())?;
    let plain = message.batch.is_none() && message.selector.is_none() && message.broker.is_none() && message.flag == 0;
    if !plain || message.mode != SendMode::Sync {
        let cause =
            "an outbox holds single messages without flag, broker and selector, and its relay sends them in sync";
        return Err(cause.to_owned());
    }
    let mut row = Values::new();
    let mut put = |column: &str, cell: Option<Cell>| cell.map(|cell| row.insert(column.to_owned(), cell));
    put(column::EVENT, message.name.as_deref().map(Cell::from));
    put(column::TOPIC, Some(Cell::from(message.topic.as_str())));
    put(column::QUEUE, message.queue.map(|queue| Cell::Int(i64::from(queue))));
    put(column::BODY, Some(Cell::Text(body)));
    put(column::SENT, Some(Cell::Int(0)));
    let mut others = BTreeMap::new();
    for (name, value) in &message.properties {
        match name.as_str() {
            property::TAGS => drop(put(column::TAG, Some(Cell::from(value.as_str())))),
            property::KEYS => drop(put(column::KEYS, Some(Cell::from(value.as_str())))),
            _ => drop(others.insert(name, value)),
        }
    }
    let others = serde_json::to_string(&others).map_err(|error| error.to_string())?;
    put(column::PROPERTIES, Some(Cell::Text(others)));
    Ok(row)
}

/// The message that a row holds.
fn message_of(row: &Values) -> NewMessage {
    let text = |column: &str| match row.get(column) {
        Some(Cell::Text(text)) => Some(text.clone()),
        Some(Cell::Int(number)) => Some(number.to_string()),
        Some(Cell::Null) | None => None,
    };
    let mut properties = Vec::new();
    properties.extend(text(column::TAG).map(|tag| (property::TAGS.to_owned(), tag)));
    properties.extend(text(column::KEYS).map(|keys| (property::KEYS.to_owned(), keys)));
    let others = text(column::PROPERTIES).and_then(|json| serde_json::from_str::<BTreeMap<String, String>>(&json).ok());
    properties.extend(others.into_iter().flatten());
    NewMessage {
        name: text(column::EVENT),
        topic: text(column::TOPIC).unwrap_or_default(),
        queue: match row.get(column::QUEUE) {
            Some(Cell::Int(queue)) => i32::try_from(*queue).ok(),
            _ => None,
        },
        properties,
        body: text(column::BODY).unwrap_or_default().into_bytes().into(),
        ..NewMessage::default()
    }
}

/// Where an outbox is, and how it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outbox {
    /// The database's node.
    pub database: String,
    /// Its `ip:port`.
    pub addr: String,
    /// The table.
    pub table: String,
    /// From round to round, milliseconds.
    pub period_ms: i64,
    /// Rows of one round at most.
    pub batch: u32,
}

/// The relay.
#[derive(Clone, Debug)]
pub(super) struct Relay {
    outbox: Outbox,
    grid: Grid,
    state: State,
    /// Rows that were read and not sent yet.
    rows: VecDeque<Values>,
}

/// What the relay does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It waits for its next round.
    Idle,
    /// It waits for an answer.
    Waiting,
    /// It is about to send the next row.
    Send,
    /// It is about to note that this row is sent.
    Mark(i64),
}

impl Relay {
    pub(super) fn new(outbox: Outbox) -> Self {
        let grid = Grid::new(0, outbox.period_ms.saturating_mul(1000));
        Self { outbox, grid, state: State::Idle, rows: VecDeque::new() }
    }

    /// The same relay in a new process.
    pub(super) fn renewed(&self) -> Self {
        Self::new(self.outbox.clone())
    }
}

/// What a call of the relay is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RelayCall {
    Read,
    Mark,
}

impl Client {
    pub(super) fn start_relay(&mut self, turn: &mut Turn<'_>) {
        let Some(relay) = &mut self.relay else { return };
        let period_us = relay.outbox.period_ms.saturating_mul(1000);
        relay.grid = Grid::new(turn.now_us().saturating_add(period_us), period_us);
        let (database, period_ms) = (relay.outbox.database.clone(), relay.outbox.period_ms);
        turn.step(ApplicationStep::RelayStarted { database, period_ms });
        // The process that ended before may have left rows.
        turn.wake_for_work(Service::OutboxRelay, relay.grid.start_us);
    }

    /// A turn of the relay: a round begins, or the present one goes on.
    pub(super) fn relay(&mut self, turn: &mut Turn<'_>) {
        let Some(relay) = &mut self.relay else { return };
        turn.wake_at(Service::OutboxRelay, relay.grid.after(turn.now_us()));
        match relay.state {
            State::Idle => {
                relay.state = State::Waiting;
                let (table, limit) = (relay.outbox.table.clone(), relay.outbox.batch);
                let only = Values::from([(column::SENT.to_owned(), Cell::Int(0))]);
                let command = DatabaseCommand::Select { transaction: None, table, only, limit };
                self.ask_outbox(RelayCall::Read, command, turn);
            }
            State::Waiting => {}
            State::Send => self.send_row(turn),
            State::Mark(id) => {
                relay.state = State::Waiting;
                let change = Change::Update {
                    table: relay.outbox.table.clone(),
                    key: Values::from([(column::ID.to_owned(), Cell::Int(id))]),
                    only_if: Values::new(),
                    set: Values::from([(column::SENT.to_owned(), Cell::Int(1))]),
                    add: BTreeMap::new(),
                };
                turn.step(ApplicationStep::RelayMarks { id });
                let command = DatabaseCommand::Execute { transaction: None, changes: vec![change] };
                self.ask_outbox(RelayCall::Mark, command, turn);
            }
        }
    }

    fn ask_outbox(&mut self, call: RelayCall, command: DatabaseCommand, turn: &mut Turn<'_>) {
        let Some(relay) = &self.relay else { return };
        let request = Request::Database(Box::new(command));
        let id = turn.call(Service::OutboxRelay, &relay.outbox.addr, request, DATABASE_TIMEOUT_MS);
        self.calls.insert(id, Waiting::Relay(call));
    }

    fn send_row(&mut self, turn: &mut Turn<'_>) {
        let Some(relay) = &mut self.relay else { return };
        let Some(row) = relay.rows.pop_front() else {
            // The next round looks whether there is more, and as long as there may be the world is not at rest.
            relay.state = State::Idle;
            turn.wake_for_work(Service::OutboxRelay, relay.grid.after(turn.now_us()));
            return;
        };
        relay.state = State::Waiting;
        let id = match row.get(column::ID) {
            Some(Cell::Int(id)) => *id,
            _ => 0,
        };
        turn.step(ApplicationStep::RelaySends { id });
        self.send_for(Purpose::Relay { id }, message_of(&row), turn);
    }

    /// The database has answered the relay.
    pub(super) fn relay_answered(&mut self, call: RelayCall, answer: Answer, turn: &mut Turn<'_>) {
        let result = database_result(answer);
        let Some(relay) = &mut self.relay else { return };
        match (call, result) {
            (RelayCall::Read, Ok(DatabaseAnswer::Rows { rows })) if rows.is_empty() => {
                relay.state = State::Idle;
                turn.park(Service::OutboxRelay, relay.grid.after(turn.now_us()), relay.grid.period_us);
            }
            (RelayCall::Read, Ok(DatabaseAnswer::Rows { rows })) => {
                let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
                turn.step(ApplicationStep::RelayFound { count });
                relay.rows = rows.into();
                relay.state = State::Send;
                turn.wake_for_work(Service::OutboxRelay, turn.now_us());
            }
            (_, Ok(_)) => {
                relay.state = State::Send;
                turn.wake_for_work(Service::OutboxRelay, turn.now_us());
            }
            (_, Err(failed)) => self.give_up(failed, turn),
        }
    }

    /// The send of a row has ended.
    pub(super) fn relay_sent(&mut self, id: i64, place: usize, turn: &mut Turn<'_>) {
        match self.sent.get(place).and_then(|sent| sent.error.clone()) {
            None => {
                if let Some(relay) = &mut self.relay {
                    relay.state = State::Mark(id);
                    turn.wake_for_work(Service::OutboxRelay, turn.now_us());
                }
            }
            // The rows after it wait too: they leave in order.
            Some(error) => self.give_up(Failed::Refused(error), turn),
        }
    }

    /// Ends a round before its time. The next one begins with what is not marked.
    fn give_up(&mut self, failed: Failed, turn: &mut Turn<'_>) {
        let Some(relay) = &mut self.relay else { return };
        relay.rows.clear();
        relay.state = State::Idle;
        turn.step(ApplicationStep::RelayGaveUp { cause: failed.into_text() });
        turn.wake_at(Service::OutboxRelay, relay.grid.after(turn.now_us()));
    }
}

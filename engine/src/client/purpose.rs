//! What a message is sent for: what follows inside the client once the send has ended.

use super::{Client, NewMessage, consumer::BackFrom};
use crate::node::{ProducerStep, Turn};

/// Who waits for a send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The application that called: it reads the outcome, and nothing else follows.
    Application,
    /// The application that sends a list in pieces: the next piece goes out when this one has a result, and none after an
    /// exception (the distribution's `SplitBatchProducer`).
    Piece(Vec<NewMessage>),
    /// A phase of the application's business with a database.
    Business {
        /// Its number.
        number: u64,
    },
    /// A transactional send: it is its half message.
    Transaction {
        /// The transaction's number.
        number: u64,
    },
    /// The relay of an outbox.
    Relay {
        /// The row.
        id: i64,
    },
    /// The client's inner producer, for a message that could not be given back.
    GivenBack {
        /// The message's id.
        about: String,
    },
    /// The same for a push consumer.
    SentBack {
        /// Who gives it back.
        from: BackFrom,
    },
}

impl Client {
    /// A send has ended; its outcome stands at `place` in [`Client::sent`]. A one-way send ends when it is handed to the
    /// network.
    pub(super) fn send_ended(&mut self, purpose: Purpose, place: usize, turn: &mut Turn<'_>) {
        match purpose {
            Purpose::Application => {}
            Purpose::Business { number } => self.business_sent(number, place, turn),
            Purpose::Transaction { number } => self.half_sent(number, place, turn),
            Purpose::Relay { id } => self.relay_sent(id, place, turn),
            Purpose::GivenBack { about } => self.sent_instead(about, place, turn),
            Purpose::SentBack { from } => self.sent_in_place(from, place, turn),
            Purpose::Piece(pieces) => {
                if self.sent.get(place).is_some_and(|outcome| outcome.error.is_none()) {
                    self.send_pieces(pieces, turn);
                }
            }
        }
    }

    /// The application sends batches, one after the other; more than one only if it has `split` a list.
    pub fn send_batches(&mut self, pieces: Vec<NewMessage>, split: bool, turn: &mut Turn<'_>) {
        if split {
            let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
            let messages = pieces.iter().filter_map(|piece| piece.batch.as_ref()).map(Vec::len).sum();
            turn.step(ProducerStep::BatchSplit { messages: count(messages), pieces: count(pieces.len()) });
        }
        self.send_pieces(pieces, turn);
    }

    fn send_pieces(&mut self, pieces: Vec<NewMessage>, turn: &mut Turn<'_>) {
        let mut pieces = pieces.into_iter();
        if let Some(first) = pieces.next() {
            self.send_for(Purpose::Piece(pieces.collect()), first, turn);
        }
    }
}

//! What a message is sent for: what follows inside the client once the send has ended.

use super::Client;
use crate::node::Turn;

/// Who waits for a send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The application that called: it reads the outcome, and nothing else follows.
    Application,
}

impl Client {
    /// A send has ended; its outcome stands at `place` in [`Client::sent`]. A one-way send ends when it is handed to the
    /// network.
    #[expect(clippy::needless_pass_by_value, reason = "a purpose is used up here")]
    pub(super) const fn send_ended(&mut self, purpose: Purpose, _place: usize, _turn: &mut Turn<'_>) {
        match purpose {
            Purpose::Application => {}
        }
    }
}

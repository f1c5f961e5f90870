//! The choice among the NameServers (`NettyRemotingClient.getAndCreateNameserverChannel`): one of them is used until its
//! connection fails, then the next in the list.

use super::{Client, Waiting};
use crate::{
    node::{Answer, CallError, NamesStep, Service, Turn},
    wire::Request,
};

/// The NameServers that a client knows, and the one that it uses.
#[derive(Clone, Debug, Default)]
pub struct NameServers {
    /// `ip:port`, in the order of the client's own shuffle.
    addrs: Vec<String>,
    /// `namesrvIndex`.
    index: i32,
    /// Place of the one in use.
    chosen: Option<usize>,
    /// Its connection stands, or is being made.
    connected: bool,
}

/// A question to whatever NameServer is in use.
#[derive(Clone, Debug)]
pub(super) struct Asking {
    addr: String,
    request: Request,
    service: Service,
    timeout_ms: i64,
    began_us: i64,
    /// NameServers tried.
    tries: usize,
    then: Waiting,
}

impl NameServers {
    pub(super) fn new(addrs: Vec<String>) -> Self {
        Self { addrs, ..Self::default() }
    }

    /// The addresses are shuffled once (`updateNameServerAddressList`); the first one to be used is the one after a place
    /// drawn by lot (`initValueIndex`).
    pub(super) fn shuffle(&mut self, turn: &mut Turn<'_>) {
        for last in (1..self.addrs.len()).rev() {
            let bound = u32::try_from(last).unwrap_or(u32::MAX - 1) + 1;
            self.addrs.swap(last, turn.streams().below("nameServer", bound) as usize);
        }
        self.index = (turn.streams().next_i32("nameServerIndex") % 999).abs();
    }

    /// All addresses, in the order of the list.
    pub fn addrs(&self) -> &[String] {
        &self.addrs
    }

    /// The one in use; before the first call there is none.
    pub fn chosen(&self) -> Option<&str> {
        self.addrs.get(self.chosen?).map(String::as_str)
    }

    /// The address for the next call, and whether it is another one than before.
    fn pick(&mut self) -> Option<(String, bool)> {
        let before = self.chosen;
        if !self.connected {
            self.index = self.index.wrapping_add(1);
            let place = usize::try_from(self.index.unsigned_abs()).unwrap_or(0).checked_rem(self.addrs.len())?;
            self.chosen = Some(place);
            self.connected = true;
        }
        Some((self.chosen()?.to_owned(), self.chosen != before))
    }

    /// The connection to `addr` has failed.
    fn lost(&mut self, addr: &str) {
        if self.chosen() == Some(addr) {
            self.connected = false;
        }
    }
}

impl Client {
    /// The NameServer that it uses, `ip:port`; before its first call it has none.
    pub fn name_server(&self) -> Option<&str> {
        self.name_servers.chosen()
    }

    /// The addresses of all NameServers.
    pub fn name_servers(&self) -> &[String] {
        self.name_servers.addrs()
    }

    /// Asks a NameServer; `false`: there is none.
    pub(super) fn call_name_server(
        &mut self,
        service: Service,
        request: Request,
        timeout_ms: i64,
        then: Waiting,
        turn: &mut Turn<'_>,
    ) -> bool {
        let began_us = turn.now_us();
        let asking = Asking { addr: String::new(), request, service, timeout_ms, began_us, tries: 0, then };
        self.try_name_server(asking, turn)
    }

    fn try_name_server(&mut self, asking: Asking, turn: &mut Turn<'_>) -> bool {
        let before = self.name_servers.chosen().map(|addr| turn.name_of(addr));
        let Some((addr, other)) = self.name_servers.pick() else { return false };
        if other && self.name_servers.addrs.len() > 1 {
            turn.step(NamesStep::NameServerChosen { node: turn.name_of(&addr), before });
        }
        let Asking { request, service, timeout_ms, began_us, .. } = &asking;
        // Connecting takes from the time that the call has.
        let left_ms = timeout_ms.saturating_sub((turn.now_us() - began_us) / 1000);
        let call = turn.call(*service, &addr, request.clone(), left_ms);
        let asking = Asking { addr, tries: asking.tries.saturating_add(1), ..asking };
        self.calls.insert(call, Waiting::NameServer(Box::new(asking)));
        true
    }

    /// What came of a question to a NameServer: the next one is tried where no connection could be had, each of them once.
    /// Everything else goes to whoever asked.
    pub(super) fn name_server_answered(&mut self, asking: Asking, answer: Answer, turn: &mut Turn<'_>) {
        if answer.result.is_err() {
            self.name_servers.lost(&asking.addr);
        }
        let mut answer = answer;
        if let Err(CallError::Connect { .. }) = &answer.result {
            let spent_ms = (turn.now_us() - asking.began_us) / 1000;
            let all = self.name_servers.addrs.len();
            answer.result = Err(if asking.tries >= all {
                CallError::Connect { addr: format!("[{}]", self.name_servers.addrs.join(", ")) }
            } else if spent_ms > asking.timeout_ms {
                CallError::Late { addr: "null".to_owned() }
            } else {
                self.try_name_server(asking, turn);
                return;
            });
        }
        self.answered(asking.then, answer, turn);
    }

    /// A connection to `peer` is gone.
    pub(super) fn name_server_lost(&mut self, peer: &str, turn: &Turn<'_>) {
        let chosen = self.name_servers.chosen().map(str::to_owned);
        if let Some(addr) = chosen.filter(|addr| turn.name_of(addr) == peer) {
            self.name_servers.lost(&addr);
        }
    }
}

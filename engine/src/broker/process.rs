//! The running process: everything that a kill would lose, and the disk it works on.

use std::{collections::VecDeque, sync::Arc};

use super::{
    BrokerConfig, Clients, ConsumerFilters, ConsumerOffsets, Groups, Ha, Phase, Topics,
    answers::{Answers, Promised},
    clean::Cleaning,
    config_file::ConfigFile,
    flush::Flushing,
    hold::Holds,
    life,
    locks::Locks,
    persist::Persisting,
    register::Registering,
    schedule::Schedule,
    send::WaitingPut,
    slave::SlaveSync,
    stalled_put::StalledPut,
    transaction::Transactions,
};
use crate::{
    disk::MemoryDisk,
    message::Host,
    node::{BrokerStep, Caller, Grid, Service, Turn},
    planted::Planted,
    store::{Reput, Store},
    wire::{Request, TopicConfig},
};

/// `ReputMessageService` sleeps so long between two looks, microseconds.
pub(super) const REPUT_PERIOD_US: i64 = 1_000;

/// Appends whose events are remembered for reput's sake, at most.
const APPENDED_MAX: usize = 4096;

/// A broker process (`BrokerController`).
#[derive(Clone, Debug)]
pub struct Process {
    pub(super) phase: Phase,
    pub(super) config: Arc<BrokerConfig>,
    pub(super) store: Store<MemoryDisk>,
    pub(super) store_host: Host,
    pub(super) name_servers: Arc<[String]>,
    pub(super) topics: Topics,
    pub(super) offsets: ConsumerOffsets,
    pub(super) groups: Groups,
    pub(super) filters: ConsumerFilters,
    pub(super) clients: Clients,
    pub(super) locks: Locks,
    pub(super) holds: Holds,
    pub(super) registering: Registering,
    pub(super) flushing: Flushing,
    pub(super) cleaning: Cleaning,
    pub(super) waiting_puts: Vec<WaitingPut>,
    pub(super) answers: Answers,
    pub(super) ha: Ha,
    pub(super) slave_sync: SlaveSync,
    /// Where appends began that reput has not met yet, with their events.
    pub(super) appended: VecDeque<(i64, u64)>,
    pub(super) reput: Grid,
    pub(super) persisting: Persisting,
    pub(super) schedule: Schedule,
    pub(super) transactions: Transactions,
    pub(super) housekeeping: Grid,
    /// The rounds of the look for requests that have waited too long.
    pub(super) fast_failure: Grid,
    /// The put that holds the append lock.
    pub(super) stalled_put: Option<StalledPut>,
    pub(super) planted: Planted,
    pub(super) promised: Promised,
}

impl Process {
    /// Its configuration.
    pub fn config(&self) -> &BrokerConfig {
        &self.config
    }

    /// Its store.
    pub const fn store(&self) -> &Store<MemoryDisk> {
        &self.store
    }

    pub(crate) const fn store_mut(&mut self) -> &mut Store<MemoryDisk> {
        &mut self.store
    }

    /// What it has promised to those who waited.
    pub const fn promised(&self) -> Promised {
        self.promised
    }

    /// Its topics.
    pub const fn topics(&self) -> &Topics {
        &self.topics
    }

    /// How far each group has read.
    pub const fn offsets(&self) -> &ConsumerOffsets {
        &self.offsets
    }

    /// The settings of the consumer groups.
    pub const fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The clients that heartbeat.
    pub const fn clients(&self) -> &Clients {
        &self.clients
    }

    /// Pulls that wait for a message: topic, queue and the offset they wait for.
    pub fn held_pulls(&self) -> impl Iterator<Item = (&str, i32, i64)> {
        self.holds.iter()
    }

    pub(super) fn request(&mut self, caller: &Caller, request: Request, turn: &mut Turn<'_>) {
        if let Some(request) = self.stall_put(caller, request, turn) {
            self.handle(caller, request, turn);
        }
    }

    pub(super) fn handle(&mut self, caller: &Caller, request: Request, turn: &mut Turn<'_>) {
        match request {
            // The header says whether the body holds entries, not the code.
            Request::SendMessage(request) | Request::SendMessageV2(request) | Request::SendBatchMessage(request) => {
                if request.batch {
                    self.send_batch(caller, request, turn);
                } else {
                    self.send(caller, request, turn);
                }
            }
            Request::ConsumerSendMsgBack(request) => self.send_back(caller, &request, turn),
            Request::EndTransaction(request) => self.end_transaction(caller, &request, turn),
            Request::PullMessage(request) => self.pull(caller, &request, true, turn),
            Request::HeartBeat(data) => self.heartbeat(caller, &data, turn),
            Request::UnregisterClient(goodbye) => self.unregister(caller, &goodbye, turn),
            other => self.admin(caller, other, turn),
        }
    }

    pub(super) fn wake(&mut self, service: Service, turn: &mut Turn<'_>) {
        if service != Service::Reput && service != Service::Process && !self.has_services() {
            return;
        }
        match service {
            // The timers end as the stop begins.
            Service::CleanFiles if !self.is_running() => {}
            Service::CommitCommitLog
            | Service::FlushCommitLog
            | Service::FlushDiskWatcher
            | Service::Schedule
            | Service::TransactionCheck
                if self.is_log_closed() => {}
            Service::Schedule | Service::EndTransaction if self.waits_for_lock(service, turn) => {}
            Service::Process => self.go_on(turn),
            Service::Put => self.end_stalled_put(turn),
            Service::Pull => self.pull_again(turn),
            Service::PullHold => self.check_holds(turn),
            Service::Reput => self.reput(turn),
            Service::CommitCommitLog => self.commit_commit_log(turn),
            Service::FlushCommitLog => self.flush_commit_log(turn),
            Service::FlushDiskWatcher => self.expire_puts(turn),
            Service::FlushConsumeQueue => self.flush_consume_queues(turn),
            Service::CleanFiles => self.clean_files(turn),
            Service::PersistOffset => self.persist_offsets(turn),
            Service::Schedule => self.deliver(turn),
            Service::EndTransaction => self.go_on_with_commits(turn),
            Service::TransactionCheck => self.check_transactions(turn),
            Service::Register => self.register_round(turn),
            Service::HaRead | Service::HaTransfer | Service::GroupTransfer | Service::HaClient => {
                self.ha_wake(service, turn);
            }
            Service::SlaveSync => self.sync_with_master(turn),
            Service::ClientHousekeeping => self.scan_clients(turn),
            _ => {}
        }
    }

    /// One record is dispatched; whoever waits for it is told.
    fn reput(&mut self, turn: &mut Turn<'_>) {
        match self.store.reput_attempt(turn) {
            Reput::Dispatched(info) if self.has_services() => {
                self.arriving(&info, turn);
                self.delayed_dispatched(&info, turn);
                self.transaction_dispatched(&info, turn);
                self.wake_queue_flush(turn);
            }
            Reput::Waits { ms } => turn.spend_us(ms.saturating_mul(1000)),
            // What waits cannot be dispatched before something changes: a commit, the confirm
            // offset, a slave's bytes.
            Reput::Idle => return,
            Reput::Skipped { from, to } if from == to => return,
            _ => {}
        }
        // Inside a round the next record follows at once.
        self.wake_reput(turn.now_us(), turn);
        self.look_on(turn);
    }

    /// Something was put at `physical_offset`: reput and flush have work.
    pub(super) fn appended(&mut self, physical_offset: i64, turn: &mut Turn<'_>) {
        self.log_grew(physical_offset, turn);
        self.wake_log_services(turn);
    }

    /// Bytes of the master were appended at `physical_offset`. The flush service is not woken, but finds them in its
    /// next round (`DefaultMessageStore.appendToCommitLog`).
    pub(super) fn replicated(&mut self, physical_offset: i64, turn: &mut Turn<'_>) {
        self.log_grew(physical_offset, turn);
        self.plan_log_flush(turn);
    }

    fn log_grew(&mut self, physical_offset: i64, turn: &mut Turn<'_>) {
        if self.appended.len() == APPENDED_MAX {
            self.appended.pop_front();
        }
        self.appended.push_back((physical_offset, turn.seq()));
        self.wake_reput(self.next_reput_us(turn), turn);
        self.wake_transfer(false, turn);
    }

    /// The next moment at which reput looks of its own accord.
    pub(super) fn next_reput_us(&self, turn: &Turn<'_>) -> i64 {
        self.reput.after(turn.now_us())
    }

    /// Reput has a turn at `at_us` if there is something to dispatch. Its cause is the append of the record that it
    /// will meet.
    pub(super) fn wake_reput(&mut self, at_us: i64, turn: &mut Turn<'_>) {
        let next = self.store.reput_from_offset();
        if next >= self.store.max_phy_offset() {
            return;
        }
        // Of a batch, and of what a slave appends, the record can lie inside what was appended.
        while self.appended.get(1).is_some_and(|(offset, _)| *offset <= next) {
            self.appended.pop_front();
        }
        let cause = self.appended.front().filter(|(offset, _)| *offset <= next).map(|(_, seq)| *seq);
        turn.wake_because(Service::Reput, at_us, cause);
    }

    /// The settings of a group, made and saved if they may be.
    pub(super) fn group(&mut self, group: &str, turn: &mut Turn<'_>) -> Option<super::GroupConfig> {
        let auto_create = self.config.auto_create_subscription_group;
        let (settings, made) = self.groups.find(group, auto_create, turn.wall_ms())?;
        if made {
            turn.disturb_only(Service::SlaveSync);
            self.save(turn, |process| &process.groups);
        }
        Some(settings)
    }

    /// Puts a topic into the table, saves the table and tells the NameServers.
    pub(super) fn create_topic(&mut self, topic: TopicConfig, from: Option<String>, turn: &mut Turn<'_>) {
        self.put_topic(topic, from, turn);
        self.register_all(false, turn);
    }

    /// Puts a topic into the table and saves the table.
    pub(super) fn put_topic(&mut self, topic: TopicConfig, from: Option<String>, turn: &mut Turn<'_>) {
        turn.step(BrokerStep::TopicCreated {
            topic: topic.topic_name.clone(),
            read_queue_nums: topic.read_queue_nums,
            write_queue_nums: topic.write_queue_nums,
            perm: topic.perm,
            from,
        });
        self.topics.put(topic, turn.wall_ms());
        self.save(turn, |process| &process.topics);
        turn.disturb();
    }

    /// Saves one of the managers' files.
    pub(super) fn save<T: ConfigFile>(&mut self, turn: &mut Turn<'_>, of: impl Fn(&Self) -> &T) {
        let text = of(self).to_text();
        life::save(self.store.disk_mut(), T::PATH, &text, turn);
    }

    /// A consumer offset is set; it is saved at the next moment of the grid, and once more, which changes the copy.
    pub(super) fn commit_offset(&mut self, group: &str, topic: &str, queue_id: i32, offset: i64, turn: &mut Turn<'_>) {
        turn.step(BrokerStep::OffsetCommitted { group: group.to_owned(), topic: topic.to_owned(), queue_id, offset });
        if self.offsets.commit(group, topic, queue_id, offset) {
            turn.disturb_only(Service::SlaveSync);
            self.consumer_offsets_changed(turn);
        }
    }
}

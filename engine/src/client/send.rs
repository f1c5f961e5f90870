//! Sending: how a send begins, and how it ends (`DefaultMQProducerImpl`). Between the two lie its attempts.

use std::sync::Arc;

use super::{
    Client, NewMessage, Role, SendOutcome, Waiting,
    exception::{Exception, error_code},
    job::{Job, Sent},
    purpose::Purpose,
    validate,
};
use crate::{
    namesrv::FAQ,
    node::{Answer, CallId, ClientStep, Turn},
};

impl Client {
    /// The application sends a message.
    pub fn send(&mut self, message: NewMessage, turn: &mut Turn<'_>) {
        self.send_for(Purpose::Application, message, turn);
    }

    /// Sends a message; once it is known how that ended, what `purpose` says follows ([`Client::send_ended`]).
    pub(super) fn send_for(&mut self, purpose: Purpose, mut message: NewMessage, turn: &mut Turn<'_>) {
        let id = self.next_job;
        self.next_job += 1;
        message.draw_body(turn.streams());
        let mut job = Job::new(message, purpose, turn.now_us());
        let made = self.make_batch(&mut job.message, turn).map(|uniq_keys| job.uniq_key = uniq_keys);
        self.sends.insert(id, job);
        if let Err(refusal) = made.and_then(|()| self.begin(id, turn)) {
            self.end_send(id, Err(refusal), turn);
        }
    }

    /// Looks at the message, and begins with its first attempt, or with asking for the route.
    fn begin(&mut self, id: u64, turn: &mut Turn<'_>) -> Result<(), Exception> {
        if let Role::Bare { broker_addr, .. } = &self.role {
            let addr = broker_addr.clone();
            self.attempt_bare(id, &addr, turn);
            return Ok(());
        }
        let Some(job) = self.sends.get(&id) else { return Ok(()) };
        validate::check_message(&job.message, self.config.max_message_size)?;
        let (topic, broker_given) = (job.message.topic.clone(), job.message.broker.is_some());
        self.use_topic(&topic, turn);
        if broker_given || self.routes.publish_mut(&topic).is_some() {
            self.go_on(id, turn);
            return Ok(());
        }
        self.find_route(id, &topic, turn)
    }

    /// Asks the NameServer for the route of `asked`, which is the topic itself or the one that unknown topics take after.
    pub(super) fn find_route(&mut self, id: u64, asked: &str, turn: &mut Turn<'_>) -> Result<(), Exception> {
        if self.ask_route(asked, Waiting::SendRoute { job: id, asked: asked.to_owned() }, turn) {
            return Ok(());
        }
        let text = format!("No name server address, please set it.{FAQ}");
        Err(Exception::client(&text).with_code(error_code::NO_NAME_SERVER))
    }

    /// The route that a send waited for is there, or not: then the default topic's is asked for
    /// (`tryToFindTopicPublishInfo`).
    pub(super) fn send_route(&mut self, id: u64, asked: &str, answer: Answer, turn: &mut Turn<'_>) {
        let topic = self.sends.get(&id).map_or_else(|| asked.to_owned(), |job| job.message.topic.clone());
        if let Some(cause) = self.take_route(&topic, asked, answer, turn) {
            self.end_send(id, Err(Exception::plain("IllegalStateException", cause)), turn);
            return;
        }
        self.send_with_route(id, asked, turn);
    }

    /// Goes on with the table as it is.
    pub(super) fn send_with_route(&mut self, id: u64, asked: &str, turn: &mut Turn<'_>) {
        let Some(topic) = self.sends.get(&id).map(|job| job.message.topic.clone()) else { return };
        let default = self.config.create_topic_key.clone();
        if self.routes.publish_mut(&topic).is_some() {
            self.go_on(id, turn);
        } else if asked == topic && topic != default && !self.routes.table().contains_key(&topic) {
            if let Err(error) = self.find_route(id, &default, turn) {
                self.end_send(id, Err(error), turn);
            }
        } else {
            self.without_route(id, turn);
        }
    }

    /// No route gives the topic a queue that can be sent to.
    fn without_route(&mut self, id: u64, turn: &mut Turn<'_>) {
        let Some(job) = self.sends.get(&id) else { return };
        if job.queue.is_some() {
            // The queue was given; what was missing is the address of its broker.
            return self.go_on(id, turn);
        }
        let topic = &job.message.topic;
        let error = if job.message.is_aimed() {
            Exception::client(&format!("No route info for this topic, {topic}"))
        } else {
            let text = format!("No route info of this topic: {topic}{FAQ}");
            Exception::client(&text).with_code(error_code::NOT_FOUND_TOPIC)
        };
        self.end_send(id, Err(error), turn);
    }

    /// The application goes on at once; should there be no connection, it learns of it.
    pub(super) fn sent_oneway(&mut self, id: u64, call: CallId, turn: &mut Turn<'_>) {
        const NEWS_US: i64 = 4_000_000;
        let Some(mut job) = self.sends.remove(&id) else { return };
        let (now_us, place) = (turn.now_us(), self.sent.len());
        let purpose = std::mem::replace(&mut job.purpose, Purpose::Application);
        let outcome = SendOutcome { status: "ONEWAY".to_owned(), ..job.outcome(now_us) };
        self.calls
            .retain(|_, waiting| !matches!(waiting, Waiting::Oneway { began_us, .. } if now_us - *began_us > NEWS_US));
        self.calls.insert(call, Waiting::Oneway { place, began_us: now_us, job: Box::new(job) });
        let place = self.tell(place, outcome, turn);
        self.send_ended(purpose, place, turn);
    }

    /// There was no connection for a one-way send.
    pub(super) fn oneway_failed(&mut self, place: usize, mut job: Job, answer: Answer, turn: &mut Turn<'_>) {
        let Err(error) = answer.result else { return };
        let error = Exception::remoting(&error);
        let result = Err(error.clone());
        job.end_try(&result, turn.now_us());
        let plain = self.is_whole() && !job.message.is_aimed();
        let told = if plain {
            self.note_latency(&job.tried(turn.now_us()), true, turn);
            job.last = Some(error);
            Err(job.exhausted(turn.now_us()))
        } else {
            result
        };
        let outcome = job.outcome(turn.now_us()).ended(told);
        self.tell(place, outcome, turn);
    }

    /// Ends a send.
    pub(super) fn end_send(&mut self, id: u64, result: Sent, turn: &mut Turn<'_>) {
        let Some(job) = self.sends.remove(&id) else { return };
        let outcome = job.outcome(turn.now_us()).ended(result);
        let place = self.tell(self.sent.len(), outcome, turn);
        self.send_ended(job.purpose, place, turn);
    }

    /// Writes down what the application is told, at `place` in [`Client::sent`].
    fn tell(&mut self, place: usize, outcome: SendOutcome, turn: &mut Turn<'_>) -> usize {
        turn.step(ClientStep::SendEnded {
            status: outcome.status.clone(),
            msg_id: outcome.msg_id.clone(),
            offset_msg_id: outcome.offset_msg_id.clone(),
            queue_id: outcome.queue_id,
            queue_offset: outcome.queue_offset,
            error: outcome.error.clone(),
        });
        self.count_result(place, &outcome.status);
        self.sent.put(place, outcome);
        place
    }

    /// Counts a result that is about to be told at `place`, in place of one that may be there.
    fn count_result(&mut self, place: usize, status: &str) {
        let results = Arc::make_mut(&mut self.results);
        if let Some(before) = self.sent.get(place)
            && let Some((_, count)) = results.iter_mut().find(|(known, _)| *known == before.status)
        {
            *count = count.saturating_sub(1);
        }
        match results.iter_mut().find(|(known, _)| *known == status) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => results.push((status.to_owned(), 1)),
        }
        results.retain(|(_, count)| *count > 0);
    }

    /// How much of the budget is left, milliseconds.
    pub(super) fn left_ms(&self, job: &Job, now_us: i64) -> i64 {
        self.config.send_msg_timeout.saturating_sub((now_us - job.began_us) / 1000)
    }
}

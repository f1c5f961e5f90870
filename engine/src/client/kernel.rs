//! Making the request of one attempt (`DefaultMQProducerImpl.sendKernelImpl`).

use bytes::Bytes;

use super::{
    Client, Role, Waiting,
    draft::property_map,
    send::{Exception, Job},
};
use crate::{
    message::{batch, body, property, sys_flag},
    node::{NodeStep, Service, Turn},
    wire::{Request, ResponseCode, SendMessage},
};

impl Client {
    /// Sends the message of a job to `addr`.
    pub(super) fn transmit(&mut self, id: u64, addr: &str, turn: &mut Turn<'_>) {
        let Some(mut job) = self.sends.get(&id).cloned() else { return };
        let header = match self.request_of(&mut job, turn) {
            Ok(header) => header,
            Err(error) => {
                self.sends.insert(id, job);
                self.end_send(id, Err(error), turn);
                return;
            }
        };
        let left_ms = self.left_ms(&job, turn);
        let (oneway, is_batch) = (job.message.oneway, header.batch);
        self.sends.insert(id, job.clone());
        let request = match (&self.role, is_batch) {
            (_, true) => Request::SendBatchMessage(header),
            (Role::Bare { .. }, false) => Request::SendMessage(header),
            (_, false) => Request::SendMessageV2(header),
        };
        if oneway {
            let call = turn.oneway(Service::Api, addr, request);
            self.sent_oneway(id, call, job, turn);
        } else {
            let call = turn.call(Service::Api, addr, request, left_ms);
            self.calls.insert(call, Waiting::Send { job: id });
        }
    }

    fn request_of(&mut self, job: &mut Job, turn: &mut Turn<'_>) -> Result<SendMessage, Exception> {
        let mut properties = property_map(&job.message.properties);
        let mut flags = 0;
        let content = if job.message.batch.is_empty() {
            // A retry uses the id of the first attempt.
            if let Some(uniq_key) = self.uniq_key(job.uniq_key.take(), turn) {
                properties.put(property::UNIQ_KEY, uniq_key.clone());
                job.uniq_key = Some(uniq_key);
            }
            self.body_of(job, &mut flags, turn)
        } else {
            self.batch_of(job, turn)?
        };
        Ok(SendMessage {
            producer_group: self.group().to_owned(),
            topic: job.message.topic.clone(),
            default_topic: self.config.create_topic_key.clone(),
            default_topic_queue_nums: self.config.default_topic_queue_nums,
            queue_id: job.queue_id.unwrap_or(-1),
            sys_flag: flags,
            born_timestamp: turn.wall_ms(),
            flag: job.message.flag,
            properties: properties.to_text(),
            reconsume_times: Some(0),
            unit_mode: false,
            max_reconsume_times: None,
            batch: !job.message.batch.is_empty(),
            body: content,
        })
    }

    fn uniq_key(&mut self, have: Option<String>, turn: &mut Turn<'_>) -> Option<String> {
        have.or_else(|| {
            let uniq_key = self.ids.as_mut()?.next(turn.wall_ms());
            turn.step(NodeStep::UniqKeySet { uniq_key: uniq_key.clone() });
            Some(uniq_key)
        })
    }

    /// The body as it is sent: a whole client compresses long ones, even if they grow.
    fn body_of(&self, job: &Job, flags: &mut i32, turn: &mut Turn<'_>) -> Bytes {
        let from = job.message.body.len();
        let threshold = usize::try_from(self.config.compress_msg_body_over_howmuch).unwrap_or(0);
        if !self.is_whole() || from < threshold {
            return job.message.body.clone();
        }
        let deflated = body::deflate(&job.message.body);
        *flags |= sys_flag::COMPRESSED | sys_flag::COMPRESSION_ZLIB;
        turn.step(NodeStep::BodyCompressed { from: from as u64, to: deflated.len() as u64 });
        deflated.into()
    }

    fn batch_of(&mut self, job: &mut Job, turn: &mut Turn<'_>) -> Result<Bytes, Exception> {
        let had: Vec<String> =
            job.uniq_key.take().map(|keys| keys.split(',').map(str::to_owned).collect()).unwrap_or_default();
        let mut keys = Vec::new();
        let mut entries = Vec::new();
        for (place, entry) in job.message.batch.iter().enumerate() {
            let key = self.uniq_key(had.get(place).cloned(), turn);
            entries.push(entry.encoded(key.as_deref()));
            keys.extend(key);
        }
        job.uniq_key = (!keys.is_empty()).then(|| keys.join(","));
        let illegal = |text: String| Exception::client(text, Some(ResponseCode::MessageIllegal.value()));
        let encoded = batch::encode_client(&entries).map_err(|error| illegal(error.to_string()))?;
        let most = self.config.max_message_size;
        if i32::try_from(encoded.len()).is_ok_and(|len| len <= most) {
            Ok(encoded.into())
        } else {
            Err(illegal(format!("the message body size over max value, MAX: {most}")))
        }
    }
}

//! Batches: what one may consist of, and how an application splits one that is too long (`MessageBatch`,
//! `DefaultMQProducer.batch`, the distribution's `ListSplitter`).

use super::{Client, NewEntry, NewMessage, exception::Exception, validate};
use crate::{
    message::{batch, java, property},
    node::{ProducerStep, Turn},
};

/// The most that the distribution's splitter puts into one piece, bytes.
const SPLIT_LIMIT: usize = 1000 * 1000;

/// What it counts for a message beside topic, body and properties, bytes.
const SPLIT_OVERHEAD: usize = 20;

/// Topics of messages that consumers have given back.
const RETRY_PREFIX: &str = "%RETRY%";

impl Client {
    /// Makes one message of the entries of a batch: topic, body, and `UNIQ_KEY`s, which it answers joined by commas.
    pub(super) fn make_batch(
        &mut self,
        message: &mut NewMessage,
        turn: &mut Turn<'_>,
    ) -> Result<Option<String>, Exception> {
        let Some(entries) = &mut message.batch else { return Ok(None) };
        let failed = |cause: &Exception| Exception::client("Failed to initiate the MessageBatch").caused_by(cause);
        let topic = common_topic(entries).map_err(|cause| failed(&cause))?.to_owned();
        let mut keys = Vec::new();
        for entry in entries.iter_mut() {
            validate::check_topic(&entry.topic).map_err(|cause| failed(&cause))?;
            validate::check_body(entry.body.len(), self.config.max_message_size).map_err(|cause| failed(&cause))?;
            if let Some(key) = self.new_uniq_key(entry.property(property::UNIQ_KEY).map(str::to_owned), turn) {
                entry.properties.push((property::UNIQ_KEY.to_owned(), key.clone()));
                keys.push(key);
            }
        }
        let encoded: Vec<_> = entries.iter().map(NewEntry::encoded).collect();
        // Properties longer than their length field tells.
        let body = batch::encode_client(&encoded)
            .map_err(|error| failed(&Exception::plain("RuntimeException", error.to_string())))?;
        let count = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        turn.step(ProducerStep::BatchMade { count, bytes: body.len() as u64 });
        message.topic = topic;
        // The batch as such has no other property.
        let wait = entries.first().is_none_or(waits);
        message.properties = vec![(property::WAIT.to_owned(), wait.to_string())];
        message.body = body.into();
        Ok((!keys.is_empty()).then(|| keys.join(",")))
    }
}

/// `MessageBatch.generateFromList`: the topic of all entries.
fn common_topic(entries: &[NewEntry]) -> Result<&str, Exception> {
    let unsupported = |text: &str| Err(Exception::plain("UnsupportedOperationException", text.to_owned()));
    let Some(first) = entries.first() else {
        // The words of the Java machine, version 17.
        let text =
            "Cannot invoke \"org.apache.rocketmq.common.message.Message.getTopic()\" because \"<local2>\" is null";
        return Err(Exception::plain("NullPointerException", text.to_owned()));
    };
    for entry in entries {
        let level = entry.property(property::DELAY).and_then(java::parse_int).unwrap_or(0);
        if level > 0 {
            return unsupported("TimeDelayLevel is not supported for batching");
        }
        if entry.topic.starts_with(RETRY_PREFIX) {
            return unsupported("Retry Group is not supported for batching");
        }
        if entry.topic != first.topic {
            return unsupported("The topic of the messages in one batch should be the same");
        }
        if waits(entry) != waits(first) {
            return unsupported("The waitStoreMsgOK of the messages in one batch should the same");
        }
    }
    Ok(&first.topic)
}

/// `isWaitStoreMsgOK`.
fn waits(entry: &NewEntry) -> bool {
    entry.property(property::WAIT).is_none_or(|wait| wait.eq_ignore_ascii_case("true"))
}

/// The pieces into which the distribution's splitter cuts a list: up to [`SPLIT_LIMIT`] as it counts, a longer message
/// alone.
pub fn split(entries: Vec<NewEntry>) -> Vec<Vec<NewEntry>> {
    let mut pieces: Vec<Vec<NewEntry>> = Vec::new();
    let mut room = 0;
    for entry in entries {
        let size = split_size(&entry);
        match pieces.last_mut() {
            Some(piece) if size <= room => piece.push(entry),
            _ => {
                pieces.push(vec![entry]);
                room = SPLIT_LIMIT;
            }
        }
        // After a message over the limit nothing more goes into its piece.
        room = room.saturating_sub(size);
    }
    pieces
}

/// What the splitter counts for a message. Lengths of texts are Java's.
fn split_size(entry: &NewEntry) -> usize {
    let properties = super::draft::property_map(&entry.properties);
    let texts = properties.iter().map(|(name, value)| java::utf16_len(name) + java::utf16_len(value));
    java::utf16_len(&entry.topic) + entry.body.len() + texts.sum::<usize>() + SPLIT_OVERHEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(len: usize) -> NewEntry {
        NewEntry { topic: "T".to_owned(), body: vec![b'x'; len].into(), ..NewEntry::default() }
    }

    fn cut(lens: &[usize]) -> Vec<usize> {
        split(lens.iter().map(|len| entry(*len)).collect()).iter().map(Vec::len).collect()
    }

    /// By hand: a message of n bytes counts n + 1 + 20, and 1,000,000 fit.
    #[test]
    fn the_splitter_fills_pieces_up_to_its_limit() {
        assert_eq!(cut(&[]), Vec::<usize>::new());
        assert_eq!(cut(&[499_979, 499_979, 1]), [2, 1]);
        assert_eq!(cut(&[499_979, 499_980, 1]), [1, 2]);
        assert_eq!(cut(&[1, 2_000_000, 1, 1]), [1, 1, 2]);
        assert_eq!(cut(&[2_000_000]), [1]);
    }
}

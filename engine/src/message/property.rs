//! Names of the properties that RocketMQ itself uses (`MessageConst`), and which of them a user may not set.

use thiserror::Error;

use super::{Properties, java};

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = $text;)*
        /// Every name of this module.
        pub const ALL: &[&str] = &[$($text),*];
    };
}

names! {
    /// Keys to be indexed, separated by single spaces.
    KEYS = "KEYS";
    /// The tag that consumers filter by.
    TAGS = "TAGS";
    /// Whether the sender waits for the flush and the replica; true if absent.
    WAIT = "WAIT";
    /// Delay level.
    DELAY = "DELAY";
    /// Topic that a message given back by a consumer came from.
    RETRY_TOPIC = "RETRY_TOPIC";
    /// Topic that a delayed or half message is for.
    REAL_TOPIC = "REAL_TOPIC";
    /// Queue that a delayed or half message is for.
    REAL_QID = "REAL_QID";
    /// Marks a half message.
    TRAN_MSG = "TRAN_MSG";
    /// Producer group, asked about the fate of a half message.
    PGROUP = "PGROUP";
    /// Set by the client on what it pulled.
    MIN_OFFSET = "MIN_OFFSET";
    /// Set by the client on what it pulled.
    MAX_OFFSET = "MAX_OFFSET";
    /// Reserved.
    BUYER_ID = "BUYER_ID";
    /// Id of the first copy of a message given back by a consumer.
    ORIGIN_MESSAGE_ID = "ORIGIN_MESSAGE_ID";
    /// Reserved.
    TRANSFER_FLAG = "TRANSFER_FLAG";
    /// Reserved.
    CORRECTION_FLAG = "CORRECTION_FLAG";
    /// Reserved.
    MQ2_FLAG = "MQ2_FLAG";
    /// How often a message has been given back, on its way between client and broker.
    RECONSUME_TIME = "RECONSUME_TIME";
    /// Region of the broker.
    MSG_REGION = "MSG_REGION";
    /// Whether message trace is on.
    TRACE_ON = "TRACE_ON";
    /// The sender's own id of the message, the msgId that clients show.
    UNIQ_KEY = "UNIQ_KEY";
    /// How often a message may be given back.
    MAX_RECONSUME_TIMES = "MAX_RECONSUME_TIMES";
    /// When a consumer began with the message.
    CONSUME_START_TIME = "CONSUME_START_TIME";
    /// Queue offset of the half message, in its copy.
    TRAN_PREPARED_QUEUE_OFFSET = "TRAN_PREPARED_QUEUE_OFFSET";
    /// How often the fate of a half message has been asked for.
    TRANSACTION_CHECK_TIMES = "TRANSACTION_CHECK_TIMES";
    /// How long the fate of a half message is not asked for.
    CHECK_IMMUNITY_TIME_IN_SECONDS = "CHECK_IMMUNITY_TIME_IN_SECONDS";
    /// Instance of the client.
    INSTANCE_ID = "INSTANCE_ID";
    /// Ties a reply to its request.
    CORRELATION_ID = "CORRELATION_ID";
    /// Client that a reply is for.
    REPLY_TO_CLIENT = "REPLY_TO_CLIENT";
    /// How long a request waits for its reply.
    TTL = "TTL";
    /// When a reply arrived at the broker.
    ARRIVE_TIME = "ARRIVE_TIME";
    /// When a reply was pushed to its client.
    PUSH_REPLY_TIME = "PUSH_REPLY_TIME";
    /// Cluster of the broker that stored the message.
    CLUSTER = "CLUSTER";
    /// Kind of message.
    MSG_TYPE = "MSG_TYPE";
    /// Light queues that a message is dispatched to.
    INNER_MULTI_DISPATCH = "INNER_MULTI_DISPATCH";
    /// Queue offsets in the light queues.
    INNER_MULTI_QUEUE_OFFSET = "INNER_MULTI_QUEUE_OFFSET";
}

/// Separates the keys in [`KEYS`].
pub const KEY_SEPARATOR: &str = " ";

/// Names of [`ALL`] that a user may set all the same.
const OPEN: [&str; 4] =
    [TRAN_PREPARED_QUEUE_OFFSET, TRANSACTION_CHECK_TIMES, CHECK_IMMUNITY_TIME_IN_SECONDS, INNER_MULTI_DISPATCH];

/// Whether the name belongs to the system, so that a user may not set it (`MessageConst.STRING_HASH_SET`).
pub fn is_system(name: &str) -> bool {
    ALL.contains(&name) && !OPEN.contains(&name)
}

/// Sets a property for a user (`Message.putUserProperty`).
pub fn put_user(properties: &mut Properties, name: &str, value: &str) -> Result<(), UserPropertyError> {
    if is_system(name) {
        return Err(UserPropertyError::System(name.to_owned()));
    }
    if java::is_blank(value) || java::is_blank(name) {
        return Err(UserPropertyError::Blank);
    }
    properties.put(name, value);
    Ok(())
}

/// A property that a user may not set. The words are those that the 4.9.8 client says.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UserPropertyError {
    /// The name belongs to the system.
    #[error("The Property<{0}> is used by system, input another please")]
    System(String),
    /// The name or the value is blank.
    #[error("The name or value of property can not be null or blank string!")]
    Blank,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_names() {
        assert_eq!(ALL.len(), 35);
        assert_eq!(ALL.iter().filter(|name| is_system(name)).count(), 31);
        for name in OPEN {
            assert!(!is_system(name), "{name}");
        }
        assert!(!is_system("colour"));
        assert!(!is_system("keys"), "names are case-sensitive");
    }

    #[test]
    fn user_properties() {
        let mut properties = Properties::new();
        assert_eq!(put_user(&mut properties, "colour", "red"), Ok(()));
        assert_eq!(put_user(&mut properties, TRANSACTION_CHECK_TIMES, "1"), Ok(()));
        assert_eq!(put_user(&mut properties, KEYS, "k"), Err(UserPropertyError::System("KEYS".to_owned())));
        assert_eq!(put_user(&mut properties, "colour", " \t"), Err(UserPropertyError::Blank));
        assert_eq!(put_user(&mut properties, " ", "red"), Err(UserPropertyError::Blank));
        assert_eq!(properties.len(), 2);
    }
}

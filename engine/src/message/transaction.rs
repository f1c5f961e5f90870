//! The topics and the group behind transactional messages (`TopicValidator`, `MixAll.CID_SYS_RMQ_TRANS`).

/// Half messages wait here for the end of their transactions.
pub const HALF_TOPIC: &str = "RMQ_SYS_TRANS_HALF_TOPIC";

/// Which of them are ended is noted here: each message names a queue offset of the half queue.
pub const OP_TOPIC: &str = "RMQ_SYS_TRANS_OP_HALF_TOPIC";

/// Half messages that have been asked about too often end here.
pub const DISCARD_TOPIC: &str = "TRANS_CHECK_MAX_TIME_TOPIC";

/// The group under which the progress of the checks is kept, in the half queue and in the op queue.
pub const GROUP: &str = "CID_RMQ_SYS_TRANS";

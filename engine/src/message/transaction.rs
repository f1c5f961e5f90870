//! Topics of transactional messages (`TopicValidator`).

/// Half messages wait here for their end.
pub const HALF_TOPIC: &str = "RMQ_SYS_TRANS_HALF_TOPIC";

/// What says that a half message is decided.
pub const OP_TOPIC: &str = "RMQ_SYS_TRANS_OP_HALF_TOPIC";

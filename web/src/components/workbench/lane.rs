//! What a service's events stand for: the colour and shape of its lane.

/// The class of the storage state that a service brings about; nothing for the others.
pub fn state(service: &str) -> Option<&'static str> {
    Some(match service {
        "put" => "written",
        "reput" => "dispatched",
        "commitCommitLog" => "committed",
        "flushCommitLog" | "flushConsumeQueue" => "flushed",
        "haAccept" | "haRead" | "haTransfer" | "haClient" | "groupTransfer" => "replicated",
        "pull" | "consumerManage" | "persistOffset" => "consumed",
        _ => return None,
    })
}

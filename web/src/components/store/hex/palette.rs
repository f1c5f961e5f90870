//! Which tint each field has. Neighbours in a record differ; the same meaning has the same tint in every file.

use rocketscope_engine::view::store::Field;

/// The class of the field's tint.
pub fn tint(field: Field) -> &'static str {
    use Field as F;
    match field {
        F::TotalSize
        | F::Size
        | F::BodyLength
        | F::TopicLength
        | F::PropertiesLength
        | F::BlankRemaining
        | F::ExtSize
        | F::BitMapSize
        | F::HashSlotCount
        | F::IndexCount => "f-amber",
        F::MagicCode | F::Damaged | F::KeyHash | F::TagsCode => "f-rose",
        F::BodyCrc | F::Body | F::Text | F::BitMap => "f-green",
        F::QueueId | F::Topic | F::SlotValue => "f-blue",
        F::QueueOffset | F::PrevIndex | F::ReconsumeTimes => "f-violet",
        F::PhysicalOffset
        | F::CommitLogOffset
        | F::PhyOffset
        | F::BeginPhyOffset
        | F::EndPhyOffset
        | F::PreparedTransactionOffset => "f-pink",
        F::BornTimestamp
        | F::StoreTimestamp
        | F::BeginTimestamp
        | F::EndTimestamp
        | F::TimeDiff
        | F::PhysicMsgTimestamp
        | F::LogicsMsgTimestamp
        | F::IndexMsgTimestamp => "f-teal",
        F::Flag | F::SysFlag | F::BornHost | F::StoreHost | F::Properties => "f-slate",
    }
}

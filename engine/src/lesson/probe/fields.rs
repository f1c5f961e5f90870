//! The names that can stand in a probe's last segment.

/// An enum of the names that can stand in a probe's last segment.
macro_rules! fields {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$field_doc])* $variant,)* }

        impl $name {
            pub(super) fn parse(text: &str) -> Result<Self, String> {
                match text {
                    $($text => Ok(Self::$variant),)*
                    _ => Err(format!("`{text}` is none of {}", [$($text),*].join(", "))),
                }
            }
        }
    };
}

pub(super) use fields;

fields! {
    /// Numbers of a ConsumeQueue.
    QueueField {
        /// Smallest queue offset that can be read.
        Min = "min",
        /// Queue offset of the next unit.
        Max = "max",
        /// End of the last record that was dispatched to it, bytes in the CommitLog.
        MaxPhysicOffset = "maxPhysicOffset",
        /// Bytes of the ConsumeQueue that are flushed, from the queue's start.
        Flushed = "flushed",
    }
}

fields! {
    /// Numbers of a unit.
    UnitField {
        /// Where the record starts.
        PhysicalOffset = "physicalOffset",
        /// The record's length in bytes.
        Size = "size",
        /// Hash of the tags, or a time of delivery.
        TagsCode = "tagsCode",
        /// The unit's first byte in the queue: 20 times its queue offset.
        LogicalByte = "logicalByte",
        /// Start of the ConsumeQueue file that it lies in, logical bytes.
        File = "file",
        /// Its first byte in that file.
        Position = "position",
    }
}

fields! {
    /// Fields of a record.
    RecordField {
        /// TOTALSIZE.
        Size = "size",
        /// The topic stored in it.
        Topic = "topic",
        /// QUEUEID.
        QueueId = "queueId",
        /// QUEUEOFFSET.
        QueueOffset = "queueOffset",
        /// PHYSICALOFFSET.
        PhysicalOffset = "physicalOffset",
        /// The TAGS property.
        Tags = "tags",
        /// Start of the CommitLog file that it lies in.
        File = "file",
        /// Its first byte in that file.
        Position = "position",
    }
}

fields! {
    /// Fields of the answer to a send.
    ResultField {
        /// `SEND_OK` and the like, or the exception's name.
        Status = "status",
        /// The code in the exception, if it has one.
        Code = "code",
        /// The queue it went to.
        QueueId = "queueId",
        /// The queue offset the broker gave it.
        QueueOffset = "queueOffset",
        /// The physical offset inside the broker's message id.
        PhysicalOffset = "physicalOffset",
        /// Attempts made.
        Attempts = "attempts",
        /// The broker of the last attempt.
        BrokerName = "brokerName",
        /// The client's message id.
        MsgId = "msgId",
        /// The exception's message.
        Error = "error",
    }
}

fields! {
    /// What a producer knows of a broker's speed.
    FaultField {
        /// Whether it counts as available: a broker that nothing is known of does.
        Available = "available",
        /// How long the last attempt took, milliseconds.
        Latency = "latency",
    }
}

fields! {
    /// Fields of a message that a consumer got.
    MessageField {
        /// Its topic.
        Topic = "topic",
        /// Its queue.
        QueueId = "queueId",
        /// Its queue offset.
        QueueOffset = "queueOffset",
        /// Where its record starts.
        PhysicalOffset = "physicalOffset",
        /// The record's length in bytes.
        Size = "size",
        /// Its tags.
        Tags = "tags",
    }
}

fields! {
    /// Fields of a pull's answer.
    PullField {
        /// `FOUND`, `NO_NEW_MSG`, `NO_MATCHED_MSG` or `OFFSET_ILLEGAL`.
        Status = "status",
        /// Where to pull next.
        NextBeginOffset = "nextBeginOffset",
        /// Messages that passed the client's own tag check.
        Received = "received",
        /// Messages that it dropped.
        DroppedByTag = "droppedByTag",
        /// The node that answered.
        Node = "node",
        /// The remark of the answer: the store's `GetMessageStatus`, which says more than the status.
        Remark = "remark",
        /// The broker id to pull from next.
        SuggestWhichBrokerId = "suggestWhichBrokerId",
        /// The message of the exception.
        Error = "error",
    }
}

fields! {
    /// Fields of the answer to a question about a queue, a key or an id.
    AnswerField {
        /// The offset that was asked for.
        Value = "value",
        /// How many messages were found; 0 also where that is an exception.
        Messages = "messages",
        /// How many messages the brokers sent back; the client drops those whose key is another one.
        Candidates = "candidates",
        /// Where the record of the first message found starts.
        PhysicalOffset = "physicalOffset",
        /// The node that was asked; nothing where it is several, or nobody could be.
        Node = "node",
        /// The message of the exception.
        Error = "error",
    }
}

fields! {
    /// Fields of a piece of business.
    ApplicationField {
        /// How it stands or ended: `running`, `done`, `refused`, `failed`, `unknown`, `sendFailed`, `notCommitted` or
        /// `crashed`.
        State = "state",
        /// The phase that was begun last: `change`, `commit` or `send`.
        Phase = "phase",
        /// Why it did not go well.
        Cause = "cause",
    }
}

fields! {
    /// Numbers of a delay level: its queue in `SCHEDULE_TOPIC_XXXX`, and how far it is delivered.
    DelayField {
        /// The next unit to deliver, as the broker knows it.
        Offset = "offset",
        /// The same as `delayOffset.json` says, from which a restart goes on; 0 where it says nothing.
        Persisted = "persisted",
        /// First unit of the queue.
        Min = "min",
        /// Where the queue's next unit goes.
        Max = "max",
    }
}

fields! {
    /// Times of the checkpoint.
    CheckpointField {
        /// Up to which the CommitLog was flushed.
        Physic = "physic",
        /// Up to which the ConsumeQueues were flushed.
        Logics = "logics",
        /// Of the last index file that was full and flushed.
        Index = "index",
    }
}

fields! {
    /// What a start found.
    RecoveryField {
        /// Whether there was no `abort` file.
        Clean = "clean",
        /// First offset of the CommitLog file that recovery began in.
        File = "file",
        /// Where recovery of the CommitLog ended, bytes.
        End = "end",
        /// Records found good.
        Records = "records",
        /// Those of them that were dispatched on the way.
        Dispatched = "dispatched",
        /// Why it ended: `lastBlank`, `noRecord` or `lengthMismatch`.
        Why = "why",
    }
}

//! The recorded requests as the engine's own, and the answers to compare with.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rocketscope_engine::fastjson;
use rocketscope_engine::message::sys_flag;
use rocketscope_engine::wire::{
    CheckTransactionState, ConsumerSendMsgBack, EndTransaction, PullMessage, QueryConsumerOffset, QueueRef, Request,
    Response, ResponseBody, SearchOffset, SendMessage, UnregisterClient, UpdateConsumerOffset, ViewMessage,
};
use serde_json::{Map, Value, json};

use super::super::archive::Case;
use super::WIRE;

/// A request to the broker, and what it answered.
#[derive(Debug)]
pub(super) struct Exchange {
    /// Its place in the file.
    pub(super) place: usize,
    /// `RequestCode`.
    pub(super) code: i64,
    fields: Map<String, Value>,
    body: Vec<u8>,
    /// The answer; none to a one-way request.
    pub(super) answer: Option<Value>,
    answer_body: Vec<u8>,
}

/// The requests to the broker, in the order of the file.
pub(super) fn exchanges(case: &Case) -> Result<Vec<Exchange>, String> {
    let text = case.file(WIRE).ok_or_else(|| format!("{WIRE}: missing"))?;
    let all: Value = serde_json::from_slice(text).map_err(|cause| format!("{WIRE}: {cause}"))?;
    let all = all["exchanges"].as_array().ok_or_else(|| format!("{WIRE}: no exchanges"))?;
    let to_broker = all.iter().enumerate().filter(|(_, exchange)| exchange["target"] == "broker");
    to_broker
        .map(|(place, exchange)| read(place, exchange).map_err(|cause| format!("{WIRE}[{place}]: {cause}")))
        .collect()
}

fn read(place: usize, exchange: &Value) -> Result<Exchange, String> {
    let bytes = |of: &Value| {
        BASE64_STANDARD.decode(of["bodyBase64"].as_str().unwrap_or_default()).map_err(|cause| cause.to_string())
    };
    let (request, answer) = (&exchange["request"], &exchange["response"]);
    Ok(Exchange {
        place,
        code: exchange["requestCode"].as_i64().ok_or("no code")?,
        fields: request["extFields"].as_object().cloned().unwrap_or_default(),
        body: bytes(request)?,
        answer: answer.is_object().then(|| answer.clone()),
        answer_body: bytes(answer)?,
    })
}

impl Exchange {
    /// A field of the custom header.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name)?.as_str()
    }

    /// A number of the custom header.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        self.field(name)?.parse().ok()
    }

    /// Heartbeats and first questions of the consumers, before anything is sent.
    pub(super) fn comes_first(&self) -> bool {
        matches!(self.code, 34 | 14)
    }

    /// What changes nothing in the log, or only reads it: pulls, questions, offsets, transactions that stay undecided.
    pub(super) fn comes_last(&self) -> bool {
        matches!(self.code, 15 | 29 | 30 | 31 | 33)
            || (self.code == 11 && self.field("queueOffset") != Some("1000"))
            || self.ends(sys_flag::TRANSACTION_NOT)
    }

    /// Whether it says that a transaction ended so.
    pub(super) fn ends(&self, commit_or_rollback: i32) -> bool {
        self.code == 37 && self.number("commitOrRollback") == Some(i64::from(commit_or_rollback))
    }

    /// The request; `None`: broker to client, or nothing that the engine's nodes ask.
    pub(super) fn request(&self) -> Result<Option<Request>, String> {
        let text = |name: &str| self.field(name).map(str::to_owned).ok_or_else(|| format!("no field {name}"));
        let long = |name: &str| self.number(name).ok_or_else(|| format!("no number {name}"));
        let int = |name: &str| long(name).map(|value| value as i32);
        let queue = || Ok::<_, String>(QueueRef { topic: text("topic")?, queue_id: int("queueId")? });
        Ok(Some(match self.code {
            310 | 320 => {
                let send = self.send()?;
                if self.code == 320 { Request::SendBatchMessage(send) } else { Request::SendMessageV2(send) }
            }
            36 => Request::ConsumerSendMsgBack(ConsumerSendMsgBack {
                offset: long("offset")?,
                group: text("group")?,
                delay_level: int("delayLevel")?,
                origin_msg_id: self.field("originMsgId").map(str::to_owned),
                origin_topic: self.field("originTopic").map(str::to_owned),
                unit_mode: self.field("unitMode") == Some("true"),
                max_reconsume_times: self.number("maxReconsumeTimes").map(|times| times as i32),
            }),
            37 => Request::EndTransaction(EndTransaction {
                producer_group: text("producerGroup")?,
                tran_state_table_offset: long("tranStateTableOffset")?,
                commit_log_offset: long("commitLogOffset")?,
                commit_or_rollback: int("commitOrRollback")?,
                from_transaction_check: self.field("fromTransactionCheck") == Some("true"),
                msg_id: text("msgId")?,
                transaction_id: self.field("transactionId").map(str::to_owned),
            }),
            11 => Request::PullMessage(PullMessage {
                consumer_group: text("consumerGroup")?,
                topic: text("topic")?,
                queue_id: int("queueId")?,
                queue_offset: long("queueOffset")?,
                max_msg_nums: int("maxMsgNums")?,
                sys_flag: int("sysFlag")?,
                commit_offset: long("commitOffset")?,
                suspend_timeout_millis: long("suspendTimeoutMillis")?,
                subscription: self.field("subscription").map(str::to_owned),
                sub_version: long("subVersion")?,
                expression_type: self.field("expressionType").map(str::to_owned),
            }),
            14 => Request::QueryConsumerOffset(QueryConsumerOffset {
                consumer_group: text("consumerGroup")?,
                topic: text("topic")?,
                queue_id: int("queueId")?,
            }),
            15 => Request::UpdateConsumerOffset(UpdateConsumerOffset {
                consumer_group: text("consumerGroup")?,
                topic: text("topic")?,
                queue_id: int("queueId")?,
                commit_offset: long("commitOffset")?,
            }),
            29 => Request::SearchOffsetByTimestamp(SearchOffset {
                topic: text("topic")?,
                queue_id: int("queueId")?,
                timestamp: long("timestamp")?,
            }),
            30 => Request::GetMaxOffset(queue()?),
            31 => Request::GetMinOffset(queue()?),
            33 => Request::ViewMessageById(ViewMessage { offset: long("offset")? }),
            34 => Request::HeartBeat(self.heartbeat()?),
            35 => Request::UnregisterClient(UnregisterClient {
                client_id: text("clientID")?,
                producer_group: self.field("producerGroup").map(str::to_owned),
                consumer_group: self.field("consumerGroup").map(str::to_owned),
            }),
            _ => return Ok(None),
        }))
    }

    /// `SendMessageRequestHeaderV2`: one letter for each field.
    fn send(&self) -> Result<SendMessage, String> {
        let text = |name: &str| self.field(name).map(str::to_owned).ok_or_else(|| format!("no field {name}"));
        let long = |name: &str| self.number(name).ok_or_else(|| format!("no number {name}"));
        Ok(SendMessage {
            producer_group: text("a")?,
            topic: text("b")?,
            default_topic: text("c")?,
            default_topic_queue_nums: long("d")? as i32,
            queue_id: long("e")? as i32,
            sys_flag: long("f")? as i32,
            born_timestamp: long("g")?,
            flag: long("h")? as i32,
            properties: text("i")?,
            reconsume_times: self.number("j").map(|times| times as i32),
            unit_mode: self.field("k") == Some("true"),
            max_reconsume_times: self.number("l").map(|times| times as i32),
            batch: self.field("m") == Some("true"),
            body: self.body.clone().into(),
        })
    }

    fn heartbeat(&self) -> Result<rocketscope_engine::wire::HeartbeatData, String> {
        serde_json::from_slice(&self.body).map_err(|cause| cause.to_string())
    }

    /// The recorded answer and one of ours, in one form.
    pub(super) fn answers(&self, ours: &Response) -> Option<(Value, Value)> {
        let recorded = self.answer.as_ref()?;
        let mut fields = recorded["extFields"].as_object().cloned().unwrap_or_default();
        // The region and the switch of traces are the same in every answer of a broker; the engine's answers leave
        // them out.
        fields.remove("MSG_REGION");
        fields.remove("TRACE_ON");
        let (mut given, mut body): (Map<String, Value>, &[u8]) = (Map::new(), &[]);
        match &ours.body {
            ResponseBody::Send(sent) => given = fields_of(sent),
            ResponseBody::Pull(pulled) => (given, body) = (fields_of(pulled), &pulled.body),
            ResponseBody::Messages(messages) => body = messages,
            ResponseBody::Offset(offset) => {
                given.insert("offset".to_owned(), json!(offset.to_string()));
            }
            _ => {}
        }
        let form = |code: &Value, remark: &Value, fields: Map<String, Value>, body: &[u8]| json!({ "code": code, "remark": remark, "fields": fields, "body": BASE64_STANDARD.encode(body) });
        Some((
            form(&recorded["code"], &recorded["remark"], fields, &self.answer_body),
            form(&json!(ours.code.value()), &json!(ours.remark), given, body),
        ))
    }
}

/// The recorded questions about half messages and ours, by the queue offset of the half message that each asks for. The
/// real broker asked three at a time, from several threads.
pub(super) fn questions(
    exchanges: &[Exchange],
    ours: &[CheckTransactionState],
) -> (BTreeMap<i64, Value>, BTreeMap<i64, Value>) {
    let form =
        |fields: &Map<String, Value>, body: &[u8]| json!({ "fields": fields, "body": BASE64_STANDARD.encode(body) });
    let recorded = exchanges.iter().filter(|exchange| exchange.code == 39).map(|exchange| {
        (exchange.number("tranStateTableOffset").unwrap_or(-1), form(&exchange.fields, &exchange.body))
    });
    let ours = ours.iter().map(|asked| (asked.tran_state_table_offset, form(&fields_of(asked), &asked.body)));
    (recorded.collect(), ours.collect())
}

/// A custom header as it stands on the wire: every value is text.
fn fields_of(header: &impl serde::Serialize) -> Map<String, Value> {
    let Ok(Value::Object(fields)) = serde_json::to_value(header) else { return Map::new() };
    let text = |value: Value| match value {
        Value::String(text) => Value::String(text),
        other => Value::String(other.to_string()),
    };
    fields.into_iter().map(|(name, value)| (name, text(value))).collect()
}

/// A configuration file's content without the times of its versions.
pub(super) fn config(text: &str) -> Value {
    fastjson_value(&fastjson::parse(text).unwrap_or(fastjson::Value::Null))
}

fn fastjson_value(value: &fastjson::Value<'_>) -> Value {
    match value {
        fastjson::Value::Object(entries) => {
            let entries = entries.iter().map(|(key, value)| {
                let number = || key.as_i64().map(|number| number.to_string());
                let key = key.as_str().map(str::to_owned).or_else(number).unwrap_or_default();
                (key, fastjson_value(value))
            });
            Value::Object(entries.filter(|(key, _)| key != "timestamp").collect())
        }
        fastjson::Value::Int(number) => json!(number),
        fastjson::Value::Bool(flag) => json!(flag),
        fastjson::Value::Str(text) => json!(text),
        other => json!(format!("{other:?}")),
    }
}

//! Having a discarded half message checked anew (`DefaultMQAdminExtImpl.resumeCheckHalfMessage`): the record is looked up
//! by its id, and its broker puts a copy into the half queue whose checks count from 0.

use super::{AdminCommand, Call, Job, Then, To, unexpected};
use crate::{
    client::{Received, exception::Exception},
    message::OffsetMsgId,
    node::Turn,
    wire::{Request, ResponseBody, ResponseCode, ResumeCheckHalfMessage, ViewMessage},
};

/// Steps of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    /// The record is looked up.
    Viewed,
    /// Its broker is asked for the copy.
    Resumed,
}

pub(super) fn begin(id: &OffsetMsgId) -> Call {
    let request = Request::ViewMessageById(ViewMessage { offset: id.physical_offset });
    Call::new(To::Addr(id.host.to_string()), request, Then::Half(Half::Viewed))
}

/// What follows from an answer. A broker that refuses is no exception: the call returns false, and the client logs why.
pub(super) fn answered(
    job: &mut Job,
    half: Half,
    code: ResponseCode,
    body: ResponseBody,
    remark: Option<&str>,
    turn: &mut Turn<'_>,
) -> Result<(), Exception> {
    let AdminCommand::ResumeCheck { id } = job.command else { return Ok(()) };
    match half {
        Half::Viewed if code == ResponseCode::Success => {
            let ResponseBody::Messages(bytes) = body else { return Err(unexpected()) };
            let message = Received::read_all(&bytes).into_iter().next().ok_or_else(unexpected)?;
            let host = message.offset_msg_id.parse::<OffsetMsgId>().map_err(|_| unexpected())?.host;
            let request = Request::ResumeCheckHalfMessage(ResumeCheckHalfMessage { msg_id: id.to_string() });
            job.first(vec![Call::new(To::Addr(host.to_string()), request, Then::Half(Half::Resumed))]);
        }
        Half::Viewed => return Err(Exception::broker(code, remark, Some(&id.host.to_string()))),
        Half::Resumed => {
            let done = code == ResponseCode::Success;
            if !done {
                let remark = remark.unwrap_or("null");
                job.say(format!("Failed to resume half message check logic. Remark={remark}"), turn);
            }
            job.count(usize::from(done));
            job.say(done.to_string(), turn);
        }
    }
    Ok(())
}

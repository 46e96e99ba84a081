//! What reaches the agent through the program's queue: notifications, and prompts that came while it was at work.

use super::chain::Chain;
use super::record::Slot;
use super::record_id::RecordId;
use super::reminder;
use super::templates::{NOTHING, Template, Templates, Value, json_bool};
use crate::event::{Answers, Content, JsonText};
use crate::notification;
use crate::session::clock::Timestamp;

/// Something in the queue, already handed to the agent.
pub(super) struct Queued<'a> {
    text: JsonText<'a>,
    source: RecordId,
    delivery: RecordId,
}

/// A result that has no place among the messages.
pub(super) struct LooseResult<'a> {
    pub(super) answers: Answers,
    pub(super) id: &'a str,
    pub(super) content: &'a Content<'a>,
    pub(super) is_error: bool,
}

impl<'a> Queued<'a> {
    /// Queues a person's message.
    pub(super) fn prompt(chain: &mut Chain, at: &Timestamp, text: JsonText<'a>) -> Self {
        Self::enqueue(chain, |templates| &templates.queued_prompt, at, text, |_| NOTHING)
    }

    /// Writes that something came into the queue, and the attachment by which the agent gets it.
    fn enqueue<'v>(
        chain: &mut Chain,
        kind: impl FnOnce(&Templates) -> &Template,
        at: &Timestamp,
        text: JsonText<'a>,
        value: impl Fn(Slot) -> Value<'v>,
    ) -> Self {
        let queued = Self { text, source: chain.fresh_id(), delivery: chain.fresh_id() };
        chain.write_beside(|templates| &templates.enqueue, at, |slot| queued.value(slot).unwrap_or(NOTHING));
        chain.write(kind, at, |slot| queued.value(slot).unwrap_or_else(|| value(slot)));
        queued
    }

    /// Writes that it left the queue.
    pub(super) fn remove(&self, chain: &mut Chain, at: &Timestamp) {
        chain.write_beside(|templates| &templates.remove, at, |slot| self.value(slot).unwrap_or(NOTHING));
    }

    /// Fills the gaps that all records of a queued thing share.
    fn value(&self, slot: Slot) -> Option<Value<'_>> {
        match slot {
            Slot::Content => Some(Value::Json(self.text.as_json())),
            Slot::Source => Some(Value::Id(self.source.as_json())),
            Slot::Delivery => Some(Value::Id(self.delivery.as_json())),
            _ => None,
        }
    }
}

impl Queued<'static> {
    /// Queues a monitor event.
    pub(super) fn notification(chain: &mut Chain, at: &Timestamp, text: &str) -> Self {
        Self::notify(chain, |templates| &templates.notification, at, text, |_| NOTHING)
    }

    fn notify<'v>(
        chain: &mut Chain,
        kind: impl FnOnce(&Templates) -> &Template,
        at: &Timestamp,
        text: &str,
        value: impl Fn(Slot) -> Value<'v>,
    ) -> Self {
        let usual = JsonText::new(&reminder::usual(text));
        let in_human_turn = JsonText::new(&reminder::in_human_turn(text));
        Self::enqueue(chain, kind, at, JsonText::new(text), |slot| match slot {
            Slot::Reminder => Value::Json(usual.as_json()),
            Slot::SameTurnReminder => Value::Json(in_human_turn.as_json()),
            other => value(other),
        })
    }
}

impl LooseResult<'_> {
    /// Writes the result as a notification, with the whole of it beside the text for readers of the transcript.
    pub(super) fn write(&self, chain: &mut Chain, at: &Timestamp) {
        let text = notification::loose_result(self.answers, self.id, self.content);
        let (id, whole) = (JsonText::new(self.id), self.content.to_json());
        let value = |slot| match slot {
            Slot::CallId => Value::Json(id.as_json()),
            Slot::Input => Value::Json(&whole),
            Slot::IsError => json_bool(self.is_error),
            _ => NOTHING,
        };
        Queued::notify(chain, |templates| &templates.loose_result, at, &text, value).remove(chain, at);
    }
}

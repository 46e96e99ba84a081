//! The lines that asyncai writes itself, among them what the agent says. Knows no channel.

use super::message::{Reading, Traffic};
use crate::ndjson::{LineError, Object};
use crate::report::Tally;

/// Tells whether an object is such a line.
#[must_use]
pub(super) fn is_meant(object: &Object<'_>) -> bool {
    object.has("work_name")
}

/// Reads one line; all that is not a message of the agent is nothing.
///
/// # Errors
/// When a message of the agent has no text.
pub(super) fn read<'a>(object: &Object<'a>, tally: &mut Tally) -> Result<Reading<'a>, LineError> {
    let result = object.object("result");
    let data = result.object("event_data");
    if !result.is("event_type", "new_thread_message") || !data.is("message_role", "agent") {
        return Ok(Reading::NOTHING);
    }
    let text = data.required_string("message_content", tally)?;
    Ok(Reading { traffic: Traffic::Speech(text), place: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_line(line: &str) -> Result<Reading<'_>, LineError> {
        read(&Object::read(line).unwrap(), &mut Tally::default())
    }

    fn line(event: &str, role: &str, content: &str) -> String {
        format!(
            concat!(
                r#"{{"work_name":"main.agent.events","result":{{"event_type":"{}","#,
                r#""event_data":{{"agent_id":"a","message_role":"{}","message_content":{}}}}}}}"#
            ),
            event, role, content
        )
    }

    #[test]
    fn a_message_of_the_agent_is_what_it_says() {
        let line = line("new_thread_message", "agent", r#""hello""#);
        assert_eq!(read_line(&line).unwrap().traffic, Traffic::Speech("hello".into()));
    }

    #[test]
    fn all_else_is_nothing() {
        for line in [
            line("new_thread_message", "user", r#""hello""#),
            line("thread_message_added", "agent", r#""hello""#),
            r#"{"work_name":"session","result":{"session_id":null}}"#.to_owned(),
            r#"{"work_name":"main.error.halted","result":"why"}"#.to_owned(),
        ] {
            assert_eq!(read_line(&line).unwrap(), Reading::NOTHING);
        }
    }

    #[test]
    fn a_message_that_is_no_text_is_an_error() {
        let line = line("new_thread_message", "agent", "[1]");
        assert!(read_line(&line).unwrap_err().to_string().ends_with("message_content is not a string"));
    }
}

//! Takes the text of a notification apart, strictly, by a reader of its own.

use super::Notification;

/// The parts of a notification, unescaped.
#[derive(Debug, PartialEq)]
pub(crate) struct Notice {
    pub(crate) task_id: String,
    pub(crate) status: Option<String>,
    pub(crate) summary: String,
    pub(crate) event: Option<String>,
    pub(crate) note: Option<String>,
}

impl Notice {
    pub(crate) fn of(record: &Notification) -> Self {
        Self::parse(&record.attachment.prompt)
    }

    /// One line break between the parts, none at the ends.
    pub(crate) fn parse(text: &str) -> Self {
        let body = text
            .strip_prefix("<task-notification>")
            .and_then(|rest| rest.strip_suffix("\n</task-notification>"))
            .unwrap_or_else(|| panic!("not a notification: {text}"));
        let (task_id, rest) = element(body, "task-id");
        let (status, rest) = element(rest, "status");
        let (summary, rest) = element(rest, "summary");
        let (event, rest) = element(rest, "event");
        let note = match rest {
            "" => None,
            _ => Some(unescape(rest.strip_prefix('\n').expect(text))),
        };
        Self { task_id: task_id.expect("a task id"), status, summary: summary.expect("a summary"), event, note }
    }
}

/// The element that stands on the next line, if it is that one.
fn element<'a>(text: &'a str, name: &str) -> (Option<String>, &'a str) {
    let Some(rest) = text.strip_prefix(&format!("\n<{name}>")) else {
        return (None, text);
    };
    let (content, rest) = rest.split_once(&format!("</{name}>")).expect(text);
    (Some(unescape(content)), rest)
}

fn unescape(text: &str) -> String {
    assert!(!text.contains('<') && !text.contains('>'), "unescaped: {text}");
    let plain = text.replace("&lt;", "<").replace("&gt;", ">");
    let bare = text.split('&').skip(1);
    for rest in bare {
        let known = ["amp;", "lt;", "gt;"].iter().any(|name| rest.starts_with(name));
        assert!(known, "an ampersand that is none of ours: {text}");
    }
    plain.replace("&amp;", "&")
}

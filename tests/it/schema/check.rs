//! The rules of a whole transcript. Each function is one rule and panics with the rule's name.

use std::collections::HashSet;

use super::{AssistantBlock, Content, Notice, Record, ResultPart, StopReason};

/// A reader of lists sees this much of a file's beginning and end.
const LIST_WINDOW: usize = 64 << 10;

pub(super) fn all(records: &[Record], session: &str, bytes: usize) {
    chain_is_linear(records);
    fixed_fields_stay(records, session);
    ids_are_distinct(records, session);
    times_never_fall(records);
    queued_messages_are_whole(records);
    notifications_are_well_formed(records);
    titles_stand_where_lists_look(records, bytes);
    a_preface_opens_for_an_assistant_only(records);
    turns_keep_the_rule(records);
    results_name_the_last_prompt(records);
}

fn chain_is_linear(records: &[Record]) {
    let mut parent = None;
    for link in records.iter().filter_map(Record::link) {
        assert_eq!(link.parent, parent, "parent of {}", link.uuid);
        parent = Some(link.uuid);
    }
}

fn fixed_fields_stay(records: &[Record], session: &str) {
    let first = records.iter().find_map(Record::link).map(|link| link.fixed);
    for record in records {
        if let Some(link) = record.link() {
            assert_eq!(Some(link.fixed), first, "cwd, version and branch never change");
            assert_eq!(link.session, session, "sessionId is the file's name");
        }
        let named = match record {
            Record::Enqueue(record) => &record.session_id,
            Record::Remove(record) => &record.session_id,
            Record::AiTitle(record) => &record.session_id,
            Record::CustomTitle(record) => &record.session_id,
            Record::Notification(record) => &record.snake_session_id,
            Record::QueuedPrompt(record) => &record.snake_session_id,
            _ => continue,
        };
        assert_eq!(named.0, session, "sessionId is the file's name");
    }
}

fn ids_are_distinct(records: &[Record], session: &str) {
    let mut seen = HashSet::from([session]);
    let mut once = |id| assert!(seen.insert(id), "an id twice: {id}");
    let mut groups = HashSet::new();
    for record in records {
        if let Some(link) = record.link() {
            once(link.uuid);
        }
        match record {
            Record::Prompt(record) => once(&record.prompt_id.0),
            Record::QueuedPrompt(record) => {
                once(&record.attachment.source_uuid.0);
                once(&record.attachment.delivery_id.0);
            }
            Record::Notification(record) => {
                once(&record.attachment.source_uuid.0);
                once(&record.attachment.delivery_id.0);
            }
            Record::Assistant(record) if groups.insert(&record.message.id.0) => {
                once(&record.message.id.0);
            }
            _ => {}
        }
    }
}

fn times_never_fall(records: &[Record]) {
    let mut last = "";
    let mut rise = |time| {
        assert!(last <= time, "time falls from {last} to {time}");
        last = time;
    };
    for record in records {
        match record {
            Record::Enqueue(record) => rise(&record.timestamp.0),
            Record::Remove(record) => rise(&record.timestamp.0),
            _ => {}
        }
        if let Some(link) = record.link() {
            rise(link.time);
        }
        match record {
            Record::QueuedPrompt(record) => rise(&record.attachment.timestamp.0),
            Record::Notification(record) => rise(&record.attachment.timestamp.0),
            _ => {}
        }
    }
}

/// Enqueue, attachment, remove: next to each other, with one text and the same two ids.
fn queued_messages_are_whole(records: &[Record]) {
    let mut rest = records.iter();
    while let Some(record) = rest.next() {
        let enqueue = match record {
            Record::Enqueue(enqueue) => enqueue,
            Record::Remove(_) | Record::QueuedPrompt(_) | Record::Notification(_) => {
                panic!("a queued message that does not begin with its enqueue record")
            }
            _ => continue,
        };
        let (prompt, source, delivery) = match rest.next() {
            Some(Record::QueuedPrompt(record)) => {
                let queued = &record.attachment;
                (&queued.prompt, &queued.source_uuid, &queued.delivery_id)
            }
            Some(Record::Notification(record)) => {
                let queued = &record.attachment;
                (&queued.prompt, &queued.source_uuid, &queued.delivery_id)
            }
            _ => panic!("an enqueue record without its attachment"),
        };
        let Some(Record::Remove(remove)) = rest.next() else { panic!("an attachment without its remove record") };
        assert_eq!([&enqueue.content, &remove.content], [prompt, prompt], "the text of a queued message");
        let ids = [&remove.command_uuid.0, &remove.delivery_id.0];
        assert_eq!(ids, [&source.0, &delivery.0], "the two ids of a queued message");
    }
}

fn notifications_are_well_formed(records: &[Record]) {
    for record in records {
        let Record::Notification(record) = record else {
            continue;
        };
        let _ = Notice::of(record);
        let [alone, beside] = [&record.rendered, &record.rendered_in_human_turn].map(|rendered| {
            let end = format!("\n\n{}\n</system-reminder>", record.attachment.prompt);
            rendered[0]
                .content
                .strip_prefix("<system-reminder>\n[SYSTEM NOTIFICATION - NOT USER INPUT]\n")
                .and_then(|rest| rest.strip_suffix(end.as_str()))
                .unwrap_or_else(|| panic!("not a reminder: {}", rendered[0].content))
        });
        assert_ne!(alone, "", "the preamble says what the event is");
        assert!(beside.starts_with(alone), "the same-turn variant adds to the plain one");
        assert_ne!(alone, beside, "the same-turn variant adds to the plain one");
    }
}

fn titles_stand_where_lists_look(records: &[Record], bytes: usize) {
    let is_title = |record: &Record| matches!(record, Record::AiTitle(_) | Record::CustomTitle(_));
    let is_named = records.first().is_some_and(is_title);
    let Some(first) = records.iter().find(|record| !is_title(record)) else {
        return;
    };
    let prompted = matches!(first, Record::Prompt(_));
    let count = records.iter().filter(|record| is_title(record)).count();
    match records.first() {
        Some(Record::AiTitle(title)) => {
            assert!(!prompted, "a prompt is title enough");
            assert_eq!(count, 1, "an ai-title stands once");
            let title = &title.ai_title;
            assert!((1..=80).contains(&title.chars().count()), "length of {title:?}");
            assert!(!title.chars().any(char::is_control), "controls in {title:?}");
        }
        Some(Record::CustomTitle(_)) => {
            let again = matches!(records.last(), Some(Record::CustomTitle(_))) && count == 2;
            assert_eq!(again, bytes > LIST_WINDOW, "again at the end of a long file only");
        }
        _ => assert_eq!(count, 0, "a title stands on the first line"),
    }
    assert!(is_named || prompted, "a list shows a name for the session");
}

fn a_preface_opens_for_an_assistant_only(records: &[Record]) {
    let mut chain = records.iter().filter(|record| record.link().is_some());
    let first = chain.next();
    assert!(!matches!(first, Some(Record::Assistant(_))), "an API refuses a conversation that the assistant opens");
    let second = chain.next();
    if matches!(first, Some(Record::Preface(_))) {
        assert!(matches!(second, Some(Record::Assistant(_))), "a preface before something else");
    }
    let later = second.into_iter().chain(chain);
    let prefaces = later.filter(|record| matches!(record, Record::Preface(_)));
    assert_eq!(prefaces.count(), 0, "a preface stands first");
}

/// The turn rule, seen from the records alone.
fn turns_keep_the_rule(records: &[Record]) {
    let mut open: Vec<&str> = Vec::new();
    let mut calls = HashSet::new();
    let mut groups = HashSet::new();
    let mut group = "";
    let mut waiting = false;
    for record in records {
        match record {
            Record::Assistant(record) => {
                let message = &record.message;
                if open.is_empty() {
                    assert!(groups.insert(&message.id.0), "a new message has a new id");
                    group = &message.id.0;
                    waiting = false;
                }
                assert_eq!(message.id.0, group, "while a call is open the message goes on");
                let goes_on = match &message.content[0] {
                    AssistantBlock::Text { text } => {
                        assert!(!text.trim().is_empty(), "an API refuses blank text");
                        assert!(!waiting, "calls are closed before the agent answers a person");
                        !open.is_empty()
                    }
                    AssistantBlock::ToolUse { id, name, .. } => {
                        assert!(is_word(id, 64), "tool id {id:?}");
                        assert!(is_word(name, 128), "tool name {name:?}");
                        assert!(calls.insert(id), "a tool id twice: {id}");
                        open.push(id);
                        true
                    }
                };
                assert_eq!(message.stop_reason == StopReason::ToolUse, goes_on, "stop_reason");
                let usage = &message.usage;
                assert_eq!((usage.input_tokens, usage.output_tokens), (0, 0));
            }
            Record::ToolResult(record) => {
                let block = &record.message.content[0];
                let id = &block.tool_use_id;
                assert!(!(block.is_error && has_image(&block.content)), "an API takes text alone in a failed result");
                if let Some(whole) = &record.asyncai_tool_result {
                    assert!(
                        whole.is_error && !block.is_error && whole.id == *id,
                        "a failure with images, told in text"
                    );
                }
                let place = open.iter().position(|open| open == id);
                open.remove(place.unwrap_or_else(|| panic!("a result of no open call: {id}")));
                if record.asyncai_synthetic {
                    assert!(record.message.content[0].is_error, "a closing result is an error");
                }
            }
            Record::Prompt(record) => {
                assert!(open.is_empty(), "a plain user record splits the message of an open call");
                assert!(!waiting, "a plain user record would overtake the queued one");
                assert!(!record.message.content.trim().is_empty(), "an API refuses blank text");
            }
            Record::QueuedPrompt(_) => {
                assert!(!open.is_empty() || waiting, "nothing to queue a prompt behind");
                waiting = true;
            }
            _ => {}
        }
    }
    assert_eq!(open, Vec::<&str>::new(), "every call has its result at the end");
}

pub(crate) fn is_word(text: &str, most: usize) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    (1..=most).contains(&text.len()) && text.bytes().all(fits)
}

fn results_name_the_last_prompt(records: &[Record]) {
    let mut last = None;
    for record in records {
        match record {
            Record::Prompt(prompt) => last = Some(&prompt.prompt_id.0),
            Record::ToolResult(result) => {
                let named = result.prompt_id.as_ref().map(|id| &id.0);
                assert_eq!(named, last, "promptId of a result");
            }
            _ => {}
        }
    }
}

fn has_image(content: &Content) -> bool {
    matches!(content, Content::Blocks(parts) if parts.iter().any(|part| matches!(part, ResultPart::Image { .. })))
}

//! What Claude Code calls what the model of a conversation names. Knows no record.

/// Each word of the model with the program's own. An empty one says that the program has no word for it.
pub(in super::super) const GLOSSARY: [(&str, &str); 48] = [
    ("session", "sessionId"),
    ("stream", "agentId"),
    ("epoch", ""),
    ("talk", ""),
    ("run", "promptId"),
    ("segment", ""),
    ("message.external", "origin.kind == \"human\""),
    ("message.assistant", "text block"),
    ("message.synthetic", "message.model == \"<synthetic>\""),
    ("context.injection", "attachment"),
    ("llm.call", "message.id"),
    ("thinking", "thinking block"),
    ("tool", "tool_use + tool_result"),
    ("agent.call", "Agent, Skill or Workflow tool_use"),
    ("agent.launch_ack", "toolUseResult.status == \"async_launched\""),
    ("agent.output", ""),
    ("runtime.notification", "<task-notification>"),
    ("epoch.boundary", "system/compact_boundary"),
    ("epoch.summary", "isCompactSummary"),
    ("error.api", "system/api_error"),
    ("control.command", "system/local_command"),
    ("control.notice", "system/any other subtype"),
    ("turn.duration", "system/turn_duration"),
    ("starts", "toolUseResult.agentId, or a journal"),
    ("reports", "<task-notification>"),
    ("ends_with", ""),
    ("result_of", "tool_use_id"),
    ("follows", "logicalParentUuid"),
    ("summarizes", "parentUuid"),
    ("in_segment", ""),
    ("tool_result", "tool_result"),
    ("tool_use", "tool_use"),
    ("child_stream", "agentId"),
    ("notified_child", "<task-id>"),
    ("spawn_call", "toolUseResult.runId"),
    ("spawn_of_child", "agentId"),
    ("epoch_continuation", "logicalParentUuid"),
    ("record", "uuid"),
    ("trigger", "origin.kind"),
    ("external", "human"),
    ("notification", "task-notification"),
    ("unknown", ""),
    ("model", "message.model"),
    ("tokens", "message.usage"),
    ("time", "timestamp"),
    ("conversation", ""),
    ("exact_unique", ""),
    ("strong_inference", ""),
];

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::conversation::entity::{KINDS, RELATIONS, UNRESOLVED};

    fn read(path: &str) -> String {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
    }

    #[test]
    fn every_name_that_can_come_out_has_an_entry() {
        let has = |name: &str| GLOSSARY.iter().any(|(own, _)| *own == name);
        let qualities = ["exact_unique", "strong_inference"];
        let names = KINDS.iter().chain(&RELATIONS).chain(&UNRESOLVED).chain(&qualities);
        let missing: Vec<_> = names.filter(|name| !has(name)).collect();
        assert_eq!(missing, Vec::<&&str>::new());
    }

    #[test]
    fn every_word_has_one_entry() {
        let mut words: Vec<&str> = GLOSSARY.iter().map(|(own, _)| *own).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), GLOSSARY.len());
    }

    #[test]
    fn the_man_page_has_the_same_table() {
        let page = read("man/asyncai-sessionize.1");
        let (_, rest) = page.split_once("\\fIword\\fP\t\\fIin Claude Code\\fP\n").unwrap();
        let (table, _) = rest.split_once(".fi\n").unwrap();
        let plain = |cell: &str| cell.replace("\\-", "-").replace("\\(dq", "\"");
        let rows: Vec<(String, String)> = table
            .lines()
            .map(|line| line.split_once('\t').map(|(own, native)| (plain(own), plain(native))).unwrap())
            .collect();
        let expected: Vec<(String, String)> = GLOSSARY
            .iter()
            .map(|(own, native)| ((*own).to_owned(), if native.is_empty() { "\u{2014}" } else { native }.to_owned()))
            .map(|(own, native)| (own, native.replace('\u{2014}', "\\(em")))
            .collect();
        assert_eq!(rows, expected);
    }
}

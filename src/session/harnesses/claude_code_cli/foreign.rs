//! What another program appended to the transcript: which record is the last of its chain. Changes nothing.

use std::borrow::Cow;
use std::io::{self, Read};

use serde::Deserialize;
use uuid::Uuid;

use super::record_id::RecordId;
use crate::lines::{Line, LineReader};
use crate::session::append_file::AppendFile;

/// Longer lines are passed over: no record of a conversation that a program can load is this long.
const LINE_LIMIT: usize = 256 << 20;

/// The branch that another program added.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ForeignChain {
    /// The record from which it went on.
    pub(super) parent: Option<RecordId>,
    /// Its last record.
    pub(super) last: RecordId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChainRecord<'a> {
    #[serde(borrow)]
    uuid: Cow<'a, str>,
    #[serde(borrow)]
    parent_uuid: Option<Cow<'a, str>>,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    asyncai_synthetic: bool,
}

impl<'a> ChainRecord<'a> {
    /// Reads a line; nothing when it is no record of the main chain.
    fn read(line: &'a [u8]) -> Option<(RecordId, Self)> {
        let record: Self = serde_json::from_slice(line).ok()?;
        let uuid = record_id(&record.uuid)?;
        (!record.is_sidechain).then_some((uuid, record))
    }
}

/// Reads what stands in a range of the file: the branch in it, if there is one.
pub(super) fn read(file: &AppendFile, (from, to): (u64, u64)) -> io::Result<Option<ForeignChain>> {
    let mut chain: Option<ForeignChain> = None;
    each_record(file.range(from, to), |uuid, record| {
        let parent = record.parent_uuid.as_deref().and_then(record_id);
        match &mut chain {
            Some(chain) => chain.last = uuid,
            None => chain = Some(ForeignChain { parent, last: uuid }),
        }
    })?;
    Ok(chain)
}

/// Counts the events of the main chain that stand in the file after the record `parent` and before `end`.
pub(super) fn events_after(file: &AppendFile, parent: Option<RecordId>, end: u64) -> io::Result<u64> {
    let (mut is_after, mut count) = (parent.is_none(), 0);
    each_record(file.range(0, end), |uuid, record| {
        count += u64::from(is_after && !record.asyncai_synthetic);
        is_after |= Some(uuid) == parent;
    })?;
    Ok(count)
}

fn each_record(source: impl Read, mut see: impl FnMut(RecordId, &ChainRecord<'_>)) -> io::Result<()> {
    let mut lines = LineReader::new(source, LINE_LIMIT);
    while let Some(line) = lines.next_line()? {
        if let Line::Whole(line) = line
            && let Some((uuid, record)) = ChainRecord::read(line)
        {
            see(uuid, &record);
        }
    }
    Ok(())
}

fn record_id(text: &str) -> Option<RecordId> {
    Uuid::parse_str(text).ok().map(RecordId::from)
}

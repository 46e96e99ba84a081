//! Where the sources of a session are: its transcript, and the folder of the same name beside it. Knows no record.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use uuid::Uuid;

use super::is_agent_id;
use crate::conversation::adapters::{Kind, Source};

/// The name of the stream that is not a child's.
const MAIN: &str = "main";

/// The session that a transcript of this name holds.
pub(in super::super) fn session_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
    (name.len() == 36 && Uuid::try_parse(name).is_ok()).then(|| name.to_owned())
}

/// The main transcript, and whatever of its session stands in its folder.
pub(in super::super) fn sources(path: Option<&Path>) -> io::Result<Vec<Source>> {
    let name = path.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let main = Source {
        path: path.map(Path::to_owned),
        name: name.unwrap_or_else(|| "-".to_owned()),
        kind: Kind::Transcript,
        stream: Some(MAIN.to_owned()),
        batch: None,
    };
    let mut beside = Vec::new();
    if let Some(path) = path
        && let Some(session) = session_of(path)
    {
        let folder = path.with_file_name(&session);
        let mut add = |relative: &str, batch: Option<&str>| list(&folder, &session, relative, batch, &mut beside);
        add("subagents", None)?;
        add("workflows", None)?;
        add("workflows/scripts", None)?;
        for group in names(&folder.join("subagents/workflows"))? {
            add(&format!("subagents/workflows/{group}"), Some(&group))?;
        }
    }
    beside.sort_by(|one: &Source, other| one.name.cmp(&other.name));
    beside.insert(0, main);
    Ok(beside)
}

fn list(
    folder: &Path,
    session: &str,
    relative: &str,
    batch: Option<&str>,
    sources: &mut Vec<Source>,
) -> io::Result<()> {
    for name in names(&folder.join(relative))? {
        let path: PathBuf = folder.join(relative).join(&name);
        if let Some((kind, stream, own_batch)) = kind_of(relative, &name)
            && metadata(&path)?.is_some_and(|metadata| metadata.is_file())
        {
            let batch = own_batch.or_else(|| batch.map(str::to_owned));
            let name = format!("{session}/{relative}/{name}");
            sources.push(Source { path: Some(path), name, kind, stream, batch });
        }
    }
    Ok(())
}

/// What a path leads to, if that is something. What nobody lets us look at is an error, for it would be missing.
fn metadata(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(path) {
        Err(error) if matches!(Errno::from_io_error(&error), Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP)) => {
            Ok(None)
        }
        other => other.map(Some),
    }
}

/// The names in a folder; of one that is not there, or leads to nothing, none.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    if !metadata(folder)?.is_some_and(|metadata| metadata.is_dir()) {
        return Ok(names);
    }
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string());
    }
    Ok(names)
}

/// What a file is, and the stream and the group that its name gives.
fn kind_of(relative: &str, name: &str) -> Option<(Kind, Option<String>, Option<String>)> {
    let agent = |rest: &str| is_agent_id(rest).then(|| Some(rest.to_owned()));
    if relative == "workflows" {
        let run = name.strip_suffix(".json").filter(|run| run.starts_with("wf_"))?;
        return Some((Kind::Manifest, None, Some(run.to_owned())));
    }
    if relative == "workflows/scripts" {
        let (_, run) = name.strip_suffix(".js")?.rsplit_once("-wf_")?;
        return Some((Kind::Script, None, Some(format!("wf_{run}"))));
    }
    if name == "journal.jsonl" && relative != "subagents" {
        return Some((Kind::Journal, None, None));
    }
    let rest = name.strip_prefix("agent-")?;
    if let Some(id) = rest.strip_suffix(".meta.json") {
        return Some((Kind::Sidecar, agent(id)?, None));
    }
    Some((Kind::Transcript, agent(rest.strip_suffix(".jsonl")?)?, None))
}

//! What a session knows of its surroundings, captured once at the start.

use std::fs;
use std::path::{Path, PathBuf};

/// What every record of a session may say about where it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// The working directory, resolved.
    pub cwd: String,
    /// The branch of the repository around it.
    pub git_branch: Option<String>,
    /// The model of records whose event names none.
    pub model: String,
    /// The session's title, if the user gave one.
    pub title: Option<String>,
    /// How far the clocks of the place are ahead of UTC, in seconds.
    pub utc_offset: i32,
}

/// Reads the branch of the repository around a folder, without git: `HEAD` when no branch is checked out.
#[must_use]
pub fn git_branch(folder: &Path) -> Option<String> {
    let head = folder.ancestors().find_map(|folder| fs::read_to_string(git_folder(folder)?.join("HEAD")).ok())?;
    match head.trim_end().strip_prefix("ref: ") {
        // The reftable format keeps its branches elsewhere and puts this in their place.
        Some("refs/heads/.invalid") => None,
        Some(reference) => Some(reference.strip_prefix("refs/heads/").unwrap_or(reference).to_owned()),
        None => Some("HEAD".to_owned()),
    }
}

/// The folder with the repository's `HEAD`: `.git`, or in a worktree what the file `.git` points to.
fn git_folder(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let pointer = fs::read_to_string(&git).ok()?;
    Some(folder.join(pointer.strip_prefix("gitdir: ")?.trim_end()))
}

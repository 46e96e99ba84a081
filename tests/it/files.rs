//! What the program touches on the disk, and what it reads of a repository.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::{Run, Sandbox, events};

#[test]
fn one_run_makes_one_file_and_touches_nothing_else() {
    let sandbox = Sandbox::new();
    sandbox.file("home/.claude/history.jsonl", "{}\n");
    sandbox.file("home/.claude/settings.json", "{}\n");
    let old = sandbox.run(&[], events("U(old)")).session().file();
    fs::write(old.with_file_name("sessions-index.json"), "{}").unwrap();
    let before = sandbox.tree();
    let run = sandbox.run(&[], events("U(go) C(a) M(x) R(a,1) A(done)"));
    let file = run.session().file();
    let mut after = sandbox.tree();
    after.retain(|line| !line.starts_with(file.to_str().unwrap()));
    assert_eq!(after, before);
}

#[test]
fn the_first_run_makes_the_folders_down_to_its_file_only() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    let run = sandbox.run(&[], events("U(go)"));
    let file = run.session().file();
    let fresh: Vec<String> = sandbox.tree().into_iter().filter(|line| !before.contains(line)).collect();
    let paths: Vec<&str> = fresh.iter().map(|line| line.split('\t').next().unwrap()).collect();
    let folder = file.parent().unwrap();
    let expected = [sandbox.claude_root(), folder.parent().unwrap().into(), folder.into(), file];
    assert_eq!(paths.len(), expected.len(), "{paths:?}");
    for path in expected {
        assert!(paths.contains(&path.to_str().unwrap()), "{paths:?}");
    }
}

#[test]
fn a_transcript_is_the_owners_alone() {
    let sandbox = Sandbox::new();
    let file = sandbox.run(&[], events("U(go)")).session().file();
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o7777, 0o600);
}

#[test]
fn without_a_session_nothing_is_made() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    let run = sandbox.run(&["--no-session"], events("U(go) A(done)"));
    assert_eq!(run.code(), Some(0));
    assert_eq!(sandbox.tree(), before);
}

#[test]
fn a_file_operand_is_read_and_not_touched() {
    let sandbox = Sandbox::new();
    let input = sandbox.file("work/in.ndjson", events("U(go) A(done)"));
    let before = sandbox.tree();
    let run = sandbox.run(&["--no-session", input.to_str().unwrap()], "");
    assert_eq!(run.echo(), events("U(go) A(done)"));
    assert_eq!(sandbox.tree(), before);
}

#[test]
fn a_dash_as_file_is_stdin() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["--no-session", "-"], events("U(go)"));
    assert_eq!(run.echo(), events("U(go)"));
}

fn branch_in(sandbox: &Sandbox, cwd: &Path) -> Option<String> {
    branch(&sandbox.run(&["--cwd", cwd.to_str().unwrap()], events("U(go)")))
}

fn branch(run: &Run) -> Option<String> {
    let transcript = run.transcript();
    transcript.records[0].link().unwrap().fixed.2.map(str::to_owned)
}

#[test]
fn the_branch_of_a_repository_is_recorded() {
    let sandbox = Sandbox::new();
    let cwd = sandbox.repository("plain", "ref: refs/heads/feature/long-name\n");
    assert_eq!(branch_in(&sandbox, &cwd).as_deref(), Some("feature/long-name"));
}

#[test]
fn a_folder_inside_a_repository_has_its_branch() {
    let sandbox = Sandbox::new();
    sandbox.repository("plain", "ref: refs/heads/deep\n");
    let cwd = sandbox.folder("plain/a/b/c");
    assert_eq!(branch_in(&sandbox, &cwd).as_deref(), Some("deep"));
}

#[test]
fn a_detached_head_is_recorded_as_head() {
    let sandbox = Sandbox::new();
    let cwd = sandbox.repository("plain", "0123456789abcdef0123456789abcdef01234567\n");
    assert_eq!(branch_in(&sandbox, &cwd).as_deref(), Some("HEAD"));
}

#[test]
fn a_worktree_has_its_own_branch() {
    let sandbox = Sandbox::new();
    let main = sandbox.repository("plain", "ref: refs/heads/main\n");
    sandbox.file("plain/.git/worktrees/side/HEAD", "ref: refs/heads/side\n");
    sandbox.file("plain/.git/worktrees/side/commondir", "../..\n");
    let admin = main.join(".git/worktrees/side");
    sandbox.file("tree/.git", format!("gitdir: {}\n", admin.display()));
    let cwd = sandbox.folder("tree/inner");
    assert_eq!(branch_in(&sandbox, &cwd).as_deref(), Some("side"));
}

#[test]
fn a_relative_git_file_is_read_from_its_own_folder() {
    let sandbox = Sandbox::new();
    sandbox.file("plain/.git/modules/sub/HEAD", "ref: refs/heads/sub\n");
    sandbox.file("plain/sub/.git", "gitdir: ../.git/modules/sub\n");
    let cwd = sandbox.folder("plain/sub/inner");
    assert_eq!(branch_in(&sandbox, &cwd).as_deref(), Some("sub"));
}

#[test]
fn outside_a_repository_the_branch_is_null() {
    // The root is the one folder above which no repository can be.
    assert!(!Path::new("/.git").exists(), "this machine's root is a repository");
    assert_eq!(branch_in(&Sandbox::new(), Path::new("/")), None);
}

#[test]
fn the_option_wins_over_the_repository() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["--git-branch", "given"], events("U(go)"));
    assert_eq!(branch(&run).as_deref(), Some("given"));
}

#[test]
fn a_git_file_that_says_nothing_sensible_is_no_reason_to_fail() {
    let sandbox = Sandbox::new();
    sandbox.file("odd/.git", b"\xff\xfe");
    let cwd = sandbox.path("odd");
    let run = sandbox.run(&["--cwd", cwd.to_str().unwrap()], events("U(go)"));
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
}

#[test]
fn the_top_level_of_the_repository_has_the_given_names_alone() {
    let given = ["Cargo.lock", "Cargo.toml", "LICENSE", "README.md", "examples", "man", "src", "target", "tests"];
    let entries = std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).unwrap().map(|entry| entry.unwrap().file_name());
    let names = entries.map(|name| name.into_string().unwrap()).filter(|name| !name.starts_with('.'));
    let others: Vec<String> = names.filter(|name| !given.contains(&name.as_str())).collect();
    assert_eq!(others, Vec::<String>::new());
}

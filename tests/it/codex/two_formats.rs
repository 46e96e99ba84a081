//! One run, two transcripts.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::{Run, Sandbox, events};

const BOTH: [&str; 4] = ["--session-format", "claude-code-cli", "--session-format", "codex-cli"];

fn both(sandbox: &Sandbox, args: &[&str]) -> Run {
    sandbox.run(&[&BOTH, args].concat(), events("U(go) C(a) R(a,1) M(x) A(done)"))
}

#[test]
fn the_session_line_lists_both_and_names_the_first() {
    let sandbox = Sandbox::new();
    let run = both(&sandbox, &[]);
    assert_eq!((run.code(), run.stderr.as_str()), (Some(0), ""));
    let session = run.session();
    let formats: Vec<_> = session.harnesses.iter().map(|harness| harness.format.as_str()).collect();
    assert_eq!(formats, ["claude-code-cli", "codex-cli"]);
    assert_eq!(session.harness.as_deref(), Some("claude-code-cli"));
    assert_eq!(session.session_id.as_ref(), Some(&session.harnesses[0].session_id));
    assert_eq!(session.session_file.as_ref(), Some(&session.harnesses[0].session_file));
    assert_ne!(session.harnesses[0].session_id, session.harnesses[1].session_id);
}

#[test]
fn the_order_of_the_options_is_that_of_the_list() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[BOTH[2], BOTH[3], BOTH[0], BOTH[1]], events("U(go)"));
    assert_eq!(run.session().harness.as_deref(), Some("codex-cli"));
}

#[test]
fn both_have_every_event() {
    let sandbox = Sandbox::new();
    let run = both(&sandbox, &[]);
    assert_eq!(
        run.codex_transcript().outline(),
        ["user go", "call a {\"command\":\"true\"}", "output a 1", "notice Monitor event: \"log\" = x", "text done"]
    );
    assert_eq!(
        run.transcript().outline(),
        ["user go", "call a @1", "result a 1", "notice Monitor event: \"log\" = x", "text done @2"]
    );
}

/// Whichever of the two cannot be opened, the other has everything.
#[test]
fn a_root_that_cannot_be_written_is_no_matter_of_the_other_format() {
    for (bad, good) in [("claude-code-cli", "codex-cli"), ("codex-cli", "claude-code-cli")] {
        let sandbox = Sandbox::new();
        // A file in the place of a folder fails for root too, to whom no folder is read-only.
        let root = sandbox.file("not-a-folder", "");
        let run = both(&sandbox, &["--session-dir", &format!("{bad}={}", root.display())]);
        assert_eq!(run.code(), Some(1), "{}", run.stderr);
        assert_eq!(run.reports(), [format!("{bad}: cannot record: {}: not a directory", root.display())]);
        let session = run.session();
        assert_eq!(session.harness.as_deref(), Some(good));
        assert_eq!(session.harnesses.len(), 1);
        let last = match good {
            "codex-cli" => run.codex_transcript().outline().pop().unwrap(),
            _ => run.transcript().outline().pop().unwrap(),
        };
        assert!(last.starts_with("text done"), "{last}");
        assert_eq!(run.echo().lines().count(), 5);
    }
}

#[test]
fn a_read_only_root_is_no_matter_of_the_other_format() {
    let sandbox = Sandbox::new();
    let root = sandbox.folder("read-only");
    fs::set_permissions(&root, fs::Permissions::from_mode(0o500)).unwrap();
    if fs::create_dir(root.join("probe")).is_ok() {
        // To this user no folder is read-only; the test above says the same of another failure.
        return;
    }
    let run = both(&sandbox, &["--session-dir", &format!("codex-cli={}", root.display())]);
    fs::set_permissions(&root, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(run.code(), Some(1), "{}", run.stderr);
    assert_eq!(run.reports(), [format!("codex-cli: cannot record: {}: permission denied", root.display())]);
    assert_eq!(run.transcript().outline().len(), 5);
}

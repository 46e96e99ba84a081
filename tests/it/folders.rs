//! Where a transcript lands: the root, the folder of the working directory, the file.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::support::{Run, Sandbox, events, run};

/// The folder name for a resolved path, written from the format's description: each UTF-16 unit that
/// is no ASCII letter, digit or dash becomes a dash; past 200 units, a hash in base 36 ends it.
fn encoded(cwd: &Path) -> String {
    let units: Vec<u16> = cwd.to_str().unwrap().encode_utf16().collect();
    let dash = |unit: &u16| match u8::try_from(*unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
        _ => '-',
    };
    let name: String = units.iter().map(dash).collect();
    if name.len() <= 200 {
        return name;
    }
    let mut hash: i32 = 0;
    for unit in units {
        hash = hash.wrapping_mul(31).wrapping_add(i32::from(unit));
    }
    let mut rest = hash.unsigned_abs();
    let mut digits = Vec::new();
    while rest > 0 || digits.is_empty() {
        digits.push(char::from_digit(rest % 36, 36).unwrap());
        rest /= 36;
    }
    let digits: String = digits.iter().rev().collect();
    format!("{}-{digits}", &name[..200])
}

#[test]
fn the_encoding_of_these_tests_gives_the_measured_names() {
    assert_eq!(encoded(Path::new("/srv/🚀x")), "-srv---x");
    for (letter, count, end) in
        [("b", 196, "-tnu249"), ("b", 220, "-zc79dl"), ("é", 220, "-o7mhvd"), ("🚀", 110, "-fmimb3")]
    {
        let name = encoded(Path::new(&format!("/srv/{}", letter.repeat(count))));
        assert!(name.ends_with(end), "{name}");
    }
}

/// Runs in a folder of the sandbox and gives the folder that the transcript was put into.
fn folder_for(sandbox: &Sandbox, cwd: &Path) -> String {
    let run = sandbox.run(&["--cwd", cwd.to_str().unwrap()], events("U(go)"));
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
    folder_name(&run)
}

fn folder_name(run: &Run) -> String {
    let file = run.session().file();
    file.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned()
}

fn recorded_cwd(run: &Run) -> PathBuf {
    run.transcript().records[0].link().unwrap().fixed.0.into()
}

// T15
#[test]
fn each_odd_character_of_the_working_directory_is_a_dash() {
    let sandbox = Sandbox::new();
    let cwd = sandbox.folder("a_b c.d");
    let name = folder_for(&sandbox, &cwd);
    assert!(name.ends_with("-a-b-c-d"), "{name}");
    assert_eq!(name, encoded(&cwd));
}

#[test]
fn characters_beyond_ascii_give_a_dash_per_utf_16_unit() {
    let sandbox = Sandbox::new();
    let cwd = sandbox.folder("é😀n\u{303}x");
    let name = folder_for(&sandbox, &cwd);
    assert!(name.ends_with("----n-x"), "{name}");
    assert_eq!(name, encoded(&cwd));
}

// T16
#[test]
fn a_long_working_directory_is_cut_and_ends_in_a_hash() {
    let sandbox = Sandbox::new();
    let cwd = sandbox.folder(&format!("{}/{}é", "b".repeat(150), "c".repeat(150)));
    let name = folder_for(&sandbox, &cwd);
    assert!(name.len() > 200, "{name}");
    assert_eq!(name, encoded(&cwd));
}

// T16
#[test]
fn a_working_directory_of_200_characters_is_not_cut() {
    let sandbox = Sandbox::new();
    let parent = sandbox.path("").to_str().unwrap().len();
    for length in [200, 201] {
        let cwd = sandbox.folder(&"b".repeat(length - parent));
        assert_eq!(folder_for(&sandbox, &cwd), encoded(&cwd));
    }
}

// T17
#[test]
fn a_symbolic_link_is_resolved_in_the_folder_name_and_in_the_records() {
    let sandbox = Sandbox::new();
    let real = sandbox.folder("real");
    let link = sandbox.path("link");
    symlink(&real, &link).unwrap();
    let run = sandbox.run(&["--cwd", link.to_str().unwrap()], events("U(go)"));
    assert_eq!(folder_name(&run), encoded(&real));
    assert_eq!(recorded_cwd(&run), real);
}

// T17
#[test]
fn the_shells_idea_of_the_current_folder_is_not_taken() {
    let sandbox = Sandbox::new();
    let link = sandbox.path("link");
    symlink(sandbox.cwd(), &link).unwrap();
    let mut command = sandbox.command(&[]);
    command.current_dir(&link).env("PWD", &link);
    let run = run(command, events("U(go)"));
    assert_eq!(recorded_cwd(&run), sandbox.cwd());
}

#[test]
fn a_relative_working_directory_is_resolved() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["--cwd", "../home/."], events("U(go)"));
    assert_eq!(recorded_cwd(&run), sandbox.path("home"));
}

// T18
#[test]
fn a_working_directory_that_is_not_utf_8_is_refused() {
    let sandbox = Sandbox::new();
    let odd = sandbox.path("").join(OsStr::from_bytes(b"odd\xff"));
    fs::create_dir(&odd).unwrap();
    let before = sandbox.tree();
    let mut by_option = sandbox.command(&["--cwd"]);
    by_option.arg(&odd);
    let mut by_place = sandbox.command(&[]);
    by_place.current_dir(&odd);
    for command in [by_option, by_place] {
        let run = run(command, events("U(go)"));
        assert_eq!(run.code(), Some(2));
        assert_eq!(run.reports().len(), 1, "{}", run.stderr);
    }
    assert_eq!(sandbox.tree(), before);
}

// T19
#[test]
fn two_working_directories_can_share_a_folder_and_nothing_else() {
    let sandbox = Sandbox::new();
    let (first, second) = (sandbox.folder("a.b"), sandbox.folder("a b"));
    let one = sandbox.run(&["--cwd", first.to_str().unwrap()], events("U(one)"));
    let before = fs::read(one.session().file()).unwrap();
    let two = sandbox.run(&["--cwd", second.to_str().unwrap()], events("U(two)"));
    assert_eq!(folder_name(&one), folder_name(&two));
    assert_ne!(one.session().file(), two.session().file());
    assert_eq!(fs::read(one.session().file()).unwrap(), before);
    assert_eq!((recorded_cwd(&one), recorded_cwd(&two)), (first, second));
}

#[test]
fn the_default_root_stands_in_the_home_folder() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], events("U(go)"));
    let folder = sandbox.claude_root().join("projects").join(encoded(&sandbox.cwd()));
    assert_eq!(run.session().file().parent(), Some(folder.as_path()));
}

#[test]
fn the_default_format_can_be_named() {
    let sandbox = Sandbox::new();
    let session = sandbox.run(&["--session-format", "claude-code-cli"], events("U(go)")).session();
    assert_eq!(session.harness.as_deref(), Some("claude-code-cli"));
}

#[test]
fn the_file_is_named_by_the_session_id() {
    let sandbox = Sandbox::new();
    let session = sandbox.run(&[], events("U(go)")).session();
    let name = format!("{}.jsonl", session.session_id.clone().unwrap());
    assert_eq!(session.file().file_name().unwrap(), name.as_str());
}

#[test]
fn the_configuration_variable_moves_the_root() {
    let sandbox = Sandbox::new();
    assert_eq!(root_with(&sandbox, &[], Some(&sandbox.path("config"))), sandbox.path("config"));
}

#[test]
fn an_empty_configuration_variable_counts_as_unset() {
    let sandbox = Sandbox::new();
    assert_eq!(root_with(&sandbox, &[], Some(Path::new(""))), sandbox.claude_root());
}

#[test]
fn a_tilde_in_the_configuration_variable_is_literal() {
    let sandbox = Sandbox::new();
    let root = root_with(&sandbox, &[], Some(Path::new("~/config")));
    assert_eq!(fs::canonicalize(sandbox.cwd().join(root)).unwrap(), sandbox.cwd().join("~/config"));
}

#[test]
fn the_option_wins_over_the_configuration_variable() {
    let sandbox = Sandbox::new();
    let given = format!("claude-code-cli={}", sandbox.path("own=root").display());
    let root = root_with(&sandbox, &["--session-dir", &given], Some(&sandbox.path("config")));
    assert_eq!(root, sandbox.path("own=root"));
}

#[test]
fn a_root_given_by_option_needs_no_home() {
    let sandbox = Sandbox::new();
    let given = format!("claude-code-cli={}", sandbox.path("own").display());
    let mut command = sandbox.command(&["--session-dir", &given]);
    command.env_remove("HOME");
    assert_eq!(run(command, events("U(go)")).code(), Some(0));
}

fn root_with(sandbox: &Sandbox, args: &[&str], variable: Option<&Path>) -> PathBuf {
    let mut command = sandbox.command(args);
    if let Some(value) = variable {
        command.env("CLAUDE_CONFIG_DIR", value);
    }
    let run = run(command, events("U(go)"));
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
    let file = run.session().file();
    let projects = file.parent().unwrap().parent().unwrap();
    assert_eq!(projects.file_name().unwrap(), "projects");
    projects.parent().unwrap().to_owned()
}

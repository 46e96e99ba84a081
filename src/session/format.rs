//! The transcript formats, a closed list: names, default roots, harnesses. The only file that names concrete ones.

use std::io;
use std::path::{Path, PathBuf};

use super::context::Context;
use super::harnesses::transcript::Program;
use super::harnesses::{Options, SessionHarness, claude_code_cli, codex_cli};
use super::stamp::SystemStamp;

/// A transcript format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The transcripts of Claude Code's command line program.
    ClaudeCodeCli,
    /// The transcripts of Codex's command line program.
    CodexCli,
}

/// What of the environment decides where transcripts are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Homes {
    /// `HOME`.
    pub home: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`.
    pub claude_config_dir: Option<PathBuf>,
    /// `CODEX_HOME`.
    pub codex_home: Option<PathBuf>,
}

impl Format {
    /// All formats; the first is the default.
    pub const ALL: [Self; 2] = [Self::ClaudeCodeCli, Self::CodexCli];

    fn program(self) -> &'static Program {
        match self {
            Self::ClaudeCodeCli => &claude_code_cli::PROGRAM,
            Self::CodexCli => &codex_cli::PROGRAM,
        }
    }

    /// Returns the name by which the command line knows the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.program().format
    }

    /// Returns the format of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Returns the folder where the format's program looks, as the environment says.
    #[must_use]
    pub fn root(self, homes: &Homes) -> Option<PathBuf> {
        let own = match self {
            Self::ClaudeCodeCli => &homes.claude_config_dir,
            Self::CodexCli => &homes.codex_home,
        };
        self.program().root(homes.home.as_deref(), own.as_deref())
    }

    /// Returns the folder where the format's program looks when nothing but the home is known.
    #[must_use]
    pub fn default_root(self, homes: &Homes) -> Option<PathBuf> {
        self.root(&Homes { home: homes.home.clone(), ..Homes::default() })
    }

    /// Creates a transcript.
    ///
    /// # Errors
    /// When its file or folder cannot be made.
    pub fn open(self, root: &Path, is_default_root: bool, context: &Context) -> io::Result<Box<dyn SessionHarness>> {
        let (options, stamp) = (Options { root, is_default_root, context }, Box::new(SystemStamp));
        Ok(match self {
            Self::ClaudeCodeCli => Box::new(claude_code_cli::Harness::open(options, stamp)?),
            Self::CodexCli => Box::new(codex_cli::Harness::open(options, stamp)?),
        })
    }
}

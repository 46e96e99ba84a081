//! What our records carry beside what the programs know, for readers of transcripts. The programs ignore unknown keys.

use serde::Serialize;

/// A record that stands for a result which it cannot hold as it is.
#[derive(Serialize)]
pub(super) struct WithWholeResult<R, S, E> {
    #[serde(flatten)]
    pub(super) record: R,
    #[serde(rename = "asyncaiToolResult", skip_serializing_if = "Option::is_none")]
    pub(super) whole: Option<WholeResult<S, E>>,
}

/// That result, whole.
#[derive(Serialize)]
pub(super) struct WholeResult<S, E> {
    pub(super) id: S,
    pub(super) content: S,
    pub(super) is_error: E,
}

#!/bin/sh
# Records a conversation in a CI job and prints where it went:
#
#     session_id=<uuid>
#     session_file=<path>
#
# Usage: record-in-ci.sh [FILE]
#   FILE   events, one JSON object per line; `-` or nothing is standard input
#
# Needs jq, and asyncai-transcribe on PATH or named by ASYNCAI_TRANSCRIBE.
# The transcript is in $CLAUDE_CONFIG_DIR, or in ~/.claude when that is unset:
# point CLAUDE_CONFIG_DIR at a folder that the job keeps as an artifact.
#
# Exit status: that of asyncai-transcribe (0 all recorded, 1 something was
# rejected or lost, 2 it did not start); 1 without a transcript or without an
# event, 2 without jq.

set -eu

transcribe=${ASYNCAI_TRANSCRIBE:-asyncai-transcribe}

if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
    sed -n '2,/^$/s/^# \{0,1\}//p' "$0"
    exit 0
fi
if [ "$#" -gt 1 ]; then
    echo 'usage: record-in-ci.sh [FILE]' >&2
    exit 2
fi
for program in "$transcribe" jq; do
    if ! command -v "$program" >/dev/null; then
        echo "record-in-ci.sh: $program: not found" >&2
        exit 2
    fi
done

# --quiet, or the variable would hold the whole conversation: each accepted
# event is echoed without it. No pipe into jq here, because a pipe in POSIX sh
# has the status of its last command and a rejected event would go unseen.
# `--` keeps a file name that begins with a dash from being read as an option.
status=0
session=$("$transcribe" --quiet -- "${1:--}") || status=$?

# No session line: it did not start, and has said why on standard error.
if [ -z "$session" ]; then
    exit "$status"
fi

# The id is null when no transcript could be opened. `select` then gives no
# output, which jq -e reports by its status. Two lines of the form key=value
# are what CI systems take as the outputs of a step.
if ! printf '%s\n' "$session" | jq -er '.result
        | select(.session_id != null)
        | "session_id=\(.session_id)\nsession_file=\(.session_file)"'; then
    echo 'record-in-ci.sh: no transcript was written' >&2
    exit 1
fi

# A conversation without an event cannot be resumed, whatever the status says.
if ! [ -s "$(printf '%s\n' "$session" | jq -r .result.session_file)" ]; then
    exit 1
fi

# After the output, so that the job can look at the transcript of a
# conversation that was recorded only in part.
exit "$status"

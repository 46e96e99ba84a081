"""Prints what the vendor's SDK for Python reads of a directory's sessions, as JSON."""
import dataclasses
import json
import sys

from claude_agent_sdk import get_session_messages, list_sessions

directory = sys.argv[1]
sessions = [dataclasses.asdict(session) for session in list_sessions(directory=directory)]
messages = {
    session["session_id"]: [message.message for message in get_session_messages(session["session_id"], directory=directory)]
    for session in sessions
}
json.dump({"sessions": sessions, "messages": messages}, sys.stdout)

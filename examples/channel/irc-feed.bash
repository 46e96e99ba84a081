#!/usr/bin/env bash
# Joins channels of an IRC server and prints what the server sends, line by line. Answers its pings. What comes on
# standard input goes to the server as it is; the end of standard input changes nothing. No TLS.
#
# usage: irc-feed.bash HOST PORT NICK CHANNEL...
set -euo pipefail
if (($# < 4)); then
    echo "usage: ${0##*/} HOST PORT NICK CHANNEL..." >&2
    exit 2
fi
host=$1 port=$2 nick=$3
shift 3

# A copy of standard input: the shell gives programs in the background an empty one.
exec 3<>"/dev/tcp/$host/$port" 4<&0
trap '[[ -z ${speaker-} ]] || kill "$speaker" 2>/dev/null || true' EXIT
send() { printf '%s\r\n' "$1" >&3; }

# Not every server has these; each is asked for by itself, since a request is granted or refused as a whole.
for capability in message-tags server-time echo-message batch; do send "CAP REQ :$capability"; done
send 'CAP END'
send "NICK $nick"
send "USER $nick 0 * :$nick"

while IFS= read -r line <&3; do
    printf '%s\n' "$line"
    line=${line%$'\r'}
    case $line in
        'PING '*) send "PONG ${line#PING }" ;;
        :*\ 001\ *)
            for channel; do send "JOIN $channel"; done
            # Not before: a server takes little from whom it does not know.
            cat <&4 >&3 &
            speaker=$!
            ;;
    esac
done

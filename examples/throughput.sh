#!/usr/bin/env bash
# How fast asyncai-transcribe is, as ratios measured in one run: against cat of the transcript that it wrote, jq
# on the same events, and tee; and how fast asyncai-sessionize reads that transcript back, against wc -l and openssl
# dgst -sha256 of it together. Prints tables in Markdown.
#
#   examples/throughput.sh              with both from PATH, or ASYNCAI_TRANSCRIBE=program, ASYNCAI_SESSIONIZE=program
#   EVENTS=100000 examples/throughput.sh    fewer events (default 1000000, about 150 MB)
#   RUNS=9 examples/throughput.sh           more runs of each (default 5; the median is shown)
#   GROWTH='10000 100000' examples/…        other sizes of the growth table (default up to 10000000)
#
# Needs bash 5, awk, GNU time, jq and openssl; with strace it counts the writes too. Works in a fresh folder below TMPDIR,
# which should be on the file system that is of interest, and removes it at the end.
set -euo pipefail
if (($#)); then
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
    exit
fi
export LC_ALL=C.UTF-8

program=${ASYNCAI_TRANSCRIBE:-asyncai-transcribe}
reader=${ASYNCAI_SESSIONIZE:-asyncai-sessionize}
events=${EVENTS:-1000000}
runs=${RUNS:-5}
growth=${GROWTH:-10000 100000 1000000 10000000}

fail() { printf 'throughput: %s\n' "$*" >&2; exit 2; }
for command in "$program" "$reader" awk jq openssl; do
    command -v "$command" >/dev/null || fail "no $command"
done
timer=$(type -P time) || fail 'no GNU time'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A turn is a question, a call, its result and an answer, with escapes and some text beyond ASCII.
stream() {
    awk -v turns="$(($1 / 4))" 'BEGIN {
        for (turn = 0; turn < turns; turn++) {
            printf "{\"type\":\"user\",\"text\":\"Step %d: please look at the \\\"build\\\" log — which file is naïve?\\nTell me the line.\"}\n", turn
            printf "{\"type\":\"tool_call\",\"id\":\"toolu_%08d\",\"name\":\"Bash\",\"arguments\":{\"command\":\"grep -n \\\"error\\\" build-%d.log | head\",\"timeout\":120000}}\n", turn, turn
            printf "{\"type\":\"tool_result\",\"id\":\"toolu_%08d\",\"content\":\"12:error: `größe` not found in this scope\\n40:error: aborting, %d\\tin C:\\\\src\\n\"}\n", turn, turn
            printf "{\"type\":\"assistant\",\"text\":\"The build fails at line 12: the name `größe` is not in scope. Import it (%d), and \\\"make\\\" passes.\"}\n", turn
        }
    }'
}

transcribe() { "$timer" -a -o "$work/times" -f '%e %M' "$program" --session-dir claude-code-cli="$work/root" "$@"; }
other() { "$timer" -a -o "$work/times" -f '%e %M' "$@"; }
forget() { rm -rf "$work/root" "$work/copy"; }

# Runs a command, and adds its time and memory to those of its name.
measure() {
    local name=$1
    shift
    : >"$work/times"
    "$@"
    cat "$work/times" >>"$work/$name"
}

quiet() { forget; transcribe --quiet "$work/stream" >"$work/line"; }
echoing() { forget; transcribe "$work/stream" >/dev/null; }
copying() { forget; other cat "$work/transcript" >"$work/copy"; }
reshaping() { forget; other jq -c '{role: .type, body: (.text // .content // .arguments), id}' "$work/stream" >"$work/copy"; }
reading() { other "$@" "$work/transcript" >/dev/null; }
splitting() { forget; other tee "$work/copy" <"$work/stream" >/dev/null; }

# User and system time. That of the shell counts thousandths, where GNU time counts hundredths.
processor_seconds() {
    local TIMEFORMAT='%3U %3S'
    { time "$@" >/dev/null 2>&1; } 2>&1
}

median() { sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }

stream "$events" >"$work/stream"
quiet
mv "$(jq -r .result.session_file "$work/line")" "$work/transcript"

for ((run = 0; run < runs; run++)); do
    measure quiet quiet
    measure cat copying
    measure echo echoing
    measure tee splitting
    measure jq reshaping
done

cat_seconds=$(cut -d' ' -f1 "$work/cat" | median)
row() {
    local seconds peak
    seconds=$(cut -d' ' -f1 "$work/$2" | median)
    peak=$(cut -d' ' -f2 "$work/$2" | sort -n | tail -1)
    awk -v name="$1" -v seconds="$seconds" -v base="$cat_seconds" -v peak="$peak" \
        'BEGIN { printf "| %s | %.2f s | %.2f | %.1f MiB |\n", name, seconds, seconds / base, peak / 1024 }'
}
printf '%d events, %d MB in, %d MB out, median of %d runs\n\n' "$events" \
    "$(($(wc -c <"$work/stream") / 1000000))" "$(($(wc -c <"$work/transcript") / 1000000))" "$runs"
printf '| whole process | time | × cat | peak memory |\n| --- | --- | --- | --- |\n'
row '`cat` of the transcript into a new file' cat
row '`asyncai-transcribe --quiet`' quiet
row '`asyncai-transcribe`, echo to `/dev/null`' echo
row '`tee` of the events' tee
row '`jq -c`, a plain re-shaping of the events' jq

for ((run = 0; run < runs; run++)); do
    measure wc reading wc -l
    measure dgst reading openssl dgst -sha256
    for command in structure events verify; do
        measure "$command" reading "$reader" "$command"
    done
done
base_seconds=$(for name in wc dgst; do cut -d' ' -f1 "$work/$name" | median; done | awk '{ sum += $1 } END { print sum }')
records=$(wc -l <"$work/transcript")
printf '\n| reading %d records back | time | × `wc -l` + `openssl dgst -sha256` | peak memory | of it a record |\n' "$records"
printf '| --- | --- | --- | --- | --- |\n'
for command in structure events verify; do
    seconds=$(cut -d' ' -f1 "$work/$command" | median)
    peak=$(cut -d' ' -f2 "$work/$command" | sort -n | tail -1)
    awk -v name="$command" -v seconds="$seconds" -v base="$base_seconds" -v peak="$peak" -v records="$records" 'BEGIN {
        printf "| `asyncai-sessionize %s` | %.2f s | %.2f | %.1f MiB | %d bytes |\n",
            name, seconds, seconds / base, peak / 1024, peak * 1024 / records }'
done

# By processor time, since the larger ones wait for the disk. The kernel's own grows where it has to make room among the
# pages of so large a file: with cat too.
printf '\n| processor time per event | in the program | in the kernel |\n| --- | --- | --- |\n'
for size in $growth; do
    stream "$size" >"$work/stream"
    for ((run = 0; run < 1 + 100000 / size; run++)); do
        forget
        processor_seconds "$program" --quiet --session-dir claude-code-cli="$work/root" "$work/stream" >>"$work/growth$size"
    done
    awk -v size="$size" '{ program += $1; kernel += $2 } END {
        scale = 1000000 / size / NR
        printf "| %d events | %.2f µs | %.2f µs |\n", size, program * scale, kernel * scale }' "$work/growth$size"
done
forget

printf '\n| waiting | median | 99 of 100 |\n| --- | --- | --- |\n'
: >"$work/starts"
for ((start = 0; start < 100; start++)); do
    begin=${EPOCHREALTIME//[.,]/}
    "$program" --session-dir claude-code-cli="$work/root" </dev/null 2>/dev/null | {
        read -r _
        echo "$((${EPOCHREALTIME//[.,]/} - begin))" >>"$work/starts"
    }
done
coproc filter { exec "$program" --session-dir claude-code-cli="$work/root"; }
exec {to}>&"${filter[1]}" {from}<&"${filter[0]}"
read -r _ <&"$from"
# The echo of a line says that its records are in the file.
for ((line = 0; line < 1000; line++)); do
    begin=${EPOCHREALTIME//[.,]/}
    printf '{"type":"assistant","text":"line %d"}\n' "$line" >&"$to"
    read -r _ <&"$from"
    echo "$((${EPOCHREALTIME//[.,]/} - begin))"
done >"$work/latencies"
exec {to}>&- {from}<&-
wait_row() {
    sort -n "$2" | awk -v name="$1" '{ value[NR] = $1 } END {
        printf "| %s | %.2f ms | %.2f ms |\n", name, value[int((NR + 1) / 2)] / 1000, value[int(NR * 0.99)] / 1000 }'
}
wait_row 'from start to session line (100 starts)' "$work/starts"
wait_row 'from a line to its echo, filter idle (1,000 lines)' "$work/latencies"

if command -v strace >/dev/null; then
    stream "$events" >"$work/stream"
    forget
    strace -f -c -e trace=write -o "$work/writes" "$program" --quiet --session-dir claude-code-cli="$work/root" "$work/stream" >/dev/null
    awk -v events="$events" '$NF == "write" { printf "\n%d writes, one for %d events\n", $4, events / $4 }' "$work/writes"
fi

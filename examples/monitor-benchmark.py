#!/usr/bin/env python3
"""Measures asyncai-monitor as a filter, and prints

    ratio      how many times as long as `cat` it works: on a million lines into a
               file, against `cat` copying what it wrote to another file
    latency    how long after it was written a line is out, in milliseconds:
               the median, the 99th and the slowest of 100 lines
    memory     the most that it held while ten million lines went through

Needs asyncai-monitor (a release build) on PATH or named by ASYNCAI_MONITOR, and
/proc. Writes some 300 MB to a temporary folder and removes it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

if len(sys.argv) > 1:
    print(__doc__.strip())
    sys.exit()
monitor = shutil.which(os.environ.get("ASYNCAI_MONITOR", "asyncai-monitor"))
if monitor is None:
    sys.exit("monitor-benchmark.py: asyncai-monitor: not found")
command = [monitor, "--description", "benchmark"]
folder = tempfile.TemporaryDirectory()
lines, events, copy = (os.path.join(folder.name, name) for name in ("lines", "events", "copy"))


def timed(program, source, target):
    """The time that the program worked: on a busy machine, that on the clock says more of the others."""
    before = os.times()
    with open(source, "rb") as input, open(target, "wb") as output:
        subprocess.run(program, stdin=input, stdout=output, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


with open(lines, "w") as file:
    for number in range(1_000_000):
        file.write(f"2025-09-16T08:12:03Z INFO request id={number}\n")

# Both in turn, several times: the clock of the system counts in hundredths of a second.
rounds = [(timed(command, lines, events), timed(["cat"], events, copy)) for _ in range(20)]
own, cat = (sum(times) / len(rounds) for times in zip(*rounds))
print(f"ratio    {own / cat:.1f} ({own:.3f} s against {cat:.3f} s)")

delays = []
with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
    for number in range(100):
        # Idle in between, since that is when a line could lie in a buffer.
        time.sleep(0.01)
        start = time.monotonic()
        process.stdin.write(b"line %d\n" % number)
        process.stdout.readline()
        delays.append(1000 * (time.monotonic() - start))
    process.stdin.close()
delays.sort()
print(f"latency  {delays[50]:.2f} {delays[98]:.2f} {delays[99]:.2f} ms")

with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
    block = b"".join(b"2025-09-16T08:12:03Z INFO request id=%d\n" % number for number in range(10_000))
    held = 0
    for _ in range(1000):
        process.stdin.write(block)
        with open(f"/proc/{process.pid}/status") as status:
            held = max(held, *(int(line.split()[1]) for line in status if line.startswith("VmHWM:")))
    process.stdin.close()
print(f"memory   {held / 1024:.1f} MiB")

# SPDX-License-Identifier: BSD-3-Clause
"""Analyses in too little memory: the tables go to a file without being asked for, the report is the same, and a line
says so. A process that is killed is reported as killed, and its archive not as damaged.

usage: analysis_memory.py FERMATA
"""

import argparse
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

ROUNDS = 400
LITTLE = 12 << 20  # less than any analysis is taken to need, and enough for a small one


def scenario():
    lines = ["unit 1e-6", "ranks 2", "0 0 enter main", "0 1 enter main"]
    for i in range(1, ROUNDS):
        lines += [f"{10 * i} 0 enter MPI_Send", f"{10 * i} 0 send 1 0 8", f"{10 * i + 1} 0 leave MPI_Send",
                  f"{10 * i - 2} 1 enter MPI_Recv", f"{10 * i + 2} 1 recv 0 0 8", f"{10 * i + 2} 1 leave MPI_Recv"]
    return "\n".join(lines + [f"{10 * ROUNDS} 0 leave main", f"{10 * ROUNDS} 1 leave main"]) + "\n"


def run(*command, data=None):
    def limit():
        if data is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (data, data))
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, preexec_fn=limit, timeout=300)


def check_limited(fermata, folder):
    archive = folder / "archive"
    (folder / "run.scn").write_text(scenario())
    run(fermata, "synth", folder / "run.scn", "-o", archive)
    reports = {}
    for name, data, *options in (("free", None), ("limited", LITTLE), ("quiet", LITTLE, "--quiet"),
                                 ("chosen", LITTLE, "--memory=128M")):
        done = run(fermata, "analyze", "-j1", "--predict=no", "-o", folder / f"{name}.fer", *options, archive, data=data)
        if done.returncode != 0:
            yield f"{name}: exit code {done.returncode}: {done.stderr}"
            continue
        said = "more than the 12 MiB that ulimit -d allows: the rest goes to a file in" in done.stderr
        if said != (name == "limited") or done.stderr.count("\n") != said:
            yield f"{name}: {done.stderr!r}"
        reports[name] = (folder / f"{name}.fer").read_bytes()
    if len(set(reports.values())) != 1:
        yield "the reports differ"


def child_of(process):
    """The process that reads, once it waits for its input; None: there is none."""
    for _ in range(600):
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        if children and "S (sleeping)" in pathlib.Path(f"/proc/{children[0]}/status").read_text():
            return int(children[0])
        time.sleep(0.05)
    return None


def check_killed(fermata, folder, number, wanted):
    """The events of a location are a pipe that nobody writes to: who reads them waits."""
    archive = folder / "archive"
    events = min(archive.rglob("*.evt"))
    if not events.is_fifo():
        events.unlink()
        os.mkfifo(events)
    with subprocess.Popen([fermata, "analyze", "-j1", "-o", folder / "killed.fer", archive], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        reader = child_of(process)
        if reader is None:
            process.kill()
            yield "nothing reads the archive"
            return
        os.kill(reader, number)
        _, errors = process.communicate(timeout=60)
    if process.returncode not in wanted or ("damaged" in errors) != (number == signal.SIGSEGV):
        yield f"killed by {number}: exit code {process.returncode}: {errors}"
    if number == signal.SIGKILL and ("killed (SIGKILL)" not in errors or "--memory" not in errors):
        yield f"killed: {errors}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fermata")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-memory-") as name:
        folder = pathlib.Path(name)
        wrong = list(check_limited(options.fermata, folder))
        wrong += check_killed(options.fermata, folder, signal.SIGKILL, [4])
        wrong += check_killed(options.fermata, folder, signal.SIGXCPU, [-signal.SIGXCPU])
        wrong += check_killed(options.fermata, folder, signal.SIGSEGV, [3])
    if wrong:
        sys.exit("\n".join(wrong))


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records a program that sleeps and waits in functions of the C library (blocking.c), and compares the
times of these functions with what the program measured.

usage: check_blocking.py --fermata F --mpirun M PROGRAM
"""

import collections
import pathlib
import re
import sys
import tempfile

import otf2

from check_paths import program_parser, record_program

RANKS = 2
SHORTEST = 20e-6  # seconds: shorter calls are not recorded
WAIT = 0.03       # seconds: each function waits for so long, or longer
CHEAP = 2000      # short calls, few of which the system makes long


def calls_of(anchor, failures):
    """{rank: {function: [(path, seconds)]}} of the recorded functions of the C library."""
    calls = collections.defaultdict(lambda: collections.defaultdict(list))
    opened = collections.defaultdict(list)
    with otf2.reader.open(anchor) as archive:
        resolution = archive.timer_resolution
        for location, event in archive.events:
            rank = int(re.search(r"\d+", location.group.name).group())
            stack = opened[location]
            if isinstance(event, otf2.events.Enter):
                stack.append((event.region, event.time))
            elif isinstance(event, otf2.events.Leave):
                region, begin = stack.pop()
                if region.source_file in ("C library", "POSIX threads"):
                    path = [outer.name for outer, _ in stack]
                    calls[rank][region.name].append((path, (event.time - begin) / resolution))
                    if any(outer.paradigm == otf2.Paradigm.MPI for outer, _ in stack):
                        failures.append(f"{region.name} is called by MPI: {path}")
    return calls


def check_rank(rank, calls, measured, failures):
    for function, seconds in measured.items():
        found = [duration for path, duration in calls[function] if path[-1] == f"in_{function}"]
        if not found:
            failures.append(f"rank {rank}: {function} is missing: {dict(calls)}")
        # The program measures what lies around the call, too: on a busy machine much longer than that.
        elif not any(min(0.6 * seconds - 0.01, 0.9 * WAIT) <= one <= seconds for one in found):
            failures.append(f"rank {rank}: {function} takes {found}, measured {seconds}")
    for function, all_calls in calls.items():
        short = [duration for _, duration in all_calls if duration < 0.9 * SHORTEST
                 and not function.startswith("pthread_")]
        if short:
            failures.append(f"rank {rank}: {function} is recorded although short: {short}")
    in_cheap = [path for path, _ in calls["read"] if path[-1] == "cheap"]
    if len(in_cheap) > CHEAP / 4:
        failures.append(f"rank {rank}: {len(in_cheap)} short calls of read() are recorded")
    if not any(path[-1] == "interrupted" for path, _ in calls["read"]):
        failures.append(f"rank {rank}: the interrupted read() is missing")
    # The first and the last wait: recording goes on after a call that a jump has left.
    if len([path for path, _ in calls["nanosleep"] if path[-1] == "in_nanosleep"]) != 2:
        failures.append(f"rank {rank}: nanosleep: {calls['nanosleep']}")


def main():
    options = program_parser().parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        experiment, result = pathlib.Path(folder) / "run", pathlib.Path(folder) / "result"
        record_program(options, experiment, RANKS, [str(result)], failures)
        calls = calls_of(str(experiment / "traces.otf2"), failures)
        for rank in range(RANKS):
            lines = pathlib.Path(f"{result}.{rank}").read_text().splitlines()
            measured = {line.split()[0]: float(line.split()[1]) for line in lines}
            check_rank(rank, calls[rank], measured, failures)
    for failure in failures[:40]:
        print(failure)
    sys.exit(1 if failures else 0)


main()

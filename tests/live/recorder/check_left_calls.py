#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records a program that leaves MPI calls by exceptions and longjmp: each call is recorded once, ends
before the next one begins, and contains no other.

usage: check_left_calls.py --fermata F --mpirun M --program P
"""

import argparse
import collections
import pathlib
import sys
import tempfile

import otf2

from check_recorder import run


def visits_of(anchor, failures):
    """Visits of MPI functions, by (rank, function)."""
    visits = collections.Counter()
    stacks = collections.defaultdict(list)
    with otf2.reader.open(str(anchor)) as archive:
        groups = [group.name for group in archive.definitions.location_groups]
        for location, event in archive.events:
            rank, stack = groups.index(location.group.name), stacks[location]
            if isinstance(event, otf2.events.Enter):
                name = event.region.name
                if name.startswith("MPI_"):
                    visits[rank, name] += 1
                if any(outer.startswith("MPI_") for outer in stack):
                    failures.append(f"rank {rank}: {name} inside {stack}")
                stack.append(name)
            elif isinstance(event, otf2.events.Leave):
                if not stack or stack.pop() != event.region.name:
                    failures.append(f"rank {rank}: unmatched Leave of {event.region.name}")
    return visits


def main():
    parser = argparse.ArgumentParser()
    for option in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        launch = [options.mpirun, "-n", "2", options.program]
        plain = run(launch, folder)
        recorded = run([options.fermata, "record", "-o", "experiment", "--", *launch], folder)
        told = sorted(recorded.stdout.splitlines())
        if plain.returncode != 0 or recorded.returncode != 0:
            failures.append(f"{plain.returncode}, {recorded.returncode}: {recorded.stderr}")
        if told != sorted(plain.stdout.splitlines()) or len(told) < 2:
            failures.append(f"output {told}, unrecorded {plain.stdout}")
        expected = collections.Counter()
        for line in told:
            rank, function, count = line.replace(":", "").split()[1:4]
            expected[int(rank), function] = int(count)
        visits = visits_of(folder / "experiment/traces.otf2", failures)
        for key in sorted(set(visits) | set(expected)):
            if visits[key] != expected[key]:
                failures.append(f"{key}: {visits[key]} visits, expected {expected[key]}")
        for command in (["check"], ["analyze", "--check"]):
            done = run([options.fermata, *command, "experiment"], folder)
            if done.returncode != 0 or (command == ["check"] and " 0 findings" not in done.stdout):
                failures.append(f"{command}: {done.returncode}: {done.stdout} {done.stderr}")
    for failure in failures[:20]:
        print(failure)
    sys.exit(1 if failures else 0)


main()

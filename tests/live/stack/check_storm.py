#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Samples a program (storm.c) at all places of the recorder: nothing that it does is lost.

usage: check_storm.py --fermata F --mpirun M PROGRAM PLUGIN
"""

import argparse
import collections
import json
import pathlib
import sys
import tempfile

import otf2

from check_paths import run

CALLS, LOADS = 20000, 200  # of storm.c
LEAST_SAMPLES = 500  # thousands are tried


def count(anchor, failures):
    """{region: Enters} of each location; all of them nest."""
    opened = collections.defaultdict(list)
    found = collections.defaultdict(collections.Counter)
    last = {}
    with otf2.reader.open(anchor) as archive:
        for location, event in archive.events:
            if event.time < last.get(location, 0):
                failures.append(f"{location.name}: time goes back")
            last[location] = event.time
            if isinstance(event, otf2.events.Enter):
                opened[location].append(event.region)
                found[location][event.region.name] += 1
            elif isinstance(event, otf2.events.Leave):
                if not opened[location] or opened[location].pop() != event.region:
                    failures.append(f"{location.name}: {event.region.name} is left out of turn")
    failures += [f"{location.name}: {regions} are never left"
                 for location, regions in opened.items() if regions]
    return found


def main():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--mpirun"):
        parser.add_argument(name, required=True)
    parser.add_argument("program", nargs=2)
    options = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        recorded = run([options.fermata, "record", "--sample", "10", "--sample-clock", "timer",
                        "--memory", "1", "-o", str(experiment), "--", options.mpirun, "-n", "2",
                        *options.program], folder, FERMATA_FLUSH_INTERVAL="0.01")
        if recorded.returncode != 0:
            sys.exit(f"it fails: {recorded}")
        checked = run([options.fermata, "check", str(experiment)], folder)
        if checked.returncode != 0:
            failures.append(f"fermata check: {checked.stdout} {checked.stderr}")
        sampling = json.loads((experiment / "environment.json").read_text())["sampling"]
        if sampling["samples"] < LEAST_SAMPLES:
            failures.append(f"{sampling}, expected {LEAST_SAMPLES} samples")
        print(sampling)
        found = count(str(experiment / "traces.otf2"), failures)
        if len(found) not in (2, 4):
            failures.append(f"{len(found)} locations")
        for location, counts in found.items():
            wanted = {"MPI_Initialized": CALLS, "mark": CALLS // 2, "MPI_Is_thread_main": 1}
            for name, number in wanted.items():
                if counts[name] != number:
                    failures.append(f"{location.name}: {name}: {counts[name]}, expected {number}")
            if counts["MPI_Query_thread"] not in (0, LOADS):
                failures.append(f"{location.name}: {counts['MPI_Query_thread']} calls of plugins")
    for failure in failures[:40]:
        print(failure)
    sys.exit(1 if failures else 0)


main()

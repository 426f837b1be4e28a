#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records stacks.py with a Python interpreter, and compares the call path of each MPI call in the
trace to what the interpreter reported."""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import otf2

TIMEOUT = 240  # seconds; a run takes a few
DEEPEST = 1023  # functions of a call path (src/record/stack/stack.h)


def run(command, folder, **settings):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1", **settings)
    return subprocess.run(command, cwd=folder, env=environment, timeout=TIMEOUT,
                          capture_output=True, text=True, errors="replace")


def read_calls(anchor, wanted):
    """For each location the call paths of the wanted function: [region, file, line of its definition]
    of each function."""
    calls, opened = collections.defaultdict(list), collections.defaultdict(list)
    with otf2.reader.open(anchor) as archive:
        for location, event in archive.events:
            if isinstance(event, otf2.events.Enter):
                if event.region.name == wanted:
                    calls[location.name].append(
                        [[region.name, region.source_file, region.begin_line_number]
                         for region in opened[location]])
                opened[location].append(event.region)
            elif isinstance(event, otf2.events.Leave):
                assert opened[location].pop() == event.region
    return calls


def main():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--python", "--by"):
        parser.add_argument(name, required=True)
    parser.add_argument("--sample", default="off")
    parser.add_argument("--unsupported", action="store_true", help="no Python function is shown")
    options = parser.parse_args()
    script = pathlib.Path(__file__).parent / "stacks.py"
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        expected_folder = folder / "expected"
        expected_folder.mkdir()
        recorded = run([options.fermata, "record", f"--sample={options.sample}", "-o", "experiment",
                        "--", options.python, "-B", script, expected_folder, options.by], folder)
        if recorded.returncode != 0:
            sys.exit(f"exit code {recorded.returncode}: {recorded.stdout} {recorded.stderr}")
        checked = run([options.fermata, "check", "experiment"], folder)
        if checked.returncode != 0:
            failures.append(f"fermata check: {checked.stdout} {checked.stderr}")
        doctor = run([options.fermata, "doctor", options.python], folder).stdout
        said = "the interpreter's C functions" if options.unsupported else "with their lines"
        if not any("runs Python" in line and said in line for line in doctor.splitlines()):
            failures.append(f"doctor: {doctor}")
        calls = read_calls(str(folder / "experiment" / "traces.otf2"), "MPI_Initialized")
        expected = {}
        for file in expected_folder.iterdir():
            stacks = [json.loads(line) for line in file.read_text().splitlines()]
            expected[file.name] = [stack[:DEEPEST] for stack in stacks]
        # Locations are numbered in the order of their first call, threads are named by the program.
        found = sorted(calls.values(), key=len)
        wanted = sorted(expected.values(), key=len)
        if options.unsupported:
            names = {function[0] for paths in found for path in paths for function in path}
            if "recursive" in names or not any("_PyEval" in name for name in names):
                failures.append(f"expected C functions of the interpreter only: {sorted(names)}")
            if "Python functions are not shown" not in recorded.stderr:
                failures.append(f"no message: {recorded.stderr}")
            wanted = found
        if options.by == "mpi4py":  # which asks MPI itself when it is imported and ends
            found = [[path for path in paths if path and
                      (path[-1][0] == "call" or len(path) == DEEPEST)] for paths in found]
        if len(found) != len(wanted):
            failures.append(f"{len(found)} locations, expected {len(wanted)}")
        for paths, stacks in zip(found, wanted):
            if len(paths) != len(stacks):
                failures.append(f"{len(paths)} calls, expected {len(stacks)}")
            for number, (path, stack) in enumerate(zip(paths, stacks)):
                if path != stack:
                    failures.append(f"call {number}: {path}\n  expected {stack}")
    for failure in failures[:10]:
        print(failure[:2000])
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

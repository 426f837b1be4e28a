#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program without and with the recorder, which must not make a communicator while the
program runs, nor lose its way among receives of any message, nor without a communicator of its own.

usage: check_world.py --fermata F --mpirun M --program P
"""

import argparse
import pathlib
import re
import sys
import tempfile

from check_recorder import run

RANKS = 2  # MPICH waits busily: more processes than processors are very slow
IN_FINALIZE = re.compile(r"rank \d+: in it (\d+), ")


def lines_of(result):
    """The program's output, and what was made within MPI_Finalize, by rank."""
    lines = sorted(line for line in result.stdout.splitlines() if line.startswith("rank "))
    ends = [IN_FINALIZE.match(line) for line in lines]
    return ([IN_FINALIZE.sub("", line) for line in lines],
            [int(end[1]) for end in ends if end is not None])


def check(options, way, folder):
    launch = [options.mpirun, "-n", str(RANKS), options.program, *way]
    plain = run(launch, folder)
    recorded = run([options.fermata, "record", "-o", "experiment", "--", *launch], folder)
    failures = [f"{name}: exit code {result.returncode}: {result.stderr}"
                for name, result in (("unrecorded", plain), ("recorded", recorded))
                if result.returncode != 0]
    (own, made_alone), (others, made) = lines_of(plain), lines_of(recorded)
    if own != others:
        failures.append(f"output {others}, unrecorded {own}")
    if not any("before MPI_Finalize 0" in line for line in others):
        failures.append(f"a communicator was made: {others}")
    # The recorder's communicator of the end: the program would see one made before as well.
    if made_alone != [0] * RANKS or made != [1] * RANKS:
        failures.append(f"made in MPI_Finalize: {made}, unrecorded {made_alone}")
    checked = run([options.fermata, "check", "experiment"], folder)
    if checked.returncode != 0 or " 0 findings" not in checked.stdout:
        failures.append(f"check: {checked.stdout} {checked.stderr}")
    return failures


def main():
    parser = argparse.ArgumentParser()
    for option in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    failed = False
    for way in ([], ["wildcard"], ["exhaust"]):
        with tempfile.TemporaryDirectory() as folder:
            for failure in check(options, way, pathlib.Path(folder)):
                print(*way, failure)
                failed = True
    sys.exit(failed)


main()

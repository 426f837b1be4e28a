#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records a program that uses signals in the ways of short programs (signals.c), with samples by
each clock, several times: nothing that it gets from its signals and waits may change.

usage: check_signals.py --fermata F --mpirun M PROGRAM
"""

import collections
import json
import pathlib
import sys
import tempfile

from check_paths import program_parser, run

RANKS, RUNS, ROUNDS = 2, 3, 4
CLOCKS = "perf", "timer"  # of samples


def main():
    options = program_parser().parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [options.mpirun, "-n", str(RANKS), options.program, str(ROUNDS)]
        plain = run(command, folder)
        expected = collections.Counter(plain.stdout.splitlines())
        if plain.returncode != 0 or len(expected) != 10 or "WRONG" in plain.stdout:
            sys.exit(f"the program itself fails: {plain}")
        samples = 0
        for i in range(2 * RUNS):
            experiment = pathlib.Path(folder) / f"run-{i}"
            recorded = run([options.fermata, "record", "--sample-clock", CLOCKS[i % 2], "-o",
                            str(experiment), "--", *command], folder)
            if recorded.returncode != 0 or (
                    collections.Counter(recorded.stdout.splitlines()) != expected):
                sys.exit(f"unlike the program alone: {recorded}")
            samples += json.loads((experiment / "environment.json").read_text()
                                  )["sampling"]["samples"]
        if samples < 2 * RUNS:
            sys.exit(f"only {samples} samples were taken")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records a program whose functions take less time between MPI calls than there is between samples
(short.c): most of these stretches have no sample, and count as like ones with a sample do. So functions have
time in proportion to their samples, not their caller; and a function that only some, longer
stretches call is not taken to be in the others.

usage: check_short.py --fermata F --mpirun M PROGRAM
"""

import pathlib
import sys
import tempfile

from check_paths import program_parser, record_program, run
from check_sampling import times_of_functions

SEEN = 0.7   # of the CPU time: the first stretches are not like any
STRAY = 1.4   # of the time of a function: what samples have by chance


def main():
    options = program_parser().parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        experiment, result = pathlib.Path(folder) / "run", pathlib.Path(folder) / "result"
        record_program(options, experiment, 1, [str(result)], failures)
        checked = run([options.fermata, "analyze", "--check", "-q", str(experiment)], folder)
        if checked.returncode != 0:
            failures.append(f"fermata analyze: {checked.stdout} {checked.stderr}")
        lines = [line.split() for line in result.read_text().splitlines()]
        took = {name: float(wall) for name, wall, _ in lines}
        cpu = {name: float(seconds) for name, _, seconds in lines}
        found = times_of_functions(str(experiment / "traces.otf2"), failures)[0][0]
    seen = sum(found[name] for name in cpu)
    if seen < SEEN * sum(cpu.values()):
        failures.append(f"the functions have {seen:.3f} s of {sum(cpu.values()):.3f} s of CPU time")
    if found["checkpoint"] > STRAY * took["checkpoint"]:
        failures.append(f"checkpoint has {found['checkpoint']:.3f} s, it took {took['checkpoint']:.3f} s")
    if found["more"] < found["less"]:
        failures.append("the function that takes three times as long has less time")
    for failure in failures:
        print(failure, dict(found), took, sep="\n")
    sys.exit(1 if failures else 0)


main()

#!/usr/bin/env python3
"""Records a program whose functions take less time between MPI calls than there is between samples
(short.c): most of these stretches have no sample, and count as like ones with a sample do. So functions have
time in proportion to their samples, not their caller; and a function that only some, longer
stretches call is not taken to be in the others.

usage: check_short.py --fermata F --mpirun M PROGRAM
"""

import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

import otf2

from check_paths import run

SEEN = 0.7   # of the CPU time: the first stretches are not like any
STRAY = 1.4   # of the time of a function: what samples have by chance


def own_times(anchor):
    """{function: seconds}, exclusive; the clock's function belongs to its caller."""
    times, opened, last = collections.Counter(), [], 0
    with otf2.reader.open(anchor) as archive:
        resolution = archive.timer_resolution
        for _, event in archive.events:
            inner = [name for name in opened if name in ("less", "more", "checkpoint")]
            if opened:
                times[inner[-1] if inner else opened[-1]] += (event.time - last) / resolution
            last = event.time
            if isinstance(event, otf2.events.Enter):
                opened.append(event.region.name)
            elif isinstance(event, otf2.events.Leave) and opened.pop() != event.region.name:
                sys.exit(f"{event.region.name} is left out of turn")
    return times


def main():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--mpirun"):
        parser.add_argument(name, required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        experiment, result = pathlib.Path(folder) / "run", pathlib.Path(folder) / "result"
        done = run([options.fermata, "record", "-o", str(experiment), "--", options.mpirun, "-n", "1",
                    options.program, str(result)], folder)
        if done.returncode != 0:
            sys.exit(f"it fails: {done}")
        for command in (["check"], ["analyze", "--check", "-q"]):
            checked = subprocess.run([options.fermata, *command, str(experiment)], capture_output=True,
                                     text=True, check=False)
            if checked.returncode != 0:
                failures.append(f"fermata {command}: {checked.stdout} {checked.stderr}")
        lines = [line.split() for line in result.read_text().splitlines()]
        took = {name: float(wall) for name, wall, _ in lines}
        cpu = {name: float(seconds) for name, _, seconds in lines}
        found = own_times(str(experiment / "traces.otf2"))
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

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records a program whose computation is in a function without MPI calls (hidden.c), with samples and
without, and compares the times of its functions with what it measured itself.

Samples name the function. Without them its time belongs to the caller of the function that makes the
MPI calls, never to the latter.

usage: check_hidden.py --fermata F --mpirun M PROGRAM [MODE]
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import otf2

from check_paths import program_parser, record_program, run

RANKS, STEPS = 2, 15
SEEN = 0.5    # of the CPU time of the computation: where a rank waited for a processor behind the
              # last sample, its end may lie far behind that
STRAY = 0.15  # of the computation: time next to calls may be charged to neighbours


def own_times(anchor):
    """{rank: {function: seconds}}, exclusive, and {rank: {function: visits}}."""
    times = collections.defaultdict(collections.Counter)
    visits = collections.defaultdict(collections.Counter)
    opened, last = collections.defaultdict(list), {}
    with otf2.reader.open(anchor) as archive:
        resolution = archive.timer_resolution
        for location, event in archive.events:
            rank = int(re.search(r"\d+", location.group.name).group())
            stack = opened[location]
            if stack:
                times[rank][stack[-1]] += (event.time - last[location]) / resolution
            last[location] = event.time
            if isinstance(event, otf2.events.Enter):
                stack.append(event.region.name)
                visits[rank][event.region.name] += 1
            elif isinstance(event, otf2.events.Leave):
                if stack.pop() != event.region.name:
                    sys.exit(f"{location.name}: {event.region.name} is left out of turn")
    return times, visits


def samples_of(options, experiment, folder):
    """{region: number} of the metric `samples` in the report."""
    report = pathlib.Path(folder) / "report.fer"
    run([options.fermata, "analyze", "--quiet", "-o", str(report), str(experiment)], folder)
    text = subprocess.run([options.fermata, "report", "--format", "json", str(report)],
                          capture_output=True, text=True, check=True).stdout
    document = json.loads(text)
    regions = {path["id"]: path["region"] for path in document["callpaths"]}
    numbers = collections.Counter()
    for severity in document["severities"]:
        if severity["metric"] == "samples":
            numbers[regions[severity["callpath"]]] += severity["value"]
    return numbers


def record(options, folder, sample, failures):
    """Records the program; @return what it measured by rank, times, visits, environment, samples."""
    experiment, result = pathlib.Path(folder) / f"run-{sample}", pathlib.Path(folder) / "result"
    choice = [] if sample == "default" else ["--sample", sample]
    record_program(options, experiment, RANKS, [str(result), options.mode], failures, choice)
    measured = {}
    for rank in range(RANKS):
        lines = pathlib.Path(f"{result}.{rank}").read_text().splitlines()
        measured[rank] = {line.split()[0]: float(line.split()[1]) for line in lines}
    environment = json.loads((experiment / "environment.json").read_text())
    return (measured, *own_times(str(experiment / "traces.otf2")), environment,
            samples_of(options, experiment, folder))


def check(name, measured, times, function, failures):
    for rank, own in measured.items():
        found, wanted, cpu = times[rank], own["compute"], own["cpu_of_compute"]
        if found[function] + found["now"] < SEEN * cpu:
            failures.append(f"{name}: rank {rank}: {function} has {found[function]:.3f} s of "
                            f"{cpu:.3f} s of CPU time of computation: {dict(found)}")
        # halo() measured its own time with that in MPI.
        if found["halo"] > own["halo"] + STRAY * wanted:
            failures.append(f"{name}: rank {rank}: halo has {found['halo']:.3f} s, it took "
                            f"{own['halo']:.3f} s with its calls: {dict(found)}")


def main():
    parser = program_parser()
    parser.add_argument("mode", nargs="?", default="")
    options = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        measured, times, visits, environment, samples = record(options, folder, "off", failures)
        check("without samples", measured, times, "simulate", failures)
        if "sampling" in environment or samples:
            failures.append(f"it is sampled: {environment.get('sampling')}, {samples}")
        for rank in range(RANKS):
            if visits[rank]["halo"] < STEPS:
                failures.append(f"rank {rank}: halo is visited {visits[rank]['halo']} times")
            if visits[rank]["compute"] != 0:
                failures.append(f"rank {rank}: compute is known without samples")

        measured, times, visits, environment, samples = record(options, folder, "default", failures)
        check("with samples", measured, times, "compute", failures)
        if environment["sampling"]["hertz"] != 400:
            failures.append(f"by default {environment['sampling']}")
        if sum(samples.values()) != environment["sampling"]["samples"]:
            failures.append(f"the report has {samples}, taken were {environment['sampling']}")
        if samples["compute"] + samples["now"] < 0.9 * sum(samples.values()):
            failures.append(f"samples are elsewhere: {samples}")
    for failure in failures[:40]:
        print(failure)
    sys.exit(1 if failures else 0)


main()

# SPDX-License-Identifier: BSD-3-Clause
"""Records values.c and compares its parameters, counters and markers with what the program gives.

usage: check_values.py --fermata F --mpirun M --program P

Two runs: one to the end, and one that ends by exit(), whose archive is rebuilt from the journals.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import otf2
from otf2.enums import MetricMode, MetricOccurrence, MetricType, Type

import user_archive

RANKS, STEPS = 2, 3
LEAST, MOST = -2**63, 2**63 - 1

# Counters of the recorder's own (base/processor_time.h): of computation that takes a millisecond or more,
# which it does where the ranks wait for a processor.
RECORDERS_OWN = {"measured computation", "time without processor", "computation with known run delay",
                 "run delay", "readings of processor times", "kernel time of computation",
                 "page faults of computation", "page faults of computation from disk",
                 "preemptions of computation", "voluntary switches of computation"}


def expected_values(rank):
    """(name, value) of all parameters and counters of a rank, in order."""
    whole = [("whole", value) for value in (LEAST, MOST, MOST, LEAST, 2)]
    found = [*whole, ("real", 1e300), ("real", -3.0)]
    for step in range(STEPS):
        found += [("size", -step), ("bytes", 2**64 - 1 - step), ("name", "odd" if step == 1 else "even"), ("nothing", ""),
                  ("number", LEAST), ("residual", 1.0 / 2**step), ("cells", 100 * step + rank)]
    return found


def expected_markers(rank):
    return ["before MPI_Init", *(f"step {step} of rank {rank}" for step in range(STEPS)), ""]


METRICS = {
    "whole": ("", Type.INT64, MetricMode.ABSOLUTE_POINT),
    "real": ("", Type.DOUBLE, MetricMode.ABSOLUTE_POINT),
    "residual": ("m", Type.DOUBLE, MetricMode.ABSOLUTE_POINT),
    "cells": ("cells", Type.INT64, MetricMode.ACCUMULATED_START),
}


def read(anchor):
    """(name, value) of each location's parameters and counters, those outside of all steps that
    should be inside, and the definitions of the metrics."""
    values, misplaced, metrics, depth = {}, [], {}, {}
    with otf2.reader.open(str(anchor)) as archive:
        for location, event in archive.events:
            own = values.setdefault(location.group.name, [])
            kind = type(event).__name__
            if kind in ("Enter", "Leave") and event.region.name == "step":
                depth[location] = kind == "Enter"
            elif kind in ("ParameterInt", "ParameterUnsignedInt", "ParameterString"):
                value = event.string if kind == "ParameterString" else event.value
                own.append((event.parameter.name, value))
                if not depth.get(location):
                    misplaced.append(event.parameter.name)
            elif kind == "Metric":
                member = event.metric.members[0]
                if member.name in RECORDERS_OWN:
                    continue
                own.append((member.name, event.values[0]))
                metrics[member.name] = (member.unit, member.value_type, member.metric_mode)
                if (len(event.metric.members) != 1 or member.metric_type != MetricType.USER
                        or event.metric.occurrence != MetricOccurrence.SYNCHRONOUS):
                    misplaced.append(f"metric {member.name} is of another kind")
    return values, misplaced, metrics


def check_markers(markers, problems):
    for rank in range(RANKS):
        texts = [marker["text"] for marker in markers if marker["location"] == rank]
        if texts != expected_markers(rank):
            problems.append(f"markers of rank {rank}: {texts}")
    times = [marker["time"] for marker in markers]
    if times != sorted(times):
        problems.append("the markers are not in the order of time")
    if {marker["group"] for marker in markers} != {"fermata"}:
        problems.append("the markers have another group")


def check_report(options, experiment):
    """The values split call paths, and the report compares them; yields what is wrong."""
    def run(*arguments):
        return subprocess.run([options.fermata, *arguments, experiment], check=True, text=True,
                              capture_output=True, timeout=300).stdout

    run("analyze", "-q")
    report = json.loads(run("report", "--format=json", "--by=parameter:name"))
    values = [value["value"] for value in report["parameter"]["values"]]
    if values != ["even", "odd", None]:
        yield f"values {values} in the report"
    regions = {path["region"] for path in report["callpaths"] if path["paradigm"] == "parameter"}
    expected = {"size=0", "size=-1", "size=-2", "name=even", "name=odd", "nothing=",
                f"number={LEAST}", *(f"bytes={2**64 - 1 - step}" for step in range(STEPS))}
    if regions != expected:
        yield f"regions {regions} instead of {expected}"


def check(options, folder, ending):
    """One run; yields what is wrong."""
    experiment, problems = user_archive.record(options, folder, [options.program, ending])
    values, misplaced, metrics = read(experiment / "traces.otf2")
    for rank in range(RANKS):
        found = values[f"MPI Rank {rank}"]
        if found != expected_values(rank):
            problems.append(f"rank {rank}: {found} instead of {expected_values(rank)}")
    problems += [f"{name} is outside of its step" for name in misplaced]
    if metrics != METRICS:
        problems.append(f"metrics {metrics} instead of {METRICS}")
    problems += check_report(options, experiment)
    info = user_archive.information(options, experiment)
    check_markers(info["markers"], problems)
    for path in experiment.rglob("*"):
        if path.is_file() and path.stat().st_mode & 0o777 != 0o600:
            problems.append(f"{path.name} can be read by others")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    problems = []
    for ending in ("finalize", "exit"):
        with tempfile.TemporaryDirectory(prefix="fermata-user-") as folder:
            problems += [f"{ending}: {text}"
                         for text in check(options, pathlib.Path(folder), ending)]
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


main()

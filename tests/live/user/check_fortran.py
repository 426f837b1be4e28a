# SPDX-License-Identifier: BSD-3-Clause
"""Records fortran.f90 and compares what is recorded with what the program does.

usage: check_fortran.py --fermata F --mpirun M --program P
"""

import argparse
import pathlib
import sys
import tempfile

import otf2
from otf2.enums import MetricMode, Paradigm, RegionFlag

import user_archive

RECURSIVE = "( recursive ( recursive ( recursive ) ) )"
EXPECTED = " ".join([
    "( whole ( MPI_Init )",
    "( step level=1 method=jacobi ( inner cells=100 residual=1.0", RECURSIVE, ") )",
    "( step level=2 )",
    "( step level=3 method=gauss-seidel ( inner cells=300 residual=0.3333", RECURSIVE, ") )",
    "( phase ( inner ) )",
    "( MPI_Finalize ) )"])
REGIONS = {  # file, line, phase
    "whole": ("somewhere.f90", 77, False),
    "step": ("fortran.f90", 30, True),
    "inner": ("", 0, False),
    "recursive": ("", 0, False),
    "phase": ("", 41, True),
}
METRICS = {"cells": ("cells", MetricMode.ACCUMULATED_START),
           "residual": ("", MetricMode.ABSOLUTE_POINT)}


def read(anchor):
    """Each location's events as words, and the definitions of regions and metrics."""
    words, regions, metrics = {}, {}, {}
    with otf2.reader.open(str(anchor)) as archive:
        for location, event in archive.events:
            own = words.setdefault(location.group.name, [])
            kind = type(event).__name__
            if kind == "Enter":
                own += ["(", event.region.name]
                if event.region.paradigm == Paradigm.USER:
                    regions[event.region.name] = (event.region.source_file or "",
                                                  event.region.begin_line_number,
                                                  event.region.region_flags == RegionFlag.PHASE)
            elif kind == "Leave":
                own.append(")")
            elif kind == "ParameterInt":
                own.append(f"{event.parameter.name}={event.value}")
            elif kind == "ParameterString":
                own.append(f"{event.parameter.name}={event.string}")
            elif kind == "Metric":
                member = event.metric.members[0]
                if member.name not in METRICS:  # a sample, or a stretch that was measured by chance
                    continue
                own.append(f"{member.name}={round(event.values[0], 4)}")
                metrics[member.name] = member.unit, member.metric_mode
    return words, regions, metrics


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-user-") as name:
        folder = pathlib.Path(name)
        experiment, problems = user_archive.record(options, folder, [options.program])
        words, regions, metrics = read(experiment / "traces.otf2")
        info = user_archive.information(options, experiment)
    for rank in (0, 1):
        found = " ".join(words[f"MPI Rank {rank}"])
        if found != EXPECTED:
            problems.append(f"rank {rank}:\n{found}\ninstead of\n{EXPECTED}")
    if regions != REGIONS:
        problems.append(f"regions {regions} instead of {REGIONS}")
    if metrics != METRICS:
        problems.append(f"metrics {metrics} instead of {METRICS}")
    if [marker["text"] for marker in info["markers"]] != ["before MPI_Init"] * 2:
        problems.append(f"markers {info['markers']}")
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


main()

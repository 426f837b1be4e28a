#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records LAMMPS as a distribution ships it, and looks for its own functions around the waiting.

usage: check_lammps.py --fermata F --mpirun M --program lmp --input melt.lmp
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TIMEOUT = 200  # seconds; a run takes a few
LOOP = ["main", "LAMMPS_NS::Input::file", "LAMMPS_NS::Input::execute_command",
        "LAMMPS_NS::Run::command", "LAMMPS_NS::Verlet::run"]


def run(command, folder):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                       OMP_NUM_THREADS="1")
    return subprocess.run([str(word) for word in command], cwd=folder, env=environment,
                          timeout=TIMEOUT, capture_output=True, text=True, errors="replace")


def results(output):
    """The lines of thermodynamic output, whose numbers depend on nothing but the input."""
    rows = [line.split() for line in output.splitlines()]
    return [row for row in rows if len(row) == 6 and all(re.fullmatch(r"-?[0-9.e+-]+", word) for word in row)
            and row[0].isdigit() and "." in row[1]]


def severities(report, metric):
    """Values of a metric with its children by call path."""
    metrics = {item["id"]: item for item in report["metrics"]}
    callpaths = {item["id"]: item for item in report["callpaths"]}

    def is_part(name):
        return name is not None and (name == metric or is_part(metrics[name]["parent"]))

    sums = collections.Counter()
    for item in report["severities"]:
        if is_part(item["metric"]):
            names, callpath = [], item["callpath"]
            while callpath is not None:
                names.insert(0, callpaths[callpath]["region"])
                callpath = callpaths[callpath]["parent"]
            sums[tuple(names[1:])] += item["value"]  # without the program
    return sums


def check_report(report, failures):
    visits = severities(report, "visits")
    for function, call in (("forward_comm", "MPI_Send"), ("reverse_comm", "MPI_Send"),
                           ("exchange", "MPI_Sendrecv"), ("borders", "MPI_Sendrecv")):
        path = (*LOOP, f"LAMMPS_NS::CommBrick::{function}", call)
        if visits[path] == 0:
            failures.append(f"nothing calls {'/'.join(path)}")
    late = severities(report, "mpi_latesender")
    if sum(late.values()) <= 0:
        failures.append("no receiver waited for a late sender")
    failures += [f"a late sender in {'/'.join(path)}, without a function of LAMMPS"
                 for path in late if not any(name.startswith("LAMMPS_NS::") for name in path)]


def main():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--mpirun", "--program", "--input"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    options = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        command = [options.mpirun, "-n", 4, options.program, "-in", options.input, "-var", "steps",
                   100, "-log", "none"]
        plain = run(command, folder)
        recorded = run([options.fermata, "run", "-o", folder / "experiment", "--", *command],
                       folder)
        if plain.returncode != 0 or recorded.returncode != 0:
            failures.append(f"lmp ends with {plain.returncode}, recorded with"
                            f" {recorded.returncode}: {recorded.stderr}")
        elif not results(plain.stdout) or results(plain.stdout) != results(recorded.stdout):
            failures.append("LAMMPS computes something else when it is recorded")
        else:
            report = run([options.fermata, "report", "--format=json", folder / "experiment"],
                         folder)
            check_report(json.loads(report.stdout), failures)
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()

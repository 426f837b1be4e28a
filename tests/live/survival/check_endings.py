#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that end in ways in which nothing can be written any more: all that they have recorded is in
the trace, although nothing is flushed during the run.

usage: check_endings.py --fermata F --mpirun M --program P ENDING...
"""

import argparse
import collections
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

RANKS, BARRIERS, LONGEST = 2, 100, 60


def environment():
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                FERMATA_FLUSH_INTERVAL="never")


def launcher_of(run, mpirun):
    """The launcher's process: a child of `fermata record`."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(run.pid)], capture_output=True,
                                  text=True).stdout.split()
        if children:
            return int(children[0])
        time.sleep(0.01)
    sys.exit(f"{mpirun} was not started")


def barriers(fermata, folder):
    """Visits of MPI_Barrier by rank."""
    table = folder / "severities.csv"
    for command in (["analyze", "--check", "experiment"],
                    ["export", "--to", "csv", "-o", table, "experiment"]):
        done = subprocess.run([fermata, *command], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{command}: {done.returncode}: {done.stderr}")
    with open(table, newline="", encoding="utf-8") as file:
        visits = collections.Counter()
        for row in csv.DictReader(file):
            if row["metric"] == "visits" and "/MPI_Barrier" in row["callpath"]:  # of two call sites
                visits[int(row["rank"])] += float(row["value"])
        return visits


def check(options, ending, folder):
    run = subprocess.Popen([options.fermata, "record", "-o", "experiment", "--", options.mpirun, "-n",
                            str(RANKS), options.program, ending], cwd=folder, env=environment(),
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if ending == "hang":
        while not (folder / "experiment/journal/1.def").exists() and run.poll() is None:
            time.sleep(0.01)
        time.sleep(1)
        os.kill(launcher_of(run, options.mpirun), signal.SIGKILL)
    _, errors = run.communicate(timeout=LONGEST)
    counted = barriers(options.fermata, folder)
    told = json.loads((folder / "experiment/environment.json").read_text()).get("incomplete", "")
    if sorted(counted) != list(range(RANKS)) or min(counted.values()) < BARRIERS:
        yield f"barriers: {counted}: {errors}"
    if max(counted.values(), default=0) > BARRIERS + 1:
        yield f"more barriers than there were: {counted}"
    if "all before is there" not in told:
        yield f"{told}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    parser.add_argument("ending", nargs="+")
    options = parser.parse_args()
    failures = []
    for ending in options.ending:
        with tempfile.TemporaryDirectory() as folder:
            failures += [f"{ending}: {failure}"
                         for failure in check(options, ending, pathlib.Path(folder))]
    sys.exit("\n".join(failures) if failures else 0)


main()

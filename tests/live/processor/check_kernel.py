#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records ranks of which one is late because the kernel works for it. The metrics of the kernel's counters
agree with what each rank has read itself, and the report names the reason, with the numbers, exactly where it is one: not
where all ranks have as many page faults, nor where a rank computes longer.

usage: check_kernel.py --fermata F --mpirun M --program P
"""

import argparse
import collections
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ITERATIONS, RANKS = 30, 2  # as many as processors: others take them away from few of its ranks
METRICS = ("counter:usage.page_faults_minor", "counter:usage.preemptions", "counter:usage.switches_voluntary",
           "counter:usage.time_system")
REASONS = {"faults": r"[0-9,]+ page faults there, [0-9,]+ on the other ranks?: the kernel works .* longer",
           "calls": r"the kernel works .* longer there, .*: system calls",
           "waits": r"it waits in the operating system [0-9,]+ times? there, [0-9,]+ times? on the other ranks?",
           "everywhere": None, "nothing": None}
KERNEL, RAN = 3, 4  # of what a rank prints: microseconds
ENOUGH = 0.7  # of what a rank runs longer; the report needs half of what is not lack of processors
SECONDS = {"s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6}


def run(command, folder):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                       OMPI_MCA_hwloc_base_binding_policy="none")
    result = subprocess.run(command, cwd=folder, env=environment, timeout=250, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{command}: {result.returncode}: {result.stderr}")
    return result.stdout


def compare(told, table, measured):
    """Where the metrics of a rank are not what the rank has counted. The recorder's readings are around the
    program's own, and a stretch may not have been measured."""
    for rank, counts in told.items():
        for metric, count in zip(METRICS, counts):
            value = table[metric, rank] * (1e6 if metric.endswith("time_system") else 1)
            slack = 20 * ITERATIONS if metric.endswith("minor") else 4 * ITERATIONS
            slack = 5000 * ITERATIONS if metric.endswith("time_system") else slack
            low = count * (1 if measured[rank] > 0.99 else 0.8 * measured[rank])
            if not low - slack <= value <= count + slack:
                yield f"{metric} of rank {rank}: {value}, counted {count}, measured {measured[rank]:.2f}"


def is_counted(reason, told):
    """Whether the ranks themselves have counted the time that the kernel is said to work longer on rank 1: where
    others take the processor away, equal work of the kernel may take longer on a rank."""
    stated = re.search(r"the kernel works ([0-9.]+) (s|ms|us|µs) longer", reason)
    counted = 1e-6 * (told[1][KERNEL] - told[0][KERNEL])
    return stated is not None and float(stated.group(1)) * SECONDS[stated.group(2)] <= 1.1 * counted


def is_explained(told):
    """Whether the kernel has counted enough of what rank 1 runs longer as its own work. It looks at clock ticks only
    whose work a processor does: of threads that seldom run to the next tick it counts too little."""
    kernel, ran = (told[1][i] - told[0][i] for i in (KERNEL, RAN))
    return kernel >= ENOUGH * ran


def check(options, way):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        output = run([options.fermata, "record", "-o", "experiment", "--", options.mpirun, "-n", str(RANKS),
                      options.program, str(ITERATIONS), way], folder)
        run([options.fermata, "analyze", "--check", "experiment"], folder)
        rows = list(csv.DictReader(run([options.fermata, "export", "--to", "csv", "-o", "-", "experiment"],
                                       folder).splitlines()))
        report = run([options.fermata, "report", "experiment"], folder)
    told = {int(line.split()[1][:-1]): [int(word) for word in line.split()[2:]]
            for line in output.splitlines() if line.startswith("rank ")}
    table, times = collections.Counter(), collections.Counter()
    for row in rows:
        table[row["metric"], int(row["rank"])] += float(row["value"])
        times[row["metric"], int(row["rank"])] += float(row["value"])
        if row["metric"] in METRICS and "MPI_" in row["callpath"]:
            print(f"{row}: not in computation")
            return False
    measured = {rank: times["measured_time", rank] / max(1e-9, times["comp", rank]) for rank in told}
    failures = list(compare(told, table, measured))
    text = " ".join(report.split("Shares of all time")[0].split())
    problem = re.search(r" 1\. (?:(?! 2\. ).)*", text)
    reason = re.search(r"Why (?:(?! Load | Waits ).)*", problem.group(0) if problem else "")
    if REASONS[way] is None and reason and not is_counted(reason.group(0), told):
        failures.append(f"a reason for {way}: {reason.group(0)}")
    if REASONS[way] is not None and not (reason and re.search(REASONS[way], reason.group(0))):
        if way != "waits" and not is_explained(told) and not failures:
            print(f"{way}: not judged, the kernel has not counted its work: {told}")
            return True
        failures.append(f"no reason for {way}")
    if failures:
        print(way, "\n".join(failures), report.split("Shares of all time")[0], told, sep="\n")
    return not failures


def main():
    parser = argparse.ArgumentParser()
    for option in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    sys.exit(0 if all([check(options, way) for way in REASONS]) else 1)


main()

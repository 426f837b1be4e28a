#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records ranks that compute beside six other spinning processes, all on at most two processors: the
metrics of processor time agree with what the ranks themselves have read from the kernel, and the report
keeps this time apart from the program's own lateness. Of ranks that need the same CPU time the report states that they lacked the
processor, however long they wait for each other; a rank that needs more is the first problem.

usage: check_contention.py --fermata F --mpirun M --program P
"""

import argparse
import collections
import contextlib
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RANKS, ITERATIONS, CPU_SECONDS, FACTOR = 2, 30, 0.02, 4
SPINNERS = 6
TOLERANCE = 0.05
NO_WAITING = 5  # percent of all time


@contextlib.contextmanager
def spinning_processes():
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                 for _ in range(SPINNERS)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def run(command, folder):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                       OMPI_MCA_hwloc_base_binding_policy="none")
    result = subprocess.run(command, cwd=folder, env=environment, timeout=250,
                            capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{command}: {result.returncode}: {result.stderr}")
    return result.stdout


def sums_of(table):
    """Sums of the severities over all ranks: by metric, and by metric and call path."""
    whole, paths = collections.Counter(), collections.Counter()
    for row in csv.DictReader(table.splitlines()):
        whole[row["metric"]] += float(row["value"])
        paths[row["metric"], row["callpath"]] += float(row["value"])
    return whole, paths


def compare(told, whole, paths):
    """Differences between the metrics and what the ranks have printed."""
    wall, delay = (sum(float(line.split()[i]) for line in told) for i in (2, 3))
    failures = []

    def near(name, value, expected):
        if not abs(value - expected) <= TOLERANCE * expected:
            failures.append(f"{name}: {value:.4f}, expected {expected:.4f}")

    if len(told) != RANKS or delay < 0.2 * wall:
        failures.append(f"the ranks have not competed for processors: {told}")
    near("measured time", whole["measured_time"], wall)
    near("stolen share", whole["stolen_time"] / whole["measured_time"], delay / wall)
    # The stretches after calls that no long one has followed so far are not measured.
    missing = wall - whole["measured_time"]
    lost = delay - whole["stolen_time"]
    if not -TOLERANCE * delay <= lost <= max(0, missing) + TOLERANCE * delay:
        failures.append(f"stolen time: {whole['stolen_time']:.4f}, expected {delay:.4f}, not measured {missing:.4f}")
    # In the stretches whose run delay was not read, a rank may have lacked a processor all the time, or never.
    rest = whole["stolen_time"] - whole["run_delay"]
    unknown = whole["measured_time"] - whole["delay_measured_time"]
    if not -TOLERANCE * delay <= rest <= unknown + TOLERANCE * delay:
        failures.append(f"run delay: {whole['run_delay']:.4f} of {whole['stolen_time']:.4f} stolen,"
                        f" not known for {unknown:.4f} s")
    if whole["delay_measured_time"] < 0.5 * whole["measured_time"]:
        failures.append(f"the run delay was read too seldom: {whole}")
    preempted = sum(int(line.split()[4]) for line in told)
    if not 0.9 * preempted <= whole["counter:usage.preemptions"] <= 1.1 * preempted + 3 * RANKS * ITERATIONS:
        failures.append(f"preemptions: {whole['counter:usage.preemptions']}, expected {preempted}")
    for (metric, path), value in paths.items():
        if metric in ("stolen_time", "measured_time") and "MPI_" in path and value > 0:
            failures.append(f"{metric} at {path}: {value}")
    return failures


def percent(text, pattern):
    """The share of all time that the pattern finds in the report's first screen; 0: none."""
    found = re.search(pattern, " ".join(text.split("Shares of all time")[0].split()))
    return float(found.group(1)) if found else 0.0


def read_report(text, whole, factor):
    """What is wrong about the first screen."""
    stated = percent(text, r"No processor for (?:about )?([0-9.]+)% of all time")
    confirmed = 100 * whole["run_delay"] / whole["delay_measured_time"]
    waiting = percent(text, r"Waiting ([0-9.]+)%(?: \([^)]*\))? of all time")
    lack = percent(text, r"lack of processors ([0-9.]+)%")
    problem = percent(text, r"1\. .*? makes others wait [^:]*: ([0-9.]+)%(?: \([^)]*\))? of all time")
    first = re.search(r"^  1\. `([^`]*)`.* on (ranks? [0-9]+)", text, re.MULTILINE)
    if not 0.5 * confirmed < stated <= 1.01 * confirmed:
        yield f"no processor for {stated} % of all time, {confirmed:.1f} % of the computation"
    # The system may let both ranks wait equally long for a processor: then they hardly wait for each other.
    if factor == 1 and waiting < NO_WAITING:
        return
    # Samples are few where a rank seldom runs: which function lacked the processor is known to a sample's
    # period only. What remains as a problem then states that it had no processor.
    explained = percent(text, r"1\. (?:(?! 2\. ).)*?no processor for (?:about )?([0-9.]+)% of this time") >= 50
    if factor == 1 and not (lack > 2 * problem or explained):
        yield f"equal work: {problem} % by a problem, {lack} % by lack of processors"
    # Between two samples of a rank that seldom runs its caller has the time; the report states that.
    if "(preempted " not in " ".join(text.split()) and ": preempted " not in " ".join(text.split()):
        yield "the report does not state the preemptions"
    named = first and (first.group(1).startswith("compute") or first.group(1) == "main" and "\n     Samples " in text)
    # What a rank needs longer takes as much longer again as it lacks processors meanwhile: with six others on
    # two of them, three quarters of what it is late.
    if factor > 1 and not (named and first.group(2) == "rank 1" and problem > 0.2 * waiting):
        yield f"rank 1 works more: {problem} % by a problem, {lack} % by lack of processors"


def read_predictions(text, problems):
    """What another distribution of work would save is not predicted where the machine's load causes a part."""
    imbalances = [problem for problem in problems[:3] if problem["cause"]["kind"] == "imbalance"]
    is_left_out = [all(made["callpath"] is not None for made in problem["predictions"]) for problem in imbalances]
    if "of waiting because of that is not counted here" in " ".join(text.split()) and not any(is_left_out):
        yield f"predictions in spite of the load: {imbalances}"
    if "Gain predicted:" in " ".join(text.split()):
        yield "predicted gains without a word about the scarce processors"


def compare_run(told, whole, report):
    """The run delay of the whole run: at least that of the computation."""
    delay = sum(float(line.split()[3]) for line in told)
    if not 0.99 * delay <= whole["delay_seconds"] <= whole["run_seconds"]:
        yield f"run delay of the whole run: {whole}, of the computation {delay:.4f}"
    share = round(100 * whole["delay_seconds"] / whole["run_seconds"])
    if f"Ranks had no processor for {share}% of the run" not in " ".join(report.split()):
        yield f"the report does not warn of {share} % without a processor"


def check(options, factor):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with spinning_processes():
            # The run is so short that a rank would get some twenty samples by default.
            output = run([options.fermata, "record", "--sample", "500Hz", "-o", "experiment", "--",
                          options.mpirun, "-n", str(RANKS), options.program, str(ITERATIONS), str(CPU_SECONDS),
                          str(factor)], folder)
        run([options.fermata, "analyze", "--check", "experiment"], folder)
        table = run([options.fermata, "export", "--to", "csv", "-o", "-", "experiment"], folder)
        report = run([options.fermata, "report", "experiment"], folder)
        problems = json.loads(run([options.fermata, "report", "--format=json", "experiment"], folder))["problems"]
        environment = json.loads((folder / "experiment" / "environment.json").read_text())
    told = [line for line in output.splitlines() if line.startswith("rank ")]
    whole, paths = sums_of(table)
    failures = (compare(told, whole, paths) + list(read_report(report, whole, factor)) +
                list(read_predictions(report, problems)) +
                list(compare_run(told, environment["run_delay"], report)))
    if failures:
        print("\n".join(failures), report.split("Shares of all time")[0], sep="\n")
    return not failures


def main():
    parser = argparse.ArgumentParser()
    for option in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    sys.exit(0 if all([check(options, factor) for factor in (1, FACTOR)]) else 1)


main()

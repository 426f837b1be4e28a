#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Samples a program (sampling.c) and compares the times of its functions with what it measured.

usage: check_sampling.py --fermata F --mpirun M [--names how] PROGRAM [MODE]

--names: `symbols` (the functions are found), `none` (they cannot be unwound: only counted).
"""

import collections
import json
import pathlib
import re
import sys
import tempfile

import otf2

from check_paths import program_parser, run

RANKS = 2
TOLERANCE = 0.12  # of a share; 0.75 and 0.25 are the shares that are wanted
COVERED = 0.7     # of the time in the functions; what is next to MPI calls belongs to the caller
LEAST_SAMPLES = 60  # of a thread, in 2 s of CPU time; at most one for each tick of the system


def times_of_functions(anchor, failures):
    """{rank: {function: seconds}}, inclusive, of functions that thread_... does not call; and the
    paths to `compute`."""
    opened = collections.defaultdict(list)
    times = collections.defaultdict(collections.Counter)
    paths = set()
    last = {}
    with otf2.reader.open(anchor) as archive:
        resolution = archive.timer_resolution
        for location, event in archive.events:
            if event.time < last.get(location, 0):
                failures.append(f"{location.name}: time goes back")
            last[location] = event.time
            stack = opened[location]
            if isinstance(event, otf2.events.Enter):
                stack.append((event.region, event.time))
                if event.region.name == "compute":
                    paths.add(tuple(region.name for region, _ in stack))
                if event.region.paradigm == otf2.Paradigm.MPI and any(
                        region.name == "compute" for region, _ in stack):
                    failures.append(f"{event.region.name} in compute()")
            elif isinstance(event, otf2.events.Leave):
                region, begin = stack.pop()
                if region != event.region:
                    failures.append(f"{location.name}: {event.region.name} is left out of turn")
                if not any(outer.name.startswith("thread_") for outer, _ in stack):
                    rank = int(re.search(r"\d+", location.group.name).group())
                    times[rank][region.name] += (event.time - begin) / resolution
        failures += [f"{location.name}: regions are never left"
                     for location, stack in opened.items() if stack]
    return times, paths


def check_shares(measured, found, failures):
    """The share of the long function, and how much of both was seen."""
    for prefix in ("work", "thread"):
        long, short = f"{prefix}_long", f"{prefix}_short"
        own = measured[long] + measured[short]
        if own == 0:
            continue
        recorded = found[long] + found[short]
        if recorded < COVERED * own:
            failures.append(f"{prefix}: {recorded:.2f} s were sampled, {own:.2f} s there were")
        elif abs(found[long] / recorded - measured[long] / own) > TOLERANCE:
            failures.append(f"{long}: {found[long]:.2f} of {recorded:.2f} s were sampled,"
                            f" {measured[long]:.2f} of {own:.2f} s there were")


def samples_in_archive(anchor):
    """How many samples the trace has: values of their counter."""
    with otf2.reader.open(anchor) as archive:
        return sum(isinstance(event, otf2.events.Metric)
                   and event.member.name == "call stack samples"
                   for _, event in archive.events)


def check_rate(options, sampling, experiment, measured, stderr, failures):
    """The obtained rate, by what the trace and the program's own clocks have; what is said of it."""
    if (sampling["asked"], sampling["clock"]) != (True, "CPU timers"):
        failures.append(f"the rate was asked for, of CPU timers: {sampling}")
    if sampling["samples"] != samples_in_archive(str(experiment / "traces.otf2")):
        failures.append(f"the trace has another number of samples: {sampling}")
    if sampling["signals"] < sampling["samples"] + sampling["lost"]:
        failures.append(f"more samples than signals: {sampling}")
    rate = sampling["signals"] / sampling["cpu_seconds"]
    if abs(sampling["obtained_hertz"] / rate - 1) > 1e-3:
        failures.append(f"{rate} signals a second: {sampling}")
    least = 0 if options.mode == "takes" else sum(rank["least"] for rank in measured)
    most = sum(rank["most"] for rank in measured)
    if not least - 1e-3 <= sampling["cpu_seconds"] <= most + 1e-3:
        failures.append(f"the program's own clocks have {least} to {most} s: {sampling}")
    too_low = sampling["cpu_seconds"] >= 1 and rate < 0.8 * sampling["hertz"]
    sentence = (f"sampling timers fired {rate:.0f} times a second of CPU time,"
                f" not {sampling['hertz']} times")
    if too_low != sampling.get("shortfall", "").startswith(sentence):
        failures.append(f"'{sentence}' is {'not ' if too_low else ''}stated: {sampling}")
    if stderr.count("sampling timers fired") != too_low or (
            too_low and f"fermata: warning: {sampling['shortfall']}\n" not in stderr):
        failures.append(f"{sampling} is not stated once: {stderr}")


def check_report(options, sampling, experiment, folder, failures):
    """The report states a rate that is too low, and has the rate, as info."""
    shown = run([options.fermata, "info", str(experiment)], folder).stdout
    if f"fired {sampling['obtained_hertz']:.0f} times a second of CPU time\n" not in shown:
        failures.append(f"fermata info: {shown}")
    analyzed = run([options.fermata, "analyze", str(experiment)], folder)
    report = run([options.fermata, "report", str(experiment)], folder)
    if ("sampling timers fired" in " ".join(report.stdout.split())) != ("shortfall" in sampling):
        failures.append(f"the report: {analyzed}, {report}")
    written = run([options.fermata, "report", "--format", "json", str(experiment)], folder)
    stated = json.loads(written.stdout)["experiment"]["sample_rate"]
    if abs(stated - sampling["obtained_hertz"]) > 2e-3:
        failures.append(f"the report has {stated}: {sampling}")


def check_samples(options, experiment, stderr, failures):
    """The numbers of samples in environment.json and the closing line. @return the former"""
    sampling = json.loads((experiment / "environment.json").read_text())["sampling"]
    threads = RANKS * (2 if options.mode == "threads" else 1)
    least = 1 if options.mode == "takes" else threads * LEAST_SAMPLES
    if sampling["hertz"] != 1000 or sampling["samples"] < least:
        failures.append(f"{sampling}, expected {least} samples")
    if sampling["lost"] > 0.1 * sampling["samples"]:
        failures.append(f"too many samples are lost: {sampling}")
    if f", {sampling['samples']} samples ({sampling['lost']} lost); recorder: " not in stderr:
        failures.append(f"no samples in the closing line: {stderr}")
    return sampling


def own_measurements(result):
    """{name: seconds} for each rank, as the program measured them."""
    return [{line.split()[0]: float(line.split()[1])
             for line in pathlib.Path(f"{result}.{rank}").read_text().splitlines()}
            for rank in range(RANKS)]


def main():
    parser = program_parser()
    parser.add_argument("--names", default="symbols")
    parser.add_argument("mode", nargs="?", default="")
    options = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        result = pathlib.Path(folder) / "result"
        command = [options.mpirun, "-n", str(RANKS), options.program, str(result), options.mode]
        plain = run(command, folder)
        recorded = run([options.fermata, "record", "--sample", "1kHz", "-o", str(experiment), "--",
                        *command], folder)
        if (plain.returncode, plain.stdout) != (recorded.returncode, recorded.stdout):
            sys.exit(f"unlike the program alone: {plain}, {recorded}")
        if recorded.returncode != 0:
            sys.exit(f"it fails: {recorded}")
        checked = run([options.fermata, "check", str(experiment)], folder)
        if checked.returncode != 0:
            failures.append(f"fermata check: {checked.stdout} {checked.stderr}")
        measured = own_measurements(result)
        sampling = check_samples(options, experiment, recorded.stderr, failures)
        check_rate(options, sampling, experiment, measured, recorded.stderr, failures)
        if options.mode == "shares":
            check_report(options, sampling, experiment, folder, failures)
        times, paths = times_of_functions(str(experiment / "traces.otf2"), failures)
        ended = "sampling ended: the program uses signal" in recorded.stderr
        if ended != (options.mode == "takes"):
            failures.append(f"messages: {recorded.stderr}")
        if options.names == "symbols" and options.mode != "takes":
            for rank in range(RANKS):
                check_shares(measured[rank], times[rank], failures)
            solver = "with_signals" if options.mode == "signals" else "solve"
            for function in ("work_long", "work_short"):
                if ("main", solver, function, "compute") not in paths:
                    failures.append(f"main/{solver}/{function}/compute is not among {paths}")
    for failure in failures[:40]:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

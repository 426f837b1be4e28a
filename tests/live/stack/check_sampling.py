#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Samples a program (sampling.c) and compares the times of its functions with what it measured.

usage: check_sampling.py --fermata F --mpirun M [--names how] [--clock CLOCK] PROGRAM [MODE]

--names: `symbols` (the functions are found), `none` (they cannot be unwound: only counted).
--clock: `perf` (skipped where perf events may not be sampled in kernel mode) or `timer`.
"""

import collections
import json
import pathlib
import re
import statistics
import sys
import tempfile
import time

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


def weights_in_archive(anchor):
    """Values of the counter of samples, in seconds: all of them, and those in the functions that
    are compared, except below thread_...: {rank: {function: sum}}."""
    weights, functions = [], collections.defaultdict(collections.Counter)
    opened = collections.defaultdict(list)
    with otf2.reader.open(anchor) as archive:
        for location, event in archive.events:
            stack = opened[location]
            if isinstance(event, otf2.events.Enter):
                stack.append(event.region.name)
            elif isinstance(event, otf2.events.Leave):
                stack.pop()
            elif isinstance(event, otf2.events.Metric) and event.member.name == "call stack samples":
                if event.member.unit != "ns":
                    sys.exit(f"weights in {event.member.unit}")
                weights.append(event.value / 1e9)
                rank = int(re.search(r"\d+", location.group.name).group())
                for function in ("work_long", "work_short"):
                    if function in stack and not any("thread_" in name for name in stack):
                        functions[rank][function] += event.value / 1e9
    return weights, functions


def check_weights(options, sampling, weights, functions, measured, failures):
    """Weights are the CPU time since the last expiry; their shares are those of time. Ticks of a
    busy machine miss many a thread for longer than a sample can weigh."""
    if options.mode in ("takes", "closes"):
        return
    interval = sampling["cpu_seconds"] / sampling["signals"]
    least = 0.9 if options.clock == "perf" and options.mode != "scarce" else 0.4
    if not least < statistics.mean(weights) / interval < 1.1:
        failures.append(f"samples weigh {statistics.mean(weights)} s: {sampling}")
    for rank in functions if options.names == "symbols" else ():
        own, found = measured[rank], functions[rank]
        share = own["work_long"] / (own["work_long"] + own["work_short"])
        weighed = found["work_long"] / (found["work_long"] + found["work_short"])
        if abs(weighed - share) > TOLERANCE:
            failures.append(f"rank {rank}: work_long has {weighed:.3f} of the weight,"
                            f" {share:.3f} of the time")
    deviation = statistics.pstdev(weights) / statistics.mean(weights)
    if options.clock == "perf" and options.mode == "shares" and not 0.2 < deviation < 0.4:
        failures.append(f"periods are not jittered: they deviate by {deviation:.3f} of their mean")


def check_rate(options, sampling, experiment, measured, stderr, failures):
    """The obtained rate, by what the trace and the program's own clocks have; what is said of it."""
    clock = "CPU timers" if options.clock == "timer" else "perf task clock"
    if options.clock == "perf" and options.mode in ("closes", "scarce"):
        clock += ", CPU timers"
    if (sampling["asked"], sampling["clock"]) != (True, clock):
        failures.append(f"the rate was asked for, of {clock}: {sampling}")
    too_high = options.clock == "timer" and 1 / time.clock_getres(6) < 999  # the coarse clock
    if stderr.count("1000 samples a second cannot be had") != too_high:
        failures.append(f"that the rate is {'too high' if too_high else 'possible'}: {stderr}")
    weights, functions = weights_in_archive(str(experiment / "traces.otf2"))
    if sampling["samples"] != len(weights):
        failures.append(f"the trace has another number of samples: {sampling}")
    else:
        check_weights(options, sampling, weights, functions, measured, failures)
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
    threads = RANKS * (2 if options.mode in ("threads", "scarce") else 1)
    least = 1 if options.mode == "takes" else threads * LEAST_SAMPLES
    if sampling["hertz"] != 1000 or sampling["samples"] < least:
        failures.append(f"{sampling}, expected {least} samples")
    if sampling["lost"] > 0.1 * sampling["samples"]:
        failures.append(f"too many samples are lost: {sampling}")
    if f", {sampling['samples']} samples ({sampling['lost']} lost); recorder: " not in stderr:
        failures.append(f"no samples in the closing line: {stderr}")
    return sampling


def check_messages(options, stderr, failures):
    """Sampling ends only where the program takes its signal; the clock changes only where perf
    events cannot be used any more: that is stated."""
    for text, expected in (
            ("sampling ended: the program uses signal", options.mode == "takes"),
            ("from now on: the program has closed the descriptor of a perf event",
             options.clock == "perf" and options.mode == "closes"),
            ("sampled by CPU timers: perf_event_open: Too many open files",
             options.clock == "perf" and options.mode == "scarce")):
        if (text in stderr) != expected:
            failures.append(f"'{text}' is {'not ' if expected else ''}stated: {stderr}")


def own_measurements(result):
    """{name: seconds} for each rank, as the program measured them."""
    return [{line.split()[0]: float(line.split()[1])
             for line in pathlib.Path(f"{result}.{rank}").read_text().splitlines()}
            for rank in range(RANKS)]


def main():
    parser = program_parser()
    parser.add_argument("--names", default="symbols")
    parser.add_argument("--clock", default="timer")
    parser.add_argument("mode", nargs="?", default="")
    options = parser.parse_args()
    if options.clock == "perf" and "perf task clock" not in run([options.fermata, "doctor"], ".").stdout:
        print("perf_event_open does not permit sampling in kernel mode")
        sys.exit(77)
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        result = pathlib.Path(folder) / "result"
        command = [options.mpirun, "-n", str(RANKS), options.program, str(result), options.mode]
        plain = run(command, folder)
        recorded = run([options.fermata, "record", "--sample", "1kHz", "--sample-clock",
                        options.clock, "-o", str(experiment), "--", *command], folder)
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
        check_messages(options, recorded.stderr, failures)
        if options.names == "symbols" and options.mode not in ("takes", "closes"):
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

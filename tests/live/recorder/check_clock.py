#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records a program with clocks as they are, and with one that seems to run at another rate: that is
told when it is recorded and by every command that reads the experiment. The same runs show the
closing line: one, with what the recorder cost, as environment.json and `fermata info` have it.

usage: check_clock.py --fermata F --mpirun M --program P --skewed-clock LIBRARY
"""

import argparse
import json
import math
import mmap
import pathlib
import re
import sys
import tempfile
import time

from check_recorder import run

DOUBT = r"times of different processes may be wrong: clocks of processes on one node run at rates " \
        r"that differ by (9\.\d+e\+03|1e\+04) millionths"
CLOSING = re.compile(r"^fermata: (\S+): (\d+) events, (\d+\.\d) MB(?:, \d+ samples? \(\d+ lost\))?; "
                     r"recorder: (\d+\.\d) MB of memory a process, (\d+\.\d\d) s of CPU time, "
                     r"makes the run (.* long|.* longer)$", re.MULTILINE)
RANKS = 4
PAGES = 256
SKEW = 1.05  # the skewed clock is 1 % wrong
# A cost that this test measures in Python is that of the recorder up to this factor, on any machine: a
# wrong unit is a factor of 1000.
SIMILAR = 50


def longer(recorder, difference=0):
    """The words for a run that takes so many percent longer as the recorder states."""
    percent = recorder["overhead_percent"] + difference
    about = "at least" if recorder["overhead_is_least"] else "about"
    return "less than 0.1% longer" if percent < 0.1 else \
        f"{about} {percent:.1f}% longer" if percent < 99.95 else f"{about} {1 + percent / 100:.1f} times as long"


def check_figures(name, stderr, environment, info, failures):
    lines = CLOSING.findall(stderr)
    recorder = environment["recorder"]
    if len(lines) != 1:
        failures.append(f"{name}: not one closing line: {stderr}")
        return
    _, events, _, memory, seconds, words = lines[0]
    figures = (int(events), memory, seconds)
    expected = (environment["events"], f"{recorder['memory_bytes'] / 1e6:.1f}", f"{recorder['cpu_seconds']:.2f}")
    close = all(abs(float(a) - float(b)) < 0.11 for a, b in zip(figures, expected)) and \
        words in [longer(recorder, difference) for difference in (-0.01, 0, 0.01)]
    if not close or f"{memory} MB of memory a process, {seconds} s of CPU time" not in info:
        failures.append(f"{name}: {figures}, environment.json {expected}, info {info}")
    if not 0.5 < float(memory) < 64:
        failures.append(f"{name}: {recorder}")


def least_nanoseconds(function, rounds=20):
    """The time of a call in the round that is disturbed least; a round returns its number of calls."""
    least = math.inf
    for _ in range(rounds):
        begin = time.perf_counter_ns()
        count = function()
        least = min(least, (time.perf_counter_ns() - begin) / count)
    return least


def read_clock():
    for _ in range(1000):
        time.perf_counter_ns()
    return 1000


def touch_pages():
    """Writes to new pages, as the recorder does to measure a page fault."""
    with mmap.mmap(-1, PAGES * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as pages:
        pages.madvise(mmap.MADV_NOHUGEPAGE)
        for position in range(0, len(pages), mmap.PAGESIZE):
            pages[position] = 1
    return PAGES


def check_costs(name, wall, duration, environment, failures):
    """The costs that the recorder states agree with each other and with what this test measures.
    wall: seconds of the whole command; duration: from the first event to the last."""
    recorder = environment["recorder"]
    ends = recorder["begin_seconds"] + recorder["end_seconds"]
    cpu = recorder["cpu_seconds"]
    percent = recorder["overhead_percent"]
    share = percent / (100 + percent)  # of the run with its recorder
    delays = environment.get("run_delay", {"run_seconds": 1, "delay_seconds": 0})
    served = max(1 - delays["delay_seconds"] / delays["run_seconds"], 1e-3)  # what work takes is longer without a processor
    rounding = 1e-5
    conditions = {
        "begin and end take time": recorder["begin_seconds"] > 0 and recorder["end_seconds"] > 0,
        "begin and end are within the run": ends < wall,
        "no process works longer than the run": 0 < cpu < RANKS * wall,
        "begin and end are in the share": share >= min(ends / wall, 0.5) - rounding,
        "the share is begin, end and work": share <= SKEW * (ends + cpu / served) / duration + rounding,
    }
    for fact, function in (("nanoseconds_per_call", read_clock), ("nanoseconds_per_page_fault", touch_pages)):
        measured = least_nanoseconds(function)
        conditions[f"{fact}: about {measured:.0f}"] = measured / SIMILAR < recorder[fact] < measured * SIMILAR
    failures += [f"{name}: not so: {condition}: {recorder}, {wall} s, events {duration} s"
                 for condition, holds in conditions.items() if not holds]


def check_report(name, environment, report, failures):
    """The report states what the recorder has estimated."""
    recorder = environment["recorder"]
    percent = recorder["overhead_percent"]
    lines = re.sub(r"\s+", " ", report)
    behind = "" if percent >= 10 else " by its measured costs"
    expected = [f"makes the run {longer(recorder, difference)}{behind}" for difference in (-0.01, 0, 0.01)]
    if not any(words in lines for words in expected) or \
            ("its times are not those of the program" in lines) != (percent >= 10):
        failures.append(f"{name}: not {expected}: {report}")


def main():
    parser = argparse.ArgumentParser()
    for option in ("--fermata", "--mpirun", "--program", "--skewed-clock"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    failures = []
    launched = [options.mpirun, "-n", str(RANKS)]
    skewed = ["env", f"LD_PRELOAD={options.skewed_clock}"]
    record = [options.fermata, "record"]
    with tempfile.TemporaryDirectory() as folder:
        runs = {
            "outside": record + ["-o", "outside", "--"] + launched + [options.program],
            "inside": launched + record + ["-o", "inside", options.program],
            "skewed": launched + skewed + record + ["-o", "skewed", options.program],
        }
        for name, command in runs.items():
            doubted = name == "skewed"
            experiment = str(pathlib.Path(folder) / name)
            begin = time.monotonic()
            done = run(command, folder)
            wall = time.monotonic() - begin
            if done.returncode != 0:
                sys.exit(f"{name}: exit code {done.returncode}: {done.stderr}")
            environment = json.loads((pathlib.Path(experiment) / "environment.json").read_text())
            info = run([options.fermata, "info", experiment], folder)
            check_figures(name, done.stderr, environment, info.stdout, failures)
            run([options.fermata, "analyze", experiment], folder)
            check_report(name, environment, run([options.fermata, "report", experiment], folder).stdout, failures)
            report = run([options.fermata, "report", experiment, "--format", "json"], folder).stdout
            check_costs(name, wall, json.loads(report)["experiment"]["duration"], environment, failures)
            clock = environment["clock"]
            if not clock["source"].startswith("TSC"):
                print("no time-stamp counter to be doubted")
                break
            told = {"record": done.stderr, "info": info.stderr,
                    "check": run([options.fermata, "check", experiment], folder).stderr,
                    "analyze": run([options.fermata, "analyze", experiment], folder).stderr,
                    "report": run([options.fermata, "report", experiment], folder).stdout}
            for who, text in told.items():
                plain = re.sub(r"\s+", " ", text)
                count = len(re.findall(DOUBT, plain))
                if count != int(doubted):
                    failures.append(f"{name}: {who} tells it {count} times: {text}")
            if doubted != (clock["doubt"] is not None):
                failures.append(f"{name}: {clock}")
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

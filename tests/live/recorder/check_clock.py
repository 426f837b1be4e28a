#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records a program with clocks as they are, and with one that seems to run at another rate: that is
told when it is recorded and by every command that reads the experiment. The same runs show the
closing line: one, with what the recorder cost, as environment.json and `fermata info` have it.

usage: check_clock.py --fermata F --mpirun M --program P --skewed-clock LIBRARY
"""

import argparse
import json
import pathlib
import re
import sys
import tempfile

from check_recorder import run

DOUBT = r"times of different processes may be wrong: clocks of processes on one node run at rates " \
        r"that differ by (9\.\d+e\+03|1e\+04) millionths"
CLOSING = re.compile(r"^fermata: (\S+): (\d+) events, (\d+\.\d) MB; recorder: (\d+\.\d) MB of memory "
                     r"a process, (\d+\.\d\d) s of CPU time, about (\d+\.\d) % of the run$",
                     re.MULTILINE)


def check_figures(name, stderr, environment, info, failures):
    lines = CLOSING.findall(stderr)
    recorder = environment["recorder"]
    if len(lines) != 1:
        failures.append(f"{name}: not one closing line: {stderr}")
        return
    _, events, _, memory, seconds, percent = lines[0]
    figures = (int(events), memory, seconds, percent)
    expected = (environment["events"], f"{recorder['memory_bytes'] / 1e6:.1f}",
                f"{recorder['cpu_seconds']:.2f}", f"{recorder['overhead_percent']:.1f}")
    close = all(abs(float(a) - float(b)) < 0.11 for a, b in zip(figures, expected))
    if not close or f"{memory} MB of memory a process, {seconds} s of CPU time" not in info:
        failures.append(f"{name}: {figures}, environment.json {expected}, info {info}")
    if not (0.5 < float(memory) < 64 and recorder["cpu_seconds"] > 0
            and recorder["begin_seconds"] > 0 and recorder["end_seconds"] > 0
            and 1 < recorder["nanoseconds_per_call"] < 100000
            and 20 < recorder["nanoseconds_per_page_fault"] < 1000000):
        failures.append(f"{name}: {recorder}")


def check_report(name, environment, report, failures):
    """The report states what the recorder has estimated."""
    percent = environment["recorder"]["overhead_percent"]
    expected = "less than 0.1%" if percent < 0.1 else f"about {percent:.1f}%"
    if f"makes the run {expected} longer by its measured costs" not in re.sub(r"\s+", " ", report):
        failures.append(f"{name}: not {expected}: {report}")


def main():
    parser = argparse.ArgumentParser()
    for option in ("--fermata", "--mpirun", "--program", "--skewed-clock"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    failures = []
    launched = [options.mpirun, "-n", "4"]
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
            done = run(command, folder)
            if done.returncode != 0:
                sys.exit(f"{name}: exit code {done.returncode}: {done.stderr}")
            environment = json.loads((pathlib.Path(experiment) / "environment.json").read_text())
            info = run([options.fermata, "info", experiment], folder)
            check_figures(name, done.stderr, environment, info.stdout, failures)
            run([options.fermata, "analyze", experiment], folder)
            check_report(name, environment, run([options.fermata, "report", experiment], folder).stdout, failures)
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

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records a rank that waits once in the operating system (once.c), and checks that the report says so: the
function is the first problem, nothing of the time is taken for lack of processors. Most of the calls are not known to
the recorder; those that are stand in the headline.

usage: check_once.py --fermata F --mpirun M PROGRAM KIND...
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

WAIT = 0.4  # seconds, once.c
ENOUGH, NOTABLE = 0.8, 0.15  # of it
MOST_LACK = 10  # percent of all time
RECORDED = ("accept", "flock", "system")  # calls of the C library; others are not known to the recorder


def run(command, folder):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    result = subprocess.run(command, cwd=folder, env=environment, timeout=100, capture_output=True,
                            text=True)
    if result.returncode != 0:
        sys.exit(f"{command}: {result.returncode}: {result.stderr}")
    return result.stdout


def check(kind, delayed, report, text):
    """What is wrong about the report of one kind of wait, in whose run the ranks were ready to run for
    `delayed` seconds without a processor."""
    sums = {}
    for row in report["severities"]:
        sums[row["metric"]] = sums.get(row["metric"], 0) + row["value"]
    waited, unknown = sums.get("blocked_time", 0), sums.get("unresolved_time", 0)
    lack = sums.get("stolen_time", 0) - waited - unknown
    if kind not in RECORDED and waited < ENOUGH * WAIT:
        yield f"{kind}: waited {waited:.3f} s in the operating system; unknown {unknown:.3f} s"
    if lack > delayed + NOTABLE * WAIT:
        yield f"{kind}: lack of processors {lack:.3f} s"
    words = " ".join(text.split())
    # Of all time, about half of which is the wait: other programs may use the processors meanwhile.
    stated = re.findall(r"(?:No processor for|lack of processors) ([0-9.]+)%", words)
    if any(float(percent) > MOST_LACK for percent in stated):
        yield f"{kind}: the report states lack of processors: {text}"
    function = f"in_{kind}/{kind}" if kind in RECORDED else f"(main|in_{kind}|main/in_{kind})"
    if not re.search(rf"1\. `{function}`( \(once\.c:\d+\))? on rank 0 makes others wait", words):
        yield f"{kind}: another first problem: {text}"
    if kind not in RECORDED and "it waits in the operating system" not in words:
        yield f"{kind}: the reason is not stated: {text}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--mpirun", "program"):
        parser.add_argument(name, **({"required": True} if name.startswith("-") else {}))
    parser.add_argument("kinds", nargs="+")
    options = parser.parse_args()
    failures = []
    for kind in options.kinds:
        with tempfile.TemporaryDirectory() as folder:
            experiment = str(pathlib.Path(folder) / "experiment")
            printed = run([options.fermata, "record", "-o", experiment, "--", options.mpirun, "-n",
                           "2", options.program, kind], folder)
            run([options.fermata, "analyze", experiment], folder)
            report = json.loads(run([options.fermata, "report", "--format", "json", experiment], folder))
            text = run([options.fermata, "report", experiment], folder)
        delayed = float(re.search(r"delayed ([0-9.]+)", printed).group(1))
        failures += check(kind, delayed, report, text)
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

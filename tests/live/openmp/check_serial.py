# SPDX-License-Identifier: BSD-3-Clause
"""Records a program of OpenMP with serial code before the first parallel region, between two and behind the last one
(serial.c), without MPI: each serial part is the cause of idle threads, by its function and for as long as it takes.

usage: check_serial.py FERMATA PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from openmp_archive import run

STATUS = 5  # of the program
NEARLY = 0.35  # part by which samples change a time


def names(report, callpath):
    """The functions of a call path, innermost first."""
    while callpath is not None:
        yield report["callpaths"][callpath]["region"]
        callpath = report["callpaths"][callpath]["parent"]


def main():
    fermata, program = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        recorded = subprocess.run([fermata, "record", "-o", experiment, "--", program], timeout=100, check=False,
                                  capture_output=True, text=True)
        assert recorded.returncode == STATUS, recorded
        run([fermata, "check", experiment])
        run([fermata, "analyze", "--check", "-q", experiment])
        report = json.loads(run([fermata, "report", "--format=json", experiment]).stdout)
    takes = {name: float(seconds) for name, seconds in map(str.split, recorded.stdout.splitlines())}
    costs = dict.fromkeys(takes, 0)
    for problem in report["problems"]:
        cause = problem["cause"]
        if cause["kind"] == "idle" and cause["callpath"] is not None:
            found = next((name for name in names(report, cause["callpath"]) if name in takes), None)
            if found is not None:
                costs[found] += problem["cost"]
    for name, seconds in takes.items():
        assert abs(costs[name] - seconds) <= NEARLY * seconds, (name, costs, takes, report["problems"])
    first = next(problem for problem in report["problems"] if problem["cause"]["callpath"] is not None
                 and "set_up" in names(report, problem["cause"]["callpath"]))
    assert first["cause"]["kind"] == "idle" and first["when"][0]["begin"] < 0.1 * takes["set_up"], first


main()

# SPDX-License-Identifier: BSD-3-Clause
"""Records a program that pauses its recording inside of parallel regions (pauses.c): its trace is consistent, and
the last thread, which computes longest in every round, is who the others wait for before, between and behind the
pauses.

usage: check_pauses.py FERMATA PROGRAM barriers|regions
"""
import json
import pathlib
import sys
import tempfile

from openmp_archive import run

THREADS = 3


def main():
    fermata, program, kind = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        assert run([fermata, "record", "-o", experiment, "--", program, kind]).stdout == "done\n"
        run([fermata, "check", experiment])
        run([fermata, "analyze", "--check", "-q", experiment])
        report = json.loads(run([fermata, "report", "--format=json", experiment]).stdout)
    threads = {location["id"]: location["thread"] for location in report["locations"]}
    blame = [0.0] * THREADS
    for severity in report["severities"]:
        if severity["metric"] == "blame_ompbarrier":
            blame[threads[severity["location"]]] += severity["value"]
    assert any("Recording was paused" in warning for warning in report["warnings"]), report["warnings"]
    # 14 of 20 rounds are recorded, in which two threads wait 3.5 ms: on a busy machine, not only for the last one.
    assert sum(blame) > 0.02 and blame[-1] == max(blame), blame


main()

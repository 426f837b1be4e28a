# SPDX-License-Identifier: BSD-3-Clause
"""Records contended locks of OpenMP (lock_names.c), and checks that the report names them as the program does, also
if the program is killed and its archive rebuilt from the journals.

usage: check_lock_names.py FERMATA SOURCE PROGRAM
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from openmp_archive import run


def report_of(fermata, experiment):
    run([fermata, "check", experiment])
    run([fermata, "analyze", "--check", "-q", experiment])
    return json.loads(run([fermata, "report", "--format=json", experiment]).stdout)


def names_in(source):
    """@return the names of the four locks, all of which have waiting threads in every round"""
    lines = pathlib.Path(source).read_text().splitlines()

    def line_of(end):
        return next(number for number, text in enumerate(lines, 1) if text.endswith(end))

    return {"critical (counting)", f"!$omp critical @lock_names.c:{line_of('omp critical')}",
            f"table_locks[2] (lock_names.c:{line_of(' table_locks[4];')})",
            f"queue.guard (lock_names.c:{line_of('} queue;')})"}


def check(report, source):
    names = {lock["name"] for lock in report["locks"]}
    assert names == names_in(source), names
    for lock in report["locks"]:
        held = sum(place["waiting"] for place in lock["held_in"])
        assert lock["waited_in"] and held <= lock["waiting"] + 1e-9, lock


def main():
    fermata, source, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        assert run([fermata, "record", "-o", experiment, "--", program]).stdout == "done\n"
        check(report_of(fermata, experiment), source)
        killed = pathlib.Path(folder) / "killed"
        # Every event flushes what its thread has recorded before.
        done = subprocess.run([fermata, "record", "-o", killed, "--", program, "kill"], capture_output=True, text=True,
                              env={**os.environ, "FERMATA_FLUSH_INTERVAL": "0"}, timeout=200)
        assert done.returncode == 137 and "incomplete run" in done.stderr, done
        check(report_of(fermata, killed), source)


main()

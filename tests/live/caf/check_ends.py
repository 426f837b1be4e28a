# SPDX-License-Identifier: BSD-3-Clause
"""Records ends.f90, which ends in different ways: what was recorded until then is kept, and the program
behaves as without the recorder.

usage: check_ends.py FERMATA MPIRUN PROGRAM WAY
"""
import collections
import json
import pathlib
import sys
import tempfile

from caf_archive import record, recorded, run
from mpi_launcher import mpi_command

IMAGES = 2
ROUNDS = 5
STATEMENTS = {"stop": "stop", "error": "error stop", "fail": "fail image"}  # that image 1 or 2 ends with


def own_lines(text):
    return sorted(line for line in text.splitlines() if line.startswith("image "))


def main():
    fermata, mpirun, program, way = sys.argv[1:]
    complete = way in ("end", "early")
    plain = run(mpi_command(mpirun, IMAGES, [program, way]), may_fail=True)
    lines = own_lines(plain.stdout)
    assert not complete or len(lines) == IMAGES + (way == "early"), plain.stdout + plain.stderr
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        result = record(fermata, experiment, mpirun, IMAGES, [program, way],
                        ["--sample=off", "--flush-interval", "0"], may_fail=True)
        if complete:  # a launcher that ends a run may lose output
            assert own_lines(result.stdout) == lines, result.stdout + result.stderr
        assert result.returncode == plain.returncode, (result.returncode, plain.returncode)
        left_open = {}
        calls = recorded(experiment / "traces.otf2", left_open)
        counts = {image: collections.Counter(call.split(" ")[0] for call in calls[image])
                  for image in range(1, IMAGES + 1)}
        for image, count in counts.items():
            assert count["put"] == ROUNDS, counts
            assert count["finalize"] == complete, counts
        if way in STATEMENTS:
            assert STATEMENTS[way] in left_open.values(), (left_open, calls)
        environment = json.loads((experiment / "environment.json").read_text())
        assert environment["complete"] == complete, environment
        assert not (experiment / "journal").exists(), "journals are left"
        assert "0 findings" in run([fermata, "check", experiment]).stdout
        run([fermata, "analyze", "--check", experiment])


main()

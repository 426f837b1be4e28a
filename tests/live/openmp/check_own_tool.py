# SPDX-License-Identifier: BSD-3-Clause
"""Records programs whose runtime has another tool: that one works, and the recorder says what is missing.

usage: check_own_tool.py FERMATA PROGRAM_WITH_A_TOOL OTHER_PROGRAM
"""
import os
import pathlib
import sys
import tempfile

from openmp_archive import run

MISSING = "constructs of OpenMP in "


def record(fermata, folder, words, **environment):
    experiment = pathlib.Path(folder) / f"experiment{len(list(pathlib.Path(folder).iterdir()))}"
    result = run([fermata, "record", "--sample=off", "-o", experiment, "--", *words],
                 env={**os.environ, **environment})
    run([fermata, "check", experiment])
    run([fermata, "analyze", "--check", experiment])
    return result, run([fermata, "report", experiment]).stdout


def main():
    fermata, own, other = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        recorded, report = record(fermata, folder, [own])
        assert recorded.stdout == "3 6\n", recorded.stdout
        for text in (recorded.stderr, report):
            assert MISSING in text and "has a tool of its own" in text, text
        recorded, report = record(fermata, folder, [other, "several"], OMP_TOOL="disabled")
        assert MISSING in recorded.stderr and "OMP_TOOL=disabled" in recorded.stderr, recorded.stderr
        recorded, report = record(fermata, folder, [other, "several"])
        assert recorded.stdout == "end\n" and MISSING not in recorded.stderr + report, recorded.stderr


main()

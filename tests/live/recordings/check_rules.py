# SPDX-License-Identifier: BSD-3-Clause
"""Shared recordings are made once, also by processes at the same time; a test gets a copy of its own; runs that differ
in a word or a variable are different; a recording that fails ends every test that needs it; one that was cut short is
made again. What records is a script.

usage: check_rules.py
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

SUPPORT = pathlib.Path(__file__).resolve().parents[2] / "support"
# Counts its starts, and writes an experiment unless it is called `fails`.
RECORDER = """#!/bin/sh
echo started >>"$STARTS"
sleep 0.2
case $* in *fails*) echo no room >&2; exit 4 ;; esac
mkdir experiment && echo "$VALUE" >experiment/value
"""
# Prints what the copy has, and changes it.
TEST = """
import pathlib, sys, tempfile
sys.path.insert(0, sys.argv[1])
import recordings
with tempfile.TemporaryDirectory() as folder:
    experiment = pathlib.Path(folder, "copy")
    variables = {"VALUE": sys.argv[4], "STARTS": sys.argv[3]}
    done = recordings.record(sys.argv[2], sys.argv[5:], ["program"], experiment, variables)
    print(done.returncode, (experiment / "value").read_text().strip())
    (experiment / "value").write_text("changed")
"""


class Check:
    def __init__(self, folder):
        self.recorder, self.starts = folder / "fermata", folder / "starts"
        self.recorder.write_text(RECORDER)
        self.recorder.chmod(0o700)
        self.recordings = folder / "recordings"

    def begin(self, value, *options):
        """Begins a test."""
        return subprocess.Popen([sys.executable, "-B", "-c", TEST, SUPPORT, self.recorder, self.starts, value, *options],
                                env=dict(os.environ, FERMATA_RECORDINGS=str(self.recordings)), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def expect(self, tests, status, text, starts):
        """All tests end so, after so many starts of the recorder in all."""
        for test in tests:
            output, errors = test.communicate(timeout=60)
            assert test.returncode == status and text in output + errors, (test.returncode, output, errors)
            assert "Traceback" not in errors, errors
        found = len(self.starts.read_text().splitlines())
        assert found == starts, (text, found, starts)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check = Check(pathlib.Path(folder))
        check.expect([check.begin("first") for _ in range(3)], 0, "0 first\n", 1)
        check.expect([check.begin("first")], 0, "0 first\n", 1)
        check.expect([check.begin("other")], 0, "0 other\n", 2)
        check.expect([check.begin("first", "--option")], 0, "0 first\n", 3)
        check.expect([check.begin("first", "fails") for _ in range(2)], 1, "exit code 4", 4)
        check.expect([check.begin("first", "fails")], 1, "no room", 4)
        for outcome in check.recordings.glob("*/outcome.json"):
            assert json.loads(outcome.read_text())[0] in (0, 4), outcome
            outcome.unlink()
        check.expect([check.begin("first")], 0, "0 first\n", 5)


main()

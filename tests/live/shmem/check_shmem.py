# SPDX-License-Identifier: BSD-3-Clause
"""Records a program that calls every family of OpenSHMEM 1.4 and compares call by call.

usage: check_shmem.py FERMATA LAUNCHER PROGRAM

A call is a line: the function, and a word for each record inside: put, get and atomic with target and
bytes; blocking, local and remote completions with the target of the operation; collective with its kind,
the number of members, bytes sent, bytes received, the root; locks with where they lie.
"""
import json
import pathlib
import shlex
import sys
import tempfile

import otf2
from shmem_archive import compare, recorded, run

PES = 4


def check_definitions(archive):
    with otf2.reader.open(str(archive)) as trace:
        definitions = trace.definitions
        assert [paradigm.name for paradigm in definitions.paradigms] == ["SHMEM"], "paradigms"
        assert {group.paradigm for group in definitions.groups} == {otf2.Paradigm.SHMEM}, "groups"
        assert len(definitions.rma_wins) == 2, "windows: one of all PEs, one of the even ones"
        names = sorted(group.name for group in definitions.location_groups)
        assert names == [f"SHMEM PE {pe}" for pe in range(PES)], names


def main():
    fermata, launcher, program = sys.argv[1], shlex.split(sys.argv[2]), sys.argv[3]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        experiment = folder / "experiment"
        result = run([fermata, "record", "--sample=off", "-o", experiment, "--", *launcher, "-n", PES,
                      program, folder], may_fail=True)
        assert "all families" in result.stdout, result.stdout + result.stderr
        calls = recorded(experiment / "traces.otf2")
        assert sorted(calls) == list(range(PES)), result.stderr
        for pe in range(PES):
            compare(calls[pe], (folder / f"expected.{pe}").read_text().splitlines(), f"PE {pe}")
        check_definitions(experiment / "traces.otf2")
        environment = json.loads((experiment / "environment.json").read_text())
        assert environment["complete"] and "OpenSHMEM 1.4" in environment["shmem_library"], environment
        assert "0 findings" in run([fermata, "check", experiment]).stdout
        run([fermata, "analyze", experiment])
        assert "shmem_" in run([fermata, "report", experiment]).stdout


main()

# SPDX-License-Identifier: BSD-3-Clause
"""Counters that a program declares are in the file of counters, and in the trace once.

usage: check_declared.py FERMATA MPIRUN PROGRAM
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import otf2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402

fermata, mpirun, program = sys.argv[1:]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
EXPECTED = {"user:early": [11, 11], "user:cells": [507, 508], "user:residual": [1 / 32, 1 / 32],
            "user:energy": [1.25, 2.25], "user:queue__long": [-5, -5]}


def run(*command):
    return subprocess.run([fermata, *command], capture_output=True, text=True, check=True,
                          env=ENVIRONMENT).stdout


def recorded(experiment, *options):
    run("record", *options, "-o", experiment, "--", *mpi_command(mpirun, 2, [program]))
    result = json.loads(run("counters", "show", "--format", "json", experiment))
    assert result["unavailable"] == [], result["unavailable"]
    return {counter["name"]: counter for counter in result["counters"]}


def check(counters):
    found = {name: counter["values"] for name, counter in counters.items()
             if name.startswith("user:")}
    assert found == EXPECTED, found
    assert counters["user:energy"]["total"] == 3.5 and counters["user:energy"]["unit"] == "J"
    assert counters["user:energy"]["kind"] == "real"
    assert counters["user:residual"]["kind"] == "real level"
    assert counters["user:cells"]["kind"] == "count" and counters["user:early"]["kind"] == "level"


def check_trace(experiment):
    with otf2.reader.open(f"{experiment}/traces.otf2") as trace:
        names = [member.name for member in trace.definitions.metric_members]
        values = [event.value for location, event in trace.events
                  if isinstance(event, otf2.events.Metric)
                  and event.metric.members[0].name == "cells"]
    assert not any(name.startswith("user:") for name in names), names
    assert sorted(values) == sorted([7, 7] + [100 * step + rank for step in range(1, 6)
                                              for rank in range(2)]), values


def main():
    with tempfile.TemporaryDirectory() as folder:
        traced, only, chosen = (f"{folder}/{name}" for name in ("traced", "only", "chosen"))
        check(recorded(traced, "--counters"))
        check_trace(traced)
        check(recorded(only, "--counters-only"))
        counters = recorded(chosen, "--counters=user:e*")
        assert set(counters) == {"user:early", "user:energy"}, counters
        text = run("counters", "show", traced, "user:energy")
        assert text.splitlines()[-1].split()[:2] == ["user:energy", "3.5"], text
        text = run("counters", "diff", "--format", "csv", traced, only, "user:cells", "--all")
        assert text.splitlines()[1:] == ["user:cells,cells,1015,1015"], text
        assert run("counters", "sum", "--format", "csv", traced, only).count("user:energy,J,7\n") == 1


main()

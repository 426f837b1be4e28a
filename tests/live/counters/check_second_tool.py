# SPDX-License-Identifier: BSD-3-Clause
"""Counters beside another tool that is preloaded and wraps MPI, too.

usage: check_second_tool.py FERMATA MPIRUN PROGRAM TOOL LIBRARY

A tool that goes on with the next definition of a function and the recorder both have all calls. Behind one
that goes on with PMPI the recorder does not see the calls that the tool wraps, and says so; it counts all
others, and hooks in the library count everything.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402
from shown_counters import shown_counters  # noqa: E402

fermata, mpirun, program, tool, library = sys.argv[1:]
SENDS, RECEIVES, BROADCASTS, LARGE = 17, 20, 4, 3  # hooked.c
SENT_BY_THREADS = 3 * 40 * 64
WRAPPED = {"calls:MPI_Send": [SENDS, 0], "calls:MPI_Recv": [0, RECEIVES],
           "calls:MPI_Bcast": [BROADCASTS, BROADCASTS]}


def recorded(folder, way):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       SECOND_TOOL=way, SECOND_TOOL_OUTPUT=f"{folder}/{way}.tool")
    hooks = ["--hooks"] if library == "openmpi" else []
    command = ["sh", "-c", f'LD_PRELOAD="{tool} $LD_PRELOAD" exec {program} each']
    done = subprocess.run([fermata, "record", "--counters-only", *hooks, "-o", f"{folder}/{way}", "--",
                           *mpi_command(mpirun, 2, command)], capture_output=True, text=True,
                          check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    seen = [pathlib.Path(f"{folder}/{way}.tool.{rank}").read_text(encoding="ascii").split()
            for rank in range(2)]
    assert seen == [[str(SENDS), "0", str(BROADCASTS)], ["0", str(RECEIVES), str(BROADCASTS)]], (
        way, seen)
    counters, _ = shown_counters(fermata, f"{folder}/{way}")
    return {name: counter["values"] for name, counter in counters.items()}, done.stderr


def check(folder, way):
    values, told = recorded(folder, way)
    for name, calls in WRAPPED.items():
        expected = calls if way == "NEXT" else [0, 0]
        assert values[name] == expected, (way, name, values[name])
    assert values["calls:MPI_Barrier"] == [2, 2], values["calls:MPI_Barrier"]
    threads = values["calls:MPI_Isend"][0] - LARGE
    assert threads in (0, SENT_BY_THREADS), threads  # 0: no threads in this library
    sends = SENDS if way == "NEXT" else 0
    assert values["mpi.messages_sent"] == [threads + LARGE + sends, 0], values["mpi.messages_sent"]
    warning = " ".join(told.split())
    assert "of its own: calls of these functions are not recorded, except those that it passes on" in \
        warning and "MPI_Send" in warning, told
    if "UNEXPECTED" in values:
        assert values["UNEXPECTED"][1] >= RECEIVES, values["UNEXPECTED"]
        assert values["EAGER_MESSAGES"][1] >= SENDS + threads, values["EAGER_MESSAGES"]


with tempfile.TemporaryDirectory() as folder:
    for way in ("NEXT", "PMPI"):
        check(folder, way)

# SPDX-License-Identifier: BSD-3-Clause
"""A library that says it is of a tested version, but lacks the functions that are hooked: hooks stay off and
name one of these functions, and the program runs on.

usage: check_missing.py FERMATA MPIRUN PROGRAM STUB
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402
from shown_counters import shown_counters  # noqa: E402

fermata, mpirun, program, stub = sys.argv[1:]

with tempfile.TemporaryDirectory() as folder:
    # One rank exchanges no messages, from which hooks would see that the library does not call them.
    command = ["sh", "-c", f'LD_PRELOAD="{stub} $LD_PRELOAD" exec {program} 3']
    done = subprocess.run([fermata, "record", "--hooks", "--counters=mpi.*,BASE_BCAST_CHAIN", "-o", f"{folder}/run",
                           "--", *mpi_command(mpirun, 1, command)], capture_output=True, text=True,
                          check=False, env=dict(os.environ, STUB_VERSION="Open MPI v4.1.4, package: x"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no hooks: the library has no function " in done.stderr, done.stderr
    counters, lacks = shown_counters(fermata, f"{folder}/run")
    assert list(lacks) == ["BASE_BCAST_CHAIN"] and "has no function" in lacks["BASE_BCAST_CHAIN"], lacks
    assert "BASE_BCAST_CHAIN" not in counters and "mpi.collectives" in counters, counters

# SPDX-License-Identifier: BSD-3-Clause
"""Counters are switched off and on while a program runs, by the program and by a signal.

usage: check_switched.py FERMATA MPIRUN PROGRAM
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402

fermata, mpirun, program = sys.argv[1:]


def counted(experiment, *options, arguments=()):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    subprocess.run([fermata, "record", *options, "--signal", "USR2", "-o", experiment, "--",
                    *mpi_command(mpirun, 1, [program, *arguments])], capture_output=True, check=True,
                   env=environment)
    text = subprocess.run([fermata, "counters", "show", "--format", "json", experiment,
                           "mpi.messages_*ed", "mpi.requests_open", "mpi.messages_sent", "calls:MPI_*", "mpi.requests_open_most"],
                          capture_output=True, text=True, check=True).stdout
    return {counter["name"]: counter["total"] for counter in json.loads(text)["counters"]}


with tempfile.TemporaryDirectory() as folder:
    for option in ("--counters", "--counters-only"):
        found = counted(f"{folder}/{option}", option)
        # With a trace, the receive is known that was begun in a pause and completed behind it.
        expected = {"mpi.messages_sent": 91, "calls:MPI_Sendrecv": 90,
                    "mpi.messages_received": 92 if option == "--counters" else 91,
                    "calls:MPI_Send": 1, "calls:MPI_Irecv": 2, "calls:MPI_Wait": 2}
        assert expected.items() <= found.items(), (option, found)
        assert not {"calls:MPI_Isend", "calls:MPI_Recv"} & found.keys(), (option, found)
        # While counting is off, the watermark stays: five requests were open at a time.
        found = counted(f"{folder}/{option}-open", option, arguments=["open"])
        expected = {"mpi.requests_open": 0, "mpi.requests_open_most": 1, "calls:MPI_Irecv": 1}
        assert expected.items() <= found.items(), (option, found)

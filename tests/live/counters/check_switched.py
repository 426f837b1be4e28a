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


def counted(experiment, *options):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    subprocess.run([fermata, "record", *options, "--signal", "USR2", "-o", experiment, "--",
                    *mpi_command(mpirun, 1, [program])], capture_output=True, check=True,
                   env=environment)
    text = subprocess.run([fermata, "counters", "show", "--format", "json", experiment,
                           "mpi.messages_sent", "calls:MPI_Sendrecv"], capture_output=True,
                          text=True, check=True).stdout
    return [counter["total"] for counter in json.loads(text)["counters"]]


with tempfile.TemporaryDirectory() as folder:
    for option in ("--counters", "--counters-only"):
        found = counted(f"{folder}/{option}", option)
        assert found == [90, 90], (option, found)

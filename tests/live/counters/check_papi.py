# SPDX-License-Identifier: BSD-3-Clause
"""Events of PAPI, with a stub of its library, and without a library.

usage: check_papi.py FERMATA MPIRUN PROGRAM STUB
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
NAMES = ("papi:STUB_CYCLES", "papi:net:::lo:bytes", "papi:STUB_CONFLICT", "papi:STUB_DEAD",
         "papi:NONE", "papi:sde:::library::event")


def recorded(experiment, folder):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    command = [program]
    if folder is not None:
        command = ["sh", "-c",
                   f'LD_LIBRARY_PATH="{folder}:$LD_LIBRARY_PATH" exec {program}']
    done = subprocess.run([fermata, "record", f"--counters={','.join(NAMES)}", "-o", experiment,
                           "--", *mpi_command(mpirun, 1, command)], capture_output=True, text=True,
                          check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return shown_counters(fermata, experiment)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(stub, f"{folder}/libpapi.so.7.2")
        counters, lacks = recorded(f"{folder}/stub", folder)
        cycles = counters["papi:STUB_CYCLES"]
        assert cycles["total"] > 0 and cycles["total"] % 1000 == 0, cycles
        assert cycles["meaning"] == "event of PAPI, in the first thread and those it creates"
        assert counters["papi:net:::lo:bytes"]["total"] == 77, counters
        assert lacks == {"papi:STUB_CONFLICT": "PAPI cannot count it beside the others: conflict",
                         "papi:STUB_DEAD": "PAPI cannot start it: system error",
                         "papi:NONE": "PAPI does not know it here: no such event",
                         "papi:sde:::library::event":
                             "no library has registered it when the run begins"}, lacks
        counters, lacks = recorded(f"{folder}/none", None)
        assert set(counters) | set(lacks) == set(NAMES), (counters, lacks)
        if len(lacks) == len(NAMES) and "no library" in lacks["papi:NONE"]:
            assert len(set(lacks.values())) == 1, lacks


main()

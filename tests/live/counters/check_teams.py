# SPDX-License-Identifier: BSD-3-Clause
"""Workers of OpenMP, which make no calls, are counted to their end, with a trace and without.

usage: check_teams.py FERMATA MPIRUN PROGRAM
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402
from shown_counters import shown_counters  # noqa: E402

fermata, mpirun, program = sys.argv[1:]
REGIONS, THREADS = 50, 3

with tempfile.TemporaryDirectory() as folder:
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMP_DYNAMIC="false")
    for option in ("--counters", "--counters-only"):
        done = subprocess.run([fermata, "record", option, "--flush-interval", "never", "-o",
                               f"{folder}/{option}", "--", *mpi_command(mpirun, 1, [program])],
                              capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        counters, _ = shown_counters(fermata, f"{folder}/{option}")
        found = {name: counters["openmp." + name]["total"]
                 for name in ("parallel_regions", "locks_acquired", "tasks_created")}
        assert found == {"parallel_regions": REGIONS, "locks_acquired": REGIONS * THREADS,
                         "tasks_created": REGIONS}, (option, found)

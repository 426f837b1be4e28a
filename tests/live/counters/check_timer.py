# SPDX-License-Identifier: BSD-3-Clause
"""A timer has the length of what it times, within 0.1 %, through the file of counters: it is in clock
ticks, whose rate the file has, and is converted when it is read.

usage: check_timer.py FERMATA MPIRUN PROGRAM READER
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402

fermata, mpirun, program, reader = sys.argv[1:]
MILLISECONDS, SLACK = 500, 1e-3
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1")


def check(experiment, option):
    done = subprocess.run([fermata, "record", option, "-o", experiment, "--",
                           *mpi_command(mpirun, 2, [program, str(MILLISECONDS)])],
                          capture_output=True, text=True, check=True, env=ENVIRONMENT)
    held = {int(words[1]): (int(words[2]) * 1e-9, int(words[3]) * 1e-9)
            for words in (line.split() for line in done.stdout.splitlines()) if words[:1] == ["held"]}
    assert set(held) == {0, 1}, done.stdout
    shown = json.loads(subprocess.run([fermata, "counters", "show", "--format", "json", experiment,
                                       "time:MPI_Reduce_local"], capture_output=True, text=True,
                                      check=True).stdout)
    times = shown["counters"][0]["values"]
    for rank, (inside, around) in held.items():
        # A rank that loses its processor does so inside, around, or between both: bounds hold always.
        assert inside >= 1e-3 * MILLISECONDS * (rank + 1), held
        assert inside * (1 - SLACK) <= times[rank] <= around * (1 + SLACK), (rank, times, held)
        text = subprocess.run([reader, f"{experiment}/counters/rank.{rank}", "time:MPI_Reduce_local"],
                              capture_output=True, text=True, check=True).stdout
        assert abs(float(text.split()[0]) - times[rank]) < 1e-8, (text, times)
    return max(around / inside for inside, around in held.values())


def main():
    with tempfile.TemporaryDirectory() as folder:
        widths = [check(f"{folder}/{option}{i}", option) for option in ("--counters", "--counters-only")
                  for i in range(2)]
        # In some run nothing came between: there the bounds are as narrow as the slack.
        assert min(widths) < 1 + SLACK, widths


main()

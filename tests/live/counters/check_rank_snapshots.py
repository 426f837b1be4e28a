# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots that ranks take themselves: at each visit of a phase, when a signal arrives, and at the end.

usage: check_rank_snapshots.py FERMATA MPIRUN PROGRAM
"""

import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import xml.dom.minidom

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402

fermata, mpirun, program = sys.argv[1:]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
STEPS = 4


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True,
                          env=ENVIRONMENT).stdout


def recorded(experiment, when, counting, *arguments):
    run(fermata, "record", counting, "--snapshot", when, "-o", experiment, "--",
        *mpi_command(mpirun, 2, [program, *arguments]))


def values(experiment, counter, rank):
    """The value of a counter in each snapshot of a rank."""
    path = f"{experiment}/counters/snapshots.{rank}"
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    with open(path, encoding="ascii") as file:
        rows = [line.rstrip("\n").split(",") for line in file]
    assert rows[0] == ["seconds", "rank", "counter", "value"]
    result, times = [], []
    for seconds, number, name, value in rows[1:]:
        if name == "":
            result.append(result[-1] if result else "0")
            times.append(float(seconds))
        else:
            assert number == str(rank) and float(seconds) == times[-1]
            if name == counter:
                result[-1] = value
    assert times == sorted(set(times)), times
    return result


def check_phases(experiment, counting):
    recorded(experiment, "phase:step", counting)
    for rank in range(2):
        assert values(experiment, "mpi.messages_sent", rank) == ["0", "1", "3", "6", "10"]
        assert values(experiment, "calls:MPI_Sendrecv", rank) == ["0", "1", "3", "6", "10"]
        assert values(experiment, "user:half", rank) == ["0", "0.5", "1", "1.5", "2"]
        sendrecv = [float(time) for time in values(experiment, "time:MPI_Sendrecv", rank)]
        assert sendrecv == sorted(sendrecv) and sendrecv[-1] > 0, sendrecv
    text = run(fermata, "counters", "heatmap", "--format", "csv", experiment, "mpi.messages_sent")
    cells = [line.split(",") for line in text.splitlines()[1:]]
    assert [cell[3] for cell in cells if cell[2] == "1"] == ["0", "1", "2", "3", "4"], text
    picture = run(fermata, "counters", "heatmap", experiment, "mpi.messages_sent")
    xml.dom.minidom.parseString(picture)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_phases(f"{folder}/phases", "--counters")
        check_phases(f"{folder}/only", "--counters-only")
        recorded(f"{folder}/signal", "signal:USR2", "--counters", "signal")
        for rank in range(2):
            found = values(f"{folder}/signal", "mpi.messages_sent", rank)
            assert found in (["3", "10"], ["4", "10"]), found  # at the next call, or behind it
        recorded(f"{folder}/none", "phase:other", "--counters")
        assert values(f"{folder}/none", "mpi.messages_sent", 0) == ["10"]
        for when in ("phase:", "signal:TERM", "0", "often"):
            done = subprocess.run([fermata, "record", "--counters", "--snapshot", when, "--", "true"],
                                  capture_output=True, text=True, check=False)
            assert done.returncode == 2 and "needs a period from 50ms on, phase:NAME" in done.stderr, \
                done.stderr


main()

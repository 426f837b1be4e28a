# SPDX-License-Identifier: BSD-3-Clause
"""What calls cost while counting is switched off: two conditional jumps at most, whoever switches it off.

usage: check_branches.py FERMATA MPIRUN PROGRAM
"""

import os
import pathlib
import platform
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402

fermata, mpirun, program = sys.argv[1:]
MOST_JUMPS, MOST_INSTRUCTIONS = 2, 60


def counted(*options):
    """@return {(state, call): (instructions, conditional jumps)}"""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_osc="^rdma")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([fermata, "record", *options, "-o", f"{folder}/run", "--",
                               *mpi_command(mpirun, 1, [program])], capture_output=True, text=True,
                              timeout=240, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    words = [line.split() for line in done.stdout.splitlines()]
    return {(state, call): (int(instructions), int(jumps))
            for state, call, instructions, jumps in words}


def main():
    if platform.machine() != "x86_64":
        print("left out: the program reads instructions of x86-64")
        sys.exit(77)
    found = counted("--counters-only")
    for key, numbers in found.items():
        print(*key, *numbers)
    assert len(found) == 3 * 9 + 2, found
    for (state, call), (instructions, jumps) in found.items():
        if state in ("off", "closed"):
            assert 0 < instructions <= MOST_INSTRUCTIONS and jumps <= MOST_JUMPS, (state, call,
                                                                                   instructions, jumps)
        else:
            assert jumps > MOST_JUMPS, (state, call, jumps)
    # A rank that is not selected: the program's own pauses change nothing.
    unselected = counted("--counters-only", "--ranks", "1")
    for (state, call), (instructions, jumps) in unselected.items():
        assert 0 < instructions <= MOST_INSTRUCTIONS and jumps <= MOST_JUMPS, (state, call,
                                                                               instructions, jumps)


main()

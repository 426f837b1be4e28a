#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How P3 measures within a run: the library records the calls of the stretches that it says, the same
on all ranks, and the estimate finds a slowdown in noise that is larger than it."""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RANKS, TURNS, STRETCH = 2, 2000, 30
CALLS = ("MPI_Irecv", "MPI_Send", "MPI_Wait")  # all that the loop calls


def run(*command, **variables):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env=dict(os.environ, **variables), check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_estimate(slowdown):
    chance = random.Random(20261123)

    def stretch(share):
        recorded = chance.random() < 0.5
        disturbed = chance.random() < 0.1
        noise = chance.gauss(0, 0.05) + (chance.expovariate(3) if disturbed else 0)
        return recorded, 1e-3 * (1 + noise) * (1 + share * recorded)

    for share in (0, 0.02, 0.3):
        found = slowdown([stretch(share) for _ in range(20000)])
        assert abs(found - share) < 0.005, f"a slowdown of {share}, but the estimate is {found}"
    try:
        slowdown([stretch(0) for _ in range(50)])
    except ValueError:
        return
    sys.exit("50 stretches do not tell anything, but the estimate does")


def check_library(programs, read_process, folder):
    run(programs.fermata, "record", "--callpath=flat", "-o", folder / "archive", "--",
        programs.mpirun, "--allow-run-as-root", "--oversubscribe", "-n", RANKS, programs.loop,
        "p2p", TURNS, LD_PRELOAD=str(programs.library), RECORD_IN_TURN=str(folder / "rank"),
        RECORD_IN_TURN_CALLS=str(STRETCH))
    processes = [read_process(path) for path in sorted(folder.glob("rank.*"))]
    assert len(processes) == RANKS, processes
    ways = [[recorded for recorded, _ in process.stretches] for process in processes]
    assert ways[0] == ways[1], "chance decides in each process by itself"
    assert 0.4 < sum(ways[0]) / len(ways[0]) < 0.6, f"{sum(ways[0])} of {len(ways[0])} recorded"
    events = run("otf2-print", folder / "archive" / "traces.otf2")
    for rank in range(RANKS):
        names = re.findall(rf'^ENTER +{rank} .*Region: "(\w+)"', events, re.MULTILINE)
        calls = sum(name in CALLS for name in names)
        least = STRETCH * sum(ways[rank])
        rest = calls - least  # of the last stretch, which is not told of
        assert 0 <= rest <= STRETCH, f"rank {rank}: {calls} calls instead of {least}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("bars", "fermata", "mpirun", "loop", "library"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    programs = parser.parse_args()
    sys.path.insert(0, str(programs.bars.parent))
    from bars.stretches import read_process, slowdown  # pylint: disable=import-outside-toplevel
    check_estimate(slowdown)
    with tempfile.TemporaryDirectory() as name:
        check_library(programs, read_process, Path(name))


main()

# SPDX-License-Identifier: BSD-3-Clause
"""Analyses by the processes that mpirun starts give the same report as by one alone: one of EACH
scenarios that are tests of their own by two and three processes; random ones, a recorded trace, large
traces, and what cannot be analysed by one to four. (More scenarios of both kinds: support/share.py.)

usage: check_reports.py FERMATA ANALYZE_BY_MPI MPIRUN LIBRARY RECORDED SYNTHESIZE COUNT SEED EACH SCENARIO...
"""

import os
import subprocess
import sys
import tempfile

from launcher import run

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "rules", "reference"), os.path.join(HERE, "..", "..", "support")]
import generate  # noqa: E402
import share  # noqa: E402

PROCESSES = (1, 2, 3, 4)
# A scenario has a few ranks: with three processes each has its share, and more have none.
PROCESSES_OF_SCENARIOS = (2, 3)
TIMEOUT = 600


def archives_of(fermata, scenarios, folder):
    os.makedirs(folder, exist_ok=True)
    for number, scenario in enumerate(scenarios):
        archive = os.path.join(folder, f"archive-{number}")
        subprocess.run([fermata, "synth", scenario, "-o", archive], check=True,
                       stdout=subprocess.DEVNULL)
        yield archive


def main():
    fermata, analyze, mpirun, library, recorded, synthesize, count, seed = sys.argv[1:9]
    scenarios = share.some(sys.argv[10:], int(sys.argv[9]))
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        generated = os.path.join(folder, "scenarios")
        generate.main(["--seed", seed, "--first", "0", "--count", str(share.count(int(count))),
                       "--out", generated])
        random = sorted(os.path.join(generated, name) for name in os.listdir(generated)
                        if name.endswith(".scn"))
        archives = [recorded, os.path.join(folder, "missing")]
        # Wait states by thousands: packets fill up.
        for variant in ("p2p", "gats"):
            archives.append(os.path.join(folder, variant))
            subprocess.run([synthesize, "--variant", variant, "--ranks", "12", "--events", "60000",
                            archives[-1]], check=True, stdout=subprocess.DEVNULL)
        archives += archives_of(fermata, random, os.path.join(folder, "random"))
        by_hand = list(archives_of(fermata, scenarios, folder))
        failed = False
        for processes in PROCESSES:
            analysed = archives + (by_hand if processes in PROCESSES_OF_SCENARIOS else [])
            done = run([mpirun, "-n", processes, analyze, library, processes, folder, *analysed],
                       timeout=TIMEOUT)
            print(f"{processes} processes: {done.stdout}{done.stderr}", end="")
            failed |= done.returncode != 0
            failed |= f"{len(analysed)} archives, 0 different" not in done.stdout
        sys.exit(failed)


main()

"""Analyses by the processes that mpirun starts give the same report as by one alone: all scenarios
that are tests of their own, random ones, a recorded trace, and what cannot be analysed.

usage: check_reports.py FERMATA ANALYZE_BY_MPI MPIRUN LIBRARY RECORDED SYNTHESIZE COUNT SEED SCENARIO...
"""

import os
import subprocess
import sys
import tempfile

from launcher import run

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "rules", "reference"))
import generate  # noqa: E402

PROCESSES = (1, 2, 3, 4)
TIMEOUT = 600


def archives_of(fermata, scenarios, folder):
    for number, scenario in enumerate(scenarios):
        archive = os.path.join(folder, f"archive-{number}")
        subprocess.run([fermata, "synth", scenario, "-o", archive], check=True,
                       stdout=subprocess.DEVNULL)
        yield archive


def main():
    fermata, analyze, mpirun, library, recorded, synthesize, count, seed = sys.argv[1:9]
    scenarios = sys.argv[9:]
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        generated = os.path.join(folder, "scenarios")
        generate.main(["--seed", seed, "--first", "0", "--count", count, "--out", generated])
        scenarios += sorted(os.path.join(generated, name) for name in os.listdir(generated)
                            if name.endswith(".scn"))
        archives = [recorded, os.path.join(folder, "missing")]
        # Wait states by thousands: packets fill up.
        for variant in ("p2p", "gats"):
            archives.append(os.path.join(folder, variant))
            subprocess.run([synthesize, "--variant", variant, "--ranks", "12", "--events", "60000",
                            archives[-1]], check=True, stdout=subprocess.DEVNULL)
        archives += archives_of(fermata, scenarios, folder)
        failed = False
        for processes in PROCESSES:
            done = run([mpirun, "-n", processes, analyze, library, processes, folder, *archives],
                       timeout=TIMEOUT)
            print(f"{processes} processes: {done.stdout}{done.stderr}", end="")
            failed |= done.returncode != 0
            failed |= f"{len(archives)} archives, 0 different" not in done.stdout
        sys.exit(failed)


main()

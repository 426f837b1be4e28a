# SPDX-License-Identifier: BSD-3-Clause
"""Analyses by several processes give the same report as by one, on random scenarios and one of EACH of
those that are tests of their own (or more of both: support/share.py).

usage: check_teams.py FERMATA COMPARE_ANALYSES COUNT SEED EACH SCENARIO...
"""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "rules", "reference"), os.path.join(HERE, "..", "support")]
import generate  # noqa: E402
import share  # noqa: E402


def main():
    fermata, compare, count, seed = sys.argv[1:5]
    scenarios = share.some(sys.argv[6:], int(sys.argv[5]))
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        generated = os.path.join(folder, "scenarios")
        generate.main(["--seed", seed, "--first", "0", "--count", str(share.count(int(count))),
                       "--out", generated])
        scenarios += sorted(os.path.join(generated, name) for name in os.listdir(generated))
        archives = []
        for number, scenario in enumerate(scenarios):
            archives.append(os.path.join(folder, f"archive-{number}"))
            subprocess.run([fermata, "synth", scenario, "-o", archives[-1]], check=True,
                           stdout=subprocess.DEVNULL)
        # Nothing to analyse: all must fail alike.
        archives.append(os.path.join(folder, "missing"))
        sys.exit(subprocess.run([compare, folder, *archives], check=False).returncode)


main()

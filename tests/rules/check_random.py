#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares fermata with the reference on random scenarios.

usage: check_random.py FERMATA DIR COUNT [FOCUS:]SEED...

Generates COUNT scenarios (or more: support/share.py) of 2 to 24 ranks for every seed in DIR, and runs
`FERMATA synth --check` on batches of them. FERMATA_SEED in the environment is one more seed. Files of batches that fail stay in DIR.
"""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "reference"), os.path.join(HERE, "..", "support")]
import generate  # noqa: E402
import share  # noqa: E402

BATCH = 100
RANKS = "2..24"


def check_seed(fermata, folder, count, seed):
    """Number of failed batches of one seed."""
    shutil.rmtree(folder, ignore_errors=True)
    failed = 0
    focus, _, seed = seed.rpartition(":")
    for first in range(0, count, BATCH):
        size = min(BATCH, count - first)
        generate.main(["--seed", seed, "--first", str(first), "--count", str(size),
                       "--ranks", RANKS, "--out", folder, *(["--focus", focus] if focus else [])])
        files = sorted(os.path.join(folder, name) for name in os.listdir(folder)
                       if first <= int(name[-9:-4]) < first + size)
        if subprocess.run([fermata, "synth", "--check"] + files).returncode == 0:
            for path in files:
                os.remove(path)
        else:
            failed += 1
            print("failed: seed %s, scenarios %d..%d, files kept in %s"
                  % (seed, first, first + size - 1, folder), flush=True)
    return failed


def main(arguments):
    if len(arguments) < 4:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    fermata, folder, seeds = arguments[0], arguments[1], arguments[3:]
    count = share.count(int(arguments[2]))
    if os.environ.get("FERMATA_SEED"):
        seeds = seeds + [os.environ["FERMATA_SEED"]]
    failed = sum(check_seed(fermata, os.path.join(folder, "seed-" + seed.replace(":", "-")), count, seed)
                 for seed in seeds)
    print("%d scenarios, %d failed batches" % (count * len(seeds), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: BSD-3-Clause
"""Records the variants of sor on a grid of 3 x 3 ranks and compares their pair-wise one-sided synchronizations with the
numbers that follow from the program (docs/case-studies/sor-variants.md).

usage: check_sor_variants.py --fermata F --mpirun M --program P
"""

import argparse
import pathlib
import sys
import tempfile

import fermata_run

RANKS, ITERATIONS = 9, 5
EXCHANGES = 2 * ITERATIONS
NEIGHBOURS = 24  # ordered pairs of neighbours on the grid
# Pair-wise synchronizations, and those without data between the pair.
EXPECTED = {
    "p2p": (0, 0),
    # Two fences of all ranks; the puts lie before the second one.
    "fence": (2 * EXCHANGES * RANKS * (RANKS - 1), 2 * EXCHANGES * RANKS * (RANKS - 1) - EXCHANGES * NEIGHBOURS),
    # An access and an exposure for each pair.
    "gats": (2 * EXCHANGES * NEIGHBOURS, 0),
    # A lock of each neighbour's memory, and of the own one, without operations.
    "locks": (EXCHANGES * (NEIGHBOURS + RANKS), EXCHANGES * RANKS),
}


def main():
    parser = argparse.ArgumentParser()
    for name in ("fermata", "mpirun", "program"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for variant, expected in EXPECTED.items():
            place = pathlib.Path(folder) / variant
            fermata_run.record(options, place, RANKS, [
                options.program, "--variant", variant, "--size", "24x24", "--iterations", str(ITERATIONS),
                "--check", str(ITERATIONS), "--tolerance", "0"])
            found = fermata_run.pairwise_synchronizations(options, place)
            print(f"{variant}: {found[0]} pair-wise synchronizations, {found[1]} of them unneeded")
            if found != expected:
                sys.exit(f"{variant}: {found} instead of {expected}")


main()

# SPDX-License-Identifier: BSD-3-Clause
"""patterns runs all its patterns, skips those that need more ranks, and rejects wrong arguments."""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import run_mpi

DELAY = ["--delay", "0.001"]


def run(options, ranks, arguments, exit_code=0):
    """The lines that patterns prints, those about wrong arguments included."""
    outcome = run_mpi(options.mpirun, ranks, [options.program, *arguments])
    lines = [line for line in (outcome.stdout + outcome.stderr).splitlines()
             if line.startswith("patterns: ") or "--list" in arguments]
    if outcome.returncode != exit_code:
        sys.exit(f"patterns {' '.join(arguments)} on {ranks} ranks: exit code "
                 f"{outcome.returncode}\n{outcome.stdout}{outcome.stderr}")
    return lines


def expect(what, actual, expected):
    if actual != expected:
        sys.exit(f"{what}: {actual} instead of {expected}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--program", required=True)
    options = parser.parse_args()

    names = [line.split()[1] for line in run(options, 1, ["--list"])]
    expect("names that occur twice", sorted(names), sorted(set(names)))
    for ranks in (2, 3, 4):
        lines = run(options, ranks, DELAY)
        skipped = [line for line in lines if "skipped" in line]
        if ranks > 2:
            expect(f"skipped on {ranks} ranks", skipped, [])
        expect(f"done on {ranks} ranks", lines[-1],
               f"patterns: {len(names) - len(skipped)} patterns done")
    two = ["--pattern", names[0], "--pattern", names[-1]]
    expect("two patterns", run(options, 2, [*DELAY, *two]), ["patterns: 2 patterns done"])
    expect("unknown pattern", run(options, 2, ["--pattern", "none"], exit_code=2),
           ['patterns: no pattern is called "none" (see --list) (try --help)'])
    expect("wrong delay", run(options, 2, ["--delay", "-1"], exit_code=2),
           ['patterns: --delay needs seconds from 0 to 3600, not "-1" (try --help)'])
    expect("one rank", run(options, 1, DELAY, exit_code=2),
           ["patterns: needs 2 to 1024 ranks"])


main()

# SPDX-License-Identifier: BSD-3-Clause
"""Records petsc.c, with a library that has the log of PETSc 3.18, and compares the regions of the archive with
its events and stages.

usage: check_petsc.py --fermata F --mpirun M --program P
"""

import argparse
import pathlib
import sys
import tempfile

import check_marks

STAGE = ("Time loop",)
VISITS = {STAGE: 1, STAGE + ("Reaction",): 10, STAGE + ("Reaction", "MatMult"): 10}
CASES = (("plain", (), True), ("view", (), True), ("set", (), True), ("view", ("--marks=off",), False),
         ("plain", ("--marks=nvtx",), False))


def check(options, folder, part, how, are_recorded):
    """The program prints its counts of events: user_archive.record compares them with those of an unrecorded run."""
    experiment, problems, messages = check_marks.record(options, folder, part, how=how)
    recorded = check_marks.Recorded(experiment / "traces.otf2")
    problems += recorded.problems
    expected = VISITS if are_recorded else {}
    for rank in range(check_marks.RANKS):
        problems += check_marks.compare({(rank, path): count for path, count in expected.items()},
                                        {key: count for key, count in recorded.visits.items() if key[0] == rank},
                                        f"{part} {how}")
    found = check_marks.environment(experiment).get("marks")
    if found != (["petsc"] if are_recorded else None) or "warning" in messages:
        problems.append(f"{part} {how}: environment.json lists {found}; {messages}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    problems = []
    for part, how, are_recorded in CASES:
        with tempfile.TemporaryDirectory(prefix="fermata-marks-") as name:
            problems += check(options, pathlib.Path(name), part, how, are_recorded)
    print("\n".join(problems[:20]))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()

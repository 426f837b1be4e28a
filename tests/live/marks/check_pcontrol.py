# SPDX-License-Identifier: BSD-3-Clause
"""Records pcontrol.c and compares the marked regions and samples of the archive with what it does.

usage: check_pcontrol.py --fermata F --mpirun M --program P
"""

import argparse
import collections
import pathlib
import sys
import tempfile

import otf2

import check_marks

STEP, RECURSIVE = ("step",), ("recursive",)
BARRIERS = 11
# part, options, visits of each rank, kinds that environment.json lists
CASES = (
    ("levels", (), {STEP: 7, RECURSIVE: 1, ("recursive", "inside"): 1}, ["pcontrol"]),
    ("levels", ("--marks=off",),
     {STEP: 10, RECURSIVE: 1, ("recursive",) * 2: 1, ("recursive",) * 3: 1, ("recursive",) * 4: 1,
      ("recursive", "begun while off"): 1, ("recursive", "begun while off", "inside"): 1}, None),
    ("names", (), {}, ["pcontrol"]),
    ("names", ("--marks=pcontrol-names",), {("outer",): 5, ("outer", "inner"): 10}, ["pcontrol-names"]),
)


def count_calls(anchor, name):
    counter = collections.Counter()
    with otf2.reader.open(str(anchor)) as archive:
        for location, event in archive.events:
            if isinstance(event, otf2.events.Enter) and event.region.name == name:
                counter[location.group.name] += 1
    return counter


def check(options, folder, part, how, expected, kinds):
    experiment, problems, _ = check_marks.record(options, folder, part, how=how)
    recorded = check_marks.Recorded(experiment / "traces.otf2")
    problems += recorded.problems
    for rank in range(check_marks.RANKS):
        problems += check_marks.compare({(rank, path): count for path, count in expected.items()},
                                        {key: count for key, count in recorded.visits.items() if key[0] == rank},
                                        f"{part} {how}")
    barriers = set(count_calls(experiment / "traces.otf2", "MPI_Barrier").values())
    if barriers != {BARRIERS}:
        problems.append(f"{part} {how}: {barriers} barriers of the ranks")
    found = check_marks.environment(experiment).get("marks")
    if found != kinds:
        problems.append(f"{part} {how}: environment.json lists {found}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    problems = []
    for part, how, expected, kinds in CASES:
        with tempfile.TemporaryDirectory(prefix="fermata-marks-") as name:
            problems += check(options, pathlib.Path(name), part, how, expected, kinds)
    print("\n".join(problems[:20]))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()

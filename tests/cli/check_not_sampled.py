# SPDX-License-Identifier: BSD-3-Clause
"""A function that no sample found on a rank may have run there: the report says how long at most. Where nothing
is known of the other ranks, without samples, a function is no more than a candidate.

usage: check_not_sampled.py FERMATA
"""

import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from fermata_command import Folder, run, synthesize  # noqa: E402

# Rank 0 computes for 20 in `work`, rank 1 for 10 with 5 samples, in none of which is `work`: less than 3 * 10 / 5.
HEAD = """unit 1
ranks 2
0 0 enter main
4 0 sample main/work
8 0 sample main/work
12 0 sample main/work
16 0 sample main/work
20 0 enter MPI_Send
20 0 send 1 0 8
21 0 leave MPI_Send
21 0 leave main
0 1 enter main
"""
SAMPLES = """1 1 sample main/other
3 1 sample main/other
5 1 sample main/other
7 1 sample main/other
9 1 sample main/other
"""
TAIL = """10 1 enter MPI_Recv
21 1 recv 0 0 8
21 1 leave MPI_Recv
21 1 leave main
"""


def report(folder, name, scenario):
    place = os.path.join(folder, name)
    synthesize(scenario, place)
    run("analyze", "-q", place)
    _, text, _ = run("report", place)
    return " ".join(text.split())


def main():
    with Folder() as folder:
        text = report(folder, "sampled", HEAD + SAMPLES + TAIL)
        assert "it takes 20.00 s there; less than 6.000 s on the other rank, where no sample found it" in text, text
        text = report(folder, "unsampled", HEAD + TAIL)
        assert "1. `main` on rank 0 makes others wait 10.00 s" in text, text
        assert "perhaps in `work`, which it calls: too few samples to tell" in text, text


main()

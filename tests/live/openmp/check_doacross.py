# SPDX-License-Identifier: BSD-3-Clause
"""Records loops whose iterations wait for others (doacross.c): the program computes the same, its waits are regions at
the lines of their directives, and each loop has one barrier at its end.

usage: check_doacross.py FERMATA SOURCE PROGRAM
"""
import pathlib
import sys
import tempfile

from openmp_archive import Archive, run

ROWS, COLUMNS, THREADS, LOOPS = 30, 8, 3, 4
# Least waits at each directive: one for each iteration but the first, which waits for none; in two dimensions in
# both directions.
WAITS = (ROWS - 1, 2 * ROWS * COLUMNS - ROWS - COLUMNS, ROWS - 2)


def main():
    fermata, source, program = sys.argv[1:]
    plain = run([program]).stdout
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        done = run([fermata, "record", "-o", experiment, "--", program])
        assert done.stdout == plain, (done.stdout, plain)
        run([fermata, "check", experiment])
        analysed = run([fermata, "analyze", "--check", experiment])
        assert "not looked for" not in analysed.stdout + analysed.stderr, analysed
        archive = Archive(experiment)
    lines = [number for number, text in enumerate(pathlib.Path(source).read_text().splitlines(), 1)
             if "depend(sink" in text]
    for line, least in zip(lines, WAITS):
        visits = [visit for visit in archive.visits
                  if visit.region.name == f"!$omp ordered depend @doacross.c:{line}"]
        assert least <= len(visits) <= 3 * least, (line, len(visits), least)
    assert sum(visit.region.name.startswith("!$omp ordered depend") for visit in archive.visits) >= sum(WAITS)
    barriers = [visit for visit in archive.visits if visit.region.name.startswith("!$omp implicit barrier")]
    per_thread = {}
    for visit in barriers:
        per_thread[visit.location] = per_thread.get(visit.location, 0) + 1
    # The runtime of LLVM has further ones inside of reductions.
    assert len(per_thread) == THREADS and len(set(per_thread.values())) == 1, per_thread
    assert min(per_thread.values()) >= LOOPS + 1, per_thread


main()

# SPDX-License-Identifier: BSD-3-Clause
"""Records a program that ends in a parallel region, or has many threads or several that fork teams: teams and
regions are complete.

usage: check_endings.py FERMATA PROGRAM HOW INSTANCES SIZE

INSTANCES is the number of teams, SIZE that of their members; every member is in one explicit barrier.
"""
import pathlib
import sys
import tempfile

from openmp_archive import Archive, run

def main():
    fermata, program, how, instances, size = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        run([fermata, "record", "--sample=off", "-o", experiment, "--", program, how])
        said = run([fermata, "analyze", "--check", experiment]).stderr
        assert "had no Enter" not in said and "returned" not in said, said
        run([fermata, "check", experiment])
        archive = Archive(experiment, whole="exit" not in how)
    members = {len(begins) for begins in archive.teams.values()}
    assert len(archive.teams) == instances, archive.teams
    assert members == {size}, members
    barriers = sum(visit.region.name.startswith("!$omp barrier") for visit in archive.visits)
    assert barriers == instances * size, barriers
    if how == "exit_other":
        last = [visit for visit in archive.visits if visit.region.name.startswith("!$omp implicit barrier")][-1]
        assert archive.milliseconds(last.duration) > 40, "the master waits until the run ends"


main()

"""Records a program that ends in a parallel region, or has many threads: teams and regions are complete.

usage: check_endings.py FERMATA PROGRAM HOW
"""
import pathlib
import sys
import tempfile

from openmp_archive import Archive, run

INSTANCES = 3


def main():
    fermata, program, how = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        run([fermata, "record", "--sample=off", "-o", experiment, "--", program, how])
        run([fermata, "analyze", "--check", experiment])
        run([fermata, "check", experiment])
        archive = Archive(experiment, whole=how == "many")
    members = {len(begins) for begins in archive.teams.values()}
    assert len(archive.teams) == INSTANCES, archive.teams
    assert members == {64 if how == "many" else 3}, members
    barriers = sum(visit.region.name.startswith("!$omp barrier") for visit in archive.visits)
    assert barriers == INSTANCES * members.pop(), barriers


main()

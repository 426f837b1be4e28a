# SPDX-License-Identifier: BSD-3-Clause
"""Records an MPI program with teams of threads: each team consists of locations of its process.

usage: check_hybrid.py FERMATA LAUNCHER SOURCE PROGRAM
"""
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))

from mpi_launcher import mpi_command  # noqa: E402
from openmp_archive import Archive, marked_lines, run  # noqa: E402


def main():
    fermata, launcher, source, program = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        run([fermata, "record", "--sample=off", "-o", experiment, "--",
             *mpi_command(launcher, 2, [program])])
        run([fermata, "analyze", "--check", experiment])
        run([fermata, "check", experiment])
        archive = Archive(experiment)
    sizes = {}
    for (team, number), begins in archive.teams.items():
        processes = {location.group.name for location, _ in begins}
        assert len(processes) == 1, f"a team lies in one process: {processes}"
        sizes.setdefault(processes.pop(), []).append(len(begins))
    assert sizes == {"MPI Rank 0": [2] * 4, "MPI Rank 1": [3] * 4}, sizes
    region = f"!$omp parallel @{source.name}:{marked_lines(source)['parallel']}"
    assert len(archive.of(region)) == 20, sorted(archive.names())
    sends = archive.of("MPI_Send")
    assert len(sends) == 4 and all(visit.team is None and region not in visit.path for visit in sends)
    assert sorted(archive.paradigms)[:2] == ["MPI", "OpenMP"], archive.paradigms


main()

# SPDX-License-Identifier: BSD-3-Clause
"""Records an MPI program whose tasks exchange messages in barriers and taskwait: each message is recorded in its task,
and waiting for messages is no waiting of the barrier around it.

usage: check_nested.py FERMATA LAUNCHER PROGRAM
"""
import json
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))

from mpi_launcher import mpi_command  # noqa: E402
from openmp_archive import Archive, run  # noqa: E402

MESSAGES, TEAM = 18, 3
SUM = str(sum(range(MESSAGES)))


def main():
    fermata, launcher, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        printed = run([fermata, "record", "--sample=off", "-o", experiment, "--", *mpi_command(launcher, 2, [program])])
        assert printed.stdout.split() == [SUM, SUM], printed.stdout
        run([fermata, "analyze", "--check", experiment])
        assert "0 findings" in run([fermata, "check", experiment]).stdout
        archive = Archive(experiment)
        report = json.loads(run([fermata, "report", "--format=json", experiment]).stdout)
    for name in ("MPI_Send", "MPI_Recv"):
        calls = archive.of(name)
        assert len(calls) == MESSAGES, (name, len(calls))
        assert all(any("task" in region for region in call.path) for call in calls), [call.path for call in calls]
    waiting = sum(row["value"] for row in report["severities"] if row["metric"] in ("omp_ibarrier_wait", "omp_ebarrier_wait"))
    own = sum(visit.duration for visit in archive.visits if "barrier" in visit.region.name)
    own -= sum(visit.duration for visit in archive.visits if visit.path and "barrier" in visit.path[-1])
    assert 0 < waiting <= own / archive.ticks_per_second, (waiting, own / archive.ticks_per_second)


main()

# SPDX-License-Identifier: BSD-3-Clause
"""Records growing.f90, whose processes are three worlds: the second spawn is that of a group of two worlds. Checks that
all of them are in one experiment, and that all wait for the last one in a communicator of three worlds.
"""

import pathlib
import sys
import tempfile

import recorded_worlds
from recorded_worlds import fermata_run


def main():
    chosen = recorded_worlds.options()
    recorded_worlds.skip_without_spawn(chosen, 1)
    failures = []
    with tempfile.TemporaryDirectory(prefix="fermata-growing-") as folder:
        experiment = pathlib.Path(folder) / "run"
        fermata_run.record(chosen, experiment, 1, [chosen.program], samples=True)
        report = recorded_worlds.Report(chosen, experiment)
        if report.ranks() != [(0, 0, 0), (1, 1, 0), (2, 2, 0)]:
            failures.append(f"ranks {report.ranks()}")
        waits = report.waits("mpi_wait_nxn", "MPI_Allreduce")
        failures += [f"rank {rank} waits {waits[rank]:.3f} s" for rank in (0, 1) if waits[rank] < 0.2]
        failures += [f"warning: {warning}" for warning in report.warnings
                     if "spawn" in warning or "not in this experiment" in warning]
    if failures:
        sys.exit("\n".join(failures))


main()

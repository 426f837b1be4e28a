# SPDX-License-Identifier: BSD-3-Clause
"""Records worlds.c in each of its modes: two parents (ranks 0 and 1) and two children (ranks 2 and 3, the second
world). Checks that one experiment has them all, who waits where, and that the planted function of the late process
is the first cause. How long anything takes on a busy machine is not checked, only that most of the planted time is
waited.
"""

import pathlib
import sys
import tempfile

import recorded_worlds
from recorded_worlds import fermata_run

PLANTED = 0.4
STARTS = (["MPI_Init"], ["MPI_Comm_spawn"], ["MPI_Comm_spawn_multiple"])
# By mode: the late rank, the metric and call in which others wait, these, and whether the cause is known by name:
# what happens before MPI_Init is not sampled.
MODES = {
    "message": (3, "mpi_latesender", "MPI_Recv", {0}, True),
    "reply": (0, "mpi_latesender", "MPI_Recv", {3}, True),
    "barrier": (2, "mpi_barrier_wait", "MPI_Barrier", {0, 1, 3}, True),
    "merged": (3, "mpi_barrier_wait", "MPI_Barrier", {0, 1, 2}, True),
    "accepting": (2, "mpi_comm_wait", "MPI_Comm_accept", {0, 1}, True),
    "connecting": (0, "mpi_comm_wait", "MPI_Comm_connect", {2, 3}, True),
    "joining": (2, "mpi_comm_wait", "MPI_Comm_join", {0}, True),
    "late_child": (3, "mpi_comm_wait", "MPI_Comm_spawn", {0, 1}, False),
    "late_parent": (1, "mpi_comm_wait", "MPI_Comm_spawn", {0}, True),
    "several_commands": (3, "mpi_latesender", "MPI_Recv", {0}, True),
}


def check(report, mode):
    late, metric, call, waiting, is_named = MODES[mode]
    if report.ranks() != [(0, 0, 0), (1, 0, 1), (2, 1, 0), (3, 1, 1)]:
        yield f"the ranks, worlds and ranks there are {report.ranks()}"
    waits = report.waits(metric, call)
    for rank in waiting:
        if waits[rank] < PLANTED / 2:
            yield f"rank {rank} waits {waits[rank]:.3f} s of {PLANTED} s in {call}: {metric}"
    # How long the system takes to start processes is not planted: on a busy machine longer than the delay.
    causes = [(functions, ranks) for functions, ranks in report.causes() if functions[:1] not in STARTS]
    if is_named and not any("be_late" in functions and ranks == {late} for functions, ranks in causes[:2]):
        yield f"the first causes are {causes[:2]} instead of be_late on rank {late}"
    if "Worlds 2: world 0 is ranks 0-1, world 1 is ranks 2-3" not in report.text:
        yield f"the report does not name the worlds:\n{report.text}"
    if late >= 2 and is_named and f"rank {late} (world 1, rank {late - 2})" not in report.text:
        yield f"the report does not name rank {late} by its world:\n{report.text}"
    for warning in report.warnings:
        if "spawn" in warning or "not analysed" in warning or "not looked for" in warning:
            yield f"warning: {warning}"


def main():
    chosen = recorded_worlds.options()
    recorded_worlds.skip_without_spawn(chosen, 2, "message")
    failures = []
    for mode in MODES:
        with tempfile.TemporaryDirectory(prefix="fermata-worlds-") as folder:
            experiment = pathlib.Path(folder) / "run"
            output = fermata_run.record(chosen, experiment, 2, [chosen.program, mode], samples=True)
            report = recorded_worlds.Report(chosen, experiment)
            failures += [f"{mode}: {failure}" for failure in check(report, mode)]
            if "incomplete" in output:
                failures.append(f"{mode}: {output}")
            failures += [f"{mode}: {found} is left" for found in experiment.glob("worlds/*/*")
                         if found.name not in ("log", "environment.json")]
    if failures:
        sys.exit("\n".join(failures))


main()

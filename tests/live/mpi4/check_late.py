# SPDX-License-Identifier: BSD-3-Clause
"""Records late.c for each family of functions of MPI 4, and checks that the report names the planted cause: the
rank and the function that were late, and the kind of waiting and the call that it caused.

How long anything takes on a busy machine is not checked, only that most of the planted time was waited for by the
ranks that the rules name.

usage: check_late.py --fermata F --mpirun M --program P [FAMILY...]
"""

import argparse
import collections
import json
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "cases"))

import fermata_run  # noqa: E402

RANKS, PLANTED = 4, 3 * 0.2
# The late rank, the metric and the call in which the others wait, and these.
FAMILIES = {
    "large_messages": (0, "mpi_latesender", "MPI_Recv", {1}),
    "send_receives": (1, "mpi_latesender", "MPI_Wait", {0}),
    "large_collective": (2, "mpi_wait_nxn", "MPI_Allreduce_c", {0, 1, 3}),
    "session": (1, "mpi_wait_nxn", "MPI_Allreduce", {0, 2, 3}),
    "persistent_barrier": (1, "mpi_barrier_wait", "MPI_Wait", {0, 2, 3}),
    "persistent_bcast": (3, "mpi_latebroadcast", "MPI_Wait", {0, 1, 2}),
    "persistent_reduce": (2, "mpi_earlyreduce", "MPI_Wait", {0}),
    "persistent_neighbours": (2, "mpi_wait_nxn", "MPI_Wait", {1, 3}),
    "file": (2, "mpi_file_wait", "MPI_File_open", {0, 1, 3}),
    "partitioned": (0, "mpi_latesender", "MPI_Wait", {1}),
}


class Report:
    def __init__(self, document, text):
        self.document = document
        self.text = text
        self.paths = {path["id"]: path for path in document["callpaths"]}
        self.ranks = {place["id"]: place["rank"] for place in document["locations"]}

    def functions(self, callpath):
        names = []
        while callpath is not None:
            names.append(self.paths[callpath]["region"])
            callpath = self.paths[callpath]["parent"]
        return names

    def waits(self, metric, call):
        """The seconds that each rank waits in these calls."""
        waits = collections.Counter()
        for name, rank, path, value in fermata_run.severities(self.document):
            if name == metric and path[-1] == call:
                waits[rank] += value
        return waits


def check(report, family):
    late, metric, call, waiting = FAMILIES[family]
    waits = report.waits(metric, call)
    for rank in waiting:
        if waits[rank] < PLANTED / 2:
            yield f"rank {rank} waits {waits[rank]:.3f} s of {PLANTED} s in {call}: {metric}"
    if waits[late] > PLANTED / 2:
        yield f"the late rank itself waits {waits[late]:.3f} s"
    causes = [(report.functions(problem["cause"]["callpath"]),
               {report.ranks[place] for place in problem["cause"]["locations"]})
              for problem in report.document["problems"] if problem["cause"]["callpath"] is not None]
    if not causes or "be_late" not in causes[0][0] or causes[0][1] != {late}:
        yield f"the first cause is {causes[:1]} instead of be_late on rank {late}"
    if family == "partitioned":
        yield from check_partitions(report, causes)
    for warning in report.document["warnings"]:
        if "not looked for" in warning or "not analysed" in warning:
            yield f"warning: {warning}"


def check_partitions(report, causes):
    """One of four threads is late: the partitions of the others are early."""
    counts = collections.Counter()
    for name, rank, _, value in fermata_run.severities(report.document):
        counts[name] += value if rank == 0 else 0
    if (counts["mpi_partitions"], counts["mpi_partitions_early"]) != (3, 9):
        yield f"{counts['mpi_partitions']} partitions, {counts['mpi_partitions_early']} early"
    if counts["mpi_partition_lead"] < 3 * PLANTED / 2:
        yield f"a lead of {counts['mpi_partition_lead']:.3f} s"
    if causes and "fill" not in causes[0][0]:
        yield f"the cause is not in the thread's function: {causes[0]}"
    last = [place["last_partition"] for place in report.document["locations"] if "last_partition" in place]
    if {row["partition"] for row in last} != {2} or {row["partitions"] for row in last} != {4} or \
            sum(row["messages"] for row in last) != 3:
        yield f"the last partitions are {last} instead of 2 of 0-3 in each of 3 messages"
    if "partition 2 (of 0-3) is the last one in 3 of 3 messages" not in " ".join(report.text.split()):
        yield f"the report does not name partition 2:\n{report.text}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fermata", required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("families", nargs="*")
    options = parser.parse_args()
    failures = []
    for family in options.families or FAMILIES:
        with tempfile.TemporaryDirectory(prefix="fermata-late-") as folder:
            experiment = pathlib.Path(folder) / "experiment"
            program = [options.program, family, str(pathlib.Path(folder) / "late.dat")]
            fermata_run.record(options, experiment, RANKS, program, samples=True)
            document = json.loads(fermata_run.report(options, experiment, "--format=json"))
            report = Report(document, fermata_run.report(options, experiment))
            failures += [f"{family}: {failure}" for failure in check(report, family)]
    if failures:
        sys.exit("\n".join(failures))


main()

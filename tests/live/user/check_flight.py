# SPDX-License-Identifier: BSD-3-Clause
"""Records pauses.c, which does more than a small flight recorder keeps, and compares what is left of
it with what the program did, and what fermata finds in it with what belongs together by the numbers
of the iterations.

usage: check_flight.py --fermata F --mpirun M --program P [CASE...]

What is kept must be all of the last iterations before the recorder was asked, however it was; regions
that were open at the cut must be open behind it; the analysis must match what was kept, leave alone
what lacks its partner, and take nothing of that for an error.
"""

import argparse
import json
import pathlib
import sys
import tempfile

import user_archive
from check_pauses import (LATE_POST, LATE_SENDER, RANKS, Recorded, collective_waits, compare,
                          late_posts, late_senders)

SIZE = "512K"


def windows(rank):
    """Iterations before the recorder was asked, from those behind a flood on."""
    return [*range(8, 12 + rank), *range(15, 20)]


class Case:
    def __init__(self, iterations, options=(), size=SIZE, ends=True):
        self.iterations, self.options, self.size, self.ends = iterations, options, size, ends


# `ends`: the program reaches MPI_Finalize.
CASES = {
    "dump": Case(windows),
    "raise": Case(windows, ["--signal", "USR2"]),
    "always": Case(lambda rank: range(15, 24), size=f"{SIZE},always"),
    "crash": Case(lambda rank: range(15, 22), ends=False),
    "abort": Case(lambda rank: range(15, 22), ends=False),
    "abort-all": Case(lambda rank: range(15, 22), ends=False),
}


class OpenRegions:
    """For each rank: regions that the main thread entered before its first call of MPI but MPI_Init,
    each time recording began, and that are open then."""

    def __init__(self):
        self.paths, self.stacks, self.waiting = {}, {}, {}

    def observe(self, location, event):
        if location.name != "Master thread":
            return
        rank, kind = int(location.group.name.split()[-1]), type(event).__name__
        stack = self.stacks.setdefault(rank, [])
        if kind == "MeasurementOnOff":
            self.waiting[rank] = True
        elif kind == "Enter":
            if event.region.name.startswith("MPI_") and self.waiting.pop(rank, False):
                self.paths.setdefault(rank, []).append(list(stack))
            stack.append(event.region.name)
        elif kind == "Leave":
            stack.pop()


def without_flood(report):
    """What is in the flood is not compared."""
    callpaths = {node["id"]: node for node in report["callpaths"]}

    def in_flood(node):
        return node is not None and (callpaths[node]["region"] == "flood"
                                     or in_flood(callpaths[node]["parent"]))

    report["severities"] = [row for row in report["severities"] if not in_flood(row["callpath"])]
    return report


def check_records(case, recorded, regions):
    yield from recorded.problems
    for rank in range(RANKS):
        expected = list(case.iterations(rank))
        if recorded.iterations[rank] != expected:
            yield f"rank {rank} kept iterations {recorded.iterations[rank]}, not {expected}"
        if recorded.visits[rank, "iteration"] != len(expected):
            yield f"rank {rank}: {recorded.visits[rank, 'iteration']} visits of the phase"
    for rank, paths in regions.paths.items():
        first = [name for name in paths[0] if name in ("main", "iterations", "flood")]
        if first != ["main", "iterations", "flood"]:
            yield f"rank {rank}: {paths[0]} are open at the cut"


def check_analysis(options, case, experiment, recorded):
    shown = user_archive.run([options.fermata, "report", "--format=json", str(experiment)],
                             experiment)
    report = without_flood(json.loads(shown.stdout))
    expected = {"Late Sender": (LATE_SENDER, late_senders(recorded)),
                "Late Post": (LATE_POST, late_posts(recorded)),
                "Wait at Barrier": (["mpi_barrier_wait"],
                                    collective_waits(recorded, ("MPI_Barrier", 0), ("MPI_Barrier", 1))),
                "Wait at NxN": (["mpi_wait_nxn"], collective_waits(recorded, ("MPI_Allreduce", 0))),
                "Wait at Fence": (["mpi_rma_wait_at_fence", "mpi_rma_early_fence"],
                                  collective_waits(recorded, ("MPI_Win_fence", 0),
                                                   ("MPI_Win_fence", 1)))}
    for what, (metrics, waits) in expected.items():
        yield from compare(report, metrics, waits, recorded, what)
    if not any("the last 512 KiB of each process" in warning for warning in report["warnings"]):
        yield f"no warning of what is recorded: {report['warnings']}"
    errors = ["the record of a member", "different calls", "outside of all communication"]
    errors += ["no matching"] if case.ends else []  # under way when the program ended
    for warning in report["warnings"]:
        if any(error in warning for error in errors):
            yield f"what was cut off is taken for an error: {warning}"


def check_nothing(options, folder):
    """Nothing asks: nothing is kept."""
    command = [options.mpirun, "-n", str(RANKS), options.program, "flight", "never"]
    told = user_archive.run([options.fermata, "record", "-o", "experiment", "--flight-recorder", SIZE,
                             "--", *command], folder)
    if told.returncode != 0 or "nothing asked the flight recorder" not in told.stderr:
        yield f"exit code {told.returncode}: {told.stderr}"
    if (folder / "experiment").exists():
        yield "there is an experiment"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    parser.add_argument("cases", nargs="*", default=list(CASES))
    options = parser.parse_args()
    problems = []
    for name in options.cases:
        case = CASES[name]
        with tempfile.TemporaryDirectory(prefix="fermata-user-") as folder:
            how = ["--flight-recorder", case.size, *case.options]
            experiment, wrong = user_archive.record(options, pathlib.Path(folder),
                                                    [options.program, "flight", name], ranks=RANKS,
                                                    how=how, chatty=not case.ends,
                                                    FERMATA_CALLPATH="stack")
            regions = OpenRegions()
            recorded = Recorded(experiment / "traces.otf2", regions.observe)
            wrong += check_records(case, recorded, regions)
            wrong += check_analysis(options, case, experiment, recorded)
            problems += [f"{name}: {text}" for text in wrong]
    with tempfile.TemporaryDirectory(prefix="fermata-user-") as folder:
        problems += [f"never: {text}" for text in check_nothing(options, pathlib.Path(folder))]
    for problem in problems[:40]:
        print(problem)
    sys.exit(1 if problems else 0)


main()

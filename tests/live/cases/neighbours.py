# SPDX-License-Identifier: BSD-3-Clause
"""Programs whose ranks form a chain, exchange a message with each neighbour and reduce a value afterwards: what their
events say that the ranks wait, and what the report says."""

import argparse
import collections
import itertools
import json
import pathlib
import sys
import tempfile

import fermata_run
from recorded_run import RecordedRun, waits_for_the_last

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "patterns"))

import wait_rules  # noqa: E402

KINDS = {"mpi_latesender": "mpi_latesender", "mpi_lswo_same": "mpi_latesender", "mpi_lswo_different": "mpi_latesender",
         "mpi_wait_nxn": "mpi_wait_nxn"}
PROGRESS = "mpi_p2p_wait_for_progress"  # of a receive whose sender makes progress later than it starts its send
TOLERANCE = 1e-6  # seconds of each sum: the analysis may shift clocks by some ticks


def expected_waits(run, exchange, send):
    """Maps (metric, rank) to seconds: a receive waits for the send that it receives from, a reduction for its last.

    send: the call that sends; exchange: the region around the calls of an exchange, in which each rank sends to the
    rank below and the one above, and receives from them, in this order; also if these are not there, or not"""
    waits = collections.Counter()
    parts = [run.visits(rank, exchange) for rank in range(run.size)]

    def calls(rank, part, region):
        found = [call for call in run.visits(rank, region) if part.enter <= call.enter and call.leave <= part.leave]
        there = [other for other in (rank - 1, rank + 1) if 0 <= other < run.size]
        return dict(zip(there if len(found) == len(there) else (rank - 1, rank + 1), found, strict=True))

    for number in range(len(parts[0])):
        sends = [calls(rank, parts[rank][number], send) for rank in range(run.size)]
        for rank in range(run.size):
            for source, call in calls(rank, parts[rank][number], "MPI_Recv").items():
                if 0 <= source < run.size:
                    waits["mpi_latesender", rank] += wait_rules.waiting(call, sends[source][rank].enter)
    for reduction in run.instances("MPI_Allreduce"):
        for wait in waits_for_the_last("mpi_wait_nxn", reduction):
            waits["mpi_wait_nxn", wait.call.rank] += wait.until - wait.call.enter
    return collections.Counter({key: ticks / run.ticks_per_second for key, ticks in waits.items()})


def found_waits(report):
    """The same from a report."""
    waits = collections.Counter()
    for metric, rank, _, seconds in fermata_run.severities(report):
        if metric in KINDS or metric == PROGRESS:
            waits[KINDS.get(metric, metric), rank] += seconds
    return waits


def seconds_in(run, rank, region):
    return sum(visit.leave - visit.enter for visit in run.visits(rank, region)) / run.ticks_per_second


def first_problem(report, functions):
    """@return (function, ranks, kind) of the first problem; the function is one of `functions` around its cause"""
    paths = {path["id"]: path for path in report["callpaths"]}
    ranks = {location["id"]: location["rank"] for location in report["locations"]}
    cause = report["problems"][0]["cause"]
    place = cause["callpath"]
    while place is not None and paths[place]["region"] not in functions:
        place = paths[place]["parent"]
    return (paths[place]["region"] if place is not None else None,
            sorted(ranks[location] for location in cause["locations"]), cause["kind"])


def check(ranks, arguments, last_line, exchange, send, judge):
    """Records the program of the command line, compares its waits with those of its events, and calls judge(run,
    waits, report), which exits if what was planted does not show."""
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-cases-") as name:
        folder = pathlib.Path(name) / "experiment"
        output = fermata_run.record(options, folder, ranks, [options.program, *arguments])
        if last_line not in output:
            sys.exit(f"the program's own output is missing from\n{output}")
        run = RecordedRun(folder / "traces.otf2")
        report = json.loads(fermata_run.report(options, folder, "--format=json"))
        expected, found = expected_waits(run, exchange, send), found_waits(report)
        for metric, rank in itertools.product(sorted(set(KINDS.values())), range(ranks)):
            # A call waits for the last that it needs: its wait has one kind.
            others = found[PROGRESS, rank] if metric == "mpi_latesender" else 0.0
            if not -TOLERANCE <= expected[metric, rank] - found[metric, rank] <= others + TOLERANCE:
                sys.exit(f"{metric} of rank {rank}: {found[metric, rank]:.9f} s instead of "
                         f"{expected[metric, rank]:.9f} s")
        judge(run, found, report)

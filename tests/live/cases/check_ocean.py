# SPDX-License-Identifier: BSD-3-Clause
"""Records ocean-cg with the barrier before its exchange of halos and without, one rank being longer
in `matvec`, and compares the reports with what the events of their own traces say.

What is expected follows from the recorded times alone: who waits for whom and for how long, and which
part of that goes back to `matvec`. With the barrier all of it is Wait at Barrier; without, the
neighbours of the slow rank have Late Post, and theirs Early Wait. In both cases the costs belong to
`matvec` on the slow rank.

usage: check_ocean.py --fermata F --mpirun M --program P
"""

import argparse
import collections
import json
import pathlib
import re
import sys
import tempfile

import fermata_run
from recorded_run import RecordedRun, active_target_waits, direct_costs, waits_for_the_last

RANKS, SLOW, ITERATIONS = 4, 3, 5
MATVEC, PERCENT = 0.03, 200
KINDS = ["mpi_barrier_wait", "mpi_wait_nxn", "mpi_rma_sync_late_post", "mpi_rma_comm_late_post",
         "mpi_rma_early_wait"]
COST_OF = {"mpi_barrier_wait": "delay_barrier", "mpi_rma_sync_late_post": "delay_rma_late_post",
           "mpi_rma_comm_late_post": "delay_rma_late_post"}
ATTEMPTS = 3
# Part of what is planted; the analysis may move times by some microseconds.
TOLERANCE = 0.02


class Disturbed(Exception):
    """Other programs kept the ranks from their cores for longer than what was planted."""


def record(options, folder, variant):
    """Returns the recorded run and the report."""
    output = fermata_run.record(options, folder, RANKS, [
        options.program, "--iterations", str(ITERATIONS), "--size", "32x64", "--matvec",
        str(MATVEC), "--imbalance", f"{PERCENT}:{SLOW}", *variant])
    if f"{RANKS} ranks, {ITERATIONS} iterations, the solution is right" not in output:
        sys.exit(f"the program's own output is missing from\n{output}")
    return (RecordedRun(folder / "traces.otf2"),
            json.loads(fermata_run.report(options, folder, "--format=json")))


def planted_seconds(run):
    """How much longer than the quickest rank the slow one has been in matvec."""
    visits = [run.visits(rank, "matvec") for rank in range(RANKS)]
    excess = 0
    for iteration in zip(*visits, strict=True):
        times = [visit.leave - visit.enter for visit in iteration]
        excess += times[SLOW] - min(times)
    return excess / run.ticks_per_second


def expected_waits(run):
    """All waits between the collectives before the first iteration and those behind the last."""
    ring = [[(rank - 1) % RANKS, (rank + 1) % RANKS] for rank in range(RANKS)]
    waits = active_target_waits(run, ring)
    for barrier in run.instances("MPI_Barrier"):
        waits += waits_for_the_last("mpi_barrier_wait", barrier)
    for sums in run.instances("MPI_Allreduce"):
        waits += waits_for_the_last("mpi_wait_nxn", sums)
    return waits


def meetings(run):
    return [max(visit.enter for visit in visits) for region in ("MPI_Barrier", "MPI_Allreduce")
            for visits in run.instances(region)]


def compare(what, expected, found, tolerance):
    for key in sorted(expected.keys() | found.keys()):
        if abs(expected.get(key, 0.0) - found.get(key, 0.0)) > tolerance:
            yield f"{what} {key}: {found.get(key, 0.0):.6f} instead of {expected.get(key, 0.0):.6f}"


def check_causes(report):
    """Most costs of the run, direct or not, must be those of matvec on the slow rank."""
    costs = collections.Counter()
    for metric, rank, path, seconds in fermata_run.severities(report):
        if metric.startswith("delay_"):
            costs[rank, path[-1]] += seconds
    print(f"all costs of matvec on rank {SLOW}: {costs[SLOW, 'matvec']:.6f} s of "
          f"{sum(costs.values()):.6f} s")
    most = max(costs, key=costs.get)
    if most != (SLOW, "matvec"):
        raise Disturbed(f"most costs are those of {most[1]} on rank {most[0]}: {costs[most]:.6f} s")


def check_sentence(options, folder, metric, pattern):
    """What a report says of the reason."""
    text = " ".join(fermata_run.report(options, folder, "--why", metric).split())
    if re.search(pattern, text) is None:
        yield f"{pattern} is not in what is said of {metric}: {text}"


DELAY = rf"Why `\S*matvec` \(solver\.c:\d+\) on rank {SLOW} \(\S+%\)"
CHAIN = rf"<- rank {SLOW} spent \S+ \w+ more in \S*/matvec\b"


def check_variant(options, folder, kind, variant):
    """Yields what is wrong with a variant; raises Disturbed if it did not show what was planted, which
    is that neighbours of the slow rank wait for it, in wait states of a kind."""
    run, report = record(options, folder, variant)
    waits = expected_waits(run)
    planted = planted_seconds(run)
    tolerance = TOLERANCE * planted
    expected, found = collections.Counter(), collections.Counter()
    for wait in waits:
        expected[wait.metric, wait.call.rank, wait.call.region] += (
            (wait.until - wait.call.enter) / run.ticks_per_second)
    for metric, rank, path, seconds in fermata_run.severities(report):
        metric = "mpi_rma_early_wait" if metric == "mpi_rma_late_complete" else metric
        if metric in KINDS:
            found[metric, rank, path[-1]] += seconds
    yield from compare("waiting", expected, found, tolerance)

    expected, found = collections.Counter(), collections.Counter()
    for (metric, rank, path), ticks in direct_costs(run, waits, meetings(run)).items():
        if metric in COST_OF and path[-1] == "matvec":
            expected[COST_OF[metric], rank] += ticks / run.ticks_per_second
    for metric, rank, path, seconds in fermata_run.severities(report):
        if metric in COST_OF.values() and path[-1] == "matvec":
            found[metric, rank] += seconds
    yield from compare("costs of matvec", expected, found, tolerance)

    here = [wait for wait in waits if wait.metric.endswith(kind) and wait.cause.rank == SLOW]
    seconds = sum(wait.until - wait.call.enter for wait in here) / run.ticks_per_second
    if seconds < planted:
        raise Disturbed(f"{seconds:.6f} s of {kind} for rank {SLOW}, {planted:.6f} s late")
    print(f"{' '.join(variant) or 'with barrier'}: planted {planted:.6f} s, others waited "
          f"{seconds:.6f} s for rank {SLOW} ({kind}), {found[COST_OF[here[0].metric], SLOW]:.6f} s "
          "of it directly because of matvec")
    check_causes(report)
    yield from check_sentence(options, folder, here[0].metric, DELAY)
    yield from check_sentence(options, folder, here[0].metric, CHAIN)
    if kind == "late_post":
        # The neighbours' Late Post makes the rank opposite wait, for the same reason.
        yield from check_sentence(options, folder, "mpi_rma_early_wait", CHAIN)


def check_comparison(options, *folders):
    """`fermata diff` has what the reports of both variants have."""
    told = json.loads(fermata_run.run([options.fermata, "diff", "--format=json",
                                       *map(str, folders)]))
    values = {metric["id"]: metric["values"] for metric in told["metrics"]}
    sums = []
    for folder in folders:
        report = json.loads(fermata_run.report(options, folder, "--format=json"))
        sums.append(collections.Counter())
        for metric, _, _, seconds in fermata_run.severities(report):
            sums[-1][metric] += seconds
    for metric in ("mpi_barrier_wait", "mpi_rma_sync_late_post"):
        for value, expected in zip(values[metric], (total[metric] for total in sums), strict=True):
            if abs(value - expected) > 1e-9:
                yield f"comparison: {metric} {values[metric]}, not {expected}"
    if sums[0]["mpi_barrier_wait"] <= 0 or sums[1]["mpi_barrier_wait"] != 0:
        yield f"Wait at Barrier has not gone: {values['mpi_barrier_wait']}"


def repeated(options, folder, kind, variant):
    """As check_variant; on a machine so busy that the delay does not show, again."""
    for attempt in range(ATTEMPTS):
        place, wrong = folder / str(attempt), []
        try:
            wrong.extend(check_variant(options, place, kind, variant))
            return place, wrong
        except Disturbed as disturbance:
            if wrong:
                return None, wrong
            print(f"attempt {attempt}: {disturbance}")
    return None, [f"{kind}: nothing of what was planted has shown in {ATTEMPTS} attempts"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-cases-") as name:
        folder = pathlib.Path(name)
        for place in ("with", "without"):
            (folder / place).mkdir()
        barrier, wrong = repeated(options, folder / "with", "barrier_wait", [])
        direct, more = repeated(options, folder / "without", "late_post", ["--no-barrier"])
        wrong += more
        if barrier and direct:
            wrong += check_comparison(options, barrier, direct)
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()

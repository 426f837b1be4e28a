# SPDX-License-Identifier: BSD-3-Clause
"""Records lock-contention, work-queue and rput-pipeline and compares what fermata says about their
locks with what their own traces say.

Planted is the time for which rank 0 holds the lock of lock-contention, as the trace shows it between
two markers: every other rank has to wait for it, in whichever calls of its epoch and for whichever of
the two reasons (lock contention, wait for progress) the MPI library decides. Which it is, is
recomputed from the trace, and so is the critical path: all of bar(), and the parts of the calls in
which one rank after the other gets the lock, uses and releases it.
"""

import argparse
import collections
import json
import math
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / name) for name in ("../support", "patterns", "cases")]

import fermata_run  # noqa: E402
from critical_path import path_seconds  # noqa: E402
from lock_rules import LockAnalysis, epochs_of, longest_queue  # noqa: E402
from mpi_launcher import TIMEOUT, mpi_command  # noqa: E402
from recorded_trace import read_whole_archive  # noqa: E402

METRICS = [f"mpi_rma_{part}_{kind}" for part in ("sync", "comm")
           for kind in ("lock_competition", "wait_for_progress", "wait_for_progress_lower")]
PATH_METRICS = ["critical_path", "critical_path_imbalance", "critical_path_serialization"]
HOLD = 0.5  # seconds; the other ranks ask for the lock within a tenth of that
SKEW = 0.01
# Between the recorded times and those that the analysis uses lies the repair of the clocks.
TOLERANCE = 0.01  # seconds
# The analysis may move times by some microseconds.
PATH_TOLERANCE = 5e-5


def run(command):
    """What the command prints; exits with all its output if it fails."""
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    if outcome.returncode != 0:
        sys.exit(f"exit code {outcome.returncode}: {' '.join(command)}\n"
                 f"{outcome.stdout}{outcome.stderr}")
    return outcome.stdout


def record(options, folder, expected, program, *arguments):
    """Runs the program under fermata, checks what it prints, and returns the report."""
    words = [str(pathlib.Path(options.folder) / program), *arguments]
    output = run([options.fermata, "run", "--sample=off", "-o", str(folder), "--",
                  *mpi_command(options.mpirun, options.ranks, words)])
    if f"{program}: {expected}\n" not in output:
        sys.exit(f"{program}: the program's own output is missing from\n{output}")
    # All calls need their target: a few calls are no evidence on how the library works.
    run([options.fermata, "analyze", "--check", "-q", "--progress=target", str(folder)])
    return json.loads(run([options.fermata, "report", str(folder), "--format=json"]))


def severities(report):
    """Maps (metric, rank, region) to seconds, of the metrics that locks have to do with; wherever
    the region is called from."""
    region = {path["id"]: path["region"] for path in report["callpaths"]}
    rank = {location["id"]: location["rank"] for location in report["locations"]}
    found = collections.Counter()
    for row in report["severities"]:
        if row["metric"] in METRICS:
            found[row["metric"], rank[row["location"]], region[row["callpath"]]] += row["value"]
    return found


def differences(what, expected, found, tolerance):
    for key in sorted(expected.keys() | found.keys()):
        should, does = expected.get(key, 0.0), found.get(key, 0.0)
        if abs(should - does) > tolerance:
            yield f"{what} {key}: {does:.6f} instead of {should:.6f}"


def queue_integral(lock):
    """The time waited, from the queue's mean length in its equal parts."""
    width = (lock["end"] - lock["begin"]) / max(len(lock["queue"]), 1)
    return sum(lock["queue"]) * width


def check_lock(lock, analysis, trace):
    """What is wrong with the report's data on one lock, as lines."""
    waiting, caused = {}, {}
    for queued in analysis.queue:
        seconds = (queued.until - queued.call.enter) / trace.ticks_per_second
        waiting[queued.epoch.rank] = waiting.get(queued.epoch.rank, 0.0) + seconds
        caused[queued.by.rank] = caused.get(queued.by.rank, 0.0) + seconds
    yield from differences("waiting of rank", waiting,
                           {party["rank"]: party["waiting"] for party in lock["victims"]},
                           TOLERANCE)
    yield from differences("waiting caused by rank", caused,
                           {party["rank"]: party["caused"] for party in lock["holders"]},
                           TOLERANCE)
    total = {"waiting": sum(waiting.values()), "queue's integral": sum(waiting.values())}
    yield from differences("lock's", total, {"waiting": lock["waiting"],
                                             "queue's integral": queue_integral(lock)}, TOLERANCE)
    if lock["longest_queue"] != longest_queue(analysis.queue):
        yield f"longest queue {lock['longest_queue']} instead of {longest_queue(analysis.queue)}"


def check_path(report, trace, analysis, epochs):
    """What is wrong with the critical path between the barriers, as lines."""
    calls = [call for of_rank in epochs for call in of_rank[1].calls]
    expected = path_seconds(trace, analysis, calls, trace.instances("MPI_Barrier"))
    found, imbalance = collections.Counter(), 0.0
    for metric, rank, path, seconds in fermata_run.severities(report):
        if metric not in PATH_METRICS or "update" not in path:
            continue
        in_bar = "bar" in path and not path[-1].startswith("MPI_")
        if in_bar or path[-1] in {call.region for call in calls}:
            found[rank, "bar" if in_bar else path[-1]] += seconds
        if in_bar and metric != "critical_path":
            imbalance += seconds
    bar = {"bar": found.pop((0, "bar"), 0.0)}
    yield from differences("critical path", {"bar": expected.pop((0, "bar"), 0.0)}, bar, TOLERANCE)
    yield from differences("critical path", expected, found, PATH_TOLERANCE)
    balanced = {"bar": bar["bar"] * (1 - 1 / trace.size)}
    yield from differences("imbalance of", balanced, {"bar": imbalance}, PATH_TOLERANCE)
    print(f"critical path: bar {bar['bar']:.6f} s, {imbalance:.6f} s of it by imbalance; "
          + ", ".join(f"{region} on rank {rank} {seconds:.6f} s"
                      for (rank, region), seconds in sorted(found.items())))


def check_contention(options, folder, window):
    """lock-contention: yields what is wrong."""
    report = record(options, folder, f"{options.ranks} ranks, all updates arrived",
                    "lock-contention", "--first", "0.1", "--skew", str(SKEW), "--hold", str(HOLD),
                    "--after", "0.01", "--window", window)
    trace = read_whole_archive(str(folder / "traces.otf2"))
    # Each rank locks its own part first, and rank 0 its own once more for reading at the end.
    epochs = epochs_of(trace, lambda rank, ordinal: not (rank == 0 and ordinal == 2))
    on_rank_0 = epochs[0] + [epoch for of_rank in epochs[1:] for epoch in of_rank[1:]]
    analysis = LockAnalysis(trace, on_rank_0, 0)
    found = severities(report)
    yield from differences("waiting", analysis.seconds, found, TOLERANCE)
    (lock,) = [lock for lock in report["locks"] if lock["target"] == 0]
    yield from check_lock(lock, analysis, trace)
    yield from check_path(report, trace, analysis, epochs)
    if (lock["name"], lock["exclusive"], lock["shared"]) != ("updates", options.ranks + 1, 1):
        yield f"lock {lock['name']} with {lock['exclusive']} exclusive, {lock['shared']} shared"

    # The markers of rank 0: foo, bar, foo.
    _, (begin, end), _ = trace.delays(0)
    held = (end - begin) / trace.ticks_per_second
    owner = [party for party in lock["holders"] if party["rank"] == 0]
    if not owner or owner[0]["held"] < held:
        yield f"rank 0 held the lock for {held} s, not as {owner} says"
    for rank in range(1, options.ranks):
        update = epochs[rank][1].calls
        if update[-1].leave < end:
            continue  # rank 0 came late itself: this rank had the lock before it
        lateness = max(0, update[0].enter - begin) / trace.ticks_per_second
        waited = {key: value for key, value in found.items()
                  if key[1] == rank and not key[0].endswith("_lower")}
        if sum(waited.values()) < held - lateness - TOLERANCE:
            yield (f"rank {rank} asked for the lock {lateness} s after rank 0 had begun to hold it "
                   f"for {held} s, and waits for only {waited}")
        print(f"lock-contention --window {window}, rank {rank}: planted {held - lateness:.6f} s, "
              f"found {', '.join(f'{s:.6f} s {m} in {r}' for (m, _, r), s in waited.items())}")


def count(report, metric):
    return sum(row["value"] for row in report["severities"] if row["metric"] == metric)


def check_work_queue(options, folder):
    tasks = 12
    report = record(options, folder, f"{tasks} tasks, each done once", "work-queue", "--tasks",
                    str(tasks), "--exclusive")
    # Each task is taken and noted, each rank finds the queue empty once and clears its own part.
    (lock,) = [lock for lock in report["locks"] if lock["target"] == 0]
    expected = 2 * tasks + options.ranks + 1
    if (lock["exclusive"], lock["shared"]) != (expected, 1):
        yield f"{lock['exclusive']} exclusive epochs instead of {expected}, {lock['shared']} shared"
    if not math.isclose(queue_integral(lock), lock["waiting"], rel_tol=0.05, abs_tol=1e-4):
        yield f"{lock['waiting']} s of waiting, but {queue_integral(lock)} s in the queue"
    atomics = count(report, "comms_rma_atomics")
    if atomics != 2 * tasks + options.ranks:
        yield f"{atomics} atomic operations"
    for rank_lock in report["locks"]:
        if rank_lock["target"] != 0 and (rank_lock["exclusive"], rank_lock["waits"]) != (1, 0):
            yield f"lock of rank {rank_lock['target']}: {rank_lock['exclusive']} epochs"


def check_pipeline(options, folder):
    blocks = 12
    report = record(options, folder, f"{blocks} blocks of 64 numbers, all right", "rput-pipeline",
                    "--blocks", str(blocks), "--length", "64")
    hops = options.ranks - 1
    puts = count(report, "comms_rma_puts")
    if puts != blocks * hops:
        yield f"{puts} puts instead of {blocks * hops}"
    # One third of the blocks is sent by MPI_Rput.
    region = {path["id"]: path["region"] for path in report["callpaths"]}
    visits = {}
    for row in report["severities"]:
        if row["metric"] == "visits":
            name = region[row["callpath"]]
            visits[name] = visits.get(name, 0) + row["value"]
    for name, number in (("MPI_Rput", blocks // 3), ("MPI_Put", 2 * blocks // 3),
                         ("MPI_Win_flush_local", blocks // 3)):
        if visits.get(name) != number * hops:
            yield f"{visits.get(name)} visits of {name} instead of {number * hops}"
    contention = {key: value for key, value in severities(report).items()
                  if "lock_competition" in key[0]}
    if contention:
        yield f"contention under shared locks: {contention}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fermata", required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--folder", required=True, help="where the workloads are")
    parser.add_argument("--ranks", type=int, default=4)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="fermata-locks-") as name:
        folder = pathlib.Path(name)
        wrong = [*(f"lock-contention --window {window}: {line}" for window in ("create", "allocate")
                   for line in check_contention(options, folder / window, window)),
                 *(f"work-queue: {line}" for line in check_work_queue(options, folder / "queue")),
                 *(f"rput-pipeline: {line}" for line in check_pipeline(options, folder / "pipe"))]
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()

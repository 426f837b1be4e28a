# SPDX-License-Identifier: BSD-3-Clause
"""Records pauses.c, whose ranks pause at different times, and compares what fermata finds with what
belongs together by the numbers of the iterations.

usage: check_pauses.py --fermata F --mpirun M --program P

The archive must say when it was paused and hold no other event of that time; the analysis must match
messages, collective operations and epochs of windows across the pauses, and leave alone what one of
their partners did not record.
"""

import argparse
import collections
import json
import pathlib
import sys
import tempfile

import otf2
from otf2.enums import MeasurementMode

import user_archive

RANKS, ITERATIONS = 3, 24
TOLERANCE = 2e-6  # seconds; the analysis may move times a little
LATE_SENDER = ["mpi_latesender", "mpi_latesender_wo", "mpi_lswo_different", "mpi_lswo_same"]
LATE_POST = ["mpi_rma_sync_late_post", "mpi_rma_comm_late_post"]

Call = collections.namedtuple("Call", "rank name iteration ordinal enter leave event")


def is_paused(rank, iteration):
    """What pauses.c does."""
    return (2 + rank <= iteration < 5 + 2 * rank or 14 <= iteration < 15 + rank
            or 19 + rank % 2 <= iteration < 22)


class Recorded:
    """The recorded calls, each with the iteration that it belongs to, and the pauses. `observe` is called
    with the location and the event of each event: reading an archive takes much longer than looking at it."""

    def __init__(self, anchor, observe=lambda location, event: None):
        self.calls, self.problems = [], []
        self.pauses = collections.Counter()
        self.iterations = collections.defaultdict(list)
        self.visits = collections.Counter()
        iteration, ordinal, opened, paused = {}, {}, {}, {}
        with otf2.reader.open(str(anchor)) as archive:
            self.second = archive.definitions.clock_properties.timer_resolution
            for location, event in archive.events:
                rank = int(location.group.name.split()[-1])
                kind = type(event).__name__
                observe(location, event)
                if kind == "MeasurementOnOff":
                    off = event.measurement_mode == MeasurementMode.OFF
                    self.note_switch(location, event, off, paused.get(location, False))
                    paused[location] = off
                    continue
                if paused.get(location) and kind not in ("Leave", "ProgramEnd"):
                    self.problems.append(f"{location.group.name}: {kind} in a pause")
                if kind == "ParameterInt" and not event.parameter.name.startswith("awaited "):  # of open calls
                    iteration[location] = event.value
                    ordinal[location] = collections.Counter()
                    self.iterations[rank].append(event.value)
                elif kind == "Enter" and event.region.name.startswith("MPI_"):
                    opened[location] = event.time, []
                elif kind == "Leave" and event.region.name.startswith("MPI_"):
                    enter, records = opened.pop(location)
                    name = event.region.name
                    counter = ordinal.get(location, collections.Counter())
                    self.calls.append(Call(rank, name, iteration.get(location), counter[name],
                                           enter, event.time, records))
                    counter[name] += 1
                elif kind == "Enter":
                    self.visits[rank, event.region.name] += 1
                elif location in opened:
                    opened[location][1].append(event)

    def note_switch(self, location, event, off, was_off):
        attributes = event.attributes or {}
        if off and not attributes:
            if was_off:
                self.problems.append(f"{location.group.name}: paused twice")
            self.pauses[location.group.name, location.name] += 1
        elif not was_off:
            self.problems.append(f"{location.group.name}: {event} out of turn")

    def of(self, name, ordinal):
        """Maps iteration to {rank: call} of the k-th call of a name in each iteration."""
        found = collections.defaultdict(dict)
        for call in self.calls:
            if (call.name, call.ordinal) == (name, ordinal) and call.iteration is not None:
                found[call.iteration][call.rank] = call
        return found


def wait(call, until):
    return max(0, until - call.enter) if until <= call.leave else 0


def late_senders(recorded):
    """Ticks that each rank waits for messages that were recorded on both sides. Waitall may also
    wait for the receiver of what it sent: the later of both counts."""
    waits = collections.Counter()
    posts = recorded.of("MPI_Irecv", 0)
    for send_name, receive_name in (("MPI_Send", "MPI_Recv"), ("MPI_Issend", "MPI_Waitall")):
        sends, receives = recorded.of(send_name, 0), recorded.of(receive_name, 0)
        for iteration, by_rank in receives.items():
            for rank, receive in by_rank.items():
                send = sends[iteration].get((rank - 1) % RANKS)
                post = posts[iteration].get((rank + 1) % RANKS)
                waiting = wait(receive, send.enter) if send is not None else 0
                if receive_name == "MPI_Waitall" and post is not None:
                    waiting *= waiting >= wait(receive, post.enter)
                waits[rank] += waiting
    return waits


def collective_waits(recorded, *calls):
    """Ticks that each rank waits in collective operations that all recorded."""
    waits = collections.Counter()
    for name, ordinal in calls:
        for by_rank in recorded.of(name, ordinal).values():
            last = max(call.enter for call in by_rank.values())
            if len(by_rank) == RANKS and last < min(call.leave for call in by_rank.values()):
                for rank, call in by_rank.items():
                    waits[rank] += wait(call, last)
    return waits


def late_posts(recorded):
    """Ticks that rank 0 waits for posts: a put for that of its target, the other calls for all that
    were recorded."""
    waits = collections.Counter()
    posts = recorded.of("MPI_Win_post", 0)
    for name, ordinal in (("MPI_Win_start", 0), ("MPI_Put", 1), ("MPI_Win_complete", 0)):
        for iteration, by_rank in recorded.of(name, ordinal).items():
            targets = [1] if name == "MPI_Put" else [1, 2]
            known = [posts[iteration][rank].enter for rank in targets if rank in posts[iteration]]
            if 0 in by_rank and known:
                waits[0] += wait(by_rank[0], max(known))
    return waits


def compare(report, metrics, expected, recorded, what):
    rank_of = {location["id"]: location["rank"] for location in report["locations"]}
    found = collections.Counter()
    for row in report["severities"]:
        if row["metric"] in metrics:
            found[rank_of[row["location"]]] += row["value"]
    for rank in range(RANKS):
        seconds = expected[rank] / recorded.second
        if abs(found[rank] - seconds) > TOLERANCE:
            yield f"{what} of rank {rank}: {found[rank]:.9f} s instead of {seconds:.9f} s"
    if sum(expected.values()) == 0:
        yield f"{what}: nothing was planted"
    print(f"{what}: {sum(found.values()):.6f} s")


def check_records(recorded):
    yield from recorded.problems
    for rank in range(RANKS):
        expected = [i for i in range(ITERATIONS) if not is_paused(rank, i)]
        if recorded.iterations[rank] != expected:
            yield f"rank {rank} recorded iterations {recorded.iterations[rank]}, not {expected}"
        if recorded.visits[rank, "iteration"] != len(expected):
            yield f"rank {rank}: {recorded.visits[rank, 'iteration']} visits of the phase"
        pauses = recorded.pauses[f"MPI Rank {rank}", "Master thread"]
        other = recorded.pauses[f"MPI Rank {rank}", "Thread 1"]
        if pauses != 4 or not 1 <= other <= 4:
            yield f"rank {rank}: {pauses} pauses, {other} in the other thread"


def check_analysis(options, experiment, recorded):
    shown = user_archive.run([options.fermata, "report", "--format=json", str(experiment)],
                             experiment)
    report = json.loads(shown.stdout)
    yield from compare(report, LATE_SENDER, late_senders(recorded), recorded, "Late Sender")
    yield from compare(report, ["mpi_barrier_wait"],
                       collective_waits(recorded, ("MPI_Barrier", 0)), recorded, "Wait at Barrier")
    yield from compare(report, ["mpi_wait_nxn"],
                       collective_waits(recorded, ("MPI_Allreduce", 0)), recorded, "Wait at NxN")
    yield from compare(report, ["mpi_rma_wait_at_fence", "mpi_rma_early_fence"],
                       collective_waits(recorded, ("MPI_Win_fence", 0), ("MPI_Win_fence", 1)),
                       recorded, "Wait at Fence")
    yield from compare(report, LATE_POST, late_posts(recorded), recorded, "Late Post")
    if not any("paused" in warning for warning in report["warnings"]):
        yield f"no warning of pauses: {report['warnings']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    problems = []
    for ending in ("finalize", "exit"):
        with tempfile.TemporaryDirectory(prefix="fermata-user-") as name:
            experiment, wrong = user_archive.record(options, pathlib.Path(name),
                                                    [options.program, ending], ranks=RANKS)
            recorded = Recorded(experiment / "traces.otf2")
            wrong += [*check_records(recorded), *check_analysis(options, experiment, recorded)]
            problems += [f"{ending}: {text}" for text in wrong]
    for problem in problems[:40]:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""Everything that the ranks of a recorded run did, the regions that the program marks included, read
from its OTF2 archive with none of fermata's code; and what the rules say about it."""

import bisect
import collections
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "patterns"))

import wait_rules  # noqa: E402

# From Enter to Leave, in ticks; `path`: the names of the regions from the outermost on.
Visit = collections.namedtuple("Visit", "rank path enter leave")
Visit.region = property(lambda visit: visit.path[-1])
# A call waits until `until` for the call `cause`.
Wait = collections.namedtuple("Wait", "metric call until cause")


class RecordedRun:
    """size, ticks_per_second, and what the ranks did."""

    def __init__(self, anchor):
        import otf2

        self._visits = collections.defaultdict(list)
        self._changes = collections.defaultdict(list)  # (time, path from then on)
        opened = collections.defaultdict(list)
        with otf2.reader.open(str(anchor)) as archive:
            groups = [group.name for group in archive.definitions.location_groups]
            self.ticks_per_second = archive.timer_resolution
            for location, event in archive.events:
                rank = groups.index(location.group.name)
                stack = opened[rank]
                if isinstance(event, otf2.events.Enter):
                    stack.append((event.region.name, event.time))
                elif isinstance(event, otf2.events.Leave):
                    path = tuple(name for name, _ in stack)
                    self._visits[rank].append(Visit(rank, path, stack.pop()[1], event.time))
                elif isinstance(event, otf2.events.BufferFlush):
                    # The recorder's own time belongs to no call path.
                    self._changes[rank].append((event.time, ()))
                else:
                    continue
                begin = getattr(event, "stop_time", event.time)
                self._changes[rank].append((begin, tuple(name for name, _ in stack)))
        self.size = len(groups)
        for visits in self._visits.values():
            visits.sort(key=lambda visit: (visit.enter, len(visit.path)))

    def visits(self, rank, region, inside=()):
        """The rank's visits of a region, in order; `inside`: regions that must be around it. A
        function of the same name may be around a marked region: both are one visit."""
        return [visit for visit in self._visits[rank]
                if visit.region == region and region not in visit.path[:-1]
                and all(name in visit.path for name in inside)]

    def instances(self, region):
        """The visits of a collective over all ranks: lists with one visit of each rank."""
        return [list(visits) for visits in
                zip(*(self.visits(rank, region) for rank in range(self.size)), strict=True)]

    def times(self, rank, begin, end):
        """Maps call paths to the rank's exclusive ticks in them between two moments."""
        found = collections.Counter()
        changes = self._changes[rank]
        first = max(0, bisect.bisect_right(changes, begin, key=lambda change: change[0]) - 1)
        for (time, path), (until, _) in zip(changes[first:], [*changes[first + 1:], (end, ())]):
            if time >= end:
                break
            if path and min(until, end) > max(time, begin):
                found[path] += min(until, end) - max(time, begin)
        return found


def waits_for_the_last(metric, visits):
    """The waits of one collective operation in which all wait for the last."""
    last = max(visits, key=lambda visit: visit.enter)
    return [Wait(metric, visit, last.enter, last) for visit in visits
            if wait_rules.waiting(visit, last.enter) > 0]


def active_target_waits(run, targets):
    """The waits of exchanges by post, start, a put to each target, complete, wait in which each rank
    is origin and target; targets[rank]: in the order of its puts."""
    calls = {name: [run.visits(rank, "MPI_" + name) for rank in range(run.size)]
             for name in ("Win_post", "Win_start", "Put", "Win_complete", "Win_wait")}
    found = []

    def judge(metric, call, causes):
        cause = max(causes, key=lambda visit: visit.enter)
        if wait_rules.waiting(call, cause.enter) > 0:
            found.append(Wait(metric, call, cause.enter, cause))

    for rank, others in enumerate(targets):
        for k, start in enumerate(calls["Win_start"][rank]):
            posts = [calls["Win_post"][other][k] for other in others]
            judge("mpi_rma_sync_late_post", start, posts)
            puts = calls["Put"][rank][k * len(others):(k + 1) * len(others)]
            for put, post in zip(puts, posts, strict=True):
                judge("mpi_rma_comm_late_post", put, [post])
            judge("mpi_rma_sync_late_post", calls["Win_complete"][rank][k], posts)
            judge("mpi_rma_early_wait", calls["Win_wait"][rank][k],
                  [calls["Win_complete"][other][k] for other in others])
    return found


def direct_costs(run, waits, meetings):
    """Maps (metric, rank, call path) to the ticks that the direct part of `waits` costs there.

    meetings: the times at which all ranks have synchronized. `waits` must be all of the run in which
    anybody between two meetings waits."""
    by_rank = collections.defaultdict(list)
    by_pair = collections.defaultdict(list)
    for wait in waits:
        by_rank[wait.call.rank].append(wait)
        by_pair[frozenset((wait.call.rank, wait.cause.rank))].append(wait.until)
    costs = collections.Counter()
    for wait in waits:
        shared = [time for time in (*meetings,
                                    *by_pair[frozenset((wait.call.rank, wait.cause.rank))])
                  if time < wait.until]
        if not shared:
            continue
        since = max(shared)
        own, _ = _work(run, by_rank, wait.call.rank, since, wait.call.enter)
        others, waited = _work(run, by_rank, wait.cause.rank, since, wait.cause.enter)
        longer = {path: others[path] - own[path] for path in others if others[path] > own[path]}
        whole = sum(longer.values()) + waited
        for path, ticks in longer.items():
            costs[wait.metric, wait.cause.rank, path] += (
                ticks / whole * (wait.until - wait.call.enter))
    return costs


def _work(run, waits_of, rank, begin, end):
    """The rank's times between two moments without its waits, and those."""
    times, waited = run.times(rank, begin, end), 0
    for wait in waits_of[rank]:
        inside = min(wait.until, end) - max(wait.call.enter, begin)
        if inside > 0:
            times[wait.call.path] -= inside
            waited += inside
    return times, waited

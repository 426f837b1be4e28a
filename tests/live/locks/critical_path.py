# SPDX-License-Identifier: BSD-3-Clause
"""The critical path of lock-contention between its two barriers, recomputed from the MPI calls of a
trace."""

import collections


def walk(waits, rank, end, begin):
    """The path backward from `end` on `rank` to `begin`: yields (rank, from, to) in ticks.

    waits: (call, until, rank of the cause)."""
    while True:
        before = [wait for wait in waits
                  if wait[0].rank == rank and begin < wait[1] <= end]
        if not before:
            yield rank, begin, end
            return
        _, until, cause = max(before, key=lambda wait: wait[1])
        yield rank, until, end
        rank, end = cause, until


def path_seconds(trace, analysis, update_calls, barriers):
    """Maps (rank, region) to the seconds that the path spends in bar() and in the calls of the update.

    update_calls: of all ranks; barriers: the calls of the barrier before and of that behind."""
    begin = max(call.enter for call in barriers[0])
    last = max(barriers[1], key=lambda call: call.enter)
    _, bar, _ = trace.delays(0)
    spans = [(call.rank, call.region, call.enter, call.leave) for call in update_calls]
    found = collections.Counter()
    for rank, since, until in walk(analysis.waits, last.rank, last.enter, begin):
        for owner, region, enter, leave in [*spans, (0, "bar", *bar)]:
            if owner == rank:
                ticks = max(0, min(until, leave) - max(since, enter))
                found[rank, region] += ticks / trace.ticks_per_second
    return {key: seconds for key, seconds in found.items() if seconds > 0}

# SPDX-License-Identifier: BSD-3-Clause
"""Lock contention and wait for progress for one lock, recomputed from the MPI calls of a trace."""

import collections

from wait_rules import LOCAL_REGIONS

# From lock to unlock on one rank; `calls` as recorded, in order.
Epoch = collections.namedtuple("Epoch", "rank exclusive calls")
# `by`: the epoch whose release ended the wait.
Queued = collections.namedtuple("Queued", "epoch by call until")


def epochs_of(trace, is_exclusive):
    """All epochs of MPI_Win_lock ... MPI_Win_unlock, a list per rank.

    is_exclusive(rank, ordinal): the kind of the lock, which the calls alone do not tell."""
    found = []
    for rank in range(trace.size):
        epochs, calls = [], None
        for call in trace.calls_of_rank[rank]:
            if call.region == "MPI_Win_lock":
                calls = []
            if calls is not None and call.region not in LOCAL_REGIONS:
                calls.append(call)
            if call.region == "MPI_Win_unlock":
                epochs.append(Epoch(rank, is_exclusive(rank, len(epochs)), calls))
                calls = None
        found.append(epochs)
    return found


def progress_end(call, target_calls, contended):
    """When the wait of `call` for its target ends; its Enter if it does not wait. The need begins where its wait for
    the lock ends, at `contended`. The other wait decides if its part is the longer one."""
    begin = max(call.enter, contended)
    calls = [other for other in target_calls if other.region not in LOCAL_REGIONS]
    if any(other.enter <= begin < other.leave for other in calls):
        return call.enter
    for other in calls:
        if begin < other.enter <= call.leave:
            return other.enter if other.enter - begin >= begin - call.enter else call.enter
    return call.enter


class LockAnalysis:
    """What the epochs of the lock of rank `target` wait for.

    queue: a list of Queued, by the order of the releases;
    seconds: maps (metric, rank, region) to waiting time;
    waits: a list of (call, until, rank waited for)."""

    def __init__(self, trace, epochs, target):
        self.queue = []
        self.waits = []
        self.seconds = collections.defaultdict(float)
        self._trace = trace
        self._target = target
        self._released_after = {}  # by id() of epochs: end of the owner's waiting in the release
        last, last_exclusive = None, None
        for epoch in sorted(epochs, key=lambda epoch: (epoch.calls[-1].leave, epoch.rank)):
            self._judge(epoch, last if epoch.exclusive else last_exclusive)
            last = epoch
            last_exclusive = epoch if epoch.exclusive else last_exclusive

    def _progress(self, epoch, call, contended):
        if epoch.rank == self._target:
            return call.enter
        return progress_end(call, self._trace.calls_of_rank[self._target], contended)

    def _judge(self, epoch, before):
        release = epoch.calls[-1]
        queued = None
        if before is not None and before.rank != epoch.rank:
            queued = self._queued(epoch, before)
        contended = 0
        if queued is not None:
            self.queue.append(queued)
            if queued.call is release:
                contended = queued.until
        self._released_after[id(epoch)] = max(contended, self._progress(epoch, release, contended))
        for call in epoch.calls:
            self._book(epoch, call, queued)

    def _queued(self, epoch, before):
        """The call that waits for the epoch before, or None."""
        release, chosen = before.calls[-1], None
        for call in epoch.calls:
            if call.enter < release.leave and call.leave > release.enter and (
                    call.leave > self._released_after[id(before)]):
                until = min(release.leave, call.leave)
                if chosen is None or until - call.enter >= chosen.until - chosen.call.enter:
                    chosen = Queued(epoch, before, call, until)
        return chosen

    def _book(self, epoch, call, queued):
        """The one wait state of a call: the later event, the contention if they tie."""
        contention = queued.until if queued is not None and queued.call is call else call.enter
        progress = self._progress(epoch, call, contention)
        if max(progress, contention) <= call.enter:
            return
        kind = "lock_competition" if contention >= progress else "wait_for_progress"
        part = "sync" if call.region.startswith("MPI_Win_") else "comm"
        self.waits.append((call, max(progress, contention),
                           queued.by.rank if contention >= progress else self._target))
        ticks = max(progress, contention) - call.enter
        seconds = ticks / self._trace.ticks_per_second
        metric = f"mpi_rma_{part}_{kind}"
        self.seconds[metric, call.rank, call.region] += seconds
        if kind == "wait_for_progress":  # one target: nothing covers the wait behind that for the lock
            behind = (progress - contention) / self._trace.ticks_per_second
            self.seconds[metric + "_lower", call.rank, call.region] += behind


def longest_queue(queue):
    """How many wait at once at most; where one ends the next may begin."""
    steps = sorted([(queued.call.enter, 1) for queued in queue] +
                   [(queued.until, -1) for queued in queue])
    longest = length = 0
    for _, step in steps:
        length += step
        longest = max(longest, length)
    return longest

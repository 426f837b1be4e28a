# SPDX-License-Identifier: BSD-3-Clause
"""What the events say that a rank has waited, one function per rule.

Each yields Wait tuples with inclusive times in ticks: a wait state of a sub-metric is also one of
its parents. The rules are those of the metrics' definitions, for the few calls of one pattern.
"""

import collections

Wait = collections.namedtuple("Wait", "metric rank region ticks")

# Calls that say nothing to the other ranks: they do not make an MPI library progress.
LOCAL_REGIONS = {"MPI_Pcontrol", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Comm_group",
                 "MPI_Group_free", "MPI_Group_incl", "MPI_Group_range_incl"}


def waiting(call, time):
    """How long `call` waits for an event at `time`: only within the call."""
    return time - call.enter if call.enter < time <= call.leave else 0


def wait(metrics, call, time):
    """The wait of `call` for `time`, in each of `metrics`; nothing if it does not wait."""
    if waiting(call, time) > 0:
        for metric in metrics:
            yield Wait(metric, call.rank, call.region, waiting(call, time))


def for_the_last(metric, calls, starts=None):
    """All `calls` of one collective wait for the last to enter it (`starts`: non-blocking)."""
    last = max(call.enter for call in starts or calls)
    for call in calls:
        yield from wait([metric], call, last)


def for_the_last_if_overlapping(metric, calls):
    """The same for calls that synchronize only if all of them overlap."""
    if max(call.enter for call in calls) < min(call.leave for call in calls):
        yield from for_the_last(metric, calls)


def for_the_root(metric, calls, starts, root=0):
    """All but the root wait for its Enter."""
    for call in calls:
        if call.rank != root:
            yield from wait([metric], call, starts[root].enter)


def of_the_root(metric, calls, root=0):
    """The root waits for the last of the others."""
    yield from wait([metric], calls[root],
                    max(call.enter for call in calls if call.rank != root))


def for_lower_ranks(metric, calls):
    """Each waits for the last of the ranks below it."""
    for call in calls[1:]:
        yield from wait([metric], call, max(other.enter for other in calls[:call.rank]))


def for_line_neighbours(metric, calls):
    """Each waits for the later of its neighbours on a line."""
    for call in calls:
        neighbours = calls[max(call.rank - 1, 0):call.rank] + calls[call.rank + 1:call.rank + 2]
        yield from wait([metric], call, max(other.enter for other in neighbours))


def fence(calls, operations_on):
    """The wait of `calls`, one fence, whose epoch has the `operations_on` each target rank."""
    for found in list(for_the_last_if_overlapping("mpi_rma_wait_at_fence", calls)):
        yield found
        call = calls[found.rank]
        late = max((operation.leave for operation in operations_on.get(found.rank, [])),
                   default=call.enter)
        early = min(max(late - call.enter, 0), found.ticks)
        if early > 0:
            yield Wait("mpi_rma_early_fence", found.rank, found.region, early)


def access_epoch(start, operations, complete, posts):
    """Late Post of one access epoch; `operations`: (target, call), `posts`: target -> call."""
    last_post = max(post.enter for post in posts.values())
    yield from wait(["mpi_rma_sync_late_post"], start, last_post)
    for target, operation in operations:
        yield from wait(["mpi_rma_comm_late_post"], operation, posts[target].enter)
    yield from wait(["mpi_rma_sync_late_post"], complete, last_post)


def exposure_epoch(wait_call, complete, operations):
    """Early Wait of an exposure epoch with one origin, which makes `operations` on it."""
    early = waiting(wait_call, complete.enter)
    yield from wait(["mpi_rma_early_wait"], wait_call, complete.enter)
    idle = complete.enter - max(operation.leave for operation in operations)
    if min(idle, early) > 0:
        yield Wait("mpi_rma_late_complete", wait_call.rank, wait_call.region, min(idle, early))


def progress_event(call, target_calls, begin):
    """When the target first makes a call that serves `call`, which needs it from `begin` on; the Enter of `call` if it
    does not wait for that, or waits longer for what ends at `begin`."""
    calls = [other for other in target_calls if other.region not in LOCAL_REGIONS]
    if any(other.enter <= begin < other.leave for other in calls):
        return call.enter
    for other in calls:
        if begin < other.enter <= call.leave:
            return other.enter if other.enter - begin >= begin - call.enter else call.enter
    return call.enter


def lock_epochs(epochs, target_calls):
    """The waits of exclusive or single `epochs` (lists of calls, in the order of their ends) on
    one lock: for the previous owner's release or for the target to make progress."""
    release = None
    for epoch in sorted(epochs, key=lambda calls: calls[-1].leave):
        candidates = []
        if release is not None:
            blocked = [call for call in epoch
                       if call.enter < release.leave and call.leave > release.enter]
            if blocked:
                longest = max(blocked, key=lambda call: (min(release.leave, call.leave) -
                                                         call.enter, call.enter))
                time = min(release.leave, longest.leave)
                candidates.append((longest, time, "lock_competition"))
        for call in epoch:
            locked = max((time for other, time, _ in candidates if other is call), default=0)
            candidates.append((call, progress_event(call, target_calls, max(call.enter, locked)),
                               "wait_for_progress"))
            # One wait state per call: that with the latest event, the contention if they tie.
            _, time, kind = max((candidate for candidate in candidates if candidate[0] is call),
                                key=lambda candidate: (candidate[1], candidate[2]
                                                       == "lock_competition"))
            part = "comm" if call.region == "MPI_Put" else "sync"
            yield from wait([f"mpi_rma_{part}_{kind}"], call, time)
        release = epoch[-1]

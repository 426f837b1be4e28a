# SPDX-License-Identifier: BSD-3-Clause
"""The wait states of passive-target one-sided communication: lock contention, wait for progress."""

from collections import namedtuple

import libraries
import library_functions
import metrics
import wait_states as ws

# An epoch from its acquisition to the end of its release activity, on the location that releases.
Hold = namedtuple("Hold", "loc begin end")
# What a waiting epoch waits for: its own hold, and those of the conflicting epochs of other
# processes before it, from its predecessor's back.
# `head`: (location, time): until then the waiting call depends on this location, not on the lock.
Contention = namedtuple("Contention", "own holds head", defaults=(None,))


def candidates(timeline, windows):
    """The candidates of both rules."""
    waiting = {candidate.activity: candidate
               for candidate in _progress_candidates(timeline, windows)}
    yield from waiting.values()
    for processes in [*windows.values(), *libraries.lock_processes(timeline)]:
        yield from _contention_candidates(processes, waiting)


def _metric(call, suffix):
    library = library_functions.library_of(call.region)
    if library and suffix == "lock_competition":
        return library + "_lock_contention"
    if library:
        kind = "sync" if call.node == library + "_synchronization" else "comm"
        return "%s_%s_%s" % (library, kind, suffix)
    kind = "sync" if call.node == "mpi_rma_sync_passive" else "comm"
    return "mpi_rma_%s_%s" % (kind, suffix)


# --- Wait for Progress -----------------------------------------------------------------------


def _dependencies(windows):
    """{call: set of the other processes whose progress it needs}."""
    needs = {}
    for processes in windows.values():
        if any(process.is_shared_memory for process in processes.values()):
            continue
        for process in processes.values():
            for call, targets in process.needs_progress.items():
                needs.setdefault(call, set()).update(targets - {process.process})
    return needs


def _progressing_calls(timeline):
    """{(rank, library): its progressing calls, those of all threads, ordered by Enter}."""
    progressing = {}
    for loc, calls in timeline.calls.items():
        for call in calls:
            library = library_functions.library_of(call.region)
            progresses = library_functions if library else metrics
            if progresses.is_progressing(call.region):
                progressing.setdefault((loc[0], library), []).append(call)
    for calls in progressing.values():
        calls.sort(key=lambda call: (call.enter, call.loc, call.index))
    return progressing


def _overlaps(call, activity):
    return call.enter <= activity.leave and (call.leave > activity.enter
                                             or call.enter >= activity.enter)


def _progress_candidates(timeline, windows):
    progressing = _progressing_calls(timeline)
    needs = {**_dependencies(windows), **libraries.progress_needs(timeline)}
    for activity, targets in needs.items():
        library = library_functions.library_of(activity.region)
        first_calls = []
        for target in targets:
            overlapping = [call for call in progressing.get((target, library), ())
                           if _overlaps(call, activity)]
            first_calls += overlapping[:1]
        awaited = [call for call in first_calls if call.enter > activity.enter]
        if awaited and activity.is_leaf:
            cause = min(awaited, key=lambda call: (-call.enter, call.loc, call.index))
            yield ws.Candidate(activity, cause.enter, ws.PROGRESS, cause,
                               _metric(activity, "wait_for_progress"), first_calls, 0)


def time_without_overlap(candidate):
    """The part of a wait for progress that no first call of the targets covers."""
    uncovered, begin = 0, candidate.activity.enter
    for call in sorted(candidate.detail, key=lambda call: call.enter):
        end = min(call.enter, candidate.time)
        uncovered += max(0, end - begin)
        begin = max(begin, call.leave)
    return uncovered + max(0, candidate.time - begin)


# --- Lock Contention -------------------------------------------------------------------------


def _conflict(first, second):
    return bool(first.targets & second.targets) and (first.is_exclusive or second.is_exclusive)


def _locks(epochs):
    """The epochs of one window, apart for each lock: by target, unless some lock all of them."""
    if any(len(epoch.targets) != 1 for epoch in epochs):
        return [epochs]
    by_target = {}
    for epoch in epochs:
        by_target.setdefault(min(epoch.targets), []).append(epoch)
    return list(by_target.values())


def _orders(processes):
    """{epoch: time that decides which epoch of a lock comes before which}: the acquisition where it is
    known, else the end of the release."""
    epochs = [epoch for process in processes.values() for epoch in process.locks]
    orders = {}
    for lock in _locks(epochs):
        released = [epoch for epoch in lock if epoch.release]
        is_known = all(epoch.acquire for epoch in released)
        for epoch in released:
            orders[epoch] = epoch.acquired if is_known else epoch.release.leave
    return orders


def _predecessor(epoch, before, orders):
    """The epoch of `before` that blocks `epoch`, None if none does."""
    conflicting = [other for other in before if _conflict(other, epoch)]
    if not conflicting:
        return None
    latest = max(orders[other] for other in conflicting)
    return min((other for other in conflicting if orders[other] == latest),
               key=lambda other: (other.release.loc, other.release.index))


def _activities(epoch, targets):
    """The calls of an epoch that can wait for the lock; operations on `targets` only."""
    others = {operation.call for operation in epoch.operations if operation.target not in targets}
    if epoch.acquire:
        return [epoch.acquire] if epoch.acquire not in others else []
    operations = [operation.call for operation in epoch.operations if operation.call not in others]
    return [epoch.request] + operations + epoch.flushes + [epoch.release]


def _hold(epoch, predecessor, candidate):
    """`candidate`: the lock contention of the epoch, None if it has none."""
    begin = epoch.request.enter
    if epoch.acquire:
        begin = epoch.acquired
    elif candidate:
        begin = max(begin, candidate.time)
    elif predecessor:
        begin = max(begin, predecessor.release.leave)
    return Hold(epoch.release.loc, begin, epoch.release.leave)


def _contention_candidates(processes, waiting_for_progress):
    """`waiting_for_progress`: {call: its candidate of the other rule}."""
    orders = _orders(processes)
    epochs = sorted(orders, key=lambda epoch: (orders[epoch], epoch.release.loc, epoch.release.index))
    found, holds = {}, {}  # {epoch: its candidate}, {epoch: its Hold}
    for position, epoch in enumerate(epochs):
        predecessor = _predecessor(epoch, epochs[:position], orders)
        candidate = _contention(epoch, predecessor, found, waiting_for_progress)
        holds[epoch] = _hold(epoch, predecessor, candidate)
        if candidate:
            found[epoch] = candidate
            before = epochs[:epochs.index(predecessor) + 1]
            awaited = [holds[other] for other in reversed(before)
                       if _conflict(other, epoch) and other.process != epoch.process]
            # A call that waits for several locks until one moment waits for that of the first epoch.
            yield candidate._replace(detail=Contention(holds[epoch], awaited), order=position)


def _contention(epoch, predecessor, found, waiting_for_progress):
    """The candidate of an epoch, None if it does not wait for its predecessor; `found`: those of the
    epochs before."""
    if predecessor is None or predecessor.process == epoch.process:
        return None
    release = predecessor.release
    begin = release.enter
    if predecessor in found:
        if found[predecessor].activity is release:
            begin = max(begin, found[predecessor].time)
    if release in waiting_for_progress:
        begin = max(begin, waiting_for_progress[release].time)
    possible = [call for call in _activities(epoch, predecessor.targets)
                if call.begin < release.leave and call.leave > begin]
    if not possible:
        return None
    call = max(possible, key=lambda call: (min(release.leave, call.leave) - call.begin,
                                           call.enter, call.index))
    time = min(release.leave, call.leave)
    if epoch.request.begin < time and call.begin < time and call.is_leaf:
        return ws.Candidate(call, time, ws.LOCK_CONTENTION, release,
                            _metric(call, "lock_competition"), None, 0)
    return None

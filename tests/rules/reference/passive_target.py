# SPDX-License-Identifier: BSD-3-Clause
"""Lock contention, and the waits for progress of one-sided communication."""

from collections import namedtuple

import libraries
import library_functions
import progress
import wait_states as ws

# An epoch from its acquisition to the end of its release activity, on the location that releases;
# `requested`: when it asked for the lock.
Hold = namedtuple("Hold", "loc begin end requested")
# What a waiting epoch waits for: its own hold, and those of the conflicting epochs of other
# processes before it, from its predecessor's back; `lock`: a Lock.
# `target`: a Target that may lack progress while nobody holds the lock, None: nobody.
# `head`: (location, time): until then the waiting call depends on this location, not on the lock.
Contention = namedtuple("Contention", "own holds lock target head", defaults=(None, None))


class Lock:
    """`group`: what the locks that can be one problem have in common; `key`: the lock. `epochs`:
    {process, or location of a lock of threads: [(request, end of the release)]}."""

    def __init__(self, group, key, of_threads):
        self.group, self.key = group, key
        self._of_threads = of_threads
        self._epochs = {}

    def add(self, owner, requested, end):
        self._epochs.setdefault(owner, []).append((requested, end))

    def parts_inside(self, loc, begin, end):
        """Triples (from, to, is it inside an epoch of the location, or its process) of (begin, end]."""
        epochs = self._epochs.get(loc if self._of_threads else loc[0], ())
        times = {time for epoch in epochs for time in epoch if begin < time < end}
        limits = [begin] + sorted(times) + [end]
        for since, until in zip(limits, limits[1:]):
            yield since, until, any(first <= since and until <= last for first, last in epochs)


class Target:
    """The process that a lock lies on, with its progressing calls, ordered by Enter; `main`: its first thread with
    events, None: none has any."""

    def __init__(self, main, calls):
        self._main, self._calls = main, calls

    def parts(self, begin, end):
        """Triples (location, from, to) of (begin, end]: the thread that lacks progress, the one that
        makes the next progressing call; None while a thread is in such a call."""
        times = {time for call in self._calls for time in (call.enter, call.leave)
                 if begin < time < end}
        limits = [begin] + sorted(times) + [end]
        for since, until in zip(limits, limits[1:]):
            if any(call.enter <= since and until <= call.leave for call in self._calls):
                yield None, since, until
            else:
                following = [call for call in self._calls if call.enter >= until]
                yield following[0].loc if following else self._main, since, until


def candidates(timeline, windows, stated=None):
    """The candidates of both rules. `stated`: as for progress.Evidence."""
    return evaluate(timeline, windows, stated)[0]


def evaluate(timeline, windows, stated=None):
    """(the candidates of both rules, the evidence of the needs for progress)."""
    needs = {**_needs(windows), **libraries.progress_needs(timeline)}
    of_locks = [(("window", key), processes) for key, processes in windows.items()]
    of_locks += [(("library", key), processes) for key, processes in libraries.lock_processes(timeline).items()]
    alone = [candidate for group, processes in of_locks
             for candidate in _contention_candidates(group, processes, None, timeline)]
    evidence = progress.Evidence(timeline, needs, _latest(alone), stated)
    contentions = [candidate for group, processes in of_locks
                   for candidate in _contention_candidates(group, processes, evidence, timeline)]
    return contentions + _progress_candidates(evidence, needs, contentions), evidence


def _latest(contentions):
    """{call: until when it waits for locks}."""
    latest = {}
    for candidate in contentions:
        latest[candidate.activity] = max(candidate.time, latest.get(candidate.activity, 0))
    return latest


def _metric(call, suffix):
    library = library_functions.library_of(call.region)
    if library and suffix == "lock_competition":
        return library + "_lock_contention"
    if library:
        kind = "sync" if call.node == library + "_synchronization" else "comm"
        return "%s_%s_%s" % (library, kind, suffix)
    if call.node == "mpi_rma_sync_active":
        return "mpi_rma_active_" + suffix
    kind = "sync" if call.node == "mpi_rma_sync_passive" else "comm"
    return "mpi_rma_%s_%s" % (kind, suffix)


# --- Wait for Progress -----------------------------------------------------------------------


def _needs(windows):
    """{call: progress.Need} of MPI's windows."""
    needs = {}
    for window, processes in windows.items():
        if any(process.is_shared_memory for process in processes.values()):
            continue
        name = _name(window)
        posts = ws.posts_of(processes)
        for process in processes.values():
            for call, what, targets, sizes, is_later, access in process.needs_progress:
                for target in targets - {process.process}:
                    post = posts.get((access, target))
                    needs.setdefault(call, progress.Need()).add(
                        what, name, {target}, sizes, "access" if access else "lock", is_later,
                        progress.Event(post.enter, post) if post else None)
    return needs


def _progress_candidates(evidence, needs, contentions):
    before = {}  # {call: its latest contention}
    for candidate in contentions:
        other = before.get(candidate.activity)
        if other is None or ws.preference(candidate) < ws.preference(other):
            before[candidate.activity] = candidate
    found = []
    for call in needs:
        contention = before.get(call)
        found.append(progress.candidate(evidence, call, _metric(call, "wait_for_progress"), 0,
                                        contention.time if contention else 0,
                                        contention.detail if contention else None))
    return [candidate for candidate in found if candidate]


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
    begin = epoch.request.begin
    if epoch.acquire:
        begin = epoch.acquired
    elif candidate:
        begin = max(begin, candidate.time)
    elif predecessor:
        begin = max(begin, predecessor.release.leave)
    return Hold(epoch.release.loc, begin, epoch.release.leave, epoch.request.begin)


def _name(window):
    """The name of a window in the scenario."""
    return window[0] if isinstance(window, tuple) else window


def _locks_of(group, epochs):
    """{target: Lock}. Locks of other libraries than MPI are no parts of a window, but variables or mutexes."""
    locks = {}
    for epoch in epochs:
        for target in epoch.targets:
            key = (group, target)
            lock = locks.setdefault(target, Lock(group if group[0] == "window" else key, key, False))
            lock.add(epoch.process, epoch.request.begin, epoch.release.leave)
    return locks


def _target_of(epoch, contended, evidence, timeline):
    """The process on which the lock lies for which an epoch waits; None if it lies on none."""
    library = library_functions.library_of(epoch.release.region)
    process = epoch.lies_on if library else contended
    main = min((loc for loc, calls in timeline.calls.items() if calls and loc[0] == process), default=None)
    return None if process is None else Target(main, evidence.calls.of(process, epoch.release))


def _contention_candidates(group, processes, evidence, timeline):
    """`evidence`: which calls wait for progress; None: none does."""
    orders = _orders(processes)
    epochs = sorted(orders, key=lambda epoch: (orders[epoch], epoch.release.loc, epoch.release.index))
    locks = _locks_of(group, epochs)
    is_needed = evidence is not None and evidence.waits_on(_name(group[1]))
    found, holds = {}, {}  # {epoch: its candidate}, {epoch: its Hold}
    served = {}  # {epoch: when its release has waited for progress}
    for position, epoch in enumerate(epochs):
        predecessor = _predecessor(epoch, epochs[:position], orders)
        candidate = _contention(epoch, predecessor, found, served)
        holds[epoch] = _hold(epoch, predecessor, candidate)
        if evidence:
            is_behind = candidate is not None and candidate.activity is epoch.release
            wait = evidence.wait(epoch.release, candidate.time if is_behind else 0)
            served[epoch] = wait.cause.enter if wait else 0
        if candidate:
            found[epoch] = candidate
            before = epochs[:epochs.index(predecessor) + 1]
            awaited = [holds[other] for other in reversed(before)
                       if _conflict(other, epoch) and other.process != epoch.process]
            # A call that waits for several locks until one moment waits for that of the first epoch.
            contended = min((epoch if len(epoch.targets) <= len(predecessor.targets)
                             else predecessor).targets)
            target = _target_of(epoch, contended, evidence, timeline) if is_needed else None
            yield candidate._replace(
                detail=Contention(holds[epoch], awaited, locks[contended], target), order=position)


def _contention(epoch, predecessor, found, served):
    """The candidate of an epoch, None if it does not wait for its predecessor; `found`, `served`: the candidates of
    the epochs before, and until when their releases waited for progress."""
    if predecessor is None or predecessor.process == epoch.process:
        return None
    release = predecessor.release
    begin = release.enter
    if predecessor in found:
        if found[predecessor].activity is release:
            begin = max(begin, found[predecessor].time)
    begin = max(begin, served.get(predecessor, 0))
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

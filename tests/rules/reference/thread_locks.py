# SPDX-License-Identifier: BSD-3-Clause
"""Contention for the locks of threads: mutexes, OpenMP's locks and critical constructs; and ordered
constructs, whose sections are the holds of a lock, too."""

import wait_states as ws
from passive_target import Contention, Hold, Lock
from thread_waits import condition_awakenings

_SHARED = ("pthread_rwlock_rdlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_timedrdlock",
           "pthread_rwlock_clockrdlock")


class _Hold:
    """A thread's hold of a lock; `call` is the one with the acquire record, None if only the release
    tells of the acquisition."""

    def __init__(self, loc, lock, order, acquired, call, acquired_in, is_shared=False):
        self.loc = loc
        self.lock = lock
        self.order = order
        self.acquired = acquired
        self.call = call
        self.is_shared = is_shared or acquired_in in _SHARED
        self.release = None
        self.end = None  # of its release activity
        self.released = None  # when that begins: the end of a construct's section, else the Enter of the call

    def conflicts(self, other):
        return not (self.is_shared and other.is_shared)


def _end_of_release(record):
    """A condition's wait goes on long after it has released its mutex."""
    if _is_condition_wait(record.call):
        return record.time
    return record.call.leave


def _is_condition_wait(call):
    return call.node == "pthread_conditional" and "wait" in call.region


def _is_pthread(call):
    return call.node.startswith("pthread_")


def holds_of_locks(timeline):
    """[[hold]] of each lock, in the order of its acquisitions; those that are never released and
    those of unknown begin are left out."""
    locks = {}
    for loc, records in timeline.thread_records.items():
        open_holds = {}
        for record in records:
            if record.name not in ("acquire_lock", "release_lock") or record.call is None:
                continue
            key = loc[0], _is_pthread(record.call), record.args[0]
            if record.name == "acquire_lock":
                open_holds[key, record.args[1]] = _Hold(loc, key[1:], record.args[1], record.time,
                                                          record.call, record.call.region)
                continue
            _, order, acquired, acquired_in, is_shared = record.args
            hold = open_holds.pop((key, order), None)
            if hold is None and acquired is not None:
                hold = _Hold(loc, key[1:], order, acquired, None, acquired_in, is_shared)
            if hold is not None:
                hold.release, hold.end = record.call, _end_of_release(record)
                hold.released = record.time if record.call.region.startswith("!$omp") else record.call.enter
                locks.setdefault(key, []).append(hold)
    for holds in locks.values():
        holds.sort(key=lambda hold: (hold.order, hold.acquired, hold.loc))
    return list(locks.values())


def blocked_by(holds, position):
    """Position of the hold that another one waits for: the latest conflicting one before it, None without. A writer
    waits for the one of the readers since the last writer that ends last."""
    conflicting = [number for number in range(position)
                   if holds[number].conflicts(holds[position])]
    if not conflicting:
        return None
    last = holds[conflicting[-1]]
    if last.is_shared:
        writers = [number for number in conflicting if not holds[number].is_shared]
        readers = [number for number in conflicting if not writers or number > writers[-1]]
        return max(readers, key=lambda number: (holds[number].end, -number))
    return next(number for number in conflicting
                if (holds[number].order, holds[number].acquired) == (last.order, last.acquired))


def _metric(call):
    if call.node == "omp_critical":
        return "omp_lock_contention_critical"
    if not _is_pthread(call):
        return "omp_lock_contention_api"
    return "pthread_lock_contention_%s" % (
        "conditional" if call.node == "pthread_conditional" else "mutex_lock")


def _can_time_out(call):
    return _is_condition_wait(call) and call.region.endswith(("_timedwait", "_clockwait"))


def _wanted_from(hold, predecessor, awakenings):
    """When the acquiring call began to wait for the lock: a wait for a condition does when it is
    awakened, else at some time of the hold before."""
    since = hold.call.begin
    if hold.call in awakenings:
        since = awakenings[hold.call].enter
    elif _is_condition_wait(hold.call):
        since = predecessor.acquired
    return max(since, hold.call.begin)


def _requested(hold, awakenings):
    """When a thread asks for a lock: in a wait for a condition when it is awakened."""
    if hold.call is None:
        return hold.acquired
    if _is_condition_wait(hold.call):
        return awakenings[hold.call].enter if hold.call in awakenings else hold.acquired
    return hold.call.begin


def _lock_of(holds, awakenings):
    key = (holds[0].loc[0], *holds[0].lock)
    lock = Lock(("thread lock", key), key, True)
    for hold in holds:
        lock.add(hold.loc, _requested(hold, awakenings), hold.end)
    return lock


def _of_lock(holds, awakenings):
    return [candidate for candidate, is_awakened_late in queue_of(holds, awakenings) if not is_awakened_late]


def queue_of(holds, awakenings):
    """[(candidate, does it wait longer for the condition, which decides)] of those in the queue for a lock."""
    waits = {}  # {hold: its candidate}
    queue = []
    lock = _lock_of(holds, awakenings) if holds else None
    for position, hold in enumerate(holds):
        number = blocked_by(holds, position)
        if number is None or holds[number].loc == hold.loc or hold.call is None:
            continue
        if _can_time_out(hold.call) and hold.call not in awakenings:
            continue  # when the call wanted the mutex again is not known
        predecessor, window = holds[number], next(iter(hold.call.stretches()), None)
        begin = predecessor.release.enter
        if predecessor in waits and waits[predecessor].activity is predecessor.release:
            begin = max(begin, waits[predecessor].time)
        if window is None or window[0] >= predecessor.end or window[1] <= begin:
            continue
        time = min(predecessor.end, window[1])
        if max(window[0], _wanted_from(hold, predecessor, awakenings)) >= time:
            continue
        awakening = awakenings.get(hold.call)
        is_awakened_late = awakening is not None and awakening.enter - hold.call.enter > time - awakening.enter
        head = None if awakening is None else (awakening.loc, awakening.enter)
        before = [_as_hold(other, awakenings) for other in reversed(holds[:number + 1])
                  if other.conflicts(hold) and other.loc != hold.loc]
        contention = Contention(_as_hold(hold, awakenings), before, lock, None, head)
        candidate = ws.Candidate(hold.call, time, ws.LOCK_CONTENTION, predecessor.release,
                                 _metric(hold.call), contention, position)
        queue.append((candidate, is_awakened_late))
        if not is_awakened_late:
            waits[hold] = candidate
    return queue


def _as_hold(hold, awakenings):
    return Hold(hold.loc, hold.acquired, hold.end, _requested(hold, awakenings))


def _end_of_section(hold):
    """Of an ordered construct: the end of its block."""
    blocks = [call for call in hold.release.nested if call.region.startswith("!$omp ordered sblock")]
    return (blocks[-1] if blocks else hold.release).leave


def _ordered(holds):
    for position, hold in enumerate(holds):
        number = blocked_by(holds, position)
        if number is None or holds[number].loc == hold.loc or hold.call is None:
            continue
        time = _end_of_section(holds[number])
        yield ws.Candidate(hold.call, time, ws.ORDERED, holds[number].release, "omp_ordered_wait", None, position)


def candidates(timeline):
    awakenings = condition_awakenings(timeline)
    for holds in holds_of_locks(timeline):
        ordered = [hold for hold in holds if hold.release.node == "omp_ordered"]
        yield from _ordered(ordered)
        yield from _of_lock([hold for hold in holds if hold.release.node != "omp_ordered"],
                            awakenings)

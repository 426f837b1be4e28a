# SPDX-License-Identifier: BSD-3-Clause
"""Blame: which location worked, and in which call path, while another one waited.

Instants are half-open: the interval (begin, end] holds the instants behind `begin` until `end`.
"""

from collections import namedtuple

from intervals import KINDS

# Parent of every metric; values include those of the children.
METRICS = {"blame": None, **{"blame_" + kind: "blame" for kind in KINDS},
           "blame_unattributed": "blame"}

# The part (begin, end] of the waiting of `wait` for which `loc` is blamed in `path`; None where it
# has no call path then. `lacks_progress`: it, or a location that waits for it, makes no progress while nobody holds a
# lock.
Part = namedtuple("Part", "wait loc path begin end lacks_progress")


def _overlap(begin, end, first, last):
    return max(begin, first), min(end, last)


class Blame:
    """values: {metric: {(call path, location): time}} of METRICS; matrix: {(waiting location,
    blamed location): time}; parts: [Part]."""

    def __init__(self, intervals):
        self._intervals = intervals
        self.parts = []
        self.values = {metric: {} for metric in METRICS}
        self.matrix = {}
        for wait in intervals.wait_states:
            self._wait, self._lacks_progress = wait, False
            self._follow((wait,), wait.begin, wait.time)
        for part in self.parts:
            self._book(part)
        waiting = sum(wait.waiting_time for wait in intervals.wait_states)
        assert sum(self.values["blame"].values()) == waiting, "blame is not all waiting"

    def root_path(self, loc):
        """The first root call path of a location: it has what cannot be attributed. That of a thread
        below its master's path is the master's."""
        return self._intervals.calls[loc][0].path[:1]

    def _book(self, part):
        time = part.end - part.begin
        path, metric = part.path, "blame_" + part.wait.kind
        if path is None:
            path, metric = self.root_path(part.loc), "blame_unattributed"
        while metric is not None:
            cells = self.values[metric]
            cells[path, part.loc] = cells.get((path, part.loc), 0) + time
            metric = METRICS[metric]
        pair = part.wait.waiting, part.loc
        self.matrix[pair] = self.matrix.get(pair, 0) + time

    def _add(self, loc, path, begin, end):
        self.parts.append(Part(self._wait, loc, path, begin, end, self._lacks_progress))

    def _follow(self, chain, begin, end):
        """Blames somebody for (begin, end] of the last wait state of a chain."""
        before = self._lacks_progress
        for loc, since, until, lacks_progress in _awaited(chain[-1], begin, end):
            self._lacks_progress = before or lacks_progress
            if loc is None and chain[-1].is_polled:
                self._blame(chain[-1].waiting, since, until)
                continue
            if loc is None:
                self._add(chain[-1].waiting, chain[-1].activity.path, since, until)
                continue
            at = since
            for wait in self._intervals.locations[loc].waits:
                first, last = _overlap(wait.begin, wait.time, since, until)
                if first >= last:
                    continue
                self._blame(loc, at, first)
                if wait.time <= chain[-1].time and wait not in chain:
                    self._follow(chain + (wait,), first, last)
                elif wait.is_polled:
                    self._blame(loc, first, last)
                else:
                    self._add(loc, wait.activity.path, first, last)
                at = last
            self._blame(loc, at, until)
        self._lacks_progress = before

    def _blame(self, loc, begin, end):
        """Blames a location that does not wait in (begin, end]."""
        at = begin
        for first, last, path in self._intervals.locations[loc].segments:
            first, last = _overlap(first, last, begin, end)
            if first < last:
                self._blame_nothing(loc, at, first)
                self._add(loc, path, first, last)
                at = last
        self._blame_nothing(loc, at, end)

    def _blame_nothing(self, loc, begin, end):
        if begin < end:
            self._add(loc, None, begin, end)


def _awaited(wait, begin, end):
    """(location, from, to, does it lack progress) of (begin, end]: on whom the waiting location
    depends; None: nobody keeps it waiting, the library hands the lock over."""
    if wait.head_end is not None:
        before = _awaited_for_lock(wait, begin, min(end, wait.head_end)) if begin < wait.head_end else []
        behind = max(begin, wait.head_end)
        return before + ([(wait.causing, behind, end, False)] if behind < end else [])
    if wait.late is not None:
        at = max(begin, min(end, wait.late.enter))
        awaited = [(wait.late.loc, begin, at, False), (wait.causing, at, end, False)]
        return [part for part in awaited if part[1] < part[2]]
    if not wait.is_contention:
        return [(wait.causing, begin, end, False)]
    if wait.contention.head is not None:
        awakening, time = wait.contention.head
        if begin < time:
            return ([(awakening, begin, min(end, time), False)]
                    + (_awaited_for_lock(wait, time, end) if time < end else []))
    return _awaited_for_lock(wait, begin, end)


def _awaited_for_lock(wait, begin, end):
    holds = wait.contention.holds
    times = {time for hold in holds for time in (hold.begin, hold.end, hold.requested)
             if begin < time < end}
    limits = [begin] + sorted(times) + [end]
    awaited = []
    for since, until in zip(limits, limits[1:]):
        loc = _holder(holds, since, until)
        if loc is None and wait.contention.target is not None:
            awaited += [(*part, part[0] is not None)
                        for part in wait.contention.target.parts(since, until)]
        else:
            awaited.append((loc, since, until, False))
    return awaited


def _holder(holds, since, until):
    """Whose hold a location waits for in (since, until], which no begin, end or request of a hold
    divides: the latest in their order that contains it, else the one that begins next, of several
    the latest in their order, if it is requested by then; None: nobody's."""
    for hold in holds:
        if hold.begin <= since and until <= hold.end:
            return hold.loc
    following = [hold for hold in holds if hold.begin >= until]
    hold = min(following, key=lambda hold: hold.begin)
    return hold.loc if hold.requested <= since else None

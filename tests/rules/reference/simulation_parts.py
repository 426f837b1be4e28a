# SPDX-License-Identifier: BSD-3-Clause
"""What the parts of the simulation share: locations and calls that wait."""


class Location:
    def __init__(self, rank, thread):
        self.rank = rank
        self.thread = thread
        self.clock = 0
        self.events = []
        self.regions = []
        self.blocked = None
        self.requests = []

    @property
    def name(self):
        return "%d.%d" % (self.rank, self.thread) if self.thread else "%d" % self.rank


class Blocked:
    """A call that is not over yet. `ready()` tells the time from which on it can end, None while
    that is open; `waits_for()` the ranks that must act before; `finish()` writes the records
    before its Leave."""

    def __init__(self, ready, waits_for, finish):
        self.ready = ready
        self.waits_for = waits_for
        self.finish = finish


class Request:
    """An open request: `ready` and `waits_for` as for blocked calls, `record()` its completion;
    `detail` of a receive: (channel, posted)."""

    def __init__(self, kind, name, ready, waits_for, record, detail=None):
        self.kind = kind
        self.name = name
        self.ready = ready
        self.waits_for = waits_for
        self.record = record
        self.detail = detail


def latest(times):
    """The latest of some times, 0 without any, None if one is still open."""
    times = list(times)
    return None if None in times else max(times, default=0)

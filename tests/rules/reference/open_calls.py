# SPDX-License-Identifier: BSD-3-Clause
"""Calls that are never left: how long they last, and what they wait for."""

import copy
from fractions import Fraction

import library_functions
import metrics
from scenario_file import TICKS_PER_UNIT, Event

_JOB_END = 2  # seconds: a process whose last heartbeat is not older than this lasts to the end of the job

# What an open call waits for. `source` (world rank; None: any), `tag` (None: any) and `comm` of a receive or probe;
# `comm`, `root` of a collective; `window`, `target` (world rank; None: all) of a call on a window; `request`: the id of
# the request that it is about, None: the call itself. Members that are not stated are absent.
class Awaited(dict):
    __getattr__ = dict.get


def groups_of(call):
    """[Awaited] of an open call, in the order of its records."""
    found = []
    group = Awaited()
    for record in call.records:
        stated = _stated(record)
        if group.keys() & stated.keys():
            found.append(group)
            group = Awaited()
        group.update(stated)
        if record.name == "failed" and record.args:
            group["request"] = record.args[0]
            found.append(group)
            group = Awaited()
    return found + ([group] if group else [])


def _stated(record):
    if record.name == "probe":
        return dict(zip(("source", "tag", "comm"), record.args))
    if record.name == "members":
        return dict(zip(("comm", "root"), record.args))
    if record.name == "target":
        return dict(zip(("window", "target"), record.args))
    return {}


def completes_requests(call):
    return bool(call.name) and call.name.startswith(("Wait", "Test")) and call.name != "Test_cancelled"


def receives(call):
    return bool(call.name) and "recv" in call.name.lower()


def _is_finalize(region):
    return metrics.mpi_name(region) == "Finalize" or library_functions.kind_of(region) == "finalize"


def is_call(region):
    return metrics.own_node(region) != "comp"


class _End:
    """How a location ends: the regions that are open, and whether its recording was paused."""

    def __init__(self, events):
        self.open, self.is_paused, self.last = [], False, events[-1].time
        self.has_finalized = False
        for event in events:
            if event.name == "enter":
                self.open.append(event.args[0])
            elif event.name == "leave" and self.open:
                self.has_finalized |= _is_finalize(self.open.pop())
            elif event.name in ("recording_off", "recording_on"):
                self.is_paused = event.name == "recording_off"

    @property
    def has_open_call(self):
        return any(map(is_call, self.open))


def _of_heartbeat(scenario, rank):
    """The end of a process by its last heartbeat, None without."""
    heartbeat = scenario.heartbeats.get(rank)
    if heartbeat is None or scenario.job_end is None:
        return heartbeat
    limit = _JOB_END * TICKS_PER_UNIT / Fraction(scenario.unit)
    return scenario.job_end if 0 <= scenario.job_end - heartbeat <= limit else heartbeat


class Ends:
    """of: {location: until when it lasts} of those that never leave some function; has_open_calls: whether the run
    ended inside calls; ended: ranks whose processes ended by themselves."""

    def __init__(self, scenario):
        ends = {loc: _End(events) for loc, events in scenario.events.items() if events}
        known = {rank: _of_heartbeat(scenario, rank) for rank in scenario.heartbeats}
        latest = max([end.last for end in ends.values()] + list(known.values()), default=0)
        self.ended = {rank for rank in range(scenario.ranks)
                      if rank in scenario.ended or rank not in known and any(
                          end.has_finalized for loc, end in ends.items() if loc[0] == rank)}
        self.of, self.has_open_calls = {}, False
        for loc, end in ends.items():
            if not end.open or end.is_paused:
                continue
            if loc[0] not in self.ended:
                self.of[loc] = max(known.get(loc[0], latest), end.last)
                self.has_open_calls |= end.has_open_call
            elif end.has_open_call:
                self.of[loc] = max(other.last for of, other in ends.items() if of[0] == loc[0])


def extended(scenario, ends):
    """The scenario with an event at the end of each location that lasts longer than its events."""
    if not ends.of:
        return scenario
    result = copy.copy(scenario)
    result.events = dict(scenario.events)
    for loc, time in ends.of.items():
        events = scenario.events[loc]
        result.events[loc] = events + [Event(time, loc, "end", (), events[-1].line)]
    return result

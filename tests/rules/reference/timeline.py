# SPDX-License-Identifier: BSD-3-Clause
"""The calls of every location and the records that lie in them."""

import collections

from scenario_file import ScenarioError
import composition
import library_functions
import loops
import metrics
import open_calls
import teams

# Records that a call has once for each communicator, window or request: what tells them apart. A
# second one is a copy.
_ONCE = {"coll_end": slice(1, 2), "rma_coll_end": slice(1, 2), "nb_coll_complete": slice(5, 6),
         "group_sync": slice(None)}


class Call:
    """One instance of a region on one location.

    `index` is its position among the calls of its location, `records` are the records whose
    innermost open region it is. A call that is never left lasts as open_calls.Ends states. `begin` is its Enter, or that of the first call of the polling loop that
    it ends. It stands for `count` calls, between which `gaps` of its time lie.
    """

    __slots__ = ("loc", "index", "region", "path", "enter", "leave", "child_time", "is_leaf",
                 "records", "name", "node", "nested", "position", "end_position", "flushed", "is_open",
                 "begin", "loop", "count", "gaps", "awaited")

    def __init__(self, loc, index, region, parent, enter, inherited, position):
        self.loc = loc
        self.index = index
        self.region = region
        self.path = (parent.path if parent else inherited) + (region,)
        self.enter = self.begin = enter
        self.loop = None  # number of the first call of the loop that it ends
        self.count, self.gaps = 1, 0
        self.leave = None
        self.child_time = 0
        self.is_leaf = True
        self.records = []
        self.name = metrics.mpi_name(region)
        self.node = metrics.own_node(region)
        self.nested = []  # the calls in it
        self.position = position  # of its Enter among the events of the location
        self.end_position = None  # of its Leave
        self.flushed = 0  # time in which the recorder flushed, in no nested call
        self.is_open = False  # it is never left
        self.awaited = []  # names of the records of what it would complete, then
        if parent:
            parent.is_leaf = False
            parent.nested.append(self)

    @property
    def call(self):
        """As for a Stretch."""
        return self

    @property
    def own_time(self):
        return self.leave - self.enter - self.child_time - self.flushed - self.gaps

    def stretches(self):
        """[(begin, end)] of the parts of the call in which it can wait, none if it cannot at all:
        calls are leaves, but critical and ordered constructs wait until their block begins, and
        threads execute tasks while they wait for others."""
        if self.is_leaf:
            return [(self.begin, self.leave)]
        if self.node in ("omp_critical", "omp_ordered"):
            return [(self.enter, self.nested[0].enter)]
        if self.node in ("omp_ebarrier", "omp_ibarrier", "omp_taskwait"):
            begins = [self.enter] + [call.leave for call in self.nested]
            return list(zip(begins, [call.enter for call in self.nested] + [self.leave]))
        return []

    def begin_of_waiting(self, time):
        """Where waiting until `time` begins, None if the call cannot wait then."""
        return next((begin for begin, end in self.stretches() if begin < time <= end), None)


class Stretch:
    """A part (begin, end) of a call, between two of its nested calls, that waits by itself: it stands
    for the call as the activity of a wait state."""

    def __init__(self, call, number):
        self.call = call
        self.loc, self.index, self.path = call.loc, call.index, call.path
        self.begin, self.end = call.stretches()[number]
        self.position = call.nested[number - 1].end_position if number else call.position

    def begin_of_waiting(self, time):
        return self.begin if self.begin < time <= self.end else None


class Record:
    """A record of the trace other than Enter and Leave, with its enclosing call."""

    __slots__ = ("name", "args", "call", "sequence", "time")

    def __init__(self, event, call, sequence):
        self.name = event.name
        self.args = event.args
        self.call = call
        self.sequence = sequence
        self.time = event.time


def _count_visits(scenario):
    """{(call path, location): number of calls} of the events as they are."""
    visits = collections.Counter()
    inherited = teams.Teams(scenario)
    for loc, events in scenario.events.items():
        stack = []
        for sequence, event in enumerate(events):
            if event.name == "enter":
                outer = stack[-1] if stack else inherited.inherited_path(loc, sequence)
                stack.append(outer + (event.args[0],))
                visits[stack[-1], loc] += 1
            elif event.name == "leave" and stack:
                stack.pop()
            elif event.name == "merged" and stack:
                visits[stack[-1], loc] += event.args[0] - 1
    return visits


class Times:
    """What a location does when. `segments`: (begin, end, call path) of the innermost open region;
    `merged`: (call, call path around it) of the calls that stand for several ones; `flushes`: (begin, end,
    call path) of the recorder's work."""

    def __init__(self, segments, merged, flushes):
        self.segments, self.merged, self.flushes = segments, merged, flushes

    def in_regions(self, start, end):
        """{call path: exclusive time between `start` and `end`}."""
        times = {}
        for begin, finish, path in self.segments:
            overlap = min(finish, end) - max(begin, start)
            if overlap > 0:
                times[path] = times.get(path, 0) + overlap
        for call, outer in self.merged:
            length = call.leave - call.enter
            first, last = max(start, call.enter) - call.enter, min(end, call.leave) - call.enter
            if first < last:
                gaps = last * call.gaps // length - first * call.gaps // length
                times[call.path] -= gaps
                times[outer] = times.get(outer, 0) + gaps
        return {path: time for path, time in times.items() if time}

    def in_loop(self, start, end):
        """The same for a part of a polling loop that waits: without the work of the recorder."""
        times = self.in_regions(start, end)
        for begin, finish, path in self.flushes:
            overlap = min(finish, end) - max(begin, start)
            if overlap > 0:
                times[path] -= overlap
        return times


class Timeline:
    """calls: {location: [Call]} in the order of their Enters; records: {rank: [Record]} in the
    process's order (MPI records inside MPI calls only); library_records: those inside calls of other
    libraries; thread_records: {location: [Record]} of threads, whose call is None outside of all;
    segments: {location: [(begin, end, call path)]} of the innermost open region; teams: Teams; ends: open_calls.Ends;
    merged: {location: [(call, call path around it)]}, see Times;
    visits: {(call path, location): number of calls}. Stretches that are known by samples are composed
    in all but the visits."""

    def __init__(self, scenario):
        self.visits = _count_visits(scenario)
        self.is_sampled = composition.is_sampled(scenario)
        self.ends = open_calls.Ends(scenario)
        scenario.lasting = set(self.ends.of)
        polled = loops.find(scenario)
        self.recorded = scenario if composition.has_estimates(scenario) else None
        scenario = open_calls.extended(composition.compose(scenario), self.ends)
        self.scenario = scenario
        self.calls = {}
        self.records = {rank: [] for rank in range(scenario.ranks)}
        self.library_records = {rank: [] for rank in range(scenario.ranks)}
        self.thread_records = {}
        self.segments = {}
        self.merged = {}
        self.flushes = {}  # {location: [(begin, end, call path)]}
        self.teams = teams.Teams(scenario)
        for loc in sorted(scenario.events):
            self._add_location(loc, scenario.events[loc])
            self._add_loops(loc, polled[loc])
        for records in [*self.records.values(), *self.library_records.values()]:
            # One thread: the order of the records. Several: the process has no common sequence, so
            # the Enter of the enclosing call decides, then the thread, then the sequence.
            if len({record.call.loc for record in records}) > 1:
                records.sort(key=lambda r: (r.call.enter, r.call.loc, r.sequence))

    def times(self, loc):
        return Times(self.segments.get(loc, []), self.merged.get(loc, []), self.flushes.get(loc, []))

    def _add_location(self, loc, events):
        calls, stack, segments = [], [], []
        since = None
        for sequence, event in enumerate(events):
            if stack and event.time > since:
                segments.append((since, event.time, stack[-1].path))
            since = event.time
            if event.name == "enter":
                call = Call(loc, len(calls), event.args[0], stack[-1] if stack else None,
                            event.time, self.teams.inherited_path(loc, sequence), sequence)
                calls.append(call)
                stack.append(call)
            elif event.name == "leave":
                if not stack or stack[-1].region != event.args[0]:
                    raise ScenarioError("line %d: leave without enter" % event.line)
                self._close(stack, event.time, sequence)
            elif event.name == "merged":
                if stack and stack[-1].node != "comp":
                    stack[-1].count = event.args[0]
                    stack[-1].gaps = event.args[1] if len(stack) > 1 else 0  # there is a caller
            elif event.name == "buffer_flush":
                if stack:
                    self.flushes.setdefault(loc, []).append((event.time, event.args[0], stack[-1].path))
                    stack[-1].flushed += event.args[0] - event.time
            elif event.name in teams.THREAD_EVENTS:
                record = Record(event, stack[-1] if stack else None, sequence)
                self.thread_records.setdefault(loc, []).append(record)
            elif stack and (stack[-1].name or library_functions.library_of(stack[-1].region)):
                record = Record(event, stack[-1], sequence)
                what = _ONCE.get(record.name)
                if what and any(other.name == record.name and other.args[what] == record.args[what]
                                for other in stack[-1].records):
                    continue  # a copy
                stack[-1].records.append(record)
                records = self.records if stack[-1].name else self.library_records
                records[loc[0]].append(record)
        while stack:
            stack[-1].is_open = True
            self._close(stack, events[-1].time, len(events))
        self.calls[loc] = calls
        self.segments[loc] = segments
        self.merged[loc] = [(call, call.path[:-1]) for call in calls if call.gaps]

    def _add_loops(self, loc, polled):
        of_libraries = [call for call in self.calls[loc] if call.node != "comp"]
        for first, last in polled:
            of_libraries[last].loop = first
            of_libraries[last].begin = of_libraries[first].enter

    @staticmethod
    def _close(stack, time, position):
        call = stack.pop()
        call.leave = time
        call.end_position = position
        if stack:
            stack[-1].child_time += call.leave - call.enter - call.gaps

# SPDX-License-Identifier: BSD-3-Clause
"""Problems of idle threads: what masters execute while threads of their processes are outside of all their
regions. A class of their own: together they cost all idle time of the run."""

from fractions import Fraction
from types import SimpleNamespace

import critical_path
import metrics
import occasions
import thread_times
from problems import IDLE, Cause, Problem, function_of, group_locations

_PARALLEL = "!$omp parallel"


def _is_parallel(region):
    return region.startswith(_PARALLEL)


def _cut(begin, end, waits):
    """(begin, end, whether the location waits) of the parts of a span."""
    times = {time for wait in waits for time in (wait.begin, wait.time) if begin < time < end}
    limits = [begin, *sorted(times), end]
    for first, last in zip(limits, limits[1:]):
        yield first, last, any(wait.begin <= first and last <= wait.time for wait in waits)


class _Forest:
    """To which call path the idle time in each call path is charged; `own`: {call path: idle time}."""

    def __init__(self, paths, own):
        self._other = set()  # call paths that are, or lead to, parallel regions or calls of libraries
        for path in paths:
            if metrics.own_node(path[-1]) != "comp" or _is_parallel(path[-1]):
                self._other.update(path[:length] for length in range(1, len(path) + 1))
        self._inclusive = {}  # of functions: with all that they call
        for path, time in own.items():
            for caller in self._callers(function_of(path)):
                self._inclusive[caller] = self._inclusive.get(caller, 0) + time

    @staticmethod
    def _callers(function):
        """A function and the functions that call it, from the innermost on."""
        while function:
            yield function
            function = function_of(function[:-1]) if function[:-1] else ()

    def cause(self, path):
        """The call path that is charged."""
        for length in range(1, len(path) + 1):
            if _is_parallel(path[length - 1]):
                return path[:length]
        function = function_of(path)
        if function in self._other:
            return function
        serial = [caller for caller in self._callers(function) if caller not in self._other]
        chosen, *inner = reversed(serial)
        for callee in inner:
            part, whole = self._inclusive.get(callee, 0), self._inclusive.get(chosen, 0)
            if part == 0 or 5 * part < 4 * whole:
                break
            chosen = callee
        return chosen


class IdleProblems:
    """problems: [Problem], without an order; `phases`: regions of the iterations of occasions, None: symptoms
    and occasions are left out."""

    def __init__(self, timeline, intervals, phases):
        self._timeline, self._intervals = timeline, intervals
        self._pieces = []  # (metric, master, call path, begin, end, slave)
        self._waited = []  # the same, while the master waits
        for metric, master, path, slave, begin, end in thread_times.idle_spans(timeline):
            for first, last, waits in _cut(begin, end, intervals.locations[master].waits):
                (self._waited if waits else self._pieces).append(
                    (metric, master, path, first, last, slave))
        self.problems = []
        if not self._pieces and not self._waited:
            return
        own = {}
        for _, _, path, begin, end, _ in self._pieces:
            own[path] = own.get(path, 0) + end - begin
        paths = {call.path for calls in timeline.calls.values() for call in calls}
        paths |= {path for path, _ in timeline.visits}
        self._forest = _Forest(paths, own)
        self._add_causes()
        self._add_waited()
        whole = sum(problem.cost for problem in self.problems)
        assert whole == sum(end - begin for *_, begin, end in thread_times.idle_spans(timeline)), \
            "the problems do not add up to all idle time"
        if phases is not None:
            self._describe(occasions.Run(intervals, phases), whole)

    def _add_causes(self):
        costs = {}
        for _, master, path, begin, end, _ in self._pieces:
            cause = Cause(IDLE, self._forest.cause(path), master)
            costs[cause] = costs.get(cause, 0) + end - begin
        groups = {}
        for cause, cost in costs.items():
            groups.setdefault(cause.path, []).append((Fraction(cost), cause))
        for group in groups.values():
            self.problems += group_locations(group)
        path_times = critical_path.CriticalPath(self._intervals).values["critical_path"]
        for problem in self.problems:
            if metrics.own_node(problem.path[-1]) == "comp":
                problem.gain = self._gain(problem, costs, path_times)

    def _gain(self, problem, costs, path_times):
        """What the run can save: if the idle threads take part, and without all of it."""
        balanced = removed = Fraction(0)
        for master in problem.locations:
            cost = costs[Cause(IDLE, problem.path, master)]
            busy = sum(time for path, time in
                       self._intervals.locations[master].whole_profile().items()
                       if self._forest.cause(path) == problem.path)
            is_parallel = _is_parallel(problem.path[-1])
            on_path = sum(time for (path, loc), time in path_times.items()
                          if (loc[0] == master[0] if is_parallel else loc == master)
                          and self._forest.cause(path) == problem.path)
            work = busy * self._timeline.scenario.threads if is_parallel else busy + cost
            removed += on_path
            balanced += on_path * Fraction(cost, work)
        return balanced, removed

    def _add_waited(self):
        if self._waited:
            self.problems.append(Problem(IDLE, None, [],
                                         Fraction(sum(end - begin for _, _, _, begin, end, _
                                                      in self._waited))))

    def _describe(self, run, whole):
        for problem in self.problems:
            pieces = self._waited if problem.path is None else [
                piece for piece in self._pieces if piece[1] in problem.locations
                and self._forest.cause(piece[2]) == problem.path]
            if problem.path is not None and 100 * problem.cost < whole:
                continue
            for metric, _, path, begin, end, _ in pieces:
                key = metric, path
                problem.symptoms[key] = problem.symptoms.get(key, 0) + end - begin
            problem.occasions = (None, []) if problem.path is None else run.occasions(
                [(SimpleNamespace(waiting=master), (begin, end), Fraction(end - begin))
                 for _, master, _, begin, end, _ in pieces])

# SPDX-License-Identifier: BSD-3-Clause
"""The problems of a run: causes of waiting, each with all waiting that stems from it.

A cause is a call path on one location, with a kind. Costs are exact fractions of 1/1000 units; all
problems together cost all waiting of the run. A lock is a cause of its own, as far as library calls
inside its epochs are blamed for waiting for it.
"""

import functools
from collections import namedtuple
from fractions import Fraction

import formation
import metrics
import occasions
import sampled_causes
import teams
from blame import Blame

IMBALANCE, SERIALIZATION, PROGRESS, TRANSFER, STARTUP, UNATTRIBUTED, IO, IDLE, VARIATION, CONTENTION = (
    "imbalance", "serialization", "progress", "transfer", "startup", "unattributed", "io", "idle", "variation",
    "contention")
KINDS = (IMBALANCE, SERIALIZATION, PROGRESS, TRANSFER, STARTUP, UNATTRIBUTED, IO, IDLE, VARIATION, CONTENTION)
SMALLEST_PART = 1000  # of all waiting: what locations with less have caused is not judged

_LIBRARY = ("std::", "__gnu_cxx::", "__gthread_")

# `path` and `loc` are None of what cannot be attributed; `lock`: the passive_target.Lock of a contention.
Cause = namedtuple("Cause", "kind path loc lock", defaults=(None,))
_UNATTRIBUTED = Cause(UNATTRIBUTED, None, None)
_VARIATION = Cause(VARIATION, None, None)
# Part of the waiting of a wait state that stems from a cause: `time` at `instants`, [(begin, end)].
Share = namedtuple("Share", "cause time instants")

_FILES = {"mpi_mgmt_file", "mpi_io_individual", "mpi_io_collective"}
_MANAGEMENT = {"mpi_init_exit", "mpi_mgmt_comm", "mpi_mgmt_win",
               "shmem_management", "armci_management", "caf_management"}


def is_progress(wait):
    return wait.kind.endswith("_progress")


def is_for_lock(wait, part):
    """Whether a part of a wait state is waiting for a lock: all of a contention, what is in front of the need of a
    wait for progress that begins with one."""
    return wait.is_contention or wait.head_end is not None and part.end <= wait.head_end


def _kind(wait, path, is_for_lock):
    """What a call path is called by which others waited as in `wait`; `is_for_lock`: for a lock."""
    node = metrics.own_node(path[-1])
    if is_progress(wait) and not is_for_lock:
        return PROGRESS
    if node == "comp":
        return SERIALIZATION if is_for_lock else IMBALANCE
    if node in _FILES:
        return IO
    return STARTUP if node in _MANAGEMENT else TRANSFER


def function_of(path):
    """The call path of the function of the program that a call path is charged to: of libraries' functions, the
    innermost caller that is none."""
    end = len(path)
    while end and path[end - 1].startswith(_LIBRARY):
        end -= 1
    return path[:end] if end and metrics.own_node(path[end - 1]) == "comp" else path


class Problem:
    """cost: of all its locations; symptoms: {(metric, call path): waiting}; occasions: (region of
    the phase or None, [Occasion]); both of problems that cost a hundredth of all waiting; gain:
    (balanced, removed) of idle threads, None: not known; locks: of a contention."""

    def __init__(self, kind, path, locations, cost):
        self.kind = kind
        self.path = path
        self.equal_paths = [path]  # of a function or lock: its call paths that cost as much
        self.locks = ()
        self.locations = locations
        self.cost = cost
        self.symptoms = {}
        self.occasions = ()
        self.gain = None


def sort_key(problem):
    return problem.kind == VARIATION, -problem.cost, problem.path or (), problem.kind, problem.locations


class Problems:
    """costs: {Cause: cost}; problems: [Problem], the largest cost first; `phases`: regions of the
    iterations of occasions, None: symptoms and occasions are left out."""

    def __init__(self, intervals, phases):
        self._blame = {}
        for part in Blame(intervals).parts:
            self._blame.setdefault(part.wait, []).append(part)
        self._wait_states = intervals.wait_states
        self._causes = {wait: formation.cause_of(intervals, wait)
                        for wait in intervals.wait_states}
        if intervals.recorded:
            self._judge(intervals)
        backward = formation.backward(intervals.wait_states)
        self._pass_back(backward)
        self._pass_forward(backward)
        self._join_locks()
        self._is_sampled = bool(intervals.recorded)
        self._equal_paths = {}
        self.problems = [problem for group in self._grouped()
                         for problem in group_locations(group)]
        for problem in self.problems:
            problem.equal_paths = self._equal_paths[problem.path]
        self.problems += self._of_locks()
        self.problems.sort(key=sort_key)
        if phases is not None:
            self._describe_all(occasions.Run(intervals, phases))

    def _judge(self, intervals):
        """Replaces the causes of what is charged by delays, where samples tell of functions."""
        delays = [wait for wait in self._wait_states
                  if not wait.is_contention and not is_progress(wait)]
        inherited = teams.Teams(intervals.recorded)
        evidence = {loc: sampled_causes.Evidence(
            intervals.recorded, events, function_of,
            functools.partial(inherited.inherited_path, loc))
            for loc, events in intervals.recorded.events.items()}
        lateness = sampled_causes.lateness_of(delays)
        waiting = sum(wait.waiting_time for wait in self._wait_states)
        for loc in {wait.causing for wait in delays}:
            caused = sum(wait.waiting_time for wait in self._wait_states if wait.causing == loc)
            own = [wait for wait in delays if wait.causing == loc]
            causes = sampled_causes.Causes(intervals, loc, own, evidence, function_of,
                                           caused >= waiting // SMALLEST_PART, lateness[loc])
            for wait in own:
                activities, waits = causes.shares(wait, self._causes[wait])
                self._causes[wait] = formation.Cause(activities, waits)

    def _own_shares(self, wait):
        """Shares of the waiting of a wait state, without what other wait states pass on: by blame,
        or by the activities that delayed its cause. Together with those of the wait states that it
        stems from they are 1."""
        if wait.is_contention or is_progress(wait):
            for part in self._blame[wait]:
                for cause, begin, end in self._blamed(wait, part):
                    yield cause, Fraction(end - begin, wait.waiting_time), (begin, end)
            return
        whole = wait.begin, wait.time
        if self._causes[wait].is_unattributed:
            yield _UNATTRIBUTED, Fraction(1), whole
        for path, share in self._causes[wait].activities.items():
            yield self._cause(wait, path, wait.causing), share, whole

    def _blamed(self, wait, part):
        """Triples (cause, from, to) of a part of the blame for a wait state."""
        cause = self._blamed_cause(wait, part)
        if not is_for_lock(wait, part) or cause.kind in (UNATTRIBUTED, SERIALIZATION, PROGRESS):
            yield cause, part.begin, part.end
            return
        lock = wait.contention.lock
        for begin, end, is_inside in lock.parts_inside(part.loc, part.begin, part.end):
            yield (Cause(CONTENTION, cause.path, cause.loc, lock) if is_inside else cause), begin, end

    def _blamed_cause(self, wait, part):
        if part.path is None:
            return _UNATTRIBUTED
        if part.lacks_progress:
            return Cause(PROGRESS, function_of(part.path), part.loc)
        return self._cause(wait, part.path, part.loc, is_for_lock(wait, part))

    @staticmethod
    def _cause(wait, path, loc, is_for_lock=False):
        if path == sampled_causes.VARIATION:
            return _VARIATION
        function = function_of(path)
        return Cause(_kind(wait, function, is_for_lock), function, loc)

    def _passed_on(self, wait):
        """Pairs (WaitState, share): the wait states that a wait state stems from."""
        return [] if wait.is_contention or is_progress(wait) else self._causes[wait].waits

    def _pass_back(self, backward):
        """Costs of the causes: from the latest wait state to the earliest."""
        self.costs = {}
        self._instants = {}  # {Cause: [(WaitState, (begin, end), cost)]}
        indirect = dict.fromkeys(self._wait_states, Fraction(0))
        for wait in backward:
            cost = wait.waiting_time + indirect[wait]
            for cause, share, span in self._own_shares(wait):
                self.costs[cause] = self.costs.get(cause, 0) + share * cost
                self._instants.setdefault(cause, []).append((wait, span, share * cost))
            for other, share in self._passed_on(wait):
                indirect[other] += share * cost
        waiting = sum(wait.waiting_time for wait in self._wait_states)
        assert sum(self.costs.values()) == waiting, "the problems do not add up to all waiting"

    def _pass_forward(self, backward):
        """What each wait state stems from: from the earliest to the latest."""
        self._stems = {}  # {WaitState: {Cause: share}}
        for wait in reversed(backward):
            shares = self._stems[wait] = {}
            for cause, share, _ in self._own_shares(wait):
                shares[cause] = shares.get(cause, 0) + share
            for other, share in self._passed_on(wait):
                for cause, part in self._stems[other].items():
                    shares[cause] = shares.get(cause, 0) + share * part
            assert sum(shares.values()) == 1, "a wait state stems from less or more than all"
        for cause, cost in self.costs.items():
            assert cost == sum(shares.get(cause, 0) * wait.waiting_time
                               for wait, shares in self._stems.items())

    def _join_locks(self):
        """Where functions of the program are blamed for more than half of the waiting for a lock, as serialized, the
        part of library calls joins the function that is blamed most: on its location, if that executes the function,
        else on the one that is blamed most in it."""
        blame, functions = {}, {}  # functions: {lock: {call path: {location: time}}}
        for wait in self._wait_states:
            if wait.contention is None:
                continue
            lock = wait.contention.lock
            for part in self._blame[wait]:
                if not is_for_lock(wait, part):
                    continue
                time = part.end - part.begin
                blame[lock] = blame.get(lock, 0) + time
                cause = self._blamed_cause(wait, part)
                if cause.kind == SERIALIZATION:
                    locations = functions.setdefault(lock, {}).setdefault(cause.path, {})
                    locations[cause.loc] = locations.get(cause.loc, 0) + time
        joined = {lock: min(paths.items(), key=lambda item: (-sum(item[1].values()), item[0]))
                  for lock, paths in functions.items()
                  if 2 * sum(sum(locations.values()) for locations in paths.values()) > blame[lock]}

        def final(cause):
            if cause.kind == CONTENTION and cause.lock in joined:
                path, locations = joined[cause.lock]
                most = min(locations, key=lambda loc: (-locations[loc], loc))
                return Cause(SERIALIZATION, path, cause.loc if cause.loc in locations else most)
            return cause

        self.costs, costs = {}, self.costs
        self._instants, instants = {}, self._instants
        for cause, cost in costs.items():
            self.costs[final(cause)] = self.costs.get(final(cause), 0) + cost
            self._instants.setdefault(final(cause), []).extend(instants[cause])
        for wait, shares in self._stems.items():
            self._stems[wait] = {}
            for cause, share in shares.items():
                self._stems[wait][final(cause)] = self._stems[wait].get(final(cause), 0) + share

    def _of_locks(self):
        """The problems that are locks: those of one group of locks together of which each costs at least a tenth of
        the largest; the others in the same way."""
        groups = {}
        for cause, cost in self.costs.items():
            if cause.kind == CONTENTION:
                locks = groups.setdefault(cause.lock.group, {})
                locks.setdefault(cause.lock, []).append((cost, cause))
        for locks in groups.values():
            left = sorted(locks.values(), key=lambda causes: -sum(cost for cost, _ in causes))
            while left:
                least = sum(cost for cost, _ in left[0])
                chosen = [causes for causes in left if 10 * sum(cost for cost, _ in causes) >= least]
                left = left[len(chosen):]
                yield self._problem_of_locks([item for causes in chosen for item in causes])

    @staticmethod
    def _problem_of_locks(causes):
        paths = {}
        for cost, cause in causes:
            paths[cause.path] = paths.get(cause.path, 0) + cost
        largest = max(paths.values())
        equal = [path for path in paths if paths[path] == largest]
        problem = Problem(CONTENTION, equal[0], sorted({cause.loc for _, cause in causes}),
                          sum(cost for cost, _ in causes))
        problem.equal_paths = equal
        problem.locks = {cause.lock for _, cause in causes}
        return problem

    def _key(self, cause):
        """What the causes of a problem have in common: kind and call path; where samples tell of functions, an
        imbalance is that of a function in all of its call paths, unless these are causes on different locations."""
        if self._is_sampled and cause.kind == IMBALANCE and cause.path[-1] not in self._apart:
            return cause.kind, cause.path[-1]
        return cause[:2]

    def _find_apart(self):
        """The functions that are causes in several call paths, on other locations in each: no location has a tenth
        of the largest cost in two of them."""
        functions = {}
        for cause, cost in self.costs.items():
            if cause.kind == IMBALANCE:
                functions.setdefault(cause.path[-1], {}).setdefault(cause.path, {})[cause.loc] = cost
        apart = set()
        for function, paths in functions.items():
            large = [{loc for loc, cost in costs.items() if 10 * cost >= max(costs.values())}
                     for costs in paths.values()]
            if len(large) > 1 and sum(map(len, large)) == len(set.union(*large)):
                apart.add(function)
        return apart

    def _grouped(self):
        """Lists [(cost, Cause)] of the causes with one key; one cause for each location, with the call path that
        costs most: of several such paths any may stand for them."""
        groups = {}
        self._apart = self._find_apart()
        for cause, cost in self.costs.items():
            if cause.kind != CONTENTION:
                groups.setdefault(self._key(cause), []).append((cost, cause))
        for group in groups.values():
            paths, locations = {}, {}
            for cost, cause in group:
                paths[cause.path] = paths.get(cause.path, 0) + cost
                locations[cause.loc] = locations.get(cause.loc, 0) + cost
            path = max(paths, key=lambda path: paths[path])
            self._equal_paths[path] = [other for other in paths if paths[other] == paths[path]]
            yield [(cost, group[0][1]._replace(path=path, loc=loc)) for loc, cost in locations.items()]

    def _describe_all(self, run):
        waiting = sum(self.costs.values())
        for problem in self.problems:
            if 100 * problem.cost >= waiting:
                self._describe(problem, run)

    def _describe(self, problem, run):
        if problem.kind == CONTENTION:
            causes = {cause for cause in self.costs if cause.lock in problem.locks}
        else:
            key = self._key(Cause(problem.kind, problem.path, None))
            causes = {cause for cause in self.costs if self._key(cause) == key
                      and (cause.loc in problem.locations or cause.loc is None)}
        for wait, shares in self._stems.items():
            share = sum(shares.get(cause, 0) for cause in causes)
            if share:
                key = wait.metric, wait.activity.path
                problem.symptoms[key] = problem.symptoms.get(key, 0) + share * wait.waiting_time
        problem.occasions = run.occasions([instant for cause in causes
                                           for instant in self._instants[cause]])


def group_locations(group):
    """The causes of one kind and call path: those locations together of which each costs at least a
    tenth of the largest; the others in the same way."""
    left = sorted(group, key=lambda item: (-item[0], item[1].loc or ()))
    while left:
        chosen = [item for item in left if 10 * item[0] >= left[0][0]]
        left = left[len(chosen):]
        kind, path = chosen[0][1][:2]
        locations = sorted(cause.loc for _, cause in chosen if cause.loc is not None)
        yield Problem(kind, path, locations, sum(cost for cost, _ in chosen))

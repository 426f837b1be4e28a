# SPDX-License-Identifier: BSD-3-Clause
"""How wait states come about: costs of their causes, and their classification.

Costs are exact fractions of 1/1000 units. All metrics are {(call path, location): value}.
"""

from fractions import Fraction

from intervals import DELAY_KINDS, INTERVAL_DELAY_KINDS, KINDS

CLASSES = ("wait_count", "wait_direct", "wait_indirect", "wait_propagating", "wait_terminal")


def _tree():
    parents = {"delay": None}
    for tree, kinds in (("delay", DELAY_KINDS), ("interval_delay", INTERVAL_DELAY_KINDS)):
        parents[tree] = None
        for kind in kinds:
            name = "%s_%s" % (tree, kind)
            parents[name + "_aggregate"] = tree
            parents[name] = parents[name + "_longterm"] = name + "_aggregate"
    parents["delay_unattributed"] = "delay"
    for wait_class in CLASSES:
        parents[wait_class] = None
        for kind in KINDS:
            parents["%s_%s" % (wait_class, kind)] = wait_class
    return parents


# Parent of every metric; values include those of the children.
METRICS = _tree()


class Cause:
    """Why one wait state exists: `activities` {call path: share} and `waits` [(WaitState, share)]
    on the causing location; together the shares are 1, or there are none (unattributed)."""

    def __init__(self, activities, waits):
        self.activities = {path: share for path, share in activities.items() if share}
        self.waits = [(wait, share) for wait, share in waits if share]
        self.is_unattributed = not self.activities and not self.waits
        total = sum(self.activities.values()) + sum(share for _, share in self.waits)
        assert self.is_unattributed or total == 1

    @property
    def direct_share(self):
        return 1 if self.is_unattributed else sum(self.activities.values())


def _cause_of_synchronization(intervals, wait):
    start_p, start_q = intervals.starts(wait)
    waiting = intervals.locations[wait.waiting]
    causing = intervals.locations[wait.causing]
    d_p = waiting.profile(start_p, wait.begin)
    d_q = causing.profile(start_q, wait.time)
    waits = causing.waits_inside(start_q, wait.time)
    delta = intervals.excess(d_q, d_p)
    total = sum(delta.values()) + sum(time for _, time in waits)
    if total == 0:
        return Cause({}, [])
    return Cause({path: Fraction(time) / total for path, time in delta.items()},
                 [(other, Fraction(time) / total) for other, time in waits])


def _cause_of_contention(intervals, wait):
    start_p, start_q = intervals.starts(wait)
    d_p = intervals.locations[wait.waiting].profile(start_p, wait.begin)
    causing = intervals.locations[wait.causing]
    d_q = causing.profile(start_q, wait.time)
    waits = causing.waits_inside(start_q, wait.time)
    total_p, total_q = sum(d_p.values()), sum(d_q.values())
    total_waiting = sum(time for _, time in waits)
    if total_waiting == 0:
        ratio = Fraction(0)
    elif total_q <= total_p:
        ratio = Fraction(1)
    else:
        ratio = min(Fraction(1), Fraction(total_waiting, wait.waiting_time))
    return Cause({path: (1 - ratio) * Fraction(time, total_q) for path, time in d_q.items()},
                 [(other, ratio * Fraction(time, total_waiting)) for other, time in waits])


def cause_of(intervals, wait):
    if wait.is_contention:
        return _cause_of_contention(intervals, wait)
    return _cause_of_synchronization(intervals, wait)


def backward(wait_states):
    """From the latest to the earliest; at equal times the waiting before the cause's own wait.

    At one time a location has at most one wait state, and there are no circles.
    """
    at = {(wait.waiting, wait.time): wait for wait in wait_states}

    def depth(wait):
        """Number of wait states, one the cause of the next, that follow at the same time."""
        following = at.get((wait.causing, wait.time))
        return 1 + depth(following) if following else 0

    return sorted(wait_states, key=lambda wait: (-wait.time, -depth(wait), wait.waiting))


class Formation:
    """values: {metric: {(call path, location): Fraction or int}} of all METRICS;
    propagation: {WaitState: phi}; causes: {WaitState: Cause}."""

    def __init__(self, intervals):
        self.values = {metric: {} for metric in METRICS}
        self.propagation = {wait: Fraction(0) for wait in intervals.wait_states}
        self.causes = {}
        done = set()
        for wait in backward(intervals.wait_states):
            self.causes[wait] = cause_of(intervals, wait)
            self._distribute(wait, done)
            done.add(wait)
        for wait in intervals.wait_states:
            self._classify(wait)
        self._check_conservation(intervals)

    def _add(self, metric, path, loc, value):
        while value and metric is not None:
            cells = self.values[metric]
            cells[path, loc] = cells.get((path, loc), 0) + value
            metric = METRICS[metric]

    def _distribute(self, wait, done):
        cause, loc = self.causes[wait], wait.causing
        cost = wait.waiting_time + self.propagation[wait]
        if cause.is_unattributed:
            self._add("delay_unattributed", wait.cause.path, loc, cost)
            return
        tree = "interval_delay" if wait.is_contention else "delay"
        for path, share in cause.activities.items():
            self._add("%s_%s" % (tree, wait.kind), path, loc, share * wait.waiting_time)
            self._add("%s_%s_longterm" % (tree, wait.kind), path, loc,
                      share * self.propagation[wait])
        for other, share in cause.waits:
            assert other not in done, "propagates to a wait state whose cost is already told"
            self.propagation[other] += share * cost

    def _classify(self, wait):
        path, loc, time = wait.activity.path, wait.waiting, wait.waiting_time
        direct = time * self.causes[wait].direct_share
        propagates = self.propagation[wait] > 0
        for wait_class, value in (("wait_count", 1), ("wait_direct", direct),
                                  ("wait_indirect", time - direct),
                                  ("wait_propagating", time if propagates else 0),
                                  ("wait_terminal", 0 if propagates else time)):
            self._add("%s_%s" % (wait_class, wait.kind), path, loc, value)

    def _check_conservation(self, intervals):
        costs = sum(sum(self.values[tree].values()) for tree in ("delay", "interval_delay"))
        waiting = sum(wait.waiting_time for wait in intervals.wait_states)
        assert costs == waiting, "the costs are not the waiting time"
        for one, other in (("wait_direct", "wait_indirect"),
                           ("wait_propagating", "wait_terminal")):
            both = sum(self.values[one].values()) + sum(self.values[other].values())
            assert both == waiting, "%s and %s are not the waiting time" % (one, other)

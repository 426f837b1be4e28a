# SPDX-License-Identifier: BSD-3-Clause
"""When a cost arises: in which iterations of a phase, or in which hundredths of the run."""

import functools
import math
from collections import namedtuple
from fractions import Fraction

import phases

PARTS = 100

# Iterations first .. last: their time, how many of them cost at least half of their mean, and what
# share of the whole cost they have.
Occasion = namedtuple("Occasion", "first last begin end count share")


class Iterations:
    """The iterations of one phase, or the parts of the run: `spans` are (begin, end) of each,
    `of(loc)` those of one location."""

    def __init__(self, region, by_location, spans):
        self.region = region
        self._by_location = by_location
        self.spans = spans

    def costs(self, instants):
        """The cost in each iteration; instants: [(WaitState, (begin, end), cost)]. Instants inside
        of nested instances of the phase belong to the one that begins last."""
        costs = [Fraction(0)] * len(self.spans)
        for wait, (begin, end), cost in instants:
            spans = [(number, first, last) for number, (first, last)
                     in enumerate(self._of(wait.waiting)) if first < end and begin < last]
            times = {time for _, *span in spans for time in span if begin < time < end}
            limits = [begin] + sorted(times) + [end]
            rate = cost / (end - begin)
            for since, until in zip(limits, limits[1:]):
                inside = [number for number, first, last in spans
                          if first <= since and until <= last]
                if inside:
                    costs[inside[-1]] += rate * (until - since)
        return costs

    def _of(self, loc):
        return self.spans if self.region is None else self._by_location.get(loc, ())


class Run:
    def __init__(self, intervals, regions):
        self._phases = []
        for region in sorted(regions):
            found = {loc: phases.instances(intervals, region, loc)
                     for loc, location in intervals.locations.items()
                     if location.first is not None}
            count = max(map(len, found.values()), default=0)
            if count:
                at = [[spans[number] for spans in found.values() if number < len(spans)]
                      for number in range(count)]
                spans = [(min(begin for begin, _ in of), max(end for _, end in of)) for of in at]
                depth = max(len(call.path) for calls in intervals.calls.values()
                            for call in calls if call.region == region)
                self._phases.append((depth, Iterations(region, found, spans)))
        self._phases.sort(key=lambda item: item[0], reverse=True)
        located = [location for location in intervals.locations.values()
                   if location.first is not None]
        self._start = min((location.first for location in located), default=0)
        end = max((location.last for location in located), default=0)
        limits = [self._start + (end - self._start) * part // PARTS for part in range(PARTS + 1)]
        self._parts = Iterations(None, {}, list(zip(limits, limits[1:])))

    def occasions(self, instants):
        """(region of the phase or None, [Occasion]) of a cost."""
        whole = sum(cost for _, _, cost in instants)
        if not self._phases:
            return None, self._occasions_in(self._parts, self._parts.costs(instants), whole)
        for _, iterations in self._phases:
            costs = iterations.costs(instants)
            if 10 * sum(costs) >= 9 * whole:
                return iterations.region, self._occasions_in(iterations, costs, whole)
        return None, []

    def _occasions_in(self, iterations, costs, whole):
        single = shortest_runs(costs, 1, whole)
        limit = _length(single) // 2
        runs = (shortest_runs(costs, 2, whole, limit) or shortest_runs(costs, 3, whole, limit)
                or single)
        runs = _joined([widened(run, costs) for run in runs])
        if 10 * _length(runs) >= 8 * len(costs):
            return []
        return [self._occasion(iterations, costs, whole, run) for run in runs]

    def _occasion(self, iterations, costs, whole, run):
        first, last = run
        inside = costs[first:last + 1]
        count = sum(2 * cost * len(inside) >= sum(inside) for cost in inside)
        return Occasion(first, last, iterations.spans[first][0] - self._start,
                        max(end for _, end in iterations.spans[first:last + 1]) - self._start,
                        count, sum(inside) / whole)


def _joined(runs):
    """Runs that touch as one."""
    joined = []
    for first, last in runs:
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return joined


def _length(runs):
    return sum(last + 1 - first for first, last in runs)


def widened(run, costs):
    """A run with the neighbours that cost at least half of its mean."""
    first, last = run
    mean = sum(costs[first:last + 1]) / (last + 1 - first)
    while first > 0 and 2 * costs[first - 1] >= mean:
        first -= 1
    while last + 1 < len(costs) and 2 * costs[last + 1] >= mean:
        last += 1
    return first, last


def shortest_runs(costs, number, whole, limit=None):
    """The at most `number` runs (first, last), apart from one another, with the fewest iterations,
    `limit` at most, that together have nine tenths of the whole cost, None if there are none; of
    several those that begin earliest, then those with the largest cost."""
    if number == 1:
        return _shortest_run(costs, whole)
    # Integers are added much faster.
    scale = math.lcm(*[Fraction(cost).denominator for cost in costs + [whole]])
    costs, whole = [int(cost * scale) for cost in costs], int(whole * scale)

    @functools.lru_cache(maxsize=None)
    def largest(at, length, left, is_inside):
        """The largest cost of `length` iterations from `at` on in `left` more runs, or None."""
        if length == 0:
            return 0
        if at == len(costs):
            return None
        found = [largest(at + 1, length, left, False)]
        if is_inside or left:
            found.append(_sum(costs[at], largest(at + 1, length - 1, left - (not is_inside), True)))
        return max((cost for cost in found if cost is not None), default=None)

    def is_enough(cost):
        return cost is not None and 10 * cost >= 9 * whole

    for length in range(number, limit + 1):
        if is_enough(largest(0, length, number, False)):
            break
    else:
        return None
    first = next(at for at, cost in enumerate(costs)
                 if is_enough(_sum(cost, largest(at + 1, length - 1, number - 1, True))))
    runs, left, is_inside = [[first, first]], number - 1, True
    length -= 1
    for at in range(first + 1, len(costs)):
        if length == 0:
            break
        without = largest(at + 1, length, left, False)
        taken = _sum(costs[at], largest(at + 1, length - 1, left - (not is_inside), True)) \
            if is_inside or left else None
        if taken is None or without is not None and without > taken:
            is_inside = False
            continue
        if is_inside:
            runs[-1][1] = at
        else:
            runs.append([at, at])
        left, length, is_inside = left - (not is_inside), length - 1, True
    return [tuple(run) for run in runs]


def _sum(cost, rest):
    return None if rest is None else cost + rest


def _shortest_run(costs, whole):
    """One run: of each begin the first end that has enough."""
    best, last, total = None, 0, Fraction(0)
    for first, cost in enumerate(costs):
        while last < len(costs) and 10 * total < 9 * whole:
            total += costs[last]
            last += 1
        if 10 * total >= 9 * whole and (best is None or last - first < best[1] + 1 - best[0]):
            best = first, last - 1
        total -= cost
    return [best] if best else None

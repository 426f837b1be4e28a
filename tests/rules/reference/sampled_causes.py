# SPDX-License-Identifier: BSD-3-Clause
"""The causes of waiting where samples tell the times of functions: which differences between the
location that caused wait states and those that waited are more than chance, and the functions that
stand for them.
"""

import math
from fractions import Fraction

import composition
import metrics

SIGNIFICANT = 3
OUTSIDE_PART = 20  # of the stretches that count: so much may lie outside of a caller that holds them
CELL = 32
MOST, EQUAL = 0.8, 0.1
VARIATION = "variation"


def contains(path, other):
    """Whether a call path is another one or calls it."""
    return other[:len(path)] == path


# ---- what compositions rest on ----

class _Block:
    """Samples (time, function) of a block in the order of the lengths of their stretches."""

    def __init__(self, caller, samples, is_ordered):
        self.caller, self.samples, self.is_ordered = caller, samples, is_ordered

    def evenness(self, is_in):
        """The factor f of the paths for which `is_in` holds."""
        inside = [is_in(path) for _, path in sorted(self.samples, key=lambda sample: sample[0])]
        if not self.is_ordered or len(inside) < 2 or all(inside) or not any(inside):
            return 1
        p = sum(inside) / len(inside)
        changes = sum(one != other for one, other in zip(inside, inside[1:])) / (len(inside) - 1)
        return min(1, 1 / 12 + changes / (2 * p * (1 - p)))

    def is_whole(self, path, is_own):
        """Whether all of the block's stretches is in a call path."""
        if is_own:
            return self.caller == path and all(other == path for _, other in self.samples)
        return contains(path, self.caller) and all(contains(path, other)
                                                   for _, other in self.samples)


class Evidence:
    """`of`: [(begin, end, block, first, end of the pool in the samples of the block)] of the
    stretches of a location."""

    def __init__(self, scenario, events, function_of, inherited):
        """inherited: the path above an Enter without open regions, by its position."""
        self.of = []
        self._function_of = function_of
        self.entries = self._find_entries(scenario.phases, events, inherited)
        if not events:
            return
        stretches = composition.stretches_of(scenario, events, inherited)
        lenders = [stretch for stretch in stretches if stretch.samples]
        kinds = {}
        for stretch in stretches:
            kinds.setdefault(stretch.keys, []).append(stretch)
        for kind in kinds.values():
            if not kind[0].caller:
                continue
            if sum(len(stretch.samples) for stretch in kind) < composition.OWN:
                pool = composition.borrowed(lenders, kind, kind[0]).samples
                samples = [(0, self._function(kind[0], path)) for path, _, _ in pool]
                block = _Block(self._function(kind[0], kind[0].caller), samples, False)
                self.of += [(own.begin, own.end, block, 0, len(pool)) for own in kind]
                continue
            for part in composition.blocks(kind):
                self._add_block(part)

    def _find_entries(self, phases, events, inherited):
        """[(time, path)] of the functions whose visits are recorded: marked ones of the program. How often functions
        of libraries are called does not matter: they head no problem."""
        result, path = [], []
        for event, above in zip(events, composition.inherited_paths(events, inherited)):
            if event.name == "enter":
                path.append(event.args[0])
                visited = above + tuple(path)
                if (metrics.is_user_function(path[-1]) and path[-1] in phases
                        and self._function_of(visited) == visited):
                    result.append((event.time, visited))
            elif event.name == "leave":
                path.pop()
        return result

    def visits(self, path, intervals):
        return sum(since <= time < until for time, entered in self.entries if entered == path
                   for since, until in intervals)

    def _function(self, stretch, path):
        """A path of the location itself below what its team has inherited."""
        return self._function_of(stretch.inherited + path)

    def _add_block(self, stretches):
        ordered = sorted((own for own in stretches if own.samples),
                         key=lambda own: (own.ticks, own.begin))
        samples, first = [], {}
        for own in ordered:
            first[own] = len(samples)
            samples += [(time, self._function(own, path)) for time, path in own.samples]
        block = _Block(self._function(stretches[0], stretches[0].caller), samples, True)
        for own in stretches:
            pool = [first[other] for other in composition.pool_of(stretches, own)]
            ends = [first[other] + len(other.samples)
                    for other in composition.pool_of(stretches, own)]
            self.of.append((own.begin, own.end, block, min(pool, default=0), max(ends, default=0)))

    def weights(self, intervals):
        """({block: [w of each sample]}, {caller: ticks without samples}) of the sum over intervals."""
        weights, unsampled = {}, {}
        for begin, end, block, first, last in self.of:
            ticks = sum(max(0, min(end, until) - max(begin, since)) for since, until in intervals)
            if not ticks:
                continue
            if first == last:
                unsampled[block.caller] = unsampled.get(block.caller, 0) + ticks
                continue
            of = weights.setdefault(block, [0] * len(block.samples))
            for number in range(first, last):
                of[number] += ticks / (last - first)
        return weights, unsampled


def variance(weights, path, is_own):
    """Square of the error of the time in a call path."""
    def is_in(other):
        return other == path if is_own else contains(path, other)

    total, least = 0, 0
    for block, of in weights.items():
        spread = 0
        first = 0
        while first < len(of):
            end = first + CELL if len(of) - first >= 2 * CELL else len(of)
            cell = range(first, end)
            whole = sum(of[number] for number in cell)
            if whole:
                p = sum(of[number] for number in cell if is_in(block.samples[number][1])) / whole
                if p < 1:
                    spread += sum(of[number] ** 2 * (is_in(block.samples[number][1]) - p) ** 2
                                  for number in cell)
            first = end
        total += spread * block.evenness(is_in)
        if not block.is_whole(path, is_own):
            least = max(least, max(of) ** 2)
    return max(total, least)


# ---- the call paths of a location ----

class _Row:
    def __init__(self, path):
        self.path = path
        self.is_call = metrics.own_node(path[-1]) != "comp"
        self.own = self.waiters_own = 0
        self.visits = self.waiters_visits = 0
        self.own_error = self.all_error = self.unsampled = 0.0
        self.is_significant = self.stands_for_callees = False
        self.excess = 0

    @property
    def own_excess(self):
        return ((self.own if self.is_significant and not self.is_call else 0)
                + (self.all - self.exact if self.stands_for_callees else 0))


def _is_called_more_often(row):
    return (row.visits > row.waiters_visits > 0
            and (row.visits - row.waiters_visits) * row.waiters_all / row.waiters_visits
            >= MOST * row.excess)


class Causes:
    """What one location has caused by delays. `differences`: {WaitState: {function: ticks by which it
    took longer than on the waiter}}; cause_of: {function: the function that it is charged to}."""

    def __init__(self, intervals, loc, waits, evidence, function_of, is_judged, lateness):
        self.differences, self.rows = {}, {}
        self.evidence, self.function_of = evidence, function_of
        self.chance = None
        self._intervals = {}  # {location: [(begin, end)]}
        for wait in waits:
            self._add(intervals, wait)
        self._link()
        self._waits_inside = {wait: self._waits_in(intervals, wait) for wait in waits}
        if is_judged:
            self._find_errors(loc)
            self._judge()
            self._find_chance(loc, lateness)
        else:
            for row in self.rows.values():
                row.is_exact = row.is_call
                row.is_significant = row.is_call and row.own > 0
                row.exact = row.all = 0
        self.cause_of = {path: path for path in self.rows}
        self._descend_all()

    def _add(self, intervals, wait):
        start_p, start_q = intervals.starts(wait)
        one = intervals.locations[wait.causing].profile(start_q, wait.time)
        other = intervals.locations[wait.waiting].profile(start_p, wait.begin)
        self._intervals.setdefault(wait.waiting, []).append((start_p, wait.begin))
        self._intervals.setdefault(wait.causing, []).append((start_q, wait.time))
        difference = self.differences[wait] = {}
        for sign, profile in ((1, one), (-1, other)):
            for path, ticks in profile.items():
                if not ticks:
                    continue
                path = self.function_of(path)
                difference[path] = difference.get(path, 0) + sign * ticks
                row = self.rows.setdefault(path, _Row(path))
                row.own += sign * ticks
                row.waiters_own += ticks if sign < 0 else 0

    def _link(self):
        for path in list(self.rows):
            for depth in range(1, len(path)):
                self.rows.setdefault(path[:depth], _Row(path[:depth]))

    def _below(self, path):
        return [row for row in self.rows.values() if contains(path, row.path)]

    def _find_errors(self, loc):
        self.own_weights = {}
        for location, spans in self._intervals.items():
            weights, unsampled = self.evidence[location].weights(spans)
            if location == loc:
                self.own_weights = weights
            for row in self.rows.values():
                visits = self.evidence[location].visits(row.path, spans)
                row.visits += visits if location == loc else 0
                row.waiters_visits += visits if location != loc else 0
                row.own_error += variance(weights, row.path, True)
                row.all_error += variance(weights, row.path, False)
            for caller, ticks in unsampled.items():
                for row in self._below(caller):
                    if row.path != caller:
                        row.unsampled += ticks
        for row in self.rows.values():
            row.own_error = math.sqrt(row.own_error) + row.unsampled
            row.all_error = math.sqrt(row.all_error) + row.unsampled

    def _judge(self):
        for row in self.rows.values():
            row.is_exact = row.is_call or not row.own_error
        for row in self.rows.values():
            below = self._below(row.path)
            row.all = sum(other.own for other in below)
            row.waiters_all = sum(other.waiters_own for other in below)
            row.exact = sum(other.own for other in below if other.is_exact)
        for row in sorted(self.rows.values(), key=lambda row: -len(row.path)):
            row.is_significant = row.own > (0 if row.is_exact else SIGNIFICANT * row.own_error)
            is_found = any(not other.is_exact and other.is_significant or other.stands_for_callees
                           for other in self._below(row.path))
            if not row.is_call and not is_found:
                row.stands_for_callees = row.all - row.exact > SIGNIFICANT * row.all_error
        for row in self.rows.values():
            row.excess = sum(other.own_excess for other in self._below(row.path))

    def _find_chance(self, loc, lateness):
        found = [row for row in self.rows.values()
                 if row.stands_for_callees or row.is_significant and not row.is_exact]
        if len(found) != 1 or not found[0].stands_for_callees:
            return
        ticks = {block: sum(weights) for block, weights in self.own_weights.items()}
        outside = sum(of for block, of in ticks.items() if not contains(found[0].path, block.caller))
        if outside * OUTSIDE_PART > sum(ticks.values()):
            return
        count, mean = len(lateness), sum(lateness) / max(1, len(lateness))
        if count < 2:
            return
        squares = max(0, sum(late ** 2 for late in lateness) - count * mean ** 2)
        if not mean > SIGNIFICANT * math.sqrt(squares / (count - 1) / count):
            self.chance = found[0].path

    # ---- the descent ----

    def _callees(self, row):
        return [other for other in self.rows.values() if other.path[:-1] == row.path]

    def _descend_all(self):
        for row in list(self.rows.values()):
            if len(row.path) == 1 and row.excess > 0:
                self._descend(row)

    def _descend(self, row):
        first = row
        while not _is_called_more_often(row) and row.own_excess < MOST * row.excess:
            most = [other for other in self._callees(row) if other.excess >= MOST * row.excess]
            if not most:
                break
            row = most[0]
        if (_is_called_more_often(row) or row.own_excess >= MOST * row.excess
                or self._is_slower_as_a_whole(row)):
            for other in self._below(row.path):
                if not other.is_call:
                    self.cause_of[other.path] = row.path
            for depth in range(len(first.path), len(row.path)):
                self.cause_of[row.path[:depth]] = row.path
            return
        for other in self._callees(row):
            if other.excess > 0:
                self._descend(other)

    def _is_slower_as_a_whole(self, of):
        def is_in_proportion(excess, error, time):
            return (abs(excess / of.all - time / of.waiters_all)
                    <= max(EQUAL, 2 * error / of.all))

        return (of.waiters_all > 0 and of.all > 0
                and is_in_proportion(of.own, of.own_error, of.waiters_own)
                and all(is_in_proportion(row.all, row.all_error, row.waiters_all)
                        for row in self._below(of.path) if row is not of and not row.is_call))

    # ---- charges ----

    def shares(self, wait, cause):
        """What the waiting of a wait state stems from: {function or VARIATION: share}, [(WaitState,
        share)]. `cause`: as section 2 has it; it holds where no stretch is known by samples."""
        charged, standing = {}, {}
        is_sampled = any(not self.rows[path].is_exact for path in self.differences[wait])
        for path, ticks in self.differences[wait].items():
            row = self.rows[path]
            if row.is_exact or row.is_significant:
                charged[path] = max(0, ticks)
            else:
                for depth in range(len(path), 0, -1):
                    if self.rows[path[:depth]].stands_for_callees:
                        standing[path[:depth]] = standing.get(path[:depth], 0) + ticks
                        break
        if not is_sampled:
            functions = [(self.function_of(path), share) for path, share in cause.activities.items()]
            acting, result = self._acting(path for path, _ in functions), {}
            for path, share in functions:
                path = self._charged_to(path, acting)
                result[path] = result.get(path, 0) + share
            return result, cause.waits
        for path, ticks in standing.items():
            charged[path] = max(0, charged.get(path, 0) + ticks)
        waits = self._waits_inside[wait]
        own = sum(time for _, time in waits)
        total = max(wait.waiting_time, sum(charged.values()) + own)
        result = {VARIATION: total - own - sum(charged.values())}
        acting = self._acting(path for path, ticks in charged.items() if ticks)
        for path, ticks in charged.items():
            path = VARIATION if path == self.chance else self._charged_to(path, acting)
            result[path] = result.get(path, 0) + ticks
        return ({path: Fraction(ticks) / total for path, ticks in result.items() if ticks},
                [(other, Fraction(time) / total) for other, time in waits])

    def _acting(self, paths):
        """The causes that are among call paths, or call some of them."""
        return {self.cause_of[path] for path in paths if len(path) >= len(self.cause_of[path])}

    def _charged_to(self, path, acting):
        """A caller that a cause stands for keeps its own time where that cause does not take longer."""
        return self.cause_of[path] if self.cause_of[path] in acting else path

    @staticmethod
    def _waits_in(intervals, wait):
        _, start = intervals.starts(wait)
        inside = intervals.locations[wait.causing].waits_inside(start, wait.time)
        return [(other, time) for other, time in inside if time]


def lateness_of(waits):
    """{location: [ticks by which it was later than the mean of the others]}: waits that a location
    caused at one time are one occasion."""
    occasions = {}
    for wait in waits:
        occasions.setdefault((wait.causing, wait.time), []).append(wait)
    result = {}
    for (causing, _), group in occasions.items():
        total, count = sum(wait.waiting_time for wait in group), len(group)
        result.setdefault(causing, []).append(round(total / count))
        for wait in group:
            own = wait.waiting_time
            result.setdefault(wait.waiting, []).append(round((total - own) / count - own))
    return result

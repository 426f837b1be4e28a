# SPDX-License-Identifier: BSD-3-Clause
"""What a location does between its recorded events, where samples of call stacks tell it.

User functions of a scenario with samples are seen on call stacks only: between two recorded events,
their begins and ends are not known. compose() replaces them by the composition of each such stretch.
"""

import bisect
import copy
import functools
import math
from fractions import Fraction

import metrics
import teams

POOL, BLOCK, OWN = 32, 1024, 4
POSITIONS = 2 ** 32  # in a stretch
TIE = Fraction(1, 10 ** 6)  # ticks: what is so near to half a tick is rounded up


def is_estimated(phases, region):
    """Whether only samples and the call stacks of calls tell when the region begins and ends, in a
    scenario with samples."""
    return metrics.is_user_function(region) and region not in phases


class Stretch:
    """From one recorded event to the next. `start` and `stop` are positions of events: those from
    `start` to `stop` - 1 lie in it. Paths are those of the location itself; `inherited` is what is
    above them."""

    def __init__(self, begin, start, key, call, path):
        self.begin, self.start, self.keys, self.calls = begin, start, (key,), (call,)
        self.begun = self.origin = path  # open at the begin; `origin` may be entered there
        self.end = self.stop = self.target = self.after = None
        self.samples = []  # (time, path), weights are 1
        self.recorded = self.first = self.inherited = None

    def close(self, end, stop, key, call, target, after):
        self.end, self.stop, self.target, self.after = end, stop, target, after
        self.keys += (key, self.origin, target)
        self.calls += (call,)

    @property
    def ticks(self):
        return self.end - self.begin

    @property
    def caller(self):
        return self.origin[:_common(self.origin, self.target)]

    def position(self, time):
        return Fraction((time - self.begin) * POSITIONS // self.ticks)


def _common(path, other):
    """Number of regions that both paths begin with."""
    common = 0
    while common < min(len(path), len(other)) and path[common] == other[common]:
        common += 1
    return common


class _Finder:
    """The stretches of the events of one location."""

    def __init__(self, scenario):
        self.phases = scenario.phases
        self.stretches = []
        self.open = None
        self.samples = []
        self.stack = []  # (region, is it estimated, is it a call)
        self.is_paused = False
        self.left = (None, ())

    def path(self):
        return tuple(region for region, _, _ in self.stack)

    def recorded(self):
        """The path down to the last region that is not estimated."""
        depth = max([at for at, (_, estimated, _) in enumerate(self.stack, 1) if not estimated],
                    default=0)
        return self.path()[:depth]

    def in_call(self):
        exact = [is_call for _, estimated, is_call in self.stack if not estimated]
        return bool(exact) and exact[-1]

    def begin(self, time, start, key, call):
        if self.is_paused or self.in_call():
            return
        self.open = Stretch(time, start, key, call, self.path())
        self.open.recorded = self.recorded()

    def end(self, time, stop, key, call, target):
        if self.open and time > self.open.begin:
            self.open.close(time, stop, key, call, target, self.path())
            begin = self.open.begin  # of two stretches, a sample belongs to the one that begins there
            taken = len(self.samples)
            while taken and self.samples[taken - 1][0] >= begin and (
                    self.samples[taken - 1][2] == self.open.recorded):
                taken -= 1
            self.open.samples = [(time, path) for time, path, _ in self.samples[taken:]]
            if self.stretches:
                before = self.stretches[-1]
                del before.samples[max(0, taken - before.first):]
            self.open.first = taken
            self.stretches.append(self.open)
        self.open = None

    def enter(self, time, at, region):
        estimated = is_estimated(self.phases, region)
        is_call = metrics.own_node(region) != "comp"
        if estimated:
            if self.open is None:
                self.begin(time, at, None, None)
            self.stack.append((region, estimated, is_call))
            if (self.open and self.open.begin == time and len(self.stack) == 1
                    and not self.open.origin):
                self.open.origin = self.path()
            return
        key = ("enter", self.path() + (region,))
        self.end(time, at, key, region, self.path())
        self.stack.append((region, estimated, is_call))
        if not is_call:
            self.begin(time, at + 1, key, region)

    def leave(self, time, at):
        region, estimated, _ = self.stack[-1]
        path = self.path()
        if estimated:
            if self.left[0] != time:
                self.left = time, path
            self.stack.pop()
            return
        self.end(time, at, ("leave", path), ("leave", region), path)
        self.stack.pop()
        self.begin(time, at + 1, ("leave", path), ("leave", region))

    def last(self, time, stop):
        self.end(time, stop, None, None, self.left[1] if self.left[0] == time else self.path())

    def find(self, events, lasts):
        """`lasts`: the location never leaves its functions."""
        for at, event in enumerate(events):
            if event.name == "enter":
                self.enter(event.time, at, event.args[0])
            elif event.name == "leave":
                self.leave(event.time, at)
            elif event.name == "sample" and self.stack and self.open:
                self.samples.append((event.time, self.path(), self.recorded()))
            elif event.name == "recording_off" and not self.is_paused:
                self.end(event.time, at, "pause", "pause", self.path())
                self.is_paused = True
            elif event.name == "recording_on" and self.is_paused:
                self.is_paused = False
                self.begin(event.time, at + 1, "pause", "pause")
            elif event.name == "fork":  # what follows up to the parallel region is the runtime's
                self.end(event.time, at, "fork", "fork", self.path())
            elif event.name == "thread_end":
                self.last(event.time, at)
        if events:
            while self.stack and not lasts:
                self.leave(events[-1].time, len(events))
            self.last(events[-1].time, len(events))
        # The first stretch may be from before the recorder began to sample.
        if any(stretch.samples for stretch in self.stretches) and not self.stretches[0].samples:
            del self.stretches[0]
        return self.stretches


# ---- pools ----

def _nearest(stretches, own):
    """The stretches, those nearest in length to `own` first, of equally near ones the earliest."""
    return sorted(stretches, key=lambda other: (abs(other.ticks - own.ticks), other.begin))


def blocks(stretches):
    """The stretches of a kind, in parts with at least BLOCK samples."""
    parts, samples = [[]], 0
    for stretch in stretches:
        if samples >= BLOCK:
            parts.append([])
            samples = 0
        parts[-1].append(stretch)
        samples += len(stretch.samples)
    if len(parts) > 1 and samples < BLOCK:
        parts[-2:] = [parts[-2] + parts[-1]]
    return parts


class _Pool:
    """Samples (path, position, ticks of their stretch)."""

    def __init__(self, samples):
        self.samples = samples

    def share(self, path):
        return Fraction(sum(path == other for other, _, _ in self.samples), len(self.samples))

    def paths(self):
        return {path for path, _, _ in self.samples}

    def position(self, path):
        positions = [position for other, position, _ in self.samples if other == path]
        return Fraction(sum(positions), len(positions)) if positions else None


def _samples_of(stretches):
    return [(path, stretch.position(time), stretch.ticks)
            for stretch in stretches for time, path in stretch.samples]


class _Line:
    """How the share of each call path grows with the length, in a block."""

    def __init__(self, block):
        self.whole = _Pool(_samples_of(block))
        self.slopes = {}
        self.common = None
        if len(self.whole.samples) < POOL or len({stretch.ticks for stretch in block}) == 1:
            return
        ticks = [stretch.ticks for stretch in block]
        unit = Fraction(sum(ticks), len(self.whole.samples))
        self.common = len(ticks) / sum(Fraction(1, length) for length in ticks)
        square = sum((length - self.common) ** 2 / length for length in ticks)
        spread = sum((unit * self.deviation(length)) ** 2 for _, _, length in self.whole.samples)
        for path in self.whole.paths():
            p = self.whole.share(path)
            slope = sum((stretch.ticks - self.common)
                        * unit * (sum(other == path for _, other in stretch.samples)
                                  - p * len(stretch.samples)) / stretch.ticks
                        for stretch in block) / square
            variance = p * (1 - p) * spread / square ** 2
            if slope:
                self.slopes[path] = slope * max(0, 1 - 4 * variance / slope ** 2)

    def deviation(self, length):
        return 1 - self.common / length

    def correct(self, pool, ticks):
        """{path: share} of a stretch of that length."""
        shares = {path: pool.share(path) for path in pool.paths() | set(self.slopes)}
        if self.slopes:
            mean = sum(self.deviation(length) for _, _, length in pool.samples) / len(pool.samples)
            for path, slope in self.slopes.items():
                shares[path] += slope * (self.deviation(ticks) - mean)
        shares = {path: share for path, share in shares.items() if share > 0}
        return {path: share / sum(shares.values()) for path, share in shares.items()}


def pool_of(block, own):
    """The stretches of a block whose samples are those of the pool of one of them."""
    if not own.ticks:
        return []
    block = [other for other in block if other.samples]
    like = [other for other in block if 20 * abs(other.ticks - own.ticks) <= own.ticks]
    others = [other for other in block if other not in like]
    for other in _nearest(others, own):
        if sum(len(stretch.samples) for stretch in like) >= POOL:
            break
        like.append(other)
    return like


def borrowed(lenders, kind, own):
    """The samples of a kind with too few, with those of others; lenders: stretches with samples."""
    samples = _samples_of(kind)
    by_calls = [other for other in lenders if other.keys != own.keys and other.calls == own.calls]
    by_caller = [other for other in lenders if other.keys != own.keys and other.calls != own.calls
                 and other.caller[-1:] == own.caller[-1:]]
    for group in (by_calls, by_caller):
        for other in _nearest(group, own):
            if len(samples) >= OWN:
                return _Pool(samples)
            depth = len(other.caller)
            samples += [(own.caller + path[depth:], position, ticks)
                        for path, position, ticks in _samples_of([other])
                        if path[:depth] == other.caller]
    return _Pool(samples)


# ---- placement ----

def _placed(own, pool, whole, shares):
    """[(path, ticks)] of a stretch, in order."""
    counts = {}
    for _, path in own.samples:
        counts[path] = counts.get(path, 0) + 1
    parts = [(own.position(time), path, shares[path] / counts[path])
             for time, path in own.samples if path in shares]
    for path, share in shares.items():
        if path not in counts:
            position = pool.position(path)
            parts.append((whole.position(path) if position is None else position, path, share))
    parts.sort(key=lambda part: (part[0], part[1][::-1]))
    result, total, before = [], 0, 0
    for number, (_, path, share) in enumerate(parts):
        total += share
        end = math.floor(total * own.ticks + Fraction(1, 2) + TIE)
        end = own.ticks if number + 1 == len(parts) else min(end, own.ticks)
        result.append((path, end - before))
        before = end
    return [(path, ticks) for path, ticks in result if ticks]


def compositions(stretches):
    """{position of a stretch: [(path, ticks)]}."""
    kinds, result = {}, {}
    lenders = [stretch for stretch in stretches if stretch.samples]
    for number, stretch in enumerate(stretches):
        stretch.number = number
        kinds.setdefault(stretch.keys, []).append(stretch)
    for kind in kinds.values():
        few = sum(len(stretch.samples) for stretch in kind) < OWN
        for block in [kind] if few else blocks(kind):
            line = None if few else _Line(block)
            for own in block:
                pool = borrowed(lenders, kind, own) if few else _Pool(_samples_of(pool_of(block, own)))
                if not own.caller:
                    continue  # outside of all functions
                if not pool.samples:
                    result[own.number] = [(own.caller, own.ticks)]
                    continue
                if few:
                    shares = {path: pool.share(path) for path in pool.paths()}
                else:
                    shares = line.correct(pool, own.ticks)
                result[own.number] = _placed(own, pool, line and line.whole, shares)
    return result


# ---- events ----

def _moves(like, time, path, target):
    """Events that lead from one path to another one."""
    common = _common(path, target)
    like = like._replace(time=time)
    return ([like._replace(name="leave", args=(region,)) for region in reversed(path[common:])]
            + [like._replace(name="enter", args=(region,)) for region in target[common:]])


def inherited_paths(events, inherited):
    """[path above the outermost open region before each event; at the end, too].
    inherited: the path above an Enter without open regions, by its position."""
    result, depth, path = [], 0, ()
    for position, event in enumerate(events):
        if depth == 0 and event.name == "enter":
            path = inherited(position)
        result.append(path)
        depth += {"enter": 1, "leave": -1}.get(event.name, 0)
    return result + [path]


def stretches_of(scenario, events, inherited):
    """The stretches of a location. Those of different inherited paths are of different kinds."""
    above = inherited_paths(events, inherited)
    stretches = _Finder(scenario).find(events, bool(events) and events[0].loc in scenario.lasting)
    for stretch in stretches:
        stretch.inherited = above[stretch.start]
        stretch.keys += (stretch.inherited,)
    return stretches


def compose_location(scenario, events, inherited):
    """The events of a location with composed stretches."""
    if not events:
        return events
    stretches = stretches_of(scenario, events, inherited)
    composed = compositions(stretches)
    result, at = [], 0
    for number in sorted(composed):
        stretch, parts = stretches[number], composed[number]
        result += events[at:stretch.start]
        kept = [event for event in events[stretch.start:stretch.stop]
                if event.name not in ("enter", "leave", "sample")]
        moves, path, time = [], stretch.begun, stretch.begin
        for target, ticks in parts:
            moves += _moves(events[0], time, path, target)
            path, time = target, time + ticks
        moves += _moves(events[0], time, path, stretch.after)
        times = [event.time for event in moves]
        for event in kept:
            place = bisect.bisect_right(times, event.time)
            moves.insert(place, event)
            times.insert(place, event.time)
        result += moves
        at = stretch.stop
    result += events[at:]
    if result[-1].time < events[-1].time:  # the location ends where it ended
        result.append(events[-1]._replace(name="sample", args=()))
    return result


def is_sampled(scenario):
    return any(event.name == "sample" for events in scenario.events.values() for event in events)


def has_estimates(scenario):
    """Whether only samples tell what some function took."""
    return is_sampled(scenario) and any(
        event.name == "enter" and is_estimated(scenario.phases, event.args[0])
        for events in scenario.events.values() for event in events)


def compose(scenario):
    """The scenario with composed stretches in all locations; itself if it has no samples."""
    if not is_sampled(scenario):
        return scenario
    composed = copy.copy(scenario)
    inherited = teams.Teams(scenario)
    composed.events = {loc: compose_location(scenario, events,
                                             functools.partial(inherited.inherited_path, loc))
                       for loc, events in scenario.events.items()}
    return composed

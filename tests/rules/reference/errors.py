# SPDX-License-Identifier: BSD-3-Clause
"""By how much waiting times may be wrong: docs/clocks.md. Times are integers in ticks."""

import functools
import math
from fractions import Fraction

import metrics as metric_table
import sampled_causes
import teams


class Errors:
    """`call`: ticks that recording a call costs; `clock`: ticks that clocks of different nodes may
    differ; `events`: number of records of the trace. Processor times are not read."""

    def __init__(self, scenario, intervals, call, clock, events):
        self._nodes = scenario.nodes
        self._call, self._clock = call, clock
        self._intervals = intervals
        spans = [(location.first, location.last) for location in intervals.locations.values()
                 if location.first is not None]
        self.time = sum(last - first for first, last in spans)
        self.recording = min(events // 2 * call, self.time)

    def of_turn(self, waiting, causing):
        """That of the time at which a wait between two locations ends."""
        is_one_node = self._nodes[waiting[0]] == self._nodes[causing[0]]
        return 1 + 2 * self._call + (0 if is_one_node else self._clock)

    def of_wait(self, waiting, causing, time):
        share = time * self.recording // self.time if self.time else 0
        return self.of_turn(waiting, causing) + share

    def of(self, wait):
        return self.of_wait(wait.waiting, wait.causing, wait.waiting_time)

    def kinds(self):
        """{metric: (error of the sum, number of waits that are not significant, their time)}."""
        found = {}
        for wait in self._intervals.wait_states:
            error = self.of(wait)
            is_short = wait.waiting_time < error
            before = found.get(wait.metric, (0, 0, 0))
            found[wait.metric] = (before[0] + error, before[1] + is_short,
                                  before[2] + wait.waiting_time * is_short)
        return found

    def links(self):
        """{(causing location, waiting location, metric): error}."""
        found = {}
        for wait in self._intervals.wait_states:
            key = wait.causing, wait.waiting, wait.metric
            found[key] = found.get(key, 0) + self.of(wait)
        return found

    def inside(self, instances):
        """{metric: error} of the waiting inside {location: (begin, end)}: a part of a wait has the
        error of the wait."""
        found = {}
        for loc, (begin, end) in instances.items():
            for wait in self._intervals.locations[loc].waits:
                if min(end, wait.time) > max(begin, wait.begin):
                    found[wait.metric] = found.get(wait.metric, 0) + self.of(wait)
        return found

    def path(self, segments, followed):
        """{call path: error} of the critical path, and the number of turns that are not
        significant. The recorder's share of the time of each call path is rounded down."""
        times, found = {}, {}
        for loc, since, to in segments:
            for path, time in self._intervals.locations[loc].time_in_regions(since, to).items():
                times[path] = times.get(path, 0) + time
        for path, time in times.items():
            found[path] = time * self.recording // self.time
        for path, error in self._of_samples(segments).items():
            found[path] += error
        for wait in followed:
            path = wait.activity.path
            found[path] = found.get(path, 0) + self.of_turn(wait.waiting, wait.causing)
        return found, sum(wait.waiting_time < self.of(wait) for wait in followed)

    def _of_samples(self, segments):
        """{call path: two standard errors of what samples tell of its time in the segments}."""
        squares, recorded = {}, self._intervals.recorded
        inherited = teams.Teams(recorded) if recorded else None
        for loc, events in (recorded.events.items() if recorded else ()):
            evidence = sampled_causes.Evidence(recorded, events, lambda path: path,
                                               functools.partial(inherited.inherited_path, loc))
            spans = [(since, to) for other, since, to in segments if other == loc]
            weights, unsampled = evidence.weights(spans)
            for path in {path for since, to in spans for path, time
                         in self._intervals.locations[loc].time_in_regions(since, to).items() if time}:
                if metric_table.own_node(path[-1]) == "comp":
                    error = math.sqrt(sampled_causes.variance(weights, path, True)) + unsampled.get(path, 0)
                    squares[path] = squares.get(path, 0) + error ** 2
        return {path: int(2 * math.sqrt(square)) for path, square in squares.items()}

    def share(self, time, metrics):
        """The error of a part of all waiting, such as blame: its share of the error of all.
        `metrics`: the kinds of waiting that count."""
        kinds = self.kinds()
        whole = sum(wait.waiting_time for wait in self._intervals.wait_states
                    if wait.metric in metrics)
        error = sum(kinds[metric][0] for metric in kinds if metric in metrics)
        return Fraction(error * time, whole) if whole else Fraction(0)

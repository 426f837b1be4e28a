# SPDX-License-Identifier: BSD-3-Clause
"""The critical path, its imbalance, and what it means for the time of all locations."""

from fractions import Fraction

import library_functions

# Parent of every metric; values include those of the children.
METRICS = {
    "critical_path": None,
    "critical_path_imbalance": "critical_path",
    "critical_path_serialization": "critical_path_imbalance",
    "performance_impact": None,
    "performance_impact_criticalpath": "performance_impact",
    "critical_path_activities": "performance_impact_criticalpath",
    "critical_imbalance_impact": "performance_impact_criticalpath",
    "intra_partition_imbalance": "critical_imbalance_impact",
    "inter_partition_imbalance": "critical_imbalance_impact",
    "non_critical_path_activities": "performance_impact",
}


def _ends_library(call):
    return call.name == "Finalize" or library_functions.kind_of(call.region) == "finalize"


def start_of_path(intervals):
    """The location at whose end the path starts, None if there are no events at all."""
    finalized = {loc: max(call.enter for call in calls if _ends_library(call))
                 for loc, calls in intervals.calls.items()
                 if any(_ends_library(call) for call in calls)}
    times = finalized or {loc: location.last for loc, location in intervals.locations.items()
                          if location.last is not None}
    return min(times, key=lambda loc: (-times[loc], loc)) if times else None


def spans(intervals):
    """{location: (begin, end)} of what the path may lead through, locations without events left out:
    all of it, or from the Enter of Init of its process to the Leave of Finalize."""
    found = {loc: (location.first, location.last)
             for loc, location in intervals.locations.items() if location.first is not None}
    if intervals.options.get("critical-path") == "init-finalize":
        for loc, (first, last) in found.items():
            calls = [call for other in found if other[0] == loc[0]
                     for call in intervals.calls[other]]
            begins = [call.enter for call in calls if call.name in ("Init", "Init_thread")
                      or library_functions.kind_of(call.region) == "init"]
            ends = [call.leave for call in calls if _ends_library(call)]
            found[loc] = (max(first, min(begins, default=first)),
                          min(last, max(ends, default=last)))
    return found


def follow(intervals):
    """Segments (location, from, to) of the path, the latest first; some may have no length. And the
    wait states over which it changes location."""
    loc, segments = start_of_path(intervals), []
    if loc is None:
        return segments, []
    limits = spans(intervals)
    end, position, followed = limits[loc][1], None, []
    while True:
        earlier = [wait for wait in intervals.locations[loc].waits
                   if limits[loc][0] < wait.time <= end]
        wait = earlier[-1] if earlier else None
        start = _latest_start(intervals, limits, loc, position, end)
        if start and (wait is None or start[0] > wait.activity.position):
            _, starter, position, time = start
            segments.append((loc, time, end))
            loc, end = starter, time
            continue
        if wait is None:
            break
        assert wait not in followed, "the path goes in a circle"
        followed.append(wait)
        segments.append((loc, wait.time, end))
        loc, end = wait.causing, wait.time
        position = wait.cause.position if wait.time == wait.cause.enter else wait.cause.end_position
    segments.append((loc, min(limits[loc][0], end), end))
    _check_length(limits, segments)
    return segments, followed


def _latest_start(intervals, limits, loc, position, end):
    """Where a location last began to work for another one, which forked it or created it, before one
    of its positions: an element of intervals.thread_starts."""
    starts = [start for start in intervals.thread_starts.get(loc, ())
              if (position is None or start[0] < position) and start[3] <= end
              and start[1] in limits and start[3] >= limits[start[1]][0]
              and intervals.times[loc][start[0]] >= limits[loc][0]]
    return max(starts, default=None)


def holds_on_path(segments, followed):
    """Parts (location, from, to) of the path, disjoint, in which its location holds a lock at whose
    begin or end it changes location over the contention for that lock."""
    contentions = [wait.contention for wait in followed if wait.is_contention]
    holds = {hold for contention in contentions for hold in (contention.own, contention.holds[0])}
    found = []
    for loc, since, to in segments:
        at = since
        for begin, end in sorted((hold.begin, hold.end) for hold in holds if hold.loc == loc):
            begin, end = max(begin, at), min(end, to)
            if begin < end:
                found.append((loc, begin, end))
                at = end
    return found


def _check_length(limits, segments):
    start, end = segments[0][0], segments[-1][0]
    length = limits[start][1] - min(limits[end][0], segments[-1][1])
    assert sum(to - since for _, since, to in segments) == length, "the path has gaps"
    assert all(to >= since for _, since, to in segments)


class CriticalPath:
    """values: {metric: {(call path, location): value}} of all METRICS; segments: see follow()."""

    def __init__(self, intervals):
        self._locations = intervals.locations
        self._wait_states = intervals.wait_states
        self.values = {metric: {} for metric in METRICS}
        self.segments, followed = follow(intervals)
        self._own = {loc: location.whole_profile() for loc, location in self._locations.items()}
        limits = spans(intervals)
        self._compared = {loc: location.profile(*limits[loc]) if loc in limits else {}
                          for loc, location in self._locations.items()}
        for loc, since, to in self.segments:
            for path, time in self._locations[loc].time_in_regions(since, to).items():
                self._add("critical_path", path, loc, time)
        self._on_path = {}  # {call path: time on the path}
        for (path, _), time in self.values["critical_path"].items():
            self._on_path[path] = self._on_path.get(path, 0) + time
        self._imbalance = {path: self._excess(path, self._locations) for path in self._on_path}
        serialized = {}  # {call path: {location: time on the path while it holds a lock}}
        for loc, since, to in holds_on_path(self.segments, followed):
            for path, time in self._locations[loc].time_in_regions(since, to).items():
                of_path = serialized.setdefault(path, {})
                of_path[loc] = of_path.get(loc, 0) + time
        for path, value in self._imbalance.items():
            self._add_imbalance(path, value, serialized.get(path, {}))
        self._add_impact(_Partitions(intervals))

    def _add(self, metric, path, loc, value, with_parents=True):
        while value and metric is not None:
            cells = self.values[metric]
            cells[path, loc] = cells.get((path, loc), 0) + value
            metric = METRICS[metric] if with_parents else None

    def _book_on_path(self, metric, path, value):
        """On the locations in proportion to their time on the path."""
        self._book(metric, path, value, self._locations_on_path(path))

    def _locations_on_path(self, path):
        """{location: time of a call path on the path}."""
        return {loc: time for (other, loc), time in self.values["critical_path"].items()
                if other == path}

    def _book(self, metric, path, value, times, with_parents=True):
        """On locations in proportion to their times."""
        whole = sum(times.values())
        for loc, time in times.items():
            if time:
                self._add(metric, path, loc, value * Fraction(time, whole), with_parents)

    def _add_imbalance(self, path, value, serialized):
        """The imbalance of a call path: what of it is serialization in proportion to `serialized`,
        the rest in proportion to the rest of its time on the path."""
        serialization = min(value, sum(serialized.values()))
        for metric in ("critical_path_serialization", "critical_path_imbalance"):
            self._book(metric, path, serialization, serialized, with_parents=False)
        rest = {loc: time - serialized.get(loc, 0)
                for loc, time in self._locations_on_path(path).items()}
        self._book("critical_path_imbalance", path, value - serialization, rest,
                   with_parents=False)

    def _excess(self, path, locations):
        """Time on the path beyond the mean time of some locations in the same part of the run."""
        total = sum(self._compared[loc].get(path, 0) for loc in locations)
        return max(Fraction(0), self._on_path[path] - Fraction(total, len(locations)))

    def _add_impact(self, partitions):
        for loc, profile in self._own.items():
            for path, time in profile.items():
                self._add("critical_path_activities" if path in self._on_path
                          else "non_critical_path_activities", path, loc, time)
        waiting = sum(wait.waiting_time for wait in self._wait_states)
        total = sum(self._imbalance.values())
        if total == 0:
            for wait in self._wait_states:
                self._add("non_critical_path_activities", wait.activity.path, wait.waiting,
                          wait.waiting_time)
        else:
            for path, imbalance in self._imbalance.items():
                intra = min(imbalance, self._excess(path, partitions.that_execute(path)))
                self._book_on_path("intra_partition_imbalance", path, waiting * intra / total)
                self._book_on_path("inter_partition_imbalance", path,
                                   waiting * (imbalance - intra) / total)
        self._check_impact()

    def _check_impact(self):
        spent = sum(end - begin for location in self._locations.values()
                    for begin, end, _ in location.segments)
        assert sum(self.values["performance_impact"].values()) == spent, "impact is not all time"


def named_partitions(text, locations):
    """{location: name} of `io:0-3,8,solver:4-7.0,...`; locations that nobody names have None."""
    def numbers(word):
        first, dash, last = word.partition("-")
        if word == "*":
            return lambda number: True
        return range(int(first), int(last if dash else first) + 1).__contains__

    found, name = dict.fromkeys(locations), None
    for item in text.split(","):
        name, item = item.split(":") if ":" in item else (name, item)
        ranks, _, threads = item.partition(".")
        for rank, thread in locations:
            if numbers(ranks)(rank) and numbers(threads or "*")(thread):
                assert found[rank, thread] is None, "a location is named twice"
                found[rank, thread] = name
    return found


class _Partitions:
    """Groups of locations: those that the user named, else those that visit the same top-level call
    paths."""

    def __init__(self, intervals):
        visited = {loc: {call.path for call in intervals.calls.get(loc, ())
                         if intervals.is_visited(call)} for loc in intervals.locations}
        for path, loc in intervals.visits:
            visited[loc].add(path)
        names = {loc: frozenset(path for path in paths if len(path) == 1)
                 for loc, paths in visited.items()}
        if "partition" in intervals.options:
            names = named_partitions(intervals.options["partition"], list(intervals.locations))
        self._groups = {}
        self._paths = {}
        for loc, name in names.items():
            self._groups.setdefault(name, []).append(loc)
            self._paths.setdefault(name, set()).update(visited[loc])

    def that_execute(self, path):
        """The locations of all partitions in which somebody visits the call path."""
        return [loc for name, locations in self._groups.items() if path in self._paths[name]
                for loc in locations]

# SPDX-License-Identifier: BSD-3-Clause
"""The first problem of a report, and the recorded time in which processes wait for a call of another one."""

import collections
import json
import subprocess

# From Enter to Leave, in seconds; `path`: the names of the regions from the outermost on; `lock`: that the
# call has acquired, or None.
Visit = collections.namedtuple("Visit", "path enter leave lock")


def read_visits(anchor):
    """@return by process: the visits of all regions, in the order of their ends"""
    import otf2

    visits, opened, acquired = collections.defaultdict(list), collections.defaultdict(list), {}
    with otf2.reader.open(str(anchor)) as archive:
        groups = {group.name: number
                  for number, group in enumerate(archive.definitions.location_groups)}
        second = archive.timer_resolution
        for location, event in archive.events:
            process = groups[location.group.name]
            stack = opened[process]
            if isinstance(event, otf2.events.Enter):
                stack.append((event.region.name, event.time / second))
            elif isinstance(event, otf2.events.Leave):
                path = tuple(name for name, _ in stack)
                visits[process].append(Visit(path, stack.pop()[1], event.time / second,
                                             acquired.pop(process, None)))
            elif isinstance(event, otf2.events.RmaAcquireLock):
                acquired[process] = event.remote, event.lock_id
    return visits


def calls_of(visits, *names):
    return [visit for visit in visits if visit.path[-1] in names]


def spans_in(visits, function):
    """@return the spans of time in a function, its callees included"""
    return [(visit.enter, visit.leave) for visit in visits if visit.path[-1] == function]


def spans_of(visits, paths):
    """@return the spans of time in call paths"""
    return [(visit.enter, visit.leave) for visit in visits if visit.path in paths]


def lock_held(visits, time):
    """@return the lock that was acquired last before a time; None: none was"""
    return max(((visit.leave, visit.lock) for visit in visits
                if visit.lock is not None and visit.leave <= time), default=(0.0, None))[1]


def overlap(spans, others):
    """@return the seconds that lie in spans of both lists"""
    return sum(max(0.0, min(end, other_end) - max(begin, other_begin))
               for begin, end in spans for other_begin, other_end in others)


class FirstProblem:
    """The first problem of `fermata report`: function, processes, kind and cost (seconds)."""

    def __init__(self, fermata, experiment, functions, kinds=None):
        """functions: those that are looked for in the call path of the cause; kinds: of its cause, if not any"""
        printed = subprocess.run([fermata, "report", "--format=json", str(experiment)],
                                 capture_output=True, text=True, check=True).stdout
        report = json.loads(printed)
        places = {path["id"]: path for path in report["callpaths"]}
        processes = {location["id"]: location["rank"] for location in report["locations"]}
        problem = next(problem for problem in report["problems"]
                       if kinds is None or problem["cause"]["kind"] in kinds)

        def path_of(place):
            names = []
            while place is not None:
                names.append(places[place]["region"])
                place = places[place]["parent"]
            return tuple(reversed(names))

        def function_of(problem):
            names = path_of(problem["cause"]["callpath"])[::-1]
            return next((name for name in names if name in functions), names[0] if names else None)

        self.function = function_of(problem)
        self.kinds = {(function_of(each), each["cause"]["kind"]) for each in report["problems"]}  # of all problems
        self.processes = [processes[location] for location in problem["cause"]["locations"]]
        self.kind = problem["cause"]["kind"]
        # Of its call paths those outside the functions: one call that several functions make is one cause.
        self.elsewhere = {path for path in map(path_of, problem["cause"]["callpaths"])
                          if not set(path) & set(functions)}
        self.elsewhere |= {path[1:] for path in self.elsewhere}  # the program itself may stand in front
        self.cost = problem["cost"]
        inside = {path for path in places if self._is_inside(places, path, functions)}
        # Seconds for which the functions had no processor.
        self.stolen = sum(row["value"] for row in report["severities"]
                          if row["metric"] == "stolen_time" and row["callpath"] in inside)
        self.symptoms = [symptom["metric"] for symptom in problem["symptoms"]]

    @staticmethod
    def _is_inside(places, path, functions):
        while path is not None and places[path]["region"] not in functions:
            path = places[path]["parent"]
        return path is not None

    def __str__(self):
        return (f"`{self.function}` on {self.processes}, {self.kind}, {self.cost:.4f} s, seen as "
                f"{', '.join(self.symptoms)}")

# SPDX-License-Identifier: BSD-3-Clause
"""Severities over time: the iterations of the phases of a program."""

from fractions import Fraction

TIMES = ("begin", "end", "duration", "time", "computation", "longest_computation", "waiting")
COUNTS = ("iterations", "locations")
QUOTIENTS = ("imbalance", "parallel_efficiency", "load_balance", "communication_efficiency")


def instances(intervals, region, loc):
    """(begin, end) of the instances of a phase that a location takes part in: its own, else those of
    the first location of its process that has any."""
    own = [other for other in [loc] + sorted(intervals.locations) if other[0] == loc[0]]
    for other in own:
        found = [(call.enter, call.leave) for call in intervals.calls.get(other, ())
                 if call.region == region and call.name is None]
        if found:
            return found
    return []


def _iteration(intervals, instances):
    """{value: number} of {location: (begin, end)}."""
    start = min(location.first for location in intervals.locations.values()
                if location.first is not None)
    computation, waiting = {}, {}
    for loc, (begin, end) in instances.items():
        location = intervals.locations[loc]
        computation[loc] = location.computation(begin, end)
        for wait in location.waits:
            time = min(end, wait.time) - max(begin, wait.begin)
            if time > 0:
                waiting[wait.metric] = waiting.get(wait.metric, 0) + time
    durations = [end - begin for begin, end in instances.values()]
    values = {
        "iterations": 1,
        "locations": len(instances),
        "begin": min(begin for begin, _ in instances.values()) - start,
        "end": max(end for _, end in instances.values()) - start,
        "duration": max(durations),
        "time": sum(durations),
        "computation": sum(computation.values()),
        "longest_computation": max(computation.values()),
        "waiting": sum(waiting.values()),
        "capacity": len(instances) * max(durations),
        "computation_capacity": len(instances) * max(computation.values()),
    }
    return {**waiting, **values}


def _total(iterations):
    """All iterations as one."""
    total = {}
    for values in iterations:
        for name, value in values.items():
            combine = {"begin": min, "end": max, "locations": max}.get(name, lambda a, b: a + b)
            total[name] = combine(total[name], value) if name in total else value
    return total


def _add_quotients(values):
    """The imbalance, and the efficiencies; those of no computation are 0 here."""
    computation, whole = values["computation"], values["computation_capacity"]
    capacity = values.pop("capacity")
    del values["computation_capacity"]
    values["imbalance"] = Fraction(whole - computation, values["locations"])
    values["parallel_efficiency"] = Fraction(computation, capacity) if whole else 0
    values["load_balance"] = Fraction(computation, whole) if whole else 0
    values["communication_efficiency"] = Fraction(whole, capacity) if whole else 0
    return values


def phases(intervals, regions):
    """{(value or metric of a wait state, region, iteration or None for all): number} of the phases
    with these regions; iteration k is the k-th instance on each location."""
    found = {}
    for region in sorted(regions):
        iterations = []
        for loc, location in sorted(intervals.locations.items()):
            if location.first is not None:
                for number, instance in enumerate(instances(intervals, region, loc)):
                    iterations += [{}] if number == len(iterations) else []
                    iterations[number][loc] = instance
        iterations = [_iteration(intervals, instances) for instances in iterations]
        if not iterations:
            continue
        total = _add_quotients(_total(iterations))
        for number, values in [(None, total)] + list(enumerate(map(_add_quotients, iterations))):
            for name, value in values.items():
                found[name, region, number] = value
    return found

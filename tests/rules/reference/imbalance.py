# SPDX-License-Identifier: BSD-3-Clause
"""The imbalance heuristic: how far the computation time of a call path is from its mean."""

from fractions import Fraction

from intervals import has_computation

# Parent of every metric; values include those of the children.
METRICS = {
    "imbalance": None,
    "imbalance_above": "imbalance",
    "imbalance_above_single": "imbalance_above",
    "imbalance_below": "imbalance",
    "imbalance_below_bypass": "imbalance_below",
    "imbalance_below_singularity": "imbalance_below_bypass",
}


def imbalance(intervals, forks):
    """{metric: {(call path, location): value}} of all METRICS; `forks`: pairs (call, time) of what
    is no computation in a call."""
    values = {metric: {} for metric in METRICS}
    times = {}  # {call path: {location that visits it: exclusive time}}
    for loc, calls in intervals.calls.items():
        for call in calls:
            if has_computation(call.path) and intervals.is_visited(call):
                of_path = times.setdefault(call.path, {})
                of_path[loc] = of_path.get(loc, 0) + call.own_time
    for call, time in forks:
        if has_computation(call.path):
            times[call.path][call.loc] -= time
    for wait in intervals.wait_states:
        if wait.is_polled:
            for path, time in intervals.locations[wait.waiting].times.in_loop(wait.begin, wait.time).items():
                if has_computation(path):
                    times[path][wait.waiting] -= time
    for path, loc in intervals.visits:
        if has_computation(path):
            times.setdefault(path, {}).setdefault(loc, 0)
    for path, of_path in times.items():
        mean = Fraction(sum(of_path.values()), len(of_path))
        is_single = len(of_path) == 1
        for loc in intervals.locations:
            metric, value = _deviation(of_path.get(loc), mean, is_single)
            while value and metric is not None:
                values[metric][path, loc] = value
                metric = METRICS[metric]
    return values


def _deviation(time, mean, is_single):
    """(metric, value) of one location; `time` None: it does not visit the call path."""
    if time is None:
        return "imbalance_below_singularity" if is_single else "imbalance_below_bypass", mean
    if is_single:
        return "imbalance_above_single", time
    return "imbalance_above" if time > mean else "imbalance_below", abs(time - mean)

# SPDX-License-Identifier: BSD-3-Clause
"""What is active inside of accelerators while kernels run: how the time of measured kernels divides."""

import math

from scenario_file import IDLE


def _round(ticks):
    return math.floor(ticks + 0.5)


def _measured_kernels(timeline):
    """(call, {activity: fraction}) of the outermost calls of streams with both efficiencies. The last
    value of each counts, above 1 as 1."""
    for stream in sorted(timeline.scenario.streams):
        events = timeline.scenario.events.get(stream, ())
        for call in timeline.calls.get(stream, ()):
            if len(call.path) != 1 or call.region == IDLE:
                continue
            inside = [event.args for event in events[call.position:call.end_position]
                      if event.name == "activity"]
            found = {name: min(value / whole, 1.0) for (name, whole), value in inside}
            if "sm" in found and "warp" in found:
                yield call, found


def loads(timeline):
    """(metric, call, time)."""
    for call, found in _measured_kernels(timeline):
        time, sm, warp = call.own_time, found["sm"], found["warp"]
        exponent = 1 - found["memory"] if "memory" in found else 0.5
        active, adjusted = _round(time * sm), _round(time * sm * warp)
        yield "kernel_measured", call, time
        yield "kernel_adjusted", call, adjusted
        yield "kernel_inactive", call, active - adjusted
        yield "kernel_idle", call, time - active
        yield "kernel_composite", call, _round(time * math.pow(sm, exponent) * math.pow(warp, exponent))

# SPDX-License-Identifier: BSD-3-Clause
"""Times of threads that are no wait states: forks, idle threads, delayed starts, starvation."""

import tasks


def forks(timeline):
    """Pairs (enclosing call, time) of the forks of teams: until the Enter of the parallel region
    that follows."""
    for loc, events in timeline.scenario.events.items():
        records = {record.sequence: record for record in timeline.thread_records.get(loc, ())}
        for position, event in enumerate(events):
            if event.name != "fork" or records[position].call is None:
                continue
            following = next((later for later in events[position + 1:]
                              if later.name in ("enter", "leave", "fork", "join")), None)
            if following and following.name == "enter" and following.args[0].startswith(
                    "!$omp parallel"):
                flushed = sum(later.args[0] - later.time for later in events[position:]
                              if later.name == "buffer_flush" and later.time < following.time)
                yield records[position].call, following.time - event.time - flushed


def _outermost_teams(timeline, master):
    """[(begin, end, instance or None)] of the outermost forks of a master."""
    found, depth, begin, instance = [], 0, None, None
    for position, event in enumerate(timeline.scenario.events[master]):
        if event.name == "fork":
            if depth == 0:
                begin, instance = event.time, None
            depth += 1
        elif event.name == "team_begin" and depth == 1 and instance is None:
            instance = timeline.teams.instance_at(master, position)
        elif event.name == "join" and depth:
            depth -= 1
            if depth == 0:
                found.append((begin, event.time, instance))
    if depth:
        found.append((begin, timeline.scenario.events[master][-1].time, instance))
    return found


def _without(spans, others):
    """Spans (begin, end) without the parts that others cover; others are disjoint and ordered."""
    left = []
    for begin, end in spans:
        for first, last in others:
            if first >= end or last <= begin:
                continue
            if first > begin:
                left.append((begin, first))
            begin = max(begin, last)
        if begin < end:
            left.append((begin, end))
    return left


def _outside_regions(timeline, loc, begin, end):
    roots, until = [], None
    for call in timeline.calls.get(loc, ()):
        if until is None or call.enter >= until:
            roots.append((call.enter, call.leave))
            until = call.leave
    return _without([(begin, end)], roots)


def idle_threads(timeline):
    """(metric, call path of the master, slave, time)."""
    for metric, _, path, slave, begin, end in idle_spans(timeline):
        yield metric, path, slave, end - begin


def idle_spans(timeline):
    """(metric, master, call path of the master, slave, begin, end)."""
    scenario = timeline.scenario
    for rank in range(scenario.ranks):
        locations = [(rank, thread) for thread in range(scenario.threads)]
        masters = [loc for loc in locations
                   if any(event.name == "fork" for event in scenario.events.get(loc, ()))]
        if not masters:
            continue
        master = masters[0]
        teams = _outermost_teams(timeline, master)
        for begin, end, path in timeline.segments[master]:
            serial = _without([(begin, end)], [team[:2] for team in teams])
            for slave in locations:
                if slave == master:
                    continue
                for span in serial:
                    for first, last in _outside_regions(timeline, slave, *span):
                        yield "omp_idle_threads", master, path, slave, first, last
                for first, last, instance in teams:
                    if instance is None or slave in timeline.teams.members[instance]:
                        continue
                    first, last = max(first, begin), min(last, end)
                    if first < last:
                        for one, other in _outside_regions(timeline, slave, first, last):
                            yield ("omp_limited_parallelism", master, path, slave, one,
                                   other)


def _start_delays(timeline):
    begins = {}
    for loc, records in timeline.thread_records.items():
        for record in records:
            if record.name == "thread_begin":
                begins[loc[0], record.args] = record.time
    for loc, records in timeline.thread_records.items():
        for record in records:
            if record.name == "thread_create" and record.call is not None:
                begin = begins.get((loc[0], record.args))
                if begin is not None and begin > record.call.enter:
                    yield "thread_start_delay", record.call, begin - record.call.enter


def _union(spans):
    found = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        elif begin < end:
            found.append((begin, end))
    return found


def _starvation(timeline):
    """Own time of barriers and taskwaits during which tasks of the team run on other threads."""
    runs = tasks.runs(timeline)
    for loc, calls in timeline.calls.items() if runs else ():
        positions = [position for position, event in enumerate(timeline.scenario.events[loc])
                     if event.name == "enter"]
        for call, position in zip(calls, positions):
            if call.node not in ("omp_ebarrier", "omp_ibarrier", "omp_taskwait"):
                continue
            instance = timeline.teams.instance_at(loc, position)
            running = _union([(begin, end) for team, runner, begin, end in runs
                              if instance and team == instance[0] and runner != loc])
            nested = [(other.enter, other.leave) for other in calls if other.index > call.index
                      and other.path[:-1] == call.path and other.leave <= call.leave
                      and other.enter >= call.enter]
            own = _without([(call.enter, call.leave)], _union(nested))
            time = sum(max(0, min(end, last) - max(begin, first))
                       for begin, end in running for first, last in own)
            yield "omp_task_starvation", call, time


def infos(timeline):
    """(metric, call, time) of what stands beside the tree of time."""
    yield from _start_delays(timeline)
    yield from _starvation(timeline)

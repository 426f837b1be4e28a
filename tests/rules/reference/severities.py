# SPDX-License-Identifier: BSD-3-Clause
"""Severities of one scenario: {metric: {(call path, location): value}}.

Time-tree metrics are exclusive of their children, all others include them.
"""

import accelerators
import blame
import collective_progress
import critical_path
import epochs
import formation
import idle_problems
import imbalance
import intervals
import kernel_activity
import libraries
import library_functions
import matching
import matrices
import message_progress
import metrics
import passive_target
import phases
import problems
import progress
import thread_locks
import thread_times
import thread_waits
import wait_states as ws


POLLING_METRICS = tuple(kind + "_polling" for kind in intervals.KINDS)


class Severities:
    """values: {metric: {(call path, location): value}}; wait_states: {call: Candidate}; instances
    and windows: as in matching and epochs."""

    def __init__(self):
        self.values = {metric: {} for metric in metrics.TIME_METRICS}
        self.values.update({metric: {} for metric in metrics.COUNT_METRICS})
        self.values.update({metric: {} for metric in metrics.INFO_METRICS + POLLING_METRICS})

    def add(self, metric, call, value):
        """Adds to one metric only; metrics out of scope are created as they come."""
        self.add_at(metric, call.path, call.loc, value)

    def add_at(self, metric, path, loc, value):
        if value:
            cells = self.values.setdefault(metric, {})
            cells[path, loc] = cells.get((path, loc), 0) + value

    def count(self, metric, call, value=1):
        """Adds to a metric and to all its parents."""
        while metric is not None:
            self.add(metric, call, value)
            metric = metrics.COUNT_METRICS[metric]


def compute(timeline):
    """All severities in scope, with the partition of time checked."""
    severities = Severities()
    point_to_point = matching.PointToPoint(timeline)
    instances = matching.collective_instances(timeline)
    windows = epochs.window_processes(timeline)
    candidates = list(ws.point_to_point_candidates(point_to_point, timeline.calls, timeline.scenario.nodes))
    candidates += ws.collective_candidates(instances, matching.counts_bytes(timeline))
    candidates += ws.one_sided_candidates(windows)
    stated = timeline.scenario.options.get("progress")
    candidates += passive_target.candidates(timeline, windows, stated)
    candidates += message_progress.candidates(timeline, point_to_point, stated)
    candidates += collective_progress.candidates(timeline, instances, matching.counts_bytes(timeline), stated)
    of_libraries = libraries.collective_instances(timeline)
    candidates += libraries.collective_candidates(of_libraries, matching.counts_bytes(timeline))
    candidates += libraries.peer_candidates(timeline)
    candidates += thread_locks.candidates(timeline)
    candidates += thread_waits.candidates(timeline)
    candidates += accelerators.candidates(timeline)
    chosen = ws.decide(candidates)
    severities.wait_states, severities.instances, severities.windows = chosen, instances, windows
    parts, polled = _parts_of_time(chosen, instances, point_to_point.received_by)
    for call, metric, time in libraries.completions(of_libraries, chosen):
        parts.setdefault(call, []).append((metric, time))
    for call, time in thread_times.forks(timeline):
        parts.setdefault(call, []).append(("omp_fork", time))
    _add_time(severities, timeline, parts, polled)
    _add_open_calls(severities, timeline, chosen, parts)
    for metric, path, loc, time in thread_times.idle_threads(timeline):
        severities.add_at(metric, path, loc, time)
    for metric, call, time in thread_times.infos(timeline):
        severities.add(metric, call, time)
    for metric, call, time in kernel_activity.loads(timeline):
        severities.add(metric, call, time)
    for call, candidate in chosen.items():
        if candidate.rule == ws.PROGRESS:
            severities.add(candidate.metric + "_lower", call,
                           progress.time_without_overlap(candidate))
    _count_calls_and_records(severities, timeline)
    for processes in windows.values():
        _count_pairs(severities, processes)
    return severities


# Metrics of compute_formation(); their parents as for counts.
FORMATION_METRICS = {**formation.METRICS, **blame.METRICS, **critical_path.METRICS,
                     **imbalance.METRICS}


def intervals_of(timeline, severities):
    """The run as intervals between points, from the result of compute()."""
    return intervals.Intervals(timeline, severities.wait_states, severities.instances,
                               severities.windows)


def compute_phases(timeline, severities):
    """What phases.phases() tells, from the result of compute()."""
    return phases.phases(intervals_of(timeline, severities), timeline.scenario.phases)


def compute_matrices(timeline, severities):
    """What matrices.matrices() tells, from the result of compute()."""
    of_run = intervals_of(timeline, severities)
    return matrices.matrices(timeline, of_run.wait_states, blame.Blame(of_run).matrix)


def compute_problems(timeline, severities, with_occasions=True):
    """The problems of the run, from the result of compute(); without occasions and symptoms if
    only their costs are needed."""
    phases_of_run = timeline.scenario.phases if with_occasions else None
    intervals = intervals_of(timeline, severities)
    found = problems.Problems(intervals, phases_of_run).problems
    found += idle_problems.IdleProblems(timeline, intervals, phases_of_run).problems
    return sorted(found, key=problems.sort_key)


def compute_formation(timeline, severities):
    """Values of the FORMATION_METRICS from the result of compute()."""
    of_run = intervals_of(timeline, severities)
    # That of a run that ended inside calls is not stated.
    path = dict.fromkeys(critical_path.METRICS, {}) if timeline.ends.has_open_calls else \
        critical_path.CriticalPath(of_run).values
    return {**formation.Formation(of_run).values, **blame.Blame(of_run).values, **path, **imbalance.imbalance(of_run, thread_times.forks(timeline))}


def _parts_of_wait(candidate, wait, received_by):
    """[(metric, time)] of a wait state, in the order of time."""
    if candidate.rule in (ws.LATE_SENDER, ws.LATE_RECEIVER):
        return [(ws.wrong_order_metric(candidate, received_by), wait)]
    if candidate.metric == "mpi_rma_wait_at_fence":
        early = ws.early_fence(candidate)
        return [("mpi_rma_early_fence", early), (candidate.metric, wait - early)]
    if candidate.rule == ws.EARLY_WAIT:
        late = ws.late_complete(candidate)
        return [(candidate.metric, wait - late), ("mpi_rma_late_complete", late)]
    return [(candidate.metric, wait)]


def _parts_of_time(chosen, instances, received_by):
    """{call: [(metric, time)]}: what of each call's own time does not belong to its own node; and
    [(candidate, metric, begin, end)] of the waiting in polling loops."""
    parts, polled = {}, []
    for activity, candidate in chosen.items():
        begin = activity.begin_of_waiting(candidate.time)
        of_wait = _parts_of_wait(candidate, candidate.time - begin, received_by)
        if activity.call.loop is None:
            parts.setdefault(activity.call, []).extend(of_wait)
            continue
        for metric, time in of_wait:
            polled.append((candidate, metric, begin, begin + time))
            begin += time
    for call, metric, time in ws.completions(instances, chosen):
        parts.setdefault(call, []).append((metric, time))
    return parts, polled


_CALLS_OF_STRETCHES = ("omp_critical", "omp_ordered", "omp_ebarrier", "omp_ibarrier", "omp_taskwait")


def _unexplained(call, chosen, parts):
    """Time of a call that is never left, in its last stretch, which no rule explains."""
    begin, outside = call.enter, call.child_time + call.flushed + call.gaps
    if call.node in _CALLS_OF_STRETCHES and call.nested:
        if call.nested[-1].is_open:
            return 0
        begin, outside = call.nested[-1].leave, 0
    waited = sum(max(0, candidate.time - max(begin, activity.begin_of_waiting(candidate.time)))
                 for activity, candidate in chosen.items() if activity.call is call)
    completed = sum(time for metric, time in parts.get(call, ()) if metric.endswith("_completion"))
    return call.leave - begin - outside - waited - completed


def _add_open_calls(severities, timeline, chosen, parts):
    for calls in timeline.calls.values():
        for call in calls:
            if call.is_open and call.node != "comp":
                severities.add("open_call", call, _unexplained(call, chosen, parts))


def _add_time(severities, timeline, parts, polled):
    for calls in timeline.calls.values():
        for call in calls:
            rest = call.own_time
            for metric, time in parts.get(call, ()):
                assert time >= 0
                severities.add(metric, call, time)
                rest -= time
            assert rest >= 0, "waiting and completion exceed the call"
            severities.add(call.node, call, rest)
            severities.add("overhead", call, call.flushed)
    for candidate, metric, begin, end in polled:
        loc = candidate.activity.loc
        for path, time in timeline.times(loc).in_loop(begin, end).items():
            severities.add_at(metric, path, loc, time)
            severities.add_at(metrics.own_node(path[-1]), path, loc, -time)
            severities.add_at(intervals.kind_of(candidate.metric) + "_polling", path, loc, time)
    _check_partition(severities, timeline)


def _check_partition(severities, timeline):
    spent, booked = {}, {}
    for calls in timeline.calls.values():
        for call in calls:
            key = (call.path, call.loc)
            spent[key] = spent.get(key, 0) + call.own_time + call.flushed
    for metric, cells in severities.values.items():
        if metric not in metrics.COUNT_METRICS and metric not in (
                metrics.INFO_METRICS + POLLING_METRICS + metrics.IDLE_METRICS):
            for key, value in cells.items():
                booked[key] = booked.get(key, 0) + value
    assert booked == {key: time for key, time in spent.items() if time}, "time is no partition"


_SYNCS_RMA = {"mpi_rma_sync_active": "syncs_rma_active",
              "mpi_rma_sync_passive": "syncs_rma_passive"}


def _count_calls_and_records(severities, timeline):
    for (path, loc), count in timeline.visits.items():
        severities.add_at("visits", path, loc, count)
    for calls in timeline.calls.values():
        for call in calls:
            if call.node in _SYNCS_RMA:
                severities.count(_SYNCS_RMA[call.node], call, call.count)
            for record in call.records:
                _count_record(severities, record)


def _count_record(severities, record):
    name, args, call = record.name, record.args, record.call
    if name in ("send", "isend"):
        severities.count("comms_send" if args[2] else "syncs_send", call)
        severities.count("bytes_sent", call, args[2])
    elif name in ("recv", "irecv"):
        severities.count("comms_recv" if args[2] else "syncs_recv", call)
        severities.count("bytes_rcvd", call, args[2])
    elif name in ("coll_end", "nb_coll_complete") or (
            name == "rma_coll_end" and library_functions.library_of(call.region)):
        sent, received = args[3], args[4]
        if sent and received:
            severities.count("comms_cxch", call)
        elif sent or received:
            severities.count("comms_csrc" if sent else "comms_cdst", call)
        else:
            severities.count("syncs_coll", call)
        severities.count("bytes_cout", call, sent)
        severities.count("bytes_cin", call, received)
    elif name == "put":
        severities.count("comms_rma_puts", call)
        severities.count("bytes_put", call, args[2])
    elif name == "get":
        severities.count("comms_rma_gets", call)
        severities.count("bytes_get", call, args[2])
    elif name == "atomic":
        severities.count("comms_rma_atomics", call)
        severities.count("bytes_put", call, args[2])


def _count_pairs(severities, processes):
    def pairs(call, count, unneeded):
        severities.count("mpi_rma_pairsync_count", call, count - unneeded)
        severities.count("mpi_rma_pairsync_unneeded_count", call, unneeded)

    for metric, calls, epochs in ws.window_collective_instances(processes):
        if metric != "mpi_rma_wait_at_fence":
            continue
        if ws.is_complete(calls, processes) and not ws.instance_overlaps(calls):
            for call in calls.values():
                severities.count("mpi_rma_fence_partial", call)
        for rank, epoch in epochs.items():
            others = [other for other in processes[rank].members if other != rank]
            needed = [other for other in others if epoch.operations_on(other)
                      or other in epochs and epochs[other].operations_on(rank)]
            pairs(epoch.call, len(others), len(others) - len(needed))
    for process in processes.values():
        for access in process.accesses:
            if access.complete:
                used = {operation.target for operation in access.operations}
                pairs(access.complete, len(access.targets), len(access.targets - used))
        for lock in process.locks:
            if lock.release:
                used = {operation.target for operation in lock.operations}
                pairs(lock.release, len(lock.targets), len(lock.targets - used))
    for target, exposure, matched in ws.exposure_accesses(processes):
        if exposure.wait:
            used = {origin for origin, access in matched.items() if access.operations_on(target)}
            pairs(exposure.wait, len(exposure.origins), len(exposure.origins - used))

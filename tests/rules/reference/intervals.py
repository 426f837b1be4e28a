# SPDX-License-Identifier: BSD-3-Clause
"""Wait states as points between two locations, and what a location does between two points.

Times are integers in 1/1000 units, as everywhere in the reference.
"""

import collections
import itertools
from fractions import Fraction

import accelerators
import composition
import libraries
import library_functions
import metrics
import thread_waits
import wait_states as ws

# Delay kind of every wait state, by its metric in the time tree. The two forms of Late Post and of
# the passive-target wait states (in synchronization calls, in operations) are one kind.
SYNCHRONIZATION_KINDS = {
    "mpi_latesender": "latesender",
    "mpi_latereceiver": "latereceiver",
    "mpi_barrier_wait": "barrier",
    "mpi_wait_nxn": "n2n",
    "mpi_latebroadcast": "12n",
    "mpi_earlyreduce": "n21",
    "mpi_earlyscan": "scan",
    "mpi_init_wait": "init",
    "mpi_finalize_wait": "finalize",
    "mpi_comm_wait": "comm",
    "mpi_file_wait": "file",
    "mpi_io_collective_wait": "io_collective",
    "mpi_rma_wait_at_create": "rma_create",
    "mpi_rma_wait_at_fence": "rma_fence",
    "mpi_rma_wait_at_free": "rma_free",
    "mpi_rma_sync_late_post": "rma_late_post",
    "mpi_rma_comm_late_post": "rma_late_post",
    "mpi_rma_early_wait": "rma_early_wait",
    "mpi_rma_sync_wait_for_progress": "rma_progress",
    "mpi_rma_comm_wait_for_progress": "rma_progress",
    "mpi_rma_active_wait_for_progress": "rma_active_progress",
    "mpi_p2p_wait_for_progress": "p2p_progress",
    "mpi_coll_wait_for_progress": "coll_progress",
    "shmem_wait_until": "shmem_wait_until",
    "caf_earlyreduce": "caf_n21",
    "caf_sync_images_wait": "caf_sync_images",
    "caf_event_wait": "caf_event_wait",
    "omp_ebarrier_wait": "ompbarrier",
    "omp_ibarrier_wait": "ompbarrier",
    "omp_taskwait_wait": "omp_taskwait_wait",
    "omp_ordered_wait": "omp_ordered_wait",
    "pthread_condition_wait": "pthread_condition_wait",
    "pthread_join_wait": "pthread_join_wait",
    "pthread_barrier_wait": "pthread_barrier_wait",
    "pthread_semaphore_wait": "pthread_semaphore_wait",
    "cuda_stream_wait": "cuda_stream_wait",
    "cuda_copy_wait": "cuda_copy_wait",
    "cuda_late_launch": "cuda_late_launch",
    "cuda_event_wait": "cuda_event_wait",
}
for _library in library_functions.LIBRARIES:
    SYNCHRONIZATION_KINDS.update({
        _library + "_init_wait": "init",
        _library + "_finalize_wait": "finalize",
        _library + "_wait_at_alloc": _library + "_alloc",
        _library + "_wait_at_free": _library + "_free",
        _library + "_barrier_wait": _library + "_barrier",
        _library + "_sync_wait_for_progress": _library + "_progress",
        _library + "_comm_wait_for_progress": _library + "_progress",
    })
    if _library != "armci":
        SYNCHRONIZATION_KINDS[_library + "_wait_nxn"] = _library + "_n2n"
        SYNCHRONIZATION_KINDS[_library + "_latebroadcast"] = _library + "_12n"
CONTENTION_KINDS = {
    "mpi_rma_sync_lock_competition": "mpi_rma_lock",
    "mpi_rma_comm_lock_competition": "mpi_rma_lock",
    "shmem_lock_contention": "shmem_lock",
    "armci_lock_contention": "armci_lock",
    "caf_lock_contention": "caf_lock",
    "omp_lock_contention_critical": "omp_lock_critical",
    "omp_lock_contention_api": "omp_lock_api",
    "pthread_lock_contention_mutex_lock": "pthread_lock_mutex",
    "pthread_lock_contention_conditional": "pthread_lock_conditional",
}
# In the order of the tables above, each kind once.
DELAY_KINDS = tuple(dict.fromkeys(SYNCHRONIZATION_KINDS.values()))
INTERVAL_DELAY_KINDS = tuple(dict.fromkeys(CONTENTION_KINDS.values()))
KINDS = DELAY_KINDS + INTERVAL_DELAY_KINDS


def kind_of(metric):
    """The delay kind of the metric of a wait state."""
    return CONTENTION_KINDS.get(metric) or SYNCHRONIZATION_KINDS[metric]


class WaitState:
    """`activity` waits from `begin` to `time` for `cause`, a call of another location."""

    def __init__(self, candidate):
        self.activity = candidate.activity
        self.cause = candidate.cause
        self.waiting = candidate.activity.loc
        self.causing = candidate.cause.loc
        self.metric = candidate.metric
        self.begin = candidate.activity.begin_of_waiting(candidate.time)
        self.time = candidate.time
        self.is_polled = candidate.activity.call.loop is not None
        self.is_contention = candidate.metric in CONTENTION_KINDS
        # The contention for which it waits, or until `head_end`, before it waits for progress.
        self.contention = candidate.detail if self.is_contention else None
        self.head_end = None
        if candidate.rule == ws.PROGRESS and candidate.detail.contention:
            self.contention, self.head_end = candidate.detail.contention, candidate.detail.begin
        # The call for whose Enter it waits before it waits for progress, None: none.
        self.late = candidate.detail.late if candidate.rule == ws.PROGRESS else None
        self.kind = kind_of(candidate.metric)

    @property
    def waiting_time(self):
        return self.time - self.begin

    def waiting_time_behind(self, start):
        return self.time - max(start, self.begin)


class Location:
    """What happens on one location. `first` and `last` are the times of its first and last event,
    None without events; `times` are its timeline.Times."""

    def __init__(self, events, times):
        self.first = events[0].time if events else None
        self.last = events[-1].time if events else None
        self.times, self.segments = times, times.segments
        self.waits = []  # its WaitStates, ordered by time

    def waits_inside(self, start, end):
        """Pairs (WaitState, its waiting time behind `start`) of those that end in (start, end]."""
        return [(wait, wait.waiting_time_behind(start)) for wait in self.waits
                if start < wait.time <= end]

    def time_in_regions(self, start, end):
        """{call path: exclusive time between `start` and `end`}."""
        return self.times.in_regions(start, end)

    def profile(self, start, end):
        """d(c): {call path: time without waiting between `start` and `end`}, zeros left out."""
        times = self.time_in_regions(start, end)
        for wait in self.waits:
            begin, finish = max(wait.begin, start), min(wait.time, end)
            if begin < finish and wait.is_polled:
                for path, time in self.time_in_regions(begin, finish).items():
                    times[path] -= time
            elif begin < finish:
                times[wait.activity.path] -= finish - begin
        assert all(time >= 0 for time in times.values())
        return {path: time for path, time in times.items() if time}

    def computation(self, start, end):
        """Time of computation without waiting for what a loop polls."""
        return sum(time for path, time in self.profile(start, end).items() if has_computation(path))

    def whole_profile(self):
        return self.profile(self.first - 1, self.last) if self.segments else {}


class Intervals:
    """locations: {location: Location}, all that the scenario defines; wait_states: [WaitState]."""

    def __init__(self, timeline, chosen, instances, windows):
        scenario = timeline.scenario
        self.options = scenario.options
        self._is_sampled = timeline.is_sampled
        self.recorded = timeline.recorded  # scenario whose functions samples tell of; None: there are none
        self._phases = scenario.phases
        self.calls, self.visits = timeline.calls, timeline.visits
        self.locations = {(rank, thread): Location(scenario.events.get((rank, thread), ()),
                                                   timeline.times((rank, thread)))
                          for rank in range(scenario.ranks) for thread in range(scenario.threads)}
        self.times = {loc: [event.time for event in events]
                      for loc, events in scenario.events.items()}
        self.wait_states = [WaitState(candidate) for candidate in chosen.values()]
        self.wait_states.sort(key=lambda wait: (wait.time, wait.waiting))
        self._synchronizations = {}  # {pair of locations: set of times}
        self._contentions = {}
        self._init_times = {}  # {rank: times of the synchronizations of Init}
        for wait in self.wait_states:
            self.locations[wait.waiting].waits.append(wait)
            self._add_point(wait.is_contention, wait.waiting, wait.causing, wait.time)
        for kind, calls in _synchronizing_instances(instances, windows):
            self._add_instance(kind, calls)
        for kind, calls in libraries.synchronizing_instances(timeline):
            self._add_instance(kind, calls)
        for calls in thread_waits.barriers(timeline):
            self._add_instance("barrier", calls)
        self.thread_starts = {}  # {location: [(position, location of the starter, position, time)]}
        for master, position, time, workers in timeline.teams.forks():
            for one, other in itertools.combinations([master, *workers], 2):
                self._add_point(False, one, other, time)
            for loc, begin in workers.items():
                self.thread_starts.setdefault(loc, []).append((begin, master, position, time))
        for loc, begin, creator, position, time in thread_waits.creations(timeline):
            self._add_point(False, creator, loc, time)
            self.thread_starts.setdefault(loc, []).append((begin, creator, position, time))
            self._add_point(False, creator, loc, time)
        for thread, stream, time in accelerators.points(timeline):
            self._add_point(False, thread, stream, time)
        for loc, begin, thread, position, time in accelerators.first_launches(timeline):
            self.thread_starts.setdefault(loc, []).append((begin, thread, position, time))

    def is_visited(self, call):
        """Whether the location is in the call path: functions that lead to samples only have no time."""
        return call.own_time > 0 or (call.path, call.loc) in self.visits

    def _recorded(self, path):
        """The part of a call path down to its last region that is not known by samples."""
        while path and composition.is_estimated(self._phases, path[-1]):
            path = path[:-1]
        return path

    def excess(self, d_q, d_p):
        """{call path: by how much the times of q exceed those of p}. With samples, user functions are
        compared together with the recorded call path above them, and share its excess."""
        group = self._recorded if self._is_sampled else lambda path: path
        delta = {path: max(0, time - d_p.get(path, 0)) for path, time in d_q.items()}
        whole, positive = collections.Counter(), collections.Counter()
        for path in {**d_q, **d_p}:
            whole[group(path)] += d_q.get(path, 0) - d_p.get(path, 0)
            positive[group(path)] += delta.get(path, 0)
        return {path: time and Fraction(time * max(0, whole[group(path)]), positive[group(path)])
                for path, time in delta.items()}

    def _add_point(self, is_contention, one, other, time):
        points = self._contentions if is_contention else self._synchronizations
        points.setdefault(frozenset((one, other)), set()).add(time)

    def _add_instance(self, kind, calls):
        time = max(call.enter for call in calls)
        for index, call in enumerate(calls):
            for other in calls[:index]:
                self._add_point(False, call.loc, other.loc, time)
            if kind == "init":
                self._init_times.setdefault(call.loc[0], []).append(time)

    def starts(self, wait):
        """(start on the waiting location, start on the causing location) of the interval."""
        pair = frozenset((wait.waiting, wait.causing))
        points = set(self._synchronizations.get(pair, ()))
        if wait.is_contention:
            points |= self._contentions.get(pair, set())
        earlier = [time for time in points if time < wait.time]
        if not earlier:
            # The synchronization of Init is one of the processes: their other threads share it.
            # Processes of different worlds have different ones.
            inits = [[time for time in self._init_times.get(process, ()) if time < wait.time]
                     for process in (wait.waiting[0], wait.causing[0])]
            if not all(inits):
                return self.locations[wait.waiting].first, self.locations[wait.causing].first
            earlier = inits[0] + inits[1]
        return (max(earlier),) * 2


def _synchronizing_instances(instances, windows):
    """Pairs (kind, calls of all members) of the collectives that are a synchronization point for
    every pair of their members."""
    for members in instances.values():
        kind = ws.instance_kind(members)
        if not all(member.is_blocking for member in members):
            continue
        calls = {member.rank: member.activity for member in members}
        if (kind in ("barrier", "nxn", "init", "finalize")
                or kind in ("comm", "file", "io_collective") and ws.instance_overlaps(calls)):
            yield kind, list(calls.values())
    for processes in windows.values():
        for _, calls, _ in ws.window_collective_instances(processes):
            if ws.is_complete(calls, processes) and ws.instance_overlaps(calls):
                yield "window", list(calls.values())


def has_computation(path):
    """Whether the own time of a call path is computation."""
    return metrics.own_node(path[-1]) == "comp"

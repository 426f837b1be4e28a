# SPDX-License-Identifier: BSD-3-Clause
"""The wait states of threads that are no contention: barriers, conditions, semaphores, ends of
threads, ends and creations of tasks."""

import tasks
import timeline as tl
import wait_states as ws

_CONDITION_WAITS = ("pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait",
                    "cnd_wait", "cnd_timedwait")
_CONDITION_SIGNALS = ("pthread_cond_signal", "pthread_cond_broadcast", "cnd_signal",
                      "cnd_broadcast")
_SEMAPHORE_WAITS = ("sem_wait", "sem_timedwait", "sem_clockwait")
_SEMAPHORE_POSTS = ("sem_post",)
_BARRIER_METRICS = {"omp_ebarrier": "omp_ebarrier_wait", "omp_ibarrier": "omp_ibarrier_wait"}
_TASK_EXECUTORS = {**_BARRIER_METRICS, "omp_taskwait": "omp_taskwait_wait"}


def team_barriers(timeline):
    """[[call of each member]] of the barriers in which all members of a team's instance took part:
    the k-th barriers, explicit or implicit, of its members, in the order of the team."""
    barriers = {}  # {instance: {location: [call]}}
    for loc, calls in timeline.calls.items():
        positions = [position for position, event in enumerate(timeline.scenario.events[loc])
                     if event.name == "enter"]
        for call, position in zip(calls, positions):
            instance = timeline.teams.instance_at(loc, position)
            if call.node in ("omp_ebarrier", "omp_ibarrier") and instance is not None:
                barriers.setdefault(instance, {}).setdefault(loc, []).append(call)
    found = []
    for instance, by_member in barriers.items():
        members = [loc for loc in timeline.scenario.teams[instance[0]]
                   if loc in timeline.teams.members[instance]]
        members += sorted(set(timeline.teams.members[instance]) - set(members))
        if len(members) > 1 and len(by_member) == len(members):
            found += map(list, zip(*(by_member[loc] for loc in members)))
    return found


def objects_of_calls(timeline):
    """{(rank, object): [call]}, ordered by Enter."""
    found = {}
    for loc, records in timeline.thread_records.items():
        for record in records:
            if record.name == "object" and record.call is not None:
                found.setdefault((loc[0], record.args[0]), []).append(record.call)
    for calls in found.values():
        calls.sort(key=lambda call: (call.enter, call.loc, call.index))
    return found


def _is_complete(timeline, calls):
    """Whether a thread has left the round: not if its process ends while it is in the call."""
    rank = calls[0].loc[0]
    end = max(event.time for loc, events in timeline.scenario.events.items() if loc[0] == rank
              for event in events)
    return any(call.leave < end or any(record.name == "thread_end" and record.time >= call.leave
                                       for record in timeline.thread_records.get(call.loc, ()))
               for call in calls)


def thread_barriers(timeline):
    """[[call]] of the rounds of POSIX barriers: nobody leaves before the last one has entered."""
    found = []
    for calls in objects_of_calls(timeline).values():
        rounds = []
        for call in calls:
            if call.region != "pthread_barrier_wait":
                continue
            if (not rounds or call.enter > min(other.leave for other in rounds[-1])
                    or call.loc in {other.loc for other in rounds[-1]}):
                rounds.append([])
            rounds[-1].append(call)
        found += [calls for calls in rounds if len(calls) > 1 and _is_complete(timeline, calls)]
    return found


def barriers(timeline):
    """All that are a point for every pair of their members."""
    return team_barriers(timeline) + thread_barriers(timeline)


def _barrier_candidates(instances, rule):
    for calls in instances:
        last = max(call.enter for call in calls)
        cause = next(call for call in calls if call.enter == last)
        for call in calls:
            metric = _BARRIER_METRICS.get(call.node, "pthread_barrier_wait")
            yield ws.Candidate(call, last, rule, cause, metric, None, 0)


def _awakenings(timeline, waits, wakes):
    """(waiting call, the last call inside of it, on the same object, that wakes)."""
    for calls in objects_of_calls(timeline).values():
        for call in calls:
            inside = [other for other in calls if other.region in wakes and other.loc != call.loc
                      and call.enter < other.enter <= call.leave]
            if call.region in waits and inside:
                yield call, min(inside, key=lambda other: (-other.enter, other.loc, other.index))


def condition_awakenings(timeline):
    """{call that waits for a condition: the call that awakened it}."""
    return dict(_awakenings(timeline, _CONDITION_WAITS, _CONDITION_SIGNALS))


def _awaken(timeline, waits, wakes, rule, metric):
    for call, cause in _awakenings(timeline, waits, wakes):
        yield ws.Candidate(call, cause.enter, rule, cause, metric, None, 0)


def _join_candidates(timeline):
    ends = {}
    for loc, records in timeline.thread_records.items():
        begin = 0
        for record in records:
            if record.name == "thread_begin":
                begin = record.sequence
            elif record.name == "thread_end":
                left = [call for call in timeline.calls[loc]
                        if begin <= call.position and call.end_position < record.sequence]
                if left:
                    last = max(left, key=lambda call: (call.leave, -len(call.path), call.index))
                    ends[loc[0], record.args] = record.time, last
    for loc, records in timeline.thread_records.items():
        for record in records:
            if record.name == "thread_wait" and record.call is not None:
                time, cause = ends.get((loc[0], record.args), (None, None))
                if cause is not None and cause.loc != loc:
                    yield ws.Candidate(record.call, time, ws.JOIN, cause, "pthread_join_wait", None,
                                       0)


def _task_candidates(timeline):
    for call, ended in tasks.children_of_waits(timeline):
        others = [task for task in ended if task.end_call is not None
                  and task.end_call.loc != call.loc]
        if not ended or not others:
            continue
        last = max(task.end for task in ended)
        latest = [task for task in others if task.end == last]
        if latest:
            cause = min((task.end_call for task in latest), key=lambda end: (end.loc, end.index))
            yield ws.Candidate(call, last, ws.TASK_WAIT, cause, "omp_taskwait_wait", None, 0)


def _stretch_of(record):
    """(call, number of its stretch) that a record lies in, None if it is in no call."""
    return record.call and (record.call, sum(nested.end_position < record.sequence
                                             for nested in record.call.nested))


def _begins_of_tasks(timeline):
    """Triples (task, its first switch, the record of threads that follows on this location or None)
    of the tasks that begin on another location than that of their creator."""
    for task in tasks.all_tasks(timeline):
        if task.created is None or not task.switches:
            continue
        _, loc, position = min(task.switches, key=lambda switch: switch[0])
        if loc != task.creator:
            records = [record for record in timeline.thread_records[loc]
                       if record.sequence >= position]
            yield task, records[0], records[1] if len(records) > 1 else None


def _creation_candidates(timeline, decided):
    """Threads without a task wait for the creation of that which they begin at the end of a stretch;
    `decided` are the stretches (call, begin) that wait for something else."""
    for task, switch, following in _begins_of_tasks(timeline):
        cause = next(record.call for record in timeline.thread_records[task.creator]
                     if record.sequence == task.creation)
        at = _stretch_of(switch)
        if cause is None or at is None or at[0].node not in _TASK_EXECUTORS:
            continue
        if following is not None and _stretch_of(following) == at:
            continue
        stretch = tl.Stretch(*at)
        if (at[0], stretch.begin) not in decided:
            yield ws.Candidate(stretch, task.created, ws.TASK_WAIT, cause,
                               _TASK_EXECUTORS[at[0].node], None, 0)


def creations(timeline):
    """[(location, position of the begin of a thread, its creator, position and time of its creation)]
    of POSIX threads."""
    created = {(loc[0], record.args): (loc, record.sequence, record.time)
               for loc, records in timeline.thread_records.items() for record in records
               if record.name == "thread_create"}
    return [(loc, record.sequence, *created[loc[0], record.args])
            for loc, records in timeline.thread_records.items() for record in records
            if record.name == "thread_begin" and (loc[0], record.args) in created]


def candidates(timeline):
    of_teams = list(_barrier_candidates(team_barriers(timeline), ws.TEAM_BARRIER))
    of_children = list(_task_candidates(timeline))
    yield from of_teams + of_children
    yield from _creation_candidates(timeline, {
        (candidate.activity, candidate.activity.begin_of_waiting(candidate.time))
        for candidate in of_teams + of_children if ws.is_wait_state(candidate)})
    yield from _barrier_candidates(thread_barriers(timeline), ws.THREAD_BARRIER)
    yield from _awaken(timeline, _CONDITION_WAITS, _CONDITION_SIGNALS, ws.CONDITION,
                       "pthread_condition_wait")
    yield from _awaken(timeline, _SEMAPHORE_WAITS, _SEMAPHORE_POSTS, ws.SEMAPHORE,
                       "pthread_semaphore_wait")
    yield from _join_candidates(timeline)

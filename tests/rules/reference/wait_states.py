# SPDX-License-Identifier: BSD-3-Clause
"""The wait states of point-to-point, collective and active-target one-sided communication (those
of passive-target communication are in passive_target.py).

Every rule only collects candidates; `decide` then picks the one wait state of each activity, and
only then the sub-patterns and completions, which describe what was decided, are computed.
"""

from collections import namedtuple

import blocking_sizes
import epochs
import metrics

# The rules in the order in which the specification lists them: it breaks ties.
(LATE_SENDER, LATE_RECEIVER, BARRIER, NXN, LATE_BROADCAST, EARLY_REDUCE, EARLY_SCAN, INIT_FINALIZE,
 COMM_FILE, ALLOCATION, WINDOW_COLLECTIVE, LATE_POST, EARLY_WAIT, LOCK_CONTENTION, PROGRESS,
 TEAM_BARRIER, PEER, CONDITION, JOIN, THREAD_BARRIER, SEMAPHORE, TASK_WAIT, ORDERED,
 STREAMS) = range(24)

# activity: the waiting call; time: t of the rule; cause: the call that owns the event at t;
# metric: where the wait goes; detail: what the sub-patterns need; order: last resort among
# candidates of one rule with the same causing call.
Candidate = namedtuple("Candidate", "activity time rule cause metric detail order")


def is_wait_state(candidate):
    return candidate.activity.begin_of_waiting(candidate.time) is not None


def preference(candidate):
    """Smallest is best: the latest t, then rule, location of the cause, earlier event."""
    return (-candidate.time, candidate.rule, candidate.cause.loc, candidate.cause.index,
            candidate.order)


def decide(candidates):
    """{activity: Candidate} with circles of waits at one and the same t resolved."""
    remaining = {}
    for candidate in candidates:
        if is_wait_state(candidate):
            remaining.setdefault(candidate.activity, []).append(candidate)
    for of_activity in remaining.values():
        of_activity.sort(key=preference, reverse=True)
    while True:
        chosen = {activity: left[-1] for activity, left in remaining.items() if left}
        circles = _find_circles(chosen.values())
        if not circles:
            return chosen
        for circle in circles:
            dropped = max(circle, key=lambda c: (c.rule, c.activity.loc))
            remaining[dropped.activity].pop()


def _find_circles(chosen):
    """Circles of locations that wait for one another at the same t, as lists of candidates.

    The windows (Enter, Leave] of the calls of one location do not overlap, so that a location has
    at most one wait state at a given t.
    """
    waits = {(candidate.activity.loc, candidate.time): candidate for candidate in chosen}
    circles, visited = [], set()
    for first in sorted(waits):
        trail, at = [], first
        while at in waits and at not in visited:
            visited.add(at)
            trail.append(at)
            at = (waits[at].cause.loc, at[1])
        if at in trail:
            circles.append([waits[member] for member in trail[trail.index(at):]])
    return circles


# --- Point-to-point --------------------------------------------------------------------------


def _flush_behind(calls, send):
    """The first call that waits until the buffered messages of a process are sent, behind a buffered send."""
    flushes = [call for loc, of_location in calls.items() if loc[0] == send.source
               for call in of_location if call.name in metrics.FLUSHES and call.enter > send.start.enter]
    return min(flushes, key=lambda call: (call.enter, call.loc), default=None)


def point_to_point_candidates(point_to_point, calls, nodes):
    messages = point_to_point.messages
    sizes = blocking_sizes.BlockingSizes(messages, nodes)
    for order, message in enumerate(point_to_point.probed):
        yield Candidate(message.receive.complete, message.send.start.enter, LATE_SENDER, message.send.start,
                        "mpi_latesender", message, order)
    for order, message in enumerate(messages):
        send, receive = message.send, message.receive
        yield Candidate(receive.complete, send.start.enter, LATE_SENDER, send.start,
                        "mpi_latesender", message, order)
        if send.is_buffered and receive.posted is not None:
            flush = _flush_behind(calls, send)
            if flush:
                yield Candidate(flush, receive.posted.enter, LATE_RECEIVER, receive.posted,
                                "mpi_latereceiver", message, receive.position)
        if not blocking_sizes.can_wait_for_receiver(message):
            continue
        if not blocking_sizes.completes_receives(send.complete) or sizes.can_wait(message):
            yield Candidate(send.complete, receive.posted.enter, LATE_RECEIVER, receive.posted,
                            "mpi_latereceiver", message, receive.position)


def _received_later(call, than):
    if call.loc == than.loc:
        return call.index > than.index
    return call.leave > than.leave


def overtaken_sources(message, received):
    """World ranks whose earlier sent messages were not yet received when the call that received
    `message` returned; `received` are all matched messages of the receiving process."""
    receiving = message.receive.complete
    return {other.send.source for other in received
            if other.send.start.enter < message.send.start.enter
            and other.receive.complete is not receiving
            and _received_later(other.receive.complete, receiving)}


def wrong_order_metric(candidate, received_by):
    message = candidate.detail
    source = message.send.source
    sources = overtaken_sources(message, received_by[message.send.destination])
    if candidate.rule == LATE_RECEIVER:
        return "mpi_latereceiver_wo" if source in sources else "mpi_latereceiver"
    if source in sources:
        return "mpi_lswo_same"
    return "mpi_lswo_different" if sources else "mpi_latesender"


# --- Collectives -----------------------------------------------------------------------------

_OVERLAP_REQUIRED = {"comm", "file", "io_collective"}
_COLLECTIVE_FILE = {"File_open", "File_close", "File_set_view", "File_set_size", "File_preallocate",
                    "File_set_atomicity", "File_set_info"}


def collective_kind(mpi_name):
    """Which row of the table of collectives a call (its name without `MPI_`) belongs to; None if
    it has no wait states."""
    name, _ = metrics.blocking_form(mpi_name)
    if name == "Barrier":
        return "barrier"
    for names, kind in ((metrics.NXN, "nxn"), (metrics.ONE_TO_ALL, "one_to_all"),
                        (metrics.ALL_TO_ONE, "all_to_one"), (metrics.SCANS, "scan")):
        if name in names:
            return kind
    if name in ("Init", "Init_thread"):
        return "init"
    if name == "Finalize":
        return "finalize"
    if name in _COLLECTIVE_FILE:
        return "file"
    if metrics.own_node("MPI_" + mpi_name) == "mpi_io_collective" and not name.endswith("_end"):
        return "io_collective"
    if metrics.own_node("MPI_" + name) == "mpi_mgmt_comm":
        return "comm"
    return None


_ALL_WAIT_FOR_ALL = {
    "barrier": (BARRIER, "mpi_barrier_wait"),
    "nxn": (NXN, "mpi_wait_nxn"),
    "init": (INIT_FINALIZE, "mpi_init_wait"),
    "finalize": (INIT_FINALIZE, "mpi_finalize_wait"),
    "comm": (COMM_FILE, "mpi_comm_wait"),
    "file": (COMM_FILE, "mpi_file_wait"),
    "io_collective": (COMM_FILE, "mpi_io_collective_wait"),
}


def latest_member(members):
    """The member that entered last; the lowest rank of those that entered at the same time."""
    return max(members, key=lambda member: (member.start.enter, -member.rank))


def instance_kind(members):
    kinds = {collective_kind(member.name) for member in members}
    return kinds.pop() if len(kinds) == 1 else None


def _overlaps(enters, leaves):
    return max(enters) < min(leaves)


def at_common_call(members):
    """The members of a collective access to a file, which may be split: if all of them were in the call
    that begins it at once, they wait there."""
    if _overlaps([m.start.enter for m in members], [m.start.leave for m in members]):
        return [member.at_start() for member in members]
    return members


def collective_candidates(instances, counts_bytes):
    """`counts_bytes`: whether records of collectives count bytes."""
    for members in instances.values():
        kind = instance_kind(members)
        if kind is None:
            continue
        if kind == "io_collective":
            members = at_common_call(members)
        if kind in _OVERLAP_REQUIRED and not _overlaps([m.start.enter for m in members],
                                                       [m.activity.leave for m in members]):
            continue
        is_empty = counts_bytes and sum(member.bytes for member in members) == 0
        if kind in ("one_to_all", "all_to_one") and is_empty:
            continue
        yield from _instance_candidates(kind, members)


def _instance_candidates(kind, members):
    if kind in _ALL_WAIT_FOR_ALL:
        rule, metric = _ALL_WAIT_FOR_ALL[kind]
        pairs = [(member, latest_member(members)) for member in members]
    elif kind == "scan":
        rule, metric = EARLY_SCAN, "mpi_earlyscan"
        pairs = [(member, latest_member(members[:i])) for i, member in enumerate(members) if i > 0]
    else:
        roots = [member for member in members if member.rank == member.root]
        others = [member for member in members if member.rank != member.root]
        if not roots or not others:
            return
        if kind == "one_to_all":
            rule, metric = LATE_BROADCAST, "mpi_latebroadcast"
            pairs = [(member, roots[0]) for member in others]
        else:
            rule, metric = EARLY_REDUCE, "mpi_earlyreduce"
            pairs = [(roots[0], latest_member(others))]
    for waiting, cause in pairs:
        yield Candidate(waiting.activity, cause.start.enter, rule, cause.start, metric, None, 0)


_COMPLETION = {"barrier": "mpi_barrier_completion", "nxn": "mpi_nxn_completion",
               "init": "mpi_init_completion"}


def completions(instances, chosen):
    """Triples (call, metric, time) of the completion parts."""
    for members in instances.values():
        metric = _COMPLETION.get(instance_kind(members))
        if metric is None:
            continue
        last_enter = max(member.start.enter for member in members)
        first_leave = min(member.activity.leave for member in members)
        for member in members:
            call = member.activity
            if not member.is_blocking or not call.is_leaf:
                continue
            begin = max(last_enter, first_leave, call.enter)
            if call in chosen:
                begin = max(begin, chosen[call].time)
            if call.leave > begin:
                yield call, metric, call.leave - begin


# --- One-sided, active target ----------------------------------------------------------------


def _nth(lists, index):
    """{process: its index-th entry} of those processes that have one."""
    return {process: entries[index] for process, entries in lists.items() if index < len(entries)}


def window_collective_instances(processes):
    """Triples (metric, calls: {process: call}, epochs: {process: FenceEpoch} or None)."""
    for metric, calls_of in (("mpi_rma_wait_at_create", lambda p: p.creates),
                             ("mpi_rma_wait_at_free", lambda p: p.frees),
                             ("mpi_rma_wait_at_fence", lambda p: p.fences)):
        lists = {rank: calls_of(process) for rank, process in processes.items()}
        for index in range(max(map(len, lists.values()))):
            instance = _nth(lists, index)
            if metric == "mpi_rma_wait_at_fence":
                yield metric, {rank: epoch.call for rank, epoch in instance.items()}, instance
            else:
                yield metric, instance, None


def is_complete(calls, processes):
    """Whether every process of the window took part."""
    return len(calls) == len(next(iter(processes.values())).members)


def instance_overlaps(calls):
    return _overlaps([call.enter for call in calls.values()],
                     [call.leave for call in calls.values()])


def _window_collective_candidates(processes):
    members = next(iter(processes.values())).members
    for metric, calls, epochs in window_collective_instances(processes):
        if not is_complete(calls, processes) or not instance_overlaps(calls):
            continue
        cause = max(calls, key=lambda rank: (calls[rank].enter, -members.index(rank)))
        for rank, call in calls.items():
            yield Candidate(call, calls[cause].enter, WINDOW_COLLECTIVE, calls[cause], metric,
                            (rank, epochs), 0)


def _latest_call(calls):
    """The call that entered last; of several the one on the lowest location, the earlier one."""
    return min(calls, key=lambda call: (-call.enter, call.loc, call.index))


def posts_of(processes):
    """{(AccessEpoch, target): its call that posted}."""
    exposures = epochs.exposures_of(processes)
    ordinals, posts = {}, {}
    for origin, process in processes.items():
        for epoch in process.accesses:
            for target in epoch.targets:
                ordinal = ordinals[origin, target] = ordinals.get((origin, target), -1) + 1
                named = exposures.get((origin, target), ())
                if ordinal < len(named):
                    posts[epoch, target] = named[ordinal].post
    return posts


def _late_post_candidates(processes):
    posts = posts_of(processes)
    for process in processes.values():
        for epoch in process.accesses:
            yield from _late_posts_of_epoch(epoch, {target: posts[epoch, target] for target in epoch.targets
                                                    if (epoch, target) in posts})


def _late_posts_of_epoch(epoch, posts):
    for operation in epoch.operations:
        post = posts.get(operation.target)
        if post:
            yield Candidate(operation.call, post.enter, LATE_POST, post, "mpi_rma_comm_late_post",
                            None, 0)
    if posts:
        post = _latest_call(posts.values())
        for call in (epoch.start, epoch.complete):
            if call:
                yield Candidate(call, post.enter, LATE_POST, post, "mpi_rma_sync_late_post", None,
                                0)


def exposure_accesses(processes):
    """Pairs (target, ExposureEpoch, {origin: its matching AccessEpoch}) of one window; origins
    whose access epoch is missing are left out."""
    accesses = epochs.accesses_of(processes)
    ordinals = {}
    for target, process in processes.items():
        for epoch in process.exposures:
            matched = {}
            for origin in epoch.origins:
                ordinal = ordinals[origin, target] = ordinals.get((origin, target), -1) + 1
                named = accesses.get((origin, target), ())
                if ordinal < len(named):
                    matched[origin] = named[ordinal]
            yield target, epoch, matched


def _early_wait_candidates(processes):
    for target, epoch, matched in exposure_accesses(processes):
        completed = {origin: access for origin, access in matched.items() if access.complete}
        if epoch.wait and completed:
            cause = _latest_call([access.complete for access in completed.values()])
            yield Candidate(epoch.wait, cause.enter, EARLY_WAIT, cause, "mpi_rma_early_wait",
                            (target, completed.values()), 0)


def one_sided_candidates(windows):
    for processes in windows.values():
        yield from _window_collective_candidates(processes)
        yield from _late_post_candidates(processes)
        yield from _early_wait_candidates(processes)


def early_fence(candidate):
    """Part of a Wait at Fence until the last operation on its process had left its call."""
    rank, epochs = candidate.detail
    leaves = [operation.call.leave for epoch in epochs.values()
              for operation in epoch.operations_on(rank)]
    enter = candidate.activity.enter
    return min(max([enter] + leaves) - enter, candidate.time - enter)


def late_complete(candidate):
    """Part of an Early Wait behind the last operation on its process."""
    target, accesses = candidate.detail
    wait = candidate.time - candidate.activity.begin
    leaves = [operation.call.leave for access in accesses
              for operation in access.operations_on(target)]
    if not leaves:
        return wait
    return max(0, min(wait, candidate.time - max(leaves)))

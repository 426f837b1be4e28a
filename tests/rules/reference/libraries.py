# SPDX-License-Identifier: BSD-3-Clause
"""OpenSHMEM, ARMCI and coarrays: what their functions are, and their wait states. Locks and progress
share the code of passive_target.py once their epochs and needs are known."""

import epochs
import library_functions
import loops
import matching
import open_calls
import progress
import wait_states as ws
from library_functions import kind_of, library_of
from scenario_file import ALL_TARGETS, WORLD

# Metric of a kind of collective in each library; completion in those that have it.
_WAITS = {"barrier": (ws.BARRIER, "%s_barrier_wait", ("shmem", "armci", "caf")),
          "nxn": (ws.NXN, "%s_wait_nxn", ("shmem", "caf")),
          "init": (ws.INIT_FINALIZE, "%s_init_wait", ("shmem", "armci", "caf")),
          "finalize": (ws.INIT_FINALIZE, "%s_finalize_wait", ("shmem", "armci", "caf")),
          "allocate": (ws.ALLOCATION, "%s_wait_at_alloc", ("shmem", "armci", "caf")),
          "deallocate": (ws.ALLOCATION, "%s_wait_at_free", ("shmem", "armci", "caf")),
          "from_root": (ws.LATE_BROADCAST, "%s_latebroadcast", ("shmem", "caf")),
          "to_root": (ws.EARLY_REDUCE, "%s_earlyreduce", ("caf",))}
_COMPLETION = ("shmem", "caf")
_OVERLAP_REQUIRED = ("allocate", "deallocate")

_KIND_OF_OPERATION = {"barrier": "barrier", "bcast": "from_root", "scatter": "from_root",
                      "reduce": "to_root", "gather": "to_root", "allreduce": "nxn",
                      "allgather": "nxn", "alltoall": "nxn"}


# --- Collectives -----------------------------------------------------------------------------


def _collective_kind(call, operation):
    return kind_of(call.region) or _KIND_OF_OPERATION.get(operation)


_COLLECTIVES = ("barrier", "nxn", "allocate", "deallocate", "from_root", "to_root")


def _open_part(scenario, call):
    """(record, its arguments) that an open collective call would have; None: it is none. Unless its records state
    the members, all processes are, by the first window of all."""
    if kind_of(call.region) not in _COLLECTIVES:
        return None
    stated = open_calls.groups_of(call)
    group = stated[0] if stated else open_calls.Awaited()
    if group.comm is not None:
        return "coll_end", ("", group.comm, group.root, matching.UNKNOWN_BYTES, 0)
    window = group.window or next((name for name in scenario.windows if scenario.windows[name] == WORLD), None)
    return window and ("rma_coll_end", ("", window, group.root, matching.UNKNOWN_BYTES, 0))


def _parts(timeline, rank):
    """[(call, name and arguments of the record)] of the collective operations of a process, in their order."""
    parts = [(record.call, record.name, record.args) for record in timeline.library_records[rank]
             if record.name in ("coll_end", "rma_coll_end")]
    recorded = {call for call, _, _ in parts}
    found = [(call, _open_part(timeline.scenario, call)) for loc, calls in timeline.calls.items() if loc[0] == rank
             for call in calls if call.is_open and call not in recorded]
    found = [(call, *part) for call, part in found if part]
    return sorted(parts + found, key=lambda part: (part[0].enter, part[0].loc)) if found else parts


def collective_instances(timeline):
    """[(kind, library, members)] of those in which all members took part in the same kind. Their
    order is that of the window or, in each library, of the communicator that their records name."""
    scenario, instances = timeline.scenario, {}
    for rank in sorted(timeline.library_records):
        counters = {}
        for call, name, args in _parts(timeline, rank):
            if kind_of(call.region) in ("init", "finalize"):
                continue
            operation, scope, root, sent, received = args
            if name == "rma_coll_end":
                key = ("window", scenario.window_key(scope, rank))
                ranks = scenario.window_members(scope, rank)
            else:
                key = (library_of(call.region), scenario.comm_key(scope, rank))
                ranks = scenario.comm_members(scope, rank)
            count = counters[key] = counters.get(key, -1) + 1
            member = matching.CollectiveMember(rank, ranks.index(rank), call, call, root, sent,
                                               received)
            _, kinds, members = instances.setdefault((key, count), (len(ranks), set(), []))
            kinds.add((_collective_kind(call, operation), library_of(call.region)))
            members.append(member)
    found = []
    for size, kinds, members in instances.values():
        if len(members) == size > 1 and len(kinds) == 1:
            members.sort(key=lambda member: member.rank)
            found.append((*kinds.pop(), members))
    return found + _of_the_run(timeline)


def _of_the_run(timeline):
    """Init and Finalize of each library: the k-th calls of all processes."""
    found = []
    for library in library_functions.LIBRARIES if timeline.scenario.ranks > 1 else ():
        for kind in ("init", "finalize"):
            calls = {rank: [] for rank in range(timeline.scenario.ranks)}
            for loc in timeline.calls:
                calls[loc[0]] += [call for call in timeline.calls[loc]
                                  if library_of(call.region) == library
                                  and kind_of(call.region) == kind]
            for of_process in calls.values():
                of_process.sort(key=lambda call: (call.enter, call.loc, call.index))
            found += [(kind, library, [matching.CollectiveMember(rank, rank, call, call, None, 0, 0)
                                       for rank, call in enumerate(instance)])
                      for instance in zip(*calls.values())]
    return found


def _overlaps(members):
    return (max(member.start.enter for member in members)
            < min(member.activity.leave for member in members))


def collective_candidates(instances, counts_bytes):
    for kind, library, members in instances:
        rule, metric, libraries = _WAITS.get(kind, (None, None, ()))
        if library not in libraries or kind in _OVERLAP_REQUIRED and not _overlaps(members):
            continue
        metric %= library
        if kind in ("from_root", "to_root"):
            if counts_bytes and sum(member.bytes for member in members) == 0:
                continue
            roots = [member for member in members if member.rank == member.root]
            others = [member for member in members if member.rank != member.root]
            if not roots:
                continue
            pairs = ([(member, roots[0]) for member in others] if kind == "from_root"
                     else [(roots[0], ws.latest_member(others))])
        else:
            pairs = [(member, ws.latest_member(members)) for member in members]
        for waiting, cause in pairs:
            yield ws.Candidate(waiting.activity, cause.start.enter, rule, cause.start, metric,
                               None, 0)


def completions(instances, chosen):
    """Triples (call, metric, time)."""
    for kind, library, members in instances:
        if kind != "barrier" or library not in _COMPLETION:
            continue
        ready = max(max(member.start.enter for member in members),
                    min(member.activity.leave for member in members))
        for call in (member.activity for member in members):
            begin = max(ready, call.enter, chosen[call].time if call in chosen else 0)
            if call.is_leaf and call.leave > begin:
                yield call, library + "_barrier_completion", call.leave - begin


def synchronizing_instances(timeline):
    """Pairs (kind, calls) of the collectives that are a point for every pair of their members."""
    for kind, _, members in collective_instances(timeline):
        if (kind in ("barrier", "nxn", "init", "finalize")
                or kind in _OVERLAP_REQUIRED and _overlaps(members)):
            yield kind, [member.activity for member in members]


# --- Locks -----------------------------------------------------------------------------------


class _Process:
    def __init__(self):
        self.locks = []


def lock_processes(timeline):
    """{window: {rank: object with `locks`}}, as passive_target wants them. What is locked is a
    pair of the rank in the window (0 for a lock of no process) and the lock's id."""
    windows = {}
    for rank in sorted(timeline.library_records):
        open_epochs = {}
        for record in timeline.library_records[rank]:
            if not record.name.startswith("lock_") or record.name == "lock_try":
                continue
            window, target, name, lock_type = record.args
            key = (window, target, name, record.call.loc)
            processes = windows.setdefault(timeline.scenario.window_key(window, rank), {})
            process = processes.setdefault(rank, _Process())
            if record.name == "lock_release":
                epoch = open_epochs.pop(key, None)
                if epoch and epoch.acquire and not record.call.is_open:
                    epoch.release = record.call
                continue
            epoch = open_epochs.get(key)
            if epoch and (epoch.request is not record.call if record.name == "lock_request"
                          else epoch.acquire not in (None, record.call)):
                del open_epochs[key]  # its release is not recorded
            if key not in open_epochs:
                locked = (0 if target == ALL_TARGETS else target, name)
                open_epochs[key] = epochs.LockEpoch(rank, record.call, {locked}, True)
                open_epochs[key].lies_on = None if target == ALL_TARGETS else \
                    timeline.scenario.window_members(window, rank)[target]
            epoch = open_epochs[key]
            if record.name == "lock_acquire" and not epoch.acquire:
                epoch.acquire, epoch.acquired = record.call, record.time
                epoch.is_exclusive = lock_type == "x"
                process.locks.append(epoch)
    return windows


# --- Progress --------------------------------------------------------------------------------


class _Operation:
    def __init__(self, record, target):
        self.call = record.call
        self.kind = record.name
        self.size = record.args[2]
        self.target = target
        self.is_done_locally = False

    @property
    def has_returned(self):
        """Whether its own call has completed it, also without a record: it returns what it read."""
        name = self.call.region
        if name.endswith("_nbi") or name.startswith("ARMCI_Nb"):
            return False
        return self.kind == "get" or self.kind == "atomic" and any(
            word in name for word in _FETCHING)

    @property
    def is_blocking(self):
        """Whether its call needs the target, whatever records tell of the completion."""
        name = self.call.region
        return self.has_returned or name.startswith("ARMCI_") and not name.startswith("ARMCI_Nb")


_FETCHING = ("fetch", "swap", "fadd", "finc", "atomic_ref", "atomic_cas", "Rmw")


def progress_needs(timeline):
    """{call: progress.Need}."""
    needs = {}
    for rank, records in timeline.library_records.items():
        open_operations = {}
        for record in records:
            call, targets = record.call, ()
            if record.name in ("put", "get", "atomic"):
                target = timeline.scenario.window_members(record.args[0], rank)[record.args[1]]
                operation = _Operation(record, target)
                open_operations.setdefault((record.args[0], record.args[3]), []).append(operation)
                if operation.is_blocking:
                    targets = ((target, operation.size),)
            elif record.name in ("done_blocking", "done_nonblocking", "done_remote"):
                targets = _complete(open_operations, record)
            elif record.name == "lock_acquire":
                targets = _of_lock(timeline, rank, record)
            for target, size in targets:
                if target != rank:
                    need = needs.setdefault(call, progress.Need())
                    need.add(call.region, record.args[0], {target}, [] if size is None else [size])
    return needs


def _of_lock(timeline, rank, record):
    window, target = record.args[:2]
    if kind_of(record.call.region) != "lock" or target == ALL_TARGETS:
        return ()
    return ((timeline.scenario.window_members(window, rank)[target], None),)


def _complete(open_operations, record):
    """Completes the operations that a record names; returns the targets that its call needs, with the sizes of the
    operations."""
    call, is_remote = record.call, record.name == "done_remote"
    library = library_of(call.region)
    named = open_operations.get(record.args, [])
    reached = [operation for operation in named if is_remote or not operation.is_done_locally]
    targets = []
    for operation in reached:
        if operation.call is call:
            is_needed = library == "armci" or operation.kind != "put" or is_remote
        else:
            is_needed = not operation.has_returned and (
                kind_of(call.region) == "completion"
                or kind_of(call.region) == "barrier" and library != "armci")
        if is_needed:
            targets.append((operation.target, operation.size))
        operation.is_done_locally = True
    open_operations[record.args] = [operation for operation in named if not (
        operation in reached and (is_remote or operation.kind == "get"))]
    return targets


# --- Single processes ------------------------------------------------------------------------


def _update_candidates(timeline):
    updates = []
    for rank, records in timeline.library_records.items():
        for record in records:
            if record.name in ("put", "atomic"):
                target = timeline.scenario.window_members(record.args[0], rank)[record.args[1]]
                updates.append((target, record.call))
    for calls in timeline.calls.values():
        for call in calls:
            kind, library = kind_of(call.region), library_of(call.region)
            if loops.tested_by(call.region) == "variable" and call.loop is not None:
                kind = "wait_until"
            if library is None or kind not in ("wait_until", "event_wait"):
                continue
            inside = [update for target, update in updates if target == call.loc[0]
                      and update.loc != call.loc
                      and library_of(update.region) == library
                      and call.begin < update.enter <= call.leave
                      and (kind == "wait_until" or kind_of(update.region) == "event_post")]
            if inside:
                cause = min(inside, key=lambda other: (-other.enter, other.loc, other.index))
                metric = "shmem_wait_until" if kind == "wait_until" else "caf_event_wait"
                yield ws.Candidate(call, cause.enter, ws.PEER, cause, metric, None, 0)


def _sync_images_candidates(timeline):
    named = {}  # {(rank, rank that it names): its calls}
    syncs = []
    for rank, records in timeline.library_records.items():
        for record in records:
            if record.name == "group_sync" and kind_of(record.call.region) == "sync_images":
                members = timeline.scenario.window_members(record.args[0], rank)
                images = {members[other] for other in record.args[1]} - {rank}
                syncs.append((rank, record.call, {
                    other: len(named.get((rank, other), ())) for other in images}))
                for other in images:
                    named.setdefault((rank, other), []).append(record.call)
    for rank, call, ordinals in syncs:
        met = [named[other, rank][ordinal] for other, ordinal in ordinals.items()
               if ordinal < len(named.get((other, rank), ()))]
        if met:
            cause = min(met, key=lambda other: (-other.enter, other.loc, other.index))
            yield ws.Candidate(call, cause.enter, ws.PEER, cause, "caf_sync_images_wait", None, 0)


def peer_candidates(timeline):
    yield from _update_candidates(timeline)
    yield from _sync_images_candidates(timeline)

# SPDX-License-Identifier: BSD-3-Clause
"""One-sided operations and the epochs that they belong to.

Every structure here is per process; a process with several threads has one common order of its
records (see timeline.py).
"""

from scenario_file import ALL_TARGETS


class Operation:
    """One RMA operation; `target` is a world rank, `kind` put, get or atomic; `completions` are in
    the process's order."""

    def __init__(self, call, target, kind, size):
        self.call = call
        self.target = target
        self.kind = kind
        self.size = size
        self.access = None  # its AccessEpoch
        self.is_outside = False  # of all epochs but that of a fence (also with NOCHECK)
        self.completions = []  # triples (call, is it a remote completion, position)

    @property
    def is_request_based(self):
        return self.call.name in ("Rput", "Rget", "Raccumulate", "Rget_accumulate")

    @property
    def is_open(self):
        """Whether a completion record of its name still means it; a get is over after any."""
        return not any(is_remote or self.kind == "get" for _, is_remote, _ in self.completions)

    def is_pending_at(self, call, any_kind):
        """Whether no earlier call completed it: remotely, or (gets, `any_kind`) in any way."""
        any_kind = any_kind or self.kind == "get"
        return not any(is_remote or any_kind for completing, is_remote, _ in self.completions
                       if completing is not call)


class AccessEpoch:
    def __init__(self, start, targets):
        self.start = start
        self.complete = None
        self.targets = targets
        self.operations = []

    def operations_on(self, target):
        return [op for op in self.operations if op.target == target]


class ExposureEpoch:
    def __init__(self, post, origins):
        self.post = post
        self.wait = None
        self.origins = origins


class LockEpoch:
    """`targets` are the world ranks that it locks, one or (lock_all) the whole window; `request`
    is the call that requested it (else acquired it), `acquire` the one with an acquire record; `lies_on`: of a lock of
    another library its process, None: none."""

    def __init__(self, process, request, targets, is_exclusive):
        self.process = process
        self.request = request
        self.acquire = None
        self.acquired = None  # time of the acquire record
        self.release = None
        self.targets = targets
        self.is_exclusive = is_exclusive
        self.lies_on = None
        self.operations = []
        self.flushes = []

    def progress_needed(self, call, targets, any_kind=False):
        """Those of the targets whose progress an unlock or flush of them needs, and the sizes of the operations that
        it completes, by target."""
        sizes = {}
        for operation in self.operations:
            if operation.target in targets and operation.is_pending_at(call, any_kind):
                sizes.setdefault(operation.target, []).append(operation.size)
        return {target: sizes.get(target, []) for target in (targets if self.is_exclusive else sizes)}


class FenceEpoch:
    """The fence call and the operations of the epoch that it closes."""

    def __init__(self, call, operations):
        self.call = call
        self.operations = operations

    def operations_on(self, target):
        return [op for op in self.operations if op.target == target]


class WindowProcess:
    """What one process did on one window, in its order."""

    def __init__(self, process, members):
        self.process = process
        self.members = members
        self.creates = []
        self.frees = []
        self.fences = []
        self.accesses = []
        self.exposures = []
        self.locks = []
        self.is_shared_memory = False
        # (call, what it does, target it needs, sizes of operations, is it done later, AccessEpoch or None)
        self.needs_progress = []
        self._operations = {}
        self._position = 0  # number of completion records so far
        self._fence_operations = []
        self._access = None
        self._exposures_open = []
        self._open_locks = {}

    def collective(self, call):
        if call.name == "Win_fence":
            self.fences.append(FenceEpoch(call, self._fence_operations))
            self._fence_operations = []
        elif call.name == "Win_free":
            self.frees.append(call)
        else:
            self.creates.append(call)
            self._fence_operations = []

    def operation(self, call, target, kind, size, name):
        targets = self.members if target == ALL_TARGETS else [self.members[target]]
        for world_rank in targets:
            operation = Operation(call, world_rank, kind, size)
            self._operations.setdefault(name, []).append(operation)
            if self._access:
                self._access.operations.append(operation)
                operation.access = self._access
                if not operation.is_request_based:
                    self._needs_progress_of(call, kind, {world_rank: [size]}, False, self._access)
            elif self._lock_of(target):
                self._lock_of(target).operations.append(operation)
                if not operation.is_request_based:
                    self._needs_progress_of(call, kind, {world_rank: [size]})
            else:
                operation.is_outside = True
                self._fence_operations.append(operation)

    def _lock_of(self, target):
        return self._open_locks.get(target) or self._open_locks.get(ALL_TARGETS)

    def _needs_progress_of(self, call, what, sizes, is_later=False, access=None):
        """`sizes`: {target: sizes of operations}."""
        for target, of_target in sizes.items():
            self.needs_progress.append((call, what, {target}, of_target, is_later, access))

    def _needs_progress_for(self, call, what, operations, is_later=False):
        for operation in operations:
            self._needs_progress_of(call, what or operation.kind, {operation.target: [operation.size]}, is_later,
                                    operation.access)

    def completion(self, call, name, is_remote):
        """A completion record: it names all open operations of its id; if none is open, those that
        were completed last."""
        named = self._named_by(name)
        for operation in named:
            operation.completions.append((call, is_remote, self._position))
        self._position += 1
        if call.name.startswith(("Wait", "Test")):
            self._needs_progress_for(call, None, [
                operation for operation in named
                if operation.is_request_based and operation.is_pending_at(call, False)], True)
        elif call.name in _FLUSHES:
            self._complete_outside(call, named, call.name.startswith("Win_flush_local"))
            self._flush_of(call, {operation.target for operation in named})
        elif call.name in ("Win_unlock", "Win_unlock_all"):
            self._complete_outside(call, named, False)
            for operation in named:
                epoch = self._lock_of(self.members.index(operation.target))
                if epoch:
                    self._needs_progress_of(call, "unlock", epoch.progress_needed(call, epoch.targets))

    def _complete_outside(self, call, named, any_kind):
        """A flush or unlock needs the targets of the operations outside of lock epochs that its
        completion records name."""
        self._needs_progress_for(call, "flush" if call.name in _FLUSHES else "unlock", [
            operation for operation in named
            if operation.is_outside and operation.is_pending_at(call, any_kind)])

    def _named_by(self, name):
        operations = self._operations.get(name, ())
        named = [operation for operation in operations if operation.is_open]
        if operations and not named:
            last = max(operation.completions[-1][2] for operation in operations)
            named = [operation for operation in operations
                     if operation.completions[-1][2] == last]
        return named

    def synchronization(self, call, target):
        """An RmaSync record: foreign recorders name the target of a flush by it."""
        if call.name in _FLUSHES:
            self._flush_of(call, set() if target == ALL_TARGETS else {self.members[target]})

    def _flush_of(self, call, targets):
        """A flush whose records name some targets; that of all targets means the window."""
        if call.name.endswith("_all"):
            for epoch in self._open_locks.values():
                self._flush(call, epoch, epoch.targets)
            return
        for target in targets:
            epoch = self._lock_of(self.members.index(target))
            if epoch:
                self._flush(call, epoch, {target})

    def _flush(self, call, epoch, targets):
        if call not in epoch.flushes:
            epoch.flushes.append(call)
        is_local = call.name.startswith("Win_flush_local")
        self._needs_progress_of(call, "flush", epoch.progress_needed(call, targets, is_local))

    def group_sync(self, call, group):
        peers = {self.members[rank] for rank in group}
        if call.name == "Win_start":
            self._access = AccessEpoch(call, peers)
            self.accesses.append(self._access)
        elif call.name == "Win_complete" and self._access:
            self._access.complete = call
            for operation in self._access.operations:
                if operation.is_pending_at(call, False):
                    self._needs_progress_of(call, "complete", {operation.target: [operation.size]}, False, self._access)
            self._access = None
        elif call.name == "Win_post":
            epoch = ExposureEpoch(call, peers)
            self.exposures.append(epoch)
            self._exposures_open.append(epoch)
        elif call.name in ("Win_wait", "Win_test") and self._exposures_open:
            self._exposures_open.pop(0).wait = call

    def lock(self, call, target, lock_type, acquired):
        epoch = self._open_locks.get(target)
        if epoch and (epoch.request is not call if acquired is None
                      else epoch.acquire not in (None, call)):
            del self._open_locks[target]  # its release is not recorded
        if target not in self._open_locks:
            targets = self.members if target == ALL_TARGETS else [self.members[target]]
            is_exclusive = lock_type == "x" and target != ALL_TARGETS
            epoch = LockEpoch(self.process, call, set(targets), is_exclusive)
            self._open_locks[target] = epoch
            self.locks.append(epoch)
            if target != ALL_TARGETS:
                self._needs_progress_of(call, "lock", {world_rank: [] for world_rank in epoch.targets})
        epoch = self._open_locks[target]
        if acquired is not None and epoch.acquire is None and not call.is_open:
            epoch.acquire, epoch.acquired = call, acquired

    def unlock(self, call, target):
        epoch = self._open_locks.pop(target, None)
        if epoch:
            epoch.release = None if call.is_open else call
            self._needs_progress_of(call, "unlock", epoch.progress_needed(call, epoch.targets))


def _open_call(process, call, target):
    """A call on a window that is never left."""
    if call.name in _WINDOW_COLLECTIVES:
        process.collective(call)
    elif call.name in _FLUSHES:
        process.synchronization(call, target)
    elif call.name in ("Win_unlock", "Win_unlock_all"):
        process.unlock(call, target)


_FLUSHES = {"Win_flush", "Win_flush_local", "Win_flush_all", "Win_flush_local_all"}
_COMPLETIONS = {"done_blocking", "done_nonblocking", "done_remote"}
_WINDOW_CREATION = {"Win_create", "Win_allocate", "Win_allocate_shared", "Win_create_dynamic"}
_WINDOW_COLLECTIVES = _WINDOW_CREATION | {"Win_fence", "Win_free"}


def window_processes(timeline):
    """{window: {rank: WindowProcess}}."""
    scenario, windows = timeline.scenario, {}
    for rank in sorted(timeline.records):
        for record in timeline.records[rank]:
            name, args, call = record.name, record.args, record.call
            if name == "rma_coll_end":
                window = args[1]
            elif name == "target" and call.is_open:
                window = args[0]
            elif name in ("put", "get", "atomic", "group_sync", "lock_request", "lock_acquire",
                          "lock_release", "win_create", "sync") or name in _COMPLETIONS:
                window = args[0]
            else:
                continue
            key = scenario.window_key(window, rank)
            processes = windows.setdefault(key, {})
            if rank not in processes:
                processes[rank] = WindowProcess(rank, scenario.window_members(window, rank))
            process = processes[rank]
            if call.name == "Win_allocate_shared":
                process.is_shared_memory = True
            if name == "win_create":
                continue
            if name == "rma_coll_end":
                if call.name in _WINDOW_COLLECTIVES:
                    process.collective(call)
            elif name == "target":
                _open_call(process, call, args[1])
            elif name == "group_sync":
                process.group_sync(call, args[1])
            elif name in ("lock_request", "lock_acquire"):
                process.lock(call, args[1], args[3],
                             record.time if name == "lock_acquire" else None)
            elif name == "lock_release":
                process.unlock(call, args[1])
            elif name == "sync":
                process.synchronization(call, args[1])
            elif name in _COMPLETIONS:
                process.completion(call, args[1], name == "done_remote")
            else:
                process.operation(call, args[1], name, args[2], args[3])
    return windows


def exposures_of(processes):
    """{(origin, target): [ExposureEpoch of target that names origin, in order]} of one window."""
    named = {}
    for target, process in processes.items():
        for epoch in process.exposures:
            for origin in epoch.origins:
                named.setdefault((origin, target), []).append(epoch)
    return named


def accesses_of(processes):
    """{(origin, target): [AccessEpoch of origin that names target, in order]} of one window."""
    named = {}
    for origin, process in processes.items():
        for epoch in process.accesses:
            for target in epoch.targets:
                named.setdefault((origin, target), []).append(epoch)
    return named

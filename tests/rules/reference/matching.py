"""Who belongs to whom: messages, collective instances and one-sided epochs.

Every structure here is per process; a process with several threads has one common order of its
records (see timeline.py).
"""

from scenario_file import ALL_TARGETS


class Send:
    """`complete` is the call that completes it, None if none does: Late Receiver cannot be judged
    then. A cancelled send is in no sequence."""

    def __init__(self, record, source, destination):
        self.start = record.call
        self.complete = None
        self.is_cancelled = False
        self.source = source
        self.destination = destination
        self.size = record.args[2]
        self.is_buffered = record.call.name in ("Bsend", "Ibsend")
        self.is_synchronous = record.call.name in ("Ssend", "Issend")


class Receive:
    """`posted` is the call whose Enter Late Receiver takes, None if no record tells it;
    `position` orders the receives of a process."""

    def __init__(self, position, posted):
        self.position = position
        self.posted = posted
        self.complete = None


class Message:
    def __init__(self, send, receive):
        self.send = send
        self.receive = receive


_PROBES = ("Mprobe", "Improbe")


class PointToPoint:
    """messages: matched pairs in no particular order; received_by: {rank: [Message]}."""

    def __init__(self, timeline):
        self._scenario = timeline.scenario
        self._sends = {}
        self._receives = {}
        for rank in sorted(timeline.records):
            self._read_process(rank, timeline.records[rank])
        self.messages = []
        self.received_by = {}
        for envelope, receives in self._receives.items():
            receives.sort(key=lambda receive: receive.position)
            sends = [send for send in self._sends.get(envelope, ()) if not send.is_cancelled]
            for send, receive in zip(sends, receives):
                message = Message(send, receive)
                self.messages.append(message)
                self.received_by.setdefault(send.destination, []).append(message)

    def _envelope(self, comm, rank, source, destination, tag):
        members = self._scenario.comm_members(comm, rank)
        return (self._scenario.comm_key(comm, rank), members[source], members[destination], tag)

    def _start_send(self, record, rank, peer, tag, comm):
        members = self._scenario.comm_members(comm, rank)
        envelope = self._envelope(comm, rank, members.index(rank), peer, tag)
        send = Send(record, rank, envelope[2])
        self._sends.setdefault(envelope, []).append(send)
        return send

    def _complete_receive(self, receive, record, rank, peer, tag, comm):
        members = self._scenario.comm_members(comm, rank)
        envelope = self._envelope(comm, rank, peer, members.index(rank), tag)
        receive.complete = record.call
        self._receives.setdefault(envelope, []).append(receive)

    def _read_process(self, rank, records):
        sends, receives = {}, {}
        for position, record in enumerate(records):
            name, args, call = record.name, record.args, record.call
            if name == "send":
                self._start_send(record, rank, args[0], args[1], args[3]).complete = call
            elif name == "isend":
                sends[args[3]] = self._start_send(record, rank, args[0], args[1], args[4])
            elif name == "isend_complete":
                send = sends.pop(args[0], None)
                if send:
                    send.complete = call
            elif name == "recv":
                receive = Receive(position, call)
                self._complete_receive(receive, record, rank, args[0], args[1], args[3])
            elif name == "irecv_request":
                self._post_receive(receives, args[0], position, call)
            elif name == "irecv":
                receive = receives.pop(args[3], None) or Receive(position, None)
                if receive.posted is not None and receive.posted.name in _PROBES:
                    receive.posted = call
                self._complete_receive(receive, record, rank, args[0], args[1], args[4])
            elif name == "request_cancelled":
                send = sends.pop(args[0], None)
                if send:
                    send.is_cancelled = True
                receives.pop(args[0], None)

    @staticmethod
    def _post_receive(receives, request, position, call):
        probed = receives.get(request)
        if probed and probed.posted.name in _PROBES and call.name not in _PROBES:
            probed.posted = call
        else:
            receives[request] = Receive(position, call)


class CollectiveMember:
    """Part of one process in a collective instance. For a non-blocking one `start` is the start
    call and `activity` the completing call; for a blocking one both are the call itself."""

    def __init__(self, process, rank, start, activity, root, sent, received):
        self.process = process
        self.rank = rank
        self.start = start
        self.activity = activity
        self.root = root
        self.bytes = sent + received

    @property
    def is_blocking(self):
        return self.start is self.activity


# Init and Finalize: every process of the run calls them; the calls are counted, not their records.
_INIT = {"Init", "Init_thread"}
_FINALIZE = {"Finalize"}


def _calls_of_all(timeline, kind, names):
    """Instances {key: members}: the k-th calls with one of the names in all processes."""
    calls = {rank: [] for rank in range(timeline.scenario.ranks)}
    for loc in timeline.calls:
        calls[loc[0]] += [call for call in timeline.calls[loc] if call.name in names]
    for of_process in calls.values():
        of_process.sort(key=lambda call: (call.enter, call.loc, call.index))
    return {(kind, count): [CollectiveMember(rank, rank, call, call, None, 0, 0)
                            for rank, call in enumerate(instance)]
            for count, instance in enumerate(zip(*calls.values()))}


# Their instance is keyed by the resulting communicator and does not count on the parent.
_KEYED_BY_RESULT = {"Comm_create_group", "Intercomm_create", "Comm_spawn", "Comm_spawn_multiple",
                    "Comm_connect", "Comm_accept", "Comm_join"}


def collective_instances(timeline):
    """{key: [CollectiveMember in the order of the communicator's ranks]} of those instances in
    which every member of the communicator took part."""
    scenario, instances, sizes = timeline.scenario, {}, {}
    for rank in sorted(timeline.records):
        counters = {}
        for start, record in _collective_starts(timeline.records[rank]):
            if start.call.name in _INIT | _FINALIZE:
                continue
            _, comm, root, sent, received = record.args[:5]
            key = scenario.comm_key(comm, rank)
            if start.call.name in _KEYED_BY_RESULT:
                key = ("result", start.call.name, key)
            count = counters[key] = counters.get(key, -1) + 1
            comm_ranks = scenario.comm_members(comm, rank)
            comm_rank = comm_ranks.index(rank)
            sizes[key] = len(comm_ranks)
            member = CollectiveMember(rank, comm_rank, start.call, record.call, root, sent,
                                      received)
            instances.setdefault((key, count), []).append(member)
    for members in instances.values():
        members.sort(key=lambda member: member.rank)
    complete = {(key, count): members for (key, count), members in instances.items()
                if len(members) == sizes[key]}
    return {**complete, **_calls_of_all(timeline, "init", _INIT),
            **_calls_of_all(timeline, "finalize", _FINALIZE)}


def _collective_starts(records):
    """Pairs (starting record, record that names the communicator) in the order of the starts.

    A non-blocking collective that never completes names no communicator and cannot be counted.
    """
    found, open_requests = [], {}
    for record in records:
        if record.name == "coll_end":
            found.append([record, record])
        elif record.name == "nb_coll_request":
            found.append([record, None])
            open_requests[record.args[0]] = found[-1]
        elif record.name == "nb_coll_complete":
            pair = open_requests.pop(record.args[5], None)
            if pair:
                pair[1] = record
    return [pair for pair in found if pair[1] is not None]


class Operation:
    """One RMA operation; `target` is a world rank, `kind` put, get or atomic; `completions` are in
    the process's order."""

    def __init__(self, call, target, kind):
        self.call = call
        self.target = target
        self.kind = kind
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
    is the call that requested it (else acquired it), `acquire` the one with an acquire record."""

    def __init__(self, process, request, targets, is_exclusive):
        self.process = process
        self.request = request
        self.acquire = None
        self.acquired = None  # time of the acquire record
        self.release = None
        self.targets = targets
        self.is_exclusive = is_exclusive
        self.operations = []
        self.flushes = []

    def progress_needed(self, call, targets, any_kind=False):
        """Those of the targets whose progress an unlock or flush of them needs."""
        if self.is_exclusive:
            return set(targets)
        return {operation.target for operation in self.operations
                if operation.target in targets and operation.is_pending_at(call, any_kind)}


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
        self.needs_progress = {}  # {call: set of the targets it needs}
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

    def operation(self, call, target, kind, name):
        targets = self.members if target == ALL_TARGETS else [self.members[target]]
        for world_rank in targets:
            operation = Operation(call, world_rank, kind)
            self._operations.setdefault(name, []).append(operation)
            if self._access:
                self._access.operations.append(operation)
            elif self._lock_of(target):
                self._lock_of(target).operations.append(operation)
                if not operation.is_request_based:
                    self._needs_progress_of(call, {world_rank})
            else:
                self._fence_operations.append(operation)

    def _lock_of(self, target):
        return self._open_locks.get(target) or self._open_locks.get(ALL_TARGETS)

    def _needs_progress_of(self, call, targets):
        self.needs_progress.setdefault(call, set()).update(targets)

    def completion(self, call, name, is_remote):
        """A completion record: it names all open operations of its id; if none is open, those that
        were completed last."""
        named = self._named_by(name)
        for operation in named:
            operation.completions.append((call, is_remote, self._position))
        self._position += 1
        if call.name.startswith(("Wait", "Test")):
            self._needs_progress_of(call, {
                operation.target for operation in named
                if operation.is_request_based and operation.is_pending_at(call, False)})
        elif call.name in _FLUSHES:
            self._flush_of(call, {operation.target for operation in named})
        elif call.name in ("Win_unlock", "Win_unlock_all"):
            for operation in named:
                epoch = self._lock_of(self.members.index(operation.target))
                if epoch:
                    self._needs_progress_of(call, epoch.progress_needed(call, epoch.targets))

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
            self._flush_of(call, {self.members[target]})

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
        self._needs_progress_of(call, epoch.progress_needed(call, targets, is_local))

    def group_sync(self, call, group):
        peers = {self.members[rank] for rank in group}
        if call.name == "Win_start":
            self._access = AccessEpoch(call, peers)
            self.accesses.append(self._access)
        elif call.name == "Win_complete" and self._access:
            self._access.complete = call
            self._access = None
        elif call.name == "Win_post":
            epoch = ExposureEpoch(call, peers)
            self.exposures.append(epoch)
            self._exposures_open.append(epoch)
        elif call.name in ("Win_wait", "Win_test") and self._exposures_open:
            self._exposures_open.pop(0).wait = call

    def lock(self, call, target, lock_type, acquired):
        if target not in self._open_locks:
            targets = self.members if target == ALL_TARGETS else [self.members[target]]
            is_exclusive = lock_type == "x" and target != ALL_TARGETS
            epoch = LockEpoch(self.process, call, set(targets), is_exclusive)
            self._open_locks[target] = epoch
            self.locks.append(epoch)
            if target != ALL_TARGETS:
                self._needs_progress_of(call, epoch.targets)
        epoch = self._open_locks[target]
        if acquired is not None and epoch.acquire is None:
            epoch.acquire, epoch.acquired = call, acquired

    def unlock(self, call, target):
        epoch = self._open_locks.pop(target, None)
        if epoch:
            epoch.release = call
            self._needs_progress_of(call, epoch.progress_needed(call, epoch.targets))


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
                process.operation(call, args[1], name, args[3])
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

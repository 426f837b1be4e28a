# SPDX-License-Identifier: BSD-3-Clause
"""Who belongs to whom: messages and collective instances.

Every structure here is per process; a process with several threads has one common order of its
records (see timeline.py).
"""

import collections
import copy

import metrics
import open_calls


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

    def __init__(self, position, posted, placed):
        self.position = position
        self.posted = posted
        self.placed = placed  # call that gave it its position
        self.complete = None


class Message:
    def __init__(self, send, receive):
        self.send = send
        self.receive = receive


_PROBES = ("Mprobe", "Improbe")
_BLOCKING_PROBES = ("Probe", "Mprobe")
_TESTS_OF_PROBES = ("Iprobe", "Improbe")


def _is_behind(receive, probe):
    """Whether a receive is posted behind a probe, or by it."""
    if receive.placed.loc == probe.loc:
        return receive.placed.index >= probe.index
    return receive.placed.enter >= probe.leave


class PointToPoint:
    """messages: matched pairs in no particular order; received_by: {rank: [Message]}; probed: messages that probes
    have found, which they complete as receives would."""

    def __init__(self, timeline):
        self._scenario = timeline.scenario
        self._sends = {}
        self._receives = {}
        self._probes = []  # (call, envelope)
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
        self.probed = []
        for call, envelope in self._probes:
            self._find_recorded(call, envelope)
        told = {call.loc for call, _ in self._probes}
        for loc in sorted(set(timeline.calls) - told):
            self._find_unrecorded(timeline.calls[loc])

    def _add_probed(self, call, send):
        self.probed.append(Message(send, Receive(None, None, call)))
        self.probed[-1].receive.complete = call
        self.received_by.setdefault(send.destination, [])

    def _find_recorded(self, call, envelope):
        receives = self._receives.get(envelope, [])
        sends = [send for send in self._sends.get(envelope, ()) if not send.is_cancelled]
        for send, receive in zip(sends, receives):
            if _is_behind(receive, call):
                self._add_probed(call, send)
                return
        if len(sends) > len(receives):
            self._add_probed(call, sends[len(receives)])

    def _find_unrecorded(self, calls):
        probes = [call for call in calls if call.name in _BLOCKING_PROBES
                  or call.loop is not None and call.name in _TESTS_OF_PROBES]
        if not probes:
            return
        own = sorted((message for message in self.messages if message.receive.placed.loc == probes[0].loc),
                     key=lambda message: message.receive.position)
        for call in probes:
            for message in own:
                if (message.receive.placed.index >= call.index
                        and call.begin < message.send.start.enter <= call.leave):
                    self._add_probed(call, message.send)
                    break

    def _start_send(self, record, rank, peer, tag, comm, operation=None):
        destination = self._scenario.peers(comm, rank)[peer]
        key = self._scenario.comm_key(comm, rank)
        envelope = (key, rank, destination, tag, operation)
        send = Send(record, rank, destination)
        self._sends.setdefault(envelope, []).append(send)
        return send

    def _complete_receive(self, receive, record, rank, peer, tag, comm, operation=None):
        key = self._scenario.comm_key(comm, rank)
        envelope = (key, self._scenario.peers(comm, rank)[peer], rank, tag, operation)
        receive.complete = record.call
        self._receives.setdefault(envelope, []).append(receive)

    def _open_requests(self, rank, call, sends, receives, position):
        """An open call completes the requests that it waits for, as far as is known."""
        for group in open_calls.groups_of(call):
            is_exact = group.source is not None and group.tag is not None
            request = group.request
            completes = open_calls.receives(call) if request is None else open_calls.completes_requests(call)
            if completes and "source" in group:
                call.awaited.append("recv")
            elif completes and "comm" in group:
                call.awaited.append("nb_coll_complete")
            if request is None and open_calls.receives(call) and is_exact:
                receive = Receive(position, call, call)
            elif request in receives and open_calls.completes_requests(call) and is_exact:
                receive = receives.pop(request)
                if receive.posted.name in _PROBES:
                    receive.posted = call
            else:
                if request in sends and open_calls.completes_requests(call):
                    sends.pop(request).complete = call
                    call.awaited.append("isend_complete")
                continue
            receive.complete = call
            key = self._scenario.comm_key(group.comm, rank)
            source = self._scenario.peers(group.comm, rank)[group.source]
            self._receives.setdefault((key, source, rank, group.tag, None), []).append(receive)

    def _read_process(self, rank, records):
        sends, receives = {}, {}
        operation, request = None, None  # of partitioned messages: of the next one, of a partition
        partitioned, ready = {}, {}
        for position, record in enumerate(records):
            name, args, call = record.name, record.args, record.call
            if name == "send":
                self._start_send(record, rank, args[0], args[1], args[3]).complete = call
            elif name == "isend":
                send = self._start_send(record, rank, args[0], args[1], args[4], operation)
                sends[args[3]] = send
                if operation is not None:
                    partitioned[args[3]] = send
                operation = None
            elif name == "isend_complete":
                send = sends.pop(args[0], None)
                if send:
                    send.complete = call
            elif call.is_open and name in ("probe", "members", "failed"):
                if _is_first_of(record, ("probe", "members", "failed")):
                    self._open_requests(rank, call, sends, receives, position)
            elif name == "probe":
                source = self._scenario.peers(args[2], rank)[args[0]]
                self._probes.append((call, (self._scenario.comm_key(args[2], rank), source, rank, args[1], None)))
            elif name == "recv":
                receive = Receive(position, call, call)
                self._complete_receive(receive, record, rank, args[0], args[1], args[3])
            elif name == "irecv_request":
                self._post_receive(receives, args[0], position, call)
            elif name == "irecv":
                receive = receives.pop(args[3], None) or Receive(position, None, call)
                if receive.posted is not None and receive.posted.name in _PROBES:
                    receive.posted = call
                self._complete_receive(receive, record, rank, args[0], args[1], args[4], operation)
                operation = None
            elif name == "parameter_unsigned" and args[0] == "mpi_partitioned_operation":
                operation = args[1]
            elif name == "parameter_unsigned" and args[0] == "mpi_partitioned_request":
                request = args[1]
            elif name == "parameter_unsigned" and args[0] == "mpi_partition":
                ready.setdefault(request, []).append(call)
            elif name == "request_cancelled":
                send = sends.pop(args[0], None)
                if send:
                    send.is_cancelled = True
                receives.pop(args[0], None)
        for request, send in partitioned.items():  # sent when the last partition is ready
            send.start = max(ready.get(request, [send.start]),
                             key=lambda call: (call.enter, [-place for place in call.loc]))

    @staticmethod
    def _post_receive(receives, request, position, call):
        probed = receives.get(request)
        if probed and probed.posted.name in _PROBES and call.name not in _PROBES:
            probed.posted = call
        else:
            receives[request] = Receive(position, call, call)


def _initialized_by(init):
    """Name of the collective, without its prefix, that this function makes a persistent one."""
    return metrics.mpi_name(init).removesuffix("_init")


class CollectiveMember:
    """Part of one process in a collective instance. For a non-blocking one `start` is the start
    call and `activity` the completing call; for a blocking one both are the call itself."""

    def __init__(self, process, rank, start, activity, root, sent, received, init=None):
        self.name = start.name if init is None else _initialized_by(init)
        self.process = process
        self.rank = rank
        self.start = start
        self.activity = activity
        self.root = root
        self.bytes = sent + received
        self.largest = max(sent, received)

    def at_start(self):
        """The member as if its start call were the one that waits."""
        member = copy.copy(self)
        member.activity = member.start
        return member

    @property
    def is_blocking(self):
        return self.start is self.activity


# Init and Finalize: every process of a world calls them; the calls are counted, not their records.
_INIT = {"Init", "Init_thread"}
_FINALIZE = {"Finalize"}


def _calls_of_all(timeline, kind, names):
    """Instances {key: members}: the k-th calls with one of the names in all processes of a world. A
    world of several ones needs a communicator of its processes, two at least, in whose order the ranks
    count."""
    scenario, instances = timeline.scenario, {}
    calls = {rank: [] for rank in range(scenario.ranks)}
    for loc in timeline.calls:
        calls[loc[0]] += [call for call in timeline.calls[loc] if call.name in names]
    for of_process in calls.values():
        of_process.sort(key=lambda call: (call.enter, call.loc, call.index))
    for world in sorted({scenario.worlds.get(rank, 0) for rank in calls}):
        ranks = {rank for rank in calls if scenario.worlds.get(rank, 0) == world}
        order = sorted(ranks)
        if len(ranks) < scenario.ranks:
            order = next((members for name, members in scenario.comms.items()
                          if name not in scenario.intercomms and set(members) == ranks and
                          len(ranks) > 1), [])
        for count, instance in enumerate(zip(*(calls[rank] for rank in order))):
            instances[kind, world, count] = [
                CollectiveMember(process, rank, call, call, None, 0, 0)
                for rank, (process, call) in enumerate(zip(order, instance))]
    return instances


# Their instance is keyed by the resulting communicator and does not count on the parent. A record of
# Init on an inter-communicator is the part of spawned processes in the call that has spawned them.
_KEYED_BY_RESULT = {"Comm_create_group", "Intercomm_create", "Comm_spawn", "Comm_spawn_multiple",
                    "Comm_connect", "Comm_accept", "Comm_join"}


_STARTS = {"Start", "Startall"}


def collective_instances(timeline):
    """{key: [CollectiveMember in the order of the communicator's ranks]} of those instances in
    which every member of the communicator took part."""
    scenario, instances, sizes = timeline.scenario, {}, {}
    for rank in sorted(timeline.records):
        counters = {}
        for start, record in _collective_starts(timeline.records[rank], timeline.calls):
            _, comm, root, sent, received = record.args[:5]
            is_spawned = start.call.name in _INIT and comm in scenario.intercomms
            if start.call.name in _INIT | _FINALIZE and not is_spawned:
                continue
            key = scenario.comm_key(comm, rank)
            if start.call.name in _KEYED_BY_RESULT or is_spawned:
                key = ("result", key)
            persistent, init = record.args[6:] if record.name == "nb_coll_complete" else (None, None)
            if init is None and start.call.name in _STARTS:  # the operation is all that is known
                init = "MPI_%s_init" % record.args[0].capitalize()
            if persistent is not None:  # its starts have an order of their own
                key = ("persistent", persistent, key)
            count = counters[key] = counters.get(key, -1) + 1
            if start is record and record.name == "nb_coll_complete":
                continue  # when it was started is not recorded; it counts
            comm_ranks = scenario.comm_members(comm, rank)
            comm_rank = comm_ranks.index(rank)
            sizes[key] = len(comm_ranks)
            member = CollectiveMember(rank, comm_rank, start.call, record.call, root, sent,
                                      received, "MPI_Comm_spawn" if is_spawned else init)
            instances.setdefault((key, count), []).append(member)
    for members in instances.values():
        members.sort(key=lambda member: member.rank)
    complete = {(key, count): members for (key, count), members in instances.items()
                if len(members) == sizes[key]}
    return {**complete, **_calls_of_all(timeline, "init", _INIT),
            **_calls_of_all(timeline, "finalize", _FINALIZE)}


def counts_bytes(timeline):
    """Whether the records of collectives count bytes: some recorders leave them all at 0."""
    of_mpi = (record for records in timeline.records.values() for record in records
              if record.name in ("coll_end", "nb_coll_complete"))
    of_others = (record for records in timeline.library_records.values() for record in records
                 if record.name in ("coll_end", "rma_coll_end"))
    return any(record.args[3] + record.args[4] for record in (*of_mpi, *of_others))


_NON_BLOCKING = ("Ibarrier", "Ibcast", "Iscatter", "Igather", "Ireduce", "Iallreduce", "Iallgather",
                 "Ialltoall", "Iscan", "Iexscan", "Ineighbor", "Comm_idup")


# Stands for the record of a collective that an open call would have.
_OpenPart = collections.namedtuple("_OpenPart", "name args call")
UNKNOWN_BYTES = 1


def _open_parts(call):
    """Pairs (request or None, _OpenPart) of the collectives that an open call waits for."""
    for group in open_calls.groups_of(call):
        if group.comm is None or "source" in group:
            continue
        args = ("", group.comm, group.root, UNKNOWN_BYTES, 0)
        if group.request is not None:
            if open_calls.completes_requests(call):
                yield group.request, _OpenPart("nb_coll_complete", args + (group.request, None, None), call)
        elif not call.name.startswith("Win_") and call.name not in _KEYED_BY_RESULT:
            yield None, _OpenPart("coll_end", args, call)


def _is_first_of(record, names):
    return record is next(other for other in record.call.records if other.name in names)


def _collective_starts(records, calls):
    """Pairs (starting record, record that names the communicator) in the order of the starts; a
    completion whose start is not recorded is both, at the place of the first call that starts a
    collective without a record, if there is one.

    A non-blocking collective that never completes names no communicator and cannot be counted.
    """
    found, open_requests, recorded, lost = [], {}, set(), []  # found: [position, start, completion]
    for record in records:
        position = (record.call.enter, 1) if record.call else None
        if record.call.is_open and record.name in ("members", "failed"):
            if not _is_first_of(record, ("members", "failed")):
                continue
            for request, part in _open_parts(record.call):
                if request is None:
                    found.append([position, part, part])
                elif request in open_requests and open_requests[request][1].call.name not in _STARTS:
                    open_requests.pop(request)[2] = part
        elif record.name == "coll_end":
            found.append([position, record, record])
        elif record.name == "nb_coll_request":
            recorded.add(record.call)
            found.append([position, record, None])
            open_requests[record.args[0]] = found[-1]
        elif record.name == "nb_coll_complete":
            pair = open_requests.pop(record.args[5], None)
            if pair:
                pair[2] = record
            else:
                lost.append(record)
    if not lost:
        return [pair[1:] for pair in found if pair[2] is not None]
    loc_rank = lost[0].call.loc[0]
    silent = sorted(((call.enter, call.loc) for loc, of_loc in calls.items() if loc[0] == loc_rank
                     for call in of_loc
                     if (call.name or "").startswith(_NON_BLOCKING) and call not in recorded))
    for record in lost:
        at = record.call.enter
        if silent and silent[0][0] <= at:
            at = silent.pop(0)[0]
        found.append([(at, 0), record, record])
    found.sort(key=lambda pair: pair[0])
    return [pair[1:] for pair in found if pair[2] is not None]

# SPDX-License-Identifier: BSD-3-Clause
"""Point-to-point actions of the simulation."""

import random as generators

from simulation_parts import Blocked, Request, latest


class Sent:
    """A message; `rendezvous`: its send completes only when the receive is posted."""

    def __init__(self, time, size, rendezvous):
        self.time = time
        self.size = size
        self.rendezvous = rendezvous
        self.receive = None

    def send_ready(self):
        if not self.rendezvous:
            return 0
        return self.receive.time if self.receive else None


class Posted:
    """A posted receive."""

    def __init__(self, time):
        self.time = time
        self.message = None

    def receive_ready(self):
        return self.message.time if self.message else None


class Channel:
    """All messages of one (communicator, source, destination, tag), matched in their order."""

    def __init__(self, comm, source, destination, tag):
        self.comm = comm
        self.source = source
        self.destination = destination
        self.tag = tag
        self.sends = []
        self.receives = []
        self.probes = 0  # that wait for the next message

    def send(self, message):
        self.sends.append(message)
        self._match(len(self.sends) - 1)

    def post(self, receive):
        self.receives.append(receive)
        self._match(len(self.receives) - 1)

    def _match(self, index):
        if index < len(self.sends) and index < len(self.receives):
            self.sends[index].receive = self.receives[index]
            self.receives[index].message = self.sends[index]

    @property
    def missing_sends(self):
        return len(self.receives) + self.probes - len(self.sends)

    @property
    def blocks_sender(self):
        return any(message.rendezvous for message in self.sends[len(self.receives):])


SIZES = (0, 1, 8, 8, 64, 100)
# Region, is it non-blocking, can it be rendezvous, must it be.
SENDS = [("MPI_Send", False, True, False), ("MPI_Send", False, True, False),
         ("MPI_Ssend", False, True, True), ("MPI_Rsend", False, False, False),
         ("MPI_Bsend", False, False, False), ("MPI_Isend", True, True, False),
         ("MPI_Isend", True, True, False), ("MPI_Issend", True, True, True),
         ("MPI_Isend", True, True, False), ("MPI_Irsend", True, True, False),
         ("MPI_Ibsend", True, False, False), ("MPI_Start", True, True, False)]


BUFFERED = ("MPI_Bsend", False, False, False)


class MessageActions:
    def init_messages(self):
        self.partitioned = {}
        # Some executions have partitioned messages, by a generator of their own: the others are
        # what they were without.
        self.partitioner = generators.Random("partitioned %r" % (self.random.getstate()[1][:4],))
        self.has_partitioned = self.partitioner.random() < 0.2
        # The same holds of probes and of flushes of the buffer for buffered sends.
        self.prober = generators.Random("probes %r" % (self.random.getstate()[1][:4],))
        self.has_probes = self.prober.random() < 0.15
        self.records_probes = self.prober.random() < 0.7
        self.buffered = []  # (rank, channel, message)
        self.channels = {}
        self.persistent = {}
        # Messages of that many bytes wait for their receives; None: it is left to chance.
        self.rendezvous_size = self.random.choice((None, None, 1, 8, 64, 1000))

    def channel(self, comm, source, destination, tag):
        key = (comm, source, destination, tag)
        if key not in self.channels:
            self.channels[key] = Channel(*key)
        return self.channels[key]

    def message_action(self, loc):
        if self.has_partitioned and self.partitioner.random() < 0.3:
            self.partitioned_action(loc)
            return
        if self.has_probes and self.prober.random() < 0.35:
            self.probe_or_flush(loc)
            return
        choice = self.random.random()
        if choice < 0.36:
            self.random_send(loc)
        elif choice < 0.68:
            self.random_receive(loc)
        elif choice < 0.80:
            self.sendrecv(loc)
        elif choice < 0.97:
            self.wait_for_requests(loc)
        else:
            self.cancel(loc)

    def random_size(self):
        return self.random.choice(SIZES)

    def is_rendezvous(self, size):
        """Whether a send in the standard mode waits for the receive."""
        if self.rendezvous_size is None or self.random.random() < 0.1:
            return self.random.random() < 0.5
        return size >= self.rendezvous_size

    # --- Choosing the peer -------------------------------------------------------------------

    def random_channel_from(self, loc):
        missing = [channel for channel in self.channels.values()
                   if channel.source == loc.rank and channel.missing_sends > 0]
        if missing and self.random.random() < 0.5:
            return self.random.choice(missing)
        comm = self.random_comm(loc.rank)
        destination = self.random.choice(self.peers(comm, loc.rank))
        return self.channel(comm, loc.rank, destination, self.random.choice((0, 0, 1, 7)))

    def random_channel_to(self, loc):
        unreceived = [channel for channel in self.channels.values()
                      if channel.destination == loc.rank and channel.missing_sends < 0]
        if unreceived and self.random.random() < 0.75:
            return self.random.choice(unreceived)
        comm = self.random_comm(loc.rank)
        source = self.random.choice(self.peers(comm, loc.rank))
        return self.channel(comm, source, loc.rank, self.random.choice((0, 0, 1, 7)))

    def _send_args(self, channel, size):
        peer = self.peers(channel.comm, channel.source).index(channel.destination)
        return "%d %d %d" % (peer, channel.tag, size), self._comm_word(channel)

    def _receive_args(self, channel, size):
        peer = self.peers(channel.comm, channel.destination).index(channel.source)
        return "%d %d %d" % (peer, channel.tag, size), self._comm_word(channel)

    @staticmethod
    def _comm_word(channel):
        return "" if channel.comm == "world" else " " + channel.comm

    # --- Sends -------------------------------------------------------------------------------

    def random_send(self, loc):
        region, non_blocking, may, must = self.random.choice(SENDS)
        if self.has_probes and self.prober.random() < 0.3:
            region, non_blocking, may, must = BUFFERED
        size = self.random_size()
        rendezvous = must or (may and self.is_rendezvous(size))
        channel = self.random_channel_from(loc)
        if non_blocking:
            self.start_send(loc, channel, region, size, rendezvous)
        elif not rendezvous or channel.missing_sends > 0 or not self.would_deadlock(
                loc, [channel.destination]):
            self.send(loc, channel, region, size, rendezvous)

    def send(self, loc, channel, region, size, rendezvous):
        args, comm = self._send_args(channel, size)
        entered = self.enter(loc, region)
        self.emit(loc, "send %s%s" % (args, comm))
        message = Sent(entered, size, rendezvous)
        channel.send(message)
        self._note_buffered(loc, channel, region, message)
        self._block_on(loc, [(message.send_ready, channel.destination)], list)

    def start_send(self, loc, channel, region, size, rendezvous):
        args, comm = self._send_args(channel, size)
        name = self._request_name(loc, region, "send")
        entered = self.call(loc, region, "isend %s %s%s" % (args, name, comm))
        message = Sent(entered, size, rendezvous)
        channel.send(message)
        self._note_buffered(loc, channel, region, message)
        self._release_persistent_later(loc, region, "send", name)
        loc.requests.append(Request("send", name, message.send_ready,
                                    lambda: [channel.destination],
                                    lambda: "isend_complete %s" % name))
        self.resolve()

    def _request_name(self, loc, region, kind):
        """Persistent requests keep their id, all others get a new one."""
        if region == "MPI_Start":
            free = self.persistent.setdefault((loc.name, kind), [])
            if free:
                return free.pop()
        return "%d" % self.new_id()

    def _release_persistent_later(self, loc, region, kind, name):
        if region == "MPI_Start":
            self.persistent.setdefault(("started", name), (loc.name, kind))

    def _completed(self, request):
        owner = self.persistent.get(("started", request.name))
        if owner:
            self.persistent[owner].append(request.name)

    def _block_on(self, loc, dependencies, records):
        """Ends the entered call when all (ready, rank) are; `records()` are written at its end."""
        def ready():
            return latest(condition() for condition, _ in dependencies)

        def waits_for():
            return [rank for condition, rank in dependencies if condition() is None]

        def finish():
            for record in records():
                self.emit(loc, record)

        self.block(loc, Blocked(ready, waits_for, finish))

    def _note_buffered(self, loc, channel, region, message):
        if region in ("MPI_Bsend", "MPI_Ibsend"):
            self.buffered.append((loc.rank, channel, message))

    # --- Probes, flushes -----------------------------------------------------------------------

    def probe_or_flush(self, loc):
        sent = [(message, channel.destination) for rank, channel, message in self.buffered
                if rank == loc.rank and message.receive is None]
        if sent and self.prober.random() < 0.4:
            if not self.would_deadlock(loc, [destination for _, destination in sent]):
                self.enter(loc, "MPI_Buffer_detach")
                self._block_on(loc, [(lambda message=message: message.receive and message.receive.time,
                                      destination) for message, destination in sent], list)
            return
        channel = self.random_channel_to(loc)
        if channel.missing_sends < 0 or not self.would_deadlock(loc, [channel.source]):
            self.probe(loc, channel)

    def probe(self, loc, channel):
        received = len(channel.receives)
        channel.probes += 1

        def ready():
            return channel.sends[received].time if len(channel.sends) > received else None

        def records():
            channel.probes -= 1
            peer = self.peers(channel.comm, channel.destination).index(channel.source)
            return (["probe %d %d%s" % (peer, channel.tag, self._comm_word(channel))]
                    if self.records_probes else [])

        self.enter(loc, "MPI_Probe")
        self._block_on(loc, [(ready, channel.source)], records)

    # --- Receives ----------------------------------------------------------------------------

    def random_receive(self, loc):
        channel = self.random_channel_to(loc)
        if self.random.random() < 0.5:
            region = self.random.choice(("MPI_Irecv", "MPI_Irecv", "MPI_Start"))
            self.post_receive(loc, channel, region)
        elif channel.missing_sends < 0 or not self.would_deadlock(loc, [channel.source]):
            self.receive(loc, channel)

    def receive(self, loc, channel):
        probed = None
        if channel.missing_sends < 0 and self.random.random() < 0.1:
            # A matched probe takes the message out of the sequence, the receive comes later.
            probed = "%d" % self.new_id()
            self.call(loc, "MPI_Mprobe", "irecv_request " + probed)
            if self.random.random() < 0.4:
                self.call(loc, "foo")
        entered = self.enter(loc, "MPI_Mrecv" if probed else "MPI_Recv")
        posted = Posted(entered)
        channel.post(posted)

        def records():
            args, comm = self._receive_args(channel, posted.message.size)
            if probed:
                return ["irecv %s %s%s" % (args, probed, comm)]
            return ["recv %s%s" % (args, comm)]

        self._block_on(loc, [(posted.receive_ready, channel.source)], records)

    def post_receive(self, loc, channel, region):
        name = self._request_name(loc, region, "receive")
        entered = self.call(loc, region, "irecv_request %s" % name)
        posted = Posted(entered)
        channel.post(posted)
        self._release_persistent_later(loc, region, "receive", name)

        def record():
            args, comm = self._receive_args(channel, posted.message.size)
            return "irecv %s %s%s" % (args, name, comm)

        loc.requests.append(Request("receive", name, posted.receive_ready,
                                    lambda: [channel.source], record, (channel, posted)))
        self.resolve()

    # --- Partitioned messages ----------------------------------------------------------------

    def partitioned_action(self, loc):
        """A start of a partitioned send or receive: the n-th starts of an operation match."""
        random = self.partitioner
        own = [channel for channel in self.partitioned.values()
               if loc.rank in (channel.source, channel.destination)]
        if not own or random.random() < 0.3:
            comm = random.choice(sorted({"world", *self.comms} - self.intercomms.keys()))
            members = self.members(comm, loc.rank) if comm != "self" else []
            if loc.rank not in members or len(members) < 2:
                return
            other = random.choice([rank for rank in members if rank != loc.rank])
            pair = random.choice(((loc.rank, other), (other, loc.rank)))
            key = (comm, *pair, random.choice((0, 1)), random.randrange(2))
            channel = self.partitioned.setdefault(key, Channel(*key[:4]))
            channel.number = key[4]
        else:
            channel = random.choice(own)
        if channel.source == loc.rank:
            self.send_partitions(loc, channel)
        else:
            self.post_partitions(loc, channel)

    @staticmethod
    def _partitioned(channel, start, partitions):
        return ["parameter_unsigned mpi_partitioned_operation %d" % (channel.number << 32 | start),
                "parameter_unsigned mpi_partitions %d" % partitions]

    def send_partitions(self, loc, channel):
        random, name, size = self.partitioner, "%d" % self.new_id(), 64
        args, comm = self._send_args(channel, size)
        start = len(channel.sends) + 1
        self.call(loc, "MPI_Start", *self._partitioned(channel, start, 4),
                  "isend %s %s%s" % (args, name, comm))
        ready, entered = 0, []
        while ready < 4:
            last = random.randint(ready, 3)
            thread = random.choice(self._free(loc.rank))
            records = ["parameter_unsigned mpi_partitioned_request " + name,
                       "parameter_unsigned mpi_partition %d" % ready]
            if last > ready:
                records.append("parameter_unsigned mpi_last_partition %d" % last)
            entered.append(self.call(thread, "MPI_Pready_range" if last > ready else "MPI_Pready",
                                     *records))
            ready = last + 1
        message = Sent(max(entered), size, False)
        channel.send(message)
        loc.requests.append(Request("send", name, message.send_ready,
                                    lambda: [channel.destination],
                                    lambda: "isend_complete %s" % name))
        self.resolve()

    def post_partitions(self, loc, channel):
        name = "%d" % self.new_id()
        start = len(channel.receives) + 1
        posted = Posted(self.call(loc, "MPI_Start", "irecv_request %s" % name))
        channel.post(posted)

        def record():
            args, comm = self._receive_args(channel, posted.message.size)
            return "; ".join([*self._partitioned(channel, start, 2),
                              "irecv %s %s%s" % (args, name, comm)])

        loc.requests.append(Request("partitioned", name, posted.receive_ready,
                                    lambda: [channel.source], record))
        self.resolve()

    def sendrecv(self, loc):
        outward, inward = self.random_channel_from(loc), self.random_channel_to(loc)
        waits = []
        if outward.missing_sends <= 0:
            waits.append(outward.destination)
        if inward.missing_sends >= 0:
            waits.append(inward.source)
        to_self = loc.rank in (outward.destination, inward.source)
        if to_self or self.would_deadlock(loc, waits):
            return
        region = self.random.choice(("MPI_Sendrecv", "MPI_Sendrecv", "MPI_Sendrecv_replace"))
        size = self.random_size()
        entered = self.enter(loc, region)
        args, comm = self._send_args(outward, size)
        message = Sent(entered, size, self.is_rendezvous(size))
        send_record = "send %s%s" % (args, comm)
        at_begin = self.random.random() < 0.7
        if at_begin:
            self.emit(loc, send_record)
        outward.send(message)
        posted = Posted(entered)
        inward.post(posted)

        def records():
            args, comm = self._receive_args(inward, posted.message.size)
            recv_record = "recv %s%s" % (args, comm)
            return [recv_record] if at_begin else [recv_record, send_record]

        self._block_on(loc, [(message.send_ready, outward.destination),
                             (posted.receive_ready, inward.source)], records)

    # --- Requests ----------------------------------------------------------------------------

    def wait_for_requests(self, loc):
        if not loc.requests:
            if self.random.random() < 0.3:
                self.call(loc, "MPI_Test")
            return
        choice = self.random.random()
        if choice < 0.35:
            chosen, region = [self.random.choice(loc.requests)], self.random.choice(
                ("MPI_Wait", "MPI_Wait", "MPI_Waitany"))
        elif choice < 0.75:
            count = self.random.randint(1, len(loc.requests))
            chosen, region = self.random.sample(loc.requests, count), "MPI_Waitall"
        else:
            chosen = [request for request in loc.requests if self._is_over(request, loc)]
            chosen = chosen[:self.random.randint(1, 3)]
            region = self.random.choice(("MPI_Test", "MPI_Testany")) if len(chosen) < 2 else \
                self.random.choice(("MPI_Testall", "MPI_Testsome", "MPI_Waitsome"))
        waits = [rank for request in chosen if request.ready() is None
                 for rank in request.waits_for()]
        if self.would_deadlock(loc, waits):
            return
        self.complete(loc, chosen, region)

    @staticmethod
    def _is_over(request, loc):
        time = request.ready()
        return time is not None and time <= loc.clock

    def complete(self, loc, chosen, region):
        for request in chosen:
            loc.requests.remove(request)
        self.enter(loc, region)

        def ready():
            return latest(request.ready() for request in chosen)

        def waits_for():
            return [rank for request in chosen if request.ready() is None
                    for rank in request.waits_for()]

        def finish():
            for request in chosen:
                for record in request.record().split("; "):
                    self.emit(loc, record)
                self._completed(request)

        self.block(loc, Blocked(ready, waits_for, finish))

    def cancel(self, loc):
        """Cancels a receive that nothing was sent to, if it is the last posted of its channel."""
        for request in loc.requests:
            if request.kind == "receive":
                channel, posted = request.detail
                if posted.message is None and channel.receives[-1] is posted:
                    channel.receives.pop()
                    loc.requests.remove(request)
                    self.call(loc, "MPI_Cancel")
                    self.call(loc, "MPI_Wait", "request_cancelled %s" % request.name)
                    return

    # --- The end -----------------------------------------------------------------------------

    def finish_messages(self):
        """Sends what is awaited and receives what blocks its sender; True if anything happened."""
        progress = False
        for channel in list(self.partitioned.values()):
            for loc in self._free(channel.source):
                while channel.missing_sends > 0 and loc.blocked is None:
                    self.send_partitions(loc, channel)
                    progress = True
        for channel in list(self.channels.values()):
            for loc in self._free(channel.source):
                while channel.missing_sends > 0 and loc.blocked is None:
                    self.send(loc, channel, "MPI_Send", self.random_size(), False)
                    progress = True
            for loc in self._free(channel.destination):
                while channel.missing_sends < 0 and loc.blocked is None and (
                        channel.blocks_sender or self.random.random() < 0.7):
                    self.receive(loc, channel)
                    progress = True
        return progress

    def _free(self, rank):
        return [loc for loc in self.of_rank[rank] if loc.blocked is None]

    def finish_requests(self):
        """Completes most open requests; a few point-to-point ones never complete."""
        for loc in self.locations:
            if loc.blocked is None and loc.requests:
                chosen = [request for request in loc.requests if request.ready() is not None
                          and (request.kind == "collective" or self.random.random() < 0.95)]
                if chosen:
                    self.complete(loc, chosen, "MPI_Waitall")

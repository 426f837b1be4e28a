# SPDX-License-Identifier: BSD-3-Clause
"""Random states in which runs end, and their scenarios: what each thread is in, and what has happened before."""

END = 60        # all processes live so long
SHORTLY_BEFORE = 58500  # from 1000 ms on: half a second before the end
TAGS = (7, 8)
FUNCTIONS = ("MPI_Barrier", "MPI_Allreduce", "MPI_Alltoall", "MPI_Bcast", "MPI_Scatter", "MPI_Reduce", "MPI_Gather")
ROOTED = ("MPI_Bcast", "MPI_Scatter", "MPI_Reduce", "MPI_Gather")


class Message:
    """A send, or a receive that was posted. `source`, `tag`: None: any."""

    def __init__(self, is_send, rank, time, tag, target=None, source=None):
        self.is_send, self.rank, self.time, self.tag, self.target, self.source = is_send, rank, time, tag, target, source


class Call:
    """What a thread is in. `counts`: it waits in a call that was open for long."""

    def __init__(self, location, kind, **members):
        self.location, self.kind, self.counts = location, kind, kind not in ("compute", "poll")
        self.root = None
        self.__dict__.update(members)


class State:
    def __init__(self, generator):
        self.random = generator
        self.ranks = generator.randint(2, 6)
        self.threads = generator.choice((1, 1, 2))
        self.level = generator.choice(("single", "funneled", "serialized", "multiple") if self.threads > 1 else ("single",))
        self.communicators = {"world": list(range(self.ranks))}
        if self.ranks > 2 and generator.random() < 0.5:
            self.communicators["some"] = sorted(generator.sample(range(self.ranks), generator.randint(2, self.ranks - 1)))
        self.ended = [rank for rank in range(self.ranks) if generator.random() < 0.08]
        self.messages, self.lines, self.calls = [], {}, {}
        self.windows, self.requests, self.clock = 0, 0, 1000
        self.short = set()
        for rank in range(self.ranks):
            for thread in range(self.threads):
                self.lines[rank, thread] = []
        self._make_history()
        self.short = {location for location in self.lines if generator.random() < 0.1}
        for location in self.lines:
            if location[0] not in self.ended:
                self._make_call(location)

    # ---- writing

    def _time(self):
        """A time after all that were given before, in ms."""
        self.clock += 1
        return self.clock

    def _write(self, location, time, *records):
        self.lines[location] += [(time, record) for record in records]

    def _past(self, location, function, *records):
        """A call that has returned."""
        time = self._time()
        self._write(location, time, f"enter {function}", *records)
        self._write(location, self._time(), f"leave {function}")
        return time

    def _open(self, location, function, *records):
        """Begins the call that is never left: shortly before the end for those that do not count."""
        time = self._time() + (SHORTLY_BEFORE if location in self.short else 0)
        self._write(location, time, f"enter {function}", *records)
        return time

    def scenario(self):
        lines = ["unit 1e-3", f"ranks {self.ranks} threads {self.threads}",
                 f"thread_level {self.level} {' '.join(map(str, range(self.ranks)))}"]
        lines += [f"ended {' '.join(map(str, self.ended))}"] if self.ended else []
        lines += [f"comm {name} {' '.join(map(str, members))}" for name, members in self.communicators.items() if name != "world"]
        lines += [f"window w{number} world" for number in range(self.windows)]
        for (rank, thread), events in self.lines.items():
            if rank in self.ended and thread > 0:
                continue
            lines += [f"{time} {rank}.{thread} {record}" for time, record in [(0, "enter main"), *events]]
            if rank in self.ended:
                lines.append(f"{max([1000, *[time for time, _ in events]])} {rank}.0 leave main")
        return "\n".join(lines + [f"{1000 * END} {rank} heartbeat" for rank in range(self.ranks) if rank not in self.ended]) + "\n"

    # ---- what has happened

    def _other(self, rank):
        return self.random.choice([other for other in range(self.ranks) if other != rank])

    def _make_history(self):
        """Messages that were sent and not received yet."""
        for _ in range(self.random.choice((0, 0, 1, 2, 3))):
            rank = self.random.randrange(self.ranks)
            target, tag = self._other(rank), self.random.choice(TAGS)
            time = self._past((rank, 0), "MPI_Send", f"send {target} {tag} 8")
            self.messages.append(Message(True, rank, time, tag, target=target))

    # ---- what a thread is in

    def _make_call(self, location):
        may_call = location[1] == 0 or self.level in ("serialized", "multiple")
        kinds = [(3, self._compute), (1, self._poll), (4, self._receive), (4, self._send), (1, self._send_and_receive),
                 (2, self._wait_for_requests), (1, self._probe), (3, self._collective), (1, self._change)]
        if location[1] == 0:
            kinds += [(2, self._epoch), (1, self._window_lock), (0.5, self._finalize)]
        if not may_call:
            kinds = [(1, self._compute), (1, self._change)]
        if self.threads > 1:
            kinds += [(2, self._mutex), (1, self._condition)]
        make = self.random.choices([kind for _, kind in kinds], [weight for weight, _ in kinds])[0]
        self.calls[location] = make(location)
        self.calls[location].counts &= location not in self.short

    def _compute(self, location):
        self._open(location, "compute")
        return Call(location, "compute")

    def _poll(self, location):
        self._open(location, "MPI_Iprobe")
        return Call(location, "poll")

    def _source(self, rank):
        return None if self.random.random() < 0.25 else self._other(rank)

    def _tag(self):
        return None if self.random.random() < 0.15 else self.random.choice(TAGS)

    @staticmethod
    def _probe_text(source, tag):
        return f"probe {'any' if source is None else source} {'any' if tag is None else tag}"

    def _receive(self, location):
        source, tag = self._source(location[0]), self._tag()
        time = self._open(location, "MPI_Recv", self._probe_text(source, tag))
        message = Message(False, location[0], time, tag, source=source)
        self.messages.append(message)
        return Call(location, "messages", messages=[message])

    def _send(self, location):
        target, tag = self._other(location[0]), self.random.choice(TAGS)
        time = self._open(location, self.random.choice(("MPI_Send", "MPI_Ssend")), f"send {target} {tag} 1000000")
        message = Message(True, location[0], time, tag, target=target)
        self.messages.append(message)
        return Call(location, "messages", messages=[message])

    def _send_and_receive(self, location):
        target, source, tag = self._other(location[0]), self._other(location[0]), self.random.choice(TAGS)
        time = self._open(location, "MPI_Sendrecv", f"send {target} {tag} 1000000", self._probe_text(source, tag))
        messages = [Message(True, location[0], time, tag, target=target), Message(False, location[0], time, tag, source=source)]
        self.messages += messages
        return Call(location, "messages", messages=messages)

    def _wait_for_requests(self, location):
        messages, records = [], []
        for _ in range(self.random.randint(1, 3)):
            self.requests += 1
            if self.random.random() < 0.6:
                source, tag = self._source(location[0]), self._tag()
                time = self._past(location, "MPI_Irecv", f"irecv_request {self.requests}")
                messages.append(Message(False, location[0], time, tag, source=source))
                records += [self._probe_text(source, tag), f"failed {self.requests}"]
            else:
                target, tag = self._other(location[0]), self.random.choice(TAGS)
                time = self._past(location, "MPI_Isend", f"isend {target} {tag} 1000000 {self.requests}")
                messages.append(Message(True, location[0], time, tag, target=target))
                records += [f"failed {self.requests}"]
        function = self.random.choice(("MPI_Waitall", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome"))
        self._open(location, function, *records)
        self.messages += messages
        return Call(location, "messages" if function == "MPI_Waitall" else "any of messages", messages=messages)

    def _probe(self, location):
        source, tag = self._source(location[0]), self._tag()
        self._open(location, "MPI_Probe", self._probe_text(source, tag))
        return Call(location, "probe", source=source, tag=tag)

    def _collective(self, location):
        rank = location[0]
        comms = [name for name, members in self.communicators.items() if rank in members
                 and not any(call.kind == "collective" and call.location[0] == rank and call.comm == name
                             for call in self.calls.values())]
        if not comms:
            return self._compute(location)
        comm = self.random.choice(comms)
        function = self.random.choice(FUNCTIONS) if self.random.random() < 0.4 else "MPI_Barrier"
        root = None
        if function in ROOTED:
            members = self.communicators[comm]
            root = self.random.choice(members[:2]) if self.random.random() < 0.8 else self.random.choice(members)
        # `root` is a rank of the communicator
        place = "" if root is None else f" {self.communicators[comm].index(root)}"
        self._open(location, function, "coll_begin", f"members {comm}{place}")
        return Call(location, "collective", comm=comm, function=function, root=root)

    def _finalize(self, location):
        self._open(location, "MPI_Finalize")
        return Call(location, "finalize")

    def _epoch(self, location):
        """Waits for the post of the partner, or for the end of its access; the partner may have made it before."""
        rank, partner = location[0], self._other(location[0])
        window, is_there = self.windows, self.random.random() < 0.4
        function = self.random.choice(("MPI_Win_start", "MPI_Win_complete", "MPI_Win_wait"))
        is_there &= partner not in self.ended and (partner, 0) not in self.calls
        self.windows += 1
        if function == "MPI_Win_wait":
            self._past(location, "MPI_Win_post", f"group_sync w{window} {partner}")
        elif function == "MPI_Win_complete":
            self._past(location, "MPI_Win_start", f"group_sync w{window} {partner}")
        theirs = ("MPI_Win_start", "MPI_Win_complete") if function == "MPI_Win_wait" else ("MPI_Win_post",)
        for each in theirs if is_there else ():
            self._past((partner, 0), each, f"group_sync w{window} {rank}")
        self._open(location, function, f"group_sync w{window} {partner}")
        return Call(location, "epoch", partner=partner, is_there=is_there)

    def _window_lock(self, location):
        """Another process, which has not made its call yet, has the lock."""
        holders = [rank for rank in range(self.ranks) if rank != location[0] and rank not in self.ended
                   and (rank, 0) not in self.calls]
        if not holders:
            return self._compute(location)
        holder, window = self.random.choice(holders), self.windows
        self.windows += 1
        self._past((holder, 0), "MPI_Win_lock", f"lock_request w{window} {location[0]} 0")
        self._open(location, "MPI_Win_lock", f"lock_request w{window} {location[0]} 0")
        return Call(location, "window lock", holder=holder)

    def _mutex(self, location):
        rank, thread = location
        holder = self.random.choice([other for other in range(self.threads) if other != thread])
        self._open(location, "pthread_mutex_lock", f"object {thread + 1}", f"owner {holder}")
        return Call(location, "mutex", holder=(rank, holder))

    def _condition(self, location):
        self._open(location, "pthread_cond_wait", "object 9")
        return Call(location, "condition")

    def _change(self, location):
        self._open(location, "shmem_int_wait_until")
        return Call(location, "change")

# SPDX-License-Identifier: BSD-3-Clause
"""Random programs in which calls wait until their partners call MPI again: passive target, messages that are posted
early, active target, non-blocking collectives. Most time is computation, calls end shortly behind an event that could
have held them, and few kinds of calls are used, so that there is evidence on both sides. Nothing is simulated: what
cannot be is left out."""

import scenario_file

SIZES = (8, 8, 64, 1 << 20)
OPERATIONS = (("barrier", False), ("allreduce", False), ("alltoallv", False), ("bcast", True), ("reduce", True),
              ("scan", False))


class Call:
    def __init__(self, region, enter, longest):
        self.region = region
        self.enter = enter
        self.leave = enter + longest
        self.records = []  # texts
        self.partners = set()


class Rank:
    """The calls of one location, one after the other."""

    def __init__(self, chooser, rank, thread):
        self.chooser = chooser
        self.rank = rank
        self.name = "%d.%d" % (rank, thread) if thread else "%d" % rank
        self.clock = chooser.randint(0, 20)
        self.calls = []
        self.requests = []  # (text of the completion, partners, message)

    def call(self, region, *partners, longest=None):
        """A call behind some computation; it may last long if it needs partners."""
        if longest is None:
            longest = self.chooser.choice((1, 2, 3, 40, 90)) if partners else self.chooser.choice((0, 1, 2))
        self.clock += self.chooser.choice((0, 1, 5, 30, 60))
        call = Call(region, self.clock, longest)
        call.partners.update(partners)
        self.calls.append(call)
        self.clock += longest
        return call


class Program:
    def __init__(self, chooser):
        self.chooser = chooser
        self.size = chooser.choice((2, 2, 3, 4, 6))
        self.threads = chooser.choice((1, 1, 1, 2))
        self.ranks = [Rank(chooser, rank, 0) for rank in range(self.size)]
        self.others = [Rank(chooser, rank, 1) for rank in range(self.size)] if self.threads > 1 else []
        self.windows = ["w%d" % number for number in range(chooser.choice((1, 1, 2)))]
        self.number = 0
        self.messages = []  # [sending call, record, receiving calls and records]
        self.pending = {rank: [] for rank in range(self.size)}  # receives that have not been posted
        self.comms = {"world": list(range(self.size))}
        if self.size > 2:
            self.comms["some"] = chooser.sample(range(self.size), chooser.randint(2, self.size - 1))
        self.operations = chooser.sample(OPERATIONS, 2)  # few kinds of calls: some evidence on each

    def new(self):
        self.number += 1
        return self.number

    # --- passive target ------------------------------------------------------------------------

    def epoch(self, rank, hot):
        chooser, target = self.chooser, hot if self.chooser.random() < 0.7 else self.chooser.randrange(self.size)
        window, to_all = chooser.choice(self.windows), chooser.random() < 0.2
        word, kind = ("all", "s") if to_all else (str(target), chooser.choice("xxs"))
        call = rank.call("MPI_Win_lock_all" if to_all else "MPI_Win_lock", *(() if to_all else (target,)))
        call.records.append("lock_request %s %s 0 %s" % (window, word, kind))
        operations = []
        for _ in range(chooser.choice((0, 1, 1, 2))):
            if to_all:
                target = chooser.randrange(self.size)
            name, size = self.new(), chooser.choice(SIZES)
            region, record = chooser.choice((("MPI_Put", "put"), ("MPI_Put", "put"), ("MPI_Get", "get"),
                                             ("MPI_Accumulate", "atomic"), ("MPI_Rput", "put"), ("MPI_Rget", "get")))
            rank.call(region, target).records.append("%s %s %d %d %d" % (record, window, target, size, name))
            operations.append((name, target))
            if "_R" in region and chooser.random() < 0.7:
                rank.call("MPI_Wait", target).records.append("done_nonblocking %s %d" % (window, name))
            if chooser.random() < 0.3:
                flush = rank.call(chooser.choice(("MPI_Win_flush", "MPI_Win_flush", "MPI_Win_flush_local")), target)
                kind_of_done = "done_nonblocking" if flush.region.endswith("local") else "done_remote"
                flush.records += ["%s %s %d" % (kind_of_done, window, other)
                                  for other, to in operations if to == target]
        call = rank.call("MPI_Win_unlock_all" if to_all else "MPI_Win_unlock",
                         *({to for _, to in operations} if to_all else (target,)))
        call.records += ["done_remote %s %d" % (window, name) for name, _ in operations]
        call.records.append("lock_release %s %s 0" % (window, word))

    # --- active target -------------------------------------------------------------------------

    def expose(self, rank):
        """A post, with its wait at once or later."""
        origin = self.chooser.choice([other for other in range(self.size) if other != rank.rank])
        window = self.chooser.choice(self.windows)
        rank.call("MPI_Win_post").records.append("group_sync %s %d" % (window, origin))
        if self.chooser.random() < 0.5:
            rank.call("MPI_Iprobe")
        rank.call("MPI_Win_wait", origin).records.append("group_sync %s %d" % (window, origin))

    def access(self, rank):
        chooser, window = self.chooser, self.chooser.choice(self.windows)
        others = [other for other in range(self.size) if other != rank.rank]
        targets = sorted(chooser.sample(others, min(len(others), chooser.choice((1, 1, 2)))))
        word = "%s %s" % (window, " ".join(map(str, targets)))
        rank.call("MPI_Win_start", *targets).records.append("group_sync " + word)
        done = []
        for _ in range(chooser.choice((0, 1, 2, 2))):
            name, target = self.new(), chooser.choice(targets)
            region, record = chooser.choice((("MPI_Put", "put"), ("MPI_Get", "get"), ("MPI_Rget", "get")))
            rank.call(region, target).records.append("%s %s %d %d %d" % (record, window, target, chooser.choice(SIZES),
                                                                         name))
            if region == "MPI_Rget" and chooser.random() < 0.5:
                rank.call("MPI_Wait", target).records.append("done_nonblocking %s %d" % (window, name))
            else:
                done.append(name)
        complete = rank.call("MPI_Win_complete", *targets)
        complete.records += ["done_remote %s %d" % (window, name) for name in done]
        complete.records.insert(chooser.choice((0, len(done))), "group_sync " + word)

    # --- messages ------------------------------------------------------------------------------

    def send(self, rank):
        chooser = self.chooser
        peer = chooser.choice([other for other in range(self.size) if other != rank.rank])
        name, size = self.new(), chooser.choice(SIZES)
        args = "%d %d %d" % (peer, name, size)
        if chooser.random() < 0.5:
            call = rank.call("MPI_Send", peer)
            record = "send %s" % args
        else:
            call = rank.call("MPI_Isend")
            record = "isend %s %d" % (args, name)
            rank.requests.append(("isend_complete %d" % name, {peer}, None))
        call.records.append(record)
        self.pending[peer].append((rank.rank, name, size, call, record))

    def receive(self, rank):
        chooser, pending = self.chooser, self.pending[rank.rank]
        if not pending:
            return
        source, name, size, sending, record = pending.pop(chooser.randrange(len(pending)))
        message = [sending, record, []]
        self.messages.append(message)
        args = "%d %d %d" % (source, name, size)
        if chooser.random() < 0.5:
            call = rank.call("MPI_Recv", source)
            call.records.append("recv " + args)
            message[2].append((call, call.records[-1]))
            return
        call = rank.call("MPI_Irecv")
        call.records.append("irecv_request %d" % name)
        message[2].append((call, call.records[-1]))
        rank.requests.append(("irecv %s %d" % (args, name), {source}, message))

    def wait(self, rank):
        chooser = self.chooser
        if not rank.requests:
            return
        chooser.shuffle(rank.requests)
        count = 1 if chooser.random() < 0.5 else len(rank.requests)
        done, rank.requests = rank.requests[:count], rank.requests[count:]
        self.complete(rank, done)

    def complete(self, rank, done):
        call = rank.call("MPI_Wait" if len(done) == 1 else "MPI_Waitall",
                         *{partner for _, partners, _ in done for partner in partners})
        for record, _, message in done:
            call.records.append(record)
            if message:
                message[2].append((call, record))

    # --- non-blocking collectives --------------------------------------------------------------

    def collective(self):
        """All members start it, one after the other; they complete it at some time."""
        chooser = self.chooser
        comm = chooser.choice(list(self.comms))
        operation, has_root = chooser.choice(self.operations)
        members = self.comms[comm]
        root = chooser.randrange(len(members)) if has_root else "-"
        size, name = chooser.choice(SIZES), self.new()
        is_persistent = operation == "barrier" and chooser.random() < 0.1
        sent, received = (0, 0) if operation == "barrier" or chooser.random() < 0.05 else (size, size)
        record = "nb_coll_complete %s %s %s %d %d %d" % (operation, comm, root, sent, received, name)
        for member in members:
            rank = self.ranks[member]
            call = rank.call("MPI_Start" if is_persistent else "MPI_I" + operation)
            call.records.append("nb_coll_request %d" % name)
            rank.requests.append((record, set(members) - {member}, None))
        for member in members:
            if chooser.random() < 0.5:
                self.wait(self.ranks[member])

    def complete_collectives(self):
        """A collective that never completes names no communicator, and could not be counted."""
        for rank in self.ranks:
            started = [request for request in rank.requests if request[0].startswith("nb_coll")]
            if started:
                self.complete(rank, started)

    # --- the program ---------------------------------------------------------------------------

    def run(self):
        chooser = self.chooser
        hot = chooser.randrange(self.size)
        weights = [chooser.choice((0, 2, 4)) for _ in range(2)] + [chooser.choice((0, 0, 3)), chooser.choice((0, 0, 1))]
        if not any(weights):
            weights = [1, 2, 1, 1]
        for _ in range(chooser.choice((10, 30, 60)) * self.size):
            rank = min(chooser.sample(self.ranks, 2), key=lambda rank: rank.clock)
            action = chooser.choices((0, 1, 3, 4, 2), (*weights, 1))[0]
            if action == 0:
                self.epoch(rank, hot)
            elif action == 1:
                chooser.choice((self.send, self.receive, self.receive, self.wait))(rank)
            elif action == 3:
                chooser.choice((self.expose, self.access))(rank)
            elif action == 4:
                self.collective()
            else:
                rank.call(chooser.choice(("MPI_Iprobe", "MPI_Comm_rank", "MPI_Barrier_unknown", "foo", "MPI_Test")))
        self.complete_collectives()
        for rank in self.others:
            for _ in range(chooser.choice((0, 2, 10))):
                rank.call(chooser.choice(("MPI_Iprobe", "MPI_Comm_rank")))
        self.shorten()
        self.drop_impossible()

    def shorten(self):
        """Lets most long calls end shortly behind an event of a partner or the end of an unlock."""
        chooser = self.chooser
        events = {rank: [] for rank in range(self.size)}
        unlocks = []
        for rank in self.ranks + self.others:
            events[rank.rank] += [call.enter for call in rank.calls]
            unlocks += [call for call in rank.calls if "unlock" in call.region]
        for rank in self.ranks:
            for call in rank.calls:
                inside = [time for partner in sorted(call.partners) for time in events[partner]
                          if call.enter < time <= call.leave]
                inside += [other.leave for other in unlocks if call.enter < other.leave <= call.leave]
                if call.leave - call.enter > 10 and inside and chooser.random() < 0.85:
                    call.leave = min(call.leave, chooser.choice(inside) + chooser.choice((0, 0, 1, 2, 7)))

    def drop_impossible(self):
        """Drops messages that are received before they are sent, and requests without an end."""
        for sending, record, receiving in self.messages:
            if receiving[-1][0].leave < sending.enter or receiving[-1][1].startswith("irecv_request"):
                sending.records.remove(record)
                for call, text in receiving:
                    call.records.remove(text)
                if record.startswith("isend"):
                    done = "isend_complete " + record.split()[-1]
                    for rank in self.ranks:
                        for call in rank.calls:
                            if done in call.records:
                                call.records.remove(done)

    def lines(self):
        chooser = self.chooser
        threads = " threads %d" % self.threads if self.threads > 1 else ""
        lines = ["unit 1", "ranks %d%s" % (self.size, threads)]
        if self.size > 2 and chooser.random() < 0.3:
            lines.append("node second %d" % chooser.randrange(self.size))
        lines += ["comm %s %s" % (comm, " ".join(map(str, members))) for comm, members in self.comms.items()
                  if comm != "world"]
        lines += ["window %s world" % window for window in self.windows]
        if chooser.random() < 0.1:
            lines.append("analyze --progress=" + chooser.choice(("target", "target", "async", "evidence")))
        end = max(rank.clock for rank in self.ranks + self.others) + 5
        for rank in self.ranks + self.others:
            events = [(0, "enter main")]
            for call in rank.calls:
                events.append((call.enter, "enter " + call.region))
                time = chooser.randint(call.enter, call.leave)
                events += [(time, record) for record in call.records] + [(call.leave, "leave " + call.region)]
            events.append((end, "leave main"))
            if chooser.random() < 0.05:
                del events[chooser.randint(1, len(events)):]
            lines += ["%s %s %s" % (scenario_file.format_units(time * 1000), rank.name, text) for time, text in events]
        return lines


def lines(chooser):
    program = Program(chooser)
    program.run()
    return program.lines()

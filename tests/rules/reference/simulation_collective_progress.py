# SPDX-License-Identifier: BSD-3-Clause
"""Random programs of non-blocking collectives that end only when the members whose data they need call MPI again, or
as soon as all have started: for each operation one of both, with exceptions. One or two collectives are started, then
all members compute, some with calls of MPI in between, and complete them together or one after the other. Some
programs poll."""

import scenario_file

SIZES = (8, 64, 1 << 20)
OPERATIONS = (("barrier", False), ("allreduce", False), ("allgather", False), ("bcast", True), ("reduce", True),
              ("gatherv", True), ("scan", False))


class _Started:
    """A collective of one iteration. `starts`: {rank: Enter}."""

    def __init__(self, program, number):
        chooser = program.chooser
        self.comm = chooser.choice(list(program.comms))
        self.members = program.comms[self.comm]
        self.operation, has_root = chooser.choice(program.operations)
        self.root = chooser.randrange(len(self.members)) if has_root else None
        self.number = number
        self.is_persistent = self.operation in program.persistent
        size = chooser.choice(program.sizes)
        self.bytes = (0, 0) if self.operation == "barrier" else (size, size)
        self.starts = {}

    def needed(self, rank):
        position = self.members.index(rank)
        if self.operation == "scan":
            return self.members[:position]
        if self.operation == "bcast":
            return [self.members[self.root]] if position != self.root else []
        if self.root is not None and position != self.root:
            return []
        return [member for member in self.members if member != rank]

    @property
    def completion(self):
        return "nb_coll_complete %s %s %s %d %d %d" % (
            self.operation, self.comm, "-" if self.root is None else self.root, *self.bytes, self.number)


class Program:
    def __init__(self, chooser):
        self.chooser = chooser
        self.size = chooser.choice((2, 3, 4, 6, 13))
        self.comms = {"world": list(range(self.size))}
        if self.size > 2:
            self.comms["some"] = chooser.sample(range(self.size), chooser.randint(2, self.size - 1))
        self.operations = chooser.sample(OPERATIONS, chooser.choice((1, 2, 3)))
        self.held = {operation: chooser.random() < 0.7 for operation, _ in self.operations}
        self.persistent = {operation for operation, _ in self.operations if chooser.random() < 0.1}
        self.polls = chooser.random() < 0.2
        self.sizes = chooser.sample(SIZES, chooser.choice((1, 2)))
        self.calls = {rank: [] for rank in range(self.size)}  # [(Enter, Leave, region, records)]
        self.clocks = [chooser.randint(0, 5) for _ in range(self.size)]

    def call(self, rank, region, enter, leave, *records):
        self.calls[rank].append((enter, leave, region, records))
        self.clocks[rank] = leave

    def iteration(self, first):
        chooser = self.chooser
        started = [_Started(self, first + number) for number in range(chooser.choice((1, 1, 1, 2)))]
        late = chooser.randrange(self.size) if chooser.random() < 0.4 else None
        for collective in started:
            for rank in collective.members:
                enter = self.clocks[rank] + (chooser.randint(5, 40) if rank == late else chooser.choice((0, 1, 3)))
                collective.starts[rank] = enter
                self.call(rank, "MPI_Start" if collective.is_persistent else "MPI_I" + collective.operation,
                          enter, enter + chooser.choice((0, 1, 1, 2)), "nb_coll_request %d" % collective.number)
        waits = {}
        for rank in range(self.size):
            for _ in range(chooser.choice((0, 0, 0, 1, 2))):
                enter = self.clocks[rank] + chooser.randint(1, 30)
                self.call(rank, chooser.choice(("MPI_Iprobe", "MPI_Comm_rank", "foo")), enter,
                          enter + chooser.choice((0, 1, 4)))
            waits[rank] = self.clocks[rank] + chooser.choice((0, 1, 20, 50, 70))
        for rank, enter in waits.items():
            own = [collective for collective in started if rank in collective.members]
            if chooser.random() < 0.7:
                own = [own] if own else []
            else:
                own = [[collective] for collective in own]
            for completed in own:
                leave = max([enter] + [self.end(collective, rank, enter, waits) for collective in completed])
                leave += chooser.choice((0, 1, 1, 1, 2, 9))
                if self.polls and len(completed) == 1:
                    enter = self.test(rank, completed[0].number, enter, leave)
                    region = "MPI_Test"
                else:
                    region = "MPI_Wait" if len(completed) == 1 else "MPI_Waitall"
                self.call(rank, region, enter, leave, *(collective.completion for collective in completed))
                enter = self.clocks[rank]

    def test(self, rank, number, enter, leave):
        """Tests that fail, in front of the last one, whose Enter it returns."""
        while enter + 3 < leave:
            length = self.chooser.choice((0, 1, 1))
            self.call(rank, "MPI_Test", enter, enter + length, "failed %d" % number)
            enter += length + 1
        return enter

    def end(self, collective, rank, enter, waits):
        """When a collective ends that a member completes from a time on."""
        chooser, needed = self.chooser, collective.needed(rank)
        start = max([enter] + [collective.starts[other] for other in needed])
        if chooser.random() < 0.1 or self.held[collective.operation] == (chooser.random() < 0.07):
            return start
        nexts = [min(time for time in [waits[other]] + [call[0] for call in self.calls[other]] if time > start)
                 for other in needed if waits[other] > start]
        return max([start] + nexts)

    def lines(self):
        chooser = self.chooser
        lines = ["unit 1e-6" if self.polls else "unit 1", "ranks %d" % self.size]
        if self.size > 2 and chooser.random() < 0.3:
            lines.append("node second %d" % chooser.randrange(self.size))
        lines += ["comm %s %s" % (comm, " ".join(map(str, members))) for comm, members in self.comms.items()
                  if comm != "world"]
        end = max(self.clocks) + 5
        for rank, calls in self.calls.items():
            events = [(0, "enter main")]
            for enter, leave, region, records in calls:
                events.append((enter, "enter " + region))
                time = chooser.randint(enter, leave)
                events += [(time, record) for record in records] + [(leave, "leave " + region)]
            events.append((end, "leave main"))
            if chooser.random() < 0.05:
                del events[chooser.randint(1, len(events)):]
            lines += ["%s %d %s" % (scenario_file.format_units(time * 1000), rank, text) for time, text in events]
        return lines


def lines(chooser):
    program = Program(chooser)
    for iteration in range(chooser.choice((2, 5, 10, 20))):
        program.iteration(2 * iteration)
    return program.lines()

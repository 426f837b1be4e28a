# SPDX-License-Identifier: BSD-3-Clause
"""Programs of two worlds: the processes of the second one are spawned or connected by those of the first."""

import random as generators

from simulation_collectives import Instance, Queue

BOTH = "x"
# The functions that connect both worlds, of the first and of the second one. MPI_Init of spawned processes is
# also that of their world.
CONNECTING = [("MPI_Comm_spawn", "MPI_Init"), ("MPI_Comm_accept", "MPI_Comm_connect"),
              ("MPI_Comm_connect", "MPI_Comm_accept"), ("MPI_Comm_join", "MPI_Comm_join")]


class WorldActions:
    def init_worlds(self, focus):
        # By a generator of their own: the executions with one world are what they were without.
        self.builder = generators.Random("worlds %r" % (self.random.getstate()[1][:4],))
        self.intercomms = {}
        self.world_comms = ["world"]
        self.connecting = None
        if self.ranks < 2 or focus not in (None, "worlds") or \
                focus is None and self.builder.random() >= 0.15:
            return
        ranks = list(range(self.ranks))
        split = self.builder.randint(1, self.ranks - 1)
        first, second = ranks[:split], ranks[split:]
        self.comms["w0"], self.comms["w1"] = first, second
        self.world_comms = ["w0", "w1"]
        self.connecting = self.builder.choice(CONNECTING)
        groups = self.builder.choice(((first, second), (second, first)))
        self.intercomms[BOTH] = groups
        self.comms[BOTH] = groups[0] + groups[1]

    def peers(self, comm, rank):
        """The ranks that a process names as partners: the members, or the other group."""
        if comm in self.intercomms:
            first, second = self.intercomms[comm]
            return second if rank in first else first
        return self.members(comm, rank)

    def initialize_worlds(self, region):
        for comm in self.world_comms:
            if comm != "w1" or "MPI_Init" not in self.connecting:
                self.everybody_joins(comm, region)

    def finalize_worlds(self):
        for comm in self.world_comms:
            self.everybody_joins(comm, "MPI_Finalize")

    def connect_worlds(self):
        if not self.intercomms:
            return
        members = self.comms[BOTH]
        queue = self.queues["result", BOTH] = Queue(members)
        instance = Instance(self.connecting[0], "comm", members, members[0],
                            self.builder.random() < 0.8, True)
        instance.regions = {rank: self.connecting[rank in self.comms["w1"]] for rank in members}
        instance.tail = self.builder.choice((0, 1, 2))
        queue.instances.append(instance)
        order = list(members)
        self.builder.shuffle(order)
        for rank in order:
            loc = self.of_rank[rank][0]
            if loc.blocked is None:
                self.join(loc, BOTH, queue)

    def world_lines(self):
        """Their lines of a scenario file."""
        if not self.intercomms:
            return []
        first, second = self.intercomms[BOTH]
        return ["intercomm %s %d %s" % (BOTH, len(first), " ".join(map(str, first + second))),
                "world 1 %s" % " ".join(map(str, self.comms["w1"]))]

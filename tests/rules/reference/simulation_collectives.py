# SPDX-License-Identifier: BSD-3-Clause
"""Collective actions of the simulation: MPI's collectives, and those on communicators, files and
windows, which share the order that MPI demands on a communicator."""

import random as generators

from simulation_parts import Blocked, Request, latest

ALL_TO_ALL = ["MPI_Allreduce", "MPI_Allgather", "MPI_Allgatherv", "MPI_Alltoall", "MPI_Alltoallv",
              "MPI_Alltoallw", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block"]
FROM_ROOT = ["MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"]
TO_ROOT = ["MPI_Reduce", "MPI_Gather", "MPI_Gatherv"]
SCANS = ["MPI_Scan", "MPI_Exscan"]
NEIGHBOURHOOD = ["MPI_Neighbor_allgather", "MPI_Neighbor_alltoallv"]
COMMUNICATOR = ["MPI_Comm_dup", "MPI_Comm_split", "MPI_Comm_create", "MPI_Cart_create",
                "MPI_Comm_free"]
FILE_ACCESS = ["MPI_File_write_all", "MPI_File_read_at_all", "MPI_File_write_ordered",
               "MPI_File_sync", "MPI_File_seek_shared", "MPI_File_read_all_c"]
NON_BLOCKING_FILE_ACCESS = ["MPI_File_iwrite_all", "MPI_File_iread_at_all"]
FILE = ["MPI_File_open", "MPI_File_close", "MPI_File_set_view", "MPI_File_set_size"]
OF_RESULT = ["MPI_Comm_create_group", "MPI_Intercomm_create"]


class Instance:
    """One collective. `needs(rank)` = ranks that must have entered before rank can leave;
    nobody leaves earlier than `tail` after the last of them entered."""

    def __init__(self, region, kind, members, root, synchronizing, empty, window=None):
        self.region = region
        self.kind = kind
        self.members = members
        self.root = root
        self.synchronizing = synchronizing
        self.empty = empty
        self.window = window
        self.library = None  # window of a library outside of MPI
        self.is_non_blocking = False
        self.persistent = None  # number of the persistent collective
        self.tail = 0
        self.regions = {}  # of those ranks that call another function
        self.entered = {}

    def needs(self, rank):
        if self.synchronizing:
            return self.members
        if self.kind == "from_root":
            return [self.root]
        if self.kind == "to_root":
            return self.members if rank == self.root else []
        if self.kind == "scan":
            return self.members[:self.members.index(rank)]
        return []

    def ready(self, rank):
        time = latest(self.entered.get(other) for other in self.needs(rank))
        return time if time is None else time + self.tail


class Queue:
    """The collectives of one communicator in their order, and how many each rank has entered."""

    def __init__(self, members):
        self.members = members
        self.instances = []
        self.count = {rank: 0 for rank in members}

    def behind(self, rank):
        """Ranks that have entered fewer collectives."""
        return [other for other in self.members if self.count[other] < self.count[rank]]


class CollectiveActions:
    def init_collectives(self):
        self.queues = {}
        # Some executions have persistent collectives, by a generator of their own: the others are
        # what they were without.
        self.chooser = generators.Random("persistent %r" % (self.random.getstate()[1][:4],))
        self.has_persistent = self.chooser.random() < 0.2
        self.accesses = generators.Random("accesses %r" % (self.random.getstate()[1][:4],))
        self.has_accesses = self.accesses.random() < 0.15

    def queue(self, comm, rank):
        key = (comm, rank) if comm == "self" else comm
        if key not in self.queues:
            self.queues[key] = Queue(self.members(comm, rank))
        return self.queues[key]

    def collective_action(self, loc):
        comm = self.random_comm(loc.rank)
        if comm in self.comms and self.random.random() < 0.08:
            self.result_collective(loc, comm)
            return
        if self.has_persistent and comm != "self" and comm not in self.intercomms and self.chooser.random() < 0.3:
            self.persistent_collective(loc, comm)
            return
        queue = self.queue(comm, loc.rank)
        if queue.count[loc.rank] == len(queue.instances) and self.has_accesses and \
                comm not in self.intercomms and \
                self.accesses.random() < 0.4:
            queue.instances.append(self.file_access(queue.members))
        if queue.count[loc.rank] == len(queue.instances):
            queue.instances.append(self.random_instance(comm, queue.members))
        self.join(loc, comm, queue)

    def random_instance(self, comm, members):
        random = self.random
        if comm in self.intercomms:
            kind, regions = random.choice([("barrier", ["MPI_Barrier"]), ("nxn", ALL_TO_ALL),
                                           ("comm", COMMUNICATOR)])
        else:
            kind, regions = self._random_kind()
        region = random.choice(regions)
        is_non_blocking = kind not in ("comm", "file") and random.random() < 0.35
        if is_non_blocking:
            region = "MPI_I" + region[4:].lower()
        synchronizing = kind in ("barrier", "nxn") or random.random() < (
            0.7 if kind in ("comm", "file") else 0.15)
        instance = Instance(region, kind, members, random.choice(members), synchronizing,
                            random.random() < 0.25)
        instance.is_non_blocking = is_non_blocking
        instance.tail = random.choice((0, 0, 1))
        return instance

    def _random_kind(self):
        return self.random.choices(
            [("barrier", ["MPI_Barrier"]), ("nxn", ALL_TO_ALL), ("from_root", FROM_ROOT),
             ("to_root", TO_ROOT), ("scan", SCANS), ("neighbour", NEIGHBOURHOOD),
             ("comm", COMMUNICATOR), ("file", FILE)],
            [4, 4, 4, 4, 3, 1, 2, 2])[0]

    def file_access(self, members):
        """A collective read, write or synchronization of a file."""
        choose = self.accesses
        is_non_blocking = choose.random() < 0.3
        region = choose.choice(NON_BLOCKING_FILE_ACCESS if is_non_blocking else FILE_ACCESS)
        instance = Instance(region, "access", members, members[0], choose.random() < 0.7, True)
        instance.is_non_blocking = is_non_blocking
        instance.tail = choose.choice((0, 1))
        return instance

    # --- Entering ----------------------------------------------------------------------------

    def _forbidden(self, loc, instance):
        """Window collectives must not lie in other epochs of their window."""
        return instance.window is not None and self.in_epoch(loc.rank, instance.window)

    def join(self, loc, comm, queue):
        """Enters the next collective of the communicator; False if that is not possible now."""
        index = queue.count[loc.rank]
        instance = queue.instances[index]
        if self._forbidden(loc, instance):
            return False
        queue.count[loc.rank] += 1
        missing = [rank for rank in instance.needs(loc.rank)
                   if rank != loc.rank and rank not in instance.entered]
        blocks = missing and not instance.is_non_blocking
        if blocks and self.would_deadlock(loc, queue.behind(loc.rank)):
            queue.count[loc.rank] -= 1
            return False
        if instance.is_non_blocking:
            self._start(loc, comm, queue, instance)
        else:
            self._enter_blocking(loc, comm, queue, instance)
        return True

    def _waits_for(self, queue, instance, rank, count):
        if instance.ready(rank) is not None:
            return []
        return [other for other in queue.members if queue.count[other] < count]

    def _start(self, loc, comm, queue, instance):
        name = "%d" % self.new_id()
        rank, count = loc.rank, queue.count[loc.rank]
        start = instance.region
        if instance.persistent is not None:
            start = self.chooser.choice(("MPI_Start", "MPI_Startall"))
        instance.entered[rank] = self.call(loc, start, "nb_coll_request " + name)
        record = "nb_coll_complete %s %s" % (self._record_args(comm, instance, rank), name)
        if instance.persistent is not None:
            record += " %d %s_init" % (instance.persistent, instance.region)
        loc.requests.append(Request("collective", name, lambda: instance.ready(rank),
                                    lambda: self._waits_for(queue, instance, rank, count),
                                    lambda: record))
        self.resolve()

    def _enter_blocking(self, loc, comm, queue, instance):
        rank, count = loc.rank, queue.count[loc.rank]
        instance.entered[rank] = self.enter(loc, instance.regions.get(rank, instance.region))
        by_window = instance.window or instance.library and instance.library.by_window
        self.emit(loc, "rma_coll_begin" if by_window else "coll_begin")

        def finish():
            if instance.library:
                self.library_collective_records(loc, instance)
            elif instance.window:
                self.window_collective_records(loc, instance)
            else:
                self.emit(loc, "coll_end " + self._record_args(comm, instance, rank))

        self.block(loc, Blocked(lambda: instance.ready(rank),
                                lambda: self._waits_for(queue, instance, rank, count), finish))

    def _record_args(self, comm, instance, rank):
        region, root = instance.region, "-"
        if instance.kind in ("from_root", "to_root"):
            root = "%d" % instance.members.index(instance.root)
        sent, received = self._bytes(instance, rank)
        if instance.kind == "access":
            operation = "barrier"
        elif instance.kind in ("comm", "file", "init"):
            operation = "destroy_handle" if region == "MPI_Comm_free" else "create_handle"
        else:
            is_named_so = instance.is_non_blocking and instance.persistent is None
            operation = region[5 if is_named_so else 4:].lower()
            operation = operation.replace("neighbor_", "")
        return "%s %s %s %d %d" % (operation, comm, root, sent, received)

    def _bytes(self, instance, rank):
        if instance.empty or instance.kind in ("barrier", "comm", "file", "init"):
            return 0, 0
        size = 8 * len(instance.members)
        at_root = rank == instance.root
        if instance.kind == "from_root":
            return (size, self.random.choice((0, 8))) if at_root else (0, 8)
        if instance.kind == "to_root":
            return (self.random.choice((0, 8)), size) if at_root else (8, 0)
        return self.random.choice(((8, 8), (8, 8), (8, 0), (0, 8), (0, 0)))

    # --- Collectives of everybody, of a resulting communicator -------------------------------

    def everybody_joins(self, comm, region):
        """Init and Finalize: first threads enter in a random order."""
        queue = self.queue(comm, 0)
        members = queue.members
        queue.instances.append(Instance(region, "init", members, members[0],
                                        self.random.random() < 0.8, True))
        order = [self.of_rank[rank][0] for rank in members]
        self.random.shuffle(order)
        for loc in order:
            if queue.count[loc.rank] == len(queue.instances) - 1:
                self.join(loc, comm, queue)

    def everybody_creates_window(self):
        """A window on the world that all ranks create, in a random order."""
        order = [locs[0] for locs in self.of_rank.values()]
        self.random.shuffle(order)
        queue = self.queue("world", 0)
        self.append_window_creation(queue, "world")
        for loc in order:
            if loc.blocked is None and queue.count[loc.rank] == len(queue.instances) - 1:
                self.join(loc, "world", queue)

    def result_collective(self, loc, comm):
        """Creation of a communicator by its members only: its order on the parent is free."""
        key = ("result", comm)
        if key not in self.queues:
            queue = self.queues[key] = Queue(self.comms[comm])
            queue.instances.append(Instance(self.random.choice(OF_RESULT), "comm", queue.members,
                                            queue.members[0], self.random.random() < 0.7, True))
            queue.instances[0].tail = self.random.choice((0, 1))
        queue = self.queues[key]
        if queue.count[loc.rank] == 0:
            self.join(loc, comm, queue)

    def persistent_collective(self, loc, comm):
        """The start of a persistent collective: its order among the others is free."""
        number = self.chooser.randrange(3)
        queue = self.queues.setdefault(("persistent", comm, number),
                                       Queue(self.members(comm, loc.rank)))
        if queue.count[loc.rank] == len(queue.instances):
            queue.instances.append(self._persistent_instance(queue, number))
        self.join(loc, comm, queue)

    def _persistent_instance(self, queue, number):
        random = self.chooser
        if queue.instances:
            like = queue.instances[0]
            instance = Instance(like.region, like.kind, queue.members, like.root,
                                like.synchronizing, like.empty)
        else:
            kind, regions = random.choice(
                [("barrier", ["MPI_Barrier"]), ("nxn", ALL_TO_ALL), ("from_root", FROM_ROOT),
                 ("to_root", TO_ROOT), ("scan", SCANS), ("neighbour", NEIGHBOURHOOD)])
            instance = Instance(random.choice(regions), kind, queue.members,
                                random.choice(queue.members), kind in ("barrier", "nxn"),
                                random.random() < 0.25)
        instance.is_non_blocking, instance.persistent = True, number
        instance.tail = random.choice((0, 0, 1))
        return instance

    # --- The end -----------------------------------------------------------------------------

    def finish_collectives(self):
        """Lets the ranks that are behind enter; completes open non-blocking collectives."""
        progress = False
        for key, queue in list(self.queues.items()):
            comm = key if isinstance(key, str) else key[1] if key[0] in ("result", "persistent") else key[0]
            for rank in queue.members:
                loc = self.of_rank[rank][0]
                while loc.blocked is None and queue.count[rank] < len(queue.instances):
                    if not self.join(loc, comm, queue):
                        break
                    progress = True
        return progress

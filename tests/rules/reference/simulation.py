# SPDX-License-Identifier: BSD-3-Clause
"""A small discrete-event simulation of MPI programs on a few locations.

Every location has a clock of its own. An action (one call of one location) is executed when it is
chosen; a call that must wait for others leaves its location blocked until they have acted. A
location may only block if nobody it waits for waits, directly or through others, for it: the
programs are free of deadlock without a global plan. All times are small integers, so that ties,
empty calls and calls that end where others begin are frequent.
"""

from simulation_collectives import CollectiveActions
from simulation_iterations import IterationActions
from simulation_libraries import START_AND_END, LibraryActions
from simulation_locks import LockActions
from simulation_messages import MessageActions
from simulation_openmp import OpenMPActions
from simulation_parts import Location
from simulation_pthreads import PthreadActions
from simulation_windows import WindowActions
from simulation_worlds import WorldActions
from thread_engine import ThreadActions

LOCAL_CALLS = ["MPI_Initialized", "MPI_Send_init", "MPI_Bcast_init", "MPI_Reduce_local",
               "MPI_Request_c2f", "MPI_Test_cancelled", "MPI_Finalized", "MPI_Comm_rank",
               "MPI_Comm_size", "MPI_Wtime", "MPI_Type_commit", "MPI_Iprobe",
               "MPI_Group_incl", "MPI_Info_create", "MPI_Cart_coords", "MPI_Win_get_group",
               "MPI_File_write", "MPI_File_read_at", "MPI_File_write_all", "MPI_File_get_size",
               "MPI_File_seek", "MPI_Pack", "MPI_Request_get_status", "MPI_Topo_test"]
THREAD_FOCUSES = ("omp", "hybrid", "pthread")
USER_REGIONS = ["foo", "std::sort", "solve step", "io"]


class Simulation(MessageActions, CollectiveActions, WindowActions, LockActions, IterationActions,
                 LibraryActions, ThreadActions, OpenMPActions, PthreadActions, WorldActions):
    """One random program and its timeline. `random` decides everything; `focus` None, "locks",
    "iterations", "libraries", "worlds", "omp", "hybrid" or "pthread". Programs of OpenMP and POSIX threads use
    MPI, if at all, in the master thread of each process; all other threads are `workers`."""

    def __init__(self, random, ranks, threads, focus=None):
        self.random = random
        self.ranks = ranks
        self.threads = threads
        self.locations = [Location(rank, thread) for rank in range(ranks)
                          for thread in range(threads)]
        self.of_rank = {rank: [loc for loc in self.locations if loc.rank == rank]
                        for rank in range(ranks)}
        self.workers = {}
        if focus in THREAD_FOCUSES:
            self.workers = {rank: locs[1:] for rank, locs in self.of_rank.items()}
            self.of_rank = {rank: locs[:1] for rank, locs in self.of_rank.items()}
        self.masters = [loc for loc in self.locations if not self.workers or not loc.thread]
        self.durations = random.choice([(0, 1, 1, 2), (0, 0, 1, 1, 2, 3), (1, 2, 3, 5),
                                        (0, 0, 0, 1), (0, 1, 4, 9)])
        self.gaps = random.choice([(0, 0, 1), (0, 1, 2, 3), (0, 0, 2, 7), (1, 1, 2), (0, 3, 12),
                                   (0, 0, 1, 1, 1, 2, 600)])
        self.next_id = 0
        self.comms = {}
        self._make_communicators()
        self.init_worlds(focus)
        self.init_messages()
        self.init_collectives()
        self.init_windows()
        self.init_locks(focus == "locks")
        self.has_iterations = focus == "iterations"
        self.init_libraries(focus)
        self.init_threads(focus)

    def _make_communicators(self):
        for index in range(self.random.choice((0, 1, 1, 2, 3))):
            size = self.random.randint(1, self.ranks)
            self.comms["c%d" % index] = self.random.sample(range(self.ranks), size)

    def members(self, comm, rank):
        if comm == "world":
            return list(range(self.ranks))
        return [rank] if comm == "self" else self.comms[comm]

    def random_comm(self, rank):
        """A communicator that the rank belongs to, the world most of the time."""
        if self.random.random() < 0.55:
            return "world"
        mine = [comm for comm, members in self.comms.items() if rank in members]
        return self.random.choice(mine + ["self"]) if mine else "world"

    def new_id(self):
        self.next_id += 1
        return self.next_id

    # --- Calls -------------------------------------------------------------------------------

    def emit(self, loc, text):
        loc.events.append((loc.clock, text))

    def step(self):
        return self.random.choice(self.durations)

    def enter(self, loc, region):
        """Enters an MPI call after a random gap; returns the time of the Enter."""
        loc.clock += self.random.choice(self.gaps)
        self.emit(loc, "enter " + region)
        loc.regions.append(region)
        self.note_enter(loc, region)
        return loc.clock

    def leave(self, loc):
        region = loc.regions.pop()
        self.emit(loc, "leave " + region)
        self.note_leave(loc, region)

    def call(self, loc, region, *records):
        """A call that waits for nobody, with its records at a random time inside; returns the
        time of the Enter."""
        entered = self.enter(loc, region)
        duration = self.step()
        before = self.random.randint(0, duration)
        loc.clock += before
        for record in records:
            self.emit(loc, record)
        loc.clock += duration - before
        self.leave(loc)
        return entered

    def block(self, loc, blocked):
        """The entered call of a location ends as soon as it can."""
        loc.blocked = blocked
        self.resolve()

    def resolve(self):
        """Ends every call that can end."""
        progress = True
        while progress:
            progress = False
            for loc in self.locations:
                if loc.blocked is not None:
                    time = loc.blocked.ready()
                    if time is not None:
                        self._end_blocked(loc, time)
                        progress = True

    def _end_blocked(self, loc, time):
        blocked, loc.blocked = loc.blocked, None
        if self.random.random() < 0.5:
            loc.clock = max(loc.clock, time)
        else:
            loc.clock = max(loc.clock + self.step(), time)
        if self.random.random() < 0.4:
            loc.clock += self.step()
        blocked.finish()
        self.leave(loc)

    def would_deadlock(self, loc, ranks):
        """Whether any of the ranks waits, directly or through others, for the location's rank."""
        seen, left = set(), list(ranks)
        while left:
            rank = left.pop()
            if rank == loc.rank:
                return True
            if rank in seen:
                continue
            seen.add(rank)
            for other in self.of_rank[rank]:
                if other.blocked is not None:
                    left.extend(other.blocked.waits_for())
        return False

    # --- The program -------------------------------------------------------------------------

    def user_code(self, loc):
        choice = self.random.random()
        if choice < 0.35 and len(loc.regions) < 4:
            self.enter(loc, self.random.choice(USER_REGIONS))
        elif choice < 0.6 and len(loc.regions) > 1:
            loc.clock += self.random.choice(self.gaps)
            self.leave(loc)
        elif choice < 0.8:
            self.call(loc, self.random.choice(USER_REGIONS))
        else:
            self.call(loc, self.random.choice(LOCAL_CALLS))

    def run(self, actions):
        """Executes about `actions` random calls and then what is needed to end the program."""
        random = self.random
        for loc in self.masters:
            loc.clock = random.choice(self.gaps)
            self.emit(loc, "enter main")
            loc.regions.append("main")
        has_init = random.random() < 0.6
        if has_init:
            region = random.choice(["MPI_Init", "MPI_Init_thread"])
            self.initialize_worlds(region)
        self.connect_worlds()
        has_start = [library for library in self.libraries if random.random() < 0.7]
        for library in has_start:
            self.everybody_joins("world", START_AND_END[library][0])
        weights = [random.choice((0, 1, 3, 6)) for _ in range(3)] + [random.choice((0, 0, 3, 9))]
        if self.prefers_locks:
            weights = [random.choice((0, 1, 3, 6)), random.choice((0, 0, 1, 3)),
                       random.choice((0, 0, 1)), 9]
        if self.has_iterations or weights[3] and random.random() < (
                0.97 if self.prefers_locks else 0.8):
            self.everybody_creates_window()
        if self.has_iterations:
            self.run_iterations(random.choice((2, 3, 5, 8, 12)))
            actions = random.choice((0, 0, actions // 4))
        kinds = [self.user_code, self.message_action, self.collective_action, self.window_action]
        if not any(weights[1:]):
            weights = [1, 3, 2, 2]
        if self.libraries:
            kinds.append(self.library_action)
            weights = [weights[0] / 2] + [weight / 4 for weight in weights[1:]] + [12]
            actions *= 2
        if self.workers:
            kinds.append(self.openmp_action if self.has_openmp else self.pthread_action)
            weights = [2, *(weight if self.has_openmp and self.has_mpi else 0
                            for weight in weights[1:4]), 12]
        for _ in range(actions):
            free = [loc for loc in self.masters if loc.blocked is None]
            if not free:
                break
            loc = random.choice(free)
            action = random.choices(kinds, weights)[0]
            if loc.thread and action in (self.collective_action, self.window_action):
                action = self.message_action
            action(loc)
            self.resolve()
        self.finish(has_init, has_start)

    def finish(self, has_finalize, started):
        """Lets everybody do what others wait for, until nobody is blocked."""
        for _ in range(60):
            progress = self.finish_locks()
            progress |= self.finish_windows()
            progress |= self.finish_collectives()
            progress |= self.finish_messages()
            progress |= self.finish_libraries()
            self.resolve()
            if not progress:
                if self.hardware:
                    break
                self.stop_waiting_for_progress()
        self.finish_requests()
        if not any(loc.blocked for loc in self.locations):
            for library in reversed(started):
                self.everybody_joins("world", START_AND_END[library][1])
            if has_finalize:
                self.finalize_worlds()
        for loc in self.locations:
            while loc.regions and loc.blocked is None:
                loc.clock += self.random.choice(self.gaps)
                self.leave(loc)

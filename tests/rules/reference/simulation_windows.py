# SPDX-License-Identifier: BSD-3-Clause
"""One-sided actions of the simulation: window collectives, general active-target epochs."""

from simulation_collectives import Instance
from simulation_locks import LockState
from simulation_parts import Blocked, latest

CREATION = [("MPI_Win_create", "create_handle"), ("MPI_Win_allocate", "create_handle_and_allocate"),
            ("MPI_Win_allocate_shared", "create_handle_and_allocate"),
            ("MPI_Win_create_dynamic", "create_handle")]
OPERATIONS = [("MPI_Put", "put"), ("MPI_Put", "put"), ("MPI_Get", "get"),
              ("MPI_Accumulate", "atomic"), ("MPI_Fetch_and_op", "atomic"),
              ("MPI_Compare_and_swap", "atomic"), ("MPI_Get_accumulate", "atomic")]
PLAIN_CALLS = ["MPI_Win_get_attr", "MPI_Win_sync", "MPI_Win_set_name"]


class Window:
    def __init__(self, name, comm, members):
        self.name = name
        self.comm = comm
        self.members = members
        self.created = set()
        self.is_freed = False
        self.pending = {rank: [] for rank in members}
        self.session = None
        self.locks = {}

    def lock_state(self, target):
        return self.locks.setdefault(target, LockState())


class Session:
    """One round of general active-target synchronization: who accesses whom, what each rank still
    has to do, which of its calls waits for the posts, and when it posted and completed."""

    def __init__(self, accesses):
        self.accesses = accesses
        self.exposures = {}
        for origin, targets in accesses.items():
            for target in targets:
                self.exposures.setdefault(target, []).append(origin)
        self.posted = {}
        self.completed = {}
        self.todo = {}
        self.blocking = {}

    @property
    def is_over(self):
        return not any(self.todo.values())


class WindowActions:
    def init_windows(self):
        self.windows = {}
        self.prefers_sessions = self.random.random() < 0.4

    @staticmethod
    def in_session(rank, window):
        return window.session is not None and bool(window.session.todo.get(rank))

    def in_epoch(self, rank, window):
        return self.in_session(rank, window) or self.has_lock_epoch(rank, window)

    def window_action(self, loc):
        usable = [window for window in self.windows.values() if loc.rank in window.members
                  and len(window.created) == len(window.members) and not window.is_freed]
        if not usable:
            self._create_window(loc)
            return
        if self.prefers_locks and self.random.random() < 0.9:
            self.lock_action(loc, usable)
            return
        window, choice = self.random.choice(usable), self.random.random()
        if self.prefers_sessions and self.random.random() < 0.7:
            choice = 0.6
        if window.session and window.session.is_over:
            window.session = None
        if self.in_session(loc.rank, window) and choice < 0.8:
            self.next_of_session(loc, window)
        elif choice < 0.22:
            self._window_collective(loc, window, "MPI_Win_fence")
        elif choice < 0.50:
            if not self.in_epoch(loc.rank, window):
                self.operation(loc, window, self.random.choice(window.members))
        elif choice < 0.75:
            self.new_session(window)
        elif choice < 0.90:
            self.lock_action(loc, usable)
        elif choice < 0.93:
            self.call(loc, self.random.choice(PLAIN_CALLS))
        elif choice < 0.98 and window.session is None:
            self._window_collective(loc, window, "MPI_Win_free")
        else:
            self._create_window(loc)

    # --- Window collectives ------------------------------------------------------------------

    def _create_window(self, loc):
        """Enters the next collective of a communicator, a window creation if there is none."""
        comm = self.random_comm(loc.rank)
        if comm == "self" or comm in self.intercomms or len(self.windows) >= 3:
            return
        queue = self.queue(comm, loc.rank)
        if queue.count[loc.rank] == len(queue.instances):
            self.append_window_creation(queue, comm)
        self.join(loc, comm, queue)

    def append_window_creation(self, queue, comm):
        window = Window("w%d" % len(self.windows), comm, queue.members)
        self.windows[window.name] = window
        region, operation = self.random.choice(CREATION)
        self._append(queue, region, operation, window)

    def _append(self, queue, region, operation, window):
        instance = Instance(region, "window", queue.members, queue.members[0],
                            self.random.random() < 0.7, True, window)
        instance.operation = operation
        instance.tail = self.random.choice((0, 1, 1))
        queue.instances.append(instance)

    def _window_collective(self, loc, window, region):
        queue = self.queue(window.comm, loc.rank)
        if queue.count[loc.rank] == len(queue.instances):
            if region == "MPI_Win_free":
                window.is_freed = True
                self._append(queue, region, "destroy_handle", window)
            else:
                self._append(queue, region, "barrier", window)
        self.join(loc, window.comm, queue)

    def window_collective_records(self, loc, instance):
        window = instance.window
        if instance.region == "MPI_Win_fence":
            self._complete_operations(loc, window)
        elif instance.region == "MPI_Win_free":
            self.emit(loc, "win_destroy " + window.name)
        else:
            self.emit(loc, "win_create " + window.name)
            window.created.add(loc.rank)
        self.emit(loc, "rma_coll_end %s %s" % (instance.operation, window.name))

    # --- Operations --------------------------------------------------------------------------

    def _operation_record(self, loc, window, target):
        region, kind = self.random.choice(OPERATIONS)
        name = self.new_id()
        window.pending[loc.rank].append(name)
        return region, "%s %s %d %d %d" % (kind, window.name, window.members.index(target),
                                           self.random.choice((0, 8, 64)), name)

    def operation(self, loc, window, target):
        self.call(loc, *self._operation_record(loc, window, target))

    def _complete_operations(self, loc, window):
        for name in window.pending[loc.rank]:
            self.emit(loc, "done_remote %s %d" % (window.name, name))
        window.pending[loc.rank] = []

    # --- Start, complete, post, wait ---------------------------------------------------------

    def new_session(self, window):
        """Chooses origins and targets if all ranks are equally far on the window."""
        if window.session is not None or any(self.has_lock_epoch(rank, window)
                                             for rank in window.members):
            return
        queue = self.queue(window.comm, 0)
        progress = {sum(instance.window is window for instance in queue.instances[:count])
                    for count in queue.count.values()}
        if len(progress) != 1:
            return
        random, accesses = self.random, {}
        for origin in window.members:
            if random.random() < 0.6:
                count = random.randint(1, len(window.members))
                accesses[origin] = random.sample(window.members, count)
        session = Session(accesses)
        for rank in window.members:
            steps = ["post"] if rank in session.exposures else []
            if rank in accesses:
                steps += ["start"] + ["operation"] * random.choice((0, 1, 1, 2, 3)) + ["complete"]
            if rank in session.exposures:
                steps.append("wait")
            session.todo[rank] = steps
        ways = ("start", "start", "operation", "operation", "complete", "complete", "none")
        session.blocking = {rank: random.choice(ways) for rank in window.members}
        if accesses:
            window.session = session

    def next_of_session(self, loc, window):
        """Executes the next step of a rank in the session; False if it would deadlock."""
        session, rank = window.session, loc.rank
        step = session.todo[rank][0]
        if step == "post":
            session.todo[rank].pop(0)
            group = self._group(window, session.exposures[rank])
            session.posted[rank] = self.call(loc, "MPI_Win_post", group)
            self.resolve()
            return True
        if step == "wait":
            return self._wait(loc, window)
        target = self.random.choice(session.accesses[rank])
        needed = [target] if step == "operation" else session.accesses[rank]
        if session.blocking[rank] != step:
            needed = []
        missing = [other for other in needed if other not in session.posted]
        if missing and self.would_deadlock(loc, missing):
            return False
        session.todo[rank].pop(0)
        if step == "operation":
            region, record = self._operation_record(loc, window, target)
            self.enter(loc, region)
            self.emit(loc, record)
            self._block_until(loc, session.posted, needed, lambda: None)
            return True
        group = self._group(window, session.accesses[rank])
        region = "MPI_Win_" + step
        entered = self.enter(loc, region)
        if step == "complete":
            session.completed[rank] = entered

        def finish():
            if step == "complete":
                self._complete_operations(loc, window)
            self.emit(loc, group)

        self._block_until(loc, session.posted, needed, finish)
        return True

    def _wait(self, loc, window):
        session, rank = window.session, loc.rank
        origins = session.exposures[rank]
        missing = [origin for origin in origins if origin not in session.completed]
        unposted = [other for other in session.exposures if other not in session.posted]
        if missing and self.would_deadlock(loc, missing + unposted):
            return False
        over = not missing and max(session.completed[o] for o in origins) <= loc.clock
        if missing and self.random.random() < 0.2:
            self.call(loc, "MPI_Win_test")
            return True
        session.todo[rank].pop(0)
        region = "MPI_Win_test" if over and self.random.random() < 0.4 else "MPI_Win_wait"
        self.enter(loc, region)
        group = self._group(window, origins)
        self._block_until(loc, session.completed, origins, lambda: self.emit(loc, group),
                          lambda: [other for other in session.exposures
                                   if other not in session.posted])
        return True

    @staticmethod
    def _group(window, ranks):
        return "group_sync %s %s" % (window.name, " ".join(
            "%d" % window.members.index(rank) for rank in ranks))

    def _block_until(self, loc, times, needed, finish, also_waits_for=list):
        def ready():
            return latest(times.get(rank) for rank in needed)

        def waits_for():
            return [rank for rank in needed if rank not in times] + also_waits_for()

        self.block(loc, Blocked(ready, waits_for, finish))

    # --- The end -----------------------------------------------------------------------------

    def finish_windows(self):
        progress = False
        for window in self.windows.values():
            if window.session is None:
                continue
            for rank in window.members:
                loc = self.of_rank[rank][0]
                while loc.blocked is None and self.in_session(rank, window):
                    if not self.next_of_session(loc, window):
                        break
                    progress = True
        return progress

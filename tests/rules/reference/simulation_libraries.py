# SPDX-License-Identifier: BSD-3-Clause
"""Actions of OpenSHMEM, ARMCI and coarrays in the simulation. A program uses one or two of them beside
MPI. Collectives and locks really wait; operations take a random time, in which their targets may or may
not be in a call."""

from simulation_collectives import Instance, Queue
from simulation_parts import Blocked

COLLECTIVES = {
    "shmem": [("shmem_barrier_all", "barrier", "barrier"), ("shmem_sync_all", "barrier", "barrier"),
              ("shmem_int_sum_to_all", "nxn", "allreduce"), ("shmem_fcollect64", "nxn", "allgather"),
              ("shmem_broadcast64", "from_root", "bcast"),
              ("shmem_char_broadcast", "from_root", "bcast"), ("shmem_malloc", "comm", "allocate"),
              ("shmem_align", "comm", "allocate"), ("shmem_calloc", "comm", "allocate"),
              ("shmem_free", "comm", "deallocate"), ("shmem_realloc", "comm", "deallocate")],
    "armci": [("ARMCI_Barrier", "barrier", "barrier"), ("ARMCI_Malloc", "comm", "allocate"),
              ("ARMCI_Create_mutexes", "comm", "allocate"), ("ARMCI_Free", "comm", "deallocate")],
    "caf": [("caf sync all", "barrier", "barrier"), ("caf co_sum", "nxn", "allreduce"),
            ("caf co_sum", "to_root", "reduce"), ("caf co_broadcast", "from_root", "bcast"),
            ("caf allocate", "comm", "allocate"), ("caf deallocate", "comm", "deallocate")],
}
OPERATIONS = {
    "shmem": [("shmem_int_put", "put"), ("shmem_int_get", "get"), ("shmem_int_get", "get"),
              ("shmem_int_atomic_fetch_add", "atomic"), ("shmem_putmem_signal", "put")],
    "armci": [("ARMCI_Put", "put"), ("ARMCI_GetS", "get"), ("ARMCI_Acc", "atomic"),
              ("ARMCI_Rmw", "atomic")],
    "caf": [("caf put", "put"), ("caf get", "get"), ("caf atomic", "atomic"),
            ("caf event post", "atomic"), ("caf event post", "atomic")],
}
NONBLOCKING = {"shmem": [("shmem_int_put_nbi", "put"), ("shmem_int_get_nbi", "get")],
               "armci": [("ARMCI_NbPut", "put"), ("ARMCI_NbGet", "get")],
               "caf": [("caf put", "put")]}
COMPLETING = {"shmem": ["shmem_quiet", "shmem_quiet", "shmem_fence"],
              "armci": ["ARMCI_WaitAll", "ARMCI_AllFence"], "caf": ["caf sync memory"]}
WAITING = {"shmem": ["shmem_int_wait_until", "shmem_signal_wait_until", "shmem_int_test"],
           "armci": ["ARMCI_Test"], "caf": ["caf event wait", "caf sync images", "caf sync images"]}
PLAIN = {"shmem": ["shmem_my_pe", "shmem_fence"], "armci": ["ARMCI_Test", "ARMCI_Malloc_local"],
         "caf": ["caf event query"]}
LOCKS = {"shmem": ("shmem_set_lock", "shmem_clear_lock", "shmem_test_lock"),
         "armci": ("ARMCI_Lock", "ARMCI_Unlock", None), "caf": ("caf lock", "caf unlock", None)}
START_AND_END = {"shmem": ("shmem_init", "shmem_finalize"), "armci": ("ARMCI_Init", "ARMCI_Finalize"),
                 "caf": ("caf init", "caf finalize")}


class LibraryLock:
    def __init__(self, window, target, name):
        self.window = window
        self.target = target  # rank in the window, or `all`
        self.name = name
        self.holder = None
        self.free = 0

    @property
    def record(self):
        return "%s %s %s" % (self.window.name, self.target, self.name)


class LibraryWindow:
    """A window of a library, `comm` its active set; `by_window`: its collectives' records name it."""

    def __init__(self, library, name, comm, members, by_window):
        self.library = library
        self.name = name
        self.comm = comm
        self.members = members
        self.by_window = by_window
        self.pending = {rank: [] for rank in members}  # (id, kind, is it done locally)


class LibraryActions:
    def init_libraries(self, focus):
        random = self.random
        self.libraries = {}  # {name: its windows}
        self.library_locks = []
        self.updated = {rank: [] for rank in range(self.ranks)}  # (when its memory was, how)
        self.nobody_updates = False
        if focus == "libraries":
            chosen = random.sample(sorted(COLLECTIVES), random.choice((1, 1, 2)))
            for library in chosen:
                self._make_library(library)
        self.library_weights = [random.choice((0, 1, 3)), random.choice((1, 3, 6)),
                                random.choice((0, 1, 3)), random.choice((0, 1, 4)),
                                random.choice((0, 2, 6)), 0.5]

    def _make_library(self, library):
        random = self.random
        comms = ["world"] + [comm for comm, members in self.comms.items() if len(members) > 1][:1]
        windows = self.libraries[library] = []
        for comm in comms:
            members = self.members(comm, 0)
            windows.append(LibraryWindow(library, "%s_%s" % (library, comm), comm, members,
                                         random.random() < 0.7))
            for name in range(random.choice((1, 2))):
                target = "all" if library == "shmem" and random.random() < 0.6 \
                    else "%d" % random.randrange(len(members))
                self.library_locks.append(LibraryLock(windows[-1], target, str(8 * name)))

    def library_windows(self):
        return [window for windows in self.libraries.values() for window in windows]

    def library_action(self, loc):
        window = self.random.choice([window for window in self.library_windows()
                                     if loc.rank in window.members] or [None])
        if window is None:
            return
        actions = [self._library_collective, self._library_operation, self._library_completion,
                   self._library_wait, self._library_lock, self._library_plain_call]
        action = self.random.choices(actions, self.library_weights)[0]
        if loc.thread and action == self._library_collective:
            action = self._library_operation
        action(loc, window)

    # --- Collectives -------------------------------------------------------------------------

    def _library_queue(self, window):
        key = ("library", window.name if window.by_window else (window.library, window.comm))
        return self.queues.setdefault(key, Queue(window.members))

    def _library_collective(self, loc, window):
        random, queue = self.random, self._library_queue(window)
        if queue.count[loc.rank] == len(queue.instances):
            region, kind, operation = random.choice(COLLECTIVES[window.library])
            synchronizing = kind in ("barrier", "nxn") or random.random() < (
                0.9 if kind == "comm" else 0.15)
            instance = Instance(region, kind, queue.members, random.choice(queue.members),
                                synchronizing, random.random() < 0.2)
            instance.operation = operation
            instance.library = window
            instance.tail = random.choice((1, 1, 2) if kind == "comm" else (0, 0, 1))
            queue.instances.append(instance)
        self.join(loc, window.comm, queue)

    def library_collective_records(self, loc, instance):
        window, rank = instance.library, loc.rank
        if instance.kind == "barrier" and "sync_all" not in instance.region:
            self._complete_library_operations(loc, window, self.random.random() < 0.8)
        root = "-"
        if instance.kind in ("from_root", "to_root"):
            root = "%d" % instance.members.index(instance.root)
        sent, received = self._bytes(instance, rank)
        self.emit(loc, "%s %s %s %s %d %d" % (
            "rma_coll_end" if window.by_window else "coll_end", instance.operation,
            window.name if window.by_window else window.comm, root, sent, received))

    # --- Operations --------------------------------------------------------------------------

    def _library_operation(self, loc, window):
        random, pending = self.random, window.pending[loc.rank]
        is_blocking = random.random() < 0.65
        region, kind = random.choice((OPERATIONS if is_blocking else NONBLOCKING)[window.library])
        shared = [name for name, _, _ in pending]
        name = random.choice(shared) if shared and random.random() < 0.2 else self.new_id()
        target = random.randrange(len(window.members))
        records = ["%s %s %d 8 %s" % (kind, window.name, target, name)]
        if is_blocking:
            records.append("done_blocking %s %s" % (window.name, name))
            if kind == "atomic" and random.random() < 0.7:
                records.append("done_remote %s %s" % (window.name, name))
                pending[:] = [other for other in pending if other[0] != name]
            elif kind != "get":
                pending.append((name, kind, True))
                if window.library == "caf" and int(name) % 2 == 0:  # a later call may name it again
                    records.append("done_remote %s %s" % (window.name, name))
        else:
            pending.append((name, kind, False))
        entered = self.call(loc, region, *records)
        if kind != "get":
            self.updated[window.members[target]].append((entered, region))

    def _library_completion(self, loc, window):
        self.enter(loc, self.random.choice(COMPLETING[window.library]))
        loc.clock += self.step()
        self._complete_library_operations(loc, window, self.random.random() < 0.7)
        loc.clock += self.step()
        self.leave(loc)

    def _complete_library_operations(self, loc, window, remotely):
        pending = window.pending[loc.rank]
        left = []
        for name, kind, is_done in pending:
            if self.random.random() < 0.2:
                left.append((name, kind, is_done))
                continue
            if not is_done:
                self.emit(loc, "done_nonblocking %s %s" % (window.name, name))
            if remotely:
                self.emit(loc, "done_remote %s %s" % (window.name, name))
            elif kind != "get":
                left.append((name, kind, True))
        pending[:] = left

    def _library_wait(self, loc, window):
        region = self.random.choice(WAITING[window.library])
        records = []
        if region == "caf sync images":
            images = self.random.sample(range(len(window.members)),
                                        self.random.randint(1, len(window.members)))
            if self.random.random() < 0.5:
                images = range(len(window.members))
            records = ["group_sync %s %s" % (window.name, " ".join(map(str, images)))]
        entered = self.enter(loc, region)
        for record in records:
            self.emit(loc, record)
        if records or "test" in region.lower() or self.random.random() < 0.3:
            loc.clock += self.step() + self.step() + self.random.choice((0, 3, 9))
            self.leave(loc)
            return

        def ready():
            times = [time for time, by in self.updated[loc.rank]
                     if time > entered and (region != "caf event wait" or by == "caf event post")]
            return min(times) if times else 0 if self.nobody_updates else None

        self.block(loc, Blocked(ready, list, lambda: None))

    def _library_plain_call(self, loc, window):
        self.call(loc, self.random.choice(PLAIN[window.library]))

    # --- Locks -------------------------------------------------------------------------------

    def _library_lock(self, loc, window):
        locks = [lock for lock in self.library_locks if lock.window is window]
        held = [lock for lock in locks if lock.holder is loc]
        if held and self.random.random() < 0.7:
            self._release_library_lock(loc, held[0])
            return
        lock = self.random.choice(locks)
        _, _, test = LOCKS[window.library]
        if lock.holder is not None:
            if lock.holder is not loc and test and self.random.random() < 0.2:
                self.call(loc, test, "lock_try " + lock.record)
            if lock.holder is loc or self.would_deadlock(loc, [lock.holder.rank]):
                return
        elif test and self.random.random() < 0.2:
            lock.holder = loc
            loc.clock = max(loc.clock, lock.free)
            self.call(loc, test, "lock_acquire " + lock.record)
            return
        self._acquire_library_lock(loc, lock)

    def _acquire_library_lock(self, loc, lock):
        self.enter(loc, LOCKS[lock.window.library][0])
        if self.random.random() < 0.5:
            self.emit(loc, "lock_request " + lock.record)

        def finish():
            lock.holder = loc
            self.emit(loc, "lock_acquire " + lock.record)

        self.block(loc, Blocked(lambda: lock.free if lock.holder is None else None,
                                lambda: [] if lock.holder is None else [lock.holder.rank], finish))

    def _release_library_lock(self, loc, lock):
        entered = self.call(loc, LOCKS[lock.window.library][1], "lock_release " + lock.record)
        lock.holder = None
        lock.free = self.random.randint(entered, loc.clock)
        self.resolve()

    def finish_libraries(self):
        """Ends waiting for updates, releases locks that others wait for."""
        progress = not self.nobody_updates
        self.nobody_updates = True
        for lock in self.library_locks:
            if lock.holder is not None and lock.holder.blocked is None:
                if self.random.random() < 0.95:
                    self._release_library_lock(lock.holder, lock)
                    progress = True
        return progress

# SPDX-License-Identifier: BSD-3-Clause
"""Threads of one process as coroutines that run in the order of their clocks.

A coroutine yields before everything that others can see: None to go on when its time has come, or a
function that tells the time from which on it can go on, None while that is open.
"""

import heapq


class Engine:
    """`random` decides who is first among threads with the same clock."""

    def __init__(self, random):
        self._random = random
        self._waiting = []  # [location, coroutine, function]
        self._ready = []  # heap of (time, random number, counter, location, coroutine)
        self._counter = 0

    def start(self, loc, coroutine):
        self._schedule(loc, coroutine, loc.clock)

    def _schedule(self, loc, coroutine, time):
        self._counter += 1
        heapq.heappush(self._ready, (time, self._random.random(), self._counter, loc, coroutine))

    def run(self):
        while self._ready:
            time, _, _, loc, coroutine = heapq.heappop(self._ready)
            loc.clock = max(loc.clock, time)
            try:
                condition = next(coroutine)
            except StopIteration:
                pass
            else:
                if condition is None:
                    self._schedule(loc, coroutine, loc.clock)
                else:
                    self._waiting.append((loc, coroutine, condition))
            self._wake()
        assert not self._waiting, "threads wait forever"

    def _wake(self):
        waiting, self._waiting = self._waiting, []
        for loc, coroutine, condition in waiting:
            time = condition()
            if time is None:
                self._waiting.append((loc, coroutine, condition))
            else:
                self._schedule(loc, coroutine, max(time, loc.clock))


class Acquisition:
    """Of a lock by a thread: `call` is the region that acquired it."""

    def __init__(self, order, time):
        self.order = order
        self.time = time
        self.call = None
        self.is_recorded = False

    def told(self):
        """What a release record tells of it."""
        return "" if self.is_recorded else " {at %d} %s" % (self.time, self.call)


class Lock:
    """A lock of a process; `order` counts its acquisitions; `acquired` {location: Acquisition}."""

    def __init__(self, name):
        self.name = name
        self.order = 0
        self.holders = {}  # {location: is it shared}
        self.waiting = []
        self.free_at = 0
        self.acquired = {}

    def is_free(self, shared):
        return not self.holders or shared and all(self.holders.values())

    def take(self, loc, shared):
        self.order += 1
        self.holders[loc] = shared
        self.acquired[loc] = Acquisition(self.order, loc.clock)
        return self.order

    def drop(self, loc, time):
        del self.holders[loc]
        self.free_at = max(self.free_at, time)


class ThreadActions:
    """What both models of threads share; a mixin of the simulation."""

    def init_threads(self, focus):
        self.has_openmp = focus in ("omp", "hybrid")
        self.has_mpi = focus == "hybrid"
        self.teams = {}  # {name: [location]}
        self.all_acquisitions = self.random.random() < 0.5
        self.tasks_nest = self.random.random() < 0.5  # they are executed in barriers and taskwaits
        self.openmp_constructs = self.random.choice((
            ("barrier", "loop", "single", "master", "critical", "lock", "ordered", "nested", "tasks"),
            ("critical", "critical", "barrier"), ("lock", "loop"), ("tasks", "tasks", "loop"),
            ("loop", "barrier", "single"), ("ordered", "master")))
        self.pthread_steps = self.random.choice((
            ("mutex", "rwlock", "spin", "barrier", "queue", "semaphore"), ("mutex",), ("rwlock",),
            ("queue", "mutex"), ("barrier", "semaphore")))
        self.thread_locks = {}  # {(rank, name): Lock}

    def thread_lock(self, loc, name):
        return self.thread_locks.setdefault((loc.rank, name), Lock(name))

    def team_of(self, members, prefix):
        """The name of the team of these locations, made if there is none."""
        for name, team in self.teams.items():
            if team == members and name.startswith(prefix):
                return name
        name = "%s%d" % (prefix, len(self.teams))
        self.teams[name] = members
        return name

    def open(self, loc, region):
        self.emit(loc, "enter " + region)

    def close(self, loc, region):
        self.emit(loc, "leave " + region)

    def compute(self, loc, region=None):
        """Works for a while, in a region of the user or where it is."""
        if region is None and self.random.random() < 0.5:
            region = self.random.choice(("foo", "bar", "solve step"))
        loc.clock += self.random.choice(self.gaps)
        if region:
            self.open(loc, region)
            loc.clock += self.step()
            self.close(loc, region)

    def awaited(self, lock, loc, shared):
        """Waits for a lock and takes it; tells its order and whether the thread had to wait."""
        yield
        if lock.is_free(shared) and not lock.waiting:
            return lock.take(loc, shared), False
        lock.waiting.append(loc)
        asked = loc.clock

        def ready():
            if lock.is_free(shared) and loc in lock.waiting:
                lock.waiting.remove(loc)
                order[:] = [lock.take(loc, shared)]
                return max(asked, lock.free_at)
            return None

        order = []
        yield ready
        return order[0], True

    def locked_call(self, loc, lock, names, shared=False, body=None):
        """Acquires a lock by the call names[0], works, releases it by names[1]. Of calls that did not
        wait only the release is recorded, if somebody waited for it and not all are recorded."""
        position = len(loc.events)
        self.open(loc, names[0])
        order, has_waited = yield from self.awaited(lock, loc, shared)
        if self.random.random() < 0.3:
            loc.clock += self.step()
        acquisition = lock.acquired[loc]
        acquisition.call, acquisition.time = names[0], loc.clock
        if shared and self.random.random() < 0.5:  # as the recorder: in a function of the program
            acquisition.call = "s " + self.random.choice(("foo", "solve step"))
        acquisition.is_recorded = has_waited or self.all_acquisitions
        if acquisition.is_recorded:
            self.emit(loc, "acquire_lock %s %d" % (lock.name, order))
            if self.random.random() < 0.5:
                loc.clock += self.step()
            self.close(loc, names[0])
        else:
            del loc.events[position:]
        if body:
            yield from body()
        elif self.random.random() < 0.8:
            self.compute(loc)
        yield
        yield from self._unlock_thread(loc, lock, names[1])

    def _unlock_thread(self, loc, lock, region):
        acquisition = lock.acquired[loc]
        is_told = self.all_acquisitions or bool(lock.waiting)
        if is_told:
            self.open(loc, region)
            self.emit(loc, "release_lock %s %d%s" % (lock.name, acquisition.order,
                                                     acquisition.told()))
        lock.drop(loc, loc.clock)
        yield
        if is_told:
            if self.random.random() < 0.5:
                loc.clock += self.step()
            self.close(loc, region)


class Meeting:
    """A barrier of some threads, for one round: nobody leaves before all have come."""

    def __init__(self, size):
        self.size = size
        self.enters = []

    def come(self, loc):
        self.enters.append(loc.clock)
        return lambda: max(self.enters) if len(self.enters) == self.size else None

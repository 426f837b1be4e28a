# SPDX-License-Identifier: BSD-3-Clause
"""POSIX threads in the simulation: a phase of them is executed as a whole, from the creation of its
threads until the last one has ended. Locks, conditions, barriers and semaphores really wait."""

from thread_engine import Engine, Meeting

_MUTEX = (("pthread_mutex_lock", "pthread_mutex_unlock"),)
_SPIN = (("pthread_spin_lock", "pthread_spin_unlock"),)
_READ = ("pthread_rwlock_rdlock", "pthread_rwlock_unlock")
_WRITE = ("pthread_rwlock_wrlock", "pthread_rwlock_unlock")


class _Step:
    """What all threads of a phase do together: `share` of each is how often."""

    def __init__(self, kind, number, participants):
        self.kind = kind
        self.number = number
        self.participants = participants
        self.meetings = {}
        self.count = 0  # items in a queue, value of a semaphore
        self.sleepers = []  # [location, time at which it was signaled or None]
        self.times = []  # of the posts


class PthreadActions:
    def pthread_action(self, loc):
        random = self.random
        engine = Engine(random)
        # Detached threads may still run: their locations are not free yet.
        workers = [worker for worker in self.workers[loc.rank] if worker.clock <= loc.clock]
        random.shuffle(workers)
        workers = workers[:random.randint(min(1, len(workers)), len(workers))]
        takes_part = random.random() < 0.6
        members = [worker for worker in workers if random.random() < 0.9]
        members += [loc] if takes_part else []
        steps = [_Step(random.choice(self.pthread_steps), number, members)
                 for number in range(random.randint(0, 4))]
        engine.start(loc, self._creator(engine, loc, workers, steps, takes_part))
        engine.run()
        if random.random() < 0.3:
            loc.clock = max([loc.clock] + [worker.clock for worker in workers])

    def _creator(self, engine, loc, workers, steps, takes_part):
        team = self.team_of([loc] + self.workers[loc.rank], "pool")
        ends, created = {}, []
        for worker in workers:
            sequence = self.new_id()
            loc.clock = max(loc.clock, 1)  # a point at tick 0 is none
            self.open(loc, "pthread_create")
            loc.clock += self.random.choice((0, 1))
            self.emit(loc, "thread_create %s %d" % (team, sequence))
            # Never at once: a thread must not act before, at the same tick, its creator waited.
            worker.clock = max(worker.clock, loc.clock + 1 + self.random.choice(self.durations))
            engine.start(worker, self._thread(worker, team, sequence, steps, ends))
            loc.clock += self.random.choice((0, 1))
            self.close(loc, "pthread_create")
            created.append((worker, sequence))
            yield
        if takes_part:
            yield from self._run_steps(loc, steps)
        self.random.shuffle(created)
        for worker, sequence in created:
            if self.random.random() < 0.8:
                loc.clock += self.random.choice(self.gaps)
                yield
                self.open(loc, "pthread_join")
                yield lambda: ends.get(sequence)
                if self.random.random() < 0.5:
                    loc.clock += self.step()
                self.emit(loc, "thread_wait %s %d" % (team, sequence))
                self.close(loc, "pthread_join")

    def _thread(self, loc, team, sequence, steps, ends):
        self.emit(loc, "thread_begin %s %d" % (team, sequence))
        has_root = self.random.random() < 0.7
        if has_root:
            self.open(loc, "worker")
        if steps and loc in steps[0].participants:
            yield from self._run_steps(loc, steps)
            self.compute(loc)
        if has_root:
            self.close(loc, "worker")
        if self.random.random() < 0.3:
            loc.clock += self.random.choice(self.gaps)
        yield
        self.emit(loc, "thread_end %s %d" % (team, sequence))
        ends[sequence] = loc.clock

    def _run_steps(self, loc, steps):
        for step in steps:
            if self.random.random() < 0.6:
                self.compute(loc)
            yield
            yield from getattr(self, "_pthread_" + step.kind)(loc, step)

    # --- Steps -------------------------------------------------------------------------------

    def _locks(self, loc, names, base):
        for _ in range(self.random.randint(0, 3)):
            lock = self.thread_lock(loc, str(base + self.random.choice((0, 0, 1))))
            yield from self.locked_call(loc, lock, self.random.choice(names))
            loc.clock += self.random.choice(self.gaps)

    def _pthread_mutex(self, loc, step):
        yield from self._locks(loc, _MUTEX, 1)

    def _pthread_spin(self, loc, step):
        yield from self._locks(loc, _SPIN, 3)

    def _pthread_rwlock(self, loc, step):
        for _ in range(self.random.randint(0, 3)):
            is_shared = self.random.random() < 0.6
            yield from self.locked_call(loc, self.thread_lock(loc, "5"),
                                        _READ if is_shared else _WRITE, is_shared)

    def _pthread_barrier(self, loc, step):
        for number in range(1 + step.number % 2):
            meeting = step.meetings.setdefault(number, Meeting(len(step.participants)))
            yield
            self.open(loc, "pthread_barrier_wait")
            self.emit(loc, "object 10")
            yield meeting.come(loc)
            if self.random.random() < 0.5:
                loc.clock += self.step()
            self.close(loc, "pthread_barrier_wait")
            loc.clock += 1  # else the rounds of one tick cannot be told apart

    def _pthread_queue(self, loc, step):
        """The first participant produces one item for each of the others."""
        lock = self.thread_lock(loc, "6")
        names = _MUTEX[0]
        if loc is not step.participants[0]:
            yield from self.locked_call(loc, lock, names, body=lambda: self._consume(loc, lock, step))
            return
        for _ in step.participants[1:]:
            yield from self.locked_call(loc, lock, names, body=lambda: self._produce(loc, step))
            loc.clock += self.random.choice(self.gaps)

    def _produce(self, loc, step):
        step.count += 1
        yield from self._signal(loc, step)

    def _signal(self, loc, step):
        region = self.random.choice(("pthread_cond_signal", "pthread_cond_signal",
                                     "pthread_cond_broadcast"))
        yield
        self.open(loc, region)
        self.emit(loc, "object 11")
        sleeping = [sleeper for sleeper in step.sleepers if sleeper[1] is None]
        for sleeper in sleeping if region.endswith("broadcast") else sleeping[:1]:
            sleeper[1] = loc.clock
        loc.clock += self.random.choice((0, 0, 1))
        self.close(loc, region)

    def _consume(self, loc, lock, step):
        while not step.count:
            yield from self._condition_wait(loc, lock, step)
        step.count -= 1

    def _condition_wait(self, loc, lock, step):
        region = self.random.choice(("pthread_cond_wait", "pthread_cond_timedwait"))
        held = lock.acquired[loc]
        self.open(loc, region)
        self.emit(loc, "object 11")
        self.emit(loc, "release_lock %s %d%s" % (lock.name, held.order, held.told()))
        sleeper = [loc, None]
        step.sleepers.append(sleeper)
        lock.drop(loc, loc.clock)
        yield lambda: sleeper[1]
        step.sleepers.remove(sleeper)
        order, _ = yield from self.awaited(lock, loc, False)
        self.emit(loc, "acquire_lock %s %d" % (lock.name, order))
        lock.acquired[loc].is_recorded = True
        if self.random.random() < 0.5:
            loc.clock += self.step()
        self.close(loc, region)

    def _pthread_semaphore(self, loc, step):
        if loc is step.participants[0]:
            for _ in step.participants[1:]:
                yield
                self.open(loc, "sem_post")
                self.emit(loc, "object 12")
                step.times.append(loc.clock)
                loc.clock += self.random.choice((0, 0, 1))
                self.close(loc, "sem_post")
                loc.clock += self.random.choice(self.gaps)
            return
        self.open(loc, "sem_wait")
        self.emit(loc, "object 12")
        mine = step.count
        step.count += 1
        yield lambda: step.times[mine] if len(step.times) > mine else None
        if self.random.random() < 0.3:
            loc.clock += self.step()
        self.close(loc, "sem_wait")

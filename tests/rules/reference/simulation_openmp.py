# SPDX-License-Identifier: BSD-3-Clause
"""Parallel regions of OpenMP in the simulation: each is executed as a whole when its master is free.
Barriers, critical constructs, locks, ordered sections and tasks really wait."""

from thread_engine import Engine, Meeting

PARALLEL = "!$omp parallel @%s.c:%d"


class _Region:
    """One instance of a team: `members` are its locations, the master first."""

    def __init__(self, simulation, members, line, level):
        self.members = members
        self.team = simulation.team_of(members, "team")
        self.name = PARALLEL % (simulation.random.choice("ab"), line)
        self.level = level
        self.meetings = {}  # {number of the barrier: Meeting}
        self.counts = dict.fromkeys(members, 0)  # barriers of each member so far
        self.singles = {}  # {number of the construct: location that executes it}
        self.orders = {}  # {number of the loop: sections of it that are over}
        self.tasks = {}  # {number of the construct: _Pool}

    def meeting(self, loc):
        number = self.counts[loc]
        self.counts[loc] += 1
        return self.meetings.setdefault(number, Meeting(len(self.members)))


class _Task:
    """`name` as in its records; `created` is a time."""

    def __init__(self, name, created):
        self.name = name
        self.created = created
        self.children = []
        self.end = None


class _Pool:
    """Tasks of one construct: `waiting` are those that nobody has begun; the tasks themselves create
    `budget` more."""

    def __init__(self, random):
        self.waiting = []
        self.running = 0
        self.is_complete = False  # no more are created, but by tasks
        self.ends = []
        self.budget = random.choice((0, 0, 3, 6))
        self.barrier = random.choice(("!$omp barrier", "!$omp implicit barrier"))
        self.records_resumptions = random.random() < 0.5
        self.begun = {}  # {location: [_Task]}, the current one last

    def is_over(self):
        return self.is_complete and not self.waiting and not self.running


class OpenMPActions:
    def openmp_action(self, loc):
        """A parallel region of the master `loc`."""
        random = self.random
        engine = Engine(random)
        workers = self.workers[loc.rank]
        size = random.choice((len(workers), len(workers), random.randint(0, len(workers))))
        engine.start(loc, self._parallel(engine, loc, workers[:size], workers[size:], 0))
        engine.run()

    def _parallel(self, engine, loc, workers, unused, level):
        """A region that `loc` forks; `unused` are locations for nested teams."""
        random = self.random
        region = _Region(self, [loc] + workers, random.choice((5, 5, 17)), level)
        constructs = [random.choice(self.openmp_constructs) for _ in range(random.randint(0, 4))]
        closing = random.choice((0, 1, 1, 1))
        loc.clock = max(loc.clock, 1)  # a point at tick 0 is none
        self.emit(loc, "fork %d" % len(region.members))
        loc.clock += random.choice((0, 0, 1, 2))
        ends = []
        for worker in workers:
            worker.clock = max(worker.clock, loc.clock + random.choice(self.durations))
            engine.start(worker, self._member(engine, region, worker, constructs, [], closing,
                                              ends))
        yield from self._member(engine, region, loc, constructs, unused, closing, ends)
        yield
        loc.clock += random.choice((0, 0, 1))
        self.emit(loc, "join")

    def _member(self, engine, region, loc, constructs, unused, closing, ends):
        self.emit(loc, "team_begin " + region.team)
        if self.random.random() < 0.3 and loc is not region.members[0]:
            loc.clock += self.random.choice(self.gaps)
        self.open(loc, region.name)
        for number, construct in enumerate(constructs):
            if self.random.random() < 0.6:
                self.compute(loc)
            yield
            yield from getattr(self, "_omp_" + construct)(engine, region, loc, number, unused)
        loc.clock += self.random.choice(self.gaps)
        yield
        if closing:
            yield from self._barrier(region, loc, "!$omp implicit barrier")
        ends.append(loc)
        size = len(region.members)
        if loc is region.members[0]:
            yield lambda: max(end.clock for end in ends) if len(ends) == size else None
        self.close(loc, region.name)
        self.emit(loc, "team_end " + region.team)

    # --- Constructs --------------------------------------------------------------------------

    def _barrier(self, region, loc, name, pool=None):
        self.open(loc, name)
        yield
        ready = region.meeting(loc).come(loc)
        if pool is not None:
            yield from self._execute(region, loc, pool)
        yield ready
        if self.random.random() < 0.5:
            loc.clock += self.step()
        self.close(loc, name)

    def _omp_barrier(self, engine, region, loc, number, unused):
        yield from self._barrier(region, loc, "!$omp barrier")

    def _omp_loop(self, engine, region, loc, number, unused):
        is_alone = number % 2
        self.open(loc, "!$omp for")
        loc.clock += self.random.choice(self.gaps) + self.step()
        yield
        if is_alone:
            yield from self._barrier(region, loc, "!$omp implicit barrier")
        self.close(loc, "!$omp for")

    def _omp_single(self, engine, region, loc, number, unused):
        self.open(loc, "!$omp single")
        yield
        if region.singles.setdefault(number, loc) is loc:
            self.open(loc, "!$omp single sblock")
            loc.clock += self.step()
            self.close(loc, "!$omp single sblock")
        yield from self._barrier(region, loc, "!$omp implicit barrier")
        self.close(loc, "!$omp single")

    def _omp_master(self, engine, region, loc, number, unused):
        if loc is region.members[0]:
            self.open(loc, "!$omp master")
            loc.clock += self.step()
            self.close(loc, "!$omp master")
        if self.random.random() < 0.3:
            self.call(loc, self.random.choice(("!$omp flush", "!$omp atomic",
                                               "omp_get_thread_num")))
        yield

    def _omp_critical(self, engine, region, loc, number, unused):
        for _ in range(self.random.randint(0, 2)):
            lock = self.thread_lock(loc, self.random.choice(("100", "101")))
            self.open(loc, "!$omp critical")
            order, _ = yield from self.awaited(lock, loc, False)
            if self.random.random() < 0.3:
                loc.clock += self.step()
            self.emit(loc, "acquire_lock %s %d" % (lock.name, order))
            self.open(loc, "!$omp critical sblock")
            loc.clock += self.step()
            self.close(loc, "!$omp critical sblock")
            yield
            self.emit(loc, "release_lock %s %d" % (lock.name, order))
            lock.drop(loc, loc.clock)
            yield
            if self.random.random() < 0.3:
                loc.clock += self.step()
            self.close(loc, "!$omp critical")
            loc.clock += self.random.choice(self.gaps)

    def _omp_lock(self, engine, region, loc, number, unused):
        for _ in range(self.random.randint(0, 2)):
            lock = self.thread_lock(loc, self.random.choice(("1", "2")))
            yield from self.locked_call(loc, lock, ("omp_set_lock", "omp_unset_lock"))

    def _omp_ordered(self, engine, region, loc, number, unused):
        """A loop with one iteration for each thread, in the order of the team."""
        lock = self.thread_lock(loc, "200")
        mine = region.members.index(loc)
        self.open(loc, "!$omp for")
        loc.clock += self.random.choice(self.gaps)
        yield
        self.open(loc, "!$omp ordered")
        yield lambda: region.orders.get((number, mine), None if mine else 0)
        lock.order += 1
        self.emit(loc, "acquire_lock %s %d" % (lock.name, lock.order))
        order = lock.order
        self.open(loc, "!$omp ordered sblock")
        loc.clock += self.step()
        self.close(loc, "!$omp ordered sblock")
        yield
        self.emit(loc, "release_lock %s %d" % (lock.name, order))
        region.orders[number, mine + 1] = loc.clock
        loc.clock += self.random.choice(self.gaps)
        self.close(loc, "!$omp ordered")
        yield
        yield from self._barrier(region, loc, "!$omp implicit barrier")
        self.close(loc, "!$omp for")

    def _omp_nested(self, engine, region, loc, number, unused):
        """The master forks a team of locations that its own has not."""
        if loc is region.members[0] and region.level == 0:
            yield from self._parallel(engine, loc, unused[:1], [], 1)
        yield

    # --- Tasks -------------------------------------------------------------------------------

    def _omp_tasks(self, engine, region, loc, number, unused):
        """One thread creates tasks and waits for them; the others execute them, in the region or in
        a barrier."""
        if number not in region.tasks:
            region.tasks[number] = _Pool(self.random)
        pool = region.tasks[number]
        in_barrier = number % 2 == 1 and self.tasks_nest
        if loc is region.members[0]:
            for _ in range(self.random.randint(1, 4)):
                if self.random.random() < 0.3:
                    loc.clock += self.random.choice(self.gaps)
                self._create_task(region, loc, pool)
                yield
            pool.is_complete = True
            if len(region.members) == 1 and not in_barrier:
                yield from self._execute(region, loc, pool)
            if self.random.random() < 0.8:
                yield from self._taskwait(region, loc, pool)
        elif not in_barrier:
            yield from self._execute(region, loc, pool)
        yield from self._barrier(region, loc, pool.barrier, pool if in_barrier else None)

    def _create_task(self, region, loc, pool):
        self.open(loc, "!$omp create task")
        name = "%s %d %d" % (region.team, region.members.index(loc), self.new_id())
        self.emit(loc, "task_create " + name)
        loc.clock += self.random.choice((0, 0, 1))
        self.close(loc, "!$omp create task")
        task = _Task(name, loc.clock)
        pool.waiting.append(task)
        return task

    def _taskwait(self, region, loc, pool):
        self.open(loc, "!$omp taskwait")
        yield
        if len(region.members) == 1:
            yield from self._execute(region, loc, pool)
        elif self.tasks_nest:
            yield from self._execute(region, loc, pool, may_stop=True)
        yield lambda: self._end_of(pool)
        if self.random.random() < 0.3:
            loc.clock += self.step()
        self.close(loc, "!$omp taskwait")

    def _run_task(self, region, loc, pool):
        task = pool.waiting.pop(0)
        pool.running += 1
        loc.clock = max(loc.clock, task.created)
        begun = pool.begun.setdefault(loc, [])
        begun.append(task)
        self.emit(loc, "task_switch " + task.name)
        self.open(loc, "!$omp task")
        loc.clock += self.step() + self.random.choice(self.gaps)
        yield
        yield from self._create_children(region, loc, pool, task)
        self.close(loc, "!$omp task")
        self.emit(loc, "task_complete " + task.name)
        begun.pop()
        if begun and pool.records_resumptions:
            self.emit(loc, "task_switch " + begun[-1].name)
        pool.running -= 1
        task.end = loc.clock
        pool.ends.append(loc.clock)
        yield

    def _create_children(self, region, loc, pool, task):
        """A task creates tasks, and may wait for them."""
        for _ in range(min(pool.budget, self.random.choice((0, 1, 2)))):
            pool.budget -= 1
            task.children.append(self._create_task(region, loc, pool))
            yield
            loc.clock += self.random.choice(self.gaps)
        if not task.children or not self.tasks_nest or self.random.random() < 0.5:
            return
        self.open(loc, "!$omp taskwait")
        yield
        yield from self._execute(region, loc, pool, task)
        self.close(loc, "!$omp taskwait")

    def _execute(self, region, loc, pool, parent=None, may_stop=False):
        """Executes tasks until all are done, or the children of `parent`."""
        def end():
            return self._end_of(pool) if parent is None else self._end_of_children(parent)

        def next_time():
            return end() if end() is not None or not pool.waiting else pool.waiting[0].created

        while True:
            yield next_time
            if end() is not None or may_stop and self.random.random() < 0.3:
                return
            if pool.waiting:
                yield from self._run_task(region, loc, pool)

    @staticmethod
    def _end_of(pool):
        return max(pool.ends, default=0) if pool.is_over() else None

    @staticmethod
    def _end_of_children(task):
        ends = [child.end for child in task.children]
        return None if None in ends else max(ends)

# SPDX-License-Identifier: BSD-3-Clause
"""Programs of iterations: every location repeats the region of a phase with computation and one or
two kinds of communication in it. Some locations take longer in some iterations."""

from simulation_locks import SimulatedEpoch

PHASE = "step"
INNER_PHASE = "substep"


class Script:
    """What one location still has to do: functions that return False if they are impossible now."""

    def __init__(self, loc):
        self.loc = loc
        self.todo = []
        self.epochs = []


class IterationActions:
    def run_iterations(self, count):
        """All locations execute `count` iterations, mostly the one first that is earliest."""
        random = self.random
        kinds = [self._critical_section, self._two_locks, self._wavefront, self._exchange,
                 self._nothing]
        chosen = random.choices(kinds, (4, 1, 3, 3, 1), k=random.choice((1, 1, 2)))
        slow = {loc.rank: (random.randint(0, count), random.choice((2, 10, 30)))
                for loc in random.sample(self.locations, random.randint(0, 2) % self.ranks)}
        has_inner = random.random() < 0.2
        scripts = [Script(self.of_rank[rank][0]) for rank in range(self.ranks)]
        for iteration in range(count):
            for script in scripts:
                self._add_iteration(script, chosen, has_inner,
                                    self._work_of(slow, script.loc.rank, iteration, count))
        self._run_scripts(scripts)

    def _work_of(self, slow, rank, iteration, count):
        first, factor = slow.get(rank, (count, 1))
        is_slow = first <= iteration < first + max(1, count // 3)
        return self.random.choice((1, 2, 3)) * (factor if is_slow else 1)

    def _add_iteration(self, script, kinds, has_inner, work):
        add, loc = script.todo.append, script.loc
        add(lambda: self._begin(loc, PHASE))
        add(lambda: self._work(loc, "compute", work))
        for kind in kinds:
            if has_inner:
                add(lambda: self._begin(loc, INNER_PHASE))
            kind(script)
            if has_inner:
                add(lambda: self._end(loc))
        add(lambda: self._end(loc))

    def _run_scripts(self, scripts):
        refused = 0
        while refused < 200:
            free = [script for script in scripts if script.todo and script.loc.blocked is None]
            if not free:
                break
            script = min(free, key=lambda script: script.loc.clock)
            if self.random.random() < 0.2 or refused:
                script = self.random.choice(free)
            if script.todo[0]() is False:
                refused += 1
            else:
                refused = 0
                script.todo.pop(0)
            self.resolve()
            if refused > 100 and not self.hardware:
                self.stop_waiting_for_progress()
        self._end_regions()

    def _end_regions(self):
        """Locations that could not finish their scripts leave the regions that they are in."""
        for loc in self.locations:
            while loc.blocked is None and loc.regions[-1:] in ([PHASE], [INNER_PHASE]):
                self.leave(loc)

    # --- Steps -------------------------------------------------------------------------------

    def _begin(self, loc, region):
        self.enter(loc, region)

    def _end(self, loc):
        if loc.regions[-1] in (PHASE, INNER_PHASE):
            self.leave(loc)

    def _work(self, loc, region, duration):
        self.enter(loc, region)
        loc.clock += duration
        self.leave(loc)

    def _nothing(self, script):
        pass

    def _lock_window(self):
        """A window that everybody has created, None if there is none."""
        return next((window for window in self.windows.values()
                     if len(window.created) == self.ranks and not window.is_freed), None)

    def _critical_section(self, script):
        self._locked(script, [0], lambda: self.random.random() < 0.8)

    def _two_locks(self, script):
        """Always the lower one first, so that nobody waits in a circle."""
        self._locked(script, [0, 1], lambda: self.random.random() < 0.6)

    def _locked(self, script, targets, is_exclusive):
        loc, random = script.loc, self.random
        for target in targets:
            if random.random() < 0.9:
                script.todo.append(lambda target=target: self._lock(script, target, is_exclusive()))
        for _ in range(random.choice((1, 1, 2))):
            script.todo.append(lambda: self._work(loc, "update", random.choice((1, 2, 6))))
            script.todo.append(lambda: self._operate(script))
        for _ in targets:
            script.todo.append(lambda: self._unlock(script))

    def _lock(self, script, target, exclusive):
        window = self._lock_window()
        if window is None or script.loc.thread:
            return None
        target = window.members[target % len(window.members)]
        to_all = not script.epochs and self.random.random() < 0.05
        if any(epoch.target in (None, target) for epoch in script.epochs):
            return None
        epoch = SimulatedEpoch(window, None if to_all else target, exclusive and not to_all, False,
                               self.random.choice(("lock", "lock", "unlock")))
        if self.open_epoch(script.loc, epoch) is False:
            return False
        script.epochs.append(epoch)
        return None

    def _operate(self, script):
        return self.random.random() < 0.5 or not script.epochs or \
            self.operation_of_epoch(script.loc, script.epochs[-1]) is not False

    def _unlock(self, script):
        if not script.epochs:
            return None
        if self.close_epoch(script.loc, script.epochs[-1]) is False:
            return False
        script.epochs.pop()
        return None

    def _wavefront(self, script):
        """Receives from the rank before, works, sends to the rank behind."""
        loc, rank = script.loc, script.loc.rank
        if rank > 0:
            script.todo.append(lambda: self.receive(loc, self.channel("world", rank - 1, rank, 3)))
        script.todo.append(lambda: self._work(loc, "solve", self.random.choice((0, 1, 2))))
        if rank + 1 < self.ranks:
            script.todo.append(lambda: self._send_right(loc))

    def _send_right(self, loc):
        size = self.random_size()
        self.send(loc, self.channel("world", loc.rank, loc.rank + 1, 3), "MPI_Send", size,
                  self.is_rendezvous(size))

    def _exchange(self, script):
        """Messages in both directions with a neighbour, completed by one call, in either order."""
        loc = script.loc
        if self.ranks < 2:
            return
        right, left = (loc.rank + 1) % self.ranks, (loc.rank - 1) % self.ranks
        size = self.random_size()
        starts = [lambda: self.post_receive(loc, self.channel("world", left, loc.rank, 4),
                                            "MPI_Irecv"),
                  lambda: self.start_send(loc, self.channel("world", loc.rank, right, 4),
                                          "MPI_Isend", size, self.is_rendezvous(size))]
        if self.random.random() < 0.5:
            starts.reverse()
        script.todo += starts
        script.todo.append(lambda: self._work(loc, "overlap", self.random.choice((0, 1, 4))))
        script.todo.append(lambda: self._complete_all(loc))

    def _complete_all(self, loc):
        chosen = [request for request in loc.requests if request.kind in ("send", "receive")]
        self.random.shuffle(chosen)
        if self.random.random() < 0.8:
            self.complete(loc, chosen, "MPI_Waitall")
        else:
            for kind in ("receive", "send"):
                of_kind = [request for request in chosen if request.kind == kind]
                if of_kind and loc.blocked is None:
                    self.complete(loc, of_kind, "MPI_Waitall")

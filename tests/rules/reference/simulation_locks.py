# SPDX-License-Identifier: BSD-3-Clause
"""Passive-target actions of the simulation: lock epochs whose calls really wait, for the lock and
for a target that makes progress inside of MPI calls only."""

import metrics
from simulation_parts import Blocked, Request, latest

LOCK_OPERATIONS = [("MPI_Put", "put"), ("MPI_Put", "put"), ("MPI_Get", "get"), ("MPI_Get", "get"),
                   ("MPI_Accumulate", "atomic"), ("MPI_Fetch_and_op", "atomic"),
                   ("MPI_Rput", "put"), ("MPI_Rget", "get"), ("MPI_Raccumulate", "atomic")]


class LockState:
    """One lock: who holds it, and until when it was held."""

    def __init__(self):
        self.holders = {}  # {rank: is it exclusive}
        self.free_of_exclusive = 0
        self.free = 0

    def conflicting(self, exclusive):
        return [rank for rank, held in self.holders.items() if exclusive or held]

    def release(self, rank, time):
        if self.holders.pop(rank):
            self.free_of_exclusive = max(self.free_of_exclusive, time)
        self.free = max(self.free, time)


class PendingOperation:
    def __init__(self, name, target, kind):
        self.name = name
        self.target = target
        self.kind = kind


class SimulatedEpoch:
    """`target` None is lock_all; `acquired_in` is the kind of call that waits for the lock."""

    def __init__(self, window, target, exclusive, nocheck, acquired_in):
        self.window = window
        self.target = target
        self.exclusive = exclusive
        self.nocheck = nocheck
        self.acquired_in = acquired_in
        self.acquired = nocheck
        self.pending = []
        self.done = []  # operations that were completed remotely
        self.steps = 0

    @property
    def targets(self):
        return self.window.members if self.target is None else [self.target]

    @property
    def word(self):
        return "all" if self.target is None else "%d" % self.window.members.index(self.target)


class LockActions:
    def init_locks(self, prefers_locks):
        self.prefers_locks = prefers_locks
        self.lock_epochs = {rank: [] for rank in range(self.ranks)}
        self.progressing = {rank: [] for rank in range(self.ranks)}
        self.hardware = False
        self.software_share = self.random.choice((0, 0.3, 0.6, 1))
        self.hot_share = self.random.choice((0.3, 0.7, 1))
        self.acquire_record_share = self.random.choice((0, 0, 0, 0.7, 1))
        self.rma_sync_share = self.random.choice((0, 0, 0.3, 1))
        self.all_share = self.random.choice((0.05, 0.15, 0.4))
        self.ways = self.random.choice((("lock",), ("unlock",), ("operation",),
                                        ("operation", "unlock"),
                                        ("lock", "operation", "flush", "unlock")))

    def has_lock_epoch(self, rank, window):
        return any(epoch.window is window for epoch in self.lock_epochs[rank])

    # --- Progress ----------------------------------------------------------------------------

    def note_enter(self, loc, region):
        """Remembers calls in which a process makes progress."""
        if metrics.is_progressing(region):
            self.progressing[loc.rank].append([loc, loc.clock, None])

    def note_leave(self, loc, region):
        if metrics.is_progressing(region):
            for call in reversed(self.progressing[loc.rank]):
                if call[0] is loc:
                    call[2] = loc.clock
                    return

    def _progress_time(self, target, entered):
        """When a target first makes progress from a time on; None while that is open."""
        enters = [enter for _, enter, leave in self.progressing[target]
                  if leave is None or leave > entered or enter >= entered]
        return min(enters, default=0 if self.hardware else None)

    # --- Calls that wait ---------------------------------------------------------------------

    @staticmethod
    def _conflicting(epoch):
        return [rank for target in epoch.targets
                for rank in epoch.window.lock_state(target).conflicting(epoch.exclusive)]

    @staticmethod
    def _grant_time(epoch):
        states = [epoch.window.lock_state(target) for target in epoch.targets]
        return max(state.free if epoch.exclusive else state.free_of_exclusive for state in states)

    def _passive_call(self, loc, region, acquiring, targets, first, last):
        """A call that acquires some epochs' locks and needs the progress of some targets; False if
        that would deadlock. `first` are records, `last()` writes those before the Leave."""
        acquiring = [epoch for epoch in acquiring if not epoch.acquired]
        holders = [rank for epoch in acquiring for rank in self._conflicting(epoch)]
        if holders and self.would_deadlock(loc, holders):
            return False
        others = {target for target in targets if target != loc.rank}
        if self.random.random() >= self.software_share or self.would_deadlock(loc, others):
            others = set()
        entered = self.enter(loc, region)
        for record in first:
            self.emit(loc, record)

        def ready():
            if any(self._conflicting(epoch) for epoch in acquiring):
                return None
            times = [self._grant_time(epoch) for epoch in acquiring]
            return latest(times + [self._progress_time(target, entered) for target in others])

        def waits_for():
            waiting = [rank for epoch in acquiring for rank in self._conflicting(epoch)]
            return waiting + [target for target in others
                              if self._progress_time(target, entered) is None]

        def finish():
            for epoch in acquiring:
                epoch.acquired = True
                if self.random.random() < self.acquire_record_share:
                    self.emit(loc, "lock_acquire %s %s 0 %s" % (
                        epoch.window.name, epoch.word, "x" if epoch.exclusive else "s"))
                for target in epoch.targets:
                    epoch.window.lock_state(target).holders[loc.rank] = epoch.exclusive
            last()

        self.block(loc, Blocked(ready, waits_for, finish))
        return True

    # --- The steps of an epoch ---------------------------------------------------------------

    def lock_action(self, loc, windows):
        mine = self.lock_epochs[loc.rank]
        if mine and self.random.random() < 0.8:
            self.next_of_epoch(loc, self.random.choice(mine))
        else:
            self.begin_epoch(loc, self.random.choice(windows))

    def begin_epoch(self, loc, window):
        random, mine = self.random, self.lock_epochs[loc.rank]
        open_here = [epoch for epoch in mine if epoch.window is window]
        to_all = not open_here and random.random() < self.all_share
        target = window.members[0] if random.random() < self.hot_share else \
            random.choice(window.members)
        if self.in_session(loc.rank, window) or any(
                epoch.target in (None, target) for epoch in open_here) or len(mine) > 2:
            return False
        exclusive = not to_all and random.random() < 0.6
        epoch = SimulatedEpoch(window, None if to_all else target, exclusive,
                               random.random() < 0.06, random.choice(self.ways))
        return self.open_epoch(loc, epoch)

    def open_epoch(self, loc, epoch):
        """The lock call; False if it would deadlock."""
        region = "MPI_Win_lock_all" if epoch.target is None else "MPI_Win_lock"
        request = [] if epoch.nocheck else ["lock_request %s %s 0 %s" % (
            epoch.window.name, epoch.word, "x" if epoch.exclusive else "s")]
        acquiring = [epoch] if epoch.acquired_in == "lock" else []
        targets = [] if epoch.target is None else [epoch.target]
        if not self._passive_call(loc, region, acquiring, targets, request, lambda: None):
            return False
        self.lock_epochs[loc.rank].append(epoch)
        return True

    def next_of_epoch(self, loc, epoch):
        """One more call of an open epoch; False if it would deadlock."""
        epoch.steps += 1
        choice = self.random.random()
        if choice < 0.45 and epoch.steps < 5:
            return self._operation_step(loc, epoch)
        if choice < 0.60 and epoch.steps < 6:
            return self._flush_step(loc, epoch)
        return self.close_epoch(loc, epoch)

    def operation_of_epoch(self, loc, epoch):
        """An operation or a flush; False if it would deadlock."""
        if self.random.random() < 0.7:
            return self._operation_step(loc, epoch)
        return self._flush_step(loc, epoch)

    def _operation_step(self, loc, epoch):
        random, window = self.random, epoch.window
        region, kind = random.choice(LOCK_OPERATIONS)
        target = random.choice(epoch.targets)
        shared = [operation for operation in epoch.pending
                  if operation.target == target and operation.kind == kind]
        requests = region.startswith("MPI_R")
        name = random.choice(shared).name if shared and not requests and random.random() < 0.1 \
            else self.new_id()
        record = "%s %s %d %d %d" % (kind, window.name, window.members.index(target),
                                     random.choice((0, 8, 64)), name)
        acquiring = [epoch] if epoch.acquired_in == "operation" else []
        targets = [] if requests else [target]
        if not self._passive_call(loc, region, acquiring, targets, [record], lambda: None):
            return False
        epoch.pending.append(PendingOperation(name, target, kind))
        if requests:
            self._add_request(loc, epoch, name, target, kind)
        return True

    def _add_request(self, loc, epoch, name, target, kind):
        done = "done_remote" if kind == "get" and self.random.random() < 0.5 \
            else "done_nonblocking"
        needed = [target] if self.random.random() < self.software_share else []
        started = loc.clock

        def times():
            return [self._progress_time(rank, started) for rank in needed]

        record = "%s %s %d" % (done, epoch.window.name, name)
        loc.requests.append(Request("rma", "%d" % name, lambda: latest(times()),
                                    lambda: needed if None in times() else [], lambda: record))

    def _completion_records(self, epochs, target, is_local):
        """Records of a flush or unlock; remotely completed operations are pending no more."""
        records = []
        for epoch in epochs:
            chosen = [operation for operation in epoch.pending
                      if target is None or operation.target == target]
            for name in sorted({operation.name for operation in chosen}):
                records.append("%s %s %d" % ("done_nonblocking" if is_local else "done_remote",
                                             epoch.window.name, name))
            if not is_local:
                epoch.done += chosen
                epoch.pending = [operation for operation in epoch.pending
                                 if operation not in chosen]
        return records

    def _flush_records(self, epochs, target, is_local):
        """Most recorders name the operations that a flush completes, some its target; a record may
        name operations that were completed before."""
        window = epochs[0].window
        if self.random.random() < self.rma_sync_share:
            named = target if target is not None else self.random.choice(window.members)
            records = ["sync %s %d" % (window.name, window.members.index(named))]
            if self.random.random() < 0.5:
                return records
        else:
            records = []
        again = [operation for epoch in epochs for operation in epoch.done
                 if target in (None, operation.target)]
        if again and self.random.random() < 0.3:
            records.append("%s %s %d" % ("done_nonblocking" if is_local else "done_remote",
                                         window.name, self.random.choice(again).name))
        return records + self._completion_records(epochs, target, is_local)

    def _flush_step(self, loc, epoch):
        random, target, epochs = self.random, None, [epoch]
        is_local = random.random() < 0.4
        region = "MPI_Win_flush_local" if is_local else "MPI_Win_flush"
        if random.random() < 0.4:
            region += "_all"
            epochs = [other for other in self.lock_epochs[loc.rank]
                      if other.window is epoch.window]
        else:
            target = random.choice(epoch.targets)
        needed = {operation.target for other in epochs for operation in other.pending
                  if target in (None, operation.target)}
        acquiring = [other for other in epochs if other.acquired_in in ("operation", "flush")]

        def last():
            for record in self._flush_records(epochs, target, is_local):
                self.emit(loc, record)

        return self._passive_call(loc, region, acquiring, needed, [], last)

    def close_epoch(self, loc, epoch):
        """The unlock call; False if it would deadlock."""
        random, window = self.random, epoch.window
        needed = {operation.target for operation in epoch.pending}
        if epoch.exclusive:
            needed.add(epoch.target)

        def last():
            for record in self._completion_records([epoch], None, False):
                self.emit(loc, record)
            if not epoch.nocheck:
                # The next owner may get the lock before this call returns.
                early = random.choice((0, 0, 0, 1, 2))
                for target in epoch.targets:
                    window.lock_state(target).release(loc.rank, max(0, loc.clock - early))
            if not (epoch.nocheck and random.random() < 0.5):
                self.emit(loc, "lock_release %s %s 0" % (window.name, epoch.word))

        region = "MPI_Win_unlock_all" if epoch.target is None else "MPI_Win_unlock"
        if not self._passive_call(loc, region, [epoch], needed, [], last):
            return False
        self.lock_epochs[loc.rank].remove(epoch)
        return True

    # --- The end -----------------------------------------------------------------------------

    def finish_locks(self):
        progress = False
        for rank, epochs in self.lock_epochs.items():
            loc = self.of_rank[rank][0]
            for epoch in list(epochs):
                if loc.blocked is None and self.close_epoch(loc, epoch):
                    progress = True
        return progress

    def stop_waiting_for_progress(self):
        """From now on the hardware makes all progress, so that nobody waits forever."""
        self.hardware = True
        self.resolve()

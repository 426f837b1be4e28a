# SPDX-License-Identifier: BSD-3-Clause
"""Polling loops: tests that fail, and the call that ends them, are one activity.

The events of a location become tokens: calls, calls that only pass time, and whatever else is recorded.
Between two tokens lies a piece of a gap. The end of a loop is looked for first, then its begin: the
earliest failed test from which on all pieces are those of a loop.
"""

from fractions import Fraction

import composition
import library_functions
import metrics

MICROSECOND = Fraction(1, 10 ** 6)
ALONE, AROUND = 2 * MICROSECOND, 100 * MICROSECOND  # longest gap: as such, beside a failed call as long
MANY, MOST = 100, 1000  # short gaps in front of each long one, and those that count at most

PASSES_TIME = {"sched_yield", "sleep", "usleep", "nanosleep", "clock_nanosleep", "poll"}
# What is tested, and the calls that wait for it.
_TESTS = {**dict.fromkeys(("MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Parrived",
                           "MPI_Request_get_status", "MPI_Request_get_status_all",
                           "MPI_Request_get_status_any", "MPI_Request_get_status_some"), "request"),
          "MPI_Iprobe": "probe", "MPI_Improbe": "probe", "MPI_Win_test": "window",
          "shmem_test_lock": "shmem lock", "ARMCI_Test": "operation", "omp_test_lock": "omp lock",
          "omp_test_nest_lock": "omp nest lock", "pthread_mutex_trylock": "mutex",
          "pthread_spin_trylock": "spin", "pthread_rwlock_tryrdlock": "rwlock",
          "pthread_rwlock_trywrlock": "rwlock", "mtx_trylock": "mtx"}
_WAITS = {**dict.fromkeys(("MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome"), "request"),
          **dict.fromkeys(("MPI_Probe", "MPI_Mprobe", "MPI_Recv"), "probe"), "MPI_Win_wait": "window",
          "shmem_set_lock": "shmem lock",
          **dict.fromkeys(("ARMCI_Wait", "ARMCI_WaitAll", "ARMCI_WaitProc"), "operation"),
          "omp_set_lock": "omp lock", "omp_set_nest_lock": "omp nest lock",
          "mtx_lock": "mtx", "mtx_timedlock": "mtx",
          **{"pthread_%s_%slock" % (kind, form): kind for kind, forms in (
              ("mutex", ("", "timed", "clock")), ("spin", ("",)),
              ("rwlock", ("rd", "wr", "timedrd", "timedwr", "clockrd", "clockwr"))) for form in forms}}
# Records in a test that has failed; all others state what it has completed.
_OF_FAILURES = {"failed", "merged", "lock_try", "sample", "buffer_flush"}
# Records that name what a call has completed: the position of its number among their fields.
_COMPLETIONS = {"isend_complete": 0, "irecv": 3, "nb_coll_complete": 5, "request_cancelled": 0,
                "done_blocking": 1, "done_nonblocking": 1, "done_remote": 1}


def _plain(region):
    """A function of MPI whose counts have the type MPI_Count is that without suffix."""
    return region[:-2] if region.startswith("MPI_") and region.endswith("_c") else region


def tested_by(region):
    """What a function tests without waiting, None if it is no test."""
    if library_functions.library_of(region) == "shmem" and "_test" in region and region != "shmem_test_lock":
        return "variable"
    return _TESTS.get(_plain(region))


def _waits_for(region):
    if library_functions.kind_of(region) == "wait_until":
        return "variable"
    return _WAITS.get(_plain(region))


def _is_local(region):
    if metrics.mpi_name(region) is not None:
        return not metrics.is_progressing(region)
    library = library_functions.library_of(region)
    if library is not None:
        return not library_functions.is_progressing(region)
    return region.startswith(("omp_get_", "omp_in_"))


class _Call:
    """`number`: among the calls of libraries of the location."""

    def __init__(self, number, region, path, enter):
        self.number, self.region, self.path, self.enter = number, region, path, enter
        self.leave = None
        self.records = []
        self.is_leaf = True
        self.merged = (1, 0)
        self.tests, self.waits_for = tested_by(region), _waits_for(region)

    @property
    def has_failed(self):
        return self.tests is not None and self.is_leaf and all(
            record.name in _OF_FAILURES for record in self.records)

    @property
    def has_succeeded(self):
        return self.tests is not None and self.is_leaf and not self.has_failed

    @property
    def is_local(self):
        return self.is_leaf and self.tests is None and _is_local(self.region) and all(
            record.name in _OF_FAILURES for record in self.records)

    @property
    def failed(self):
        """The requests or operations that a failed test names."""
        return {record.args[0] for record in self.records if record.name == "failed" and record.args}

    @property
    def completed(self):
        """The requests or operations that the call has completed."""
        return {record.args[_COMPLETIONS[record.name]] for record in self.records
                if record.name in _COMPLETIONS}


class _Pass:
    """A call that only passes time."""

    def __init__(self, enter):
        self.enter, self.leave = enter, None


class _Piece:
    """A part of a gap; `samples`: their call paths."""

    def __init__(self, begin):
        self.begin, self.end = begin, None
        self.is_lost = False
        self.samples = []

    @property
    def ticks(self):
        return self.end - self.begin


class _Break:
    """Something is recorded that no loop contains."""


class _Tokens:
    """The tokens of the events of a location: a piece between any two of them."""

    def __init__(self, scenario, events):
        self._phases = scenario.phases
        self._is_sampled = composition.is_sampled(scenario)
        self.list = []
        self._stack = []  # (region, its token, number of tokens at its begin)
        self._piece = None
        self._calls = 0
        for event in events:
            self._add(event)
        while self._stack:
            self._leave(events[-1].time)

    def _token(self, token, time):
        self._close(time)
        self.list.append(token)

    def _close(self, time):
        if self._piece is not None:
            self._piece.end = time
            self.list.append(self._piece)
            self._piece = None

    def _is_estimated(self, region):
        return self._is_sampled and composition.is_estimated(self._phases, region)

    def _in_call(self):
        return bool(self._stack) and self._stack[-1][1] is not None

    def _add(self, event):
        if event.name == "enter":
            self._enter(event.args[0], event.time)
        elif event.name == "leave":
            if self._stack:
                self._leave(event.time)
        elif self._in_call():
            call = self._stack[-1][1]
            if isinstance(call, _Call):
                call.records.append(event)
                if event.name == "merged":
                    call.merged = event.args
                if not call.is_leaf:
                    self._break(event.time)
        elif event.name == "sample":
            if self._piece is not None:
                self._piece.samples.append(tuple(region for region, _, _ in self._stack))
        elif event.name == "lost":
            if self._piece is not None:
                self._piece.is_lost = True
        elif event.name == "buffer_flush":
            if self._piece is not None:
                self._close(event.time)
                self._piece = _Piece(event.args[0])
        else:
            self._break(event.time)

    def _break(self, time):
        self._token(_Break(), time)
        self._piece = _Piece(time)

    def _enter(self, region, time):
        token = None
        for _, outer, _ in self._stack:
            if isinstance(outer, _Call):
                outer.is_leaf = False
        inside = next((token for _, token, _ in self._stack if token is not None), None)
        if metrics.own_node(region) != "comp":
            token = _Call(self._calls, region, tuple(region for region, _, _ in self._stack), time)
            self._calls += 1
        elif region in PASSES_TIME and inside is None and not self._is_estimated(region):
            token = _Pass(time)
        if token is not None and not isinstance(inside, _Pass):
            self._token(token, time)
        self._stack.append((region, token, len(self.list)))

    def _leave(self, time):
        region, token, tokens = self._stack.pop()
        if token is not None:
            token.leave = time
            if isinstance(token, _Call) and not token.is_leaf:
                self._break(time)
            elif not any(isinstance(outer, _Pass) for _, outer, _ in self._stack):
                self._piece = _Piece(time)
        elif (not self._is_estimated(region) and not self._in_call()
              and not any(isinstance(token, (_Call, _Pass)) for token in self.list[tokens:])):
            self._break(time)  # it leads to no call
        if not self._stack:
            self._break(time)  # what follows is in no call path


class _Finder:
    """loops: [(number of the first call, number of the last call)] of a location."""

    def __init__(self, scenario, events):
        self._unit = Fraction(scenario.unit) / 1000
        self._tells_probes = any(event.name == "probe" for event in events)
        self.loops = []
        tokens, run = _Tokens(scenario, events).list, []
        for token in tokens:
            if isinstance(token, (_Piece, _Pass)):
                run.append(token)
            elif isinstance(token, _Call) and token.has_failed:
                run.append(token)
            elif isinstance(token, _Call) and token.is_local:
                run.append(token)
            else:
                is_end = isinstance(token, _Call) and token.is_leaf
                if not is_end or not self._add(run + [token]) and not token.has_succeeded:
                    self._add_untold(run)
                run = []
        self._add_untold(run)

    @staticmethod
    def _ends(run, call):
        if call.has_succeeded:
            return True
        tests = [token for token in run if isinstance(token, _Call) and token.tests == call.waits_for
                 and token.tests is not None]
        if not tests:
            return False
        if call.waits_for in ("request", "operation") and all(test.failed for test in tests):
            return any(test.failed & call.completed for test in tests)
        return True

    def _add_untold(self, run):
        """A loop of probes whose last one has found a message that the archive does not state."""
        if not self._tells_probes:
            probes = [at for at, token in enumerate(run) if isinstance(token, _Call) and token.tests == "probe"]
            if probes:
                self._add(run[:probes[-1] + 1], is_untold=True)

    def _add(self, run, is_untold=False):
        """Whether there is a loop that ends with the last token, which is added."""
        for begin, token in enumerate(run[:-1]):
            if (isinstance(token, _Call) and token.has_failed and self._is_loop(run[begin:])
                    and (is_untold or self._ends(run[begin:-1], run[-1]))):
                self.loops.append((token.number, run[-1].number))
                return True
        return False

    def _is_loop(self, run):
        """Whether all pieces from the first test to the last call are those of a loop."""
        gaps, test = [], None  # gaps: is it short, None: it ends any loop
        for at, token in enumerate(run):
            if isinstance(token, _Piece):
                gaps.append(self._judge(token, test, run[at:]))
            elif isinstance(token, _Call):
                if token.tests is not None and (token is not run[-1] or token.merged[0] > 1):
                    test = token
                if token.merged[0] > 1:
                    gaps += self._inner_gaps(token, test)
        if None in gaps:
            return False
        left = 0
        for is_short in gaps:
            left = min(left + 1, MOST) if is_short else left - MANY
            if left < 0:
                return False
        return True

    def _is_short(self, gap, call):
        """`call`: length of the failed call before the gap."""
        return gap * self._unit < ALONE or gap * self._unit < AROUND and gap <= call

    @staticmethod
    def _length(test):
        calls, gaps = test.merged
        return Fraction(test.leave - test.enter - gaps, calls)

    def _inner_gaps(self, call, test):
        calls, gaps = call.merged
        return [self._is_short(Fraction(gaps, calls - 1), self._length(test))] * (calls - 1)

    def _judge(self, piece, test, rest):
        following = next((token.path for token in rest if isinstance(token, _Call)
                          and (token.tests is not None or token is rest[-1])), ())
        for path in piece.samples:
            if path not in (test.path[:len(path)], following[:len(path)]):
                return None
        return piece.is_lost or self._is_short(piece.ticks, self._length(test))


def find(scenario):
    """{location: [(number of the first call, number of the last call)]} among its calls of libraries;
    `scenario` as it was recorded."""
    return {loc: _Finder(scenario, events).loops for loc, events in scenario.events.items()}

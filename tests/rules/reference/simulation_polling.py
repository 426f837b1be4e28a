# SPDX-License-Identifier: BSD-3-Clause
"""Polling loops instead of calls that wait: the calls of a simulated program are replaced, in their time, by
failed tests and a call that ends them, with gaps in which other things happen. Whether they are loops
for the rules depends on the gaps; many are not."""

# Tests of what a call waits for; `True`: a successful test may take its place.
_POLLED = {"MPI_Wait": (("MPI_Test", "MPI_Test", "MPI_Request_get_status"), True),
           "MPI_Waitall": (("MPI_Testall", "MPI_Test"), True), "MPI_Waitany": (("MPI_Testany",), True),
           "MPI_Waitsome": (("MPI_Testsome",), True), "MPI_Probe": (("MPI_Iprobe", "MPI_Improbe"), True),
           "MPI_Recv": (("MPI_Iprobe",), False), "MPI_Mprobe": (("MPI_Improbe", "MPI_Iprobe"), True),
           "MPI_Win_wait": (("MPI_Win_test",), True), "ARMCI_Wait": (("ARMCI_Test",), True),
           "shmem_set_lock": (("shmem_test_lock",), True), "omp_set_lock": (("omp_test_lock",), True),
           "shmem_int_wait_until": (("shmem_int_test",), True),
           "shmem_long_wait_until": (("shmem_long_test",), True),
           "pthread_mutex_lock": (("pthread_mutex_trylock",), True),
           "pthread_rwlock_rdlock": (("pthread_rwlock_tryrdlock",), True),
           "pthread_rwlock_wrlock": (("pthread_rwlock_trywrlock",), True)}
_OTHER_TESTS = ("MPI_Test", "MPI_Iprobe", "MPI_Win_test")
_REQUESTS = {"isend_complete": 1, "irecv": 4, "nb_coll_complete": 6}


def _calls(events):
    """[(index of the Enter, index of the Leave)] of the leaf calls that may be polled for."""
    found, begin = [], None
    for index, (_, text) in enumerate(events):
        word, _, region = text.partition(" ")
        if word == "enter":
            begin = index if region in _POLLED else None
        elif word == "leave":
            if begin is not None:
                found.append((begin, index))
            begin = None
    return found


class _Loop:
    """The events of one loop."""

    def __init__(self, random, region, events, has_main):
        self.random = random
        self.region = region
        self.begin, self.end = events[0][0], events[-1][0]
        self.records = events[1:-1]
        self.has_main = has_main
        self.events = []

    def _emit(self, time, text):
        self.events.append((time, text))

    def _call(self, begin, end, region, *records):
        self._emit(begin, "enter " + region)
        for record in records:
            self._emit(end, record)
        self._emit(end, "leave " + region)

    def _requests(self):
        words = [text.split() for _, text in self.records]
        return [word[_REQUESTS[word[0]]] for word in words if word[0] in _REQUESTS]

    def _failure(self, region):
        requests = self._requests()
        if region.startswith("MPI_Test") and self.random.random() < 0.4:
            return ["failed " + (self.random.choice(requests) if requests and self.random.random() < 0.7
                                 else "987654")]
        return []

    def _fill(self, begin, end):
        """What happens in a gap."""
        choice = self.random.random()
        first, second = sorted((self.random.randint(begin, end), self.random.randint(begin, end)))
        if choice < 0.12:
            self._call(first, second, self.random.choice(("MPI_Wtime", "MPI_Comm_rank")))
        elif choice < 0.18 and self.has_main:
            self._call(first, second, "usleep")
        elif choice < 0.22 and self.has_main:
            self._emit(first, "enter pass time")
            self._call(first, second, "nanosleep")
            self._emit(second, "leave pass time")
        elif choice < 0.26:
            self._emit(begin, "lost")
        elif choice < 0.28:
            self._call(first, second, "foo")  # leads to no test
        elif choice < 0.29:
            self._call(first, second, "MPI_Pack")
        elif choice < 0.31:
            self._call(first, second, self.random.choice(_OTHER_TESTS))
        elif choice < 0.35 and end - begin > 3 and self.has_main:
            calls = self.random.randint(2, 4)
            self._call(first, second, "MPI_Wtime", "merged %d {for %d}" % (
                calls, self.random.randint(0, second - first)))

    def _tests(self, times, region):
        """Failed tests at pairs of times, and gaps before each but the first."""
        function = None
        for number, (begin, end) in enumerate(zip(times[::2], times[1::2])):
            if number:
                self._fill(times[2 * number - 1], begin)
            if function is None and self.random.random() < 0.1:
                function = self.random.choice(("foo", "look"))
                self._emit(begin, "enter " + function)
            records = self._failure(region)
            if self.random.random() < 0.15 and self.has_main:
                records.append("merged %d {for %d}" % (self.random.randint(2, 5),
                                                      self.random.randint(0, end - begin)))
            self._call(begin, end, region, *records)
            if function is not None and self.random.random() < 0.6:
                self._emit(end, "leave " + function)
                function = None
        return function

    def make(self):
        random, span = self.random, self.end - self.begin
        tests, may_succeed = _POLLED[self.region]
        region = random.choice(tests)
        if span > 250 and random.random() < 0.7:  # many tests, one gap is long
            times = list(range(self.begin, self.end))
            at = random.randint(150, 210)
            times = times[:at] + times[at + random.choice((4, 10, 30)):]
            times = times[:len(times) // 2 * 2]
        else:
            count = 2 * random.randint(1, min(4, 1 + span // 3))
            times = sorted(random.randint(self.begin, self.end) for _ in range(count))
            times[0] = self.begin
        function = self._tests(times, region)
        last = random.randint(times[-1], min(self.end, times[-1] + 3))
        self._fill(times[-1], last)
        own = region if may_succeed and random.random() < 0.6 and region != "MPI_Request_get_status" else self.region
        self._emit(last, "enter " + own)
        self.events += [(max(time, last), text) for time, text in self.records]
        self._emit(self.end, "leave " + own)
        if function is not None:
            self._emit(self.end, "leave " + function)
        return self.events


def poll(random, simulation):
    """Replaces calls that wait by loops that poll, on some locations more than on others."""
    for loc in simulation.locations:
        share = random.choice((0, 0.3, 0.8, 1))
        calls = _calls(loc.events)
        for begin, end in reversed(calls):
            region = loc.events[begin][1][6:]
            if random.random() < share and loc.events[end][0] > loc.events[begin][0]:
                depth = sum((text.startswith("enter ")) - (text.startswith("leave "))
                            for _, text in loc.events[:begin])
                loop = _Loop(random, region, loc.events[begin:end + 1], depth > 0)
                loc.events[begin:end + 1] = loop.make()

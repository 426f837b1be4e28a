# SPDX-License-Identifier: BSD-3-Clause
"""Random programs whose threads launch kernels and copies on streams of accelerators, let streams wait for one
another, and meet in barriers."""

KERNELS = ("force", "energy", "pack")
COPIES = ("copy host to device", "copy device to host", "set")
SYNCHRONIZATIONS = ("cudaStreamSynchronize", "cudaEventSynchronize", "cudaDeviceSynchronize")
DURATIONS = (0, 1, 1, 2, 3, 5, 8)
# How long works take: less than the host does between them, or so long that streams have more than enough to do.
LENGTHS = ((0, 1, 2, 4, 7), (0, 5, 20, 50, 90))
# Percent, threads of a warp, percent; None: not known.
SM = (None, 0, 12.5, 33.3, 50, 87.25, 99.999, 100, 100.2)
WARP = (None, 0, 1, 7.75, 16, 31.9, 32)
MEMORY = (None, None, 0, 3.125, 40, 77.7, 100)


class _Process:
    """A process: clocks of its threads, the times at which its streams are free."""

    def __init__(self, random, rank, threads, streams, lengths):
        self.random = random
        self.lengths = lengths
        self.rank = rank
        self.clocks = [random.choice(DURATIONS) for _ in range(threads)]
        self.free = {threads + s: 0 for s in range(streams)}
        self.begins_behind = dict.fromkeys(self.free, 0)  # what the next work of each stream waits for
        self.recorded = {}  # {event: (stream, until when the stream has work in front of it)}
        self.events = []  # (time, thread, text) in the order of each location
        self.number = 0
        self.is_measured = random.random() < 0.5
        for thread in range(threads):
            self.emit(thread, "enter main" if thread == 0 else "enter worker")

    def emit(self, thread, text, time=None):
        time = self.clocks[thread] if time is None else time
        self.events.append((time, "%d.%d" % (self.rank, thread), text))

    def spend(self, thread, least=0):
        self.clocks[thread] += max(least, self.random.choice(DURATIONS))

    def any_stream(self):
        return self.random.choice(sorted(self.free))

    def launch(self, thread, call, waits=False, stream=None):
        """A call that gives a stream work; one that waits returns when the work is done."""
        stream = stream or self.any_stream()
        self.number += 1
        self.emit(thread, "enter " + call)
        is_recorded = self.random.random() < 0.93
        if is_recorded:
            self.emit(thread, "correlation %d" % self.number)
        begin = max(self.clocks[thread] + self.random.choice((0, 0, 1)), self.free[stream],
                    self.begins_behind[stream])
        if self.random.random() < 0.97:  # else the trace is wrong: the work begins although it waits
            self.begins_behind[stream] = 0
        else:
            begin = max(self.clocks[thread], self.free[stream])
        end = begin + self.random.choice(self.lengths)
        what = ("kernel " + self.random.choice(KERNELS) if "Launch" in call
                else "cuda " + self.random.choice(COPIES))
        self.emit(stream, "enter " + what, begin)
        self.emit(stream, "correlation %d" % self.number, begin)
        if what.startswith("kernel"):
            self.measure(stream, begin)
        self.emit(stream, "leave " + what, end)
        self.free[stream] = end
        if waits:
            self.clocks[thread] = max(self.clocks[thread], end)
        self.spend(thread)
        self.emit(thread, "leave " + call)

    def measure(self, stream, begin):
        """What is active while a kernel runs: all of it is known, some, or nothing."""
        for name, values in (("sm", SM), ("warp", WARP), ("memory", MEMORY)):
            value = self.random.choice(values)
            if self.is_measured and value is not None:
                self.emit(stream, "activity %s %s" % (name, value), begin)

    def synchronize(self, thread):
        call = self.random.choice(SYNCHRONIZATIONS)
        streams = sorted(self.free)
        if call != "cudaDeviceSynchronize":
            streams = self.random.sample(streams, self.random.randint(1, len(streams)))
        self.emit(thread, "enter " + call)
        until = max(self.free[stream] for stream in streams)
        if call == "cudaEventSynchronize" and self.recorded and self.random.random() < 0.8:
            event = self.random.choice(sorted(self.recorded))
            streams, until = self.recorded[event][:1], self.recorded[event][1]
            self.emit(thread, "event %d" % event)
        if call != "cudaDeviceSynchronize":
            for stream in streams:
                self.emit(thread, "waits_for %d.%d" % (self.rank, stream))
        self.clocks[thread] = max(self.clocks[thread], until)
        self.spend(thread)
        self.emit(thread, "leave " + call)

    def call_with_event(self, thread, call, stream, event):
        """A call that puts an event, or a wait for it, on a stream; its records may be missing."""
        self.emit(thread, "enter " + call)
        parts = ["on_stream %d.%d" % (self.rank, stream), "event %d" % event]
        self.random.shuffle(parts)
        if self.random.random() < 0.05:
            parts.pop()
        for part in parts:
            self.emit(thread, part)
        self.spend(thread)
        self.emit(thread, "leave " + call)

    def record_event(self, thread, stream):
        """Puts one of four events behind the work of a stream. @return which"""
        event = self.random.randint(1, 4)
        self.recorded[event] = (stream, self.free[stream])
        self.call_with_event(thread, "cudaEventRecord", stream, event)
        return event

    def wait_for_event(self, thread, stream, event):
        until = self.recorded.get(event, (stream, 0))[1]
        self.begins_behind[stream] = max(self.begins_behind[stream], until)
        self.call_with_event(thread, "cudaStreamWaitEvent", stream, event)

    def pass_on(self, thread):
        """A stream executes what needs the work of another one."""
        first = self.any_stream()
        second = self.random.choice(sorted(set(self.free) - {first}) or [first])
        self.launch(thread, "cudaLaunchKernel", stream=first)
        event = self.record_event(thread, first)
        if self.random.random() < 0.3:
            self.launch(thread, "cudaLaunchKernel", stream=first)
        other = self.random.randrange(len(self.clocks)) if self.random.random() < 0.2 else thread
        self.wait_for_event(other, second, event)
        if self.random.random() < 0.3:
            self.compute(other)
        self.launch(other, "cudaLaunchKernel", stream=second)

    def compute(self, thread):
        self.emit(thread, "enter work")
        self.spend(thread)
        self.emit(thread, "leave work")

    def act(self):
        thread = self.random.choice((0, 0, self.random.randrange(len(self.clocks))))
        self.spend(thread)
        action = self.random.random()
        if action < 0.2:
            self.launch(thread, "cudaLaunchKernel")
        elif action < 0.26:
            self.launch(thread, "cudaMemcpyAsync")
        elif action < 0.33:
            self.launch(thread, "cudaMemcpy", waits=True)
        elif action < 0.37:
            self.record_event(thread, self.any_stream())
        elif action < 0.45:
            self.wait_for_event(thread, self.any_stream(), self.random.randint(1, 4))
        elif action < 0.7:
            self.pass_on(thread)
        elif action < 0.8:
            self.synchronize(thread)
        elif action < 0.85:
            self.emit(thread, "enter cudaMalloc")
            self.spend(thread)
            self.emit(thread, "leave cudaMalloc")
        else:
            self.compute(thread)


def _meet(random, processes):
    """All first threads meet in a barrier."""
    last = max(process.clocks[0] for process in processes)
    for process in processes:
        process.emit(0, "enter MPI_Barrier")
        process.emit(0, "coll_begin")
        process.clocks[0] = last + random.choice((0, 0, 1))
        process.emit(0, "coll_end barrier world - 0 0")
        process.emit(0, "leave MPI_Barrier")


def _send(random, processes):
    """A message between two first threads."""
    source, target = random.sample(processes, 2)
    source.emit(0, "enter MPI_Send")
    source.emit(0, "send %d 7 8" % target.rank)
    sent = source.clocks[0]
    source.spend(0)
    source.emit(0, "leave MPI_Send")
    target.emit(0, "enter MPI_Recv")
    target.clocks[0] = max(target.clocks[0], sent) + random.choice((0, 1))
    target.emit(0, "recv %d 7 8" % source.rank)
    target.emit(0, "leave MPI_Recv")


def lines(random):
    """A scenario without its `expect` lines."""
    ranks, threads, streams = random.randint(1, 4), random.randint(1, 2), random.choice((1, 2, 2, 3, 4))
    lengths = random.choice(LENGTHS)
    processes = [_Process(random, rank, threads, streams, lengths) for rank in range(ranks)]
    for _ in range(random.choice((5, 10, 20, 40, 60))):
        if ranks > 1 and random.random() < 0.15:
            random.choice((_meet, _send))(random, processes)
        else:
            random.choice(processes).act()
    found = ["unit 1", "ranks %d threads %d" % (ranks, threads + streams),
             "stream " + " ".join("%d.%d" % (rank, threads + s) for rank in range(ranks)
                                  for s in range(streams))]
    for process in processes:
        for thread, clock in enumerate(process.clocks):
            process.emit(thread, "leave main" if thread == 0 else "leave worker",
                         max([clock, *process.free.values()]) if random.random() < 0.7 else clock)
        found += ["%d %s %s" % event for event in process.events]
    return found

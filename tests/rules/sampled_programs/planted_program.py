# SPDX-License-Identifier: BSD-3-Clause
"""Programs with one planted cause of waiting, made from a seed, and their executions.

A program has 3 to 40 functions of 0.1 to 20 ms on 1 to 3 levels below `main`, and 2 to 8 ranks that meet in an MPI
call at the end of each iteration. One function takes longer on one rank: each time ("slower"), because it is called
more often ("often"), in some iterations only ("sometimes"), or by a random amount ("random"). Some functions spend a
part of their time in a function of C++'s library. The length of each piece of work varies by 5 %.

The same seed gives the same execution with and without the planted extra: the pieces of work that both have get the
same lengths. Lengths and times are nanoseconds.
"""

import bisect
import math
import random

KINDS = ("slower", "often", "sometimes", "random")
LIBRARY = ("std::sort", "std::sin", "std::vector::push_back", "std::accumulate", "std::map::find")
MEETINGS = ("barrier", "allreduce", "ring")
NOISE = 0.05
MS = 10 ** 6
START = MS  # duration of MPI_Init
LATENCY = 3000  # from the last arrival to the end of the MPI call
SHORTEST_RUN, LONGEST_RUN = 3000 * MS, 6000 * MS
SMALLEST_SHARE = 0.015  # of extra time
LARGEST_SHARE = {"slower": 1, "often": 1, "sometimes": 0.3, "random": 1}
MOST_ITERATION_VISITS = 60  # of functions, on one rank
MOST_VISITS = 150000  # of functions, in the whole run on all ranks


class Function:
    """A function, called from one place: `calls` times in each visit of its caller (None: `main` or `solve`)."""

    def __init__(self, name, caller, own, calls):
        self.name, self.caller, self.own, self.calls = name, caller, own, calls
        self.library = None  # (name, share of `own`)
        self.callees = []
        if caller:
            caller.callees.append(self)

    @property
    def level(self):
        return self.caller.level + 1 if self.caller else 1

    @property
    def visits(self):
        """In an iteration."""
        return self.calls * (self.caller.visits if self.caller else 1)

    @property
    def length(self):
        """Of a visit, with all that it calls."""
        return self.own + sum(callee.calls * callee.length for callee in self.callees)

    @property
    def subtree(self):
        return [self] + [each for callee in self.callees for each in callee.subtree]

    @property
    def callers(self):
        return [self.caller] + self.caller.callers if self.caller else []


class Program:
    """A program with a planted cause. `share`: mean of the extra time, relative to an iteration without it."""

    def __init__(self, seed):
        self.seed = seed
        draw = random.Random("program %d" % seed)
        self.kind = KINDS[seed % len(KINDS)]
        self.root = ("main", "solve") if draw.random() < 0.3 else ("main",)
        self.meeting = draw.choice(MEETINGS)
        self.functions = _functions(draw)
        self.outer = [function for function in self.functions if not function.caller]
        self.ranks = draw.randint(2, 8)
        self.rank = draw.randrange(self.ranks)
        self.planted = draw.choice(self.functions)
        self.share = math.exp(draw.uniform(math.log(SMALLEST_SHARE), math.log(LARGEST_SHARE[self.kind])))
        extra = self.share * self.iteration_length
        self.more_calls = max(1, round(extra / self.planted.length / (self.planted.visits / self.planted.calls)))
        self.more_calls = min(self.more_calls, MOST_ITERATION_VISITS)
        self.extra = extra / self.planted.visits  # mean, of a visit
        if self.kind == "often":
            more_visits = self.planted.visits // self.planted.calls * self.more_calls
            self.share = more_visits * self.planted.length / self.iteration_length
        visits = sum(function.visits for function in self.functions)
        run = draw.uniform(SHORTEST_RUN, LONGEST_RUN)
        self.iterations = max(150, round(run / self.iteration_length))
        self.ranks = max(2, min(self.ranks, MOST_VISITS // (visits * self.iterations)))
        self.rank %= self.ranks
        self.slow = self._slow_iterations(draw)

    @property
    def iteration_length(self):
        return sum(function.calls * function.length for function in self.outer)

    def _slow_iterations(self, draw):
        """Iterations with the extra of "sometimes": consecutive ones, or scattered ones."""
        count = max(8, round(draw.uniform(0.05, 0.3) * self.iterations))
        if draw.random() < 0.5:
            first = draw.randrange(self.iterations - count)
            return set(range(first, first + count))
        return set(draw.sample(range(self.iterations), count))

    def describe(self):
        return ("seed %d: %s, %d functions, %d ranks, %d iterations of %.2f ms, %s; `%s` on rank %d + %.1f %%"
                % (self.seed, self.kind, len(self.functions), self.ranks, self.iterations,
                   self.iteration_length / MS, self.meeting, self.planted.name, self.rank, 100 * self.share))

    def path(self, function):
        return self.root + tuple(each.name for each in reversed([function] + function.callers))

    def length_with_extra(self, function):
        """Mean time of a function in an iteration of the planted rank, with all that it calls."""
        length = function.visits * function.length
        if function is self.planted or function in self.planted.callers:
            if self.kind == "often":
                length += (self.planted.visits // self.planted.calls * self.more_calls * self.planted.length)
            else:
                length += self.planted.visits * self.extra
        elif function in self.planted.subtree and self.kind == "often":
            length = round(length * (1 + self.more_calls / self.planted.calls))
        return length

    def is_right(self, function):
        """Whether a function is the planted one, or one of its callers or callees of nearly the same time."""
        if function is not self.planted and function not in self.planted.callers + self.planted.subtree:
            return False
        one, other = self.length_with_extra(function), self.length_with_extra(self.planted)
        return abs(one - other) < 0.15 * max(one, other)


def _functions(draw):
    levels = draw.randint(1, 3)
    count = round(math.exp(draw.uniform(math.log(3), math.log(40))))
    longest = min(20, max(1, 60 / count))
    functions, visits = [], 0
    while len(functions) < count:
        callers = [function for function in functions if function.level < levels]
        caller = draw.choice(callers) if callers and draw.random() < 0.6 else None
        own = round(MS * math.exp(draw.uniform(math.log(0.1), math.log(longest))))
        calls = draw.randint(2, 3) if draw.random() < 0.2 else 1
        all_calls = calls * (caller.visits if caller else 1)
        if visits + all_calls + count - len(functions) > MOST_ITERATION_VISITS or all_calls * own > 20 * MS:
            calls, caller = 1, None
        function = Function("f%d" % len(functions), caller, own, calls)
        visits += function.visits
        if draw.random() < 0.3:
            function.library = draw.choice(LIBRARY), draw.uniform(0.2, 0.95)
        functions.append(function)
    return functions


# ---- executions ----

# Steps of an iteration: (what, path, mean length, is it slower, is it part of an additional call). Lengths are those
# of WORK.
ENTER, LEAVE, WORK = range(3)


def _steps(program, has_extra):
    steps = []

    def visit(function, is_more):
        path = program.path(function)
        steps.append((ENTER, path, 0, False, is_more))
        library = round(function.own * function.library[1]) if function.library else 0
        is_slow = function is program.planted and program.kind != "often" and has_extra
        steps.append((WORK, path, function.own - library, is_slow, is_more))
        if library:
            inner = path + (function.library[0],)
            steps.append((ENTER, inner, 0, False, is_more))
            steps.append((WORK, inner, library, False, is_more))
            steps.append((LEAVE, inner, 0, False, is_more))
        call(function.callees, is_more)
        steps.append((LEAVE, path, 0, False, is_more))

    def call(functions, is_more):
        for function in functions:
            for _ in range(function.calls):
                visit(function, is_more)
            if function is program.planted and program.kind == "often" and has_extra:
                for _ in range(program.more_calls):
                    visit(function, True)

    call(program.outer, False)
    return steps


class Iteration:
    """Of one rank: begin and the ends of the pieces of work, in the order of the steps; the MPI call."""

    def __init__(self, begin, ends, enter):
        self.begin, self.ends, self.enter = begin, ends, enter
        self.leave = None


class Execution:
    """Of a program: `of_rank[rank]` are its iterations, `steps[rank]` what is done in each."""

    def __init__(self, program, has_extra=True):
        self.program = program
        self.steps = [_steps(program, has_extra and rank == program.rank) for rank in range(program.ranks)]
        self.of_rank = [[] for _ in range(program.ranks)]
        noise = [random.Random("noise %d %d" % (program.seed, rank)) for rank in range(program.ranks)]
        more = random.Random("more %d" % program.seed)
        times = [START] * program.ranks
        for number in range(program.iterations):
            for rank in range(program.ranks):
                extra = self._extra(number, more) if rank == program.rank else 0
                times[rank] = self._work(rank, times[rank], extra, noise[rank], more)
            times = self._meet(times)
        self.end = max(times) + LATENCY

    def _extra(self, number, more):
        """Additional time of a visit of the planted function, before noise."""
        program = self.program
        drawn = more.expovariate(1)
        if program.kind == "random":
            return program.extra * drawn
        if program.kind == "sometimes":
            return program.extra * program.iterations / len(program.slow) if number in program.slow else 0
        return program.extra

    def _work(self, rank, begin, extra, noise, more):
        time, ends = begin, []
        for what, _, length, is_slow, is_more in self.steps[rank]:
            if what == WORK:
                factor = math.exp(NOISE * (more if is_more else noise).gauss(0, 1))
                time += round((length + (extra if is_slow else 0)) * factor)
                ends.append(time)
        self.of_rank[rank].append(Iteration(begin, ends, time))
        return time

    def _meet(self, enters):
        if self.program.meeting == "ring":
            leaves = [max(enter, enters[rank - 1]) + LATENCY for rank, enter in enumerate(enters)]
        else:
            leaves = [max(enters) + LATENCY] * len(enters)
        for rank, leave in enumerate(leaves):
            self.of_rank[rank][-1].leave = leave
        return leaves


# ---- scenarios ----

def _time(nanoseconds):
    return "%d.%03d" % divmod(nanoseconds, 1000)


def _meeting_lines(program, rank, iteration):
    """The MPI call at the end of an iteration, in a function that surrounds it."""
    enter, leave = ("%s %d " % (_time(time), rank) for time in (iteration.enter, iteration.leave))
    if program.meeting == "ring":
        name = "MPI_Sendrecv"
        inner = [enter + "send %d 0 1024" % ((rank + 1) % program.ranks),
                 leave + "recv %d 0 1024" % ((rank - 1) % program.ranks)]
    else:
        name = {"barrier": "MPI_Barrier", "allreduce": "MPI_Allreduce"}[program.meeting]
        sizes = "0 0" if program.meeting == "barrier" else "8 8"
        inner = [enter + "coll_begin", leave + "coll_end %s world - %s" % (program.meeting, sizes)]
    return [enter + "enter exchange", enter + "enter " + name, *inner,
            leave + "leave " + name, leave + "leave exchange"]


def _frame(program, title, end, bodies):
    """A scenario; bodies: lines of the iterations of each rank."""
    lines = ["# " + title, "unit 1e-6", "ranks %d" % program.ranks]
    for rank, body in enumerate(bodies):
        start = "%s %d " % (_time(START), rank)
        lines += ["0 %d enter main" % rank, "0 %d enter MPI_Init" % rank, start + "leave MPI_Init"]
        lines += body
        last = "%s %d " % (_time(_last_time(body)), rank)
        lines += [last + "leave " + name for name in reversed(program.root[1:])]
        lines += [last + "enter MPI_Finalize"]
        lines += ["%s %d leave %s" % (_time(end), rank, name) for name in ("MPI_Finalize", "main")]
    return "\n".join(lines) + "\n"


def _last_time(body):
    whole, _, part = body[-1].split(" ")[0].partition(".")
    return int(whole) * 1000 + int(part)


def exact_scenario(execution):
    """The scenario in which begins and ends of all functions are recorded."""
    program, bodies = execution.program, []
    for rank, iterations in enumerate(execution.of_rank):
        texts = [(what == WORK, " %d %s %s" % (rank, "enter" if what == ENTER else "leave", path[-1]))
                 for what, path, *_ in execution.steps[rank]]
        body = ["%s %d enter %s" % (_time(START), rank, name) for name in program.root[1:]]
        for iteration in iterations:
            time, ends = _time(iteration.begin), iter(iteration.ends)
            for is_work, text in texts:
                if is_work:
                    time = _time(next(ends))
                else:
                    body.append(time + text)
            body += _meeting_lines(program, rank, iteration)
        bodies.append(body)
    return _frame(program, program.describe(), execution.end, bodies)


def sample_times(execution, rank, rate):
    """(iteration, number of the piece of work, time) of the samples of a rank. The clock of CPU time also runs
    in MPI calls, in which ranks poll; samples there are dropped."""
    draw = random.Random("samples %d %d %d" % (execution.program.seed, rank, rate))
    period = 1e9 / rate
    time = START + period * draw.random()
    for iteration in execution.of_rank[rank]:
        while time < iteration.leave:
            instant = int(time)
            if iteration.begin <= instant < iteration.enter:
                yield iteration, bisect.bisect_right(iteration.ends, instant), instant
            time += period * (0.5 + draw.random())


def sampled_scenario(execution, rate):
    """The scenario as a recorder sees the execution: MPI calls with their call stacks, and samples at `rate` a
    second, whose periods vary by up to half."""
    program, bodies = execution.program, []
    for rank, iterations in enumerate(execution.of_rank):
        work = ["/".join(path) for what, path, *_ in execution.steps[rank] if what == WORK]
        samples = {}
        for iteration, piece, time in sample_times(execution, rank, rate):
            samples.setdefault(iteration, []).append("%s %d sample %s" % (_time(time), rank, work[piece]))
        body = []
        for iteration in iterations:
            body += samples.get(iteration, [])
            if iteration is iterations[0]:  # the first call stack that shows this function is that of the MPI call
                body += ["%s %d enter %s" % (_time(iteration.enter), rank, name) for name in program.root[1:]]
            body += _meeting_lines(program, rank, iteration)
        bodies.append(body)
    return _frame(program, program.describe() + "; %d samples/s" % rate, execution.end, bodies)

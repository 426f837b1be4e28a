# SPDX-License-Identifier: BSD-3-Clause
"""The repair of clocks: random programs with messages, collective operations and epochs of windows, whose
clocks get offsets, drift and jitter afterwards.

* The repaired times are those of the reference implementation, and none violates the clock condition.
* After offsets are estimated and times repaired, what each rank waits is what it waited in the undisturbed
  run, within the error that was injected.
* Without disturbance nothing changes, and results do not depend on the number of workers.
* Times repaired by the logical clock are in order for executions of all kinds (generate.py).

usage: check_clocks.py FERMATA COUNT SEED
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "reference"), os.path.join(HERE, "..", "properties"),
                os.path.join(HERE, "..", "support")]
import logical_clock  # noqa: E402
import share  # noqa: E402
import transformations  # noqa: E402

HEADER = ["unit 1e-6"]  # a tick is a nanosecond
LATENCY = 2000
FOCUSES = (None, "iterations", "locks", "libraries", "omp", "hybrid", "pthread")
WAITING = ("mpi_latesender", "mpi_barrier_wait", "mpi_wait_nxn", "mpi_latebroadcast", "mpi_earlyreduce",
           "mpi_latecomplete", "mpi_latepost", "mpi_earlywait")


class Failure(Exception):
    """A property that does not hold."""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command[1:])}: exit status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


class Program:
    """A random execution: events of each rank with true times, and which precede which."""

    def __init__(self, chooser):
        self.chooser = chooser
        self.ranks = chooser.randint(2, 6)
        self.now = [10000000 + chooser.randint(0, 5000) for _ in range(self.ranks)]
        self.events = [[] for _ in range(self.ranks)]  # (time, [line of the scenario])
        self.calls = [[] for _ in range(self.ranks)]  # numbers of the events that are Enter or Leave of calls
        self.edges = []  # between (rank, event)
        self.tag = 0

    def add(self, rank, time, *lines):
        self.events[rank].append((time, lines))
        self.now[rank] = time
        return rank, len(self.events[rank]) - 1

    def enter(self, rank, name):
        event = self.add(rank, self.now[rank] + 1, f"enter {name}")
        self.calls[rank].append(event[1])
        return event

    def leave(self, rank, name, time, *records):
        event = self.add(rank, max(time, self.now[rank] + 1), *records, f"leave {name}")
        self.calls[rank].append(event[1])
        return event

    def time(self, event):
        return self.events[event[0]][event[1]][0]

    def compute(self):
        for rank in range(self.ranks):
            self.now[rank] += self.chooser.randint(10, 100000)

    def message(self):
        sender, receiver = self.chooser.sample(range(self.ranks), 2)
        self.tag += 1
        send = self.enter(sender, "MPI_Send")
        self.add(sender, self.now[sender], f"send {receiver} {self.tag} 64")
        self.leave(sender, "MPI_Send", self.now[sender] + 300)
        post = self.enter(receiver, "MPI_Recv")
        end = max(self.time(post), self.time(send) + self.latency())
        self.edges.append((send, self.leave(receiver, "MPI_Recv", end + 100,
                                            f"recv {sender} {self.tag} 64")))

    def latency(self):
        return LATENCY + self.chooser.choice((0, 0, self.chooser.randint(0, 20000)))

    def together(self):
        name, operation, root = self.chooser.choice((
            ("MPI_Barrier", "barrier", None), ("MPI_Allreduce", "allreduce", None),
            ("MPI_Bcast", "bcast", 0), ("MPI_Reduce", "reduce", 0)))
        root = root if root is None else self.chooser.randrange(self.ranks)
        enters = [self.enter(rank, name) for rank in range(self.ranks)]
        for rank in range(self.ranks):
            self.add(rank, self.now[rank], "coll_begin")
        for rank in range(self.ranks):
            needed = enters
            if operation == "bcast":
                needed = [] if rank == root else [enters[root]]
            elif operation == "reduce":
                needed = [enters[other] for other in range(self.ranks) if other != rank] if rank == root else []
            end = max([self.time(enters[rank])] + [self.time(event) + self.latency() for event in needed])
            size = 0 if operation == "barrier" else 8
            record = f"coll_end {operation} world {'-' if root is None else root} {size} {size}"
            left = self.leave(rank, name, end + 200, record)
            self.edges.extend((event, left) for event in needed if event[0] != rank)

    def lines(self, times):
        """The scenario with other times: [rank][event]."""
        lines = [*HEADER, f"ranks {self.ranks}"]
        for rank, events in enumerate(self.events):
            for (_, texts), time in zip(events, times[rank]):
                lines.extend(f"{transformations.text_of(time)} {rank} {text}" for text in texts)
        return lines

    def true_times(self):
        return [[time for time, _ in events] for events in self.events]


def make_program(chooser):
    program = Program(chooser)
    for rank in range(program.ranks):
        program.enter(rank, "main")
        program.calls[rank].clear()
    for _ in range(chooser.randint(5, 40)):
        program.compute()
        chooser.choice((program.message, program.message, program.together))()
    for rank in range(program.ranks):
        program.leave(rank, "main", program.now[rank] + 1000)
        program.calls[rank].pop()
    return program


def disturbed(chooser, times, offset, drift, jitter):
    """Times by clocks that are wrong, and by how much they are at most. @param drift  parts in a million"""
    found, worst = [], 0
    for events in times:
        begin = events[0]
        shift, rate = chooser.randint(0, offset), chooser.randint(0, drift)
        wrong, last = [], -1
        for time in events:
            error = shift + (time - begin) * rate // 1000000 + chooser.randint(0, jitter)
            moved = max(time + error, last + (time > (times and begin)))
            worst = max(worst, moved - time)
            wrong.append(moved)
            last = moved
        found.append(wrong)
    return found, worst


class Checker:
    """The checks, in one folder."""

    def __init__(self, fermata, folder):
        self.fermata = fermata
        self.archive = os.path.join(folder, "archive")
        self.scenario = os.path.join(folder, "a.scn")
        self.violated = self.estimated = 0

    def write(self, lines):
        shutil.rmtree(self.archive, ignore_errors=True)
        with open(self.scenario, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        run(self.fermata, "synth", self.scenario, "-o", self.archive)

    def report(self, *options):
        run(self.fermata, "analyze", "-q", "--check", *options, self.archive)
        return json.loads(run(self.fermata, "report", "--format=json", self.archive))

    def call_times(self):
        """[rank]: times of all Enter and Leave of MPI calls, in nanoseconds."""
        text = run(self.fermata, "export", "--to", "perfetto-json", "-o", "-", self.archive)
        found, open_calls = {}, {}
        for event in json.loads(text)["traceEvents"]:
            if event["ph"] == "B" and event["cat"] != "wait state":
                open_calls.setdefault(event["pid"], []).append(event["name"])
            elif event["ph"] == "B":
                open_calls.setdefault(event["pid"], []).append(None)
            if event["ph"] not in "BE":
                continue
            stack = open_calls[event["pid"]]
            if stack[-1] is not None and stack[-1].startswith("MPI_"):
                found.setdefault(event["pid"], []).append(round(event["ts"] * 1000))
            if event["ph"] == "E":
                stack.pop()
        return found

    def check_reference(self, chooser, program):
        times, _ = disturbed(chooser, program.true_times(), chooser.choice((0, 3000, 200000)),
                             chooser.choice((0, 50, 900)), chooser.choice((0, 5, 2000)))
        knots, position = [], {}
        for rank, calls in enumerate(program.calls):
            knots.append([times[rank][event] for event in calls])
            position.update({(rank, event): (rank, i) for i, event in enumerate(calls)})
        edges = [(position[before], position[after]) for before, after in program.edges]
        violations = sum(knots[b[0]][b[1]] > knots[a[0]][a[1]] for b, a in edges)
        expected = logical_clock.repair(knots, edges)
        offsets = [f"clock_offset {rank} {at} 0" for rank in range(program.ranks) for at in (0, 1)]
        lines = program.lines(times)
        self.write(lines[:2] + offsets + lines[2:])
        clock = self.report("--clock=clc", f"-j{chooser.choice((1, 2, 3))}")["clock"]
        if (clock["violations_before"] == 0) != (violations == 0) or clock["violations_after"] != 0:
            raise Failure(f"{violations} violations; the report has {clock}")
        self.violated += violations != 0
        found = self.call_times()
        least = [found[rank][0] - expected[rank][0] for rank in range(program.ranks) if expected[rank]]
        for rank in range(program.ranks):
            moved = [time + least[0] for time in expected[rank]]
            if found.get(rank, []) != moved:
                raise Failure(f"rank {rank}: times {found.get(rank)}, not {moved}")

    def waits(self, *options):
        report = self.report(*options)
        found = {}
        for cell in report["severities"]:
            if cell["metric"] in WAITING:
                key = cell["metric"], cell["location"]
                found[key] = found.get(key, 0) + cell["value"]
        return found, report

    def check_waits(self, chooser, program):
        true = program.true_times()
        offsets = [f"clock_offset {rank} {at} 0" for rank in range(program.ranks) for at in (0, 1)]
        lines = program.lines(true)
        self.write(lines[:2] + offsets + lines[2:])
        undisturbed, report = self.waits("--clock=linear")
        repaired, unchanged = self.waits("--clock=clc")
        if repaired != undisturbed or report["clock"]["violations_before"] != 0:
            raise Failure("a run in order is changed")
        times, worst = disturbed(chooser, true, chooser.choice((500000, 5000000)), chooser.choice((0, 100)),
                                 chooser.choice((0, 500)))
        self.write(program.lines(times))
        repaired, report = self.waits("--clock=clc")
        if report["clock"]["violations_after"] != 0:
            raise Failure(f"violations are left: {report['clock']}")
        self.estimated += report["clock"]["estimated"]
        for key in undisturbed.keys() | repaired.keys():
            calls = len(program.calls[key[1]]) // 2
            difference = abs(undisturbed.get(key, 0) - repaired.get(key, 0))
            if difference > 2 * worst * calls / 1e9 + 1e-9:
                raise Failure(f"{key}: {undisturbed.get(key)} s, repaired {repaired.get(key)} s: more than "
                              f"{2 * worst} ns for each call apart")
        return undisturbed, repaired, report["clock"]

    def check_kinds(self, scenario, chooser):
        """An execution of any kind, by wrong clocks of its processes."""
        with open(scenario, encoding="utf-8") as file:
            header, events = transformations.parse(file.read())
        limit = chooser.choice((2000, 20000, 100000))
        offsets = {}
        moved = []
        for time, location, rest in events:
            offset = offsets.setdefault(location[0], chooser.randint(0, limit))
            moved.append((time + offset, location, transformations.retimed(rest, lambda at, by=offset: at + by)))
        self.write([line for line in transformations.write(header, moved).splitlines()
                    if not line.startswith("expect")])
        reports = [self.report("--clock=clc", f"-j{workers}") for workers in (1, 2, 5)]
        if any(report["severities"] != reports[0]["severities"] for report in reports):
            raise Failure("the result depends on the number of workers")
        if reports[0]["clock"]["violations_after"] != 0:
            raise Failure(f"violations are left: {reports[0]['clock']}")
        self.violated += reports[0]["clock"]["violations_before"] != 0


def main():
    fermata, count, seed = sys.argv[1], share.count(int(sys.argv[2])), int(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(fermata, folder)
        total, apart = 0.0, 0.0
        for i in range(count):
            chooser = random.Random(f"{seed}/{i}")
            try:
                checker.check_reference(chooser, make_program(chooser))
                undisturbed, repaired, _ = checker.check_waits(chooser, make_program(chooser))
                total += sum(undisturbed.values())
                apart += sum(abs(undisturbed.get(key, 0) - repaired.get(key, 0))
                             for key in undisturbed.keys() | repaired.keys())
            except Failure as failure:
                sys.exit(f"execution {i} of seed {seed}: {failure}")
        print(f"{count} executions, {checker.violated} with violations, {checker.estimated} estimated: waiting "
              f"{total:.6f} s, {apart:.6f} s apart after the repair")
        if checker.violated < count // 4 or checker.estimated < count // 4 or apart > total / 10:
            sys.exit("the executions prove little, or the repair is poor")
        violated = checker.violated
        for focus in FOCUSES:
            options = [] if focus is None else ["--focus", focus]
            scenarios = os.path.join(folder, "scenarios")
            shutil.rmtree(scenarios, ignore_errors=True)
            run(sys.executable, "-B", os.path.join(HERE, "reference", "generate.py"), "--seed", str(seed),
                "--count", str(max(2, count // 8)), "--out", scenarios, "--no-expect", *options)
            for name in sorted(os.listdir(scenarios)):
                try:
                    checker.check_kinds(os.path.join(scenarios, name), random.Random(f"{seed}/{name}"))
                except Failure as failure:
                    sys.exit(f"{focus}: {name} of seed {seed}: {failure}")
        print(f"executions of all kinds: {checker.violated - violated} with violations")


if __name__ == "__main__":
    main()

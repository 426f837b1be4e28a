# SPDX-License-Identifier: BSD-3-Clause
"""Slowdown of whole applications by recording: P3.

An application's slowdown is the cost of calls within the run (stretches.py), and that of samples,
which are taken at their default rate: the time that the recorder spends on them by its own account,
and the delivery of their signals (measured by signals that a program sends itself). The time of
the run outside MPI_Init and MPI_Finalize, with the recorder and without, which contains the begin,
the end, and the archive, is a figure of its own: it does not grow with the duration of the run."""

import json
import os
import re
import shutil
import signal
import time
from dataclasses import dataclass, field

from .measure import (Figure, ProgramFailed, alternate, cpu_of, median, open_mpi, open_shmem,
                      ratios_of, run, wall_of)
from .recording import Archives, nanoseconds
from .stretches import read_process, slowdown as slowdown_of

RANKS = 2
MPIRUN = [*open_mpi(RANKS), "--mca", "mpi_yield_when_idle", "1"]
BAR = 1.01
DISTANCE = 20  # the bar applies from this distance between calls on, in microseconds


@dataclass
class Application:
    """A program with its arguments."""

    name: str
    command: list
    stretch: int  # calls: one or two milliseconds, whole iterations if any
    launcher: list = field(default_factory=lambda: MPIRUN)
    in_turn: str = "record_in_turn.so"  # the library that records stretches of its calls in turn
    crashes: bool = False  # it may crash at its end


def _applications(programs, folder, length):
    """Programs that take a few seconds if `length` is 1."""
    def times(count):
        return str(max(1, round(count * length)))

    for variant, calls in {"p2p": 24, "fence": 12, "gats": 16, "locks": 34}.items():
        yield Application(f"SOR {variant}", [
            programs.workloads / "openmpi" / "sor", "--variant", variant, "--size", "1200x1200",
            "--iterations", times(3000), "--tolerance", "0", "--check", "250"], calls)
    yield Application("SOR in SHMEM", [
        programs.workloads / "openmpi" / "shmem-sor", "--size", "800", "--verify", "no",
        "--iterations", times(3000)], stretch=16, launcher=open_shmem(RANKS), in_turn="record_shmem_in_turn.so", crashes=True)
    yield Application("LAMMPS melt", ["lmp", "-in", programs.sources / "melt.lmp", "-var", "steps",
                                      times(4000), "-log", "none"], 41)
    netpipe = ["NPopenmpi", "-p", "0", "-o", folder / "np.out"]
    yield Application("NetPIPE, 1 to 4 MiB",
                      [*netpipe, "-l", "1048576", "-u", "4194304", "-n", times(300)], 4)
    yield Application("NetPIPE, 1 byte to 1 KiB",
                      [*netpipe, "-l", "1", "-u", "1024", "-n", times(10000)], 2000)


def _distance(programs, archive):
    """Number of recorded calls and microseconds between two calls on a rank."""
    output = run([programs.bench / "call_distance", archive / "traces.otf2"]).output
    found = re.match(r"(\d+) calls .*\n([0-9.]+) us from", output)
    if found is None:
        raise ProgramFailed(f"call_distance: {output}")
    return int(found.group(1)), float(found.group(2))


LOOP_TURNS = 40000
LOOP_CALLS = 3 * 10 * 3 * LOOP_TURNS  # three times ten loops of three calls
LOOP_RECORDS = 3  # per call that write_records writes, approximately: Enter, operation, Leave
IDLE = 4  # seconds, after which a system may have returned unused memory to its host


@dataclass
class Costs:
    """Seconds of CPU time, for each turn."""

    call: list  # total of recording, with its share of the archive that is written at the end
    clock: list  # two readings of the clock
    record: list  # OTF2's writer alone, with its share of the file
    signal: float  # delivery of a signal


def _costs(programs, folder, options):
    """Costs of a program that only calls MPI, and of one that only writes its records."""
    archives = Archives(programs, folder, "p2p", LOOP_TURNS)

    def otf2():
        time.sleep(IDLE)
        return archives.otf2()

    samples = alternate({"plain": archives.plain, "recorded": archives.with_stacks, "otf2": otf2},
                        options.repeats)
    archives.remove()
    written = [nanoseconds(s) + nanoseconds(s, "per call for flushes") for s in samples["otf2"]]
    return Costs(
        call=[(r.cpu - p.cpu) / LOOP_CALLS
              for r, p in zip(samples["recorded"], samples["plain"])],
        clock=[2e-9 * nanoseconds(s, "for the recorder's clock") for s in samples["otf2"]],
        record=[1e-9 * w / LOOP_RECORDS for w in written],
        signal=_signal_delivery())


def _signal_delivery():
    """Seconds that a signal with an empty handler takes a process that sends it itself; the
    median of several thousands."""
    received = []
    before = signal.signal(signal.SIGUSR1, lambda *_: received.append(None))
    times = []
    for _ in range(5000):
        begin = time.thread_time()
        os.kill(os.getpid(), signal.SIGUSR1)
        times.append(time.thread_time() - begin)
    signal.signal(signal.SIGUSR1, before)
    return median(times)


class Runs:
    """Runs an application in each of its ways. All runs count calls, so that they differ in
    nothing else."""

    def __init__(self, programs, folder, application):
        self.programs = programs
        self.folder = folder
        self.application = application
        self.archive = folder / "application"
        self.notes = folder / "in-turn"
        self.environment = dict(os.environ, OMP_NUM_THREADS="1",
                                LD_PRELOAD=str(programs.bench / application.in_turn),
                                RECORD_IN_TURN=str(self.notes / "rank"))

    def _run(self, *front, stretch=0):
        """@return the sample with `processes`: the results of the processes"""
        for folder in (self.archive, self.notes):
            shutil.rmtree(folder, ignore_errors=True)
        self.notes.mkdir()
        sample = run([*front, *self.application.launcher, *self.application.command],
                     directory=self.folder, may_fail=self.application.crashes,
                     environment=dict(self.environment, RECORD_IN_TURN_CALLS=str(stretch)))
        sample.processes = [read_process(path) for path in self.notes.iterdir()]
        if len(sample.processes) != RANKS:
            raise ProgramFailed(f"{self.application.name}: {len(sample.processes)} processes")
        return sample

    def _record(self, *options, stretch=0):
        return self._run(self.programs.fermata, "record", *options, "-o", self.archive, "--",
                         stretch=stretch)

    def plain(self):
        return self._run()

    def recorded(self):
        sample = self._record()
        facts = self.environment_facts()
        sample.events = facts["events"]
        sample.sampling = facts["sampling"]
        return sample

    def environment_facts(self):
        """The recorder's description of the last run."""
        with open(self.archive / "environment.json", encoding="utf-8") as file:
            return json.load(file)

    def in_turn(self):
        return self._record(stretch=self.application.stretch)

    def distance(self):
        """Number of calls and microseconds between them."""
        self._record("--callpath=flat")  # an Enter for each MPI call, and no other Enter
        return _distance(self.programs, self.archive)

    def remove(self):
        shutil.rmtree(self.archive)
        shutil.rmtree(self.notes)


def _inside(sample):
    return sum(process.inside for process in sample.processes)


def _within(sample):
    """Slowdown of recorded stretches, as a share; the mean of the processes, because they wait
    for each other."""
    return sum(slowdown_of(process.stretches) for process in sample.processes) / RANKS


def _of_samples(recorded, costs):
    """The CPU time within the run that samples take, as a share."""
    sampling = recorded.sampling
    return (sampling["seconds"] + sampling["signals"] * costs.signal) / _inside(recorded)


def _outside(sample):
    """CPU seconds before MPI_Init's and after MPI_Finalize's end, of all processes."""
    return sample.cpu - _inside(sample)


def _check_stretches(sample, application, calls):
    """Calls that are not assigned to stretches would be missing in the cost of both ways. The
    regions of SOR are such calls, five of an iteration's 22 to 44."""
    for process in sample.processes:
        if len(process.stretches) * application.stretch < 0.7 * calls / RANKS:
            raise ProgramFailed(f"{application.name}: record_in_turn.c lacks some of its calls; add them to its list")


def slowdown(programs, folder, options):
    """P3: each application without the recorder, with it, and alternating within the run."""
    costs = _costs(programs, folder, options)
    cost = median(costs.call)
    yield Figure("P3", f"CPU time of calls {DISTANCE} us apart, by their cost in a tight loop",
                 [1 + c / (DISTANCE * 1e-6) for c in costs.call], BAR,
                 details={"ns_per_recorded_call": cost * 1e9,
                          "ns_of_two_clocks": median(costs.clock) * 1e9,
                          "ns_per_record_of_otf2": median(costs.record) * 1e9})
    for application in _applications(programs, folder, options.application_length):
        runs = Runs(programs, folder, application)
        samples = alternate({"plain": runs.plain, "recorded": runs.recorded,
                             "in turn": runs.in_turn}, options.repeats)
        of_samples = [_of_samples(sample, costs) for sample in samples["recorded"]]
        calls, distance = runs.distance()
        _check_stretches(samples["in turn"][0], application, calls)
        runs.remove()
        bar = BAR if distance >= DISTANCE else None
        within = [1 + _within(sample) for sample in samples["in turn"]]
        details = {
            "us_between_calls": distance,
            "calls_per_rank": calls / RANKS,
            "wall_s": {name: median([s.wall for s in samples[name]]) for name in samples},
            "cpu_s": {name: median([s.cpu for s in samples[name]]) for name in samples},
            "cpu_outside_s": {name: median([_outside(s) for s in samples[name]])
                              for name in samples},
            "samples_per_run": median([s.sampling["samples"] for s in samples["recorded"]]),
            "us_per_sample": median([1e6 * s.sampling["seconds"] / max(1, s.sampling["signals"])
                                     for s in samples["recorded"]]),
            "us_per_signal": 1e6 * costs.signal,
            "expected_of_the_cost_of_a_call": 1 + cost / (distance * 1e-6),
        }
        about = f"{application.name}, calls {distance:.1f} us apart"
        yield Figure("P3", f"CPU time, {about}",
                     [w + s for w, s in zip(within, of_samples)], bar, details=details)
        yield Figure("P3", f"its floor: clock, OTF2's writer and files alone, {application.name}",
                     [1 + (calls * c + recorded.events * r) / plain.cpu
                      for c, r, recorded, plain in zip(costs.clock, costs.record,
                                                       samples["recorded"], samples["plain"])],
                     None)
        yield Figure("P3", f"within the run, without samples, {application.name}", within, None)
        yield Figure("P3", f"samples within the run, {application.name}",
                     [1 + share for share in of_samples], None)
        if not application.crashes:  # the CPU time of processes that crash is not always known
            yield Figure("P3", f"start, end and archive: CPU seconds, {application.name}",
                         [_outside(r) - _outside(p) for r, p in zip(samples["recorded"],
                                                                    samples["plain"])], None)
        yield Figure("P3", f"whole runs side by side: CPU time, {application.name}",
                     ratios_of(samples["recorded"], samples["plain"], cpu_of), None)
        yield Figure("P3", f"whole runs side by side: elapsed time, {application.name}",
                     ratios_of(samples["recorded"], samples["plain"], wall_of), None)

# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs side by side and computes ratios of their costs."""

import os
import statistics
import subprocess
import time
from dataclasses import dataclass, field


@dataclass
class Sample:
    """The costs of one run of a program."""

    wall: float  # seconds
    cpu: float  # seconds, user and system
    peak: int  # bytes: largest resident set
    anonymous: int = 0  # bytes: largest resident set without pages of files; 0: not measured
    output: str = ""


class ProgramFailed(Exception):
    """A measured program failed."""


def _watch_anonymous(process, interval=0.005):
    """The largest RssAnon of a process until its end, as sampled by polling."""
    largest = 0
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid != 0:
            return largest, status, usage
        try:
            with open(f"/proc/{process.pid}/status", encoding="ascii") as lines:
                for line in lines:
                    if line.startswith("RssAnon:"):
                        largest = max(largest, int(line.split()[1]) * 1024)
        except OSError:
            pass
        time.sleep(interval)


def run(command, watch=False, environment=None, directory=None, may_fail=False):
    """Runs a program to its end and returns its costs. `watch` also samples its anonymous
    memory, which adds a small load to the machine. `may_fail`: its exit code does not matter."""
    with open(os.devnull, "rb") as nothing, os.fdopen(os.memfd_create("output"), "w+b") as output:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdin=nothing, stdout=output, stderr=subprocess.STDOUT,
                                   env=environment, cwd=directory)
        anonymous = 0
        if watch:
            anonymous, status, usage = _watch_anonymous(process)
        else:
            _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if process.returncode != 0 and not may_fail:
        raise ProgramFailed(f"{' '.join(map(str, command))}: exit code {process.returncode}\n{text}")
    return Sample(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, anonymous, text)


def open_mpi(processes):
    """The command that starts a number of processes of Open MPI, without the program."""
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(processes)]


def open_shmem(processes):
    """The command that starts a number of PEs of Open MPI's OpenSHMEM, without the program. Such
    programs may crash behind shmem_finalize: their exit codes do not matter."""
    return ["oshrun", "--allow-run-as-root", "--oversubscribe", "--mca", "sshmem", "sysv",
            "-n", str(processes)]


def mpich(processes):
    """The command that starts a number of processes of MPICH, without the program."""
    return ["mpirun.mpich", "-n", str(processes)]


def alternate(runs, repeats):
    """Runs several measurements in turn, `repeats` times after a first round for warming up.
    `runs` maps names to functions that return a sample; the result maps the names to lists of
    samples."""
    samples = {name: [] for name in runs}
    for turn in range(repeats + 1):
        for name, measure in runs.items():
            sample = measure()
            if turn > 0:
                samples[name].append(sample)
    return samples


def median(values):
    return statistics.median(values)


@dataclass
class Figure:
    """One line of the table: a ratio and its bar (None: no bar)."""

    bar_id: str
    what: str
    ratios: list
    bar: float
    at_most: bool = True  # whether the ratio must stay below the bar
    unit: str = ""
    details: dict = field(default_factory=dict)

    @property
    def median(self):
        return median(self.ratios)

    @property
    def holds(self):
        if self.bar is None:
            return None
        return self.median <= self.bar if self.at_most else self.median >= self.bar

    def as_json(self):
        return {
            "id": self.bar_id,
            "what": self.what,
            "median": self.median,
            "min": min(self.ratios),
            "max": max(self.ratios),
            "bar": self.bar,
            "at_most": self.at_most,
            "unit": self.unit,
            "holds": self.holds,
            "details": self.details,
        }


def ratios_of(numerator, denominator, quantity):
    """Ratios of runs of the same turn; `quantity` is a function of a sample."""
    return [quantity(a) / quantity(b) for a, b in zip(numerator, denominator)]


def wall_of(sample):
    return sample.wall


def cpu_of(sample):
    return sample.cpu

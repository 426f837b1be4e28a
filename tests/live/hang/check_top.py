# SPDX-License-Identifier: BSD-3-Clause
"""`fermata top` shows who waits for whom while no call of a program ends, and no longer when calls end again: with
counters and without.

usage: check_top.py FERMATA MPIRUN DEADLOCKS RESUMES
"""

import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time

fermata, mpirun, deadlocks, resumes = sys.argv[1:]
LONGEST = 240  # seconds for anything
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1")


class Job:
    """A program that is recorded, and `fermata top` beside it."""

    def __init__(self, folder, options, ranks, program):
        self.folder, self.ranks = pathlib.Path(folder), ranks
        self.end = time.monotonic() + LONGEST
        self.run = subprocess.Popen([fermata, "record", *options, "-o", "experiment", "--", *shlex.split(mpirun), "-n",
                                     str(ranks), *program], cwd=folder, env=ENVIRONMENT, start_new_session=True,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait(lambda: all((self.folder / str(rank)).exists() for rank in range(ranks)), "begin of the ranks")
        with open(self.folder / "top", "wb") as out:
            self.top = subprocess.Popen([fermata, "top", "-p", "0.1", "experiment"], cwd=folder, stdout=out,
                                        stderr=subprocess.STDOUT)

    def wait(self, condition, what):
        while not condition():
            if time.monotonic() > self.end:
                raise AssertionError(f"{what} did not come: {self.shown()[-3000:]}")
            time.sleep(0.05)

    def shown(self):
        path = self.folder / "top"
        return path.read_text(errors="replace") if path.exists() else ""

    def periods(self):
        """What was shown in each period that is complete."""
        return [" ".join(text.split()) for text in self.shown().split("experiment: ")[1:-1]]

    def wait_shown(self, *words):
        self.wait(lambda: any(all(word in text for word in words) for text in self.periods()[-3:]), words)

    def wait_gone(self, *words):
        self.wait(lambda: self.periods() and not any(word in self.periods()[-1] for word in words), f"end of {words}")

    def kill(self):
        for rank in range(self.ranks):
            try:
                os.kill(int((self.folder / str(rank)).read_text()), signal.SIGKILL)
            except ProcessLookupError:
                pass  # it has ended with another one

    def finish(self):
        self.run.wait(timeout=LONGEST)
        assert self.top.wait(timeout=LONGEST) == 0, self.shown()


def check_deadlock(folder, options):
    job = Job(folder, options, 3, [deadlocks, folder, "receive_ring"])
    try:
        job.wait_shown("no call has ended on any rank for", "Deadlock: all 3 ranks wait for each other in a circle.",
                       "rank 0 -> rank 2 -> rank 1 -> rank 0.", "receive_ring/MPI_Recv")
    finally:
        job.kill()
    job.finish()


def check_end_of_waiting(folder, options):
    job = Job(folder, options, 2, [resumes, folder])
    try:
        job.wait_shown("no call has ended on any rank for", "no deadlock is proved", "rank 1: last seen in", "wait_for_go",
                       "rank 0: in", "main/MPI_Allreduce")
        (job.folder / "go").touch()
        job.wait_gone("no call has ended", "no deadlock is proved")
    finally:
        (job.folder / "go").touch()
        (job.folder / "stop").touch()
    job.finish()
    assert job.run.returncode == 0
    assert "Deadlock" not in job.shown(), job.shown()


def check_counters_only(folder):
    job = Job(folder, ["--counters-only"], 3, [deadlocks, folder, "receive_ring"])
    try:
        job.wait_shown("no call has ended on any rank for", "if their calls are recorded")
    finally:
        job.kill()
    job.finish()
    assert "Deadlock" not in job.shown(), job.shown()


def main():
    for options in ([], ["--counters"]):
        for check in (check_deadlock, check_end_of_waiting):
            with tempfile.TemporaryDirectory() as folder:
                check(folder, options)
    with tempfile.TemporaryDirectory() as folder:
        check_counters_only(folder)


main()

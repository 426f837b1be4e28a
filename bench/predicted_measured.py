#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Predictions against reality: programs are run and changed, really and by `fermata whatif`.

usage: predicted_measured.py [BUILD [LIBRARY [RUNS [FOLDER]]]]      (build, openmpi, 5, a temporary folder)

The programs sleep where they would compute, so that their ranks may share processors. Each case runs the
program as it is and with the change, in turn, RUNS times. Printed is a table in Markdown: the median of the
predictions from the runs without the change, the median of the runs with it, how far these lie apart, and
the error of the prediction. All times are without start-up: Init takes no time (init=0).
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

OCEAN = "ocean-cg --size 64x64 --iterations 5"
LOCKS = "lock-contention --first %s --skew %s --hold %s"
PATTERN = "patterns --pattern %s --delay %s"
HYBRID = "hybrid-serial --steps 6 --serial %s --parallel %s"

BT = "bt-rma --variant %s --work 0.1 --rotate 300 --iterations 2"

LATE = "lmp -in %s -log none -var pause" % os.path.join(os.path.dirname(os.path.abspath(__file__)), "late.lmp")

# The one case that only MPICH has: a progress thread instead of a changed program.
WITH_PROGRESS_THREAD = "a progress thread (MPICH)"
PROGRESS_THREAD = {"MPICH_ASYNC_PROGRESS": "1"}

# what is changed: ranks, threads, program, changes, program with the change
CASES = [
    ("the excess of a rank removed", 4, 1, OCEAN + " --matvec 0.1 --imbalance 300:3",
     ["level=matvec"], OCEAN + " --matvec 0.1"),
    ("its work spread evenly", 4, 1, OCEAN + " --matvec 0.1 --imbalance 300:3",
     ["balance=matvec"], OCEAN + " --matvec 0.175"),
    ("half of the time in a function", 4, 1, OCEAN + " --matvec 0.2 --imbalance 100:1",
     ["scale=matvec:0.5"], OCEAN + " --matvec 0.1 --imbalance 100:1"),
    ("no barrier before the exchange", 4, 1, OCEAN + " --matvec 0.1 --imbalance 200:2",
     ["remove=MPI_Barrier"], OCEAN + " --matvec 0.1 --imbalance 200:2 --no-barrier"),
    ("a lock held a fifth of the time", 3, 1, LOCKS % (0.6, 0.05, 1.5), ["scale=bar:0.2"],
     LOCKS % (0.6, 0.05, 0.3)),
    ("two locks instead of one", 4, 1, LOCKS % (0.2, 0.05, 0.5) + " --all", ["split-lock=MPI_Win_lock:2"],
     LOCKS % (0.2, 0.05, 0.5) + " --all --two-locks"),
    ("twice the work before a lock", 3, 1, LOCKS % (0.4, 0.2, 1), ["scale=foo:2"],
     LOCKS % (0.8, 0.4, 1)),
    ("an earlier send", 2, 1, PATTERN % ("latesender", 1.2), ["scale=nanosleep:0.25"],
     PATTERN % ("latesender", 0.3)),
    ("an earlier receive", 2, 1, PATTERN % ("latereceiver_wait", 1.2), ["scale=nanosleep:0.25"],
     PATTERN % ("latereceiver_wait", 0.3)),
    ("shorter tasks of a shared queue", 3, 1, "work-queue --tasks 24 --mean 0.1",
     ["scale=nanosleep:0.5"], "work-queue --tasks 24 --mean 0.05"),
    ("a shorter serial part beside threads", 2, 2, HYBRID % (0.2, 0.2), ["scale=physics:0.25"],
     HYBRID % (0.05, 0.2)),
    ("fences wait for partners only", 4, 1, BT % "fence-only", ["narrow=MPI_Win_fence"],
     BT % "gats-single"),
    ("SOR whose image 2 is less late", 3, 1, "caf-sor --iterations 10 --late 60:2",
     ["scale=usleep:0.333"], "caf-sor --iterations 10 --late 20:2"),
    ("LAMMPS whose rank 0 is not late any more", 3, 1, LATE + " 0.3", ["level=main/.,ranks=0"],
     LATE + " 0.001"),
    ("LAMMPS whose rank 0 is less late", 3, 1, LATE + " 0.3", ["scale=main/.:0.333,ranks=0"],
     LATE + " 0.1"),
    (WITH_PROGRESS_THREAD, 3, 1, "srumma --blocks 4 --length 16 --late 100:1 --window create",
     ["noprogress-wait"], "srumma --blocks 4 --length 16 --late 100:1 --window create"),
    ("a shorter parallel part", 2, 2, HYBRID % (0.1, 0.4), ["scale=dynamics:0.5"],
     HYBRID % (0.1, 0.2)),
]


class Runner:
    """Runs and predicts with one build and MPI library."""

    def __init__(self, build, library, folder):
        self.fermata = os.path.join(build, "bin", "fermata")
        self.programs = os.path.join(build, "workloads", library)
        self.folder = folder
        self.launcher = [shutil.which("mpirun." + library) or "mpirun"]
        if library == "openmpi":
            self.launcher += ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
            if os.getuid() == 0:
                self.launcher.append("--allow-run-as-root")

    def record(self, ranks, threads, command, **variables):
        experiment = os.path.join(self.folder, "experiment")
        shutil.rmtree(experiment, ignore_errors=True)
        program, *arguments = command.split()
        own = os.path.join(self.programs, program)
        subprocess.run([self.fermata, "record", "-o", experiment, *self.launcher, "-n", str(ranks),
                        own if os.path.exists(own) else shutil.which(program), *arguments], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env=dict(os.environ, OMP_NUM_THREADS=str(threads), **variables))
        return experiment

    def run_time(self, experiment, changes):
        out = os.path.join(self.folder, "predicted")
        shutil.rmtree(out, ignore_errors=True)
        subprocess.run([self.fermata, "whatif", "--check", experiment, "-o", out, "init=0", *changes],
                       check=True, stdout=subprocess.DEVNULL)
        report = subprocess.run([self.fermata, "report", "--format=json", out], check=True,
                                stdout=subprocess.PIPE).stdout
        return json.loads(report)["experiment"]["duration"]


def measure(runner, case, runs):
    name, ranks, threads, command, changes, changed = case
    really = PROGRESS_THREAD if name == WITH_PROGRESS_THREAD else {}
    before, predicted, measured = [], [], []
    for _ in range(runs):
        experiment = runner.record(ranks, threads, command)
        before.append(runner.run_time(experiment, []))
        predicted.append(runner.run_time(experiment, changes))
        measured.append(runner.run_time(runner.record(ranks, threads, changed, **really), []))
    return before, predicted, measured


def main(build="build", library="openmpi", runs="5", folder=None):
    errors = []
    print("| change | before | predicted | measured | spread | error |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as temporary:
        for case in CASES:
            is_of_mpich = case[0] == WITH_PROGRESS_THREAD
            runner = Runner(build, "mpich" if is_of_mpich else library, folder or temporary)
            before, predicted, measured = measure(runner, case, int(runs))
            middle = statistics.median(measured)
            error = (statistics.median(predicted) - middle) / middle
            errors.append(abs(error))
            print("| %s: `%s` | %.3f s | %.3f s | %.3f s | %.3f-%.3f s | %+.1f %% |"
                  % (case[0], " ".join(case[4]), statistics.median(before),
                     statistics.median(predicted), middle, min(measured), max(measured),
                     100 * error), flush=True)
    print("\nMedian error: %.1f %%" % (100 * statistics.median(errors)))


if __name__ == "__main__":
    main(*sys.argv[1:])

# SPDX-License-Identifier: BSD-3-Clause
"""Workloads of MPI and OpenMP outside of parallel regions: each thread but the master is idle as long as the master
is there, in its call path (Wolf 2002, sections 5.3 and 5.4); receives in the reverse order; a loop whose static
schedule makes one thread late. Outputs do not change, traces are consistent, the analysis keeps its invariants.

usage: check_hybrid_workloads.py FERMATA LAUNCHER FOLDER   FOLDER: of the programs
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))

from mpi_launcher import mpi_command  # noqa: E402

RANKS, THREADS = 2, 3
SWEEP = ["--size", "16x16", "--block", "4", "--angles", "12", "--groups", "2", "--work", "0.003"]
SERIAL = ["--points", "12", "--steps", "6", "--serial", "0.006", "--parallel", "0.012"]


def run(command):
    environment = {**os.environ, "OMP_NUM_THREADS": str(THREADS), "OMP_WAIT_POLICY": "passive", "OMP_PROC_BIND": "false"}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=200,
                          env=environment)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done


class Report:
    """Values of the metrics of an experiment, exclusive in call paths; children of a metric included."""

    def __init__(self, fermata, experiment):
        self.json = json.loads(run([fermata, "report", "--format=json", experiment]).stdout)
        self.threads = {each["id"]: each["thread"] for each in self.json["locations"]}
        self._parents = {each["id"]: each["parent"] for each in self.json["metrics"]}
        self._paths = []
        for each in self.json["callpaths"]:
            above = [] if each["parent"] is None else self._paths[each["parent"]]
            self._paths.append([*above, each["region"]])

    def _is_within(self, metric, root):
        while metric is not None and metric != root:
            metric = self._parents[metric]
        return metric == root

    def value(self, metric, region, is_master=None):
        """The sum in all call paths that contain a region, over all locations, or the masters or others alone."""
        return sum(each["value"] for each in self.json["severities"]
                   if self._is_within(each["metric"], metric) and region in self._paths[each["callpath"]]
                   and is_master in (None, self.threads[each["location"]] == 0))

    def problem(self):
        """The call path and the threads of the largest problem of waiting."""
        first = next(each for each in self.json["problems"] if each["cause"]["kind"] != "idle")
        return self._paths[first["cause"]["callpath"]], {self.threads[each] for each in first["cause"]["locations"]}


def record(fermata, launcher, folder, program):
    plain = run(mpi_command(launcher, RANKS, program))
    experiment = folder / f"experiment-{len(list(folder.iterdir()))}"
    recorded = run([fermata, "record", "-o", experiment, "--", *mpi_command(launcher, RANKS, program)])
    assert recorded.stdout == plain.stdout and "correct" in plain.stdout, (plain.stdout, recorded.stdout)
    run([fermata, "check", experiment])
    run([fermata, "analyze", "--check", "-q", experiment])
    return Report(fermata, experiment)


def check_idle(report, region):
    """@return the time of the masters in a region outside of parallel regions"""
    master = report.value("execution", region, True)
    idle = report.value("omp_idle_threads", region)
    assert master > 0 and abs(idle - (THREADS - 1) * master) <= 1e-6 * idle, (region, idle, master)
    return master


def check_sweep(report, is_reverse):
    received = check_idle(report, "receive_block")
    late = report.value("mpi_latesender", "receive_block")
    wrong = report.value("mpi_latesender_wo", "receive_block")
    assert 0 < late <= received, (late, received)
    assert (wrong > 0) == is_reverse, wrong


def check_late_thread(report):
    """Of six angles of a group, the last three are long: the last thread has two of them, the master none."""
    path, threads = report.problem()
    assert "angle_of_block" in path and THREADS - 1 in threads, (path, threads)
    waits = {thread: sum(each["value"] for each in report.json["severities"]
                         if each["metric"] == "omp_ibarrier_wait" and report.threads[each["location"]] == thread)
             for thread in range(THREADS)}
    assert waits[0] > waits[2], waits


def check_efficiencies(report):
    """The factors of processes and threads multiply to the whole."""
    whole = report.json["efficiency"]
    hybrid = whole["hybrid"]
    for name, one, other in (("processes", "process_balance", "process_communication"),
                             ("threads", "thread_balance", "thread_work")):
        assert abs(hybrid[name] - hybrid[one] * hybrid[other]) < 1e-9, hybrid
    assert abs(whole["parallel_efficiency"] - hybrid["processes"] * hybrid["threads"]) < 1e-9, whole


def main():
    fermata, launcher, programs = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sweep = [programs / "hybrid-sweep", *SWEEP]
        static = record(fermata, launcher, folder, sweep)
        check_sweep(static, False)
        check_late_thread(static)
        check_efficiencies(static)
        check_sweep(record(fermata, launcher, folder, [*sweep, "--reverse", "--dynamic"]), True)
        serial = record(fermata, launcher, folder, [programs / "hybrid-serial", *SERIAL])
        check_idle(serial, "physics")
        text = run([fermata, "report", "--top", "30", folder / "experiment-2"]).stdout
        headline = f"{THREADS - 1} of {THREADS} threads of each rank are idle while `physics"
        assert headline in " ".join(text.split()), text  # on a busy machine the start takes longer
    wrong = subprocess.run([programs / "hybrid-sweep", "--groups", "5"], capture_output=True, text=True, timeout=100)
    assert wrong.returncode == 2 and "no multiple" in wrong.stderr, wrong


main()

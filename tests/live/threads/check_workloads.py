# SPDX-License-Identifier: BSD-3-Clause
"""The workloads of threads: they compute the right results, recorded as well as not; their traces are
consistent and keep all invariants of the analysis; and whoever makes the others wait by a planted delay is
told.

usage: check_workloads.py --fermata FERMATA FOLDER...   folders: of the programs, one for each compiler
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# Program, compilers whose programs are recorded, arguments, threads of OpenMP, what it prints, metrics of
# the waiting with their kinds, the thread with the planted delay (in the order of creation, the main thread is 0; None:
# any one, that which executes the slow task).
RUNS = [
    ("hash-table", ("gcc", "clang"),
     ["--threads", "3", "--words", "150", "--work", "0.0003", "--holder", "1", "--hold", "0.02"], 1,
     "3 threads, 150 words each, all are counted",
     {"pthread_lock_contention_mutex_lock": "pthread_lock_mutex"}, 2),
    ("pthread-pipeline", ("gcc", "clang"),
     ["--items", "40", "--work", "0", "--slow", "1", "--delay", "0.004"], 1,
     "40 items through 3 stages, sum 5e3f7d7dc094a9d4, correct",
     {"pthread_condition_wait": "pthread_condition_wait"}, 2),
    # Threads without tasks wait for the end of the slow task, or for the tasks that it creates.
    ("omp-tasks", ("gcc", "clang"), ["--queens", "6", "--slow", "2", "--delay", "0.3"], 3,
     "6 queens, 4 solutions, correct",
     {"omp_ibarrier_wait": "ompbarrier", "omp_taskwait_wait": "omp_taskwait_wait"}, None),
]
WRONG = [("hash-table", ["--stripes", "0"]), ("pthread-pipeline", ["--stages", "1"]),
         ("omp-tasks", ["--queens", "13"])]
# One thread causes nearly all waiting of the kind; a busy machine causes some, too.
SHARE = 0.5
LEAST = 0.01  # seconds: an eighth of the smallest planted delay
LEAST_OF_TASKS = 0.5  # two threads wait for a delay of 0.3


def run(command, **arguments):
    return subprocess.run(command, capture_output=True, text=True, timeout=100, **arguments)


def record(options, folder, program, arguments, threads, message):
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    plain = run([program, *arguments], env=environment)
    if plain.returncode != 0 or message not in plain.stdout:
        sys.exit(f"{program}: {plain}")
    experiment = folder / "experiment"
    recorded = run([options.fermata, "record", "-o", experiment, "--", program, *arguments],
                   env=environment)
    if (recorded.returncode, recorded.stdout) != (0, plain.stdout):
        sys.exit(f"{program}, recorded: {recorded}")
    for command in (["check", experiment], ["analyze", "--check", "-q", experiment]):
        done = run([options.fermata, *command])
        if done.returncode != 0:
            sys.exit(f"{program}: fermata {command[0]}: {done}")
    report = json.loads(run([options.fermata, "report", "--format=json", experiment]).stdout)
    report["text"] = " ".join(run([options.fermata, "report", experiment]).stdout.split())
    return report


def blame_of_threads(report, kinds):
    """{number of the thread: time that others waited for it}."""
    threads = {location["id"]: location["thread"] for location in report["locations"]}
    blame = {}
    for severity in report["severities"]:
        if severity["metric"] in ["blame_" + kind for kind in kinds if kind]:
            thread = threads[severity["location"]]
            blame[thread] = blame.get(thread, 0) + severity["value"]
    return blame


def total(report, metrics):
    return sum(severity["value"] for severity in report["severities"] if severity["metric"] in metrics)


def check_lock(report, program, planted):
    """The lock is named by its variable, the planted thread holds it longest, and a problem names it."""
    locks = [lock for lock in report["locks"] if lock["name"].startswith("table_locks")]
    threads = {location["id"]: location["thread"] for location in report["locations"]}
    if len(locks) != 1 or not locks[0]["holders"]:
        return f"{program}: locks {report['locks']}"
    longest = max(locks[0]["holders"], key=lambda holder: holder["held"])
    if threads[longest["location"]] != planted:
        return f"{program}: thread {planted} does not hold the lock longest: {locks[0]}"
    if report["locks"].index(locks[0]) not in [problem["lock"] for problem in report["problems"]]:
        return f"{program}: no problem names the lock: {report['problems']}"
    return None


def check(report, program, metrics, planted):
    waiting = total(report, metrics)
    names = " and ".join(metrics)
    if waiting < LEAST:
        return f"{program}: {names}: nobody waits for long, {waiting} s"
    blame = blame_of_threads(report, metrics.values())
    most = max(blame.values())
    if most < SHARE * sum(blame.values()) or planted is not None and blame[planted] < most:
        return f"{program}: {names}: {waiting} s, blame of threads {blame}"
    print(f"{program}: {names}: {waiting:.3f} s, {most:.3f} s of it for one thread")
    return None


def check_tasks(report, program, metrics):
    """Both threads without tasks wait for the slow one, and the report says that they have none."""
    waiting = total(report, metrics)
    if waiting < LEAST_OF_TASKS:
        return f"{program}: the threads without tasks wait for {waiting} s only"
    for sentence in ("No task for", "threads have no task while others execute theirs"):
        if sentence not in report["text"]:
            return f"{program}: the report does not say {sentence!r}: {report['text'][:3000]}"
    measured, computation = total(report, {"measured_time"}), total(report, {"comp"})
    if measured > 1.2 * computation + LEAST:
        return f"{program}: {measured} s are measured as computation, but only {computation} s are any"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fermata", required=True)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    failures = []
    for programs in options.folders:
        for name, arguments in WRONG:
            if (programs / name).exists():
                done = run([programs / name, *arguments])
                if done.returncode != 2 or "wrong argument" not in done.stderr:
                    failures.append(f"{name} {arguments}: {done}")
        for name, compilers, arguments, threads, message, metrics, planted in RUNS:
            if not (programs / name).exists() or programs.name not in compilers:
                continue
            with tempfile.TemporaryDirectory() as folder:
                report = record(options, pathlib.Path(folder), programs / name, arguments, threads, message)
                failures += filter(None, [check(report, name, metrics, planted),
                                          check_lock(report, name, planted) if name == "hash-table" else None,
                                          check_tasks(report, name, metrics) if name == "omp-tasks" else None])
    if failures:
        sys.exit("\n".join(failures))


main()

# SPDX-License-Identifier: BSD-3-Clause
"""Records a program whose threads begin and end in many ways (life.c), and compares their records with
what the program does: its output is that without fermata, every creation has its begin, end and join.

usage: check_life.py --fermata FERMATA PROGRAM CASE [COUNT]
"""
import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

from thread_records import Trace

# Calls and functions that last until the program ends, because nothing ends them.
ENDLESS = {"alive": ["sem_wait", "forever", "wait_forever"],
           "blocked": ["pthread_cond_wait", "pthread_mutex_lock", "pthread_barrier_wait", "pthread_join",
                       "blocked_in_condition", "blocked_in_lock", "blocked_in_barrier", "blocked_in_join"],
           "worker": ["pthread_join", "calls_exit"]}

# Calls among them that name what they wait for.
NAMED = {"sem_wait", "pthread_cond_wait", "pthread_barrier_wait"}

# Per case: threads created, those that end, those that are joined, functions that the threads execute
# (name: number of visits), names of recorded calls that must be there.
CASES = {
    "joined": (4, 4, 4, {"work": 3, "work_c11": 1}, {"pthread_create": 3, "thrd_create": 1,
                                                     "pthread_join": 3, "thrd_join": 1}),
    "alive": (2, 0, 0, {"forever": 1, "wait_forever": 1}, {"pthread_create": 2, "sem_wait": 1}),
    "blocked": (4, 0, 0, {"blocked_in_condition": 1, "blocked_in_lock": 1, "blocked_in_barrier": 1,
                          "blocked_in_join": 1},
                {"pthread_create": 4, "pthread_cond_wait": 1, "pthread_mutex_lock": 1,
                 "pthread_barrier_wait": 1, "pthread_join": 1}),
    "worker": (1, 0, 0, {"calls_exit": 1}, {"pthread_create": 1, "pthread_join": 1}),
    "detached": (6, 6, 0, {"post": 6}, {"pthread_create": 6}),
    "cancelled": (3, 3, 3, {"wait_for_condition": 1, "join_other": 1, "compute_until_cancelled": 1},
                  {"pthread_create": 3, "pthread_join": 4}),
    "exits": (2, 2, 1, {"exits_inside": 1, "prints_last": 1}, {"pthread_create": 2, "pthread_join": 1}),
    "failing": (2, 2, 2, {"nothing_to_do": 1, "work": 1},
                {"pthread_create": 3, "pthread_join": 2, "pthread_tryjoin_np": 1,
                 "pthread_timedjoin_np": 1}),
    "nested": (2, 2, 2, {"parent": 1, "work": 1}, {"pthread_create": 2, "pthread_join": 2}),
    "destroys": (1, 1, 1, {"has_object": 1, "destructor": 1}, {"pthread_create": 1, "pthread_join": 1}),
}


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def compare(what, found, wanted, failures):
    if found != wanted:
        failures.append(f"{what}: {found} instead of {wanted}")


def check_order(trace, failures):
    """Begin after creation, end after begin, join after end; the records of a thread are inside."""
    for number, created in trace.created.items():
        begin, end, wait = (records.get(number) for records in (trace.begun, trace.ended, trace.waited))
        if begin is None or begin.time < created.time:
            failures.append(f"thread {number} begins at {begin}, created at {created}")
            continue
        if end is not None and (end.time < begin.time or end.location != begin.location):
            failures.append(f"thread {number} ends at {end}, begun at {begin}")
        if wait is not None and (end is None or wait.time < end.time):
            failures.append(f"thread {number} is joined at {wait}, ended at {end}")
    for location, problems in trace.outside.items():
        failures.append(f"location {location}: outside of a thread: {problems}")


def check_endless(case, trace, failures):
    for name in ENDLESS.get(case, []):
        ends = [call.leave for call in trace.calls_of(name)] or trace.left[name]
        if not ends or min(ends) < trace.end:
            failures.append(f"{name} ends at {ends}, the program at {trace.end}")
        for call in trace.calls_of(name):
            compare(f"objects that {name} waits for", len(call.records), int(name in NAMED), failures)


def check_case(case, count, trace, failures):
    if case in ("short", "many"):
        function = "nothing_to_do" if case == "short" else "meet"
        created, ended, waited = count, count, count
        functions, calls = {function: count}, {"pthread_create": count, "pthread_join": count}
    else:
        created, ended, waited, functions, calls = CASES[case]
    compare("threads created", len(trace.created), created, failures)
    compare("threads begun", sorted(trace.begun), sorted(trace.created), failures)
    compare("threads ended", len(trace.ended), ended, failures)
    compare("threads joined", len(trace.waited), waited, failures)
    outermost = collections.Counter(trace.outermost)
    for name, visits in functions.items():
        compare(f"visits of {name}", outermost[name], visits, failures)
    for name, number in calls.items():
        compare(f"calls of {name}", len(trace.calls_of(name)), number, failures)
    if case == "short":
        compare("locations", len(trace.locations), 2, failures)
    if case == "many":
        compare("locations", len(trace.locations), 1 + count, failures)
    compare("members of the team", trace.team, trace.locations, failures)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fermata", required=True)
    parser.add_argument("program")
    parser.add_argument("case")
    parser.add_argument("count", nargs="?", type=int, default=1)
    options = parser.parse_args()
    program = [options.program, options.case, str(options.count)]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "run"
        plain = run(program, folder)
        recorded = run([options.fermata, "record", "-o", str(experiment), "--", *program], folder)
        if (plain.returncode, plain.stdout) != (recorded.returncode, recorded.stdout):
            sys.exit(f"recorded, the program prints {recorded}, otherwise {plain}")
        for command in ("check", "analyze"):
            checks = ["--check"] if command == "analyze" else []
            done = run([options.fermata, command, *checks, str(experiment)], folder)
            if done.returncode != 0:
                failures.append(f"fermata {command}: {done.stdout} {done.stderr}")
        if options.case == "short":
            text = " ".join(run([options.fermata, "report", str(experiment)], folder).stdout.split())
            if f"{options.count:,} threads together" not in text or "Keep threads in a pool" not in text:
                failures.append(f"the report does not tell that threads are too short: {text}")
        trace = Trace(experiment / "traces.otf2")
        check_order(trace, failures)
        check_case(options.case, options.count, trace, failures)
        check_endless(options.case, trace, failures)
    if failures:
        sys.exit("\n".join(failures))


main()

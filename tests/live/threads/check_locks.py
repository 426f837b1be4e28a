# SPDX-License-Identifier: BSD-3-Clause
"""Records threads that compete for a lock (locks.c) and checks who waited for whom: every wait has an
acquisition, and the release that ended it names when, and in which function, the holder took the lock.

usage: check_locks.py --fermata FERMATA PROGRAM KIND
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from thread_records import Trace

ROUNDS = 5
HELD = 0.004  # seconds
# Per kind: the waiting call, the releasing call, the function that takes the lock, the variable.
KINDS = {
    "mutex": ("pthread_mutex_lock", "pthread_mutex_unlock", "lock_mutex", "mutex"),
    "timed": ("pthread_mutex_timedlock", "pthread_mutex_unlock", "lock_timed", "mutex"),
    "recursive": ("pthread_mutex_lock", "pthread_mutex_unlock", "lock_recursive", "recursive"),
    "rwlock": ("pthread_rwlock_rdlock", "pthread_rwlock_unlock", "lock_write", "rwlock"),
    "spin": ("pthread_spin_lock", "pthread_spin_unlock", "lock_spin", "spin"),
    "c11": ("mtx_lock", "mtx_unlock", "lock_c11", "c11"),
}


def record(options, folder, name, *settings):
    program = [options.program, options.kind]
    plain = subprocess.run(program, cwd=folder, capture_output=True, text=True, timeout=60)
    done = subprocess.run([options.fermata, "record", *settings, "-o", name, "--", *program], cwd=folder,
                          capture_output=True, text=True, timeout=60)
    if (done.returncode, done.stdout) != (plain.returncode, plain.stdout):
        sys.exit(f"recorded, the program prints {done}, otherwise {plain}")
    if not (pathlib.Path(folder) / name).exists():
        if "--threads=off" in settings and ("created a thread" in done.stderr or "by --threads=off" not in done.stderr):
            sys.exit(f"the reason is not that threads are off: {done.stderr}")
        return None
    checked = subprocess.run([options.fermata, "check", name], cwd=folder, capture_output=True, text=True)
    if checked.returncode != 0:
        sys.exit(f"fermata check: {checked}")
    return Trace(pathlib.Path(folder) / name / "traces.otf2")


def records(call, kind):
    return [event for name, event in call.records if name == kind]


def attributes(event):
    return {attribute.name: value for attribute, value in (event.attributes or {}).items()}


def check_contended(trace, kind, failures):
    waiting, releasing, function, variable = KINDS[kind]
    waits = trace.calls_of(waiting)
    acquired = {event.acquisition_order: call for call in waits
                for event in records(call, "ThreadAcquireLock")}
    released = {event.acquisition_order: (event, call) for call in trace.calls_of(releasing)
                for event in records(call, "ThreadReleaseLock")}
    # A busy machine may let a waiter come late, when the lock is free again.
    if not 3 <= len(waits) <= ROUNDS or len(acquired) != len(waits):
        failures.append(f"{len(waits)} waits, {len(acquired)} acquisitions")
    for order, call in acquired.items():
        if order not in released or order - 1 not in released:
            failures.append(f"acquisition {order}: releases {sorted(released)}")
            continue
        own, before = released[order], released[order - 1]
        if own[1].location != call.location or attributes(own[0]):
            failures.append(f"acquisition {order} is released in {own}")
        held = attributes(before[0])
        since, taken_in = held.get("ACQUIRED_AT", 0), held.get("ACQUIRED_IN")
        seconds = trace.seconds(before[0].time - since)
        if not call.enter <= before[0].time <= call.leave or before[1].location == call.location:
            failures.append(f"the release before acquisition {order} is not in the wait for it")
        if seconds < HELD or since > call.enter:
            failures.append(f"the holder before {order} holds the lock for {seconds} s")
        if taken_in is None or taken_in.name != function:
            failures.append(f"the holder before {order} took the lock in {taken_in}")
        if call.path[-1:] != [function] and kind != "rwlock":
            failures.append(f"acquisition {order} is called in {call.path}")
    locks = {trace.names.get(event.lock_id) for call in waits
             for event in records(call, "ThreadAcquireLock")}
    if len(locks) != 1 or not re.fullmatch(variable + r" \(locks\.c:\d+\)", *locks):
        failures.append(f"names of the lock: {locks} instead of {variable} (locks.c:LINE)")
    if any(len(records(call, kind)) > 1 for call in trace.calls for kind in
           ("ThreadAcquireLock", "ThreadReleaseLock")):
        failures.append("a call has several records of a lock")


def check_all(trace, kind, failures):
    """Every call of the holder is there, in order, and has its record."""
    orders = []
    for call in trace.calls:
        orders += [(event.acquisition_order, name) for name, event in call.records
                   if name in ("ThreadAcquireLock", "ThreadReleaseLock")]
    wanted = [(order, name) for order in range(1, 2 * ROUNDS + 1)
              for name in ("ThreadAcquireLock", "ThreadReleaseLock")]
    if sorted(orders) != sorted(wanted):
        failures.append(f"all calls of {kind}: {sorted(orders)}")


def check_killed(options, folder, failures):
    """The archive of a killed run, rebuilt from the journals, names the lock, too."""
    done = subprocess.run([options.fermata, "record", "-o", "killed", "--", options.program, options.kind, "0", "kill"],
                          cwd=folder, capture_output=True, text=True, timeout=60,
                          env={**os.environ, "FERMATA_FLUSH_INTERVAL": "0"})
    if done.returncode != 137:
        sys.exit(f"the program was not killed: {done}")
    trace = Trace(pathlib.Path(folder) / "killed" / "traces.otf2")
    names = {trace.names.get(event.lock_id) for call in trace.calls
             for event in records(call, "ThreadAcquireLock")}
    if len(names) != 1 or not re.fullmatch(KINDS[options.kind][3] + r" \(locks\.c:\d+\)", *names):
        failures.append(f"names of the lock in a killed run: {names}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fermata", required=True)
    parser.add_argument("program")
    parser.add_argument("kind")
    options = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        trace = record(options, folder, "contended")
        locking = [call for call in trace.calls if "lock" in call.name]
        if options.kind in KINDS:
            check_contended(trace, options.kind, failures)
        elif options.kind == "count" and locking:
            failures.append(f"{len(locking)} calls of locks for which nobody waits are recorded")
        elif any("trylock" in call.name for call in locking):
            failures.append("a call that tries is recorded")
        if options.kind == "mutex":
            check_killed(options, folder, failures)
            check_all(record(options, folder, "all", "--threads=all"), options.kind, failures)
            if record(options, folder, "off", "--threads=off") is not None:
                failures.append("threads are recorded although they are off")
    if failures:
        sys.exit("\n".join(failures))


main()

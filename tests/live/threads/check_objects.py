# SPDX-License-Identifier: BSD-3-Clause
"""Records a thread that another one awakens (objects.cpp): each wait names its object, and what ends it
names the same one, inside the wait.

usage: check_objects.py --fermata FERMATA PROGRAM KIND
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

from thread_records import Trace

ROUNDS = 4
COMPUTED = 0.004  # seconds
# Per kind: the waiting call, the awakening call, rounds, whether the wait releases a mutex.
KINDS = {
    "condition": ("pthread_cond_wait", "pthread_cond_signal", ROUNDS, True),
    "c11": ("cnd_wait", "cnd_broadcast", ROUNDS, True),
    "cxx": ("pthread_cond_wait", "pthread_cond_signal", ROUNDS, True),
    "barrier": ("pthread_barrier_wait", "pthread_barrier_wait", ROUNDS, False),
    "semaphore": ("sem_wait", "sem_post", ROUNDS, False),
    "once": ("pthread_once", None, 1, False),
    "semaphore20": ("futex_wait", "futex_wake", ROUNDS, False),
    "latch": ("futex_wait", "futex_wake", 1, False),
    "atomic": ("futex_wait", "futex_wake", ROUNDS, False),
}


def object_of(call):
    """The object, from the first record of the call."""
    kind, event = call.records[0]
    assert kind == "ParameterUnsignedInt" and event.parameter.name == "synchronization object", call.records
    return event.value


def check(trace, kind, failures):
    waiting, awakening, rounds, mutex = KINDS[kind]
    waits = [call for call in trace.calls_of(waiting)
             if trace.seconds(call.leave - call.enter) >= COMPUTED / 2]
    if kind == "barrier":  # the calls of the thread that computes may take long, too
        waiter = min(trace.calls_of(waiting), key=lambda call: call.enter).location
        waits = [call for call in waits if call.location == waiter]
    if len(waits) != rounds:
        failures.append(f"{len(waits)} long waits in {waiting} instead of {rounds}")
    if len({object_of(call) for call in waits}) != 1:
        failures.append(f"objects of the waits: {[object_of(call) for call in waits]}")
    names = {trace.names.get(object_of(call), "") for call in waits}
    if not all("(anonymous namespace)::" in name if kind != "latch" else name.startswith("0x")
               for name in names):
        failures.append(f"names of the objects: {names}")
    for call in waits:
        wakes = [wake for wake in trace.calls_of(awakening) if wake.location != call.location
                 and call.enter <= wake.enter <= call.leave] if awakening else []
        if awakening and (not wakes or {object_of(wake) for wake in wakes} != {object_of(call)}):
            failures.append(f"the wait at {call.enter} is ended by {[wake.enter for wake in wakes]}")
        records = [name for name, _ in call.records[1:]]
        if records != (["ThreadReleaseLock", "ThreadAcquireLock"] if mutex else []):
            failures.append(f"records of {waiting}: {records}")
    if awakening != waiting and awakening and len(trace.calls_of(awakening)) > rounds:
        failures.append(f"{len(trace.calls_of(awakening))} calls of {awakening}")
    orders = [event.acquisition_order for call in waits for name, event in call.records
              if name in ("ThreadReleaseLock", "ThreadAcquireLock")]
    if orders != sorted(orders):
        failures.append(f"acquisitions of the mutex: {orders}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fermata", required=True)
    parser.add_argument("program")
    parser.add_argument("kind")
    options = parser.parse_args()
    program = [options.program, options.kind]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        plain = subprocess.run(program, capture_output=True, text=True, timeout=60)
        done = subprocess.run([options.fermata, "record", "-o", "run", "--", *program], cwd=folder,
                              capture_output=True, text=True, timeout=60)
        if (done.returncode, done.stdout) != (plain.returncode, plain.stdout):
            sys.exit(f"recorded, the program prints {done}, otherwise {plain}")
        for command in (["check"], ["analyze", "--check"]):
            checked = subprocess.run([options.fermata, *command, "run"], cwd=folder, capture_output=True,
                                     text=True)
            if checked.returncode != 0:
                failures.append(f"fermata {command}: {checked}")
        check(Trace(pathlib.Path(folder) / "run" / "traces.otf2"), options.kind, failures)
    if failures:
        sys.exit("\n".join(failures))


main()

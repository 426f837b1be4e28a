# SPDX-License-Identifier: BSD-3-Clause
"""Records readers and a writer of one table (readers.c), and checks who holds its lock and who waits: readers
never wait for each other, also where their acquisitions have no record.

usage: check_readers.py --fermata FERMATA PROGRAM reader|writer
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from thread_records import Trace

ROUNDS, READERS = 4, 4
WRITER = 1  # numbers of the threads
SLOW_READER = 2


def run(command, **arguments):
    return subprocess.run(command, capture_output=True, text=True, timeout=100, **arguments)


def record(options, folder, *settings):
    done = run([options.fermata, "record", *settings, "-o", folder, "--", options.program, options.slow])
    if (done.returncode, done.stdout) != (0, "done\n"):
        sys.exit(f"recorded: {done}")
    for command in (["check", folder], ["analyze", "--check", "-q", folder]):
        done = run([options.fermata, *command])
        if done.returncode != 0:
            sys.exit(f"fermata {command[0]}: {done}")
    return json.loads(run([options.fermata, "report", "--format=json", folder]).stdout)


def check_attributes(anchor, failures):
    """A release tells of a shared acquisition exactly if a reader's acquisition has no record."""
    told = {}
    for call in Trace(anchor).calls_of("pthread_rwlock_unlock"):
        for name, event in call.records:
            if name == "ThreadReleaseLock" and event.attributes:
                values = {attribute.name: value for attribute, value in event.attributes.items()}
                told.setdefault(values.get("ACQUIRED_SHARED", 0), set()).add(values["ACQUIRED_IN"].name)
    if told.get(1, set()) - {"read_table", "slow_reader", "slow_writer"} or told.get(0, set()) - {"write_table"}:
        failures.append(f"functions of shared (1) and exclusive (0) acquisitions: {told}")


def check(report, slow, failures):
    locks = [lock for lock in report["locks"] if lock["name"].startswith("table (readers.c:")]
    threads = {location["id"]: location["thread"] for location in report["locations"]}
    if len(locks) != 1:
        failures.append(f"locks: {report['locks']}")
        return
    lock = locks[0]
    # What nobody waits for has no record.
    if not 1 <= lock["exclusive"] <= ROUNDS or not 1 <= lock["shared"] <= ROUNDS * READERS:
        failures.append(f"{lock['exclusive']} exclusive holds, {lock['shared']} shared ones")
    causes = {threads[party["location"]]: party["caused"] for party in lock["holders"]}
    waits = {threads[party["location"]]: party["waiting"] for party in lock["victims"]}
    if slow == "writer":
        if max(causes, key=causes.get) != WRITER or causes[WRITER] != sum(causes.values()) or WRITER in waits:
            failures.append(f"who makes others wait: {causes}; who waits: {waits}")
        return
    readers_wait = sum(seconds for thread, seconds in waits.items() if thread != WRITER)
    if WRITER not in waits or readers_wait > causes.get(WRITER, 0) + 1e-9:
        failures.append(f"readers wait for each other: {waits}, {causes}")
    if max(causes, key=causes.get) != SLOW_READER:
        failures.append(f"who makes the writer wait: {causes}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fermata", required=True)
    parser.add_argument("program")
    parser.add_argument("slow", choices=("reader", "writer"))
    options = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        report = record(options, folder / "contended")
        check_attributes(folder / "contended" / "traces.otf2", failures)
        check(report, options.slow, failures)
        check(record(options, folder / "all", "--threads=all"), options.slow, failures)
    if failures:
        sys.exit("\n".join(failures))


main()

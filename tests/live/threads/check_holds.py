# SPDX-License-Identifier: BSD-3-Clause
"""Records a thread that computes before and while it holds a lock which it took without waiting (holds.c): by the
samples, the one function runs before the lock is taken and the other one behind it.

usage: check_holds.py --fermata FERMATA PROGRAM
"""
import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

import otf2

LONG = 0.02  # seconds: planted are 0.025
NESTED = 10  # ticks: events of functions that begin or end together are a tick apart


def read(anchor):
    """@return holds: location -> (begin, end) of long ones whose begin is no event; visits: (location, function) ->
    (enter, leave)"""
    holds, visits, stacks = collections.defaultdict(list), collections.defaultdict(list), collections.defaultdict(list)
    with otf2.reader.open(str(anchor)) as archive:
        for location, event in archive.events:
            kind = type(event).__name__
            if kind == "Enter":
                stacks[location].append(event.time)
            elif kind == "Leave":
                visits[location, event.region.name].append((stacks[location].pop(), event.time))
            elif kind == "ThreadReleaseLock":
                noted = {attribute.name: value for attribute, value in (event.attributes or {}).items()}
                begin = noted.get("ACQUIRED_AT", event.time)
                if event.time - begin > LONG * archive.timer_resolution:
                    holds[location].append((begin, event.time))
    return holds, visits


def overlap(one, others):
    return sum(max(0, min(one[1], end) - max(one[0], begin)) for begin, end in others)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fermata", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        done = subprocess.run([options.fermata, "record", "-o", experiment, "--", options.program],
                              capture_output=True, text=True, timeout=100)
        if (done.returncode, done.stdout) != (0, "done\n"):
            sys.exit(f"{done}")
        holds, visits = read(experiment / "traces.otf2")
    failures = [] if holds else ["no long hold was released while somebody waited"]
    for location, those in holds.items():
        for hold in those:
            if overlap(hold, visits[location, "prepare"]) > NESTED:
                failures.append(f"prepare goes on in the hold {hold}: {visits[location, 'prepare']}")
            if overlap(hold, visits[location, "hold"]) < hold[1] - hold[0] - NESTED:
                failures.append(f"the hold {hold} is not in the function {visits[location, 'hold']}")
        for visit in visits[location, "tidy_up"]:
            outside = visit[1] - visit[0] - overlap(visit, those)
            if outside > NESTED and any(overlap(hold, [visit]) for hold in those):
                failures.append(f"tidy_up runs outside of the hold for {outside} ticks: {visit}, {those}")
    if not any(key[1] == "tidy_up" for key in visits):
        failures.append("no sample found tidy_up")
    if failures:
        sys.exit("\n".join(failures))


main()

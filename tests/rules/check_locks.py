#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the queues for the locks of threads that fermata reports as JSON with those of the reference: waits,
lengths, the call paths in which a lock is held while others wait, and those in which they wait.

usage: check_locks.py FERMATA DIR COUNT SEED...   random scenarios (or more than COUNT: support/share.py)

Files that fail stay in DIR.
"""

import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "reference"), os.path.join(HERE, "..", "support")]
import generate  # noqa: E402
import scenario_file  # noqa: E402
import share  # noqa: E402
import thread_locks  # noqa: E402
import thread_waits  # noqa: E402
import timeline  # noqa: E402

FOCI = ("pthread", "pthread", "omp", "hybrid")
PLACES = 5


def _waits_of(holds, awakenings):
    """[(from, until, call)] in the queue for a lock."""
    waits = []
    for candidate, _ in thread_locks.queue_of(holds, awakenings):
        hold = holds[candidate.order]
        before = holds[thread_locks.blocked_by(holds, candidate.order)]
        waits.append((thread_locks._wanted_from(hold, before, awakenings), candidate.time, hold.call))
    return waits


def _longest(waits):
    """The most waits that overlap."""
    return max(sum(begin <= at < end for begin, end, _ in waits) for at, _, _ in waits)


def _held_in(holds, waits, segments):
    """{call path: time that is waited while the holder is there}."""
    times = {time for hold in holds for time in (hold.acquired, hold.end)}
    times |= {time for begin, end, _ in waits for time in (begin, end)}
    times |= {time for hold in holds for begin, end, _ in segments.get(hold.loc, ()) for time in (begin, end)}
    times, places = sorted(times), {}
    for since, until in zip(times, times[1:]):
        waiting = sum(begin <= since and until <= end for begin, end, _ in waits)
        holding = [hold for hold in holds if hold.acquired <= since and until <= hold.end]
        if not waiting or not holding:
            continue
        for begin, end, path in segments.get(holding[-1].loc, ()):
            if begin <= since and until <= end:
                places[path] = places.get(path, 0) + waiting * (until - since)
    return places


def _waited_in(waits):
    places = {}
    for begin, end, call in waits:
        number, time = places.get(call.path, (0, 0))
        places[call.path] = number + 1, time + end - begin
    return places


def expected(times):
    """{rank: [(waits, waiting, longest queue, held_in, waited_in)]} of the locks that are waited for."""
    awakenings = thread_waits.condition_awakenings(times)
    found = {}
    for holds in thread_locks.holds_of_locks(times):
        holds = [hold for hold in holds if hold.release.node != "omp_ordered"]
        waits = _waits_of(holds, awakenings)
        if waits:
            found.setdefault(holds[0].loc[0], []).append((
                len(waits), sum(end - begin for begin, end, _ in waits), _longest(waits),
                _held_in(holds, waits, times.segments), _waited_in(waits)))
    return found


def reported(document, tick):
    """The same of a report."""
    paths = {}
    for path in document["callpaths"]:
        paths[path["id"]] = paths.get(path["parent"], ()) + (path["region"],)
    found = {}
    for lock in document["locks"]:
        if lock["window"] is None and lock["target"] is not None:
            found.setdefault(lock["target"], []).append((
                lock["waits"], round(lock["waiting"] / tick), lock["longest_queue"],
                {paths[place["callpath"]]: round(place["waiting"] / tick) for place in lock["held_in"]},
                {paths[place["callpath"]]: (place["waits"], round(place["waiting"] / tick))
                 for place in lock["waited_in"]}))
    return found


def _largest(places):
    """What a report keeps of them: times only, as several may be the last ones."""
    return sorted((time[1] if isinstance(time, tuple) else time for time in places.values()), reverse=True)[:PLACES]


def is_same(should, found):
    """Whether a lock of a report is one of the reference."""
    return (should[:3] == found[:3] and all(
        _largest(places) == _largest(shown) and shown.items() <= places.items()
        for places, shown in zip(should[3:], found[3:])))


def differences(fermata, path):
    scenario = scenario_file.read_scenario(path)
    times = timeline.Timeline(scenario)
    folder = path[:-4]
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([fermata, "synth", path, "-o", folder], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([fermata, "analyze", "-q", "--check", folder], check=True)
    document = json.loads(subprocess.run([fermata, "report", "--format=json", folder], check=True,
                                         capture_output=True, text=True).stdout)
    tick = float(scenario.unit) / scenario_file.TICKS_PER_UNIT
    wanted, found = expected(times), reported(document, tick)
    shutil.rmtree(folder)
    if {rank: len(locks) for rank, locks in wanted.items()} != {rank: len(locks) for rank, locks in found.items()}:
        return [f"locks of ranks {found} instead of {wanted}"], 0
    wrong = []
    for rank, locks in found.items():
        left = list(wanted[rank])
        for lock in locks:
            same = [should for should in left if is_same(should, lock)]
            if same:
                left.remove(same[0])
            else:
                wrong.append(f"rank {rank}: {lock}, none of {left}")
    return wrong, sum(map(len, found.values()))


def main(fermata, folder, count, *seeds):
    failed = checked = locks = 0
    for seed in list(seeds) + [seed for seed in [os.environ.get("FERMATA_SEED")] if seed]:
        for number in range(share.count(int(count))):
            focus = FOCI[number % len(FOCI)]
            target = os.path.join(folder, f"{seed}-{focus}")
            generate.main(["--seed", seed, "--first", str(number), "--count", "1", "--ranks", "1..3",
                           "--focus", focus, "--no-expect", "--out", target])
            path = next(os.path.join(target, name) for name in os.listdir(target)
                        if name.endswith(f"{number:05d}.scn"))
            wrong, found = differences(fermata, path)
            checked += 1
            locks += found
            if wrong:
                failed += 1
                print(f"{path}:", *wrong[:3], sep="\n  ")
            else:
                os.remove(path)
    print(f"{checked} scenarios with {locks} locks, {failed} failed")
    return 1 if failed or not locks else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

# SPDX-License-Identifier: BSD-3-Clause
"""The queues that the analysis finds in hand-made executions, against values derived by hand:
check_queues.py FERMATA SCENARIO.scn...

SCENARIO.json holds the expected `locks` of the report; its `queue` lists the intervals in which
somebody waits, from which the mean length in each of the 256 parts is computed here. `held_in` and
`waited_in` (none for locks of windows) name call paths. The report file must not depend on the number of
workers."""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

BINS = 256
TICKS_PER_SECOND = 1000


def edges(lock):
    """The parts' limits in ticks."""
    begin, end = (round(lock[key] * TICKS_PER_SECOND) for key in ("begin", "end"))
    return [begin + (end - begin) * part // BINS for part in range(BINS + 1)]


def mean_lengths(lock):
    """What the queue must look like, part by part."""
    if not lock["queue"]:
        return []
    waits = [[round(time * TICKS_PER_SECOND) for time in wait] for wait in lock["queue"]]
    limits = edges(lock)
    return [sum(max(0, min(end, right) - max(begin, left)) for begin, end in waits) /
            (right - left) for left, right in zip(limits, limits[1:])]


def same(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) or isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)
    return a == b


def path_of(callpaths, number):
    """The call path as text."""
    names = []
    while number is not None:
        names.insert(0, callpaths[number]["region"])
        number = callpaths[number]["parent"]
    return "/".join(names)


def without_errors(value):
    """Takes out the errors of times, which must not be known (rules/errors has those that are)."""
    if isinstance(value, dict):
        for key in [key for key in value if key.endswith("_error")]:
            if value.pop(key) is not None:
                sys.exit(f"{key} is known")
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        without_errors(each)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def check(fermata, scenario, folder):
    experiment = str(folder / scenario.stem)
    run(fermata, "synth", str(scenario), "-o", experiment)
    files = []
    for workers in "1", "2", "3", "16":
        report = folder / f"{scenario.stem}-{workers}.fer"
        run(fermata, "analyze", "-q", "--check", "-j", workers, "-o", str(report), experiment)
        files.append(report.read_bytes())
    if any(other != files[0] for other in files):
        sys.exit(f"{scenario}: the report depends on the number of workers")
    result = json.loads(run(fermata, "report", "--format=json", str(report)))
    found = result["locks"]
    without_errors(found)
    for lock in found:
        for key in "held_in", "waited_in":
            for place in lock[key]:
                place["callpath"] = path_of(result["callpaths"], place["callpath"])
    expected = json.loads(scenario.with_suffix(".json").read_text())
    for lock in expected:
        lock["queue"] = mean_lengths(lock)
        lock.setdefault("held_in", [])
        lock.setdefault("waited_in", [])
    if len(found) != len(expected):
        sys.exit(f"{scenario}: {len(found)} locks instead of {len(expected)}")
    for is_lock, should_lock in zip(found, expected):
        if is_lock.keys() != should_lock.keys():
            sys.exit(f"{scenario}: keys {sorted(is_lock)} instead of {sorted(should_lock)}")
        for key, should in should_lock.items():
            if not same(is_lock[key], should):
                sys.exit(f"{scenario}: lock {should_lock['window']}, {should_lock['target']}: {key} "
                         f"is {is_lock[key]} instead of {should}")


with tempfile.TemporaryDirectory(prefix="fermata-locks-") as name:
    for argument in sys.argv[2:]:
        check(sys.argv[1], pathlib.Path(argument), pathlib.Path(name))

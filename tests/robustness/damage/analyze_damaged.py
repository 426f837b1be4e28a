# SPDX-License-Identifier: BSD-3-Clause
"""Damaged archives: `analyze` tells it or copes with it, and never dies, hangs or leaves half a report.
What `check` cannot read does not go unmentioned. `whatif` replays what was analysed, exactly.

usage: analyze_damaged.py FERMATA COUNT [SEED]     (or more than COUNT: support/share.py)
"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(TESTS, "support"))
import share  # noqa: E402
from damage import damage  # noqa: E402

SCENARIOS = ["formats/scenario/all-events.scn", "rules/scenarios/p2p/threads.scn",
             "rules/scenarios/active/late-complete.scn", "rules/scenarios/collective/nonblocking-kinds.scn"]
RECORDED = "traces/scorep-waits"
TIMEOUT = 60  # seconds; an undamaged archive of this size takes some milliseconds


def originals(fermata, folder):
    """Experiment directories to damage."""
    for number, scenario in enumerate(SCENARIOS):
        directory = os.path.join(folder, f"original-{number}")
        subprocess.run([fermata, "synth", os.path.join(TESTS, scenario), "-o", directory],
                       check=True)
        yield directory
    directory = os.path.join(folder, "original-recorded")
    shutil.copytree(os.path.join(TESTS, RECORDED), directory)
    os.remove(os.path.join(directory, "waits.c"))
    yield directory


def lost_locations(fermata, directory):
    """What `check` says of locations of which it cannot read all events that they should have."""
    done = subprocess.run([fermata, "check", directory], capture_output=True, timeout=TIMEOUT,
                          check=False, text=True, errors="replace")
    return [line for line in done.stdout.splitlines()
            if (found := re.search(r" cannot be .*\((\d+) of (\d+) events\)$", line)) is not None
            and int(found[1]) < int(found[2])]


def analyze(fermata, directory, report, what):
    """Exit status of analyze, after all that must be true of it was seen to be true."""
    try:
        done = subprocess.run([fermata, "analyze", "-j", "2", "--check", "-o", report, directory],
                              capture_output=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        sys.exit(f"{what}: no end after {TIMEOUT} s")
    told = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 3):
        sys.exit(f"{what}: exit status {done.returncode}\n{told}")
    if "Sanitizer" in told or "runtime error" in told:
        sys.exit(f"{what}: {told}")
    if done.returncode == 3 and "fermata" not in told:
        sys.exit(f"{what}: no message")
    if any(ord(character) < 32 and character != "\n" for character in told):
        sys.exit(f"{what}: control characters in {told!r}")
    if os.path.exists(report) != (done.returncode == 0):
        sys.exit(f"{what}: exit status {done.returncode}, and the report "
                 + ("exists" if done.returncode else "does not exist"))
    if done.returncode == 0:
        subprocess.run([fermata, "report", "--format=json", report], check=True,
                       stdout=subprocess.DEVNULL)
        os.remove(report)
        replay(fermata, directory, report + "-predicted", what)
        lost = lost_locations(fermata, directory)
        if lost and "could not be read to" not in told:
            sys.exit(f"{what}: {lost[0]}\n... but analyze says only\n{told}")
    return done.returncode


def replay(fermata, directory, predicted, what):
    """The replay without changes is exact, and its copy of the archive is one or refused."""
    try:
        done = subprocess.run([fermata, "whatif", "-j", "2", directory, "-o", predicted],
                              capture_output=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        sys.exit(f"{what}: no end of the replay after {TIMEOUT} s")
    told = (done.stdout + done.stderr).decode(errors="replace")
    if "gives all" not in told or "Sanitizer" in told or "runtime error" in told:
        sys.exit(f"{what}: the replay: {told}")
    if done.returncode not in (0, 3, 4):
        sys.exit(f"{what}: the replay: exit status {done.returncode}\n{told}")
    if os.path.exists(predicted) != (done.returncode == 0):
        sys.exit(f"{what}: the replay: exit status {done.returncode} and half an experiment")
    shutil.rmtree(predicted, ignore_errors=True)


def main():
    fermata, count = sys.argv[1], share.count(int(sys.argv[2]))
    seed = sys.argv[3] if len(sys.argv) > 3 else "1"
    chooser = random.Random(seed)
    noticed = 0
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        directories = list(originals(fermata, folder))
        report = os.path.join(folder, "report.fer")
        for directory in directories:
            if analyze(fermata, directory, report, directory) != 0:
                sys.exit(f"{directory} is refused undamaged")
        for variant in range(count):
            bad = os.path.join(folder, "bad")
            shutil.copytree(chooser.choice(directories), bad)
            path = chooser.choice(sorted(os.path.join(where, name)
                                         for where, _, names in os.walk(bad) for name in names))
            with open(path, "rb") as file:
                content = file.read()
            if content:
                with open(path, "wb") as file:
                    file.write(damage(content, chooser))
                noticed += analyze(fermata, bad, report,
                                   f"seed {seed}, variant {variant}, {path}") != 0
            shutil.rmtree(bad)
    print(f"{count} damaged archives, {noticed} refused")
    if noticed < count // 20:
        sys.exit("hardly any was refused")


main()

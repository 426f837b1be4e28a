#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What bars P1 and P14 compare with is the same: OTF2's writer gets the very records that fermata records of
a turn of the loop.

usage: check_same_records.py --fermata F --launcher L --loop P --write W LOOP...
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

SHORT, LONG = 20, 70  # turns of each loop; what a turn adds is the difference


def run(*command, may_fail=False):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0 and not may_fail:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def kinds(archive):
    """How often each kind of record is in an archive; with names of regions and types of locks. Values of
    metrics are left out: they depend on the time, not on the calls."""
    lines = re.findall(r"^([A-Z_]+) +0 +\d+ *(.*)$", run("otf2-print", archive / "traces.otf2"),
                       re.MULTILINE)
    told = re.compile(r'Region: "[^"]*"|Type: \w+')
    return Counter((kind, *told.findall(attributes)) for kind, attributes in lines if kind != "METRIC")


def main():
    parser = argparse.ArgumentParser()
    for name in ("fermata", "launcher", "loop", "write"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("loops", nargs="+")
    programs = parser.parse_args()
    launch = [programs.launcher, "--allow-run-as-root", "--oversubscribe", "-n", 1]
    # Programs of OpenSHMEM may crash behind shmem_finalize.
    may_fail = programs.launcher.name == "oshrun"
    with tempfile.TemporaryDirectory() as name:
        for loop in programs.loops:
            folder = Path(name) / loop
            folder.mkdir()
            recorded, written = [], []
            for turns in (SHORT, LONG):
                run(programs.fermata, "record", "--callpath=flat", "--sample=off",
                    "-o", folder / f"recorded-{turns}", "--", *launch, programs.loop, loop, turns,
                    may_fail=may_fail)
                recorded.append(kinds(folder / f"recorded-{turns}"))
                run(programs.write, loop, turns, folder / f"written-{turns}")
                written.append(kinds(folder / f"written-{turns}"))
            of_turns = recorded[1] - recorded[0]
            # The program runs its loop three times.
            expected = Counter({kind: 3 * n for kind, n in (written[1] - written[0]).items()})
            assert of_turns, f"{loop}: nothing was recorded"
            assert of_turns == expected, f"{loop}: recorded {of_turns}, written {expected}"


main()

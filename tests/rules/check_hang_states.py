#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random states in which runs end: what `fermata` states of them, against the reference (reference/hang.py).

usage: check_hang_states.py FERMATA DIR COUNT SEED...     (or more than COUNT: support/share.py)
"""

import collections
import json
import os
import random
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "reference"), os.path.join(HERE, "..", "support")]
import hang  # noqa: E402
import hang_states  # noqa: E402
import share  # noqa: E402


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def analysed(fermata, text, path):
    """@return (kind, locations that can never go on), what `fermata hang` prints"""
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    archive = path[:-4]
    made = run(fermata, "synth", path, "-o", archive)
    assert made.returncode == 0, (path, made.stderr)
    said = run(fermata, "hang", archive)
    done = run(fermata, "report", "--format=json", archive)
    shutil.rmtree(archive)
    assert done.returncode == 0, (path, said.stderr, done.stderr)
    report = json.loads(done.stdout)
    if report["hang"] is None:
        return (hang.NONE, set()), said.stdout
    places = [(location["rank"], location["thread"]) for location in report["locations"]]
    return (report["hang"]["kind"], {places[wait["location"]] for wait in report["hang"]["waits"] if wait["stuck"]}), said.stdout


def main(arguments):
    if len(arguments) < 4:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    fermata, folder, count = arguments[0], arguments[1], share.count(int(arguments[2]))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    kinds, wrong = collections.Counter(), []
    for seed in arguments[3:]:
        for number in range(count):
            state = hang_states.State(random.Random(f"{seed} {number}"))
            path = os.path.join(folder, f"{seed}-{number}.scn")
            expected = hang.answer(state)
            found, said = analysed(fermata, state.scenario(), path)
            kinds[expected[0]] += 1
            if found == expected:
                os.remove(path)
            else:
                wrong.append(f"{path}: {found[0]}, stuck {sorted(found[1])}; by the reference {expected[0]}, "
                             f"{sorted(expected[1])}\n{said}")
    print("\n".join(wrong))
    print(f"{sum(kinds.values())} states: {dict(kinds)}, {len(wrong)} wrong")
    return 1 if wrong or len(kinds) < 3 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

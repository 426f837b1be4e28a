#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""No deadlock is claimed in runs that were sound, whenever they are cut off: what their calls wait for could still
come, also if they had waited for long.

usage: check_hang.py FERMATA DIR COUNT SEED...

Of random runs that are cut off, all processes live on for a long time. Runs with coarrays are left out: `sync images`
of the generator does not wait for its partners.
"""

import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "reference"), os.path.join(HERE, "..", "support")]
import generate  # noqa: E402
import share  # noqa: E402

SECONDS = 100


def lived_on(text):
    """The scenario whose processes live on; None: it has coarrays, or lasts longer."""
    lines = [line for line in text.splitlines()
             if not line.startswith(("expect", "job_end")) and not line.endswith(" heartbeat")]
    ranks = int(next(line for line in lines if line.startswith("ranks")).split()[1])
    unit = float(next((line for line in lines if line.startswith("unit")), "unit 1").split()[1])
    end = int(SECONDS / unit)
    last = max(float(line.split()[0]) for line in lines if re.match(r"[0-9]", line))
    if last > end / 2 or "sync images" in text:
        return None
    return "\n".join(lines + [f"{end} {rank} heartbeat" for rank in range(ranks)]) + "\n"


def main(arguments):
    if len(arguments) < 4:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    fermata, folder, count = arguments[0], arguments[1], share.count(int(arguments[2]))
    judged, wrong = 0, []
    for seed in arguments[3:]:
        shutil.rmtree(folder, ignore_errors=True)
        generate.main(["--seed", seed, "--count", str(count), "--ranks", "2..12", "--out", folder, "--focus", "cut"])
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                text = lived_on(file.read())
            if text is None:
                continue
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            archive = path[:-4]
            subprocess.run([fermata, "synth", path, "-o", archive], check=True)
            done = subprocess.run([fermata, "hang", archive], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True, check=False)
            judged += 1
            if done.returncode not in (0, 4):
                wrong.append(f"{path}: exit status {done.returncode}\n{done.stdout}")
            shutil.rmtree(archive)
    print("\n".join(wrong))
    print(f"{judged} runs judged, {len(wrong)} wrong")
    return 1 if wrong or judged == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

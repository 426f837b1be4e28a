# SPDX-License-Identifier: BSD-3-Clause
"""Writes event files without the header of their chunk, for the mutation of fuzz_events to start from.

usage: event_seeds.py WRITE_RANDOM_EVENTS FOLDER
"""

import glob
import os
import subprocess
import sys
import tempfile

HEADER = 18  # bytes
LONGEST = 4000


def main():
    write, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        for seed in range(4):
            archive = os.path.join(place, str(seed))
            # Leaks of OTF2 are not the matter here.
            subprocess.run([write, archive, str(seed + 1), "200"], check=True,
                           env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
            for path in glob.glob(os.path.join(archive, "traces", "*.evt")):
                with open(path, "rb") as file:
                    content = file.read()[HEADER:]
                with open(os.path.join(folder, f"{seed}-{os.path.basename(path)}"), "wb") as file:
                    file.write(content[:LONGEST])


main()

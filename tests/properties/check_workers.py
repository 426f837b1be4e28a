# SPDX-License-Identifier: BSD-3-Clause
"""The report of a trace of many ranks does not depend on the number of workers, nor on how they come to
meet: synthetic traces are analysed again and again.

usage: check_workers.py FERMATA SYNTHESIZE_SOR EVENTS TURNS     (or more turns: support/share.py)
"""

import os
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import share  # noqa: E402

# More ranks than one OTF2 reader is told of; and few, whose workers wait for one another the more.
TRACES = [(variant, ranks) for variant in ("p2p", "fence", "gats", "locks", "rotate")
          for ranks in ("6", "64")] + [("p2p", "1200")]
WORKERS = ("2", "3", "5")


def run(*command):
    done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")


def main():
    fermata, synthesize, events, turns = sys.argv[1:]
    for variant, ranks in TRACES:
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace")
            report = os.path.join(folder, "report.fer")
            run(synthesize, "--variant", variant, "--ranks", ranks, "--events", events, trace)

            def analyze(workers):
                run(fermata, "analyze", "-q", "--check", "-j", workers, "-o", report, trace)
                with open(report, "rb") as file:
                    return file.read()

            expected = analyze("1")
            for turn in range(share.count(int(turns))):
                for workers in WORKERS:
                    if analyze(workers) != expected:
                        sys.exit(f"{variant}, {ranks} ranks: turn {turn} with {workers} workers "
                                 "reports something else than one worker")
            print(f"{variant}, {ranks} ranks: {len(expected)} bytes")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""The synthetic traces of gets could have happened: no findings, the numbers that are printed, and waits for
the progress of processes that compute.

usage: check_synthesize_srumma.py SYNTHESIZE FERMATA
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    synthesize, fermata = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        for ranks, wanted in ((2, 1), (7, 300), (12, 2000)):
            trace = Path(name) / f"{ranks}"
            made = re.fullmatch(r"(\d+) events of (\d+) ranks, (\d+) gets\n", run(synthesize, ranks, wanted, trace))
            assert made, "the numbers are missing"
            assert f"{made[1]} events, 0 findings" in run(fermata, "check", trace), ranks
            run(fermata, "analyze", "--check", "-q", trace)
            report = json.loads(run(fermata, "report", "--format=json", trace))
            totals = {}
            for row in report["severities"]:
                totals[row["metric"]] = totals.get(row["metric"], 0) + row["value"]
            assert totals.get("comms_rma_gets", 0) == int(made[3]), totals
            assert report["warnings"] == [], report["warnings"]
            if wanted > 100:
                assert totals["armci_sync_wait_for_progress"] > 0.05 * totals["comp"], totals


main()

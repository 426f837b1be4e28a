# SPDX-License-Identifier: BSD-3-Clause
"""Records merged_functions.c, which `fermata cc` has compiled, with a budget that merges nearly all visits, and with
each event by itself and buffers that become full: no visit is lost or recorded twice. Functions around barriers are
never merged.

usage: check_merged_functions.py FERMATA PROGRAM
"""
import pathlib
import sys
import tempfile

from merged_totals import Totals
from openmp_archive import run

SWEEPS, CELLS, PARTS, DEPTH, THREADS = 40, 100, 10, 20, 2
MODES = {"merged": ("--event-budget", "0.001%"), "single": ("--event-budget", "off", "--memory", "1M")}


def main():
    fermata, program = sys.argv[1:]
    plain = run([program])
    sweeps = THREADS * SWEEPS
    expected = {"cell": sweeps * CELLS, "descend": sweeps * (DEPTH + 1), "exchange": sweeps,
                "part": sweeps * (CELLS * PARTS + DEPTH + 2)}
    totals = {}
    with tempfile.TemporaryDirectory() as folder:
        for mode, options in MODES.items():
            experiment = pathlib.Path(folder) / mode
            recorded = run([fermata, "record", *options, "-o", experiment, "--", program])
            assert recorded.stdout == plain.stdout, (recorded.stdout, plain.stdout)
            run([fermata, "check", experiment])
            run([fermata, "analyze", "--check", "-q", "-o", pathlib.Path(folder) / f"{mode}.fer", experiment])
            totals[mode] = Totals(experiment)
            found = {name: totals[mode].visits[name] for name in expected}
            assert found == expected, (mode, found, expected)
    merged = totals["merged"]
    for name in ("cell", "part", "descend"):
        assert merged.merged[name] > 0.9 * expected[name], (name, merged.merged[name])
    assert merged.merged["exchange"] < 0.1 * expected["exchange"], merged.merged["exchange"]
    assert all(path[-1] == "exchange" for path in merged.paths["!$omp barrier"]), merged.paths["!$omp barrier"]


main()

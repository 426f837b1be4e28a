#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Synthetic traces are consistent, have the length that was asked for, and wait where they should."""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

# Init and Finalize are synthesized as calls only: their waits are found by the calls.
ANYWHERE = {"mpi_init_wait", "mpi_finalize_wait"}

# The wait states that each way of exchanging borders may have, and one that it must have.
WAITS = {
    "p2p": ({"mpi_latesender", "mpi_wait_nxn"}, "mpi_latesender"),
    "fence": ({"mpi_rma_wait_at_fence", "mpi_rma_wait_at_create", "mpi_rma_wait_at_free",
               "mpi_wait_nxn"}, "mpi_rma_wait_at_fence"),
    "gats": ({"mpi_rma_sync_late_post", "mpi_rma_early_wait", "mpi_rma_wait_at_create",
              "mpi_rma_wait_at_free", "mpi_wait_nxn"}, "mpi_rma_sync_late_post"),
    "locks": ({"mpi_barrier_wait", "mpi_rma_wait_at_create", "mpi_rma_wait_at_free",
               "mpi_wait_nxn", "mpi_rma_sync_lock_competition", "mpi_rma_comm_lock_competition",
               "mpi_rma_sync_wait_for_progress", "mpi_rma_comm_wait_for_progress"},
              "mpi_barrier_wait"),
    "rare": ({"mpi_latesender", "mpi_wait_nxn"}, "mpi_latesender"),
    "rotate": ({"mpi_latesender", "mpi_wait_nxn"}, "mpi_latesender"),
}


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(programs, folder, variant, ranks, events):
    trace = folder / f"{variant}-{ranks}"
    made = int(run(programs.synthesize, "--variant", variant, "--ranks", ranks, "--events", events,
                   trace).split()[0])
    read = int(run(programs.read, trace / "traces.otf2").split()[0])
    assert made == read, f"{trace.name}: {made} events announced, {read} read"
    # Beside the iterations there are a start, an end and reductions.
    assert abs(made - events) < 0.05 * events + 60 * ranks, f"{trace.name}: {made} events"
    run(programs.fermata, "check", trace)
    run(programs.fermata, "analyze", "--check", trace)
    report = json.loads(run(programs.fermata, "report", "--format=json", trace))
    assert [text for text in report["warnings"] if "MPI_Init" not in text] == [], (
        f"{trace.name}: {report['warnings']}")
    found = {entry["metric"] for entry in report["statistics"]}
    allowed, needed = WAITS[variant]
    assert found <= allowed | ANYWHERE, f"{trace.name}: unexpected {found - allowed}"
    assert ranks == 1 or needed in found, f"{trace.name}: no {needed}, only {found}"


def check_same_seed(programs, folder):
    sizes = []
    for name, seed in (("first", 1), ("same", 1), ("other", 2)):
        run(programs.synthesize, "--iterations", 5, "--ranks", 4, "--seed", seed, folder / name)
        sizes.append((folder / name / "traces" / "0.evt").read_bytes())
    assert sizes[0] == sizes[1], "equal seeds make different traces"
    assert sizes[0] != sizes[2], "different seeds make equal traces"


def messages_of(programs, trace, variant, ranks, period, iterations, dwell=1):
    """How often each rank sends to which others, which must be the same for all distances."""
    run(programs.synthesize, "--variant", variant, "--ranks", ranks, "--period", period,
        "--dwell", dwell, "--iterations", iterations, trace)
    run(programs.fermata, "analyze", trace)
    report = json.loads(run(programs.fermata, "report", "--format=json", trace))
    counts = {}
    for link in report["matrices"]["messages"]["links"]:
        if link["metric"] == "comms_send":
            counts.setdefault(link["from"] ^ link["to"], []).append(link["count"])
    assert all(len(each) == ranks and len(set(each)) == 1 for each in counts.values()), counts
    return {distance: each[0] for distance, each in counts.items()}


def check_periods(programs, folder):
    rare = messages_of(programs, folder / "rare", "rare", 16, 6, 24)
    assert rare == {8: 4, 1: 8, 2: 12}, f"rare: {rare}"
    rotate = messages_of(programs, folder / "rotate", "rotate", 16, 5, 15)
    assert rotate == {distance: 3 for distance in range(1, 6)}, f"rotate: {rotate}"
    every = messages_of(programs, folder / "all", "rotate", 8, 7, 14)
    assert every == {distance: 2 for distance in range(1, 8)}, f"all pairs: {every}"
    stays = messages_of(programs, folder / "stays", "rotate", 8, 7, 12, dwell=4)
    assert stays == {distance: 4 for distance in range(1, 4)}, f"pairs that stay: {stays}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("synthesize", "read", "fermata"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    programs = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for variant in WAITS:
            for ranks in (1, 2, 7, 36):
                check(programs, Path(folder), variant, ranks, 20000)
        check_same_seed(programs, Path(folder))
        check_periods(programs, Path(folder))


main()

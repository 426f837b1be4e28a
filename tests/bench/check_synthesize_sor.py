#!/usr/bin/env python3
"""Synthetic traces are consistent, have the length that was asked for, and wait where they should."""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

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
    assert not report.get("warnings"), f"{trace.name}: {report['warnings']}"
    found = {entry["metric"] for entry in report["statistics"]}
    allowed, needed = WAITS[variant]
    assert found <= allowed, f"{trace.name}: unexpected {found - allowed}"
    assert ranks == 1 or needed in found, f"{trace.name}: no {needed}, only {found}"


def check_same_seed(programs, folder):
    sizes = []
    for name, seed in (("first", 1), ("same", 1), ("other", 2)):
        run(programs.synthesize, "--iterations", 5, "--ranks", 4, "--seed", seed, folder / name)
        sizes.append((folder / name / "traces" / "0.evt").read_bytes())
    assert sizes[0] == sizes[1], "equal seeds make different traces"
    assert sizes[0] != sizes[2], "different seeds make equal traces"


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


main()

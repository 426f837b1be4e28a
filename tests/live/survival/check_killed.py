#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kills a rank of a recorded program with SIGKILL at random moments; its launcher kills the others. The
program has counted its calls in a file: none that it has counted is missing in the trace, and no more are
there than those in which its threads were.

usage: check_killed.py --fermata F --mpirun M --program P [--kills N] [--all] [--seed S] [--ranks N]
                       [--option OPTION...] [--variable NAME=VALUE...] WORKLOAD...
"""

import argparse
import collections
import csv
import json
import mmap
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

ROOM, NAMES, NAME, HEAD = 4096, 20, 32, 16  # counted.c
LONGEST = 60  # seconds that a run may take to begin
KEPT = 100  # calls of each kind that the smallest flight recorder has at least


def environment(variables):
    usual = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                 OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                 OMPI_MCA_osc="^rdma")
    return {**usual, **dict(variable.split("=", 1) for variable in variables)}


def counts_of(memory, rank):
    """Process, number of threads, and calls by name that a rank has counted."""
    process, threads = struct.unpack_from("qq", memory, rank * ROOM)
    calls = {}
    for number in range(NAMES):
        name, count = struct.unpack_from(f"{NAME}sQ", memory, rank * ROOM + HEAD + number * (NAME + 8))
        if name[:1] != b"\0":
            calls[name.split(b"\0")[0].decode()] = count
    return process, threads, calls


def wait_for(condition, what, run):
    end = time.monotonic() + LONGEST
    while not condition():
        if time.monotonic() > end or run.poll() is not None:
            run.kill()
            sys.exit(f"{what}: {run.communicate()}")
        time.sleep(0.005)


def recorded_calls(fermata, experiment, folder):
    """Visits of MPI's functions: by rank and name; and call paths."""
    table = folder / "severities.csv"
    for command in (["analyze", "--check", experiment], ["export", "--to", "csv", "-o", table, experiment]):
        done = subprocess.run([fermata, *command], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{command}: {done.returncode}: {done.stderr}")
    visits, paths = collections.defaultdict(collections.Counter), set()
    with open(table, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            name = row["callpath"].split("/")[-1]
            if row["metric"] == "visits" and name.startswith("MPI_"):
                visits[int(row["rank"])][name] += float(row["value"])
                paths.add(row["callpath"])
    return visits, paths


def buffer_files(folder):
    """The buffer files of experiments in a folder. Those of runs beside this one vanish when these end."""
    for path in pathlib.Path("/dev/shm").glob("fermata-buffers-*"):
        try:
            with open(path, "rb") as file:
                if str(folder).encode() in file.read(8192):
                    yield path
        except FileNotFoundError:
            pass


def kill(options, run, memory):
    """Kills a rank, or all ranks after the recorder and the launcher, so that no process completes the experiment."""
    ranks = [counts_of(memory, rank)[0] for rank in range(options.ranks)]
    if not options.all:
        os.kill(random.choice(ranks), signal.SIGKILL)
        return
    os.killpg(run.pid, signal.SIGKILL)
    for process in ranks:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has ended with its launcher
    end = time.monotonic() + LONGEST
    while any(is_running(process) for process in ranks):
        if time.monotonic() > end:
            sys.exit("a rank lives on")
        time.sleep(0.005)


def is_running(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def check_run(options, workload, folder):
    """Yields what is wrong after a run that was killed."""
    counts = folder / "counts"
    counts.write_bytes(bytes(options.ranks * ROOM))
    command = [options.fermata, "record", "-o", "experiment", *options.option, "--", options.mpirun,
               "-n", str(options.ranks), options.program, str(counts), workload]
    with open(counts, "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        run = subprocess.Popen(command, cwd=folder, env=environment(options.variable),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        wait_for(lambda: all(any(counts_of(memory, rank)[2].values()) for rank in range(options.ranks)),
                 "the program has not begun", run)
        time.sleep(random.uniform(0, options.longest))
        kill(options, run, memory)
        _, errors = run.communicate(timeout=LONGEST)
        visits, paths = recorded_calls(options.fermata, folder / "experiment", folder)
        told = json.loads((folder / "experiment/environment.json").read_text())
        is_flight = "--flight-recorder" in options.option
        whole = "the program ended without MPI_Finalize" + ("" if is_flight else "; all before is there")
        if told.get("incomplete", "") != whole:
            yield f"{told.get('incomplete')} {errors}"
        for rank in range(options.ranks):
            _, threads, calls = counts_of(memory, rank)
            for name, count in calls.items():
                least = min(count, KEPT) if is_flight else count
                if not least <= visits[rank][name] <= count + threads:
                    yield f"rank {rank} called {name} {count} times, recorded are {visits[rank][name]}"
        if not any(f"/{name}/MPI_" in path for path in paths
                   for name in ("messages", "windows", "objects", "worker_step")):
            yield f"call paths: {sorted(paths)}"
    checked = subprocess.run([options.fermata, "check", "experiment"], cwd=folder, capture_output=True,
                             text=True)
    findings = [line for line in checked.stdout.splitlines() if line.startswith("location")]
    if not all(line.endswith(("are never released", "are never completed")) for line in findings):
        yield f"check: {checked.stdout}"
    left = list(buffer_files(folder))
    if left or (folder / "experiment/journal").exists():
        yield f"left over: {left}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    parser.add_argument("--kills", type=int, default=1, help="of each workload")
    parser.add_argument("--all", action="store_true", help="kill the recorder, the launcher and all ranks")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("FERMATA_SEED", "1")))
    parser.add_argument("--ranks", type=int, default=3)
    parser.add_argument("--longest", type=float, default=0.6, help="seconds before the kill, at most")
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--variable", action="append", default=[])
    parser.add_argument("workload", nargs="+")
    options = parser.parse_args()
    random.seed(options.seed)
    failures = []
    for number in range(options.kills):
        for workload in options.workload:
            with tempfile.TemporaryDirectory() as folder:
                found = list(check_run(options, workload, pathlib.Path(folder)))
                failures += [f"{workload}, kill {number}: {failure}" for failure in found]
    sys.exit("\n".join(failures) if failures else 0)


main()

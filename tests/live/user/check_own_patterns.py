# SPDX-License-Identifier: BSD-3-Clause
"""Records own_patterns.c, searches for the example patterns of the user in it, and reads it in Python.

usage: check_own_patterns.py --fermata F --mpirun M --program P --examples DIR [--module DIR]

Counts are exact; times depend on the machine.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
from mpi_launcher import mpi_command  # noqa: E402

STEPS, MESSAGES = 5, 4


def severities(fermata, report):
    """{(metric, call path without positions, rank): value} of a report."""
    text = subprocess.run([fermata, "report", report, "--format", "json"], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    report = json.loads(text)
    paths, found = {}, {}
    for path in report["callpaths"]:
        paths[path["id"]] = paths.get(path["parent"], "") + "/" + path["region"]
    for severity in report["severities"]:
        key = (severity["metric"], paths[severity["callpath"]],
               report["locations"][severity["location"]]["rank"])
        found[key] = found.get(key, 0) + severity["value"]
    return found


def switched_off(fermata, report):
    """The wait states that were not searched for."""
    text = subprocess.run([fermata, "report", report, "--format", "json"], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    return set(json.loads(text)["options"]["switched_off"])


def compare(found, built_in, part, whole, path):
    """All of the built-in metric at call paths with this end, and nothing else, is the part."""
    for (metric, where, rank), value in built_in.items():
        if metric == whole:
            mine = found.get((part, where, rank), 0)
            assert abs(mine + found.get((whole, where, rank), 0) - value) < 1e-8, (where, rank, mine, value)
            assert (mine > 0) == where.endswith(path), (where, rank, mine, value)
    assert all(where.endswith(path) for metric, where, _ in found if metric == part), found


def read_as_data(module, examples, archive):
    """Late Sender as the example in Python finds it: {(call path, rank): seconds}"""
    script = str(pathlib.Path(examples).parent / "trace" / "late_sender.py")
    done = subprocess.run([sys.executable, "-B", script, archive], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env=dict(os.environ, PYTHONPATH=module))
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines() if "in all" not in line]
    return {("/" + path, int(rank)): float(value) for value, _, _, rank, path in lines}


def main():
    parser = argparse.ArgumentParser()
    for name in ("fermata", "mpirun", "program", "examples"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--module")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        archive = str(pathlib.Path(folder, "run"))
        given = {"late_sender_in_function": "function=exchange", "small_messages": "limit=1K",
                 "iterations_per_second": "phase=step,per=3600", "counter_imbalance": "counter=cells"}
        words = []
        for script in sorted(pathlib.Path(options.examples).glob("*.lua")):
            parameters = given.get(script.stem)
            words += ["--pattern", f"{script}:{parameters}" if parameters else str(script)]
        done = subprocess.run([options.fermata, "run", "--counters", "-o", archive, *words, "--",
                               *mpi_command(options.mpirun, 2, [options.program])], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, timeout=200)
        if "built without Lua" in done.stderr:
            print("skipped: fermata is built without Lua")
            return 77
        assert done.returncode == 0, done.stderr
        assert "Small messages in a row" in done.stdout, done.stdout
        assert "The pattern" not in done.stdout, done.stdout
        checked = subprocess.run([options.fermata, "analyze", archive, "--check", *words], check=False,
                                 stderr=subprocess.PIPE, text=True)
        assert checked.returncode == 0, checked.stderr
        # Which of the counters is meant must be stated.
        unclear = subprocess.run([options.fermata, "analyze", archive, "-o", archive + "/unclear.fer", "--pattern",
                                  str(pathlib.Path(options.examples, "counter_imbalance.lua"))],
                                 check=False, stderr=subprocess.PIPE, text=True)
        assert "there are several counters" in unclear.stderr, unclear.stderr
        assert "counter_imbalance is left out" in unclear.stderr, unclear.stderr
        found = severities(options.fermata, archive)
        # The first run has shown that the program runs: this one only selects.
        selected = archive + "-selected"
        subprocess.run([options.fermata, "run", "-o", selected, "--only", "mpi_late*,small_messages*", "--without",
                        "mpi_latereceiver", "--pattern", options.examples + "/small_messages.lua", "--",
                        *mpi_command(options.mpirun, 2, [options.program])], stdout=subprocess.DEVNULL, check=True,
                       timeout=200)
        off = switched_off(options.fermata, selected)
        assert {"mpi_latereceiver", "mpi_barrier_wait"} <= off and not {"mpi_latesender"} & off, off
        plain = archive + "/plain.fer"
        subprocess.run([options.fermata, "analyze", "-q", archive, "-o", plain], check=True)
        built_in = severities(options.fermata, plain)
        if options.module:
            mine = read_as_data(options.module, options.examples, archive)
            late = {(path, rank): value for (metric, path, rank), value in built_in.items()
                    if metric in ("mpi_latesender", "mpi_latesender_wo", "mpi_lswo_same", "mpi_lswo_different")}
            assert mine.keys() == late.keys(), (mine, late)
            assert all(abs(mine[place] - value) < 1e-8 for place, value in late.items()), (mine, late)
    sums = {}
    for (metric, _, rank), value in found.items():
        sums[metric, rank] = sums.get((metric, rank), 0) + value
    # The first small message of a step follows the long one of the exchange.
    assert sums["small_messages_in_a_row", 0] == STEPS * (MESSAGES - 1), sums
    # A receive of the exchange may be posted late, too, where rank 1 has no processor.
    assert STEPS <= sums["late_posted_receives", 1] <= 2 * STEPS, sums
    assert sums["late_receives_in_a_row", 1] == STEPS * (MESSAGES - 1), sums
    assert ("counter_imbalance", 0) not in sums and sums["counter_imbalance", 1] == 250, sums
    assert sums["iterations_per_second", 0] > 0 and sums["iterations_per_second", 1] > 0, sums
    # How long they wait depends on the machine: the parts are those of the built-in patterns.
    compare(found, built_in, "late_sender_in_function", "mpi_latesender", "/exchange/MPI_Recv")
    compare(found, built_in, "barrier_behind_nxn_operation", "mpi_barrier_wait", "/step/MPI_Barrier")
    return 0


sys.exit(main())

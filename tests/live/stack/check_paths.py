#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records a program and compares the functions around each of its MPI calls with its source.

usage: check_paths.py --fermata F --mpirun M [--ranks N] [--callpath WHAT] [--names how] [--wait W]
                      [--kill] WHICH PROGRAM [ARGUMENTS...]

WHICH is a key of EXPECTED. --names: what is known of the program: `debug` (debug information),
`symbols`, `none` (stripped). --wait PATH: the call path in which a rank waits for a late sender.
--aborts: the program ends by MPI_Abort, and the trace is rebuilt from the journals.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import otf2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import recordings  # noqa: E402

TIMEOUT = 120  # seconds; a run takes a few
VARIABLES = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
             "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def paths_of_c(options):
    """paths.c: for each MPI function, the paths of functions to it, on any rank and thread."""
    inlined = ["inlined"] if options.names == "debug" else []
    main = {
        "MPI_Init_thread": [[]],
        "MPI_Comm_rank": [[]],
        "MPI_Send": [["solve", "exchange"]],
        "MPI_Recv": [["solve", "exchange"]],
        "MPI_Initialized": [["around_inlined", *inlined]],
        "MPI_Barrier": [["around_tail", "tail"]],
        "MPI_Finalized": [["recursive", "recursive", "recursive"]],
        "MPI_Wtime": [["turns", "left"]],
        "MPI_Wtick": [["turns", "right"]],
        "MPI_Get_processor_name": [["around_jump", "jump", "jump", "jump", "jump"]],
        "MPI_Get_version": [["around_jump"]],
        "MPI_Comm_size": [["through_library", "compare"]],
        "MPI_Error_class": [["in_two_lines"]],
        "MPI_Query_thread": [["in_plugin", "plugin_function"]],
        "MPI_Finalize": [[]],
    }
    if options.aborts:
        del main["MPI_Finalize"]
        main["MPI_Abort"] = [[]]
        main["MPI_Barrier"].append(["tail"])
    expected = {name: {("main", *path) for path in paths} for name, paths in main.items()}
    expected["MPI_Is_thread_main"] = {("thread_start", "in_thread")}
    return expected


def paths_of_cpp(options):
    """classes.cpp"""
    invocation = {
        "debug": ["std::function<int ()>::operator()", "main::{lambda}"],
        "symbols": ["std::_Function_handler<int (), main::{lambda#1}>::_M_invoke"],
    }[options.names]
    main = {
        "MPI_Init": [[]],
        "MPI_Comm_size": [["grid"]],
        "MPI_Comm_rank": [["(anonymous namespace)::call", *invocation]],
        "MPI_Allreduce": [["solver::grid::norm<double>"], ["solver::grid::norm<int>"]],
        "MPI_Barrier": [["(anonymous namespace)::synchronize"]],
        "MPI_Finalize": [[]],
    }
    return {name: {("main", *path) for path in paths} for name, paths in main.items()}


def paths_of_fortran(options):
    """modules.f90: the C function main calls the main program, which is inlined into it."""
    program = ["late"] if options.names == "debug" else []
    main = {
        "MPI_Init": [[]],
        "MPI_Comm_rank": [[]],
        "MPI_Send": [["solver::step", "solver::exchange"]],
        "MPI_Recv": [["solver::step", "solver::exchange"]],
        "MPI_Barrier": [["solver::step"]],
        "MPI_Finalize": [[]],
    }
    return {name: {("main", *program, *path) for path in paths} for name, paths in main.items()}


def paths_of_regions(options):
    """regions.c: regions that the program marks, and functions, in the order of their begin."""
    del options
    main = {
        "MPI_Init": [[]],
        "MPI_Comm_rank": [["outer region", "work"]],
        "MPI_Comm_size": [["outer region", "begin_somewhere", "held", "work"]],
        "MPI_Comm_test_inter": [["marked"]],
        "MPI_Comm_compare": [["marked"]],
        "MPI_Barrier": [["step", "work"]],
        "MPI_Finalize": [[]],
    }
    return {name: {("main", *path) for path in paths} for name, paths in main.items()}


EXPECTED = {"paths": paths_of_c, "classes": paths_of_cpp, "modules": paths_of_fortran,
            "regions": paths_of_regions}


def run(command, folder, **settings):
    return subprocess.run(command, cwd=folder, env={**os.environ, **VARIABLES, **settings}, timeout=TIMEOUT,
                          capture_output=True, text=True, errors="replace")


def program_parser():
    """The options of a check that is given its program."""
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--mpirun"):
        parser.add_argument(name, required=True)
    parser.add_argument("program")
    return parser


def record_program(options, experiment, ranks, arguments, failures, choices=()):
    """Records the program of the options; the trace is consistent."""
    done = run([options.fermata, "record", *choices, "-o", str(experiment), "--", options.mpirun,
                "-n", str(ranks), options.program, *arguments], experiment.parent)
    if done.returncode != 0:
        sys.exit(f"it fails: {done}")
    checked = run([options.fermata, "check", str(experiment)], experiment.parent)
    if checked.returncode != 0:
        failures.append(f"fermata check: {checked.stdout} {checked.stderr}")


def read_paths(anchor, aborts, failures):
    """For each MPI function the paths of regions around its calls. If the run aborts, processes end inside of calls."""
    opened = collections.defaultdict(list)
    found = collections.defaultdict(set)
    last = {}
    with otf2.reader.open(anchor) as archive:
        for location, event in archive.events:
            if event.time < last.get(location, 0):
                failures.append(f"{location.name}: time goes back")
            last[location] = event.time
            if isinstance(event, otf2.events.Enter):
                path = opened[location]
                if event.region.paradigm == otf2.Paradigm.MPI:
                    found[event.region.name].add(tuple(region.name for region in path))
                path.append(event.region)
            elif isinstance(event, otf2.events.Leave):
                if not opened[location] or opened[location].pop() != event.region:
                    failures.append(f"{location.name}: {event.region.name} is left out of turn")
    failures += [f"{location.name}: {path} is never left"
                 for location, path in opened.items()
                 if path and not (aborts and path[-1].paradigm == otf2.Paradigm.MPI)]
    return dict(found)


def limited(expected, options):
    """What remains of the paths with --callpath."""
    if options.callpath == "flat":
        return {name: {()} for name in expected}
    depth = int(options.callpath.removeprefix("depth=") if "depth" in options.callpath else 10**6)
    return {name: {path[:depth] for path in paths} for name, paths in expected.items()}


def is_place(name, options):
    """Whether a function of a stripped program is named by its place."""
    program = re.escape(pathlib.Path(options.program[0]).name)
    return re.fullmatch(rf"({program}|libmpi_plugin\S*)\+0x[0-9a-f]+", name) is not None


def check_stripped(found, expected, options, failures):
    """Lengths, main, and that a function has one name."""
    names = {}
    for call, paths in expected.items():
        lengths = {len(path) for path in paths}
        for path in found[call]:
            if len(path) not in lengths:
                failures.append(f"{call}: {path}, expected one of {paths}")
                continue
            for function, real in zip(path, next(p for p in paths if len(p) == len(path))):
                if real in ("main", "plugin_function"):
                    good = function == real
                else:
                    good = is_place(function, options)
                if not good or names.setdefault(real, function) != function:
                    failures.append(f"{call}: {function} for {real}")


def check_lines(options, experiment, report, failures):
    """Calls in two lines are two call paths, each of which can be selected."""
    source = (pathlib.Path(__file__).parent / "paths.c").read_text().splitlines()
    lines = [1 + next(i for i, text in enumerate(source) if f"/* line {number} */" in text)
             for number in ("one", "two")]
    callpaths = {item["id"]: item for item in report["callpaths"]}
    found = [item["line"] for item in report["callpaths"] if item["region"] == "MPI_Error_class"
             and callpaths[item["parent"]]["region"] == "in_two_lines"]
    if sorted(found) != lines:
        failures.append(f"calls of MPI_Error_class in lines {found}, expected {lines}")
    root = report["callpaths"][0]["region"]
    for place, status in ((f"@paths.c:{lines[0]}", 0), (f"@paths.c:{lines[1]}", 0), ("", 2),
                          ("@paths.c:1", 2)):
        shown = run([options.fermata, "report", str(experiment), "--callpath",
                     f"{root}/main/in_two_lines/MPI_Error_class{place}"], experiment)
        if shown.returncode != status:
            failures.append(f"report of MPI_Error_class{place}: {shown.returncode}, expected"
                            f" {status}: {shown.stderr}")


def check_wait(options, experiment, failures):
    """The late sender is found, and its path named."""
    analyzed = run([options.fermata, "analyze", "--check", "--quiet", str(experiment)], experiment)
    if analyzed.returncode != 0:
        failures.append(f"analyze: {analyzed.stdout} {analyzed.stderr}")
        return
    reported = run([options.fermata, "report", "--format=json", str(experiment)], experiment)
    report = json.loads(reported.stdout)
    callpaths = {item["id"]: item for item in report["callpaths"]}
    metric = next(item["id"] for item in report["metrics"] if item["name"] == "mpi_latesender"
                  or item["id"] == "mpi_latesender")
    waits = collections.Counter()
    for item in report["severities"]:
        if item["metric"] == metric:
            names, callpath = [], item["callpath"]
            while callpath is not None:
                names.insert(0, callpaths[callpath]["region"])
                callpath = callpaths[callpath]["parent"]
            waits["/".join(names)] += item["value"]
    if options.which == "paths" and options.names == "debug":
        check_lines(options, experiment, report, failures)
    worst = waits.most_common(1)
    if not worst or not worst[0][0].endswith(options.wait) or worst[0][1] < 0.02:
        failures.append(f"waiting for a late sender: {waits}, expected in {options.wait}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--mpirun"):
        parser.add_argument(name, required=True)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--callpath", default="stack")
    parser.add_argument("--names", default="debug")
    parser.add_argument("--wait")
    parser.add_argument("--aborts", action="store_true")
    parser.add_argument("which")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        command = [options.mpirun, "-n", str(options.ranks), *options.program]
        plain = recordings.plain(command, VARIABLES)  # the same for all call paths
        # The rank that aborts first may have the others killed before they can save their records.
        settings = {"FERMATA_FLUSH_INTERVAL": "0"} if options.aborts else {}
        recorded = run([options.fermata, "record", f"--callpath={options.callpath}", "-o",
                        str(experiment), "--", *command], folder, **settings)
        if recorded.returncode != plain.returncode or (plain.returncode != 0
                                                       and not options.aborts):
            failures.append(f"exit code {recorded.returncode}, unrecorded {plain.returncode}:"
                            f" {recorded.stderr}")
        checked = run([options.fermata, "check", str(experiment)], folder)
        if checked.returncode != 0:
            failures.append(f"fermata check: {checked.stdout} {checked.stderr}")
        found = read_paths(str(experiment / "traces.otf2"), options.aborts, failures)
        expected = limited(EXPECTED[options.which](options), options)
        if found.keys() != expected.keys():
            failures.append(f"calls of {sorted(found)}, expected {sorted(expected)}")
        elif options.names == "none":
            check_stripped(found, expected, options, failures)
        else:
            failures += [f"{call}: {sorted(found[call])}, expected {sorted(expected[call])}"
                         for call in expected if found[call] != expected[call]]
        if options.wait:
            check_wait(options, experiment, failures)
    for failure in failures[:40]:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

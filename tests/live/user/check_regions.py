# SPDX-License-Identifier: BSD-3-Clause
"""Records regions.c and compares the call tree of every location with what the program does.

usage: check_regions.py --fermata F --mpirun M --program P

Three runs: undisturbed; with a buffer that is full again and again; and one that ends by exit(),
whose archive is rebuilt from the journals.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import otf2
from otf2.enums import Paradigm, RegionFlag, RegionRole

import user_archive

SOURCE = pathlib.Path(__file__).with_name("regions.c")
PHASES = {"step": 4, "phase": 2, "last phase": 1}  # iterations


def recursive(depth):
    node = ("recursive", [])
    for _ in range(depth):
        node = ("recursive", [node])
    return node


def mpi(name):
    return (f"MPI_{name}", [])


BARRIER = mpi("Barrier")


def expected_of_thread():
    return [*[("in a thread", [recursive(1)])] * 3, ("not ended in its thread", [])]


def expected_of_main(many, finalized):
    program = [
        recursive(0), mpi("Init"), recursive(2),
        mpi("Op_create"), mpi("Allreduce"), mpi("Op_free"),
        ("step", [BARRIER]), ("step", [("left by continue", [])]), ("step", [BARRIER]),
        ("step", [BARRIER]),
        *[("phase", [("body", [])])] * 2, ("last phase", []),
        ("outer", [("forgotten", [("forgotten, too", [])])]),
        ("made at run time", []), ("", []),
        ("outside of the thread", [("pthread_create", []), ("pthread_join", [])]),
        recursive(3000),
        *[("one of many", [])] * many,
    ]
    if finalized:
        program.append(("open at the end", [mpi("Finalize")]))
    else:
        program += [mpi("Comm_rank"), BARRIER, mpi("Comm_size")]
    return [("program", program)]


def call_trees(anchor):
    """The calls of each location as nested (name, [calls inside]), what is wrong with their order,
    and the regions of user code."""
    trees, stacks, last, problems, regions, flushes = {}, {}, {}, [], {}, 0
    with otf2.reader.open(str(anchor)) as archive:
        for location, event in archive.events:
            key = location.group.name, location.name
            stack = stacks.setdefault(key, [("", trees.setdefault(key, []))])
            if isinstance(event, otf2.events.Enter):
                call = (event.region.name, [])
                stack[-1][1].append(call)
                stack.append(call)
                if event.region.paradigm == Paradigm.USER:
                    regions[event.region.name] = event.region
            elif isinstance(event, otf2.events.Leave):
                if stack.pop()[0] != event.region.name:
                    problems.append(f"{key}: Leave of {event.region.name} out of turn")
            elif isinstance(event, otf2.events.BufferFlush):
                flushes += 1
            if isinstance(event, (otf2.events.Enter, otf2.events.Leave)):
                strict = isinstance(event, otf2.events.Enter)
                if event.time < last.get(key, 0) + strict:
                    problems.append(f"{key}: {event.region.name} at {event.time}, behind "
                                    f"{last[key]}")
                last[key] = event.time
    problems += [f"{key}: {len(stack) - 1} calls are never left" for key, stack in stacks.items()
                 if len(stack) != 1]
    return trees, problems, regions, flushes


def count(tree):
    """The number of calls in a tree of any depth."""
    number, rest = 0, list(tree)
    while rest:
        _, inner = rest.pop()
        number += 1
        rest += inner
    return number


def difference(found, expected, path=""):
    """The first call in which two trees differ, without recursion: they are deep."""
    rest = [(found, expected, path)]
    while rest:
        mine, theirs, where = rest.pop()
        if [name for name, _ in mine] != [name for name, _ in theirs]:
            short = [name for name, _ in mine[:30]], [name for name, _ in theirs[:30]]
            return f"in {where[-80:]}/: {short[0]} instead of {short[1]}"
        rest += [(a[1], b[1], f"{where}/{a[0]}") for a, b in zip(mine, theirs)]
    return None


def check_regions(regions, problems):
    """Name, place in the source, role and flags of each region."""
    lines = SOURCE.read_text().splitlines()
    for name, region in regions.items():
        if region.region_role != RegionRole.CODE:
            problems.append(f"{name} has role {region.region_role}")
        is_phase = region.region_flags == RegionFlag.PHASE
        if is_phase != (name in PHASES):
            problems.append(f"{name} has flags {region.region_flags}")
        if name in ("", "made at run time"):
            if region.source_file not in ("", None) or region.begin_line_number != 0:
                problems.append(f"{name!r} is at {region.source_file}:{region.begin_line_number}")
        elif (pathlib.Path(region.source_file).name != SOURCE.name
              or f'"{name}"' not in lines[region.begin_line_number - 1]):
            problems.append(f"{name} is at {region.source_file}:{region.begin_line_number}")


def check_phases(options, experiment, problems):
    """The analysis tells the phases iteration by iteration, on the locations that visit them and on
    the other threads of their processes."""
    report = str(experiment / "report.fer")
    for command in (["analyze", "-q", "--check", "-o", report, str(experiment)],
                    ["report", "--format=json", report]):
        done = subprocess.run([options.fermata, *command], capture_output=True, text=True,
                              check=False, timeout=120)
        if done.returncode != 0:
            problems.append(f"{command}: {done.stderr}")
            return
    phases = {phase["region"]: phase for phase in json.loads(done.stdout)["phases"]}
    if {name: phase["iterations"] for name, phase in phases.items()} != PHASES:
        problems.append(f"phases {phases}")
    for name, phase in phases.items():
        for number, row in enumerate(phase["rows"]):
            if (row["first"] != number or row["locations"] != 4 or row["duration"] <= 0
                    or row["end"] - row["begin"] < row["duration"] * (1 - 1e-9)
                    or row["computation"] + row["waiting"] > row["time"] * (1 + 1e-9)):
                problems.append(f"iteration of {name}: {row}")


def check(options, folder, many, ending, **settings):
    """One run; returns what is wrong, and the number of flushes."""
    program = [options.program, str(many), ending]
    experiment, problems = user_archive.record(options, folder, program, **settings)
    trees, wrong, regions, flushes = call_trees(experiment / "traces.otf2")
    problems += wrong
    check_phases(options, experiment, problems)
    check_regions(regions, problems)
    if len(trees) != 4:
        problems.append(f"{len(trees)} locations instead of 4: {list(trees)}")
    for (process, thread), tree in trees.items():
        expected = (expected_of_main(many, ending == "finalize") if thread == "Master thread"
                    else expected_of_thread())
        differs = difference(tree, expected)
        if differs is not None:
            problems.append(f"{process}, {thread}: {differs}")
        print(f"{process}, {thread}: {count(tree)} calls, {flushes} flushes, run to {ending}")
    return problems, flushes


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    problems = []
    runs = {"whole": (10, "finalize", {"FERMATA_FLUSH_INTERVAL": "never"}),
            "full": (40000, "finalize", {"FERMATA_FLUSH_INTERVAL": "never",
                                         "FERMATA_TOTAL_MEMORY": "512K"}),
            "often": (100, "finalize", {"FERMATA_FLUSH_INTERVAL": "0"}),
            "exit": (10, "exit", {})}
    for name, (many, ending, settings) in runs.items():
        with tempfile.TemporaryDirectory(prefix="fermata-user-") as folder:
            found, flushes = check(options, pathlib.Path(folder), many, ending, **settings)
            problems += [f"{name}: {problem}" for problem in found]
            if name == "full" and flushes == 0:
                problems.append("the buffer was never full")
    for problem in problems[:40]:
        print(problem)
    sys.exit(1 if problems else 0)


main()

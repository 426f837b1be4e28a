# SPDX-License-Identifier: BSD-3-Clause
"""Records an instrumented program and compares its call tree with what the program does.

usage: check_functions.py --fermata F --mpirun M --program P LANGUAGE MODE

LANGUAGE: c (functions.c), cxx (classes.cpp), fc (procedures.f90). MODE: with call stacks; flat;
with a filter of names, of files; with a shortest duration; exits: the run does not reach its end; no_rules: the program has no rules for unwinding.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import otf2
from otf2.enums import Paradigm

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import recordings  # noqa: E402

TIMEOUT = 120  # seconds; a run takes a few
VARIABLES = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
             "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def call(name, *inner):
    return (name, list(inner))


def mpi(name):
    return call(f"MPI_{name}")


SENDRECV = mpi("Sendrecv")
EXCHANGE = call("exchange", SENDRECV)
STEP_C = call("step", call("leaf"), call("inlined"), EXCHANGE, call("leaf"))
FIBONACCI_2 = call("fibonacci", call("fibonacci"), call("fibonacci"))
BEGIN_C = [mpi("Init_thread"), mpi("Comm_rank"), STEP_C, STEP_C]
END_C = [
    call("fibonacci", FIBONACCI_2, call("fibonacci")), call("on_signal"),
    # The region holds the function together in which it began.
    call("begin_work", call("work", EXCHANGE, call("end_work"))),
    call("paused", call("resume", call("leaf"))), EXCHANGE, mpi("Finalize")
]
TREE_C = [call("main", *BEGIN_C, *[call("parse", call("leaf"), call("fail"))] * 2, *END_C)]
# Without rules for unwinding nobody sees that functions were left by longjmp().
TREE_NO_RULES = [
    call("main", *BEGIN_C,
         call("parse", call("leaf"),
              call("fail", call("parse", call("leaf"), call("fail", *END_C)))))
]
TREE_EXITS = [call("main", mpi("Init_thread"), mpi("Comm_rank"), STEP_C,
                   call("together_exit", mpi("Comm_rank"), mpi("Barrier"), mpi("Comm_size")))]
TREE_THREAD = [call("thread", call("leaf"), call("ends_thread", call("leaf")))]

REFUSE = call("solver::refuse", call("solver::refuse", call("solver::refuse")))
TREE_CXX = [
    call("main", mpi("Init"), mpi("Comm_rank"), call("solver::Grid::Grid"),
         *[call("solver::Grid::add<int>"), call("solver::Grid::add<float>"),
           call("solver::attempt", REFUSE), call("solver::Grid::exchange", SENDRECV)] * 3,
         mpi("Finalize"))
]
DESCEND = call("stencil::descend", call("stencil::descend",
                                        call("stencil::descend", call("stencil::smooth"))))
TREE_FORTRAN = [
    call("main",
         call("procedures", mpi("Init"), mpi("Comm_rank"),
              *[call("step", call("stencil::smooth"), call("stencil::exchange", SENDRECV),
                     DESCEND, call("outside"))] * 3,
              mpi("Finalize")))
]
TREES = {"c": TREE_C, "cxx": TREE_CXX, "fc": TREE_FORTRAN}

FILTERS = {
    "c": ("SCOREP_REGION_NAMES_BEGIN # comment\n  EXCLUDE *\n  INCLUDE main step e*[e] p?rse\n"
          "          fibonacci work\n  EXCLUDE exc*\nSCOREP_REGION_NAMES_END\n",
          {"main", "step", "parse", "fibonacci"}),
    "cxx": ("REGION_NAMES_BEGIN\nEXCLUDE solver::Grid::add<*> solver::refuse\n"
            "EXCLUDE MANGLED _ZN6solver4GridC?Ei\nREGION_NAMES_END\n",
            {"main", "solver::attempt", "solver::Grid::exchange"}),
    "fc": ("REGION_NAMES_BEGIN\nEXCLUDE stencil::*\nINCLUDE stencil::exchange\n"
           "REGION_NAMES_END\n",
           {"main", "procedures", "step", "outside", "stencil::exchange"}),
}
FILE_FILTER = "FILE_NAMES_BEGIN\nEXCLUDE functions.c\nFILE_NAMES_END\n"


def keep(tree, kept, kept_always):
    """The tree without the functions that are not `kept`; what is inside them moves outwards."""
    result = []
    for name, inner in tree:
        inside = keep(inner, kept, kept_always)
        if name in kept or name in kept_always or name.startswith("MPI_"):
            result.append((name, inside))
        else:
            result += inside
    return result


def without_leaves(tree, always):
    """The tree without functions that lead to no calls."""
    result = []
    for name, inner in tree:
        inside = without_leaves(inner, always)
        if inside or name.startswith("MPI_") or name in always:
            result.append((name, inside))
    return result


def run(command, folder, **settings):
    return subprocess.run(command, cwd=folder, env={**os.environ, **VARIABLES, **settings}, timeout=TIMEOUT,
                          capture_output=True, text=True, errors="replace")


def read_trees(experiment, problems):
    """Call trees of all locations by rank and thread, paradigms of regions."""
    trees, stacks, paradigms = {}, {}, {}
    with otf2.reader.open(str(experiment / "traces.otf2")) as trace:
        for location, event in trace.events:
            key = (location.group.name, location.name)
            tree = trees.setdefault(key, [])
            stack = stacks.setdefault(key, [])
            if isinstance(event, otf2.events.Enter):
                node = (event.region.name, [])
                (stack[-1][1] if stack else tree).append(node)
                stack.append(node)
                paradigms[event.region.name] = event.region.paradigm
            elif isinstance(event, otf2.events.Leave):
                if not stack or stack.pop()[0] != event.region.name:
                    problems.append(f"{key}: {event.region.name} is left, but not the innermost")
    problems += [f"{key}: {len(stack)} regions are not left" for key, stack in stacks.items()
                 if stack]
    return trees, paradigms


def text(tree, depth=0):
    return "".join("  " * depth + name + "\n" + text(inner, depth + 1) for name, inner in tree)


def is_startup(name):
    """What C++ programs run before main."""
    return name.startswith(("_GLOBAL__", "__static_init", "MPI_Initialized"))


def main():
    parser = argparse.ArgumentParser()
    for option in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(option, required=True)
    parser.add_argument("language", choices=("c", "cxx", "fc"))
    parser.add_argument("mode")
    options = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check(options, folder, problems)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


def check(options, folder, problems):
    language, mode = options.language, options.mode
    command = [options.mpirun, "-n", "2", options.program]
    expected, words, instrumented = TREES[language], [], None
    with_stack = mode in ("stack", "shortest", "exits")
    if mode == "exits":
        command.append("exits")
        expected = TREE_EXITS
    if mode == "no_rules":
        expected = TREE_NO_RULES
    if not with_stack:
        words.append("--callpath=flat")
    if mode == "names":
        rules, kept = FILTERS[language]
        (folder / "filter").write_text(rules)
        words += ["--filter", "filter"]
        expected = keep(expected, kept, {"work"})
    elif mode == "files":
        (folder / "filter").write_text(FILE_FILTER)
        words += ["--filter", "filter"]
        expected = keep(expected, set(), {"work"})
    elif mode == "shortest":
        words += ["--min-duration", "1000s"]
        expected = without_leaves(expected, {"end_work", "work"})

    plain = recordings.plain(command, VARIABLES)  # the same in all modes
    if mode != "exits" and (plain.returncode != 0 or plain.stdout or plain.stderr):
        problems.append(f"unrecorded: exit code {plain.returncode}: {plain.stderr}")
    # Calls that create threads have tests of their own.
    recorded = run([options.fermata, "record", "--sample=off", "--threads=off", *words, "-o", "experiment", "--", *command], folder)
    if recorded.returncode != plain.returncode or recorded.stdout or (
            mode != "exits" and recorded.stderr.count("\n") > 1):
        problems.append(f"exit code {recorded.returncode}: {recorded.stdout}{recorded.stderr}")
    experiment = folder / "experiment"
    for words in (["check"], ["analyze", "--check"], ["score"]):
        result = run([options.fermata, *words, str(experiment)], folder)
        if result.returncode != 0 or (words == ["check"] and " 0 findings" not in result.stdout):
            problems.append(f"fermata {words[0]}: {result.stdout}{result.stderr}")

    if mode == "stack":
        told = run([options.fermata, "doctor", "--", options.program], folder).stdout
        if f"{options.program} is instrumented" not in told:
            problems.append(f"fermata doctor: {told}")

    trees, paradigms = read_trees(experiment, problems)
    for (process, thread), tree in trees.items():
        wanted = expected if thread == "Master thread" else TREE_THREAD
        if thread != "Master thread" and mode in ("names", "files"):
            wanted = keep(wanted, FILTERS[language][1] if mode == "names" else set(), set())
        if thread != "Master thread" and mode == "shortest":
            wanted = []  # it may be there, for its begin, but all its visits are too short
        found = [node for node in tree if not is_startup(node[0])]
        if found != wanted:
            problems.append(f"{process}, {thread}: expected\n{text(wanted)}found\n{text(found)}")
    if {process for process, _ in trees} != {"MPI Rank 0", "MPI Rank 1"}:
        problems.append(f"locations {sorted(trees)}")
    for name, paradigm in paradigms.items():
        right = (Paradigm.MPI if name.startswith("MPI_") else
                 Paradigm.USER if name == "work" else Paradigm.COMPILER)
        if paradigm != right:
            problems.append(f"{name} is of {paradigm}, not {right}")
    facts = json.loads((experiment / "environment.json").read_text()).get("functions")
    if mode == "shortest" and (facts is None or facts["visits_left_out"] < 10):
        problems.append(f"environment.json tells of {facts}")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Samples a program that calls short functions of libraries (stubs.c): every call path is one that the
program can have, functions without names in a library are part of the function that it exports, and those of the
mathematical library name it instead of a source file.

usage: check_stubs.py --fermata F --mpirun M PROGRAM
"""

import collections
import pathlib
import re
import sys
import tempfile

import otf2

from check_paths import program_parser, run

LEAST_SAMPLES = 100
# Below run_kernel. Functions of libraries are named as the program calls them, whatever they are called in the
# library (`__sin_fma` of libm's debug information, or nothing).
NAMELESS = r"exported_chosen|exported_jump|\(unnamed code in libstubs_library\.so\)"
ALLOWED = (r"with_tiny(/exported_tiny)?", r"with_assembly(/in_assembly)?",
           r"with_solve(/exported_solve(/cos)?)?", r"with_exponential(/(exp|sin))?",
           rf"with_nameless(/({NAMELESS})(/cos)?)?", r"with_nameless/exported_pointer")
# The dynamic linker, which resolves each function at its first call: the begin of its frame is in a register that
# unwinding does not follow.
RESOLVED, UNRESOLVED = 6, "main/run_kernel/(unknown code)"
NEEDED = ("with_tiny", "with_assembly", "with_solve/exported_solve", "with_exponential/sin", "with_exponential/exp",
          "with_nameless/exported_chosen", "with_nameless/exported_jump", "with_nameless/(unnamed code in")


def paths_of(anchor):
    """{path below run_kernel: visits}, the number of samples, and {function: source file}."""
    opened, paths, samples, files = collections.defaultdict(list), collections.Counter(), 0, {}
    with otf2.reader.open(anchor) as archive:
        for location, event in archive.events:
            stack = opened[location]
            if isinstance(event, otf2.events.Enter):
                stack.append(event.region.name)
                files[event.region.name] = event.region.source_file
                if not event.region.name.startswith("MPI_"):
                    paths["/".join(stack)] += 1
            elif isinstance(event, otf2.events.Leave):
                stack.pop()
            elif isinstance(event, otf2.events.Metric) and event.member.name == "call stack samples":
                samples += 1
    return paths, samples, files


def main():
    options = program_parser().parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        recorded = run([options.fermata, "record", "--sample", "1kHz", "-o", str(experiment), "--",
                        options.mpirun, "-n", "1", options.program], folder)
        if recorded.returncode != 0:
            sys.exit(f"it fails: {recorded}")
        paths, samples, files = paths_of(str(experiment / "traces.otf2"))
    if samples < LEAST_SAMPLES:
        failures.append(f"{samples} samples")
    if paths.pop(UNRESOLVED, 0) > RESOLVED:
        failures.append(f"unknown code other than the dynamic linker's: {paths}")
    for path, visits in paths.items():
        if path not in ("main", "main/run_kernel") and not any(
                re.fullmatch("main/run_kernel/" + allowed, path) for allowed in ALLOWED):
            failures.append(f"impossible call path, {visits} visits: {path}")
    for function, file in files.items():
        is_mathematical = function in ("cos", "sin", "exp")
        if is_mathematical != bool(re.fullmatch(r"libm[.-].*", file)):
            failures.append(f"{function} is said to be in {file}")
    for needed in NEEDED:
        if not any(path.startswith(f"main/run_kernel/{needed}") for path in paths):
            failures.append(f"no call path main/run_kernel/{needed}: {paths}")
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

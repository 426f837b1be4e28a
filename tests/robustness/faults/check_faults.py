#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program that fails in a given way, without and with the recorder, and checks that the
recorder changes neither output nor exit code, says at most one line per rank, and leaves an
experiment that can be analysed and has all that was flushed.

usage: check_faults.py --fermata F --mpirun M --program P [--library L] [--show] FAULT
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

RANKS = 3
ROUNDS = 50
TIMEOUT = 120  # seconds; a run takes a few

Fault = collections.namedtuple("Fault", "complete rounds messages records inner memory interval")
Fault.__new__.__defaults__ = (None, 0, 0, True, False, "64M", "0")

# complete: the experiment is; rounds: of all ranks that must be in the trace; messages: ranks that
# tell of a failure; records: there is an experiment at all; inner: mpirun around `fermata record`;
# interval: between flushes. With 0 what was called is what is on disk; with "never" only what a rank
# that fails has saved when it failed, or what did not fit in memory.
FAULTS = {
    "none": Fault(True, 2 * RANKS * ROUNDS),
    "transparent": Fault(True),
    "many": Fault(True),
    "fork": Fault(True, 2 * RANKS * ROUNDS),
    "kill": Fault(False, RANKS * ROUNDS),
    "kill-inner": Fault(False, RANKS * ROUNDS, inner=True),
    "term": Fault(False, RANKS * ROUNDS),
    "segv": Fault(False, RANKS * ROUNDS),
    "abort": Fault(False, RANKS * ROUNDS),
    "exit": Fault(False, RANKS * ROUNDS),
    "finalize": Fault(True, 2 * RANKS * ROUNDS),
    "descriptors": Fault(True, 2 * RANKS * ROUNDS),
    "filesize": Fault(False, RANKS * ROUNDS, messages=RANKS),
    "filesize-flood": Fault(False, RANKS * ROUNDS, messages=RANKS, memory="512K"),
    "vanish": Fault(None, messages=RANKS, records=False),
    "fatal": Fault(False, ROUNDS, interval="never"),
    "assertion": Fault(False, ROUNDS, interval="never"),
    "immediate": Fault(False, ROUNDS, interval="never"),
    "handler": Fault(True, RANKS * ROUNDS, interval="never"),
    "communication-begin": Fault(None, messages=RANKS, records=False),
    "communication-end": Fault(False, 2 * RANKS * ROUNDS, messages=RANKS, interval="never"),
    "disk-full": Fault(False, RANKS * ROUNDS, messages=RANKS, memory="512K", interval="never"),
    "quota": Fault(False, RANKS * ROUNDS, messages=RANKS, memory="512K", interval="never"),
    "unwritable": Fault(None, messages=1, records=False),
}

# Some rank dies or leaves without MPI_Finalize.
ENDS_EARLY = {"kill", "kill-inner", "term", "segv", "abort", "exit", "finalize", "fatal",
              "assertion", "immediate"}
WELL_FORMED = re.compile(r"rank \d+: .*")

# How the launchers report the end of a program, and what the program's own signal handlers print.
OURS = re.compile(r"^fermata: rank \d+: ", re.MULTILINE)


# File systems of little room, in a namespace of their own. Only root may mount what has quotas.
SCRIPT = str(pathlib.Path(__file__).with_name("small_disk.sh"))
SMALL_DISKS = {"disk-full": ["unshare", "--map-root-user", "--mount", SCRIPT, "tmpfs"],
               "quota": ["unshare", "--mount", SCRIPT, "quota"]}
SKIPPED = 77


# The recorder's own communication fails, from that call on.
FAIL_AT = {"communication-begin": "1", "communication-end": "2"}


def run(command, folder, interval="0", **more):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_osc="^rdma", OMPI_MCA_mpi_yield_when_idle="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1",
                       FERMATA_FLUSH_INTERVAL=interval, **more)
    return subprocess.run(command, cwd=folder, env=environment, timeout=TIMEOUT,
                          capture_output=True, text=True, errors="replace", input="a line\n")


def output_of(result):
    return sorted(line for line in result.stdout.splitlines() if line.startswith("rank "))


def subject_of(line):
    """What a line tells of: "rank 0 after Init", or the first word of what "rank 0" tells."""
    subject, _, rest = line.partition(":")
    return (subject,) if " " in subject.removeprefix("rank ") else (subject, rest.split()[:1][0])


def agree(lines, others):
    """Whether two outputs tell the same. mpirun sometimes drops the last lines of a rank that ends,
    recorded or not: a line may be missing in one of them, but not differ."""
    told, others_told = ({subject_of(line): line for line in output} for output in (lines, others))
    missing = set(told) ^ set(others_told)
    return (len(missing) <= (len(told) + len(others_told)) // 4
            and all(told[subject] == others_told[subject]
                    for subject in set(told) & set(others_told)))


def commands(options, name, folder):
    """The unrecorded and the recorded command."""
    program = [options.program]
    if name == "many":
        program += ["6000"]
    elif "fail" in pathlib.Path(options.program).name:
        way = "flood" if name in SMALL_DISKS else name.removesuffix("-inner")
        program += [way, str(folder / "experiment")]
    experiment = "experiment"
    if name == "unwritable":
        (folder / "file").write_text("")
        experiment = "file/experiment"
    if name in SMALL_DISKS:
        experiment = "disk/experiment"
    # More processes than processors make MPICH's collectives, which wait busily, very slow.
    launch = [options.mpirun, "-n", "2" if name == "many" else str(RANKS)]
    record = [options.fermata, "record", "-o", experiment, "--memory", FAULTS[name].memory, "--"]
    if name in SMALL_DISKS:
        return launch + program, [*SMALL_DISKS[name], options.fermata, *record, *launch, *program]
    if FAULTS[name].inner:
        return launch + program, launch + record + program
    return launch + program, record + launch + program


def check_experiment(options, fault, folder, failures):
    def fermata(*arguments):
        result = run([options.fermata, *arguments], folder)
        if options.show:
            print("$ fermata", *arguments, "\n" + result.stdout[:600] + result.stderr)
        return result

    analysed = fermata("analyze", "--check", "experiment")
    if analysed.returncode != 0:
        failures.append(f"analyze: {analysed.returncode}: {analysed.stderr}")
        return
    told = analysed.stderr.count("incomplete run")
    if told != (0 if fault.complete else 1):
        failures.append(f"analyze tells {told} times that the run is incomplete")
    information = json.loads(run([options.fermata, "info", "--format=json", "experiment"],
                                 folder).stdout)
    environment = json.loads((folder / "experiment/environment.json").read_text())
    if "command" not in environment or "host" not in environment:
        failures.append(f"environment.json lacks what was known at the begin: {environment}")
    if environment["complete"] is not fault.complete:
        failures.append(f"environment.json: complete: {environment['complete']}")
    rounds = sum(region["visits"] for region in information["regions"]
                 if region["name"] == "MPI_Sendrecv")
    if rounds < fault.rounds:
        failures.append(f"{rounds} rounds recorded, expected {fault.rounds}")
    checked = fermata("check", "experiment")
    if checked.returncode != 0 or " 0 findings" not in checked.stdout:
        failures.append(f"check: {checked.stdout} {checked.stderr}")
    if (folder / "experiment/journal").exists():
        failures.append("the journal is left over")
    for path in [folder / "experiment", *(folder / "experiment").rglob("*")]:
        if path.name != "report.fer" and path.stat().st_mode & 0o077:
            failures.append(f"{path} has mode {path.stat().st_mode & 0o777:o}")


def check_small_disk(options, folder, failures):
    """Without room the archive cannot be completed and nothing is lost; with room it is."""
    told = {name: (folder / name).read_text()
            for name in ("full.status", "full.err", "full.files", "roomy.status", "roomy.err")}
    if options.show:
        print(told)
    if told["full.status"] == "0\n" or told["full.err"].count("\n") != 1 or \
            "cannot complete the trace" not in told["full.err"]:
        failures.append(f"without room: {told}")
    if "journal" not in told["full.files"] or "rebuild" in told["full.files"]:
        failures.append(f"files without room: {told['full.files']}")
    if told["roomy.status"] != "0\n":
        failures.append(f"with room: {told}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    parser.add_argument("--library", help="preloaded where the recorder's communication fails")
    parser.add_argument("--show", action="store_true", help="print commands and what they say")
    parser.add_argument("fault", choices=FAULTS)
    options = parser.parse_args()
    fault, failures = FAULTS[options.fault], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plain_command, command = commands(options, options.fault, folder)
        fails = {}
        if options.fault in FAIL_AT:
            fails = {"LD_PRELOAD": options.library, "FAIL_AT": FAIL_AT[options.fault]}
        plain = run(plain_command, folder)
        recorded = run(command, folder, fault.interval, **fails)
        if options.fault in SMALL_DISKS and recorded.returncode in (SKIPPED, 1) and \
                not (folder / "experiment").exists():
            print("skipped:", recorded.stderr)
            sys.exit(SKIPPED)
        if options.show:
            print("$", *command, "\n" + recorded.stdout + recorded.stderr
                  + f"(exit code {recorded.returncode})")
        # Launchers kill the rest when one rank leaves without MPI_Finalize: which status of which
        # rank they pass on is chance then, recorded or not.
        codes = [recorded.returncode, plain.returncode]
        if options.fault in ENDS_EARLY:
            codes = [code != 0 for code in codes]
        if codes[0] != codes[1]:
            failures.append(f"exit code {recorded.returncode} recorded, {plain.returncode}"
                            f" unrecorded: {recorded.stderr}")
        if options.fault in ENDS_EARLY:
            # Launchers drop what ranks that die have written last: how much of it is chance.
            same = all(WELL_FORMED.fullmatch(line) for line in output_of(recorded))
        else:
            same = agree(output_of(recorded), output_of(plain))
        if not same:
            failures.append(f"output differs: {recorded.stdout!r}, unrecorded {plain.stdout!r}")
        messages = len(OURS.findall(recorded.stderr))
        if messages != fault.messages:
            failures.append(f"{messages} messages, expected {fault.messages}: {recorded.stderr}")
        if options.fault in SMALL_DISKS:
            check_small_disk(options, folder, failures)
        if fault.records:
            check_experiment(options, fault, folder, failures)
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()

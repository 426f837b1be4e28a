# SPDX-License-Identifier: BSD-3-Clause
"""Records a program that uses OpenSHMEM, with or without MPI, and that ends in different ways.

usage: check_hybrid.py FERMATA LAUNCHER PROGRAM END [--mpi]

END is the argument of hybrid.c.
"""
import collections
import json
import pathlib
import re
import shlex
import sys
import tempfile

import otf2
from otf2.events import Enter
from shmem_archive import ENVIRONMENT, pe_of, run

PES = 2
ROUNDS = 5


def count_calls(archive):
    """@return by PE: how often each function was called; and the definitions of interest"""
    calls = {}
    with otf2.reader.open(str(archive)) as trace:
        for location, event in trace.events:
            if isinstance(event, Enter) and event.region.name.startswith(("MPI_", "shmem_", "start_", "_")):
                calls.setdefault(pe_of(location), collections.Counter())[event.region.name] += 1
        comms = {comm.name: comm.group.paradigm for comm in trace.definitions.comms
                 if comm.name in ("MPI_COMM_WORLD", "SHMEM_TEAM_WORLD")}
        processes = sorted(group.name for group in trace.definitions.location_groups)
    return calls, comms, processes


def main():
    fermata, launcher, program, end = sys.argv[1], shlex.split(sys.argv[2]), *sys.argv[3:5]
    with_mpi = "--mpi" in sys.argv
    complete = end not in ("kill", "exit", "full")
    if end == "full":
        ENVIRONMENT["SHMEM_SYMMETRIC_HEAP_SIZE"] = "2M"
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        # Without a buffer file, a killed process has lost something, which messages tell.
        options = ["--buffers", "off"] if end == "kill" else []
        result = run([fermata, "record", "--sample=off", "--flush-interval", "0", *options, "-o",
                      experiment, "--", *launcher, "-n", PES, program, end], may_fail=True)
        for pe in range(PES):
            assert f"PE {pe} of {PES} is done" in result.stdout, result.stdout + result.stderr
        calls, comms, processes = count_calls(experiment / "traces.otf2")
        process = "MPI Rank" if with_mpi else "SHMEM PE"
        assert processes == [f"{process} {pe}" for pe in range(PES)], processes
        wanted = {"SHMEM_TEAM_WORLD": otf2.Paradigm.SHMEM}
        if with_mpi:
            wanted["MPI_COMM_WORLD"] = otf2.Paradigm.MPI
        assert comms == wanted, comms
        for pe in range(PES):
            late = 1 if with_mpi and end == "shmem" else 0
            least = ROUNDS if complete else ROUNDS - 1  # the last call of a killed process is lost
            assert calls[pe]["shmem_int_p"] == ROUNDS + late, calls
            assert calls[pe]["shmem_barrier_all"] >= least, calls
            old_names = [calls[pe][name] for name in ("start_pes", "_my_pe", "_num_pes")]
            assert old_names == [1 if end == "pes" else 0] * 3, calls
            # With a full heap the recording ends in this call, which stays open.
            assert calls[pe]["shmem_finalize"] == (1 if complete or end == "full" else 0), calls
            assert calls[pe]["MPI_Allreduce"] >= (least if with_mpi else 0), calls
            assert calls[pe]["MPI_Finalize"] == (1 if with_mpi and complete else 0), calls
        environment = json.loads((experiment / "environment.json").read_text())
        assert environment["complete"] == complete, environment
        assert complete or environment["incomplete"], environment
        # Processes are called as in reports: PEs, or ranks if the program calls MPI, too.
        other = re.compile(r"\bPE \d" if with_mpi else r"\brank \d")
        messages = [line for line in result.stderr.splitlines() if line.startswith("fermata: ")]
        messages.append(environment.get("incomplete") or "")
        assert not any(map(other.search, messages)), messages
        assert end != "full" or any(line.startswith("fermata: PE ") for line in messages), messages
        assert end != "kill" or re.search(r"\brank \d" if with_mpi else r"\bPE \d",
                                          messages[-1]), messages
        assert end != "full" or "symmetric heap" in environment["incomplete"], environment
        assert "shmem_library" in environment, environment
        assert ("mpi_library" in environment) == with_mpi, environment
        assert not (experiment / "journal").exists(), "journals are left"
        assert "0 findings" in run([fermata, "check", experiment]).stdout


main()

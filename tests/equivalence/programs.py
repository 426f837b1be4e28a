# SPDX-License-Identifier: BSD-3-Clause
"""The MPI programs that compare_builds records."""

import os
import pathlib
import re
import subprocess

TIMEOUT = 300  # seconds; a run takes a few
RANKS = 4

# Programs of the recorder's tests. Two runs of them make the same records, but for their times.
PROGRAMS = ("p2p", "collectives", "communicators", "rma", "threads")

# What chance or the program's path decides: how often a program polls, with which request it does
# what, and in which order of those that wait at the same time.
VARYING = re.compile(r"PROGRAM_BEGIN|MPI_REQUEST_TEST|"
                     r"(ENTER|LEAVE) .*\"MPI_\w*([Tt]est|some|[Pp]robe)")
VARYING_ATTRIBUTES = {"threads": re.compile(r"Request: \d+|Tag: \d+")}
ANY_PROGRAM = re.compile(r"Request: \d+")

HERE = pathlib.Path(__file__).resolve().parent


class Program:
    """A program that is compiled for one MPI library."""

    def __init__(self, source, library, tools):
        self.source, self.library, self.tools = source, library, tools
        self.name = source.stem
        self.output = ""

    def record(self, folder, build, killed):
        """Records a run; @return the experiment, None if it is not what was to be left.
        @param killed  instead of MPI_Finalize, so that the journal is left"""
        folder.mkdir(parents=True, exist_ok=True)
        more = ["-include", HERE / "killed_before_finalize.h"] if killed else []
        subprocess.run([self.tools["mpicc"], *more, self.source, "-o", folder / self.name,
                        "-lpthread"], check=True, capture_output=True, timeout=TIMEOUT)
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
                           OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_osc="^rdma",
                           OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                           FERMATA_FLUSH_INTERVAL="0" if killed else "never")
        # `fermata record` inside of mpirun: nobody is left to convert the journal of killed ranks.
        done = subprocess.run([self.tools["mpirun"], "-n", str(RANKS), build / "bin/fermata",
                               "record", "-o", "experiment", f"./{self.name}"], cwd=folder,
                              env=environment, capture_output=True, text=True, errors="replace",
                              timeout=TIMEOUT, check=False)
        self.output = done.stdout + done.stderr
        left = folder / "experiment" / ("journal" if killed else "traces.otf2")
        return folder / "experiment" if left.exists() else None


def all_programs(build, tests):
    """The programs for the MPI libraries that a build knows."""
    cache = (build / "CMakeCache.txt").read_text()
    for library in ("openmpi", "mpich"):
        tools = dict(re.findall(rf"FERMATA_(MPICC|MPIRUN)_{library}:\w+=(\S+)", cache))
        if not (build / f"lib/libfermata-mpi-{library}.so").exists() or len(tools) < 2:
            continue
        for name in PROGRAMS:
            source = next(tests.rglob(f"*recorder/{name}.c"))
            yield Program(source, library, {key.lower(): tool for key, tool in tools.items()})


def records_without_times(program, experiment):
    """The records of each location as otf2-print shows them, sorted, without what varies."""
    done = subprocess.run(["otf2-print", experiment / "traces.otf2"], capture_output=True,
                          text=True, errors="replace", timeout=TIMEOUT, check=False)
    varying = VARYING_ATTRIBUTES.get(program.name, ANY_PROGRAM)
    records = []
    for line in done.stdout.splitlines():
        found = re.match(r"([A-Z_]+)\s+(\d+)\s+\d+(.*)", line)
        if found and not VARYING.match(found[1] + found[3]):
            records.append(f"{found[2]} {found[1]}{varying.sub('', found[3])}")
    return sorted(records)

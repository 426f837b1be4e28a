# SPDX-License-Identifier: BSD-3-Clause
"""Programs in C and Fortran that contain MPICH, linked by `fermata link`: they run without fermata, their calls are
recorded, and `fermata doctor` states how to record one that was linked without it.

usage: check_linked.py FERMATA MPICC MPIFORT LAUNCHER LIBRARY...

MPICC and MPIFORT print their command lines when called with -show; the words LIBRARY link MPICH's static library.
"""
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "cases"))
sys.path.append(str(HERE.parents[1] / "support"))

import fermata_run  # noqa: E402
from mpi_launcher import mpi_command  # noqa: E402

RANKS, ROUNDS = 2, 5


def includes(compiler):
    shown = subprocess.run([compiler, "-show"], capture_output=True, text=True, check=True).stdout
    return [word for word in shlex.split(shown) if word.startswith("-I")]


def build(fermata, compiler, flags, source, libraries, program):
    objects = f"{program}.o"
    fermata_run.run([compiler, "-g", *flags, "-c", str(HERE / source), "-o", objects])
    command = [] if fermata is None else [fermata, "link"]
    fermata_run.run([*command, compiler, objects, "-o", str(program), *libraries])


def calls(document):
    """Visits by function and rank."""
    visits = {}
    for metric, rank, path, value in fermata_run.severities(document):
        if metric == "visits" and path[-1].startswith("MPI_"):
            key = path[-1], rank
            visits[key] = visits.get(key, 0) + value
    return visits


def check_c(document):
    for rank in range(RANKS):
        for function, count in (("MPI_Init", 1), ("MPI_Comm_rank", 1), ("MPI_Irecv", ROUNDS), ("MPI_Send", ROUNDS),
                                ("MPI_Wait", ROUNDS), ("MPI_Allreduce", ROUNDS), ("MPI_Finalize", 1)):
            found = calls(document).get((function, rank))
            assert found == count, f"rank {rank}: {found} calls of {function} instead of {count}"
    paths = {path for _, _, path, _ in fermata_run.severities(document)}
    assert any(path[-3:] == ("main", "exchange", "MPI_Send") for path in paths), paths
    sent = sum(value for metric, _, _, value in fermata_run.severities(document) if metric == "bytes_sent")
    assert sent == RANKS * ROUNDS * 400, sent


def check_fortran(document):
    for rank in range(RANKS):
        assert calls(document).get(("MPI_Allreduce", rank)) == 1, calls(document)


def doctor(fermata, program):
    return subprocess.run([fermata, "doctor", str(program)], capture_output=True, text=True).stdout


class Options:
    def __init__(self, fermata, mpirun):
        self.fermata, self.mpirun = fermata, mpirun


def main():
    fermata, mpicc, mpifort, launcher, *libraries = sys.argv[1:]
    options = Options(fermata, launcher)
    of_fortran = [library.replace("libmpich.a", "libmpichfort.a") for library in libraries[:1]] + libraries
    with tempfile.TemporaryDirectory(prefix="fermata-linked-") as name:
        folder = pathlib.Path(name)
        for language, compiler, flags, words, check in (
                ("c", "gcc", includes(mpicc), libraries, check_c),
                ("f90", "gfortran", includes(mpifort), of_fortran, check_fortran)):
            program = folder / f"program-{language}"
            build(fermata, compiler, flags, f"program.{language}", words, program)
            plain = fermata_run.run(mpi_command(launcher, RANKS, [str(program)]))
            assert sorted(plain.split("\n")[:RANKS]) == ["rank 0: 1", "rank 1: 1"], plain
            experiment = folder / f"experiment-{language}"
            fermata_run.record(options, experiment, RANKS, [str(program)])
            check(json.loads(fermata_run.report(options, experiment, "--format=json")))
            said = doctor(fermata, program)
            assert "contains its MPI library, and was linked by `fermata link`" in said, said
            assert "defines functions of MPI itself" not in said, said
        build(None, "gcc", includes(mpicc), "program.c", libraries, folder / "alone")
        said = doctor(fermata, folder / "alone")
        assert "linked statically" in said and "link it by `fermata link`" in said, said


main()

# SPDX-License-Identifier: BSD-3-Clause
"""Records accesses.c for each family of accesses to files, and checks that the report names the planted cause: the
rank and the function that were late, the call in which the others waited for it, and the bytes.

How long anything takes on a busy machine is not checked, only that most of the planted time was waited for by the
ranks that the rules name.

usage: check_accesses.py --fermata F --mpirun M --program P --library L [FAMILY...]
"""

import argparse
import collections
import json
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "cases"))

import fermata_run  # noqa: E402

RANKS, LATE, ROUNDS = 4, 2, 3
PLANTED, BYTES = ROUNDS * 0.2, ROUNDS * 64 * 4
# The call in which the others wait, the one that has the bytes, and the function that is late. Open MPI's split and
# nonblocking accesses do not synchronize: nobody waits in them.
FAMILIES = {
    "write_all": ("MPI_File_write_all", "MPI_File_write_all", "be_late"),
    "read_at_all": ("MPI_File_read_at_all", "MPI_File_read_at_all", "be_late"),
    "ordered": ("MPI_File_write_ordered", "MPI_File_write_ordered", "be_late"),
    "split": ("MPI_File_write_all_begin", "MPI_File_write_all_begin", "be_late"),
    "requested": ("MPI_Wait", "MPI_File_iwrite_all", "be_late"),
    "individual": ("MPI_File_write_all", "MPI_File_write_all", "MPI_File_write_at"),
}
INDEPENDENT = {"openmpi": {"split", "requested"}}


def functions(document, callpath):
    paths = {path["id"]: path for path in document["callpaths"]}
    names = []
    while callpath is not None:
        names.append(paths[callpath]["region"])
        callpath = paths[callpath]["parent"]
    return names


def check(document, text, family, independent):
    call, access, late = FAMILIES[family]
    waits, moved = collections.Counter(), collections.Counter()
    for metric, rank, path, value in fermata_run.severities(document):
        if metric == "mpi_io_collective_wait" and path[-1] == call:
            waits[rank] += value
        if metric.startswith("mpi_file_c") and metric.endswith("rbytes" if "read" in family else "wbytes"):
            moved[rank] += value if path[-1] == access and "open_file" not in path else 0
        if metric == "mpi_file_iwbytes":
            moved["alone", rank] += value
    for rank in range(RANKS):
        if moved[rank] != BYTES:
            yield f"rank {rank}: {moved[rank]} bytes instead of {BYTES} in {access}"
    if moved["alone", LATE] != (BYTES if family == "individual" else 0):
        yield f"{moved['alone', LATE]} bytes written by rank {LATE} alone"
    for warning in document["warnings"]:
        if "not looked for" in warning or "do not contain" in warning:
            yield f"warning: {warning}"
    if independent:
        yield from (f"rank {rank} waits in an access that does not synchronize"
                    for rank in range(RANKS) if waits[rank] > PLANTED / 2)
        return
    for rank in set(range(RANKS)) - {LATE}:
        if waits[rank] < PLANTED / 2:
            yield f"rank {rank} waits {waits[rank]:.3f} s of {PLANTED} s in {call}"
    if waits[LATE] > PLANTED / 2:
        yield f"the late rank itself waits {waits[LATE]:.3f} s"
    ranks = {place["id"]: place["rank"] for place in document["locations"]}
    causes = [(functions(document, problem["cause"]["callpath"]),
               {ranks[place] for place in problem["cause"]["locations"]})
              for problem in document["problems"] if problem["cause"]["callpath"] is not None]
    if not causes or late not in causes[0][0] or causes[0][1] != {LATE}:
        yield f"the first cause is {causes[:1]} instead of {late} on rank {LATE}"
    if family in ("write_all", "individual") and access not in text:
        yield f"the report's text does not name {access}:\n{text}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fermata", required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("families", nargs="*")
    options = parser.parse_args()
    failures = []
    for family in options.families or FAMILIES:
        with tempfile.TemporaryDirectory(prefix="fermata-accesses-") as folder:
            experiment = pathlib.Path(folder) / "experiment"
            program = [options.program, family, str(pathlib.Path(folder) / "accesses.dat")]
            fermata_run.record(options, experiment, RANKS, program, samples=True)
            document = json.loads(fermata_run.report(options, experiment, "--format=json"))
            text = fermata_run.report(options, experiment)
            independent = family in INDEPENDENT.get(options.library, ())
            failures += [f"{family}: {failure}" for failure in check(document, text, family, independent)]
    if failures:
        sys.exit("\n".join(failures))


main()

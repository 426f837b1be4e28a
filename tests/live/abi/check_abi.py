# SPDX-License-Identifier: BSD-3-Clause
"""Records program.c, which uses a library with MPI's standard ABI: its calls, messages with wildcards and
communicators are recorded with the wrappers of that ABI, and the report names the planted cause.

usage: check_abi.py --fermata F --mpirun M --program P
"""
import argparse
import collections
import json
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "cases"))

import fermata_run  # noqa: E402

RANKS, ROUNDS, LATE, PLANTED = 4, 3, 1, 3 * 0.2


def check(document):
    sums = collections.Counter()
    for metric, rank, path, value in fermata_run.severities(document):
        sums[metric, rank] += value
        sums["visits", path[-1], rank] += value if metric == "visits" else 0
    for rank in range(RANKS):
        for key, wanted in ((("bytes_sent", rank), ROUNDS * 800), (("bytes_rcvd", rank), ROUNDS * 800),
                            (("comms_recv", rank), ROUNDS), (("visits", "MPI_Isend", rank), ROUNDS),
                            (("visits", "MPI_Allreduce", rank), 2 * ROUNDS), (("visits", "MPI_Comm_split", rank), 1)):
            if sums[key] != wanted:
                yield f"{key}: {sums[key]} instead of {wanted}"
        if rank != LATE and sums["mpi_wait_nxn", rank] < PLANTED / 2:
            yield f"rank {rank} waits {sums['mpi_wait_nxn', rank]:.3f} s of {PLANTED} s"
    paths = {path["id"]: path for path in document["callpaths"]}
    ranks = {place["id"]: place["rank"] for place in document["locations"]}
    first = next(problem["cause"] for problem in document["problems"] if problem["cause"]["callpath"] is not None)
    late = paths[first["callpath"]]["region"], {ranks[place] for place in first["locations"]}
    if late != ("be_late", {LATE}):
        yield f"the first cause is {late}"
    for warning in document["warnings"]:
        if "not looked for" in warning or "unmatched" in warning or "never received" in warning:
            yield f"warning: {warning}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fermata", required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--program", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-abi-") as folder:
        experiment = pathlib.Path(folder) / "experiment"
        output = fermata_run.record(options, experiment, RANKS, [options.program], samples=True)
        failures = [] if "rank 2: 2" in output and "rank 3: 3" in output else [f"the program prints {output}"]
        failures += check(json.loads(fermata_run.report(options, experiment, "--format=json")))
    if failures:
        sys.exit("\n".join(failures))


main()

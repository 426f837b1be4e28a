#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records a Fortran program and checks that each of its MPI calls was recorded once.

usage: check_bindings.py FERMATA MPIRUN PROGRAM [-DUSE_MPI_4 | -DUSE_MPIX]
"""

import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import recordings  # noqa: E402

RANKS = 4
EVERY_RANK = {
    "MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Sendrecv": 1, "MPI_Get_count": 1,
    "MPI_Irecv": 3, "MPI_Isend": 2, "MPI_Waitall": 1, "MPI_Waitany": 2, "MPI_Test": 1,
    "MPI_Get_address": 1, "MPI_Type_create_hindexed": 1, "MPI_Type_commit": 1, "MPI_Wait": 1,
    "MPI_Type_free": 1, "MPI_Allreduce": 1, "MPI_Gather": 1, "MPI_Alltoallv": 1, "MPI_Barrier": 1,
    "MPI_Comm_split": 1, "MPI_Bcast": 1, "MPI_Comm_free": 2, "MPI_Cart_create": 1,
    "MPI_Cart_rank": 1, "MPI_Win_create": 1, "MPI_Win_fence": 2, "MPI_Put": 1, "MPI_Win_lock": 1,
    "MPI_Get": 1, "MPI_Win_flush": 1, "MPI_Win_unlock": 1, "MPI_Win_free": 1, "MPI_Reduce": 1,
    "MPI_Finalize": 1,
}
# A send to the right of every rank with a datatype of its own; another of every second rank.
EXPECTED = {name: RANKS * count for name, count in EVERY_RANK.items()}
EXPECTED.update(MPI_Send=RANKS + RANKS // 2, MPI_Recv=RANKS // 2)
# Messages: of Sendrecv, Waitall, Waitany, MPI_BOTTOM from every rank; one from every second.
MESSAGES = 4 * RANKS + RANKS // 2


def with_persistent(prefix):
    """With an Allreduce and a barrier that are started twice; the prefix of the functions that begin them."""
    expected = dict(EXPECTED)
    expected.update({f"{prefix}Allreduce_init": RANKS, f"{prefix}Barrier_init": RANKS,
                     "MPI_Start": 4 * RANKS, "MPI_Request_free": 2 * RANKS})
    expected["MPI_Wait"] += 4 * RANKS
    return expected


def expected_of_mpi_4(has_large_counts):
    expected = with_persistent("MPI_")
    expected["MPI_Isendrecv"] = RANKS
    expected["MPI_Wait"] += RANKS
    if has_large_counts:
        expected["MPI_Bcast_c"] = RANKS
    return expected


def run(command, folder):
    return subprocess.run(command, cwd=folder, timeout=120, capture_output=True, text=True)


def main():
    fermata, mpirun, program = sys.argv[1:4]
    expected, messages = EXPECTED, MESSAGES
    if "-DUSE_MPIX" in sys.argv:
        expected = with_persistent("MPIX_")
    if "-DUSE_MPI_4" in sys.argv:
        expected, messages = expected_of_mpi_4(program.endswith("f08")), MESSAGES + RANKS
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        plain = recordings.plain([mpirun, "-n", str(RANKS), program])
        recorded = recordings.record_trace(fermata, mpirun, RANKS, program, pathlib.Path(folder, "experiment"))
        if plain.returncode != 0 or "problems:  0." not in plain.stdout:
            failures.append(f"the program itself fails: {plain.stdout}{plain.stderr}")
        if (recorded.returncode, recorded.stdout) != (plain.returncode, plain.stdout):
            failures.append(f"it runs differently when recorded: {recorded.stdout}{recorded.stderr}")
        checked = run([fermata, "check", "experiment"], folder)
        if checked.returncode != 0:
            failures.append(f"the archive is inconsistent: {checked.stdout}{checked.stderr}")
        run([fermata, "analyze", "-q", "--check", "experiment"], folder)
        report = run([fermata, "report", "--format=json", "experiment"], folder)
        if report.returncode != 0:
            sys.exit("\n".join([*failures, report.stderr]))
        report = json.loads(report.stdout)
    regions = {c["id"]: c["region"] for c in report["callpaths"] if c["paradigm"] == "mpi"}
    visits = dict.fromkeys(regions.values(), 0)
    sends = receives = 0
    for severity in report["severities"]:
        if severity["metric"] == "visits" and severity["callpath"] in regions:
            visits[regions[severity["callpath"]]] += severity["value"]
        sends += severity["value"] if severity["metric"] == "comms_send" else 0
        receives += severity["value"] if severity["metric"] == "comms_recv" else 0
    for name in sorted(expected.keys() | visits.keys()):
        if visits.get(name, 0) != expected.get(name, 0):
            failures.append(f"{name}: {visits.get(name, 0)} calls recorded, "
                            f"{expected.get(name, 0)} made")
    if (sends, receives) != (messages, messages):
        failures.append(f"{sends} sends and {receives} receives recorded, {messages} made")
    # Whether there are processors for all ranks is a matter of the machine.
    warnings = [text for text in report["warnings"]
                if "threads shared the" not in text and "had no processor" not in text]
    if warnings:
        failures.append(f"warnings: {warnings}")
    sys.exit("\n".join(failures) if failures else 0)


main()

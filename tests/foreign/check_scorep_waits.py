"""The archive that Score-P wrote of waits.c: each row of the table in tests/traces/README.md, within
half of its last digit; nothing else waits for long.

usage: check_scorep_waits.py FERMATA ARCHIVE
"""

import os
import sys
import tempfile

import fermata

# Metrics, rank (None: all together), region (None: any), seconds, tolerance.
LATE_POST = ("mpi_rma_sync_late_post", "mpi_rma_comm_late_post")
ROWS = [
    (("mpi_latesender",), 1, "MPI_Recv", 0.1002, 0.00005),
    (("mpi_latereceiver",), 2, "MPI_Send", 0.0901, 0.00005),
    (("mpi_rma_wait_at_fence",), 0, "MPI_Win_fence", 0.150, 0.0005),
    (("mpi_rma_wait_at_fence",), 1, "MPI_Win_fence", 0.150, 0.0005),
    (("mpi_rma_wait_at_fence",), 3, "MPI_Win_fence", 0.150, 0.0005),
    (LATE_POST, 0, None, 0.120, 0.0005),
    (("mpi_rma_early_wait",), 1, "MPI_Win_wait", 0.180, 0.0005),
    (("mpi_barrier_wait",), None, "MPI_Barrier", 1.7272, 0.00005),
]
METRICS = {metric for row in ROWS for metric in row[0]}
# Waiting that nobody planted: the ranks leave no call at exactly the same time.
UNPLANTED = 0.001


def main():
    program, archive = sys.argv[1:]
    failures = 0
    fermata.run([program, "check", archive])
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.fer")
        fermata.run([program, "analyze", "--check", "-o", report, archive])
        found = fermata.severities(program, report, METRICS)
    planted = set()
    for metrics, rank, region, seconds, tolerance in ROWS:
        where = {key for key in found if key[0] in metrics and rank in (None, key[1])
                 and region in (None, key[2])}
        total = sum(found[key] for key in where)
        planted |= where
        if abs(total - seconds) > tolerance:
            print(f"{metrics} on rank {rank} in {region}: {total:.6f} s instead of {seconds}")
            failures += 1
    for key in found.keys() - planted:
        if found[key] > UNPLANTED:
            print(f"{key}: {found[key]:.6f} s that nobody planted")
            failures += 1
    sys.exit(failures != 0)


main()

# SPDX-License-Identifier: BSD-3-Clause
"""The archive that Score-P wrote of waits.c: each row of the table in tests/traces/README.md, within
half of its last digit; nothing else waits for long. All waiting goes back to those who were late.

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
# Wait states of each kind of costs, each with all its parts; all kinds that MPI programs have.
KINDS = {
    "latesender": ("mpi_latesender",), "latereceiver": ("mpi_latereceiver",),
    "barrier": ("mpi_barrier_wait",), "n2n": ("mpi_wait_nxn",), "12n": ("mpi_latebroadcast",),
    "n21": ("mpi_earlyreduce",), "scan": ("mpi_earlyscan",), "init": ("mpi_init_wait",),
    "finalize": ("mpi_finalize_wait",), "comm": ("mpi_comm_wait",), "file": ("mpi_file_wait",),
    "rma_create": ("mpi_rma_wait_at_create",), "rma_fence": ("mpi_rma_wait_at_fence",),
    "rma_free": ("mpi_rma_wait_at_free",), "rma_late_post": LATE_POST,
    "rma_early_wait": ("mpi_rma_early_wait",),
    "rma_progress": ("mpi_rma_sync_wait_for_progress", "mpi_rma_comm_wait_for_progress"),
    "mpi_rma_lock": ("mpi_rma_sync_lock_competition", "mpi_rma_comm_lock_competition"),
}
# Who is late, in the program's own code, and what it costs: all that is planted goes back to the late
# process, also the waiting of others in the barrier behind it. Metric, rank, seconds.
COSTS = [
    ("delay_latesender", 0, 0.100),  # rank 1 in MPI_Recv; then ranks 2 and 3 in the barrier
    ("delay_latesender_longterm", 0, 2 * 0.100),
    ("delay_barrier", 3, 3 * 0.200 + 0.030),  # and 0.030 before it asks for the lock
    ("delay_rma_fence", 2, 3 * 0.150),
    ("delay_rma_late_post", 1, 0.120),  # rank 0; then ranks 2 and 3 in the barrier
    ("delay_rma_late_post_longterm", 1, 2 * 0.120),
    ("delay_rma_early_wait", 0, 0.180),  # rank 1; then ranks 2 and 3 in the barrier
    ("delay_rma_early_wait_longterm", 0, 2 * 0.180),
    ("interval_delay_mpi_rma_lock", 1, 0.110),  # of 0.140 after 0.030: the next owner
    ("interval_delay_mpi_rma_lock_longterm", 1, 2 * 0.110),  # the last owner; rank 0 in the barrier
    ("delay_latereceiver", 3, 0.090),  # rank 2; then ranks 0 and 1 in the barrier
    ("delay_latereceiver_longterm", 3, 2 * 0.090),
]
OWN_CODE = "waits.bin"
# Sleeping takes longer than was asked for, up to this part of it; and what is lost on the way.
LATER, LOST = 0.005, 0.0005
# Relative: costs are rounded.
EXACT = 1e-9
# Waiting that nobody planted: the ranks leave no call at exactly the same time.
UNPLANTED = 0.001


def check_costs(report):
    """Failures of the costs: the sums, and who was late."""
    costs = report.below(("delay", "interval_delay"))
    wrong = []
    for metric, rank, seconds in COSTS:
        found = costs.get((metric, rank, OWN_CODE), 0)
        if not seconds - LOST <= found <= seconds * (1 + LATER) + LOST:
            wrong.append(f"{metric} of rank {rank}: {found:.6f} s instead of {seconds:.3f}")
    # For every kind: what is direct was caused by activities or is unattributed, the rest by waiting.
    parts = {name: report.below((name,)) for name in ("wait_direct", "wait_indirect")}
    total = {name: sum(cells.values()) for name, cells in parts.items()}
    unattributed = sum(seconds for (metric, _, region), seconds in costs.items()
                       if metric == "delay_unattributed")
    missing = 0
    for kind in KINDS:
        short = sum(seconds for (metric, _, _), seconds in costs.items()
                    if metric in (f"delay_{kind}", f"interval_delay_{kind}"))
        direct = sum(seconds for (metric, _, _), seconds in parts["wait_direct"].items()
                     if metric == f"wait_direct_{kind}")
        indirect = sum(seconds for (metric, _, _), seconds in parts["wait_indirect"].items()
                       if metric == f"wait_indirect_{kind}")
        waiting = sum(report.below(KINDS[kind]).values())
        if abs(direct + indirect - waiting) > EXACT * waiting:
            wrong.append(f"{kind}: {direct} s direct and {indirect} s indirect of {waiting} s")
        if short > direct + EXACT or direct - short > unattributed + EXACT:
            wrong.append(f"{kind}: costs of {short} s for {direct} s of direct waiting")
        missing += direct - short
    waiting = sum(total.values())
    if abs(sum(costs.values()) - waiting) > EXACT * waiting:
        wrong.append(f"costs of {sum(costs.values())} s for {waiting} s of waiting")
    if missing > unattributed + EXACT:
        wrong.append(f"{missing} s of direct waiting are missing, {unattributed} s unattributed")
    # Nobody is late for unknown reasons but at the start.
    for (metric, rank, region), seconds in costs.items():
        if metric == "delay_unattributed" and region != "MPI_Init" and seconds > UNPLANTED:
            wrong.append(f"{seconds} s of unattributed cost on rank {rank} in {region}")
    return wrong


def main():
    program, archive = sys.argv[1:]
    failures = 0
    fermata.run([program, "check", archive])
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.fer")
        fermata.run([program, "analyze", "--check", "-o", report, archive])
        found = fermata.severities(program, report, METRICS)
        wrong = check_costs(fermata.Report(program, report))
    print("\n".join(wrong))
    failures += len(wrong)
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

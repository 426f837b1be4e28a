# SPDX-License-Identifier: BSD-3-Clause
"""What must be found in the trace of each pattern, computed from the trace's own events.

EXPECTED maps a pattern's name to a function of the pattern's RecordedTrace that yields Wait tuples;
what the frame of every pattern (Barrier, windows, communicators) and of the program (Init, Finalize)
adds is in frame_waits.
The function planted tells where the planted delay has to show.
"""

import wait_rules as rules


def frame_waits(trace):
    """The waits of the calls that surround a pattern, and of collectives it may consist of."""
    for region, metric in (("MPI_Init", "mpi_init_wait"), ("MPI_Finalize", "mpi_finalize_wait"),
                           ("MPI_Barrier", "mpi_barrier_wait")):
        for calls in trace.instances(region):
            yield from rules.for_the_last(metric, calls)
    for region, metric in (("MPI_Win_create", "mpi_rma_wait_at_create"),
                           ("MPI_Win_allocate", "mpi_rma_wait_at_create"),
                           ("MPI_Win_free", "mpi_rma_wait_at_free"),
                           ("MPI_Comm_dup", "mpi_comm_wait"),
                           ("MPI_Comm_split", "mpi_comm_wait"),
                           ("MPI_Cart_create", "mpi_comm_wait")):
        for calls in trace.instances(region):
            yield from rules.for_the_last_if_overlapping(metric, calls)


def in_frame(_trace):
    """The pattern is one of the calls that frame_waits knows."""
    return []


def late_sender(region, *more_metrics):
    """Rank 1's first `region` waits for rank 0's last send."""
    def expected(trace):
        yield from rules.wait(["mpi_latesender", *more_metrics], trace.calls(1, region)[0],
                              trace.calls(0, "MPI_Send")[-1].enter)
    return expected


def late_receiver(region, *more_metrics):
    """Rank 0's `region` waits for rank 1's first receive."""
    def expected(trace):
        yield from rules.wait(["mpi_latereceiver", *more_metrics], trace.calls(0, region)[0],
                              trace.calls(1, "MPI_Recv")[0].enter)
    return expected


def collective(rule, metric, region, completion=None):
    """The one instance of `region`; for a non-blocking one `completion` is the call that waits."""
    def expected(trace):
        (starts,) = trace.instances(region)
        if completion is None:
            if rule is rules.for_the_root:
                return rule(metric, starts, starts)
            return rule(metric, starts)
        (calls,) = trace.instances(completion)
        return rule(metric, calls, starts)
    return expected


def neighbourhood(trace):
    """Without a topology in the archive nobody can know the neighbours."""
    return (collective(rules.for_line_neighbours, "mpi_wait_nxn", "MPI_Neighbor_alltoall")(trace)
            if trace.has_topology else [])


def fences(trace):
    """The opening fence and the one that closes the epoch of the last rank's puts to rank 0."""
    opening, closing = trace.instances("MPI_Win_fence")
    yield from rules.fence(opening, {})
    yield from rules.fence(closing, {0: trace.calls(trace.size - 1, "MPI_Put")})


def target_ranks(trace):
    """The targets of rank 0's access epoch: those that post."""
    return [rank for rank in range(trace.size) if trace.calls(rank, "MPI_Win_post")]


def active_target(trace):
    """Rank 0's access epoch, with one put to each target in the order of ranks."""
    (start,), (complete,) = trace.calls(0, "MPI_Win_start"), trace.calls(0, "MPI_Win_complete")
    puts = list(zip(target_ranks(trace), trace.calls(0, "MPI_Put"), strict=True))
    posts = {rank: trace.calls(rank, "MPI_Win_post")[0] for rank, _ in puts}
    yield from rules.access_epoch(start, puts, complete, posts)
    for rank, put in puts:
        yield from rules.exposure_epoch(trace.calls(rank, "MPI_Win_wait")[0], complete, [put])


def passive_target(trace):
    """Lock epochs on rank 0, and the messages by which one owner keeps the other informed."""
    regions = ("MPI_Win_lock", "MPI_Put", "MPI_Win_flush", "MPI_Win_unlock")
    epochs = [trace.calls(rank, *regions) for rank in range(1, trace.size)]
    yield from rules.lock_epochs([epoch for epoch in epochs if epoch], trace.calls_of_rank[0])
    if trace.size > 2:
        for receive, send in zip(trace.calls(2, "MPI_Recv"), trace.calls(1, "MPI_Send"),
                                 strict=True):
            yield from rules.wait(["mpi_latesender"], receive, send.enter)


EXPECTED = {
    "latesender": late_sender("MPI_Recv"),
    "latesender_wait": late_sender("MPI_Wait"),
    "latesender_waitall": late_sender("MPI_Waitall"),
    "wrong_order_same": late_sender("MPI_Recv", "mpi_latesender_wo", "mpi_lswo_same"),
    "wrong_order_different": late_sender("MPI_Recv", "mpi_latesender_wo", "mpi_lswo_different"),
    "latereceiver": late_receiver("MPI_Ssend"),
    "latereceiver_wait": late_receiver("MPI_Wait"),
    "latereceiver_wrong_order": late_receiver("MPI_Ssend", "mpi_latereceiver_wo"),
    "barrier": in_frame,
    "nxn_allreduce": collective(rules.for_the_last, "mpi_wait_nxn", "MPI_Allreduce"),
    "nxn_allgather": collective(rules.for_the_last, "mpi_wait_nxn", "MPI_Allgather"),
    "nxn_alltoall": collective(rules.for_the_last, "mpi_wait_nxn", "MPI_Alltoall"),
    "nxn_reduce_scatter": collective(rules.for_the_last, "mpi_wait_nxn",
                                     "MPI_Reduce_scatter_block"),
    "latebroadcast": collective(rules.for_the_root, "mpi_latebroadcast", "MPI_Bcast"),
    "latebroadcast_scatter": collective(rules.for_the_root, "mpi_latebroadcast", "MPI_Scatter"),
    "earlyreduce": collective(rules.of_the_root, "mpi_earlyreduce", "MPI_Reduce"),
    "earlyreduce_gather": collective(rules.of_the_root, "mpi_earlyreduce", "MPI_Gather"),
    "earlyscan": collective(rules.for_lower_ranks, "mpi_earlyscan", "MPI_Scan"),
    "earlyscan_exscan": collective(rules.for_lower_ranks, "mpi_earlyscan", "MPI_Exscan"),
    "nonblocking_barrier": collective(rules.for_the_last, "mpi_barrier_wait", "MPI_Ibarrier",
                                      "MPI_Wait"),
    "nonblocking_allreduce": collective(rules.for_the_last, "mpi_wait_nxn", "MPI_Iallreduce",
                                        "MPI_Wait"),
    "nonblocking_bcast": collective(rules.for_the_root, "mpi_latebroadcast", "MPI_Ibcast",
                                    "MPI_Wait"),
    "neighbourhood": neighbourhood,
    "comm_dup": in_frame,
    "comm_split": in_frame,
    "win_create": in_frame,
    "win_allocate": in_frame,
    "win_free": in_frame,
    "fence": fences,
    "early_fence": fences,
    "late_post": active_target,
    "late_post_of_one": active_target,
    "early_wait": active_target,
    "late_complete": active_target,
    "lock_contention": passive_target,
    "wait_for_progress": passive_target,
    "finalize": in_frame,
}

# Whether anybody waits for progress depends on how the MPI library reaches the target's memory.
DEPENDS_ON_LIBRARY = {"wait_for_progress"}
PASSIVE_TARGET = {"lock_contention", "wait_for_progress"}

_LATE_POST = {"mpi_rma_sync_late_post", "mpi_rma_comm_late_post"}
_LOCK = {"mpi_rma_sync_lock_competition", "mpi_rma_comm_lock_competition"}


def planted(name, metric, size):
    """Who is late in the pattern `name`, which plants `metric`, and who waits.

    Returns (late rank, waiting ranks, metrics); the wait is in any of the metrics, depending on
    which call blocks in the MPI library."""
    last, others = size - 1, set(range(size - 1))
    if name.startswith("latereceiver"):
        return 1, {0}, {metric}
    if name.startswith(("latesender", "wrong_order", "early_wait", "late_complete")):
        return 0, {1}, {metric}
    if name.startswith(("latebroadcast", "earlyscan")) or name == "nonblocking_bcast":
        return 0, set(range(1, size)), {metric}
    if name == "late_post":
        return 1, {0}, _LATE_POST
    if name == "late_post_of_one":
        return last, {0}, _LATE_POST
    if name.startswith(("earlyreduce", "early_fence")):
        return last, {0}, {metric}
    if name == "neighbourhood":
        return last, {last - 1}, {metric}
    if name == "lock_contention":
        return 1, {2}, _LOCK
    if name == "wait_for_progress":
        return 0, {1}, {metric, "mpi_rma_comm_wait_for_progress"}
    return last, others, {metric}

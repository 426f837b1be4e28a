# SPDX-License-Identifier: BSD-3-Clause
"""Writes an archive of four ranks with counters of all kinds, and a topology, as other recorders do.

usage: write_counters.py DIR
"""
import sys

import otf2
from otf2.enums import (CartPeriodicity, CollectiveOp, GroupType, LocationType, MetricMode, MetricOccurrence, Paradigm,
                        RegionRole, Type)

RANKS = 4
LENGTH = 100000  # ticks of a microsecond
NO_ROOT = 0xFFFFFFFF
HOSTILE = '<img src=x onerror="window.evil=1" data-evil=1>'


def main():
    with otf2.writer.open(sys.argv[1], timer_resolution=1000000) as archive:
        define = archive.definitions
        node = define.system_tree_node("machine", parent=None)
        ranks = [define.location("Master thread", type=LocationType.CPU_THREAD,
                                 group=define.location_group(f"MPI Rank {r}", system_tree_parent=node))
                 for r in range(RANKS)]
        define.group("", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=ranks)
        world = define.comm("MPI_COMM_WORLD", define.group(
            "", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=range(RANKS)))
        place(define, world)
        region = define.region("main")
        work = define.region("work")
        barrier = define.region("MPI_Barrier", paradigm=Paradigm.MPI, region_role=RegionRole.BARRIER)

        # Two values in each event; the same counter under several numbers; and what was added.
        both = define.metric_class((
            define.metric_member("cycles", metric_mode=MetricMode.ACCUMULATED_START, value_type=Type.UINT64,
                                 unit="cycles"),
            define.metric_member("temperature", metric_mode=MetricMode.ABSOLUTE_POINT, value_type=Type.INT64,
                                 exponent=-1, unit="K")), occurrence=MetricOccurrence.SYNCHRONOUS_STRICT)
        queues = [define.metric_class((define.metric_members.create(HOSTILE, value_type=Type.DOUBLE),))
                  for _ in range(RANKS)]
        queues[3] = define.metric_instance(queues[3], recorder=ranks[3], scope=ranks[3])
        added = define.metric_class((define.metric_member("bytes", metric_mode=MetricMode.RELATIVE_LAST,
                                                          value_type=Type.UINT64, unit="B"),))
        define.metric_class((define.metric_member("never", value_type=Type.DOUBLE),))
        # Of the process, read now and then; the first rank has none.
        sent = define.metric_class((define.metric_member("sent", metric_mode=MetricMode.ACCUMULATED_START,
                                                         value_type=Type.UINT64, unit="B"),),
                                   occurrence=MetricOccurrence.ASYNCHRONOUS)

        for rank, location in enumerate(ranks):
            events = archive.event_writer_from_location(location)
            events.enter(0, region)
            for time in range(0, LENGTH, 10):
                wait(events, rank, time, work, barrier, world)
                if time % 1000 == 0:
                    events.metric(time, both, [(rank + 1) * time, 3000 + 10 * rank + (50 if 2 * time >= LENGTH else 0)])
                if rank != 1:  # rank 1 has no queue
                    spike = rank == 2 and time == 33330
                    events.metric(time, queues[rank], [1000.5 if spike else time // 10 % 2 * 10])
                if time % 10000 == 0 and time > 0:
                    events.metric(time, added, [100 * rank])
                if time % 20000 == 0 and time > 0:
                    events.metric(time, sent, [rank * time])
            events.leave(LENGTH, region)


def wait(events, rank, time, work, barrier, world):
    """Others wait for the last rank, which works longest: from 2 to 30 ms."""
    end = 25000 if rank == RANKS - 1 else 5000
    if time == 2000:
        events.enter(time, work)
    if time == end:
        events.leave(time, work)
        events.enter(time, barrier)
        events.mpi_collective_begin(time)
    if time == 30000:
        events.mpi_collective_end(time, CollectiveOp.BARRIER, world, NO_ROOT, 0, 0)
        events.leave(time, barrier)


def place(define, world):
    """Ranks in a grid of 2 x 2, of which one dimension wraps around."""
    grid = define.cart_topology("halo", world, (
        define.cart_dimension("x", 2, CartPeriodicity.TRUE),
        define.cart_dimension("y", 2, CartPeriodicity.FALSE)))
    for rank in range(RANKS):
        define.cart_coordinate(grid, rank, (rank // 2, rank % 2))


main()

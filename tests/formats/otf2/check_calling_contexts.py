#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Archives with calling contexts, as recorders with sampling write them: calls are calls, samples are samples, and
stretches of computation are composed of them.

Two ranks, six barriers. Between the first five, four stretches of 100 ms with two samples each. On rank 0 the eight
samples are work 5, other 3, so that each stretch has 62.5 ms of work and 37.5 ms of other: work 250 ms, other 150 ms.
On rank 1 they are work 6, other 2: 300 ms and 100 ms. Interrupts by cache misses do not stand for time: those on rank 1
find other, and change nothing. The last barrier is called in work, at once. A function that only samples tell of is no
call, whatever its name: other may have one that begins like those of a library.

usage: check_calling_contexts.py FERMATA
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import otf2
from otf2.enums import (GroupType, InterruptGeneratorMode, LocationGroupType, LocationType, Paradigm, RegionRole)

MS = 10**6
STRETCH, BARRIER, STEPS = 100 * MS, 2 * MS, 4
SAMPLES = {0: ("ww", "wo", "oo", "ww"), 1: ("ww", "wo", "ow", "ww")}
EXPECTED = {0: {"main/work": (250, 5), "main/other": (150, 3)}, 1: {"main/work": (300, 6), "main/other": (100, 2)}}


class Writer:
    """Writes the archive."""

    def __init__(self, trace, says_sampling, other):
        self.trace = trace
        definitions = trace.definitions
        node = definitions.system_tree_node("node")
        self.locations = []
        for rank in range(2):
            group = definitions.location_group(f"MPI Rank {rank}", system_tree_parent=node,
                                               location_group_type=LocationGroupType.PROCESS)
            self.locations.append(definitions.location("master", type=LocationType.CPU_THREAD, group=group))
        everybody = definitions.group("", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI,
                                      members=self.locations)
        world = definitions.group("", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=[0, 1])
        assert everybody is not None
        self.world = definitions.comm("MPI_COMM_WORLD", group=world)
        seen = Paradigm.SAMPLING if says_sampling else Paradigm.USER
        regions = {name: definitions.region(name, source_file="solver.c", begin_line_number=1,
                                            region_role=RegionRole.FUNCTION, paradigm=seen)
                   for name in ("main", "work", other)}
        barrier = definitions.region("MPI_Barrier", source_file="MPI", region_role=RegionRole.BARRIER,
                                     paradigm=Paradigm.MPI)
        context = definitions.calling_context
        self.main = context(region=regions["main"], parent=None)
        self.work = context(region=regions["work"], parent=self.main)
        self.other = context(region=regions[other], parent=self.main)
        self.barrier = context(region=barrier, parent=self.main)
        self.inner_barrier = context(region=barrier, parent=self.work)
        self.timer = definitions.interrupt_generator("timer", period=50,
                                                     interrupt_generator_mode=InterruptGeneratorMode.TIME,
                                                     exponent=-3)
        self.misses = definitions.interrupt_generator("PAPI_L3_TCM", period=1000,
                                                      interrupt_generator_mode=InterruptGeneratorMode.COUNT)

    def write_barrier(self, rank, time, context, new):
        writer = self.trace.event_writer_from_location(self.locations[rank])
        writer.calling_context_enter(time, context, new + 1)
        writer.mpi_collective_begin(time)
        writer.mpi_collective_end(time + BARRIER, otf2.enums.CollectiveOp.BARRIER, self.world,
                                  otf2.enums.CollectiveRoot.NONE, 0, 0)
        writer.calling_context_leave(time + BARRIER, context)

    def write_rank(self, rank):
        writer = self.trace.event_writer_from_location(self.locations[rank])
        self.write_barrier(rank, MS, self.barrier, 2)
        time = MS + BARRIER
        for samples in SAMPLES[rank]:
            before = self.main
            for i, letter in enumerate(samples):
                context = self.work if letter == "w" else self.other
                at = time + (2 * i + 1) * STRETCH // 4
                writer.calling_context_sample(at, context, 1 if context is before else 2, self.timer)
                before = context
            if rank == 1:
                writer.calling_context_sample(time + 9 * STRETCH // 10, self.other,
                                              1 if before is self.other else 2, self.misses)
            self.write_barrier(rank, time + STRETCH, self.barrier, 1)
            time += STRETCH + BARRIER
        self.write_barrier(rank, time, self.inner_barrier, 2)


def report_of(fermata, folder):
    archive, report = folder / "trace" / "traces.otf2", folder / "report.fer"
    subprocess.run([fermata, "analyze", "--check", "--quiet", "-o", report, archive], check=True)
    text = subprocess.run([fermata, "report", "--format", "json", report], check=True, capture_output=True, text=True)
    return json.loads(text.stdout)


def paths_of(document):
    """{number: call path}."""
    by_number = {path["id"]: path for path in document["callpaths"]}

    def name(path):
        above = path.get("parent")
        return path["region"] if above is None else f"{name(by_number[above])}/{path['region']}"
    return {number: name(path) for number, path in by_number.items()}


def check(fermata, says_sampling, other, failures):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with otf2.writer.open(str(folder / "trace"), timer_resolution=10**9) as trace:
            writer = Writer(trace, says_sampling, other)
            for rank in range(2):
                writer.write_rank(rank)
        document = report_of(fermata, folder)
        found = subprocess.run([fermata, "check", folder / "trace"], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        failures.append(f"fermata check: {found.stdout}{found.stderr}")
    paths = paths_of(document)
    values = collections.Counter()
    for severity in document["severities"]:
        values[severity["metric"], severity["location"], paths[severity["callpath"]]] += severity["value"]
    for rank, expected in EXPECTED.items():
        for function, (milliseconds, samples) in expected.items():
            path = function.replace("other", other)
            time, count = values["comp", rank, path], values["samples", rank, path]
            if abs(time - milliseconds / 1000) > 1e-6 or count != samples:
                failures.append(f"rank {rank}: {path} has {time} s and {count} samples, not {milliseconds} ms and "
                                f"{samples}")
        visits = {path: values["visits", rank, path] for path in ("main/MPI_Barrier", "main/work/MPI_Barrier")}
        if visits != {"main/MPI_Barrier": STEPS + 1, "main/work/MPI_Barrier": 1}:
            failures.append(f"rank {rank}: visits {visits}")
    if failures:
        failures.append(str(values))


def main():
    failures = []
    for says_sampling in (True, False):
        for other in ("other", "ARMCI_INIT_HANDLE", "shmem_local_sum"):
            check(sys.argv[1], says_sampling, other, failures)
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()

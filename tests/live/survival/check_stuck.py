# SPDX-License-Identifier: BSD-3-Clause
"""Records a program whose calls never end, and kills it: its trace has these calls, with what they wait for.

usage: check_stuck.py --fermata F [--mpirun M] --program P [--option OPTION...] CALL...

Without a launcher, the calls are those of the program's threads. With --ends the call ends the program.
"""

import argparse
import collections
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import typing

import otf2
from otf2.events import Enter, Leave

LONGEST = 90  # seconds that a run may take to begin
BEATS = 2.2  # seconds after which there are heartbeats
MESSAGE = r"communicator=\d+ source=0 tag=7"
MEMBERS = r"collective communicator=\d+ root=-1"
# By call of stuck.c: the function and what it waits for.
EXPECTED = {
    "recv": "MPI_Recv: " + MESSAGE,
    "any": r"MPI_Recv: communicator=\d+ source=-1 tag=-1",
    "send": "MPI_Ssend: send:0:7:12",
    "sendrecv": r"MPI_Sendrecv: send:0:7:8 communicator=\d+ source=0 tag=8",
    "probe": "MPI_Probe: " + MESSAGE,
    "mprobe": "MPI_Mprobe: " + MESSAGE,
    "wait": f"MPI_Wait: {MESSAGE} request",
    "started": f"MPI_Wait: {MESSAGE} request",
    "waitall": rf"MPI_Waitall: {MESSAGE} request communicator=\d+ source=0 tag=8 request request",
    "waitany": rf"MPI_Waitany: {MESSAGE} request communicator=\d+ source=0 tag=8 request",
    "waitsome": rf"MPI_Waitsome: {MESSAGE} request communicator=\d+ source=0 tag=8 request",
    "many": rf"MPI_Waitall: {MESSAGE} request (communicator=\d+ source=0 tag=\d+ request )+omitted=\d+",
    "test": "(MPI_Test:)?",  # it may be outside of it, too
    "barrier": "MPI_Barrier: " + MEMBERS,
    "allreduce": "MPI_Allreduce: " + MEMBERS,
    "bcast": r"MPI_Bcast: collective communicator=\d+ root=0",
    "ibarrier": r"MPI_Wait: communicator=\d+ root=-1 request",
    "dup": "MPI_Comm_dup: " + MEMBERS,
    "create": r"MPI_Win_create: rma_collective communicator=\d+ root=-1",
    "open": "MPI_File_open: " + MEMBERS,
    "finalize": "MPI_Finalize: " + MEMBERS,
    "fence": r"MPI_Win_fence: rma_collective window=\d+",
    "free": r"MPI_Win_free: rma_collective window=\d+",
    "lock": r"MPI_Win_(lock: lock:0|unlock: window=\d+ target=0)",  # libraries defer locks
    "flush": r"MPI_Win_(lock_all: lock:-1|flush: window=\d+ target=0)",
    "win_wait": r"MPI_Win_(wait|post): group:1",
    "complete": r"MPI_Win_(complete|start): group:1",
    "mutex": r"pthread_mutex_lock: synchronization object owner=1 since=\d+ taken in=hold \(.*stuck.c:\d+\)",
    "rwlock": r"pthread_rwlock_wrlock: synchronization object owner=1 since=\d+ taken in=hold \(.*stuck.c:\d+\)",
    "abort": "MPI_Abort:",
    "exit": "MPI_Comm_free: " + MEMBERS,
    "omp_lock": "omp_set_lock: synchronization object",
    "critical": r"!\$omp critical @stuck.c:\d+: synchronization object",
    "shmem_wait": "shmem_long_wait_until:",
    "shmem_lock": "shmem_set_lock: lock:0",
    "shmem_barrier": r"shmem_barrier_all: rma_collective communicator=\d+ root=-1",
    "shmem_broadcast": r"shmem_broadcast64: rma_collective communicator=\d+ root=0",
    "cond": "pthread_cond_wait: synchronization object ThreadReleaseLock",
    "join": "pthread_join: ThreadWait",
}


class Place(typing.NamedTuple):
    """A location."""
    text: str  # its open call and what that waits for; "": none is open
    regions: list
    properties: dict
    last: int
    is_first: bool  # of its process


def word(event):
    """What an event in an open call states."""
    kind = type(event).__name__
    if kind in ("ParameterInt", "ParameterString"):
        value = event.value if kind == "ParameterInt" else event.string
        return f"{event.parameter.name.replace('awaited ', '')}={value}"
    if kind == "ParameterUnsignedInt":
        return event.parameter.name
    return {"MpiSend": lambda: f"send:{event.receiver}:{event.msg_tag}:{event.msg_length}",
            "MpiRequestTest": lambda: "request", "MpiCollectiveBegin": lambda: "collective",
            "RmaCollectiveBegin": lambda: "rma_collective",
            "RmaGroupSync": lambda: f"group:{len(event.group.members)}",
            "RmaRequestLock": lambda: f"lock:{event.remote if event.remote < 2**31 else -1}",
            }.get(kind, lambda: kind)()


def open_calls(archive):
    """By location: its open call and what that waits for, its open regions, its properties, and the time
    of its last event; and the resolution."""
    calls, regions, last = {}, collections.defaultdict(list), collections.defaultdict(int)
    with otf2.reader.open(str(archive)) as trace:
        for location, event in trace.events:
            last[location] = max(last[location], event.time)
            if isinstance(event, Enter):
                regions[location].append(event.region.name)
                calls[location] = []
            elif isinstance(event, Leave):
                regions[location].pop()
                calls[location] = None
            elif calls.get(location) is not None:
                calls[location].append(word(event))
        places = [Place(f"{regions[each][-1]}: {' '.join(calls[each])}".strip() if calls.get(each) is not None
                        else "", regions[each],
                        {key: value.value for key, value in each._properties.items()}, last[each],
                        each.name == "Master thread")
                  for each in trace.definitions.locations]
        return places, trace.definitions.clock_properties.timer_resolution


def check_life(place, level, resolution):
    """Yields what is wrong with the times that a location states."""
    heartbeat, last = place.properties.get("FERMATA::HEARTBEAT", 0), place.last
    job_end = place.properties.get("FERMATA::JOB_END", 0)
    if heartbeat < last or heartbeat > last + LONGEST * resolution:
        yield f"last record {last}, heartbeat {heartbeat}, {resolution} ticks a second"
    if job_end < heartbeat or job_end > heartbeat + LONGEST * resolution:
        yield f"heartbeat {heartbeat}, end of the job {job_end}, {resolution} ticks a second"
    if place.properties.get("FERMATA::THREAD_LEVEL") != level or "FERMATA::ENDED" in place.properties:
        yield f"{place.properties}"


def wait_for(folder, ranks, run):
    end = time.monotonic() + LONGEST
    while not all((folder / str(rank)).exists() for rank in range(ranks)):
        if time.monotonic() > end or run.poll() is not None:
            run.kill()
            sys.exit(f"the program has not begun: {run.communicate()}")
        time.sleep(0.02)


def main():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--program"):
        parser.add_argument(name, required=True)
    parser.add_argument("--mpirun")
    parser.add_argument("--ends", action="store_true")
    parser.add_argument("--level", type=int, help="of the threads that may call MPI")
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("call", nargs="+")
    options = parser.parse_args()
    ranks = len(options.call) + 1 if options.mpirun else 1
    launcher = [*shlex.split(options.mpirun), "-n", str(ranks)] if options.mpirun else []
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                       OMPI_MCA_osc="^rdma", OMPI_MCA_sshmem="sysv")
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        command = [options.fermata, "record", "-o", "experiment", *options.option, "--", *launcher,
                   options.program, name, *(options.call if launcher else [])]
        run = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        if not options.ends:  # else the program may end before all of its processes are seen
            wait_for(folder, ranks, run)
            time.sleep(BEATS)
            os.kill(int((folder / "0").read_text()), signal.SIGKILL)
        _, errors = run.communicate(timeout=LONGEST)
        places, resolution = open_calls(folder / "experiment/traces.otf2")
        first = [place for place in places if place.is_first]
        for call, place in zip(options.call, (first if launcher else places)[1:]):
            if not re.fullmatch(EXPECTED[call], place.text):
                failures.append(f"{call}: {place.text!r} {place.regions}")
            # A process that exits shortly before its job may do so because that ends: nothing is claimed.
            if options.ends and "FERMATA::ENDED" in place.properties:
                failures.append(f"{call}: {place.properties}")
            failures += [f"{call}: {failure}" for failure in
                         (() if options.ends else check_life(place, options.level, resolution))]
        if not options.ends and max(place.properties["FERMATA::HEARTBEAT"] - place.last for place in places) < resolution:
            failures.append("no heartbeat in the second before the end")
    sys.exit("\n".join([*failures, errors]) if failures else 0)


main()

# SPDX-License-Identifier: BSD-3-Clause
"""Reads the recorded calls of OpenSHMEM from an archive as lines of text, and starts programs."""
import os
import shlex
import subprocess
import sys

import otf2
from otf2.events import Enter, Leave

# The launcher refuses root; oversubscribed processes shall yield.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                   OMPI_MCA_sshmem="sysv")


def run(command, may_fail=False, **options):
    """Runs a command. `may_fail`: programs of some libraries crash behind shmem_finalize."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300,
                            env=ENVIRONMENT, **options)
    if result.returncode != 0 and not may_fail:
        sys.exit(f"{shlex.join(map(str, command))}: {result.returncode}\n{result.stdout}{result.stderr}")
    return result


def pe_of(location):
    return int(location.group.name.split()[-1])


def name_of(value):
    """The last part of a constant's name in OTF2."""
    return str(value).rpartition(".")[2]


def place(lock_id):
    return "static" if lock_id % 2 == 1 else "heap"


def word(kind, event, targets):
    """A record inside a call, as a word; targets: of operations by id."""
    def done(what):
        return f"{what}:{targets[event.matching_id]}"

    if kind in ("RmaPut", "RmaGet"):
        targets[event.matching_id] = event.remote
        return f"{kind[3:].lower()}:{event.remote}:{event.bytes}"
    if kind == "RmaAtomic":
        targets[event.matching_id] = event.remote
        return (f"atomic:{event.remote}:{name_of(event.type)}:{event.bytes_sent}:{event.bytes_received}")
    if kind == "RmaCollectiveEnd":
        members = len(event.win.comm.group.members)
        root = event.root if event.root < members else "-"
        return (f"collective:{name_of(event.collective_op)}:{members}:{event.bytes_sent}:"
                f"{event.bytes_received}:{root}")
    return {"RmaOpCompleteBlocking": lambda: done("blocking"),
            "RmaOpCompleteNonBlocking": lambda: done("local"),
            "RmaOpCompleteRemote": lambda: done("remote"),
            "RmaWaitChange": lambda: "change", "RmaWinCreate": lambda: "create",
            "RmaWinDestroy": lambda: "destroy",
            "RmaAcquireLock": lambda: f"acquire:{place(event.lock_id)}",
            "RmaTryLock": lambda: f"try:{place(event.lock_id)}",
            "RmaReleaseLock": lambda: f"release:{place(event.lock_id)}"}[kind]()


def recorded(archive, prefixes=("shmem_", "start_pes", "sh")):
    """@return the recorded calls of each PE, in order, as `name word...`"""
    calls, open_call, targets = {}, {}, {}
    with otf2.reader.open(str(archive)) as trace:
        for location, event in trace.events:
            pe, kind = pe_of(location), type(event).__name__
            if isinstance(event, Enter) and event.region.name.startswith(prefixes):
                open_call[pe] = [event.region.name]
            elif isinstance(event, Leave) and event.region.name.startswith(prefixes):
                calls.setdefault(pe, []).append(" ".join(open_call[pe]))
            elif kind.startswith("Rma") and kind != "RmaCollectiveBegin":
                open_call[pe].append(word(kind, event, targets.setdefault(pe, {})))
    return calls


def compare(calls, expected, what):
    """Ends the program at the first difference."""
    for number, (call, wanted) in enumerate(zip(calls, expected)):
        if call != wanted:
            sys.exit(f"{what}: call {number} is recorded as\n  {call}\ninstead of\n  {wanted}")
    if len(calls) != len(expected):
        sys.exit(f"{what}: {len(calls)} calls are recorded instead of {len(expected)}")

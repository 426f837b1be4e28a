#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The counters of recorded runs are those of their traces, exactly, in every rank.

usage: check_against_trace.py FERMATA LAUNCHER RANKS PROGRAM...     (a PROGRAM may have arguments)

Each program is recorded with counters and a small buffer, so that records are written and reused while
it runs. Compared are calls of every function, messages, bytes, collectives by operation with their
bytes, one-sided operations and locks.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import otf2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "recorder"))
import recorded_events  # noqa: E402,F401  (repairs the bindings of OTF2)

MODELS = {otf2.Paradigm.MPI: "mpi", otf2.Paradigm.SHMEM: "shmem"}


def run(command, folder):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_osc="^rdma", OMPI_MCA_mpi_yield_when_idle="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_sshmem="sysv")
    return subprocess.run(command, cwd=folder, env=environment, timeout=240, capture_output=True,
                          text=True, errors="replace", check=False)


NUMBERS = {getattr(otf2.CollectiveOp, name): name.lower() for name in dir(otf2.CollectiveOp)
           if name.isupper()}


def operation(event):
    """The name of an operation in counters."""
    name = NUMBERS[event.collective_op]
    return {"bcast": "broadcast", "create_handle": "create", "destroy_handle": "destroy",
            "create_handle_and_allocate": "create_allocate",
            "destroy_handle_and_deallocate": "destroy_deallocate"}.get(name, name)


class Counts:
    """What the trace of a rank has."""

    def __init__(self):
        self.values = collections.Counter()
        self.samples = {}  # last values of the counters that the trace has samples of
        self.problems = []

    def sample(self, event):
        """Totals only grow."""
        member, value = event.metric.members[0], event.values[0]
        if member.metric_mode == otf2.MetricMode.ACCUMULATED_START:
            if value < self.samples.get(member.name, 0):
                self.problems.append(f"{member.name} falls to {value}")
            self.samples[member.name] = value

    def add(self, name, number=1):
        if number:
            self.values[name] += number

    def take(self, kind, event, model):
        if kind in ("MpiSend", "MpiIsend"):
            self.add("mpi.messages_sent")
            self.add("mpi.bytes_sent", event.msg_length)
            self.add(f"mpi.messages_by_boundary/{'up to' if event.msg_length <= 12288 else 'above'}"
                     " 12288")
        elif kind in ("MpiRecv", "MpiIrecv"):
            self.add("mpi.messages_received")
            self.add("mpi.bytes_received", event.msg_length)
        elif kind in ("MpiCollectiveEnd", "NonBlockingCollectiveComplete"):
            self.collective("collectives", event, model)
        elif kind == "RmaCollectiveEnd":
            self.collective("collectives" if model == "shmem" else "window_collectives", event, model)
        elif kind == "RmaPut":
            self.add(f"{model}.puts")
            self.add(f"{model}.bytes_put", event.bytes)
        elif kind == "RmaGet":
            self.add(f"{model}.gets")
            self.add(f"{model}.bytes_got", event.bytes)
        elif kind == "RmaAtomic":
            self.add(f"{model}.atomics")
            self.add(f"{model}.bytes_atomic", event.bytes_sent + event.bytes_received)
        elif kind == "RmaAcquireLock" or (kind == "RmaReleaseLock" and model == "mpi"):
            self.add(f"{model}.locks_acquired")

    def collective(self, name, event, model):
        self.add(f"{model}.{name}/{operation(event)}")
        if name == "collectives":
            sent = event.size_sent if hasattr(event, "size_sent") else event.bytes_sent
            received = (event.size_received if hasattr(event, "size_received")
                        else event.bytes_received)
            self.add(f"{model}.collective_bytes_sent", sent)
            self.add(f"{model}.collective_bytes_received", received)


def of_trace(anchor):
    ranks = collections.defaultdict(Counts)
    paths = collections.defaultdict(list)
    with otf2.reader.open(str(anchor)) as archive:
        for location, event in archive.events:
            kind = type(event).__name__
            counts = ranks[location.group.name]
            if kind == "Enter":
                paths[location].append(event.region)
                counts.add("calls:" + event.region.name)
            elif kind == "Leave":
                paths[location].pop()
            elif kind == "Metric":
                counts.sample(event)
            elif kind == "ParameterUnsignedInt" and event.parameter.name == "calls":
                counts.add("calls:" + paths[location][-1].name, event.value - 1)  # merged ones
            else:
                paradigm = paths[location][-1].paradigm if paths[location] else None
                counts.take(kind, event, MODELS.get(paradigm, "mpi"))
    return {int(name.split()[-1]): counts for name, counts in ranks.items()}


def of_counters(fermata, experiment):
    done = run([fermata, "counters", "show", "--format", "json", str(experiment)], experiment)
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert all(rank["state"] == "ended" for rank in shown["ranks"]), shown["ranks"]
    assert len(shown["ranks"]) == shown["size"]
    values = [collections.Counter() for _ in shown["ranks"]]
    for counter in shown["counters"]:
        named = counter["bins"] if "bins" in counter else [counter]
        for item in named:
            name = counter["name"] if item is counter else f"{counter['name']}/{item['name']}"
            for rank, value in zip(shown["ranks"], item["values"]):
                if value:
                    values[rank["rank"]][name] = value
    return dict(enumerate(values))


COMPARED = ("messages_sent", "bytes_sent", "messages_received", "bytes_received",
            "messages_by_boundary", "collectives", "collective_bytes_sent",
            "collective_bytes_received", "window_collectives", "puts", "bytes_put", "gets",
            "bytes_got", "atomics", "bytes_atomic", "locks_acquired")


def is_compared(name):
    model, _, rest = name.partition(".")
    return model in MODELS.values() and rest.split("/")[0] in COMPARED


def compare_samples(program, rank, counts, counted):
    """The last samples, in the last call, have what is counted in the end."""
    failures = [f"{program}: rank {rank}: {problem}" for problem in counts.problems]
    wanted = {name: value for name, value in counted.items() if is_compared(name) and "/" not in name}
    for name, value in wanted.items():
        if counts.samples.get(name) != value:
            failures.append(f"{program}: rank {rank}: {name}: {counts.samples.get(name)} in the last"
                            f" sample, {value} counted")
    if not counts.samples.get("usage.page_faults_minor"):
        failures.append(f"{program}: rank {rank}: no sample of page faults")
    return failures


def compare(program, trace, counted):
    """What differs between a rank's trace and its counters."""
    failures, compared = [], 0
    for rank, counts in trace.items():
        failures += compare_samples(program, rank, counts, counted[rank])
    trace = {rank: counts.values for rank, counts in trace.items()}
    for rank in sorted(trace.keys() | counted.keys()):
        functions = {name for name in counted[rank] if name.startswith("calls:")}
        for name in sorted(trace[rank].keys() | counted[rank].keys()):
            if name.startswith("calls:"):
                is_named = "+0x" not in name  # code without a name: PROGRAM+0xADDRESS
                wanted = name in functions or (is_named and name.startswith(("calls:MPI_", "calls:shmem_")))
            else:
                wanted = is_compared(name)
            compared += wanted
            if wanted and trace[rank][name] != counted[rank][name]:
                failures.append(f"{program}: rank {rank}: {name}: {trace[rank][name]} in the trace,"
                                f" {counted[rank][name]} counted")
    print(f"{program}: {compared} values of {len(trace)} ranks compared")
    if compared < 10 * len(trace):
        failures.append(f"{program}: only {compared} values are in the trace or counted")
    return failures


def contradictions(fermata, program, experiment):
    """What the report of the run states to differ: messages, bytes and collectives of its ranks."""
    run([fermata, "analyze", "--quiet", str(experiment)], experiment)
    done = run([fermata, "export", "--to", "json", "-o", "-", str(experiment)], experiment)
    if done.returncode != 0:
        return [f"{program}: {done.stderr}"]
    return [f"{program}: {finding['statement']}" for finding in json.loads(done.stdout)["findings"]
            if finding["id"] == "counters-and-trace"]


def check(fermata, launcher, ranks, program, folder):
    words = program.split()
    program = os.path.basename(words[0])
    experiment = pathlib.Path(folder) / (program + ".run")
    done = run([fermata, "record", "--counters", "--memory", "512K", "--threads", "all", "-o",
                str(experiment), "--", launcher, "-n", ranks, *words], folder)
    if not (experiment / "traces.otf2").exists():
        return [f"{program}: {done.stderr}"]
    trace = of_trace(experiment / "traces.otf2")
    counted = of_counters(fermata, experiment)
    return compare(program, trace, counted) + contradictions(fermata, program, experiment)


def main():
    fermata, launcher, ranks, *programs = sys.argv[1:]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            failures += check(fermata, launcher, ranks, program, folder)
    print("\n".join(failures[:60]))
    return bool(failures)


sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""A reader in a loop beside a running program, and periodic snapshots of it: counts only grow, counters
that are updated together are those of one moment, and no interval is lost.

usage: check_live.py FERMATA MPIRUN PROGRAM LIBRARY     (libfermata-counters.so)
"""

import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402

fermata, mpirun, program, library = sys.argv[1:]
SECONDS, PERIOD, BYTES = 2, 0.1, 8
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1")
COUNT, BYTE = 0, 1  # FERMATA_KIND_...
RUNNING = 0         # FERMATA_PROCESS_...


class Info(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("unit", ctypes.c_char_p), ("kind", ctypes.c_int)]


class Reader:
    """A process' counters, through libfermata-counters."""

    def __init__(self, path):
        self.calls = calls = ctypes.CDLL(library)
        calls.fermata_counters_open.restype = ctypes.c_void_p
        calls.fermata_counters_open.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
        for name, result, arguments in (("read", ctypes.c_int, []), ("state", ctypes.c_int, []),
                                        ("number", ctypes.c_size_t, []), ("close", None, []),
                                        ("info", ctypes.POINTER(Info), [ctypes.c_size_t]),
                                        ("value", ctypes.c_int64, [ctypes.c_size_t])):
            function = getattr(calls, f"fermata_counters_{name}")
            function.restype, function.argtypes = result, [ctypes.c_void_p, *arguments]
        why = ctypes.create_string_buffer(256)
        self.file = calls.fermata_counters_open(path.encode(), why, 256)
        assert self.file, why.value
        self.kinds, self.last, self.reads, self.changes = [], {}, 0, 0

    def read(self):
        """Reads once, and compares with the time before."""
        if self.calls.fermata_counters_read(self.file) != 0:
            return
        for i in range(len(self.kinds), self.calls.fermata_counters_number(self.file)):
            info = self.calls.fermata_counters_info(self.file, i).contents
            self.kinds.append((info.name.decode(), info.kind))
        now = {name: self.calls.fermata_counters_value(self.file, i)
               for i, (name, kind) in enumerate(self.kinds) if kind in (COUNT, BYTE)
               or name == "mpi.message_sizes"}
        for name, value in now.items():
            assert value >= self.last.get(name, 0), (name, self.last[name], value)
        check_together(now)
        self.reads += 1
        self.changes += now.get("mpi.messages_sent") != self.last.get("mpi.messages_sent")
        self.last = now

    def is_running(self):
        return self.calls.fermata_counters_state(self.file) == RUNNING


def check_together(values):
    """What one call updates is of one moment."""
    sent, received = (values.get(f"mpi.messages_{word}", 0) for word in ("sent", "received"))
    assert values.get("mpi.bytes_sent", 0) == BYTES * sent, values
    assert values.get("mpi.bytes_received", 0) == BYTES * received, values
    assert values.get("mpi.message_sizes", 0) == sent == values.get("calls:MPI_Send", 0), values
    assert received == values.get("calls:MPI_Recv", 0) and abs(sent - received) <= 1, values


def read_in_a_loop(experiment, job):
    paths = [f"{experiment}/counters/rank.{rank}" for rank in range(2)]
    readers = {}
    while job.poll() is None:
        for path in paths:
            if path not in readers and os.path.exists(path) and os.path.getsize(path) > 8192:
                try:
                    readers[path] = Reader(path)
                except AssertionError:  # it is being created
                    continue
            if path in readers:
                readers[path].read()
        time.sleep(0 if readers else 0.01)
    assert len(readers) == 2, readers
    for reader in readers.values():
        assert reader.reads > 20 and reader.changes > 10, (reader.reads, reader.changes)
        reader.read()
        assert not reader.is_running()


def check_snapshots(experiment):
    with open(f"{experiment}/counters/snapshots.csv", encoding="ascii") as file:
        rows = [line.rstrip("\n").split(",") for line in file][1:]
    times, values = [], [{}, {}]
    for seconds, rank, counter, value in rows:
        if rank == "":
            for own in values:
                check_together(own)
            times.append(float(seconds))
        else:
            before = values[int(rank)].get(counter, 0)
            assert float(value) > before or not counter.startswith(("mpi.bytes", "calls:")), counter
            values[int(rank)][counter] = float(value)
    assert times == sorted(set(times)) and times[-1] >= SECONDS, times
    # A period that is missed, since the machine is slow, is skipped; one more is taken at the end.
    length = times[-1] - times[0]
    assert 0.4 * length / PERIOD <= len(times) <= length / PERIOD + 2, (len(times), length)
    shown = json.loads(subprocess.run([fermata, "counters", "show", "--format", "json", experiment],
                                      capture_output=True, text=True, check=True).stdout)
    assert [rank["state"] for rank in shown["ranks"]] == ["ended", "ended"], shown["ranks"]
    for counter in shown["counters"]:
        if counter["kind"] in ("count", "bytes", "bins", "histogram"):
            last = [own.get(counter["name"], 0) for own in values]
            assert last == counter["values"], (counter["name"], last, counter["values"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        experiment = f"{folder}/experiment"
        job = subprocess.Popen([fermata, "record", "--counters-only", "--snapshot", str(PERIOD), "-o",
                                experiment, "--", *mpi_command(mpirun, 2, [program, str(SECONDS)])],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env=ENVIRONMENT)
        try:
            read_in_a_loop(experiment, job)
        finally:
            text, _ = job.communicate(timeout=120)
        assert job.returncode == 0, text
        check_snapshots(experiment)


main()
